"""Calibration, frontier and batches on the command line, with the embedded chooser on a small real corpus."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agents.corpus_questions import corpus_questions
from app.bootstrap import Parts
from app.settings import load_settings
from store.errors import NoCandidates
from store.verdicts import Z
from tests.app.conftest import Run
from tests.fakes.misbehaving import MisbehavingServer, fails, says

FOOD = "What do travellers think of the food?"
CALIBRATE = ("calibrate", "-k", "2", "--budget", "32", "--json")
QUESTIONS = [
    FOOD,
    '{"question": "How is the staff?"}',
    "Is there a smoking room?",
    "What are the biggest complaints about the food?",
    "",
    "What do people think of the drinks?",
]


def document(run: Run, library: Path, *arguments: str | Path) -> dict[str, Any]:
    ran = run(*arguments, workspace=library)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(QUESTIONS), encoding="utf-8")
    return path


def test_plan_run_resume_list_and_use(run: Run, library: Path) -> None:
    plan = document(run, library, *CALIBRATE, "--dry-run")
    assert (plan["schema"], plan["calls"], plan["runs_per_question"]) == ("calibration-plan/1", 32, 4)
    assert plan["standard_error"] == pytest.approx(0.87 / 32**0.5, rel=0.01)
    assert document(run, library, "calibrate", "--list", "--json")["calibrations"] == []

    made = document(run, library, *CALIBRATE)
    assert (made["schema"], made["called"], made["reused"]) == ("calibration/1", 32, 0)
    assert made["model"] == "nearest option (embedded)"
    assert len(made["weights"]) == 2
    assert len(made["covariance"]) == 3
    again = document(run, library, *CALIBRATE)
    assert (again["called"], again["reused"], again["weights"]) == (0, 32, made["weights"])

    shown = run("calibrate", "--list", workspace=library)
    assert "in use" in shown.out
    assert "--batch" not in shown.out
    assert "replaced by a newer one" in shown.out

    receipt = document(run, library, "ask", FOOD, "-k", "2", "--json")["receipt"]
    position = receipt["position"]
    assert position["calibrated"] is True
    assert position["model"] == made["model"]
    polarity = [entry["polarity"] for entry in receipt["ranking"]]
    predicted = made["intercept"] + sum(w * p for w, p in zip(made["weights"], polarity, strict=True))
    assert position["predicted"] == pytest.approx(predicted)
    assert position["standard_error"] > 0
    assert [entry["position_weight"] for entry in receipt["ranking"]] == pytest.approx(made["weights"])
    assert (position["tau"], len(position["reachable"])) == (0.1, 2)
    distance = abs(position["predicted"] - position["target"])
    error = Z * position["standard_error"]
    verdict = "met" if distance + error <= 0.1 else "met as estimated" if distance <= 0.1 else "not met"
    assert position["verdict"] == verdict
    assert any("predicted Rb" in each for each in receipt["unmet"]) == (verdict == "not met")

    other = document(run, library, "ask", FOOD, "-k", "3", "--json")["receipt"]["position"]
    assert other["calibrated"] is False
    assert other["verdict"] is None
    assert "no position weights of polarity for k = 3 (polarity is calibrated for k = 2)" in other["note"]


def test_the_result_as_table_and_plot(run: Run, library: Path) -> None:
    ran = run("--ascii", "calibrate", "-k", "2", "--budget", "24", "--validate", "2", workspace=library)
    assert ran.code == 0, ran.err
    assert ran.out.isascii()
    assert "rank  weight" in ran.out
    plotted = [line for line in ran.out.splitlines() if line.lstrip()[:1] in {"1", "2", "b"} and "o" in line]
    assert sum("-o" in line or "o-" in line for line in plotted) == 3, ran.out
    assert "Check: " in ran.out
    assert "expected standard error" in ran.err
    assert "24 calls (blocks)" in ran.err


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--attribute", "gender"], "a corpus has no options for `gender`"),
        (["--questions", "none.csv"], "cannot read none.csv"),
        (["--design", "star"], "--design is `star`"),
        (["--budget", "3", "-k", "2"], "less than two questions"),
        (["-k", "64"], "fewer than two entities"),
    ],
)
def test_what_cannot_be_calibrated_is_said(run: Run, library: Path, options: list[str], fault: str) -> None:
    ran = run("calibrate", *options, workspace=library)
    assert ran.code in {1, 2}
    assert fault in ran.err


def test_an_attribute_that_no_author_has_is_remarked_on(run: Run, library: Path, tmp_path: Path) -> None:
    texts = {side: [f"{side} claim {n}, at length." for n in range(4)] for side in ("plus", "minus")}
    rows = [
        json.dumps(
            {
                "question": f"What of {n}?",
                "plus": "a plus claim",
                "minus": "a minus claim",
                **{f"{side}_documents": held for side, held in texts.items()},
            }
        )
        for n in range(4)
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")
    given = ("-k", "2", "--questions", path)
    told = "the corpus has no author attribute contry (it has "
    plan = run("calibrate", *given, "--attribute", "contry", "--dry-run", workspace=library)
    assert plan.code == 0, plan.err
    assert told in plan.out
    assert "ask cannot use these weights" in plan.out
    known = run("calibrate", *given, "--attribute", "country", "--dry-run", workspace=library)
    assert "no author attribute" not in known.out
    found = document(run, library, "calibrate", *given, "--attribute", "contry", "--dry-run", "--json")
    assert [each.startswith(told) for each in found["remarks"]] == [True]

    made = run("calibrate", *given, "--attribute", "contry", workspace=library)
    assert made.code == 0, made.err
    assert "counts ranks by them" not in made.err
    assert run("calibrate", *given, "--attribute", "country", workspace=library).code == 0
    listed = document(run, library, "calibrate", "--list", "--json")["calibrations"]
    states = {each["attribute"]: (each["in_use"], each["why_not"]) for each in listed}
    assert states == {"country": (True, ""), "contry": (False, "no such author attribute")}
    assert "in use by --batch" in run("calibrate", "--list", workspace=library).out


def test_frontier_of_one_question(run: Run, library: Path) -> None:
    found = document(run, library, "frontier", FOOD, "-k", "5", "--json")
    assert (found["schema"], found["kind"], found["entities"]) == ("frontier/1", "opinion", ["food"])
    chosen = [point for point in found["points"] if point["chosen"]]
    assert len(chosen) == 1
    rest = sorted((p["w1"], p["relevance_kept"]) for p in found["points"] if not p["chosen"])
    assert [kept for _, kept in rest] == sorted(kept for _, kept in rest), "less distance costs relevance"
    text = run("--ascii", "frontier", FOOD, "-k", "5", workspace=library)
    assert "relevance kept" in text.out
    assert "*" in text.out
    assert text.out.isascii()


def test_frontier_of_a_batch(run: Run, library: Path, batch: Path) -> None:
    found = document(run, library, "frontier", "--batch", batch, "-k", "4", "--json")
    assert (found["kind"], found["calibrated"]) == ("bias", False)
    assert found["weights"] == [0.25] * 4
    assert found["constrained"] + len(found["outside"]) == found["questions"] == 5
    assert {item["index"] for item in found["outside"]} == {2, 3}
    points = [(p["bias"], p["relevance_kept"]) for p in found["points"] if not p["chosen"]]
    assert points == sorted(points)
    assert points[0][0] == pytest.approx(found["reachable"][0])
    assert points[-1][0] == pytest.approx(found["reachable"][1])
    text = run("frontier", "--batch", batch, "-k", "4", workspace=library)
    assert "NOT CALIBRATED" in text.out


def test_a_batch_is_answered_under_one_constraint(run: Run, library: Path, batch: Path) -> None:
    ran = run("ask", "--batch", batch, "-k", "4", "--tau", "0.05", "--target", "0.2", workspace=library)
    assert ran.code == 0, ran.err
    *answers, last = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["index"] for answer in answers] == [0, 1, 2, 3, 4]
    assert (last["schema"], last["met"], last["target"], last["tau"]) == ("batch/1", True, 0.2, 0.05)
    outside = {item["index"]: item["reason"] for item in last["outside"]}
    assert outside == {2: "it is a factual question", 3: "it asks for the negative side only"}
    shown = []
    for answer in answers:
        assert answer["outside"] == outside.get(answer["index"], "")
        assert answer["answer"]
        if answer["index"] not in outside:
            assert answer["receipt"]["selection"]["method"] == "faro"
            assert answer["receipt"]["position"]["calibrated"] is False
            shown.append([entry["polarity"] for entry in answer["receipt"]["ranking"]])
    assert all(len(polarity) == 4 for polarity in shown)
    mean = sum(sum(polarity) / 4 for polarity in shown) / len(shown)
    assert mean == pytest.approx(last["predicted"])
    assert abs(mean - 0.2) <= 0.05 + 1e-9
    assert "not calibrated" in ran.err


def test_a_constraint_out_of_reach_is_reported(run: Run, library: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(FOOD, encoding="utf-8")
    ran = run("ask", "--batch", path, "-k", "2", "--target", "0.3", "--tau", "0.01", workspace=library)
    last = json.loads(ran.out.splitlines()[-1])
    assert ran.code == 4
    assert not last["met"]
    assert "+/- 0.01: not met: " in ran.err
    assert "from the target; the rankings reach" in ran.err
    answer = json.loads(ran.out.splitlines()[0])
    assert any("not met" in text for text in answer["receipt"]["unmet"])


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["frontier"], "a question or --batch"),
        (["frontier", FOOD, "--tau", "0.1"], "belong to --batch"),
        (["frontier", "Is there a smoking room?"], "there is no frontier"),
        (["ask", FOOD, "--batch", "q.txt"], "--batch takes no question"),
        (["ask", "--batch", "none.txt"], "cannot read none.txt"),
        (["ask", "--batch", "empty.txt"], "holds no question"),
        (["ask", "--batch", "broken.txt"], "line 1 of broken.txt has no `question`"),
        (["ask", "--batch", "fine.txt", "--target", "2"], "a value of Rb between -1 and 1"),
    ],
)
def test_wrong_use_is_said(run: Run, library: Path, arguments: list[str], fault: str) -> None:
    Path("empty.txt").write_text("\n\n")
    Path("broken.txt").write_text('{"query": "x"}\n')
    Path("fine.txt").write_text(FOOD)
    ran = run(*arguments, workspace=library)
    assert ran.code in {1, 2}
    assert fault in ran.err


def test_a_model_is_calibrated_by_name_and_an_interrupted_run_continues(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("calibrate", "-k", "2", "--budget", "16", "--json")
    with MisbehavingServer() as server:
        monkeypatch.setenv("EVENHAND_MODELS__BASE_URL", server.base_url)
        monkeypatch.setenv("EVENHAND_MODELS__MODEL", "fake")
        monkeypatch.setenv("EVENHAND_MODELS__LIMITS__CONCURRENCY", "1")
        server.default = fails(400, "bad request")
        server.then(*[says("A")] * 10)
        ran = run(*command, workspace=library)
        assert ran.code != 0
        assert "evenhand: error:" in ran.err
        server.script.clear()
        server.default = says("A")
        made = document(run, library, *command)
        assert (made["model"], made["called"], made["reused"]) == ("fake", 6, 10)
        assert made["letter_bias"] == 1.0
        # The letter is all that this model chooses by: balanced out of the weights.
        assert made["weights"] == pytest.approx([0.0, 0.0], abs=1e-9)
    listed = document(run, library, "calibrate", "--list", "--json")["calibrations"]
    assert [(c["model"], c["in_use"]) for c in listed] == [("fake", True)]
    monkeypatch.delenv("EVENHAND_MODELS__BASE_URL")
    monkeypatch.delenv("EVENHAND_MODELS__MODEL")
    monkeypatch.delenv("EVENHAND_MODELS__LIMITS__CONCURRENCY")
    listed = document(run, library, "calibrate", "--list", "--json")["calibrations"]
    assert [(c["model"], c["why_not"]) for c in listed] == [("fake", "another model")]


def test_questions_built_from_the_corpus(library: Path) -> None:
    settings, project = load_settings(None, {"workspace": str(library)})
    parts = Parts(settings, project)
    context = parts.context(parts.repository.corpus())
    built = corpus_questions(context, 2, 12)
    assert 2 <= len(built) <= 12
    assert len({question.text for question in built}) == len(built)
    assert built == corpus_questions(context, 2, 12), "the same every time"
    ids = context.entity_ids()
    for question in built:
        assert question.groups == (1, 1, -1, -1)
        assert (question.plus, question.minus) == ("mostly positive", "mostly negative")
        pool = context.opinions.pool(context.corpus, [ids[question.cluster]], context.extractor)
        texts = context.repository.documents([int(i) for i in pool.document_ids])
        signs = {
            texts[int(i)].text: int(s > 0) - int(s < 0)
            for i, s in zip(pool.document_ids, pool.scores, strict=True)
        }
        assert [signs[text] for text in question.documents] == [1, 1, -1, -1]
    for cluster in {question.cluster for question in built}:
        shown = [text for question in built if question.cluster == cluster for text in question.documents]
        assert len(shown) == len(set(shown)), "no document twice for one entity"
    with pytest.raises(NoCandidates, match="fewer than two entities"):
        corpus_questions(context, 60, 4)
    asyncio.run(parts.aclose())
