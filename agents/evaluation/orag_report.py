"""O-RAG's tables and plots out of what :mod:`agents.evaluation.orag` measured, the published figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.orag import (
    EXACT,
    MEASURES,
    MMR,
    OURS,
    RANDOM,
    OragSettings,
    label,
    methods,
)
from agents.evaluation.orag_data import BASES, FUSED, RETRIEVALS, OragCorpus
from agents.evaluation.orag_measured import Measured
from agents.evaluation.orag_measured import measured as measured_of
from agents.evaluation.orag_published import by_extractor, by_retrieval, by_type, published
from agents.evaluation.orag_tests import compare, false_discovery, verdict
from agents.evaluation.report import (
    EvaluationReport,
    Plot,
    Point,
    Series,
    Source,
    Table,
    embedder_told,
    versions,
)
from agents.evaluation.report_kept import Kept
from agents.evaluation.warp_data import STARS
from agents.fairness.distance import sentiment_entropy

Floats = NDArray[np.float64]

#: Measures that are tested, and whether less is better.
_TESTED: Final = {
    "W1": True,
    "W1 of views": True,
    "star W1": True,
    "W2": True,
    "sigma": False,
    "markers": False,
    "evidence": False,
    "coverage": False,
    "coverage matched": False,
}
Progressed = Callable[[str, int, int], None]


def orag_report(
    corpora: Sequence[OragCorpus],
    settings: OragSettings | None = None,
    *,
    kept: Kept | None = None,
    more: Sequence[Table] = (),
    plots: Sequence[Plot] = (),
    notes: Sequence[str] = (),
    progress: Progressed = lambda what, done, total: None,
) -> EvaluationReport:
    """Measure a corpus and return O-RAG's tables.

    Parameters
    ----------
    corpora
        The same documents by one extractor each; the first one's labels are used in all tables but "by extractor".
    kept
        Where measured entities are kept, so that an interrupted run continues.
    more, plots, notes
        Tables, plots and deviations of what goes on from the retrieved documents (generation fidelity).
    """
    chosen = settings or OragSettings()
    first = corpora[0]
    measured = [measured_of(corpus, chosen, kept, progress) for corpus in corpora]
    main = measured[0]
    shown = 20 if 20 in chosen.sizes else chosen.sizes[-1]
    tables = [
        _entities(first),
        *(_means(main, k) for k in chosen.sizes),
        _by_k(main, chosen.sizes, "W1"),
        _by_k(main, chosen.sizes, "star W1"),
        _by_k(main, chosen.sizes, "coverage matched"),
        *_tests(main, chosen.sizes),
        published(main, shown),
        by_retrieval(main, shown),
        by_type(main, shown),
        by_extractor(corpora, measured, shown),
        *more,
    ]
    drawn = (
        _plot(main, chosen.sizes, "W1", "W1 to the population, labels", "lower is nearer to the population"),
        _plot(
            main,
            chosen.sizes,
            "star W1",
            "W1 to the population, authors' ratings",
            "no method sees the ratings",
        ),
        _plot(
            main,
            chosen.sizes,
            "coverage matched",
            "author groups covered among entity-matched documents",
            "share of the author categories that are present",
        ),
        *plots,
    )
    source = Source(first.name, first.size, f"documents, labels by {first.extractor}")
    asked = Source(first.name, len(main.kinds), f"questions on {len(first.entities)} entities")
    deviations = (*_deviations(first, chosen), *notes)
    drawn_with_data = tuple(plot for plot in drawn if any(series.points for series in plot.series))
    return EvaluationReport(
        "orag",
        chosen.seed,
        (source, asked),
        tuple(tables),
        deviations,
        versions(),
        drawn_with_data,
        _summary(main, chosen.sizes, shown),
    )


def _summary(measured: Measured, sizes: Sequence[int], k: int) -> tuple[str, ...]:
    """Say in a few sentences what the tables show, whichever way it went."""

    def listed(name: str, digits: int) -> str:
        named = [(label(base, "hybrid"), base if base != "split" else "split only") for base in BASES]
        values = [(shown, measured.mean(method, k, name)) for method, shown in (*named, (OURS, "ours"))]
        return ", ".join(f"{shown} {value:.{digits}f}" for shown, value in values)

    others = [label(base, retrieval) for retrieval in RETRIEVALS for base in BASES]
    lowest = [
        all(measured.mean(OURS, k, "W1") < measured.mean(other, k, "W1") for other in others) for k in sizes
    ]
    lines = [
        f"W1 of the labels to the population at k = {k}, hybrid search: {listed('W1', 2)}; ours is the lowest of "
        f"all at {sum(lowest)} of {len(lowest)} k."
    ]
    if not np.isnan(measured.mean(OURS, k, "star W1")):
        lines.append(f"On the authors' own ratings, which no method sees: {listed('star W1', 2)}.")
    if not np.isnan(measured.mean(OURS, k, "coverage matched")):
        lines.append(
            f"Author groups covered among entity-matched documents: {listed('coverage matched', 2)}."
        )
    return tuple(lines)


def _entities(corpus: OragCorpus) -> Table:
    rows = tuple(
        (
            entity.name,
            len(entity.views.rows),
            float(sentiment_entropy(entity.views.score)),
            float(min((entity.views.score < 0).mean(), (entity.views.score > 0).mean())),
            len(entity.questions),
        )
        for entity in corpus.entities
    )
    return Table("entities", ("entity", "documents", "entropy", "smaller side", "questions"), rows)


def _means(measured: Measured, k: int) -> Table:
    rows: list[tuple[Any, ...]] = [
        (name, *(measured.mean(name, k, each) for each in MEASURES)) for name in methods()
    ]
    return Table(f"O-RAG's measures at k = {k}", ("method", *MEASURES), tuple(rows))


def _by_k(measured: Measured, sizes: Sequence[int], name: str) -> Table:
    columns = ["method", *(f"k = {k}{end}" for k in sizes for end in ("", " low", " high"))]
    rows: list[tuple[Any, ...]] = [
        (method, *(cell for k in sizes for cell in measured.interval(method, k, name)))
        for method in methods()
    ]
    return Table(
        f"{name} over k, with intervals over entities",
        tuple(columns),
        tuple(rows),
        ("95 % intervals from a bootstrap over entities",),
    )


def _tests(measured: Measured, sizes: Sequence[int]) -> list[Table]:
    """Return one table a measure; q values are over all tests of all tables."""
    listed: list[tuple[str, str, int, Any]] = []
    for name in _TESTED:
        for retrieval in RETRIEVALS:
            for base in BASES:
                other = label(base, retrieval)
                for k in sizes:
                    pair = (measured.values(OURS, k, name), measured.values(other, k, name))
                    listed.append((name, other, k, compare(*pair, measured.clusters, measured.seed)))
    corrected = false_discovery([found.bootstrap for *_, found in listed])
    tables = []
    for name, less in _TESTED.items():
        rows = tuple(
            (
                f"{other}, k = {k}",
                found.difference,
                found.low,
                found.high,
                found.wilcoxon,
                found.bootstrap,
                float(q),
                verdict(found.difference, float(q), lower_is_better=less),
            )
            for (each, other, k, found), q in zip(listed, corrected, strict=True)
            if each == name and found.pairs
        )
        if rows:
            columns = (
                "ours against",
                "difference",
                "low",
                "high",
                "Wilcoxon p",
                "bootstrap p",
                "q",
                "ours is",
            )
            words = f"q: Benjamini and Hochberg over all {len(listed)} bootstrap tests; verdict at q = .05"
            better = "negative: ours is lower, which is better" if less else "positive: ours is higher"
            tables.append(Table(f"ours against each knowledge base: {name}", columns, rows, (better, words)))
    return tables


def _plot(measured: Measured, sizes: Sequence[int], name: str, y: str, note: str) -> Plot:
    series = []
    for method in (*(label(base, "hybrid") for base in BASES), RANDOM, EXACT, OURS):
        points = []
        for k in sizes:
            mean, low, high = measured.interval(method, k, name)
            if not np.isnan(mean):
                points.append(Point(float(k), mean, low, high))
        series.append(Series(method, tuple(points), ours=method == OURS))
    return Plot(f"{name} over k", "line", "documents retrieved (k)", y, tuple(series), note)


def _deviations(corpus: OragCorpus, settings: OragSettings) -> tuple[str, ...]:
    stars = ", ".join(f"{star} = {value:g}" for star, value in STARS.items())
    lines = [
        "O-RAG's forums, its hotel sample and its language-model labels are not public: this corpus and its extractor "
        "stand in, and its questions, which the paper does not print, are of its types",
        corpus.limits.told(
            len(corpus.entities), corpus.debated, "the paper asks entropy 0.6 alone; WARP's bounds"
        ),
        embedder_told(corpus.embedder, "Titan Text Embeddings V2, in chunks of 4,000 tokens")
        + "; a document's relevance is that of its nearest passage",
        f"hybrid: reciprocal rank fusion of the {FUSED} nearest and the {FUSED} best by words (BM25)",
        f"{MMR}: among the {settings.nearest} nearest documents, relevance and novelty weighing alike",
        "labels, and the population that W1 is to, come from the same extractor: compare star W1, which no method sees",
        "k distinct source documents are taken from each knowledge base (its best text ranks a document), so that all "
        "are judged on as many authors; the paper counts per-entity texts",
        "a document without a view on the entity counts as neutral and without impact in sigma, impact sigma and W1; "
        "W1 of views and W2 leave it out",
        "W2 is over sentiment-intensity, impact and kind of evidence, by POT's exact solver",
        "ours is the product's default for k; it and the random samples choose among all documents with a view on the "
        f"entity; random methods: means of {settings.draws} draws a question",
        "the sample `balanced` balances opinions, author groups, period and length; ratings, which answers balance "
        "too, are held out",
        f"star W1: stars on the labels' scale as {stars}, our choice; they rate the whole stay, not the entity",
        "intervals and q values: a bootstrap over entities, whose questions are not independent; the paper tests "
        "paired questions",
    ]
    if np.isnan(corpus.stars).all():
        lines.append("the corpus has no ratings from 1 to 5: no star W1")
    if corpus.groups:
        known = "; ".join(f"{each.attribute}: {each.unknown:.0%} unknown" for each in corpus.groups)
        lines.append(
            f"author attributes as given, the five largest values as categories, unknown left out ({known})"
        )
    else:
        lines.append("no author attribute is known well enough: no author coverage")
    if max(settings.sizes) > min(len(entity.views.rows) for entity in corpus.entities):
        lines.append("the smallest entities have fewer documents than the largest k: there all are taken")
    return tuple(lines)


__all__ = ["orag_report"]
