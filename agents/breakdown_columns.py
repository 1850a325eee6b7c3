"""What the columns of a corpus are called in questions, so that "which city" and "by age group" find theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from agents.context import RagContext
from agents.models.router_breakdown import Asked, Column, find_breakdown
from agents.models.router_text import fold
from store.enrich.registry_words import lemma

#: What the reviewed things are called in any corpus.
_THINGS: Final = (
    "product", "item", "place", "business", "company", "brand", "venue", "hotel", "restaurant", "airline", "shop",
)  # fmt: skip
#: Nouns of columns: where the corpus has none of that name, nothing can be told apart by it.
_USUAL: Final = (
    "country", "city", "region", "state", "province", "district", "ward", "nationality", "gender", "age group", "role",
    "occupation", "department",
)  # fmt: skip
#: Nouns that stand for each other's column.
_ALIKE: Final = (("country", "nationality"), ("gender", "sex"), ("province", "state"), ("role", "occupation"))
#: Last words of a column's name that its values are not called by.
_EMPTY: Final = frozenset(
    ("name", "id", "code", "key", "group", "band", "type", "category", "level", "title")
)
#: Words by which an attribute says that its values are groups of people.
_GROUPS: Final = frozenset(("group", "role", "type", "segment", "category"))


def columns(context: RagContext) -> Mapping[str, Column]:
    """Return what the corpus can tell documents apart by: folded noun in the singular -> column.

    An attribute is called by its name, by the last telling word of it (``author_country``: country), and the only one,
    or the only one of that kind, also "group". The reviewed things are called by their column, by the corpus' name, or
    by a general word that names no entity. A usual column that the corpus lacks has an empty name. Kept until the
    corpus changes.
    """
    key = (context.corpus.id, context.corpus.revision, "columns")
    return context.memo.get(key, lambda: _columns(context))


def read(question: str, context: RagContext, names: Sequence[str]) -> Asked | None:
    """Return the counts by value that a question asks of this corpus, or None; ``names`` judge nothing."""
    return find_breakdown(question, columns(context), names)


def _columns(context: RagContext) -> dict[str, Column]:
    found: dict[str, Column] = {}
    attributes = {name: _words(name) for name in context.attribute_values()}
    for name, words in attributes.items():
        found.setdefault(" ".join(words), ("attribute", name))
    for name, words in attributes.items():
        telling = _telling(words)
        for form in (" ".join(telling), telling[-1]):
            found.setdefault(form, ("attribute", name))
    groups = [name for name, words in attributes.items() if _GROUPS & set(words)] or list(attributes)
    if len(groups) == 1:
        found.setdefault("group", ("attribute", groups[0]))
    if len(context.subjects()) > 1:
        for form in _subject_nouns(context):
            found.setdefault(form, ("subject", ""))
    for pair in _ALIKE:
        for noun, other in (pair, pair[::-1]):
            if other in found:
                found.setdefault(noun, found[other])
    for noun in _USUAL:
        found.setdefault(noun, ("attribute", ""))
    found.pop("", None)
    return found


def _subject_nouns(context: RagContext) -> list[str]:
    called = [_words(name) for name in context.repository.subject_columns(context.corpus.id)]
    called = [words for words in called if set(words) - _EMPTY]
    entities = {entity.name.casefold() for entity in context.entities()}
    own = [" ".join(words) for each in called for words in (each, _telling(each))]
    return [*own, " ".join(_words(context.corpus.name)), *(noun for noun in _THINGS if noun not in entities)]


def _words(name: str) -> list[str]:
    """Return the words of a column's name, folded, the last one in the singular: "authorCountry", "age_groups"."""
    words = re.findall(r"[^\W_]+", fold(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)))
    return [*words[:-1], lemma(words[-1])] if words else [""]


def _telling(words: list[str]) -> list[str]:
    while len(words) > 1 and words[-1] in _EMPTY:
        words = words[:-1]
    return words


__all__ = ["columns", "read"]
