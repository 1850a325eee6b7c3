"""Link: registry entities and filters that the question names; a follow-up inherits what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.follow_ups import bare_groups, few_words, merged, of_all
from agents.models.router_breakdown import FRAME
from agents.models.router_data import lexicon
from agents.models.router_limits import excluded
from agents.models.router_match import GroupFilter, match_groups
from agents.models.router_period import find_period
from agents.models.router_rating import find_rating
from agents.models.router_spelling import correct
from agents.models.router_subjects import match_subjects
from agents.models.router_text import fold
from agents.models.router_unread import unread
from agents.nodes.marks import degraded
from agents.nodes.unheard import loose_groups, narrowed, unheard
from agents.pools import RATING, document_filter, mentioning
from agents.state import RagState
from store.enrich.linking import Link
from store.enrich.linking import link as link_question
from store.enrich.question_topic import placed_topic
from store.receipt import EntityAudit, FilterAudit
from store.records import RegistryEntity

#: Words that show that a question leans on the one before it.
_LEANS = re.compile(
    r"^\s*(?:and|but|so|then|also|what about|how about|why|really|only|same)\b"
    r"|\b(?:it|they|them|their|those|these|that|there)\b",
    re.IGNORECASE,
)


#: "How many reviews are there?" points at nothing.
_THERE_IS = re.compile(r"\b(?:is|are|was|were|be|been) there\b|\bthere (?:is|are|was|were)\b", re.IGNORECASE)
#: Documents that hold a phrase, from which a word of asking or judging is taken for the thing that it also names.
_MANY = 10
_NUMBER = re.compile(
    r"\b(?:\d[\d.]*|zero|one|two|three|four|five|six|seven|eight|nine|ten|points?|stars?)\b", re.IGNORECASE
)


def link(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Find entities, author groups, subjects and the period; resolve a follow-up against the last turn."""
    context = runtime.context
    question = state["question"]
    kept = _kept(context, question)
    previous = (state.get("history") or [])[-1:]
    rest = few_words(question) if previous else ""
    filters = _filters(context, kept, state, rest)
    found = _topic_of(context, _unframed(context, kept, state), filters, state)
    keys = list(found.entities)
    unmatched = found.unmatched
    standalone = question
    left: list[dict[str, Any]] = []
    if previous and _LEANS.search(_THERE_IS.sub(" ", question)):
        last = previous[0]
        if not keys and last["entities"] and not unmatched:
            keys = [key for key in last["entities"] if key in context.entity_ids()]
        if rest or not filters:
            filters = merged(filters, last, whole=of_all(rest))
        else:
            left = [item for item in last["filters"] if item not in filters]
        standalone = _standalone(context, question, keys, filters)
    period: list[str] = next((item["value"].split("..") for item in filters if item["name"] == "period"), [])
    called = {entity.key: entity.name for entity in context.entities()}
    counts = context.entity_counts()
    entities = [
        EntityAudit(
            key=key,
            name=called[key],
            confidence=found.confidence if key in found.entities else 0.5,
            reason=found.reason if key in found.entities else "carried over from the question before",
            documents=counts.get(key, 0),
        ).model_dump()
        for key in keys
        if key in called
    ]
    names = [entity.name for entity in context.entities()] if keys else []
    names += [word for item in filters for word in (item["value"], item["phrase"])]
    illegible = unread(question, names)
    if illegible and not entities and not unmatched:
        unmatched = question.strip()[:80]
    update: dict[str, Any] = {
        "standalone": standalone,
        "entities": entities,
        "entity_ids": [context.entity_ids()[item["key"]] for item in entities],
        "filters": filters,
        "period": list(period),
        "unmatched": unmatched if not entities else "",
    }
    if left:
        said = " and ".join(f"{item['name']} = {item['value']}" for item in left)
        reason = f"the question before was limited to {said}, this one is not"
        update["degradations"] = degraded(state, "link", reason)
    if illegible:
        reason = f"not understood: {illegible}"
        update["degradations"] = degraded({**state, **update}, "link", reason)  # type: ignore[typeddict-item]
    if found.caveat and entities:
        update["degradations"] = degraded({**state, **update}, "link", found.caveat)  # type: ignore[typeddict-item]
    loose = loose_groups(context, question, filters, found, state)
    if loose:
        reason = (
            f"no author attribute stands for {', '.join(f'`{p}`' for p in loose)}: not restricted to them"
        )
        update["degradations"] = degraded({**state, **update}, "link", reason)  # type: ignore[typeddict-item]
    if both := narrowed(question, filters):
        reason = f"{', '.join(both)}: read as people who are of both"
        update["degradations"] = degraded({**state, **update}, "link", reason)  # type: ignore[typeddict-item]
    if limits := unheard(context, question, filters, loose, found, state):
        reason = f"the answer takes no account of: {', '.join(limits)}"
        update["degradations"] = degraded({**state, **update}, "link", reason)  # type: ignore[typeddict-item]
    rating = None if state["breakdown"].get("kind") == "rating" else find_rating(kept)
    if rating is not None and not any(item["name"] == RATING for item in filters):
        reason = f"no document of this corpus carries a rating: not restricted to `{rating.phrase}`"
        update["degradations"] = degraded({**state, **update}, "link", reason)  # type: ignore[typeddict-item]
    return _count_filtered(context, {**state, **update}, update)  # type: ignore[typeddict-item]


def _topic_of(context: RagContext, question: str, filters: Sequence[dict[str, Any]], state: RagState) -> Link:
    """Link a question; where no document uses a word, once more with it spelt as the router reads it.

    Of a question for counts by value only what stands where a topic does is one: what else is left over asks in words
    that nobody foresaw.
    """
    found = _linked(context, question, filters)
    if found.unmatched and not found.entities:
        unused = [word for word in found.unmatched.split() if not mentioning(context, word, 1)]
        respelt = _respelt(question, unused)
        found = found if respelt == question else _linked(context, respelt, filters)
    if found.unmatched and not found.entities and state["breakdown"]:
        placed = placed_topic(question)
        kept = placed if set(placed.split()) & set(found.unmatched.split()) else ""
        found = replace(found, unmatched=kept)
    return found


def _respelt(question: str, words: Sequence[str]) -> str:
    """Return the question with these words spelt as the router reads them: "peolpe", "whats"."""
    opened = lexicon()["contractions"]
    for word in words:
        meant = opened.get(word.lower()) or correct(word.lower())
        if meant != word.lower():
            question = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", meant, question)
    return question


def _linked(context: RagContext, question: str, filters: Sequence[dict[str, Any]]) -> Link:
    """Link what the filters leave of the question: a city, a period or a rating is no topic.

    A subject's name may hold an entity's ("Business Lounge"): it is only left out of what is read by meaning.
    """
    groups = [item for item in filters if item["name"] not in {"subject", RATING, "period"}]
    said = [item["phrase"] for item in groups]
    for item in groups:  # "the North ward", "age group 31-50"
        attribute = item["name"].replace("_", " ")
        said += [f"{item['value']} {attribute}", f"{attribute} {item['value']}"]
    period = find_period(fold(question), context.today().date())[1]
    rating = find_rating(question)
    rest = _without(question, [*said, period])
    if rating is not None:
        rest = re.sub(
            re.escape(rating.phrase), lambda m: _NUMBER.sub(",", m.group()), rest, flags=re.IGNORECASE
        )
    registry, counts = context.entities(), context.entity_counts()
    subjects = [item["value"] for item in filters if item["name"] == "subject"]
    found = _less_makers(link_question(rest, registry, counts), registry, subjects)
    if found.entities:
        return found
    return link_question(
        _without_subjects(rest, subjects),
        registry,
        counts,
        embed=_embed(context),
        mentioned=lambda topic: bool(mentioning(context, topic, 1)),
        common=lambda phrase: _common(context, phrase),
    )


def _common(context: RagContext, phrase: str) -> bool:
    """Tell whether many documents hold a phrase: one in two hundred, at least two, ten in any case."""
    many = min(_MANY, max(2, context.document_count() // 200))
    return len(context.repository.mentioning(context.corpus.id, [phrase], many)) >= many


def _unframed(context: RagContext, question: str, state: RagState) -> str:
    """Leave out the words that ask for counts by value ("which ward", "breakdown", "fewest"): they name no topic."""
    asked = state["breakdown"]
    if not asked:
        return question
    named = {word for entity in context.entities() for word in entity.name.casefold().split()}
    return _without(question, [asked["phrase"], *(FRAME - named)])


def _less_makers(found: Link, registry: Sequence[RegistryEntity], subjects: Sequence[str]) -> Link:
    """Leave out entities that only open a subject's name: of the "Nokia 6610" all its documents speak, not "nokia"."""
    words = [subject.casefold().split() for subject in subjects]
    openings = {" ".join(each[:n]) for each in words for n in range(1, len(each))}
    makers = {entity.key for entity in registry if entity.name.casefold() in openings}
    kept = tuple(key for key in found.entities if key not in makers)
    return found if kept == found.entities else replace(found, entities=kept, caveat="")


def _without_subjects(question: str, subjects: Sequence[str]) -> str:
    """Put a comma in place of the subjects' names, or of as much of their openings as is said."""
    for subject in subjects:
        words = [re.escape(word) for word in re.findall(r"[^\W_]+", subject)]
        pattern = "".join(f"(?:[\\W_]*{word}(?!\\w)" for word in words[1:]) + ")?" * (len(words) - 1)
        question = (
            re.sub(rf"(?<!\w){words[0]}{pattern}(?!\w)", " , ", question, flags=re.I) if words else question
        )
    return question


def _without(question: str, phrases: Sequence[str]) -> str:
    """Put a comma in place of the phrases, longest first."""
    for phrase in sorted(filter(None, phrases), key=len, reverse=True):
        question = re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w)", " , ", question, flags=re.IGNORECASE)
    return question


def _embed(context: RagContext) -> Any:
    return lambda texts: context.searcher.embed(texts)


def _filters(context: RagContext, question: str, state: RagState, rest: str) -> list[dict[str, Any]]:
    """Return the limits that a question names; ``rest`` is what a follow-up of few words says."""
    groups = match_groups(question, context.attribute_values())
    if rest and not groups:
        names = [form for entity in context.entities() for form in (entity.name, *entity.aliases)]
        groups = bare_groups(rest, context.attribute_values(), names)
    found = [
        {"name": item.attribute, "value": item.value, "phrase": item.phrase}
        for item in _one_attribute(groups)
    ]
    found += [
        {"name": "subject", "value": subject, "phrase": subject}
        for subject in match_subjects(question, tuple(context.subjects()))
    ]
    rating = None if state["breakdown"].get("kind") == "rating" else find_rating(question)
    if rating is not None and context.opinions.rated(context.corpus.id):
        found.append({"name": RATING, "value": rating.value, "phrase": rating.phrase})
    said = find_period(fold(question), context.today().date())[1]
    # "those who joined in 2019": the year is the authors', not the documents'
    if state["period"] and said and not any(said in fold(item["phrase"]) for item in found):
        found.append({"name": "period", "value": "..".join(state["period"]), "phrase": ""})
    found += [dict(item) for item in state["options"].get("filters", ())]
    return found


def _kept(context: RagContext, question: str) -> str:
    """Return the question without what it leaves out ("not from Germany"): that is not what is asked for."""
    return _without(question, excluded(question, context.attribute_values()))


def _one_attribute(items: Sequence[GroupFilter]) -> list[GroupFilter]:
    """Keep one attribute a name: of city and province "New York", the one that most names of the question fit.

    "American couples" are two names, and both stay.
    """
    fits: dict[str, set[tuple[int, int]]] = {}
    for item in items:
        fits.setdefault(item.attribute, set()).add(item.at)
    best = {
        at: min((i.attribute for i in items if i.at == at), key=lambda a: (-len(fits[a]), a))
        for at in {item.at for item in items}
    }
    return [item for item in items if item.attribute == best[item.at]]


def _standalone(context: RagContext, question: str, keys: list[str], filters: list[dict[str, Any]]) -> str:
    names = {entity.key: entity.name for entity in context.entities()}
    about = [names[key] for key in keys if key in names and names[key] not in question.lower()]
    about += [item["value"] for item in filters if item["name"] != "period" and item["value"] not in question]
    return f"{question.rstrip()} (about {', '.join(about)})" if about else question


def _count_filtered(context: RagContext, state: RagState, update: dict[str, Any]) -> dict[str, Any]:
    if update["filters"]:
        total = len(context.opinions.matching(context.corpus.id, document_filter(state)))
        update["filters"] = [
            FilterAudit(name=f["name"], value=f["value"], phrase=f["phrase"], documents=total).model_dump()
            for f in update["filters"]
        ]
    return update


__all__ = ["link"]
