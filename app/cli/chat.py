"""``chat``: the terminal app, or a line mode for pipes and screen readers."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from app.cli.console import Shell, shell


def chat(
    context: typer.Context,
    thread: Annotated[
        str, typer.Option(help="Conversation to resume: its id, the beginning of it, or last.")
    ] = "",
    plain: Annotated[
        bool, typer.Option("--plain", help="Line mode: for pipes, screen readers and dumb terminals.")
    ] = False,
    theme: Annotated[
        str, typer.Option(help="Theme: evenhand-dark, evenhand-light, or one of Textual's.")
    ] = "",
) -> int:
    """Ask, read, audit and explore in the terminal; everything by keyboard."""
    sh = shell(context)
    if plain:
        from app.cli.chat_plain import chat_plain

        return chat_plain(sh, thread)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        from store.errors import UsageError

        raise UsageError("chat needs a terminal", "use `evenhand chat --plain`, or `evenhand ask`")
    if not sys.stderr.isatty():
        from store.errors import UsageError

        # Textual draws there.
        raise UsageError("chat draws on the standard error, which is redirected", "leave it to the terminal")
    return _run(sh, thread, theme)


def _run(sh: Shell, thread: str, theme: str) -> int:
    if os.environ.get("SSH_CONNECTION"):
        # A slow line need not carry sixty frames a second.
        os.environ.setdefault("TEXTUAL_FPS", "15")
    from textual.theme import BUILTIN_THEMES

    from app.backstage import Backstage
    from app.tui.app import EvenhandApp
    from app.tui.paste import guard_pastes
    from app.tui.theme import DARK, LIGHT
    from store.errors import UsageError

    known = (DARK.name, LIGHT.name, *BUILTIN_THEMES)
    if theme and theme not in known:
        raise UsageError(f"there is no theme `{theme}`", f"use one of {', '.join(known)}")
    guard_pastes()
    backstage = Backstage(lambda: sh.parts)
    app = EvenhandApp(backstage, corpus=sh.corpus, thread=thread, ascii=sh.ascii, theme=theme)
    try:
        code = app.run()
    finally:
        backstage.close()
    return int(app.return_code or 0) if code is None else code


__all__ = ["chat"]
