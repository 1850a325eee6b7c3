"""The shipped general-English word lists behind the registry, read once and only when asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from store.enrich.registry_words import lemma, lemmas

#: A term: the base forms of its words.
Term = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Word lists that hold for any corpus.

    Attributes
    ----------
    opinion
        Opinion words of Hu and Liu's lexicon (2004), lower case as listed.
    stop
        Base forms of nouns that name no thing to hold a view on.
    contextual
        Base forms among these that name a thing where a corpus is about it (``doctor``, ``meeting``, ``website``).
    aside
        Base forms of nouns that are named in passing: no entities, though a question may be about one.
    despite
        Base forms that name an aspect although the opinion lexicon lists them (``noise``, ``smell``).
    question
        Words that questions are made of and that name no topic, as they stand.
    linking, affect
        Linking verbs (``was``, ``looked``) and verbs of liking and disliking, as they stand.
    light_heads, light_modifiers
        Words that add little to a compound (``area``; ``overall``).
    implied
        Forms that name an aspect without its noun, to that noun (``dirty`` -> ``cleanliness``).
    groups
        Names of one thing, the preferred one first, as terms.
    weak
        Names in groups that join only where they are rare beside the rest.
    plurals
        Plurals that are another word than the singular, as they stand (``grounds``).
    whole
        Forms that name the reviewed thing as a whole (``place``).
    """

    opinion: frozenset[str]
    stop: frozenset[str]
    contextual: frozenset[str]
    aside: frozenset[str]
    despite: frozenset[str]
    question: frozenset[str]
    linking: frozenset[str]
    affect: frozenset[str]
    light_heads: frozenset[str]
    light_modifiers: frozenset[str]
    implied: Mapping[Term, str]
    groups: tuple[tuple[Term, ...], ...]
    weak: frozenset[Term]
    plurals: frozenset[str]
    whole: frozenset[str]


@cache
def knowledge() -> Knowledge:
    """Read the word lists from the package."""
    folder = files("store.enrich") / "data"
    lines = (folder / "opinion_words.txt").read_text("utf-8").splitlines()
    table = tomllib.loads((folder / "registry_knowledge.toml").read_text("utf-8"))
    groups: list[tuple[Term, ...]] = []
    weak: set[Term] = set()
    for name, others in table["synonyms"].items():
        forms = (name, *others.split("|"))
        groups.append(tuple(dict.fromkeys(lemmas(form) for form in forms)))
        weak.update(lemmas(form) for form in forms if form.startswith("~"))
    return Knowledge(
        opinion=frozenset(line[1:] for line in lines if line.startswith(("+", "-"))),
        stop=_bases(table["stop"]),
        contextual=_bases(table["contextual"]),
        aside=_bases(table["aside"]),
        despite=_bases(table["aspects_despite_lexicon"]),
        question=frozenset(table["question"].split()),
        linking=frozenset(table["linking"].split()),
        affect=frozenset(table["affect"].split()),
        light_heads=_bases(table["light_heads"]),
        light_modifiers=_bases(table["light_modifiers"]),
        implied={lemmas(form): name for name, forms in table["implied"].items() for form in forms.split("|")},
        groups=tuple(groups),
        weak=frozenset(weak),
        plurals=frozenset(table["plurals"].split()),
        whole=frozenset(table["whole"].split("|")),
    )


def _bases(words: str) -> frozenset[str]:
    return frozenset(lemma(word) for word in words.split())


__all__ = ["Knowledge", "Term", "knowledge"]
