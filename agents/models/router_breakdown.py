"""Questions for counts by value: which value comes first ("which city complains most"), or all of them ("per month").

Three things make such a question: what tells the rows apart (a column of the corpus, a unit of time, the ratings, or
the things that people write about), what is counted of each (views of one side, ratings, documents), and whether the
first, the last or all are asked for. Each is read by itself, so that any wording that says all three is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from agents.models.router_asks import side_of
from agents.models.router_data import alternatives
from agents.models.router_rating import find_rating
from agents.models.router_spelling import correct
from agents.models.router_text import class_of, mask, tokens

Kind = Literal["attribute", "subject", "entity", "date", "rating"]
Measure = Literal["positive", "negative", "rating", "documents", "views"]
Order = Literal["most", "least"]
#: What a noun stands for: the kind of a column, and the name of an attribute or the unit of a date.
Column = tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """Counts by value that a question asks for.

    Attributes
    ----------
    kind, name
        What tells the rows apart; the name of an attribute, or the unit of a date ("" for the one that fits).
    measure
        What is counted: views of one side, the mean own ``rating``, ``documents``, or ``views`` of all sides.
    order
        The values asked for: those with the most, those with the least, or (empty) all.
    by_number
        Whether the first value is asked for by number as well as by share: "most complaints", not "most satisfied".
    noun, phrase
        What the column is called, in the singular, and the question's words for it.
    """

    kind: Kind
    name: str
    measure: Measure
    order: tuple[Order, ...]
    by_number: bool
    noun: str
    phrase: str


#: Weeks are counted by month: no database at hand tells them apart in the same words.
_UNITS: Final = {"year": "year", "quarter": "quarter", "month": "month", "week": "month", "day": "day"}
_ADJECTIVES: Final = {
    "yearly": "year", "annual": "year", "annually": "year", "quarterly": "quarter", "monthly": "month",
    "weekly": "month", "daily": "day",
}  # fmt: skip
_MOST: Final = frozenset(
    ("most", "best", "top", "highest", "biggest", "greatest", "largest", "strongest", "main", "chief")
)
_LEAST: Final = frozenset(("least", "fewest", "lowest", "smallest", "weakest"))
#: Measures of things, not judgements of them, behind "most" and "least".
_MEASURED: Final = frozenset(("expensive", "costly", "cheap", "recent", "frequent", "common", "central"))
#: Words that ask for counts by value and name no topic of their own.
FRAME: Final = (
    frozenset(
        re.findall(
            r"\w+",
            """
            distribution distributed breakdown broken down spread histogram rank ranks ranked ranking rankings plot
            chart graph table trend trends trending develop develops developed evolve evolved change changed changes
            changing shift shifted rise rose fall fell strongest weakest fewest highest lowest largest smallest greatest
            top main chief rated rating ratings score scores scored star stars average mean per each across among source
            sources order sort sorted number satisfaction approval
            """,
        )
    )
    | _ADJECTIVES.keys()
    | _UNITS.keys()
    | {f"{unit}s" for unit in _UNITS}
)
_RATINGS: Final = ("rating", "star rating", "star", "score")
_THINGS: Final = r"(?:things?|aspects?|topics?|issues?|features?|themes?|points?|parts?|matters?|areas?)"
_AUX: Final = r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|the|a|an|most|least)"
_ALL: Final = r"(?:(?:the|all|each|every|different|various|its|their|our|single|individual|calendar) )*"
_BEST: Final = (
    r"(?:UP|best|worst|top|highest|lowest|(?:most|least) (?!(?:about|of|in|at|from|to|with|by|for|on|the) )\S+)"
    r"(?: (?:and|or|best|worst|top|rated|ranked|scoring|reviewed))*"
)
_N: Final = r"(?:\d{1,2}|one|two|three|four|five)"
_WORDS: Final = {
    "rated": r"\b(?:rated|ratings?|scores?|scored|scoring|stars?)\b",
    "spread": r"\b(?:distribution|distributed|breakdown|broken down|spread|histogram|how many of each)\b",
    "listed": rf"\b{_N}(?: stars?)? (?:and |or )?{_N}(?: stars?)? (?:and |or )?{_N}\b.*\bstars?\b"
    rf"|\b{_N} stars? (?:and |or )?{_N} stars?\b.*\b(?:so on|so forth|etc|each)\b",
    "mentioned": r"\b(?:mention\w*|discuss\w*|talk\w*|writ(?:e|es|ten) about|wrote about|c[ao]mes? up|brought up)\b",
    "views": r"\b(?:opinions?|views?|sentiments?|moods?|feelings?|attitudes?|perceptions?|impressions?|think|thought"
    r"|thinks|feel|feels|felt|perceived|judged|regarded|received|compare|compared|comparison)\b",
    "approved": r"\b(?:satisfaction|approval|popularity|popular|support)\b",
    "refused": r"\b(?:opposition|resistance|rejection|disapproval|unpopular|unpopularity|concerns?)\b",
    "changes": r"\b(?:chang\w*|develop\w*|evol\w*|trends?|trending|shift\w*|improv\w*|declin\w*|worse\w*|better"
    r"|(?:go|goes|gone|went) (?:up|down)|rise|rises|rose|fall|falls|fell|var(?:y|ies|ied)|differ\w*|fluctuat\w*)\b",
    "counted": r"\b(?:how many|how much|number|count|counts|volume|share|percentage|percent|average|mean)\b",
    "ranked": r"\b(?:rank|ranks|ranked|ranking|rankings|sort|sorted|ordered)\b",
    "people": r"\b(?:most|fewest|least|many|number of|share of|percentage of|proportion of) (?:of (?:the |our )?)?PPL\b"
    r"|\bPPL (?:\S+ ){0,2}?(?:per|by|from each|in each|from every)\b",
    "over_time": r"\b(?:over|through|across|with) (?:the )?time\b",
    "thing": rf"^(?:what|which (?:of the )?{_THINGS})\b",
    "thing_best": rf"\b{_BEST} {_THINGS}\b",
}  # fmt: skip


@lru_cache(maxsize=1)
def _words() -> dict[str, re.Pattern[str]]:
    documents, asks = alternatives("documents"), alternatives("negative_asks", "positive_asks")
    more = {
        "documents": rf"\b(?:{documents})\b",
        # how a value is, not how often: "the worst hotel", "most opposed to it", but not "the most negative reviews"
        "graded": r"\b(?:best|worst|UP|(?:most|least) (?:EVAL|WEAK|in favou?r|against|supportive|critical|positive"
        rf"|negative|\w+ed))\b(?! (?:\S+ )?(?:{documents}|{asks})\b)",
        # "the most common complaints": they are what is ranked
        "asks_best": rf"^(?:(?:what|which|list|show|name|give|me|us|are|is|were|the|our|all|rank) )*"
        rf"(?:UP|top|main|biggest|chief|greatest|(?:most|least) \S+)(?: \S+){{0,2}}? (?:{asks}|concerns)\b",
    }
    return {name: re.compile(pattern) for name, pattern in (_WORDS | more).items()}


@lru_cache(maxsize=64)
def _column_patterns(nouns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return how the first of a column's values is asked for, how a ranking, and how all of them."""
    noun = rf"(?P<noun>{_forms(nouns)})(?= |$)"
    between = rf"(?:(?!{_AUX}\b)\S+ ){{0,2}}?"
    again = noun.replace("?P<noun>", "?:")
    first = (
        rf"\b(?:which|what|whose) (?:of (?:the |these |those |our |all )*)?{between}{noun}"
        rf"|\b{_BEST} {noun}"
        rf"|\bthe (?:(?!{_AUX}\b)\S+ )?{noun} (?:where|with|that|which|whose|in which|for which|having)\b"
    )
    ranking = (
        rf"\b(?:rank|order|sort|compare|ranking of|list of)(?: (?:me|us|all|the|our))* {noun}"
        rf"|\b{noun} (?:ranked|ordered|sorted|compared)\b"
    )
    every = rf"\b(?:per|by|each|every|across|among|amongst|between|within|for all) {_ALL}{noun}|\b{noun} by {again}"
    # the alternatives of one pattern cannot share a group's name
    return tuple(re.compile(_numbered(pattern)) for pattern in (first, ranking, every))


@lru_cache(maxsize=1)
def _date_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return how the first of the periods is asked for, and how all of them."""
    noun = rf"(?P<noun>{_forms(_UNITS)})(?= |$)"
    again = noun.replace("?P<noun>", "?:")
    first = rf"\b(?:which|what) {noun}|\bthe {noun} (?:where|with|that|in which|when)\b"
    every = (
        rf"\b(?:per|by|each|every|over|across|through|throughout|within) {_ALL}{noun}"
        rf"|\b{noun} (?:by|on|after|to|over) {again}|\bfrom (?:one|each) {noun} to the (?:next|other)\b"
        rf"|\b(?P<noun>{'|'.join(_ADJECTIVES)})\b"
    )
    return re.compile(_numbered(first)), re.compile(_numbered(every))


def _numbered(pattern: str) -> str:
    """Give each group ``noun`` a name of its own: a pattern may not use one twice."""
    parts = pattern.split("?P<noun>")
    return parts[0] + "".join(f"?P<noun{i}>{part}" for i, part in enumerate(parts[1:]))


def _noun(match: re.Match[str]) -> str:
    return next(value for value in match.groupdict().values() if value)


def _forms(nouns: Iterable[str]) -> str:
    """Return the nouns in singular and plural as alternatives, longest first."""
    forms = {form for noun in nouns for form in _spellings(noun)}
    return "|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))


def _spellings(noun: str) -> set[str]:
    spelt = {noun, " ".join(map(correct, noun.split()))}
    return {form for each in spelt for form in (each, *_plurals(each))}


def _plurals(noun: str) -> tuple[str, ...]:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return (f"{noun[:-1]}ies",)
    return (f"{noun}s", f"{noun}es") if noun.endswith(("s", "x", "ch", "sh")) else (f"{noun}s",)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question without punctuation: as typed with its spelling mended, in word classes, and without names."""

    text: str
    shape: str
    unnamed: str

    def has(self, name: str) -> bool:
        return _words()[name].search(self.text) is not None

    @property
    def order(self) -> tuple[Order, ...]:
        words = self.text.split()
        most = any(word in _MOST or class_of(word) == "UP" for word in words)
        least = any(word in _LEAST for word in words)
        found: list[Order] = ["most"] if most else []
        return (*found, "least") if least else tuple(found)


def find_breakdown(question: str, columns: Mapping[str, Column], names: Sequence[str] = ()) -> Asked | None:
    """Return the counts by value that ``question`` asks for, or None.

    Parameters
    ----------
    question
        As typed; the first 2,000 characters are read.
    columns
        What the corpus can tell documents apart by: folded noun in the singular -> column. Periods, ratings and the
        things that people write about need no noun here.
    names
        Names in the question (subjects, entities) whose words must not count as judgements.
    """
    question = question[:2000]
    text = _plain(question)
    read = _Reading(text, " ".join(map(class_of, text.split())), _plain(mask(question, names)))
    found = _column(read, columns)
    if found is None:
        return None
    kind, name, noun, phrase, every = found
    measure, order = _measure(read, kind)
    if measure is None or not (order or every):
        return None
    if measure == "rating" and find_rating(question) is not None:
        measure = "documents"  # "the most 1 star reviews"
    graded = _words()["graded"]
    by_share = kind != "entity" and (graded.search(read.text) or graded.search(read.shape))
    return Asked(kind, name, measure, order, not by_share, noun, phrase)


def _plain(question: str) -> str:
    return " ".join(word for word in tokens(question) if any(c.isalnum() for c in word))


def _column(read: _Reading, columns: Mapping[str, Column]) -> tuple[Kind, str, str, str, bool] | None:
    """Return the column, what it is called, the words for it, and whether all of its values are asked for."""
    nouns = {form: noun for noun in columns for form in _spellings(noun)}
    if columns:
        for pattern, every in zip(_column_patterns(tuple(columns)), (False, True, True), strict=True):
            match = pattern.search(read.text) or pattern.search(read.shape)
            # "which hotel room": the noun only tells of what a named thing is
            if match is not None and f"{_noun(match)} it " not in f"{read.unnamed} ":
                noun = nouns[_noun(match)]
                return (*columns[noun], noun, _noun(match), every)
    first, every_date = _date_patterns()
    if match := first.search(read.text):
        return "date", (unit := _unit(_noun(match))), unit, _noun(match), False
    told = ("views", "changes", "documents", "counted", "rated", "approved", "refused")
    if (match := every_date.search(read.text)) and any(map(read.has, told)):
        return "date", (unit := _unit(_noun(match))), unit, _noun(match), True
    if read.has("over_time"):
        return "date", "", "time", "time", True
    if read.has("listed") or (read.has("rated") and read.has("spread")):
        return "rating", "", "rating", "", True
    if match := _column_patterns(_RATINGS)[2].search(read.text):
        return "rating", "", "rating", _noun(match), True
    if _ranks_things(read):
        return "entity", "", "thing", "", read.has("ranked")
    return None


def _unit(noun: str) -> str:
    return _ADJECTIVES.get(noun) or next(unit for word, unit in _UNITS.items() if noun.startswith(word))


def _ranks_things(read: _Reading) -> bool:
    """Tell whether a question ranks what people write about: "what is liked best", "the most common complaints"."""
    if _words()["asks_best"].search(read.shape) or _words()["asks_best"].search(read.text):
        return True
    if not read.has("thing"):
        return False
    if read.has("mentioned") or _words()["thing_best"].search(read.shape):
        return True
    return side_of(_unordered(read.unnamed), counting=True) is not None


def _unordered(text: str) -> str:
    """Return a text without "most" and "least", superlatives in their plain form."""
    words = re.sub(r"^please | please$", "", text).split()
    return " ".join(_base(word) for word in words if word not in _MOST | _LEAST | {"worst"})


def _base(word: str) -> str:
    """Return the plain form of a superlative of judgement ("unhappiest", "safest"); other words as they are."""
    if class_of(word) != "UP" or not word.endswith("est"):
        return word
    stem = word[:-3]
    forms = (stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else stem, stem[:-1])
    return next((form for form in forms if class_of(form) in {"EVAL", "WEAK"}), word)


def _measure(read: _Reading, kind: Kind) -> tuple[Measure | None, tuple[Order, ...]]:
    """Return what is counted, None where nothing of a corpus is, and the order of the values."""
    order = read.order
    words = read.text.split()
    best, worst = "best" in words, "worst" in words
    ends: tuple[Order, ...] = ("most", "least") if best and worst else order
    if kind == "rating":
        return "documents", order
    side = side_of(_unordered(read.unnamed), counting=True)
    if side is not None:
        return side, order
    if read.has("approved") or read.has("refused"):
        return "negative" if read.has("refused") else "positive", order
    if read.has("rated"):
        return "rating", ("least",) if worst and not best else ends
    if read.has("mentioned") and order:
        return "documents", order
    judged = _judged(read.unnamed)
    if judged is not None:
        return judged, ends
    if read.has("views") or read.has("changes"):
        return "views", order
    # one author, one voice: "which country has the most visitors", "visitors by country"
    people = kind in ("attribute", "subject") and _words()["people"].search(read.shape)
    return ("documents", order) if read.has("documents") or people else (None, order)


def _judged(text: str) -> Measure | None:
    """Return the side on which superlatives stand: "best", "cleanest", "most comfortable", "worst"."""
    from store.enrich.polarity import valences, words_of

    words = text.split()
    if "best" in words or "worst" in words:
        return "positive" if "best" in words else "negative"
    said = [_base(word) for word in words if class_of(word) == "UP"]
    said += [
        word
        for before, word in pairwise(words)
        if before in {"most", "least"} and class_of(word) == "EVAL" and word not in _MEASURED
    ]
    lean = sum(sum(valences(words_of(word))) for word in said)
    return None if not lean else "positive" if lean > 0 else "negative"


__all__ = ["FRAME", "Asked", "Column", "Kind", "Measure", "Order", "find_breakdown"]
