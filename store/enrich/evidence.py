"""Say what an opinion rests on: own experience, hearsay or figures (O-RAG section 4)."""

from __future__ import annotations

import re
from typing import Final

from store.records import Evidence

_UNITS: Final = (
    r"hours?|hrs?|minutes?|mins?|seconds?|secs?|days?|nights?|weeks?|months?|years?|times|miles?|kms?"
    r"|metres?|meters?|feet|ft|inch(?:es)?|blocks?|floors?|mb|gb|[mk]bps|fps|dpi|degrees?|stars?|kg|lbs?|litres?|liters?|guests"
    r"|people|rooms|seats|beds|towels|percent|per\scent|dollars?|euros?|pounds?|usd|eur|gbp|bucks?"
)
_NUMBERS: Final = (
    r"two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|hundred"
    r"|(?:half|quarter)\san"
)
_FIGURES: Final = re.compile(
    rf"[$€£¥]\s?\d|\d[\d.,]*\s?(?:%|(?:{_UNITS})\b)|\d+\s?(?:out\sof|of\sthe|/)\s?\d+"
    r"|\b(?:on\saverage|measured|statistics|survey|studies\sshow|according\sto\sthe\sdata)\b"
    rf"|\b(?:{_NUMBERS})\s(?:hours?|minutes?|days?|nights?|weeks?|months?|years?|times|dollars|miles|blocks)\b",
    re.IGNORECASE,
)
_SOURCES: Final = (
    r"people|they|others|everyone|reviews?|reviewers?|some|many|locals|guests|users|customers|travell?ers"
)
_SAID: Final = r"say|said|claim(?:ed)?|told|complain(?:ed)?|mention(?:ed)?|report(?:ed)?|love|hate"
_KIN: Final = (
    r"friend|wife|husband|partner|son|daughter|kid|child|children|mother|father|mom|mum|dad|sister|brother|boss"
    r"|colleague|co-?worker|neighbou?r|family"
)
_HEARSAY: Final = re.compile(
    rf"\b(?:i(?:'ve|\shave)?\s(?:heard|read)|(?:i\swas|we\swere)\stold|apparently|supposedly|reportedly|rumou?r"
    rf"|(?:{_SOURCES})\s(?:{_SAID})|(?:my|our|a)\s(?:{_KIN})s?|word\sof\smouth|as\sothers"
    r"|other\s(?:reviews?|reviewers?|guests|users|people))\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|[Mm]e|[Uu]s|[Mm]ine|[Oo]urs|i'(?:m|ve|d))\b|\bi\s"
)


def evidence_of(clause: str, sentence: str, document_is_personal: bool) -> Evidence:
    """Return what the clause rests on.

    Figures with a unit in the clause make it data-driven; a source other than the author makes it anecdotal;
    the first person, in the sentence or anywhere in the document, makes it personal; else it is unknown.
    """
    if _FIGURES.search(clause):
        return "data-driven"
    if _HEARSAY.search(clause):
        return "anecdotal"
    if document_is_personal or is_personal(sentence):
        return "personal"
    return "unknown"


def is_personal(text: str) -> bool:
    """Whether the author speaks in the first person anywhere in ``text``."""
    return _FIRST_PERSON.search(text) is not None


__all__ = ["evidence_of", "is_personal"]
