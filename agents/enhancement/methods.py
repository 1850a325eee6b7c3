"""The methods by name."""

from __future__ import annotations

from typing import Final, get_args

from agents.enhancement.base import EnhancementMethod, Enhancer
from agents.enhancement.hyde import Hyde
from agents.enhancement.multi_query import MultiQuery
from agents.enhancement.none import NoEnhancement
from agents.enhancement.query2doc import Query2Doc
from agents.enhancement.rewrite import Rewrite

METHODS: Final[tuple[EnhancementMethod, ...]] = get_args(EnhancementMethod)


def enhancer(method: str) -> Enhancer:
    """Return the enhancer of a method; ``multi-query`` is ``multi_query``.

    Raises
    ------
    ValueError
        When there is no such method.
    """
    match method.replace("-", "_"):
        case "none":
            return NoEnhancement()
        case "rewrite":
            return Rewrite()
        case "hyde":
            return Hyde()
        case "query2doc":
            return Query2Doc()
        case "multi_query":
            return MultiQuery()
    raise ValueError(f"no enhancement {method!r}; there are {', '.join(METHODS)}")


__all__ = ["METHODS", "enhancer"]
