"""Plays one question on a view: events become drawing, an error becomes words, a stop keeps what was written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp
    from app.tui.widgets.turn import TurnView


async def play(
    desk: EvenhandApp,
    view: TurnView,
    *,
    thread: str | None,
    question: str = "",
    on_change: Callable[[], None] = lambda: None,
) -> None:
    """Ask the question of the view's turn and draw what happens, to its end.

    Cancelling this keeps the text and marks the turn as stopped, on the screen and in the store.

    Parameters
    ----------
    thread
        Conversation that it belongs to, None for none.
    question
        What is asked where it is not the question that is shown.
    on_change
        Called after every batch of events.
    """
    turn = view.turn
    asked, options, corpus = question or turn.question, dict(turn.options), desk.corpus

    def make() -> AsyncGenerator[Any]:
        return desk.service.ask(asked, corpus, thread=thread, options=options)

    try:
        await desk.backstage.call(_check_workspace, desk)
        async with aclosing(desk.backstage.stream(make)) as batches:
            async for batch in batches:
                await _draw(view, batch)
                on_change()
    except asyncio.CancelledError:
        turn.state = "stopped"
        raise
    except Exception as error:  # noqa: BLE001 - shown to the person, and the conversation goes on
        turn.state, turn.error = "failed", failure_words(gone_error(desk) or error)
        turn.unasked = not turn.text or not _foreseen(error)
        desk.log.error(error)
    finally:
        await view.finish()


async def _draw(view: TurnView, batch: list[Any]) -> None:
    text: list[str] = []
    for event in batch:
        if type(event).__name__ == "AnswerRevised":
            await view.add("".join(text))
            text.clear()
            await view.again()
        text.append(view.turn.apply(event))
    await view.add("".join(text))


def gone_error(desk: EvenhandApp) -> Exception | None:
    """Return what to say where the workspace was deleted while the app is open, None where it is there."""
    from store.errors import StoreError

    workspace = desk.backstage.parts.workspace
    if workspace.exists():
        return None
    return StoreError(
        f"the workspace {workspace.root} is gone", "put it back and ask again, or leave with Ctrl+Q"
    )


def _check_workspace(desk: EvenhandApp) -> None:
    if (error := gone_error(desk)) is not None:
        raise error


def _foreseen(error: Exception) -> bool:
    from store.errors import ApplicationError

    return isinstance(error, ApplicationError)


def failure_words(error: Exception) -> str:
    """Return one line on what went wrong."""
    from store.errors import ApplicationError

    return (
        str(error) if isinstance(error, ApplicationError) else f"unexpected {type(error).__name__}: {error}"
    )


__all__ = ["failure_words", "gone_error", "play"]
