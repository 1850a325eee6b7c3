"""Runs of enrichment over a server that fails: nothing is lost, nothing is given up for good, nothing is done twice."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from agents.models.bridge import extractor_of
from agents.models.chat import OpenAIChat
from agents.models.extraction_records import ExtractorOptions
from agents.models.settings import EndpointSettings, Retries, Timeouts
from store.database import Database
from store.enrich.pipeline import EnrichPipeline, EnrichReport, failed_documents
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.tables import Corpus, EnrichmentWork, Opinion
from tests.conftest import new_corpus
from tests.fakes.misbehaving import (
    Behaviour,
    MisbehavingServer,
    Request,
    extracts,
    fails,
    replies,
    resets,
    says,
    silent,
)
from tests.store.helpers import add_documents

TEXTS = [f"Room {n} was lovely and the bed number {n} soft." for n in range(60)]


class House:
    """A corpus with a settled registry, and an extractor of the misbehaving server."""

    def __init__(self, database: Database, server: MisbehavingServer, cache: Path) -> None:
        self.database, self.server, self._cache = database, server, cache
        self.corpus = new_corpus(database)
        RegistryStore(database).save(self.corpus, [RegistryEntity("room", "room", None, ("room",))])
        with database.session() as session:
            session.get_one(Corpus, self.corpus).settings = {"registry_documents": 10_000}

    def run(self, **options: Any) -> EnrichReport:
        """Run as a new process would: nothing is carried over but the database and the cache folder."""
        settings = EndpointSettings(
            base_url=self.server.base_url,
            model="fake",
            timeouts=Timeouts(connect=5, first_token=1, total=1),
            retries=Retries(attempts=1),
        )
        wanted = ExtractorOptions(**{"documents": 1, "workers": 4, "give_up_after": 6} | options)
        extractor = extractor_of(OpenAIChat(settings), cache_folder=self._cache, options=wanted)
        report = EnrichPipeline(self.database, extractor).run(self.corpus)
        books = report.enriched + report.set_aside + report.failed + report.pending + report.unchanged
        assert books == report.documents
        return report

    def states(self) -> Counter[str]:
        with self.database.session() as session:
            rows = session.execute(
                select(EnrichmentWork.state, func.count()).group_by(EnrichmentWork.state)
            ).all()
        return Counter(dict(rows))

    def opinions(self) -> Counter[int]:
        with self.database.session() as session:
            return Counter(session.scalars(select(Opinion.document_id)))


@pytest.fixture
def house(sqlite_database: Database, server: MisbehavingServer, tmp_path: Path) -> House:
    return House(sqlite_database, server, tmp_path / "cache")


@pytest.mark.parametrize(
    "fault",
    [fails(401, "bad key"), fails(404, "no such model"), fails(503, "down"), fails(429, "slow"), resets()],
    ids=["401", "404", "503", "429", "reset"],
)
def test_a_dead_server_costs_no_document_its_chances(house: House, fault: Behaviour) -> None:
    add_documents(house.database, house.corpus, TEXTS)
    house.server.default = fault
    for _ in range(4):  # more often than a document may fail
        report = house.run()
        assert (report.pending, report.failed, report.enriched) == (60, 0, 0)
        assert report.pending_reason
    asked = len(house.server.requests)
    assert asked < 4 * 20, "it is left in peace"
    listed = failed_documents(house.database, house.corpus)
    assert len(listed) == 60
    assert all(reason and attempts == 0 for _, reason, attempts in listed)
    house.server.default = extracts()
    assert house.run().enriched == 60
    assert house.states() == {"done": 60}
    assert set(house.opinions().values()) == {1}
    assert house.run().unchanged == 60


def test_a_server_that_dies_on_the_way(house: House) -> None:
    """What was done stays, the rest waits with its reason."""
    add_documents(house.database, house.corpus, TEXTS)

    served = 0

    async def dies(request: Request, writer: Any) -> bool | None:
        # Requests are noted before they are answered: their number may run ahead.
        nonlocal served
        served += 1
        if served > 20:
            return await resets()(request, writer)
        return await extracts()(request, writer)

    house.server.default = dies
    first = house.run()
    assert first.enriched == 20
    assert first.pending == 40
    house.server.default = extracts()
    house.server.requests.clear()
    second = house.run()
    assert (second.enriched, second.unchanged) == (40, 20)
    assert len(house.server.requests) == 40, "nothing twice"
    assert set(house.opinions().values()) == {1}


def test_labels_outlive_a_new_registry_and_a_dead_server(house: House) -> None:
    """A version that changed asks for new labels; until a server gives them, the old ones stay."""
    add_documents(house.database, house.corpus, TEXTS[:10])
    house.server.default = extracts()
    house.run()
    before = house.opinions()
    entities = [RegistryEntity("room", "room", None, ("room",)), RegistryEntity("bed", "bed", None, ("bed",))]
    RegistryStore(house.database).save(house.corpus, entities)
    house.server.default = fails(503, "down")
    assert house.run().pending == 10
    assert house.opinions() == before
    assert house.states() == {"pending": 10}
    house.server.default = extracts()
    assert house.run().enriched == 10
    assert house.opinions() == before


def test_a_server_that_rejects_everything_is_not_the_documents_fault(house: House) -> None:
    add_documents(house.database, house.corpus, TEXTS)
    house.server.default = fails(400, "this gateway wants another header")
    report = house.run(workers=1)
    assert report.failed <= 6, "one such answer may be the document's fault, many in a row are not"
    assert report.pending == 60 - report.failed


def test_a_refused_document_is_given_up_after_three_runs(house: House) -> None:
    add_documents(house.database, house.corpus, TEXTS[:3])
    house.server.default = says(None, refusal="I will not read this.")
    for _ in range(5):
        house.run()
    assert len(house.server.requests) == 9
    assert {attempts for _, _, attempts in failed_documents(house.database, house.corpus)} == {3}


def test_two_hundred_documents_end_enriched_or_listed(house: House) -> None:
    """20 % bad answers through the whole pipeline, a new process each run, until nothing is left."""
    texts = [f"Room {n} was lovely and the bed number {n} soft." for n in range(200)]
    add_documents(house.database, house.corpus, texts)
    faults = [
        fails(401, "bad key"),
        fails(429, "slow down"),
        fails(500, "oops"),
        fails(400, "maximum context length is 100 tokens"),
        resets(),
        silent(3),
        replies({"choices": []}),
        says(None),
        says('{"documents": [{"id": "D1", "langu', "length"),
        says('{"labels": []}'),
        says("I'm sorry, but I can't help with that."),
        replies(b"<html>busy</html>", kind="text/html"),
        extracts(leave_out=1),
    ]
    rng = random.Random(5)
    seen: Counter[str] = Counter()

    async def moody(request: Request, writer: Any) -> bool | None:
        if rng.random() < 0.2:
            return await faults[rng.randrange(len(faults))](request, writer)
        seen.update(request.documents.values())
        return await extracts()(request, writer)

    house.server.default = moody
    total = 0
    for attempt in range(10):
        report = house.run(documents=2, workers=8, give_up_after=50)
        total += report.enriched
        listed = failed_documents(house.database, house.corpus)
        assert house.states().total() == 200
        assert len(listed) == 200 - house.states()["done"]
        assert all(reason for _, reason, _ in listed)
        if attempt == 0:
            assert 100 < report.enriched < 200
        if not listed:
            break
    assert total == 200, "each was enriched in exactly one run"
    assert len(house.opinions()) == 200
    assert set(house.opinions().values()) == {1}
    assert max(seen.values()) <= 2, (
        "a right answer is asked for again only where the other half of its call failed"
    )
