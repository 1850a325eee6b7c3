"""``entities``: the registry and its curation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import note, out, out_json, shell, width, write_output

app = typer.Typer(
    help="The things that people hold views on: list, show, and correct them.", no_args_is_help=True
)

Json = Annotated[bool, typer.Option("--json", help="Result as JSON.")]


@app.command("list")
def list_entities(context: typer.Context, json: Json = False) -> None:
    """List the entities as a tree, with documents and opinion shares."""
    from app.views.tables import EntityRow, entities_tree

    sh = shell(context)
    records = sh.catalog.entities(sh.corpus)
    if json:
        keys = ("key", "name", "parent", "aliases", "documents", "counts")
        out_json("entities/1", {"entities": [{k: getattr(r, k) for k in keys} for r in records]})
        return
    rows = [EntityRow(r.key, r.name, r.parent, r.documents, r.counts, r.aliases) for r in records]
    out(
        "\n".join(entities_tree(rows, width(), ascii=sh.ascii))
        if rows
        else "no entities yet: run `evenhand enrich`"
    )


@app.command()
def show(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Key or name.")],
    limit: Annotated[int, typer.Option(help="Quotes a side.", min=0, max=100)] = 3,
    json: Json = False,
) -> None:
    """Show one entity: aliases, opinion distribution, and quotes of each side."""
    from app.views.bars import BarSet, opinion_bars
    from app.views.safe import line

    sh = shell(context)
    record, quotes = sh.catalog.entity(entity, sh.corpus, limit)
    if json:
        keys = ("key", "name", "parent", "aliases", "documents", "counts")
        shown = [{"document": d, "quote": q, "score": s} for d, q, s in quotes]
        out_json("entity/1", {**{k: getattr(record, k) for k in keys}, "quotes": shown})
        return
    part = f", part of {line(record.parent)}" if record.parent else ""
    out(f"{line(record.name)} ({line(record.key)}), {record.documents:,} documents{part}")
    out(f"also: {', '.join(line(a) for a in record.aliases)}")
    total = sum(record.counts)
    if total:
        bars = BarSet("population", tuple(c / total for c in record.counts), total)
        out("\n".join(opinion_bars([bars], width=min(width(), 100), ascii=sh.ascii)))
    for document, quote, score in quotes:
        out(f"  {score:+3d} “{line(quote, limit=160)}” ({line(document)})")


@app.command()
def merge(context: typer.Context, entity: str, into: str) -> None:
    """Merge ENTITY into another: its aliases and opinions move there."""
    _decide(context, "merge", entity, into)


@app.command()
def rename(context: typer.Context, entity: str, name: str) -> None:
    """Give ENTITY another name; its key stays."""
    _decide(context, "rename", entity, name)


@app.command()
def move(
    context: typer.Context,
    entity: str,
    parent: Annotated[str, typer.Argument(help="Key; empty for the top tier.")] = "",
) -> None:
    """Move ENTITY under a parent."""
    _decide(context, "move", entity, parent)


@app.command()
def drop(context: typer.Context, entity: str) -> None:
    """Drop ENTITY: it is no thing that people hold views on."""
    _decide(context, "drop", entity, "")


@app.command()
def alias(context: typer.Context, entity: str, form: str) -> None:
    """Give ENTITY another surface form."""
    _decide(context, "alias", entity, form)


@app.command("export")
def export_entities(
    context: typer.Context,
    output: Annotated[Path, typer.Argument(help="JSON file; - for stdout.")] = Path("-"),
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
) -> None:
    """Write the registry as JSON, to be edited and imported again."""
    sh = shell(context)
    write_output(output, sh.catalog.export_registry(sh.corpus), force)


@app.command("import")
def import_entities(context: typer.Context, file: Annotated[Path, typer.Argument(help="JSON file.")]) -> None:
    """Replace the registry by one from a JSON file; `evenhand enrich` then applies it."""
    from store.errors import UsageError

    sh = shell(context)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file} ({getattr(error, 'strerror', None) or 'not UTF-8'})") from None
    count = sh.catalog.import_registry(text, sh.corpus)
    out(f"{count} entities imported")
    note("next: evenhand enrich")


def _decide(context: typer.Context, action: str, entity: str, value: str) -> None:
    sh = shell(context)
    out(sh.catalog.curate(action, entity, value, sh.corpus))
    note("next: evenhand enrich (applies it to the opinions)")


__all__ = ["app"]
