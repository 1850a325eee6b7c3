"""``demo``: from a file of real reviews to audited answers, in a workspace of its own."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import Shell, note, out, run_async, run_job, shell


def demo(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where to put the workspace (default: a temporary folder)."),
    ] = None,
) -> None:
    """Ingest the bundled reviews, find the opinions in them, and answer three questions with receipts."""
    from app.demo import ATTRIBUTES, MAPS, QUESTIONS, corpus_file
    from store.ingest.overrides import parse_overrides

    sh = shell(context)
    started = time.perf_counter()
    sh.workspace = folder or Path(tempfile.mkdtemp(prefix="evenhand-demo-"))
    sh.corpus = "lounges"
    sh._parts = None
    sh.parts.create()
    out(f"Workspace: {sh.workspace}")
    out("\n1. Ingest 400 reviews of airport lounges (CC0)")
    with corpus_file() as path:
        events = sh.service.ingest(path, "lounges", overrides=parse_overrides(MAPS, ATTRIBUTES))
        books = run_job(sh, events)
    sh._parts = None
    from app.views.books import enrich_lines, ingest_lines

    out("\n".join(ingest_lines(books)))
    out("\n2. Find what they hold views on, and every view")
    enriched = run_job(sh, sh.service.enrich("lounges"))
    sh._parts = None
    out("\n".join(enrich_lines(enriched, "lexical")))
    for number, question in enumerate(QUESTIONS, 3):
        out(f"\n{number}. {question}")
        _answer(sh, question, sh.workspace)
    command = f"evenhand --workspace {sh.workspace}"
    out(f"\nDone in {time.perf_counter() - started:.0f} s. Next:")
    for line in (
        f'{command} ask "How many reviewers are unhappy with the wifi?"',
        f"{command} audit last",
        f"{command} entities list",
        "evenhand ingest YOUR.csv        # your own reviews",
    ):
        out(f"  {line}")


def _answer(sh: Shell, question: str, folder: Path) -> None:
    from app.cli.ask import answer
    from app.cli.console import width
    from app.views.receipt_html import receipt_html
    from app.views.receipt_text import receipt_text
    from app.views.safe import visible

    ready = run_async(answer(sh, question, {}, stream=False), sh.parts)
    sh._parts = None
    out(visible(ready.text))
    if ready.receipt.opinion is not None:
        out("\n" + receipt_text(ready.receipt, width=width(), ascii=sh.ascii))
    page = folder / "receipts" / f"{ready.answer_id}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(receipt_html(ready.receipt), encoding="utf-8")
    note(f"receipt as a page: {page}")


__all__ = ["demo"]
