"""What WARP's table is measured on: a corpus' debated entities, with labels, relevance, stars and author groups.

Entities as in WARP, within the bounds of :class:`agents.evaluation.limits.Limits`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.evaluation.limits import Limits
from agents.fairness.distance import histogram, sentiment_entropy
from agents.fairness.pool import Pool
from agents.pools import covariates, make_groups
from store.errors import NoCandidates

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: WARP's six questions an entity and the side that each asks for: breadth, polar, two segments.
TEMPLATES: Final[tuple[tuple[str, int], ...]] = (
    ("What do guests think about {entity}?", 0),
    ("Summarize guest opinions on {entity}.", 0),
    ("What are the biggest complaints about {entity}?", -1),
    ("What are the most positive experiences with {entity}?", 1),
    ("How do guests from New York and guests from California differ on {entity}?", 0),
    ("Compare what business travellers and families say about {entity}.", 0),
)
#: Stars on the scale of the labels.
STARS: Final = {1: -30.0, 2: -20.0, 3: 0.0, 4: 20.0, 5: 30.0}
#: An attribute known for fewer documents than this says nothing of author groups.
_KNOWN: Final = 0.1


@dataclass(frozen=True, eq=False)
class WarpEntity:
    """An entity: the documents with a view on it.

    Attributes
    ----------
    rows
        Shape (n,): places in the corpus, ascending.
    score
        Shape (n,): label of each, -30 to 30.
    relevance
        Shape (templates, D): cosine of every document with every question.
    covariates
        Shape (n, c): what ``balanced`` balances besides opinions and authors, the ratings held out; None for nothing.
    """

    name: str
    rows: Integers
    score: Floats
    relevance: Floats
    covariates: Floats | None = None

    @property
    def minority(self) -> float:
        """Share of the smaller side among all its documents."""
        return float(min((self.score < 0).mean(), (self.score > 0).mean()))

    @property
    def entropy(self) -> float:
        """Normalised entropy of its labels."""
        return float(sentiment_entropy(self.score))


@dataclass(frozen=True, eq=False)
class WarpCorpus:
    """The corpus of one evaluation.

    Attributes
    ----------
    vectors
        Shape (D, d): unit vectors of the documents (normalised mean of their passages).
    stars
        Shape (D,): star rating on the labels' scale; NaN where there is none from 1 to 5.
    attribute, groups, names
        The author attribute that is known best, the group of every document (-1 unknown), the groups' names; ``""``,
        all -1 and none where no attribute is known.
    limits, debated
        What was asked of entities, and how many reached it.
    embedder
        What made the vectors.
    """

    name: str
    extractor: str
    vectors: Floats
    stars: Floats
    entities: tuple[WarpEntity, ...]
    attribute: str = ""
    groups: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    names: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    debated: int = 0
    embedder: str = ""

    @property
    def size(self) -> int:
        """Number of documents D."""
        return len(self.stars)


@dataclass(frozen=True, eq=False)
class Task:
    """One question on one entity, ready for the methods.

    Attributes
    ----------
    pool
        All documents of the corpus; ``matched`` are the entity's, of the side asked for where the rule is on.
    stars
        Shape (D,).
    own
        Places of the matched documents.
    """

    pool: Pool
    stars: Floats
    own: Integers


def warp_corpus(context: RagContext, limits: Limits | None = None) -> WarpCorpus:
    """Read an enriched corpus; ``limits`` says which entities are measured.

    Raises
    ------
    NoCandidates
        No entity is debated enough.
    """
    asked = limits or Limits()
    corpus, searcher = context.corpus, context.searcher
    units = searcher.vectors(corpus.id)
    ids = units.document_ids
    place = {int(document): row for row, document in enumerate(ids)}
    entity_ids = context.entity_ids()
    debated: list[WarpEntity] = []
    for entity in context.entities():
        pool = context.opinions.pool(corpus, [entity_ids[entity.key]], context.extractor)
        held = np.array([int(i) in place for i in pool.document_ids], dtype=bool)
        score = pool.scores[held].astype(np.float64)
        if not asked.debated(score):
            continue
        rows = np.array([place[int(i)] for i in pool.document_ids[held]])
        # The ratings are what the choice is judged by.
        known = covariates(pool, ratings=False)
        own = None if known is None else known[held]
        debated.append(WarpEntity(entity.name, rows, score, np.empty((0, 0)), own))
    if not debated:
        raise NoCandidates(
            f"no entity of `{corpus.name}` has {asked.bounds()}",
            "use a larger corpus, or a smaller --mentions",
        )
    debated.sort(key=lambda each: (-len(each.rows), each.name))
    entities = []
    for each in debated[: asked.most]:
        queries = [searcher.embed_query(template.format(entity=each.name)) for template, _ in TEMPLATES]
        relevance = np.stack([searcher.similarities(corpus.id, query, ids) for query in queries])
        entities.append(replace(each, relevance=relevance))
    documents = context.repository.documents([int(i) for i in ids])
    stars = np.array([_star(documents[int(i)].rating) for i in ids])
    found = WarpCorpus(
        corpus.name,
        context.extractor,
        _document_vectors(units.matrix.astype(np.float64), units.first_row),
        stars,
        tuple(entities),
        groups=np.full(len(ids), -1, dtype=np.int64),
        limits=asked,
        debated=len(debated),
        embedder=searcher.fingerprint,
    )
    by_attribute: dict[str, list[str]] = {}
    for row, document in enumerate(ids):
        for name, value in documents[int(document)].attributes.items():
            by_attribute.setdefault(name, [""] * len(ids))[row] = value
    made = [make_groups(name, tuple(values)) for name, values in sorted(by_attribute.items())]
    made = [groups for groups in made if len(groups.names) > 1 and 1 - groups.unknown >= _KNOWN]
    if not made:
        return found
    best = min(made, key=lambda groups: (groups.unknown, groups.attribute))
    return replace(found, attribute=best.attribute, groups=best.codes, names=best.names)


def task(corpus: WarpCorpus, entity: WarpEntity, template: int, *, one_side: bool) -> Task | None:
    """Return the question ``template`` on an entity; None where the side asked for has no document.

    ``one_side``: a question for complaints or praise has the population of that side.
    """
    side = TEMPLATES[template][1] if one_side else 0
    kept = np.ones(len(entity.rows), bool) if not side else np.sign(entity.score) == side
    own = entity.rows[kept]
    if not len(own):
        return None
    score, matched = np.zeros(corpus.size), np.zeros(corpus.size, bool)
    score[entity.rows] = entity.score
    matched[own] = True
    extra = None
    if entity.covariates is not None:
        extra = np.zeros((corpus.size, entity.covariates.shape[1]))
        extra[entity.rows] = entity.covariates
    groups, shares = {}, {}
    known = corpus.groups[own][corpus.groups[own] >= 0]
    if corpus.attribute and len(known):
        groups[corpus.attribute] = corpus.groups.astype(np.intp)
        shares[corpus.attribute] = np.bincount(known, minlength=len(corpus.names)) / len(known)
    pool = Pool(
        relevance=entity.relevance[template],
        score=score,
        population=histogram(score[own]),
        matched=matched,
        vectors=corpus.vectors,
        groups=groups,
        group_shares=shares,
        covariates=extra,
    )
    return Task(pool, corpus.stars, own)


def _document_vectors(units: Floats, first: Integers) -> Floats:
    sums = np.add.reduceat(units, first, axis=0)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12))


def _star(rating: float | None) -> float:
    return float("nan") if rating is None else STARS.get(round(rating), float("nan"))


__all__ = ["STARS", "TEMPLATES", "Task", "WarpCorpus", "WarpEntity", "task", "warp_corpus"]
