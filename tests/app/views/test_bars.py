"""Bars need no colour: glyphs and letters differ, ``!`` marks distance, words say the same."""

from __future__ import annotations

import pytest

from app.views.bars import STYLES, BarSet, bar, document_words, gap_words, legend, mini, opinion_bars
from app.views.layout import width_of

POPULATION = (0.12, 0.18, 0.10, 0.14, 0.10, 0.20, 0.16)
RETRIEVED = (0.04, 0.11, 0.10, 0.10, 0.10, 0.28, 0.27)


def sets() -> list[BarSet]:
    return [BarSet("population", POPULATION, 800), BarSet("retrieved", RETRIEVED, 20)]


def test_exact_picture() -> None:
    assert opinion_bars(sets(), POPULATION, 44) == [
        "very neg   P ░░░░░░░░░             12%",
        "           R ██▉                    4% -8!",
        "negative   P ░░░░░░░░░░░░░         18%",
        "           R ███████▉              11% -7!",
        "slight neg P ░░░░░░░               10%",
        "           R ███████▏              10% 0",
        "neutral    P ░░░░░░░░░░            14%",
        "           R ███████▏              10% -4",
        "slight pos P ░░░░░░░               10%",
        "           R ███████▏              10% 0",
        "positive   P ░░░░░░░░░░░░░░        20%",
        "           R ████████████████████  28% +8!",
        "very pos   P ░░░░░░░░░░░           16%",
        "           R ███████████████████▎  27% +11!",
    ]


def test_ascii_picture() -> None:
    lines = opinion_bars(sets(), POPULATION, 44, ascii=True)
    assert lines[0] == "very neg   P =========             12%"
    assert lines[1] == "           R ###                    4% -8!"
    assert "\n".join([*lines, *legend(sets(), 44, ascii=True)]).isascii()


@pytest.mark.parametrize("width", [40, 41, 60, 71, 72, 80, 120, 200])
@pytest.mark.parametrize("ascii", [False, True])
def test_width_is_kept(width: int, ascii: bool) -> None:
    everything = [BarSet(key, RETRIEVED, 20) for key in STYLES]
    lines = opinion_bars(everything, POPULATION, width, ascii=ascii) + legend(everything, width, ascii=ascii)
    assert max(map(width_of, lines)) <= width


def test_glyphs_and_letters_differ() -> None:
    for attribute in ("letter", "glyph", "ascii_glyph"):
        assert len({getattr(style, attribute) for style in STYLES.values()}) == len(STYLES)


def test_bar_never_hides_a_share() -> None:
    assert bar(0.001, 1.0, 20, "░") == "░"
    assert bar(0.001, 1.0, 20, "█") == "▏"
    assert bar(0.0, 1.0, 20, "█") == ""
    assert bar(float("nan"), 1.0, 20, "█") == ""
    assert bar(2.0, 1.0, 5, "█") == "█████"


def test_words() -> None:
    assert gap_words(sets()[1], POPULATION) == (
        "retrieved: 11 points too many very positive, 8 points too many positive, "
        "8 points too few very negative, 7 points too few negative"
    )
    assert gap_words(sets()[0], POPULATION) == "population: no opinion is off by 5 points or more"
    assert gap_words(BarSet("cited", (0.0,) * 7, 0), POPULATION) == "cited: no documents"
    assert document_words(12) == "1 of 12 documents is 8 points"


def test_mini() -> None:
    assert mini((0.0, 0.1, 0.2, 0.4, 0.1, 0.1, 0.1)) == "·▃▅█▃▃▃"
    assert mini((0.0, 0.1, 0.2, 0.4, 0.1, 0.1, 0.1), ascii=True) == ".259222"
    assert mini((0.0,) * 7) == "·······"


def test_the_first_set_is_the_reference_when_none_is_given() -> None:
    assert opinion_bars(sets(), width=44) == opinion_bars(sets(), POPULATION, 44)
    assert opinion_bars([], width=44) == []
