from __future__ import annotations

import importlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from agents.models.chat import OpenAIChat
from agents.models.settings import EndpointSettings, Limits, Retries, Timeouts
from agents.models.small_server import MODEL, SmallServer, missing
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
def llm_endpoint() -> Iterator[EndpointSettings]:
    """The small real llama.cpp server, for tests marked ``llm``."""
    if reason := missing():
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must have the small real server: {reason}")
        pytest.skip(reason)
    server = SmallServer(context=4096, parallel=2, threads=1)
    yield EndpointSettings(
        base_url=server.base_url,
        model=MODEL,
        api_key=KEY,
        limits=Limits(concurrency=2),
        timeouts=Timeouts(connect=5, first_token=60, total=120),
    )
    server.close()


@pytest.fixture(scope="session", autouse=True)
def _library() -> None:
    """Import the library once, so that its seconds do not count in a test's time-outs."""
    importlib.import_module("openai")
