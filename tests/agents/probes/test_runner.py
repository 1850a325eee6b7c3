from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.models.cache import FolderCache, MemoryCache
from agents.models.errors import ModelUnreachable
from agents.probes import (
    BM25Retriever,
    DenseRetriever,
    HybridRetriever,
    ProbeQuery,
    build_pairs,
    run,
)
from agents.probes.generation import Wanted, query_of, write_all
from agents.probes.tables import evaluation
from app.views.probes import probe_lines, probe_markdown, probe_text
from store.embedders import BundledMiniLM
from store.errors import UsageError
from store.ports import ChatReply, ChatRequest, Usage
from tests.agents.probes.planted import Planted, by_length, by_overlap, made_facts


class Writer:
    """A chat model that writes by the prompt's name."""

    def __init__(self, model: str = "writer", broken: str = "") -> None:
        self.model = model
        self.broken = broken
        self.asked: list[str] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request.prompt_name)
        if self.broken and request.prompt_name.startswith(self.broken):
            raise ModelUnreachable("writer: refused the connection")
        question = request.messages[-1].content
        name = next(word.strip("?") for word in question.split() if word.startswith("Nam"))
        text = f"A passage on {name} and where it is."
        if request.json_schema is not None:
            text = json.dumps({"questions": [f"In which place is {name}?", f"{name} where?", "Where is it?"]})
        return ChatReply(text, "stop", self.model, Usage(calls=1))

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        yield await self.complete(request)


PAIRS = build_pairs(made_facts(20), 8)
RETRIEVERS = [Planted("length", by_length), Planted("overlap", by_overlap)]
QUESTIONS = len({pair.question for each in PAIRS.values() for pair in each[:4]})


async def test_a_whole_run() -> None:
    chat, stages = Writer(), set()
    report = await run(
        PAIRS,
        RETRIEVERS,
        source="made",
        chat=chat,
        enhanced_pairs=4,
        workers=3,
        progress=lambda stage, done, total: stages.add((stage, done == total)),
    )
    assert list(report.reached) == ["none", "rewrite", "hyde", "query2doc", "multi_query"]
    assert set(report.reached["hyde"].values()) == {4}
    assert set(report.reached["none"].values()) == {8}
    assert stages >= {("write", True), ("score", True)}
    assert chat.asked.count("hyde.v1") == QUESTIONS, "one passage serves HyDE and Query2Doc"
    assert "query2doc.v1" not in chat.asked
    assert report.called == len(chat.asked) == 3 * QUESTIONS
    assert report.tests == 2 * 5
    assert report.model == "writer"
    length = report.diagnoses[0]
    assert [row.test.n for row in length.findings if row.condition == "hyde"] == [4] * 5
    assert length.finding("brevity", "hyde").verdict == "unchanged", (
        "no query moves a retriever that reads none"
    )  # type: ignore[union-attr]
    assert report.queries["hyde"].terms_kept < 1
    assert report.queries["query2doc"].terms_kept == 1
    assert report.queries["none"].entities_kept == 1
    json.dumps(report.document(), allow_nan=False)


async def test_what_was_written_is_kept_and_a_run_continues(tmp_path: Path) -> None:
    cache = FolderCache(tmp_path)
    first = Writer()
    await run(PAIRS, RETRIEVERS, source="made", chat=first, enhanced_pairs=2, cache=cache)
    second = Writer()
    report = await run(PAIRS, RETRIEVERS, source="made", chat=second, enhanced_pairs=4, cache=cache)
    assert report.reused == len(first.asked)
    assert report.called == len(second.asked) == 3 * QUESTIONS - len(first.asked)
    third = await run(PAIRS, RETRIEVERS, source="made", chat=Writer("other"), enhanced_pairs=2, cache=cache)
    assert third.reused == 0, "another model writes anew"


async def test_a_run_that_may_not_take_longer_measures_what_is_there() -> None:
    now = iter(range(0, 10_000, 60))
    wanted = [Wanted("hyde", pair.question) for pair in PAIRS["brevity"]]
    found = await write_all(wanted, Writer(), None, seconds=150, clock=lambda: float(next(now)))
    assert found.called == 2
    assert found.stopped
    cache = MemoryCache()
    await write_all(wanted[:3], Writer(), cache)
    report = await run(
        PAIRS, RETRIEVERS, source="made", chat=Writer(), methods=("hyde",), cache=cache, seconds=0
    )
    assert report.stopped
    assert report.reached["hyde"]["brevity"] == 3
    assert any("run again to continue" in note for note in report.notes)


async def test_a_model_that_fails_is_given_up_and_noted() -> None:
    chat = Writer(broken="hyde")
    report = await run(PAIRS, RETRIEVERS, source="made", chat=chat)
    assert "hyde" not in report.reached
    assert "query2doc" not in report.reached
    assert "rewrite" in report.reached
    assert chat.asked.count("hyde.v1") < 10
    (note,) = [note for note in report.notes if note.startswith("hyde")]
    assert "refused the connection" in note
    assert "not measured" in note


async def test_without_a_model_the_plain_query_is_measured_and_it_is_said() -> None:
    report = await run(PAIRS, RETRIEVERS, source="made")
    assert list(report.reached) == ["none"]
    assert any("no language model" in note for note in report.notes)
    assert {found.recommendation.method for found in report.diagnoses} == {"none"}


async def test_wrong_use() -> None:
    with pytest.raises(UsageError, match="no retriever"):
        await run(PAIRS, [], source="made")
    with pytest.raises(UsageError, match="fewer than two pairs"):
        await run({"brevity": PAIRS["brevity"][:1]}, RETRIEVERS, source="made")


class Learner:
    """Stands for a continually pretrained model."""

    name = "learner"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def write(self, document: str, question: str) -> str:
        self.asked.append((document, question))
        return document[:40]


async def test_the_pretrained_conditions_share_a_passage_of_the_pairs_own_document() -> None:
    learner = Learner()
    report = await run(PAIRS, RETRIEVERS, source="made", pretrained=learner, pretrained_pairs=3)
    assert len(learner.asked) == len(set(learner.asked))
    assert set(report.reached["hyde_cpt"].values()) == set(report.reached["query2doc_cpt"].values()) == {3}
    documents = {pair.document for each in PAIRS.values() for pair in each}
    assert {document for document, _ in learner.asked} <= documents
    assert report.pretrained == "learner"


async def test_a_pretrained_model_that_writes_nothing_is_not_measured_and_it_is_said() -> None:
    class Silent(Learner):
        def write(self, document: str, question: str) -> str:
            return "" if len(self.asked) else super().write(document, question)

    report = await run(PAIRS, RETRIEVERS, source="made", pretrained=Silent(), pretrained_pairs=3)
    assert max(report.reached["hyde_cpt"].values()) <= 1
    assert any("wrote nothing" in note for note in report.notes)

    class Mute(Learner):
        def write(self, document: str, question: str) -> str:
            return ""

    none = await run(PAIRS, RETRIEVERS, source="made", pretrained=Mute(), pretrained_pairs=2)
    assert list(none.reached) == ["none"]


def test_what_is_searched_with() -> None:
    hyde, both = query_of("hyde", "q?", ("passage",)), query_of("query2doc", "q?", ("passage",))
    assert (hyde.texts, hyde.lexical) == (("passage",), "q?")
    assert (both.texts, both.weighted) == (("q? passage",), "q? q? q? q? q? passage")
    assert query_of("multi_query", "q?", ("q?", "r?")).texts == ("q?", "r?")


def test_the_retrievers() -> None:
    documents = ["The cat sat on the mat.", "Dogs bark at night.", "A cat and a dog."]
    queries = [ProbeQuery(("cat",), "cat"), ProbeQuery(("dogs bark", "cat"), "dogs bark")]
    dense, lexical = DenseRetriever(BundledMiniLM(threads=1)), BM25Retriever()
    cosines = dense.scores(queries, documents)
    single = dense.scores([ProbeQuery(("dogs bark",), "")], documents)
    assert cosines[1] == pytest.approx((single[0] + cosines[0]) / 2)
    from rank_bm25 import BM25Okapi

    from store.lexical import tokenize

    model = BM25Okapi([tokenize(document) for document in documents])
    assert lexical.scores(queries[:1], documents)[0] == pytest.approx(model.get_scores(["cat"]))
    hybrid = HybridRetriever(dense, lexical).scores([ProbeQuery(("dogs bark",), "dogs bark")], documents)[0]
    assert hybrid.argmax() == 1
    assert hybrid[1] == pytest.approx(2 / 61)


async def test_the_report_is_drawn_with_the_papers_figures_beside_ours() -> None:
    report = await run(PAIRS, RETRIEVERS, source="made \x1b[31m", chat=Writer(), enhanced_pairs=4)
    text, markdown = probe_text(report, 120), probe_markdown(report)
    for shown in (text, markdown):
        assert "\x1b" not in shown
        assert "recommendation" in shown
        assert "8.72" in shown
        assert "one passage a question" in shown
        assert "written by writer" in shown
    titles = [table.title for table in evaluation(report).tables]
    assert "overlap: verdicts" in titles
    assert sum("(the paper's" in title for title in titles) == 5
    assert probe_lines(report)[0].startswith("length: none (")
