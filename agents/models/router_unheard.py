"""Restrictions that stand in a question and in no filter: known values that are not used, groups nobody knows."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from agents.models.router_data import lexicon
from agents.models.router_groups import demonyms, is_people
from agents.models.router_match import GroupFilter
from agents.models.router_reading import DOES, RELATIVE, Reading, is_participle
from agents.models.router_text import class_of, fold
from agents.models.router_values import attribute_names, distinct_forms, is_number, own_forms, stem

#: Before a value that tells where something is, or by what means.
_PLACED: Final = frozenset(("in", "on", "at", "from", "of", "via", "within", "using", "through", "near"))
#: Between people and the name of what they are of: "users of Deezer", "people on Deezer".
_OF: Final = frozenset(("of", "on", "in", "at", "using", "via", "from", "with"))
#: Between people and what they have or lack: "guests with children", "patients without diabetes".
_HAVING: Final = frozenset(("with", "without", "having"))
#: Before people whom something is done to: "friendly to people with prams".
_TREATED: Final = frozenset(("to", "for", "toward", "towards", "about", "at", "against"))
_ARTICLES: Final = frozenset(("a", "an", "the", "any", "no"))
#: What is named before or stands for anything: "people with it".
_POINTING: Final = frozenset(
    ("it", "them", "this", "that", "these", "those", "him", "her", "us", "you", "whom", "what", "which")
)
_LONGEST_THING: Final = 4
#: Names of times, which periods stand for.
_TIMES: Final = frozenset(
    re.findall(
        r"\w+",
        """
        january february march april may june july august september october november december monday tuesday wednesday
        thursday friday saturday sunday spring summer autumn winter christmas easter i
        """,
    )
)
#: Titles have capitals everywhere: where fewer words than these are small, a capital tells no name.
_LEAST_SMALL: Final = 0.5


def unused_values(
    question: str, attributes: Mapping[str, Sequence[str]], heard: Iterable[str]
) -> tuple[str, ...]:
    """Return the values of ``attributes`` that stand in a question and that nothing stands for, in its words.

    An everyday word that is a value as well ("private", "other") counts only where it is written as a name, or is
    where something is said to be.

    Parameters
    ----------
    question
        As typed.
    attributes
        Attribute name -> its distinct values in the corpus.
    heard
        Phrases of the question that are accounted for: filters, topics, names.
    """
    asked = Reading(question)
    taken = _taken(question, heard)
    capitals = _tells_names(asked)
    found: dict[int, str] = {}
    for attribute, values in attributes.items():
        for value in values:
            if is_number(value) or len(value.strip()) < 2:
                continue
            for start, end in (run for form in own_forms(value) for run in asked.find(form)):
                first, last = asked.words[asked.word_of[start]], asked.words[asked.word_of[end - 1]]
                if any(a < last.end and first.start < b for a, b in taken):
                    continue
                typed = question[first.start : last.end]
                small = typed == typed.lower()
                named = capitals and not small and value != value.lower() and start > 0
                before = asked.word(start - 1 - (asked.word(start - 1) == "the"))
                placed = before in _PLACED and asked.ends(end, attribute)
                if named or (not _everyday(typed) and (placed or _foreign(typed))):
                    found[start] = _with_place(question, asked, start, end) if placed else typed
    return tuple(dict.fromkeys(found[start] for start in sorted(found)))


def unknown_groups(question: str, heard: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Return where a question names people by a name that nothing stands for: "Deezer users", "users of Deezer".

    ``heard`` are the names that are accounted for; pieces of the question are (start, end) in characters.
    """
    asked = Reading(question)
    if not _tells_names(asked):
        return ()
    taken = _taken(question, heard)
    words = asked.words
    names = [_is_name(question, i, asked) for i in range(len(words))]
    found: list[tuple[int, int]] = []
    for i, word in enumerate(words):
        if not _people(word.text):
            continue
        first, last, opening = _name_before(asked, names, i), i, _name_behind(asked, names, i)
        if first < i:
            name = (words[first].start, words[i - 1].end)
        elif opening > i:
            last = opening
            while last + 1 < len(words) and (names[last + 1] or words[last + 1].text[0].isdigit()):
                last += 1
            name = (words[opening].start, words[last].end)
        else:
            continue
        if not any(a < name[1] and name[0] < b for a, b in taken):
            found.append((words[first].start, words[last].end))
    return tuple(found)


def people_with(question: str) -> tuple[tuple[int, int], ...]:
    """Return where a question names people by what they have or lack: "patients without diabetes"."""
    asked = Reading(question)
    words = asked.words
    found: list[tuple[int, int]] = []
    for i, word in enumerate(words[:-2]):
        treated = i > 0 and words[i - 1].text in _TREATED
        if treated or not _people(word.text) or words[i + 1].text not in _HAVING:
            continue
        first = i + 2 + (words[i + 2].text in _ARTICLES)
        last = first
        while last < min(first + _LONGEST_THING, len(words)) and not _ends_thing(words[last].text):
            last += 1
        if last > first:
            found.append((word.start, words[last - 1].end))
    return tuple(found)


def _ends_thing(word: str) -> bool:
    """Tell whether no word of a thing that people have stands here: a verb, a link, or what is asked about it."""
    lists = lexicon()
    links = word in _OF | RELATIVE | DOES | lists["group_stops"] or word in _PLACED or word in _POINTING
    verb = word in lists["stance_verbs"] or class_of(word) == "EVAL" or word.endswith("ed")
    return not word[0].isalnum() or links or verb or (_people(word) and word not in _apart())


def _name_before(asked: Reading, names: Sequence[bool], i: int) -> int:
    """Index where the name before these people begins ("Deezer users", "French speaking patients"), or theirs."""
    first = i
    while first > 0 and is_participle(asked.words[first - 1].text) and not names[first - 1]:
        first -= 1
    if not (first > 0 and names[first - 1]):
        return i
    while first > 0 and names[first - 1]:
        first -= 1
    return first


def _name_behind(asked: Reading, names: Sequence[bool], i: int) -> int:
    """Index of the name that these people are said to be of ("users of Deezer", "people who speak French"), or -1."""
    j, acts = i + 1, False
    while j < len(asked.words) and not names[j]:
        word = asked.words[j].text
        if word not in _OF | RELATIVE | DOES | {"the"} and not is_participle(word):
            return -1
        acts = acts or (word in DOES and not any(each.text in RELATIVE for each in asked.words[i + 1 : j]))
        j += 1
    idle = j > 0 and asked.words[j - 1].text in RELATIVE
    if j in (i + 1, len(asked.words)) or acts or idle:
        return -1
    # "users of the App": what everyone who wrote uses
    general = asked.words[j - 1].text == "the" and not _foreign(asked.words[j].text)
    return -1 if general else j


def unused_qualifiers(question: str, filters: Sequence[GroupFilter]) -> tuple[str, ...]:
    """Return the words that say which people and that no filter stands for, although another one does for the people.

    "young" of "young people from Harbour", and "women" of "women from Harbour", where only the district is known.
    """
    covered = {
        word for each in filters for form in distinct_forms(each.attribute, each.value) for word in form
    }
    covered |= {word for each in filters for name in attribute_names(each.attribute) for word in name}
    asked = Reading(question)
    found: dict[int, str] = {}
    for start, end in _taken(question, [each.phrase for each in filters]):
        inside = [i for i, word in enumerate(asked.words) if start <= word.start < end]
        head = next((i for i in inside if _people(asked.words[i].text)), inside[0] if inside else 0)
        first = inside[0] if inside else 0
        while first > 0 and _says_which(asked.words[first - 1].text):
            first -= 1
        for i in range(first, head + 1):
            word = asked.words[i].text
            own = {stem(piece) for piece in (word, *word.split("-"))}
            if not covered & own and (_says_which(word) if i < head else word in _apart()):
                found[i] = question[asked.words[i].start : asked.words[i].end]
    return tuple(found[i] for i in sorted(found))


def _says_which(word: str) -> bool:
    return word in lexicon()["group_qualifiers"] or word in demonyms()


@lru_cache(maxsize=1)
def _apart() -> Collection[str]:
    """Return the people who are a group by themselves, wherever they are from."""
    heads: frozenset[str] = lexicon()["group_heads"]
    return heads - {"locals", "adults"}


def _with_place(question: str, asked: Reading, start: int, end: int) -> str:
    opening = start - 1 - (asked.word(start - 1) == "the")
    first, last = asked.words[asked.word_of[opening]], asked.words[asked.word_of[end - 1]]
    return question[first.start : last.end]


def _taken(question: str, heard: Iterable[str]) -> list[tuple[int, int]]:
    """Return where the phrases stand, as whole words."""
    text = fold(question)
    spans: list[tuple[int, int]] = []
    for phrase in {fold(each).strip() for each in heard}:
        if phrase and phrase in text:
            found = re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text)
            spans += [match.span() for match in found]
    return spans


def _tells_names(asked: Reading) -> bool:
    """Tell whether a capital is a name here: titles and shouting have them everywhere."""
    words = [word for word in asked.words if word.text[0].isalpha()]
    small = sum(asked.text[word.start].islower() for word in words)
    return small >= _LEAST_SMALL * len(words)


def _is_name(question: str, i: int, asked: Reading) -> bool:
    word = asked.words[i]
    opens = i == 0 or asked.words[i - 1].text in {"?", "!", ":", ";"}
    capital = any(letter.isupper() for letter in question[word.start : word.end])  # "iPhone" has one
    return capital and not opens and word.text not in _TIMES and not _people(word.text)


def _people(word: str) -> bool:
    return is_people(word) or class_of(word) == "PPL"


def _everyday(typed: str) -> bool:
    return all(word in _usual_words() for word in re.findall(r"[^\W_]+", fold(typed)))


@lru_cache(maxsize=1)
def _usual_words() -> Collection[str]:
    """Words that questions are made of, whatever else they are."""
    from store.enrich.registry_knowledge import knowledge

    known = knowledge()
    return frozenset(lexicon()["stop_names"]) | known.question | known.opinion


def _foreign(typed: str) -> bool:
    """Tell whether no English word is among these."""
    from store.enrich.linking import english_words

    return not any(word in english_words() for word in re.findall(r"[^\W_]+", fold(typed)))


__all__ = ["people_with", "unknown_groups", "unused_qualifiers", "unused_values"]
