"""How much a matter weighs for the author: 10, 20 or 30 (O-RAG section 4)."""

from __future__ import annotations

import re
from typing import Final

from store.records import IMPACT, Intensity

#: Words of a matter that decided something, or that the author puts first.
_DECISIVE: Final = re.compile(
    r"\b(?:never\sagain|won'?t\s(?:be\s)?(?:back|return\w*)|will\s(?:not|never)\s(?:be\sback|return|stay|go|buy)"
    r"|not\sbe\sback|will\s(?:definitely\s)?(?:be\sback|return|stay\sagain|come\sback)"
    r"|would\s(?:definitely\s)?(?:stay|come|go|return|buy)\s(?:here\s)?again"
    r"|ruined|deal\s?-?breaker|(?:main|only|the)\sreason|biggest|(?:best|worst)\spart|highlight|favou?rite"
    r"|most\simportant(?:ly)?|above\sall|refund\w*|(?:checked\sout|left)\searly|avoid|stay\saway"
    r"|made\s(?:our|my)\s(?:stay|trip|day)|worst|best\s\w+\s(?:ever|i)|highly\srecommend\w*|must|not\srecommend"
    r"|don'?t\s(?:stay|buy|bother)|health|unsafe|danger\w*|sick|bed\s?bugs?|roach\w*|police|emergency"
    r"|return(?:ed|ing)\sit|sent\sit\sback|broke\sdown|defective|completely|totally|absolutely)\b",
    re.IGNORECASE,
)
_MINOR: Final = re.compile(
    r"\b(?:minor|only\s(?:complaint|thing|issue|problem|con|downside|negative)|slight(?:ly)?|little|a\sbit|small"
    r"|somewhat|nit-?pick\w*|not\sa\s(?:big\s)?(?:deal|problem)|no\sbig\sdeal|nothing\smajor|didn'?t\smatter"
    r"|fine|ok|okay)\b",
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
