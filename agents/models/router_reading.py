"""The words of one question, and whether a run of them is said of the people who wrote: "users of YouTube"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agents.models.router_data import lexicon
from agents.models.router_groups import Word, demonyms, group_spans, is_author, is_people, words_of
from agents.models.router_text import class_of, fold
from agents.models.router_values import attribute_names, pieces, stem
from store.enrich.question_people import is_topic

#: Where a run of words stands, by pieces: first, and one after the last.
Run = tuple[int, int]

_COMPARES: Final = re.compile(
    r"\b(?:compar\w+|contrast|versus|vs|differ\w*|between|unlike|than|agree|disagree)\b"
)
_BETWEEN: Final = frozenset(
    "and or vs versus with to on about than in for regarding when by over".split()  # noqa: SIM905
)
#: What authors give: "ratings in Lisbon" are those of its authors.
_GIVEN: Final = frozenset(
    ("rating", "ratings", "score", "scores", "stars", "opinion", "mood", "sentiment", "satisfaction")
)
#: People called by what they are together, and those who hold something: "the Spotify crowd", "speakers of English".
_TOGETHER: Final = frozenset(("households", "audience", "community", "crowd", "base", "camp"))
_HOLDERS: Final = frozenset(("speaker", "speakers", "holder", "holders", "olds", "those", "households"))
#: Values that say nothing of people where they stand before them: "other people".
_ANY: Final = frozenset(
    ("other", "others", "any", "all", "some", "many", "most", "no", "yes", "none", "same", "not")
)
#: What ties people to a value: "users of", "people on", "listeners who use", "patients whose language is".
_ARTICLES: Final = frozenset(("the", "a", "an", "their", "own"))
_TIES: Final = _ARTICLES | frozenset(("in", "from", "of", "on", "at", "with", "via", "through"))
#: What may stand between an attribute's name and its value.
_NAMED: Final = frozenset(("of", "is", "are", "was", "with", "size"))
_NUMBERED: Final = _NAMED | {"in", "since"}
_AGED: Final = frozenset(
    ("aged", "over", "under", "above", "below", "older", "younger", "year", "years", "old")
)
RELATIVE: Final = frozenset(("who", "that", "which"))
DOES: Final = frozenset(
    re.findall(
        r"\w+",
        """
        use uses used own owns owned have has had speak speaks spoke live lives lived work works worked play plays
        played listen listens listened watch watches watched come comes came stay stays stayed are is were was belong
        belongs buy buys bought fly flies flew travel travels travelled traveled attend attends attended study studies
        shop shops shopped go goes went subscribe subscribes to
        """,
    )
)
#: Words after a value that end it: no noun follows that it could belong to ("Thai" in "Thai Airways").
_ENDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        would will can could should may might must still also ever usually often generally mostly really actually
        there here now today both all gave wrote write writes
        """,
    )
)
#: Nouns that say of which kind a value is, whatever its attribute is called: "the Main site", "the YouTube app".
_KINDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        area district neighbourhood neighborhood region side part site branch office ward quarter town city county
        state province plan account app platform version tier group class segment
        """,
    )
)
#: Of whom a verb tells that they are people: "What does Northfield think of it?"
_THINKS: Final = frozenset(("think", "say", "feel", "believe", "like", "love", "hate", "prefer", "complain"))
_VIEWS: Final = frozenset(
    ("view", "views", "opinion", "opinions", "thoughts", "feedback", "comments", "reviews", "complaints")
)


class Reading:
    """The words of one question, in pieces ("English-speaking" has two), and what stands around a run of them."""

    def __init__(self, question: str) -> None:
        self.text = question
        self.words: list[Word] = words_of(question)
        self.pieces: list[str] = []
        self.word_of: list[int] = []
        for i, word in enumerate(self.words):
            for piece in pieces(word.text) or (word.text,):
                self.pieces.append(piece)
                self.word_of.append(i)
        self.stems = [stem(piece) for piece in self.pieces]
        self._present = frozenset(self.stems)
        self._joined = self._joint()
        self._adverbs = {
            re.sub("i$", "y", piece[:-2]): i
            for i, piece in enumerate(self.pieces)
            if piece.endswith("ly") and len(piece) > 4
        }
        first = {word: i for i, word in reversed(list(enumerate(self.word_of)))}
        first[len(self.words)] = len(self.pieces)
        self.spans: list[Run] = [(first[a], first[b]) for a, b in group_spans(question, self.words)]
        self.compares = bool(_COMPARES.search(fold(question)))

    def _joint(self) -> dict[str, Run]:
        """Return runs that may be written in one word: "e-bike", "PS 5", by that word."""
        found: dict[str, Run] = {}
        for i in range(len(self.pieces)):
            for j in (i + 2, i + 3):
                run = self.pieces[i:j]
                hyphened = j <= len(self.pieces) and self.word_of[i] == self.word_of[j - 1]
                model = any(piece.isdigit() for piece in run) and all(piece.isalnum() for piece in run)
                if len(run) == j - i and (hyphened or model):
                    found.setdefault(stem("".join(run)), (i, j))
        return found

    def word(self, i: int) -> str:
        """Return a piece, or an empty text outside of the question."""
        return self.pieces[i] if 0 <= i < len(self.pieces) else ""

    def find(self, form: tuple[str, ...]) -> Iterator[Run]:
        """Yield the runs of pieces that read ``form``."""
        n = len(form)
        if n == 1 and form[0] in self._joined:
            yield self._joined[form[0]]
        if form[0] not in self._present:
            return
        for i in range(len(self.stems) - n + 1):
            if tuple(self.stems[i : i + n]) == form:
                yield i, i + n

    def as_adverb(self, attribute: str, form: tuple[str, ...]) -> Run | None:
        """Return the run that says a value of how people are: "privately insured patients"."""
        at = self._adverbs.get(form[0]) if len(form) == 1 else None
        if at is None:
            return None
        if not is_participle(self.word(at + 1)):
            return (at, at + 1) if is_participle(self.word(at - 1)) else None
        if self._people(at + 2):
            return at, at + 2
        head = self._tied(attribute, at, at + 2)
        return None if head is None else (head, at + 2)

    def phrase(self, start: int, end: int) -> str:
        """Return the group phrase around a run, or the run itself."""
        for a, b in self.spans:
            if a <= start and end <= b:
                start, end = a, b
                break
        first, last = self.words[self.word_of[start]], self.words[self.word_of[end - 1]]
        return self.text[first.start : last.end]

    def blanks(self, start: int, end: int) -> bool:
        """Tell whether a run stands in more than one word: "family leisure", not "e-bike"."""
        return self.word_of[start] != self.word_of[end - 1]

    def stands_alone(self, end: int) -> bool:
        """Tell whether no noun follows that the run could belong to ("Thai" in "Thai Airways")."""
        follows = self.word(end) or "?"
        return not follows[0].isalnum() or follows in _BETWEEN

    def ends_comparing(self, end: int) -> bool:
        """Tell whether a value that is compared ends here: "Is it in Northfield worse than in Harbour?"."""
        return (
            self.stands_alone(end)
            or self.word(end) in {"worse", "better"}
            or class_of(self.word(end)) == "EVAL"
        )

    def ends(self, end: int, attribute: str) -> bool:
        """Tell whether a value ends here: no word follows that could be part of a longer name."""
        follows = self.word(end)
        if self.stands_alone(end) or follows in _ENDS | _KINDS | RELATIVE | lexicon()["group_stops"]:
            return True
        verb = follows in lexicon()["stance_verbs"] or follows.endswith(("ed", "ly"))
        # "with statutory health insurance"
        near = self.stems[end : end + 2]
        return verb or any(name[0] in near for name in attribute_names(attribute))

    def joins(self, start: int) -> int:
        """Return where what "and" joins to the run at ``start`` ends, or -1 if nothing is joined to it."""
        i = start - 1
        while self.word(i) in _TIES:
            i -= 1
        comma = i > 0 and self.word(i) in {"and", "or"} and self.word(i - 1) == ","
        return -1 if self.word(i) not in {"and", "or", ","} else i - comma

    def beside(self, attribute: str, start: int, end: int) -> Run | None:
        """Return the run if the attribute's own name is beside it: "the North ward", "whose language is English"."""
        for name in attribute_names(attribute):
            others = self.pieces[start] in _ANY  # "other districts" are no district called "other"
            if self._named(name, start) or (tuple(self.stems[end : end + len(name)]) == name and not others):
                return start, end
            for i in (start - 1, start - 2):
                if self._named(name, i) and _NAMED.issuperset(self.pieces[i:start]):
                    return i - len(name), end
        return None

    def _with_name(self, attribute: str, end: int) -> int:
        for name in attribute_names(attribute):
            for i in (end, end + 1):
                if tuple(self.stems[i : i + len(name)]) == name:
                    return i + len(name)
        return end

    def numbered(self, attribute: str, start: int, end: int) -> Run | None:
        """Return a number with the attribute's name: "households of 3", "with 2 children", "3-person households"."""
        for name in attribute_names(attribute):
            n = len(name)
            for i in (start, start - 1, start - 2):
                if self._named(name, i) and _NUMBERED.issuperset(self.pieces[i:start]):
                    return i - n, end
            if self.word(end) in {"person", "member"} and tuple(self.stems[end + 1 : end + 1 + n]) == name:
                return start, end + 1 + n
            if tuple(self.stems[end : end + n]) == name:
                having = self.word(start - 1) in {"with", "having", "have"}
                return (start, end + n) if having or self._people(end + n) else None
        born = any(a <= start < b and "born" in self.pieces[a:b] for a, b in self.spans)
        return (start, end) if born else None

    def _named(self, name: tuple[str, ...], end: int) -> bool:
        return end >= len(name) and tuple(self.stems[end - len(name) : end]) == name

    def said_of_people(self, attribute: str, start: int, end: int) -> Run | None:
        """Return the run if it is said of authors, with the words that tie it to them; None if it is not.

        It is people, stands before them, or they come from it, use it, speak it.
        """
        before = [piece for piece in self.pieces[max(start - 3, 0) : start] if piece != "the"]
        if len(before) > 1 and before[-1] in {"in", "from"} and before[-2] in _GIVEN:
            return start, end  # "the average rating in Lisbon"
        if (head := self._tied(attribute, start, end)) is not None:
            return head, self._with_name(attribute, end)  # "patients with private insurance"
        if self.pieces[start] == "without":
            return (start - 1, end) if self._people(start - 1) else None
        last = self.pieces[end - 1]
        plural = last.endswith("s") or stem(last) != last
        if is_people(last) and last not in {"couple", "family", "group"} and plural:
            return None if self._asked_about(end - 1) else (start, end)
        if last.endswith("s") and last in demonyms():
            return start, end
        if any(a <= start and end <= b for a, b in self.spans):
            return None if any(self._asked_about(i) for i in self._heads(start, end)) else (start, end)
        thinker = self.word(start - 1 - (self.word(start - 1) == "the"))
        if thinker in {"do", "does", "did"} and self.word(end) in _THINKS:
            return start, end
        if self.word(end) in {"and", "or"}:  # "British and Australian guests"
            return (start, end) if any(self._author(i) for i in range(end + 1, end + 4)) else None
        return self._before_people(attribute, start, end)

    def _before_people(self, attribute: str, start: int, end: int) -> Run | None:
        """Return the run if people follow: "Spotify users", "English-speaking patients", "Harbour's young women"."""
        i = end
        while i < end + 3 and (is_participle(self.word(i)) or self.word(i) in lexicon()["group_qualifiers"]):
            i += 1
        speakers = "lang" in fold(attribute) and self.word(i) in _HOLDERS
        if not (self._author(i) or self.word(i) in _TOGETHER or speakers):
            return None
        if (self.pieces[start] in _ANY and end == start + 1) or self._asked_about(i):
            return None
        said = next((j for j in range(end, i) if not is_participle(self.word(j))), i)
        if said < i or self.word(i) in lexicon()["group_heads"]:
            return start, said  # "English-speaking women": women are a group of their own
        return (start, i + 1) if i > end or speakers or self.word(i) in _TOGETHER else (start, end)

    def _tied(self, attribute: str, start: int, end: int) -> int | None:
        """Return where the people stand to whom ties lead back from a value: "people who listen on", "users of"."""
        acts = False
        for i in range(start - 1, max(start - 8, -1), -1):
            word = self.pieces[i]
            ties = [each for each in self.pieces[i + 1 : start] if each not in _ARTICLES]
            if ties and (self._people(i) or word in _HOLDERS):
                others = self.pieces[start] in _ANY and self._with_name(attribute, end) > end
                if others or acts or not self._tells_who(attribute, i, ties, end) or self._asked_about(i):
                    return None
                # "families in Lisbon" are families, too
                return start if word in lexicon()["group_heads"] else i
            if ties and is_author(word):  # "reviews from Lisbon"
                return start if ties in (["in"], ["from"]) else None
            if word in RELATIVE:
                acts = False
            elif word in DOES:
                acts = True
            elif self.word(i - 1) in RELATIVE and word not in lexicon()["stance_verbs"]:
                acts = True  # "who commute from"
            elif not (word in _TIES or is_participle(word) or (ties and self._passes(attribute, i))):
                return None
        return None

    def _passes(self, attribute: str, i: int) -> bool:
        """Tell whether a piece may stand between people and a tie: "the platform YouTube", "over 65 in Lisbon"."""
        word, after = self.pieces[i], self.word(i + 1)
        joins = word == "and" and (is_participle(after) or after in RELATIVE | {"in", "from"})
        named = any(self.stems[i] in name for name in attribute_names(attribute))
        return joins or named or word[0].isdigit() or word in _AGED

    def _tells_who(self, attribute: str, head: int, ties: list[str], end: int) -> bool:
        """Tell whether ties from people to a value say who they are: not in "views of residents on Harbour"."""
        if ties[0] == "on" and {self.word(head - 2), self.word(head - 3)} & _VIEWS:
            return False
        if self.ends(end, attribute) or class_of(self.word(end)) == "EVAL":
            return True
        # "guests from Lisbon eat late", but not "patients in private rooms"
        return ties[-1] in {"in", "from"} and (self._capital(end - 1) and not self._capital(end))

    def _capital(self, i: int) -> bool:
        """Tell whether a piece is written with a capital."""
        return 0 <= i < len(self.pieces) and self.text[self.words[self.word_of[i]].start].isupper()

    def _heads(self, start: int, end: int) -> list[int]:
        """Return the people of the group phrase around a run, where they stand before it."""
        return [
            i for a, b in self.spans if a <= start and end <= b for i in range(a, start) if self._people(i)
        ]

    def _asked_about(self, head: int) -> bool:
        """Tell whether these people are a topic and no authors: "think of drivers in Harbour"."""
        word = self.words[self.word_of[head]]
        return is_topic(self.text, word.start, word.end)

    def _people(self, i: int) -> bool:
        word = self.word(i)
        return is_people(word) or class_of(word) == "PPL"

    def _author(self, i: int) -> bool:
        return self._people(i) or is_author(self.word(i))


def is_participle(word: str) -> bool:
    """Tell whether a word may say what people do or are: "speaking", "insured", "born"; no verb of judging."""
    ending = len(word) > 4 and word.endswith(("ing", "ed"))
    return word in {"born", "only"} or (ending and word not in lexicon()["stance_verbs"])


__all__ = ["DOES", "RELATIVE", "Reading", "Run", "is_participle"]
