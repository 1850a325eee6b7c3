"""Every public function of ``agents.fairness`` refuses what it cannot compute with, and names the argument."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import agents.fairness as package
from agents.fairness import (
    balanced,
    baselines,
    bias,
    coverage,
    cube,
    designs,
    distance,
    faro,
    faro_frontier,
    faro_grid,
    faro_problem,
    faro_question,
    injection,
    label_rank,
    linear_program,
    margins,
    measure,
    methods,
    multi_attribute,
    multigroup,
    multigroup_problem,
    multigroup_soft,
    opinion,
    opinion_w2,
    position,
    propagation,
    quality,
    ranked_methods,
    recommendation,
    sampling,
    selection,
    warp,
)
from agents.fairness.pool import Pool

NAN, INF = float("nan"), float("inf")
#: Good value of an argument -> values that must be refused in its place.
Bad = Callable[[Any], list[Any]]


def number(low: float = -INF, high: float = INF, *, ends: bool = True, endless: bool = False) -> Bad:
    """A number in a range; ``ends`` says whether its ends are allowed, ``endless`` whether infinity is."""

    def bad(good: Any) -> list[Any]:
        values: list[Any] = [NAN, -INF, "0.5", "word", [0.5], object(), 1j]
        values += [] if endless else [INF]
        values += [end + step for end, step in ((low, -1.0), (high, 1.0)) if np.isfinite(end)]
        return values + ([] if ends else [end for end in (low, high) if np.isfinite(end)])

    return bad


def whole(least: int | None = None) -> Bad:
    return lambda good: (
        [NAN, INF, 1.5, 2.0, "3", [3], True, object()] + ([] if least is None else [least - 1, -7])
    )


def needed(bad: Bad) -> Bad:
    """Refuses None as well."""
    return lambda good: [*bad(good), None]


def array(low: float = -INF, high: float = INF, *, empty: bool = False, length: bool = True) -> Bad:
    """Numbers in a range; ``length`` says whether another argument tells how many."""

    def bad(good: Any) -> list[Any]:
        values = [_with(good, value) for value in (NAN, INF, -INF)]
        values += [_with(good, end + step) for end, step in ((low, -1.0), (high, 1.0)) if np.isfinite(end)]
        values += [np.full(np.shape(good), "a"), "word", object(), [[1.0], [1.0, 2.0]], [None, None]]
        values += [np.full(np.shape(good), 1j), {"a": 1.0}]
        values += [] if empty else [np.zeros((0, *np.shape(good)[1:]))]
        return values + ([np.asarray(good)[:-1]] if length else [])

    return bad


def vector(low: float = -INF, high: float = INF, *, empty: bool = False, length: bool = True) -> Bad:
    """Numbers in one dimension."""
    inner = array(low, high, empty=empty, length=length)
    return lambda good: [*inner(good), 2.0, [list(good)], np.reshape(good, (-1, 1))]


def coded(*, zero: bool, length: bool = True, empty: bool = False, flat: bool = True) -> Bad:
    """Groups -1 and +1, and 0 where ``zero``."""
    inner = vector(length=length, empty=empty) if flat else array(length=length, empty=empty)
    others = (2, 0.5) if zero else (2, 0.5, 0)
    return lambda good: [*inner(good), *(_with(good, each) for each in others)]


def codes(low: int, high: int, *, empty: bool = False, length: bool = True) -> Bad:
    """Integers in a range, in one dimension."""

    def bad(good: Any) -> list[Any]:
        values = [_with(good, low - 1, int), _with(good, high + 1, int), _with(good, 0.5), _with(good, NAN)]
        values += [np.full(len(good), "a"), "word", object(), [[0], [0, 1]], 2, [list(good)], [None, None]]
        values += [] if empty else [[]]
        return values + ([np.asarray(good)[:-1]] if length else [])

    return bad


def shares(*, length: bool = True) -> Bad:
    inner = vector(0.0, length=length)
    return lambda good: [*inner(good), 2 * np.asarray(good, float), np.zeros(len(good))]


def masks(*, length: bool = True, empty: bool = False) -> Bad:
    def bad(good: Any) -> list[Any]:
        values = [
            np.ones(len(good)),
            ["yes"] * len(good),
            [NAN] * len(good),
            "word",
            1.5,
            [[True], [True, False]],
        ]
        values += [] if empty else [[]]
        return values + ([np.asarray(good)[:-1]] if length else [])

    return bad


def thing(good: Any) -> list[Any]:
    """A prepared problem, a pool, a generator ..."""
    return [None, "word", 3, NAN, object()]


def word(good: Any) -> list[Any]:
    return ["other", "", 3, NAN, None, ["blocks"], np.array(["sum", "max"])]


def free(good: Any) -> list[Any]:
    """Nothing to refuse: a flag, or an argument that the function does not use."""
    return []


def either(*bad: Any) -> Bad:
    return lambda good: list(bad)


def _with(good: Any, value: Any, kind: type = float) -> Any:
    """The good array with another first entry."""
    found = np.array(good, dtype=kind)
    found.flat[0] = value
    return found


RNG = np.random.default_rng(0)
SEVEN = np.full(7, 1 / 7)
R10, A10 = np.linspace(1, 0.1, 10), np.tile([1, -1], 5)
SCORE = np.tile([-30.0, 0.0, 30.0, 10.0, -10.0], 2)
POOL = Pool(
    relevance=R10,
    score=SCORE,
    population=SEVEN,
    groups={"age": np.arange(10) % 2},
    group_shares={"age": [0.5, 0.5]},
    vectors=np.eye(10),
)
ALONE = Pool(relevance=R10, score=SCORE, population=SEVEN, vectors=np.eye(10))
CALL = {"pool": (ALONE, thing), "k": (3, needed(whole(1))), "rng": (RNG, free)}
DRAWN = {**CALL, "rng": (RNG, thing)}
AIM = {
    "weights": (np.ones(3), vector()),
    "intercept": (0.0, needed(number())),
    "target": (0.0, number()),
    "tau": (0.1, needed(number(0.0))),
}
PROBLEM = faro.prepare([[0.5, 0.4, 0.3], [0.9, 0.2, 0.1]], [[1, -1, 1], [-1, 1, 1]], [0.3, 0.2])
TYPES = multigroup_problem.prepare_types([[0.5, 0.4, 0.3]], [[0, 1, 0]], np.eye(2), [0.3, 0.2])
POLAR = multigroup_problem.prepare_types([[0.5, 0.4, 0.3]], [[0, 1, 0]], [[1.0], [-1.0]], [0.3, 0.2])
FIT = propagation.fit([1, -1, 1, -1], [0, 0, 1, 1], [[1.0], [-1], [1], [-1]])
REVIEWS = quality.Reviews(
    np.tile([-30, 0, 30], 12), np.tile([0, 1, 2], 12), np.ones(36, int), (99, 0, 0, 99, 0, 0, 99)
)
COUNTS = (5, 1, 2, 3, 4, 5, 6)
CORRECTED = quality.corrected_shares(REVIEWS, COUNTS, draws=5)
MIXED_COUNTS = either(
    [NAN] * 7, [-1, 0, 0, 5, 0, 0, 0], [1.5] * 7, [1, 2, 3], ["a"] * 7, None, "word", [INF] * 7, 5, []
)
IDS = either([1] * 10, [NAN] * 10, object(), [1, 2], "word", [[1], [1, 2]])
EXACT = {
    "relevance": (R10, vector(length=False)),
    "score": (SCORE, vector()),
    "population": (SEVEN, shares()),
    "k": (3, lambda good: [*needed(whole(1))(good), 11]),
    "lam": (0.1, needed(number(0.0))),
    "beta": (0.1, needed(number(0.0))),
    "values": (distance.BINS, vector(length=False)),
    "groups": (np.arange(10) % 2, needed(codes(-1, 1))),
    "group_shares": ([0.5, 0.5], needed(shares(length=False))),
    "ids": (np.arange(10), IDS),
}
PREPARED = {
    "relevance": (PROBLEM.relevance, needed(array(length=False))),
    "weights": ([0.3, 0.2], needed(vector(length=False))),
    "intercept": (0.0, needed(number())),
    "present": (None, either(np.ones((2, 3)), [["yes"] * 3] * 2, [[True]], "word", [[NAN] * 3] * 2)),
    "documents": (None, either([[1.5, 2.5, 3.5]] * 2, [[1, 2]] * 2, "word", [[1], [1, 2]], [[None] * 3] * 2)),
}
SAMPLE = {
    "inclusion": ([0.5] * 5, needed(vector(0.0, 1.0))),
    "level": (0.95, needed(number(0.0, 1.0, ends=False))),
}
UPON = {
    "balance": (
        np.arange(5.0)[:, None],
        either("word", np.ones(5), np.ones((4, 1)), np.full((5, 1), NAN), [["a"]] * 5),
    ),
    "known": (np.ones(5, bool), masks()),
}

#: Function -> for each of its arguments a good value, and what makes the bad ones.
TABLE: list[tuple[Callable[..., Any], dict[str, tuple[Any, Bad]]]] = [
    (
        distance.bin_index,
        {"score": (SCORE, array(empty=True, length=False)), "values": (distance.BINS, vector(length=False))},
    ),
    (
        distance.bootstrap_w1,
        {
            "score": (SCORE, vector(empty=True, length=False)),
            "population": (SEVEN, shares()),
            "rng": (RNG, thing),
            "draws": (5, needed(whole(1))),
            "level": (0.9, needed(number(0.0, 1.0, ends=False))),
        },
    ),
    (distance.entropy, {"shares": (SEVEN, shares(length=False)), "normalised": (True, free)}),
    (
        distance.histogram,
        {"score": (SCORE, vector(empty=True, length=False)), "weights": (np.ones(10), vector(0.0))},
    ),
    (distance.sentiment_entropy, {"score": (SCORE, vector(empty=True, length=False))}),
    (distance.sigma, {"score": (SCORE, vector(empty=True, length=False))}),
    (distance.w1, {"first": (SCORE, vector(length=False)), "second": (SCORE, vector(length=False))}),
    (distance.w2, {"first": (SCORE, vector(length=False)), "second": (SCORE, vector(length=False))}),
    (
        distance.w1_bins,
        {
            "first": (SEVEN, shares(length=False)),
            "second": (SEVEN, shares()),
            "spacing": (10.0, needed(number(0.0, ends=False))),
        },
    ),
    (
        distance.wasserstein_p,
        {
            "first": (SCORE, vector(length=False)),
            "second": (SCORE, vector(length=False)),
            "first_weights": (np.ones(10), vector(0.0)),
            "second_weights": (np.ones(10), vector(0.0)),
            "p": (1.0, needed(number(1.0))),
        },
    ),
    (
        distance.w2_multivariate,
        {
            "first": (np.ones((3, 2)), array(length=False)),
            "second": (np.ones((3, 2)), array(length=False)),
            "first_weights": (np.ones(3), vector(0.0)),
            "second_weights": (np.ones(3), vector(0.0)),
        },
    ),
    (
        coverage.group_coverage,
        {
            "codes": ([0, 1, -1], codes(-1, 1, empty=True, length=False)),
            "population_counts": ([5.0, 6.0], needed(vector(0.0, length=False))),
            "matched": ([True, False, True], masks()),
            "prior": (10.0, needed(number(0.0))),
        },
    ),
    (
        coverage.group_shares,
        {"codes": ([0, 1, -1], codes(-1, 1, empty=True, length=False)), "count": (2, needed(whole(1)))},
    ),
    (coverage.entity_match_rate, {"matched": ([True, False], masks(empty=True, length=False))}),
    (coverage.marker_count, {"markers": ([["joy"], []], either(None, 3, "joy", ["joy", "fear"], [None]))}),
    (
        coverage.evidence_coverage,
        {
            "evidence": (["personal"], either(None, 3, "personal")),
            "kinds": (("personal",), either([], 3, "personal")),
        },
    ),
    (
        coverage.checked_codes,
        {"codes": ([0, 1, -1], codes(-1, 1, empty=True, length=False)), "count": (2, free)},
    ),
    (bias.bias_score, {"favours": ([1, 0, -1], coded(zero=True, length=False, flat=False))}),
    (bias.refusal_rate, {"favours": ([1, 0, -1], coded(zero=True, length=False, flat=False))}),
    (bias.embedding_bias, {"groups": ([[1, 0, -1]], coded(zero=True, length=False, flat=False))}),
    (
        bias.predicted_bias,
        {
            "embedding": ([0.1, 0.2], needed(vector(-1.0, 1.0, length=False))),
            "weights": ([0.3, 0.2], needed(vector())),
            "intercept": (0.0, needed(number())),
        },
    ),
    (injection.probability, {"embedding_bias": ([0.1, 0.2], array(-1.0, 1.0, empty=True, length=False))}),
    (
        injection.inject,
        {
            "relevance": (R10, vector(length=False)),
            "attribute": (A10, coded(zero=False)),
            "probabilities": ([0.5, 0.2], vector(0.0, 1.0, length=False)),
            "rng": (RNG, thing),
        },
    ),
    (
        injection.arrange,
        {
            "relevance": (R10, vector(length=False)),
            "attribute": (A10, coded(zero=False)),
            "groups": ([1, -1], coded(zero=False, length=False)),
        },
    ),
    (
        sampling.random_sample,
        {"count": (5, needed(whole(1))), "k": (3, lambda g: [*needed(whole(1))(g), 6]), "rng": (RNG, thing)},
    ),
    (
        sampling.allocate,
        {
            "shares": ([0.5, 0.5], shares(length=False)),
            "supply": ([5, 5], lambda good: [*vector(0.0)(good), [5, 5.5]]),
            "k": (3, lambda g: [*needed(whole(1))(g), 11]),
        },
    ),
    (
        sampling.systematic_counts,
        {
            "expected": ([0.5, 1.5], lambda good: [*vector(0.0, length=False)(good), [0.3, 0.3]]),
            "rng": (RNG, thing),
        },
    ),
    (
        sampling.stratified_sample,
        {
            "stratum": ([0, 1, 0, 1], codes(0, 1, empty=True, length=False)),
            "shares": ([0.5, 0.5], shares(length=False)),
            "k": (2, lambda g: [*needed(whole(1))(g), 5]),
            "rng": (RNG, thing),
        },
    ),
    (
        balanced.calibrated_inclusion,
        {
            "bins": (POOL.bins, codes(0, 6, empty=True, length=False)),
            "population": (SEVEN, shares(length=False)),
            "groups": (
                [(np.arange(10) % 2, np.array([0.5, 0.5]))],
                either(
                    [(np.arange(10), np.array([0.5, 0.5]))],
                    [(np.zeros(9, int), np.array([0.5, 0.5]))],
                    [(np.full(10, 0.5), np.array([0.5, 0.5]))],
                    [(np.zeros(10, int), np.array([0.5, NAN]))],
                    [(np.zeros(10, int), np.array([0.5, 0.1]))],
                    None,
                    "word",
                    [3],
                ),
            ),
            "k": (3, lambda g: [*needed(whole(1))(g), 11]),
            "rounds": (50, needed(whole(0))),
        },
    ),
    (
        balanced.balance_columns,
        {
            "bins": (POOL.bins, codes(0, 6, empty=True, length=False)),
            "groups": (
                [(np.arange(10) % 2, 2)],
                either(
                    [(np.arange(10), 2)], [(np.zeros(10, int), 0)], [(np.zeros(3, int), 2)], None, "word", [3]
                ),
            ),
            "covariates": (
                np.ones((10, 1)),
                either(np.ones(10), np.full((10, 1), NAN), np.ones((9, 1)), "word"),
            ),
            "count": (7, needed(whole(1))),
        },
    ),
    (
        balanced.balanced_sample,
        {
            "bins": (POOL.bins, codes(0, 6, empty=True, length=False)),
            "population": (SEVEN, shares(length=False)),
            "groups": ({"age": (np.arange(10) % 2, np.array([0.5, 0.5]))}, thing),
            "covariates": (
                np.arange(10.0)[:, None],
                either(np.ones(10), np.full((10, 1), NAN), np.ones((9, 1)), "word"),
            ),
            "k": (3, lambda g: [*needed(whole(1))(g), 11]),
            "rng": (RNG, thing),
        },
    ),
    (
        cube.cube_sample,
        {
            "inclusion": ([0.5, 0.5], lambda good: [*vector(0.0, 1.0, length=False)(good), [0.5, 0.2]]),
            "balance": ([[1.0], [2.0]], lambda good: [*array()(good), [1.0, 2.0], 3.0]),
            "rng": (RNG, thing),
        },
    ),
    (
        recommendation.recommended_method,
        {"k": (5, needed(whole(1))), "label_quality": (0.5, number(-1.0, 1.0))},
    ),
    (
        Pool,
        {
            "relevance": (R10, vector(length=False)),
            "score": (SCORE, vector()),
            "population": (SEVEN, shares()),
            "matched": (np.ones(10, bool), masks()),
            "vectors": (np.eye(10), array()),
            "groups": (
                {"age": np.arange(10) % 2},
                either(
                    None,
                    [1],
                    "word",
                    {"age": np.arange(10)},
                    {"age": [0.5] * 10},
                    {"age": [0]},
                    {"age": [-2] * 10},
                ),
            ),
            "group_shares": (
                {"age": [0.5, 0.5]},
                either(None, [1], "word", {}, {"age": [0.5, NAN]}, {"age": [0.5, 0.1]}, {"age": "word"}),
            ),
            "covariates": (np.ones((10, 1)), array()),
            "ids": (np.arange(10), IDS),
        },
    ),
    (POOL.by_relevance, {"indices": ([0, 1], codes(0, 9, empty=True, length=False))}),
    (POOL.take, {"indices": ([0, 1], codes(0, 9, empty=True, length=False))}),
    (
        POOL.sampling_frame,
        {
            "k": (3, needed(whole(1))),
            "relevance_quantile": (0.5, lambda g: [*needed(number(0.0, 1.0))(g), 1.0]),
        },
    ),
    (
        measure.measure,
        {
            "pool": (POOL, thing),
            "indices": (np.arange(3), codes(0, 9, empty=True, length=False)),
            "frame": (np.arange(10), codes(0, 9, empty=True, length=False)),
        },
    ),
    (
        measure.shortfalls,
        {
            "pool": (POOL, thing),
            "k": (3, needed(whole(1))),
            "indices": (np.arange(3), codes(0, 9, empty=True, length=False)),
            "frame": (np.arange(10), codes(0, 9, empty=True, length=False)),
        },
    ),
    (
        selection.select,
        {
            "method": ("balanced", either("best", None, 3, ["exact"], NAN)),
            "pool": (POOL, thing),
            "k": (3, needed(whole(1))),
            "rng": (RNG, thing),
            "options": (None, free),
        },
    ),
    (
        methods.exact,
        {
            **CALL,
            "pool": (POOL, thing),
            "lam": (0.1, number(0.0)),
            "beta": (0.1, number(0.0)),
            "p": (1.0, needed(number(1.0))),
            "attributes": (["age"], either(["sex"], "age", 3, [None], NAN)),
            "seconds": (1.0, needed(number(0.0, endless=True))),
        },
    ),
    (
        methods.exact_w2,
        {**CALL, "pool": (POOL, thing), "lam": (0.1, number(0.0)), "beta": (0.1, number(0.0))},
    ),
    *(
        (method, {**DRAWN, "relevance_quantile": (0.5, lambda g: [*needed(number(0.0, 1.0))(g), 1.0])})
        for method in (methods.balanced, methods.random_entity, methods.stratified)
    ),
    (ranked_methods.exact_weighted, {**CALL, "weights": (np.ones(3), vector()), "lam": (0.1, number(0.0))}),
    *(
        (method, {**CALL, **AIM})
        for method in (ranked_methods.faro, ranked_methods.faro_grid, ranked_methods.linear_program)
    ),
    (
        ranked_methods.probabilistic,
        {**DRAWN, **{name: AIM[name] for name in ("weights", "intercept", "target")}},
    ),
    *((method, CALL) for method in (baselines.relevance, baselines.js, warp.w1_greedy)),
    *(
        (method, {**CALL, "trade_off": (0.5, needed(number(0.0, 1.0)))})
        for method in (baselines.mmr, baselines.opinion_mmr, warp.w1_mmr, warp.wassrank_ot)
    ),
    (
        baselines.dpp,
        {**CALL, "bandwidth": (10.0, needed(number(0.0, ends=False))), "ridge": (0.1, needed(number(0.0)))},
    ),
    (baselines.kl, {**CALL, "smoothing": (0.01, lambda g: [*needed(number(0.0, 1.0))(g), 0.0])}),
    (
        baselines.greedy_bins,
        {"pool": CALL["pool"], "k": CALL["k"], "divergence": (lambda shares: shares.sum(axis=-1), free)},
    ),
    (warp.slot_counts, {"shares": (SEVEN, shares(length=False)), "k": (3, needed(whole(0)))}),
    (warp.entity_gated, {"pool": CALL["pool"], "cut": (3, needed(whole(1))), "extra": (2, needed(whole(0)))}),
    (
        warp.adaptive_expansion,
        {
            "pool": CALL["pool"],
            "cut": (3, needed(whole(1))),
            "per_bin": (2, needed(whole(0))),
            "delta": (0.05, needed(number(0.0, 1.0))),
        },
    ),
    (opinion.recommended_weights, {"k": (3, needed(whole(1)))}),
    (opinion.select_exact, {**EXACT, "p": (1.0, needed(number(1.0)))}),
    (opinion_w2.select_w2, EXACT),
    (
        opinion.least_distance,
        {
            "score": (SCORE, vector(length=False)),
            "population": EXACT["population"],
            "k": EXACT["k"],
            "values": EXACT["values"],
            "p": (1.0, needed(number(1.0))),
        },
    ),
    (
        opinion.least_gap,
        {
            "groups": (np.arange(10) % 2, codes(-1, 1, empty=True, length=False)),
            "group_shares": ([0.5, 0.5], shares(length=False)),
            "k": EXACT["k"],
        },
    ),
    (
        opinion.select_weighted,
        {
            **{name: EXACT[name] for name in ("relevance", "score", "population", "lam", "values")},
            "weights": (
                np.ones(3),
                lambda g: [*vector(0.0, length=False)(g), np.zeros(3), np.ones(11), np.ones(13)],
            ),
            "p": (1.0, needed(number(1.0))),
        },
    ),
    (opinion.check_k, {"k": EXACT["k"], "count": (10, free)}),
    (opinion.check_weight, {"name": ("value", free), "value": (0.1, needed(number(0.0)))}),
    (
        multi_attribute.select_multi,
        {
            **{name: EXACT[name] for name in ("relevance", "score", "k", "lam", "beta", "ids")},
            "population": (
                (np.array(distance.BINS), SEVEN),
                either(
                    (np.array(distance.BINS)[::-1], SEVEN),
                    (np.array(distance.BINS), 2 * SEVEN),
                    (SEVEN,),
                    None,
                    (np.array(distance.BINS), SEVEN[:3]),
                    "word",
                    (np.full(7, NAN), SEVEN),
                ),
            ),
            "attributes": (
                {"age": (np.arange(10) % 2, np.array([0.5, 0.5]))},
                either(
                    None,
                    "word",
                    {"age": (np.arange(10), np.array([0.5, 0.5]))},
                    {"age": 3},
                    {"age": (np.zeros(9, int), np.array([0.5, 0.5]))},
                    {"age": (np.zeros(10, int), np.array([NAN, 0.5]))},
                ),
            ),
            "p": (1.0, needed(number(1.0))),
            "combine": ("sum", word),
            "seconds": (1.0, needed(number(0.0, endless=True))),
        },
    ),
    (designs.grid_settings, {"k": (2, lambda g: [*needed(whole(1))(g), 15])}),
    (designs.block_size, {"k": (2, needed(whole(1)))}),
    (designs.orthogonal_array, {"runs": (4, lambda g: [*needed(whole(2))(g), 6])}),
    (
        designs.plan,
        {
            "k": (2, needed(whole(1))),
            "questions": (5, lambda g: [*needed(whole(1))(g)]),
            "calls": (None, lambda g: [5, 1.5, NAN]),
            "standard_error": (None, lambda g: [0.1, NAN]),
            "design": ("blocks", word),
            "answers": ("random", word),
        },
    ),
    (
        designs.runs_of,
        {
            "design": ("blocks", word),
            "k": (2, needed(whole(1))),
            "questions": (3, needed(whole(1))),
            "rng": (RNG, thing),
        },
    ),
    (
        position.order_for_target,
        {
            "relevance": ([0.3, 0.2, 0.1], needed(vector(length=False))),
            "polarity": ([1, 0, -1], coded(zero=True)),
            "weights": ([0.3, 0.2, 0.1], vector()),
            "intercept": (0.0, needed(number())),
            "target": (0.0, needed(number())),
            "tolerance": (0.0, needed(number(0.0))),
        },
    ),
    (
        faro_question.solve_question,
        {
            "relevance": (R10, needed(vector(length=False))),
            "polarity": (A10, coded(zero=True)),
            "weights": ([0.3, 0.2, 0.1], vector(length=False)),
            "intercept": (0.0, needed(number())),
            "target": (0.0, needed(number())),
            "tau": (0.1, needed(number(0.0))),
        },
    ),
    (
        faro_problem.prepare,
        {**PREPARED, "attribute": (PROBLEM.attribute, coded(zero=False, flat=False))},
    ),
    (
        faro.resolve_target,
        {
            "target": (0.0, lambda g: [*needed(number())(g), "other"]),
            "problem": (PROBLEM, thing),
            "population": (0.1, number(-1.0, 1.0)),
        },
    ),
    (
        faro.solve,
        {
            "problem": (PROBLEM, thing),
            "tau": (0.1, needed(number(0.0))),
            "target": (0.0, lambda g: [*needed(number())(g), "other"]),
            "population": (0.1, number(-1.0, 1.0)),
            "covariance": (np.eye(3), lambda g: [*array()(g), -np.eye(3), np.eye(2)]),
            "z": (1.0, needed(number(0.0))),
            "effort": ("fast", word),
        },
    ),
    (
        faro.bias_error,
        {
            "embedding_bias": ([0.1, 0.2], vector(empty=True, length=False)),
            "covariance": (np.eye(3), lambda g: [*array()(g), -np.eye(3), np.eye(2)]),
        },
    ),
    (faro_grid.published_prices, {}),
    (faro_grid.assign, {"problem": (PROBLEM, thing), "mu": (0.1, needed(number()))}),
    (
        faro_grid.faro_grid,
        {
            "problem": (PROBLEM, thing),
            "tau": (0.1, needed(number(0.0))),
            "target": (0.0, needed(number())),
            "prices": ([0.0, 1.0], array(length=False)),
        },
    ),
    (faro_frontier.frontier, {"problem": (PROBLEM, thing)}),
    (faro_frontier.frontier(PROBLEM).relevance_at, {"bias": (0.0, needed(number()))}),
    (faro_frontier.at_price, {"problem": (PROBLEM, thing), "mu": (0.1, needed(number()))}),
    (
        faro_frontier.solve_soft,
        {
            "problem": (PROBLEM, thing),
            "strength": (1.0, needed(number(0.0))),
            "target": (0.0, needed(number())),
        },
    ),
    (
        multigroup_soft.solve_soft_types,
        {
            "problem": (POLAR, lambda g: [*thing(g), TYPES]),
            "strength": (1.0, needed(number(0.0))),
            "target": (0.0, needed(number())),
        },
    ),
    (
        linear_program.solve_linear_program,
        {
            "problem": (PROBLEM, thing),
            "tau": (0.1, needed(number(0.0))),
            "target": (0.0, needed(number())),
            "time_limit": (5.0, number(0.0, endless=True)),
        },
    ),
    (
        multigroup_problem.prepare_types,
        {
            **PREPARED,
            "types": (
                [[0, 1, 0], [1, 1, 0]],
                lambda g: [*array(length=True)(g), [[0, 2, 0]] * 2, [[-1, 0, 0]] * 2, [[0.5, 0, 0]] * 2],
            ),
            "vectors": (np.eye(2), lambda g: [*array(length=False)(g), [1.0, 2.0]]),
            "intercept": ([0.0, 0.1], lambda g: [*vector()(g)[:3], "word", [0.1, 0.2, 0.3], None]),
        },
    ),
    (multigroup_problem.oracle, {"problem": (TYPES, thing), "price": ([0.1, 0.2], vector())}),
    (
        multigroup_problem.combine,
        {
            "parts": (
                [([[0, 1]], np.eye(2)), ([[1, 0]], np.eye(2))],
                either(
                    [],
                    None,
                    "word",
                    [3],
                    [([[5, 0]], np.eye(2))],
                    [([[-1, 0]], np.eye(2))],
                    [([[0.5, 0]], np.eye(2))],
                    [([[0, 1]], [[NAN], [1.0]])],
                    [([[0, 1]], [1.0, 2.0])],
                    [([["a", "b"]], np.eye(2))],
                    [([[0, 1]], np.eye(2)), ([[0]], np.eye(2))],
                ),
            )
        },
    ),
    (
        multigroup_problem.group_target,
        {
            "kind": ("parity", word),
            "weights": ([0.3, 0.2], vector(length=False)),
            "shares": ([0.5, 0.5], shares(length=False)),
        },
    ),
    (
        multigroup.solve_multigroup,
        {
            "problem": (TYPES, thing),
            "tau": ([0.1, 0.2], lambda g: [*array(0.0)(g), -1.0, NAN, None, [g]]),
            "target": ([0.1, 0.2], lambda g: [*array()(g), NAN, None, [g]]),
            "time_limit": (2.0, needed(number(0.0, endless=True))),
        },
    ),
    (
        quality.Reviews,
        {
            "bins": ([-30, 0, 30], lambda g: [*codes(-30, 30, empty=True, length=False)(g), [5, 0, 30]]),
            "truths": ([0, 1, 3], codes(0, 3)),
            "entities": ([1, 2, 3], either(None, "word", [1, 2], [0.5, 1.0, 2.0], [NAN] * 3, [[1, 2, 3]])),
            "population": (COUNTS, MIXED_COUNTS),
        },
    ),
    (quality.wilson, {"share": (0.5, needed(number(0.0, 1.0))), "n": (10.0, needed(number(0.0)))}),
    (quality.assess, {"reviews": (REVIEWS, lambda g: [*thing(g), quality.Reviews([], [], [], COUNTS)])}),
    (
        quality.corrected_shares,
        {
            "reviews": (REVIEWS, thing),
            "counts": (COUNTS, MIXED_COUNTS),
            "entities": ([1], either(None, 3, [1.5], [NAN], ["a"])),
            "seed": (0, needed(whole(0))),
            "draws": (5, needed(whole(1))),
        },
    ),
    (quality.spread_over_bins, {"corrected": (CORRECTED, thing), "counts": (COUNTS, MIXED_COUNTS)}),
    (label_rank.rank_correlation, {"reviews": (REVIEWS, thing)}),
    (
        margins.design_margin,
        {**SAMPLE, **UPON, "values": ([1.0, 2.0, 3.0, 4.0, 5.0], needed(vector(length=False)))},
    ),
    (
        margins.share_margin,
        {
            **SAMPLE,
            **UPON,
            "has": ([1, 0, 1, 0, 1], needed(vector(0.0, 1.0, length=False))),
            "held": (None, either(NAN, INF, -1.0, "word", [0.5])),
        },
    ),
    (
        margins.held_margin,
        {
            **SAMPLE,
            "values": ([1.0, 2.0, 3.0, 4.0, 5.0], needed(vector(length=False))),
            "held": (0.5, needed(number(0.0))),
        },
    ),
    (
        margins.balancing_place,
        {"values": ([1.0, 2.0, 3.0, 4.0, 5.0], needed(vector(length=False))), "balance": UPON["balance"]},
    ),
    (
        margins.landing_deviation,
        {
            "place": (1, needed(whole(1))),
            "variance": (0.2, needed(number(0.0))),
            "inclusion": ([0.5, 0.5], needed(vector(0.0, 1.0, length=False, empty=True))),
            "counted": (True, lambda good: []),
        },
    ),
    (
        propagation.fit,
        {
            "answers": ([1, -1, 1, -1], lambda g: [*coded(zero=True, length=False)(g), None]),
            "question": (
                [0, 0, 1, 1],
                either(None, "word", [0, 0, 1], [NAN] * 4, [0, 0, 0, 0], [[0, 0, 1, 1]]),
            ),
            "groups": ([[1], [-1], [1], [-1]], needed(coded(zero=True, flat=False))),
            "cluster": ([0, 0, 1, 1], either("word", [0, 0, 1], [NAN] * 4, [0, 0, 0, 0], [[0, 0, 1, 1]])),
            "level": (0.95, needed(number(0.0, 1.0, ends=False))),
        },
    ),
    (FIT.predict, {"embedding_bias": ([0.5], vector(-1.0, 1.0))}),
    (
        propagation.neutral_settings,
        {
            "fitted": (FIT, thing),
            "count": (3, needed(whole(0))),
            "rng": (RNG, thing),
            "target": (0.0, lambda g: [*needed(number())(g), 9.0]),
        },
    ),
    (
        propagation.validate,
        {
            "fitted": (FIT, thing),
            "embedding_bias": ([[0.5]], array(-1.0, 1.0)),
            "realised": ([0.5], vector(-1.0, 1.0)),
            "samples": (5, needed(whole(1))),
            "vanilla": (0.1, needed(number(-1.0, 1.0))),
            "target": (0.0, needed(number())),
        },
    ),
]

#: Steps inside the algorithms: they take arrays that a function of the table has checked, often in inner loops.
INNER = {
    "cells", "checks", "cube.flight", "cube.landing", "cube.merge_equals", "faro_problem.distinct", "faro_repair",
    "faro_solution", "group_bounds", "group_exact", "multigroup_columns", "multigroup_nearest", "pool.check_call",
    "position_sums", "soft_search", "multigroup_programme", "scale",
}  # fmt: skip


def _named(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", "") or type(function.__self__).__module__
    return f"{module.rpartition('.')[2]}.{function.__qualname__}"


def _rows() -> Iterator[Any]:
    for function, arguments in TABLE:
        for name in arguments:
            yield pytest.param(function, name, id=f"{_named(function)}-{name}")


def _good(function: Callable[..., Any]) -> dict[str, Any]:
    arguments = dict(next(row for each, row in TABLE if each == function))
    arguments.pop("options", None)
    return {name: value for name, (value, _) in arguments.items()}


@pytest.mark.parametrize(("function", "name"), _rows())
def test_bad_arguments_are_named(function: Callable[..., Any], name: str) -> None:
    good = _good(function)
    arguments = next(row for each, row in TABLE if each == function)
    wrong = []
    for bad in arguments[name][1](good.get(name)):
        try:
            result = function(**{**good, name: bad})
        except ValueError as error:
            said = str(error)
            begins = re.match(rf"(\w+, )*{name}\b", said)
            if not begins or "\n" in said:
                wrong.append(f"{bad!r}: {said}")
        except Exception as error:  # noqa: BLE001 - any other error is what this looks for
            wrong.append(f"{bad!r}: {type(error).__name__}: {error}")
        else:
            wrong.append(f"{bad!r}: returned {result!r}"[:300])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("function", [pytest.param(row[0], id=_named(row[0])) for row in TABLE])
def test_good_arguments_are_taken_and_none_is_left_out(function: Callable[..., Any]) -> None:
    function(**_good(function))
    arguments = next(row for each, row in TABLE if each == function)
    assert set(arguments) == set(inspect.signature(function).parameters)


def test_every_public_function_is_in_the_table() -> None:
    tested = {_named(function) for function, _ in TABLE}
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        for name in module.__all__:
            member = getattr(module, name)
            if not inspect.isfunction(member) or member.__module__ != module.__name__:
                continue
            own = f"{found.name}.{name}"
            assert own in tested or own in INNER or found.name in INNER, own
