"""Author groups, targets and balancing variables as the selection and the receipt take them."""

from __future__ import annotations

import numpy as np
import pytest

from agents.pools import MAX_GROUPS, covariates, make_groups, target_shares
from store.errors import UsageError
from store.opinions import StancePool


def stances(scores: list[int], levels: list[float], dates: tuple[str, ...] = ()) -> StancePool:
    n = len(scores)
    levelled = np.asarray(levels, dtype=np.float64)
    return StancePool(
        document_ids=np.arange(n),
        scores=np.asarray(scores, dtype=np.int64),
        impacts=np.zeros(n, np.int64),
        confidences=np.ones(n),
        dates=dates or ("",) * n,
        ratings=1 + 4 * levelled,
        lengths=np.arange(1, n + 1) * 10,
        levels=levelled,
    )


def test_other_is_an_answer_like_any() -> None:
    values = ("woman",) * 10 + ("man",) * 10 + ("other",) * 6 + ("agender", "bigender") + ("",) * 2
    groups = make_groups("gender", values)
    assert groups.names == ("man", "woman", "other", "2 other values")
    assert (groups.rest, groups.named) == (3, (0, 1, 2))
    assert np.bincount(groups.codes[groups.codes >= 0]).tolist() == [10, 10, 6, 2]
    assert groups.unknown == pytest.approx(2 / 30)
    assert groups.shares.sum() == pytest.approx(1)


def test_a_single_rare_value_keeps_its_name() -> None:
    groups = make_groups("insurance", ("statutory",) * 80 + ("private",) * 3)
    assert groups.names == ("statutory", "private")
    assert groups.rest == -1
    six = make_groups("kind", tuple("abcdef" * 9))
    assert six.names == tuple("abcdef"), "the sixth of six is no rest either"


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ((), ()),
        (("", ""), ()),
        (("a",), ("a",)),
        (("a", "b"), ("a", "b")),
        (("a", "b", "c"), ("a", "2 other values")),
        (tuple("abcdefgh" * 5), (*"abcde", "3 other values")),
    ],
)
def test_few_and_many_values(values: tuple[str, ...], names: tuple[str, ...]) -> None:
    groups = make_groups("kind", values)
    assert groups.names == names
    assert len(names) <= MAX_GROUPS + 1
    assert [groups.codes[i] >= 0 for i in range(len(values))] == [bool(value) for value in values]


def test_stars_are_read_on_their_own_scale() -> None:
    # 4 and 5 of five stars are +20 and +30, whatever else was given.
    shares = target_shares("stars", stances([10] * 4, [0.75, 1, 1, 1]))
    assert shares.tolist() == [0, 0, 0, 0, 0, 0.25, 0.75]
    assert target_shares("stars", stances([10] * 5, [0, 0.25, 0.5, 0.75, 1])).tolist() == [
        0.2, 0.2, 0, 0.2, 0, 0.2, 0.2,
    ]  # fmt: skip
    assert target_shares("stars", stances([10] * 2, [1, np.nan])).tolist() == [0, 0, 0, 0, 0, 0, 1]
    with pytest.raises(UsageError, match="no ratings"):
        target_shares("stars", stances([10], [np.nan]))


def test_a_sample_balances_ratings_first_and_evaluations_hold_them_out() -> None:
    pool = stances([10, -10, 0], [1, 0, np.nan], ("2019-01-02", "", "2021"))
    found, without = covariates(pool), covariates(pool, ratings=False)
    assert found is not None
    assert without is not None
    assert found.shape == (3, 3)
    assert found[:, 0] == pytest.approx([np.sqrt(1.5), -np.sqrt(1.5), 0]), "unknown at the mean"
    assert (found[:, 1:] == without).all()
    assert covariates(stances([], [])) is None
    assert covariates(stances([10, 10], [np.nan, np.nan])).shape == (2, 1)  # type: ignore[union-attr]
