"""Prompts as versioned files: ``<stage>.v<N>.md``, Markdown with ``$variables``.

A file declares its variables in the first line, then has the sections ``<!-- system -->`` (may be absent) and
``<!-- user -->``. A version that has been used is never edited: add the next one. The hash of the file goes
into receipts, caches and calibrations, so that an answer says which words produced it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final

_FILE_NAME: Final = re.compile(r"(?P<stage>[a-z0-9_]+)\.v(?P<version>[1-9][0-9]*)\.md")
_DECLARATION: Final = re.compile(r"<!-- variables:(?P<names>[a-z0-9_, ]*)-->")
_SYSTEM: Final = "<!-- system -->"
_USER: Final = "<!-- user -->"


class PromptError(ValueError):
    """A prompt file is missing or malformed, or it was given the wrong variables."""


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt with its values: what is sent, and which version it came from."""

    name: str
    sha256: str
    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Prompt:
    r"""One version of one prompt.

    Attributes
    ----------
    stage, version
        ``hyde`` and ``1`` for ``hyde.v1.md``.
    sha256
        Hex digest of the file's text, line ends normalised to ``\n``.
    variables
        The names that :meth:`render` wants, no more and no fewer.
    """

    stage: str
    version: int
    sha256: str
    variables: frozenset[str]
    system: str
    user: str

    @property
    def name(self) -> str:
        """``<stage>.v<version>``, as it stands in receipts."""
        return f"{self.stage}.v{self.version}"

    def render(self, **values: str) -> RenderedPrompt:
        """Fill in the variables; a ``$`` inside a value stays as it is.

        Raises
        ------
        PromptError
            When a declared variable is missing or an undeclared one is given.
        """
        missing = sorted(self.variables - values.keys())
        unknown = sorted(values.keys() - self.variables)
        if missing or unknown:
            parts = [f"missing {', '.join(missing)}"] if missing else []
            parts += [f"unknown {', '.join(unknown)}"] if unknown else []
            raise PromptError(f"prompt {self.name}: variables {' and '.join(parts)}")
        return RenderedPrompt(
            self.name,
            self.sha256,
            Template(self.system).substitute(values),
            Template(self.user).substitute(values),
        )


@cache
def load(stage: str, version: int = 1) -> Prompt:
    """Return one prompt version.

    Raises
    ------
    PromptError
        When there is no such file, or its declaration and its text disagree.
    """
    source = files("prompts").joinpath(f"{stage}.v{version}.md")
    if not source.is_file():
        known = ", ".join(f"{s}.v{v}" for s, v in available())
        raise PromptError(f"no prompt {stage}.v{version}; there are {known}")
    return parse(stage, version, source.read_text(encoding="utf-8"))


def parse(stage: str, version: int, text: str) -> Prompt:
    """Read a prompt from its text.

    Raises
    ------
    PromptError
        When the declaration is missing or is not exactly the variables in use, or there is no user section.
    """
    text = text.replace("\r\n", "\n")
    name = f"{stage}.v{version}"
    first, _, body = text.partition("\n")
    declaration = _DECLARATION.fullmatch(first.strip())
    if declaration is None:
        raise PromptError(f"prompt {name}: the first line must be <!-- variables: a, b -->")
    declared = frozenset(part.strip() for part in declaration["names"].split(",") if part.strip())
    before, marker, user = body.partition(_USER)
    if not marker or not user.strip():
        raise PromptError(f"prompt {name}: there is no section {_USER}")
    stray, marker, system = before.partition(_SYSTEM)
    if stray.strip():
        raise PromptError(f"prompt {name}: text outside the sections")
    used = _identifiers(name, system) | _identifiers(name, user)
    if used != declared:
        raise PromptError(
            f"prompt {name}: declares {sorted(declared)} but uses {sorted(used)}; "
            "the first line must list exactly the variables in use"
        )
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return Prompt(stage, version, digest, declared, system.strip(), user.strip())


def available() -> tuple[tuple[str, int], ...]:
    """Return every ``(stage, version)`` shipped, sorted."""
    matches = (_FILE_NAME.fullmatch(entry.name) for entry in files("prompts").iterdir())
    return tuple(sorted((match["stage"], int(match["version"])) for match in matches if match))


def _identifiers(name: str, text: str) -> frozenset[str]:
    template = Template(text)
    if not template.is_valid():
        raise PromptError(f"prompt {name}: a lone $; write $$ for a dollar sign")
    return frozenset(template.get_identifiers())


__all__ = ["Prompt", "PromptError", "RenderedPrompt", "available", "load", "parse"]
