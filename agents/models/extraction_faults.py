"""Whose fault a failure is, the document's or the server's, and when there is no use in going on."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from agents.models.errors import FATAL, ModelCallError, ModelUnreachable, NotAnApi, RequestRejected
from agents.models.extraction_records import Outcome
from agents.models.extraction_schema import Answered

logger = logging.getLogger(__name__)

#: No word on the documents: they wait for the next run.
_SERVER_AT_FAULT: Final[tuple[type[ModelCallError], ...]] = (*FATAL, ModelUnreachable, NotAnApi)
#: Many of these in a row are the server's or the settings' fault as well, one may be the document's.
_SUSPICIOUS: Final[tuple[type[ModelCallError], ...]] = (*_SERVER_AT_FAULT, RequestRejected)


class Untried(ModelCallError):
    """The document was not sent, because of an earlier failure of the server."""

    def __init__(self, cause: ModelCallError) -> None:
        super().__init__(f"not tried, since the model failed too often in a row: {cause.message}", cause.hint)


class Watch:
    """Says stop once the server, not the documents, has failed many times in a row."""

    def __init__(self, model: str, give_up_after: int) -> None:
        self._model = model
        self._give_up_after = give_up_after
        self._in_a_row = 0
        self.stopped_by: ModelCallError | None = None

    def note(self, found: Iterable[Answered | ModelCallError]) -> None:
        """Count the answers of one call."""
        answers = list(found)
        blamed: list[ModelCallError] = [a for a in answers if isinstance(a, _SUSPICIOUS)]
        if not blamed or any(isinstance(answer, Answered) for answer in answers):
            self._in_a_row = 0
            return
        self._in_a_row += 1
        if self._in_a_row >= self._give_up_after and self.stopped_by is None:
            self.stopped_by = blamed[0]
            logger.error("%s failed %d times in a row; the rest is left", self._model, self._in_a_row)


def failed(document_id: int, error: ModelCallError) -> Outcome:
    """Return the outcome of a document that was not read because of ``error``."""
    untried = isinstance(error, Untried)
    postponed = untried or isinstance(error, _SERVER_AT_FAULT)
    return Outcome(document_id, reason=str(error), untried=untried, postponed=postponed)


__all__ = ["Untried", "Watch", "failed"]
