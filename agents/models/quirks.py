"""What a server cannot do, learnt once from its complaint and remembered.

OpenAI-compatible servers differ: some chat templates refuse a system role, some servers refuse ``json_schema``,
some models want ``max_completion_tokens`` or no temperature. A refused request is changed by one step and sent
again; the step is kept for this base URL and model, so the next request starts right.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

SchemaMode = Literal["json_schema", "json_object_schema", "json_object", "none"]

#: Days that what was learnt of a server is believed.
KEPT_DAYS: Final = 30
#: From the strictest to none. The second is llama-cpp-python's dialect.
SCHEMA_MODES: Final[tuple[SchemaMode, ...]] = ("json_schema", "json_object_schema", "json_object", "none")

_REFUSED: Final = (
    "unsupported",
    "not support",
    "unknown",
    "unrecognized",
    "unexpected",
    "not permitted",
    "extra",
    "not allowed",
    "invalid",
    "does not accept",
    "not implemented",
)


@dataclass(slots=True)
class Quirks:
    """What is known of one model on one server; the defaults are what OpenAI's API documents.

    ``context_tokens`` is None until the server has said it. ``reasoning`` is set once a reply came with reasoning
    apart from its content.
    """

    system_role: bool = True
    schema_mode: SchemaMode = "json_schema"
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    seed: bool = True
    logprobs: bool = True
    stream_usage: bool = True
    reasoning: bool = False
    context_tokens: int | None = None

    def reset(self) -> None:
        """Forget everything."""
        for field in fields(self):
            setattr(self, field.name, field.default)

    def learn(self, payload: Mapping[str, Any], message: str, param: str = "") -> str | None:
        """Take one step away from what the server complained of.

        Parameters
        ----------
        payload
            The request as sent: only what was in it can be at fault.
        message, param
            The server's words.

        Returns
        -------
        str or None
            What was learnt, for the log, or None when the complaint is about something else. Every step is
            taken at most once, so asking again ends.
        """
        text = f"{message} {param}".lower()
        refused = any(word in text for word in _REFUSED)
        if "response_format" in payload and _mentions(
            text,
            "response_format",
            "json_schema",
            "json_object",
            "grammar",
            "schema",
            "guided",
            "structured",
            "strict",
        ):
            position = SCHEMA_MODES.index(self.schema_mode)
            if position + 1 < len(SCHEMA_MODES):
                self.schema_mode = SCHEMA_MODES[position + 1]
                return f"structured output by {self.schema_mode}"
        if self._no_system_role(payload, text):
            self.system_role = False
            return "no system role"
        if self.max_tokens_name in payload and self.max_tokens_name in text and refused:
            # Only from the old name to the new one: back and forth would never end.
            if self.max_tokens_name == "max_tokens":
                self.max_tokens_name = "max_completion_tokens"
                return "max_completion_tokens"
            return None
        for name, attribute in (
            ("stream_options", "stream_usage"),
            ("logprobs", "logprobs"),
            ("temperature", "temperature"),
            ("seed", "seed"),
        ):
            if name in payload and name in text and refused and getattr(self, attribute):
                setattr(self, attribute, False)
                return f"no {name}"
        return None

    def _no_system_role(self, payload: Mapping[str, Any], text: str) -> bool:
        if not self.system_role or not any(m["role"] == "system" for m in payload.get("messages", ())):
            return False
        return ("system" in text and _mentions(text, "role", "system message")) or _mentions(
            text, "roles must alternate", "only user and assistant roles"
        )


class QuirkBook:
    """Quirks by base URL and model.

    Parameters
    ----------
    path
        File that they are kept in between processes; None keeps them for this one. A file that is damaged or cannot
        be written costs a few refused requests, never an error.
    today
        Servers are upgraded: what was learnt ``KEPT_DAYS`` ago is learnt again.
    """

    def __init__(self, path: Path | None = None, *, today: Callable[[], date] = date.today) -> None:
        self._known: dict[tuple[str, str], Quirks] = {}
        self._path, self._today = path, today
        self._since: dict[tuple[str, str], date] = {}
        if path is not None:
            self._load(path)
        self._saved = self.dump()

    def of(self, base_url: str, model: str) -> Quirks:
        """Return the (shared, mutable) entry of a model."""
        return self._known.setdefault((base_url, model), Quirks())

    def save(self) -> None:
        """Write what was learnt since the last time, whole or not at all."""
        rows = self.dump()
        if self._path is None or rows == self._saved:
            return
        plain = asdict(Quirks())
        kept = []
        for row in rows:
            if any(row[name] != value for name, value in plain.items()):
                key = (row["base_url"], row["model"])
                kept.append({**row, "since": self._since.setdefault(key, self._today()).isoformat()})
        with contextlib.suppress(OSError):
            temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp")
            temporary.write_text(json.dumps(kept, indent=1), encoding="utf-8")
            temporary.replace(self._path)
        self._saved = rows

    def _load(self, path: Path) -> None:
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        for row in rows if isinstance(rows, list) else ():
            with contextlib.suppress(KeyError, TypeError, ValueError):
                since = date.fromisoformat(row["since"])
                if (self._today() - since).days < KEPT_DAYS:
                    self.restore([row])
                    self._since[row["base_url"], row["model"]] = since

    def dump(self) -> list[dict[str, Any]]:
        """Return JSON-ready rows; no keys are in them."""
        return [
            {"base_url": base_url, "model": model, **asdict(quirks)}
            for (base_url, model), quirks in sorted(self._known.items(), key=lambda item: item[0])
        ]

    def restore(self, rows: list[dict[str, Any]]) -> None:
        """Take over rows of :meth:`dump`; what this version does not know is ignored."""
        names = {field.name for field in fields(Quirks)}
        for row in rows:
            if isinstance(row.get("base_url"), str) and isinstance(row.get("model"), str):
                values = {name: value for name, value in row.items() if name in names}
                if values.get("schema_mode", "json_schema") in SCHEMA_MODES:
                    self._known[row["base_url"], row["model"]] = Quirks(**values)


def _mentions(text: str, *words: str) -> bool:
    return any(word in text for word in words)


__all__ = ["KEPT_DAYS", "SCHEMA_MODES", "QuirkBook", "Quirks", "SchemaMode"]
