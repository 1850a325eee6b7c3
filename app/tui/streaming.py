"""Plays one question on a view: events become drawing, an error becomes words, a stop keeps what was written."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp
    from app.tui.widgets.turn import TurnView


async def play(app: EvenhandApp, view: TurnView, *, thread: str | None) -> None:
    """Ask the question of the view's turn and draw what happens, to its end.

    Cancelling this keeps the text and marks the turn as stopped, on the screen and in the store.
    """
    turn = view.turn
    question, options, corpus = turn.question, dict(turn.options), app.corpus
    make = lambda: app.service.ask(question, corpus, thread=thread, options=options)  # noqa: E731
    try:
        async with aclosing(app.backstage.stream(make)) as batches:
            async for batch in batches:
                text: list[str] = []
                for event in batch:
                    if type(event).__name__ == "AnswerRevised":
                        await view.add("".join(text))
                        text.clear()
                        await view.again()
                    text.append(turn.apply(event))
                await view.add("".join(text))
                view.show_stage()
    except asyncio.CancelledError:
        turn.state = "stopped"
        raise
    except Exception as error:  # noqa: BLE001 - shown to the person, and the conversation goes on
        turn.state, turn.error = "failed", failure_words(error)
        app.log.error(error)
    finally:
        await view.finish()


def failure_words(error: Exception) -> str:
    """Return one line on what went wrong."""
    from store.errors import ApplicationError

    return (
        str(error) if isinstance(error, ApplicationError) else f"unexpected {type(error).__name__}: {error}"
    )


__all__ = ["failure_words", "play"]
