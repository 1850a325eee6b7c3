"""Read the labelled sets that the extractor is measured on: Hu and Liu's reviews, MAMS and Skytrax lounges.

Every loader takes the folder that holds the data sets and raises ``FileNotFoundError`` where a set is missing.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from store.records import RegistryEntity

_LABEL: Final = re.compile(r"([^\[\],]+?)\s*\[\s*([+-])\s*(\d?)\s*\]((?:\s*\[\w+\])*)")
_DETACHED: Final = re.compile(r"\s+(?='(?:s|d|m|ll|ve|re|t)\b|n't\b)")
#: Column of the reviewer's own rating of each aspect.
SKYTRAX_RATINGS: Final[dict[str, str]] = {
    "comfort": "comfort_rating",
    "cleanliness": "cleanliness_rating",
    "bar": "bar_beverages_rating",
    "catering": "catering_rating",
    "washrooms": "washrooms_rating",
    "wifi": "wifi_connectivity_rating",
    "staff": "staff_service_rating",
}


@dataclass(frozen=True, slots=True)
class ProductSentence:
    """One sentence of Hu and Liu's product reviews.

    ``features`` holds ``(name, signed strength in -3..3, flags such as "u" or "p")``.
    """

    product: str
    text: str
    features: tuple[tuple[str, int, str], ...]

    @property
    def opinionated(self) -> bool:
        """Whether the annotators marked any opinion."""
        return bool(self.features)

    @property
    def orientation(self) -> int:
        """Sign of the sum of the strengths: 1, -1, or 0 where they cancel or there is none."""
        total = sum(strength for _, strength, _ in self.features)
        return (total > 0) - (total < 0)


@dataclass(frozen=True, slots=True)
class TargetExample:
    """A sentence with one target term and its polarity (-1, 0, 1); ``text[start:end]`` is the term."""

    text: str
    start: int
    end: int
    polarity: int
    others: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RatedReview:
    """One lounge review with the reviewer's own rating, 1 to 5, of each aspect that was rated."""

    text: str
    ratings: dict[str, float]


@cache
def product_sentences(data: Path) -> tuple[ProductSentence, ...]:
    """Read the sentences of the five products; review titles are left out, as in Hu and Liu (2004)."""
    folder = data / "huliu_product_reviews"
    paths = sorted(path for path in folder.glob("1_*.txt") if "README" not in path.name)
    if not paths:
        raise FileNotFoundError(f"no Hu and Liu product files in {folder}")
    found = []
    for path in paths:
        product = path.stem.removeprefix("1_")
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("*", "[t]")) or "##" not in line:
                continue
            labels, _, sentence = line.partition("##")
            sentence = _DETACHED.sub("", sentence.strip())
            if sentence:
                found.append(ProductSentence(product, sentence, _features(labels)))
    return tuple(found)


def _features(labels: str) -> tuple[tuple[str, int, str], ...]:
    return tuple(
        (name.strip(" ,").lower(), int(sign + (size or "1")), "".join(re.findall(r"\w+", flags)))
        for name, sign, size, flags in _LABEL.findall(labels)
    )


@cache
def target_examples(data: Path, part: str) -> tuple[TargetExample, ...]:
    """Read MAMS ``part`` (``train`` or ``val``): the aspect terms with their offsets."""
    path = data / "mams_atsa" / f"{part}.xml"
    packed = path.with_suffix(".xml.gz")
    raw = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    polarity = {"positive": 1, "negative": -1, "neutral": 0}
    found = []
    for sentence in ElementTree.fromstring(raw).iter("sentence"):  # noqa: S314 - a local file the user names
        text = sentence.findtext("text") or ""
        terms = [
            (int(term.attrib["from"]), int(term.attrib["to"]), polarity[term.attrib["polarity"]])
            for term in sentence.iter("aspectTerm")
        ]
        for start, end, value in terms:
            others = tuple((left, right) for left, right, _ in terms if (left, right) != (start, end))
            found.append(TargetExample(text, start, end, value, others))
    return tuple(found)


@cache
def rated_reviews(data: Path) -> tuple[RatedReview, ...]:
    """Read the Skytrax lounge reviews; a rating of 0 means that none was given."""
    path = data / "skytrax" / "lounge.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        return tuple(
            RatedReview(
                row["content"],
                {
                    aspect: float(row[column])
                    for aspect, column in SKYTRAX_RATINGS.items()
                    if row[column] and float(row[column]) > 0
                },
            )
            for row in csv.DictReader(stream)
        )


@cache
def skytrax_registry() -> tuple[RegistryEntity, ...]:
    """Return the seven rated aspects as registry entities, with the words of ``data/skytrax_aspects.json``."""
    listed = json.loads((files("agents.evaluation") / "data" / "skytrax_aspects.json").read_text("utf-8"))
    return tuple(RegistryEntity(key, key, None, tuple(words)) for key, words in listed.items())


__all__ = [
    "SKYTRAX_RATINGS",
    "ProductSentence",
    "RatedReview",
    "TargetExample",
    "product_sentences",
    "rated_reviews",
    "skytrax_registry",
    "target_examples",
]
