"""Ties the author groups that a question names to the attribute values of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.models.router_reading import Reading
from agents.models.router_values import (
    DENYING,
    ages,
    distinct_forms,
    is_age,
    is_number,
    is_place,
    number_words,
    own_forms,
    stem,
)


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """One attribute value that a question names.

    Attributes
    ----------
    attribute, value
        As the corpus spells them.
    phrase
        The question's words. Several values of one attribute under one phrase mean "any of these" ("over 45").
    at
        Where the value itself stands in the phrase's question: the first of its pieces, and one after the last.
    """

    attribute: str
    value: str
    phrase: str
    at: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Found:
    """A value where it stands, and whether it is surely said of authors."""

    start: int
    end: int
    sure: bool
    item: GroupFilter


def match_groups(question: str, attributes: Mapping[str, Sequence[str]]) -> tuple[GroupFilter, ...]:
    """Tie the author groups that ``question`` names to values of a corpus.

    Parameters
    ----------
    question
        The question as typed.
    attributes
        Attribute name -> its distinct values in the corpus (``"country" -> ("Australia", "United Kingdom")``).

    Returns
    -------
    tuple of GroupFilter
        In order of the question; "compare A and B" gives both. A value counts only where it is said of authors
        ("guests from Australia", not "flights from Australia"), or where two values of one attribute are compared.
    """
    asked = Reading(question)
    found: list[_Found] = []
    for attribute, values in attributes.items():
        for value in values:
            found += (
                _by_number(asked, attribute, value) if is_number(value) else _by_name(asked, attribute, value)
            )
        if is_age(attribute):
            found += _by_age(asked, attribute, values)
    return _resolve(_joined(found, asked), asked)


def _by_name(asked: Reading, attribute: str, value: str) -> Iterator[_Found]:
    for form in distinct_forms(attribute, value):
        for start, end in asked.find(form):
            if asked.word(start - 1) in DENYING:
                continue  # "non-German", "guests without children": the others
            # Two words and more are a name ("family leisure"); of numbers, one word, and a place, who knows.
            plain = len(form) > 1 and form in own_forms(value) and asked.blanks(start, end)
            plain = plain and not is_place(attribute, value) and not any(word[0].isdigit() for word in form)
            run = asked.said_of_people(attribute, start, end) or asked.beside(attribute, start, end)
            first, last = run or (start, end)
            item = GroupFilter(attribute, value, asked.phrase(first, last), (start, end))
            yield _Found(start, end, run is not None or plain, item)
        run = asked.as_adverb(attribute, form)
        if run is not None and form in own_forms(value):
            yield _Found(*run, True, GroupFilter(attribute, value, asked.phrase(*run), run))


def _by_number(asked: Reading, attribute: str, value: str) -> Iterator[_Found]:
    for word in number_words(value):
        for start, end in asked.find((stem(word),)):
            if (run := asked.numbered(attribute, start, end)) is not None:
                yield _Found(*run, True, GroupFilter(attribute, value, asked.phrase(*run), run))


def _by_age(asked: Reading, attribute: str, values: Sequence[str]) -> Iterator[_Found]:
    for start, end in asked.spans:
        phrase = asked.phrase(start, end)
        stated = None if "born" in phrase.lower() else ages(phrase)
        for value in values if stated else ():
            band = ages(value)
            if stated and band and band[0] <= stated[1] and stated[0] <= band[1]:
                # an empty run hides no other
                yield _Found(start, start, True, GroupFilter(attribute, value, phrase, (start, start)))


def _joined(found: Sequence[_Found], asked: Reading) -> list[_Found]:
    """Return the values with those sure that stand beside a sure one: "residents of Northfield and Harbour"."""
    kept = list(found)
    for _ in found:
        ends = {(each.item.attribute, each.end) for each in kept if each.sure and each.end > each.start}
        more = [
            replace(each, sure=True)
            if not each.sure and (each.item.attribute, asked.joins(each.start)) in ends
            else each
            for each in kept
        ]
        if more == kept:
            break
        kept = more
    return kept


def _resolve(found: Sequence[_Found], asked: Reading) -> tuple[GroupFilter, ...]:
    """Drop runs inside longer runs of one attribute, and doubtful ones unless two of one attribute are compared."""
    kept: dict[tuple[str, str], tuple[int, GroupFilter]] = {}
    doubtful: dict[str, set[int]] = {}
    for each in found:
        doubtful.setdefault(each.item.attribute, set()).add(each.start)
    for each in found:
        inside = any(
            other.sure
            and other.start <= each.start < each.end <= other.end
            and other.end - other.start > each.end - each.start
            for other in found
        )
        several = asked.compares and len(doubtful[each.item.attribute]) > 1
        compared = several and asked.ends_comparing(each.end)
        if not inside and (each.sure or compared):
            kept.setdefault((each.item.attribute, each.item.value), (each.start, each.item))
    return tuple(item for _, item in sorted(kept.values(), key=lambda pair: pair[0]))


__all__ = ["GroupFilter", "ages", "match_groups"]
