"""Names, tiers and surface forms of the entities in the making."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from store.enrich.cues import DIMINISHERS, INTENSIFIERS, NEGATORS
from store.enrich.matcher import EntityMatcher
from store.enrich.registry_joins import TAKEOVER
from store.enrich.registry_knowledge import Term, knowledge
from store.enrich.registry_words import WORD, lemmas
from store.enrich.terms import Lexis, TermCount
from store.records import RegistryEntity

#: The preferred name of a synonym group is used if it has this share of the commonest name's uses.
PREFERRED: Final = 0.25
#: A thing is named in the plural where that is this many times as common as the singular.
PLURAL: Final = 100
#: The thing as a whole takes this share of all that is called "this ...", and this many.
WHOLE: Final = 0.5
MIN_WHOLE: Final = 10
#: An aspect without its noun needs this many uses, and this many a text.
MIN_IMPLIED: Final = 5
MIN_IMPLIED_SHARE: Final = 0.01
#: Least share of those uses that are said of something ("was clean").
PREDICATED: Final = 0.3
#: Least share of a word's uses as a noun for it to be a form of an entity on its own.
MIN_NOUN: Final = 0.4

_THIS: Final = re.compile(r"\b[Tt]his (\w+)")


@dataclass(slots=True)
class Cluster:
    """An entity in the making: terms with their uses, uses with an opinion, name, parent's name, surface forms."""

    terms: dict[Term, int] = field(default_factory=dict)
    opinions: float = 0.0
    name: str = ""
    parent: str = ""
    aliases: set[str] = field(default_factory=set)

    @property
    def uses(self) -> int:
        """Uses of all its terms."""
        return sum(self.terms.values())


def choose_name(
    cluster: Cluster, counts: Mapping[Term, TermCount], groups: Mapping[Term, tuple[Term, ...]]
) -> str:
    """Return the name that a person would choose for the cluster."""
    best: Term = max(cluster.terms, key=lambda item: (counts[item].uses, item))
    whole = [
        t for t in cluster.terms if t[-1:] == best != t and counts[t].uses >= TAKEOVER * counts[best].uses
    ]
    if whole:
        best = max(whole, key=lambda item: (counts[item].uses, item))
    for other in groups.get(best, ()):
        if other in cluster.terms and counts[other].uses >= PREFERRED * counts[best].uses:
            best = other
            break
    return _spell(best, counts[best].forms)


def _spell(term: Term, forms: Mapping[str, int]) -> str:
    """Return the commonest surface form: singular, unless the singular is rare or another word ("grounds")."""
    single = " ".join(term)
    plural = max(
        (form for form in forms if form != single), key=lambda form: (forms[form], form), default=single
    )
    often = PLURAL * forms.get(single, 0)
    return plural if plural in knowledge().plurals or forms.get(plural, 0) > often else single


def add_implied(clusters: list[Cluster], texts: Sequence[str]) -> None:
    """Let "dirty" and "spotless" name cleanliness, where the corpus uses them."""
    implied = knowledge().implied
    matcher = EntityMatcher([RegistryEntity(" ".join(form), " ".join(form)) for form in implied])
    seen: Counter[Term] = Counter()
    told: Counter[str] = Counter()
    for text in texts:
        for mention in matcher.find(text):
            form = lemmas(mention.entity)
            seen[form] += 1
            told[implied[form]] += len(form) > 1 or _predicated(text, mention.start)
    by_name: dict[str, dict[Term, int]] = {}
    said = Counter[str]()
    for form, uses in seen.items():
        said[implied[form]] += uses
    for form, name in implied.items():
        # "clean lines" and "dry clean" say nothing of cleanliness
        if seen[form] > 0 and told[name] >= PREDICATED * said[name]:
            by_name.setdefault(name, {})[form] = seen[form]
    for name, forms in sorted(by_name.items()):
        term = lemmas(name)
        cluster = next((c for c in clusters if term in c.terms), None)
        if cluster is None:
            # Participles alone tell of an act, "dry cleaned", and vouch for no aspect that nobody names.
            uses = sum(n for form, n in forms.items() if len(form) > 1 or not form[0].endswith("ed"))
            if uses < max(MIN_IMPLIED, round(MIN_IMPLIED_SHARE * len(texts))):
                continue
            cluster = Cluster({term: 0}, name=name)
            clusters.append(cluster)
        for form, uses in forms.items():
            cluster.terms.setdefault(form, uses)
            cluster.opinions += uses


def _predicated(text: str, start: int) -> bool:
    """Whether the word at ``start`` is said of something, behind a linking verb or a degree ("was clean")."""
    known = knowledge().linking | INTENSIFIERS | DIMINISHERS | NEGATORS
    before = [match.group().lower() for match in WORD.finditer(text, max(0, start - 24), start)]
    return any(word in known for word in before[-2:])


def set_tiers(clusters: Iterable[Cluster]) -> None:
    """Make a compound the child of the entity that its head, or else its first word, names."""
    clusters = list(clusters)
    owner = {term: cluster for cluster in clusters for term in cluster.terms}
    for cluster in clusters:
        term = lemmas(cluster.name)
        if len(term) < 2:
            continue
        for part in (term[-1:], term[:1]):
            parent = owner.get(part)
            if parent is not None and parent is not cluster and not parent.parent:
                cluster.parent = parent.name
                break


def set_aliases(clusters: Sequence[Cluster], lexis: Lexis) -> None:
    """Collect surface forms; the rest of a synonym group joins in unless another entity claims it."""
    claimed = {term for cluster in clusters for term in cluster.terms}
    groups = {term: group for group in knowledge().groups for term in group}
    implied = knowledge().implied
    for cluster in clusters:
        forms = {cluster.name}
        for term in cluster.terms:
            if len(term) > 1 or term in implied or _noun_enough(term[0], lexis):
                forms.add(" ".join(term))
        for term in groups.get(next(iter(cluster.terms)), ()):
            if (
                term not in claimed
                and term not in knowledge().weak
                and (len(term) > 1 or _noun_enough(term[0], lexis))
            ):
                forms.add(" ".join(term))
                claimed.add(term)
        cluster.aliases = forms


def add_whole(clusters: Sequence[Cluster], texts: Sequence[str]) -> None:
    """Let "the place" name what the texts are about, where most of them say "this hotel" (or lounge, or camera)."""
    owner = {term: cluster.name for cluster in clusters for term in cluster.terms}
    named: Counter[str] = Counter()
    for text in texts:
        for match in _THIS.finditer(text):
            term = lemmas(match.group(1))
            if term in owner:
                named[owner[term]] += 1
    if not named:
        return
    name, uses = max(named.items(), key=lambda item: (item[1], item[0]))
    if uses >= max(MIN_WHOLE, WHOLE * sum(named.values())):
        whole = next(cluster for cluster in clusters if cluster.name == name)
        whole.aliases |= {form for form in knowledge().whole if lemmas(form) not in owner}


def _noun_enough(word: str, lexis: Lexis) -> bool:
    return lexis.seen.get(word, 0) < 5 or lexis.noun.get(word, 0.0) + lexis.proper.get(word, 0.0) >= MIN_NOUN


__all__ = ["Cluster", "add_implied", "add_whole", "choose_name", "set_aliases", "set_tiers"]
