"""What an extraction would take, reckoned without calling anything."""

from __future__ import annotations

from collections.abc import Iterable

from agents.models.extraction_kept import KeptResults
from agents.models.extraction_prompt import ExtractionPrompt
from agents.models.extraction_records import ExtractionPlan
from agents.models.settings import Price
from agents.models.usage import estimate_tokens


def plan(
    documents: Iterable[tuple[int, str]],
    registry: str,
    *,
    prompt: ExtractionPrompt,
    kept: KeptResults,
    price: Price,
) -> ExtractionPlan:
    """Return the calls and tokens of a run over these documents, with the registry as text."""
    total = cached = duplicates = calls = prompt_tokens = completion_tokens = 0
    seen: set[str] = set()
    sizes: list[int] = []
    overhead = prompt.overhead(registry)

    def flush() -> None:
        nonlocal calls, prompt_tokens, completion_tokens
        calls += 1
        prompt_tokens += overhead + sum(sizes) + 30 * len(sizes)
        completion_tokens += prompt.answer_room(len(sizes))
        sizes.clear()

    for _, text in documents:
        total += 1
        key = kept.key(text)
        if not text.strip():
            continue
        if key in seen:
            duplicates += 1
            continue
        seen.add(key)
        if kept.get(key, text) is not None:
            cached += 1
            continue
        size = estimate_tokens(text)
        if sizes and prompt.full(len(sizes), sum(sizes), size):
            flush()
        sizes.append(size)
    if sizes:
        flush()
    cost = price.cost(prompt_tokens, completion_tokens)
    return ExtractionPlan(total, cached, duplicates, calls, prompt_tokens, completion_tokens, cost)


__all__ = ["plan"]
