"""The probabilistic reranker (FARO, stage 1)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.fairness.injection import arrange, inject, probability

RELEVANCE = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
GROUP = np.array([-1, -1, 1, -1, 1, 1])


def test_probability_is_the_affine_map_of_eq_2() -> None:
    assert probability([-1, 0, 0.2, 1]) == pytest.approx([0, 0.5, 0.6, 1])
    with pytest.raises(ValueError, match="embedding_bias"):
        probability([1.2])


def test_certain_positions_take_the_best_unused_document_of_their_group() -> None:
    shown = inject(RELEVANCE, GROUP, [1, 0, 1, 0], np.random.default_rng(0))
    assert shown.order.tolist() == [2, 0, 4, 1]
    assert shown.groups.tolist() == [1, -1, 1, -1]
    assert shown.forced == ()


def test_an_exhausted_group_is_reported() -> None:
    shown = arrange(RELEVANCE, GROUP, [1, 1, 1, 1, -1])
    assert shown.order.tolist() == [2, 4, 5, 0, 1]
    assert shown.groups.tolist() == [1, 1, 1, -1, -1]
    assert shown.forced == (3,)


def test_seeded() -> None:
    draws = [inject(RELEVANCE, GROUP, [0.5] * 4, np.random.default_rng(7)).order.tolist() for _ in range(2)]
    assert draws[0] == draws[1]


def test_realised_shares_follow_the_probabilities() -> None:
    rng = np.random.default_rng(1)
    rng_data = np.random.default_rng(2)
    r, a = rng_data.random(40), np.repeat([-1, 1], 20)
    m = np.array([0.1, 0.5, 0.8])
    groups = np.array([inject(r, a, m, rng).groups for _ in range(1500)])
    assert (groups == 1).mean(axis=0) == pytest.approx(m, abs=4 * 0.5 / np.sqrt(1500))


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_structure(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    N = int(rng.integers(k, 15))
    r, a = np.round(rng.random(N), 1), rng.choice((-1, 1), N)
    shown = inject(r, a, rng.random(k), rng)
    assert len(set(shown.order.tolist())) == k
    assert (a[shown.order] == shown.groups).all()
    for group in (-1, 1):
        own = r[shown.order[shown.groups == group]]
        assert own == pytest.approx(np.sort(r[a == group])[::-1][: own.size])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((RELEVANCE, GROUP, []), "probabilities"),
        ((RELEVANCE, GROUP, [0.5, 1.5]), "probabilities"),
        ((RELEVANCE, GROUP, [np.nan]), "probabilities"),
        ((RELEVANCE, GROUP, [0.5] * 7), "relevance"),
        (([np.nan, 1.0], [1, -1], [0.5]), "relevance"),
        ((RELEVANCE, GROUP[:3], [0.5]), "attribute"),
        ((RELEVANCE, np.zeros(6), [0.5]), "attribute"),
    ],
)
def test_bad_input(arguments: tuple[object, object, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        inject(*arguments, np.random.default_rng(0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="groups"):
        arrange(RELEVANCE, GROUP, [0, 1])
