"""Copying: the terminal's clipboard (OSC 52, which never says if it failed) and, where there is one, a native tool."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

_TOOLS: Final = (
    ("wl-copy",),
    ("xclip", "-selection", "clipboard", "-in"),
    ("pbcopy",),
    ("clip.exe",),
)


def native_copy(text: str) -> str:
    """Give the text to the first native clipboard tool that takes it; returns its name, empty without one.

    Blocks for at most two seconds a tool: call it in a thread.
    """
    for command in _TOOLS:
        if shutil.which(command[0]) is None:
            continue
        try:
            subprocess.run(  # noqa: S603 - a fixed command; the text goes to its stdin
                command,
                input=text.encode(),
                timeout=2,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, subprocess.SubprocessError):
            # No display, no compositor: the next one may do.
            continue
        return command[0]
    return ""


__all__ = ["native_copy"]
