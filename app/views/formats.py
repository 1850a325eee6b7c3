"""Numbers and names as a person reads them, the same in every face."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from store import verdicts
from store.receipt import Estimate

#: Names of the seven opinion bins, -30 ... +30.
BIN_NAMES: Final[tuple[str, ...]] = (
    "very negative",
    "negative",
    "slightly negative",
    "neutral",
    "slightly positive",
    "positive",
    "very positive",
)
#: The same in at most nine cells, for narrow screens.
BIN_SHORT: Final[tuple[str, ...]] = (
    "very neg",
    "negative",
    "slight neg",
    "neutral",
    "slight pos",
    "positive",
    "very pos",
)
#: A gap of so many percentage points or more is marked with ``!``.
MARK_POINTS: Final = 5


def count(value: int) -> str:
    """Return ``12408`` as ``12,408``."""
    return f"{value:,}"


def plural(value: int, noun: str, many: str = "") -> str:
    """Return ``1 document`` or ``12,408 documents``."""
    return f"{count(value)} {noun if value == 1 else many or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def percent(share: float) -> str:
    """Return a share in [0, 1] as ``31%``; a share that rounds to none or all without being so says it."""
    if share != share:
        return "?"
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{rounded_points(share)}%"


def rounded_points(gap: float) -> int:
    """Return a difference of shares as whole percentage points (half away from zero)."""
    return int(abs(gap) * 100 + 0.5 + 1e-9) * (1 if gap >= 0 else -1) if gap == gap else 0


def point_count(gap: float) -> str:
    """Return the size of a difference of shares: ``1 pt``, ``5 pts``."""
    return plural(abs(rounded_points(gap)), "pt")


def points(gap: float) -> str:
    """Return a difference of shares as signed whole points: ``+11``, ``-8``, ``0``."""
    value = rounded_points(gap)
    return f"{value:+d}" if value else "0"


def marked_points(gap: float) -> str:
    """Return :func:`points` with ``!`` when the gap is ``MARK_POINTS`` or more."""
    return points(gap) + ("!" if abs(rounded_points(gap)) >= MARK_POINTS else "")


def number(value: float | None, digits: int = 1) -> str:
    """Return a number with fixed digits, ``-`` for none; never ``-0.0``."""
    if value is None:
        return "-"
    if value != value:
        return "?"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("-") and not float(text) else text


def signed(value: float | None, digits: int = 2) -> str:
    """Return a number with its sign, ``-`` for none; never ``-0.00``."""
    return "-" if value is None else verdicts.signed(value, digits)


def estimate(value: Estimate, digits: int = 1) -> str:
    """Return ``2.4 [1.9, 3.1]``, or ``2.4`` where no interval can be given."""
    text = number(value.value, digits)
    if value.low is None or value.high is None:
        return text
    return f"{text} [{number(value.low, digits)}, {number(value.high, digits)}]"


def seconds(value: float) -> str:
    """Return a duration as ``14 ms``, ``1.42 s`` or ``2 min 05 s``."""
    if value < 0.9995:
        return f"{1000 * value:.0f} ms"
    if value < 59.995:
        return f"{value:.2f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s"


def cost(value: float) -> str:
    """Return money in the unit of the configured prices: ``0.0031``."""
    return f"{value:.4f}"


def bin_name(score: int | None) -> str:
    """Return the bin's name of a sentiment-intensity score in -30 ... +30, ``-`` for none."""
    if score is None:
        return "-"
    return BIN_NAMES[min(6, max(0, round(score / 10) + 3))]


def short_hash(value: str) -> str:
    """Return the first eight characters of a hash."""
    return value[:8]


__all__ = [
    "BIN_NAMES",
    "BIN_SHORT",
    "MARK_POINTS",
    "bin_name",
    "cost",
    "count",
    "estimate",
    "marked_points",
    "number",
    "percent",
    "plural",
    "point_count",
    "points",
    "rounded_points",
    "seconds",
    "short_hash",
    "signed",
]
