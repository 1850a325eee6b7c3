"""Shares of the seven bins, and of the three sides that they are summed up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from store.records import BINS

Side = Literal["positive", "negative", "neutral"]


def as_shares(name: str, values: Sequence[float]) -> tuple[float, ...]:
    """Return seven counts or shares as shares, or raise a ValueError that names them."""
    numbers = tuple(float(value) for value in values)
    total = sum(numbers)
    if len(numbers) != len(BINS) or any(not 0 <= n < float("inf") for n in numbers) or total <= 0:
        raise ValueError(f"{name} must be seven counts or shares with a positive sum, got {numbers}")
    return tuple(n / total for n in numbers)


def by_side(shares: Sequence[float]) -> dict[Side, float]:
    """Sum the shares of the seven bins up by side."""
    return {"positive": sum(shares[4:]), "negative": sum(shares[:3]), "neutral": shares[3]}


def other_side(side: Side) -> Side:
    """Return the side against this one."""
    return "negative" if side == "positive" else "positive"


__all__ = ["Side", "as_shares", "by_side", "other_side"]
