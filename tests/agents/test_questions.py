from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.questions import read_questions
from store.errors import UsageError
from store.hashing import text_hash

ROW: dict[str, Any] = {
    "question": "How is it?",
    "plus": "good",
    "minus": "bad",
    "plus_documents": ["p1", "p2"],
    "minus_documents": ["m1", "m2"],
}


def embed(texts: Sequence[str]) -> np.ndarray:
    rows = np.array([[float(b) for b in bytes.fromhex(text_hash(t))[:8]] for t in texts])
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def written(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_jsonl(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", ROW, {**ROW, "question": "And that?", "cluster": "x"})
    first, second = sorted(read_questions(path, 2, embed), key=lambda q: q.text, reverse=True)
    assert (first.text, first.plus, first.minus) == ("How is it?", "good", "bad")
    assert (first.documents, first.groups) == (("p1", "p2", "m1", "m2"), (1, 1, -1, -1))
    assert np.allclose(first.relevance, embed(["p1", "p2", "m1", "m2"]) @ embed(["How is it?"])[0])
    assert (first.cluster, second.cluster) == ("", "x")


def test_questions_with_too_few_documents_are_left_out(tmp_path: Path) -> None:
    short = {**ROW, "minus_documents": ["m1"]}
    path = written(tmp_path / "q.jsonl", ROW, short, ROW)
    assert len(read_questions(path, 2, embed)) == 2
    with pytest.raises(UsageError, match="fewer than two questions with 3 documents"):
        read_questions(path, 3, embed)


def test_political_questions_take_the_nearest_claims_of_the_file(tmp_path: Path) -> None:
    path = Path(__file__).parent.parent / "data" / "kim_bias_qa_12.csv"
    found = read_questions(path, 4, embed)
    assert len(found) == 12
    assert len({q.cluster for q in found}) == 4
    for question in found:
        assert question.groups == (1,) * 4 + (-1,) * 4
        assert len(set(question.documents)) == 8
        assert question.plus not in question.documents, "an option that is shown would be copied"
        assert question.minus not in question.documents
    assert read_questions(path, 4, embed, limit=5) == read_questions(path, 4, embed, limit=5)
    assert len(read_questions(path, 4, embed, limit=5)) == 5
    with pytest.raises(UsageError, match="fewer than 12 documents"):
        read_questions(path, 12, embed)


def test_twin_views_and_gender(tmp_path: Path) -> None:
    twin = tmp_path / "twin.csv.gz"
    rows = "".join(f'"left {n}","right {n}","Topic {n % 2}"\n' for n in range(4))
    twin.write_bytes(gzip.compress(f'"l","r","topic"\n{rows}'.encode()))
    found = read_questions(twin, 2, embed)
    assert {q.text for q in found} == {"What is right about Topic 0?", "What is right about Topic 1?"}
    assert all(q.plus.startswith("right") and q.minus.startswith("left") for q in found)
    gender = tmp_path / "gender.csv"
    head = "question,bias1-document1,bias1-document2,bias2-document1,bias2-document2\n"
    gender.write_text(head + "Who sang?,she a,she b,he a,he b\nWho ran?,she c,she d,he c,he d\n")
    question = next(q for q in read_questions(gender, 3, embed) if q.text == "Who sang?")
    assert (question.plus, question.minus) == ("a woman", "a man")
    assert question.documents[:2] == ("she a", "she b")
    assert all(text.startswith("he") for text in question.documents[3:])


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.jsonl", "{", "line 1 of .* is no JSON object"),
        ("a.jsonl", "[]", "no JSON object"),
        ("a.jsonl", json.dumps({**ROW, "plus": " "}), "no text `plus`"),
        ("a.jsonl", json.dumps({**ROW, "minus_documents": "m"}), "no list of texts"),
        ("a.jsonl", json.dumps({**ROW, "plus": " Bad"}), "`plus` and `minus` are the same"),
        ("a.jsonl", json.dumps({**ROW, "plus_documents": ["p", "m1"]}), "a document is of both groups"),
        ("a.jsonl", json.dumps({**ROW, "question": "\ud800"}), "no valid UTF-8"),
        ("a.jsonl", '{"question": ' + "[" * 100_000, "no JSON object"),
        ("a.jsonl", "", "holds no question"),
        ("a.csv", "a,b\n1,2\n", "known are"),
        ("a.csv", "", "known are"),
    ],
)
def test_faults_are_named(tmp_path: Path, name: str, text: str, fault: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError, match=fault):
        read_questions(path, 2, embed)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_questions(tmp_path / "none.csv", 2, embed)
    path = tmp_path / "latin.csv"
    path.write_bytes(b"question,left_claim,right_claim\n\xe9,a,b\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_questions(path, 2, embed)
    whole = gzip.compress(json.dumps(ROW).encode() * 50)
    for bad in (whole[:-20], whole[:20] + b"xxxx" + whole[24:]):
        (tmp_path / "half.jsonl.gz").write_bytes(bad)
        with pytest.raises(UsageError, match="damaged or unfinished gzip"):
            read_questions(tmp_path / "half.jsonl.gz", 2, embed)
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(b"no gzip")
    with pytest.raises(UsageError, match="cannot read"):
        read_questions(broken, 2, embed)
