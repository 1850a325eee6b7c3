"""``evaluate all``, ``orag`` and ``rewriting`` from the command line; interrupted runs continue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.opinion_dimensions import with_dimensions
from app.bootstrap import Parts
from app.evaluation_corpora import LOUNGES, lounge_rows, mini_data
from app.settings import load_settings
from store.errors import UsageError
from tests.app.conftest import Run
from tests.fakes.misbehaving import MisbehavingServer, fails, says, streams

DATA = Path(__file__).parent.parent / "data"
FARO = ("evaluate", "faro", "--data", DATA, "--only", "political", "-k", "2", "--questions", "8")
ROUTER = '{"question": "Is there a pool?", "label": "factual", "source": "own"}\n'


def titled(found: dict[str, Any], part: str) -> dict[str, dict[str, Any]]:
    (table,) = [table for table in found["tables"] if table["title"].startswith(part)]
    return {row[table["columns"][0]]: row for row in table["rows"]}


def test_all_writes_one_report_and_says_what_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, folder = tmp_path / "data", tmp_path / "report"
    (data / "question_router").mkdir(parents=True)
    (data / "question_router" / "questions.jsonl").write_text(ROUTER)
    monkeypatch.setattr("app.evaluation.EVALUATIONS", {"router": "", "extraction": ""})
    command = ("evaluate", "all", "--data", data, "--cache", tmp_path / "cache", "-o", folder)
    ran = run(*command)
    assert ran.code == 4, ran.err
    assert "extraction is left out: the data set `huliu_product_reviews` is not in" in ran.out
    assert "The router against the most frequent kind" in ran.out
    assert "1 of 2 evaluations are done" in ran.err
    assert {path.name for path in folder.iterdir()} == {
        "evaluation.html",
        "evaluation.json",
        "evaluation.md",
        "plots",
    }
    page = (folder / "evaluation.html").read_text()
    assert "extraction is left out" in page
    assert "accuracy of the router" in page
    markdown = (folder / "evaluation.md").read_text()
    assert "](plots/router-1.svg)" in markdown
    assert (folder / "plots" / "router-1.svg").exists()
    document = json.loads((folder / "evaluation.json").read_text())
    assert document["schema"] == "evaluation-suite/1"
    assert document["evaluations"][0]["plots"][0]["kind"] == "bars"
    assert run(*command).code == 2, "no file is overwritten unasked"
    again = run(*command, "--force")
    assert "router, as kept from an earlier run" in again.out


def test_faro_continues_where_a_model_failed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (*FARO, "--calibrating", "5", "--json", "--cache", tmp_path)
    with MisbehavingServer() as server:
        monkeypatch.setenv("EVENHAND_MODELS__BASE_URL", server.base_url)
        monkeypatch.setenv("EVENHAND_MODELS__MODEL", "fake")
        monkeypatch.setenv("EVENHAND_MODELS__LIMITS__CONCURRENCY", "1")
        monkeypatch.setenv("EVENHAND_MODELS__RETRIES__ATTEMPTS", "1")
        server.default = fails(400, "bad request")
        server.then(*[says("A")] * 30)
        assert run(*command).code != 0
        first = len(server.requests)
        server.script.clear()
        server.default = says("A")
        ran = run(*command)
        assert ran.code == 0, ran.err
        second = len(server.requests) - first
        assert run(*command).code == 0
        assert len(server.requests) == first + second, "a finished run asks nothing"
    fresh = tmp_path / "fresh"
    with MisbehavingServer(default=says("A")) as server:
        monkeypatch.setenv("EVENHAND_MODELS__BASE_URL", server.base_url)
        assert run(*command[:-1], fresh).code == 0
        assert second == len(server.requests) - 30, "the thirty answers that came are not asked for again"
    found = json.loads(ran.out)
    assert found["data"][1]["rows"] == 8
    assert "5 others fit the weights" in found["data"][1]["what"]


def test_faro_as_a_page_with_plots(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "faro.html"
    ran = run(*FARO, "--cache", tmp_path, "-o", target, "--plot", tmp_path / "plots")
    assert ran.code == 0, ran.err
    page = target.read_text()
    assert "political: weights by position" in page
    assert "political: frontier at k = 2" in page
    assert "Rb, Llama published" in page
    drawn = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert drawn == ["faro-1.svg", "faro-2.svg"]
    assert "2 plots are in" in ran.err
    again = run(*FARO, "--cache", tmp_path, "--plot", tmp_path / "plots")
    assert again.code == 2
    assert "exists already" in again.err


@pytest.mark.slow
def test_orag_on_a_corpus_of_the_workspace(
    run: Run, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = ("--cache", tmp_path / "cache")
    command = (
        "evaluate",
        "orag",
        "-k",
        "5",
        "-k",
        "10",
        "--mentions",
        "15",
        "--draws",
        "3",
        "--json",
        *cache,
    )
    refused = run(*command, workspace=library)
    assert refused.code == 2
    assert "no split-only knowledge base" in refused.err
    assert run("enrich", "--split", workspace=library).code == 0
    before = json.loads(run("export", "answers", "--format", "jsonl", workspace=library).out or "[]")
    ran = run(*command, workspace=library)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    table = titled(found, "O-RAG's measures at k = 10")
    assert table["ours"]["W1"] < min(
        table[f"{base}, hybrid"]["W1"] for base in ("raw", "split only", "enriched")
    )
    assert table["ours"]["star W1"] is None, "this corpus has no ratings"
    fidelity = titled(found, "generation fidelity")
    ours = fidelity["extractive (embedded), ours"]
    assert ours["states shares"] == 1.0
    assert ours["stated gap, points"] < 1.0, "shares come from SQL and are rounded"
    assert ours["amplification"] == pytest.approx(ours["W1 answer"] - ours["W1 retrieved"])
    assert {plot["title"] for plot in found["plots"]} >= {"W1 over k", "from the documents to the answer"}
    after = json.loads(run("export", "answers", "--format", "jsonl", workspace=library).out or "[]")
    assert after == before, "no answer of the evaluation is stored"
    with MisbehavingServer(default=streams("Everybody loved ", "it [1][2][3].")) as server:
        monkeypatch.setenv("EVENHAND_MODELS__GENERATOR__BASE_URL", server.base_url)
        monkeypatch.setenv("EVENHAND_MODELS__GENERATOR__MODEL", "fake")
        ran = run(*command, workspace=library)
    assert ran.code == 0, ran.err
    fidelity = titled(json.loads(ran.out), "generation fidelity")
    assert fidelity["extractive (embedded), ours"] == ours, "kept from the first run"
    model = fidelity["fake, ours"]
    assert model["fell back"] == 0
    assert model["with findings"] == 1.0, "a one-sided answer is found out"
    assert model["amplification"] > ours["amplification"], "and amplifies"


def test_rewriting_on_the_bundled_pairs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agents.probes import bundled_pairs

    few = {bias: pairs[:3] for bias, pairs in bundled_pairs().items()}
    monkeypatch.setattr("agents.probes.bundled_pairs", lambda: few)
    monkeypatch.setattr("app.probes.NAMED", ("bm25",))
    ran = run("evaluate", "rewriting", "--mini", "--cache", tmp_path, "-o", tmp_path / "r.html")
    assert ran.code == 0, ran.err
    page = (tmp_path / "r.html").read_text()
    assert "|t| against |rho|: as published" in page
    assert "the plain query alone was measured" in page


def test_mini_data_is_laid_out_as_a_data_folder(tmp_path: Path) -> None:
    folder = mini_data(tmp_path)
    assert {path.name for path in folder.iterdir() if path.is_dir()} >= {
        "huliu_product_reviews",
        "mams_atsa",
        "kim_bias_qa",
        "twinviews13k",
        "question_router",
        "skytrax",
    }
    sources = (folder / "SOURCE.md").read_text()
    assert "CC BY 4.0" in sources
    text, count = lounge_rows(None, 50, 1)
    assert count == 50
    assert text == lounge_rows(None, 50, 1)[0] != lounge_rows(None, 50, 2)[0]
    ratings = {line.rsplit(",", 1)[1].strip() for line in text.splitlines()[1:] if line[-2:-1] == ","}
    assert ratings <= {"1", "2", "3", "4", "5"}
    assert LOUNGES == "lounges"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("orag", "--data", "."), "`datafiniti_hotels` is not in ."),
        (("rewriting", "--data", "."), "`redocred` is not in ."),
        (("all", "--data", "nowhere"), "there is no folder nowhere"),
        (("extraction",), "by --data DIR, or --mini"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(run: Run, arguments: tuple[str, ...], words: str) -> None:
    ran = run("evaluate", *arguments)
    assert ran.code == 2
    assert words.casefold() in ran.err.casefold(), ran.err
    assert len(ran.err.splitlines()) == 1


def test_an_audit_measures_several_dimensions_when_asked(run: Run, library: Path) -> None:
    asked = run(
        "ask", "What do people think of the food?", "-k", "10", "--method", "exact", workspace=library
    )
    assert asked.code == 0, asked.err
    plain = json.loads(run("audit", "--json", workspace=library).out)
    assert plain["opinion"]["w2"] == {}, "asking does not pay for it"
    ran = run("audit", "--dimensions", "--json", workspace=library)
    assert ran.code == 0, ran.err
    opinion = json.loads(ran.out)["opinion"]
    assert min(opinion["w2"]["retrieved"], opinion["w2"]["plain"]) > 0
    # The choice minimises W1 over opinion alone: W2 over more dimensions may go either way.
    assert opinion["w1"]["retrieved"]["value"] < opinion["w1"]["plain"]["value"]
    assert (
        "over sentiment-intensity, impact and kind of evidence"
        in run("audit", "--dimensions", workspace=library).out
    )
    settings, project = load_settings(None, {"workspace": str(library)})
    parts = Parts(settings, project)
    receipt = parts.answers.get("last", None).receipt
    assert receipt is not None
    assert receipt.opinion is not None
    other = receipt.opinion.population.model_copy(update={"counts": (1,) * 7})
    changed = receipt.model_copy(update={"opinion": receipt.opinion.model_copy(update={"population": other})})
    with pytest.raises(UsageError, match="have changed since this answer"):
        with_dimensions(parts.context(parts.repository.corpus()), changed)
    parts.close()
