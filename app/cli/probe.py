"""``probe``: the retriever's surface biases, and which query enhancement mitigates them or only masks them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import PARTIAL, Shell, note, out, out_json, run_job, shell, width, write_output

if TYPE_CHECKING:
    from agents.probes import ProbeReport
    from app.probes import PreparedProbe, Probes


def probe(
    context: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of data sets with Re-DocRED (default: the corpus).", envvar="EVENHAND_DATA"
        ),
    ] = None,
    bundled: Annotated[
        bool, typer.Option("--bundled", help="The small set of pairs that comes along.")
    ] = False,
    own: Annotated[bool, typer.Option("--own", help="The corpus, also where EVENHAND_DATA is set.")] = False,
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            help="default, bm25, hybrid, or a sentence-transformers model (repeat; default: the three)."
        ),
    ] = None,
    pairs: Annotated[int, typer.Option(help="Pairs of each bias for the plain query.", min=2)] = 200,
    enhanced: Annotated[
        int, typer.Option(help="Pairs of each bias for the enhancements; 0 leaves them out.", min=0)
    ] = 100,
    bias: Annotated[
        list[str] | None, typer.Option(help="brevity, literal, position, repetition, foil (repeat).")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="rewrite, hyde, query2doc, multi-query (repeat).")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Write no more after so long; measure what is there.", min=0.0)
    ] = None,
    cpt_model: Annotated[
        str, typer.Option(help="Also HyDE-CPT and Q2D-CPT with this causal model (folder; extra cpt).")
    ] = "",
    cpt_pairs: Annotated[int, typer.Option(help="Pairs of each bias for those.", min=2)] = 20,
    cache: Annotated[
        Path | None, typer.Option(help="Where vectors, texts and adapters are kept (default: the workspace).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the pairs and of the intervals.", min=0)] = 0,
    listing: Annotated[bool, typer.Option("--list", help="List what is recommended so far.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would measure; ask nothing.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON (probe/1).")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file (.md: Markdown, .json: JSON).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Measure brevity, literal, position, repetition and foil of retrievers, and what each enhancement changes.

    What is recommended is stored and used by `ask --enhance auto`. An interrupted probe continues when run again.
    """
    from app.probes import BUNDLED, CORPUS, NAMED, ProbeRequest, Probes
    from store.errors import UsageError

    sh = shell(context)
    probes = Probes(sh.parts)
    if listing:
        _list(sh, probes, json)
        return
    if bundled and own:
        raise UsageError("--bundled and --own exclude each other", "give one of them")
    if data is not None and not (bundled or own) and not data.exists():
        raise UsageError(f"--data: there is no folder {data}", "give the folder that holds the data sets")
    source = BUNDLED if bundled else CORPUS if own or data is None else str(data)
    prepared = probes.prepare(
        ProbeRequest(
            source=source,
            pairs=pairs,
            enhanced=enhanced,
            pretrained=cpt_pairs,
            biases=tuple(bias or ()),
            methods=tuple(method or ()),
            retrievers=tuple(retriever or NAMED),
            cpt_model=cpt_model,
            minutes=minutes,
            seed=seed,
            corpus=sh.corpus,
            cache=cache,
        )
    )
    if dry_run or not (sh.quiet or json):
        (out if dry_run else note)("\n".join(_plan(prepared)))
    if dry_run:
        return
    report: ProbeReport = run_job(sh, probes.run(prepared))
    _write(sh, report, json, markdown, output, force)
    kept = probes.keep(prepared, report)
    if not sh.quiet:
        from app.views.probes import probe_lines

        if output is not None or json or markdown:
            note("\n".join(probe_lines(report, ascii=sh.ascii)))
        why = "there is no workspace" if report.model else "no enhancement was measured"
        note("stored; `ask --enhance auto` uses it" if kept else f"nothing is stored: {why}")
    if report.stopped:
        raise typer.Exit(PARTIAL)


def _plan(prepared: PreparedProbe) -> list[str]:
    counts = ", ".join(f"{bias} {len(each)}" for bias, each in prepared.pairs.items())
    lines = [
        *prepared.notes,
        f"{prepared.source}: pairs {counts}",
        f"retrievers: {', '.join(each.name for each in prepared.retrievers)}",
    ]
    if prepared.request.enhanced and prepared.model:
        lines.append(f"{prepared.model} writes {prepared.texts:,} texts, less what is kept from before")
    elif prepared.request.enhanced:
        lines.append("no language model is configured for the role enhancer: the plain query alone")
    return lines


def _write(
    sh: Shell, report: ProbeReport, json: bool, markdown: bool, output: Path | None, force: bool
) -> None:
    from app.views.probes import probe_markdown, probe_text
    from app.views.receipt_json import dump_json

    suffix = output.suffix.lower() if output is not None else ""
    if json or suffix == ".json":
        text = dump_json({"schema": "probe/1", **report.document()})
    elif markdown or suffix == ".md":
        text = probe_markdown(report)
    else:
        text = probe_text(report, 160 if output is not None else width(), ascii=sh.ascii)
    if output is None:
        out(text)
    else:
        write_output(output, text, force)


def _list(sh: Shell, probes: Probes, json: bool) -> None:
    listed = probes.stored()
    if json:
        out_json("probes/1", {"probes": listed})
        return
    from app.views.probes import stored_table

    if not listed:
        out("no retriever was probed yet")
        return
    rows = [
        (
            each["made"][:16].replace("T", " "),
            each["corpus"] or each["source"],
            each["retriever"],
            each["model"],
            each["recommendation"],
            each["why_not"] or "in use",
            each["reason"],
        )
        for each in listed
    ]
    out("\n".join(stored_table(rows, width(), ascii=sh.ascii)))


__all__ = ["probe"]
