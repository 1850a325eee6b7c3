"""Finds the mentions of registry entities in a text: word by word, no tagger, thousands of reviews a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.enrich.registry_words import GAP, WORD, lemma, lemmas
from store.records import RegistryEntity

_CACHE_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention of an entity.

    Attributes
    ----------
    entity
        Key of the registry entity.
    start, end
        Offsets with ``text[start:end] == form``.
    form
        The words as they stand in the text.
    """

    entity: str
    start: int
    end: int
    form: str


class EntityMatcher:
    """Matches names and aliases at word boundaries: any case, singular or plural, the longest name first.

    Parameters
    ----------
    registry
        The entities. Where two claim one form, an entity's own name beats an alias, then the earlier one wins.
    """

    def __init__(self, registry: Sequence[RegistryEntity]) -> None:
        forms: dict[tuple[str, ...], str] = {}
        for entity in registry:
            forms.setdefault(lemmas(entity.name), entity.key)
        for entity in registry:
            for alias in entity.aliases:
                forms.setdefault(lemmas(alias), entity.key)
        forms.pop((), None)
        self._single = {form[0]: key for form, key in forms.items() if len(form) == 1}
        self._multiple: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for form, key in sorted(forms.items(), key=lambda item: (-len(item[0]), item[0])):
            if len(form) > 1:
                self._multiple.setdefault(form[0], []).append((form, key))
        self._first = frozenset(self._single) | frozenset(self._multiple)
        self._lemmas: dict[str, str] = {}

    def find(self, text: str) -> list[Mention]:
        """Return the mentions in ``text`` in order, none overlapping another."""
        spans = [(match.start(), match.end(), match.group()) for match in WORD.finditer(text)]
        cache, first = self._lemmas, self._first
        if len(cache) > _CACHE_LIMIT:
            cache.clear()
        base: list[str] = []
        hits: list[int] = []
        for index, (_, _, word) in enumerate(spans):
            form = cache.get(word)
            if form is None:
                form = cache[word] = lemma(word)
            base.append(form)
            if form in first:
                hits.append(index)
        found: list[Mention] = []
        free = 0
        for index in hits:
            if index < free:
                continue
            match = self._longest(text, spans, base, index)
            if match is not None:
                key, size = match
                start, end = spans[index][0], spans[index + size - 1][1]
                found.append(Mention(key, start, end, text[start:end]))
                free = index + size
        return found

    def _longest(
        self, text: str, spans: Sequence[tuple[int, int, str]], base: Sequence[str], index: int
    ) -> tuple[str, int] | None:
        for form, key in self._multiple.get(base[index], ()):
            size = len(form)
            if tuple(base[index : index + size]) == form and all(
                GAP.fullmatch(text, spans[at][1], spans[at + 1][0]) for at in range(index, index + size - 1)
            ):
                return key, size
        single = self._single.get(base[index])
        return None if single is None else (single, 1)


__all__ = ["EntityMatcher", "Mention"]
