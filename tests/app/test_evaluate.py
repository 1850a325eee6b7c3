"""``evaluate``: each evaluation from the command line, on small open data, to a table, JSON or Markdown."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.evaluation.limits import Limits
from agents.evaluation.warp_data import task, warp_corpus
from agents.pools import covariates
from app.bootstrap import Parts
from app.settings import load_settings
from tests.app.conftest import Run

DATA = Path(__file__).parent.parent / "data"
FARO = ("evaluate", "faro", "--data", DATA, "--only", "political", "-k", "2", "--questions", "12")
WARP = ("evaluate", "warp", "-k", "5", "--mentions", "15", "--draws", "2")


def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    assert found["schema"] == "evaluation/1"
    for table in found["tables"]:
        assert {"title", "columns", "rows", "notes", "data", "seed", "versions", "deviations"} == set(table)
    return found


def titled(found: dict[str, Any], part: str) -> dict[str, dict[str, Any]]:
    (table,) = [table for table in found["tables"] if part in table["title"]]
    return {row[table["columns"][0]]: row for row in table["rows"]}


def test_faro_with_the_embedded_chooser(run: Run, tmp_path: Path) -> None:
    ran = run(*FARO, "--seed", "4", "--cache", tmp_path / "cache", "--json")
    assert ran.code == 0, ran.err
    found = document(ran.out)
    assert found["seed"] == 4
    methods = titled(found, "k = 2 (the paper's table 3)")
    assert list(methods) == [
        "vanilla",
        "FARO grid",
        "LP",
        "soft objective",
        "ours",
        "ours, error allowed for",
    ]
    assert methods["soft objective"]["state predicted"].startswith("lambda = ")
    assert found["deviations"][-1] == "run with -k 2 --questions 12 --only political"
    assert {row["name"]: row["whole"] for row in found["data"]}["twinviews13k"] == 13_855
    assert methods["vanilla"]["normalised relevance"] == 1.0
    assert any("no model is configured" in line for line in found["deviations"])
    assert list((tmp_path / "cache").glob("embeddings-*.npz")), "embeddings are kept"


def test_faro_as_text_and_markdown(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "faro.md"
    ran = run(*FARO, "--cache", tmp_path, "-o", target)
    assert ran.code == 0, ran.err
    assert ran.out == ""
    text = target.read_text()
    assert "## political bias, optimised, k = 2 (the paper's table 3)" in text
    assert "| method | Rb predicted |" in text
    sections = text.split("\n## ")[1:]
    assert all("- seed: 0" in part and "- versions: python" in part for part in sections)
    assert run(*FARO, "--cache", tmp_path, "-o", target).code == 2, "no file is overwritten unasked"
    shown = run(*FARO, "--cache", tmp_path)
    assert shown.code == 0
    assert "seed: 0" in shown.out
    assert "political: position weights fitted on other questions" in shown.out


def test_warp_on_a_corpus_of_the_workspace(run: Run, library: Path) -> None:
    ran = run(*WARP, "--json", workspace=library)
    assert ran.code == 0, ran.err
    found = document(ran.out)
    entities = titled(found, "entities")
    assert all(row["documents"] >= 15 and row["entropy"] >= 0.6 for row in entities.values())
    methods = titled(found, "WARP table 1, k = 5, one-side rule off")
    assert methods["exact"]["W1"] < methods["relevance"]["W1"]
    assert {row["candidates"] for row in methods.values()} == {
        "nearest",
        "entity",
        "entity-gated",
        "adaptive",
    }
    assert methods["exact"]["star W1"] is None, "this corpus has no ratings"
    assert any("no star W1" in line for line in found["deviations"])
    assert found["deviations"][-1] == "run with -k 5 --draws 2 --mentions 15"
    assert any("entities have at least 15 documents" in line for line in found["deviations"])
    assert found["data"][0]["whole"] is None, "a corpus of one's own is no extract of another"


def test_what_balanced_balances_comes_from_the_corpus_without_its_ratings(library: Path) -> None:
    settings, project = load_settings(None, {"workspace": str(library)})
    parts = Parts(settings, project)
    context = parts.context(parts.repository.corpus())
    read = warp_corpus(context, Limits(mentions=15))
    entity = read.entities[0]
    key = next(context.entity_ids()[each.key] for each in context.entities() if each.name == entity.name)
    stances = context.opinions.pool(context.corpus, [key], context.extractor)
    rated = replace(stances, ratings=np.arange(len(stances), dtype=float))
    assert entity.covariates is not None
    assert (entity.covariates == covariates(rated, ratings=False)).all()
    assert entity.covariates.shape[1] < covariates(rated).shape[1]
    asked = task(read, entity, 0, one_side=False)
    assert asked is not None
    assert (asked.pool.covariates[entity.rows] == entity.covariates).all()
    assert read.embedder == parts.embedder.fingerprint
    assert read.debated >= len(read.entities)
    parts.close()


@pytest.mark.slow
def test_warp_builds_the_hotel_corpus_once(run: Run, reviews: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "datafiniti_hotels"
    folder.mkdir(parents=True)
    with reviews.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:40]
    with (folder / "hotel_reviews.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "city", "rating", "text", "userProvince"])
        for number, row in enumerate(rows):
            text = row.get("text") or row["content"]
            writer.writerow([f"Hotel {number % 3}", "Town", number % 5 + 1, text, ("NY", "CA")[number % 2]])
        writer.writerow(["Hotel 0", "Town", "10", "a rating of another scale", "NY"])
    few = ("--mentions", "8")
    arguments = (*WARP, *few, "--data", tmp_path / "data", "--cache", tmp_path / "cache")
    ran = run(*arguments, "--json")
    assert ran.code == 0, ran.err
    found = document(ran.out)
    assert found["data"][0]["rows"] == len(rows), "the rating of another scale is left out"
    methods = titled(found, "WARP table 1, k = 5, one-side rule off")
    assert methods["exact"]["star W1"] is not None
    assert methods["exact"]["author gap"] is not None
    assert "building the corpus" in ran.err
    drawn = run(*arguments, "--reviews", "30", "--json")
    source = document(drawn.out)["data"][0]
    assert (source["rows"], source["whole"]) == (30, len(rows))
    text = run(*arguments, "--reviews", "30").out
    assert f"30 documents, labels by lexical, an extract of {len(rows)}" in " ".join(text.split())
    assert "building the corpus" not in run(*arguments).err


def test_router_from_the_command_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "question_router").mkdir()
    (tmp_path / "question_router" / "questions.jsonl").write_text(
        '{"question": "Is there a pool?", "label": "factual", "source": "own"}\n'
    )
    ran = run("evaluate", "router", "--data", tmp_path)
    assert ran.code == 0, ran.err
    assert "built questions: which kind" in ran.out
    assert "majority (opinion)" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("everything",), "there is no evaluation `everything`"),
        (("router",), "needs data sets"),
        (("faro", "--data", "nowhere"), "there is no folder nowhere"),
        (("extraction", "--data", "."), "`huliu_product_reviews` is not in ."),
        (("faro", "--data", "."), "`kim_bias_qa` is not in ."),
        (("warp", "--data", "."), "`datafiniti_hotels` is not in ."),
        (("faro", "--data", ".", "--only", "age"), "use political or gender"),
        (("faro", "--data", ".", "-k", "11"), "20 candidates"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(run: Run, arguments: tuple[str, ...], words: str) -> None:
    ran = run("evaluate", *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert ran.out == ""


def test_warp_needs_opinions(run: Run, library: Path) -> None:
    ran = run("evaluate", "warp", "--mentions", "5000", workspace=library)
    assert ran.code == 1
    assert "no entity of `lounges` has 5000 documents" in ran.err
