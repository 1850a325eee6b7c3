"""Every role of a model in a real question, and no trace of the key after any failure."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from tests.app.conftest import Run
from tests.fakes.misbehaving import (
    Behaviour,
    MisbehavingServer,
    Request,
    completion,
    fails,
    http,
    replies,
    resets,
    says,
    silent,
    streams,
)

KEY = "sk-evenhand-roles-81c4"
ECHO = f"Incorrect API key provided: {KEY}. Sent: Authorization: Bearer {KEY}"
QUESTION = "What do people think of the food?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        for name, value in {
            "MODELS__BASE_URL": running.base_url,
            "MODELS__MODEL": "fake",
            "MODELS__API_KEY": KEY,
            "MODELS__RETRIES__ATTEMPTS": "1",
            "MODELS__TIMEOUTS__FIRST_TOKEN": "1",
            "MODELS__TIMEOUTS__TOTAL": "2",
            "AGENT__ROUTER": "model",
            "AGENT__VERIFIER": "model",
        }.items():
            monkeypatch.setenv(f"EVENHAND_{name}", value)
        yield running


def helpful(kind: str = "opinion", *, broken: dict[str, Behaviour] | None = None) -> Behaviour:
    """Answer as each role should; ``broken`` holds what some roles do instead."""

    async def behave(request: Request, writer: Any) -> bool | None:
        name = request.body.get("response_format", {}).get("json_schema", {}).get("name", "")
        role = {"routeanswer": "router", "claimsanswer": "verifier"}.get(name, "generator")
        if broken and role in broken:
            return await broken[role](request, writer)
        if role == "generator":
            text = "Some are pleased with the food [1]. Others complain about it [2]."
            return await streams(*text.split(" "), finish_reason="stop")(request, writer)
        content: dict[str, Any] = {"kind": kind, "confidence": 0.8, "reason": "it asks for views"}
        if role == "verifier":
            ids = re.findall(r"C\d+", request.prompt.rpartition("ids")[2]) or re.findall(
                r"C\d+", request.prompt
            )
            content = {
                "claims": [
                    {"id": i, "sentiment": "positive" if i == "C1" else "negative", "intensity": "medium"}
                    for i in dict.fromkeys(ids)
                ]
            }
        writer.write(http(200, json.dumps(completion(json.dumps(content))).encode()))
        return None

    return behave


def receipt(run: Run, library: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("audit", "--format", "json", workspace=library).out)
    return found


def test_router_generator_and_verifier(run: Run, library: Path, server: MisbehavingServer) -> None:
    server.default = helpful()
    done = run("ask", QUESTION, workspace=library)
    assert done.code == 0, done.err
    found = receipt(run, library)
    roles = [m["role"] for m in found["models"]]
    assert set(roles) == {"router", "generator", "verifier"}
    assert roles[-1] == "generator", "the writer stands last"
    assert roles.count("verifier") == 1
    assert all(m["name"] == "fake" and m["prompt"] and m["prompt_sha"] for m in found["models"])
    assert "fake: it asks for views (embedded: opinion)" in found["route"]["reason"]
    reasons = " ".join(d["reason"] for d in found["degradations"])
    assert "instead" not in reasons
    assert found["verification"]["answer_distribution"] is not None


def test_parts_compared_stand_before_what_a_model_writes(
    run: Run, library: Path, server: MisbehavingServer
) -> None:
    """They are counted in SQL: the checks do not hold them against the shares of all together."""
    server.default = helpful()
    ran = run("ask", "Is the food better than the staff?", "--json", workspace=library)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["answer"].startswith("Each part by itself")
    assert found["answer"].endswith("[2].")
    assert "Others" in found["answer"]
    assert len([count for count in found["receipt"]["counts"] if count["part"]]) == 6
    assert not any("share" in finding for finding in found["receipt"]["verification"]["findings"])


def test_a_model_may_route_otherwise(run: Run, library: Path, server: MisbehavingServer) -> None:
    server.default = helpful("factual")
    assert run("ask", QUESTION, workspace=library).code == 0
    assert receipt(run, library)["route"]["kind"] == "factual"
    run("ask", QUESTION, "--route", "opinion", workspace=library)
    assert receipt(run, library)["route"]["kind"] == "opinion", "the user's word wins"


@pytest.mark.parametrize("role", ["router", "generator", "verifier"])
def test_a_role_that_fails_is_replaced_and_marked(
    run: Run, library: Path, server: MisbehavingServer, role: str
) -> None:
    server.default = helpful(broken={role: fails(500, "oops")})
    done = run("ask", QUESTION, workspace=library)
    assert done.code == 0, done.err
    found = receipt(run, library)
    stage = {"router": "route", "generator": "generate", "verifier": "verify"}[role]
    marks = [d["reason"] for d in found["degradations"] if d["stage"] == stage and "oops" in d["reason"]]
    assert len(marks) == 1
    assert "embedded" in marks[0]
    assert found["route"]["kind"] == "opinion"


@pytest.mark.parametrize("role", ["router", "verifier"])
def test_a_role_without_a_model_is_marked(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setenv(f"EVENHAND_AGENT__{role.upper()}", "model")
    assert run("ask", QUESTION, workspace=library).code == 0
    marks = " ".join(d["reason"] for d in receipt(run, library)["degradations"])
    # The embedded writer leaves a verifier nothing to read.
    assert ("no language model is configured for the role router" in marks) == (role == "router")


FAILURES: dict[str, Behaviour] = {
    "401": fails(401, ECHO),
    "404": fails(404, ECHO),
    "400": fails(400, ECHO, code=KEY, param=KEY),
    "context": fails(400, f"maximum context length is 900 tokens {ECHO}"),
    "429": fails(429, ECHO, {"Retry-After": "99"}),
    "quota": fails(429, ECHO, code="insufficient_quota"),
    "500": fails(500, ECHO),
    "reset": resets(),
    "reset in a stream": resets("Hello"),
    "silence": silent(),
    "no choices": replies({"choices": [], "error": ECHO}),
    "no content": says(None),
    "cut JSON": says('{"documents": [{"id": "D1", "langu'),
    "wrong shape": says(json.dumps({"labels": KEY})),
    "cut answer": says('{"documents": [', "length"),
    "refusal": says(None, refusal=f"I refuse. {KEY}"),
    "page": replies(f"<html>{ECHO}</html>".encode(), kind="text/html"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_no_trace_of_the_key(
    run: Run, library: Path, server: MisbehavingServer, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs at DEBUG, the database, receipts of every format, exports, stdout, stderr, tracebacks of ``--debug``."""
    monkeypatch.setenv("EVENHAND_MODELS__TIMEOUTS__FIRST_TOKEN", "0.3")
    monkeypatch.setenv("EVENHAND_MODELS__TIMEOUTS__TOTAL", "0.3")
    monkeypatch.setenv("EVENHAND_LOG_LEVEL", "DEBUG")
    server.default = FAILURES[failure]
    shown = [run("--debug", "-vv", "ask", QUESTION, workspace=library)]
    shown.append(run("--debug", "-vv", "enrich", "--agreement", "2", workspace=library))
    shown += [run("audit", "--format", form, workspace=library) for form in ("text", "html", "json")]
    shown.append(run("export", "answers", workspace=library))
    assert any(f"Bearer {KEY}" == r.headers.get("authorization") for r in server.requests), (
        "it was really sent"
    )
    # A model that repeats a key in its own words is not the client's leak, and is blotted out all the same.
    assert KEY not in "\n".join(done.out + done.err for done in shown)
    for file in library.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    with sqlite3.connect(next(library.glob("*.db"))) as database:
        assert KEY not in "\n".join(database.iterdump())
    database.close()


def test_the_traceback_of_a_wrong_key_file_holds_no_key(
    library: Path,
    server: MisbehavingServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("EVENHAND_MODELS__API_KEY")
    monkeypatch.setenv("EVENHAND_MODELS__API_KEY_FILE", str(library / "absent"))
    assert main(["--workspace", str(library), "enrich", "--agreement", "2"]) == 2
    assert "api_key_file" in capsys.readouterr().err
