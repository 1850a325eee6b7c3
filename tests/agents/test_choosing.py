"""Limits of the methods, said as one speaks to a user."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agents.choosing import Desk, choose
from agents.ordering import uniform_weights
from store.errors import UsageError
from tests.agents.fairness.opinion_cases import random_pool


def desk(count: int, k: int) -> Desk:
    pool = replace(random_pool(np.random.default_rng(1), count), groups={}, group_shares={})
    return Desk(pool, (), uniform_weights(k, "m", ""), 0.0, 0.1, np.random.default_rng(0))


def test_faro_orders_no_more_than_its_search_can() -> None:
    assert len(choose("faro", desk(200, 78), 78, {}).selection.indices) == 78
    with pytest.raises(UsageError, match="faro chooses at most 78 documents, not 79"):
        choose("faro", desk(200, 79), 79, {})
    assert len(choose("faro", desk(60, 60), 200, {}).selection.indices) == 60


def test_exact_weighted_orders_a_dozen() -> None:
    made = choose("exact-weighted", desk(40, 12), 12, {"lam": 0.3})
    assert (made.distance_name, made.lam, made.beta) == ("W1 by rank", 0.3, None)
    with pytest.raises(UsageError, match="at most 12 documents, not 13"):
        choose("exact-weighted", desk(40, 13), 13, {})
