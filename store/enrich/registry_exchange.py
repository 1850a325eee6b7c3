"""The registry as JSON, and the review file of doubtful merges that a person fills in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from store.enrich.curation import Decision
from store.enrich.registry_clusters import DoubtfulMerge
from store.errors import UsageError
from store.records import RegistryEntity

SCHEMA: Final = "evenhand.registry/1"

_REVIEW_HEAD: Final = """\
# Pairs of entities that may be one thing. Replace the leading ? by
#   merge   the right one becomes part of the left one
#   swap    the left one becomes part of the right one
#   keep    they are two things
# and read the file back; lines with ? stay open.
# verdict | left | right | similarity | mentions left | mentions right
"""


def export_registry(entities: Sequence[RegistryEntity], decisions: Sequence[Decision] = ()) -> str:
    """Return the registry and the decisions as JSON text (schema ``evenhand.registry/1``)."""
    data = {
        "schema": SCHEMA,
        "entities": [
            {"key": e.key, "name": e.name, "parent": e.parent, "aliases": list(e.aliases)} for e in entities
        ],
        "decisions": [decision.to_dict() for decision in decisions],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def import_registry(text: str) -> tuple[tuple[RegistryEntity, ...], tuple[Decision, ...]]:
    """Read what ``export_registry`` wrote; raises UsageError, in one line, for anything that does not fit."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the registry file is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"the registry file does not say schema {SCHEMA!r}", "export one to see the form")
    entries, decisions = data.get("entities"), data.get("decisions", [])
    if not isinstance(entries, list) or not isinstance(decisions, list):
        raise UsageError("'entities' and 'decisions' must be lists")
    entities = tuple(_entity(number, entry) for number, entry in enumerate(entries, start=1))
    _check_tree(entities)
    for number, entry in enumerate(decisions, start=1):
        if not isinstance(entry, dict):
            raise UsageError(f"decision {number} is not an object")
    return entities, tuple(Decision.from_dict(entry) for entry in decisions)


def _entity(number: int, entry: Any) -> RegistryEntity:
    if not isinstance(entry, Mapping):
        raise UsageError(f"entity {number} is not an object")
    key, name, parent, aliases = (entry.get(k) for k in ("key", "name", "parent", "aliases"))
    if not isinstance(key, str) or not key.strip():
        raise UsageError(f"entity {number} has no 'key'")
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"entity {number} ({key}) has no 'name'")
    if parent is not None and not isinstance(parent, str):
        raise UsageError(f"entity {number} ({key}): 'parent' must be a key or null")
    if aliases is None:
        aliases = []
    if not isinstance(aliases, list) or not all(
        isinstance(alias, str) and alias.strip() for alias in aliases
    ):
        raise UsageError(f"entity {number} ({key}): 'aliases' must be a list of texts")
    forms = tuple(sorted({alias.casefold() for alias in aliases} | {name.casefold()}))
    return RegistryEntity(key, name, parent, forms)


def _check_tree(entities: Sequence[RegistryEntity]) -> None:
    parents: dict[str, str | None] = {}
    for number, entity in enumerate(entities, start=1):
        if entity.key in parents:
            raise UsageError(f"entity {number}: the key {entity.key!r} occurs twice")
        parents[entity.key] = entity.parent
    for key, parent in parents.items():
        seen = {key}
        while parent is not None:
            if parent not in parents:
                raise UsageError(f"entity {key!r} has the unknown parent {parent!r}")
            if parent in seen:
                raise UsageError(f"entity {key!r} is its own ancestor")
            seen.add(parent)
            parent = parents[parent]


def review_file(doubtful: Sequence[DoubtfulMerge]) -> str:
    """Return the review file: one line a doubtful pair, the likeliest first."""
    lines = [
        f"? | {pair.left} | {pair.right} | {pair.similarity:.2f} | {pair.left_count} | {pair.right_count}"
        for pair in doubtful
    ]
    return _REVIEW_HEAD + "".join(line + "\n" for line in lines)


def read_review(text: str) -> tuple[Decision, ...]:
    """Return the merges that a person marked in a review file; raises UsageError naming the line that is wrong."""
    decisions = []
    for verdict, left, right in _verdicts(text):
        if verdict == "merge":
            decisions.append(Decision("merge", right, left))
        elif verdict == "swap":
            decisions.append(Decision("merge", left, right))
    return tuple(decisions)


def read_kept(text: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of keys that a person marked as two things; raises UsageError like ``read_review``."""
    return tuple((left, right) for verdict, left, right in _verdicts(text) if verdict == "keep")


def _verdicts(text: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 3 or not cells[1] or not cells[2]:
            raise UsageError(f"line {number} of the review file is not 'verdict | left | right'")
        if cells[0] not in ("?", "keep", "merge", "swap"):
            raise UsageError(f"line {number} of the review file: unknown verdict {cells[0]!r}")
        yield cells[0], cells[1], cells[2]


__all__ = ["SCHEMA", "export_registry", "import_registry", "read_kept", "read_review", "review_file"]
