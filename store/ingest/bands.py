"""Numeric author attributes become bands, decided once a source, so that groups are large enough to compare."""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

AGE_EDGES: Final = (18.0, 30.0, 40.0, 50.0, 60.0, 70.0)
#: A numeric attribute with at most this many values keeps them as they are.
FEW_VALUES: Final = 20
_QUANTILES: Final = (0.2, 0.4, 0.6, 0.8)
_NUMBER: Final = re.compile(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(?:years?|yrs?|y\.?o\.?)?\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bands:
    """Ascending lower edges of the bands above the first; the first band is everything below ``edges[0]``."""

    edges: tuple[float, ...]
    whole: bool = True

    def label(self, value: str) -> str:
        """Return the band of a number written as text; a text that is no number stays as it is."""
        number = to_number(value)
        if number is None:
            return value
        return self.labels()[bisect_right(self.edges, number)]

    def labels(self) -> list[str]:
        """Return the names of all bands, lowest first (``under 18``, ``18-29`` ... ``70+``)."""
        edges = self.edges
        step = 1.0 if self.whole else 0.0
        middle = [f"{low:g}-{high - step:g}" for low, high in itertools.pairwise(edges)]
        return [f"under {edges[0]:g}", *middle, f"{edges[-1]:g}+"]

    def to_json(self) -> dict[str, Any]:
        """Return JSON values."""
        return {"edges": list(self.edges), "whole": self.whole}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Bands:
        """Return the bands that ``to_json`` wrote."""
        return cls(tuple(float(edge) for edge in value["edges"]), bool(value.get("whole", True)))


def bands_for(name: str, values: Sequence[str]) -> Bands | None:
    """Return the bands for an attribute's values: decades for an age, else fifths of the sample.

    None when the values are not numbers, or few enough to stand as they are.
    """
    numbers = sorted(number for value in values if (number := to_number(value)) is not None)
    filled = sum(1 for value in values if value.strip())
    if not numbers or len(numbers) < 0.9 * filled:
        return None
    if name == "age" or name.endswith("_age"):
        return Bands(AGE_EDGES) if len(set(numbers)) > 7 else None
    if len(set(numbers)) <= FEW_VALUES:
        return None
    whole = all(number.is_integer() for number in numbers)
    raw = [numbers[min(len(numbers) - 1, math.ceil(q * len(numbers)))] for q in _QUANTILES]
    edges = tuple(sorted({_rounded(edge) for edge in raw}))
    return Bands(edges, whole) if (edges and edges[0] > numbers[0]) or len(edges) > 1 else None


def to_number(value: str) -> float | None:
    """Return a number written with a point or a comma, alone or in years; None for anything else."""
    match = _NUMBER.match(value)
    return float(match[1].replace(",", ".")) if match else None


def _rounded(value: float) -> float:
    """Round to three significant digits: edges are for people."""
    if value == 0:
        return 0.0
    digits = 2 - math.floor(math.log10(abs(value)))
    return round(value, digits)


__all__ = ["AGE_EDGES", "FEW_VALUES", "Bands", "bands_for", "to_number"]
