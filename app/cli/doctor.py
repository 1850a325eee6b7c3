"""``doctor`` and ``db``: is everything in order, and what to do if not."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.console import CHECK_FAILED, note, out, out_json, run_async, run_job, shell

database = typer.Typer(help="The database schema.", no_args_is_help=True)


def doctor(
    context: typer.Context,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Make Chroma and BM25 anew from SQL.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Result as JSON (doctor/1).")] = False,
) -> int:
    """Check versions, settings, workspace, indexes and models; exit 5 if something is wrong."""
    sh = shell(context)
    if rebuild:
        run_job(sh, sh.service.rebuild())
        note("rebuilt")
        sh._parts = None
    from app.diagnosis import diagnose

    checks = run_async(diagnose(sh.parts), sh.parts)
    if json:
        keys = ("name", "state", "detail", "hint")
        out_json("doctor/1", {"checks": [{k: getattr(c, k) for k in keys} for c in checks]})
    else:
        from app.views.safe import line

        for check in checks:
            hint = f" -> {line(check.hint)}" if check.hint and check.state != "ok" else ""
            out(f"{check.state:<5} {check.name}: {line(check.detail)}{hint}")
    return CHECK_FAILED if any(check.state == "wrong" for check in checks) else 0


@database.command()
def upgrade(context: typer.Context) -> None:
    """Bring the schema to the one this program knows."""
    before, after = shell(context).parts.upgrade()
    out(f"schema {before or 'none'} -> {after}" if before != after else f"schema {after} is current")


__all__ = ["database", "doctor"]
