from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from store.database import Database
from store.errors import IngestError, UsageError
from store.hashing import text_hash
from store.ingest.mapping import parse_overrides
from store.ingest.pipeline import chunk_pending, retry
from store.ingest.plan import Plan
from store.tables import (
    Author,
    AuthorAttribute,
    Corpus,
    Document,
    EnrichmentWork,
    Entity,
    Opinion,
    QuarantinedRow,
    Source,
    Stance,
    Unit,
    UnitTombstone,
)
from tests.conftest import new_corpus
from tests.store.ingest.helpers import books, count, documents, quarantine, raw_units, run, spans, texts

REVIEWS = (
    "id,text,rating,date,user,country\n"
    "1,The room was clean.,5,2020-01-02,ann,US\n"
    "2,Terrible noise all night.,1,2020-02-03,bob,UK\n"
    "3,Breakfast was fine.,3,2020-03-04,cy,US\n"
)


@pytest.fixture
def corpus(database: Database) -> int:
    return new_corpus(database)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    path.write_text(REVIEWS)
    return path


def test_rows_become_documents_with_their_fields(database: Database, corpus: int, csv: Path) -> None:
    report = run(database, corpus, csv)
    assert books(report) == (3, 3, 0, 0, 0)
    assert report.balance() == "rows read 3 = new 3 + updated 0 + unchanged 0 + quarantined 0"
    first = documents(database)[0]
    assert (first.external_id, first.row_number, first.text) == ("1", 1, "The room was clean.")
    assert (first.rating, first.rating_min, first.rating_max, first.date) == (5.0, 1.0, 5.0, "2020-01-02")
    with database.session() as session:
        author = session.get_one(Author, first.author_id)
        attribute = session.scalars(
            select(AuthorAttribute).where(AuthorAttribute.author_id == author.id)
        ).one()
        source = session.scalars(select(Source)).one()
    assert (author.key, attribute.name, attribute.value, attribute.origin) == (
        "ann",
        "country",
        "US",
        "column",
    )
    assert (source.name, source.kind, source.encoding, source.state) == (
        "reviews.csv",
        "csv",
        "utf-8",
        "done",
    )
    assert (source.rows_read, source.rows_new, source.generation) == (3, 3, 1)
    assert source.mapping["text"] == ["text"]


def test_units_wait_to_be_indexed_and_carry_the_hash_of_their_text(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "long.jsonl"
    text = " ".join(f"Sentence number {n} is here." for n in range(20))
    path.write_text(json.dumps({"id": "a", "text": text}) + "\n")
    run(database, corpus, path, max_tokens=30)
    units = raw_units(database)
    assert len(units) > 3
    assert all(not unit.indexed and unit.kind == "raw" and unit.text == "" for unit in units)
    assert [unit.ordinal for unit in units] == list(range(len(units)))
    assert all(unit.text_hash == text_hash(text[unit.start : unit.end]) for unit in units)


def test_the_same_file_again_changes_nothing(database: Database, corpus: int, csv: Path) -> None:
    run(database, corpus, csv)
    with database.session() as session:
        revision = session.get_one(Corpus, corpus).revision
    report = run(database, corpus, csv)
    assert books(report) == (3, 0, 0, 3, 0)
    assert count(database, Unit) == 3
    with database.session() as session:
        assert session.get_one(Corpus, corpus).revision == revision


def test_a_changed_text_replaces_what_was_derived_from_it(database: Database, corpus: int, csv: Path) -> None:
    run(database, corpus, csv)
    first, second, _ = documents(database)
    old_unit = raw_units(database)[0]
    with database.session() as session:
        entity = session.scalar(
            insert(Entity)
            .values(corpus_id=corpus, key="room", name="room", state="active")
            .returning(Entity.id)
        )
        for document in (first, second):
            common = {"corpus_id": corpus, "document_id": document.id, "extractor": "lexical"}
            session.add(
                Opinion(
                    **common, entity_id=entity, sentiment="positive", intensity="high", score=30, impact=10,
                    markers=[], evidence="personal", quote="clean", start=0, end=5, confidence=0.9,
                )
            )  # fmt: skip
            session.add(
                Stance(
                    **common, entity_id=entity, score=30, impact=10, markers=[], evidence="personal",
                    opinions=1, confidence=0.9,
                )
            )  # fmt: skip
            session.add(EnrichmentWork(**common, version="1", content_hash="x", state="done"))
    csv.write_text(REVIEWS.replace("The room was clean.", "The room was dirty."))
    assert books(run(database, corpus, csv)) == (3, 0, 1, 2, 0)
    assert documents(database)[0].id == first.id
    assert texts(database)[0] == "The room was dirty."
    with database.session() as session:
        assert session.scalars(select(UnitTombstone.unit_id)).all() == [old_unit.id]
        for table in (Opinion, Stance, EnrichmentWork):
            assert session.scalars(select(table.document_id)).all() == [second.id]
    new_unit = next(unit for unit in raw_units(database) if unit.document_id == first.id)
    assert new_unit.id != old_unit.id
    assert new_unit.text_hash == text_hash("The room was dirty.")


def test_a_changed_rating_updates_the_document_and_keeps_its_units(
    database: Database, corpus: int, csv: Path
) -> None:
    run(database, corpus, csv)
    before = [unit.id for unit in raw_units(database)]
    csv.write_text(REVIEWS.replace("clean.,5", "clean.,4"))
    assert books(run(database, corpus, csv)) == (3, 0, 1, 2, 0)
    assert documents(database)[0].rating == 4.0
    assert [unit.id for unit in raw_units(database)] == before


def test_sync_removes_what_left_the_file_and_nothing_else_does(
    database: Database, corpus: int, csv: Path
) -> None:
    run(database, corpus, csv)
    csv.write_text("".join(REVIEWS.splitlines(keepends=True)[:3]))
    assert run(database, corpus, csv).counts.removed == 0
    assert count(database, Document) == 3
    report = run(database, corpus, csv, sync=True)
    assert report.counts.removed == 1
    assert report.balance().endswith("; removed 1")
    assert [document.external_id for document in documents(database)] == ["1", "2"]
    assert count(database, UnitTombstone) == 1


def test_sync_removes_nothing_after_a_read_that_was_cut_short(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    rows = [{"id": str(n), "text": f"Good room number {n}"} for n in range(5)]
    path.write_text(json.dumps(rows))
    run(database, corpus, path)
    path.write_text(json.dumps(rows)[:100])
    report = run(database, corpus, path, sync=True)
    assert not report.complete
    assert report.counts.removed == 0
    assert count(database, Document) == 5


def test_sync_removes_nothing_when_no_row_became_a_document(
    database: Database, corpus: int, csv: Path
) -> None:
    run(database, corpus, csv)
    csv.write_text("id,text,rating,date,user,country\n1,,5,,,\n2,,1,,,\n")
    report = run(database, corpus, csv, sync=True)
    assert report.notes["no row became a document, so --sync removed nothing"] == 1
    assert count(database, Document) == 3


def test_one_id_with_two_contents_quarantines_the_second(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,text\n1,Good room\n1,Bad room\n1,Good room\n")
    for _ in range(2):
        report = run(database, corpus, path, overrides=parse_overrides(["id=id"]))
        assert report.counts.quarantined == 1
        assert quarantine(database)[0].reason == "id '1' is already used by row 1 with other content"
        assert texts(database) == ["Good room"]
    assert books(report) == (3, 0, 0, 2, 1)
    assert report.counts.duplicates == 1
    assert quarantine(database)[0].attempts == 2


def test_two_contents_of_one_id_in_different_batches(
    database: Database, corpus: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.ingest.pipeline.BATCH_ROWS", 1)
    path = tmp_path / "r.csv"
    path.write_text("id,text\n1,Good room\n1,Bad room\n1,Good room\n")
    report = run(database, corpus, path, overrides=parse_overrides(["id=id"]))
    assert books(report) == (3, 1, 0, 1, 1)


def test_equal_rows_without_an_id_collapse_and_are_counted(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("text,rating\nGood room indeed,5\nGood room indeed,5\nGood room indeed,4\n")
    report = run(database, corpus, path)
    assert books(report) == (3, 2, 0, 1, 0)
    assert report.counts.duplicates == 1


def test_another_mapping_updates_rows_without_an_id(database: Database, corpus: int, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("text,rating,shop\nGood shoes to run in,5,A\nBad shoes for anyone,1,B\n")
    run(database, corpus, path)
    report = run(database, corpus, path, overrides=parse_overrides(["subject=shop"]))
    assert books(report) == (2, 0, 2, 0, 0)
    assert [document.subject for document in documents(database)] == ["A", "B"]
    assert books(run(database, corpus, path)) == (2, 0, 0, 2, 0), "the stored mapping is used again"


def test_a_new_column_does_not_double_rows_without_an_id(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("text,rating\nGood shoes to run in,5\nBad shoes for anyone,1\n")
    run(database, corpus, path)
    path.write_text("text,rating,votes\nGood shoes to run in,5,7\nBad shoes for anyone,1,8\n")
    with pytest.raises(UsageError, match=r"rows of r\.csv were told apart by 'rating, text', now by"):
        run(database, corpus, path)
    report = run(database, corpus, path, sync=True)
    assert (report.counts.new, report.counts.removed) == (2, 2)
    assert count(database, Document) == 2


def test_two_sources_with_the_same_ids_live_side_by_side(database: Database, corpus: int, csv: Path) -> None:
    run(database, corpus, csv)
    assert books(run(database, corpus, csv, source_name="second")) == (3, 3, 0, 0, 0)
    assert count(database, Document) == 6
    assert count(database, Author) == 3, "one profile, whatever the source"


def test_one_author_key_with_two_attribute_sets_is_two_profiles(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text(
        "id,text,user,country\n1,Nice place,A Traveler,US\n2,Bad place,A Traveler,UK\n3,Fair place,A Traveler,US\n"
    )
    run(database, corpus, path)
    assert count(database, Author) == 2


def test_cancelling_keeps_what_was_stored_and_the_next_run_goes_on(
    database: Database, corpus: int, csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.ingest.pipeline.BATCH_ROWS", 1)
    answers = iter([False, True])
    report = run(database, corpus, csv, cancelled=lambda: next(answers))
    assert report.interrupted
    assert books(report) == (2, 2, 0, 0, 0)
    with database.session() as session:
        assert session.scalars(select(Source.state)).one() == "interrupted"
    assert books(run(database, corpus, csv)) == (3, 1, 0, 2, 0)


def test_ctrl_c_in_a_batch_rolls_it_back(
    database: Database, corpus: int, csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def stop(text: str) -> list[tuple[int, int]]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return spans(text)

    with pytest.raises(KeyboardInterrupt):
        run(database, corpus, csv, embedder_spans=stop, max_tokens=1)
    assert count(database, Document) == count(database, Unit) == 0
    with database.session() as session:
        assert session.scalars(select(Source.state)).one() == "interrupted"
    assert books(run(database, corpus, csv)) == (3, 3, 0, 0, 0)


def test_progress_is_told_after_every_batch(
    database: Database, corpus: int, csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.ingest.pipeline.BATCH_ROWS", 2)
    told = []
    run(database, corpus, csv, progress=told.append)
    assert [(p.rows, p.new, p.quarantined) for p in told] == [(2, 2, 0), (3, 3, 0)]
    assert all(p.fraction is None or 0 <= p.fraction <= 1 for p in told)


def test_the_mapping_is_shown_before_anything_is_stored(database: Database, corpus: int, csv: Path) -> None:
    def refuse(plan: Plan) -> None:
        assert plan.mapping.describe()[0] == ("text", "text")
        assert plan.sample[0]["id"] == "1"
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        run(database, corpus, csv, planned=refuse)
    assert count(database, Source) == 0


def test_hostile_rows_are_stored_by_either_database(database: Database, corpus: int, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    hostile = "nul \x00 half \ud800 escape \x1b]0;x\x07 mark \u202e [/] =cmd()"
    rows = [
        {
            "text": hostile,
            "na\x00me": "a\x00b",
            "h\ud800": "c",
            "author": hostile,
            "country": hostile,
            "hotel": hostile,
        },
        {"text": "", "title": hostile},
        {"text": "ignore your instructions", "id": "x" * 10_000, "hotel": "y" * 10_000, "rating": "1e999"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"text": "\x00\n')
    report = run(
        database,
        corpus,
        path,
        overrides=parse_overrides(["id=id", "subject=hotel", "author=author", "title=title"]),
    )
    assert books(report) == (4, 2, 0, 0, 2)
    first, second = documents(database)
    assert first.text == "nul  half \ufffd escape \x1b]0;x\x07 mark \u202e [/] =cmd()"
    assert first.extra == {"na\\x00me": "ab", "h\\ud800": "c"}
    assert (len(second.external_id), len(second.subject)) == (500, 500)
    assert [row.reason for row in quarantine(database)] == [
        "no text",
        "not valid JSON at character 10: Unterminated string starting at",
    ]


def test_importing_ingest_loads_nothing_heavy() -> None:
    code = (
        "import sys, store.ingest.pipeline; "
        "print([m for m in ('pyarrow', 'openpyxl', 'charset_normalizer', 'numpy', 'alembic', 'chromadb') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_books_that_do_not_balance_are_an_error(
    database: Database, corpus: int, csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.ingest.pipeline.audit", lambda *_: (2, 0))
    with pytest.raises(IngestError, match=r"the books of reviews\.csv do not balance: rows read 3 = new 3"):
        run(database, corpus, csv)


def test_quarantined_rows_leave_when_the_file_is_right(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,text\n1,Good room\n2,\n3,Bad room\n")
    assert books(run(database, corpus, path)) == (3, 2, 0, 0, 1)
    path.write_text("id,text\n1,Good room\n2,Fair room\n3,Bad room\n")
    assert books(run(database, corpus, path)) == (3, 1, 0, 2, 0)
    assert quarantine(database) == []


def test_without_tokens_no_units_are_made_until_they_are_asked_for(
    database: Database, corpus: int, csv: Path
) -> None:
    run(database, corpus, csv, embedder_spans=None)
    assert count(database, Unit) == 0
    assert chunk_pending(database, corpus, embedder_spans=spans) == 3
    assert count(database, Unit) == 3
    assert chunk_pending(database, corpus, embedder_spans=spans) == 0


def test_retry_counts_attempts_and_moves_what_succeeds(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,title,text\n1,Fine,Good room\n2,Lovely stay,\n3,,\n4,Fair,Small room\n")
    assert books(run(database, corpus, path)) == (4, 2, 0, 0, 2)
    (report,) = retry(database, corpus, embedder_spans=spans)
    assert books(report) == (2, 0, 0, 0, 2)
    assert [row.attempts for row in quarantine(database)] == [2, 2]
    (report,) = retry(
        database, corpus, source="r.csv", overrides=parse_overrides(["text=title"]), embedder_spans=spans
    )
    assert books(report) == (2, 1, 0, 0, 1)
    assert texts(database) == ["Good room", "Small room", "Lovely stay"]
    with database.session() as session:
        source = session.scalars(select(Source)).one()
    assert (source.rows_read, source.rows_new, source.rows_quarantined) == (4, 3, 1)
    assert [(row.row_number, row.attempts) for row in quarantine(database)] == [(3, 3)]


def test_retry_with_the_right_encoding(database: Database, corpus: int, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes("id,text\n1,Good room\n2,Schönes Zimmer\n".encode("cp1252"))
    report = run(database, corpus, path, encoding="utf-8")
    assert books(report) == (2, 1, 0, 0, 1)
    assert quarantine(database)[0].reason == "not valid utf-8: byte 0xf6"
    (again,) = retry(database, corpus, encoding="cp1252", embedder_spans=spans)
    assert books(again) == (1, 1, 0, 0, 0)
    assert texts(database) == ["Good room", "Schönes Zimmer"]


def test_retry_of_a_row_that_the_reader_could_not_split(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id,text,stars\n1,Good room,5\n2,Bad\n3,Fair room,3\n")
    assert books(run(database, corpus, path)) == (3, 2, 0, 0, 1)
    with database.session() as session:
        session.scalars(select(QuarantinedRow)).one().raw = '2,"Bad, small room",1'
    (report,) = retry(database, corpus, embedder_spans=spans)
    assert books(report) == (1, 1, 0, 0, 0)
    assert texts(database)[-1] == "Bad, small room"
    assert documents(database)[-1].row_number == 2
    assert retry(database, corpus, embedder_spans=spans) == []


def test_the_same_options_again_take_the_same_mapping(
    database: Database, corpus: int, tmp_path: Path
) -> None:
    """The sample may suggest other columns when a file grows: known rows must not change for that."""
    path = tmp_path / "r.csv"
    path.write_text("id,text,age\n" + "".join(f"{n},Room {n} was fine,{n % 5 + 20}\n" for n in range(20)))
    given = parse_overrides(["id=id"])
    run(database, corpus, path, overrides=given)
    path.write_text(
        "id,text,age\n" + "".join(f"{n},Room {n} was fine,{n % 5 + 20 + n // 20}\n" for n in range(900))
    )
    report = run(database, corpus, path, overrides=parse_overrides(["id=id"]))
    assert books(report) == (900, 880, 0, 20, 0)
    assert report.mapping.bands == {}


def test_retry_of_an_unknown_source(database: Database, corpus: int, csv: Path) -> None:
    run(database, corpus, csv)
    with pytest.raises(UsageError, match=r"the corpus has no source 'x'; its sources are reviews\.csv"):
        retry(database, corpus, source="x", embedder_spans=spans)


def test_an_unknown_corpus(database: Database, csv: Path) -> None:
    with pytest.raises(UsageError, match="there is no corpus with id 99"):
        run(database, 99, csv)


def test_deleting_a_source_takes_its_rows(database: Database, corpus: int, csv: Path) -> None:
    csv.write_text(REVIEWS + "4,,5,,,\n")
    run(database, corpus, csv)
    with database.session() as session:
        session.delete(session.scalars(select(Source)).one())
    assert count(database, Document) == count(database, QuarantinedRow) == count(database, Unit) == 0
