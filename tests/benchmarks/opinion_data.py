"""Real reviews with an independent truth, for the benchmarks of opinion selection.

Lounges: reviews of airport lounges with the reviewer's own 1-5 rating of each aspect; the rating of the aspect is the
truth. Hotels and clothing: reviews with stars; the stars are the truth. Labels come from VADER on the clauses that hold
one of the entity's keywords, in seven bins; no selection sees the truth.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import tempfile
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
DATA = Path(os.environ.get("EVENHAND_DATA", HERE.parent.parent / ".." / "shared" / "data"))
CACHE = Path(os.environ.get("EVENHAND_BENCH_CACHE", Path(tempfile.gettempdir()) / "evenhand-bench"))
#: Where a corpus has dates: the file and its column of texts.
DATED = {
    "lounges": ("skytrax/lounge.csv.gz", "content"),
    "hotels": ("datafiniti_hotels/hotel_reviews.csv.gz", "text"),
}
STARS = {1: -30.0, 2: -20.0, 3: 0.0, 4: 20.0, 5: 30.0}
TEMPLATES = (
    "What do guests think about {e}?",
    "Summarize guest opinions on {e}.",
    "What are the biggest complaints about {e}?",
    "What positive experiences do guests report about {e}?",
    "How do business and leisure guests differ on {e}?",
    "How do first-time and returning guests differ on {e}?",
)


@dataclass
class Entity:
    """One opinion target: the rows that name it, their labels, and every review's truth (NaN where unknown)."""

    name: str
    rows: np.ndarray
    score: np.ndarray
    all_truth: np.ndarray  # (all documents,)
    relevance: np.ndarray  # (templates, all documents)


@dataclass
class Corpus:
    """A set of reviews with embeddings, entities and author groups; ``told`` says which set, and how much of it."""

    name: str
    texts: list[str]
    vectors: np.ndarray
    entities: list[Entity] = field(default_factory=list)
    told: str = ""
    groups: dict[str, np.ndarray] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)


def lounges(by: str = "vader") -> Corpus:
    """Load the lounge reviews with aspect ratings and author regions."""
    rows = _read("skytrax/lounge.csv.gz")
    settings = tomllib.loads((HERE / "data" / "keywords.toml").read_text())["lounges"]
    corpus = _corpus("lounges", [row["content"] for row in rows])
    corpus.told = f"skytrax lounges, all {len(rows):,} reviews"
    ratings = {
        name: np.array([_number(row[f"{spec['rating']}_rating"]) for row in rows])
        for name, spec in settings.items()
    }
    _add_entities(corpus, {name: spec["keywords"] for name, spec in settings.items()}, ratings, by)
    regions = tomllib.loads((HERE / "data" / "regions.toml").read_text())
    region_of = {country: region for region, countries in regions.items() for country in countries}
    names = sorted(regions)
    corpus.labels["region"] = names
    corpus.groups["region"] = np.array(
        [
            names.index(region_of[row["author_country"]]) if row["author_country"] in region_of else -1
            for row in rows
        ]
    )
    return corpus


def hotels(by: str = "vader") -> Corpus:
    """Load the hotel reviews with stars 1 to 5; no usable author groups."""
    read = _read("datafiniti_hotels/hotel_reviews.csv.gz")
    rows = [row for row in read if _number(row["rating"]) in STARS]
    settings = tomllib.loads((HERE / "data" / "keywords.toml").read_text())["hotels"]
    corpus = _corpus("hotels", [row["text"] for row in rows])
    corpus.told = f"datafiniti_hotels, the {len(rows):,} of {len(read):,} reviews with 1 to 5 stars"
    stars = np.array([_number(row["rating"]) for row in rows])
    _add_entities(
        corpus,
        {name: spec["keywords"] for name, spec in settings.items()},
        dict.fromkeys(settings, stars),
        by,
    )
    return corpus


def clothing(by: str = "vader", count: int = 6000) -> Corpus:
    """Load the first ``count`` reviews of clothing, with stars and the reviewers' age bands."""
    written = [
        row for row in _read("womens_clothing/womens_clothing_reviews.csv.gz") if row["Review Text"].strip()
    ]
    rows = written[:count]
    settings = tomllib.loads((HERE / "data" / "keywords.toml").read_text())["clothing"]
    corpus = _corpus("clothing", [row["Review Text"] for row in rows])
    corpus.told = (
        f"womens_clothing, an extract: the first {len(rows):,} of {len(written):,} reviews with a text"
    )
    stars = np.array([_number(row["Rating"]) for row in rows])
    _add_entities(
        corpus,
        {name: spec["keywords"] for name, spec in settings.items()},
        dict.fromkeys(settings, stars),
        by,
    )
    starts = [30, 40, 50, 60]
    corpus.labels["age"] = ["under 30", "30-39", "40-49", "50-59", "60 and over"]
    corpus.groups["age"] = np.searchsorted(starts, [_number(row["Age"]) for row in rows], side="right")
    return corpus


#: The corpora by name.
CORPORA = {"lounges": lounges, "hotels": hotels, "clothing": clothing}


def clause_scores(text: str, pattern: re.Pattern[str], analyzer: object) -> float | None:
    """Mean VADER compound of the clauses that match, on the scale -30..30 in steps of 10; None if none does."""
    found = [analyzer.polarity_scores(c)["compound"] for c in _clauses(text) if pattern.search(c)]  # type: ignore[attr-defined]
    if not found:
        return None
    mean = float(np.mean(found))
    size = abs(mean)
    level = 0 if size < 0.05 else 1 if size < 0.35 else 2 if size < 0.65 else 3
    return float(np.sign(mean)) * 10.0 * level


def _clauses(text: str) -> list[str]:
    return [c for c in re.split(r"[.!?;\n]+|,? but |,? although |,? however ", text) if c.strip()]


def product_scores(corpus: Corpus, keywords: dict[str, list[str]]) -> dict[str, np.ndarray]:
    """Label every text with the shipped extractor and join its units to stances; NaN where an entity is not named.

    The keywords are patterns; what they match in the texts become the entities' aliases. Entities that share a word
    are extracted apart, so that each keeps all of its keywords.
    """
    from store.enrich.lexical import LexicalExtractor
    from store.enrich.stances import lineage, stances
    from store.records import RegistryEntity

    extractor = LexicalExtractor()
    scores = {}
    for name, words in keywords.items():
        pattern = re.compile(r"\b(?:" + "|".join(words) + r")\b", re.IGNORECASE)
        forms = {m.group().lower() for text in corpus.texts for m in pattern.finditer(text)}
        own = [RegistryEntity(name, name, None, tuple(sorted(forms)))]
        others = [
            RegistryEntity(other, other, None, tuple(sorted(_forms(corpus, rest) - forms)))
            for other, rest in keywords.items()
            if other != name
        ]
        registry = [*own, *others]
        lines = lineage(registry)
        score = np.full(len(corpus.texts), np.nan)
        for extraction in extractor.extract(list(enumerate(corpus.texts)), registry):
            for stance in stances(extraction.opinions, lines):
                if stance.entity == name:
                    score[extraction.document_id] = stance.score
        scores[name] = score
    return scores


def _forms(corpus: Corpus, words: list[str]) -> set[str]:
    pattern = re.compile(r"\b(?:" + "|".join(words) + r")\b", re.IGNORECASE)
    return {match.group().lower() for text in corpus.texts for match in pattern.finditer(text)}


def _add_entities(
    corpus: Corpus, keywords: dict[str, list[str]], truth: dict[str, np.ndarray], by: str
) -> None:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    from store.embedders import BundledMiniLM

    embedder = BundledMiniLM(threads=1)
    analyzer = SentimentIntensityAnalyzer()
    own = product_scores(corpus, keywords) if by == "product" else {}
    for name, words in keywords.items():
        pattern = re.compile(r"\b(?:" + "|".join(words) + r")\b", re.IGNORECASE)
        file = CACHE / f"{corpus.name}-{name.replace(' ', '_')}-{_hash([*words, *corpus.texts])}.npy"
        if by == "product":
            score = own[name]
        elif file.exists():
            score = np.load(file)
        else:
            found = [
                clause_scores(text, pattern, analyzer) if pattern.search(text) else None
                for text in corpus.texts
            ]
            score = np.array([np.nan if value is None else value for value in found])
            np.save(file, score)
        queries = embedder.embed([template.format(e=name) for template in TEMPLATES])
        rated = truth[name]
        mapped = np.array([STARS.get(int(v), np.nan) if v == v else np.nan for v in rated])
        rows = np.flatnonzero(~np.isnan(score))
        corpus.entities.append(Entity(name, rows, score[rows], mapped, queries @ corpus.vectors.T))


def _corpus(name: str, texts: list[str]) -> Corpus:
    CACHE.mkdir(parents=True, exist_ok=True)
    file = CACHE / f"{name}-{_hash(texts)}.npy"
    if not file.exists():
        from store.embedders import BundledMiniLM

        embedder, parts = BundledMiniLM(threads=1, batch_size=16), []
        for first in range(0, len(texts), 500):  # kept piece by piece: an interrupted run goes on from there
            part = file.with_suffix(f".{first}.npy")
            if not part.exists():
                np.save(part, embedder.embed(texts[first : first + 500]).astype(np.float16))
            parts.append(part)
        np.save(file, np.concatenate([np.load(part) for part in parts]))
        for part in parts:
            part.unlink()
    return Corpus(name, texts, np.load(file).astype(np.float64))


def _read(path: str) -> list[dict[str, str]]:
    with gzip.open(DATA / path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _hash(texts: list[str]) -> str:
    return sha256("\x00".join(texts).encode()).hexdigest()[:12]


def covariates(corpus: Corpus, rows: np.ndarray, ratings: np.ndarray | None = None) -> np.ndarray:
    """Return what answers balance besides opinions and author groups, for these rows: ratings unless held out (shape of
    ``rows``), the year where it is known, the length.
    """
    columns = [] if ratings is None else [ratings]
    if corpus.name in DATED:
        path, column = DATED[corpus.name]
        dates = {line[column]: line["date"] for line in _read(path)}
        found = [dates[corpus.texts[row]][:4] for row in rows]
        years = np.array([float(year) if year.isdigit() else np.nan for year in found])
        columns.append(np.where(np.isfinite(years), years, np.nanmean(years)))
    columns.append(np.log1p([len(corpus.texts[row]) for row in rows]))
    return np.column_stack(columns)


def countries() -> Counter[str]:
    """Count the author countries of the lounge reviews."""
    return Counter(row["author_country"] for row in _read("skytrax/lounge.csv.gz"))
