"""How much a matter weighs for the author: 10, 20 or 30 (O-RAG section 4)."""

from __future__ import annotations

import re
from typing import Final

from store.records import IMPACT, Intensity

_DECISIVE: Final = re.compile(
    r"""\b(?:never\ again|won'?t\ (?:be\ )?(?:back|return\w*)|will\ (?:not|never)\ (?:be\ back|return|stay|go|buy)|not\ be\ back
        |will\ (?:definitely\ )?(?:be\ back|return|stay\ again|come\ back)|would\ (?:definitely\ )?(?:stay|come|go|return|buy)\ (?:here\ )?again
        |ruined|deal\s?-?breaker|main\ reason|only\ reason|the\ reason|biggest|best\ part|worst\ part|highlight|favou?rite
        |most\ important(?:ly)?|above\ all|refund\w*|checked\ out\ early|left\ early|avoid|stay\ away|made\ (?:our|my)\ (?:stay|trip|day)
        |worst|best\ \w+\ (?:ever|i)|highly\ recommend\w*|must|not\ recommend|don'?t\ (?:stay|buy|bother)|health|unsafe|danger\w*|sick
        |bed\s?bugs?|roach\w*|police|emergency|return(?:ed|ing)\ it|sent\ it\ back|broke\ down|defective|completely|totally|absolutely)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_MINOR: Final = re.compile(
    r"\b(?:minor|only\s(?:complaint|thing|issue|problem|con|downside|negative)|slight(?:ly)?|little|a\sbit|small|somewhat"
    r"|nit-?pick\w*|not\sa\s(?:big\s)?(?:deal|problem)|no\sbig\sdeal|nothing\smajor|didn'?t\smatter|fine|ok|okay)\b",
    re.IGNORECASE,
)


def impact_of(clause: str, intensity: Intensity, mentions: int) -> int:
    """Return 30, 20 or 10.

    Parameters
    ----------
    clause
        The words.
    intensity
        Strength of the opinion in the clause.
    mentions
        How often the document names the entity: coming back to a thing shows that it matters.
    """
    points = {"high": 2, "medium": 1, "low": 0, "none": 0}[intensity] + (mentions >= 3) + ("!" in clause)
    if _DECISIVE.search(clause):
        points += 2
    if _MINOR.search(clause):
        points -= 2
    return IMPACT["high"] if points >= 3 else IMPACT["medium"] if points >= 1 else IMPACT["low"]


__all__ = ["impact_of"]
