"""``evenhand``: registers the command groups, and turns every error into one line and its exit code."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.cli import (
    ask,
    audit,
    calibrate,
    chat,
    corpus,
    demo,
    doctor,
    entities,
    evaluate,
    frontier,
    knowledge,
    probe,
)
from app.cli.console import FAILED, USAGE, Shell, note
from app.cli.interrupts import INTERRUPTED, Interrupted, say_interrupted
from app.cli.options import StrictCommand

app = typer.Typer(
    name="evenhand",
    help="Answers that represent what people actually said: fair, opinion-aware retrieval with an audit receipt.",
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        sys.stdout.write(f"evenhand {version('evenhand')}\n")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            "-w",
            help="Workspace folder (default: .evenhand beside evenhand.toml, else yours).",
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Configuration file instead of the nearest evenhand.toml.")
    ] = None,
    corpus_name: Annotated[
        str, typer.Option("--corpus", "-c", help="Corpus to use where there are several.")
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Log more (-vv: everything).")
    ] = 0,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Ask a body of reviews, posts or answers what people think, and see that the answer is not skewed."""
    context.obj = Shell(
        workspace=workspace,
        config=config,
        corpus=corpus_name,
        quiet=quiet,
        verbose=verbose,
        ascii=ascii,
        debug=debug,
        command=context.invoked_subcommand or "",
    )
    context.call_on_close(context.obj.close)


app.command("init")(corpus.init)
app.command("ingest")(corpus.ingest)
app.command("enrich")(knowledge.enrich)
app.add_typer(entities.app, name="entities")
app.command("ask")(ask.ask)
app.command("chat")(chat.chat)
app.command("audit")(audit.audit)
app.command("calibrate")(calibrate.calibrate)
app.command("frontier")(frontier.frontier)
app.command("evaluate")(evaluate.evaluate)
app.command("probe")(probe.probe)
app.command("export")(knowledge.export)
app.command("forget")(knowledge.forget)
app.command("doctor")(doctor.doctor)
app.add_typer(doctor.database, name="db")
app.command("demo")(demo.demo)
for registered in (app, entities.app, doctor.database):
    for each in registered.registered_commands:
        each.cls = StrictCommand


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    try:
        if not arguments:
            arguments = ["--help"]
        result = typer.main.get_command(app).main(args=arguments, prog_name="evenhand", standalone_mode=False)
        if result == INTERRUPTED:
            # Typer's own answer to Ctrl-C, while nothing was under way that could tell what is kept.
            say_interrupted()
        return result if isinstance(result, int) else 0
    except Interrupted:
        return INTERRUPTED
    except KeyboardInterrupt:
        say_interrupted()
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away; nothing is left to say to it.
        sys.stdout = None
        return FAILED
    except Exception as error:
        if debug:
            raise
        return report(error)


def report(error: Exception) -> int:
    """Write an error as one line to stderr and return its exit code."""
    from app.views.safe import line

    while isinstance(error, ExceptionGroup):
        # Tasks that ran beside each other failed alike: the first speaks for all.
        error = error.exceptions[0]
    code = getattr(error, "exit_code", FAILED)
    shown = getattr(error, "format_message", None)
    if shown is not None:
        command = getattr(getattr(error, "ctx", None), "command_path", "evenhand")
        note(f"evenhand: error: {line(shown())}; see `{command} --help`")
        return USAGE
    from store.errors import ApplicationError

    if isinstance(error, ApplicationError):
        note(f"evenhand: error: {line(str(error))}")
        return int(code)
    if isinstance(error, OSError) and error.errno == 28:  # ENOSPC
        note("evenhand: error: the disk is full; free some space and run again, what was finished is kept")
        return FAILED
    note(
        f"evenhand: error: unexpected {type(error).__name__}: {line(str(error), limit=300)}; --debug shows where"
    )
    return FAILED


def run() -> None:
    """Entry point of the console command."""
    # Imports make many objects that stay: collecting among them is a fifth of the start of `ask`.
    gc.set_threshold(100_000, 50, 50)
    sys.exit(main())


__all__ = ["app", "main", "report", "run"]
