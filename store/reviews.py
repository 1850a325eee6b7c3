"""A person's verdicts on extracted labels: the sample to check, the verdicts, and what the estimates are made from.

The sample is stratified by predicted bin, with more than their share for rare bins (allocation by the square root of
the stratum, Bankier 1988), and spread systematically over the entities within a bin. Every stance of a bin has the
same chance, in each draw and over all of them, so a review of a bin stands for ``N_b / n_b`` of its stances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, and_, func, select

from store.database import Database
from store.records import BINS
from store.tables import Document, Entity, LabelReview, Opinion, Stance

Verdict = Literal["positive", "negative", "neutral", "not about"]

#: Verdict -> (score's sign, about the entity).
_STORED: Final[dict[Verdict, tuple[int | None, bool]]] = {
    "positive": (1, True),
    "negative": (-1, True),
    "neutral": (0, True),
    "not about": (None, False),
}
#: Characters of the document shown before and after a quote.
CONTEXT = 160
Outcome = Literal["stored", "known", "gone"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a document (``…`` where it goes on), and the places in them that a label was made from."""

    text: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One label to check.

    ``predicted`` is its bin, not to be shown before the verdict; ``probability`` its chance of being in this sample.
    """

    document_id: int
    entity_id: int
    document: str
    entity: str
    entity_key: str
    passages: tuple[Passage, ...]
    predicted: int
    probability: float


@dataclass(frozen=True, slots=True)
class ReviewedLabels:
    """Reviewed labels as aligned arrays of length n, and the stances of the corpus by bin.

    ``bins`` holds the score that the label has now, ``truths`` what the reviewer found: 0 negative, 1 neutral,
    2 positive, 3 not about the entity.
    """

    bins: NDArray[np.int64]
    truths: NDArray[np.int64]
    entities: NDArray[np.int64]
    population: tuple[int, ...]


class ReviewStore:
    """Reads and writes verdicts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def draw(self, corpus_id: int, extractor: str, n: int, seed: int = 0) -> list[ReviewItem]:
        """Draw labels that nobody reviewed yet, in random order; fewer than ``n`` when no more are left."""
        statement = (
            select(Stance.document_id, Stance.entity_id, Stance.score)
            .join(Entity, Entity.id == Stance.entity_id)
            .outerjoin(LabelReview, _same_label())
            .where(
                Stance.corpus_id == corpus_id,
                Stance.extractor == extractor,
                Entity.state == "active",
                LabelReview.id.is_(None),
            )
            .order_by(Stance.entity_id, Stance.document_id)
        )
        with self._database.session() as session:
            rows = session.execute(statement).all()
            reviewed = session.execute(
                select(func.count()).select_from(LabelReview).where(LabelReview.corpus_id == corpus_id)
            ).scalar_one()
        if not rows:
            return []
        labels = np.asarray(rows, dtype=np.int64)
        # Another draw after more verdicts is another sample; the same draw is the same.
        rng = np.random.default_rng([seed, reviewed])
        picked, chances = stratified(labels[:, 2], n, rng)
        return self._items(labels[picked], chances, extractor)

    def record(
        self, corpus_id: int, extractor: str, document_id: int, entity_id: int, verdict: Verdict
    ) -> Outcome:
        """Keep one verdict at once; ``known`` if there is one already, ``gone`` if the label is no longer there."""
        sign, about = _STORED[verdict]
        with self._database.session() as session:
            score = session.scalar(
                select(Stance.score).where(
                    Stance.corpus_id == corpus_id,
                    Stance.document_id == document_id,
                    Stance.entity_id == entity_id,
                    Stance.extractor == extractor,
                )
            )
            if score is None:
                return "gone"
            known = session.scalar(
                select(LabelReview.id).where(
                    LabelReview.document_id == document_id,
                    LabelReview.entity_id == entity_id,
                    LabelReview.extractor == extractor,
                )
            )
            if known is not None:
                return "known"
            session.add(
                LabelReview(
                    corpus_id=corpus_id,
                    document_id=document_id,
                    entity_id=entity_id,
                    extractor=extractor,
                    predicted=score,
                    verdict=sign,
                    about_entity=about,
                )
            )
        return "stored"

    def count(self, corpus_id: int, extractor: str) -> int:
        """Return the number of verdicts on labels that still stand."""
        with self._database.session() as session:
            return session.execute(
                select(func.count())
                .select_from(LabelReview)
                .join(Stance, _same_label())
                .where(LabelReview.corpus_id == corpus_id, LabelReview.extractor == extractor)
            ).scalar_one()

    def labels(self, corpus_id: int, extractor: str) -> ReviewedLabels:
        """Return the reviewed labels with the scores that they have now: a verdict outlives a new extraction."""
        with self._database.session() as session:
            rows = session.execute(
                select(Stance.score, LabelReview.verdict, LabelReview.about_entity, Stance.entity_id)
                .join(LabelReview, _same_label())
                .where(LabelReview.corpus_id == corpus_id, LabelReview.extractor == extractor)
                .order_by(LabelReview.id)
            ).all()
            counts = dict(
                session.execute(
                    select(Stance.score, func.count())
                    .where(Stance.corpus_id == corpus_id, Stance.extractor == extractor)
                    .group_by(Stance.score)
                ).all()
            )
        truths = [3 if not about or sign is None else sign + 1 for _, sign, about, _ in rows]
        return ReviewedLabels(
            bins=np.asarray([row[0] for row in rows], dtype=np.int64),
            truths=np.asarray(truths, dtype=np.int64),
            entities=np.asarray([row[3] for row in rows], dtype=np.int64),
            population=tuple(counts.get(score, 0) for score in BINS),
        )

    def entity_ids(self, corpus_id: int) -> dict[str, int]:
        """Return the ids of the active entities by key."""
        with self._database.session() as session:
            rows = session.execute(
                select(Entity.key, Entity.id).where(Entity.corpus_id == corpus_id, Entity.state == "active")
            )
            return dict(rows.all())

    def _items(
        self, labels: NDArray[np.int64], chances: NDArray[np.float64], extractor: str
    ) -> list[ReviewItem]:
        documents = sorted({int(d) for d in labels[:, 0]})
        with self._database.session() as session:
            texts = {
                i: (external, text)
                for i, external, text in session.execute(
                    select(Document.id, Document.external_id, Document.text).where(Document.id.in_(documents))
                )
            }
            entities = {
                i: (key, name, parent)
                for i, key, name, parent in session.execute(
                    select(Entity.id, Entity.key, Entity.name, Entity.parent_id)
                )
            }
            units: dict[int, list[tuple[int, int, int]]] = {}
            for document, entity, start, end in session.execute(
                select(Opinion.document_id, Opinion.entity_id, Opinion.start, Opinion.end)
                .where(Opinion.document_id.in_(documents), Opinion.extractor == extractor)
                .order_by(Opinion.document_id, Opinion.start)
            ):
                units.setdefault(document, []).append((entity, start, end))
        parents = {i: parent for i, (_, _, parent) in entities.items()}
        items = []
        for (document, entity, score), chance in zip(labels.tolist(), chances.tolist(), strict=True):
            external, text = texts[document]
            key, name, _ = entities[entity]
            spans = dict.fromkeys(
                (start, end) for unit, start, end in units.get(document, ()) if _under(unit, entity, parents)
            )
            passages = passages_of(text, list(spans))
            items.append(ReviewItem(document, entity, external, name, key, passages, score, chance))
        return items


def stratified(
    scores: NDArray[np.int64], n: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw up to ``n`` rows, stratified by score, in random order.

    Parameters
    ----------
    scores
        Predicted bin of each row, the rows in the order over which a stratum's sample is to be spread (by entity).

    Returns
    -------
    rows, probabilities
        Rows drawn and the inclusion probability of each; both of the same length.
    """
    strata = [np.flatnonzero(scores == score) for score in np.unique(scores)]
    sizes = allocate([len(stratum) for stratum in strata], n)
    rows, chances = [], []
    for stratum, size in zip(strata, sizes, strict=True):
        if size:
            # Systematic: every row has the chance size / len(stratum), neighbours are seldom drawn together.
            step = len(stratum) / size
            places = (rng.uniform(0, step) + step * np.arange(size)).astype(np.int64)
            rows.append(stratum[places.clip(max=len(stratum) - 1)])
            chances.append(np.full(size, size / len(stratum)))
    if not rows:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    drawn, known = np.concatenate(rows), np.concatenate(chances)
    order = rng.permutation(len(drawn))
    return drawn[order], known[order]


def allocate(sizes: Sequence[int], n: int) -> list[int]:
    """Share out ``n`` draws over strata of these sizes by their square roots, none over its size.

    What does not come out whole goes to the largest remainders.
    """
    given = [0.0] * len(sizes)
    rest = [i for i, size in enumerate(sizes) if size]
    left = float(min(n, sum(sizes)))
    while rest:
        roots = sum(sizes[i] ** 0.5 for i in rest)
        full = [i for i in rest if left * sizes[i] ** 0.5 / roots >= sizes[i]]
        if not full:
            for i in rest:
                given[i] = left * sizes[i] ** 0.5 / roots
            break
        # A stratum that is drawn whole leaves the others their share of what remains.
        for i in full:
            given[i] = float(sizes[i])
            left -= sizes[i]
        rest = [i for i in rest if i not in full]
    whole = [int(value + 1e-9) for value in given]
    remainders = sorted(range(len(sizes)), key=lambda i: whole[i] - given[i])
    for i in remainders[: min(n, sum(sizes)) - sum(whole)]:
        whole[i] += 1
    return whole


def _same_label() -> ColumnElement[bool]:
    return and_(
        LabelReview.document_id == Stance.document_id,
        LabelReview.entity_id == Stance.entity_id,
        LabelReview.extractor == Stance.extractor,
    )


def _under(unit: int, entity: int, parents: dict[int, int | None]) -> bool:
    """Return whether an opinion on ``unit`` counts for ``entity``: the same, or below it."""
    current: int | None = unit
    seen = set()
    while current is not None and current not in seen:
        if current == entity:
            return True
        seen.add(current)
        current = parents.get(current)
    return False


def passages_of(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Passage, ...]:
    """Return these places of a text with ``CONTEXT`` characters around them, joined where those overlap."""
    groups: list[list[tuple[int, int]]] = []
    for start, end in sorted(spans):
        if groups and start - CONTEXT <= max(last for _, last in groups[-1]) + CONTEXT:
            groups[-1].append((start, end))
        else:
            groups.append([(start, end)])
    return tuple(_passage(text, group) for group in groups)


def _passage(text: str, spans: Sequence[tuple[int, int]]) -> Passage:
    inner, outer = min(start for start, _ in spans), max(end for _, end in spans)
    first, last = max(0, inner - CONTEXT), min(len(text), outer + CONTEXT)
    # Cut at words, where there are any.
    if first > 0:
        first = max(first, text.find(" ", first, inner) + 1)
    if last < len(text):
        space = text.rfind(" ", outer, last)
        last = last if space < 0 else space
    lead = "…" if first > 0 else ""
    shift = first - len(lead)
    shown = f"{lead}{text[first:last]}{'…' if last < len(text) else ''}"
    return Passage(shown, tuple((start - shift, end - shift) for start, end in spans))


__all__ = [
    "CONTEXT",
    "Outcome",
    "Passage",
    "ReviewItem",
    "ReviewStore",
    "ReviewedLabels",
    "Verdict",
    "allocate",
    "passages_of",
    "stratified",
]
