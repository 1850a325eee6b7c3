"""Limits on a receipt's figures, for a pipeline that must fail when an answer is skewed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from app.views.words import largest_gap
from store.errors import UsageError
from store.receipt import AuditReceipt


def _w1(receipt: AuditReceipt) -> float | None:
    if receipt.opinion is None or "retrieved" not in receipt.opinion.w1:
        return None
    return receipt.opinion.w1["retrieved"].value


def _cited(receipt: AuditReceipt) -> float | None:
    if receipt.opinion is None or "cited" not in receipt.opinion.w1:
        return None
    return receipt.opinion.w1["cited"].value


def _gap(receipt: AuditReceipt) -> float | None:
    group = largest_gap(receipt)
    return None if group is None else group.largest_gap


def _unverified(receipt: AuditReceipt) -> float | None:
    return float(sum(not citation.verified for citation in receipt.citations))


def _degraded(receipt: AuditReceipt) -> float | None:
    return float(len(receipt.degradations))


#: What can be limited: W1 of the retrieved and of the cited documents, largest author-group gap, and counts.
FIGURES: dict[str, Callable[[AuditReceipt], float | None]] = {
    "w1": _w1,
    "cited": _cited,
    "gap": _gap,
    "unverified": _unverified,
    "degraded": _degraded,
}


def exceeded(receipt: AuditReceipt, limits: Sequence[str]) -> list[str]:
    """Return one line for each limit that the receipt exceeds, or whose figure it does not have.

    Parameters
    ----------
    limits
        ``NAME=NUMBER`` each, several by comma.

    Raises
    ------
    UsageError
        Unknown figure, or no number.
    """
    over = []
    for limit in (part for item in limits for part in item.split(",") if part.strip()):
        name, _, text = limit.strip().partition("=")
        if name not in FIGURES:
            raise UsageError(f"--fail-over knows no figure `{name}`", f"use {', '.join(FIGURES)}, as in w1=5")
        try:
            most = float(text)
        except ValueError:
            most = math.nan
        if not math.isfinite(most):
            raise UsageError(f"--fail-over `{limit}` has no number", "write it as w1=5")
        value = FIGURES[name](receipt)
        if value is None:
            over.append(f"{name} cannot be checked: this answer has no such figure")
        elif value > most + 1e-9:
            over.append(f"{name} is {value:.3g}, over {most:g}")
    return over


__all__ = ["FIGURES", "exceeded"]
