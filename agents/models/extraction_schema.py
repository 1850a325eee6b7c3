"""What the model is asked to return about opinions, and how much of it is believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from agents.fencing import locate
from agents.models.certainty import seconded
from store.records import (
    IMPACT,
    Evidence,
    Intensity,
    OpinionUnit,
    RegistryEntity,
    Sentiment,
    score_of,
)

Marker = Literal[
    "anger",
    "anxiety",
    "confusion",
    "delight",
    "disappointment",
    "disgust",
    "frustration",
    "gratitude",
    "regret",
    "relief",
    "sadness",
    "satisfaction",
    "surprise",
    "trust",
]

#: Confidence of a label that neither the server's log probabilities nor the lexical extractor say anything of.
UNCALIBRATED: Final = 0.5
_LONGEST_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Answered:
    """What was said of one document, and how sure the model was of each sentiment, None where that is not known."""

    document: DocumentAnswer
    certainties: tuple[float | None, ...] = ()


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class OpinionAnswer(_Answer):
    """One opinion, as the model returns it."""

    entity: str
    sentiment: Sentiment
    intensity: Intensity
    impact: Literal["high", "medium", "low"]
    markers: list[Marker]
    evidence: Evidence
    quote: str


class DocumentAnswer(_Answer):
    """All opinions of one document."""

    id: str
    language: str
    opinions: list[OpinionAnswer]


class ExtractionAnswer(_Answer):
    """The whole answer about a batch."""

    documents: list[DocumentAnswer]


@dataclass(frozen=True, slots=True)
class Discovered:
    """An entity outside the registry on which the document holds a view: a candidate, not an opinion unit."""

    name: str
    quote: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What survives of an answer.

    ``unquoted`` counts opinions dropped because their quote is not in the text, ``unlisted`` those on entities
    that are not in the registry (kept in ``discovered`` when discovery is open).
    """

    language: str
    opinions: tuple[OpinionUnit, ...]
    discovered: tuple[Discovered, ...] = ()
    unquoted: int = 0
    unlisted: int = 0


class Names:
    """Finds registry keys by key, name or alias, whatever the case."""

    def __init__(self, registry: Sequence[RegistryEntity]) -> None:
        self._keys: dict[str, str] = {}
        # Keys win over names, names over aliases, the earlier entity over the later.
        for forms in (
            ((entity.key, entity.key) for entity in registry),
            ((entity.name, entity.key) for entity in registry),
            ((alias, entity.key) for entity in registry for alias in entity.aliases),
        ):
            for form, key in forms:
                self._keys.setdefault(_plain(form), key)

    def key(self, name: str) -> str | None:
        """Return the entity's key, or None."""
        return self._keys.get(_plain(name))


def verify(
    answer: DocumentAnswer,
    text: str,
    names: Names,
    *,
    open_discovery: bool,
    certainties: Sequence[float | None] = (),
    others: Sequence[OpinionUnit] = (),
) -> Verified:
    """Keep the opinions whose words stand in ``text`` and whose entity is known.

    A label's confidence is the model's own certainty where it is known, else the probability that ``others`` (another
    extractor's opinions on the same text) give to its sign, else ``UNCALIBRATED``.
    """
    units: dict[tuple[str, int, int], OpinionUnit] = {}
    discovered: dict[str, Discovered] = {}
    unquoted = unlisted = 0
    for number, opinion in enumerate(answer.opinions):
        span = locate(opinion.quote, text)
        if span is None:
            unquoted += 1
            continue
        start, end = span
        key = names.key(opinion.entity)
        if key is None:
            unlisted += 1
            name = _plain(opinion.entity)
            if open_discovery and name and len(name) <= _LONGEST_NAME:
                discovered.setdefault(name, Discovered(name, text[start:end]))
            continue
        units.setdefault((key, start, end), _unit(opinion, key, text, start, end))
        unit = units[key, start, end]
        sure = certainties[number] if number < len(certainties) else None
        if sure is None:
            sure = seconded(key, start, end, unit.score, others)
        if sure is not None and unit.confidence == UNCALIBRATED:
            units[key, start, end] = replace(unit, confidence=sure)
    language = answer.language.strip().lower()
    return Verified(
        language=language if len(language) == 2 and language.isascii() and language.isalpha() else "und",
        opinions=tuple(sorted(units.values(), key=lambda unit: (unit.start, unit.end, unit.entity))),
        discovered=tuple(discovered.values()),
        unquoted=unquoted,
        unlisted=unlisted,
    )


def _unit(opinion: OpinionAnswer, key: str, text: str, start: int, end: int) -> OpinionUnit:
    intensity: Intensity = opinion.intensity
    if opinion.sentiment in ("neutral", "mixed"):
        intensity = "none"
    elif intensity == "none":
        intensity = "low"
    return OpinionUnit(
        entity=key,
        sentiment=opinion.sentiment,
        intensity=intensity,
        score=score_of(opinion.sentiment, intensity),
        impact=IMPACT[opinion.impact],
        markers=tuple(sorted(set(opinion.markers))),
        evidence=opinion.evidence,
        quote=text[start:end],
        start=start,
        end=end,
        confidence=UNCALIBRATED,
    )


def pack(verified: Verified) -> dict[str, Any]:
    """Return a JSON-ready value for the cache."""
    return {
        "language": verified.language,
        "opinions": [
            {name: getattr(unit, name) for name in OpinionUnit.__dataclass_fields__}
            for unit in verified.opinions
        ],
        "discovered": [[entry.name, entry.quote] for entry in verified.discovered],
        "unquoted": verified.unquoted,
        "unlisted": verified.unlisted,
    }


def unpack(value: Mapping[str, Any], text: str) -> Verified | None:
    """Return the value of :func:`pack`, or None when it is damaged or its quotes do not stand in ``text``."""
    try:
        units = tuple(
            OpinionUnit(**{**unit, "markers": tuple(unit["markers"])}) for unit in value["opinions"]
        )
        if any(text[unit.start : unit.end] != unit.quote for unit in units):
            return None
        return Verified(
            language=str(value["language"]),
            opinions=units,
            discovered=tuple(Discovered(str(name), str(quote)) for name, quote in value["discovered"]),
            unquoted=int(value["unquoted"]),
            unlisted=int(value["unlisted"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


__all__ = [
    "UNCALIBRATED",
    "Answered",
    "Discovered",
    "DocumentAnswer",
    "ExtractionAnswer",
    "Marker",
    "Names",
    "OpinionAnswer",
    "Verified",
    "pack",
    "unpack",
    "verify",
]
