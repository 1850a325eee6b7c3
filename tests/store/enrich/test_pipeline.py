from __future__ import annotations

import csv
import gzip
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import store.enrich.pipeline
from store.database import Database
from store.enrich.lexical import LexicalExtractor
from store.enrich.pipeline import EnrichOptions, EnrichPipeline, EnrichReport, failed_documents
from store.hashing import text_hash
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.tables import Corpus, Document, EnrichmentWork, Opinion, Stance, Unit, UnitTombstone
from tests.conftest import new_corpus
from tests.fakes.extractor import ScriptedExtractor
from tests.store.helpers import add_documents, count

REGISTRY = [
    RegistryEntity("staff", "staff", None, ("staff",)),
    RegistryEntity("coffee", "coffee", None, ("coffee",)),
]
TEXTS = [f"The staff was {'good' if n % 2 else 'rude'} on day {n}. The coffee was bad." for n in range(18)]
GERMAN = "Das Personal war nett und der Kaffee gut"


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.enrich.pipeline, "BATCH", 5)


class House:
    """A corpus whose registry is settled."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.corpus = new_corpus(database)
        RegistryStore(database).save(self.corpus, REGISTRY)
        with database.session() as session:
            session.get_one(Corpus, self.corpus).settings = {"registry_documents": 1000}
        self.extractor = ScriptedExtractor()

    def add(self, texts: list[str], **fields: Any) -> list[int]:
        return add_documents(self.database, self.corpus, texts, **fields)

    def run(self, **options: Any) -> EnrichReport:
        report = EnrichPipeline(self.database, self.extractor, None, EnrichOptions(**options)).run(
            self.corpus
        )
        balanced(report)
        return report

    def change(self, document_id: int, text: str) -> None:
        with self.database.session() as session:
            document = session.get_one(Document, document_id)
            document.text, document.content_hash = text, text_hash(text)


def balanced(report: EnrichReport) -> None:
    assert not report.interrupted
    assert report.documents == (
        report.enriched + report.set_aside + report.failed + report.pending + report.unchanged
    )


def state_of(database: Database, corpus: int) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that enrichment wrote, without the ids that a repeated run gives anew."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    with database.session() as session:
        for table, columns in (
            (
                Opinion,
                "document_id entity_id extractor sentiment intensity score impact evidence quote start end",
            ),
            (Stance, "document_id entity_id extractor score impact evidence opinions"),
            (Unit, "document_id entity_id kind ordinal start end text text_hash"),
            (EnrichmentWork, "document_id extractor version content_hash state reason language attempts"),
        ):
            fields = [getattr(table, name) for name in columns.split()]
            statement = select(*fields).where(table.corpus_id == corpus)
            if table is Unit:
                statement = statement.where(Unit.kind != "raw")
            found[table.__tablename__] = sorted((tuple(row) for row in session.execute(statement)), key=repr)
    return found


@pytest.fixture
def house(database: Database) -> House:
    return House(database)


def test_everything_is_written(house: House) -> None:
    house.add(TEXTS, attributes=[{"country": "Spain"}] * len(TEXTS))
    report = house.run()
    assert (report.documents, report.enriched, report.opinions, report.entities) == (18, 18, 36, 2)
    with house.database.session() as session:
        opinions = session.scalars(select(Opinion).order_by(Opinion.id)).all()
        texts = dict(session.execute(select(Document.id, Document.text)).all())
        units = session.scalars(select(Unit).where(Unit.kind == "enriched").order_by(Unit.id)).all()
        corpus = session.get_one(Corpus, house.corpus)
    assert all(texts[o.document_id][o.start : o.end] == o.quote for o in opinions)
    assert len(units) == 36
    assert all(unit.text_hash == text_hash(unit.text) and not unit.indexed for unit in units)
    assert all("country: Spain" in unit.text for unit in units)
    assert count(house.database, Stance) == 36
    assert (corpus.extractor, corpus.revision) == ("scripted", 1)
    assert count(house.database, Unit, Unit.kind == "split") == 0


def test_running_again_changes_nothing(house: House) -> None:
    house.add([*TEXTS, GERMAN])
    house.run()
    before, calls = state_of(house.database, house.corpus), len(house.extractor.calls)
    report = house.run()
    assert (report.enriched, report.unchanged, report.opinions) == (0, 19, 0)
    assert len(house.extractor.calls) == calls
    assert state_of(house.database, house.corpus) == before
    assert count(house.database, UnitTombstone) == 0


def test_a_changed_document_is_enriched_again(house: House) -> None:
    ids = house.add(TEXTS)
    house.run()
    house.change(ids[3], "The coffee was great today")
    report = house.run()
    assert (report.enriched, report.unchanged, report.opinions) == (1, 17, 1)
    assert house.extractor.calls[-1] == ids[3]
    with house.database.session() as session:
        quotes = session.scalars(select(Opinion.quote).where(Opinion.document_id == ids[3])).all()
        units = session.scalars(
            select(Unit.text).where(Unit.document_id == ids[3], Unit.kind == "enriched")
        ).all()
    assert quotes == ["The coffee was great today"]
    assert len(units) == 1
    # Both of the old units must still leave the vector index.
    assert count(house.database, UnitTombstone) == 2


def test_another_version_enriches_everything_again(house: House) -> None:
    house.add(TEXTS)
    house.run()
    house.extractor.version = "2"
    assert house.run().enriched == 18
    assert count(house.database, Opinion) == 36


def test_another_extractor_keeps_its_own_opinions(house: House) -> None:
    house.add(TEXTS)
    house.run()
    house.extractor = ScriptedExtractor()
    house.extractor.name = "another"
    assert house.run().enriched == 18
    with house.database.session() as session:
        names = session.scalars(select(Opinion.extractor)).all()
    assert sorted(names) == ["another"] * 36 + ["scripted"] * 36
    assert count(house.database, Unit, Unit.kind == "enriched") == 36


def test_other_languages_are_set_aside_and_counted(house: House) -> None:
    house.add([*TEXTS[:3], GERMAN, GERMAN + "!"])
    report = house.run()
    assert (report.enriched, report.set_aside, report.languages) == (3, 2, {"de": 2})
    with house.database.session() as session:
        rows = session.execute(
            select(EnrichmentWork.state, EnrichmentWork.reason).where(EnrichmentWork.language == "de")
        ).all()
    assert [tuple(row) for row in rows] == [("set-aside", "language de")] * 2
    assert house.run().unchanged == 5


def test_a_document_that_fails_is_kept_with_its_reason_and_the_others_are_done(house: House) -> None:
    ids = house.add([*TEXTS[:6], "POISON", *TEXTS[6:12]])
    report = house.run()
    assert (report.enriched, report.failed, report.unchanged) == (12, 1, 0)
    assert failed_documents(house.database, house.corpus) == [("r6", f"document {ids[6]} cannot be read", 1)]


def test_failed_documents_are_tried_again_up_to_three_times_and_then_on_demand(house: House) -> None:
    [good, bad] = house.add([TEXTS[0], "POISON the staff was good"])
    house.run()
    for attempt in (2, 3):
        report = house.run()
        assert (report.failed, report.unchanged) == (1, 1)
        assert failed_documents(house.database, house.corpus)[0][2] == attempt
    tried = house.extractor.calls.count(bad)
    report = house.run()
    assert (report.failed, report.unchanged) == (0, 2)
    assert house.extractor.calls.count(bad) == tried
    report = house.run(retry=True)
    assert (report.failed, report.unchanged) == (1, 1)
    assert failed_documents(house.database, house.corpus)[0][2] == 4

    # Another version of the extractor tries once more, and the count goes on.
    house.extractor = ScriptedExtractor("2")
    assert house.run().failed == 1
    assert failed_documents(house.database, house.corpus)[0][2] == 5
    # The cause is gone: done, and nothing is tried again.
    house.extractor.poison = ""
    report = house.run(retry=True)
    assert (report.enriched, report.failed, report.unchanged) == (1, 0, 1)
    assert failed_documents(house.database, house.corpus) == []
    assert house.run(retry=True).unchanged == 2
    assert good


def test_a_new_text_starts_the_count_anew(house: House) -> None:
    [bad] = house.add(["POISON"])
    for _ in range(3):
        house.run()
    house.change(bad, "POISON again")
    assert house.run().failed == 1
    assert failed_documents(house.database, house.corpus)[0][2] == 1


def test_split_units_come_and_go_with_the_flag(house: House) -> None:
    ids = house.add(TEXTS[:4])
    assert house.run(kinds=("enriched", "split")).enriched == 4
    assert count(house.database, Unit, Unit.kind == "split") == 8
    with house.database.session() as session:
        pairs = session.execute(select(Unit.kind, Unit.text).where(Unit.document_id == ids[0])).all()
    split = {text for kind, text in pairs if kind == "split"}
    assert split == {"The staff was rude on day 0", "The coffee was bad"}
    assert house.run().enriched == 4
    assert count(house.database, Unit, Unit.kind == "split") == 0
    assert count(house.database, Unit, Unit.kind == "enriched") == 8


def test_a_cancelled_run_is_continued(house: House) -> None:
    house.add(TEXTS)
    pipeline = EnrichPipeline(house.database, house.extractor)
    report = pipeline.run(house.corpus, cancelled=lambda: len(house.extractor.calls) >= 10)
    assert report.interrupted
    assert (report.enriched, count(house.database, EnrichmentWork)) == (10, 10)
    again = house.run()
    assert (again.enriched, again.unchanged) == (8, 10)
    assert sorted(house.extractor.calls) == sorted(set(house.extractor.calls))


def test_an_exception_half_way_loses_one_batch_at_most(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.add(TEXTS)

    def die(progress: Any) -> None:
        if progress.done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EnrichPipeline(house.database, house.extractor).run(house.corpus, die)
    assert count(house.database, EnrichmentWork) == 10
    assert house.run().enriched == 8
    assert count(house.database, Opinion) == 36


def test_an_empty_corpus(house: House) -> None:
    report = house.run()
    assert (report.documents, report.entities) == (0, 2)


# -- the real extractor on real reviews


def lounges(n: int) -> list[dict[str, str]]:
    data = files("app").joinpath("demo/lounges.csv.gz").read_bytes()
    return list(csv.DictReader(gzip.decompress(data).decode("utf-8").splitlines()))[:n]


@pytest.fixture(scope="module")
def real(
    tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> Iterator[tuple[Database, int, dict[str, Any]]]:
    """Forty real reviews, enriched without interruption by the real extractor."""
    path = tmp_path_factory.mktemp("real") / "real.db"
    path.write_bytes(sqlite_template.read_bytes())
    database = Database(f"sqlite:///{path}")
    corpus = load(database)
    balanced(EnrichPipeline(database, LexicalExtractor()).run(corpus))
    yield database, corpus, state_of(database, corpus)
    database.close()


def load(database: Database) -> int:
    corpus = new_corpus(database)
    rows = lounges(40)
    add_documents(
        database,
        corpus,
        [row["content"] for row in rows],
        subject=[row["airline_name"] for row in rows],
        attributes=[{"country": row["author_country"]} for row in rows],
    )
    return corpus


def test_real_reviews(real: tuple[Database, int, dict[str, Any]]) -> None:
    database, corpus, state = real
    names = {entity.key for entity in RegistryStore(database).load(corpus)}
    assert {"staff", "food"} <= names
    assert len(state["opinions"]) > 60
    assert len(state["enrichment_work"]) == 40
    assert {row[4] for row in state["enrichment_work"]} <= {"done", "set-aside"}
    scores = [row[5] for row in state["opinions"]]
    assert min(scores) < 0 < max(scores)


def test_real_reviews_again_and_refreshed(real: tuple[Database, int, dict[str, Any]]) -> None:
    database, corpus, state = real
    report = EnrichPipeline(database, LexicalExtractor(), None, EnrichOptions(refresh_registry=True)).run(
        corpus
    )
    balanced(report)
    assert report.unchanged == 40
    assert state_of(database, corpus) == state


def test_decisions_survive_a_refresh(real: tuple[Database, int, dict[str, Any]], tmp_path: Path) -> None:
    database, corpus, _ = copied(real, tmp_path)
    registry = RegistryStore(database)
    registry.decide(corpus, "rename", {"entity": "staff", "value": "team"})
    registry.decide(corpus, "drop", {"entity": "food"})
    registry.decide(corpus, "move", {"entity": "staff", "value": "staff"})
    for _ in range(2):
        report = EnrichPipeline(database, LexicalExtractor(), None, EnrichOptions(refresh_registry=True)).run(
            corpus
        )
        balanced(report)
        found = {entity.key: entity for entity in registry.load(corpus)}
        assert found["staff"].name == "team"
        assert "food" not in found
        assert len(report.refused_decisions) == 1
        assert report.refused_decisions[0].startswith("move staff: ")
    assert report.unchanged == 40
    food = registry.ids(corpus)["food"]
    assert count(database, Opinion, Opinion.entity_id == food) == 0
    database.close()


def copied(real: tuple[Database, int, dict[str, Any]], folder: Path) -> tuple[Database, int, dict[str, Any]]:
    database, corpus, state = real
    path = folder / "copy.db"
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(Path(database.engine.url.database or "").read_bytes())
    return Database(f"sqlite:///{path}"), corpus, state


CHILD = """
import sys
import time
import store.enrich.pipeline as pipeline
from store.database import Database
from store.enrich.lexical import LexicalExtractor
pipeline.BATCH = 2
database = Database(sys.argv[1])



def report(progress):
    print(progress.done, flush=True)
    time.sleep(0.02)  # else all is done before the kill


pipeline.EnrichPipeline(database, LexicalExtractor()).run(int(sys.argv[2]), report)
print("end", flush=True)
"""


@pytest.mark.slow
def test_kill_9_at_random_moments(real: tuple[Database, int, dict[str, Any]], tmp_path: Path) -> None:
    database, corpus, state = copied(real, tmp_path)
    with database.session() as session:
        for table in (EnrichmentWork, Opinion, Stance):
            session.query(table).delete()
        session.query(Unit).filter(Unit.kind != "raw").delete()
    rng = random.Random(5)
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, database.url, str(corpus)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for _ in range(rng.randint(1, 4)):
            child.stdout.readline()
        time.sleep(rng.random() * 0.1)
        child.kill()
        child.communicate(timeout=60)
        done = count(database, EnrichmentWork)
        # What is written is whole: every document of the ledger has its opinions, no other has any.
        with database.session() as session:
            orphans = session.scalars(
                select(Opinion.id).where(Opinion.document_id.not_in(select(EnrichmentWork.document_id)))
            ).all()
        assert orphans == []
        assert done % 2 == 0
    assert 0 < done < 40
    report = EnrichPipeline(database, LexicalExtractor()).run(corpus)
    balanced(report)
    assert report.unchanged == done
    assert state_of(database, corpus) == state
    database.close()


@pytest.mark.slow
def test_a_pool_of_processes_writes_the_same(
    real: tuple[Database, int, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, corpus, state = copied(real, tmp_path)
    with database.session() as session:
        session.query(EnrichmentWork).delete()
    monkeypatch.setattr(EnrichPipeline, "_workers", lambda self, pending: self._options.workers)
    report = EnrichPipeline(database, LexicalExtractor(), None, EnrichOptions(workers=2)).run(corpus)
    balanced(report)
    assert report.enriched + report.set_aside == 40
    assert state_of(database, corpus) == state
    database.close()


def test_a_corpus_that_doubled_gets_a_new_registry_once(
    real: tuple[Database, int, dict[str, Any]], tmp_path: Path
) -> None:
    database, corpus, _ = copied(real, tmp_path)
    before = {entity.key: entity.name for entity in RegistryStore(database).load(corpus)}
    add_documents(
        database, corpus, [f"The sauna was lovely and the sauna staff kind, visit {n}." for n in range(40)]
    )
    report = EnrichPipeline(database, LexicalExtractor()).run(corpus)
    balanced(report)
    after = {entity.key: entity.name for entity in RegistryStore(database).load(corpus)}
    assert before.items() <= after.items()
    assert "sauna" in after
    again = EnrichPipeline(database, LexicalExtractor()).run(corpus)
    assert again.unchanged == again.documents == 80
    assert replace(again, seconds=0.0).doubtful == ()
    database.close()
