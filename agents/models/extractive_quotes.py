"""Which words of a document may stand in an answer as a voice, and where they begin: always verbatim."""

from __future__ import annotations

import re
from typing import Final

#: Longest quote, in characters; a longer clause is cut at a word.
LONGEST: Final = 280
SHORTEST: Final = 12
#: Signs that would read as a citation or end the quotation early.
_UNQUOTABLE = re.compile(r"\[\s*\d+\s*\]|[“”]")
#: A link to a sentence that is not quoted. Without a comma most of these words are part of what is said ("So good!").
_LINK = re.compile(
    r"(?:(?:however|also|but|and|so|plus|still|though|although|yet|besides|moreover|furthermore|additionally|then"
    r"|in addition|on the other hand|that said|nevertheless|nonetheless|otherwise|meanwhile|similarly|likewise)\s*,"
    r"|(?:but|and)(?!\s+(?:for|not|so|yet|then|if|when|that|which|who)\b)"
    r"|also(?=\s+(?:the|a|an|i|we|my|our|it|they|he|she|this|that|no)\b))\s+",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\?[\"'”’)\s!?.]*$")
_ASKED_BEHIND = re.compile(r"[\"'”’)\s]*[!?]*\?")
_WORD = re.compile(r"[^\W_]+")


def quotable(quote: str, behind: str = "") -> bool:
    """Return whether a quote can stand in an answer without being taken for something else.

    Parameters
    ----------
    behind
        The document's next characters: a question whose mark lies just behind the quote is a question.
    """
    if len(quote.strip()) < SHORTEST or _UNQUOTABLE.search(quote):
        return False
    return not (_QUESTION.search(quote) or _ASKED_BEHIND.match(behind))


def opening(quote: str) -> int:
    """Return where a quote begins once a link to the sentence before it ("However, ") is left out."""
    start = len(quote) - len(quote.lstrip())
    while (link := _LINK.match(quote, start)) and len(quote[link.end() :].strip()) >= SHORTEST:
        start = link.end()
    return start


def same_words(quote: str) -> str:
    """Return what two quotes share that say the same in the same words: case, punctuation and a link aside.

    Quotes that are cut to the same beginning are the same: what is read is what stands in the answer.
    """
    return " ".join(_WORD.findall(shorten(quote[opening(quote) :]).casefold()))


def shorten(quote: str) -> str:
    """Return the quote, cut at a word when it is too long; always a beginning of it."""
    if len(quote) <= LONGEST:
        return quote
    cut = quote[:LONGEST]
    return cut[: cut.rfind(" ")] if " " in cut else cut


def fold(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


__all__ = ["LONGEST", "SHORTEST", "fold", "opening", "quotable", "same_words", "shorten"]
