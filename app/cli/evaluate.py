"""``evaluate``: the figures that the claims rest on, measured again on the data given."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import PARTIAL, Shell, note, out, run_job, shell, width, write_output

if TYPE_CHECKING:
    from agents.evaluation.all import Suite
    from agents.evaluation.report import EvaluationReport

#: Folder of the report of `evaluate all` where nobody names another.
REPORT = Path("evaluation-report")
_FILES = ("evaluation.html", "evaluation.md", "evaluation.json")


def evaluate(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="extraction, router, faro, orag, warp, rewriting, or all.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the data sets, one folder each.", envvar="EVENHAND_DATA"),
    ] = None,
    mini: Annotated[
        bool, typer.Option("--mini", help="On the small open sets that come along (all: the default).")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON (evaluation/1).")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write to this file (.html, .md, .json); all: to this folder, all three."
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the plots as SVG files to this folder.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of everything drawn.", min=0)] = 0,
    cache: Annotated[
        Path | None,
        typer.Option(help="Where embeddings, corpora and finished parts are kept (default: temporary)."),
    ] = None,
    k: Annotated[
        list[int] | None,
        typer.Option(
            "-k",
            help="Documents shown; may be repeated. faro: 2, 3, 5; orag: 10, 20, 40, 60; warp: 20.",
            min=1,
            max=200,
        ),
    ] = None,
    questions: Annotated[int, typer.Option(help="faro: most questions measured, a set.", min=2)] = 200,
    calibrating: Annotated[
        int, typer.Option(help="faro: other questions that the weights are fitted on, a set.", min=2)
    ] = 50,
    only: Annotated[str, typer.Option(help="faro: one set alone, political or gender.")] = "",
    tau: Annotated[float, typer.Option(help="faro: tolerance of Rb.", min=0.0)] = 0.1,
    draws: Annotated[
        int | None,
        typer.Option(
            help="Draws of a random method (warp: 100 an entity, orag: 20 a question; --mini: 20, 10).",
            min=1,
        ),
    ] = None,
    mentions: Annotated[
        int | None,
        typer.Option(help="orag, warp: fewest documents of an entity (default 100; --mini: 60, 40).", min=2),
    ] = None,
    reviews: Annotated[
        int | None,
        typer.Option(help="orag, warp: draw this many reviews of the hotel set (all: 1,200).", min=10),
    ] = None,
    extractor: Annotated[
        list[str] | None,
        typer.Option(help="orag: lexical, llm; repeat to compare (llm asks the configured model)."),
    ] = None,
) -> None:
    """Measure extraction, the router, or the papers' tables (faro, orag, warp, rewriting) on DATA; all: every one.

    orag and warp take the hotel set of --data, or without --data the corpus of the workspace (--corpus). all writes
    one report as HTML, Markdown and JSON to a folder; run again with the same --cache it continues.
    """
    from app.evaluation import ALL, ON_CORPUS, EvaluationRequest, Evaluations, cache_folder

    sh = shell(context)
    if not force:
        _refuse_existing(output or REPORT if name == ALL else output, name == ALL)
    on_corpus = name in ON_CORPUS and bool(sh.corpus) and not mini
    request = EvaluationRequest(
        name=name,
        cache=cache_folder(cache),
        data=None if on_corpus or mini else data,
        mini=mini or (name == ALL and data is None),
        seed=seed,
        sizes=() if name == ALL else tuple(k or ()),
        questions=questions,
        calibrating=calibrating,
        only=only,
        tau=tau,
        draws=draws,
        mentions=mentions,
        reviews=reviews,
        corpus=sh.corpus,
        extractors=tuple(extractor or ("lexical",)),
    )

    def silent(text: str) -> None: ...

    say = silent if sh.quiet else note
    # A bar says how far it is; without a terminal lines do.
    pace = silent if sh.quiet or sys.stderr.isatty() else note
    found = run_job(sh, Evaluations(sh.parts, say, pace).run(request))
    if name == ALL:
        _write_all(sh, found, output or REPORT, plot, force, json)
    else:
        _write(sh, found, json, markdown, output, plot, force)


def _refuse_existing(output: Path | None, whole: bool) -> None:
    """Say before the work that a file is there already, not after it."""
    from store.errors import UsageError

    if whole and output is not None and output.suffix and not output.is_dir():
        raise UsageError(
            f"all writes a folder with three files, and {output} is named like a file",
            f"give a folder, for example {output.with_suffix('')}",
        )
    if output is None or str(output) == "-":
        return
    for path in [output / file for file in _FILES] if whole else [output]:
        if path.exists():
            raise UsageError(f"{path} exists already", "name another, or give --force")


def _write(
    sh: Shell,
    report: EvaluationReport,
    json: bool,
    markdown: bool,
    output: Path | None,
    plot: Path | None,
    force: bool,
) -> None:
    from app.views.evaluation import evaluation_markdown, evaluation_text
    from app.views.evaluation_html import evaluation_html
    from app.views.receipt_json import dump_json

    links = _plots([report], plot, force, output) if plot is not None else []
    suffix = output.suffix.lower() if output is not None else ""
    if json or suffix == ".json":
        text = dump_json({"schema": "evaluation/1", **report.document()})
    elif markdown or suffix == ".md":
        text = evaluation_markdown(report, links[0] if links else ())
    elif suffix in (".html", ".htm"):
        text = evaluation_html([report], _now())
    else:
        text = evaluation_text(report, 160 if output is not None else width(), ascii=sh.ascii)
    if output is None:
        out(text)
    else:
        write_output(output, text, force)


def _write_all(sh: Shell, suite: Suite, folder: Path, plot: Path | None, force: bool, json: bool) -> None:
    from app.views.evaluation import evaluation_markdown, suite_lines
    from app.views.evaluation_html import evaluation_html
    from app.views.receipt_json import dump_json
    from store.errors import StoreError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder {folder} ({error.strerror})") from None
    markdown, made_at = folder / _FILES[1], _now()
    links = _plots(suite.reports, plot or folder / "plots", force, markdown)
    texts = [evaluation_markdown(report, each) for report, each in zip(suite.reports, links, strict=True)]
    head = ["# Evaluation", "", f"Made {made_at}.", "", *(f"- {line}" for line in suite.left_out), ""]
    document = dump_json(
        {
            "schema": "evaluation-suite/1",
            "made_at": made_at,
            "left_out": list(suite.left_out),
            "evaluations": [report.document() for report in suite.reports],
        }
    )
    write_output(folder / _FILES[0], evaluation_html(suite.reports, made_at, suite.left_out), force)
    write_output(markdown, "\n".join([*head, *texts]), force)
    write_output(folder / _FILES[2], document, force)
    out(document if json else "\n".join(suite_lines(suite, width(), ascii=sh.ascii)))
    if suite.left_out:
        raise typer.Exit(PARTIAL)


def _plots(
    reports: tuple[EvaluationReport, ...] | list[EvaluationReport],
    folder: Path,
    force: bool,
    beside: Path | None,
) -> list[list[str]]:
    """Write every plot as an SVG file; returns their links from the file ``beside``, a list a report."""
    import os.path

    from app.views.evaluation_plots import plot_file
    from store.errors import StoreError, UsageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder {folder} ({error.strerror})") from None
    links = []
    for report in reports:
        own = []
        for number, plot in enumerate(report.plots, start=1):
            path = folder / f"{report.name}-{number}.svg"
            if path.exists() and not force:
                raise UsageError(f"{path} exists already", "name another folder, or give --force")
            try:
                path.write_text(plot_file(plot), encoding="utf-8")
            except OSError as error:
                raise StoreError(f"cannot write {path} ({error.strerror})") from None
            own.append(Path(os.path.relpath(path, beside.parent if beside else Path())).as_posix())
        links.append(own)
    note(f"{sum(map(len, links))} plots are in {folder}")
    return links


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="minutes")


__all__ = ["REPORT", "evaluate"]
