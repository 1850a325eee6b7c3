"""Names of reviewed things in a question, found in tens of thousands without a scan."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agents.models.router_data import lexicon

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"'s\b|'")


def _pieces(text: str) -> list[str]:
    """Words without accents, case, punctuation; "&" reads "and", a possessive loses its s."""
    plain = text.replace("&", " and ").replace("’", "'")
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return _WORD.findall(_POSSESSIVE.sub("", plain.lower()))


class SubjectMatcher:
    """An index of names: built once, then a look-up for each run of words in the question.

    Names match whatever their case, accents, hyphens, blanks and punctuation ("adria-airways", "Adria Airways").
    The longest name wins where names overlap; a name that is an everyday word ("It") only matches in its own
    spelling.
    """

    def __init__(self, subjects: Iterable[str]) -> None:
        self._names: dict[str, list[str]] = {}
        self._longest = 1
        for subject in subjects:
            words = _pieces(subject)
            if not words:
                continue
            for form in (words, words[1:] if words[0] == "the" and len(words) > 1 else words):
                names = self._names.setdefault("".join(form), [])
                if subject not in names:
                    names.append(subject)
            # "easy jet" may stand for "easyjet": a name may spread over twice its words
            self._longest = max(self._longest, min(2 * len(words), 16))

    def match(self, question: str) -> tuple[str, ...]:
        """Return the subjects that the question names, in order of appearance, spelt as given."""
        words = _pieces(question[:2000])
        found: list[str] = []
        i = 0
        while i < len(words):
            for n in range(min(self._longest, len(words) - i), 0, -1):
                run = words[i : i + n]
                names = self._names.get("".join(run))
                if names and self._meant(run, names, question):
                    found.extend(name for name in names if name not in found)
                    i += n - 1
                    break
            i += 1
        return tuple(found)

    @staticmethod
    def _meant(run: Sequence[str], names: Sequence[str], question: str) -> bool:
        if len("".join(run)) > 2 and not all(word in lexicon()["stop_names"] for word in run):
            return True
        return any(
            re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question) and name != name.lower() for name in names
        )


@lru_cache(maxsize=8)
def _matcher(subjects: tuple[str, ...]) -> SubjectMatcher:
    return SubjectMatcher(subjects)


def match_subjects(question: str, subjects: Sequence[str]) -> tuple[str, ...]:
    """Return the ``subjects`` that ``question`` names, in order of appearance (the index is cached)."""
    return _matcher(tuple(subjects)).match(question)


__all__ = ["SubjectMatcher", "match_subjects"]
