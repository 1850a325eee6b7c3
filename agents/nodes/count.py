"""Count: "how many" and "what share" are answered from SQL, with the statement shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from langgraph.runtime import Runtime

from agents.breakdown_columns import columns
from agents.context import RagContext
from agents.corrections import corrected
from agents.follow_ups import few_words, of_all
from agents.models.extractive import content_words
from agents.models.router_breakdown import FRAME
from agents.models.router_data import lexicon
from agents.models.router_limits import unknown_column
from agents.models.router_negation import denies
from agents.models.router_period import find_period
from agents.models.router_rating import find_rating
from agents.models.router_text import class_of, fold
from agents.nodes.marks import degraded
from agents.pools import RATING, document_filter, mentioning
from agents.state import RagState
from store.opinions import Counted, DocumentFilter
from store.receipt import CountAudit, FilterAudit, within_words

#: Words that ask for a count, in the form of ``content_words``.
_COUNTING = content_words(
    "count number share percent percentage proportion fraction total mention mentions mentioned talk talked speak "
    "speaks discuss comment comments commented hold holds view views document documents posts post author authors "
    "customers travellers users respondents answers reviewed wrote written customer traveller user person there "
    "feedback feedbacks report reports filed lodged collected recorded "
    "submitted submit received receive sent send posted published left gave given give responded replied took part "
    "entries entry responses response messages message aged plus different distinct unique individual exactly come "
    "came comes live lives lived living based old olds thing things aspect aspects anything something"
) | content_words(" ".join(sorted(lexicon()["people"])))
_SIDES = content_words(
    "support supports supported favour favor oppose oppose opposed oppos find finds found "
    "positive negative good bad happy unhappy satisfied dissatisfied complain complains complained complaint "
    "complaints "
    "like likes liked dislike disliked love loved hate hated praise praised criticise criticised problem problems "
    "against favour favor opposed supportive "
    "critical strongly don didn doesn want wants wanted trust approve agree welcome reject rejected happy "
    "favourable unfavourable pleased displeased disappointed enjoy enjoyed positively negatively feel"
)
_RATING = content_words(
    "rated rating ratings star stars score scored scores gave give given points 1 2 3 4 5 below above least most"
)
_MONTHS = content_words(
    "january february march april may june july august september october november december since before after between "
    "last year month week day today past"
)

#: Words that ask for counts by value.
_TABLE = content_words(
    " ".join([*sorted(FRAME), "best worst most least show list name give got gets compare"])
)

#: How a count of documents without a value of a column is labelled.
_UNKNOWN = "documents that tell no"


@dataclass(frozen=True)
class _Answer:
    """A number, what it counts, and what its total is made of."""

    counted: Counted
    label: str
    base: str = "documents"
    marks: tuple[str, ...] = ()


def count(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Count the documents (or authors) that the question asks for, among those that its filters let through."""
    context = runtime.context
    where = document_filter(state)
    side = state["route"].get("side")
    if state["unmatched"]:
        found_in = _mentioned(context, state, where)
        if not found_in.counted.value:
            return {"counts": [], "answer": ""}
        denied = _denied(state, found_in)
        if denied == "rest" and not side:
            found_in = _rest(found_in)
        elif denied:
            reason = f"the count takes no account of: {'not' if denied in ('rest', 'read') else denied}"
            found_in = replace(found_in, marks=(*found_in.marks, reason))
        if by := state["breakdown"].get("noun"):
            reason = f"only views on entities are told apart by {by}"
            found_in = replace(found_in, marks=(*found_in.marks, reason))
        return _audited(state, found_in) | {"unmatched": "", "breakdown": {}}
    answer = (
        _unrated(context, state) or _unknown(context, state, where) or _asked(context, state, where, side)
    )
    low, high = _corrected(context, state["entity_ids"], where, side)
    denied = _denied(state, answer)
    if denied == "rest":
        answer = _rest(answer)
        low, high = (None, None) if low is None or high is None else (1 - high, 1 - low)
    left = _left_out(context, state, unknown=answer.label.startswith(_UNKNOWN))
    if denied not in ("", "rest", "read"):
        left = [denied, *(word for word in left if word != denied)]
    if left:
        label = f"{answer.label} (not restricted to what the count cannot tell: {', '.join(left)})"
        marks = (*answer.marks, f"the count takes no account of: {', '.join(left)}")
        answer = replace(answer, label=label, marks=marks)
    return _audited(state, answer, low, high)


def _audited(
    state: RagState, answer: _Answer, low: float | None = None, high: float | None = None
) -> dict[str, Any]:
    found = answer.counted
    audit = CountAudit(
        label=answer.label,
        base=answer.base,
        value=found.value,
        total=found.total,
        share=found.value / found.total if found.total else 0.0,
        sql=found.sql,
        low=low,
        high=high,
    )
    update: dict[str, Any] = {"counts": [audit.model_dump()]}
    if answer.marks:
        update["degradations"] = degraded(state, "count", *answer.marks)
    return update


def _denied(state: RagState, answer: _Answer) -> str:
    """Return what to make of the question's negation, as ``denies`` does; a table's total only says that it is left."""
    if answer.label.startswith(_UNKNOWN):
        return ""
    found = denies(state["question"], state["route"].get("side"))
    plain = not state["breakdown"] and state["route"].get("count") != "mean"
    turned = answer.counted.value != answer.counted.total or bool(state["entities"])
    return "not" if found == "rest" and not (plain and turned) else found


def _rest(answer: _Answer) -> _Answer:
    """Return the count of those of the base that were not counted."""
    found = answer.counted
    sql = f"SELECT {found.total} - (\n{found.sql}\n)" if found.sql else ""
    label = answer.label.replace(" with a", " without a", 1).replace(" that are ", " that are not ", 1)
    label = label.replace(" that mention ", " that do not mention ", 1)
    return replace(answer, counted=Counted(found.total - found.value, found.total, sql), label=label)


def _unknown(context: RagContext, state: RagState, where: DocumentFilter) -> _Answer | None:
    """Count the documents that tell no value of a column: "how many reviews have no country"."""
    asked = unknown_column(state["question"], columns(context))
    if asked is None or state["entities"] or state["route"].get("side") or state["breakdown"]:
        return None
    values = tuple(value for value in context.attribute_values()[asked.name] if value)
    told = replace(where, attributes=(*where.attributes, (asked.name, values)))
    known = context.opinions.count(context.corpus.id, [], "", told, None)
    total = context.opinions.count(context.corpus.id, [], "", where, None).value
    sql = f"SELECT {total} - (\n{known.sql}\n)"
    return _Answer(
        Counted(total - known.value, total, sql), f"{_UNKNOWN} {asked.noun}", f"documents{_within(state)}"
    )


def _mentioned(context: RagContext, state: RagState, where: DocumentFilter) -> _Answer:
    """Count the documents that use the words of a thing that is no entity: whether they like it is not known."""
    topic = state["unmatched"]
    among = context.opinions.matching(context.corpus.id, where)
    ids = set(mentioning(context, topic, context.document_count())) & set(among.tolist())
    side = state["route"].get("side")
    untold = f"; which of them are {side} on it is not known" if side else ""
    reason = f"`{topic}` is no entity of this corpus: the documents that use its words are counted{untold}"
    label = f"documents that mention {topic}{untold}"
    # Words are told apart when the documents are read, which no SQL does.
    return _Answer(Counted(len(ids), len(among), ""), label, f"documents{_within(state)}", (reason,))


def _asked(context: RagContext, state: RagState, where: DocumentFilter, side: str | None) -> _Answer:
    kind = state["route"].get("count")
    ids, names = state["entity_ids"], " or ".join(item["name"] for item in state["entities"])
    within = _within(state)
    if kind == "mean":
        return _mean(context, state, where)
    if kind == "authors" and not ids and side is None and not where.rating:
        found = context.opinions.count_authors(context.corpus.id, where)
        if found.total:
            wrote = context.opinions.count(context.corpus.id, [], "", where, None).value
            return _Answer(found, f"authors{within}, who wrote {wrote:,} documents", "authors")
        marks: tuple[str, ...] = ("no document of this corpus names its author: documents are counted",)
    else:
        marks = ()
    found = context.opinions.count(context.corpus.id, ids, context.extractor, where, side)
    if names and side:
        # of several things the mean of a document's views on them
        together = " and ".join(item["name"] for item in state["entities"])
        together += " together" if len(ids) > 1 else ""
        return _Answer(
            found,
            f"documents with a {side} view on {together}",
            f"documents with a view on {names}{within}",
            marks,
        )
    if names:
        return _Answer(found, f"documents with a view on {names}", f"documents{within}", marks)
    if side is not None:
        # Documents that hold no view are on no side, and are not counted among them.
        return _Answer(
            found, f"documents that are {side} on the whole", f"documents with a view{within}", marks
        )
    if where.rating:
        rated = within_words([FilterAudit(**item) for item in state["filters"] if item["name"] == RATING])
        return _Answer(found, f"documents{rated}", f"documents{_within(state, leave=RATING)}", marks)
    return _Answer(found, f"documents{within}", "documents", marks)


def _mean(context: RagContext, state: RagState, where: DocumentFilter) -> _Answer:
    ids, names = state["entity_ids"], ", ".join(item["name"] for item in state["entities"])
    mean, found = context.opinions.mean_rating(
        context.corpus.id, ids, context.extractor if ids else "", where
    )
    base = f"documents with a view on {names}" if names else "documents"
    label = (
        f"documents that carry a rating, on average {mean:.2f}" if found.value else "documents with a rating"
    )
    return _Answer(found, label, f"{base}{_within(state)}")


def _unrated(context: RagContext, state: RagState) -> _Answer | None:
    """Answer that nothing can be counted by ratings where the documents carry none."""
    asked = find_rating(state["question"])
    if asked is None and state["route"].get("count") != "mean":
        return None
    if context.opinions.rated(context.corpus.id):
        return None
    words = f"`{asked.phrase}`" if asked is not None else "a mean rating"
    _, found = context.opinions.mean_rating(context.corpus.id, [], "", DocumentFilter())
    reason = f"no document of this corpus carries a rating, so none can be taken into account: {words}"
    return _Answer(found, reason, marks=(reason,))


def _within(state: RagState, leave: str = "") -> str:
    """Say the filters: " within city = Lisbon", or nothing."""
    return within_words([FilterAudit(**item) for item in state["filters"] if item["name"] != leave])


def _left_out(context: RagContext, state: RagState, *, unknown: bool) -> list[str]:
    """Return the question's words that neither an entity, nor a filter, nor the side asked for stands for."""
    known = set(_COUNTING)
    question = state["question"]
    names = {item["key"] for item in state["entities"]}
    for entity in context.entities():
        if entity.key in names:
            for form in (entity.name, *entity.aliases):
                known |= content_words(form)
    for item in state["filters"]:
        known |= content_words(f"{item['name']} {item['value']} {item['phrase']}")
        if item["name"] == RATING:
            known |= _RATING
    if state["route"].get("count") == "mean" or find_rating(question) is not None:
        known |= _RATING | content_words("average mean median score")
    if state["period"]:
        said = find_period(fold(question), context.today().date())[1]
        known |= {
            word for word in content_words(said or question) if any(c.isdigit() for c in word)
        } | _MONTHS
        known |= content_words(said)
    if state["route"].get("side"):
        known |= _SIDES
    if of_all(rest := few_words(question)):
        known |= content_words(rest)
    if state["breakdown"]:
        known |= _SIDES | _RATING | _MONTHS | _TABLE | content_words(state["breakdown"]["phrase"])
        known |= {word for word in content_words(question) if class_of(word) == "UP"}  # "happiest"
    if unknown and (asked := unknown_column(question, columns(context))) is not None:
        known |= content_words(asked.phrase)
    return sorted(word for word in content_words(question) if word not in known)


def _corrected(
    context: RagContext, entity_ids: list[int], where: DocumentFilter, side: str | None
) -> tuple[float | None, float | None]:
    """Return the interval of the side's share corrected for label errors; nothing without a side or reviews."""
    if side is None or not entity_ids:
        return None, None
    found = corrected(
        context,
        context.opinions.pool(context.corpus, entity_ids, context.extractor, where).counts,
        entity_ids,
    )
    if found is None:
        return None, None
    share = found.shares[2 if side == "positive" else 0]
    return share.low, share.high


__all__ = ["count"]
