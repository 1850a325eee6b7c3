"""Product features on the reviews of Hu and Liu (KDD 2004): does the registry find what people rated.

The files are lines ``feature[+2], other[-1][u]##sentence``; ``[t]`` starts a review; ``[u]`` and ``[p]`` mark
features that the sentence does not name. Features and entities are lemmatised; one name containing the other, word
by word, counts as found. Precision is taken against every explicit feature, recall on those with three or more
explicit mentions, both macro-averaged over products.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from store.enrich.registry_words import lemmas

_LABEL: Final = re.compile(r"([^\[\],]+)((?:\[[^\]]*\]?)+)")
#: Explicit mentions from which a feature counts for recall.
RECALL_MENTIONS: Final = 3

#: Texts of one product -> names of its entities.
FeatureFinder = Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Product:
    """One product's reviews: its sentences a review, and the explicit mentions of each (lemmatised) feature."""

    name: str
    reviews: tuple[str, ...]
    features: dict[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class FeatureScore:
    """Precision, recall and F1 (each in [0, 1]) of the entities found for one product, or the macro mean."""

    product: str
    found: int
    precision: float
    recall: float
    f1: float


def read_product(path: Path) -> Product:
    """Read one file of the set."""
    features: Counter[tuple[str, ...]] = Counter()
    reviews: list[list[str]] = [[]]
    for line in path.read_text("utf-8", errors="replace").splitlines():
        if line.startswith("[t]"):
            reviews.append([])
        elif "##" in line:
            labels, sentence = line.split("##", 1)
            reviews[-1].append(sentence.strip())
            for match in _LABEL.finditer(labels):
                flags = match.group(2).lower()
                feature = lemmas(match.group(1))
                if feature and "[u]" not in flags and "[p]" not in flags:
                    features[feature] += 1
    texts = tuple("\n".join(sentences) for sentences in reviews if sentences)
    return Product(path.stem, texts, dict(features))


def read_products(folder: Path) -> list[Product]:
    """Read every product file of the folder (the README and the lexicon left out), by name."""
    paths = sorted(path for path in folder.glob("[0-9]_*.txt") if "README" not in path.name)
    return [read_product(path) for path in paths]


def score(product: Product, names: Iterable[str]) -> FeatureScore:
    """Compare entity names with a product's features."""
    found = {form for name in names if (form := lemmas(name))}
    gold = set(product.features)
    wanted = [feature for feature, count in product.features.items() if count >= RECALL_MENTIONS]
    right = sum(any(contains(form, feature) for feature in gold) for form in found)
    hit = sum(any(contains(form, feature) for form in found) for feature in wanted)
    precision = right / len(found) if found else 0.0
    recall = hit / len(wanted) if wanted else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right and hit else 0.0
    return FeatureScore(product.name, len(found), precision, recall, f1)


def contains(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether one word sequence stands unbroken inside the other."""
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    return any(tuple(long[at : at + len(short)]) == tuple(short) for at in range(len(long) - len(short) + 1))


def evaluate_features(folder: Path, find: FeatureFinder) -> list[FeatureScore]:
    """Score a finder on every product; the last entry is the macro mean, named ``macro``."""
    scores = [score(product, find(product.reviews)) for product in read_products(folder)]
    if not scores:
        return []
    size = len(scores)
    precision = sum(s.precision for s in scores) / size
    recall = sum(s.recall for s in scores) / size
    f1 = sum(s.f1 for s in scores) / size
    return [*scores, FeatureScore("macro", sum(s.found for s in scores), precision, recall, f1)]


def registry_names(texts: Sequence[str], seed: int = 0) -> list[str]:
    """Find features by the registry: the names of the entities bootstrapped from the texts."""
    from store.enrich.registry import bootstrap

    return [entity.name for entity in bootstrap(texts, seed=seed).entities]


__all__ = [
    "FeatureScore",
    "Product",
    "contains",
    "evaluate_features",
    "read_product",
    "read_products",
    "registry_names",
    "score",
]
