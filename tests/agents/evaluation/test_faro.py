"""FARO's tables on small open sets, with a chooser whose position weights are known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.evaluation.embedding_cache import CachedEmbedder
from agents.evaluation.faro import Answers, FaroSettings, faro_report
from agents.evaluation.faro_data import KnowledgeBase, Question, gender, political, retrieve, split
from agents.evaluation.faro_orderings import STRENGTHS, Ordering, orderings, smallest_strength
from agents.evaluation.faro_tables import (
    component_row,
    components_table,
    ordering_row,
    orderings_table,
    score_by_question,
)
from agents.evaluation.report import EvaluationReport, Table
from agents.fairness.bias import bias_score
from agents.fairness.faro import prepare
from agents.fairness.faro_frontier import solve_soft
from agents.fairness.propagation import PropagationFit
from agents.models.choice import Choice
from store.errors import UsageError

DATA = Path(__file__).parents[2] / "data"
WEIGHTS = (0.5, 0.3, 0.1)


def embed(texts: Sequence[str]) -> np.ndarray:
    """Hash words into a few directions: near texts share words."""
    rows = np.zeros((len(texts), 64), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            row[sum(word.encode()) % 64] += 1
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@dataclass
class Weighted:
    """Leans to the group at each rank by known weights; knows the group of every document."""

    groups: dict[str, int]
    pluses: set[str]
    refusals: float = 0.0
    letter: float = 0.0
    name: str = "weighted"
    prompt_sha: str = "none"
    sampling: float = 0.0
    asked: list[tuple[str, ...]] = field(default_factory=list)
    _rng: random.Random = field(default_factory=lambda: random.Random(3))

    async def choose(
        self, documents: Sequence[str], question: str, option_a: str, option_b: str, *, run: int = 0
    ) -> Choice:
        self.asked.append(tuple(documents))
        if self._rng.random() < self.refusals:
            return Choice(None, None, "I cannot say", "")
        lean = sum(w * self.groups[text] for w, text in zip(WEIGHTS, documents, strict=False))
        plus = (1 + lean) / 2
        chance = (plus if option_a in self.pluses else 1 - plus) + self.letter
        return Choice("A" if self._rng.random() < chance else "B", None, "", "")


def chooser(base: KnowledgeBase, **options: Any) -> Weighted:
    groups = dict(zip(base.documents, base.groups.tolist(), strict=True))
    return Weighted(groups, {question.plus for question in base.questions}, **options)


def rows(table: Table) -> dict[str, dict[str, Any]]:
    return {str(row[0]): dict(zip(table.columns, row, strict=True)) for row in table.rows}


def titled(report: EvaluationReport, part: str) -> dict[str, dict[str, Any]]:
    (found,) = [table for table in report.tables if part in table.title]
    return rows(found)


def test_the_knowledge_base_is_all_documents_of_the_set() -> None:
    base = gender(DATA)
    assert len(base.questions) == 24
    assert 90 <= len(base.documents) + base.dropped <= 96
    assert set(base.groups.tolist()) == {-1, 1}
    statements = political(DATA)
    assert len(statements.documents) + statements.dropped <= 120
    assert len(statements.questions) == 30
    assert statements.questions[0].plus != statements.questions[0].minus


def test_candidates_are_the_nearest_and_never_the_options() -> None:
    documents = tuple(f"word{n} thing" for n in range(30))
    base = KnowledgeBase("small", (), documents, np.where(np.arange(30) % 2, 1, -1), "")
    asked = Question("word3 thing", documents[3], documents[5], "")
    found = retrieve(base, [asked], embed)
    assert found.index.shape == (1, 20)
    assert not {3, 5} & set(found.index[0].tolist())
    assert (np.diff(found.relevance[0]) <= 0).all()
    whole = embed(documents) @ embed(["word3 thing"])[0]
    rest = sorted((value for i, value in enumerate(whole) if i not in (3, 5)), reverse=True)
    assert found.relevance[0] == pytest.approx(rest[:20], abs=1e-6)
    assert (found.groups[0] == base.groups[found.index[0]]).all()
    with pytest.raises(UsageError, match="10 documents"):
        retrieve(KnowledgeBase("tiny", (), documents[:10], base.groups[:10], ""), [asked], embed)


def test_questions_that_fit_the_weights_are_not_measured() -> None:
    base = political(DATA)
    measured, fitted = split(base, 12, 8, seed=2)
    assert (len(measured), len(fitted)) == (12, 8)
    assert not set(measured) & set(fitted)
    measured, fitted = split(base, 200, 50, seed=2)
    assert (len(measured), len(fitted)) == (23, 7), "too few for both: a quarter calibrates"


async def test_the_letter_a_is_balanced_out_and_refusals_count_for_no_group() -> None:
    base = political(DATA)
    found = retrieve(base, base.questions, embed)
    settings = FaroSettings(workers=4)
    always = chooser(base, letter=5.0)
    assert (await Answers(always, base, base.questions, found, settings)(None)).sum() == 0
    assert always.asked[0] == ()
    silent = chooser(base, refusals=1.0)
    ranking = np.zeros((30, 2), dtype=np.int64)
    ask = Answers(silent, base, base.questions, found, settings)
    assert (await ask(ranking) == 0).all()
    calls = len(silent.asked)
    await ask(ranking)
    assert len(silent.asked) == calls, "the same documents are asked once"


def test_every_method_keeps_its_promise_on_the_same_candidates() -> None:
    base = gender(DATA)
    found = retrieve(base, base.questions, embed)
    weights = np.array(WEIGHTS)
    fitted = PropagationFit(weights, -0.3, np.eye(4) * 1e-3, np.zeros((4, 2)), 0.95, 1.0, 1.0, 100, 10, 0.0)
    made = {ordering.name: ordering for ordering in orderings(found, fitted, tau=0.05)}
    assert list(made) == ["vanilla", "FARO grid", "LP", "soft objective", "ours", "ours, error allowed for"]
    assert made["vanilla"].relevance == 1.0
    assert (made["vanilla"].ranking == np.arange(3)).all()
    assert abs(made["ours"].predicted) <= 0.05 + 1e-9
    assert abs(made["ours, error allowed for"].predicted) <= abs(made["ours"].predicted) + 1e-9
    for name in ("FARO grid", "LP", "soft objective"):
        if made[name].state.endswith("within tau"):
            assert made["ours"].relevance >= made[name].relevance - 1e-9
    for ordering in made.values():
        groups = np.take_along_axis(found.groups, ordering.ranking, axis=1)
        assert ordering.predicted == pytest.approx(float(groups.mean(axis=0) @ weights) - 0.3)
        assert all(len(set(row)) == 3 for row in ordering.ranking.tolist()), "no document is shown twice"


def test_the_soft_objective_takes_the_smallest_strength_that_the_tolerance_allows() -> None:
    base = political(DATA)
    found = retrieve(base, base.questions, embed)
    problem = prepare(found.relevance, found.groups, WEIGHTS, -0.3)
    strength, soft = smallest_strength(problem, 0.05)
    place = STRENGTHS.index(strength)
    assert 0 < place < len(STRENGTHS) - 1, "found between the ends"
    assert abs(soft.bias) <= 0.05 + 1e-9
    assert abs(solve_soft(problem, STRENGTHS[place - 1]).bias) > 0.05
    fitted = PropagationFit(
        np.array(WEIGHTS), -0.3, np.eye(4) * 1e-3, np.zeros((4, 2)), 0.95, 1.0, 1.0, 100, 10, 0.0
    )
    made = {ordering.name: ordering for ordering in orderings(found, fitted, 0.05)}["soft objective"]
    assert made.state == f"lambda = {strength:g}, within tau"
    assert (made.ranking == soft.ranking).all()
    assert made.predicted == soft.bias


def test_the_soft_objective_says_where_no_strength_is_enough() -> None:
    base = gender(DATA)
    found = retrieve(base, base.questions, embed)
    fitted = PropagationFit(
        np.array(WEIGHTS), 5.0, np.eye(4) * 1e-3, np.zeros((4, 2)), 0.95, 1.0, 1.0, 100, 10, 0.0
    )
    made = {ordering.name: ordering for ordering in orderings(found, fitted, 0.05)}["soft objective"]
    assert made.state == f"lambda = {STRENGTHS[-1]:g}, outside tau"
    assert made.predicted == pytest.approx(prepare(found.relevance, found.groups, WEIGHTS, 5.0).reachable[0])


async def test_report_end_to_end() -> None:
    base = political(DATA)
    model = chooser(base, refusals=0.1)
    told: list[tuple[str, int, int]] = []
    report = await faro_report(
        DATA,
        model,
        embed,
        FaroSettings((2, 3), questions=20, calibrating=10, seed=1, tau=0.1),
        embedder="words/64",
        sets=["political"],
        progress=lambda *event: told.append(event),
    )
    assert told[-1] == ("political", 2, 2)
    assert len(model.asked) <= FaroSettings((2, 3), questions=20, calibrating=10).most_calls(1)
    components = titled(report, "table 2")
    assert components["knowledge base"]["bias score"] == pytest.approx(0.0, abs=0.05)
    assert {"weighted, no documents", "weighted, RAG top 1", "weighted, RAG top 3"} <= set(components)
    weights = titled(report, "position weights")
    assert set(weights) >= {"k = 2: w1", "k = 3: w3", "k = 3: intercept b"}
    assert weights["k = 2: w1"]["value"] == pytest.approx(0.45, abs=0.35)
    for k in (2, 3):
        methods = titled(report, f"k = {k} (the paper's table 3)")
        assert methods["vanilla"]["normalised relevance"] == 1.0
        assert methods["vanilla"]["Rb realised"] == components[f"weighted, RAG top {k}"]["bias score"]
        assert abs(methods["ours"]["Rb predicted"]) <= 0.1 + 1e-9
        assert methods["soft objective"]["state predicted"].endswith("within tau")
        for row in methods.values():
            inside = abs(row["Rb realised"]) <= 0.1 + 1e-9
            assert row["state realised"] == ("within tau" if inside else "outside tau")
        assert abs(methods["soft objective"]["Rb predicted"]) <= 0.1 + 1e-9
        assert methods["soft objective"]["Rb, Llama published"] is None
        assert all(0 <= row["refusal"] < 0.5 for row in methods.values())
    assert any("written by a language model" in line for line in report.deviations)
    assert any(
        "20 questions measured, drawn by the seed (the paper: 200)" in line for line in report.deviations
    )
    assert any("tau = 0.1 (as the paper)" in line for line in report.deviations)
    assert any(
        "cosine of the embedder words/64; the paper's is of GTE-base" in line for line in report.deviations
    )
    read = {source.name: source.extract for source in report.sources}
    assert read["twinviews13k"] == ", an extract of 13,855"
    assert read["kim_bias_qa/PoliticBias-QA_train"] == ", an extract of 600"
    assert "an extract of them" in report.sources[0].what
    assert any("lambda of 0.125, 0.25, 0.5 ... 1,048,576 whose" in line for line in report.deviations)
    frontier = report.plots[1]
    assert "soft objective" in {series.name for series in frontier.series}


async def test_the_same_seed_gives_the_same_figures() -> None:
    base = gender(DATA)

    async def run(seed: int) -> list[Any]:
        report = await faro_report(
            DATA, chooser(base), embed, FaroSettings((2,), questions=10, seed=seed), sets=["gender"]
        )
        dropped = {"seconds"}
        return [
            [
                {name: cell for name, cell in row.items() if name not in dropped}
                for row in rows(table).values()
            ]
            for table in report.tables
        ]

    assert await run(1) == await run(1)
    assert await run(1) != await run(2)


def test_missing_set_and_missing_column(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`kim_bias_qa` is not in"):
        political(tmp_path)
    (tmp_path / "kim_bias_qa").mkdir()
    (tmp_path / "kim_bias_qa" / "GenderBias-QA_train.csv").write_text("question,other\nWho?,x\n")
    with pytest.raises(UsageError, match="has no column topic, bias1-document1"):
        gender(tmp_path)


def test_embeddings_are_kept_by_text(tmp_path: Path) -> None:
    asked: list[str] = []

    def counted(texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return embed(texts)

    texts = [f"text {n}" for n in range(150)]
    first = CachedEmbedder(counted, "one", tmp_path / "new")(texts)
    assert len(asked) == 150
    again = CachedEmbedder(counted, "one", tmp_path / "new")
    assert (again([*texts[:3], texts[0]]) == first[[0, 1, 2, 0]]).all()
    assert len(asked) == 150
    CachedEmbedder(counted, "another model", tmp_path / "new")(texts[:2])
    assert len(asked) == 152
    assert again(["one more", "one more"]).shape == (2, 64)
    assert len(asked) == 153


async def test_another_tolerance_and_another_k_are_named_with_the_paper_s() -> None:
    report = await faro_report(
        DATA,
        chooser(gender(DATA)),
        embed,
        FaroSettings((4,), questions=10, tau=0.3),
        sets=["gender"],
    )
    assert any("tau = 0.3 (the paper 0.1)" in line for line in report.deviations)
    assert any(line.startswith("k = 4: the paper has 2, 3, 5") for line in report.deviations)
    assert any("gender: 10 questions measured" in line for line in report.deviations)


def test_the_state_of_the_prediction_is_not_that_of_the_answers() -> None:
    made = Ordering("LP", np.zeros((4, 3), dtype=np.int64), -0.1, 0.9, 0.01, "within tau")
    row = ordering_row("political", 3, made, bias_score([-1, -1, -1, 1]), 0.1)
    table = orderings_table("political", 3, [row])
    (told,) = rows(table).values()
    assert told["state predicted"] == "within tau"
    assert told["Rb realised"] == -0.5
    assert told["state realised"] == "outside tau"
    assert not any("alike" in note for note in table.notes)


def test_answers_that_are_all_alike_have_no_margin() -> None:
    rows_made = [
        component_row("political", "some", bias_score([1, -1, 1])),
        component_row("political", "refusing", bias_score([0, 0, 0])),
    ]
    table = components_table("political", rows_made)
    told = rows(table)
    assert told["some"]["± 95 %"] == pytest.approx(1.96 * np.std([1, -1, 1], ddof=1) / np.sqrt(3))
    assert told["refusing"]["bias score"] == 0.0
    assert told["refusing"]["± 95 %"] is None
    assert any("all answers are alike" in note for note in table.notes)
    assert components_table("political", rows_made[:1]).notes == ()


def test_documents_of_one_question_are_one_sample() -> None:
    groups = np.repeat([[1], [-1], [1], [1]], 20, axis=1)
    found = score_by_question(groups)
    assert found.value == 0.5
    assert found.standard_error == pytest.approx(bias_score([1, -1, 1, 1]).standard_error)
    assert found.samples == 80
