"""One streamed answer, put together from its chunks."""

from __future__ import annotations

from collections.abc import Mapping

from agents.models.payload import RawReply, ThinkFilter, read_logprobs, read_usage, reasoning_of
from agents.models.usage import estimate_tokens


class StreamCollector:
    """Takes chunks, gives what may be shown of each, and in the end the whole.

    ``blank`` counts the characters of white space at the end so far; ``begun`` is set by the first text.
    """

    def __init__(self) -> None:
        self.finish_reason = ""
        self.begun = False
        self.blank = 0
        self.filter = ThinkFilter()
        self._model = ""
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._logprobs: list[Mapping[str, float]] = []
        self._usage = (0, 0)

    def take(self, chunk: object) -> str:
        """Add a chunk and return the text that may be shown."""
        self._model = self._model or getattr(chunk, "model", None) or ""
        self._usage = max(self._usage, read_usage(chunk))
        choices = getattr(chunk, "choices", None)
        if not isinstance(choices, list) or not choices:
            return ""
        choice = choices[0]
        if isinstance(reason := getattr(choice, "finish_reason", None), str):
            self.finish_reason = reason
        self._logprobs.extend(read_logprobs(choice))
        delta = getattr(choice, "delta", None)
        self._reasoning.append(reasoning_of(delta))
        if isinstance(refusal := getattr(delta, "refusal", None), str):
            self._refusal.append(refusal)
        text = getattr(delta, "content", None)
        if not isinstance(text, str) or not text:
            return ""
        self.begun = True
        self._text.append(text)
        self.blank = 0 if text.strip() else self.blank + len(text)
        return self.filter.feed(text)

    def tokens(self) -> int:
        """Return about how many tokens have arrived."""
        text = "".join(self._text) + "".join(self._reasoning)
        return estimate_tokens(text) if text else 0

    def raw(self) -> RawReply:
        """Return the whole."""
        return RawReply(
            text="".join(self._text),
            finish_reason=self.finish_reason,
            model=self._model,
            refusal="".join(self._refusal),
            reasoning="".join(self._reasoning),
            logprobs=tuple(self._logprobs),
            prompt_tokens=self._usage[0],
            completion_tokens=self._usage[1],
        )


__all__ = ["StreamCollector"]
