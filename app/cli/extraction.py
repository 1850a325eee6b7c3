"""``enrich --dry-run``, ``--agreement`` and ``--registry llm``: what a language model would cost, says, and finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli.console import PARTIAL, UNREACHABLE, Shell, note, out, out_json, run_job

if TYPE_CHECKING:
    from agents.models.extraction_records import ExtractionPlan
    from app.extraction import Compared, Planned, RegistryMade

_LISTED = 8


def dry_run(
    sh: Shell,
    extractor: str,
    refresh: bool,
    retry: bool,
    split: bool,
    registry_by_model: bool,
    json: bool,
) -> int:
    """Say what a run would take."""
    from app.extraction import Extractions

    planned = Extractions(sh.parts).plan(
        sh.corpus,
        extractor=extractor,
        refresh_registry=refresh,
        retry=retry,
        split=split,
        registry_by_model=registry_by_model,
    )
    if json:
        out_json("enrich-plan/1", _plan_document(planned))
    else:
        out("\n".join(_plan_lines(planned)))
    return 0


def agreement(sh: Shell, documents: int, json: bool) -> int:
    """Compare the two extractors on a sample; exit 4 when the model failed on some, 3 when on all."""
    from app.extraction import Extractions
    from app.views.safe import line

    done: Compared = run_job(sh, Extractions(sh.parts).agreement(sh.corpus, documents=documents))
    found = done.agreement
    if json:
        from dataclasses import asdict

        document = {"left": done.left, "right": done.right, "sample": done.sample, **asdict(found)}
        out_json("agreement/1", {**document, "failures": done.failures})
    else:
        out(found.text(done.left, line(done.right)))
        out("Neither is taken for the truth: `evenhand enrich --review N` checks labels by hand.")
    _list(done.failures, f"{line(done.right)} failed on {len(done.failures)} of {done.sample}")
    if not done.failures:
        return 0
    return PARTIAL if found.documents else UNREACHABLE


def registry(sh: Shell) -> int:
    """Make the registry by the model; exit 4 when it failed on some documents."""
    from app.extraction import Extractions

    made: RegistryMade = run_job(sh, Extractions(sh.parts).registry(sh.corpus))
    note(
        f"{made.entities} entities from {made.documents - len(made.failures):,} of {made.documents:,} documents"
        f" read by the model"
    )
    _list({str(d): r for d, r in made.failures.items()}, f"{len(made.failures)} documents failed")
    if made.doubtful:
        note(f"{made.doubtful} doubtful merges: `evenhand entities review -o FILE` writes them out")
    for text in made.refused_decisions:
        note(f"a decision no longer fits: {text}")
    return PARTIAL if made.failures else 0


def _list(failures: dict[str, str], head: str) -> None:
    from app.views.safe import line

    if failures:
        note(f"{head}:")
        for name, reason in list(failures.items())[:_LISTED]:
            note(f"  {line(name)}: {line(reason)}")
        if len(failures) > _LISTED:
            note(f"  and {len(failures) - _LISTED} more")


def _plan_lines(planned: Planned) -> list[str]:
    from app.views.safe import line

    head = f"{planned.to_do:,} of {planned.documents:,} documents to enrich, {planned.entities} entities"
    if not planned.opinions and not planned.registry:
        return [f"{head}; the {planned.extractor} extractor makes no calls and costs nothing"]
    lines = [f"{head}; nothing was called"]
    for what, plan in (("registry", planned.registry), ("opinions", planned.opinions)):
        if plan is not None:
            lines.append(f"{what} by {line(planned.extractor if what == 'opinions' else 'the model')}:")
            lines += _calls(plan, planned.priced)
    lines.append("Repairs and retries come on top. `--agreement 50` shows how far the model agrees first.")
    return lines


def _calls(plan: ExtractionPlan, priced: bool) -> list[str]:
    spared = f"{plan.cached:,} answered before, {plan.duplicates:,} with the same text as another"
    cost = f"{plan.cost:,.4g}" if priced else "unknown: no models.price is set"
    return [
        f"  {plan.calls:,} calls for {plan.documents:,} documents ({spared})",
        f"  about {plan.prompt_tokens:,} prompt tokens, at most {plan.completion_tokens:,} of answers",
        f"  cost, at most: {cost}",
    ]


def _plan_document(planned: Planned) -> dict[str, object]:
    from dataclasses import asdict

    return {**asdict(planned), "calls": planned.calls}


__all__ = ["agreement", "dry_run", "registry"]
