"""What of a model's answer on a document is believed: only what can be checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from agents.models.certainty import certainties
from agents.models.errors import MalformedOutput, ModelCallError
from agents.models.extraction_schema import Answered, ExtractionAnswer, Names, Verified, verify
from store.ports import ChatReply, OpinionExtractor
from store.records import OpinionUnit, RegistryEntity


class NoQuotes(MalformedOutput):
    """Not one quote of the answer stands in the document."""


class Belief:
    """Checks answers against one registry.

    Parameters
    ----------
    model
        Its name, for messages.
    second
        Another extractor, whose opinion on the same text gives labels their confidence where the server gives none.
    """

    def __init__(
        self,
        model: str,
        registry: Sequence[RegistryEntity],
        *,
        open_discovery: bool,
        second: OpinionExtractor | None,
    ) -> None:
        self._model = model
        self._entities = tuple(registry)
        self._names = Names(registry)
        self._open_discovery = open_discovery
        self._second = second

    def believe(self, found: Answered | ModelCallError, text: str) -> Verified | ModelCallError:
        """Return what of an answer on ``text`` is believed, or the failure."""
        if isinstance(found, ModelCallError):
            return found
        verified = verify(
            found.document,
            text,
            self._names,
            open_discovery=self._open_discovery,
            certainties=found.certainties,
            others=self._others(found, text),
        )
        if verified.unquoted and not verified.opinions and not verified.unlisted:
            return NoQuotes(
                f"{self._model}: none of the {verified.unquoted} quotes stands in the document's text"
            )
        return verified

    def _others(self, found: Answered, text: str) -> Sequence[OpinionUnit]:
        if self._second is None or not found.document.opinions or None not in found.certainties:
            return ()
        return next(iter(self._second.extract([(0, text)], self._entities))).opinions


def entries(answer: ExtractionAnswer, reply: ChatReply) -> list[tuple[str, Answered]]:
    """Return the answer by document label, with how sure the model was of each sentiment."""
    total = sum(len(document.opinions) for document in answer.documents)
    sure = iter(certainties(reply.text, reply.logprobs, total))
    return [
        (document.id.strip(), Answered(document, tuple(islice(sure, len(document.opinions)))))
        for document in answer.documents
    ]


__all__ = ["Belief", "NoQuotes", "entries"]
