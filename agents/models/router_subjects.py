"""Names of reviewed things in a question, found in tens of thousands without a scan."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agents.models.router_data import lexicon

_WORD = re.compile(r"[^\W_]+")
#: Names that share a word, or contain a name, before it counts as common to them.
_MANY = 5
_PLACED = frozenset({"from", "in", "to", "near", "of", "around"})
_POSSESSIVE = re.compile(r"'s\b|'")


def _pieces(text: str) -> list[str]:
    """Words without accents, case, punctuation; "&" reads "and", a possessive loses its s."""
    plain = text.replace("&", " and ").replace("’", "'")
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return _WORD.findall(_POSSESSIVE.sub("", plain.lower()))


class SubjectMatcher:
    """An index of names: built once, then a look-up for each run of words in the question.

    Names match whatever their case, accents, hyphens, blanks and punctuation ("adria-airways", "Adria Airways"),
    and without a last word that many names share ("Cathay Pacific" for "cathay-pacific-airways"). The longest name
    wins where names overlap. A name that is an everyday word ("It"), or that many other names end in ("Business
    Lounge"), only matches in its own spelling.
    """

    def __init__(self, subjects: Iterable[str]) -> None:
        named = [(subject, words) for subject in dict.fromkeys(subjects) if (words := _pieces(subject))]
        self._names: dict[str, list[str]] = {}
        self._longest = 1
        for subject, words in named:
            for form in (words, words[1:] if words[0] == "the" and len(words) > 1 else words):
                self._add("".join(form), subject)
            # "easy jet" may stand for "easyjet": a name may spread over twice its words
            self._longest = max(self._longest, min(2 * len(words), 16))
        common = self._common([words for _, words in named])
        self._generic = self._inside_others([words for _, words in named]) | {
            "".join(words) for _, words in named if all(word in common for word in words)
        }
        last = Counter(words[-1] for _, words in named)
        many = max(_MANY, len(named) // 50)
        self._shortened: set[str] = set()
        for _, words in named:
            if len(words) > 2 and last[words[-1]] >= many and "".join(words[:-1]) not in self._names:
                self._shortened.add("".join(words[:-1]))
        for subject, words in named:
            if "".join(words[:-1]) in self._shortened:
                self._add("".join(words[:-1]), subject)
        for key, subject in self._openings([each for each in named if len(each[1]) > 2]):
            self._add(key, subject)

    def _openings(self, named: Sequence[tuple[str, list[str]]]) -> list[tuple[str, str]]:
        """Return openings of names that stand for one name alone: "Nikon Coolpix" for "Nikon Coolpix 4300".

        An opening holds most of the name's words, or its model number, and a word that is not plain English: "New
        York" is no "New York Bakery".
        """
        if not named:
            return []
        from store.enrich.linking import english_words  # numpy comes with it

        english = english_words()
        found: dict[str, set[str]] = {}
        for subject, words in named:
            for n in range(2, len(words)):
                opening = words[:n]
                model = any(c.isdigit() for c in opening[-1])
                telling = model or any(word not in english and not word.isdigit() for word in opening)
                if telling and (model or 2 * n > len(words)):
                    found.setdefault("".join(opening), set()).add(subject)
        return [
            (key, subject)
            for key, subjects in found.items()
            if len(subjects) == 1 and key not in self._names
            for subject in subjects
        ]

    def _add(self, key: str, subject: str) -> None:
        names = self._names.setdefault(key, [])
        if subject not in names:
            names.append(subject)

    @staticmethod
    def _common(named: Sequence[Sequence[str]]) -> frozenset[str]:
        """Return the words that a tenth of the names hold ("business", "lounge")."""
        holders = Counter(word for words in named for word in set(words))
        return frozenset(word for word, n in holders.items() if n >= max(_MANY, len(named) / 10))

    def _inside_others(self, named: Sequence[Sequence[str]]) -> frozenset[str]:
        """Return the keys of names that stand behind the first word of many other names."""
        inside: Counter[str] = Counter()
        openings = {words[0] for words in named}
        for words in named:
            starts = [i for i in range(1, len(words)) if words[i] in openings]
            if starts:
                runs = {"".join(words[i:j]) for i in starts for j in range(i + 1, min(len(words), i + 8) + 1)}
                inside.update(runs & self._names.keys())
        return frozenset(key for key, n in inside.items() if n >= _MANY)

    def match(self, question: str) -> tuple[str, ...]:
        """Return the subjects that the question names, in order of appearance, spelt as given."""
        words = _pieces(question[:2000])
        found: list[str] = []
        i = 0
        while i < len(words):
            for n in range(min(self._longest, len(words) - i), 0, -1):
                run = words[i : i + n]
                names = self._names.get("".join(run))
                if i and "".join(run) in self._shortened and words[i - 1] in _PLACED:
                    continue  # "guests from Hong Kong" do not name "Hong Kong Airlines"
                if names and (meant := self._meant(run, names, question)):
                    found.extend(name for name in meant if name not in found)
                    i += n - 1
                    break
            i += 1
        return tuple(found)

    def _meant(self, run: Sequence[str], names: Sequence[str], question: str) -> list[str]:
        key = "".join(run)
        everyday = len(key) <= 2 or all(word in lexicon()["stop_names"] for word in run)
        if not everyday and key not in self._generic:
            return list(names)
        return [
            name
            for name in names
            if name != name.lower() and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question)
        ]


@lru_cache(maxsize=8)
def _matcher(subjects: tuple[str, ...]) -> SubjectMatcher:
    return SubjectMatcher(subjects)


def match_subjects(question: str, subjects: Sequence[str]) -> tuple[str, ...]:
    """Return the ``subjects`` that ``question`` names, in order of appearance (the index is cached)."""
    return _matcher(tuple(subjects)).match(question)


__all__ = ["SubjectMatcher", "match_subjects"]
