"""Which candidate terms name a thing to hold a view on, and which are junk, proper names or plain compounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from store.enrich.registry_knowledge import Knowledge, Term, knowledge
from store.enrich.registry_words import lemma, lemmas
from store.enrich.terms import Lexis, TermCount

#: A term must make up this share of the words of the texts ...
MIN_SHARE: Final = 1.2e-4
#: ... and occur this often at least.
MIN_USES: Final = 3
#: Least share of uses with an opinion on them (shrunk, see ``TermCount.opinion_share``).
MIN_OPINION: Final = 0.15
#: Uses with an opinion that a term needs: one may be chance.
MIN_OPINIONS: Final = 2
#: What this share of the texts, and so many at least, speak of as a definite thing or a subject in at least half of its
#: uses is a topic of the corpus: a word that names a thing in some corpora only may then be one.
PROMINENT, MIN_PROMINENT, STANDING = 0.08, 5, 0.5
#: Among fewer texts one opinion word is enough for a topic: most views are told without one.
FEW_TEXTS: Final = 300
#: Least share of a word's uses as a noun, over singular and plural: "wash" and "tie" are verbs as well.
MIN_NOUN: Final = 0.55
#: A noun likened to in a larger share of its uses is no part of the thing ("like a tent").
MAX_LIKENED: Final = 0.15
#: A noun bare behind a preposition this often ("with boots", "to dinner") and hardly ever definite or a subject is
#: what things are used with or for; told only from this many uses on.
MAX_BARE, MIN_STANDING, MIN_TOLD = 0.28, 0.14, 8
#: A name that only the list of synonyms vouches for must stand definite or as a subject, or be judged, this often.
MIN_VOUCHED_STANDING, MIN_VOUCHED_OPINION = 0.28, 0.2
#: A compound must be this share of its head's uses to stand on its own.
MIN_COMPOUND: Final = 0.06

#: Texts with a smaller share of capitalised terms are in lower case: there a tagger cannot see names.
LOWER_CASE: Final = 0.01
#: In such texts the first words of a subject's name are its maker's, unless they are definite this often, or stand in
#: another number this often.
MAKER_DEFINITE, MAKER_VARIED = 0.5, 0.2
#: A compound capitalised in a larger share of its uses is a proper name.
MAX_CAPITALS: Final = 0.6

_COLUMN_NOISE: Final = frozenset(("rating", "score", "star", "aspect", "rate", "overall", "id"))


def columns_to_terms(columns: Sequence[str]) -> list[Term]:
    """Turn names of aspect columns into terms (``wifi_connectivity_rating`` -> ``("wifi", "connectivity")``)."""
    terms: dict[Term, None] = {}
    for column in columns:
        words = tuple(word for word in lemmas(column.replace("_", " ")) if word not in _COLUMN_NOISE)
        if words:
            terms[words] = None
    return list(terms)


def least_uses(texts: Sequence[str]) -> int:
    """Return how often an entity must be named in ``texts``: the longer they are, the oftener."""
    return max(MIN_USES, round(MIN_SHARE * sum(text.count(" ") + 1 for text in texts)))


def select(
    counts: Mapping[Term, TermCount],
    lexis: Lexis,
    least: int,
    subjects: Sequence[str],
    columns: Sequence[Term],
    texts: int,
) -> list[Term]:
    """Return the terms worth an entity or an alias, most used first (ties by spelling).

    ``least`` is the number of uses that a term needs, save those that a synonym group or a column knows; ``texts`` the
    number of texts that were counted.
    """
    known = knowledge()
    names = {word for subject in subjects for word in lemmas(subject)}
    makers = _makers(subjects, counts)
    grouped = {term for group in known.groups for term in group}
    asked = {term for column in columns for term in (column, *((word,) for word in column))}
    kept = []
    for term, count in counts.items():
        if count.uses < (MIN_USES if term in grouped or term in asked else least):
            continue
        if term in asked or (
            makers.isdisjoint(term) and _acceptable(term, count, counts, lexis, known, names, grouped, texts)
        ):
            kept.append(term)
    kept.sort(key=lambda term: (-counts[term].uses, term))
    return kept


def _makers(subjects: Sequence[str], counts: Mapping[Term, TermCount]) -> set[str]:
    """First two words of the subjects' names that texts in lower case use as names: "apex player", "creative labs"."""
    uses = sum(count.uses for count in counts.values())
    if sum(count.capitals for count in counts.values()) > LOWER_CASE * uses:
        return set()
    known = knowledge()
    firsts = {word for subject in subjects if len(words := lemmas(subject)) > 1 for word in words[:2]}
    found = set()
    for word in firsts - known.despite - {term[0] for group in known.groups for term in group}:
        count = counts.get((word,))
        if count is None:
            continue
        varied = count.uses - max(count.forms.values())
        if count.definite < MAKER_DEFINITE * count.uses and varied < MAKER_VARIED * count.uses:
            found.add(word)
    return found


def _acceptable(
    term: Term,
    count: TermCount,
    counts: Mapping[Term, TermCount],
    lexis: Lexis,
    known: Knowledge,
    names: set[str],
    grouped: set[Term],
    texts: int,
) -> bool:
    prominent = _prominent(count, texts)
    if term in grouped:
        return len(term) > 1 or term[0] in known.despite or not _stopped(term[0], known, prominent)
    if any(is_proper(word, lexis, names) for word in term) or not _stands_for_itself(count):
        return False
    if len(term) == 1:
        word = term[0]
        asks = word in known.question and not (prominent and word in known.contextual)
        usable = len(word) > 2 and not _stopped(word, known, prominent) and not asks
        judged = _opinionated(count) or (prominent and texts < FEW_TEXTS)
        return usable and judged and noun_share(word, lexis) >= MIN_NOUN
    return _compound(term, count, counts, known)


def vouched(terms: Iterable[Term], counts: Mapping[Term, TermCount]) -> bool:
    """Whether names that the list of synonyms knows are used here as things people judge, not only in passing."""
    found = [counts[term] for term in terms if term in counts]
    uses = sum(count.uses for count in found)
    if not uses:
        return True
    standing = sum(count.definite + count.subjects for count in found) / uses
    bare = sum(count.bare for count in found) / uses
    if uses >= MIN_TOLD and bare >= MAX_BARE and standing < MIN_STANDING / 2:
        # "to sleep on": a verb, or what the thing is used for.
        return False
    opinions = sum(count.opinions for count in found) / uses
    return standing >= MIN_VOUCHED_STANDING or opinions >= MIN_VOUCHED_OPINION


def _stands_for_itself(count: TermCount) -> bool:
    """Whether a noun is spoken of, not only likened to or named behind a preposition."""
    if count.likened > MAX_LIKENED * count.uses:
        return False
    aside = (
        count.bare >= MAX_BARE * count.uses and count.definite + count.subjects < MIN_STANDING * count.uses
    )
    return not (aside and count.uses >= MIN_TOLD)


def noun_share(word: str, lexis: Lexis) -> float:
    """Share of the uses of a base form and its plural that are nouns, in [0, 1]; 1 where the tagger saw none."""
    forms = [form for form in (word, word + "s", word + "es") if form in lexis.seen]
    seen = sum(lexis.seen[form] for form in forms)
    if not seen:
        return 1.0
    return sum((lexis.noun[form] + lexis.proper[form]) * lexis.seen[form] for form in forms) / seen


def _stopped(word: str, known: Knowledge, prominent: bool = False) -> bool:
    if word in known.despite or (prominent and word in known.contextual):
        return False
    return word in known.stop or word in known.aside or word in known.opinion


def _prominent(count: TermCount, texts: int) -> bool:
    spoken_of = count.documents >= max(MIN_PROMINENT, PROMINENT * texts)
    standing = count.definite + count.subjects >= STANDING * count.uses
    return spoken_of and standing and count.opinions >= 1


def _compound(term: Term, count: TermCount, counts: Mapping[Term, TermCount], known: Knowledge) -> bool:
    """Whether a compound means something of its own: no light words, no opinion, and usual enough for its head."""
    head, modifiers = term[-1], term[:-1]
    if count.capitals > MAX_CAPITALS * count.uses:
        return False
    if head in known.light_heads and not _stands(head, known):
        return False
    for word in modifiers:
        if word in known.light_modifiers or (word,) in known.implied or word in known.opinion - known.despite:
            return False
        if word in known.stop and (head in known.stop or len(term) > 2):
            return False
    if head in known.stop and head not in known.despite:
        return False
    return count.uses >= MIN_COMPOUND * counts[(head,)].uses and _opinionated(count)


def _opinionated(count: TermCount) -> bool:
    return count.opinions >= MIN_OPINIONS and count.opinion_share >= MIN_OPINION


def _stands(head: str, known: Knowledge) -> bool:
    return head in {"service", "price", "cost", "fee", "design", "function", "feature", "policy", "room"}


def is_proper(word: str, lexis: Lexis, names: set[str]) -> bool:
    """Whether a base form is used as a proper name in this corpus (places, brands, the subjects themselves)."""
    forms = [form for form in (word, word + "s") if form in lexis.seen]
    seen = sum(lexis.seen[form] for form in forms)
    if not seen:
        return False
    share = sum(lexis.proper[form] * lexis.seen[form] for form in forms) / seen
    return share >= (0.3 if lemma(word) in names else 0.6)


__all__ = [
    "MIN_OPINION",
    "MIN_SHARE",
    "columns_to_terms",
    "is_proper",
    "least_uses",
    "noun_share",
    "select",
    "vouched",
]
