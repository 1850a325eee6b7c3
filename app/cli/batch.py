"""``ask --batch``: many questions under one fairness constraint, answers as JSONL."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.console import PARTIAL, Shell, note, out, run_async, width

if TYPE_CHECKING:
    from agents.batch import Batch
    from agents.batch_solutions import BatchSolution


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a batch is held to: attributes, target, and a tolerance or the soft objective's lambda."""

    attributes: tuple[str, ...]
    target: float | str
    tau: float | None = None
    soft: float | None = None


def ask_batch(
    sh: Shell,
    path: Path,
    options: dict[str, Any],
    held: Constraint,
    output: Path | None,
) -> int:
    """Answer every question of a file: one JSON line each (answer/1), and last one on the constraint (batch/1).

    An answer is written as soon as there is one: a run that breaks off leaves what it has in ``OUTPUT.partial``.

    Returns
    -------
    int
        0, or 4 where the constraint is not met: the answers are then the nearest to it.
    """
    from app.batch_words import batch_document, component_documents
    from app.batches import Batches, read_batch
    from app.cli.ask import document
    from app.cli.growing import GrowingFile
    from app.cli.progress import ProgressBar
    from app.events import Progress
    from app.views.frontier import component_table
    from app.views.receipt_json import dump_json

    questions = read_batch(path)
    k = int(options.get("k") or sh.settings.agent.k)
    given = {**options, "k": k, **({"target": held.target} if isinstance(held.target, str) else {})}
    batches = Batches(sh.parts)
    file = None if output is None or str(output) == "-" else GrowingFile(output)

    def emit(value: dict[str, Any]) -> None:
        text = dump_json(value, indent=None)
        if file is None:
            out(text)
            sys.stdout.flush()
        else:
            file.write(text)

    async def whole() -> tuple[Batch, BatchSolution]:
        batch = await batches.prepare(questions, k, sh.corpus, given, held.attributes)
        solution = batches.solve(batch, held.tau, held.target, held.soft)
        with ProgressBar(enabled=not sh.quiet) as bar:
            async with aclosing(batches.answers(questions, batch, solution, sh.corpus, given)) as answers:
                async for each in answers:
                    done, total = each.index + 1, len(questions)
                    bar.show(Progress("ask", done, total, done / total))
                    place = {"index": each.index, "question": each.question, "outside": each.outside}
                    emit({"schema": "answer/1", **place, **document(each.ready)})
        emit({"schema": "batch/1", **batch_document(batch, solution)})
        return batch, solution

    with file or nullcontext():
        batch, solution = run_async(whole(), sh.parts, file.kept if file else str)
    if not sh.quiet:
        show_notes(sh, batch, solution)
        if len(batch.components) > 1:
            listed = component_table(component_documents(batch, solution), width(), ascii=sh.ascii)
            note("\n".join(listed))
        if batch.outside:
            note(f"{len(batch.outside)} questions stand outside the constraint; the last line says why")
    return 0 if solution.met else PARTIAL


def show_notes(sh: Shell, batch: Batch, *solutions: BatchSolution) -> None:
    """Write what came of a batch to stderr: a line for each solution, then what is to be known of it."""
    from app.batch_words import batch_note, batch_remarks
    from app.views.safe import line

    for text in (*(batch_note(batch, each) for each in solutions), *batch_remarks(batch, solutions[0])):
        note(line(text, ascii=sh.ascii))


def constraint(
    attributes: Sequence[str] | None, target: str | None, tau: float | None, soft: float | None
) -> Constraint:
    """Return what the options of a batch ask for.

    Raises
    ------
    UsageError
        They do not fit together, or a value is out of range.
    """
    from agents.batch_components import check_target
    from app.batches import POLARITY
    from store.errors import UsageError

    names = tuple(attributes or (POLARITY,))
    goal = batch_target(target)
    check_target(goal, names)
    check_tau(tau)
    if soft is not None:
        if not math.isfinite(soft) or soft < 0:
            raise UsageError(f"--soft is {soft:g}", "give lambda, a number that is not negative")
        if names != (POLARITY,):
            raise UsageError("--soft is for polarity alone", "leave --attribute out")
    return Constraint(names, goal, tau, soft)


def check_tau(tau: float | None) -> None:
    """Raise ``UsageError`` for a tolerance that is no number."""
    from store.errors import UsageError

    if tau is not None and not math.isfinite(tau):
        raise UsageError(f"--tau is {tau:g}", "give a tolerance of 0 or more")


def batch_target(text: str | None) -> float | str:
    """Return ``proportional``, ``parity``, or a value of Rb in [-1, 1].

    Raises
    ------
    UsageError
        It is none of these.
    """
    from store.errors import UsageError

    if text is None or text in ("proportional", "parity"):
        return text or "proportional"
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not -1 <= value <= 1:
        raise UsageError(
            f"--target is `{text}`", "use proportional, parity, or a value of Rb between -1 and 1"
        )
    return value


__all__ = ["Constraint", "ask_batch", "batch_target", "constraint", "show_notes"]
