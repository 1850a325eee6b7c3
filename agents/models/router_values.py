"""How questions call the values of author attributes: "YouTube", "families" for FamilyLeisure, "three" for 3."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from agents.models.router_data import lexicon
from agents.models.router_groups import demonyms, places
from agents.models.router_text import fold

_IRREGULAR: Final = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "travelers": "traveller",
    "traveler": "traveller",
}
_GENDERS: Final = {
    "male": ("male", "man", "m", "boy", "gentleman"),
    "female": ("female", "woman", "f", "girl", "lady"),
}
_DECADES: Final = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
}
_NUMBERS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
#: Words of a value that do not tell it from its siblings ("Solo Leisure", "Solo Traveller").
FILLER: Final = frozenset(
    {"leisure", "traveller", "travel", "trip", "guest", "customer", "user", "reviewer", "passenger"}
)
_PARTS_OF_A_COUNTRY: Final = frozenset({"england", "scotland", "wales"})
_AFFIRMED: Final = frozenset(("yes", "y", "true"))
#: Before what people are not, or have not.
DENYING: Final = ("non", "not", "without")
_DENIED: Final = frozenset(("no", "n", "false"))
#: What the name of such an attribute begins with: "is_member", "has_children".
_AUXILIARY: Final = frozenset(("is", "are", "was", "has", "have", "had", "with"))
#: Words of an attribute's name that its values are not called by: "households of 3", of a household size.
_EMPTY: Final = frozenset(("size", "count", "number", "band", "group", "type", "level", "name", "code", "id"))
_AGES: Final = re.compile(
    r"(?:(?P<than>over|above|older than|under|below|younger than|up to)\s+)?(?<!\d)(?P<low>\d{1,3})(?!\d)"
    r"(?:\s?(?:-|to|and|–)\s?(?P<high>\d{1,3})(?!\d))?"
    r"(?P<plus>\+| (?:and|or) (?:over|older|above|up)| plus)?(?P<minus> (?:and|or) (?:under|younger|below))?"
    r"|(?:in their )(?:(?:early|mid|late) )?(?P<decade>\d0s|[a-z]+ies|teens)"
)
#: Where a name that is written in one word may also be written in two: "YouTube", "familyLeisure", "SouthKorea".
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PIECE: Final = re.compile(r"[^\W_]+")


def stem(word: str) -> str:
    """Return a word in the singular, as far as its ending tells."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def pieces(text: str) -> tuple[str, ...]:
    """Return the runs of letters and digits of ``text``, folded: no accent, no possessive, "U.S." in one piece."""
    plain = re.sub(r"'s\b", "", fold(text))
    plain = re.sub(r"\b(?:[^\W\d_]\.)+[^\W\d_]?", lambda match: match[0].replace(".", ""), plain)
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return tuple(_PIECE.findall(plain))


def value_words(value: str) -> tuple[str, ...]:
    """Words of an attribute value, "FamilyLeisure" and "family_leisure" opened."""
    return tuple(map(stem, pieces(_CAMEL.sub(" ", value))))


@lru_cache(maxsize=100_000)
def own_forms(value: str) -> tuple[tuple[str, ...], ...]:
    """Return the word sequences that spell ``value`` itself; a brand is one word as well as two ("YouTube")."""
    opened, closed = value_words(value), tuple(map(stem, pieces(value)))
    forms = [opened, closed]
    if len(closed) > 1 and not re.search(r"\s", value.strip()):
        forms.append((stem("".join(pieces(value))),))  # "e-bike" is an ebike
    return tuple(form for form in dict.fromkeys(forms) if len("".join(form)) > 1)


@lru_cache(maxsize=100_000)
def is_number(value: str) -> bool:
    """Tell whether a value is a bare number: it says nothing without the name of its attribute."""
    own = pieces(value)
    return len(own) == 1 and own[0].isdigit()


def _yes_or_no(value: str) -> bool | None:
    plain = fold(value).strip()
    return plain in _AFFIRMED if plain in _AFFIRMED | _DENIED else None


def told_value(attribute: str, value: str) -> str:
    """Return a value that can be read without the name of its attribute: "smoker = no", but "Lisbon"."""
    bare = is_number(value) or _yes_or_no(value) is not None
    return f"{attribute} = {value}" if bare else value


def number_words(value: str) -> tuple[str, ...]:
    """Return how a question may write a value that is a number: "3", "three", "1980s"."""
    own = pieces(value)[0]
    spelt = (_NUMBERS[int(own)],) if int(own) < len(_NUMBERS) else ()
    return (own, *spelt, *((f"{own}s",) if len(own) == 4 else ()))


def forms(attribute: str, value: str) -> Iterator[tuple[str, ...]]:
    """Word sequences that name ``value``: itself, without filler words, by gender, by country and demonym.

    Where an attribute is answered with yes or no, its own name says it: "diabetic patients", "non-smokers".
    """
    own = value_words(value)
    if not own or is_number(value):
        return
    if (said := _yes_or_no(value)) is not None:
        for called in attribute_names(attribute):
            yield from (called,) if said else ((word, *called) for word in DENYING)
            if not said:
                yield (f"non{called[0]}", *called[1:])  # "nonsmokers"
        return
    gender = next((each for each in _GENDERS.values() if own[0] in each and len(own) == 1), ())
    yield from ((form,) for form in gender if len(form) > 1)
    if not gender:
        yield from own_forms(value)
    if len("".join(own)) > 1 and not gender:
        bare = tuple(word for word in own if word not in FILLER)
        if bare and bare != own:
            yield bare
        yield from ((word,) for word, trip in lexicon()["trip_words"].items() if bare == (trip,))
    name = " ".join(_PIECE.findall(fold(value)))
    for demonym, names in demonyms().items():
        if name in names:
            yield tuple(map(stem, pieces(demonym)))
            if names[0] not in _PARTS_OF_A_COUNTRY:
                yield from (tuple(map(stem, pieces(other))) for other in names)


@lru_cache(maxsize=100_000)
def distinct_forms(attribute: str, value: str) -> tuple[tuple[str, ...], ...]:
    """Return the word sequences that name ``value``, each once."""
    return tuple(dict.fromkeys(forms(attribute, value)))


def is_place(attribute: str, value: str) -> bool:
    """Tell whether ``value`` may be where a thing is as well as where an author comes from."""
    return fold(value) in places() or bool(
        re.search(r"country|nation|region|city|state|location|origin", fold(attribute))
    )


@lru_cache(maxsize=1_000)
def attribute_names(attribute: str) -> tuple[tuple[str, ...], ...]:
    """Return what an attribute is called: its name, and the name without words that say little (household size)."""
    name = telling = value_words(attribute)
    while len(telling) > 1 and telling[0] in _AUXILIARY:
        telling = telling[1:]
    while len(telling) > 1 and telling[-1] in _EMPTY:
        telling = telling[:-1]
    return tuple(dict.fromkeys(each for each in (name, telling) if each and each[-1] not in FILLER))


def is_age(attribute: str) -> bool:
    """Tell whether an attribute holds ages or bands of them."""
    return bool({"age", "aged", "ageband", "agegroup", "agerange"} & set(value_words(attribute)))


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


__all__ = [
    "DENYING",
    "FILLER",
    "ages",
    "attribute_names",
    "distinct_forms",
    "is_age",
    "is_number",
    "is_place",
    "number_words",
    "own_forms",
    "pieces",
    "stem",
    "told_value",
    "value_words",
]
