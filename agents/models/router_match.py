"""Ties the author groups that a question names to the attribute values of a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.models.router_data import lexicon
from agents.models.router_groups import Word, demonyms, group_spans, is_author, is_people, places, words_of
from agents.models.router_text import fold


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """One attribute value that a question names.

    Attributes
    ----------
    attribute, value
        As the corpus spells them.
    phrase
        The question's words. Several values of one attribute under one phrase mean "any of these" ("over 45").
    """

    attribute: str
    value: str
    phrase: str


_IRREGULAR = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "travelers": "traveller",
    "traveler": "traveller",
}
_GENDERS = {
    "male": ("male", "man", "m", "boy", "gentleman"),
    "female": ("female", "woman", "f", "girl", "lady"),
}
_DECADES = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
}
#: Words of a value that do not tell it from its siblings ("Solo Leisure", "Solo Traveller").
_FILLER = frozenset(
    {"leisure", "traveller", "travel", "trip", "guest", "customer", "user", "reviewer", "passenger"}
)
_BETWEEN = frozenset(
    {
        "and",
        "or",
        "vs",
        "versus",
        "with",
        "to",
        "on",
        "about",
        "than",
        "in",
        "for",
        "regarding",
        "when",
        "by",
        "over",
    }
)
_PARTS_OF_A_COUNTRY = frozenset({"england", "scotland", "wales"})
_COMPARES = re.compile(r"\b(?:compar\w+|contrast|versus|vs|differ\w*|between|unlike|than|agree|disagree)\b")
_AGES = re.compile(
    r"(?:(?P<than>over|above|older than|under|below|younger than|up to)\s+)?(?P<low>\d{1,3})"
    r"(?:\s?(?:-|to|and|–)\s?(?P<high>\d{1,3}))?"
    r"(?P<plus>\+| (?:and|or) (?:over|older|above|up)| plus)?(?P<minus> (?:and|or) (?:under|younger|below))?"
    r"|(?:in their )(?:(?:early|mid|late) )?(?P<decade>\d0s|[a-z]+ies|teens)"
)


#: What authors give: "ratings in Lisbon" are those of its authors.
_GIVEN = frozenset(
    {"rating", "ratings", "score", "scores", "stars", "opinion", "mood", "sentiment", "satisfaction"}
)


def _stem(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _value_words(value: str) -> tuple[str, ...]:
    """Words of an attribute value, "FamilyLeisure" and "family_leisure" opened."""
    opened = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", value)
    return tuple(_stem(word) for word in re.findall(r"[^\W_]+", fold(opened)))


def ages(text: str) -> tuple[int, int] | None:
    """Return the ages that ``text`` states, both included ("30-39", "over 45", "in their thirties"), or None."""
    match = _AGES.search(fold(text))
    if match is None:
        return None
    if decade := match["decade"]:
        start = (
            13
            if decade == "teens"
            else _DECADES.get(decade) or (int(decade[:-1]) if decade[0].isdigit() else 0)
        )
        return (start, 19 if start == 13 else start + 9) if start else None
    low = int(match["low"])
    if match["high"]:
        return low, int(match["high"])
    than = match["than"] or ""
    if match["plus"]:
        return low, 200
    if than in {"over", "above", "older than"}:
        return low + 1, 200
    if match["minus"] or than == "up to":
        return 0, low
    return (0, low - 1) if than else (low, low)


def _forms(attribute: str, value: str) -> Iterator[tuple[str, ...]]:
    """Word sequences that name ``value``: itself, without filler words, by gender, by country and demonym."""
    own = _value_words(value)
    if not own or (len(own) == 1 and own[0].isdigit()):
        return
    gender = next((forms for forms in _GENDERS.values() if own[0] in forms and len(own) == 1), ())
    yield from ((form,) for form in gender if len(form) > 1)
    if len("".join(own)) > 1 and not gender:
        yield own
        bare = tuple(word for word in own if word not in _FILLER)
        if bare and bare != own:
            yield bare
        yield from ((word,) for word, trip in lexicon()["trip_words"].items() if bare == (trip,))
    name = " ".join(re.findall(r"[^\W_]+", fold(value)))
    for demonym, names in demonyms().items():
        if name in names:
            yield tuple(_stem(word) for word in demonym.split())
            if names[0] not in _PARTS_OF_A_COUNTRY:
                yield from (tuple(_stem(word) for word in other.split()) for other in names)


def _is_place(attribute: str, value: str) -> bool:
    """Tell whether ``value`` may be where a thing is as well as where an author comes from."""
    return fold(value) in places() or bool(
        re.search(r"country|nation|region|city|state|location|origin", fold(attribute))
    )


class _Question:
    """The words of one question and what stands around a run of them."""

    def __init__(self, question: str) -> None:
        self.text = question
        self.words: list[Word] = words_of(question)
        self.stems = [_stem(word.text) for word in self.words]
        self._present = frozenset(self.stems)
        self.spans = group_spans(question, self.words)
        self.compares = bool(_COMPARES.search(fold(question)))

    def find(self, form: tuple[str, ...]) -> Iterator[tuple[int, int]]:
        """Yield the runs of words (start, end) that read ``form``."""
        n = len(form)
        if form[0] not in self._present:
            return
        for i in range(len(self.stems) - n + 1):
            if tuple(self.stems[i : i + n]) == form:
                yield i, i + n

    def phrase(self, start: int, end: int) -> str:
        """Return the group phrase around a run of words, or the run itself."""
        for a, b in self.spans:
            if a <= start and end <= b:
                start, end = a, b
                break
        return self.text[self.words[start].start : self.words[end - 1].end]

    def stands_alone(self, end: int) -> bool:
        """Tell whether no noun follows that the run could belong to ("Thai" in "Thai Airways")."""
        follows = self.words[end].text if end < len(self.words) else "?"
        return not follows[0].isalnum() or follows in _BETWEEN

    def beside(self, attribute: str, start: int, end: int) -> bool:
        """Tell whether the attribute's own name stands beside the run: "the North ward", "age group 31-50"."""
        name = tuple(_stem(word) for word in re.findall(r"[^\W_]+", fold(attribute)))
        n = len(name)
        if not n or name[-1] in _FILLER:
            return False
        return (
            tuple(self.stems[end : end + n]) == name or tuple(self.stems[max(start - n, 0) : start]) == name
        )

    def names_people(self, start: int, end: int) -> bool:
        """Tell whether the run is said of authors: it is people, stands before them, or they come from it."""
        last = self.words[end - 1].text
        after = [word.text for word in self.words[end : end + 4]]
        before = [word.text for word in self.words[max(start - 3, 0) : start] if word.text != "the"]
        if (
            len(before) > 1
            and before[-1] in {"in", "from"}
            and (is_author(before[-2]) or before[-2] in _GIVEN)
        ):
            return True  # "people in Lisbon", "the average rating in Lisbon"
        if (
            is_people(last)
            and last not in {"couple", "family", "group"}
            and (last.endswith("s") or _stem(last) != last)
        ):
            return True
        if last.endswith("s") and last in demonyms():
            return True
        if any(a <= start and end <= b for a, b in self.spans):
            return True
        if after and after[0] in {"and", "or"}:  # "British and Australian guests"
            return any(is_author(word) for word in after[1:])
        return bool(after) and is_author(after[0])


@lru_cache(maxsize=20_000)
def _distinct_forms(attribute: str, value: str) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(_forms(attribute, value)))


def match_groups(question: str, attributes: Mapping[str, Sequence[str]]) -> tuple[GroupFilter, ...]:
    """Tie the author groups that ``question`` names to values of a corpus.

    Parameters
    ----------
    question
        The question as typed.
    attributes
        Attribute name -> its distinct values in the corpus (``"country" -> ("Australia", "United Kingdom")``).

    Returns
    -------
    tuple of GroupFilter
        In order of the question; "compare A and B" gives both. A value counts only where it is said of authors
        ("guests from Australia", not "flights from Australia"), or where two values of one attribute are compared.
    """
    asked = _Question(question)
    found: list[tuple[int, int, bool, GroupFilter]] = []
    for attribute, values in attributes.items():
        for value in values:
            for form in _distinct_forms(attribute, value):
                for start, end in asked.find(form):
                    plain = len(form) > 1 and not _is_place(attribute, value) and form == _value_words(value)
                    sure = plain or asked.names_people(start, end) or asked.beside(attribute, start, end)
                    found.append((start, end, sure, GroupFilter(attribute, value, asked.phrase(start, end))))
        if "age" in fold(attribute).split("_") or fold(attribute) in {
            "age",
            "age band",
            "age group",
            "ageband",
        }:
            found += _by_age(asked, attribute, values)
    return _resolve(found, asked)


def _by_age(
    asked: _Question, attribute: str, values: Sequence[str]
) -> Iterator[tuple[int, int, bool, GroupFilter]]:
    for start, end in asked.spans:
        phrase = asked.phrase(start, end)
        stated = ages(phrase)
        for value in values if stated else ():
            band = ages(value)
            if stated and band and band[0] <= stated[1] and stated[0] <= band[1]:
                yield start, start, True, GroupFilter(attribute, value, phrase)  # an empty run hides no other


def _resolve(found: list[tuple[int, int, bool, GroupFilter]], asked: _Question) -> tuple[GroupFilter, ...]:
    """Drop runs inside longer runs of one attribute, and doubtful ones unless two of one attribute are compared."""
    kept: dict[tuple[str, str], tuple[int, GroupFilter]] = {}
    doubtful: dict[str, set[int]] = {}
    for start, _, _, item in found:
        doubtful.setdefault(item.attribute, set()).add(start)
    for start, end, sure, item in found:
        inside = any(
            sure_too and a <= start < end <= b and b - a > end - start for a, b, sure_too, _ in found
        )
        compared = asked.compares and len(doubtful[item.attribute]) > 1 and asked.stands_alone(end)
        if not inside and (sure or compared):
            kept.setdefault((item.attribute, item.value), (start, item))
    return tuple(item for _, item in sorted(kept.values(), key=lambda pair: pair[0]))


__all__ = ["GroupFilter", "ages", "match_groups"]
