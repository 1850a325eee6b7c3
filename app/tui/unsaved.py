"""Answers that could not be stored when they ended (a locked or full database): kept and tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.turns import Turn

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp


class Unsaved:
    """Texts that only this process has."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []

    def __len__(self) -> int:
        return len(self._turns)

    def add(self, turn: Turn) -> None:
        """Keep a turn until it is stored."""
        self._turns.append(turn)

    async def store(self, desk: EvenhandApp) -> None:
        """Try to store what is kept; what fails again stays for the next time."""
        from store.errors import ApplicationError

        left: list[Turn] = []
        for turn in self._turns:
            try:
                await desk.backstage.call(desk.conversations.keep, turn.answer_id, turn.text, turn.state)
            except ApplicationError as error:
                desk.log.warning("an answer is still not stored:", turn.answer_id, str(error))
                left.append(turn)
        self._turns = left


__all__ = ["Unsaved"]
