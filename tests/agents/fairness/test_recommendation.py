import pytest

from agents.fairness.recommendation import recommended_method


@pytest.mark.parametrize(
    ("k", "quality", "method"),
    [
        (5, None, "exact"),
        (5, 0.3, "balanced"),
        (10, None, "balanced"),
        (10, 0.8, "exact"),
        (20, None, "balanced"),
        (20, 0.8, "balanced"),
        (20, 0.9, "balanced"),
    ],
)
def test_follows_the_measured_curve(k: int, quality: float | None, method: str) -> None:
    assert recommended_method(k, quality) == method


@pytest.mark.parametrize(("k", "quality", "name"), [(0, None, "k"), (5, float("nan"), "label_quality")])
def test_bad_input_names_the_argument(k: int, quality: float | None, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}"):
        recommended_method(k, quality)
