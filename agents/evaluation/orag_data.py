"""What O-RAG's tables are measured on: debated entities, questions of seven types, and what each knowledge base finds.

Three knowledge bases on the same documents (O-RAG section 4): ``raw`` (chunks), ``split`` (one text an entity a
document, the ablation of appendix E) and ``enriched`` (the same with its metadata).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.evaluation.limits import Limits
from agents.evaluation.warp_data import STARS
from agents.fairness.distance import histogram
from agents.opinion_dimensions import evidence_kinds, opinion_points
from agents.pools import Groups, OpinionPool, covariates, make_groups, opinion_pool
from agents.state import RagState
from store.errors import NoCandidates, UsageError
from store.fusion import reciprocal_rank_fusion

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BASES: Final = ("raw", "split", "enriched")
RETRIEVALS: Final = ("semantic", "hybrid")
#: Candidates that either ranking of the hybrid search hands to the fusion.
FUSED: Final = 200
#: Type of question -> its words. The paper does not print its 105 questions; these are of its types.
TEMPLATES: Final[tuple[tuple[str, str], ...]] = (
    ("general", "What do people think about the {entity}?"),
    ("experience", "What have people experienced with the {entity}?"),
    ("emotional", "How do people feel about the {entity}?"),
    ("impact", "How much did the {entity} matter to people, for better or worse?"),
    ("complaints", "What do people dislike about the {entity}?"),
    ("praise", "What do people like about the {entity}?"),
    ("difference", "On what do people disagree about the {entity}?"),
)
#: An attribute known for fewer documents than this says nothing of author groups.
_KNOWN: Final = 0.1


@dataclass(frozen=True, eq=False)
class Views:
    """The views on one entity, by place in the corpus.

    Attributes
    ----------
    rows
        Shape (n,): documents that hold one, ascending.
    score, impact
        Shape (n,): sentiment-intensity score (-30 to 30) and impact (10 to 30).
    markers, evidence
        Of length n: emotional markers, and the kind of evidence (empty where none is told).
    """

    rows: Integers
    score: Floats
    impact: Floats
    markers: tuple[tuple[str, ...], ...]
    evidence: tuple[str, ...]

    def points(self) -> Floats:
        """Return the opinions as points in several dimensions (``agents.opinion_dimensions``), shape (n, 5)."""
        return opinion_points(self.score, self.impact, self.evidence)


@dataclass(frozen=True, eq=False)
class Question:
    """A question, the cosine of every document with it, and the places that each knowledge base returns, best first."""

    text: str
    kind: str
    relevance: Floats
    found: Mapping[tuple[str, str], Integers]


@dataclass(frozen=True, eq=False)
class OragEntity:
    """An entity with its views and questions, and the pool that the product chooses from (aligned with the views)."""

    name: str
    views: Views
    questions: tuple[Question, ...]
    pool: OpinionPool

    @property
    def population(self) -> Floats:
        """Shares of the seven bins among its views, shape (7,)."""
        return np.asarray(histogram(self.views.score))


@dataclass(frozen=True, eq=False)
class OragCorpus:
    """The corpus of one evaluation.

    Attributes
    ----------
    ids
        Shape (D,): database ids; a place is an index into it.
    stars
        Shape (D,): the author's own rating on the labels' scale, NaN where there is none from 1 to 5.
    vectors
        Shape (D, d): unit vectors of the documents.
    groups
        The author attributes that are known well enough, over all documents.
    limits, debated
        What was asked of entities, and how many reached it.
    embedder
        What made the vectors.
    """

    name: str
    extractor: str
    ids: Integers
    stars: Floats
    vectors: Floats
    entities: tuple[OragEntity, ...]
    groups: tuple[Groups, ...] = field(default_factory=tuple)
    limits: Limits = field(default_factory=Limits)
    debated: int = 0
    embedder: str = ""

    @property
    def size(self) -> int:
        """Number of documents D."""
        return len(self.ids)


def orag_corpus(context: RagContext, limits: Limits | None = None, *, depth: int = 60) -> OragCorpus:
    """Read an enriched corpus and search its three knowledge bases.

    Parameters
    ----------
    limits
        Which entities are measured.
    depth
        Documents that each search returns.

    Raises
    ------
    UsageError
        The corpus has no split-only knowledge base.
    NoCandidates
        No entity is debated enough.
    """
    asked = limits or Limits()
    corpus, searcher = context.corpus, context.searcher
    if not len(searcher.vectors(corpus.id, "split").document_ids):
        raise UsageError(
            f"the corpus `{corpus.name}` has no split-only knowledge base", "run `evenhand enrich --split`"
        )
    units = searcher.vectors(corpus.id)
    ids = units.document_ids
    chosen = []
    for entity in context.entities():
        key = context.entity_ids()[entity.key]
        pool = opinion_pool(context, cast(RagState, {"entity_ids": [key], "route": {}}))
        if len(pool.stances) < asked.mentions:
            continue
        # The ratings are what the choice is judged by.
        pool = replace(pool, covariates=covariates(pool.stances, ratings=False))
        views = _views(context, key, pool, ids)
        if asked.debated(views.score):
            chosen.append((entity.name, views, pool))
    if not chosen:
        raise NoCandidates(
            f"no entity of `{corpus.name}` has {asked.bounds()}",
            "use a larger corpus, or a smaller --mentions",
        )
    chosen.sort(key=lambda each: (-len(each[1].rows), each[0]))
    entities = tuple(
        OragEntity(
            name,
            views,
            tuple(_question(context, name, place, depth) for place in range(len(TEMPLATES))),
            pool,
        )
        for name, views, pool in chosen[: asked.most]
    )
    documents = context.repository.documents([int(i) for i in ids])
    stars = [documents[int(i)].rating for i in ids]
    values: dict[str, list[str]] = {}
    for place, document in enumerate(ids):
        for name, value in documents[int(document)].attributes.items():
            values.setdefault(name, [""] * len(ids))[place] = value
    made = [make_groups(name, tuple(column)) for name, column in sorted(values.items())]
    sums = np.add.reduceat(units.matrix.astype(np.float64), units.first_row, axis=0)
    return OragCorpus(
        corpus.name,
        context.extractor,
        ids,
        np.array([np.nan if star is None else STARS.get(round(star), np.nan) for star in stars]),
        sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12),
        entities,
        tuple(groups for groups in made if len(groups.names) > 1 and 1 - groups.unknown >= _KNOWN),
        asked,
        len(chosen),
        searcher.fingerprint,
    )


def named(groups: Groups) -> Groups:
    """Return the groups without the one that collects rare values: it is no category to cover."""
    rest = groups.rest
    if rest < 0:
        return groups
    codes = np.where(groups.codes == rest, -1, groups.codes)
    return Groups(
        groups.attribute,
        tuple(groups.names[code] for code in groups.named),
        codes - (codes > rest),
        np.delete(groups.shares, rest),
        groups.unknown,
    )


def _views(context: RagContext, entity_id: int, pool: OpinionPool, ids: Integers) -> Views:
    stances = pool.stances
    held = stances.document_ids
    found = context.opinions.quotes(held.tolist(), context.with_descendants([entity_id]), context.extractor)
    markers: dict[int, set[str]] = {}
    for unit in found:
        markers.setdefault(unit.document_id, set()).update(unit.markers)
    return Views(
        np.searchsorted(ids, held),
        stances.scores.astype(np.float64),
        stances.impacts.astype(np.float64),
        tuple(tuple(sorted(markers.get(document, ()))) for document in held.tolist()),
        tuple(evidence_kinds(held.tolist(), found)),
    )


def _question(context: RagContext, entity: str, place: int, depth: int) -> Question:
    kind, template = TEMPLATES[place]
    text = template.format(entity=entity)
    corpus, searcher = context.corpus.id, context.searcher
    query = searcher.embed_query(text)
    ids = searcher.vectors(corpus).document_ids
    found = {}
    for base in BASES:
        near = searcher.exact(corpus, query, max(depth, FUSED), kind=base).document_ids
        words = searcher.lexical(corpus, text, max(depth, FUSED), base).document_ids
        fused = [document for document, _ in reciprocal_rank_fusion([near, words])]
        for retrieval, ranked in (("semantic", near), ("hybrid", fused)):
            found[base, retrieval] = np.searchsorted(ids, np.asarray(ranked[:depth], dtype=np.int64))
    return Question(text, kind, searcher.similarities(corpus, query, ids), found)


__all__ = [
    "BASES",
    "RETRIEVALS",
    "TEMPLATES",
    "OragCorpus",
    "OragEntity",
    "Question",
    "Views",
    "named",
    "orag_corpus",
]
