"""``frontier``: what fairness costs in relevance, for one question or for a batch under one constraint."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.console import Shell, note, out, out_json, run_async, shell, width


def frontier(
    context: typer.Context,
    question: Annotated[str | None, typer.Argument(help="An opinion question.")] = None,
    batch: Annotated[
        Path | None, typer.Option("--batch", help="File of questions, one a line or JSONL.")
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="Documents shown.", min=1, max=200)] = None,
    target: Annotated[
        str | None, typer.Option(help="With --batch: proportional, parity, or a value of Rb.")
    ] = None,
    tau: Annotated[float | None, typer.Option(help="With --batch: tolerance of Rb.", min=0.0)] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON (frontier/1).")] = False,
) -> None:
    """Show the frontier of relevance against opinion distance (QUESTION) or output bias (--batch FILE)."""
    from store.errors import UsageError

    sh = shell(context)
    if (question is None) == (batch is None):
        raise UsageError("frontier needs a question or --batch FILE, one of them")
    options: dict[str, Any] = {} if k is None else {"k": k}
    if batch is not None:
        _batch(sh, batch, options, target, tau, json)
        return
    if target is not None or tau is not None:
        raise UsageError("--target and --tau belong to --batch", "leave them out")
    assert question is not None
    _question(sh, question, options, json)


def _question(sh: Shell, question: str, options: dict[str, Any], json: bool) -> None:
    from app.batches import Batches

    names, points = run_async(Batches(sh.parts).frontier(question, sh.corpus, options), sh.parts)
    if json:
        listed = [point.model_dump() for point in points]
        out_json("frontier/1", {"kind": "opinion", "question": question, "entities": names, "points": listed})
        return
    from app.views.frontier import opinion_frontier

    out(f"relevance against opinion distance: {', '.join(names) or 'the whole corpus'}\n")
    out("\n".join(opinion_frontier(points, width(), ascii=sh.ascii)))


def _batch(
    sh: Shell, path: Path, options: dict[str, Any], target: str | None, tau: float | None, json: bool
) -> None:
    from app.batches import Batches, batch_document, batch_note, read_batch
    from app.cli.batch import batch_target

    questions = read_batch(path)
    goal = batch_target(target)
    k = int(options.get("k") or sh.settings.agent.k)

    async def whole() -> Any:
        batches = Batches(sh.parts)
        found = await batches.prepare(questions, k, sh.corpus)
        return found, batches.solve(found, tau, goal), batches.bias_frontier(found)

    found, solution, curve = run_async(whole(), sh.parts)
    points = [(bias, kept, False) for bias, kept in curve]
    points = sorted([*points, (solution.predicted, solution.relevance_kept, True)])
    if json:
        listed = [{"bias": bias, "relevance_kept": kept, "chosen": mark} for bias, kept, mark in points]
        out_json("frontier/1", {"kind": "bias", **batch_document(found, solution), "points": listed})
        return
    from app.views.frontier import bias_frontier

    if not found.weights.calibrated:
        out(f"NOT CALIBRATED: {found.weights.note}; every rank counts 1/{k}, Rb is the mean polarity shown\n")
    out("\n".join(bias_frontier(points, width(), ascii=sh.ascii)))
    if not sh.quiet:
        note(batch_note(found, solution))


__all__ = ["frontier"]
