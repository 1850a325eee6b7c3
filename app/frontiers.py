"""What another point of an answer's frontier would have chosen, and what that changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bootstrap import Parts
from store.receipt import RankedDocument

if TYPE_CHECKING:
    from agents.reranking import AnswerFrontier


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two rankings: documents that enter, that leave, and that stand at another rank."""

    entered: tuple[RankedDocument, ...]
    left: tuple[RankedDocument, ...]
    moved: tuple[tuple[int, RankedDocument], ...]

    def __bool__(self) -> bool:
        return bool(self.entered or self.left or self.moved)


class Frontiers:
    """Frontiers of stored answers."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def of(self, answer: str, corpus: str = "") -> AnswerFrontier:
        """Return the frontier of an answer with the ranking at each point; takes well under a second, blocking.

        Raises
        ------
        UsageError
            No such answer, or one without a receipt.
        NoCandidates
            The answer has no frontier.
        """
        from agents.reranking import answer_frontier
        from app.catalog import Catalog

        receipt = Catalog(self._parts).receipt(answer, corpus)
        found = self._parts.repository.corpus(receipt.corpus)
        return answer_frontier(self._parts.context(found), receipt)


def changes(before: Sequence[RankedDocument], after: Sequence[RankedDocument]) -> Changes:
    """Return what a ranking changes of another, by rank of the new one (of the old one for what leaves)."""
    was = {each.document_id: each.rank for each in before}
    now = {each.document_id for each in after}
    return Changes(
        entered=tuple(each for each in after if each.document_id not in was),
        left=tuple(each for each in before if each.document_id not in now),
        moved=tuple(
            (was[each.document_id], each)
            for each in after
            if was.get(each.document_id, each.rank) != each.rank
        ),
    )


__all__ = ["Changes", "Frontiers", "changes"]
