"""Whether the documents that an answer cites stand for the population: a survey of short answers, many alike."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from store.receipt import AuditReceipt
from tests.app.conftest import Run
from tests.fakes.misbehaving import MisbehavingServer, Request, streams

FARES = "What do people think of the fares?"
FOOD = "What do travellers think of the food?"
#: 60 answers: 42 against the fares in the same words, 18 for them in five wordings.
ANSWERS = ["The fares are too expensive."] * 42 + [
    *["The fares are excellent for families."] * 6,
    *["The fares are wonderful for pensioners."] * 4,
    *["The fares are good for students."] * 4,
    *["The fares are fair and good.", "I love the low fares."] * 2,
]
#: Advertisements are no entity of the corpus; they are mentioned in the North and the East only.
ADS = [("The ads are too loud.", "North"), ("Lovely ads.", "North"), ("Far too many ads, horrible.", "East")]


@pytest.fixture(scope="module")
def survey_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("survey")
    path = folder / "survey.csv"
    rows = [(text, "North" if i % 2 else "South") for i, text in enumerate(ANSWERS)]
    rows += ADS
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "comment", "area"), *((i, *row) for i, row in enumerate(rows))])
    base = ["--workspace", str(folder / "workspace"), "--quiet"]
    assert main([*base, "ingest", str(path), "--map", "text=comment", "--attribute", "area=area"]) == 0
    assert main([*base, "enrich"]) == 0
    return folder / "workspace"


@pytest.fixture
def survey(tmp_path: Path, survey_template: Path) -> Path:
    return Path(shutil.copytree(survey_template, tmp_path / "survey"))


def ask(run: Run, workspace: Path, question: str, *options: str) -> tuple[str, AuditReceipt]:
    ran = run("ask", question, "--json", *options, workspace=workspace)
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    receipt = {key: value for key, value in document["receipt"].items() if key != "schema"}
    return document["answer"], AuditReceipt.model_validate(receipt)


def far(receipt: AuditReceipt) -> list[str]:
    return [each.reason for each in receipt.degradations if "under-represented" in each.reason]


def test_the_same_words_are_as_many_voices_as_documents_say_them(run: Run, survey: Path) -> None:
    text, receipt = ask(run, survey, FARES, "-k", "20")
    opinion = receipt.opinion
    assert opinion is not None
    assert opinion.w1["cited"].value < 3, "one voice for seven in ten would be far from the population"
    (negative,) = re.findall(r"Negative, (\d+) of (\d+) voices:\n(- .*)", text)
    assert 0.6 <= int(negative[0]) / int(negative[1]) <= 0.8
    assert re.fullmatch(
        r"- “The fares are too expensive.” \[\d+\]\[\d+\]\[\d+\] and \d+ more documents in the same words",
        negative[2],
    )
    cited = {each.document_id for each in receipt.citations}
    assert len(cited) == len(receipt.citations) == int(negative[1])
    assert cited == {each.document_id for each in receipt.ranking if each.cited}
    assert all(each.verified and each.quote for each in receipt.citations)
    assert not far(receipt)
    assert not receipt.verification.findings


def test_citations_far_from_the_population_are_marked_with_the_side_and_the_reason(
    run: Run, survey: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, receipt = ask(run, survey, FARES, "-k", "6", "--method", "relevance")
    assert receipt.opinion is not None
    assert receipt.opinion.w1["cited"].value > 6
    (reason,) = far(receipt)
    assert re.match(
        r"negative views are under-represented: \d+ % of the documents cited, 70 % of the population "
        r"\(W1 [\d.]+, tolerated 6\); the 6 documents chosen by `relevance` are [\d.]+ from it$",
        reason,
    )
    assert reason in receipt.verification.findings
    assert run("audit", "--fail-over", "degraded=0", workspace=survey).code == 5
    (one,) = far(ask(run, survey, FARES, "-k", "1")[1])
    assert "1 document cannot come nearer than" in one
    monkeypatch.setenv("EVENHAND_AGENT__TOLERANCE", "60")
    assert not far(ask(run, survey, FARES, "-k", "6", "--method", "relevance")[1])


def test_few_quotes_are_the_reason_where_they_are(
    run: Run, survey: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENHAND_AGENT__VOICES", "1")
    (reason,) = far(ask(run, survey, FARES, "-k", "10")[1])
    assert re.search(r"; \d of 10 chosen documents are cited, in 1 quote at the most$", reason)


@pytest.mark.parametrize("k", ["5", "10", "20"])
@pytest.mark.parametrize("question", [FOOD, "What do people think of the staff?"])
def test_ordinary_answers_are_not_marked(run: Run, library: Path, question: str, k: str) -> None:
    assert not far(ask(run, library, question, "-k", k)[1])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        for name, value in {"BASE_URL": running.base_url, "MODEL": "fake"}.items():
            monkeypatch.setenv(f"EVENHAND_MODELS__{name}", value)
        yield running


def writes(*answers: str) -> Any:
    """Write these answers one after the other, the last one again and again."""
    left = list(answers)

    async def behave(request: Request, writer: Any) -> bool | None:
        text = left.pop(0) if len(left) > 1 else left[0]
        return await streams(*text.split(" "), finish_reason="stop")(request, writer)

    return behave


@pytest.mark.parametrize("revisions", [0, 1])
def test_a_model_that_cites_one_side_revises_or_is_marked(
    run: Run, library: Path, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, revisions: int
) -> None:
    monkeypatch.setenv("EVENHAND_AGENT__MAX_REVISIONS", str(revisions))
    server.default = writes("It is mixed.")
    _, told = ask(run, library, FOOD, "-k", "10")
    server.requests.clear()
    liked = [each.rank for each in told.ranking if each.polarity > 0]
    every = [each.rank for each in told.ranking]
    sides = ["Views are of all kinds. " + " ".join(f"[{rank}]" for rank in ranks) for ranks in (liked, every)]
    server.default = writes(*sides)
    _, receipt = ask(run, library, FOOD, "-k", "10")
    assert len(server.requests) == 1 + revisions
    assert receipt.verification.revised == bool(revisions)
    if revisions:
        assert "cite more of the documents with such views" in server.requests[1].prompt
        assert not far(receipt)
    else:
        (reason,) = far(receipt)
        assert "negative views are under-represented: 0 % of the documents cited" in reason


def test_a_limit_holds_for_documents_that_mention_a_topic(run: Run, survey: Path) -> None:
    _, receipt = ask(run, survey, "What do people from the North think of the ads?", "-k", "5")
    assert {(each.name, each.value) for each in receipt.filters} == {("area", "North")}
    assert receipt.selection is not None
    assert receipt.selection.pool_source == "2 documents that mention ads"
    assert [each.groups["area"] for each in receipt.ranking] == ["North"] * 2
    assert receipt.selection.relevance_kept is not None
    assert receipt.selection.relevance_kept <= 1
    text, _ = ask(run, survey, "What do people from the South think of the ads?", "-k", "5")
    assert text == "No document speaks of ads within the limits that the question states (area = South)."


def test_a_side_that_cannot_be_told_is_said(run: Run, survey: Path) -> None:
    _, receipt = ask(run, survey, "What do people hate about the ads?", "-k", "5")
    assert receipt.route.side is None
    (reason,) = [each.reason for each in receipt.degradations if each.stage == "retrieve"]
    assert "which of them are negative on it is not known" in reason
