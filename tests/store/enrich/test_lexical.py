"""The embedded extractor, phenomenon by phenomenon."""

from __future__ import annotations

import pytest

from store.enrich.lexical import LexicalExtractor
from store.ports import OpinionExtractor
from store.records import OpinionUnit, RegistryEntity

REGISTRY = [
    RegistryEntity("staff", "staff", None, ("staff", "front desk staff")),
    RegistryEntity("room", "room", None, ("room", "rooms")),
    RegistryEntity("breakfast", "breakfast", None, ("breakfast",)),
    RegistryEntity("wifi", "wifi", None, ("wifi", "wi-fi", "internet")),
]


def opinions(text: str) -> dict[str, OpinionUnit]:
    (extraction,) = LexicalExtractor().extract([(1, text)], REGISTRY)
    return {unit.entity: unit for unit in extraction.opinions}


def test_is_an_opinion_extractor() -> None:
    extractor: OpinionExtractor = LexicalExtractor()
    assert extractor.name == "lexical"
    assert extractor.version


@pytest.mark.parametrize(
    ("text", "entity", "sentiment"),
    [
        ("The staff was friendly.", "staff", "positive"),
        ("The room was dirty.", "room", "negative"),
        ("The staff was not friendly.", "staff", "negative"),
        ("The staff was kind, but the room was dirty.", "staff", "positive"),
        ("The staff was kind, but the room was dirty.", "room", "negative"),
    ],
)
def test_sentiment(text: str, entity: str, sentiment: str) -> None:
    assert opinions(text)[entity].sentiment == sentiment


def test_sets_other_languages_aside() -> None:
    (extraction,) = LexicalExtractor().extract(
        [(1, "Das Zimmer war sehr schön und die room nicht")], REGISTRY
    )
    assert extraction.language == "de"
    assert extraction.opinions == ()
