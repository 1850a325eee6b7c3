"""Joins the language-model parts to what the application already has."""

from __future__ import annotations

from pathlib import Path

from agents.models.cache import FolderCache
from agents.models.chat import OpenAIChat
from agents.models.extraction_records import ExtractorOptions
from agents.models.extractor import LLMExtractor
from store.errors import ConfigurationError


def extractor_of(
    chat: OpenAIChat | None, *, cache_folder: Path | None = None, options: ExtractorOptions | None = None
) -> LLMExtractor:
    """Return the extractor of a chat model; the lexical one seconds its labels.

    Parameters
    ----------
    chat
        The model of the role ``extractor``.
    cache_folder
        Where results are kept between runs; None keeps them for this process only.
    options
        By default as many workers as the endpoint's limits admit.

    Raises
    ------
    ConfigurationError
        When no model is configured.
    """
    if chat is None:
        raise ConfigurationError(
            "no language model is configured for the role extractor",
            "set models.base_url and models.model, or use the extractor `lexical`",
        )
    from store.enrich.lexical import LexicalExtractor

    return LLMExtractor(
        chat,
        options=options or ExtractorOptions(workers=chat.settings.limits.concurrency),
        cache=FolderCache(cache_folder) if cache_folder is not None else None,
        price=chat.settings.price,
        second=LexicalExtractor(),
    )


__all__ = ["extractor_of"]
