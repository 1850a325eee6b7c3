"""``enrich``, ``export`` and ``forget``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import PARTIAL, UNREACHABLE, note, out, out_json, run_job, shell


def enrich(
    context: typer.Context,
    extractor: Annotated[str, typer.Option(help="lexical (embedded) or llm (the configured model).")] = "",
    refresh: Annotated[
        bool, typer.Option("--refresh-registry", help="Look for entities again; known ones keep their names.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Also try documents that failed before.")] = False,
    split: Annotated[
        bool, typer.Option("--split", help="Also build the split-only index (for the papers' ablation).")
    ] = False,
    no_index: Annotated[
        bool, typer.Option("--no-index", help="Do not index the enriched documents now.")
    ] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="List what failed or waits, and why; do nothing.")
    ] = False,
    review: Annotated[
        int | None,
        typer.Option(
            "--review", help="Draw that many labels to check by hand; every verdict is kept.", min=1
        ),
    ] = None,
    review_file: Annotated[
        Path | None,
        typer.Option("--review-file", help="Write those labels to a CSV or JSONL file to fill in instead."),
    ] = None,
    review_import: Annotated[
        Path | None, typer.Option("--review-import", help="Read the verdicts of such a file.")
    ] = None,
    quality: Annotated[
        bool, typer.Option("--quality", help="Show how good the labels are, as far as they were reviewed.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say calls, tokens and cost; call and store nothing.")
    ] = False,
    agreement: Annotated[
        int | None,
        typer.Option(
            "--agreement", help="Compare lexical and llm labels on that many documents; store nothing.", min=1
        ),
    ] = None,
    registry: Annotated[str, typer.Option(help="llm: make the registry by the configured model first.")] = "",
    force: Annotated[
        bool, typer.Option("--force", help="With --review-file: write over an existing file.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Result as JSON (enrich/1).")] = False,
) -> int:
    """Find the things that people hold views on, and every view, with its exact words."""
    from app.views.books import enrich_document, enrich_lines
    from app.views.safe import line

    sh = shell(context)
    if review_import is not None or review is not None or review_file is not None or quality:
        from app.cli import review as desk

        if review_import is not None:
            return desk.import_file(sh, review_import, json)
        if review_file is not None:
            return desk.write_file(sh, review or 100, review_file, force)
        if review is not None:
            return desk.review(sh, review, json)
        return desk.quality(sh, json)
    from app.cli import extraction as by_model

    if registry not in ("", "lexical", "llm") or extractor not in ("", "lexical", "llm"):
        from store.errors import UsageError

        wrong = "--extractor" if extractor not in ("", "lexical", "llm") else "--registry"
        raise UsageError(f"{wrong} is neither lexical nor llm", "use one of them")
    if dry_run:
        return by_model.dry_run(sh, extractor, refresh, retry, split, registry == "llm", json)
    if agreement is not None:
        return by_model.agreement(sh, agreement, json)
    if failed:
        rows = sh.catalog.failed_enrichments(sh.corpus)
        if json:
            out_json(
                "enrich-failed/1", {"failed": [{"id": i, "reason": r, "attempts": n} for i, r, n in rows]}
            )
        else:
            out("\n".join(f"{line(i)}: {line(r)} (tried {n} times)" for i, r, n in rows) or "nothing failed")
        return 0
    name = extractor or sh.settings.enrich.extractor
    made = by_model.registry(sh) if registry == "llm" else 0
    done = run_job(
        sh,
        sh.service.enrich(
            sh.corpus,
            extractor=extractor,
            refresh_registry=refresh,
            retry=retry,
            split=split,
            index=not no_index,
        ),
    )
    if json:
        out_json("enrich/1", enrich_document(done, name))
    else:
        out("\n".join(enrich_lines(done, name)))
        if not sh.quiet:
            note('next: evenhand ask "What do people think of ...?"')
    if done.report.pending and not done.report.enriched:
        return UNREACHABLE
    return PARTIAL if done.report.failed or done.report.pending else made


def export(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="documents, opinions, stances, answers or quarantine.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File: .csv, .jsonl or .xlsx; - for CSV on stdout.")
    ] = Path("-"),
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
) -> None:
    """Write a table of the corpus to a file; cells that look like formulas are kept as text."""
    from app.views.exports import export_table

    sh = shell(context)
    columns, rows = sh.catalog.table(what, sh.corpus)
    count = export_table(columns, rows, output, force=force)
    note(
        f"{count:,} rows of {what} written to {output}" if str(output) != "-" else f"{count:,} rows of {what}"
    )


def forget(
    context: typer.Context,
    document: Annotated[str, typer.Option("--document", help="Id of the document to erase.")] = "",
    author: Annotated[str, typer.Option("--author", help="Author whose documents are all erased.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Result as JSON (forget/1).")] = False,
) -> None:
    """Erase a document or an author everywhere: text, opinions, vectors, answers that used them."""
    import sys

    from store.errors import UsageError

    sh = shell(context)
    if bool(document) == bool(author):
        raise UsageError("forget needs --document ID or --author NAME (one of them)")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("forget erases for good", "give --yes where nobody can be asked")
        typer.confirm("Erase for good, with every answer that used it?", abort=True, err=True)
    done = run_job(sh, sh.service.forget(sh.corpus, document=document, author=author))
    if json:
        out_json("forget/1", {"documents": done.documents, "answers": done.answers})
    else:
        out(
            f"erased {done.documents:,} documents and {done.answers:,} answers that used them; indexes rebuilt"
        )
        note("the files that they came from are as they were: ingesting those again brings the text back")


__all__ = ["enrich", "export", "forget"]
