"""Figures beside their bars: ``met`` or ``MISSED``, what the figures stand on, and the exit status of a benchmark."""

from __future__ import annotations

from typing import Literal

from agents.evaluation.report import versions

Relation = Literal["<=", ">=", "<", ">"]


class Bars:
    """Judges figures as they come. A figure that is no number misses its bar."""

    def __init__(self) -> None:
        self.judged = 0
        self.missed: list[str] = []

    def judge(self, name: str, value: float, relation: Relation, bar: float, note: str = "") -> bool:
        """Print a figure beside its bar; return whether it meets it."""
        met = {"<=": value <= bar, ">=": value >= bar, "<": value < bar, ">": value > bar}[relation]
        self._count(name, met, f"{_shown(value)} ({relation} {_shown(bar)}){note and f'; {note}'}")
        return met

    def within(self, name: str, value: float, low: float, high: float, note: str = "") -> bool:
        """Print a figure beside the range it must lie in; return whether it does."""
        met = low <= value <= high
        self._count(name, met, f"{_shown(value)} (from {low:g} to {high:g}){note and f'; {note}'}")
        return met

    def hold(self, name: str, met: bool, note: str = "") -> bool:
        """Print a claim that holds or does not."""
        self._count(name, met, note or ("holds" if met else "does not hold"))
        return met

    def end(self) -> int:
        """Print how many bars were met, and return the exit status: 1 where one was missed."""
        if self.missed:
            print(f"{len(self.missed)} of {self.judged} bars missed: {'; '.join(self.missed)}")
        else:
            print(f"all {self.judged} bars met")
        return 1 if self.missed else 0

    def _count(self, name: str, met: bool, figure: str) -> None:
        self.judged += 1
        if not met:
            self.missed.append(name)
        print(f"{'met   ' if met else 'MISSED'} {name}: {figure}", flush=True)


def stands_on(data: str, seed: int | str, *options: str) -> str:
    """Return what the figures stand on, a line each: the data, the seed, the run's own options, and the versions."""
    found = ", ".join(f"{name} {release}" for name, release in versions().items())
    lines = [
        f"data: {data}",
        f"seed: {seed}",
        *(f"run: {option}" for option in options),
        f"versions: {found}",
    ]
    return "\n".join(lines)


def _shown(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 0.1 else f"{value:.4g}"


__all__ = ["Bars", "stands_on"]
