"""Ratings as people write them (``4``, ``4,5``, ``4/5``, ``4 out of 5 stars``, stars) become numbers on a scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_RATING: Final = re.compile(
    r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(?:(?:/|out of|of|von)\s*(\d+(?:[.,]\d+)?))?\s*(?:stars?|points?|%)?\s*\Z",
    re.IGNORECASE,
)
_STARS: Final = re.compile(r"\s*([★⭐*]+)([☆]*)\s*\Z")
#: Scales that ratings are usually on, narrowest first.
_USUAL: Final = ((1.0, 5.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0), (0.0, 100.0))
_SHARE_INSIDE: Final = 0.98


@lru_cache(maxsize=1 << 14)
def parse_rating(value: str) -> tuple[float, float | None] | None:
    """Return a rating and, where it is written with one (``4/5``), its highest value; None for what is no rating."""
    if match := _RATING.match(value):
        return _number(match[1]), _number(match[2]) if match[2] else None
    if match := _STARS.match(value.replace("\ufe0f", "")):
        stars = len(match[1])
        return float(stars), float(stars + len(match[2])) if match[2] else None
    return None


def guess_scale(values: Sequence[str]) -> tuple[float, float] | None:
    """Return the narrowest usual scale that holds nearly all ratings of a sample; None when they are not numbers.

    Two per cent may lie outside: crawled data mix in a few of another scale, and those are dropped, not the scale
    stretched. Ratings that are only -1, 0 and +1 are on that scale; others keep their own range.
    """
    parsed = [rating for value in values if (rating := parse_rating(value)) is not None]
    filled = sum(1 for value in values if value.strip())
    if not parsed or len(parsed) < 0.8 * filled:
        return None
    written = {top for _, top in parsed if top is not None}
    numbers = [number for number, _ in parsed]
    if len(written) == 1 and min(numbers) >= 0:
        top = written.pop()
        return (0.0 if min(numbers) < 1 else 1.0, top)
    if min(numbers) < 0:
        return (-1.0, 1.0) if set(numbers) <= {-1.0, 0.0, 1.0} else (min(numbers), max(numbers))
    for low, high in _USUAL:
        if sum(low <= number <= high for number in numbers) >= _SHARE_INSIDE * len(numbers):
            return (low, high)
    return (min(numbers), max(numbers))


def _number(text: str) -> float:
    return float(text.replace(",", "."))


__all__ = ["guess_scale", "parse_rating"]
