"""``evaluate``: the figures that the claims rest on, measured again on the data given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import Shell, note, out, run_job, shell, width, write_output

if TYPE_CHECKING:
    from agents.evaluation.report import EvaluationReport


def evaluate(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="extraction, router, faro or warp.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the data sets, one folder each.", envvar="EVENHAND_DATA"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON (evaluation/1).")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file (.md: Markdown, .json: JSON).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of everything drawn.")] = 0,
    cache: Annotated[
        Path | None, typer.Option(help="Where embeddings and built corpora are kept (default: temporary).")
    ] = None,
    k: Annotated[
        list[int] | None,
        typer.Option(
            "-k", help="Documents shown; faro: may be repeated (2, 3, 5), warp: 20.", min=1, max=200
        ),
    ] = None,
    questions: Annotated[int, typer.Option(help="faro: most questions measured, a set.", min=2)] = 200,
    only: Annotated[str, typer.Option(help="faro: one set alone, political or gender.")] = "",
    tau: Annotated[float, typer.Option(help="faro: tolerance of Rb.", min=0.0)] = 0.1,
    draws: Annotated[int, typer.Option(help="warp: draws of a random method, an entity.", min=1)] = 100,
    mentions: Annotated[int, typer.Option(help="warp: fewest documents of an entity.", min=2)] = 100,
    reviews: Annotated[
        int | None, typer.Option(help="warp: draw this many reviews of the hotel set.", min=10)
    ] = None,
) -> None:
    """Measure extraction, the router, or the papers' tables (faro, warp) on DATA.

    warp takes the hotel set of --data, or without --data the corpus of the workspace (--corpus).
    """
    from app.evaluation import EVALUATIONS
    from store.errors import UsageError

    sh = shell(context)
    if name not in EVALUATIONS:
        raise UsageError(f"there is no evaluation `{name}`", f"there are {', '.join(EVALUATIONS)}")
    if data is not None and not data.is_dir():
        raise UsageError(f"--data: there is no folder {data}", "give the folder that holds the data sets")
    if name == "warp" and (data is None or sh.corpus):
        report = _warp(sh, (k or [20])[-1], draws, mentions, seed)
    elif data is None:
        raise UsageError(f"`evaluate {name}` needs data sets", "give their folder by --data DIR")
    elif name == "warp":
        _build(sh, data, cache, reviews, seed)
        report = _warp(sh, (k or [20])[-1], draws, mentions, seed)
    elif name == "faro":
        report = _faro(sh, data, cache, tuple(k or (2, 3, 5)), questions, only, tau, seed)
    else:
        from app.evaluation import Evaluations

        report = run_job(sh, Evaluations(sh.parts).labels(name, data, seed))
    _write(sh, report, json, markdown, output, force)


def _faro(
    sh: Shell,
    data: Path,
    cache: Path | None,
    sizes: tuple[int, ...],
    questions: int,
    only: str,
    tau: float,
    seed: int,
) -> EvaluationReport:
    from agents.evaluation.faro import SETS, FaroSettings
    from app.evaluation import Evaluations, cache_folder
    from store.errors import UsageError

    if only and only not in SETS:
        raise UsageError(f"--only is `{only}`", f"use {' or '.join(SETS)}")
    if max(sizes) > 10:
        raise UsageError("a question of faro has 20 candidates", "use -k 10 or less")
    evaluations = Evaluations(sh.parts)
    settings = FaroSettings(sizes, tau, questions, seed=seed, workers=evaluations.workers)
    sets = (only,) if only else tuple(SETS)
    model = sh.parts.chat("generator")
    if model is not None and not sh.quiet:
        note(f"{model.model} answers: at most {settings.most_calls(len(sets)):,} calls, about half of that")
    report: EvaluationReport = run_job(sh, evaluations.faro(data, settings, sets, cache_folder(cache)))
    return report


def _warp(sh: Shell, k: int, draws: int, mentions: int, seed: int) -> EvaluationReport:
    from agents.evaluation.warp import WarpSettings
    from app.evaluation import Evaluations

    settings = WarpSettings(k=k, draws=draws, seed=seed)
    report: EvaluationReport = run_job(sh, Evaluations(sh.parts).warp(sh.corpus, settings, mentions, 12))
    return report


def _build(sh: Shell, data: Path, cache: Path | None, reviews: int | None, seed: int) -> None:
    """Make the hotel corpus in a workspace of the cache, or take the one that is there, and work there."""
    from app.evaluation import HOTELS, cache_folder, hotel_rows, ingest_options

    text, count = hotel_rows(data, reviews, seed)
    folder = cache_folder(cache) / f"warp-{count}-{seed if reviews else 'all'}"
    sh.workspace, sh.corpus, sh._parts = folder, HOTELS, None
    sh.parts.create()
    held = {corpus.name: corpus for corpus in sh.parts.repository.corpora()}
    source = folder / "hotels.csv"
    if HOTELS not in held or held[HOTELS].documents < 1 or not held[HOTELS].extractor:
        if not sh.quiet:
            note(f"building the corpus of {count:,} hotel reviews in {folder}")
        source.write_text(text, encoding="utf-8")
        # Continues where an earlier run was interrupted: unchanged rows cost nothing.
        run_job(sh, sh.service.ingest(source, HOTELS, overrides=ingest_options()))
        sh._parts = None
        run_job(sh, sh.service.enrich(HOTELS, index=False))
        sh._parts = None


def _write(
    sh: Shell, report: EvaluationReport, json: bool, markdown: bool, output: Path | None, force: bool
) -> None:
    from app.views.evaluation import evaluation_markdown, evaluation_text
    from app.views.receipt_json import dump_json

    suffix = output.suffix.lower() if output is not None else ""
    if json or suffix == ".json":
        text = dump_json({"schema": "evaluation/1", **report.document()})
    elif markdown or suffix == ".md":
        text = evaluation_markdown(report)
    else:
        text = evaluation_text(report, 160 if output is not None else width(), ascii=sh.ascii)
    if output is None:
        out(text)
    else:
        write_output(output, text, force)


__all__ = ["evaluate"]
