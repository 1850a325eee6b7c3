"""What a question is about, by where words stand: "about the weather" names a topic, "written in March" names none."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final

from store.enrich.registry_knowledge import knowledge
from store.enrich.registry_words import GAP, WORD, lemma, lemmas
from store.records import RegistryEntity

#: Verbs of writing and giving, words of ratings and of taking sides: no topic unless they stand where topics stand.
_ACTS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        gave give gives given giving score scores scored scoring written wrote write writes writing submit
        submits submitted submitting send sends sent sending receive receives received receiving post posts
        posted posting publish published left leave leaves commented comments commenting respond responded
        responds reply replied fill filled aged age ages plus fewer above below star stars point points
        rating ratings favour favor favours favors favoured favored support supports supported supporting
        oppose opposes opposed against argument arguments reason reasons exactly least most mean median
        average scale resident residents citizen citizens commuter commuters owner owners student students
        patient patients parent parents subscriber subscribers player players employee employees fan fans
        viewer viewers listener listeners reader readers diner diners tenant tenants voter voters pupil
        pupils neighbour neighbours neighbor neighbors
        document documents message messages response responses ticket tickets submission submissions entry entries
        feedbacks text texts survey surveys statement statements answer answers report reports per filed lodged
        theme themes change changes changed changing agree agrees agreed disagree disagrees disagreed participant
        participants recommend recommends recommended came arrive arrived gets
        """,
    )
)
#: Words for the reviewed thing as a whole, for people, and for what they write: the whole corpus is what is meant.
_WHOLE: Final = frozenset(
    re.findall(
        r"\w+",
        """
        place places thing things item items product products company business trip visit stay purchase
        corpus topic topics subject subjects aspect aspects matter matters everything anything nothing
        something all overall it them this that these those feedback feedbacks message messages text texts
        survey surveys answer answers response responses residents citizens people person
        persons owners authors writers voices month week year day period time half
        quarter end start beginning last first second rest whole lot majority minority others point points
        reason reasons argument arguments side sides use usage idea ideas thought thoughts entry entries
        document documents ticket tickets post posts submission submissions statement statements
        """,
    )
)
#: What stands before a topic. A bare "is the" opens one too ("How is the weather?").
_OPENS: Final = re.compile(
    r"\b(?:(?:about|of|on|with|regarding|concerning|towards?|mention(?:s|ed|ing)?|discuss(?:es|ed|ing)?|likes?|liked"
    r"|loves?|loved|hates?|hated|dislikes?|disliked|enjoy(?:s|ed)?)\s+(?:(?:the|their|this|that|its|our|your|an?)\s+)?"
    r"|(?:is|are|was|were)\s+(?:the|their|its|your|our)\s+)",
    re.IGNORECASE,
)


#: Where nothing but a topic stands: "about the view", "how is the view", "what is the view like", "is the view good".
_PLACE: Final = re.compile(
    r"(?:\b(?:about|of|on|with|regarding|concerning|mention(?:s|ed|ing)?|discuss(?:es|ed|ing)?|likes?|liked|loves?|loved"
    r"|hates?|hated|dislikes?|disliked|enjoy(?:s|ed)?)"
    r"\s+(?:the|their|its)|\babout|\bhow (?:good |bad )?(?:is|are|was|were)\s+the|^\W*(?:is|are|was|were)\s+the)"
    r"\s+(?!the\b)(?P<word>[^\W\d_]+)\b(?!\s+(?:on|about|regarding|concerning|towards?|held|expressed|of\s+(?:the\s+)?"
    r"(?:people|guests?|customers?|users?|visitors?|travell?ers?|reviewers?|residents?|authors?|others))\b)"
    r"|\bwhat\s+(?:is|are|was|were)\s+the\s+(?P<like>[^\W\d_]+)\s+like\b",
    re.IGNORECASE,
)
#: Words of asking that are things as well: scenery, what a dress is like, a performance.
SENSES: Final = frozenset(("view", "views", "look", "looks", "feel", "sound", "sounds", "show", "shows"))
#: What people say, as questions call it: "complaints about the issues with the wifi" are about the wifi.
SAYINGS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        opinion opinions view views thought thoughts feeling feelings impression impressions attitude attitudes comment
        comments complaint complaints criticism criticisms experience experiences issue issues problem problems trouble
        improvement improvements strengths weaknesses positives negatives pros cons review reviews report reports rating
        ratings sentiment sentiments feedback consensus thing things everything something way kind side lot lots bit
        fact case sort type
        """,
    )
)
#: "were collected in May": what was done with documents is no topic.
_DONE: Final = re.compile(r"\b(?:is|are|was|were|been|being)\s+$", re.IGNORECASE)


def names_no_topic(question: str, word: re.Match[str]) -> bool:
    """Tell whether a word is one of writing, giving, rating, taking sides, or of who does so, or what was done."""
    low = word.group().lower()
    return low in _ACTS or (
        len(low) > 4 and low.endswith("ed") and bool(_DONE.search(question[: word.start()]))
    )


def points_at_all(question: str, phrase: str) -> bool:
    """Tell whether a phrase points at the reviewed thing as a whole: "this hotel", of reviews of one hotel."""
    return re.search(rf"\bthis\s+{re.escape(phrase)}\b", question, re.IGNORECASE) is not None


def in_topic_place(question: str, start: int) -> bool:
    """Tell whether the word at ``start`` stands where nothing but a topic does: "about the view", not "views on it"."""
    return any(start in (match.start("word"), match.start("like")) for match in _PLACE.finditer(question))


def doubtful_topic(question: str) -> str:
    """Return the word in a topic's place that lists take for one of asking or of judging, or an empty text.

    Only what documents speak of tells whether "the view" or "the luxury" is what is asked about.
    """
    known = knowledge()
    for match in _PLACE.finditer(question):
        word = match["word"] or match["like"]
        if word.lower() in SENSES or (word.lower() in known.opinion - known.question and _names(word)):
            return word
    return ""


def placed_topic(question: str, taken: Sequence[tuple[int, int]] = ()) -> str:
    """Return the words that stand where a topic stands, although lists say that they name none; or an empty text.

    Only to be asked where no other word tells the topic: "What do people think about the weather?" is no question
    about everything.

    Parameters
    ----------
    question
        As typed.
    taken
        Spans that an entity accounts for.
    """
    for opening in _OPENS.finditer(question):
        run = _run(question, opening.end(), taken)
        if run:
            return run
    return ""


def _run(question: str, start: int, taken: Sequence[tuple[int, int]]) -> str:
    known = knowledge()
    end, at = start, start
    while (match := WORD.match(question, at)) is not None:
        low = match.group().lower()
        no_topic = low in known.question or low in _WHOLE or low in known.whole
        if no_topic or low.isdigit() or len(low) < 3 or any(a <= match.start() < b for a, b in taken):
            break
        end = match.end()
        gap = GAP.match(question, end)
        if gap is None:
            break
        at = gap.end()
    words = question[start:end].split()
    while words and words[0].lower() in known.opinion and len(words) > 1:
        words = words[1:]  # "the poor weather"
    alone = len(words) == 1 and words[0].lower() in known.opinion and lemma(words[0].lower()) not in _NOUNS
    return "" if alone or not all(_names(word) for word in words[-1:]) else " ".join(words)


#: Nouns that the opinion lexicon lists, which may be what is asked about.
_NOUNS: Final = frozenset(
    re.findall(
        r"\w+",
        "support delay delays noise smell crash crashes cloud cancellation refund refunds pollution crime litter danger"
        " leak leaks work queue lag traffic congestion virus poverty debt waste loss losses warranty",
    )
)


def _names(word: str) -> bool:
    """Tell whether a word may be a noun: no adverb, participle of the past or adjective of the usual endings."""
    return re.search(r"(?:ly|ful|ous|ive|able|ible|less|ed)$", word.lower()) is None


@cache
def _groups() -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return each form of the askers' synonyms -> the forms of its groups."""
    table = tomllib.loads((files("store.enrich") / "data" / "asker_synonyms.toml").read_text("utf-8"))
    found: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for line in table["groups"]:
        forms = tuple(dict.fromkeys(lemmas(form) for form in line.split("|")))
        for form in forms:
            found[form] = (*found.get(form, ()), *forms)
    return found


def with_asker_synonyms(registry: Iterable[RegistryEntity]) -> list[RegistryEntity]:
    """Add what askers call each entity, where no entity claims the form."""
    entities = list(registry)
    claimed = {lemmas(form) for entity in entities for form in (entity.name, *entity.aliases)}
    widened = []
    for entity in entities:
        extra = [form for form in _groups().get(lemmas(entity.name), ()) if form not in claimed]
        claimed.update(extra)
        aliases = (*entity.aliases, *(" ".join(form) for form in dict.fromkeys(extra)))
        widened.append(replace(entity, aliases=aliases))
    return widened


__all__ = [
    "doubtful_topic",
    "in_topic_place",
    "names_no_topic",
    "placed_topic",
    "points_at_all",
    "with_asker_synonyms",
]
