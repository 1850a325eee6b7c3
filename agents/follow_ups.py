"""Follow-ups in few words: "And in the South?" asks what was asked before, of others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agents.models.router_data import lexicon
from agents.models.router_groups import words_of
from agents.models.router_match import GroupFilter, match_groups
from agents.models.router_text import fold
from agents.state import Turn

_LEAD: Final = re.compile(
    r"^\s*(?:(?:and|but|so|ok|okay|then|also)\b[\s,]*)*(?:(?:what|how) about|what of)?\b[\s,]*", re.IGNORECASE
)
#: What a whole question has and a few words have not: they ask what was asked before.
_ASKS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        what why how when where who whom whose which do does did is are was were can could will would should may might
        has have had tell show list give compare summarise summarize describe explain it they them their its
        """,
    )
)
_LONGEST: Final = 8
#: "And overall?": of all again.
_ALL: Final = re.compile(
    r"^(?:(?:of|in|for|by|across|the) )*(?:all|everyone|everybody|overall|general|total|(?:all|whole|entire) .+)$"
)
_OPENING: Final = re.compile(r"^(?:(?:in|from|of|for|at|on|by|among|with|the|those|aged)\s+)+", re.IGNORECASE)
#: How a value is said of people, tried in this order.
_OF_PEOPLE: Final = ("people from {}", "people with {}", "{} people", "people aged {}")


def few_words(question: str) -> str:
    """Return what a question of few words names ("in the South"), or "" where it is a question of its own.

    Only what opens as a follow-up does is one: "And in the South?", "What about families?".
    """
    lead = _LEAD.match(question)
    rest = question[lead.end() :].strip(" ?.!,") if lead and lead.group().strip() else ""
    words = [word.text for word in words_of(rest)]
    verbs = _ASKS | lexicon()["stance_verbs"]
    return "" if len(words) > _LONGEST or verbs & set(words) else rest


def of_all(rest: str) -> bool:
    """Tell whether the few words ask for all again: "And overall?"."""
    return _ALL.match(fold(rest)) is not None


def bare_groups(
    rest: str, attributes: Mapping[str, Sequence[str]], names: Sequence[str]
) -> tuple[GroupFilter, ...]:
    """Return the author groups that the few words name without saying that they are people: "the South", "65+".

    ``names`` are what people write about; where the words are one of them, they are that.
    """
    bare = re.sub(r"\s+(?:group|ones|age group)$", "", _OPENING.sub("", rest), flags=re.IGNORECASE)
    if not bare or fold(bare) in {fold(name) for name in names}:
        return ()
    for pattern in _OF_PEOPLE:
        if found := match_groups(f"What do {pattern.format(bare)} think?", attributes):
            return tuple(GroupFilter(each.attribute, each.value, rest, each.at) for each in found)
    return ()


def merged(filters: Sequence[dict[str, Any]], last: Turn, *, whole: bool) -> list[dict[str, Any]]:
    """Return the limits of few words: those they name, and those of the turn before that they do not replace."""
    named = {item["name"] for item in filters}
    kept = [] if whole else [dict(item) for item in last["filters"] if item["name"] not in named]
    return [*kept, *filters]


__all__ = ["bare_groups", "few_words", "merged", "of_all"]
