"""Limits that a question states and that no filter stands for: a month of no year, "non-German", an unknown country."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agents.models.router_breakdown import Column
from agents.models.router_groups import demonyms, group_spans, is_people, places, words_of
from agents.models.router_left_out import left_out
from agents.models.router_period import find_period
from agents.models.router_text import class_of, fold

_MONTH: Final = "|".join(name.lower() for name in calendar.month_name if name)
_IN_MONTH: Final = re.compile(
    rf"\b(?:in|during|since|until|before|after|from|last|this|throughout) (?:early |late |mid-?)?(?:{_MONTH})\b(?! \d)"
)
#: "non-German", "not from Germany"; what is left out by a word of its own ("except Germans") reads ``left_out``.
_NOT: Final = (
    r"\b(?:non[- ]?|(?:not|isn't|aren't|wasn't|weren't|don't|doesn't)(?: (?:come|comes|live|lives|aged|based))?"
    r"(?: (?:from|in|of|on|at|with|using))? (?:the )?)"
)
_WITHOUT: Final = (
    r"(?:unknown|unspecified|unstated|undisclosed|missing|undeclared|no"
    r"|without (?:an? |any |their )?(?:known |stated )?"
    r"|(?:not|never|don't|doesn't|didn't|did not|do not|does not) (?:state|give|tell|name|have|disclose|declare|say)s? "
    r"(?:an? |any |their |the )?)"
)
#: People who do not say who they are, or are not of a place: counted, or refused with a word.
_TELLS_NO: Final = re.compile(
    r"^(?:the |all )*[^\W\d_]+ (?:(?:are|is|come|comes|live|lives|who|do|does|did) )+not "
    r"(?:from|in|come|live|state|tell|give)\b"
    r"|^(?:the |all )*[^\W\d_]+ (?:have|has|tell|tells|state|states|give|gives) no [^\W\d_]+$"
)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A column of which a question asks for the documents without a value: its attribute, noun and the words."""

    name: str
    noun: str
    phrase: str


def counts_authors(question: str) -> Literal["number", "share"] | None:
    """Return what is counted of the people that are all that a question counts, or None.

    "What share of visitors is from Germany", "how many guests are over 65", "how many patients do not tell their age":
    a number or share, of people, and nothing else but where they come from or how old they are.
    """
    text = fold(question).strip(" ?.!")
    share = re.match(
        r"(?:and |so )?(?:what|which)(?: is| was)?(?: the)? (?:share|percentage|percent|proportion|fraction|part) of ",
        text,
    )
    number = re.match(r"(?:and |so )?(?:how many|what is the number of|count)(?: of)? ", text)
    opened = share or number
    if opened is None:
        return None
    rest = text[opened.end() :]
    # the people that are counted open the rest: "the visitors are ..."
    head = re.match(r"(?:the |all |all the |our |your )?(?P<who>[^\W\d_]+)\b", rest)
    if head is None or not (is_people(head["who"]) or class_of(head["who"]) == "PPL"):
        return None
    words = words_of(rest)
    spans = group_spans(rest, words)
    whole = len(spans) == 1 and words[spans[0][1] - 1 :][1:] == []
    return None if not (whole or _TELLS_NO.search(rest)) else ("share" if share else "number")


def unknown_column(question: str, columns: Mapping[str, Column]) -> Unknown | None:
    """Return the attribute that the documents asked for do not tell ("no country", "of unknown age"), or None."""
    nouns = {noun: name for noun, (kind, name) in columns.items() if kind == "attribute" and name}
    if not nouns:
        return None
    for noun in [*nouns]:  # "age", of an age band
        nouns.setdefault(noun.split()[0], nouns[noun])
    called = "|".join(re.escape(noun) for noun in sorted(nouns, key=len, reverse=True))
    text = fold(question)
    if match := re.search(rf"\b{_WITHOUT} ?(?P<noun>{called})\b(?! (?:like|lik|prais|complain))", text):
        return Unknown(nouns[match["noun"]], match["noun"], question[match.start() : match.end()])
    if match := re.search(rf"\bwhose (?P<noun>{called}) is (?:unknown|missing|not \w+)\b", text):
        return Unknown(nouns[match["noun"]], match["noun"], question[match.start() : match.end()])
    return None


def excluded(question: str, attributes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return all that a question leaves out, in its words: "non-German", "not from Lisbon", "except Germans".

    ``attributes`` maps an author attribute to its values; countries and their people are known of any corpus.
    """
    values = {fold(value) for known in attributes.values() for value in known if value}
    called = "|".join(
        re.escape(each) for each in sorted(values | places() | set(demonyms()), key=len, reverse=True)
    )
    found = re.finditer(rf"{_NOT}(?:{called})(?!\w)", fold(question))
    return (*left_out(question), *(question[match.start() : match.end()] for match in found))


def located(question: str, attributes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the countries, and values of a column of places, that a question says that something is in or from."""
    values = {
        fold(value)
        for name, known in attributes.items()
        if re.search(r"country|nation|region|city|state|province|district|ward|location|origin", fold(name))
        for value in known
        if value
    }
    called = "|".join(re.escape(each) for each in sorted(values | places(), key=len, reverse=True))
    found = re.finditer(rf"\b(?:in|from|near|within) (?:the )?(?:{called})(?!\w)", fold(question))
    return tuple(question[match.start() : match.end()] for match in found)


def months_of_no_year(question: str) -> tuple[str, ...]:
    """Return "in March", where no year tells which one."""
    if find_period(fold(question))[1]:
        return ()
    return tuple(question[match.start() : match.end()] for match in _IN_MONTH.finditer(fold(question)))


__all__ = ["Unknown", "excluded", "located", "months_of_no_year", "unknown_column"]
