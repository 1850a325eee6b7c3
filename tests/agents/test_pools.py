"""Author groups as the selection and the receipt take them."""

from __future__ import annotations

import numpy as np
import pytest

from agents.pools import MAX_GROUPS, OTHER, make_groups


def test_other_is_an_answer_like_any() -> None:
    values = ("woman",) * 10 + ("man",) * 10 + ("other",) * 6 + ("agender",) * 2 + ("",) * 2
    groups = make_groups("gender", values)
    assert groups.names == ("man", "woman", "other", OTHER)
    assert np.bincount(groups.codes[groups.codes >= 0]).tolist() == [10, 10, 6, 2]
    assert groups.unknown == pytest.approx(2 / 30)
    assert groups.shares.sum() == pytest.approx(1)


def test_names_of_groups_differ_even_where_a_value_is_called_like_the_rest() -> None:
    groups = make_groups("kind", (OTHER,) * 9 + ("a",) * 6 + ("b",) * 2)
    assert groups.names == ("a", OTHER)
    assert (groups.codes == 1).sum() == 11


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ((), ()),
        (("", ""), ()),
        (("a",), ("a",)),
        (("a", "b"), ("a", OTHER)),
        ((OTHER,), (OTHER,)),
        (tuple("abcdefgh" * 5), (*"abcde", OTHER)),
    ],
)
def test_few_and_many_values(values: tuple[str, ...], names: tuple[str, ...]) -> None:
    groups = make_groups("kind", values)
    assert groups.names == names
    assert len(names) <= MAX_GROUPS + 1
    assert [groups.codes[i] >= 0 for i in range(len(values))] == [bool(value) for value in values]
