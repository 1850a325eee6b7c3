"""Say what an opinion rests on: own experience, hearsay or figures (O-RAG section 4)."""

from __future__ import annotations

import re
from typing import Final

from store.records import Evidence

_FIGURES: Final = re.compile(
    r"""[$€£¥]\s?\d | \d[\d.,]*\s?(?:%|percent\b|per\ cent\b|dollars?\b|euros?\b|pounds?\b|usd\b|eur\b|gbp\b|bucks?\b
        |(?:hours?|hrs?|minutes?|mins?|seconds?|secs?|days?|nights?|weeks?|months?|years?|times|miles?|km|kms|metres?
          |meters?|feet|ft|inch(?:es)?|blocks?|floors?|mb|gb|mbps|kbps|fps|dpi|degrees?|stars?|kg|lbs?|pounds?
          |litres?|liters?|guests|people|rooms|seats|beds|towels)\b)
      | \d+\s?(?:out\ of|of\ the|/)\s?\d+
      | \b(?:two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|hundred)
        \s(?:hours?|minutes?|days?|nights?|weeks?|months?|years?|times|dollars|miles|blocks)\b
      | \b(?:on\ average|measured|statistics|survey|studies\ show|according\ to\ the\ data)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_HEARSAY: Final = re.compile(
    r"""\b(?:i(?:'ve|\ have)?\ (?:heard|read)|(?:i\ was|we\ were)\ told|apparently|supposedly|reportedly|rumou?r
        |(?:people|they|others|everyone|reviews?|reviewers?|some|many|locals|guests|users|customers)\ (?:say|said|claim|claimed|told|
         complain|complained|mention|mentioned|report|reported|love|hate)
        |(?:my|our|a)\ (?:friend|wife|husband|partner|son|daughter|kids?|children|mother|father|mom|mum|dad|sister|brother
         |boss|colleague|co-?worker|neighbou?r|family|daughters|sons|friends|colleagues)s?\b
        |word\ of\ mouth|other\ (?:reviews?|reviewers?|guests|users|people)|as\ others)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(
    r"(?:\b(?:I|[Ww]e|[Mm]y|[Oo]ur|[Mm]e|[Uu]s|[Mm]ine|[Oo]urs|i'm|i've|i'd|I'm|I've)\b|\bi\s)"
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
