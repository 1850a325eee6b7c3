"""Links a question to the registry: names, aliases, plurals, misspellings, paraphrases; and says when nothing fits.

Misspelt words are mended first (one edit from a word of the registry, same first letter, and no usual English word
themselves), then the matcher reads the question. Nearness in meaning is no identity (a park is no parking): where the
documents use the question's own words, those documents are what is asked for, and only words that no document uses are
taken for the entity nearest in meaning, above a high floor of cosine similarity, and that is said (``Link.caveat``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from store.enrich.matcher import EntityMatcher, Mention
from store.enrich.question_people import ASKED, is_topic, judges, tells_who
from store.enrich.question_topic import (
    SAYINGS,
    SENSES,
    doubtful_topic,
    in_topic_place,
    names_no_topic,
    placed_topic,
    points_at_all,
    with_asker_synonyms,
)
from store.enrich.registry_knowledge import knowledge
from store.enrich.registry_words import GAP, WORD, lemma, lemmas, one_edit
from store.records import RegistryEntity

Embed = Callable[[Sequence[str]], NDArray[Any]]
#: A phrase to whether documents use its words.
Mentioned = Callable[[str], bool]

#: Least cosine of a question's words and an entity's form for a link by meaning; related things reach .8 and more.
FLOOR: Final = 0.82
#: From here two words are forms of one ("carpeting" and "carpet"), whether or not documents use both.
SAME: Final = 0.90
#: A shorter word is not mended: too many words are one edit away.
MIN_MENDED: Final = 3
#: The tokenizer's vocabulary is in order of frequency: the words before this one count as English.
ENGLISH: Final = 18_000

#: "the wifi in the room": what stands after "in" or "at" says where, not what.
_WHERE: Final = re.compile(
    r"\s+(?:in|at|inside|of|from)\s+(?:the|this|that|our|your|their|my)?\s*(?:\w+\s+)?$", re.I
)


@dataclass(frozen=True, slots=True)
class Link:
    """What a question is about.

    Attributes
    ----------
    entities
        Keys of the registry, in the order of the question.
    confidence
        In [0, 1]; 0 where nothing is linked.
    reason
        Why, in one sentence.
    unmatched
        The words that look like a topic and are in no entity's names; empty where all are accounted for.
    caveat
        What the reader has to know of a link that is not by name; empty otherwise.
    """

    entities: tuple[str, ...] = ()
    confidence: float = 0.0
    reason: str = "the question names no particular thing"
    unmatched: str = ""
    caveat: str = ""


def link(
    question: str,
    registry: Sequence[RegistryEntity],
    counts: Mapping[str, int],
    embed: Embed | None = None,
    mentioned: Mentioned | None = None,
    common: Mentioned | None = None,
) -> Link:
    """Link a question.

    Parameters
    ----------
    question
        As typed.
    registry, counts
        The entities and the documents or mentions of each by key; of two that fit, the one with more is taken.
    embed
        Texts to unit vectors, float of shape (n, d); without it there is no link by meaning. Called only where
        nothing fits by spelling; the registry's own vectors are computed once and kept.
    mentioned
        A phrase to whether documents use its words: then it is no paraphrase of something else.
    common
        A phrase to whether many documents hold it: then a word of asking or judging ("the view") is a topic.
    """
    return _linker(tuple(registry)).link(question, counts, embed, mentioned, common)


@lru_cache(maxsize=8)
def _linker(registry: tuple[RegistryEntity, ...]) -> EntityLinker:
    return EntityLinker(registry)


def with_synonyms(registry: Sequence[RegistryEntity]) -> list[RegistryEntity]:
    """Add the general synonyms of each entity's name that no entity claims: askers use words that no author used."""
    known = knowledge()
    claimed = {lemmas(form) for entity in registry for form in (entity.name, *entity.aliases)}
    groups = {term: group for group in known.groups for term in group}
    implied: dict[str, list[str]] = {}
    for form, name in known.implied.items():
        implied.setdefault(name, []).append(" ".join(form))
    widened = []
    for entity in registry:
        forms = [" ".join(term) for term in groups.get(lemmas(entity.name), ()) if term not in known.weak]
        extra = [form for form in (*forms, *implied.get(entity.name, ())) if lemmas(form) not in claimed]
        claimed.update(lemmas(form) for form in extra)
        widened.append(replace(entity, aliases=(*entity.aliases, *extra)))
    return widened


class EntityLinker:
    """A registry prepared for linking; ``link`` keeps a few of them."""

    def __init__(self, registry: Sequence[RegistryEntity]) -> None:
        registry = with_asker_synonyms(with_synonyms(registry))
        self._registry = tuple(registry)
        self._matcher = EntityMatcher(registry)
        self._parents = {entity.key: entity.parent for entity in registry}
        self._names = {entity.key: entity.name for entity in registry}
        words: dict[str, None] = {}
        for entity in registry:
            for form in (entity.name, *entity.aliases):
                words.update(dict.fromkeys(lemmas(form)))
        self._words = frozenset(words)
        self._vectors: tuple[list[str], NDArray[Any]] | None = None
        self._forms: list[str] = []

    def link(
        self,
        question: str,
        counts: Mapping[str, int],
        embed: Embed | None = None,
        mentioned: Mentioned | None = None,
        common: Mentioned | None = None,
    ) -> Link:
        """Link one question; see ``link``."""
        found = self._topics(question, self._matcher.find(question))
        mended, slips = self._mend(question, found, counts)
        if slips:
            better = self._topics(mended, self._matcher.find(mended))
            read = ", ".join(f"“{wrong}” read as “{right}”" for wrong, right in slips)
            return Link(
                _distinct(self._focus(mended, better)), 0.85, read, " ".join(self._rest(mended, better))
            )
        rest = self._rest(question, found)
        if found:
            named = self._by_name(question, self._focus(question, found), " ".join(rest))
            return replace(named, caveat=self._beside(question, found, rest) or named.caveat)
        rest = rest or [topic for topic in (placed_topic(question),) if topic]
        doubtful = doubtful_topic(question)
        if not rest and doubtful and common is not None and common(f"the {doubtful}"):
            rest = [doubtful]
        rest = [phrase for phrase in rest if not points_at_all(question, phrase)]
        if not rest:
            return Link()
        return self._by_meaning(rest, embed, mentioned)

    def _by_meaning(self, rest: Sequence[str], embed: Embed | None, mentioned: Mentioned | None) -> Link:
        """Take the words that documents use as they are, else the entity nearest in meaning if it is near enough."""
        topic = " ".join(rest)
        used = mentioned is not None and mentioned(topic)
        if embed is not None and self._registry:
            key, cosine, phrase = self._nearest(rest, embed)
            if cosine >= (SAME if used else FLOOR):
                name = self._names[key]
                reason = f"“{phrase}” is closest in meaning to {name} (cosine {cosine:.2f})"
                caveat = f"`{phrase}` is no entity of this corpus: taken as `{name}`, the closest in meaning"
                return Link((key,), round(min(0.8, cosine), 2), reason, caveat=caveat)
        if used:
            return Link((), 0.0, f"“{topic}” is no entity, and documents mention it", topic)
        return Link((), 0.0, f"nothing in the corpus is called “{topic}”", topic)

    def _topics(self, question: str, mentions: Sequence[Mention]) -> list[Mention]:
        """Leave out "views", "experiences" and "the place" where the question names anything else.

        Words of asking are things where they stand as such: "about the view" asks for scenery, "their views" does not.
        """
        known = knowledge()
        asking = [m for m in mentions if m.form.lower() in SENSES]
        placed = [m for m in asking if len(question.split()) < 3 or in_topic_place(question, m.start)]
        # "the music and the guests": whoever is asked elsewhere is asked about here.
        placed += [m for m in mentions if _is_thing(m) and is_topic(question, m.start, m.end, widely=True)]
        frame = known.question | known.whole
        said = [
            m
            for m in mentions
            if m in placed or not all(word.lower() in frame for word in WORD.findall(m.form))
        ]
        # A capital is a name, of a group or a place: it does not tell what the question is about.
        rest = any(match.group().islower() for match in _topic_words(question, mentions))
        return said if said or rest else [m for m in mentions if m not in asking]

    def _by_name(self, question: str, mentions: Sequence[Mention], rest: str) -> Link:
        keys = _distinct(mentions)
        if len(mentions) == 1 and (whole := self._compound(question, mentions[0])):
            reason = f"“{mentions[0].form}” named in “{whole}”, for which the corpus has no entity of its own"
            caveat = (
                f"`{whole}` is no entity of this corpus: taken as `{self._names[keys[0]]}`, which it names"
            )
            return Link(keys, 0.6, reason, rest, caveat)
        exact = all(lemmas(mention.form) == lemmas(self._names[mention.entity]) for mention in mentions)
        forms = ", ".join(
            f"“{mention.form}”"
            if lemmas(mention.form) == lemmas(self._names[mention.entity])
            else f"“{mention.form}” for {self._names[mention.entity]}"
            for mention in mentions
        )
        return Link(keys, 1.0 if exact else 0.95, f"named: {forms}", rest)

    def _beside(self, question: str, mentions: Sequence[Mention], rest: Sequence[str]) -> str:
        """Say what is named beside an entity ("the parking and the pizza") and is none."""
        joined = r"(?:\s+(?:and|or|versus|vs\.?|than)\s+|,\s+)(?:the\s+|their\s+|its\s+)?"
        forms = "|".join(re.escape(question[mention.start : mention.end]) for mention in mentions)
        for phrase in (*rest, *_people_beside(question, mentions)):
            said = re.escape(phrase)
            if re.search(rf"\b{said}{joined}(?:{forms})\b|\b(?:{forms}){joined}{said}\b", question):
                return f"`{phrase}` is no entity of this corpus: left out"
        return ""

    def _compound(self, question: str, mention: Mention) -> str:
        """Return the compound that the mention only modifies ("bus" in "bus lane"), or an empty text."""
        after = WORD.match(question, mention.end + 1)
        if after is None or not GAP.fullmatch(question, mention.end, after.start()):
            return ""
        topic = any(match.start() == after.start() for match in _topic_words(question, [mention]))
        head = lemma(after.group().lower())
        return question[mention.start : after.end()] if topic and head not in knowledge().light_heads else ""

    def _focus(self, question: str, mentions: Sequence[Mention]) -> list[Mention]:
        """Leave out ancestors of what else is named, places ("in the room") and who is asked ("of the hotel")."""
        if len(mentions) < 2:
            return list(mentions)
        above = {up for mention in mentions for up in self._ancestors(mention.entity)}
        kept: list[Mention] = []
        for mention in mentions:
            before = question[: mention.start]
            last = kept[-1].end if kept else None
            if last is not None and GAP.fullmatch(question, last, mention.start):
                # "bathroom towels": the last noun is the thing, the one before says which
                kept.pop()
                last = kept[-1].end if kept else None
            if mention.entity in above or tells_who(before) or judges(question, mention.start, mention.end):
                continue
            if last is not None and _WHERE.fullmatch(question[last : mention.start]):
                continue
            kept.append(mention)
        return kept or list(mentions)

    def _ancestors(self, key: str) -> list[str]:
        up: list[str] = []
        parent = self._parents.get(key)
        while parent is not None and parent not in up:
            up.append(parent)
            parent = self._parents.get(parent)
        return up

    def _rest(self, question: str, mentions: Sequence[Mention]) -> list[str]:
        """Return the topic's words, as phrases: no question word, no mention, no word that is only an opinion."""
        runs: list[str] = []
        end = -1
        for match in _topic_words(question, mentions):
            if runs and GAP.fullmatch(question, end, match.start()):
                runs[-1] += question[end : match.end()]
            else:
                runs.append(match.group())
            end = match.end()
        return runs

    def _mend(
        self, question: str, mentions: Sequence[Mention], counts: Mapping[str, int]
    ) -> tuple[str, list[tuple[str, str]]]:
        """Return the question with words mended that are one edit from the registry's, and what was mended."""
        slips: list[tuple[str, str]] = []
        pieces: list[str] = []
        end = 0
        for match in _topic_words(question, mentions):
            right = self._mended(match.group().lower(), counts)
            if right is not None:
                pieces += [question[end : match.start()], right]
                end = match.end()
                slips.append((match.group(), right))
        return "".join([*pieces, question[end:]]), slips

    def _mended(self, low: str, counts: Mapping[str, int]) -> str | None:
        base = lemma(low)
        if base in self._words or len(low) < MIN_MENDED:
            return None
        near = [
            word
            for word in self._words
            if len(word) > MIN_MENDED and word[0] == base[0] and (one_edit(base, word) or one_edit(low, word))
        ]
        if not near or low in english_words() or base in english_words():
            return None
        return max(near, key=lambda word: (self._weight(word, counts), word))

    def _weight(self, word: str, counts: Mapping[str, int]) -> int:
        return sum(counts.get(mention.entity, 0) for mention in self._matcher.find(word))

    def _nearest(self, phrases: Sequence[str], embed: Embed) -> tuple[str, float, str]:
        """Return the entity nearest to one of the phrases, the cosine, and the phrase."""
        if self._vectors is None:
            forms = [(form, e.key) for e in self._registry for form in _telling(e)]
            vectors = np.asarray(embed([f"the {form}" for form, _ in forms]), dtype=np.float64)
            self._vectors = [key for _, key in forms], vectors
            self._forms = [form for form, _ in forms]
        keys, vectors = self._vectors
        cosines = np.asarray(embed([f"the {phrase}" for phrase in phrases]), dtype=np.float64) @ vectors.T
        for i, phrase in enumerate(phrases):
            for j, form in enumerate(self._forms):
                if _only_modifies(phrase, form):
                    cosines[i, j] = -1.0
        row, column = np.unravel_index(int(np.argmax(cosines)), cosines.shape)
        return keys[int(column)], float(cosines[row, column]), phrases[int(row)]


def _telling(entity: RegistryEntity) -> list[str]:
    """Return the name and the aliases that add a word of their own ("fridge", not "mini refrigerator")."""
    words = set(lemmas(entity.name))
    return [entity.name, *(form for form in entity.aliases if not words & set(lemmas(form)))]


def _only_modifies(phrase: str, form: str) -> bool:
    """Whether all words of a phrase stand in a name before its last one: buses are no bus lanes."""
    words, name = set(lemmas(phrase)), lemmas(form)
    return bool(words) and words <= set(name[:-1]) and name[-1] not in words


def _topic_words(question: str, mentions: Sequence[Mention]) -> Iterator[re.Match[str]]:
    known = knowledge()
    for match in WORD.finditer(question):
        low = match.group().lower()
        if any(mention.start <= match.start() < mention.end for mention in mentions):
            continue
        if low in known.question or low in known.opinion or lemma(low) in known.stop or len(low) < 2:
            continue
        if names_no_topic(question, match):
            continue
        if not low.isdigit():
            yield match


def _is_thing(mention: Mention) -> bool:
    """Tell whether a mention may be of a thing or of people, and not only of what they say."""
    return mention.form.lower() not in SAYINGS | knowledge().whole


def _people_beside(question: str, mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield people who are asked about although they are no entity: "the doctor and the patients"."""
    for match in WORD.finditer(question):
        named = any(mention.start <= match.start() < mention.end for mention in mentions)
        if named or match.group().lower() not in ASKED:
            continue
        if is_topic(question, match.start(), match.end(), widely=True):
            yield match.group()


def _distinct(mentions: Sequence[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mention.entity for mention in mentions))


@cache
def english_words() -> frozenset[str]:
    """Return the whole words of the bundled tokenizer's vocabulary: a word in it is no misspelling."""
    data = json.loads(files("store").joinpath("data/minilm-tokenizer.json").read_bytes())
    return frozenset(
        word for word, rank in data["model"]["vocab"].items() if rank < ENGLISH and word.isalpha()
    )


__all__ = ["FLOOR", "SAME", "EntityLinker", "Link", "english_words", "link", "with_synonyms"]
