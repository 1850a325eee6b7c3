"""``probe`` from the command line, and ``ask --enhance auto``, which uses what it found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.probes.retrievers import hybrid_key
from app.bootstrap import Parts
from store.embedders import BundledMiniLM
from store.ports import ChatReply, ChatRequest, Usage
from tests.app.conftest import Run

QUESTION = "What do people think of the food?"


class Rewriter:
    """Writes a passage that names what is asked about."""

    model = "fake-writer"

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        text = "Some say the food is fresh, others that the buffet was cold."
        return ChatReply(text, "stop", self.model, Usage(calls=1))

    async def stream(self, request: ChatRequest) -> Any:
        yield await self.complete(request)


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rewriter]:
    model = Rewriter()
    monkeypatch.setattr(Parts, "chat", lambda self, role: model if role == "enhancer" else None)
    return model  # type: ignore[return-value]


def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    assert found["schema"] == "probe/1"
    return found


def recommend(workspace: Path, retriever: str, method: str, model: str = "fake-writer") -> None:
    """Write a recommendation as ``probe`` does."""
    from store.calibrations import CalibrationStore
    from store.database import Database

    database = Database(f"sqlite:///{workspace / 'evenhand.db'}")
    result = {"recommendation": method, "reason": "planted", "model": model}
    CalibrationStore(database).save_probe(None, retriever, result)
    database.close()


def test_the_corpus_itself_is_probed_without_a_model(run: Run, library: Path) -> None:
    ran = run(
        "probe", "--retriever", "bm25", "--bias", "brevity", "--bias", "position", "--json", workspace=library
    )
    assert ran.code == 0, ran.err
    found = document(ran.out)
    assert found["source"] == "corpus lounges"
    assert found["pairs"]["brevity"] >= 10
    (diagnosis,) = found["diagnoses"]
    findings = {row["bias"]: row for row in diagnosis["findings"]}
    assert findings["position"]["test"]["t"] == 0, "BM25 does not see where a word stands"
    assert any("only the plain query" in note for note in found["notes"])
    assert "nothing is stored" in ran.err


def test_biases_that_the_corpus_cannot_show_are_named_and_left_out(run: Run, library: Path) -> None:
    with sqlite3.connect(library / "evenhand.db") as database:
        database.execute(
            "delete from opinions where document_id not in (select min(document_id) from opinions)"
        )
    ran = run("probe", "--retriever", "bm25", "--dry-run", workspace=library)
    assert ran.code == 0
    assert "corpus lounges gives fewer than two pairs for repetition" in ran.out
    asked = run("probe", "--retriever", "bm25", "--bias", "repetition", workspace=library)
    assert asked.code == 2
    assert "fewer than two pairs for repetition" in asked.err


def test_a_corpus_gives_pairs_of_its_own_kind(library: Path) -> None:
    from agents.probes import corpus_facts
    from app.settings import load_settings

    settings, _ = load_settings(None, {"workspace": str(library)})
    parts = Parts(settings)
    context = parts.context(parts.repository.corpus("lounges"))
    facts = corpus_facts(context)
    assert len(facts) >= 20
    assert facts == corpus_facts(context), "the order is the seed's"
    for fact in facts:
        assert fact.text[slice(*fact.head)] == fact.names[0]
        assert fact.answer_text
        assert fact.mentions[fact.evidence] == 1
        assert [i for i, holds in enumerate(fact.answering) if holds] == [fact.evidence]
    parts.close()


def test_a_recommendation_is_stored_listed_and_a_second_run_asks_nothing(
    run: Run, library: Path, writer: Rewriter
) -> None:
    few = ("--bundled", "--enhanced", "3", "--pairs", "4", "--method", "hyde", "--retriever", "bm25")
    assert run("probe", *few, "--dry-run", workspace=library).out.splitlines()[-1].startswith("fake-writer")
    ran = run("probe", *few, workspace=library)
    assert ran.code == 0, ran.err
    assert "BM25: verdicts" in ran.out
    assert "`ask --enhance auto` uses it" in ran.err
    asked = writer.calls
    assert asked > 0
    assert run("--quiet", "probe", *few, workspace=library).code == 0
    assert writer.calls == asked, "what was written is kept"
    listed = json.loads(run("probe", "--list", "--json", workspace=library).out)["probes"]
    assert [each["why_not"] for each in listed] == ["", "replaced by a newer one"]
    assert listed[0]["retriever"] == "BM25"
    assert "BM25" in run("probe", "--list", workspace=library).out
    with sqlite3.connect(library / "evenhand.db") as database:
        stored = json.loads(database.execute("select result from probes limit 1").fetchone()[0])
    assert stored["model"] == "fake-writer"
    assert stored["recommendation"] in ("none", "hyde")


def ask(run: Run, workspace: Path) -> dict[str, Any]:
    ran = run("ask", QUESTION, "--enhance", "auto", "-k", "3", "--json", workspace=workspace)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    receipt: dict[str, Any] = found.get("receipt", found)
    return receipt


def test_auto_without_a_recommendation_searches_plainly_and_says_so(run: Run, library: Path) -> None:
    receipt = ask(run, library)
    assert receipt["enhancement"]["method"] == "none"
    assert "evenhand probe" in json.dumps(receipt["degradations"])


def test_auto_uses_what_is_recommended(run: Run, library: Path, writer: Rewriter) -> None:
    recommend(library, BundledMiniLM.fingerprint, "hyde")
    receipt = ask(run, library)
    assert receipt["enhancement"]["method"] == "hyde"
    assert "buffet was cold" in receipt["enhancement"]["texts"][0]
    assert "recommended" not in json.dumps(receipt["degradations"])


def test_auto_does_not_carry_a_recommendation_to_another_model(
    run: Run, library: Path, writer: Rewriter
) -> None:
    recommend(library, BundledMiniLM.fingerprint, "hyde", model="another")
    receipt = ask(run, library)
    assert receipt["enhancement"]["method"] == "none"
    assert "hyde was recommended with another, not fake-writer" in json.dumps(receipt["degradations"])


def test_facts_follow_the_hybrid_recommendation_opinions_the_embedders(
    run: Run, library: Path, writer: Rewriter
) -> None:
    recommend(library, hybrid_key(BundledMiniLM.fingerprint), "hyde")
    recommend(library, BundledMiniLM.fingerprint, "none")
    receipt = ask(run, library)
    assert receipt["enhancement"]["method"] == "none"
    assert writer.calls == 0
    ran = run(
        "ask", "Where is the lounge?", "--route", "factual", "--enhance", "auto", "--json", workspace=library
    )
    found = json.loads(ran.out)
    assert found.get("receipt", found)["enhancement"]["method"] == "hyde"


def test_files(run: Run, tmp_path: Path) -> None:
    few = ("probe", "--bundled", "--pairs", "3", "--retriever", "bm25", "--cache", tmp_path / "cache")
    assert run(*few, "-o", tmp_path / "probe.md").code == 0
    assert "## recommendation" in (tmp_path / "probe.md").read_text()
    assert run(*few, "-o", tmp_path / "probe.md").code == 2, "no file is overwritten unasked"
    assert run(*few, "-o", tmp_path / "probe.json").code == 0
    assert document((tmp_path / "probe.json").read_text())["pairs"]["foil"] == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--bias", "colour"), "there is no bias `colour`"),
        (("--method", "magic"), "there is no method `magic`"),
        (("--data", "nowhere"), "there is no folder nowhere"),
        (("--data", "."), "`redocred` is not in ."),
        (("--bundled", "--own"), "exclude each other"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(
    run: Run, library: Path, arguments: tuple[str, ...], words: str
) -> None:
    ran = run("probe", *arguments, workspace=library)
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert ran.out == ""
