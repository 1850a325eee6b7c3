"""The key must not show anywhere, whatever fails."""

from __future__ import annotations

import asyncio
import gc
import logging
import traceback
from collections.abc import Callable

import pytest

from agents.models.chat import OpenAIChat
from agents.models.errors import ModelCallError
from agents.models.settings import Timeouts
from store.ports import ChatMessage, ChatRequest
from tests.agents.models.conftest import KEY
from tests.fakes.misbehaving import Behaviour, MisbehavingServer, fails, replies, resets, says, silent

Connect = Callable[..., OpenAIChat]
REQUEST = ChatRequest((ChatMessage("user", "Hello?"),), json_schema={"type": "object"}, logprobs=True)
ECHO = f"Incorrect API key provided: {KEY}. Sent: Authorization: Bearer {KEY}"

FAILURES: dict[str, Behaviour] = {
    "401": fails(401, ECHO),
    "403": fails(403, ECHO),
    "404": fails(404, ECHO),
    "400": fails(400, ECHO, code=KEY, param=KEY, type=KEY),
    "context": fails(400, f"maximum context length is 10 tokens {ECHO}"),
    "429": fails(429, ECHO),
    "quota": fails(429, ECHO, code="insufficient_quota"),
    "500": fails(500, ECHO),
    "detail": replies({"detail": ECHO}, status=422),
    "page": replies(f"<html>{ECHO}</html>".encode(), kind="text/html"),
    "error page": replies(f"<html>{ECHO}</html>".encode(), status=502, kind="text/html"),
    "cut JSON": replies(f'{{"choices": "{ECHO}'.encode()),
    "reset": resets(),
    "reset in a stream": resets("Hello"),
    "silence": silent(),
    "no content": says(None),
    "no choices": replies({"choices": [], "error": ECHO}),
    "error event": replies(
        b'data: {"error": {"message": "' + ECHO.encode() + b'"}}\n\n', kind="text/event-stream"
    ),
}


@pytest.mark.parametrize("behaviour", FAILURES.values(), ids=FAILURES.keys())
@pytest.mark.parametrize("streaming", [False, True])
async def test_no_trace_of_the_key(
    server: MisbehavingServer,
    connect: Connect,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    behaviour: Behaviour,
    streaming: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.default = behaviour
    chat = connect(timeouts=Timeouts(connect=1, first_token=0.1, total=0.2))
    shown = [repr(chat), str(chat.settings), repr(chat.quirks)]
    failure: ModelCallError | None = None
    try:
        if streaming:
            async for _ in chat.stream(REQUEST):
                pass
        else:
            await chat.complete(REQUEST)
    except ModelCallError as error:
        failure = error
    assert failure is not None
    assert failure.hint, "every failure says what to do"
    while_handling: BaseException | None = failure
    while while_handling is not None:
        shown += [str(while_handling), repr(while_handling), repr(vars(while_handling))]
        shown += traceback.format_exception(while_handling)
        while_handling = while_handling.__cause__ or while_handling.__context__
    assert failure.__cause__ is None
    assert failure.__context__ is None, "the library's exception holds the request, and with it the key"
    captured = capsys.readouterr()
    shown += [caplog.text, captured.out, captured.err, repr(chat.meter.by_role())]
    shown += [repr(record.__dict__) for record in caplog.records]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}", "the key was really sent"
    assert KEY not in "\n".join(shown)
    gc.collect()
    await asyncio.sleep(0)


async def test_the_environment_gives_nothing_away(
    server: MisbehavingServer, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "sk-of-another-server")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    await connect(api_key=None).complete(REQUEST)
    assert "sk-of-another-server" not in repr(server.requests[0].headers)
