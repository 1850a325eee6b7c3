"""Tells people that a question asks from people that it asks about: "What do guests think of the hosts?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_DET: Final = (
    r"(?:(?:the|their|this|that|these|those|its|our|your|his|her|a|an|any"
    r"|most|many|some|all|other|both)\s+){0,2}"
)
#: Who is asked in most questions, so that no topic is looked for in these words.
ASKED: Final = frozenset(
    re.findall(
        r"\w+",
        """
        buyers customers guests passengers shoppers travelers travellers users visitors residents citizens commuters
        owners students patients parents subscribers players employees fans viewers listeners readers diners tenants
        voters pupils neighbours neighbors participants members reviewers
        """,
    )
)
_HAPPY: Final = (
    r"happy|unhappy|satisfied|dissatisfied|unsatisfied|pleased|displeased|annoyed|disappointed|angry|upset|worried"
    r"|impressed|unimpressed|delighted|frustrated|thrilled|bothered|content|fed\s+up"
)
_VIEWS: Final = (
    r"opinions?|views?|thoughts?|feelings?|feedback|comments?|reviews?|complaints?|criticisms?|praise|experiences?"
    r"|concerns?|impressions?|reactions?|attitudes?|sentiments?|perceptions?"
)
_JUDGE: Final = (
    r"think|thinks|thought|say|says|said|believe\w*|complain\w*|want\w*|prefer\w*|reckon\w*|love\w*|hate\w*|likes?"
    r"|liked|dislike\w*|enjoy\w*|appreciate\w*|prais\w*|mention\w*|describe\w*|report\w*|rates?|rated|find|found"
    r"|critici[sz]\w*|recommend\w*|expect\w*|agree\w*|disagree\w*|differ\w*|(?:feel|feels|felt)\s+(?:about|on|that|of)"
)
#: Behind people who are asked: "nurses in Harbour really think".
_ASKED_AFTER: Final = re.compile(
    r"^(?:\s+(?:from|in|of|at|on|aged|over|under|who|with)\s+(?:[\w+-]+\s+){0,3}?[\w+-]+)?"
    rf"(?:\s+(?:\w+ly|still|also|often|all|both|mostly|do|did|have))?\s+"
    rf"(?:{_JUDGE}|(?:is|are|was|were)\s+(?:\w+\s+)?(?:{_HAPPY}))\b",
    re.IGNORECASE,
)
_ASKED_BEFORE: Final = re.compile(
    rf"\b(?:by|among|amongst|according\s+to|from)\s+{_DET}(?:(?!(?:{_JUDGE})\b)[\w-]+\s+)?$",
    re.IGNORECASE,
)
_ARE_BEFORE: Final = re.compile(rf"\b(?:is|are|was|were)\s+{_DET}$", re.IGNORECASE)
_ARE_HAPPY: Final = re.compile(rf"^\s+(?:\w+\s+)?(?:{_HAPPY})\b", re.IGNORECASE)
_HAPPY_WITH: Final = re.compile(rf"^\s+(?:{_HAPPY})\s+(?:with|about|by)\b", re.IGNORECASE)
_VIEWS_OF: Final = re.compile(rf"\b(?:{_VIEWS})\s+(?:of|from|by|among|held\s+by)\s+{_DET}$", re.IGNORECASE)
_ON: Final = re.compile(
    r"^[^.?!]*?\b(?:on|about|regarding|concerning|towards?|in\s+terms\s+of)\b", re.IGNORECASE
)
#: Before what a question is about, whoever that is.
_TOPIC_BEFORE: Final = re.compile(
    r"(?:(?<!\bwhat\s)(?<!\bhow\s)(?<!\btell\sme\s)(?<!\bknow\s)\b(?:about|regarding|concerning|towards?)\s+"
    r"|\b(?:think|thinks|thought|say|says|said|make|makes|made|hear|heard|speak|spoke|talk|approve|disapprove|complain)"
    r"\s+(?:of|on)\s+"
    rf"|\b(?:{_HAPPY}|problems?|issues?|trouble|wrong|experiences?)\s+(?:with|by|about)\s+"
    rf"|\b(?:{_VIEWS})\s+on\s+|\b(?:praise|criticism)\s+for\s+"
    r"|\b(?:likes?|liked|loves?|loved|hates?|hated|dislike[sd]?|enjoy\w*|prais\w+|mention\w*|critici[sz]\w+"
    r"|appreciate[sd]?|prefer\w*|discuss\w*|how\s+(?:good|bad)\s+(?:are|were))\s+)"
    rf"{_DET}(?:(?!(?:{_JUDGE})\b)[\w-]+\s+)?$",
    re.IGNORECASE,
)
#: "What about the guests?" asks about them, or how they see it: only the rest of the question tells.
_WHAT_ABOUT: Final = re.compile(rf"\b(?:what|how|tell\s+me|know)\s+about\s+{_DET}$", re.IGNORECASE)
_COMPARED: Final = re.compile(rf"(?:^\W*(?:compare|contrast)|\bbetween)\s+{_DET}$", re.IGNORECASE)
#: Behind what is compared itself: "Are the guests better than the host?"
_MEASURED: Final = re.compile(
    r"^\s+(?:compare[sd]?\s+(?:to|with)|(?:\w+\s+)?(?:better|worse|\w+er|(?:more|less)\s+\w+)\s+than)\b",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(
    rf"(?:\s+(?:and|or|nor|versus|vs\.?|than|as\s+well\s+as)\s+|\s*[,&]\s*(?:and\s+|or\s+)?){_DET}$",
    re.IGNORECASE,
)
#: A pair that is asked about by itself: "Guests or host: who is better?", "What is better, the guests or the music?"
_PAIR_BEFORE: Final = re.compile(rf"(?:^\W*|[,:;]\s*){_DET}$", re.IGNORECASE)
_PAIR_AFTER: Final = re.compile(rf"^\s+(?:and|or|versus|vs\.?)\s+{_DET}[\w-]+\s*(?:[?.,:;]|$)", re.IGNORECASE)
#: Behind whoever judges, and no thing: "players love", "doctors and nurses think".
_THINKS: Final = re.compile(
    rf"^(?:\s+(?:and|or)\s+{_DET}[\w-]+)?(?:\s+(?:\w+ly|still|also|often|all|both|mostly))?\s+"
    r"(?:think|believe|complain|want|prefer|reckon|love|hate|like|enjoy|appreciate|dislike|agree|disagree"
    r"|(?:feel|say)\s+(?:about|on|that|of|regarding))\b",
    re.IGNORECASE,
)
#: Before who judges, whatever says which ones: "Do the PS5 players", "Do doctors and nurses".
_DOES: Final = re.compile(
    rf"\b(?:do|does|did|would|will|how\s+many|(?:share|percentage|proportion|number|majority)\s+of)\s+{_DET}"
    rf"(?:(?!(?:{_JUDGE}|of|about|with|on|in|at|from|for|to|by|than|who|that)\b)[\w'-]+\s+|,\s*){{0,4}}$",
    re.IGNORECASE,
)
#: "guests of the hotel": who is asked, not what about.
_WHO: Final = re.compile(
    r"^.*\b(?:people|guests?|customers?|users?|visitors?|travell?ers?|reviewers?|passengers?|buyers?|members?|you|they|we)"
    r"\b(?P<between>[^.?!]{0,20}?)\b(?:of|at|in|to|with)\s+(?:the|this|that|these|those)?\s*$",
    re.IGNORECASE | re.DOTALL,
)
#: What makes "people think of the" no "people of the".
_VERB: Final = re.compile(
    rf"\b(?:{_JUDGE}|{_HAPPY}|{_VIEWS}|feel|feels|felt|make|makes|made|hear|heard|speak|spoke|talk\w*|respond\w*|react\w*"
    r"|refer\w*|listen\w*|object\w*|approve\w*|compar\w+|problems?|issues?|trouble)\b",
    re.IGNORECASE,
)


def tells_who(before: str) -> bool:
    """Tell whether what follows ``before`` says which people: "guests of the ", but not "people think of the "."""
    match = _WHO.search(before)
    return match is not None and _VERB.search(match["between"]) is None


def is_asked(question: str, start: int, end: int) -> bool:
    """Tell whether the people named at ``start`` to ``end`` are those whose views are asked for."""
    if _about(question[:start], question[end:]):
        return False
    before, after = question[:start], question[end:]
    if _VIEWS_OF.search(before):
        return _ON.search(after) is not None
    if _ARE_BEFORE.search(before):
        return _ARE_HAPPY.search(after) is not None
    return bool(_ASKED_BEFORE.search(before) or _ASKED_AFTER.search(after))


def judges(question: str, start: int, end: int) -> bool:
    """Tell whether what is named at ``start`` to ``end`` judges, and so is no thing: "What do drivers think of it?"."""
    before, after = question[:start], question[end:]
    happy = _ARE_BEFORE.search(before) and _HAPPY_WITH.search(after)
    judging = bool(happy or (_DOES.search(before) and _THINKS.search(after)))
    return judging and not _about(before, after)


def is_topic(question: str, start: int, end: int, *, widely: bool = False) -> bool:
    """Tell whether what is named at ``start`` to ``end`` stands where only that stands which is asked about.

    "the guests" of "think of the guests", "the music and the guests", "compare the host and the guests". ``widely`` of
    "what about the guests" and "the opinion of the guests" too, which may as well ask how they see it.
    """
    return _about(question[:start], question[end:], widely)


def _about(before: str, after: str, widely: bool = False) -> bool:
    if widely and _WHAT_ABOUT.search(before):
        return True
    if _TOPIC_BEFORE.search(before) or _MEASURED.search(after):
        return True
    if _PAIR_BEFORE.search(before) and _PAIR_AFTER.search(after):
        return True
    if widely and _VIEWS_OF.search(before):
        return _ON.search(after) is None
    if _COMPARED.search(before):
        return _ON.search(after) is None
    return any(_about(shorter, f" and {after}", widely) for shorter in _joined_to(before))


def _joined_to(before: str) -> Iterator[str]:
    """Yield what stands before the one, two or three words that "and" joins to what follows."""
    match = _JOINED.search(before)
    if match is None:
        return
    rest = before[: match.start()]
    for _ in range(3):
        word = re.search(r"[\w'-]+\s*$", rest)
        if word is None or _VERB.fullmatch(word[0].strip()):
            return
        rest = rest[: word.start()]
        if not re.search(r"\b(?:the|their|its|our|your|a|an|and|or)\s*$", word[0], re.IGNORECASE):
            yield rest


__all__ = ["ASKED", "is_asked", "is_topic", "judges", "tells_who"]
