"""What WARP's table compares: methods, and the candidates that each of them chooses among."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from agents.fairness.pool import Pool
from agents.fairness.selection import METHODS, SAMPLES
from agents.fairness.warp import adaptive_expansion, entity_gated

Integers = NDArray[np.int64]

#: ``nearest``: the documents nearest to the question; ``entity``: all of the entity's; ``entity-gated`` and
#: ``adaptive``: the nearest, widened by WARP's two expansions of the pool.
Candidates = Literal["nearest", "entity", "entity-gated", "adaptive"]

#: Plain top-k, which differences are taken to.
PLAIN: Final = "relevance"
#: Methods that choose among all documents of the entity.
_OURS: Final = frozenset({"exact", "exact-w2", *SAMPLES})
#: ``exact-weighted`` is ``exact`` without author groups where weights are equal; the others are in ``evaluate faro``.
_LEFT_OUT: Final = frozenset({"exact-weighted", "faro-grid", "lp", "probabilistic"})
#: Methods that are tried on both widened pools.
_WIDENED: Final = ("w1-greedy", "wassrank-ot", "exact")


@dataclass(frozen=True, slots=True)
class WarpSettings:
    """What is run.

    Attributes
    ----------
    k, nearest
        Documents chosen, and the nearest documents that published methods choose from.
    extra
        Most documents that the entity-gated pool adds to the nearest.
    per_bin, delta
        Documents that the adaptive pool adds for each opinion bin whose share among the nearest documents on the
        entity is ``delta`` under the population's.
    draws
        Draws of a random method an entity.
    noise
        Share of labels exchanged in the label-noise check.
    """

    k: int = 20
    nearest: int = 200
    extra: int = 200
    per_bin: int = 20
    delta: float = 0.05
    draws: int = 100
    noise: float = 0.25
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A method and what it chooses among."""

    name: str
    method: str
    candidates: Candidates


def rows() -> tuple[Row, ...]:
    """Return what is compared: every method by name, some on other candidates; plain top-k first, ours last."""
    listed = [
        Row(name, name, "entity" if name in _OURS else "nearest") for name in METHODS if name not in _LEFT_OUT
    ]
    listed.append(Row("w1-greedy, on the entity", "w1-greedy", "entity"))
    widened: tuple[Candidates, ...] = ("entity-gated", "adaptive")
    listed += [Row(f"{method}, {kind}", method, kind) for kind in widened for method in _WIDENED]
    listed.append(Row("exact, on the nearest", "exact", "nearest"))
    return tuple(sorted(listed, key=lambda row: (row.method in _OURS, row.method != PLAIN)))


def candidates_of(kind: Candidates, pool: Pool, settings: WarpSettings) -> Integers:
    """Return the places in the pool that a row chooses among, ascending.

    The expansions go by the labels in ``pool``: give it as the methods see it.
    """
    if kind == "entity":
        return pool.entity_documents()
    if kind == "entity-gated":
        return entity_gated(pool, settings.nearest, settings.extra)
    if kind == "adaptive":
        return adaptive_expansion(pool, settings.nearest, settings.per_bin, delta=settings.delta)
    return np.sort(pool.by_relevance()[: settings.nearest])


__all__ = ["PLAIN", "Candidates", "Row", "WarpSettings", "candidates_of", "rows"]
