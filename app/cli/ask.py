"""``ask``: one question, one answer, one receipt line."""

from __future__ import annotations

import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import Shell, note, out_json, run_async, shell, write_output

if TYPE_CHECKING:
    from app.events import AnswerReady


def ask(
    context: typer.Context,
    question: Annotated[
        str | None, typer.Argument(help="The question; - or nothing reads it from stdin.")
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", help="Documents that the answer stands on.", min=1, max=200)
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="auto, exact, exact-w2, exact-weighted, balanced, faro, or a baseline (relevance, mmr, ...)."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="proportional, parity, stars, seven shares from -30 to +30 (1,1,2,2,4,5,3), or an output bias (Rb)."
        ),
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            "--batch", help="File of questions (one a line, or JSONL) under one constraint; JSONL out."
        ),
    ] = None,
    attribute: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With --batch: polarity (default) or an author attribute to hold at its target; repeatable.",
        ),
    ] = None,
    tau: Annotated[
        float | None,
        typer.Option(
            help="Tolerance of the predicted output bias; with --batch also of shares of groups.", min=0.0
        ),
    ] = None,
    soft: Annotated[
        float | None,
        typer.Option(
            metavar="LAMBDA",
            help="With --batch, instead of --tau: relevance minus LAMBDA times the squared distance of Rb.",
        ),
    ] = None,
    route: Annotated[
        str | None, typer.Option(help="factual, opinion, both or counting, instead of the router.")
    ] = None,
    balance: Annotated[
        str | None, typer.Option(help="Author attributes to balance, commas between; none for none.")
    ] = None,
    enhancement: Annotated[
        str | None,
        typer.Option(
            "--enhance",
            "--enhancement",
            help="none, rewrite, hyde, query2doc, multi-query or auto (as probed).",
        ),
    ] = None,
    both_sides: Annotated[
        bool, typer.Option("--both-sides", help="Keep both sides even where the question asks for one.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of the random methods.", min=0)] = None,
    thread: Annotated[
        str | None,
        typer.Option(help="Name of a conversation: a follow-up is understood from the turns before."),
    ] = None,
    receipt: Annotated[
        bool, typer.Option("--receipt", help="Show the whole audit receipt after the answer.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the answer to a file.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Answer, citations and receipt as JSON (answer/1).")
    ] = False,
) -> int:
    """Ask QUESTION of the corpus; the answer goes to stdout, its one-line receipt to stderr."""
    sh = shell(context)
    options: dict[str, Any] = {
        "k": k,
        "method": method,
        "route": _choice("route", route, ("factual", "opinion", "both", "counting")),
        "balance": balance,
        "enhancement": _choice(
            "enhancement", enhancement, ("none", "rewrite", "hyde", "query2doc", "multi-query", "auto")
        ),
        "seed": seed,
        "one_sided": False if both_sides else None,
    }
    chosen = {name: value for name, value in options.items() if value is not None}
    if batch is not None:
        _alone(question, method, balance)
        _either(tau, soft)
        from app.cli.batch import ask_batch, constraint

        return ask_batch(sh, batch, chosen, constraint(attribute, target, tau, soft), output)
    batch_only(attribute=attribute, soft=soft)
    if tau is not None:
        from app.cli.batch import check_tau

        check_tau(tau)
        chosen["tau"] = tau
    if target is not None:
        wanted = _target(target)
        chosen["bias_target" if isinstance(wanted, float) else "target"] = wanted
    question = _read(question)
    parts = sh.parts
    ready = run_async(answer(sh, question, chosen, not json and output is None, thread), parts)
    if json:
        out_json("answer/1", document(ready))
        return 0
    if output is not None:
        write_output(output, ready.text)
    if receipt:
        from app.cli.console import out, width
        from app.views.receipt_text import receipt_text

        out("\n" + receipt_text(ready.receipt, width=width(), ascii=sh.ascii))
    if not sh.quiet:
        from app.views.words import receipt_line, warning_lines

        for told in warning_lines(ready.receipt, ascii=sh.ascii):
            note(told)
        stored = all(mark.stage != "store" for mark in ready.receipt.degradations)
        gap = " - " if sh.ascii else " · "
        where = f"{gap}evenhand audit {ready.answer_id}" if stored else ""
        note(f"{receipt_line(ready.receipt, ascii=sh.ascii)}{where}")
    return 0


def document(ready: AnswerReady) -> dict[str, Any]:
    """Return an answer as a JSON document."""
    from app.views.receipt_json import receipt_document

    receipt = receipt_document(ready.receipt)
    return {
        "id": ready.answer_id,
        "answer": ready.text,
        "citations": receipt.get("citations", []),
        "receipt": receipt,
    }


async def answer(
    sh: Shell, question: str, options: dict[str, Any], stream: bool, thread: str | None = None
) -> AnswerReady:
    """Ask, showing the text as it is written where stdout is a terminal; returns the finished answer."""
    from app.events import AnswerReady, AnswerRevised, TokenReceived
    from app.views.safe import visible

    live = stream and sys.stdout.isatty()
    ready: AnswerReady | None = None
    async with aclosing(sh.service.ask(question, sh.corpus, thread=thread, options=options)) as events:
        async for event in events:
            if isinstance(event, TokenReceived) and live:
                sys.stdout.write(visible(event.text))
                sys.stdout.flush()
            elif isinstance(event, AnswerRevised) and live:
                sys.stdout.write(f"\n\n[written again: {event.reason}]\n\n")
            elif isinstance(event, AnswerReady):
                ready = event
    assert ready is not None, "the stream ends with the answer"
    if live:
        sys.stdout.write("\n")
    elif stream:
        # Piped output is the text as it is, but for control characters.
        sys.stdout.write(f"{visible(ready.text)}\n")
    return ready


def _alone(question: str | None, method: str | None, balance: str | None) -> None:
    from store.errors import UsageError

    if question is not None or method is not None:
        name, why = (
            ("question", "the file holds the questions")
            if question is not None
            else (
                "--method",
                "one constraint over all questions chooses: --tau or --soft, --attribute, --target",
            )
        )
        raise UsageError(f"--batch takes no {name}", why)
    if balance is not None:
        raise UsageError("--batch takes no --balance", "--attribute NAME holds author groups in place")


def _either(tau: float | None, soft: float | None) -> None:
    from store.errors import UsageError

    if tau is not None and soft is not None:
        raise UsageError("--tau and --soft exclude each other", "give a tolerance or a price, not both")


def batch_only(**options: Any) -> None:
    """Raise ``UsageError`` where an option of ``--batch`` is given without it."""
    from store.errors import UsageError

    given = [f"--{name}" for name, value in options.items() if value not in (None, [])]
    if given:
        raise UsageError(
            f"options that belong to --batch: {', '.join(given)}", "leave them out, or give it a file"
        )


def _read(question: str | None) -> str:
    from store.errors import UsageError

    if question is not None and question != "-":
        return question
    if sys.stdin.isatty():
        raise UsageError("ask needs a question", 'as in: evenhand ask "What do people think of the staff?"')
    return sys.stdin.read()


def _target(text: str | None) -> Any:
    from store.errors import UsageError

    if text is None or text in {"proportional", "parity", "stars"}:
        return text
    try:
        shares = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(
            f"--target is `{text}`", "use proportional, parity, stars, seven shares, or an output bias"
        ) from None
    if len(shares) == 1:
        if not -1 <= shares[0] <= 1:
            raise UsageError(
                f"--target is {shares[0]:g}", "an output bias lies from -1 to 1; shares are seven"
            )
        return shares[0]
    if len(shares) != 7:
        raise UsageError(f"--target has {len(shares)} shares", "give seven, from -30 to +30")
    return shares


def _choice(name: str, value: str | None, known: tuple[str, ...]) -> str | None:
    from store.errors import UsageError

    if value is not None and value not in known:
        raise UsageError(f"--{name} is `{value}`", f"use one of {', '.join(known)}")
    return value


__all__ = ["answer", "ask", "batch_only", "document"]
