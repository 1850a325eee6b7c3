"""``init`` and ``ingest``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import PARTIAL, Shell, note, out, out_json, run_job, shell

if TYPE_CHECKING:
    from store.indexing import IndexReport
    from store.ingest.report import IngestReport

TEMPLATE = """\
# Settings of this Evenhand workspace; every key is optional. The README shows the main ones.

# corpus = "default"

[agent]
# k = 20                     # documents that an answer stands on
# method = "auto"            # or "exact", "balanced", a baseline by name
# target = "proportional"    # or "parity", "stars"

# [models]                   # any OpenAI-compatible server; without it everything runs embedded
# base_url = "http://localhost:8000/v1"
# model = "..."
# The key comes from the environment: EVENHAND_MODELS__API_KEY
"""


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Project folder.")] = Path(),
) -> None:
    """Make FOLDER an Evenhand project: evenhand.toml and the workspace .evenhand beside it."""
    sh = shell(context)
    file = folder / "evenhand.toml"
    if sh.workspace is None and sh.config is None:
        from store.errors import StoreError

        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                file.write_text(TEMPLATE, encoding="utf-8")
                note(f"wrote {file}")
        except OSError as error:
            raise StoreError(f"cannot write {file} ({error.strerror})") from None
        sh.config = file
    created = sh.parts.create()
    root = sh.parts.workspace.root
    out(f"{'created' if created else 'found'} the workspace {root}")
    note("next: evenhand ingest FILE")


def ingest(
    context: typer.Context,
    path: Annotated[
        Path | None,
        typer.Argument(help="CSV, TSV, JSON, JSONL, XLSX, Parquet, text, Markdown, .gz, or a folder."),
    ] = None,
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--map", "-m", help="FIELD=COLUMN, as text=Review (text title id url author rating date subject)."
        ),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option("--attribute", "-a", help="Author attribute NAME=COLUMN, as country=author_country."),
    ] = None,
    source: Annotated[
        str, typer.Option(help="Identity of the source in the corpus (default: the file's name).")
    ] = "",
    format: Annotated[str, typer.Option(help="Format, where the file's name does not tell.")] = "",
    encoding: Annotated[str, typer.Option(help="Encoding, instead of the detected one.")] = "",
    sheet: Annotated[str, typer.Option(help="Sheet of a workbook (default: the first).")] = "",
    delimiter: Annotated[
        str, typer.Option(help="Separator of the columns, instead of the detected one.")
    ] = "",
    split: Annotated[str, typer.Option(help="Texts: one document a file, or by blank-lines or lines.")] = "",
    sync: Annotated[bool, typer.Option("--sync", help="Also remove documents that left the file.")] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Try the quarantined rows again (of --source, or all).")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show format, encoding and mapping; store nothing.")
    ] = False,
    no_index: Annotated[bool, typer.Option("--no-index", help="Store only; embed and index later.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Result as JSON (ingest/1).")] = False,
) -> int:
    """Read PATH into a corpus: rows become documents, the books must balance, running again is safe."""
    from store.errors import UsageError
    from store.ingest.overrides import parse_overrides

    sh = shell(context)
    overrides = parse_overrides(maps or (), attributes or ())
    given = {"format": format, "encoding": encoding, "sheet": sheet, "delimiter": delimiter, "split": split}
    options = {name: value for name, value in given.items() if value}
    if retry:
        if path is not None:
            raise UsageError(
                "--retry takes no PATH: the quarantine keeps the rows", "name a source with --source"
            )
        events = sh.service.retry(
            sh.corpus, source=source or None, overrides=overrides, encoding=encoding or None
        )
        return _report_retry(sh, run_job(sh, events), json)
    if path is None:
        raise UsageError("ingest needs a file or folder", "as in: evenhand ingest reviews.csv")
    if dry_run:
        return _plan(path, overrides, options, json)
    if not sh.parts.workspace.exists():
        # A wrong file or mapping must not leave an empty workspace behind.
        from store.ingest.plan import plan

        plan(path, overrides=overrides, **options)  # type: ignore[arg-type]
        sh.parts.create()
    events = sh.service.ingest(
        path,
        sh.corpus,
        overrides=overrides,
        source=source or None,
        sync=sync,
        index=not no_index,
        options=options,
    )
    return _report(sh, run_job(sh, events), json)


def _plan(path: Path, overrides: object, options: dict[str, str], json: bool) -> int:
    from store.ingest.plan import plan

    planned = plan(path, overrides=overrides, **options)  # type: ignore[arg-type]
    if json:
        out_json("ingest-plan/1", {"path": str(path), "mapping": planned.mapping.to_json()})
    else:
        from app.views.books import mapping_lines

        out("\n".join(mapping_lines(planned.mapping)))
    return 0


def _report_retry(sh: Shell, done: tuple[list[IngestReport], IndexReport], json: bool) -> int:
    from app.views.books import books_document, books_lines, index_document, index_line

    books, index = done
    if json:
        out_json(
            "ingest-retry/1", {"sources": [books_document(b) for b in books], "index": index_document(index)}
        )
    else:
        for each in books:
            out("\n".join(books_lines(each)))
        out(index_line(index) if books else "nothing in quarantine")
    return PARTIAL if any(b.counts.quarantined for b in books) else 0


def _report(sh: Shell, done: object, json: bool) -> int:
    from app.service import Ingested
    from app.views.books import ingest_document, ingest_lines
    from app.views.safe import line

    assert isinstance(done, Ingested)
    if json:
        out_json("ingest/1", ingest_document(done))
    else:
        for text in ingest_lines(done):
            out(text)
        if not sh.quiet:
            note("next: evenhand enrich")
    if done.books.fault:
        note(f"evenhand: {line(done.books.fault)}; get the whole file, then run the same command again")
    return PARTIAL if done.books.counts.quarantined or not done.books.complete else 0


__all__ = ["ingest", "init"]
