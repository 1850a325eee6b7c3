"""The bars of selection on real reviews: unseen ratings, the exact choice's floor, author groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.bars import Bars
from tests.benchmarks.independent_tables import Results, beaten, mean_of

PLAIN, EXACT = "relevance", "exact"


def judge_all(
    results: Results,
    compared: list[dict[str, Any]],
    default: Mapping[int, str],
    balanced: str,
    bars: Bars,
    note: str = "",
) -> None:
    """Judge what was measured; a bar of methods that were left out is not judged.

    Parameters
    ----------
    default
        Row of our default at each k.
    balanced
        Row of the sample that answers draw.
    note
        What makes this run less than the bar asks for.
    """
    rows = {key for entity in results.values() for key in entity}
    better = beaten(compared)
    name = "no baseline significantly nearer to the unseen ratings than the default at equal or higher relevance kept"
    bars.hold(name, not better, "; ".join([*(better or ["none is"]), *([note] if note else [])]))
    for k in sorted(default):
        if (EXACT, k) in rows:
            reached, floor = (mean_of(results, EXACT, k, each) for each in ("label_w1", "floor"))
            told = f"{reached:.2f} to a floor of {floor:.2f}"
            bars.judge(f"exact, k = {k}: label W1 over the floor", reached / floor, "<=", 1.05, told)
    if not any("gap" in row for entity in results.values() for row in entity.values()):
        print("       no author groups in this corpus: their bars are not judged")
        return
    for k in sorted(default):
        if (PLAIN, k) in rows:
            _judge_groups(results, k, default[k], balanced, rows, bars)


def _judge_groups(
    results: Results, k: int, default: str, balanced: str, rows: set[tuple[str, int]], bars: Bars
) -> None:
    plain = mean_of(results, PLAIN, k, "gap")
    if (EXACT, k) in rows:
        gap, floor = (mean_of(results, EXACT, k, each) for each in ("gap", "gap_floor"))
        if k == 5:
            told = f"{gap:.3f} to a floor of {floor:.3f}"
            bars.judge(f"exact, k = {k}: largest author gap above the floor", gap - floor, "<=", 0.02, told)
        else:
            told = f"{gap:.3f} to {plain:.3f}"
            bars.judge(
                f"exact, k = {k}: largest author gap over plain top-k's", gap / plain, "<=", 0.35, told
            )
    if (balanced, k) in rows and k != 5:
        gap = mean_of(results, balanced, k, "gap")
        told = f"{gap:.3f} to {plain:.3f}"
        bars.judge(
            f"{balanced}, k = {k}: largest author gap over plain top-k's", gap / plain, "<=", 0.5, told
        )
    if (default, k) not in rows:
        return
    for measure, words in (("groups", "overall"), ("groups_matched", "among entity-matched")):
        own, theirs = (mean_of(results, name, k, measure) for name in (default, PLAIN))
        told = f"{default} {own:.2f}, plain {theirs:.2f}"
        bars.judge(
            f"default, k = {k}: author groups covered {words}, less plain's", own - theirs, ">=", 0.0, told
        )


__all__ = ["judge_all"]
