"""The tables of O-RAG's evaluation that stand beside published figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from agents.evaluation.orag import OURS, label
from agents.evaluation.orag_data import BASES, RETRIEVALS, TEMPLATES, OragCorpus
from agents.evaluation.orag_measured import Measured
from agents.evaluation.orag_tests import compare
from agents.evaluation.report import Table

#: O-RAG table 2 (forums, hybrid, k = 20): measure -> raw, enriched.
PUBLISHED: Final = {
    "entity match": (0.248, 0.354),
    "sigma": (9.12, 11.56),
    "impact sigma": (10.55, 12.08),
    "markers": (7.2, 8.9),
    "evidence": (0.443, 0.464),
    "W1": (8.87, 7.24),
    "coverage": (0.783, 0.681),
}
_PUBLISHED_NAMES: Final = {"coverage": "revenue band; tenure .812 to .756"}
#: O-RAG appendix L, in per cent of the raw knowledge base: author coverage among entity-matched documents.
_PUBLISHED_MATCHED: Final = "revenue band +9.6 %, tenure +31.6 %"
#: O-RAG section 5.3: change of sigma by type of question, and by retrieval, in per cent.
_PUBLISHED_TYPES: Final = {"impact": 38.9, "emotional": 34.1, "experience": 6.2}
_PUBLISHED_RETRIEVAL: Final = {"semantic": 21.4, "hybrid": 26.8}
_PUBLISHED_EXTRACTORS: Final = (("Mistral Large", 24.2), ("Qwen 235B", 27.4), ("Claude Sonnet 4.5", 26.8))


def published(measured: Measured, k: int) -> Table:
    """Return what enrichment changes, the paper's change beside it."""
    raw, enriched = label("raw", "hybrid"), label("enriched", "hybrid")
    rows = []
    for name in (*PUBLISHED, "coverage matched"):
        before, after = measured.mean(raw, k, name), measured.mean(enriched, k, name)
        tested = compare(measured.values(enriched, k, name), measured.values(raw, k, name), measured.clusters)
        theirs = PUBLISHED.get(name, (None, None))
        own = percent(before, after)
        said = percent(*theirs) if theirs[0] and theirs[1] else None
        agree = "-" if said is None else "same direction" if own * said > 0 else "other direction"
        if name == "coverage matched":
            agree = "same direction" if own > 0 else "other direction"
        rows.append((name, before, after, own, tested.wilcoxon, *theirs, said, agree))
    columns = (
        "measure",
        "raw",
        "enriched",
        "change %",
        "Wilcoxon p",
        "raw, published",
        "enriched, published",
        "change %, published",
        "agrees",
    )
    notes = (
        "published: O-RAG table 2 and 3, seller forums, 48 questions; hotels (OpinioBank) W1 -24 to -48 %",
        f"coverage, published: {_PUBLISHED_NAMES['coverage']}; coverage matched, published: {_PUBLISHED_MATCHED}",
    )
    return Table(f"enriched against raw beside the paper, hybrid, k = {k}", columns, tuple(rows), notes)


def by_retrieval(measured: Measured, k: int) -> Table:
    """Return sigma and W1 by way of searching."""
    rows = []
    for retrieval in RETRIEVALS:
        means = [measured.mean(label(base, retrieval), k, "sigma") for base in BASES]
        distance = [measured.mean(label(base, retrieval), k, "W1") for base in BASES]
        change = percent(means[0], means[-1])
        rows.append((retrieval, *means, change, _PUBLISHED_RETRIEVAL[retrieval], *distance))
    columns = (
        "retrieval",
        "sigma, raw",
        "sigma, split only",
        "sigma, enriched",
        "change %",
        "change %, published",
        "W1, raw",
        "W1, split only",
        "W1, enriched",
    )
    return Table(f"by retrieval, k = {k}", columns, tuple(rows), ("change: enriched against raw",))


def by_type(measured: Measured, k: int) -> Table:
    """Return sigma, W1 and star W1 by type of question."""
    raw, enriched = label("raw", "hybrid"), label("enriched", "hybrid")
    rows = []
    for kind, _ in TEMPLATES:
        mean = partial(measured.mean, k=k, kind=kind)
        before, after = mean(raw, name="sigma"), mean(enriched, name="sigma")
        rows.append(
            (
                kind,
                before,
                after,
                percent(before, after),
                _PUBLISHED_TYPES.get(kind),
                mean(raw, name="W1"),
                mean(label("split", "hybrid"), name="W1"),
                mean(enriched, name="W1"),
                mean(OURS, name="W1"),
                mean(raw, name="star W1"),
                mean(OURS, name="star W1"),
            )
        )
    columns = (
        "type of question",
        "sigma, raw",
        "sigma, enriched",
        "change %",
        "change %, published",
        "W1, raw",
        "W1, split only",
        "W1, enriched",
        "W1, ours",
        "star W1, raw",
        "star W1, ours",
    )
    words = tuple(f"{kind}: {text.format(entity='…')}" for kind, text in TEMPLATES)
    return Table(f"by type of question, hybrid, k = {k}", columns, tuple(rows), words)


def by_extractor(corpora: Sequence[OragCorpus], measured: Sequence[Measured], k: int) -> Table:
    """Return sigma by whose labels it is."""
    rows: list[tuple[Any, ...]] = []
    for corpus, each in zip(corpora, measured, strict=True):
        means = [each.mean(label(base, "hybrid"), k, "sigma") for base in BASES]
        rows.append((corpus.extractor, *means, each.mean(OURS, k, "sigma"), percent(means[0], means[-1])))
    rows += [(f"{name}, published", None, None, None, None, change) for name, change in _PUBLISHED_EXTRACTORS]
    columns = ("extractor", "raw", "split only", "enriched", "ours", "change %")
    return Table(
        f"sigma by extractor, hybrid, k = {k}", columns, tuple(rows), ("change: enriched against raw",)
    )


def percent(before: float | None, after: float | None) -> float:
    """Return the change in per cent, NaN where there is none."""
    if before is None or after is None or not before:
        return float("nan")
    return 100 * (after / before - 1)


__all__ = ["PUBLISHED", "by_extractor", "by_retrieval", "by_type", "percent", "published"]
