"""Rebuilds ``agents/models/data/router_spelling.json``: which words the router mends, and which it must not.

    python -m agents.evaluation.router_spelling

Cue words are those of the router's lists and patterns. A word that real texts use, and that is one or two edits
from a cue word ("moods" from "foods"), is listed as known and never mended. The texts are openly licensed:
skytrax (CC0), huliu (CC BY 4.0), mams (Apache-2.0), twinviews (CC BY 4.0), xquad and perspectrum (CC BY-SA).
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

from agents.models.router_data import lexicon, read_data
from agents.models.router_spelling import distance, edits_allowed

_SETS = ("skytrax", "huliu_product_reviews", "mams_atsa", "twinviews13k", "xquad_en", "perspectrum")
#: Common slips in words too short to be mended by distance.
SHORT = {
    "waht": "what", "wht": "what", "hwat": "what", "wat": "what", "whta": "what", "wich": "which", "whcih": "which", "hwo": "how", "hw": "how",
    "teh": "the", "thier": "their", "ppl": "people", "abt": "about", "abut": "about", "abuot": "about", "aobut": "about", "mnay": "many", "thnik": "think",
    "thikn": "think", "tihnk": "think", "thnk": "think", "fel": "feel", "feal": "feel", "lik": "like", "liek": "like", "likee": "like", "hatee": "hate", "sya": "say", "siad": "said",
    "doe": "does", "deos": "does", "dose": "does", "wen": "when", "hwen": "when", "wehn": "when", "wher": "where", "whre": "where", "were's": "where is",
    "btter": "better", "bst": "best", "gud": "good", "goood": "good", "wrst": "worst", "shoud": "should", "shuold": "should", "worht": "worth", "r": "are", "u": "you", "whos": "who is",
}  # fmt: skip


def cue_words() -> set[str]:
    """Words of the lists and the literal words of the cue patterns."""
    lists = lexicon()
    words = {word for value in lists.values() if isinstance(value, frozenset) for word in value}
    cues = read_data("router_cues.json")
    for _, _, pattern in [*cues["opinion"], *cues["factual"]]:
        words |= set(re.findall(r"(?<![\\\w$])[a-z]{4,}(?![\w?*+])", pattern))
    words |= set(
        "percentage proportion share fraction number count often mentioned mention mentions reviews between compare compared people about think would should which where there positive negative".split()
    )
    return {word for word in words if word.isalpha() and len(word) >= 4}


def real_words(folder: Path) -> Counter[str]:
    """Words of the open texts with the number of files of the sets that hold them twice or more."""
    seen: Counter[str] = Counter()
    for name in _SETS:
        counts: Counter[str] = Counter()
        for path in sorted((folder / name).rglob("*")):
            if (
                path.is_file()
                and path.suffix in {".csv", ".txt", ".json", ".jsonl", ".xml"}
                and path.name != "SOURCE.md"
            ):
                counts.update(re.findall(r"[a-z]+", path.read_text("utf-8", errors="replace").lower()))
        seen.update(word for word, n in counts.items() if n >= 2)
    return seen


def build(folder: Path) -> dict[str, object]:
    """Return the content of the data file."""
    cues = cue_words()
    shelves: dict[tuple[str, int], list[str]] = {}
    for cue in cues:
        shelves.setdefault((cue[0], len(cue)), []).append(cue)
    known = set()
    for word in real_words(folder):
        if word in cues or not 4 <= len(word) <= 16:
            continue
        shelf = [
            cue
            for first in dict.fromkeys(word[:2])
            for size in range(len(word) - 2, len(word) + 3)
            for cue in shelves.get((first, size), ())
            if len(set(cue) ^ set(word)) <= 4
        ]
        if any(distance(word, cue) <= edits_allowed(word, cue) for cue in shelf):
            known.add(word)
    return {"cues": " ".join(sorted(cues)), "known": " ".join(sorted(known)), "short": SHORT}


def main() -> None:
    """Write the data file beside the router."""
    folder = Path(os.environ.get("EVENHAND_DATA", "../shared/data"))
    target = Path(__file__).parents[1] / "models" / "data" / "router_spelling.json"
    target.write_text(json.dumps(build(folder), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
