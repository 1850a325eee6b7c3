"""An opinion extractor with no language in it: a handful of words decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from store.records import Extraction, OpinionUnit, RegistryEntity, Sentiment, score_of

_SENTENCE = re.compile(r"[^.\n]+")
_GOOD = {"wonderful", "love", "good", "great"}
_BAD = {"awful", "terrible", "ignored", "bad", "rude"}


class ScriptedExtractor:
    """One opinion a sentence and entity; documents that hold the word ``POISON`` raise.

    Attributes
    ----------
    calls
        Ids of all documents tried, in order.
    poison
        Word that makes a document fail; empty for none.
    """

    name = "scripted"

    def __init__(self, version: str = "1", poison: str = "POISON") -> None:
        self.version = version
        self.poison = poison
        self.calls: list[int] = []

    def extract(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> Iterator[Extraction]:
        for document_id, text in documents:
            self.calls.append(document_id)
            if self.poison and self.poison in text:
                raise ValueError(f"document {document_id} cannot be read\nand more")
            if " und " in text:
                yield Extraction(document_id, (), "de")
                continue
            yield Extraction(document_id, tuple(_units(text, registry)), "en")


def _units(text: str, registry: Sequence[RegistryEntity]) -> Iterator[OpinionUnit]:
    for match in _SENTENCE.finditer(text):
        words = set(re.findall(r"\w+", match.group().casefold()))
        for entity in registry:
            if words & set(entity.aliases):
                sentiment: Sentiment = (
                    "positive" if words & _GOOD else "negative" if words & _BAD else "neutral"
                )
                intensity: Literal["high", "none"] = "none" if sentiment == "neutral" else "high"
                yield OpinionUnit(
                    entity.key,
                    sentiment,
                    intensity,
                    score_of(sentiment, intensity),
                    20,
                    (),
                    "personal",
                    match.group(),
                    match.start(),
                    match.end(),
                    0.9,
                )
