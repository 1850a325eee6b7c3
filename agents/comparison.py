"""Which parts a question sets beside each other: author groups, reviewed things, entities, or periods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import product
from typing import Any, Final

from agents.context import RagContext
from agents.models.router_groups import demonyms, words_of
from agents.models.router_period import EARLIEST, LATEST
from agents.models.router_text import fold
from agents.pools import RATING, document_filter
from agents.state import RagState
from store.opinions import DocumentFilter

#: More parts than these are not read any more.
MOST: Final = 8
_COMPARES = re.compile(
    r"\b(?:compar\w+|differ|differs|difference\w*|versus|vs)\b"
    r"|\bwhich\b.{0,60}\b(?:better|best|worse|worst|\w{3,}er)\b.{0,80}\bor\b"
    r"|\b(?:better|worse|more|less|\w{3,}er) than\b"
    r"(?! (?:\d|any\w*|ever\w*|usual\w*|expect\w*|enough|once|a|an|one|two|three|four|five|all|most|before)\b)"
)
_CHANGES = re.compile(
    r"\b(?:chang\w+|differ|differs|difference\w*|improv\w+|better|wors\w+|compar\w+|versus|vs|declin\w+|evol\w+"
    r"|deteriorat\w+|shift\w*|increas\w+|decreas\w+)\b"
)
#: Beside two years these set one against the other; "between 2013 and 2015" alone is one period.
_EITHER = re.compile(r"\b(?:than|or)\b")
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Part:
    """One of the things compared: its name, and the entities and documents that it stands for."""

    name: str
    entity_ids: tuple[int, ...]
    where: DocumentFilter


@dataclass(frozen=True, slots=True)
class _Share:
    """One value of what the parts differ in."""

    name: str
    entity_ids: tuple[int, ...] | None = None
    change: dict[str, Any] | None = None


def parts_of(state: RagState, context: RagContext) -> list[Part]:
    """Return the parts that the question names, at least two and at most ``MOST``; none where it compares nothing."""
    axes = [axis for axis in (_groups(state), _subjects(state), _entities(state), _periods(state)) if axis]
    while axes and _size(axes) > MOST:
        axes.pop()
    if not axes:
        return []
    where = document_filter(state)
    everything = tuple(state["entity_ids"]) or tuple(
        context.entity_ids()[e.key] for e in context.entities() if e.parent is None
    )
    parts = []
    for shares in product(*axes):
        ids, within = everything, where
        for share in shares:
            ids = ids if share.entity_ids is None else share.entity_ids
            within = within if share.change is None else _changed(within, share.change)
        parts.append(Part(", ".join(share.name for share in shares), ids, within))
    return parts


def compares(question: str) -> bool:
    """Return whether a question says in so many words that it compares ("differ", "better than", "versus")."""
    return _COMPARES.search(fold(question[:2000])) is not None


def _size(axes: Sequence[Sequence[_Share]]) -> int:
    size = 1
    for axis in axes:
        size *= len(axis)
    return size


def _changed(where: DocumentFilter, change: dict[str, Any]) -> DocumentFilter:
    """Return the filter with one restriction changed; of the attributes only the one named."""
    rest = dict(change)
    if "attribute" in rest:
        name, values = rest.pop("attribute")
        kept = [each for each in where.attributes if each[0] != name]
        rest["attributes"] = tuple(sorted([*kept, (name, values)]))
    return replace(where, **rest)


def _axis(shares: Iterable[_Share]) -> list[_Share]:
    found = list(shares)
    return found if len(found) > 1 else []


def _groups(state: RagState) -> list[_Share]:
    """Tell the values of one attribute apart that are named one by one ("over 45" names all of its at once)."""
    words = {word.text for word in words_of(state["question"])}
    plain = _padded(state["question"])
    named: dict[str, dict[str, list[str]]] = {}
    for item in state["filters"]:
        if item["name"] in ("subject", RATING, "period"):
            continue
        value = item["value"]
        own = _padded(value) in plain or any(
            fold(value) in {fold(place) for place in demonyms()[word]} for word in words if word in demonyms()
        )
        key = value if own else item["phrase"]
        named.setdefault(item["name"], {}).setdefault(key, []).append(value)
    for name, parts in named.items():
        if len(parts) > 1:
            return _axis(
                _Share(" or ".join(dict.fromkeys(values)), change={"attribute": (name, tuple(values))})
                for values in parts.values()
            )
    return []


def _padded(text: str) -> str:
    """Return the words of a text, folded, with a blank before and behind each."""
    return f" {' '.join(_WORD.findall(fold(text)))} "


def _subjects(state: RagState) -> list[_Share]:
    named = dict.fromkeys(item["value"] for item in state["filters"] if item["name"] == "subject")
    return _axis(_Share(name, change={"subjects": (name,)}) for name in named)


def _entities(state: RagState) -> list[_Share]:
    pairs = zip(state["entities"], state["entity_ids"], strict=True)
    return _axis(_Share(item["name"], entity_ids=(entity_id,)) for item, entity_id in pairs)


def _periods(state: RagState) -> list[_Share]:
    """Tell two years apart, or what lies before or after a period, where the question asks for a change."""
    question = fold(state["question"][:2000])
    years = sorted(set(_YEAR.findall(question)))
    changes = _CHANGES.search(question) is not None
    if len(years) > 1 and (changes or _EITHER.search(question)):
        return [_span(year, f"{year}-01-01", f"{year}-12-31") for year in years]
    if not changes or not state["period"]:
        return []
    since, until = state["period"]
    if since > EARLIEST:
        before = _span(f"before {since}", "", _day(since, -1))
        name = f"since {since}" if until in ("", LATEST) else f"{since} to {until}"
        return [before, _span(name, since, "" if until == LATEST else until)]
    if until in ("", LATEST):
        return []
    return [_span(f"until {until}", "", until), _span(f"after {until}", _day(until, 1), "")]


def _span(name: str, since: str, until: str) -> _Share:
    return _Share(name, change={"since": since, "until": until})


def _day(day: str, step: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=step)).isoformat()


__all__ = ["MOST", "Part", "compares", "parts_of"]
