"""What a question restricts, from end to end: applied, or said; and never said without cause."""

from __future__ import annotations

import asyncio
import csv
from typing import Any

import pytest

from app.bootstrap import Parts
from app.cli.main import main
from app.service import Service
from app.settings import load_settings

SHOW = [
    ("YouTube", "Lisbon", "The guests are boring. The music is great."),
    ("YouTube", "Porto", "The guests are wonderful and the host is funny."),
    ("Apple", "Lisbon", "I hate the music. The host is rude."),
    ("Apple", "Old Town", "The music is lovely, and the guests are fascinating."),
    ("Spotify", "Porto", "The host is great. The guests are dull."),
    ("Spotify", "Old Town", "The music is awful. The guests are terrible."),
    ("other", "Lisbon", "The host is charming and the music is bad."),
    ("other", "Porto", "The guests are excellent. The host is annoying."),
]
CLINIC = [
    ("private", "English", "1", "The pharmacy was great. The nurses were rude."),
    ("statutory", "English", "2", "The nurses were lovely and the reception was slow."),
    ("statutory", "Spanish", "3", "The pharmacy was excellent. The reception was rude."),
    ("private", "Spanish", "3", "The nurses were careless. The pharmacy was awful."),
    ("statutory", "English", "2", "The reception was friendly and the nurses were kind."),
    ("statutory", "Spanish", "1", "The pharmacy was terrible, and the nurses were great."),
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("restrictions")
    made: dict[str, tuple[list[str], list[Any]]] = {
        "show": (["platform", "district", "text"], SHOW),
        "clinic": (["insurance", "language", "household", "text"], CLINIC),
    }
    for name, (columns, rows) in made.items():
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *rows])
        base = ["--workspace", str(folder / "workspace"), "--corpus", name, "--quiet"]
        options = [part for each in columns[:-1] for part in ("--attribute", f"{each}={each}")]
        assert main([*base, "ingest", str(path), "--map", "text=text", *options]) == 0
        assert main([*base, "enrich"]) == 0
    settings, project = load_settings(None, {"workspace": str(folder / "workspace")})
    built = Parts(settings, project)
    yield built
    built.close()


def ask(parts: Parts, corpus: str, question: str, thread: str | None = None) -> Any:
    """Return the receipt of a question."""

    async def last() -> Any:
        found = None
        async for event in Service(parts).ask(question, corpus, thread=thread, options={"k": 4}):
            found = event
        return found

    return asyncio.run(last()).receipt


def said(receipt: Any) -> list[str]:
    return [each.reason for each in receipt.degradations if each.stage == "link"]


@pytest.mark.parametrize(
    ("corpus", "question", "values"),
    [
        ("show", "What do YouTube listeners think of the host?", ["YouTube"]),
        ("show", "What do listeners from YouTube think of the host?", ["YouTube"]),
        ("show", "What do people on YouTube think of the host?", ["YouTube"]),
        ("show", "What do residents of Lisbon think of the music?", ["Lisbon"]),
        ("show", "What do people in Lisbon think of the music?", ["Lisbon"]),
        ("show", "What do people in the Old Town think of the music?", ["Old Town"]),
        ("show", "What do people in other think of the host?", ["other"]),
        ("clinic", "What do privately insured patients think of the pharmacy?", ["private"]),
        ("clinic", "What do English speaking patients think of the nurses?", ["English"]),
        ("clinic", "What do people in households of 3 think of the pharmacy?", ["3"]),
    ],
)
def test_a_restriction_is_applied_without_a_word(
    parts: Parts, corpus: str, question: str, values: list[str]
) -> None:
    receipt = ask(parts, corpus, question)
    assert [each.value for each in receipt.filters] == values
    assert len(receipt.entities) == 1
    assert said(receipt) == []


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What do people think of the music on YouTube?", "the answer takes no account of: on YouTube"),
        ("What do people think of the host in Porto?", "the answer takes no account of: in Porto"),
        (
            "What do people not on YouTube think of the host?",
            "the answer takes no account of: not on YouTube",
        ),
        (
            "What do Deezer listeners think of the music?",
            "no author attribute stands for `Deezer listeners`: not restricted to them",
        ),
        (
            "What do residents of Faro think of the music?",
            "no author attribute stands for `residents of Faro`: not restricted to them",
        ),
    ],
)
def test_a_restriction_that_is_not_applied_is_said(parts: Parts, question: str, reason: str) -> None:
    receipt = ask(parts, "show", question)
    assert receipt.filters == ()
    assert said(receipt) == [reason]


def test_what_no_filter_stands_for_is_said_beside_one(parts: Parts) -> None:
    receipt = ask(parts, "show", "What do young women from Lisbon think of the music?")
    assert [each.value for each in receipt.filters] == ["Lisbon"]
    assert said(receipt) == ["no author attribute stands for `young`, `women`: not restricted to them"]


@pytest.mark.parametrize(
    ("corpus", "question", "entities"),
    [
        ("show", "What do people think of the music and the guests?", ["music", "guests"]),
        ("show", "What do listeners think of the guests and the host?", ["guests", "host"]),
        ("clinic", "What do patients think of the pharmacy and the nurses?", ["pharmacy", "nurses"]),
        ("clinic", "What do patients think of the nurses?", ["nurses"]),
        ("clinic", "How many patients are unhappy with the nurses?", ["nurses"]),
    ],
)
def test_people_who_are_asked_about_are_topics(
    parts: Parts, corpus: str, question: str, entities: list[str]
) -> None:
    receipt = ask(parts, corpus, question)
    assert [each.name for each in receipt.entities] == entities
    assert said(receipt) == []


def test_people_who_are_asked_are_no_topic(parts: Parts) -> None:
    receipt = ask(parts, "clinic", "What do nurses think of the reception?")
    assert [each.name for each in receipt.entities] == ["reception"]
    assert said(receipt) == ["no author attribute stands for `nurses`: not restricted to them"]


def test_people_of_a_place_who_are_asked_about_are_no_filter(parts: Parts) -> None:
    receipt = ask(parts, "show", "What do listeners think about guests from Porto?")
    assert receipt.filters == ()
    assert [each.name for each in receipt.entities] == ["guests"]
    assert said(receipt) == ["the answer takes no account of: from Porto"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            "How many patients are unhappy with the pharmacy?",
            "how many patients are unhappy with the pharmacy",
        ),
        ("What do nurses think of the reception?", "nurses think"),
    ],
)
def test_the_route_quotes_the_question(parts: Parts, question: str, words: str) -> None:
    assert words in ask(parts, "clinic", question).route.reason


def limits(receipt: Any) -> list[tuple[str, str]]:
    return [(each.name, each.value) for each in receipt.filters]


@pytest.mark.parametrize(
    ("corpus", "question", "refused"),
    [
        ("show", "What do people think of the music outside Lisbon?", "outside Lisbon"),
        ("show", "What do all but YouTube users think of the music?", "all but YouTube users"),
        (
            "clinic",
            "What do people other than Spanish speakers think of the nurses?",
            "other than Spanish speakers",
        ),
        ("show", "What do people like apart from the guests?", "apart from the guests"),
    ],
)
def test_what_is_left_out_is_never_the_filter(parts: Any, corpus: str, question: str, refused: str) -> None:
    receipt = ask(parts, corpus, question)
    assert limits(receipt) == []
    assert "guest" not in [each.name for each in receipt.entities]
    assert any(refused in reason for reason in said(receipt)), said(receipt)


def test_few_words_ask_the_same_of_others(parts: Any) -> None:
    first = ask(parts, "show", "What do people in Lisbon think of the music?", "few")
    assert limits(first) == [("district", "Lisbon")]
    for question, expected in (
        ("And in Porto?", [("district", "Porto")]),
        ("What about YouTube users?", [("district", "Porto"), ("platform", "YouTube")]),
        ("And overall?", []),
    ):
        receipt = ask(parts, "show", question, "few")
        assert (receipt.route.kind, limits(receipt), said(receipt)) == ("opinion", expected, []), question
        assert [each.name for each in receipt.entities] == [each.name for each in first.entities]
    ask(parts, "show", "How many people in Lisbon like the music?", "counted")
    receipt = ask(parts, "show", "And in Porto?", "counted")
    assert (receipt.route.kind, receipt.route.side) == ("counting", "positive")
    assert limits(receipt) == [("district", "Porto")]


def test_a_whole_question_that_drops_a_limit_says_so(parts: Any) -> None:
    ask(parts, "show", "What do people in Lisbon think of the music?", "whole")
    receipt = ask(parts, "show", "What do YouTube users think of it?", "whole")
    assert limits(receipt) == [("platform", "YouTube")]
    assert "the question before was limited to district = Lisbon, this one is not" in said(receipt)


def test_groups_side_by_side_are_said_to_be_read_as_both(parts: Any) -> None:
    receipt = ask(parts, "show", "What do people from Lisbon and those on YouTube think of the music?")
    assert limits(receipt) == [("district", "Lisbon"), ("platform", "YouTube")]
    assert any("read as people who are of both" in reason for reason in said(receipt))
    assert not any(
        "both" in r for r in said(ask(parts, "show", "What do YouTube users from Lisbon say of the music?"))
    )
