"""Which documents are cited: near the target, and those of the same words together."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest

from agents.fairness.distance import histogram, w1_bins
from agents.voice_choice import in_proportion


def away(stances: list[int], target: np.ndarray) -> float:
    return w1_bins(histogram(stances), target)


def test_as_many_as_asked_for_where_they_are_in_proportion() -> None:
    found = [20] * 8 + [-20] * 8
    target = np.asarray([0, 0.5, 0, 0, 0, 0.5, 0])
    picked = in_proportion(found, range(16), 10, target)
    assert len(picked) == 10
    assert sum(found[i] > 0 for i in picked) == 5
    assert picked == sorted(picked)


def test_fewer_voices_where_one_side_lacks_words() -> None:
    """Two of ten against 4 in 5 of the population would turn the majority round."""
    found = [20] * 2 + [-20] * 8
    picked = in_proportion(found, range(10), 10, np.asarray([0, 0.2, 0, 0, 0, 0.8, 0]))
    assert len(picked) == 5
    assert sum(found[i] > 0 for i in picked) == 2


def test_documents_of_the_same_words_are_cited_together() -> None:
    """Seven in ten say the same words: they are as many voices, not one."""
    found = [20] * 6 + [-20] * 14
    said = ["a", "b", "c", "d", "d", "e", *["dear"] * 14]
    target = np.asarray([0, 0.7, 0, 0, 0, 0.3, 0])
    assert in_proportion(found, said, 10, target) == list(range(20))


def test_a_wording_of_too_many_documents_is_cited_in_part() -> None:
    """The others that may be quoted beside it are too few to stand against all of it."""
    found = [-20] * 140 + [20] * 60
    said = ["dear"] * 140 + [f"voice {i}" for i in range(60)]
    target = np.asarray([0, 0.7, 0, 0, 0, 0.3, 0])
    picked = in_proportion(found, said, 10, target)
    assert away([found[i] for i in picked], target) < 3
    assert len({said[i] for i in picked}) == 10
    assert [i for i in picked if said[i] == "dear"] == list(range(sum(said[i] == "dear" for i in picked)))


def test_no_more_quotes_than_asked_for() -> None:
    found = [-20, -20, 20, 20, 0, -20, 20]
    said = ["a", "a", "b", "b", "c", "d", "e"]
    picked = in_proportion(found, said, 2, np.asarray([0, 0.5, 0, 0, 0, 0.5, 0]))
    assert picked == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(12))
def test_near_the_best_choice_of_wordings(seed: int) -> None:
    """Against every choice of whole wordings there is."""
    rng = np.random.default_rng(seed)
    said = rng.integers(0, 9, 24).tolist()
    side = rng.choice([-30, -20, -10, 0, 10, 20, 30], 9)
    found = [int(side[word]) for word in said]
    target = rng.dirichlet(np.ones(7))
    every = sorted(set(said))
    sets = chain.from_iterable(combinations(every, size) for size in range(1, 7))
    whole = [[stance for stance, word in zip(found, said, strict=True) if word in held] for held in sets]
    best = min(away(each, target) for each in whole if len(each) >= 5)
    picked = in_proportion(found, said, 6, target)
    assert len({said[i] for i in picked}) <= 6
    assert away([found[i] for i in picked], target) < best + 2.5
