"""``ask --batch``: many questions under one fairness constraint, answers as JSONL."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.console import PARTIAL, Shell, note, out, run_async, write_output

if TYPE_CHECKING:
    from agents.batch import Batch, BatchSolution


def ask_batch(
    sh: Shell,
    path: Path,
    options: dict[str, Any],
    target: str | None,
    tau: float | None,
    output: Path | None,
) -> int:
    """Answer every question of a file: one JSON line each (answer/1), and last one on the constraint (batch/1).

    Returns
    -------
    int
        0, or 4 where the constraint could not be met: the answers are then the nearest to it.
    """
    from app.batches import Batches, batch_document, batch_note, read_batch
    from app.cli.ask import document
    from app.cli.progress import ProgressBar
    from app.events import Progress
    from app.views.receipt_json import dump_json
    from store.errors import UsageError

    questions = read_batch(path)
    if output is not None and output.exists():
        # Said before hours of answers, not after.
        raise UsageError(f"{output} exists already", "name another file")
    k = int(options.get("k") or sh.settings.agent.k)
    goal = batch_target(target)
    given = {**options, "k": k, **({"target": goal} if isinstance(goal, str) else {})}
    batches = Batches(sh.parts)
    lines: list[str] = []

    def emit(value: dict[str, Any]) -> None:
        text = dump_json(value, indent=None)
        if output is None:
            out(text)
        else:
            lines.append(text)

    async def whole() -> tuple[Batch, BatchSolution]:
        batch = await batches.prepare(questions, k, sh.corpus, given)
        solution = batches.solve(batch, tau, goal)
        with ProgressBar(enabled=not sh.quiet) as bar:
            async with aclosing(batches.answers(questions, batch, solution, sh.corpus, given)) as answers:
                async for each in answers:
                    done, total = each.index + 1, len(questions)
                    bar.show(Progress("ask", done, total, done / total))
                    place = {"index": each.index, "question": each.question, "outside": each.outside}
                    emit({"schema": "answer/1", **place, **document(each.ready)})
        emit({"schema": "batch/1", **batch_document(batch, solution)})
        return batch, solution

    batch, solution = run_async(whole(), sh.parts)
    if output is not None:
        write_output(output, "\n".join(lines))
    if not sh.quiet:
        note(batch_note(batch, solution))
        if not batch.weights.calibrated:
            note(f"{batch.weights.note}; `evenhand calibrate -k {k}` measures them")
        if batch.outside:
            note(f"{len(batch.outside)} questions stand outside the constraint; the last line says why")
    return 0 if solution.met else PARTIAL


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


__all__ = ["ask_batch", "batch_target"]
