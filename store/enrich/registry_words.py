"""Words and their base forms, without a tagger: what the matcher and the question linker run on.

The lemmatiser only has to be consistent: it is applied to the aliases and to the text alike, so a base form that
no dictionary knows does no harm. It handles English noun plurals and leaves verbs and adjectives alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

#: A word: letters, digits and combining marks (so that a decomposed "café" is one word).
WORD: Final = re.compile(r"[\w\u0300-\u036f]+")

#: What may stand between two words of one name: blanks, a hyphen, an apostrophe or "&", never a full stop.
GAP: Final = re.compile(r"\s{1,3}|\s?[-\u2010\u2011\u2013'\u2019&]\s?")

_IRREGULAR: Final = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "shelves": "shelf",
    "knives": "knife",
    "wives": "wife",
    "lives": "life",
    "leaves": "leaf",
    "loaves": "loaf",
    "halves": "half",
    "scarves": "scarf",
    "thieves": "thief",
    "movies": "movie",
    "booties": "bootie",
    "panties": "pantie",
    "undies": "undie",
    "veggies": "veggie",
    "goodies": "goodie",
    "freebies": "freebie",
    "newbies": "newbie",
    "cookies": "cookie",
    "smoothies": "smoothie",
    "brownies": "brownie",
    "hoodies": "hoodie",
    "selfies": "selfie",
    "foodies": "foodie",
    "calories": "calorie",
    "pies": "pie",
    "ties": "tie",
    "shoes": "shoe",
    "toes": "toe",
    "canoes": "canoe",
    "buses": "bus",
    "busses": "bus",
    "lenses": "lens",
    "gases": "gas",
    "axes": "axis",
    "menus": "menu",
    "gurus": "guru",
    "criteria": "criterion",
    "phenomena": "phenomenon",
    "analyses": "analysis",
}

#: Words that end in "s" and are no plurals.
_NO_PLURALS: Final = """
is was has as this its us yes his hers ours yours theirs does goes always perhaps plus bus gas lens gps news series
species means headquarters congress atlas canvas christmas chaos bias pus virus campus bonus status focus minus census
versus various previous besides sometimes afterwards towards whereas thus ios aws sms pms ms cs ss os dos
"""
_SINGULAR: Final = frozenset(_NO_PLURALS.split())


def lemma(word: str) -> str:
    """Return the lower-case base form of one word ("Facilities" -> "facility", "staff" -> "staff")."""
    low = word.casefold() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if len(low) < 3 or low[-1] != "s" or low in _SINGULAR:
        return low
    if low.endswith(("ss", "us", "is", "ous")):
        return low
    if low.endswith("ies"):
        return low[:-3] + "y" if len(low) > 4 else low[:-1]
    if low.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        return low[:-2]
    return low[:-1]


def words(text: str) -> Iterator[re.Match[str]]:
    """Yield the words of ``text`` with their offsets."""
    return WORD.finditer(text)


def lemmas(text: str) -> tuple[str, ...]:
    """Return the base forms of the words of ``text``, in order."""
    return tuple(lemma(match.group()) for match in WORD.finditer(text))


def slug(name: str) -> str:
    """Return a stable key for a name: lower-case words joined by hyphens (``front desk`` -> ``front-desk``)."""
    return "-".join(match.group().casefold() for match in WORD.finditer(name)) or "entity"


def one_edit(left: str, right: str) -> bool:
    """Whether two different words are one insertion, deletion, substitution or neighbour swap apart."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    at = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    if len(left) == len(right):
        swapped = left[at : at + 2] == right[at : at + 2][::-1] and left[at + 2 :] == right[at + 2 :]
        return swapped or left[at + 1 :] == right[at + 1 :]
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    return longer[at + 1 :] == shorter[at:]


__all__ = ["GAP", "WORD", "lemma", "lemmas", "one_edit", "slug", "words"]
