"""The two sets of FARO's tables: questions with two options, and one knowledge base for all of them.

``political``: the questions of ``kim_bias_qa`` (left claim -1, right claim +1) over the statements of ``twinviews13k``.
``gender``: the questions of ``kim_bias_qa`` (a man -1, a woman +1) over all documents of that set.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.calibration import CalibrationQuestion
from agents.evaluation.embedding_cache import Embed
from agents.evaluation.report import Source, need, read_text
from agents.evaluation.wholes import source
from store.errors import UsageError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Candidates of a question, |Nq| in the paper.
CANDIDATES: Final = 20


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the option of each group."""

    text: str
    plus: str
    minus: str
    topic: str


@dataclass(frozen=True)
class KnowledgeBase:
    """A set: its questions, and the documents with the group (-1, +1) of each.

    Attributes
    ----------
    documents, groups
        Of equal length, the documents distinct.
    dropped
        Documents left out because they stand on both sides.
    read
        The data sets that it was made of, as far as they were read.
    """

    name: str
    questions: tuple[Question, ...]
    documents: tuple[str, ...]
    groups: Integers
    source: str
    dropped: int = 0
    read: tuple[Source, ...] = ()


@dataclass(frozen=True, eq=False)
class Retrieved:
    """The candidates of some questions, most relevant first.

    Attributes
    ----------
    index
        Shape (Q, N): documents of the knowledge base.
    relevance, groups
        Shape (Q, N): cosine with the question, and -1 or +1.
    """

    index: Integers
    relevance: Floats
    groups: Integers


def political(data: Path) -> KnowledgeBase:
    """Read the political set.

    Raises
    ------
    UsageError
        A file is missing or has other columns.
    """
    path = need(data, "kim_bias_qa", "PoliticBias-QA_*.csv")
    asked = _rows(path, ("topic", "question", "left_claim", "right_claim"))
    stated = _rows(need(data, "twinviews13k", "twinviews*.csv"), ("l", "r"))
    read = (
        source("twinviews13k", len(stated), "pairs of statements"),
        source("kim_bias_qa", len(asked), "political questions", path),
    )
    sides = [(row["r"], 1) for row in stated] + [(row["l"], -1) for row in stated]
    questions = [
        Question(row["question"], row["right_claim"], row["left_claim"], row["topic"]) for row in asked
    ]
    return _base("political", questions, sides, "statements of twinviews13k, questions of kim_bias_qa", read)


def gender(data: Path) -> KnowledgeBase:
    """Read the gender set.

    Raises
    ------
    UsageError
        The file is missing or has other columns.
    """
    columns = ("bias1-document1", "bias1-document2", "bias2-document1", "bias2-document2")
    path = need(data, "kim_bias_qa", "GenderBias-QA_*.csv")
    rows = _rows(path, ("topic", "question", *columns))
    sides = [(row[name], 1 if name.startswith("bias1") else -1) for row in rows for name in columns]
    questions = [Question(row["question"], "a woman", "a man", row["topic"]) for row in rows]
    read = (source("kim_bias_qa", len(rows), "gender questions with four documents each", path),)
    return _base("gender", questions, sides, "documents and questions of kim_bias_qa", read)


def retrieve(
    base: KnowledgeBase, questions: Sequence[Question], embed: Embed, count: int = CANDIDATES
) -> Retrieved:
    """Return the ``count`` documents nearest to each question; its own options are no candidates.

    Raises
    ------
    UsageError
        The knowledge base has fewer documents.
    """
    if len(base.documents) < count + 2:
        raise UsageError(
            f"the {base.name} set has {len(base.documents)} documents, {count} candidates a question are needed",
            "use the whole set",
        )
    documents = embed(base.documents).astype(np.float64)
    place = {text: i for i, text in enumerate(base.documents)}
    index = np.empty((len(questions), count), dtype=np.int64)
    relevance = np.empty((len(questions), count))
    for row, vector in enumerate(embed([question.text for question in questions]).astype(np.float64)):
        cosine = documents @ vector
        for option in (questions[row].plus, questions[row].minus):
            if option in place:
                cosine[place[option]] = -np.inf
        index[row] = np.argsort(-cosine, kind="stable")[:count]
        relevance[row] = cosine[index[row]]
    return Retrieved(index, relevance, base.groups[index])


def calibration_questions(
    base: KnowledgeBase, questions: Sequence[Question], k: int, embed: Embed
) -> list[CalibrationQuestion]:
    """Return these questions, each with the k nearest documents of either side, as the calibration asks them."""
    documents = embed(base.documents).astype(np.float64)
    sides = [np.flatnonzero(base.groups == group) for group in (1, -1)]
    found = []
    for question, vector in zip(questions, embed([q.text for q in questions]), strict=True):
        cosine = documents @ vector.astype(np.float64)
        options = {question.plus, question.minus}
        rows: list[int] = []
        for side in sides:
            order = side[np.argsort(-cosine[side], kind="stable")]
            rows += [int(i) for i in order[: k + 2] if base.documents[i] not in options][:k]
        found.append(
            CalibrationQuestion(
                text=question.text,
                plus=question.plus,
                minus=question.minus,
                documents=tuple(base.documents[i] for i in rows),
                groups=tuple(int(base.groups[i]) for i in rows),
                relevance=tuple(float(cosine[i]) for i in rows),
            )
        )
    return found


def split(
    base: KnowledgeBase, asked: int, calibrating: int, seed: int
) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Return at most ``asked`` questions to measure on and at most ``calibrating`` others to fit the weights on.

    Where there are too few for both, a quarter of the set calibrates.

    Raises
    ------
    UsageError
        The set has fewer than four questions.
    """
    size = len(base.questions)
    if size < 4:
        raise UsageError(f"the {base.name} set has {size} questions", "four are the least")
    if asked + calibrating > size:
        calibrating = max(2, min(calibrating, size // 4))
        asked = min(asked, size - calibrating)
    order = np.random.default_rng(seed).permutation(size)
    chosen = [base.questions[i] for i in order[: asked + calibrating]]
    return tuple(chosen[:asked]), tuple(chosen[asked:])


def _base(
    name: str,
    questions: Sequence[Question],
    sides: Sequence[tuple[str, int]],
    made_of: str,
    read: tuple[Source, ...],
) -> KnowledgeBase:
    groups: dict[str, int] = {}
    for text, group in sides:
        if text:
            groups[text] = group if groups.get(text, group) == group else 0
    kept = {text: group for text, group in groups.items() if group}
    whole = {
        question.text: question
        for question in questions
        if question.text and question.plus and question.minus
    }
    return KnowledgeBase(
        name,
        tuple(whole.values()),
        tuple(kept),
        np.asarray(list(kept.values()), dtype=np.int64),
        made_of + (", an extract of them" if any(each.extract for each in read) else ""),
        len(groups) - len(kept),
        read,
    )


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(read_text(path)))
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise UsageError(f"{path} has no column {', '.join(missing)}", "see the set's SOURCE.md")
    return [{name: (row[name] or "").strip() for name in columns} for row in reader]


__all__ = [
    "CANDIDATES",
    "KnowledgeBase",
    "Question",
    "Retrieved",
    "calibration_questions",
    "gender",
    "political",
    "retrieve",
    "split",
]
