"""Emotion, evidence, impact and language of a clause."""

from __future__ import annotations

import pytest

from store.enrich.emotions import markers_of
from store.enrich.evidence import evidence_of
from store.enrich.impact import impact_of
from store.enrich.language import detect
from store.records import Intensity


@pytest.mark.parametrize(
    ("clause", "markers"),
    [
        ("I was so disappointed and frustrated", ("disappointment", "frustration")),
        ("we were not disappointed", ()),
        ("Thank you to the staff", ("gratitude",)),
        ("pleasantly surprised", ("surprise",)),
        ("The room was on the third floor", ()),
        ("it was a nightmare", ("frustration",)),
    ],
)
def test_markers(clause: str, markers: tuple[str, ...]) -> None:
    assert markers_of(clause) == markers


def test_the_floor_decides() -> None:
    assert markers_of("comfortable") == ()
    assert markers_of("comfortable", floor=0.5) == ("satisfaction",)
    assert markers_of("comfortable, pleasant") == ("satisfaction",), "two weak signs add up"


@pytest.mark.parametrize(
    ("clause", "personal", "evidence"),
    [
        ("we waited 45 minutes", True, "data-driven"),
        ("it cost $30 a day", False, "data-driven"),
        ("my wife said it was cold", True, "anecdotal"),
        ("I was told it would be fixed", True, "anecdotal"),
        ("I loved the room", False, "personal"),
        ("the room was cold", True, "personal"),
        ("the room was cold", False, "unknown"),
        ("room 12 was cold", False, "unknown"),
    ],
)
def test_evidence(clause: str, personal: bool, evidence: str) -> None:
    assert evidence_of(clause, clause, personal) == evidence


@pytest.mark.parametrize(
    ("clause", "intensity", "mentions", "impact"),
    [
        ("the bed was ok", "low", 1, 10),
        ("the bed was comfortable", "medium", 1, 20),
        ("the bed ruined our stay", "medium", 1, 30),
        ("the bed was awful!", "high", 1, 30),
        ("a minor issue with the bed", "medium", 1, 10),
        ("the bed was hard", "medium", 4, 20),
        ("the bed was hard", "high", 4, 30),
    ],
)
def test_impact(clause: str, intensity: Intensity, mentions: int, impact: int) -> None:
    assert impact_of(clause, intensity, mentions) == impact


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The room was clean and the staff was friendly.", "en"),
        ("Great stay", "en"),
        ("Nice hotel, will return", "en"),
        ("Das Zimmer war sehr schön und das Frühstück ist gut", "de"),
        ("La chambre était très propre et le personnel est gentil", "fr"),
        ("La habitación estaba muy limpia y el personal es amable", "es"),
        ("La camera era molto pulita e il personale gentile", "it"),
        ("O quarto é muito bom e o café da manhã não é ruim", "pt"),
        ("De kamer was erg schoon en het personeel is vriendelijk", "nl"),
        ("房间很干净，服务也很好", "zh"),
        ("部屋はとてもきれいでした", "ja"),
        ("Номер был очень чистым", "ru"),
        ("방이 아주 깨끗했어요", "ko"),
        ("", "und"),
        ("12345 !!!", "und"),
        ("👍👍👍", "und"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert detect(text) == language
