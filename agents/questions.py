"""Question sets for calibration: from JSONL, from two-sided CSV files, or built from a corpus and its polarity.

The format of a JSONL file, one question a line::

    {"question": "...", "plus": "option of group +1", "minus": "option of group -1",
     "plus_documents": ["best first", ...], "minus_documents": ["best first", ...], "cluster": "optional"}

At least k documents of each side serve every setting of a design exactly. Questions that share a ``cluster`` are not
independent of each other; errors are clustered by it.

Two-sided CSV files are known by their columns: ``question, left_claim, right_claim`` (political, right is +1),
``l, r, topic`` (TwinViews, r is +1), ``question, bias1-document1, ..., bias2-document2`` (gender, +1 female). There a
question's documents are its own and, up to the number wanted, those of the other questions nearest to it: the
knowledge base is the file, as in the paper. A statement that is itself an option is not shown, or copying would be
measured.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.calibration import CalibrationQuestion
from store.errors import UsageError

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: Statements of each side that a question's documents are drawn from, at the most.
POOL: Final = 200
#: Longest line and most questions read from a file.
_LONGEST_LINE, _MOST = 1_000_000, 100_000


@dataclass(frozen=True, slots=True)
class TwoSided:
    """One row of a file: a question, its options, and its own documents of both sides."""

    text: str
    plus: str
    minus: str
    plus_documents: tuple[str, ...]
    minus_documents: tuple[str, ...]
    cluster: str = ""
    #: Whether documents of other rows may be shown with it.
    shared: bool = False


def read_questions(
    path: Path, k: int, embed: Embed, *, limit: int | None = None, seed: int = 0
) -> list[CalibrationQuestion]:
    """Read a question set.

    Parameters
    ----------
    k
        Documents of each side that a question needs.
    embed
        Texts to unit vectors: relevance is the cosine of question and document.
    limit
        Most questions to return, drawn at random (seeded); None for all.

    Raises
    ------
    UsageError
        Unreadable file, unknown columns, or a line that does not fit: names it.
    """
    rows = _read(path)
    if not rows:
        raise UsageError(f"{path} holds no question", "see the README for the format")
    order = np.random.default_rng(seed).permutation(len(rows))
    chosen = [rows[i] for i in order[: limit or len(rows)]]
    pools = _Pools(rows, order, embed) if chosen[0].shared else None
    questions = []
    vectors = embed([row.text for row in chosen])
    for row, vector in zip(chosen, vectors, strict=True):
        plus, minus = list(row.plus_documents), list(row.minus_documents)
        if pools is not None:
            plus, minus = pools.fill(row, vector, k)
        if min(len(plus), len(minus)) < k:
            if pools is None:
                continue
            raise UsageError(
                f"{path} has fewer than {k} documents of a side for a question", "use a smaller --k"
            )
        questions.append(_question(row, vector, plus, minus, embed))
    if len(questions) < 2:
        raise UsageError(
            f"{path} has fewer than two questions with {k} documents of each side",
            "give more documents, or a smaller --k",
        )
    return questions


def _question(
    row: TwoSided, vector: NDArray[np.float32], plus: Sequence[str], minus: Sequence[str], embed: Embed
) -> CalibrationQuestion:
    documents = (*plus, *minus)
    relevance = embed(documents) @ vector
    return CalibrationQuestion(
        text=row.text,
        plus=row.plus,
        minus=row.minus,
        documents=documents,
        groups=(1,) * len(plus) + (-1,) * len(minus),
        relevance=tuple(float(value) for value in relevance),
        cluster=row.cluster,
    )


class _Pools:
    """The statements of each side of a file, with their vectors."""

    def __init__(self, rows: Sequence[TwoSided], order: NDArray[np.int64], embed: Embed) -> None:
        self._texts: tuple[list[str], list[str]] = ([], [])
        for index in order[:POOL]:
            self._texts[0].extend(rows[index].plus_documents)
            self._texts[1].extend(rows[index].minus_documents)
        self._texts = tuple(list(dict.fromkeys(texts))[:POOL] for texts in self._texts)  # type: ignore[assignment]
        self._vectors = [embed(texts) for texts in self._texts]

    def fill(self, row: TwoSided, vector: NDArray[np.float32], k: int) -> tuple[list[str], list[str]]:
        """Return at least k documents of each side, the row's own first, then the nearest."""
        filled = []
        for own, texts, vectors in zip(
            (row.plus_documents, row.minus_documents), self._texts, self._vectors, strict=True
        ):
            taken = [text for text in own if text not in (row.plus, row.minus)]
            seen = {row.plus, row.minus, *taken}
            for index in np.argsort(-(vectors @ vector), kind="stable"):
                if len(taken) >= k:
                    break
                if texts[index] not in seen:
                    taken.append(texts[index])
                    seen.add(texts[index])
            filled.append(taken)
        return filled[0], filled[1]


def _read(path: Path) -> list[TwoSided]:
    name = path.name.removesuffix(".gz")
    try:
        with (gzip.open if path.suffix == ".gz" else open)(
            path, "rt", encoding="utf-8-sig", newline=""
        ) as file:
            if name.endswith((".jsonl", ".ndjson", ".json")):
                return [_from_json(path, number, text) for number, text in enumerate(file, 1) if text.strip()]
            return _from_csv(path, file)
    except OSError as error:
        raise UsageError(f"cannot read {path} ({error.strerror or error})") from None
    except (EOFError, zlib.error):
        raise UsageError(f"{path} is a damaged or unfinished gzip file", "write or fetch it again") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", "convert it first") from None
    except csv.Error as error:
        raise UsageError(f"{path} is no CSV that can be read ({error})") from None


def _from_json(path: Path, number: int, text: str) -> TwoSided:
    hint = "a line holds question, plus, minus, plus_documents, minus_documents"
    where = f"line {number} of {path}"
    try:
        row = json.loads(text[:_LONGEST_LINE])
    except (ValueError, RecursionError):
        raise UsageError(f"{where} is no JSON object", hint) from None
    if not isinstance(row, dict):
        raise UsageError(f"{where} is no JSON object", hint)
    for name in ("question", "plus", "minus"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise UsageError(f"{where} has no text `{name}`", hint)
    for name in ("plus_documents", "minus_documents"):
        found = row.get(name)
        if not isinstance(found, list) or not all(isinstance(each, str) and each.strip() for each in found):
            raise UsageError(f"{where}: `{name}` is no list of texts", hint)
    if any("\ud800" <= char <= "\udfff" for char in json.dumps(row, ensure_ascii=False)):
        raise UsageError(f"{where} is no valid UTF-8 text", "write it again as UTF-8")
    if row["plus"].strip().casefold() == row["minus"].strip().casefold():
        raise UsageError(f"{where}: `plus` and `minus` are the same", "give an option to each group")
    if both := set(row["plus_documents"]) & set(row["minus_documents"]):
        first = min(both)[:60]
        raise UsageError(f"{where}: a document is of both groups ({first!r})", "give it to one of them")
    return TwoSided(
        row["question"],
        row["plus"],
        row["minus"],
        tuple(dict.fromkeys(row["plus_documents"])),
        tuple(dict.fromkeys(row["minus_documents"])),
        str(row.get("cluster", "")),
    )


def _from_csv(path: Path, file: Any) -> list[TwoSided]:
    reader = csv.DictReader(file)
    columns = {name or "" for name in reader.fieldnames or ()}
    make = next((make for needed, make in _SHAPES if needed <= columns), None)
    if make is None:
        known = "; ".join(", ".join(sorted(needed)) for needed, _ in _SHAPES)
        raise UsageError(f"{path} has the columns {', '.join(sorted(columns))}", f"known are: {known}")
    return [made for row, _ in zip(reader, range(_MOST), strict=False) if (made := make(row)) is not None]


def _political(row: dict[str, str]) -> TwoSided | None:
    question, left, right = (_cell(row, n) for n in ("question", "left_claim", "right_claim"))
    if not (question and left and right):
        return None
    return TwoSided(question, right, left, (right,), (left,), _cell(row, "topic"), shared=True)


def _twin_views(row: dict[str, str]) -> TwoSided | None:
    topic, left, right = (_cell(row, n) for n in ("topic", "l", "r"))
    if not (topic and left and right):
        return None
    return TwoSided(f"What is right about {topic}?", right, left, (right,), (left,), topic, shared=True)


def _gender(row: dict[str, str]) -> TwoSided | None:
    question = _cell(row, "question")
    female = tuple(text for n in (1, 2) if (text := _cell(row, f"bias1-document{n}")))
    male = tuple(text for n in (1, 2) if (text := _cell(row, f"bias2-document{n}")))
    if not (question and female and male):
        return None
    return TwoSided(question, "a woman", "a man", female, male, _cell(row, "topic"), shared=True)


def _cell(row: dict[str, str], name: str) -> str:
    return (row.get(name) or "").strip()


_SHAPES: Final[tuple[tuple[frozenset[str], Callable[[dict[str, str]], TwoSided | None]], ...]] = (
    (frozenset({"question", "left_claim", "right_claim"}), _political),
    (frozenset({"l", "r", "topic"}), _twin_views),
    (frozenset({"question", "bias1-document1", "bias2-document1"}), _gender),
)

__all__ = ["POOL", "TwoSided", "read_questions"]
