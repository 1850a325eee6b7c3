"""The newest answer's audit in a narrow column: bars, distances, author groups, sources."""

from __future__ import annotations

from app.views.bars import gap_words, legend, opinion_bars
from app.views.layout import wrap
from app.views.rows import citation_place, citation_state, score_text
from app.views.safe import line
from app.views.words import bar_sets, goal_shares, group_words, largest_gap, pool_words, w1_words, warnings
from store.receipt import AuditReceipt

_FIELD = 400


def answer_panel(receipt: AuditReceipt, width: int = 42, *, ascii: bool = False) -> str:
    """Return what a side panel shows of a receipt, at most ``width`` cells a line (at least 40)."""
    width = max(40, width)
    out: list[str] = []

    def say(text: str, first: str = "") -> None:
        out.extend(wrap(line(text, limit=_FIELD, ascii=ascii), width, first=first, ascii=ascii))

    say(f"{receipt.route.kind}: {pool_words(receipt)}")
    for each in warnings(receipt):
        say(each, "! ")
    opinion = receipt.opinion
    if opinion is not None:
        goal = goal_shares(opinion)
        sets = [each for each in bar_sets(opinion) if each.key in ("population", "target", "cited")]
        sets = sets if len(sets) > 1 else [each for each in bar_sets(opinion) if each.key != "plain"]
        out += ["", *opinion_bars(sets, goal, width, ascii=ascii), "", *legend(sets, width, ascii=ascii)]
        say(gap_words(sets[-1], goal))
        say(w1_words(opinion))
    group = largest_gap(receipt)
    if group is not None:
        out.append("")
        for told in group_words(group)[:4]:
            say(told)
    if receipt.citations:
        out += ["", "Sources"]
    ranked = {each.document_id: each for each in receipt.ranking}
    for citation in receipt.citations:
        document = ranked.get(citation.document_id)
        name = (
            citation_place(citation, receipt) if document is None else document.title or document.external_id
        )
        score = "" if document is None or document.score is None else f" ({score_text(document.score)})"
        state = "" if citation.verified or not citation.quote else f" {citation_state(citation)}"
        say(f"{name}{score}{state}", f"[{citation.number}] ")
    return "\n".join(out)


__all__ = ["answer_panel"]
