"""How documents and the registry are put to the model: the request, its size, and what of it names the version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final

import prompts
from agents.fencing import fence, neutralise
from agents.models.extraction_records import ExtractorOptions
from agents.models.extraction_schema import ExtractionAnswer
from agents.models.structured import schema_of
from agents.models.usage import estimate_tokens
from store.ports import ChatMessage, ChatRequest
from store.records import RegistryEntity

#: Changes when what is made of an answer changes.
_RULES: Final = "2"
_OPEN: Final = (
    "An opinion on a thing that is missing from the list also counts: "
    "give its short common name in lower case."
)
_CLOSED: Final = "Leave out opinions on anything else."


class ExtractionPrompt:
    """Makes the requests of an extraction."""

    def __init__(self, options: ExtractorOptions) -> None:
        self._options = options
        self._prompt = prompts.load("extract")

    def version(self, model: str, second: str) -> str:
        """Return what changes with the prompt, the schema, the rules, the model and the second extractor's version."""
        parts = (
            model,
            self._prompt.sha256,
            _schema_digest(),
            _RULES,
            str(self._options.open_discovery),
            second,
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def request(self, part: Mapping[str, str], registry: str) -> ChatRequest:
        """Return the request that asks about these documents, by label, with the registry as text."""
        fenced = fence(list(part.items()))
        rendered = self._prompt.render(
            registry=registry,
            documents=fenced.text,
            ids=", ".join(fenced.ids),
            open_rule=_OPEN if self._options.open_discovery else _CLOSED,
        )
        return ChatRequest(
            messages=(ChatMessage("system", rendered.system), ChatMessage("user", rendered.user)),
            role="extractor",
            max_tokens=self.answer_room(len(part)),
            logprobs=True,
            prompt_name=rendered.name,
            prompt_sha=rendered.sha256,
        )

    def overhead(self, registry: str) -> int:
        """Return the tokens of a request besides its documents, about."""
        return estimate_tokens(self._prompt.system + self._prompt.user + registry)

    def answer_room(self, documents: int) -> int:
        """Return the most tokens of an answer about that many documents."""
        return 50 + self._options.answer_tokens * documents

    def full(self, documents: int, size: int, tokens: int) -> bool:
        """Return whether a call with ``documents`` of ``size`` tokens has no room for one more of ``tokens``."""
        return documents >= self._options.documents or size + tokens > self._options.tokens


def registry_text(registry: Sequence[RegistryEntity]) -> str:
    """Return the registry as the prompt shows it, one entity a line."""
    lines = [_line(entity) for entity in registry]
    return "\n".join(lines) if lines else "(none)"


def _line(entity: RegistryEntity) -> str:
    # Names come from documents too (bootstrap), so they are data like any other.
    names = [entity.name, *(alias for alias in entity.aliases if alias != entity.name.lower())][:6]
    under = f" (part of {neutralise(entity.parent)})" if entity.parent else ""
    return " ".join(f"{neutralise(entity.key)}: {neutralise('; '.join(names))}{under}".split())


def _schema_digest() -> str:
    return hashlib.sha256(json.dumps(schema_of(ExtractionAnswer), sort_keys=True).encode()).hexdigest()


__all__ = ["ExtractionPrompt", "registry_text"]
