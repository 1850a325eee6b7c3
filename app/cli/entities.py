"""``entities``: the registry and its curation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import PARTIAL, note, out, out_json, shell, width, write_output

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
    if rows:
        note(
            "docs: documents with a view on it; - 0 +: how many at each level from -30 to +30; pos, neg: shares"
        )


@app.command()
def show(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Key or name.")],
    limit: Annotated[int, typer.Option(help="Quotes a side.", min=0, max=100)] = 3,
    json: Json = False,
) -> None:
    """Show one entity: aliases, opinion distribution, and quotes of each side."""
    from app.views.entities import entity_lines

    sh = shell(context)
    record, quotes = sh.catalog.entity(entity, sh.corpus, limit)
    if json:
        keys = ("key", "name", "parent", "aliases", "documents", "counts")
        shown = [{"document": d, "quote": q, "score": s} for d, q, s in quotes]
        out_json("entity/1", {**{k: getattr(record, k) for k in keys}, "quotes": shown})
        return
    out("\n".join(entity_lines(record, quotes, min(width(), 100), ascii=sh.ascii)))


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
    sh = shell(context)
    count = sh.catalog.import_registry(_text_of(file), sh.corpus)
    out(f"{count} entities imported")
    note("next: evenhand enrich")


@app.command()
def review(
    context: typer.Context,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write them to a file to fill in.")
    ] = None,
    apply: Annotated[
        Path | None, typer.Option("--apply", help="Carry out the decisions of such a file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
    json: Json = False,
) -> int:
    """List the doubtful merges: pairs of entities that may be one thing; write them out, or apply decisions."""
    from app.views.safe import line

    sh = shell(context)
    if apply is not None:
        done, refused = sh.catalog.settle(_text_of(apply), sh.corpus)
        if json:
            out_json("entities-review-applied/1", {"done": done, "refused": refused})
        else:
            out("\n".join([line(text) for text in done] or ["nothing was decided"]))
        for reason in refused:
            note(f"not done: {line(reason)}")
        if done:
            note("next: evenhand enrich (applies it to the opinions)")
        return PARTIAL if refused else 0
    pairs = sh.catalog.doubtful(sh.corpus)
    if output is not None:
        from store.enrich.registry_exchange import review_file

        write_output(output, review_file(pairs), force)
        return 0
    if json:
        keys = ("left", "right", "similarity", "left_count", "right_count")
        out_json("entities-review/1", {"doubtful": [{k: getattr(p, k) for k in keys} for p in pairs]})
        return 0
    from app.views.tables import table

    rows = [
        (p.left, p.right, f"{p.similarity:.2f}", f"{p.left_count:,}", f"{p.right_count:,}") for p in pairs
    ]
    head = ("left", "right", "similar", "uses left", "uses right")
    out(
        "\n".join(table(head, rows, width(), align="LLrrr", ascii=sh.ascii)) if rows else "no doubtful merges"
    )
    if rows:
        note("next: evenhand entities review --output FILE, fill it in, then --apply FILE")
    return 0


def _text_of(file: Path) -> str:
    from store.errors import UsageError

    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file} ({getattr(error, 'strerror', None) or 'not UTF-8'})") from None


def _decide(context: typer.Context, action: str, entity: str, value: str) -> None:
    sh = shell(context)
    out(sh.catalog.curate(action, entity, value, sh.corpus))
    note("next: evenhand enrich (applies it to the opinions)")


__all__ = ["app"]
