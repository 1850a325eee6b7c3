"""The router's word lists and cues, read once from ``data/``."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any


def read_data(name: str) -> dict[str, Any]:
    """Return the JSON object ``agents/models/data/<name>``."""
    folder = resources.files("agents.models").joinpath("data")
    loaded: dict[str, Any] = json.loads(folder.joinpath(name).read_text("utf-8"))
    return loaded


@lru_cache(maxsize=1)
def lexicon() -> dict[str, Any]:
    """Return the word lists of ``router_lexicon.json``: strings of words as frozen sets, the rest as it is."""
    raw = read_data("router_lexicon.json")
    return {key: frozenset(value.split()) if isinstance(value, str) else value for key, value in raw.items()}


def alternatives(*keys: str) -> str:
    """Return the words of these lists as alternatives of a regular expression, longest first."""
    words = {word for key in keys for word in lexicon()[key]}
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


__all__ = ["alternatives", "lexicon", "read_data"]
