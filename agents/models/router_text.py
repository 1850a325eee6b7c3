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
_JOINERS = frozenset({"and", "but", "or", ","})


def fold(text: str) -> str:
    """Return ``text`` in NFKC, lower case, with plain quotes and hyphens."""
    return unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a question.

    ``words`` are as typed (folded, spelling of cue words mended), ``shape`` is the same run of words joined by
    blanks with PPL, PSN, EVAL, WEAK and UP in place of the words of those classes.
    """

    words: tuple[str, ...]
    shape: str

    @property
    def text(self) -> str:
        """The words joined by blanks."""
        return " ".join(self.words)


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


def _clause(words: Sequence[str]) -> Clause:
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
    return Clause(tuple(kept), " ".join(shape))


@lru_cache(maxsize=1)
def _courtesy() -> re.Pattern[str]:
    return re.compile(lexicon()["courtesy"][0])


def mask(question: str, names: Sequence[str]) -> str:
    """Put "it" in place of ``names``, so that a name such as "Comfort Inn" judges nothing."""
    for name in sorted(names, key=len, reverse=True):
        pieces = re.findall(r"[^\W_]+", fold(name))
        if pieces:
            question = re.sub(
                r"(?<!\w)" + r"[\W_]*".join(map(re.escape, pieces)) + r"(?!\w)", "it", question, flags=re.I
            )
    return question


def tokens(question: str) -> list[str]:
    """Return folded words, contractions opened, with ``? ! ; : . , ( )`` as tokens of their own."""
    contractions = lexicon()["contractions"]
    found: list[str] = []
    for piece in _WORD.findall(fold(question)):
        word = piece.replace(".", "") if re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]?", piece) else piece
        if word in _MARKS:
            found.append(word)
        elif word == "%":
            found.append("percent")
        elif opened := contractions.get(word):
            found.extend(opened.split())
        else:
            mended = correct(_STUTTER.sub(r"\1\1", word.removesuffix("'s")))
            found.append(mended)
            if word.endswith("'s") and mended in _ASKING:
                found.append("is")
    return correct_in_context(" ".join(found)).split()


def clauses(words: Sequence[str]) -> list[Clause]:
    """Split into clauses that each ask something.

    A clause ends at ``? ! ;``, and at "and", "but", "or", a comma or a full stop that is followed by a question
    word or an auxiliary ("does it have showers and are they clean").
    """
    pieces: list[list[str]] = [[]]
    for i, word in enumerate(words):
        follow = [w for w in words[i + 1 : i + 4] if w not in {"and", "but", "also", "so", "then", ","}][:1]
        starts = bool(follow) and follow[0] in lexicon()["starters"]
        if word in {"?", "!", ";"} or (word in {"."} | _JOINERS and pieces[-1] and starts):
            pieces.append([])
        elif word not in _MARKS and (pieces[-1] or word not in {"and", "but", "also", "then"}):
            pieces[-1].append(word)
    spoken = [piece for piece in pieces if any(c.isalpha() for word in piece for c in word)]
    starters = lexicon()["starters"]
    asked = [piece for piece in spoken if len(piece) > 1 and starters & set(piece[:3])]
    return [_clause(piece) for piece in (asked if asked and len(asked) < len(spoken) else spoken)]


__all__ = ["Clause", "class_of", "clauses", "fold", "mask", "tokens", "word_classes"]
