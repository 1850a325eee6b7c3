"""The contract of ``OpinionExtractor``: on the shipped lexical extractor and on the scripted fake."""

from __future__ import annotations

import pickle

import pytest

from store.enrich.lexical import LexicalExtractor
from store.ports import OpinionExtractor
from store.records import BINS, IMPACT, RegistryEntity, score_of
from tests.fakes.extractor import ScriptedExtractor

REGISTRY = [
    RegistryEntity("staff", "staff", None, ("staff", "waiter")),
    RegistryEntity("coffee", "coffee", None, ("coffee",)),
]
DOCUMENTS = [
    (7, "The staff was wonderful and helpful. The coffee was awful, truly terrible."),
    (3, "Nothing to say here about either of them."),
    (9, "I love the coffee.\n\nThe waiter ignored us for twenty minutes."),
    (4, ""),
    (5, "Das Personal war sehr unfreundlich, und der Kaffee war kalt und schmeckte wirklich nicht gut."),
]


@pytest.fixture(params=["scripted", "lexical"])
def extractor(request: pytest.FixtureRequest) -> OpinionExtractor:
    return ScriptedExtractor() if request.param == "scripted" else LexicalExtractor()


def test_one_extraction_a_document_in_order(extractor: OpinionExtractor) -> None:
    assert [found.document_id for found in extractor.extract(DOCUMENTS, REGISTRY)] == [7, 3, 9, 4, 5]
    assert list(extractor.extract([], REGISTRY)) == []
    assert all(not found.opinions for found in extractor.extract(DOCUMENTS, []))


def test_every_field_keeps_its_word(extractor: OpinionExtractor) -> None:
    texts = dict(DOCUMENTS)
    units = [(f.document_id, u) for f in extractor.extract(DOCUMENTS, REGISTRY) for u in f.opinions]
    assert {u.entity for _, u in units} == {"staff", "coffee"}
    for document, unit in units:
        assert unit.quote
        assert texts[document][unit.start : unit.end] == unit.quote
        assert unit.score in BINS
        assert unit.score == score_of(unit.sentiment, unit.intensity)
        assert unit.impact in IMPACT.values()
        assert (unit.intensity == "none") == (unit.sentiment in {"neutral", "mixed"})
        assert unit.evidence in {"personal", "anecdotal", "data-driven", "unknown"}
        assert list(unit.markers) == sorted(unit.markers)
        assert 0 <= unit.confidence <= 1
    signs = {(document, unit.entity): unit.score for document, unit in units}
    assert signs[7, "staff"] > 0 > signs[7, "coffee"]
    assert signs[9, "coffee"] > 0


def test_another_language_is_named_and_has_no_opinions(extractor: OpinionExtractor) -> None:
    found = {f.document_id: f for f in extractor.extract(DOCUMENTS, REGISTRY)}
    assert found[5].language == "de"
    assert found[5].opinions == ()
    assert found[7].language == "en"


def test_name_and_version_are_fixed_and_the_extractor_travels(extractor: OpinionExtractor) -> None:
    again: OpinionExtractor = pickle.loads(pickle.dumps(extractor))
    assert extractor.name
    assert (again.name, again.version) == (extractor.name, extractor.version)
    assert list(again.extract(DOCUMENTS, REGISTRY)) == list(extractor.extract(DOCUMENTS, REGISTRY))
