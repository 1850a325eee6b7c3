"""``frontier``: what fairness costs in relevance, for one question or for a batch under one constraint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.ask import batch_only
from app.cli.batch import Constraint, constraint, show_notes
from app.cli.console import Shell, out, out_json, run_async, shell, width

if TYPE_CHECKING:
    from agents.batch import Batch
    from agents.batch_solutions import BatchSolution, BiasPoint
    from app.views.frontier import BiasRow


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
    attribute: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With --batch: polarity (default, first), then author attributes held beside it; repeatable.",
        ),
    ] = None,
    tau: Annotated[float | None, typer.Option(help="With --batch: tolerance of Rb.", min=0.0)] = None,
    soft: Annotated[
        float | None,
        typer.Option(
            metavar="LAMBDA",
            help="With --batch: mark the best by relevance minus LAMBDA times the squared distance of Rb.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON (frontier/1).")] = False,
) -> None:
    """Show the frontier of relevance against opinion distance (QUESTION) or output bias (--batch FILE)."""
    from store.errors import UsageError

    sh = shell(context)
    if (question is None) == (batch is None):
        raise UsageError("frontier needs a question or --batch FILE, one of them")
    options: dict[str, Any] = {} if k is None else {"k": k}
    if batch is not None:
        _batch(sh, batch, options, _held(attribute, target, tau, soft), json)
        return
    batch_only(attribute=attribute, target=target, tau=tau, soft=soft)
    assert question is not None
    _question(sh, question, options, json)


def _held(
    attributes: list[str] | None, target: str | None, tau: float | None, soft: float | None
) -> Constraint:
    from app.batches import POLARITY
    from store.errors import UsageError

    if attributes and attributes[0] != POLARITY:
        raise UsageError(
            f"only polarity has a curve, and --attribute {attributes[0]} comes first",
            "give --attribute polarity first, or use ask --batch",
        )
    return constraint(attributes, target, tau, soft)


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


def _batch(sh: Shell, path: Path, options: dict[str, Any], held: Constraint, json: bool) -> None:
    from app.batch_words import batch_document, component_documents, soft_document
    from app.batches import Batches, read_batch

    questions = read_batch(path)
    k = int(options.get("k") or sh.settings.agent.k)

    async def whole() -> Any:
        batches = Batches(sh.parts)
        found = await batches.prepare(questions, k, sh.corpus, attributes=held.attributes)
        soft = None if held.soft is None else batches.solve(found, None, held.target, held.soft)
        return found, batches.solve(found, held.tau, held.target), soft, batches.bias_frontier(found)

    found, solution, soft, curve = run_async(whole(), sh.parts)
    solutions = [solution] if soft is None else [solution, soft]
    rows = _rows(found, curve, solutions)
    if json:
        listed = [
            {
                "bias": row.bias,
                "relevance_kept": row.kept,
                "chosen": row.mark == "chosen",
                "verdict": row.verdict or None,
                "soft": row.mark == "soft",
                "objective": row.objective,
            }
            for row in rows
        ]
        constrained = {**batch_document(found, solution), "soft": soft and soft_document(soft)}
        out_json("frontier/1", {"kind": "bias", **constrained, "points": listed})
        return
    from app.views.frontier import bias_frontier, component_table

    if not found.weights.calibrated:
        out(
            f"NOT CALIBRATED: {found.weights.note}; every rank counts 1/{k}, Rb is the mean polarity shown\n\n"
        )
    if len(found.components) > 1:
        held_in_place = component_table(component_documents(found, solution), width(), ascii=sh.ascii)
        out("\n".join(held_in_place) + "\n\n")
    out("\n".join(bias_frontier(rows, width(), ascii=sh.ascii)))
    if not sh.quiet:
        show_notes(sh, found, *solutions)


def _rows(batch: Batch, curve: Sequence[BiasPoint], solutions: Sequence[BatchSolution]) -> list[BiasRow]:
    """Return the curve with the solutions marked, by rising Rb; with the soft objective where it was asked for."""
    from app.views.frontier import BiasRow

    soft = next((each for each in solutions if each.soft is not None), None)
    polarity = batch.components[0]

    def row(bias: float, kept: float, mark: str = "", verdict: str = "") -> BiasRow:
        value = None
        if soft is not None and soft.soft is not None:
            value = kept * batch.problem.top_relevance - soft.soft.strength * (bias - soft.target[0]) ** 2
        return BiasRow(polarity.value(bias), kept, mark, None if value is None else float(value), verdict)

    # What the fitted line carries beyond -1 or +1 is drawn there, once.
    best: dict[float, BiasRow] = {}
    for point in curve:
        found = row(point.bias, point.relevance_kept)
        if found.bias not in best or found.kept > best[found.bias].kept:
            best[found.bias] = found
    rows = list(best.values())
    for each in solutions:
        mark = "soft" if each.soft else "chosen"
        rows.append(row(float(each.predicted[0]), each.relevance_kept, mark, each.verdict or ""))
    return sorted(rows, key=lambda each: (each.bias, each.kept, each.mark))


__all__ = ["frontier"]
