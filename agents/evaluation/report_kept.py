"""Results of an evaluation kept on disk as they come, so that an interrupted run continues where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Kept:
    """Values by key in one file of JSON lines; without a folder they are kept in memory only.

    A line that was cut by a kill is left out: its value is made again.

    Parameters
    ----------
    folder
        Where the file is; made when first written.
    name
        Stem of the file.
    """

    def __init__(self, folder: Path | None = None, name: str = "kept") -> None:
        self._path = None if folder is None else folder / f"{name}.jsonl"
        self._known: dict[str, Any] = {}
        if self._path is not None and self._path.exists():
            text = self._path.read_text("utf-8")
            if text and not text.endswith("\n"):
                # What follows must not join the line that was cut.
                with self._path.open("a", encoding="utf-8") as file:
                    file.write("\n")
            for line in text.splitlines():
                try:
                    row = json.loads(line)
                except json.JSONDecodeError:
                    continue
                self._known[row["key"]] = row["value"]

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __getitem__(self, key: str) -> Any:
        return self._known[key]

    def under(self, prefix: str) -> dict[str, Any]:
        """Return the values whose keys start so, by the rest of the key."""
        return {key[len(prefix) :]: value for key, value in self._known.items() if key.startswith(prefix)}

    def put(self, key: str, value: Any) -> None:
        """Keep a JSON-ready value."""
        self._known[key] = value
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "value": value}) + "\n")

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the value of ``key``, made and kept where there is none."""
        if key not in self._known:
            self.put(key, make())
        return self._known[key]


def key_of(*parts: Any) -> str:
    """Return a hash of what a value depends on: JSON-ready parts, or what ``str`` makes of them."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


__all__ = ["Kept", "key_of"]
