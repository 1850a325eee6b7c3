"""O-RAG's tables and plots out of what :mod:`agents.evaluation.orag` measured, the published figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.orag import (
    EXACT,
    MEASURES,
    OURS,
    RANDOM,
    Found,
    OragSettings,
    label,
    measure,
    methods,
)
from agents.evaluation.orag_data import BASES, RETRIEVALS, TEMPLATES, OragCorpus
from agents.evaluation.orag_tests import cluster_bootstrap, compare, false_discovery, verdict
from agents.evaluation.report import EvaluationReport, Plot, Point, Series, Source, Table, versions
from agents.evaluation.report_kept import Kept
from agents.fairness.distance import sentiment_entropy

Floats = NDArray[np.float64]

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


@dataclass(frozen=True, eq=False)
class Measured:
    """All questions of one corpus: the measure of every method, and the entity and type of each question."""

    found: list[Found]
    clusters: NDArray[np.int64]
    kinds: tuple[str, ...]
    seed: int

    def values(self, method: str, k: int, name: str) -> Floats:
        """Return one measure of one method, shape (Q,)."""
        return np.array([row[name] for entity in self.found for row in entity[method][k]], dtype=np.float64)

    def mean(self, method: str, k: int, name: str, kind: str = "") -> float:
        """Return its mean over the questions (of one type), NaN where nothing was measured."""
        values = self.values(method, k, name)
        if kind:
            values = values[np.array([each == kind for each in self.kinds])]
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else float("nan")

    def interval(self, method: str, k: int, name: str) -> tuple[float, float, float]:
        """Return its mean with a 95 % interval, entities drawn with replacement."""
        values = self.values(method, k, name)
        known = ~np.isnan(values)
        if not known.any():
            return (float("nan"),) * 3
        low, high, _ = cluster_bootstrap(values[known], self.clusters[known], self.seed)
        return float(values[known].mean()), low, high


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
    measured = [_measured(corpus, chosen, kept, progress) for corpus in corpora]
    main = measured[0]
    shown = 20 if 20 in chosen.sizes else chosen.sizes[-1]
    tables = [
        _entities(first),
        *(_means(main, k) for k in chosen.sizes),
        _by_k(main, chosen.sizes, "W1"),
        _by_k(main, chosen.sizes, "star W1"),
        _by_k(main, chosen.sizes, "coverage matched"),
        *_tests(main, chosen.sizes),
        _published(main, shown),
        _by_retrieval(main, shown),
        _by_type(main, shown),
        _by_extractor(corpora, measured, shown),
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


def _measured(
    corpus: OragCorpus, settings: OragSettings, kept: Kept | None, progress: Progressed
) -> Measured:
    found = measure(corpus, settings, kept, progress)
    kinds = tuple(question.kind for entity in corpus.entities for question in entity.questions)
    clusters = [place for place, entity in enumerate(corpus.entities) for _ in entity.questions]
    return Measured(found, np.array(clusters), kinds, settings.seed)


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


def _published(measured: Measured, k: int) -> Table:
    raw, enriched = label("raw", "hybrid"), label("enriched", "hybrid")
    rows = []
    for name in (*PUBLISHED, "coverage matched"):
        before, after = measured.mean(raw, k, name), measured.mean(enriched, k, name)
        tested = compare(measured.values(enriched, k, name), measured.values(raw, k, name), measured.clusters)
        theirs = PUBLISHED.get(name, (None, None))
        own = _percent(before, after)
        said = _percent(*theirs) if theirs[0] and theirs[1] else None
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


def _by_retrieval(measured: Measured, k: int) -> Table:
    rows = []
    for retrieval in RETRIEVALS:
        means = [measured.mean(label(base, retrieval), k, "sigma") for base in BASES]
        distance = [measured.mean(label(base, retrieval), k, "W1") for base in BASES]
        change = _percent(means[0], means[-1])
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


def _by_type(measured: Measured, k: int) -> Table:
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
                _percent(before, after),
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


def _by_extractor(corpora: Sequence[OragCorpus], measured: Sequence[Measured], k: int) -> Table:
    rows: list[tuple[Any, ...]] = []
    for corpus, each in zip(corpora, measured, strict=True):
        means = [each.mean(label(base, "hybrid"), k, "sigma") for base in BASES]
        rows.append((corpus.extractor, *means, each.mean(OURS, k, "sigma"), _percent(means[0], means[-1])))
    rows += [(f"{name}, published", None, None, None, None, change) for name, change in _PUBLISHED_EXTRACTORS]
    columns = ("extractor", "raw", "split only", "enriched", "ours", "change %")
    return Table(
        f"sigma by extractor, hybrid, k = {k}", columns, tuple(rows), ("change: enriched against raw",)
    )


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


def _percent(before: float | None, after: float | None) -> float:
    if before is None or after is None or not before:
        return float("nan")
    return 100 * (after / before - 1)


def _deviations(corpus: OragCorpus, settings: OragSettings) -> tuple[str, ...]:
    lines = [
        "O-RAG's forums, its hotel sample and its language-model labels are not public: this corpus and its extractor "
        "stand in, and its questions, which the paper does not print, are of its types",
        "labels, and the population that W1 is to, come from the same extractor: compare star W1, which no method sees",
        "k distinct source documents are taken from each knowledge base (its best text ranks a document), so that all "
        "are judged on as many authors; the paper counts per-entity texts",
        "a document without a view on the entity counts as neutral and without impact in sigma, impact sigma and W1; "
        "W1 of views and W2 leave it out",
        "W2 is over sentiment-intensity, impact and kind of evidence, by POT's exact solver",
        "ours is the product's default for k; it and the random samples choose among all documents with a view on the "
        f"entity; random methods: means of {settings.draws} draws a question",
        "ratings are of the whole stay or visit, not of the entity",
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


__all__ = ["PUBLISHED", "Measured", "orag_report"]
