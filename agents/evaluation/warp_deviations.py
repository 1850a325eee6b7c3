"""What differs from WARP's paper in a run of its table, line by line, and how to read the measures."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from agents.choosing import own_options
from agents.evaluation.report import embedder_told
from agents.evaluation.warp_data import STARS, TEMPLATES, WarpCorpus
from agents.evaluation.warp_rows import WarpSettings
from agents.fairness.selection import METHODS

#: k of the paper's table 1.
PUBLISHED_K = 20


def deviations(corpus: WarpCorpus, settings: WarpSettings) -> tuple[str, ...]:
    """Return every line."""
    return (
        *_data(corpus, settings),
        *_methods(corpus, settings),
        *_measures(corpus),
    )


def _data(corpus: WarpCorpus, settings: WarpSettings) -> list[str]:
    lines = [
        "WARP's corpora and labels (a language model's) are not public: this corpus and its extractor stand in",
        corpus.limits.told(len(corpus.entities), corpus.debated, "WARP's bounds"),
        f"questions: {len(TEMPLATES)} of WARP's kinds (breadth, complaints and praise, two segments), worded here for "
        "hotels; guests, New York and California, business travellers and families are asked for of any corpus as they "
        "stand",
        embedder_told(corpus.embedder, "all-MiniLM-L6-v2 in full, on whole reviews")
        + "; a document's relevance is that of its nearest passage, its vector (mmr) the mean of its passages",
    ]
    if settings.k != PUBLISHED_K:
        lines.append(f"k = {settings.k}; the published figures beside it are at k = {PUBLISHED_K}")
    if len(corpus.entities) < 12:
        lines.append(f"{len(corpus.entities)} entities only are debated enough")
    return lines


def _methods(corpus: WarpCorpus, settings: WarpSettings) -> list[str]:
    sizes = sorted({len(entity.rows) for entity in corpus.entities})
    floors = [own_options("balanced", size, settings.k)["relevance_quantile"] for size in sizes]
    lowest, highest = min(floors, default=0.0), max(floors, default=0.0)
    span = f"{highest:.0%}" if lowest == highest else f"{lowest:.0%} to {highest:.0%}"
    return [
        f"by themselves published methods choose among the {settings.nearest} nearest documents (as the paper), ours "
        "and random samples among all of the entity",
        f"random methods: means of {settings.draws} draws an entity, spread over its questions",
        "what the paper leaves open and we chose: the trade-off of relevance and W1 in w1-mmr "
        f"({_default('w1-mmr', 'trade_off'):g}) and wassrank-ot ({_default('wassrank-ot', 'trade_off'):g}), relevance "
        "scaled to 0..1 over the candidates in wassrank-ot, slots by largest remainder, the trade-off of opinion-mmr "
        f"({_default('opinion-mmr', 'trade_off'):g}), bandwidth {_default('dpp', 'bandwidth'):g} and ridge "
        f"{_default('dpp', 'ridge'):g} of dpp with quality exp(relevance); mmr's trade-off "
        f"({_default('mmr', 'trade_off'):g}) is the paper's",
        f"entity-gated candidates: the {settings.nearest} nearest and up to {settings.extra} of the entity's documents "
        "below them, most extreme label first",
        f"adaptive candidates: the {settings.nearest} nearest and, for each opinion bin whose share among those of "
        f"them on the entity is {settings.delta:g} under the population's, the bin's {settings.per_bin} most relevant "
        "documents below them, in place of a query for the bin",
        "the numbers of both expansions are our choice, made before measuring",
        f"balanced is drawn as answers draw it: from all of the entity's documents but the least relevant ({span} of "
        "them left out here, at most half), balanced on bins, author groups, period and length; the ratings, which "
        "answers balance too, are held out",
        "faro and what else goes by position weights weigh every rank alike: nothing is calibrated here",
        f"label-noise check: {settings.noise:.0%} of the labels drawn anew, our choice",
    ]


def _measures(corpus: WarpCorpus) -> list[str]:
    stars = ", ".join(f"{star} = {value:g}" for star, value in STARS.items())
    lines = [
        "labels, and the population that W1 is to, come from the same extractor: compare star W1, which no method sees",
        "W1 counts a chosen document without a view on the entity as neutral; `W1 of views` leaves it out",
        "W2: the same with squared moves, their root: what exact-w2 seeks to make small, at the price that exact puts "
        "on W1",
        f"star W1: stars on the labels' scale as {stars}, our choice; they rate the whole stay, not the entity",
        "intervals: a bootstrap over entities, whose questions are not independent; the paper tests paired questions",
        "ms: the choice alone, candidates and their relevance given",
        "failed: share of the choices that a method could not make; they are left out of its means",
    ]
    if np.isnan(corpus.stars).all():
        lines.append("the corpus has no ratings from 1 to 5: no star W1")
    if corpus.attribute:
        unknown = float((corpus.groups < 0).mean())
        lines.append(
            f"author groups, which the paper has not: {corpus.attribute} ({', '.join(corpus.names)}), the most "
            f"frequent values of the corpus; {unknown:.0%} unknown, left out; answers take the most frequent values of "
            "the entity's own documents"
        )
    else:
        lines.append("no author attribute is known well enough: no author gap")
    return lines


def _default(method: str, option: str) -> Any:
    return inspect.signature(METHODS[method]).parameters[option].default


__all__ = ["PUBLISHED_K", "deviations"]
