"""``evaluate orag``: O-RAG's tables 2 to 4 and its ablations, with the product's own selection beside them.

The raw, the split-only and the enriched knowledge base are searched by meaning and by meaning and words; ours chooses
among all documents that hold a view on the entity. All are judged by the same measures, at k = 10, 20, 40 and 60.

Full size::

    evenhand evaluate orag --data DIR --cache FOLDER --reviews 1200
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from agents.choosing import own_options
from agents.evaluation.orag_data import BASES, RETRIEVALS, Integers, OragCorpus, OragEntity, Question, named
from agents.evaluation.report_kept import Kept, key_of
from agents.fairness.coverage import entity_match_rate, evidence_coverage, group_coverage, marker_count
from agents.fairness.distance import histogram, sigma, w1_bins
from agents.fairness.pool import Pool
from agents.fairness.recommendation import recommended_method
from agents.fairness.selection import METHODS, RANDOM_METHODS
from agents.opinion_dimensions import dimension_distance
from agents.pools import fairness_pool

#: Measure -> value, of one choice.
Measures = dict[str, float]
#: Method -> k -> one dict of measures a question.
Found = dict[str, dict[int, list[Measures]]]
Progressed = Callable[[str, int, int], None]

OURS: Final = "ours"
EXACT: Final = "ours, exact"
RANDOM: Final = "random of the entity"
MMR: Final = "MMR on raw"
MEASURES: Final = (
    "entity match",
    "sigma",
    "impact sigma",
    "markers",
    "evidence",
    "W1",
    "W1 of views",
    "star W1",
    "W2",
    "coverage",
    "coverage matched",
    "author gap",
    "relevance kept",
)


@dataclass(frozen=True, slots=True)
class OragSettings:
    """What is run.

    Attributes
    ----------
    sizes
        Documents chosen, the paper's k.
    draws
        Draws of a random method a question; their mean counts.
    nearest
        Nearest documents that MMR chooses from.
    """

    sizes: tuple[int, ...] = (10, 20, 40, 60)
    draws: int = 20
    nearest: int = 200
    seed: int = 0


def label(base: str, retrieval: str) -> str:
    """Return the name of a knowledge base under one way of searching it."""
    return f"{'split only' if base == 'split' else base}, {retrieval}"


def methods() -> tuple[str, ...]:
    """Return the names of what is compared, in the order of the tables."""
    searched = tuple(label(base, retrieval) for retrieval in RETRIEVALS for base in BASES)
    return (*searched, MMR, RANDOM, EXACT, OURS)


def measure(
    corpus: OragCorpus,
    settings: OragSettings,
    kept: Kept | None = None,
    progress: Progressed = lambda what, done, total: None,
) -> list[Found]:
    """Measure every method on every question, entity by entity; entities that ``kept`` holds are not measured again."""
    kept = kept or Kept()
    found = []
    for done, entity in enumerate(corpus.entities):
        progress("O-RAG", done, len(corpus.entities))
        views = [entity.views.rows.tolist(), entity.views.score.tolist(), corpus.stars.tolist()]
        ranked = [
            [each.text, each.relevance.tolist(), *(places.tolist() for places in each.found.values())]
            for each in entity.questions
        ]
        key = key_of("orag/2", corpus.name, corpus.extractor, entity.name, views, ranked, asdict(settings))
        if key not in kept:
            kept.put(key, _entity(corpus, entity, settings))
        found.append({name: {int(k): rows for k, rows in by_k.items()} for name, by_k in kept[key].items()})
    progress("O-RAG", len(corpus.entities), len(corpus.entities))
    return found


def judge(corpus: OragCorpus, entity: OragEntity, question: Question, places: Integers) -> Measures:
    """Judge the documents at these places by O-RAG's measures (section 5.1).

    A document without a view on the entity counts as neutral and without impact in ``sigma``, ``impact sigma`` and
    ``W1``; ``W1 of views`` and ``W2`` leave it out. ``W2`` is over sentiment-intensity, impact and kind of evidence.
    """
    views = entity.views
    where = np.searchsorted(views.rows, places).clip(max=len(views.rows) - 1)
    matched = views.rows[where] == places
    held = where[matched]
    score = np.where(matched, views.score[where], 0.0)
    top = np.sort(question.relevance)[::-1][: len(places)].sum()
    stars, own = corpus.stars[places], corpus.stars[views.rows]
    stars, own = stars[~np.isnan(stars)], own[~np.isnan(own)]
    rated = bool(stars.size and own.size)
    nothing = float("nan")
    return {
        "entity match": entity_match_rate(matched),
        "sigma": sigma(score),
        "impact sigma": sigma(np.where(matched, views.impact[where], 0.0)),
        "markers": float(marker_count(views.markers[i] for i in held)),
        "evidence": evidence_coverage(views.evidence[i] for i in held),
        "W1": w1_bins(histogram(score), entity.population),
        "W1 of views": w1_bins(histogram(views.score[held]), entity.population) if held.size else nothing,
        "star W1": w1_bins(histogram(stars), histogram(own)) if rated else nothing,
        "W2": dimension_distance(views.points(), held),
        "relevance kept": float(question.relevance[places].sum() / top) if top > 0 else nothing,
        **_authors(corpus, entity, places, matched),
    }


def choose(entity: OragEntity, question: Question, method: str, k: int, rng: np.random.Generator) -> Integers:
    """Return the places that the product's ``method`` chooses for a question, by its own pool and defaults."""
    rows = entity.views.rows
    problem, _ = fairness_pool(entity.pool, question.relevance[rows], "")
    return np.asarray(rows[METHODS[method](problem, k, rng, **own_options(method, len(rows), k)).indices])


def _entity(
    corpus: OragCorpus, entity: OragEntity, settings: OragSettings
) -> dict[str, dict[str, list[Measures]]]:
    found: dict[str, dict[str, list[Measures]]] = {
        name: {str(k): [] for k in settings.sizes} for name in methods()
    }
    for place, question in enumerate(entity.questions):
        rng = np.random.default_rng([settings.seed, len(entity.views.rows), place])
        near = np.argsort(-question.relevance, kind="stable")[: settings.nearest]
        wide = Pool(
            relevance=question.relevance[near],
            score=np.zeros(len(near)),
            population=entity.population,
            vectors=corpus.vectors[near],
        )
        for k in settings.sizes:
            for (base, retrieval), places in question.found.items():
                judged = judge(corpus, entity, question, places[:k])
                found[label(base, retrieval)][str(k)].append(judged)
            mmr = near[METHODS["mmr"](wide, k, rng).indices]
            found[MMR][str(k)].append(judge(corpus, entity, question, mmr))
            for name, method in ((RANDOM, "random"), (EXACT, "exact"), (OURS, recommended_method(k))):
                draws = settings.draws if method in RANDOM_METHODS else 1
                picked = (choose(entity, question, method, k, rng) for _ in range(draws))
                found[name][str(k)].append(_mean([judge(corpus, entity, question, each) for each in picked]))
    return found


def _authors(
    corpus: OragCorpus, entity: OragEntity, places: Integers, matched: np.ndarray
) -> Mapping[str, float]:
    """Return coverage overall and among entity-matched, mean over the author attributes, and the largest gap."""
    overall, among, gaps = [], [], []
    for groups in map(named, corpus.groups):
        codes = groups.codes[entity.views.rows]
        counts = np.bincount(codes[codes >= 0], minlength=len(groups.names))
        if counts.sum() == 0:
            continue
        seen = group_coverage(groups.codes[places], counts, matched)
        overall.append(seen.coverage)
        among.append(seen.matched_coverage)
        gaps.append(seen.largest_gap)
    return {
        "coverage": float(np.mean(overall)) if overall else float("nan"),
        "coverage matched": float(np.mean(among)) if among else float("nan"),
        "author gap": float(np.max(gaps)) if gaps and not np.isnan(gaps).all() else float("nan"),
    }


def _mean(found: list[Measures]) -> Measures:
    return {
        name: float(np.mean(known))
        if (known := [m[name] for m in found if m[name] == m[name]])
        else float("nan")
        for name in MEASURES
    }


__all__ = [
    "EXACT",
    "MEASURES",
    "MMR",
    "OURS",
    "RANDOM",
    "Found",
    "Measures",
    "OragSettings",
    "choose",
    "judge",
    "label",
    "measure",
    "methods",
]
