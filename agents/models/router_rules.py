"""Rules that tell a fact from a view: weighted cues on the shape of one clause (``data/router_cues.json``)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from string import Template
from typing import Literal

from agents.models.router_data import alternatives, lexicon, read_data
from agents.models.router_text import Clause, word_classes

Verdict = Literal["factual", "opinion", "both"]

#: Weight below which cues of a view do not decide ("popular", "modern" stand in many plain facts).
_FAINT = 1.0


@dataclass(frozen=True, slots=True)
class Cue:
    """One sign of a view or a fact: its name, its weight in log-odds, and the pattern that finds it."""

    name: str
    weight: float
    pattern: re.Pattern[str]
    on_shape: bool
    on_text: bool

    def search(self, clause: Clause) -> str:
        """Return the words of ``clause`` that the cue matches, or "".

        A pattern that names a class reads the shape; one that spells a word of a class, or names none, reads the
        text as well, since the shape no longer holds that word.
        """
        for wanted, text in ((self.on_shape, clause.shape), (self.on_text, clause.text)):
            if wanted and (match := self.pattern.search(text)):
                first = text.count(" ", 0, match.start())
                return clause.quote(first, len(match[0].split()), longest=200)
        return ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a clause asks for, with a confidence in [0.5, 1] and the words that decided."""

    kind: Verdict
    confidence: float
    reason: str


@lru_cache(maxsize=1)
def cues() -> tuple[tuple[Cue, ...], tuple[Cue, ...], re.Pattern[str]]:
    """Return the cues of a view, the cues of a fact, and the pattern of a request for everything."""
    data = read_data("router_cues.json")
    lists = {key: alternatives(key) for key, value in lexicon().items() if isinstance(value, frozenset)}

    def load(key: str) -> tuple[Cue, ...]:
        return tuple(_cue(name, weight, _fill(pattern, lists)) for name, weight, pattern in data[key])

    return load("opinion"), load("factual"), re.compile(data["overview"])


def _cue(name: str, weight: float, pattern: str) -> Cue:
    on_shape = bool(re.search("PPL|PSN|EVAL|WEAK|UP", pattern))
    spelled = re.findall(r"(?<![\\\w])[a-z']{3,}", pattern.replace("\\b", " "))
    on_text = not on_shape or any(word in word_classes() for word in spelled)
    return Cue(name, weight, re.compile(pattern), on_shape, on_text)


def _fill(pattern: str, lists: dict[str, str]) -> str:
    """Put word lists in place of ``$names``; a ``$`` that ends a pattern stays."""
    return re.sub(r"\$([a-z_]{3,})", lambda m: Template(m[0]).substitute(lists), pattern)


def hits(clause: Clause, table: tuple[Cue, ...]) -> list[tuple[Cue, str]]:
    """Return the cues of ``table`` found in ``clause`` with the words they matched, strongest first."""
    found = [(cue, words) for cue in table if (words := cue.search(clause))]
    return sorted(found, key=lambda hit: -hit[0].weight)


def judge(clause: Clause, *, alone: bool = True) -> Judgement:
    """Weigh the cues of one clause: the strongest of each kind, and an eighth of each further one.

    A clause without any cue is a bare name ("wifi"), which asks for everything when it stands ``alone``, or a
    factual question in words that no cue knows.
    """
    views, facts, overview = cues()
    if alone and overview.search(clause.shape):
        return Judgement("both", 0.8, f"asks for everything: {clause.quote()!r}")
    sums = []
    for table in (views, facts):
        found = hits(clause, table)
        weight = sum(cue.weight * (1.0 if i == 0 else 0.125) for i, (cue, _) in enumerate(found))
        sums.append((weight, f"{found[0][0].name}: {found[0][1]!r}" if found else ""))
    (view, view_cue), (fact, fact_cue) = sums
    if max(view, fact) < _FAINT:
        if alone and len(clause.words) <= 3 and clause.words[0] not in lexicon()["starters"]:
            return Judgement("both", 0.6, f"names a thing and asks nothing of it: {clause.quote()!r}")
        return Judgement("factual", 0.55, "no word that asks for a view")
    confidence = round(1 / (1 + math.exp(-abs(view - fact))), 3)
    return (
        Judgement("opinion", confidence, view_cue)
        if view > max(fact, _FAINT)
        else Judgement("factual", confidence, fact_cue)
    )


__all__ = ["Cue", "Judgement", "Verdict", "cues", "hits", "judge"]
