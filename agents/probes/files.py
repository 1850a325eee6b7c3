"""Pairs in files, and the small set that comes with the package."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Final

from agents.probes.pairs import BIASES, Bias, ProbePair
from store.errors import UsageError

BUNDLED: Final = "retriever_pairs.jsonl"


def bundled_pairs() -> dict[Bias, tuple[ProbePair, ...]]:
    """Return the pairs that come with the package: fifteen a bias, from Re-DocRED (see the note beside the file)."""
    text = files("agents.evaluation").joinpath(f"data/{BUNDLED}").read_text("utf-8")
    return parse_pairs(text.splitlines(), BUNDLED)


def parse_pairs(lines: Iterable[str], where: str) -> dict[Bias, tuple[ProbePair, ...]]:
    """Return pairs from JSON lines with the fields of :class:`ProbePair`, by bias in the order of ``BIASES``.

    Raises
    ------
    UsageError
        A line is not a pair.
    """
    found: dict[Bias, list[ProbePair]] = {bias: [] for bias in BIASES}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            row["answer_at"] = (int(row["answer_at"][0]), int(row["answer_at"][1]))
            pair = ProbePair(**row)
            found[pair.bias].append(pair)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise UsageError(f"{where}, line {number}: not a pair ({error})") from None
    return {bias: tuple(each) for bias, each in found.items() if each}


def write_pairs(path: Path, pairs: Mapping[Bias, Sequence[ProbePair]]) -> None:
    """Write pairs as JSON lines."""
    lines = [json.dumps(asdict(pair), ensure_ascii=False) for each in pairs.values() for pair in each]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


__all__ = ["BUNDLED", "bundled_pairs", "parse_pairs", "write_pairs"]
