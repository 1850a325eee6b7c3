"""The reports on extraction and routing, end to end on small open sets."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from agents.evaluation.labels import extraction_report, router_report, wilson
from agents.evaluation.report import EvaluationReport, Table, need, read_text
from store.errors import UsageError

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def extraction() -> EvaluationReport:
    return extraction_report(DATA, seed=3)


def rows(table: Table) -> dict[str, dict[str, object]]:
    return {str(row[0]): dict(zip(table.columns, row, strict=True)) for row in table.rows}


def titled(report: EvaluationReport, start: str) -> dict[str, dict[str, object]]:
    (found,) = [table for table in report.tables if table.title.startswith(start)]
    return rows(found)


@pytest.mark.slow
def test_extraction_has_every_table_with_its_baselines(extraction: EvaluationReport) -> None:
    orientation = titled(extraction, "orientation")
    assert {"majority", "vader", "lexicon", "head, product left out"} <= set(orientation)
    assert orientation["majority"]["negative"] == 0.0
    assert orientation["majority"]["positive"] == 1.0
    assert {"all", "vader"} <= set(titled(extraction, "finding opinion"))
    features = titled(extraction, "product features")
    assert set(features) == {"1_Canon_G3", "1_Nokia_6610", "macro"}
    targets = titled(extraction, "polarity of aspect terms")
    assert {"majority", "vader, clause", "head"} <= set(targets)
    assert targets["majority"]["neutral"] == 1.0
    aspects = titled(extraction, "aspects of lounges")
    assert aspects["majority"]["balanced accuracy"] == pytest.approx(0.5, abs=0.15)
    assert aspects["majority"]["pair order"] == aspects["whole review"]["pair order"] == 0.5
    by_aspect = titled(extraction, "the same by aspect")
    assert "vader, clause: staff" in by_aspect


@pytest.mark.slow
def test_every_table_of_a_report_says_what_it_stands_on(extraction: EvaluationReport) -> None:
    document = json.loads(json.dumps(extraction.document()))
    assert document["evaluation"] == "extraction"
    assert len(document["tables"]) == len(extraction.tables)
    for table in document["tables"]:
        assert table["seed"] == 3
        assert {"python", "evenhand", "numpy", "vaderSentiment"} <= set(table["versions"])
        assert [source["name"] for source in table["data"]] == [s.name for s in extraction.sources]
        assert table["deviations"] == list(extraction.deviations)
        assert table["rows"]
        assert all(set(row) == set(table["columns"]) for row in table["rows"])


@pytest.mark.parametrize("name", ["huliu_product_reviews", "mams_atsa", "skytrax"])
def test_a_missing_set_is_named_with_its_folder(tmp_path: Path, name: str) -> None:
    for other in DATA.iterdir():
        if other.is_dir() and other.name != name:
            (tmp_path / other.name).symlink_to(other)
    with pytest.raises(UsageError, match=f"`{name}` is not in {tmp_path}") as raised:
        extraction_report(tmp_path)
    assert raised.value.exit_code == 2


def write_questions(folder: Path) -> None:
    lines = [
        ("Is there a pool?", "factual", "one"),
        ("When does the bar open?", "factual", "one"),
        ("How is the breakfast?", "opinion", "one"),
        ("What do guests think about the staff?", "opinion", "two"),
        ("What is the capital of France?", "factual", "two"),
    ]
    (folder / "question_router").mkdir()
    (folder / "question_router" / "questions.jsonl").write_text(
        "".join(json.dumps({"question": q, "label": label, "source": s}) + "\n" for q, label, s in lines)
    )


def test_router_report(tmp_path: Path) -> None:
    write_questions(tmp_path)
    report = router_report(tmp_path, seed=1, per_family=6)
    kinds = titled(report, "built questions: which kind")
    assert float(str(kinds["router"]["accuracy"])) > 0.9 > float(str(kinds["majority (opinion)"]["accuracy"]))
    by_source = titled(report, "the file's own labels")
    assert by_source["two: router"]["right"] == by_source["two: router"]["questions"] == 2
    assert "one: bag of words, source left out" in by_source
    assert sum("only a part of those questions" in line for line in report.deviations) == 2
    assert any("xquad_en" in line for line in report.deviations)


def test_router_report_draws_by_its_seed(tmp_path: Path) -> None:
    write_questions(tmp_path)
    first, again = (router_report(tmp_path, seed=5, per_family=6) for _ in range(2))
    assert first.tables[1] == again.tables[1]


def test_wilson_by_hand() -> None:
    low, high = wilson(8, 10)
    assert (low, high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert wilson(3, 3)[1] == 1.0
    assert math.isnan(wilson(0, 0)[0])


def test_need_takes_packed_files_and_damaged_ones_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    packed = tmp_path / "a" / "b.csv.gz"
    packed.write_bytes(b"no gzip at all")
    assert need(tmp_path, "a", "b.csv") == packed
    with pytest.raises(UsageError, match=r"cannot read .*b\.csv\.gz"):
        read_text(packed)
