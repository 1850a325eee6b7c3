"""Whether a predicted number keeps to its target: three verdicts, since a prediction has an error of its own.

The words are the same wherever a verdict is given: in an answer, a batch, a frontier, a receipt and JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

Verdict = Literal["met", "met as estimated", "not met"]

#: From the best to the gravest.
VERDICTS: Final[tuple[Verdict, ...]] = ("met", "met as estimated", "not met")
#: Standard errors that are allowed for (95 % on the side where the prediction lies).
Z: Final = 1.645
#: What rounding may add to a distance that lies on the border.
SLACK: Final = 1e-9


def judge(predicted: float, target: float, tau: float, standard_error: float = 0.0) -> Verdict:
    """Return whether a prediction lies within ``tau`` of its target.

    ``met`` even where the prediction is ``Z`` standard errors farther off; ``met as estimated`` where it lies within,
    and only its error reaches beyond.
    """
    distance = abs(predicted - target)
    if distance > tau + SLACK:
        return "not met"
    return "met" if distance + Z * standard_error <= tau + SLACK else "met as estimated"


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on all of several; ``met`` of none."""
    return max(verdicts, key=VERDICTS.index, default="met")


def verdict_words(verdict: Verdict, miss: str) -> str:
    """Return a verdict with its reason.

    Parameters
    ----------
    miss
        Why it is not met: see :func:`miss_words`.
    """
    if verdict == "met as estimated":
        return f"{verdict}: the calibration's error is too large to be sure"
    return f"{verdict}: {miss}" if verdict == "not met" and miss else verdict


def miss_words(predicted: float, target: float, reach: Sequence[float] | None, of: str) -> str:
    """Return how far a prediction is from its target, and what ``of`` (``these documents``) can reach, low and high."""
    reached = "" if reach is None else f"; {of} reach {signed(reach[0], 3)} to {signed(reach[1], 3)}"
    distance = abs(predicted - target)
    told = f"{distance:.3f}" if distance >= 0.0005 else f"{distance:.1g}"
    return f"{told} from the target{reached}"


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign; what rounds to zero has the sign of zero, ``+0.00``."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else f"{0.0:+.{digits}f}"


__all__ = ["SLACK", "VERDICTS", "Verdict", "Z", "gravest", "judge", "miss_words", "signed", "verdict_words"]
