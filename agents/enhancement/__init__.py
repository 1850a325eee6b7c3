"""Query enhancement: what is searched with in place of the bare question.

Owns the methods of the rewriting paper (rewrite, HyDE, Query2Doc, multi-query) and ``none``. Each falls back to
the bare question, marked, when no model is configured or the model fails. May import ``store`` and ``prompts``.
"""

from agents.enhancement.base import Enhancement, EnhancementMethod, Enhancer, none
from agents.enhancement.hyde import Hyde
from agents.enhancement.methods import METHODS, enhancer
from agents.enhancement.multi_query import MultiQuery
from agents.enhancement.none import NoEnhancement
from agents.enhancement.query2doc import Query2Doc
from agents.enhancement.rewrite import Rewrite

__all__ = [
    "METHODS",
    "Enhancement",
    "EnhancementMethod",
    "Enhancer",
    "Hyde",
    "MultiQuery",
    "NoEnhancement",
    "Query2Doc",
    "Rewrite",
    "enhancer",
    "none",
]
