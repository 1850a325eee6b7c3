"""What one constraint over many questions holds in place: polarity, and the share of each group of author attributes.

Every number held in place is a component. Polarity is one, and moves by +1, 0 and -1. An author attribute has one for
each of its groups: the share of that group by position, one-hot; a document whose author is unknown moves none of them.
All components share one set of position weights, since the exact answer to a price needs one (``multigroup_problem``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.fairness.faro import bias_error
from agents.fairness.multigroup_problem import combine, group_target
from agents.ordering import POLARITY, PositionWeights, bounded, population_bias, position_weights
from agents.pools import OpinionPool, audited, make_groups
from store.errors import UsageError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Bias that one document of each type adds: positive, neutral, negative.
VECTORS = ((1.0,), (0.0,), (-1.0,))


@dataclass(frozen=True, slots=True)
class Component:
    """One number that is held in place.

    Attributes
    ----------
    attribute, group
        ``polarity`` and nothing, or an author attribute and one of its groups.
    population
        Mean over the questions' populations: of the bias in [-1, 1], or of the group's share of the known authors.
    """

    attribute: str
    group: str
    population: float

    @property
    def name(self) -> str:
        """How it is called: ``polarity``, or ``country = Spain``."""
        return f"{self.attribute} = {self.group}" if self.group else self.attribute

    def value(self, linear: float) -> float:
        """Return what is shown for a number of the fitted line: no output bias lies beyond -1 and +1."""
        return linear if self.group else bounded(linear)


@dataclass(frozen=True, eq=False)
class Part:
    """One attribute over the candidates of all questions: types by question, their vectors, and its components."""

    types: tuple[Integers, ...]
    vectors: Floats
    components: tuple[Component, ...]


def check_attributes(context: RagContext, attributes: Sequence[str]) -> None:
    """Raise ``UsageError`` where an attribute is given twice or the corpus has none of that name."""
    known = sorted(context.attribute_values())
    for index, name in enumerate(attributes):
        if name in attributes[:index]:
            raise UsageError(f"--attribute {name} is given twice", "give each attribute once")
        if name != POLARITY and name not in known:
            there = ", ".join([POLARITY, *known])
            raise UsageError(f"the corpus has no author attribute `{name}`", f"there are: {there}")


def check_target(target: float | str, attributes: Sequence[str]) -> None:
    """Raise ``UsageError`` where a number is the target and polarity, which alone it can apply to, is not held."""
    if not isinstance(target, str) and POLARITY not in attributes:
        raise UsageError(
            f"the target {target:g} is an Rb of polarity, and {' and '.join(attributes)} has shares of groups",
            "use proportional or parity, or add --attribute polarity",
        )


def shared_weights(context: RagContext, k: int, attributes: Sequence[str]) -> tuple[PositionWeights, str]:
    """Return the position weights of all components, and the attribute they were measured for (empty for 1/k).

    Raises
    ------
    UsageError
        Several of the attributes are calibrated, each with weights of its own.
    """
    found = {name: position_weights(context, k, name) for name in attributes}
    measured = [name for name in attributes if found[name].calibrated]
    if len(measured) > 1:
        raise UsageError(
            f"{' and '.join(measured)} are calibrated for k = {k} with position weights of their own, "
            "and one constraint has one set",
            "give one of them, or another -k",
        )
    owner = measured[0] if measured else ""
    weights = found[owner or attributes[0]]
    # The lean b of a fit belongs to its two options, which are the two signs, but no groups of authors.
    return weights if owner in ("", POLARITY) else _without_lean(weights), owner


def make_part(attribute: str, pools: Sequence[OpinionPool], rows: Sequence[Integers]) -> Part:
    """Return an attribute's types of the candidates, given by their rows in the pools, one of each a question.

    Raises
    ------
    UsageError
        The attribute is known for too few authors, or they are all of one group.
    """
    return _polarity(pools, rows) if attribute == POLARITY else _authors(attribute, pools, rows)


def join(
    parts: Sequence[Part], width: int
) -> tuple[Integers, NDArray[np.bool_], Floats, tuple[Component, ...]]:
    """Return types (Q, width) that tell all attributes apart, which are there, their vectors, and the components."""
    shape = (len(parts[0].types), width)
    present = np.zeros(shape, dtype=bool)
    padded = []
    for part in parts:
        codes = np.zeros(shape, dtype=np.int64)
        for row, own in enumerate(part.types):
            codes[row, : own.size], present[row, : own.size] = own, True
        padded.append((codes, part.vectors))
    codes, vectors = combine(padded)
    used, index = np.unique(codes[present], return_inverse=True)
    types = np.zeros(shape, dtype=np.int64)
    types[present] = index
    return types, present, vectors[used], tuple(c for part in parts for c in part.components)


def goals(components: Sequence[Component], weights: PositionWeights, target: float | str) -> Floats:
    """Return what each component is to be, shape (d,).

    Polarity as :meth:`PositionWeights.goal` has it; a group its share of the population, or an equal one for
    ``parity``, times the sum of the weights.
    """
    goal = np.empty(len(components))
    for attribute in dict.fromkeys(component.attribute for component in components):
        own = [index for index, each in enumerate(components) if each.attribute == attribute]
        population = [components[index].population for index in own]
        if attribute == POLARITY:
            goal[own] = weights.goal(target, population[0])
        else:
            equal = target == "parity"
            goal[own] = group_target("parity" if equal else "proportional", weights.weights, population)
    return goal


def intercepts(components: Sequence[Component], weights: PositionWeights) -> Floats:
    """Return the lean of each component, shape (d,): the fit's for polarity, none for groups of authors."""
    return np.asarray([weights.intercept if each.attribute == POLARITY else 0.0 for each in components])


def errors(components: Sequence[Component], weights: PositionWeights, shown: Floats) -> Floats:
    """Return the standard error of each component, shape (d,), from its mean by position ``shown``, shape (k, d)."""
    plain = _without_lean(weights).covariance
    return np.asarray(
        [
            bias_error(shown[:, g], weights.covariance if each.attribute == POLARITY else plain)
            for g, each in enumerate(components)
        ]
    )


def _without_lean(weights: PositionWeights) -> PositionWeights:
    covariance = weights.covariance.copy()
    covariance[-1, :] = covariance[:, -1] = 0.0
    return replace(weights, intercept=0.0, covariance=covariance)


def _polarity(pools: Sequence[OpinionPool], rows: Sequence[Integers]) -> Part:
    types = tuple(
        1 - np.sign(pool.stances.scores[own]).astype(np.int64) for pool, own in zip(pools, rows, strict=True)
    )
    population = float(np.mean([population_bias(pool.target) for pool in pools]))
    return Part(types, np.asarray(VECTORS), (Component(POLARITY, "", population),))


def _authors(attribute: str, pools: Sequence[OpinionPool], rows: Sequence[Integers]) -> Part:
    values: dict[int, str] = {}
    for pool in pools:
        values.update(
            zip(pool.stances.document_ids.tolist(), pool.stances.groups.get(attribute, ()), strict=True)
        )
    # Grouped once over all questions, so that a group is the same one in each.
    groups = make_groups(attribute, tuple(values.values()))
    known = int((groups.codes >= 0).sum())
    if not audited(groups):
        raise UsageError(
            f"`{attribute}` is known for the authors of {known} of the {len(values)} documents asked about: too few",
            "use an attribute that more authors give",
        )
    if len(groups.names) < 2:
        raise UsageError(
            f"all known authors of the documents asked about have {attribute} {groups.names[0]}",
            "there is nothing to hold in place: leave the attribute out",
        )
    code = dict(zip(values, groups.codes.tolist(), strict=True))
    types, shares = [], []
    for pool, own in zip(pools, rows, strict=True):
        codes = np.asarray([code[i] for i in pool.stances.document_ids.tolist()], dtype=np.int64)
        told = codes[codes >= 0]
        if told.size:
            shares.append(np.bincount(told, minlength=len(groups.names)) / told.size)
        types.append(np.where(codes < 0, len(groups.names), codes)[own])
    vectors = np.vstack((np.eye(len(groups.names)), np.zeros((1, len(groups.names)))))
    mean = np.mean(shares, axis=0)
    components = tuple(
        Component(attribute, name, float(p)) for name, p in zip(groups.names, mean, strict=True)
    )
    return Part(tuple(types), vectors, components)


__all__ = [
    "VECTORS",
    "Component",
    "Part",
    "check_attributes",
    "check_target",
    "errors",
    "goals",
    "intercepts",
    "join",
    "make_part",
    "shared_weights",
]
