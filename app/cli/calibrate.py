"""``calibrate``: how much each rank moves the answer of the configured model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import Shell, note, out, out_json, run_job, shell, width

if TYPE_CHECKING:
    from app.calibration import Calibrations, Prepared
    from store.calibrations import CalibrationRecord


def calibrate(
    context: typer.Context,
    attribute: Annotated[
        str, typer.Option(help="What the two groups stand for; answers are ordered by polarity.")
    ] = "polarity",
    k: Annotated[
        int | None, typer.Option("-k", "--k", help="Documents shown (default: as in answers).", min=1, max=64)
    ] = None,
    questions: Annotated[
        str, typer.Option(help="Question set (JSONL, or a two-sided CSV), or corpus to build one.")
    ] = "corpus",
    design: Annotated[str, typer.Option(help="blocks (recommended) or grid (the paper's).")] = "blocks",
    budget: Annotated[int | None, typer.Option(help="Most calls of the design.", min=1)] = None,
    validate: Annotated[
        int, typer.Option(help="Check the fit on so many settings with predicted Rb 0.", min=0, max=100)
    ] = 0,
    validate_questions: Annotated[
        str, typer.Option(help="Second question set for the check (default: questions held back).")
    ] = "",
    temperature: Annotated[float, typer.Option(help="Temperature of the model.", min=0.0, max=2.0)] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of the design.", min=0)] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it costs and how precise it will be; ask nothing.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the calibrations there are.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Result as JSON (calibration/1).")] = False,
) -> None:
    """Measure position weights: by design, show documents of both groups at every rank and read the choices.

    An interrupted calibration continues when the same command is run again.
    """
    from app.calibration import CalibrationRequest, Calibrations
    from store.errors import UsageError

    sh = shell(context)
    calibrations = Calibrations(sh.parts)
    if listing:
        _list(sh, calibrations, json)
        return
    if design not in ("blocks", "grid"):
        raise UsageError(f"--design is `{design}`", "use blocks or grid")
    request = CalibrationRequest(
        attribute=attribute,
        k=k or sh.settings.agent.k,
        questions=questions,
        design=design,  # type: ignore[arg-type]
        budget=budget,
        validate=validate,
        check_questions=validate_questions,
        seed=seed,
        temperature=temperature,
        corpus=sh.corpus,
    )
    prepared = calibrations.prepare(request)
    if dry_run:
        if json:
            out_json("calibration-plan/1", _plan_document(prepared))
        else:
            out("\n".join(_plan_lines(prepared)))
        return
    if not sh.quiet and not json:
        note("\n".join(_plan_lines(prepared)))
    outcome = run_job(sh, calibrations.run(prepared))
    result = calibrations.result(outcome, prepared)
    if json:
        calls = {"called": outcome.called, "reused": outcome.reused}
        out_json("calibration/1", {**_key(prepared), **result, **calls, "remarks": list(prepared.remarks)})
        return
    from app.views.weights import weights_text

    out(f"position weights of {prepared.model} for {attribute}, k = {request.k}\n")
    out("\n".join(weights_text(result, width(), ascii=sh.ascii)))
    if not sh.quiet:
        kept = f", {outcome.reused} kept from before" if outcome.reused else ""
        note(f"{outcome.called} calls made{kept}; {_use(prepared)}")


def _use(prepared: Prepared) -> str:
    request = prepared.request
    if prepared.remarks:
        return "; ".join(prepared.remarks)
    if request.attribute == "polarity":
        return f"answers with k = {request.k} are ordered by these weights"
    return f"`ask --batch` with --attribute {request.attribute} and -k {request.k} counts ranks by them"


def _key(prepared: Prepared) -> dict[str, Any]:
    request = prepared.request
    return {
        "model": prepared.model,
        "attribute": request.attribute,
        "k": request.k,
        "design": request.design,
        "seed": request.seed,
    }


def _plan_document(prepared: Prepared) -> dict[str, Any]:
    plan = prepared.plan
    return {
        **_key(prepared),
        "source": prepared.source,
        "questions": plan.questions,
        "clusters": prepared.clusters,
        "runs_per_question": plan.runs_per_question,
        "calls": plan.calls,
        "check_calls": prepared.check.calls if prepared.check else 0,
        "standard_error": plan.standard_error,
        "half_width": plan.half_width,
        "remarks": list(prepared.remarks),
    }


def _plan_lines(prepared: Prepared) -> list[str]:
    plan, request = prepared.plan, prepared.request
    lines = [
        f"{prepared.model}: {request.attribute}, k = {request.k}, {plan.questions} questions of {prepared.source} "
        f"x {plan.runs_per_question} runs = {plan.calls:,} calls ({request.design})",
        f"expected standard error of a weight {plan.standard_error:.3f}, 95% interval +/- {plan.half_width:.3f}",
    ]
    if prepared.clusters < 10:
        lines.append(
            f"the questions are on {prepared.clusters} things only: intervals will be wider than planned"
        )
    if prepared.check:
        kind = "held back" if prepared.check.held_out else "the same, as none are left to hold back"
        lines.append(
            f"check: {prepared.check.settings} settings and plain retrieval on {len(prepared.check.questions)} "
            f"questions ({kind}) = {prepared.check.calls:,} calls more"
        )
    return [*lines, *prepared.remarks]


def _list(sh: Shell, calibrations: Calibrations, json: bool) -> None:
    listed = calibrations.fits(sh.corpus)
    if json:
        out_json("calibrations/1", {"calibrations": [_listed_document(fit, why) for fit, why in listed]})
        return
    if not listed:
        out("no calibrations yet")
        return
    from app.views.formats import signed
    from app.views.tables import table

    rows = [
        (
            f"{fit.created_at:%Y-%m-%d %H:%M}",
            fit.model,
            fit.attribute,
            str(fit.k),
            fit.design,
            " ".join(signed(w) for w in fit.result["weights"][:6]) + (" ..." if fit.k > 6 else ""),
            why or ("in use" if fit.attribute == "polarity" else "in use by --batch"),
        )
        for fit, why in listed
    ]
    head = ("made", "model", "attribute", "k", "design", "weights", "state")
    out("\n".join(table(head, rows, width(), align="lLlrlLL", ascii=sh.ascii)))


def _listed_document(fit: CalibrationRecord, why: str) -> dict[str, Any]:
    return {
        "id": fit.id,
        "model": fit.model,
        "prompt_sha": fit.prompt_sha,
        "attribute": fit.attribute,
        "k": fit.k,
        "design": fit.design,
        "created_at": fit.created_at.isoformat(),
        "in_use": not why,
        "why_not": why,
        **fit.result,
    }


__all__ = ["calibrate"]
