"""The embedded extractor, phenomenon by phenomenon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.enrich.lexical import LexicalExtractor
from store.ports import OpinionExtractor
from store.records import BINS, OpinionUnit, RegistryEntity, score_of

REGISTRY = [
    RegistryEntity(name, name, None, (name,))
    for name in [
        "staff",
        "room",
        "breakfast",
        "pool",
        "bed",
        "bathroom",
        "location",
        "elevator",
        "price",
        "food",
    ]
] + [RegistryEntity("wifi", "wifi", None, ("wifi", "wi-fi", "internet"))]

PIECES = st.sampled_from(
    ["the room", " was", " clean", ", but ", "the staff", " not ", "friendly", "!", "?", ". ", "...", "\r\n", "\n\n",
     "😀", "é", "e\u0301", "不错", "\u202e", " - ", ";", "\t", "\u00a0", " and ", " BREAKFAST", "Mr.", " 3.5 hours",
     "\x00", "👨‍👩‍👧", "wi-fi", "’", "“luxury”", " if ", " although "]
)  # fmt: skip


def opinions(text: str) -> dict[str, OpinionUnit]:
    (extraction,) = LexicalExtractor().extract([(1, text)], REGISTRY)
    return {unit.entity: unit for unit in extraction.opinions}


def test_is_an_opinion_extractor() -> None:
    extractor: OpinionExtractor = LexicalExtractor()
    assert extractor.name == "lexical"
    assert extractor.version


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # plain
        ("The staff was friendly.", {"staff": "positive"}),
        ("The room was filthy.", {"room": "negative"}),
        ("We had breakfast at 8.", {"breakfast": "neutral"}),
        # negation
        ("The staff was not friendly.", {"staff": "negative"}),
        ("The staff wasn’t very helpful.", {"staff": "negative"}),
        ("Hardly a friendly staff.", {"staff": "negative"}),
        ("The staff is anything but friendly.", {"staff": "negative"}),
        ("Neither the room nor the bathroom was clean.", {"room": "negative", "bathroom": "negative"}),
        ("There was no wifi.", {"wifi": "negative"}),
        ("No complaints about the room.", {"room": "positive"}),
        ("You couldn't ask for a better location.", {"location": "positive"}),
        ("The staff could not have been more helpful.", {"staff": "positive"}),
        ("Not only was the room clean, the staff was lovely.", {"room": "positive", "staff": "positive"}),
        # contrast and concession
        ("The staff was kind, but the room was dirty.", {"staff": "positive", "room": "negative"}),
        ("Although the room was small, the bed was comfortable.", {"room": "negative", "bed": "positive"}),
        ("The staff was great, but not the food.", {"staff": "positive", "food": "negative"}),
        ("Loved the location; hated the pool.", {"location": "positive", "pool": "negative"}),
        (
            "The staff is kind, but the room is not worth the price.",
            {"staff": "positive", "room": "negative"},
        ),
        # lists of verdicts
        (
            "Nice room, friendly staff, awful breakfast!",
            {"room": "positive", "staff": "positive", "breakfast": "negative"},
        ),
        # wishes and missed chances
        ("The breakfast would have been nice if the eggs were warm.", {"breakfast": "negative"}),
        ("The bed could be more comfortable.", {"bed": "negative"}),
        ("I wish the staff had been more attentive.", {"staff": "negative"}),
        ("The room needs to be updated.", {"room": "negative"}),
        # comparatives
        ("The pool is better than the one at the Hilton.", {"pool": "positive"}),
        ("The room was worse than last time.", {"room": "negative"}),
        ("Far from the best breakfast.", {"breakfast": "negative"}),
        ("The room was too small for four people.", {"room": "negative"}),
        # questions and conditions
        ("Is the breakfast included?", {"breakfast": "neutral"}),
        ("Does the room have wifi?", {"room": "neutral", "wifi": "neutral"}),
        ("If the staff were friendlier I would return.", {"staff": "negative"}),
        # both sides
        ("The room was good and bad at the same time.", {"room": "mixed"}),
        ("The room was beautiful yet very uncomfortable.", {"room": "mixed"}),
        ("Clean but cramped room.", {"room": "mixed"}),
        ("Nice but small room.", {"room": "mixed"}),
        ("They forgot to clean the room.", {"room": "negative"}),
    ],
)
def test_sentiment(text: str, expected: dict[str, str]) -> None:
    found = opinions(text)
    assert {entity: found[entity].sentiment for entity in expected} == expected


@pytest.mark.parametrize(
    "text",
    ["Oh great, the elevator was broken again.", "Yeah right, excellent breakfast.", "The “luxury” room."],
)
def test_sarcasm_is_left_unsure(text: str) -> None:
    (unit,) = opinions(text).values()
    assert unit.sentiment != "positive"
    assert unit.confidence <= 0.6


def test_a_condition_is_believed_less_than_a_statement() -> None:
    condition, statement = opinions("If the room is clean, I will return."), opinions("The room is clean.")
    assert condition["room"].confidence < statement["room"].confidence


def test_the_quote_is_the_clause_that_names_the_entity() -> None:
    found = opinions("We loved it. The staff was kind, but the room was dirty!")
    assert found["staff"].quote == "The staff was kind"
    assert found["room"].quote == "the room was dirty!"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        # torn from its sentence a clause would be a fragment: the sentence stands
        ("Great location but overpriced.", "Great location but overpriced."),
        ("Although the room was small, we slept well.", "Although the room was small, we slept well."),
        ("If the room is clean, I will return.", "If the room is clean, I will return."),
        ("The staff was kind but slow. We left.", "The staff was kind but slow."),
        # a clause that can stand alone does
        ("We left early because of work; the room was clean.", "the room was clean."),
        # a line that is only wrapped is one sentence
        (
            "We came late in the evening and it turned out that the\nroom was clean. We slept.",
            "it turned out that the\nroom was clean.",
        ),
        # a verdict without a subject goes with what it is on
        ("We slept; the room was clean. Good.", "the room was clean. Good."),
    ],
)
def test_quotes_are_readable(text: str, quote: str) -> None:
    (unit,) = (unit for unit in opinions(text).values() if unit.entity in {"room", "location", "staff"})
    assert unit.quote == quote


def test_views_on_one_thing_stay_together() -> None:
    unit = opinions("The pool is beautiful, but it closes far too early.")["pool"]
    assert (unit.sentiment, unit.quote) == ("mixed", "The pool is beautiful, but it closes far too early.")
    assert opinions("The bed was soft but the staff was rude.")["bed"].sentiment == "positive"
    assert opinions("The room was spacious and dirty.")["room"].sentiment == "mixed"


def test_no_side_is_taken_for_the_indifferent() -> None:
    for text in (
        "I don't mind the price either way.",
        "No strong feelings about the pool.",
        "I don't care about the wifi.",
    ):
        (unit,) = opinions(text).values()
        assert unit.sentiment == "neutral", text


def test_one_phrase_one_label() -> None:
    registry = [RegistryEntity("fit", "fit", None, ("fit", "true to size"))]
    texts = [
        "True to size.",
        "It is true to size!",
        "I am 5'4 and this ran true to size",
        "i found it true to size",
    ]
    for extraction in LexicalExtractor().extract(list(enumerate(texts)), registry):
        assert [unit.sentiment for unit in extraction.opinions] == ["positive"], texts[extraction.document_id]
    (denied,) = LexicalExtractor().extract([(1, "This is not true to size.")], registry)
    assert [unit.sentiment for unit in denied.opinions] == ["negative"]


def test_hit_rate_on_clauses_of_other_domains() -> None:
    """Clauses of clothing, apps, films, policy and more, labelled by hand before the rules were written."""
    lines = (Path(__file__).parent / "data" / "fresh_clauses.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    hits = [_hit(row) for row in rows]
    assert len(rows) >= 60
    assert sum(hits) / len(hits) >= 0.85


def test_hit_rate_on_sentences_of_a_second_author() -> None:
    """Half of 120 sentences of eight domains, written and labelled before their author had read the rules.

    The other half was used to improve the rules; this half was then measured once: 48 of 60, 44 before. The one who
    wrote the sentences also wrote the new rules, so this is a guard and not an independent figure. Plain facts
    (read as opinions) and mixed views are the weak kinds.
    """
    lines = (Path(__file__).parent / "data" / "second_author_clauses.jsonl").read_text("utf-8").splitlines()
    hits = [_hit(json.loads(line)) for line in lines]
    assert len(hits) == 60
    assert sum(hits) / len(hits) >= 0.75


def _hit(row: dict[str, Any]) -> bool:
    names = [(row["entity"], row.get("aliases", [])), *((name, []) for name in row.get("others", []))]
    registry = [RegistryEntity(name, name, None, (name, *aliases)) for name, aliases in names]
    (extraction,) = LexicalExtractor().extract([(1, row["text"])], registry)
    units = [unit for unit in extraction.opinions if unit.entity == row["entity"]]
    if len(units) != 1:
        return False
    if row["sentiment"] == "unsure":
        return (units[0].sentiment != "positive" and units[0].confidence <= 0.6) or units[
            0
        ].sentiment == "neutral"
    wanted = row["sentiment"]
    return units[0].sentiment in (wanted if isinstance(wanted, list) else [wanted])


def test_strength_follows_the_words() -> None:
    mild, plain, strong = (
        opinions(text)["room"].score
        for text in ("The room was okay.", "The room was nice.", "The room was absolutely fantastic!")
    )
    assert 0 <= mild <= plain < strong == 30


def test_every_field_is_filled() -> None:
    unit = opinions("The elevator was broken for 3 days and I was furious.")["elevator"]
    assert unit.sentiment == "negative"
    assert unit.evidence == "data-driven"
    assert unit.impact in {10, 20, 30}
    unit = opinions("I was so disappointed by the pool.")["pool"]
    assert unit.markers == ("disappointment",)
    assert unit.evidence == "personal"


def test_one_opinion_a_clause_and_entity() -> None:
    (extraction,) = LexicalExtractor().extract(
        [(1, "The room, our room, was clean. The room was big.")], REGISTRY
    )
    assert [unit.entity for unit in extraction.opinions] == ["room", "room"]
    assert len({(unit.start, unit.end) for unit in extraction.opinions}) == 2


def test_sets_other_languages_aside() -> None:
    documents = [(7, "Das Zimmer war sehr schön und die room nicht"), (8, "房间很干净 room"), (9, "")]
    found = list(LexicalExtractor().extract(documents, REGISTRY))
    assert [extraction.document_id for extraction in found] == [7, 8, 9]
    assert [extraction.language for extraction in found] == ["de", "zh", "und"]
    assert all(extraction.opinions == () for extraction in found)


def test_no_registry_no_opinions() -> None:
    (extraction,) = LexicalExtractor().extract([(1, "The room was clean.")], [])
    assert extraction.opinions == ()


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=25).map("".join)))
def test_quotes_are_exact_and_fields_agree(text: str) -> None:
    (extraction,) = LexicalExtractor().extract([(1, text)], REGISTRY)
    (again,) = LexicalExtractor().extract([(1, text)], REGISTRY)
    assert extraction == again
    for unit in extraction.opinions:
        assert text[unit.start : unit.end] == unit.quote != ""
        assert unit.score in BINS
        assert unit.score == score_of(unit.sentiment, unit.intensity)
        assert 0 <= unit.confidence <= 1
        assert (unit.intensity == "none") == (unit.sentiment in {"neutral", "mixed"})
