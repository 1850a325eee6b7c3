"""The first frame waits for Textual alone."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {
    "pydantic",
    "sqlalchemy",
    "numpy",
    "langgraph",
    "chromadb",
    "openai",
    "onnxruntime",
    "textual_plotext",
    "spacy",
}


def test_the_app_imports_nothing_but_textual() -> None:
    code = "import sys, app.cli.main, app.cli.chat, app.backstage, app.tui.app; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert not {name.split(".")[0] for name in done.stdout.split()} & HEAVY
