import numpy as np
import pytest

from agents.fairness.coverage import (
    entity_match_rate,
    evidence_coverage,
    group_coverage,
    group_shares,
    marker_count,
)


def test_coverage_by_hand() -> None:
    result = group_coverage([0, 0, 1, -1], [50, 40, 10], [True, False, False, True])
    assert result.shares == pytest.approx([2 / 3, 1 / 3, 0])
    assert result.population == pytest.approx([0.5, 0.4, 0.1])
    assert result.largest_gap == pytest.approx(1 / 6)
    assert result.coverage == pytest.approx(2 / 3)
    assert result.matched_coverage == pytest.approx(1 / 3)
    assert result.unknown == 0.25


def test_small_groups_count_less() -> None:
    result = group_coverage([0, 0, 0], [90, 10], prior=10)
    assert result.gaps == pytest.approx([0.1, 0.1])
    assert result.shrunk_gaps == pytest.approx([0.09, 0.05])
    assert group_coverage([0], [90, 10], prior=0).shrunk_gaps == pytest.approx([0.1, 0.1])


def test_nobody_known_is_not_a_perfect_match() -> None:
    result = group_coverage([-1, -1], [1, 1])
    assert np.isnan(result.largest_gap)
    assert result.coverage == 0
    assert np.isnan(group_shares([], 2)).all()


def test_an_empty_category_needs_no_cover() -> None:
    assert group_coverage([0, 1], [5, 5, 0]).coverage == 1.0


def test_small_measures() -> None:
    assert entity_match_rate([True, False]) == 0.5
    assert np.isnan(entity_match_rate([]))
    assert marker_count([("joy", "anger"), ("joy",), ()]) == 2
    assert evidence_coverage(["personal", "unknown", "personal"]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: group_coverage([0], [0, 0]), "population_counts"),
        (lambda: group_coverage([0], [-1, 5]), "population_counts"),
        (lambda: group_coverage([2], [1, 1]), "codes"),
        (lambda: group_coverage([0.5], [1, 1]), "codes"),
        (lambda: group_coverage([0], [1, 1], [True, False]), "matched"),
        (lambda: group_coverage([0], [1, 1], prior=-1), "prior"),
        (lambda: evidence_coverage([], kinds=()), "kinds"),
    ],
)
def test_bad_input_names_the_argument(call, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}"):
        call()
