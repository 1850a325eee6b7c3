"""The command line on a real corpus, from question to receipt."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from store.receipt import AuditReceipt
from tests.app.conftest import REVIEWS, Run

FOOD = "What do travellers think of the food?"


def ask(run: Run, library: Path, question: str, *options: str) -> tuple[str, AuditReceipt]:
    ran = run("ask", question, "--json", *options, workspace=library)
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert document["schema"] == "answer/1"
    receipt = dict(document["receipt"])
    receipt.pop("schema", None)
    return document["answer"], AuditReceipt.model_validate(receipt)


def test_an_opinion_answer_represents_the_population(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, FOOD, "-k", "10")
    assert receipt.route.kind == "opinion"
    assert [entity.name for entity in receipt.entities] == ["food"]
    opinion = receipt.opinion
    assert opinion is not None
    assert opinion.w1["retrieved"].value <= opinion.w1["plain"].value
    assert opinion.floor is not None
    assert opinion.w1["retrieved"].value >= opinion.floor - 1e-9
    assert opinion.retrieved.n == len(receipt.ranking) == 10
    assert all(document.matched for document in receipt.ranking)
    assert receipt.citations
    assert all(citation.verified for citation in receipt.citations)
    shares = [int(p) for p in re.findall(r"(\d+) % ", text.splitlines()[0])]
    assert 99 <= sum(shares) <= 101, "each is rounded by itself"
    counts = opinion.population.counts
    assert shares[0] == pytest.approx(100 * sum(counts[4:]) / sum(counts), abs=1)


def test_every_quote_is_in_its_document(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, FOOD)
    quotes = {int(n): q for q, n in re.findall(r"“(.+?)” \[(\d+)\]", text)}
    assert len(quotes) == len(receipt.citations) >= 5
    exported = run("export", "documents", "-o", "documents.jsonl", workspace=library)
    assert exported.code == 0
    texts = [
        " ".join(json.loads(line)["text"].split())
        for line in Path("documents.jsonl").read_text().splitlines()
    ]
    assert all(any(quote in whole for whole in texts) for quote in quotes.values())


def test_one_side_is_answered_from_that_side(run: Run, library: Path) -> None:
    _, receipt = ask(run, library, "What are the biggest complaints about the food?")
    assert receipt.route.side == "negative"
    assert all(document.score is not None and document.score < 0 for document in receipt.ranking)
    _, both = ask(run, library, "What are the biggest complaints about the food?", "--both-sides")
    assert any(document.score is not None and document.score > 0 for document in both.ranking)


def test_counting_is_done_in_sql_and_shown(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, "How many reviewers mention the food?")
    (count,) = receipt.counts
    assert count.total == REVIEWS
    assert 0 < count.value < count.total
    assert f"{count.value:,} of {count.total:,}" in text
    assert count.sql.startswith("SELECT count(*)")
    import sqlite3

    with sqlite3.connect(library / "evenhand.db") as connection:
        assert connection.execute(count.sql).fetchone()[0] == count.value


def test_facts_are_quoted(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, "Is there a smoking room?")
    assert receipt.route.kind == "factual"
    assert "smok" in text.lower()
    assert receipt.opinion is None


def test_an_unknown_topic_is_said_to_be_unknown(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, "What do people think about nuclear fusion?")
    assert "Nothing in this corpus speaks of" in text
    assert not receipt.ranking
    assert not receipt.citations


def test_author_groups_filter_the_population(run: Run, library: Path) -> None:
    _, receipt = ask(run, library, "What do travellers from Australia think of the food?")
    assert [(f.name, f.value) for f in receipt.filters] == [("country", "Australia")]
    assert {document.groups["country"] for document in receipt.ranking} == {"Australia"}


def test_the_same_question_gives_the_same_answer(run: Run, library: Path) -> None:
    first, second = ask(run, library, FOOD), ask(run, library, FOOD)
    assert first[0] == second[0]
    assert first[1].ranking == second[1].ranking


@pytest.mark.parametrize(
    "method",
    [
        "exact",
        "balanced",
        "relevance",
        "mmr",
        "dpp",
        "kl",
        "js",
        "opinion-mmr",
        "w1-greedy",
        "w1-mmr",
        "wassrank-ot",
    ],
)
def test_every_method_answers(run: Run, library: Path, method: str) -> None:
    _, receipt = ask(run, library, FOOD, "--method", method, "-k", "8")
    assert receipt.selection is not None
    assert receipt.selection.method == method
    assert len({document.document_id for document in receipt.ranking}) == 8
    sampled = all(document.inclusion_probability is not None for document in receipt.ranking)
    assert sampled == (method == "balanced")


def test_targets(run: Run, library: Path) -> None:
    _, parity = ask(run, library, FOOD, "--target", "parity")
    assert parity.opinion is not None
    assert sum(parity.opinion.target_shares[:3]) == pytest.approx(sum(parity.opinion.target_shares[4:]))
    _, given = ask(run, library, FOOD, "--target", "0,0,0,0,0,0,1", "-k", "3", "--method", "exact")
    assert given.opinion is not None
    assert given.opinion.target == "given"
    assert given.opinion.w1["retrieved"].value == pytest.approx(given.opinion.floor)


def test_audit_shows_what_was_stored_in_every_format(run: Run, library: Path, tmp_path: Path) -> None:
    _, receipt = ask(run, library, FOOD)
    text = run("audit", workspace=library)
    assert text.code == 0
    assert "AUDIT RECEIPT" in text.out
    stored = json.loads(run("audit", "last", "--json", workspace=library).out)
    assert stored["answer_id"] == receipt.answer_id
    page = tmp_path / "receipt.html"
    assert run("audit", "--format", "html", "-o", page, workspace=library).code == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    again = run("audit", "--format", "html", "-o", page, workspace=library)
    assert again.code == 2
    assert "exists already" in again.err
    assert run("audit", "--format", "markdown", workspace=library).out.lstrip().startswith("#")


def test_audit_fails_a_pipeline_over_a_limit(run: Run, library: Path) -> None:
    ask(run, library, FOOD)
    assert run("audit", "--fail-over", "w1=60", workspace=library).code == 0
    over = run("audit", "--fail-over", "w1=0.001", workspace=library)
    assert over.code == 5
    assert "over 0.001" in over.err
    assert run("audit", "--fail-over", "speed=1", workspace=library).code == 2


def test_compare_two_answers(run: Run, library: Path) -> None:
    _, first = ask(run, library, FOOD)
    _, second = ask(run, library, FOOD, "--method", "relevance")
    ran = run("audit", first.answer_id, "--compare", second.answer_id, workspace=library)
    assert ran.code == 0
    assert "W1" in ran.out


def test_curation_survives_enrichment(run: Run, library: Path) -> None:
    assert run("entities", "rename", "food", "meals", workspace=library).code == 0
    assert run("entities", "drop", "wifi", workspace=library).code == 0
    assert run("-q", "enrich", "--refresh-registry", workspace=library).code == 0
    listed = json.loads(run("entities", "list", "--json", workspace=library).out)["entities"]
    names = {entity["key"]: entity["name"] for entity in listed}
    assert names["food"] == "meals"
    assert "wifi" not in names


def test_forget_erases_every_byte(run: Run, library: Path) -> None:
    ask(run, library, FOOD)
    exported = run("export", "documents", workspace=library)
    first = exported.out.splitlines()[1]
    document, marker = first.split(",")[0], "Maple Leaf"
    rows = json.loads(run("audit", "--json", workspace=library).out)
    assert rows["ranking"]
    text = next(
        line
        for line in run("export", "documents", "-o", "-", workspace=library).out.splitlines()
        if document in line
    )
    snippet = max(re.findall(r"[A-Za-z ]{25,}", text), key=len)[:40].strip().encode()
    assert any(snippet in path.read_bytes() for path in library.rglob("*") if path.is_file()), marker
    ran = run("-q", "forget", "--document", document, "--yes", workspace=library)
    assert ran.code == 0, ran.err
    assert not [path for path in library.rglob("*") if path.is_file() and snippet in path.read_bytes()]
    assert run("doctor", workspace=library).code == 0
    missing = run("forget", "--document", document, "--yes", workspace=library)
    assert missing.code == 2


def test_doctor_finds_and_mends_a_missing_index(run: Run, library: Path) -> None:
    import shutil

    assert run("doctor", workspace=library).code == 0
    shutil.rmtree(library / "chroma")
    shutil.rmtree(library / "bm25")
    broken = run("doctor", workspace=library)
    assert broken.code == 5
    assert "doctor --rebuild" in broken.out
    _, receipt = ask(run, library, "Is there a smoking room?")
    assert any("BM25" in mark.reason for mark in receipt.degradations)
    assert run("-q", "doctor", "--rebuild", workspace=library).code == 0


def test_ingest_again_changes_nothing(run: Run, library: Path, reviews: Path) -> None:
    ran = run("-c", "lounges", "ingest", reviews, "--json", workspace=library)
    rows = json.loads(ran.out)["rows"]
    assert (rows["read"], rows["unchanged"], rows["new"]) == (REVIEWS, REVIEWS, 0)


def test_json_is_silent_on_stderr(run: Run, library: Path) -> None:
    for command in (["entities", "list"], ["audit", "--list"], ["doctor"]):
        ran = run(*command, "--json", workspace=library)
        assert ran.err == ""
        json.loads(ran.out)


def test_a_voice_stands_under_the_side_of_its_own_score(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, FOOD)
    exported = run("export", "opinions", "-o", "opinions.jsonl", workspace=library)
    assert exported.code == 0, exported.err
    opinions = [json.loads(line) for line in Path("opinions.jsonl").read_text().splitlines()]
    checked = 0
    for block in text.split("\n\n")[1:]:
        heading, *voices = block.splitlines()
        sign = {"Positive": 1, "Negative": -1, "Neutral or mixed": 0}[heading.partition(",")[0]]
        for number in (int(n) for voice in voices for n in re.findall(r"\[(\d+)\]$", voice)):
            cited = next(each for each in receipt.citations if each.number == number)
            ranked = next(each for each in receipt.ranking if each.rank == number)
            scores = {
                each["score"]
                for each in opinions
                if each["document"] == ranked.external_id
                and each["entity"] in {"food", *(e.name for e in receipt.entities)}
                and cited.quote in each["quote"]
            }
            assert not scores or any((s > 0) - (s < 0) == sign for s in scores), cited.quote
            checked += bool(scores)
    assert checked >= 3


def test_documents_that_are_not_enriched_are_said(run: Run, library: Path) -> None:
    import sqlite3

    _, receipt = ask(run, library, FOOD)
    assert not any("enriched" in each.reason for each in receipt.degradations)
    with sqlite3.connect(library / "evenhand.db") as connection:
        connection.execute("DELETE FROM enrichment_work WHERE document_id <= 30")
        connection.execute("UPDATE corpora SET revision = revision + 1")
    gone = f"30 of {REVIEWS} documents are not enriched yet"
    _, receipt = ask(run, library, FOOD)
    assert any(gone in each.reason for each in receipt.degradations)
    _, receipt = ask(run, library, "How many reviewers mention the food?")
    assert any(gone in each.reason for each in receipt.degradations)
    _, receipt = ask(run, library, "Is there a smoking room?")
    assert not receipt.degradations


def test_two_things_are_counted_each_by_itself(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, "Is the food better than the staff?")
    lines = text.splitlines()
    parts = [count for count in receipt.counts if count.part]
    assert len(receipt.entities) == 2
    assert len(parts) == 6
    assert lines[0].startswith("Each part by itself")
    import sqlite3

    with sqlite3.connect(library / "evenhand.db") as connection:
        for count in parts:
            assert connection.execute(count.sql).fetchone()[0] == count.value
    for held, line in zip(parts[::3], lines[1:3], strict=True):
        assert line.startswith(f"- {held.part}: {held.value} documents with a view (of {held.total})")
    assert not receipt.verification.findings


def test_the_first_line_says_the_limits_and_the_base(run: Run, library: Path) -> None:
    text, receipt = ask(run, library, "What do travellers from Australia think of the food?")
    held = receipt.filters[0].documents
    assert text.startswith(
        f"Of {held} documents within country = Australia ({REVIEWS} in the whole corpus), "
    )


def test_warnings_stand_in_words_under_the_answer(run: Run, library: Path) -> None:
    import sqlite3

    with sqlite3.connect(library / "evenhand.db") as connection:
        connection.execute("DELETE FROM enrichment_work WHERE document_id <= 30")
    ran = run("ask", FOOD, workspace=library)
    assert ran.code == 0
    lines = [line for line in ran.err.splitlines() if line]
    assert any(line.startswith("! ") and "run evenhand enrich" in line for line in lines[:-1])
    assert lines[-1].startswith("opinion")
    assert "run evenhand enrich" not in run("--quiet", "ask", FOOD, workspace=library).err


def test_the_price_is_that_of_the_frontier(run: Run, library: Path) -> None:
    _, receipt = ask(run, library, FOOD, "-k", "10")
    (chosen,) = (point for point in receipt.frontier if point.chosen)
    assert receipt.selection is not None
    assert receipt.selection.relevance_kept == chosen.relevance_kept


def test_all_of_all_is_said_once(run: Run, library: Path) -> None:
    text, _ = ask(run, library, "How many reviews are there?")
    assert text == f"{REVIEWS} documents."
