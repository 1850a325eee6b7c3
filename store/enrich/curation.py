"""A person's decisions about the registry: merge, rename, move, drop, alias; and its exchange as JSON.

Decisions are kept beside the registry and applied again after every enrichment (``replay``), so curation survives
it. Everything here is pure: no SQL, no files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, get_args

from store.enrich.registry_words import lemmas
from store.errors import UsageError
from store.records import RegistryEntity

Action = Literal["merge", "rename", "move", "drop", "alias"]

ACTIONS: Final[tuple[str, ...]] = get_args(Action)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision.

    Attributes
    ----------
    action
        ``merge`` the entity into ``value`` (a key), ``rename`` it to ``value``, ``move`` it under ``value`` (a key;
        empty for the top tier), ``drop`` it, or give it the ``alias`` ``value``.
    entity
        Key of the entity.
    value
        See ``action``; empty for ``drop``.
    """

    action: Action
    entity: str
    value: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return a JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Decision:
        """Read a JSON object; raises UsageError naming what is wrong."""
        action, entity, value = data.get("action"), data.get("entity"), data.get("value", "")
        if action not in ACTIONS:
            raise UsageError(f"unknown curation action {action!r}", f"use one of {', '.join(ACTIONS)}")
        if not isinstance(entity, str) or not entity or not isinstance(value, str):
            raise UsageError(f"curation decision {action!r} needs 'entity' and 'value' as text")
        if not value.strip() and action not in ("drop", "move"):
            raise UsageError(f"curation decision {action!r} on {entity!r} needs a value")
        return cls(action, entity, value)


def check(entities: Sequence[RegistryEntity], decision: Decision) -> None:
    """Raise UsageError if a new decision names an entity that is not there or cannot be carried out."""
    keys = {entity.key for entity in entities}
    named = [decision.entity]
    if decision.action == "merge" or (decision.action == "move" and decision.value):
        named.append(decision.value)
    for key in named:
        if key not in keys:
            raise UsageError(f"no entity {key!r} in the registry", "see `evenhand entities list`")
    apply(entities, [decision])


def apply(entities: Sequence[RegistryEntity], decisions: Iterable[Decision]) -> tuple[RegistryEntity, ...]:
    """Return the registry after the decisions, in order.

    A decision on an entity that is not there changes nothing, so applying twice equals applying once. Raises
    UsageError for a cycle of parents, a merge into itself, or an alias that is another entity's name.
    """
    table = {entity.key: entity for entity in entities}
    for decision in decisions:
        if decision.entity in table:
            _ACTIONS[decision.action](table, decision)
    return tuple(table.values())


def replay(
    entities: Sequence[RegistryEntity], decisions: Sequence[Decision]
) -> tuple[tuple[RegistryEntity, ...], tuple[tuple[Decision, str], ...]]:
    """Apply old decisions to a new registry; return it and the decisions that no longer fit, each with the reason."""
    current = tuple(entities)
    refused = []
    for decision in decisions:
        try:
            current = apply(current, [decision])
        except UsageError as error:
            refused.append((decision, error.message))
    return current, tuple(refused)


def _merge(table: dict[str, RegistryEntity], decision: Decision) -> None:
    source, key = table[decision.entity], decision.value
    if key == source.key:
        raise UsageError(f"cannot merge {key!r} into itself")
    del table[source.key]
    target = table.get(key)
    if target is None:
        target = RegistryEntity(key, key.replace("-", " "), source.parent)
    parent = source.parent if target.parent == source.key else target.parent
    table[key] = replace(
        target,
        parent=None if parent == key else parent,
        aliases=_forms(target.aliases, (source.name, *source.aliases)),
    )
    _adopt(table, source.key, key)


def _rename(table: dict[str, RegistryEntity], decision: Decision) -> None:
    entity = table[decision.entity]
    name = " ".join(decision.value.split())
    for other in table.values():
        if other.key != entity.key and lemmas(other.name) == lemmas(name):
            raise UsageError(f"{other.key!r} is already named {other.name!r}", "merge the two instead")
    _release(table, name, entity.key)
    table[entity.key] = replace(entity, name=name, aliases=_forms(entity.aliases, (entity.name, name)))


def _move(table: dict[str, RegistryEntity], decision: Decision) -> None:
    entity, parent = table[decision.entity], decision.value or None
    if parent is not None and parent not in table:
        return
    above = parent
    while above is not None:
        if above == entity.key:
            raise UsageError(f"cannot move {entity.key!r} under {parent!r}: it would be its own ancestor")
        above = table[above].parent if above in table else None
    table[entity.key] = replace(entity, parent=parent)


def _drop(table: dict[str, RegistryEntity], decision: Decision) -> None:
    entity = table.pop(decision.entity)
    _adopt(table, entity.key, entity.parent)


def _alias(table: dict[str, RegistryEntity], decision: Decision) -> None:
    entity, form = table[decision.entity], " ".join(decision.value.split())
    for other in table.values():
        if other.key != entity.key and lemmas(other.name) == lemmas(form):
            raise UsageError(f"{form!r} is the name of {other.key!r}", "merge the two instead")
    _release(table, form, entity.key)
    table[entity.key] = replace(entity, aliases=_forms(entity.aliases, (form,)))


_ACTIONS: Final = {"merge": _merge, "rename": _rename, "move": _move, "drop": _drop, "alias": _alias}


def _adopt(table: dict[str, RegistryEntity], gone: str, parent: str | None) -> None:
    for key, entity in table.items():
        if entity.parent == gone:
            table[key] = replace(entity, parent=None if parent == key else parent)


def _release(table: dict[str, RegistryEntity], form: str, keeper: str) -> None:
    """Take a form away from every other entity's aliases."""
    base = lemmas(form)
    for key, entity in table.items():
        if key != keeper and any(lemmas(alias) == base for alias in entity.aliases):
            kept = tuple(alias for alias in entity.aliases if lemmas(alias) != base)
            table[key] = replace(entity, aliases=kept)


def _forms(old: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*old, *(form.casefold() for form in new)}))


__all__ = ["ACTIONS", "Action", "Decision", "apply", "check", "replay"]
