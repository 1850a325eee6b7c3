"""Pairs of documents that differ in one surface feature and say the same, after ColDeR (Fayyaz et al., 2025).

Of each pair D1 (``treatment``) has the feature and D2 (``control``) has not. Where another feature could differ with
it, the pair is built so that it does not: the evidence stands first in both documents of a brevity, literal or
repetition pair (same position), repetition pairs have equal length within ``LENGTH_SLACK`` words, and literal pairs
ask by the short name and by the long name in turn, so that the length of the name cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final, Literal, get_args

from agents.probes.facts import Fact
from store.lexical import tokenize

Bias = Literal["brevity", "literal", "position", "repetition", "foil"]
BIASES: Final[tuple[Bias, ...]] = get_args(Bias)

#: Words of the longest document built: what a 256-token embedder reads whole.
MAX_WORDS: Final = 170
#: Words by which the two documents of a repetition pair may differ in length.
LENGTH_SLACK: Final = 2
#: Sentences beside the evidence in repetition and literal pairs.
_BESIDE: Final = 3
_LATER: Final = 8


@dataclass(frozen=True, slots=True)
class ProbePair:
    """A question and two documents.

    Attributes
    ----------
    treatment, control
        D1, which has the surface feature, and D2. In ``foil`` only D2 holds the answer.
    answer_at
        Character offset of the answer in D1 and D2; -1 where it is not.
    entity
        The name that the question uses.
    source
        The document that the pair was made of.
    document
        Its whole text: what continual pretraining trains on.
    """

    bias: Bias
    question: str
    treatment: str
    control: str
    answer_at: tuple[int, int]
    entity: str
    source: str
    document: str


def build_pairs(
    facts: Sequence[Fact], count: int, biases: Sequence[Bias] = BIASES, max_words: int = MAX_WORDS
) -> dict[Bias, tuple[ProbePair, ...]]:
    """Return at most ``count`` pairs a bias, from the facts in their order.

    A question is used once a bias; an entity of one document once in ``literal``.

    Parameters
    ----------
    facts
        In the order in which they are tried; a fact may serve several biases, and then one written passage does.
    max_words
        Longest document, in words (at least 20).

    Raises
    ------
    ValueError
        ``count`` is below 1 or ``max_words`` below 20.
    """
    if count < 1 or max_words < 20:
        raise ValueError(f"count must be at least 1 and max_words at least 20, got {count} and {max_words}")
    return {bias: tuple(_taken(bias, facts, count, max_words)) for bias in biases}


def _taken(bias: Bias, facts: Sequence[Fact], count: int, max_words: int) -> Iterator[ProbePair]:
    used: set[tuple[str, str]] = set()
    made = 0
    for index, fact in enumerate(facts):
        if made >= count:
            return
        key = (fact.source, fact.names[0] if bias == "literal" else fact.question())
        if key in used or len(tokenize(fact.text)) > max_words // 2:
            continue
        if bias == "foil":
            pair = _foil(fact, _unrelated(facts, index), max_words)
        elif bias == "literal":
            # The short name asks in every other pair that there is.
            pair = _literal(fact, max_words, short=made % 2 == 0)
        else:
            pair = _MAKERS[bias](fact, max_words)
        if pair is not None:
            used.add(key)
            made += 1
            yield pair


def _brevity(fact: Fact, max_words: int) -> ProbePair | None:
    """Pair the evidence alone with the evidence and the rest of its document."""
    rest = _within(fact, fact.others(), max_words)
    if not rest:
        return None
    return _pair("brevity", fact, fact.text, _join(fact.text, rest), (fact.answer[0], fact.answer[0]))


def _position(fact: Fact, max_words: int) -> ProbePair | None:
    """Pair the document with the evidence moved to its front with the same moved to its end."""
    if any(fact.answering[i] for i in fact.others()):
        return None
    rest = _within(fact, fact.others(), max_words)
    if len(rest) < 2:
        return None
    last = _join(*rest, fact.text)
    at = (fact.answer[0], len(last) - len(fact.text) + fact.answer[0])
    return _pair("position", fact, _join(fact.text, rest), last, at)


def _repetition(fact: Fact, max_words: int) -> ProbePair | None:
    """Pair the evidence and sentences that name the entity with the evidence and others, equally long."""
    room = max_words - len(tokenize(fact.text))
    naming = [i for i in fact.others() if fact.mentions[i]][:_LATER]
    silent = [i for i in fact.others() if not fact.mentions[i]][:_LATER]
    words = [len(tokenize(sentence)) for sentence in fact.sentences]
    best: tuple[int, int, tuple[int, ...], tuple[int, ...]] | None = None
    for more in _subsets(naming):
        size = sum(words[i] for i in more)
        if size > room:
            continue
        for less in _subsets(silent):
            off = abs(size - sum(words[i] for i in less))
            if off <= LENGTH_SLACK:
                found = (-sum(fact.mentions[i] for i in more), off, more, less)
                best = found if best is None else min(best, found)
    if best is None:
        return None
    named, unnamed = ([fact.sentences[i] for i in chosen] for chosen in best[2:])
    at = fact.answer[0]
    return _pair("repetition", fact, _join(fact.text, named), _join(fact.text, unnamed), (at, at))


def _literal(fact: Fact, max_words: int, *, short: bool) -> ProbePair | None:
    """Pair the document with the name that the question uses with the document with another name of the entity."""
    names = sorted(fact.names, key=lambda name: (len(tokenize(name)), len(name), name))
    if len(names) < 2 or set(tokenize(names[0])) == set(tokenize(names[-1])):
        return None
    asked, other = (names[0], names[-1]) if short else (names[-1], names[0])
    silent = [i for i in fact.others() if not fact.mentions[i] and asked not in fact.sentences[i]]
    rest = _within(fact, [i for i in silent if other not in fact.sentences[i]][:_BESIDE], max_words)
    (first, at_first), (second, at_second) = fact.renamed(asked), fact.renamed(other)
    return _pair("literal", fact, _join(first, rest), _join(second, rest), (at_first, at_second), asked=asked)


def _foil(fact: Fact, other: Fact | None, max_words: int) -> ProbePair | None:
    """Pair the name twice and a sentence without the answer with the evidence inside an unrelated document."""
    without = [i for i in fact.others() if fact.mentions[i] and not fact.answering[i]]
    if not without or other is None:
        return None
    name = fact.names[0]
    treatment = f"{name}. {name}. {fact.sentences[without[0]]}"
    around = _within(fact, list(range(len(other.sentences))), max_words, of=other)
    before, after = around[: len(around) // 2], around[len(around) // 2 :]
    if not before:
        return None
    ahead = _join(*before)
    control = _join(ahead, fact.text, *after)
    return _pair("foil", fact, treatment, control, (-1, len(ahead) + 1 + fact.answer[0]))


_MAKERS: Final[dict[str, Callable[[Fact, int], ProbePair | None]]] = {
    "brevity": _brevity,
    "position": _position,
    "repetition": _repetition,
}


def _pair(
    bias: Bias, fact: Fact, treatment: str, control: str, at: tuple[int, int], asked: str = ""
) -> ProbePair:
    name = asked or fact.names[0]
    return ProbePair(bias, fact.question(name), treatment, control, at, name, fact.source, fact.document)


def _within(fact: Fact, indexes: Sequence[int], max_words: int, of: Fact | None = None) -> list[str]:
    """Return these sentences, in order, as far as they fit beside the evidence."""
    room = max_words - len(tokenize(fact.text))
    kept: list[str] = []
    for index in indexes:
        sentence = (of or fact).sentences[index]
        room -= len(tokenize(sentence))
        if room < 0:
            break
        kept.append(sentence)
    return kept


def _unrelated(facts: Sequence[Fact], index: int) -> Fact | None:
    """Return the next fact of another document that does not name this one's entity or answer."""
    fact = facts[index]
    avoid = (*fact.names, fact.answer_text)
    for step in range(1, len(facts)):
        other = facts[(index + step) % len(facts)]
        if other.source != fact.source and not any(name in other.document for name in avoid):
            return other
    return None


def _subsets(items: Sequence[int]) -> list[tuple[int, ...]]:
    sizes = range(1, _BESIDE + 1)
    return list(chain.from_iterable(combinations(items, size) for size in sizes))


def _join(*parts: str | Sequence[str]) -> str:
    texts = chain.from_iterable([part] if isinstance(part, str) else part for part in parts)
    return " ".join(texts)


__all__ = ["BIASES", "LENGTH_SLACK", "MAX_WORDS", "Bias", "ProbePair", "build_pairs"]
