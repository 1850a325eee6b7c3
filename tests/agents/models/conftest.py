from __future__ import annotations

import faulthandler
import importlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.models.chat import OpenAIChat
from agents.models.settings import EndpointSettings, Limits, Retries, Timeouts
from agents.models.small_server import MODEL, missing
from tests.fakes.misbehaving import MisbehavingServer

KEY = "sk-evenhand-test-3f9a77c1d2"


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        yield running


@pytest.fixture
async def connect(server: MisbehavingServer) -> AsyncIterator[Callable[..., OpenAIChat]]:
    """Make chat clients of the misbehaving server that wait for nothing longer than they must."""
    made: list[OpenAIChat] = []

    def make(**options: Any) -> OpenAIChat:
        settings = EndpointSettings(
            base_url=options.pop("base_url", server.base_url),
            model=options.pop("model", "fake"),
            api_key=options.pop("api_key", KEY),
            timeouts=options.pop("timeouts", Timeouts(connect=1, first_token=0.4, total=0.8)),
            retries=options.pop("retries", Retries(attempts=3, backoff=0.01, longest_wait=1)),
            limits=options.pop("limits", Limits()),
            **{
                name: options.pop(name)
                for name in ("price", "extra_body", "context_tokens")
                if name in options
            },
        )
        chat = OpenAIChat(settings, **options)
        made.append(chat)
        return chat

    yield make
    for chat in made:
        await chat.aclose()


@pytest.fixture(scope="session")
def llm_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EndpointSettings]:
    """The small real llama.cpp server, for tests marked ``llm``."""
    if reason := missing():
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must have the small real server: {reason}")
        pytest.skip(reason)
    # In a process of its own: the native server neither shares this one's lock nor keeps it from ending. Its words go
    # to a file, since a pipe that nobody reads fills up and stops it.
    log = tmp_path_factory.mktemp("llm") / "server.log"
    with log.open("w") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "agents.models.small_server"], stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield EndpointSettings(
            base_url=_address(child, log),
            model=MODEL,
            api_key=KEY,
            limits=Limits(concurrency=2),
            timeouts=Timeouts(connect=10, first_token=60, total=90),
            # A second try under load would only take the test's own limit.
            retries=Retries(attempts=1),
        )
    finally:
        child.kill()
        child.wait(10)


def _address(child: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and child.poll() is None:
        if found := re.search(r"^(http://\S+)\n", log.read_text(), re.MULTILINE):
            return found[1]
        time.sleep(0.1)
    pytest.fail(f"the small real server did not start: {log.read_text()[-500:]}")


@pytest.fixture(autouse=True)
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no test wait for ever: after two minutes (five with the real server) show where all threads are, and fail."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def fail(*_: object) -> None:
        faulthandler.dump_traceback(all_threads=True)
        raise TimeoutError("the test took too long; the stacks of all threads are above")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(300 if request.node.get_closest_marker("llm") else 120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session", autouse=True)
def _library() -> None:
    """Import the library once, so that its seconds do not count in a test's time-outs."""
    importlib.import_module("openai")
