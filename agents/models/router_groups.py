"""Author groups that a question names, as phrases ("guests from Australia", "reviewers aged 30-39")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agents.models.router_data import lexicon
from agents.models.router_text import fold

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*\+?|[?!;:,()]")
_GENERIC_DOCUMENTS = frozenset(
    {
        "reviews",
        "comments",
        "opinions",
        "complaints",
        "feedback",
        "views",
        "posts",
        "ratings",
        "review",
        "those",
    }
)
#: What authors wrote, in words that stand in few questions about anything else.
_DOCUMENTS = frozenset(
    {"feedbacks", "submissions", "responses", "answers", "messages", "entries", "documents", "tickets"}
)
_NOT_HEADS = frozenset({"they", "you", "everyone", "everybody", "anyone", "anybody", "someone", "others"})
_JOIN = frozenset({"and", "or"})
#: Verbs of writing and giving that do not end in "ed".
_PAST = frozenset(
    {"gave", "give", "wrote", "write", "left", "sent", "said", "spoke", "took", "came", "there"}
)
#: "Reviews are from Lisbon", "comments written by women", "feedback sent in by residents".
_LINKS = frozenset(
    {"are", "is", "were", "was", "come", "came", "comes", "written", "submitted", "sent", "posted", "left"}
)
#: "Visitors come from Germany", "customers who live in Spain", "employees are over 50": said of people themselves.
_OF_PEOPLE = frozenset(
    {"is", "are", "was", "were", "come", "comes", "came", "live", "lives", "lived", "who", "that"}
)
#: Those who are of a place: "residents of Northfield".
_DWELLERS = frozenset({"resident", "residents", "inhabitant", "inhabitants", "citizen", "citizens", "locals"})
#: "Residents of the city", "of our town": all that were asked.
_HERE = frozenset(
    "the this that our your their my these those a an other another all some many both different".split()  # noqa: SIM905
)
_OLD = re.compile(r"\d{1,3}(?:-\d{1,3})?(?:-year-olds|s)|year-olds|olds")
_AGE_WORDS = frozenset(
    {"aged", "age", "ages", "over", "under", "above", "below", "older", "younger", "between"}
)
_OF_AGES = frozenset(
    "than to and or over under older younger of the ages plus up years year old".split()  # noqa: SIM905
)
_TRIP = re.compile(
    r"(?:who (?:are |were )?)?(?:travel\w*|stay\w*|fl(?:y|ew|ying)|com(?:e|ing)) "
    r"(?:alone|solo|on business|for (?:business|leisure|pleasure|work)|as (?:a )?(?:couple|family|group)"
    r"|with (?:a |an |their |small |young )?(?:kids|children|family|families|friends|partner|spouse|group|baby))"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question, folded, with its place in the text."""

    text: str
    start: int
    end: int


def words_of(question: str) -> list[Word]:
    """Return the words and punctuation of ``question``; a possessive loses its s."""
    return [
        Word(re.sub(r"['’]s$", "", fold(m[0])), m.start(), m.end()) for m in _WORD.finditer(question[:2000])
    ]


@lru_cache(maxsize=1)
def demonyms() -> dict[str, tuple[str, ...]]:
    """Return people's names of countries -> the country's names; plurals too where they end in a plain s."""
    table: dict[str, Any] = lexicon()["countries_demonyms"]
    made = {name: tuple(places) for name, places in table.items()}
    for name, places in table.items():
        if name.endswith(
            ("an", "er", "ard", "swede", "finn", "dane", "kiwi", "aussie", "saudi", "emirati", "thai", "pole")
        ):
            made[f"{name}s"] = tuple(places)
    return made | {"brits": tuple(table["british"]), "brit": tuple(table["british"])}


@lru_cache(maxsize=1)
def places() -> frozenset[str]:
    """Return all country names of the table."""
    return frozenset(place for names in demonyms().values() for place in names)


def is_people(word: str) -> bool:
    """Tell whether ``word`` names people whose group may be said beside it."""
    known = word in lexicon()["people"] or word in lexicon()["group_heads"] or word in _DWELLERS
    return known and word not in _NOT_HEADS


def is_author(word: str) -> bool:
    """Tell whether ``word`` names people or what they wrote."""
    return is_people(word) or word in _GENERIC_DOCUMENTS or word in _DOCUMENTS


def _qualifier(word: str) -> bool:
    return word in lexicon()["group_qualifiers"] or word in demonyms()


def _left(words: list[Word], head: int) -> int:
    """Index where the qualifiers before ``head`` begin ("British and Australian guests")."""
    first = head
    while first > 0:
        if _qualifier(words[first - 1].text):
            first -= 1
        elif (
            first > 1
            and words[first - 1].text in _JOIN
            and _qualifier(words[first - 2].text)
            and first < head
        ):
            first -= 2
        else:
            break
    return first


def _is_country(words: list[Word], i: int) -> bool:
    said = [word.text for word in words[i : i + 3]]
    return any(" ".join(said[:n]) in places() for n in range(1, len(said) + 1))


@lru_cache(maxsize=1)
def _feelings() -> frozenset[str]:
    """Words of how people feel, which end a place: "Are people from Lisbon happy?", but not "Great Britain"."""
    lists = lexicon()
    feelings: frozenset[str] = lists["positive_stance"] | lists["negative_stance"]
    return feelings - {"great", "good", "best", "like"}


def _place_end(words: list[Word], i: int) -> int:
    """Index after the place that begins at ``i`` ("the United Kingdom", "Australia and New Zealand")."""
    stops, end = lexicon()["group_stops"], i
    while end < len(words) and end - i < 7:
        word = words[end]
        if not word.text[0].isalpha() or word.text in stops or is_people(word.text):
            break
        verb = (
            word.text in lexicon()["stance_verbs"]
            or word.text in _PAST
            or word.text in _feelings()
            or (word.text.endswith("ed") and word.text != "united")
        )
        if end > i and verb:
            break
        if word.text in _JOIN:
            after = words[end + 1].text if end + 1 < len(words) else ""
            if not after[:1].isalpha() or after in stops or is_author(after) or _qualifier(after):
                break
            if after == "the" and not _is_country(words, end + 2):
                break  # "residents of Lisbon and the noise"
        end += 1
    return end


def _is_name(words: list[Word], i: int, question: str) -> bool:
    """Tell whether a place has a name of its own: "the Old Town", "northfield", but not "the city"."""
    if words[i].text in _HERE:
        return i + 1 < len(words) and question[words[i + 1].start].isupper()
    return words[i].text[0].isalpha()


def _born_end(words: list[Word], i: int, question: str) -> int:
    """Index after "born in the 1980s", "born between 1980 and 1989", "born in Spain"."""
    end = i + 1
    when = {"in", "before", "after", "since", "between", "during", "around", "the", "and", "to"}
    while end < len(words) and (words[end].text in when or words[end].text[0].isdigit()):
        end += 1
    if end < len(words) and words[end - 1].text in {"in", "the"} and question[words[end].start].isupper():
        return _place_end(words, end)
    return end if words[end - 1].text[0].isdigit() else i


def _nationality(words: list[Word], i: int) -> bool:
    """Tell whether "German" stands by itself: no noun follows that it could belong to."""
    follows = words[i + 1].text if i + 1 < len(words) else "?"
    return words[i].text in demonyms() and (not follows[0].isalpha() or follows in lexicon()["group_stops"])


def _said_of_people(words: list[Word], i: int) -> int:
    """Index after "are", "come" or "who live", where what follows tells where people are from, or their age."""
    first = i
    while i < len(words) - 1 and words[i].text in _OF_PEOPLE:
        i += 1
    said, after = words[i].text, words[i + 1].text if i + 1 < len(words) else ""
    lives = said == "in" and words[i - 1].text in {"live", "lives", "lived"}
    years = said[0].isdigit() and after in {"year", "years", "or", "and", "to"}
    tells = said in _AGE_WORDS | {"from", "living", "based", "residing"}
    return i if lives or years or tells or _nationality(words, i) else first


def _aged(words: list[Word], i: int) -> tuple[int, int] | None:
    """Return the span of "18-29 year olds", "18-29-year-olds", "over 65s" around their last word, or None."""
    if not _OLD.fullmatch(words[i].text):
        return None
    first = i
    while first > 0 and (
        words[first - 1].text in {"year", "years", "to", "and", "over", "under", "-"}
        or words[first - 1].text.isdigit()
        or re.fullmatch(r"\d{1,3}-\d{1,3}", words[first - 1].text)
    ):
        first -= 1
    while words[first].text in {"to", "and", "year", "years"} and first < i:
        first += 1
    said = " ".join(word.text for word in words[first : i + 1])
    old = re.search(r"\d.*\bolds$", said) or re.fullmatch(r"(?:over|under) \d{1,3}s", said)
    return (first, i + 1) if old else None


def _age_end(words: list[Word], i: int) -> int:
    """Index after the ages that begin at ``i`` ("aged 30 to 39", "over 65"), or 0 where there are none."""
    end = i + 1
    while end < len(words) and (words[end].text[0].isdigit() or words[end].text in _OF_AGES):
        end += 1
    while words[end - 1].text in {"and", "to", "or", "of", "the"}:
        end -= 1
    return end if any(word.text[0].isdigit() for word in words[i:end]) else 0


def _aged_too(words: list[Word], end: int) -> int:
    """Index after the ages that follow a place: "residents of Lisbon who are over 65"."""
    if end >= len(words) - 1 or words[end].text not in _OF_PEOPLE | _AGE_WORDS:
        return end
    i = _said_of_people(words, end)
    return (words[i].text in _AGE_WORDS and _age_end(words, i)) or end


def _right(words: list[Word], head: int, question: str) -> int:
    """Index after the words behind ``head`` that say which people."""
    i = head + 1
    if i >= len(words):
        return i
    if words[i].text in _LINKS and words[head].text in _GENERIC_DOCUMENTS | _DOCUMENTS:
        while i < len(words) - 1 and words[i].text in _LINKS:
            i += 1
        if words[i].text != "from":
            return head + 1
    if words[i].text in _OF_PEOPLE and is_people(words[head].text):
        i = _said_of_people(words, i)
        if _nationality(words, i) and i > head + 1:
            return i + 1
        if words[i - 1].text in {"live", "lives", "lived"} and words[i].text == "in":
            return _place_end(words, i + 1)
    here = words[i].text
    after = words[i + 1].text if i + 1 < len(words) else ""
    if here == "from" and after:
        end = _place_end(words, i + 1)
        return end if end > i + 1 and not after[0].isdigit() else head + 1
    if here in {"living", "based", "residing", "located"} and after in {"in", "near"}:
        return _place_end(words, i + 2)
    if here == "of" and words[head].text in _DWELLERS and after and _is_name(words, i + 1, question):
        return _place_end(words, i + 1)
    if here == "born":
        return _born_end(words, i, question)
    if here == "in" and after:
        if after == "their" and i + 2 < len(words):
            return i + 3
        end = _place_end(words, i + 1)
        name = " ".join(w.text for w in words[i + 1 : end]).removeprefix("the ")
        return end if name in places() else head + 1
    if here in _AGE_WORDS or (here[0].isdigit() and i > head + 1):
        return _age_end(words, i) or head + 1
    if trip := _TRIP.match(fold(question[words[i].start :])):
        stop = words[i].start + trip.end()
        return next((j for j in range(i, len(words)) if words[j].start >= stop), len(words))
    return head + 1


def group_spans(question: str, words: list[Word]) -> list[tuple[int, int]]:
    """Return the group phrases as spans of word indices, in order, none overlapping."""
    spans: list[tuple[int, int]] = []
    own, stops = lexicon()["group_heads"], lexicon()["group_stops"]
    for head, word in enumerate(words):
        if spans and head < spans[-1][1]:
            continue
        if (aged := _aged(words, head)) and not (spans and aged[0] < spans[-1][1]):
            spans.append(aged)
            continue
        follows = words[head + 1].text if head + 1 < len(words) else "?"
        nation = word.text in demonyms() and (
            word.text[:-1] in demonyms()
            or (head > 0 and words[head - 1].text == "the" and (follows in stops or not follows[0].isalpha()))
        )
        if not (is_author(word.text) or nation):
            continue
        first, end = _left(words, head), _right(words, head, question)
        end = _aged_too(words, end) if end > head + 1 else end
        if spans and first < spans[-1][1]:
            first = head
        named = first < head or end > head + 1
        alone = (
            word.text in own
            and not is_people(follows)
            and (word.text.endswith(("s", "men")) or word.text == "children")
        )
        if word.text in _GENERIC_DOCUMENTS or word.text in _DOCUMENTS:
            named = end > head + 1 or any(w.text in demonyms() for w in words[first:head])
        if named or alone or nation:
            spans.append((first, end))
    return spans


def find_groups(question: str) -> tuple[str, ...]:
    """Return the author-group phrases of ``question`` as it words them, in order."""
    words = words_of(question)
    return tuple(question[words[a].start : words[b - 1].end] for a, b in group_spans(question, words))


__all__ = ["Word", "demonyms", "find_groups", "group_spans", "is_author", "is_people", "places", "words_of"]
