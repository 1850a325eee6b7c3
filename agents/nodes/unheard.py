"""What a question restricts that no filter stands for, in words for the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from agents.breakdown_columns import columns
from agents.context import RagContext
from agents.models.router_groups import group_spans, is_people, words_of
from agents.models.router_limits import excluded, located, months_of_no_year, unknown_column
from agents.models.router_match import GroupFilter
from agents.models.router_period import find_period
from agents.models.router_rating import find_rating
from agents.models.router_subjects import match_subjects
from agents.models.router_text import fold
from agents.models.router_unheard import people_with, unknown_groups, unused_qualifiers, unused_values
from agents.state import RagState
from store.enrich.linking import Link
from store.enrich.question_people import ASKED, is_asked, is_topic, judges
from store.enrich.registry_words import lemmas


def loose_groups(
    context: RagContext, question: str, filters: Sequence[dict[str, Any]], found: Link, state: RagState
) -> list[str]:
    """Return the author groups of a question that no filter stands for.

    People who are asked about ("the doctor and the nurses") are no group of authors, unless they are asked as well.
    """
    tied = {item["phrase"].casefold() for item in filters if item["phrase"]}
    by = state["breakdown"].get("phrase", "").casefold()
    linked = [entity for entity in context.entities() if entity.key in found.entities]
    linked_forms = {lemmas(form) for entity in linked for form in (entity.name, *entity.aliases)}
    spans = _group_spans(question)
    names = _names(context, question, filters, found)
    spans += unknown_groups(question, (*names, *(question[a:b] for a, b in spans)))
    spans += [piece for piece in people_with(question) if not any(a <= piece[0] < b for a, b in spans)]
    refused = excluded(question, context.attribute_values())
    loose: list[str] = []
    for start, end in sorted(spans):
        phrase = question[start:end]
        folded = phrase.casefold()
        if find_rating(phrase) is not None or (by and by in folded):
            continue
        if any(folded in each or each in folded for each in tied):
            continue
        if any(folded in each.casefold() for each in refused):
            continue  # told as what the answer takes no account of
        asked_about = is_topic(question, start, end)
        thing = lemmas(phrase) in linked_forms and not is_asked(question, start, end)
        if not (asked_about or thing):
            loose.append(phrase)
    loose += _judging_things(context, question, spans)
    own = [item for item in filters if item["name"] in context.attribute_values()]
    loose += unused_qualifiers(
        question, [GroupFilter(item["name"], item["value"], item["phrase"]) for item in own]
    )
    # of "young people" and "young", the longer one
    return [
        each for each in dict.fromkeys(loose) if not any(each != other and each in other for other in loose)
    ]


def narrowed(question: str, filters: Sequence[dict[str, Any]]) -> list[str]:
    """Return the groups that a question names side by side and that are read as people who are of both.

    "People in the North and those over 65" may as well be all of either.
    """
    found: list[tuple[int, str, str]] = []
    for item in filters:
        at = question.casefold().find(item["phrase"].casefold()) if item["phrase"] else -1
        if at >= 0:
            found.append((at, item["phrase"], item["name"]))
    told = []
    for (start, first, name), (at, second, other) in pairwise(sorted(set(found))):
        between = question[start + len(first) : at].strip(" ,").casefold()
        opens = words_of(second)[0].text if words_of(second) else ""
        if name != other and between in {"and", "or"} and (opens in {"those", "the"} or is_people(opens)):
            told.append(f"`{first}` {between} `{second}`")
    return told


def _judging_things(context: RagContext, question: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return who judges by the question and is what people write about: drivers, in "What do drivers think of it?"."""
    judging = [
        question[word.start : word.end]
        for word in words_of(question)
        if word.text not in ASKED
        and judges(question, word.start, word.end)
        and not any(a <= word.start < b for a, b in spans)
    ]
    if not judging:
        return []
    forms = {lemmas(form) for entity in context.entities() for form in (entity.name, *entity.aliases)}
    return [word for word in judging if lemmas(word) in forms]


def unheard(
    context: RagContext,
    question: str,
    filters: Sequence[dict[str, Any]],
    loose: Sequence[str],
    found: Link,
    state: RagState,
) -> list[str]:
    """Return the limits of a question that no filter stands for, in its words; a count says its own."""
    if state["route"]["kind"] == "counting":
        return []
    attributes = context.attribute_values()
    unknown = unknown_column(question, columns(context))
    limits = [
        *excluded(question, attributes),
        *months_of_no_year(question),
        *((unknown.phrase,) if unknown else ()),
    ]
    tied = [item["phrase"] for item in filters if item["phrase"]]
    limits += [
        phrase for phrase in located(question, attributes) if not any(_within(each, phrase) for each in tied)
    ]
    names = [name.casefold() for name in (*context.subjects(), *(e.name for e in context.entities()))]
    said = [*(each.casefold() for each in (*tied, *loose)), *(name for name in names if len(name) > 3)]
    heard = [*_names(context, question, filters, found), *loose, *limits]
    limits += unused_values(question, attributes, heard)
    kept = list(dict.fromkeys(limits))
    return [
        phrase
        for phrase in kept
        if not any(phrase.casefold() in each for each in said)
        and not any(phrase != other and phrase in other for other in kept)
    ]


def _names(context: RagContext, question: str, filters: Iterable[dict[str, Any]], found: Link) -> list[str]:
    """Return what a question says of filters, topics, subjects and periods: all that is accounted for."""
    entities = [form for entity in context.entities() for form in (entity.name, *entity.aliases)]
    rest = "" if found.entities else found.unmatched  # beside an entity it is left out
    topic = [*rest.split(), rest, *re.findall(r"`([^`]+)`", found.caveat)]
    asked = [text for item in filters for text in (item["phrase"], item["value"])]
    subjects = [
        word for name in match_subjects(question, tuple(context.subjects())) for word in (name, *name.split())
    ]
    period = find_period(fold(question), context.today().date())[1]
    others = excluded(question, context.attribute_values())
    return [
        *entities,
        *others,
        *topic,
        *asked,
        *subjects,
        *context.corpus.name.split(),
        context.corpus.name,
        period,
    ]


def _group_spans(question: str) -> list[tuple[int, int]]:
    words = words_of(question)
    return [(words[a].start, words[b - 1].end) for a, b in group_spans(question, words)]


def _within(phrase: str, limit: str) -> bool:
    """Tell whether one of the two holds the other, as whole words: "people in Harbour", and "in Harbour"."""
    a, b = sorted((phrase.casefold(), limit.casefold()), key=len)
    return re.search(rf"(?<!\w){re.escape(a)}(?!\w)", b) is not None


__all__ = ["loose_groups", "narrowed", "unheard"]
