"""What the router reads: a question without case and punctuation, in words and clauses.

Case and punctuation tell data sets apart rather than kinds of question, so neither reaches a decision: the
text is folded (NFKC, lower case, plain quotes and hyphens), and punctuation only marks where a clause ends.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.models.router_data import lexicon
from agents.models.router_spelling import correct, correct_in_context

_QUOTES = str.maketrans(dict.fromkeys("’‘ʼ`", "'") | dict.fromkeys("“”", '"') | dict.fromkeys("‐‑–—−", "-"))
_WORD = re.compile(r"[^\W_]+(?:[.'-][^\W_]+)*|[?!;:.,()]|%")
_MARKS = frozenset("?!;:.,()")
_AGENTS = re.compile(r"[a-z]{3}(?:ers|ors|ists|ians|ees)$")
_ASKING = frozenset({"what", "how", "where", "who", "when", "why"})
_STUTTER = re.compile(r"([a-z])\1\1+")
#: What stands for a masked name, with its number: a letter of no language that questions are read in.
_MASKED = re.compile(r"ꀀ(\d+)")
_JOINERS = frozenset({"and", "but", "or", ","})


def fold(text: str) -> str:
    """Return ``text`` in NFKC, lower case, with plain quotes and hyphens."""
    return unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a question.

    ``words`` are as typed (folded, spelling of cue words mended), ``shape`` is the same run of words joined by
    blanks with PPL, PSN, EVAL, WEAK and UP in place of the words of those classes. ``said`` holds what the question
    says for each word: names in place of "it", and slips.
    """

    words: tuple[str, ...]
    shape: str
    said: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The words joined by blanks."""
        return " ".join(self.words)

    def quote(self, first: int = 0, count: int | None = None, longest: int = 60) -> str:
        """Return words of the question for a reader, cut at a blank: the names themselves, no masks."""
        words = (self.said or self.words)[first : None if count is None else first + count]
        text = " ".join(words)
        return text if len(text) <= longest else text[:longest].rpartition(" ")[0] + " …"


@lru_cache(maxsize=1)
def word_classes() -> dict[str, str]:
    """Word -> PPL (people), PSN (one person), EVAL, WEAK or UP; a plural that is both is people ("professionals")."""
    lists = lexicon()
    made: dict[str, str] = {}
    for word in lists["evaluative"]:
        kind = "WEAK" if word in lists["weakly_evaluative"] else "EVAL"
        for form in _forms(word):
            made.setdefault(form, "UP" if form.endswith("est") and form != word else kind)
    for word in lists["weakly_evaluative"]:
        made[word] = "WEAK"
    for word in lists["people"]:
        made[word] = "PSN" if f"{word}s" in lists["people"] and not word.endswith("s") else "PPL"
    made.update(dict.fromkeys(("best", "worst", "finest", "nicest", "favourite", "favorite"), "UP"))
    made.update(dict.fromkeys(("good", "bad", "better", "worse", "great"), "EVAL"))
    for word in ("you", "they", *lists["measurable_superlatives"]):  # pronouns and measures judge nothing
        made.pop(word, None)
    return made


def class_of(word: str) -> str:
    """Return PPL, PSN, EVAL, WEAK or UP for a word of a class, else the word.

    Plural agent nouns ("listeners", "cyclists") are people unless listed as things ("showers").
    """
    known = word_classes().get(word)
    if known is None and _AGENTS.search(word) and word not in lexicon()["not_people"]:
        return "PPL"
    return known or word


def _forms(word: str) -> set[str]:
    """Return an adjective with its comparative, superlative and adverb."""
    forms = {word, f"{word}ly"}
    if word.endswith("y"):
        forms |= {f"{word[:-1]}ily", f"{word[:-1]}ier", f"{word[:-1]}iest"}
    elif word.endswith("le"):
        forms |= {f"{word[:-1]}y", f"{word}r", f"{word}st"}
    elif len(word) <= 7 and not word.endswith(("ed", "ing", "ful", "ous", "ive")):
        stem = word.removesuffix("e")
        forms |= {f"{stem}er", f"{stem}est"}
        if re.search(r"[^aeiou][aeiou][bdgmnpt]$", word):
            forms |= {f"{word}{word[-1]}er", f"{word}{word[-1]}est"}
    return forms


def _clause(words: Sequence[str], said: Sequence[str]) -> Clause:
    """Return the clause of ``words`` without opening courtesies ("could you tell me whether ...")."""
    text = " ".join(words) + " "
    kept = re.sub(_courtesy(), "", text).split() or text.split()
    shape = [class_of(word) for word in kept]
    for i, word in enumerate(kept):
        before = kept[i - 1] if i else ""
        after, number = [*kept[i + 1 : i + 3], "", ""][:2]
        if (
            (before in {"more", "most", "less", "least"} and word in {"expensive", "costly"})
            or (shape[i] == "UP" and after in {"rated", "rating", "ratings", "score", "scored", "selling"})
            or (after == "than" and number[:1].isdigit())
        ):
            shape[i] = word  # a measure, not a judgement
    return Clause(tuple(kept), " ".join(shape), tuple(said[len(words) - len(kept) :]))


@lru_cache(maxsize=1)
def _courtesy() -> re.Pattern[str]:
    return re.compile(lexicon()["courtesy"][0])


def mask(question: str, names: Sequence[str]) -> str:
    """Put "it" in place of ``names``, so that a name such as "Comfort Inn" judges nothing."""
    return _MASKED.sub("it", masked(question, names)[0])


def masked(question: str, names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the question with a mark in place of each of ``names``, and what stood there, in order of the marks."""
    stood: list[str] = []

    def mark(match: re.Match[str]) -> str:
        stood.append(fold(match[0]))
        return f"ꀀ{len(stood) - 1}"

    question = _MASKED.sub(" ", question)
    for name in sorted(names, key=len, reverse=True):
        pieces = re.findall(r"[^\W_]+", fold(name))
        if pieces:
            pattern = r"(?<!\w)" + r"[\W_]*".join(map(re.escape, pieces)) + r"(?!\w)"
            question = re.sub(pattern, mark, question, flags=re.I)
    return question, stood


def tokens(question: str) -> list[str]:
    """Return folded words, contractions opened, with ``? ! ; : . , ( )`` as tokens of their own."""
    return _read(question)[0]


def spoken(question: str, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the tokens of a question with "it" in place of ``names``, and beside each what was typed there."""
    text, stood = masked(question, names)
    words, typed = _read(text)
    said = [_MASKED.sub(lambda match: stood[int(match[1])], word) for word in typed]
    return [_MASKED.sub("it", word) for word in words], said


def _read(question: str) -> tuple[list[str], list[str]]:
    """Return the tokens, their spelling mended, and the tokens as typed."""
    contractions = lexicon()["contractions"]
    found: list[str] = []
    typed: list[str] = []
    for piece in _WORD.findall(fold(question)):
        word = piece.replace(".", "") if re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]?", piece) else piece
        if word in _MARKS:
            found.append(word)
        elif word == "%":
            found.append("percent")
        elif opened := contractions.get(word):
            found.extend(opened.split())
        else:
            found.append(correct(_STUTTER.sub(r"\1\1", word.removesuffix("'s"))))
            typed.append(word)
            if word.endswith("'s") and found[-1] in _ASKING:
                found.append("is")
        typed.extend(found[len(typed) :])
    words = correct_in_context(" ".join(found)).split()
    return words, (typed if len(words) == len(typed) else words)


def clauses(words: Sequence[str], said: Sequence[str] = ()) -> list[Clause]:
    """Split into clauses that each ask something; ``said`` is what was typed for each word.

    A clause ends at ``? ! ;``, and at "and", "but", "or", a comma or a full stop that is followed by a question
    word or an auxiliary ("does it have showers and are they clean").
    """
    pieces: list[list[str]] = [[]]
    typed: list[list[str]] = [[]]
    for i, word in enumerate(words):
        follow = [w for w in words[i + 1 : i + 4] if w not in {"and", "but", "also", "so", "then", ","}][:1]
        starts = bool(follow) and follow[0] in lexicon()["starters"]
        if word in {"?", "!", ";"} or (word in {"."} | _JOINERS and pieces[-1] and starts):
            pieces.append([])
            typed.append([])
        elif word not in _MARKS and (pieces[-1] or word not in {"and", "but", "also", "then"}):
            pieces[-1].append(word)
            typed[-1].append(said[i] if said else word)
    both = list(zip(pieces, typed, strict=True))
    worded = [each for each in both if any(c.isalpha() for word in each[0] for c in word)]
    starters = lexicon()["starters"]
    asked = [each for each in worded if len(each[0]) > 1 and starters & set(each[0][:3])]
    return [_clause(*each) for each in (asked if asked and len(asked) < len(worded) else worded)]


__all__ = ["Clause", "class_of", "clauses", "fold", "mask", "spoken", "tokens", "word_classes"]
