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
from agents.models.router_spelling import correct

_QUOTES = str.maketrans(dict.fromkeys("’‘ʼ`", "'") | dict.fromkeys("“”", '"') | dict.fromkeys("‐‑–—−", "-"))
_WORD = re.compile(r"[^\W_]+(?:[.'-][^\W_]+)*|[?!;:.,()]|%")
_MARKS = frozenset("?!;:.,()")
_STARTERS = frozenset(
    "what how is are was were do does did can could should will would which who whom when where why has have had "
    "tell please summarize summarise compare describe list".split()
)
_JOINERS = frozenset({"and", "but", "or", ","})


def fold(text: str) -> str:
    """Return ``text`` in NFKC, lower case, with plain quotes and hyphens."""
    return unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a question.

    ``words`` are as typed (folded, spelling of cue words mended), ``shape`` is the same run of words joined by
    blanks with PPL, EVAL, WEAK and UP in place of the words of those classes.
    """

    words: tuple[str, ...]
    shape: str

    @property
    def text(self) -> str:
        """The words joined by blanks."""
        return " ".join(self.words)


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    """Word -> PPL, EVAL, WEAK or UP; a plural that is both is people ("professionals")."""
    lists = lexicon()
    made: dict[str, str] = {}
    for word in lists["evaluative"]:
        kind = "WEAK" if word in lists["weakly_evaluative"] else "EVAL"
        for form in _forms(word):
            made.setdefault(form, kind)
    for word in lists["weakly_evaluative"]:
        made[word] = "WEAK"
    made.update(dict.fromkeys(lists["people"], "PPL"))
    made.update(dict.fromkeys(("best", "worst", "finest", "nicest", "favourite", "favorite"), "UP"))
    made.update(dict.fromkeys(("good", "bad", "better", "worse", "great"), "EVAL"))
    for word in ("you", "they"):  # pronouns are people only where a cue says so
        made.pop(word, None)
    return made


def _forms(word: str) -> set[str]:
    """An adjective with its comparative, superlative and adverb."""
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
    classes = _classes()
    shape = [classes.get(word, word) for word in kept]
    for i, word in enumerate(kept):
        before = kept[i - 1] if i else ""
        if (before in {"more", "most", "less", "least"} and word in {"expensive", "costly"}) or (
            word in {"greater", "better", "worse"}
            and kept[i + 1 : i + 2] == ["than"]
            and kept[i + 2 : i + 3][:1]
            and kept[i + 2][0].isdigit()
        ):
            shape[i] = word
    return Clause(tuple(kept), " ".join(shape))


@lru_cache(maxsize=1)
def _courtesy() -> re.Pattern[str]:
    return re.compile(lexicon()["courtesy"][0])


def tokens(question: str) -> list[str]:
    """Return folded words, contractions opened, with ``? ! ; : . , ( )`` as tokens of their own."""
    contractions = lexicon()["contractions"]
    found: list[str] = []
    for piece in _WORD.findall(fold(question)):
        word = piece.replace(".", "") if re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]?", piece) else piece
        opened = contractions.get(word)
        if opened is not None:
            found.extend(opened.split())
        elif word == "%":
            found.append("percent")
        else:
            found.append(word if word in _MARKS else correct(word.removesuffix("'s")))
    return found


def clauses(words: Sequence[str]) -> list[Clause]:
    """Split into clauses that each ask something.

    A clause ends at ``? ! ;``, and at "and", "but", "or", a comma or a full stop that is followed by a question
    word or an auxiliary ("does it have showers and are they clean").
    """
    pieces: list[list[str]] = [[]]
    for i, word in enumerate(words):
        follow = [w for w in words[i + 1 : i + 4] if w not in {"and", "but", "also", "so", "then", ","}][:1]
        starts = bool(follow) and follow[0] in _STARTERS
        if word in {"?", "!", ";"} or (word in {"."} | _JOINERS and pieces[-1] and starts):
            pieces.append([])
        elif word not in _MARKS and (pieces[-1] or word not in {"and", "but", "also", "then"}):
            pieces[-1].append(word)
    spoken = [piece for piece in pieces if any(c.isalpha() for word in piece for c in word)]
    asked = [
        piece for piece in spoken if len(piece) > 1 and (piece[0] in _STARTERS or _STARTERS & set(piece[:3]))
    ]
    return [_clause(piece) for piece in (asked if asked and len(asked) < len(spoken) else spoken)]


__all__ = ["Clause", "clauses", "fold", "tokens"]
