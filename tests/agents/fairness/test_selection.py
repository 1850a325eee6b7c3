from dataclasses import replace

import numpy as np
import pytest

from agents.fairness.distance import BINS, histogram, w1_bins
from agents.fairness.faro_question import solve_question
from agents.fairness.opinion import select_weighted
from agents.fairness.pool import Pool
from agents.fairness.ranked_methods import MOST_WEIGHTED
from agents.fairness.selection import AIMED_METHODS, METHODS, RANDOM_METHODS, SAMPLES, select
from agents.fairness.warp import adaptive_expansion, entity_gated, slot_counts
from tests.agents.fairness.opinion_cases import random_pool

WIDE = frozenset({"relevance", "mmr", "dpp", "opinion-mmr", "w1-mmr", "wassrank-ot"})


@pytest.mark.parametrize(
    ("method", "k"),
    [
        (name, k)
        for name in sorted(METHODS)
        for k in (1, 7, 20)
        if name != "exact-weighted" or k <= MOST_WEIGHTED
    ],
)
def test_every_method_keeps_the_contract(method: str, k: int) -> None:
    pool = random_pool(np.random.default_rng(k), 120, unknown=0.2, matched=0.8)
    chosen = select(method, pool, k, np.random.default_rng(3))
    again = select(method, pool, k, np.random.default_rng(3))
    assert chosen.indices.tolist() == again.indices.tolist()
    assert chosen.method == method
    assert len(set(chosen.indices.tolist())) == k
    assert chosen.ranked == (method in AIMED_METHODS | {"exact-weighted"})
    assert chosen.ranked or (np.diff(pool.relevance[chosen.indices]) <= 0).all()
    assert np.isin(chosen.indices, chosen.frame).all()
    parts = chosen.parts
    assert parts.w1 == pytest.approx(w1_bins(histogram(pool.score[chosen.indices]), pool.population))
    assert parts.w1 >= parts.floor - 1e-9
    assert np.isnan(parts.gaps["region"]) or parts.gaps["region"] >= parts.gap_floors["region"] - 1e-9
    assert parts.relevance <= parts.relevance_top + 1e-9
    if method not in WIDE:
        assert parts.matched == 1.0
    if method in SAMPLES:
        assert chosen.inclusion is not None
        assert chosen.frame_inclusion.sum() == pytest.approx(k)
        assert ((chosen.inclusion > 0) & (chosen.inclusion <= 1)).all()
    else:
        assert chosen.inclusion is None


@pytest.mark.parametrize("method", sorted(set(METHODS) - RANDOM_METHODS))  # those draw by position
def test_the_order_of_the_candidates_does_not_matter(method: str) -> None:
    pool = random_pool(np.random.default_rng(9), 80, unknown=0.2, matched=0.8)
    order = np.random.default_rng(1).permutation(80)
    first = select(method, pool, 10).indices
    second = order[select(method, pool.take(order), 10).indices]
    assert first.tolist() == second.tolist()


@pytest.mark.parametrize("method", sorted(METHODS))
def test_fewer_candidates_than_k_are_all_taken_and_said(method: str) -> None:
    pool = random_pool(np.random.default_rng(0), 6, matched=2.0)
    chosen = select(method, pool, 10, np.random.default_rng(0))
    assert sorted(chosen.indices.tolist()) == list(range(6))
    assert any(note.startswith("only 6 documents") for note in chosen.notes)


def test_nothing_speaks_of_the_entity() -> None:
    pool = random_pool(np.random.default_rng(0), 30, matched=0.0)
    for method in set(METHODS) - WIDE:
        chosen = select(method, pool, 5, np.random.default_rng(0))
        assert chosen.indices.size == 0
        assert chosen.notes[0].startswith("only 0 documents speak of the entity")


def test_scarce_bins_and_groups_are_named() -> None:
    pool = Pool(
        relevance=np.linspace(1, 0.1, 10),
        score=np.full(10, 30.0),
        population=[0.5, 0, 0, 0, 0, 0, 0.5],
        groups={"age": np.zeros(10, int)},
        group_shares={"age": [0.5, 0.5]},
    )
    notes = select("exact", pool, 4).notes
    assert "only 0 documents of bin -30 exist, 2 of 4 would be proportional" in notes
    assert "only 0 documents of age group 1 exist, 2 of 4 would be proportional" in notes


def test_exact_is_never_beaten_on_its_objective() -> None:
    for seed in range(8):
        pool = random_pool(np.random.default_rng(seed), 150, groups=1)
        best = select("exact", pool, 10)
        assert best.exact
        for method in METHODS:
            parts = select(method, pool, 10, np.random.default_rng(seed)).parts
            assert parts.relevance - 0.3 * parts.w1 <= best.objective + 1e-9


def test_exact_weighted_needs_no_author_groups_and_no_calibration_to_equal_exact() -> None:
    for seed in range(5):
        pool = random_pool(np.random.default_rng(seed), 60, matched=0.8)
        plain = select("exact", pool, 8, beta=0.0)
        weighted = select("exact-weighted", pool, 8)
        assert weighted.objective == pytest.approx(plain.objective, abs=1e-9)
        assert weighted.indices.tolist() == plain.indices.tolist()


def test_exact_weighted_orders_by_the_weights_and_says_what_it_clipped() -> None:
    pool = random_pool(np.random.default_rng(4), 60, matched=0.8)
    weights = np.array([0.4, -0.1, 0.2, 0.2, 0.05])
    rows = pool.entity_documents()
    best = select_weighted(
        pool.relevance[rows], pool.score[rows], pool.population, np.maximum(weights, 0), lam=0.1
    )
    chosen = select("exact-weighted", pool, 5, weights=weights, lam=0.1)
    assert chosen.objective == pytest.approx(best.objective)
    assert chosen.notes[0] == "negative position weights count 0 in the distance (1 of 5)"
    assert pool.relevance[chosen.indices[2]] >= pool.relevance[chosen.indices[3]]
    assert (
        "no position weight is positive"
        in select("exact-weighted", pool, 5, weights=-weights.clip(0)).notes[0]
    )
    with pytest.raises(ValueError, match=r"^k: exact-weighted orders at most 12"):
        select("exact-weighted", pool, 13)


def test_faro_for_one_question_takes_the_solvers_ranking_and_says_when_it_cannot() -> None:
    pool = random_pool(np.random.default_rng(2), 60, matched=0.8)
    weights = np.array([0.5, 0.3, 0.1, 0.05])
    rows = pool.by_relevance(pool.entity_documents())
    polarity = np.sign(pool.score[rows]).astype(np.int64)
    solved = solve_question(pool.relevance[rows], polarity, weights, 0.1, target=-0.3, tau=0.02)
    chosen = select("faro", pool, 4, weights=weights, intercept=0.1, target=-0.3, tau=0.02)
    assert chosen.indices.tolist() == rows[solved.ranking].tolist()
    assert abs(np.sign(pool.score[chosen.indices]) @ weights + 0.1 + 0.3) <= 0.02 + 1e-9
    far = select("faro", pool, 4, weights=weights, target=5.0, tau=0.02)
    assert "no ranking brings the predicted Rb within 0.02 of +5.00" in far.notes[0]


def test_exact_w2_balances_one_attribute() -> None:
    one = random_pool(np.random.default_rng(2), 60, groups=2)
    pool = replace(
        one,
        groups={"region": one.groups["region"], "age": one.groups["region"]},
        group_shares={"region": one.group_shares["region"], "age": one.group_shares["region"]},
    )
    with pytest.raises(ValueError, match=r"^groups: exact-w2"):
        select("exact-w2", pool, 4)


def test_a_sample_of_the_relevant_half_reaches_every_bin_of_the_population() -> None:
    """All documents of bin -10 lie in the less relevant half: without them no sample could stand for the population."""
    score = np.repeat([30.0, -30.0, -10.0], [20, 14, 6])
    pool = Pool(
        relevance=np.linspace(1, 0.1, 40), score=score, population=[14 / 40, 0, 6 / 40, 0, 0, 0, 20 / 40]
    )
    frame = pool.sampling_frame(10, 0.5)
    assert np.bincount(pool.bins[frame], minlength=7).tolist() == [7, 0, 3, 0, 0, 0, 20]
    counts = [
        np.bincount(
            pool.bins[select("balanced", pool, 10, np.random.default_rng(s), relevance_quantile=0.5).indices],
            minlength=7,
        )
        for s in range(200)
    ]
    assert np.mean(counts, axis=0)[[0, 2, 6]] == pytest.approx([3.5, 1.5, 5.0], abs=0.12)
    assert pool.sampling_frame(10, 0.0).size == 40


def test_mmr_by_hand() -> None:
    pool = Pool(
        relevance=[1.0, 0.9, 0.5],
        score=[0.0, 0.0, 0.0],
        population=[0, 0, 0, 1, 0, 0, 0],
        vectors=[[1, 0], [1, 0], [0, 1]],
    )
    assert select("mmr", pool, 2).indices.tolist() == [0, 2]
    assert select("mmr", pool, 2, trade_off=1.0).indices.tolist() == [0, 1]


def test_w1_greedy_by_hand() -> None:
    pool = Pool(
        relevance=[0.9, 0.8, 0.7, 0.1],
        score=[30.0, 30.0, -30.0, 0.0],
        population=[0.5, 0, 0, 0, 0, 0, 0.5],
    )
    assert select("w1-greedy", pool, 2).indices.tolist() == [0, 2]
    assert select("wassrank-ot", pool, 2, trade_off=0.1).indices.tolist() == [0, 2]
    assert select("js", pool, 2).indices.tolist() == select("kl", pool, 2).indices.tolist() == [0, 2]


def test_slots_follow_the_largest_remainder() -> None:
    assert slot_counts(np.array([0.5, 0.3, 0.2]), 4).tolist() == [2, 1, 1]
    assert slot_counts(np.array([1 / 3, 1 / 3, 1 / 3]), 4).tolist() == [2, 1, 1]


def test_expansions_fetch_from_below_the_cut() -> None:
    pool = Pool(
        relevance=np.linspace(1, 0.1, 10),
        score=[30, 30, 30, 0, 10, -30, -20, 30, -30, 0],
        population=[0.4, 0, 0, 0.2, 0, 0, 0.4],
        matched=[True] * 8 + [False, True],
    )
    assert entity_gated(pool, 4, 2).tolist() == [0, 1, 2, 3, 5, 7]
    assert adaptive_expansion(pool, 4, 1).tolist() == [0, 1, 2, 3, 5]
    with pytest.raises(ValueError, match="cut"):
        entity_gated(pool, 0, 2)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"relevance": []}, "relevance"),
        ({"relevance": [0.1, np.nan, 0.2]}, "relevance"),
        ({"score": [0.0, 1.0]}, "score"),
        ({"population": np.ones(7)}, "population"),
        ({"population": [1.0]}, "population"),
        ({"matched": [1, 0, 1]}, "matched"),
        ({"vectors": np.ones((2, 4))}, "vectors"),
        ({"vectors": np.full((3, 4), np.nan)}, "vectors"),
        ({"ids": [1, 1, 2]}, "ids"),
        ({"groups": {"a": [0, 0, 0]}}, "group_shares"),
        ({"groups": {"a": [0, 0, 5]}, "group_shares": {"a": [0.5, 0.5]}}, "groups"),
        ({"groups": {"a": [0, 0, 1]}, "group_shares": {"a": [0.5, 0.9]}}, "group_shares"),
    ],
)
def test_bad_pools_name_the_argument(change: dict, name: str) -> None:
    good = {"relevance": [0.1, 0.2, 0.3], "score": [0.0, 10.0, 20.0], "population": [1 / 7] * 7}
    with pytest.raises(ValueError, match=f"^{name}"):
        Pool(**{**good, **change})


@pytest.mark.parametrize(
    ("method", "k", "options", "name"),
    [
        ("best", 3, {}, "method"),
        ("exact", 0, {}, "k"),
        ("exact", 3, {"colour": 1}, "options"),
        ("exact", 3, {"lam": -1.0}, "lam"),
        ("random", 3, {"relevance_quantile": 1.0}, "relevance_quantile"),
        ("w1-mmr", 3, {"trade_off": 2.0}, "trade_off"),
    ],
)
def test_bad_calls_name_the_argument(method: str, k: int, options: dict, name: str) -> None:
    pool = random_pool(np.random.default_rng(0), 20)
    with pytest.raises(ValueError, match=f"^{name}"):
        select(method, pool, k, np.random.default_rng(0), **options)


def test_missing_rng_and_vectors_are_said() -> None:
    pool = Pool(relevance=[0.1, 0.2], score=[0.0, 10.0], population=histogram(BINS))
    with pytest.raises(ValueError, match=r"^rng"):
        select("stratified", pool, 1)
    with pytest.raises(ValueError, match=r"^vectors"):
        select("mmr", pool, 1)
