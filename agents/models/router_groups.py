"""Author groups that a question names, as phrases and as values of the corpus' attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.models.router_data import lexicon
from agents.models.router_text import fold


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """One attribute value that a question names. Several of one phrase and attribute mean "any of these"."""

    attribute: str
    value: str
    phrase: str


_GENERIC = frozenset(
    "people person persons everyone everybody anyone anybody someone others they you most public audience majority fans experts critics".split()
)
_KIN = frozenset("men women man woman male female males females couple couples family families child children kid kids teen teens teenager teenagers adult adults senior seniors millennials retirees pensioners students parents vegetarians vegans backpackers locals businesspeople businessmen newcomers beginners professionals nurses doctors teachers homeowners".split())  # fmt: skip
_QUALIFIER = "business|leisure|solo|single|young|younger|old|older|elderly|middle-aged|female|male|married|frequent|first-time|repeat|returning|new|experienced|senior|junior|economy|first class|first-class|business class|premium|local|foreign|domestic|international|verified|long-term|small|large|big|budget|luxury|family|couple|group|disabled|pregnant|urban|rural|gay|lgbt"


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    people = "|".join(
        sorted(
            lexicon()["people"] - {"they", "you", "most", "others", "public", "majority"},
            key=len,
            reverse=True,
        )
    )
    demonyms = "|".join(
        sorted((re.escape(d) for d in lexicon()["countries_demonyms"]), key=len, reverse=True)
    )
    author = rf"{people}|reviews|comments|opinions|complaints|feedback|views|posts|ratings|those"
    stop = r"(?= (?:think|feel|say|like|love|hate|find|rate|complain|mention|describe|see|view|about|on|of|who|that|when|regarding|compare|compared|differ|versus|vs|do|does|did|are|is|were|was|have|in|than|with|praise|enjoy|prefer|dislike|recommend|experience|report|believe|agree|disagree)\b|[?.,;!]|$)"
    place = r"[^\W\d_][\w'.-]*(?: (?:of|and|the|&)? ?[^\W\d_][\w'.-]*){0,4}?"
    return tuple(
        re.compile(p, re.IGNORECASE)
        for p in (
            rf"\b(?:(?:{_QUALIFIER}|{demonyms}) )?(?:{author}) (?:from|living in|based in|residing in) (?:the )?{place}{stop}",
            rf"\b(?:(?:{_QUALIFIER}|{demonyms}) )?(?:{author}) (?:aged?|ages|over|under|above|below|older than|younger than|between(?: the ages of)?|in their)(?: of)? [\w+-]+(?: (?:to|and|-) \d+)?(?: (?:and|or) (?:over|under|older|younger))?",
            rf"\b(?:(?:{_QUALIFIER}|{demonyms}) ){{1,2}}(?:{people})\b",
            rf"\b(?:{people}) (?:travell?ing|staying|flying) (?:alone|solo|on business|for business|for leisure|with (?:kids|children|family|friends|a partner|their families|their family))\b",
            rf"\b(?:{'|'.join(d for d in sorted(lexicon()['countries_demonyms'], key=len, reverse=True) if d.endswith(('an', 'er', 'ard', 'ane', 'swede', 'finn', 'kiwi', 'aussie', 'saudi', 'emirati', 'thai')))})s\b",
            rf"\b(?:{'|'.join(sorted(_KIN, key=len, reverse=True))})\b",
        )
    )


def find_groups(question: str) -> tuple[str, ...]:
    """Return the author-group phrases of a question as it words them, in order, the longest of each place."""
    spans: list[tuple[int, int]] = []
    for pattern in _patterns():
        for match in pattern.finditer(question[:2000]):
            if all(match.end() <= start or match.start() >= end for start, end in spans):
                spans.append(match.span())
    return tuple(question[start:end].strip() for start, end in sorted(spans))


def _norm(text: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.findall(r"[^\W_]+", fold(spaced)))


def _singular(word: str) -> str:
    irregular = {
        "men": "man",
        "women": "woman",
        "children": "child",
        "people": "person",
        "families": "family",
        "males": "male",
        "females": "female",
        "travelers": "traveller",
        "traveler": "traveller",
    }
    if word in irregular:
        return irregular[word]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _same(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(_singular(w) for w in words)


_AGE = re.compile(
    r"(\d{1,3}) ?(?:-|to|and|–) ?(\d{1,3})|(\d{1,3}) ?\+|(?:over|above|older than|under|below|younger than|aged?|ages) (\d{1,3})|their (\w+)"
)
_DECADES = {
    "teens": 13,
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
}
_GENDER = {
    "man": "male",
    "men": "male",
    "woman": "female",
    "women": "female",
    "m": "male",
    "f": "female",
    "male": "male",
    "female": "female",
    "males": "male",
    "females": "female",
}


def _band(text: str) -> tuple[int, int] | None:
    """Return the ages (both included) that ``text`` states, or None."""
    text = fold(text)
    match = _AGE.search(text)
    if match is None:
        return None
    if match[1]:
        return int(match[1]), int(match[2])
    if match[3]:
        return int(match[3]), 200
    if match[4]:
        age = int(match[4])
        if re.search(r"over|above|older than", match[0]):
            return age + 1, 200
        if re.search(r"under|below|younger than", match[0]):
            return 0, age - 1
        return age, age
    word = match[5]
    start = _DECADES.get(word) or (int(word[:-1]) if re.fullmatch(r"\d0s", word) else None)
    return None if start is None else (start, 19 if start == 13 else start + 9)


def match_groups(question: str, attributes: Mapping[str, Sequence[str]]) -> tuple[GroupFilter, ...]:
    """Tie the author groups that ``question`` names to values of a corpus.

    Parameters
    ----------
    question
        The question as typed.
    attributes
        Attribute name -> its distinct values in the corpus ("country" -> "Australia", "United Kingdom").

    Returns
    -------
    tuple of GroupFilter
        In order of the question. Exact words win, then singular and plural, demonyms, age bands, genders.
    """
    found: list[tuple[int, GroupFilter]] = []
    for phrase in find_groups(question):
        place = question.find(phrase)
        found += [(place, GroupFilter(a, v, phrase)) for a, v in _match_phrase(phrase, attributes)]
    seen: dict[tuple[str, str], GroupFilter] = {}
    for _, item in sorted(found, key=lambda pair: pair[0]):
        seen.setdefault((item.attribute, item.value), item)
    return tuple(seen.values())


def _match_phrase(phrase: str, attributes: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    words = _norm(phrase).split()
    stems = _same(words)
    joined = f" {' '.join(stems)} "
    places = {
        p
        for d, names in lexicon()["countries_demonyms"].items()
        if re.search(rf"\b{re.escape(d)}s?\b", " ".join(words))
        for p in names
    }
    aliases = {
        name
        for names in lexicon()["countries_demonyms"].values()
        if any(f" {n} " in f" {' '.join(words)} " for n in names)
        for name in names
    }
    ages = _band(phrase) if re.search(r"\d|their|aged?", fold(phrase)) else None
    genders = {_GENDER[w] for w in words if w in _GENDER}
    matched: list[tuple[int, str, str]] = []
    for attribute, values in attributes.items():
        for value in values:
            norm = _norm(value)
            if not norm:
                continue
            if norm in places or norm in aliases:
                matched.append((len(norm), attribute, value))
            elif ages and re.search(r"\d", value) and "age" in fold(attribute):
                band = _band(value) or _band(f"aged {value}")
                if band and band[0] <= ages[1] and ages[0] <= band[1]:
                    matched.append((99, attribute, value))
            elif norm in _GENDER and _GENDER[norm] in genders:
                matched.append((len(norm), attribute, value))
            elif f" {' '.join(_same(norm.split()))} " in joined and not norm.isdigit() and len(norm) > 1:
                matched.append((len(norm), attribute, value))
            elif (
                len(stems) > 1
                and (head := _same(norm.split())[0]) == stems[0]
                and _same(norm.split())[-1] in {"leisure", "traveller", stems[-1]}
                and head not in {"the"}
            ):
                matched.append((len(head), attribute, value))
    best: dict[str, int] = {}
    for size, attribute, _ in matched:
        best[attribute] = max(best.get(attribute, 0), size)
    return [
        (attribute, value)
        for size, attribute, value in matched
        if size == best[attribute] or attribute and size == 99 or _norm(value) in places | aliases
    ]


__all__ = ["GroupFilter", "find_groups", "match_groups"]
