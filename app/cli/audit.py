"""``audit``: the receipt of an answer, two of them side by side, or a check for a pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import note, out, out_json, shell, width, write_output

if TYPE_CHECKING:
    from store.answers import AnswerRecord


def audit(
    context: typer.Context,
    answer: Annotated[
        str, typer.Argument(help="Id of the answer (or its beginning); last for the newest.")
    ] = "last",
    compare: Annotated[str | None, typer.Option("--compare", help="Second answer to compare with.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="text, markdown, html or json.")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
    fail_over: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-over", help="Exit 5 if a figure is over a limit: w1=5, gap=0.1, unverified=0, degraded=0."
        ),
    ] = None,
    dimensions: Annotated[
        bool,
        typer.Option("--dimensions", help="With W2 over sentiment-intensity, impact and kind of evidence."),
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the newest answers.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The receipt as JSON (receipt/1).")] = False,
) -> None:
    """Show the audit receipt of ANSWER: what was retrieved, and how far it is from what people said."""
    from app.views.words import receipt_line
    from store.errors import UsageError

    sh = shell(context)
    if listing:
        _list(sh.catalog.newest_answers(sh.corpus), json)
        return
    known = ("text", "markdown", "html", "json")
    if format not in known:
        raise UsageError(f"--format is `{format}`", f"use one of {', '.join(known)}")
    if compare is not None and format == "html":
        raise UsageError("two receipts are not compared as html", "use text, markdown or json")
    receipt = sh.catalog.receipt(answer, sh.corpus, dimensions=dimensions)
    if compare is not None:
        from app.views.compare import compare_json, compare_markdown, compare_text

        other = sh.catalog.receipt(compare, sh.corpus)
        if json or format == "json":
            text = compare_json(receipt, other)
        elif format == "markdown":
            text = compare_markdown(receipt, other)
        else:
            text = compare_text(receipt, other, width=width(), ascii=sh.ascii)
        write_output(output, text, force)
        return
    chosen = "json" if json else format
    if chosen == "json":
        from app.views.receipt_json import receipt_json

        text = receipt_json(receipt)
    elif chosen == "markdown":
        from app.views.receipt_markdown import receipt_markdown

        text = receipt_markdown(receipt)
    elif chosen == "html":
        from app.views.receipt_html import receipt_html

        text = receipt_html(receipt)
    else:
        from app.views.receipt_text import receipt_text

        text = receipt_text(receipt, width=width(), ascii=sh.ascii)
    write_output(output, text, force)
    if fail_over:
        from app.views.checks import exceeded
        from store.errors import CheckFailed

        over = exceeded(receipt, fail_over)
        if over:
            raise CheckFailed(f"answer {receipt.answer_id}: {'; '.join(over)}")
        note(f"within the limits: {receipt_line(receipt, ascii=sh.ascii)}")


def _list(records: list[AnswerRecord], json: bool) -> None:
    from app.views.safe import line

    if json:
        answers = [
            {"id": r.id, "asked_at": r.created_at.isoformat(), "state": r.state, "question": r.question}
            for r in records
        ]
        out_json("answers/1", {"answers": answers})
        return
    for record in records:
        mark = "" if record.state == "done" else f" ({record.state})"
        out(f"{record.id}  {record.created_at:%Y-%m-%d %H:%M}  {line(record.question, limit=80)}{mark}")
    if not records:
        out("no answers yet")


__all__ = ["audit"]
