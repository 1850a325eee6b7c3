"""What the constraint over a batch came to, in words and as JSON documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from app.views.formats import plural, signed
from store.verdicts import Z, miss_words, verdict_words

if TYPE_CHECKING:
    from agents.batch import Batch
    from agents.batch_solutions import BatchSolution

#: The attribute that is held in place where none is named.
POLARITY: Final = "polarity"


def batch_note(batch: Batch, solution: BatchSolution) -> str:
    """Say in one sentence what the constraint, or the soft objective, came to."""
    calibrated = batch.weights.calibrated
    if len(batch.components) > 1:
        return _components_note(batch, solution)
    kind = "predicted Rb" if calibrated else "mean polarity shown (not calibrated, weights 1/k)"
    predicted, target = float(solution.predicted[0]), float(solution.target[0])
    error = f" +/- {Z * solution.standard_error[0]:.3f}" if calibrated else ""
    what = (
        "one constraint" if solution.soft is None else f"soft objective, lambda {solution.soft.strength:g},"
    )
    text = (
        f"{what} over {len(batch.items)} questions: {kind} {signed(predicted, 3)}{error}, "
        f"target {signed(target, 3)}"
    )
    if solution.soft is not None or solution.verdict is None:
        kept = f"{100 * solution.relevance_kept:.2f}%"
        below = f"at most {solution.gap:.3g} below the best" if solution.gap > 1e-9 else "the best there is"
        return f"{text}, {kept} of the relevance kept, {below}"
    miss = miss_words(predicted, target, batch.reachable[0].tolist(), "the rankings")
    return f"{text} +/- {solution.tau:g}: {verdict_words(solution.verdict, miss)}"


def _components_note(batch: Batch, solution: BatchSolution) -> str:
    kind = "" if batch.weights.calibrated else " (not calibrated, weights 1/k)"
    held, d = int(solution.within.sum()), len(batch.components)
    text = (
        f"one constraint over {len(batch.items)} questions on {' and '.join(batch.attributes)}{kind}: "
        f"{held} of {d} components within {solution.tau:g} of their targets"
    )
    assert solution.verdict is not None, "only polarity alone has a soft objective"
    unsure = [
        component.name
        for component, verdict in zip(batch.components, solution.verdicts, strict=True)
        if verdict == "met as estimated"
    ]
    g = solution.worst
    predicted, target = float(solution.predicted[g]), float(solution.target[g])
    worst = miss_words(predicted, target, batch.reachable[g].tolist(), "by itself it can")
    at = f"{signed(predicted, 3)} for {signed(target, 3)}"
    miss = f"farthest is {batch.components[g].name}, {at}, {worst}"
    of = f" of {', '.join(unsure)}" if solution.verdict == "met as estimated" and len(unsure) < d else ""
    return f"{text}; {verdict_words(solution.verdict, miss)}{of}"


def batch_remarks(batch: Batch, solution: BatchSolution) -> list[str]:
    """Say what was not calibrated, what stands in for it, and what is met without saying much, one remark each."""
    remarks = []
    first = batch.attributes[0]
    if not batch.weights.calibrated:
        named = "" if first == POLARITY else f" --attribute {first} --questions FILE"
        remarks.append(
            f"{batch.weights.note}; `evenhand calibrate -k {batch.weights.k}{named}` measures them"
        )
    others = [name for name in batch.attributes if batch.weights_of and name != batch.weights_of]
    if others:
        remarks.append(
            f"{' and '.join(others)} not calibrated: the position weights of {batch.weights_of} stand in"
        )
    idle = [
        component.name
        for component, ends, goal in zip(batch.components, batch.reachable, solution.target, strict=True)
        if solution.tau is not None and all(abs(end - goal) <= solution.tau for end in ends)
    ]
    if idle:
        remarks.append(
            f"no ranking could miss {', '.join(idle)}: all of them lie within the tolerance of {solution.tau:g}"
        )
    return [*remarks, *_group_remarks(batch, solution, idle)]


def _group_remarks(batch: Batch, solution: BatchSolution, idle: Sequence[str]) -> list[str]:
    """Say of which groups nobody is shown, and which would be met with nobody."""
    groups = [
        (component.name, float(solution.target[g]), int(solution.shown[g]))
        for g, component in enumerate(batch.components)
        if component.group and component.population > 0
    ]
    remarks = []
    absent = [name for name, _, shown in groups if not shown]
    if absent:
        remarks.append(f"nobody of {', '.join(absent)} is shown in {plural(_places(batch), 'place')}")
    tau = solution.tau
    if tau is None:
        return remarks
    loose = [(name, goal) for name, goal, _ in groups if abs(goal) <= tau and name not in idle]
    if loose:
        listed = ", ".join(f"{name} ({signed(goal, 3)})" for name, goal in loose)
        them = "it" if len(loose) == 1 else "them"
        remarks.append(
            f"the tolerance {tau:g} is not below the target of {listed}: met even with nobody of {them}; "
            "a smaller --tau holds more"
        )
    return remarks


def _places(batch: Batch) -> int:
    return len(batch.items) * batch.weights.k


def component_documents(batch: Batch, solution: BatchSolution) -> list[dict[str, Any]]:
    """Return every component with what was asked of it and what came of it, for JSON and for tables."""
    calibrated = batch.weights.calibrated
    return [
        {
            "name": component.name,
            "attribute": component.attribute,
            "group": component.group or None,
            "predicted": float(solution.predicted[g]),
            "standard_error": float(solution.standard_error[g]) if calibrated else None,
            "error": Z * float(solution.standard_error[g]) if calibrated else None,
            "target": float(solution.target[g]),
            "margin": float(solution.margin[g]),
            "met": None if solution.tau is None else bool(solution.within[g]),
            "verdict": None if solution.tau is None else solution.verdicts[g],
            "natural": float(solution.natural[g]),
            "population": component.population,
            "shown": int(solution.shown[g]) if component.group else None,
            "reachable": batch.reachable[g].tolist(),
            "calibrated": component.attribute == batch.weights_of,
        }
        for g, component in enumerate(batch.components)
    ]


def batch_document(batch: Batch, solution: BatchSolution) -> dict[str, Any]:
    """Return the constraint and what came of it as a JSON document.

    Fields of a single component stand at the top as well; with several they are null there.
    """
    components = component_documents(batch, solution)
    single = components[0] if len(components) == 1 else dict.fromkeys(components[0])
    return {
        "questions": len(batch.items) + len(batch.outside),
        "constrained": len(batch.items),
        "outside": [{"index": index, "reason": why} for index, why in sorted(batch.outside.items())],
        "k": batch.weights.k,
        "places": _places(batch),
        "attributes": list(batch.attributes),
        "model": batch.weights.model,
        "calibrated": batch.weights.calibrated,
        "calibration_note": batch.weights.note,
        "weights": batch.weights.weights.tolist(),
        "weights_of": batch.weights_of or None,
        "intercept": batch.weights.intercept,
        "status": solution.status,
        "met": None if solution.tau is None else solution.met,
        "verdict": solution.verdict,
        "predicted": single["predicted"],
        "standard_error": single["standard_error"],
        "error": single["error"],
        "target": single["target"],
        "tau": solution.tau,
        "margin": single["margin"],
        "natural": single["natural"],
        "population": single["population"],
        "reachable": single["reachable"],
        "components": components,
        "worst": batch.components[solution.worst].name,
        "relevance_kept": solution.relevance_kept,
        "gap": solution.gap if math.isfinite(solution.gap) else None,
        "soft": soft_document(solution),
        "duplicates_set_aside": batch.problem.collapsed,
        "note": batch_note(batch, solution),
        "remarks": batch_remarks(batch, solution),
    }


def soft_document(solution: BatchSolution) -> dict[str, Any] | None:
    """Return the soft objective and what came of it as a JSON document, None where it was not asked for."""
    if solution.soft is None:
        return None
    return {
        "lambda": solution.soft.strength,
        "predicted": float(solution.predicted[0]),
        "target": float(solution.target[0]),
        "relevance_kept": solution.relevance_kept,
        "objective": solution.soft.value,
        "bound": solution.soft.bound,
        "gap": solution.gap,
    }


__all__ = [
    "POLARITY",
    "batch_document",
    "batch_note",
    "batch_remarks",
    "component_documents",
    "soft_document",
]
