"""``enrich`` with a language model, from the command line, against a server that behaves and one that does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from tests.fakes.misbehaving import MisbehavingServer, Request, completion, extracts, fails, http

KEY = "sk-evenhand-app-5d20"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        monkeypatch.setenv("EVENHAND_MODELS__BASE_URL", running.base_url)
        monkeypatch.setenv("EVENHAND_MODELS__MODEL", "fake")
        monkeypatch.setenv("EVENHAND_MODELS__API_KEY", KEY)
        monkeypatch.setenv("EVENHAND_MODELS__RETRIES__ATTEMPTS", "1")
        yield running


def labels(entity: str, words: int = 3) -> Any:
    """Answer every document with one positive opinion on ``entity``, in the document's first words."""

    async def behave(request: Request, writer: Any) -> None:
        documents = [
            {
                "id": name,
                "language": "en",
                "opinions": [
                    {
                        "entity": entity,
                        "sentiment": "positive",
                        "intensity": "high",
                        "impact": "low",
                        "markers": [],
                        "evidence": "personal",
                        "quote": " ".join(text.split()[:words]),
                    }
                ],
            }
            for name, text in request.documents.items()
        ]
        writer.write(http(200, json.dumps(completion(json.dumps({"documents": documents}))).encode()))

    return behave


def test_the_lexical_extractor_costs_nothing(run: Run, library: Path) -> None:
    done = run("enrich", "--dry-run", workspace=library)
    assert done.code == 0, done.err
    assert "no calls" in done.out
    assert "0 of 80" in done.out, "everything is enriched already"


def test_a_plan_says_calls_tokens_and_cost(
    run: Run, library: Path, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("enrich", "--dry-run", "--extractor", "llm", workspace=library)
    assert done.code == 0, done.err
    assert "80 of 80 documents" in done.out
    assert "no models.price is set" in done.out
    monkeypatch.setenv("EVENHAND_MODELS__PRICE__PROMPT_PER_MILLION", "1000000")
    monkeypatch.setenv("EVENHAND_MODELS__PRICE__COMPLETION_PER_MILLION", "0")
    done = run("enrich", "--dry-run", "--extractor", "llm", "--json", workspace=library)
    plan = json.loads(done.out)
    assert (plan["schema"], plan["extractor"], plan["to_do"]) == ("enrich-plan/1", "fake", 80)
    assert plan["opinions"]["cost"] == plan["opinions"]["prompt_tokens"] > 0, "one a token"
    assert server.requests == [], "nothing was called"
    server.default = labels("food")
    assert run("enrich", "--extractor", "llm", "--no-index", workspace=library).code == 0
    assert len(server.requests) == plan["calls"]
    again = run("enrich", "--dry-run", "--extractor", "llm", "--json", workspace=library)
    assert json.loads(again.out)["calls"] == 0


def test_a_plan_of_a_corpus_without_registry_stores_nothing(
    run: Run, tmp_path: Path, reviews: Path, server: MisbehavingServer
) -> None:
    workspace = tmp_path / "fresh"
    assert run("-q", "ingest", str(reviews), "--no-index", workspace=workspace).code == 0
    both = ("enrich", "--dry-run", "--json", "--extractor", "llm", "--registry", "llm")
    plan = json.loads(run(*both, workspace=workspace).out)
    assert plan["entities"] > 5
    assert plan["registry"]["documents"] == 80
    assert plan["calls"] == plan["registry"]["calls"] + plan["opinions"]["calls"]
    assert "no entities yet" in run("entities", "list", workspace=workspace).out
    assert server.requests == []


def test_a_model_that_is_not_configured(run: Run, library: Path) -> None:
    for flags in (("--dry-run", "--extractor", "llm"), ("--agreement", "5"), ("--registry", "llm")):
        done = run("enrich", *flags, workspace=library)
        assert done.code == 2
        assert "models.base_url" in done.err
    assert run("enrich", "--extractor", "gpt", workspace=library).code == 2


def test_agreement_of_the_two_extractors(run: Run, library: Path, server: MisbehavingServer) -> None:
    server.default = labels("food")
    done = run("enrich", "--agreement", "20", workspace=library)
    assert done.code == 0, done.err
    assert "20 documents" in done.out
    assert "kappa" in done.out
    asked = len(server.requests)
    found = json.loads(run("enrich", "--agreement", "20", "--json", workspace=library).out)
    assert (found["schema"], found["left"], found["right"], found["right_pairs"]) == (
        "agreement/1",
        "lexical",
        "fake",
        20,
    )
    assert len(server.requests) == asked, "the model's answers were kept"
    assert "no calls" in run("enrich", "--dry-run", workspace=library).out, "nothing was stored"


def test_agreement_with_a_dead_server(run: Run, library: Path, server: MisbehavingServer) -> None:
    server.default = fails(503, "down")
    done = run("enrich", "--agreement", "6", workspace=library)
    assert done.code == 3
    assert "fake failed on 6 of 6" in done.err
    assert "down" in done.err


def test_a_dead_server_leaves_documents_waiting(run: Run, library: Path, server: MisbehavingServer) -> None:
    server.default = fails(401, f"bad key {KEY}")
    done = run("enrich", "--extractor", "llm", "--no-index", workspace=library)
    assert done.code == 3
    assert "waiting 80" in done.out
    listed = run("enrich", "--failed", workspace=library)
    assert listed.out.count(": 401: ") == 80
    server.default = labels("food")
    done = run("enrich", "--extractor", "llm", "--no-index", "--json", workspace=library)
    assert done.code == 0
    assert json.loads(done.out)["enriched"] == 80
    assert "nothing failed" in run("enrich", "--failed", workspace=library).out
    for file in library.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_a_registry_by_the_model(run: Run, library: Path, server: MisbehavingServer) -> None:
    server.default = labels("marble fountain")
    done = run("enrich", "--registry", "llm", "--no-index", workspace=library)
    assert done.code == 0, done.err
    assert "documents read by the model" in done.err
    listed = json.loads(run("entities", "list", "--json", workspace=library).out)
    assert "marble-fountain" in {entity["key"] for entity in listed["entities"]}
    review = library / "review.txt"
    assert run("entities", "review", "-o", str(review), workspace=library).code == 0
    assert "verdict | left | right" in review.read_text()


def test_a_registry_of_nothing_changes_nothing(
    run: Run, tmp_path: Path, reviews: Path, server: MisbehavingServer
) -> None:
    workspace = tmp_path / "fresh"
    assert run("-q", "ingest", str(reviews), "--no-index", workspace=workspace).code == 0
    server.default = extracts()
    server.default = fails(500, "oops")
    done = run("enrich", "--registry", "llm", workspace=workspace)
    assert done.code == 1
    assert "found no entities" in done.err
    assert "oops" in done.err
    assert "no entities yet" in run("entities", "list", workspace=workspace).out
