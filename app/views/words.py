"""What a receipt says, in words: the sentences that stand beside every picture, shared by all faces.

Strings returned here may hold text from the corpus as it is stored; every face makes it safe in its own way.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.views.bars import STYLES, BarSet
from app.views.formats import (
    MARK_POINTS,
    count,
    estimate,
    listed,
    number,
    percent,
    plural,
    point_count,
    rounded_points,
    signed,
)
from store.receipt import AuditReceipt, FrontierPoint, GroupAudit, GroupShare, OpinionAudit, PositionAudit
from store.verdicts import Z, miss_words, verdict_words


def seven(shares: Sequence[float]) -> tuple[float, ...]:
    """Return the shares of the seven bins; what is missing is 0."""
    return (*shares, *(0.0,) * 7)[:7]


def goal_shares(opinion: OpinionAudit) -> tuple[float, ...]:
    """Return the seven shares that every gap is measured from: the target's, else the population's."""
    return seven(opinion.target_shares or opinion.population.shares)


def bar_sets(opinion: OpinionAudit) -> list[BarSet]:
    """Return the sets worth drawing: population, the goal where it differs, retrieved, cited, plain top-k."""
    sets = [BarSet("population", seven(opinion.population.shares), opinion.population.n)]
    if differs(opinion):
        sets.append(BarSet("target", goal_shares(opinion), 0))
    for key in ("retrieved", "cited", "plain"):
        distribution = getattr(opinion, key)
        if distribution.n:
            sets.append(BarSet(key, seven(distribution.shares), distribution.n))
    return sets


def differs(opinion: OpinionAudit) -> bool:
    """Tell whether the target is another distribution than the population's."""
    goal, population = goal_shares(opinion), seven(opinion.population.shares)
    return any(abs(a - b) > 1e-6 for a, b in zip(goal, population, strict=True))


def set_name(key: str) -> str:
    """Return how a set of documents is called (``plain`` is the plain top-k)."""
    return STYLES[key].name if key in STYLES else key


def pool_words(receipt: AuditReceipt) -> str:
    """Return how much of what the answer rests on: ``12 of 861 documents on food``."""
    if receipt.counts and not receipt.ranking:
        counted = receipt.counts[0]
        how = "counted in SQL" if counted.sql else "counted by their words"
        return f"{count(counted.value)} of {count(counted.total)} ({percent(counted.share)}), {how}"
    chosen = len(receipt.ranking)
    if receipt.opinion is not None:
        on = f" on {', '.join(entity.name for entity in receipt.entities)}" if receipt.entities else ""
        return f"{count(chosen)} of {plural(receipt.opinion.population.n, 'document')}{on}"
    return f"{count(chosen)} of {plural(receipt.corpus_documents, 'document')}"


def answer_w1(opinion: OpinionAudit) -> tuple[str, float] | None:
    """Return the set that the reader sees (cited, else retrieved) and its W1 to the target."""
    for key in ("cited", "retrieved"):
        if key in opinion.w1 and getattr(opinion, key).n:
            return key, opinion.w1[key].value
    return None


def largest_gap(receipt: AuditReceipt) -> GroupAudit | None:
    """Return the attribute with the largest author-group gap, None when there is none.

    Attributes that the selection balances and those that most authors state: a gap among a handful of known values says
    little, and counts only where there is no other.
    """
    telling = [group for group in receipt.groups if group.constrained or group.unknown_population <= 0.5]
    return max(telling or receipt.groups, key=lambda group: abs(group.largest_gap), default=None)


def gap_line(receipt: AuditReceipt) -> str:
    """Return the largest author gap in a few words, and that of what was balanced where it is another attribute's."""
    group = largest_gap(receipt)
    if group is None:
        return ""
    told = f"largest author gap {point_count(group.largest_gap)} ({group.attribute})"
    own = [each for each in receipt.groups if each.constrained]
    if own and not group.constrained:
        told += "".join(f", balanced {each.attribute} {point_count(each.largest_gap)}" for each in own)
    return told


def warnings(receipt: AuditReceipt) -> list[str]:
    """Return everything that weakens the answer, degradations first."""
    found = [f"{each.stage}: {each.reason}" for each in receipt.degradations]
    found += [f"not met: {each}" for each in receipt.unmet]
    missing = receipt.verification.quotes - receipt.verification.quotes_verified
    if missing > 0:
        found.append(f"{plural(missing, 'quote')} not found in the cited text")
    marked = " ".join(each.reason for each in receipt.degradations)
    found += [f"check: {each}" for each in receipt.verification.findings if each not in marked]
    if receipt.unmatched:
        found.append(f"not in the registry: {receipt.unmatched}")
    return found


def w1_words(opinion: OpinionAudit) -> str:
    """Return in one sentence how far answer and plain top-k are from the target."""
    goal = "the population" if not differs(opinion) else f"the goal ({opinion.target})"
    parts = []
    if "retrieved" in opinion.w1:
        parts.append(f"retrieved documents are W1 {estimate(opinion.w1['retrieved'])} from {goal}")
    if "cited" in opinion.w1 and opinion.cited.n:
        parts.append(f"cited ones {estimate(opinion.w1['cited'])}")
    if "plain" in opinion.w1:
        parts.append(f"plain top-k would be {estimate(opinion.w1['plain'])} ({_that_hold(opinion.plain.n)})")
    if not parts:
        return "No distance could be measured."
    text = "; ".join(parts)
    floor = (
        "" if opinion.floor is None else f" No choice of so few documents gets below {number(opinion.floor)}."
    )
    return f"{text[0].upper()}{text[1:]}.{floor}"


def _that_hold(n: int) -> str:
    return f"by its {plural(n, 'document')} that {'holds' if n == 1 else 'hold'} a view"


def group_words(group: GroupAudit) -> list[str]:
    """Return in words the gaps of one author attribute, missing groups named."""
    gap = abs(rounded_points(group.largest_gap))
    plain = abs(rounded_points(group.plain_largest_gap))
    beside = [f"plain top-k {plain}"]
    if group.shrunk_gap is not None and rounded_points(group.shrunk_gap) != gap:
        beside.append(f"{rounded_points(group.shrunk_gap)} where small groups count less")
    named = sum(each.value != group.rest for each in group.categories)
    of = f"the {plural(named, 'named group')}" if group.rest else "groups"
    words = [
        f"{group.attribute}: largest gap {plural(gap, 'point')} ({'; '.join(beside)}); "
        f"{percent(group.coverage)} of {of} present"
    ]
    missing = [each for each in group.categories if each.population and not each.retrieved]
    words += [
        f"MISSED {each.value}: {percent(each.population_share)} of the population, none retrieved"
        for each in missing
    ]
    if group.unknown_population or group.unknown_retrieved:
        words.append(
            f"unknown {group.attribute}: {percent(group.unknown_population)} of the population, "
            f"{percent(group.unknown_retrieved)} of the retrieved; left out of the shares"
        )
    if not group.constrained:
        words.append("shown only: the selection was not asked to balance this attribute")
    return words


def margin_words(receipt: AuditReceipt) -> str:
    """Say what the intervals of a probability sample stand for; empty where there are none."""
    if not receipt.margins:
        return ""
    chosen = receipt.selection
    drawn = (
        f"{plural(chosen.k, 'document')} were drawn at random from {_frame(chosen.frame, chosen.pool)}"
        if chosen and chosen.frame
        else "documents were drawn at random"
    )
    balanced = list(dict.fromkeys(each.attribute for each in receipt.margins if each.balanced))
    rest = list(dict.fromkeys(each.attribute for each in receipt.margins if not each.balanced))
    held = [f"of all documents for {listed(balanced)}"] if balanced else []
    held += [f"of those that could be drawn for {listed(rest)}"] if rest else []
    return (
        f"The {drawn}, with known chances: in about 95 of 100 such draws the interval holds the "
        f"value {', '.join(held)}. The last column counts all documents."
    )


def _frame(frame: int, pool: int) -> str:
    return f"all {count(pool)}" if frame >= pool else f"the {count(frame)} more relevant of {count(pool)}"


def gap_state(share: GroupShare) -> str:
    """Return ``MISSED`` for a group of the population that is not among the retrieved, ``!`` for a gap."""
    if share.population and not share.retrieved:
        return "MISSED"
    return "!" if abs(rounded_points(share.gap)) >= MARK_POINTS else ""


def position_words(position: PositionAudit) -> str:
    """Return the predicted output bias of the order and its verdict, or that the model is not calibrated.

    ``+/-`` are ``Z`` standard errors of the prediction, and the tolerance of the target: the first interval lies in the
    second where the target is met.
    """
    model = f" ({position.model})" if position.model else ""
    if not position.calibrated or position.predicted is None:
        if position.note.startswith("not calibrated for this model ("):
            return position.note
        note = (
            f": {position.note}" if position.note and position.note != "not calibrated for this model" else ""
        )
        return f"not calibrated for this model{model}{note}"
    error = "" if position.standard_error is None else f" +/- {number(Z * position.standard_error, 2)}"
    tolerated = "" if position.tau is None else f" +/- {position.tau:g}"
    target = "" if position.target is None else f", target {signed(position.target)}{tolerated}"
    natural = "" if position.natural is None else f", by relevance alone {signed(position.natural)}"
    weighted = (
        "" if position.weighted_w1 is None else f"; W1 as the ranks weigh it {number(position.weighted_w1)}"
    )
    judged = ""
    if position.verdict is not None and position.target is not None:
        miss = miss_words(position.predicted, position.target, position.reachable, "these documents")
        judged = f"; {verdict_words(position.verdict, miss)}"
    note = f"; {position.note}" if position.note else ""
    return f"predicted Rb {signed(position.predicted)}{error}{target}{natural}{weighted}{model}{judged}{note}"


def frontier_words(receipt: AuditReceipt) -> str:
    """Return the price paid in relevance for the chosen point, and why it lies off the curve; empty without a curve."""
    chosen = _chosen_point(receipt)
    if chosen is None:
        return "No point of the frontier was chosen." if receipt.frontier else ""
    start = max(receipt.frontier, key=lambda point: point.relevance_kept)
    paid = max(0.0, 1 - chosen.relevance_kept)
    words = (
        f"Price paid: {100 * paid:.1f}% of the relevance of the {plural(len(receipt.ranking), 'document')} of the pool "
        f"that {'is' if len(receipt.ranking) == 1 else 'are'} most relevant: W1 {number(chosen.w1)}, theirs "
        f"{number(start.w1)}{_gap_words(receipt, chosen, start)}."
    )
    why = off_curve_words(receipt)
    return f"{words} {why}" if why else words


def _gap_words(receipt: AuditReceipt, chosen: FrontierPoint, start: FrontierPoint) -> str:
    """Return the largest gap of the groups that the points are measured by; of groups not audited there is none."""
    if chosen.largest_gap is None or start.largest_gap is None or not receipt.groups:
        return ""
    own, theirs = abs(rounded_points(chosen.largest_gap)), abs(rounded_points(start.largest_gap))
    balanced = " and ".join(group.attribute for group in receipt.groups if group.constrained)
    of = f" of {balanced}" if balanced else ""
    return f"; largest author gap{of} {plural(own, 'point')}, theirs {theirs}"


def off_curve_words(receipt: AuditReceipt) -> str:
    """Say why the choice lies off the curve of the exact choices; empty where it lies on it."""
    chosen = _chosen_point(receipt)
    if chosen is None or not any(_beats(point, chosen) for point in receipt.frontier if not point.chosen):
        return ""
    if receipt.selection is not None and receipt.selection.method == "balanced":
        return (
            "The choice lies off the curve: balanced draws a probability sample, and pays relevance for "
            "what the labels miss, which W1 to the labelled population does not show."
        )
    selection = receipt.selection
    balanced = " and ".join(group.attribute for group in receipt.groups if group.constrained)
    own = selection.distance_name if selection else ""
    if selection is not None and selection.method == "exact" and not (balanced or own):
        return "The choice lies off the curve: it was made for author groups too small to be told as well."
    if selection is None or not (balanced or own):
        return "The choice lies off the curve: its method does not weigh relevance against W1."
    if own:
        return f"The choice lies off the curve: it was made by {own}, not by W1 of the documents."
    return (
        f"The choice lies off the curve: it was made for the {balanced} groups as well, "
        "not for relevance and W1 alone."
    )


def _chosen_point(receipt: AuditReceipt) -> FrontierPoint | None:
    return next((point for point in receipt.frontier if point.chosen), None)


def _beats(point: FrontierPoint, chosen: FrontierPoint) -> bool:
    """Tell whether a point keeps as much relevance and is as near, and clearly better in one of them."""
    kept, near = point.relevance_kept - chosen.relevance_kept, chosen.w1 - point.w1
    return kept >= -1e-9 and near >= -1e-9 and (kept > 5e-4 or near > 5e-3)


def relevance_kept(receipt: AuditReceipt) -> float | None:
    """Return the relevance kept, one figure in every place: of the pool's own k most relevant where there is a pool."""
    chosen = _chosen_point(receipt)
    if chosen is not None:
        return chosen.relevance_kept
    return None if receipt.selection is None else receipt.selection.relevance_kept


def amplification_words(change: float) -> str:
    """Say how far the cited opinions are from the target, against the retrieved ones (W1 of answer - retrieved)."""
    if abs(change) < 0.05:
        return "the cited opinions are as near to the target as those retrieved"
    where = "further from" if change > 0 else "nearer to"
    return f"the cited opinions are {number(abs(change))} points (W1) {where} the target than those retrieved"


def quote_words(receipt: AuditReceipt) -> str:
    """Return how many quotes were checked and found."""
    check = receipt.verification
    if not check.quotes:
        return "no quotes to check"
    found = (
        f"{check.quotes_verified} of {plural(check.quotes, 'quote')} found word for word in the cited text"
    )
    return found + ("; the answer was revised once" if check.revised else "")


def warning_lines(receipt: AuditReceipt, most: int = 2, *, ascii: bool = False) -> list[str]:
    """Return the first warnings, one line each, and how many more there are and where they stand."""
    from app.views.safe import line

    found = warnings(receipt)
    shown = [f"! {line(each, limit=400, ascii=ascii)}" for each in found[:most]]
    more = len(found) - len(shown)
    return [*shown, f"! {more} more: evenhand audit {receipt.answer_id}"] if more > 0 else shown


def _w1_line(opinion: OpinionAudit) -> str:
    """Return W1 of like and like, the documents retrieved and those of the plain top-k, and apart that of the cited."""
    known = [key for key in ("retrieved", "plain", "cited") if key in opinion.w1 and getattr(opinion, key).n]
    if not known:
        return ""
    names = {"retrieved": "retrieved", "plain": "top-k", "cited": "cited"}
    told = {key: f"{names[key]} {number(opinion.w1[key].value)}" for key in known}
    alike = " / ".join(told[key] for key in ("retrieved", "plain") if key in told)
    return "W1 " + ", ".join(each for each in (alike, told.get("cited", "")) if each)


def receipt_line(receipt: AuditReceipt, *, ascii: bool = False) -> str:
    """Return the receipt in one line: route, n of N, W1 of retrieved, top-k and cited, author gap, Rb, warnings."""
    from app.views.safe import line

    parts: list[str] = [receipt.route.kind, pool_words(receipt)]
    opinion = receipt.opinion
    if opinion is not None and (told := _w1_line(opinion)):
        parts.append(told)
    if told := gap_line(receipt):
        parts.append(told)
    if receipt.position is not None and receipt.position.verdict is not None:
        parts.append(f"Rb {receipt.position.verdict}")
    if receipt.verification.quotes:
        parts.append(f"quotes {receipt.verification.quotes_verified}/{receipt.verification.quotes}")
    found = len(warnings(receipt))
    parts.append(f"! {plural(found, 'warning')}" if found else "no warnings")
    separator = " | " if ascii else " · "
    return separator.join(line(part, limit=200, ascii=ascii) for part in parts)


__all__ = [
    "amplification_words",
    "answer_w1",
    "bar_sets",
    "differs",
    "frontier_words",
    "gap_line",
    "gap_state",
    "goal_shares",
    "group_words",
    "largest_gap",
    "margin_words",
    "off_curve_words",
    "pool_words",
    "position_words",
    "quote_words",
    "receipt_line",
    "relevance_kept",
    "set_name",
    "seven",
    "w1_words",
    "warning_lines",
    "warnings",
]
