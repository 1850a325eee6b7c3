"""Position weights as table and plot: how much each rank moves the answer, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.views.formats import count, number, percent, signed
from app.views.layout import wrap
from app.views.tables import table


def weights_text(result: Mapping[str, Any], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return the weights of a stored fit as a table, a plot and a few lines of words.

    Parameters
    ----------
    result
        As :func:`agents.calibration.pack` makes it.
    """
    return [
        *weights_table(result, width, ascii=ascii),
        "",
        *weights_plot(result, width, ascii=ascii),
        "",
        *[text for words in fit_words(result) for text in wrap(words, width, ascii=ascii)],
    ]


def weights_table(result: Mapping[str, Any], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return one row a position and one for the intercept ``b``."""
    level = round(100 * float(result["level"]))
    rows = [
        (name, signed(value, 3), number(error, 3), signed(low, 3), signed(high, 3), verdict(low, high))
        for name, value, error, (low, high) in entries(result)
    ]
    head = ("rank", "weight", "SE", f"{level}% from", "to", "")
    return table(head, rows, width, align="lrrrrL", ascii=ascii)


def weights_plot(result: Mapping[str, Any], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return the weights on one axis around zero, intervals as lines: ``|--o--|``."""
    listed = entries(result)
    reach = max(0.05, *(abs(v) for _, value, _, pair in listed for v in (value, *pair)))
    reach = min(reach, 2.0)
    room = max(20, width - 12) // 2 * 2 + 1
    dot, line, zero, crossed = ("o", "-", "|", "+") if ascii else ("●", "─", "│", "┼")

    def at(value: float) -> int:
        return round((min(max(value, -reach), reach) + reach) / (2 * reach) * (room - 1))

    out = []
    for name, value, _, (low, high) in listed:
        cells = [" "] * room
        cells[at(0.0)] = zero
        for place in range(at(low), at(high) + 1):
            cells[place] = crossed if cells[place] == zero else line
        cells[at(value)] = dot
        out.append(f"{name:>9}  {''.join(cells).rstrip()}")
    middle = room // 2
    scale = [" "] * room
    for text, start in ((signed(-reach), 0), ("0", middle), (signed(reach), room - len(signed(reach)))):
        scale[start : start + len(text)] = text
    return [*out, f"{'':>9}  {''.join(scale).rstrip()}"]


def fit_words(result: Mapping[str, Any]) -> list[str]:
    """Return what the fit is worth, in sentences."""
    words = [
        f"{count(result['answers'])} answers to {count(result['questions'])} questions; errors clustered by "
        f"{count(result.get('clusters', result['questions']))}; R2 {number(result['r_squared'], 2)} of answers, "
        f"{number(result['r_squared_settings'], 2)} of settings; refusals {percent(result['refusal_rate'])}."
    ]
    letter = float(result.get("letter_bias", 0.0))
    if abs(letter) >= 0.1:
        words.append(
            f"The model prefers the letter {'A' if letter > 0 else 'B'} ({signed(letter)}): balanced out of the "
            "weights, but a sign of a weak model."
        )
    check = result.get("validation")
    if check:
        asked = count(check["questions"])
        questions = (
            f"{asked} questions that the fit has not seen"
            if check["held_out"]
            else f"the same {asked} questions"
        )
        better = "closer to it than" if check["improved"] else "NOT closer to it than"
        words.append(
            f"Check: {check['settings']} settings with predicted Rb 0, on {questions}: "
            f"mean |Rb| {number(check['mean_absolute_bias'], 3)}, {better} plain retrieval "
            f"({number(check['vanilla_absolute_bias'], 3)}); error {signed(check['mean_error'], 3)}, "
            f"{percent(check['covered'])} within 95% bounds."
        )
    if result.get("unchecked"):
        words.append(f"Check: {result['unchecked']}.")
    return words


def entries(result: Mapping[str, Any]) -> list[tuple[str, float, float, Sequence[float]]]:
    """Return name, value, standard error and interval of each weight and, last, of the intercept."""
    values = [*result["weights"], result["intercept"]]
    names = [str(rank) for rank in range(1, len(values))] + ["b"]
    errors = [max(0.0, float(row[i])) ** 0.5 for i, row in enumerate(result["covariance"])]
    return list(zip(names, values, errors, result["interval"], strict=True))


def verdict(low: float, high: float) -> str:
    """Say on which side of zero an interval lies."""
    return "above 0" if low > 0 else "below 0" if high < 0 else "not told from 0"


__all__ = ["entries", "fit_words", "verdict", "weights_plot", "weights_table", "weights_text"]
