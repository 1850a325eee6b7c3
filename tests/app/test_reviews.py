"""Checking labels by hand on a real corpus, and what it changes in answers and receipts."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from store.receipt import AuditReceipt
from tests.app.conftest import Run

FOOD = "What do travellers think of the food?"
Review = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(run: Run, library: Path, monkeypatch: pytest.MonkeyPatch) -> Review:
    """Run ``enrich --review`` with these lines on stdin."""

    def call(n: int, *lines: str, options: tuple[str, ...] = ()) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        ran = run("enrich", "--review", str(n), *options, workspace=library)
        return ran.code, ran.out, ran.err

    return call


def stored(library: Path) -> list[tuple[Any, ...]]:
    engine = create_engine(f"sqlite:///{library / 'evenhand.db'}")
    with engine.connect() as connection:
        rows = connection.execute(
            text(
                "SELECT document_id, entity_id, predicted, verdict, about_entity FROM label_reviews ORDER BY id"
            )
        ).all()
    engine.dispose()
    return [tuple(row) for row in rows]


def fill(path: Path, verdict: Callable[[dict[str, str]], str]) -> None:
    """Fill in a review file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows([{**row, "verdict": verdict(row)} for row in rows])


@pytest.fixture
def reviewed(run: Run, library: Path, tmp_path: Path) -> Path:
    """The library with 150 reviews by somebody who finds every label as it is, but every fifth one negative."""
    path = tmp_path / "review.csv"
    assert run("enrich", "--review", "150", "--review-file", path, workspace=library).code == 0
    engine = create_engine(f"sqlite:///{library / 'evenhand.db'}")
    with engine.connect() as connection:
        scores = {
            (str(document), key): score
            for document, key, score in connection.execute(
                text(
                    "SELECT s.document_id, e.key, s.score FROM stances s JOIN entities e ON e.id = s.entity_id"
                )
            )
        }
    engine.dispose()
    numbers = iter(range(150))

    def verdict(row: dict[str, str]) -> str:
        score = scores[row["document_id"], row["entity_key"]]
        return "n" if next(numbers) % 5 == 0 else "p" if score > 0 else "n" if score < 0 else "0"

    fill(path, verdict)
    ran = run("enrich", "--review-import", path, "--json", workspace=library)
    assert json.loads(ran.out) == {"schema": "label-review-import/1", "stored": 150, "known": 0, "gone": 0}
    return library


def asked(run: Run, library: Path, question: str, *options: str) -> AuditReceipt:
    ran = run("ask", question, "--json", *options, workspace=library)
    assert ran.code == 0, ran.err
    receipt = dict(json.loads(ran.out)["receipt"])
    receipt.pop("schema", None)
    return AuditReceipt.model_validate(receipt)


def test_verdicts_are_asked_for_and_kept(typed: Review, library: Path) -> None:
    code, out, err = typed(6, "p", "N", "what?", "0", "x", "s", "q")
    assert code == 0
    assert out.startswith("4 verdicts stored (")
    assert "1 skipped, 1 left" in out
    assert "too few reviews to correct anything (4 of 30 labels)" in out
    assert [row[3:] for row in stored(library)] == [(1, 1), (-1, 1), (0, 1), (None, 0)]
    assert "type p, n, 0, x, s or q" in err
    shown = err.split("\n\n")
    assert len(re.findall(r"\d of 6: ", err)) == 6
    assert all("»" in part and "«" in part for part in shown[1:])
    # The label is told only after the verdict.
    for before, after in zip(err.split("[q]uit: ")[:4], err.split("[q]uit: ")[1:5], strict=True):
        assert not re.search(r"labelled", before.rsplit("of 6: ", 1)[-1])
        assert "stored; labelled" in after or "type p" in after


def test_the_end_of_the_input_ends_the_review(typed: Review, library: Path) -> None:
    code, out, _ = typed(5, "p", options=("--json",))
    assert code == 0
    counts = json.loads(out)
    assert counts["schema"] == "label-review/1"
    assert (counts["drawn"], counts["stored"], counts["left"]) == (5, 1, 4)
    assert len(stored(library)) == 1


def test_nothing_is_reviewed_twice(typed: Review, library: Path) -> None:
    for _ in range(4):
        assert typed(12, *["p"] * 12)[0] == 0
    pairs = [row[:2] for row in stored(library)]
    assert len(pairs) == len(set(pairs)) == 48


def test_a_file_is_written_filled_in_and_read(run: Run, library: Path, tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    assert run("enrich", "--review", "5", "--review-file", path, workspace=library).code == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5
    assert list(rows[0]) == ["document_id", "entity_key", "document", "entity", "text", "verdict"]
    assert all("»" in row["text"] and not row["verdict"] for row in rows)
    assert run("enrich", "--review", "5", "--review-file", path, workspace=library).code == 2
    verdicts = iter(["Positive", "", "x", "mixed", "skip"])
    fill(path, lambda _: next(verdicts))
    # As a spreadsheet may write it.
    path.write_text("\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8")
    ran = run("enrich", "--review-import", path, workspace=library)
    assert ran.out.startswith("3 verdicts stored, 0 reviewed before")
    assert [row[3:] for row in stored(library)] == [(1, 1), (None, 0), (0, 1)]
    assert (
        "0 verdicts stored, 3 reviewed before"
        in run("enrich", "--review-import", path, workspace=library).out
    )
    lines = path.with_suffix(".jsonl")
    assert run("enrich", "--review", "2", "--review-file", lines, workspace=library).code == 0
    first = json.loads(lines.read_text(encoding="utf-8").splitlines()[0])
    gone = {**first, "document_id": 999_999, "verdict": "n"}
    lines.write_text(f"{json.dumps({**first, 'verdict': 0})}\n\n{json.dumps(gone)}\n", encoding="utf-8")
    ran = run("enrich", "--review-import", lines, "--json", workspace=library)
    assert ran.code == 4
    assert json.loads(ran.out) == {"schema": "label-review-import/1", "stored": 1, "known": 0, "gone": 1}


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        ("a.csv", "document_id,entity_key,verdict\n1,food,p\n2,food,great\n", "line 3"),
        ("a.csv", "document_id;entity_key;verdict\n1;food;p\nx;food;p\n", "line 3"),
        ("a.csv", "id,verdict\n1,p\n", "lacks `document_id`"),
        ("a.csv", "", "lacks `document_id`"),
        ("a.jsonl", '{"document_id": 1, "entity_key": "food", "verdict": "p"}\n[1]\n', "line 2"),
        ("a.jsonl", '{"document_id": 1, "entity_key": 7, "verdict": "p"}\n', "line 1"),
        ("a.csv", f"document_id,entity_key,verdict\n{'9' * 30},food,p\n", "line 2"),
    ],
)
def test_a_wrong_file_is_refused_whole(
    run: Run, library: Path, tmp_path: Path, name: str, content: str, wrong: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    ran = run("enrich", "--review-import", path, workspace=library)
    assert ran.code == 2
    assert wrong in ran.err
    assert "Traceback" not in ran.err
    assert stored(library) == []


def test_wrong_use_is_told(run: Run, library: Path, tmp_path: Path) -> None:
    assert run("enrich", "--review", "0", workspace=library).code == 2
    assert run("enrich", "--review", "5001", workspace=library).code == 2
    assert run("enrich", "--review-file", tmp_path / "a.xlsx", workspace=library).code == 2
    assert run("enrich", "--review-import", tmp_path / "none.csv", workspace=library).code == 2


def test_quality_is_printed_and_machine_readable(run: Run, reviewed: Path) -> None:
    ran = run("enrich", "--quality", workspace=reviewed)
    assert ran.code == 0
    assert re.search(r"accuracy \.\d\d \[\.\d\d, \.\d\d\] on 150 reviewed labels", ran.out)
    document = json.loads(run("enrich", "--quality", "--json", workspace=reviewed).out)
    assert document["schema"] == "label-quality/1"
    assert document["n"] == 150
    assert document["enough"]
    rows = document["confusion"]
    assert sum(sum(row["reviews"].values()) for row in rows.values()) == 150
    assert rows["positive"]["reviews"]["negative"] > 0
    assert rows["negative"]["reviews"]["positive"] == 0
    accuracy = document["accuracy"]
    assert 0.7 < accuracy["low"] < accuracy["value"] < accuracy["high"] < 1
    assert document["recall"]["positive"]["value"] == 1
    assert document["corrected"]["negative"]["value"] > document["labelled"]["negative"]


def test_quality_without_reviews(run: Run, library: Path) -> None:
    ran = run("enrich", "--quality", workspace=library)
    assert ran.code == 0
    assert "no label was reviewed yet" in ran.out
    document = json.loads(run("enrich", "--quality", "--json", workspace=library).out)
    assert (document["n"], document["accuracy"], document["corrected"]) == (0, None, None)


def test_without_reviews_nothing_is_corrected(run: Run, library: Path) -> None:
    receipt = asked(run, library, FOOD)
    assert receipt.opinion is not None
    assert receipt.opinion.corrected_shares == ()
    assert receipt.opinion.label_quality == ""
    assert receipt.selection is not None
    assert "labels not reviewed (rank correlation taken as 0.60)" in receipt.selection.reason
    assert "Corrected" not in receipt.answer


def test_few_reviews_are_told_and_correct_nothing(run: Run, library: Path, typed: Review) -> None:
    typed(5, *["p"] * 5)
    receipt = asked(run, library, FOOD)
    assert receipt.opinion is not None
    assert receipt.opinion.corrected_shares == ()
    assert receipt.opinion.label_quality.startswith("too few reviews")


def test_with_reviews_receipt_and_answer_are_corrected(run: Run, reviewed: Path) -> None:
    receipt = asked(run, reviewed, FOOD)
    opinion = receipt.opinion
    assert opinion is not None
    assert opinion.label_quality.startswith("accuracy .")
    assert receipt.selection is not None
    assert "labels whose rank correlation with the reviews is" in receipt.selection.reason
    assert len(opinion.corrected_shares) == 7
    assert sum(each.value for each in opinion.corrected_shares) == pytest.approx(1)
    labelled = sum(opinion.population.shares[:3])
    negative = opinion.corrected_shares[:3]
    assert sum(each.value for each in negative) > labelled + 0.05
    low, high = (round(100 * sum(getattr(e, side) or 0.0 for e in negative)) for side in ("low", "high"))
    lead = receipt.answer.splitlines()[0]
    assert "Corrected for labelling errors: " in lead
    assert f"{low}-{high} % negative." in lead
    # The corrected shares are no finding against the counted ones.
    assert receipt.verification.findings == ()
    for form in ("text", "markdown", "html"):
        shown = run("audit", "--format", form, workspace=reviewed)
        assert shown.code == 0
        words = " ".join(re.sub(r"[\\*]", "", shown.out).split())
        assert "accuracy ." in words
        assert "shares corrected for label errors: positive" in words
        assert "150 reviewed labels" in words
        assert "each sign's share spread over its bins" in words.replace("&#x27;", "'")


def test_one_side_is_corrected_over_both(run: Run, reviewed: Path) -> None:
    whole = asked(run, reviewed, FOOD).opinion
    side = asked(run, reviewed, "What are the biggest complaints about the food?").opinion
    assert whole is not None
    assert side is not None
    assert side.corrected_shares == whole.corrected_shares


def test_counts_of_a_side_are_corrected(run: Run, reviewed: Path) -> None:
    receipt = asked(run, reviewed, "How many reviewers complain about the food?", "--route", "counting")
    (counted,) = receipt.counts
    assert counted.low is not None
    assert counted.high is not None
    assert 0 <= counted.low < counted.high <= 1
    assert counted.high > counted.share
    assert (
        f"Corrected for labelling errors: {100 * counted.low:.0f}-{100 * counted.high:.0f} %"
        in receipt.answer
    )
    everyone = asked(run, reviewed, "How many reviewers mention the food?", "--route", "counting")
    assert everyone.counts[0].low is None


def test_doubtful_merges_are_listed_decided_and_kept(run: Run, library: Path, tmp_path: Path) -> None:
    listed = json.loads(run("entities", "review", "--json", workspace=library).out)
    assert listed["schema"] == "entities-review/1"
    pairs = [(pair["left"], pair["right"]) for pair in listed["doubtful"]]
    assert len(pairs) >= 2
    (left, right), (first, second) = pairs[:2]
    assert all(key in run("entities", "review", workspace=library).out for key in (left, right))
    path = tmp_path / "merges.txt"
    assert run("entities", "review", "--output", path, workspace=library).code == 0
    text = path.read_text(encoding="utf-8")
    text = text.replace(f"? | {left} | {right}", f"merge | {left} | {right}")
    path.write_text(text.replace(f"? | {first} | {second}", f"keep | {first} | {second}"), encoding="utf-8")
    ran = run("entities", "review", "--apply", path, workspace=library)
    assert ran.code == 0
    assert f"merge {right} -> {left}" in ran.out
    assert f"keep {first} and {second}" in ran.out
    entities = json.loads(run("entities", "list", "--json", workspace=library).out)["entities"]
    assert right not in {entity["key"] for entity in entities}
    left_over = json.loads(run("entities", "review", "--json", workspace=library).out)["doubtful"]
    assert [(pair["left"], pair["right"]) for pair in left_over] == pairs[2:]
    again = run("entities", "review", "--apply", path, workspace=library)
    assert again.code == 0
    assert "merge" not in again.out
    path.write_text("perhaps | a | b\n", encoding="utf-8")
    assert run("entities", "review", "--apply", path, workspace=library).code == 2
