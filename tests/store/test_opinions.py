from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import text

from store.database import Database
from store.opinions import DocumentFilter, OpinionStore, to_bin
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.repository import CorpusRecord, Repository
from store.tables import AuthorAttribute, Opinion, Stance
from tests.conftest import new_corpus
from tests.store.helpers import add_documents

EXTRACTOR = "lexical"
#: Document -> (staff's score, coffee's score); None: no view.
SCORES = [(30, -10), (20, None), (-30, 0), (None, None), (10, 0), (0, 10), (None, -20), (-10, -10)]
SUBJECTS = ["Rome", "O'Hare  T5 100%", "Rome", "Oslo", "O'Hare  T5 100%", "Rome", "Oslo", ""]
DATES = ["2014-01-31", "2014-02-01", "2015-06-30", "", "2015-07-01", "2016-01-01", "2014-02-01", ""]
COUNTRIES = ["UK", "UK", "Spain", "UK", None, "Spain", "Côte d'Ivoire", "UK"]


class Filled:
    """Eight documents with stances by two extractors."""

    def __init__(self, database: Database) -> None:
        self.database = database
        corpus = new_corpus(database)
        registry = RegistryStore(database)
        registry.save(corpus, [RegistryEntity("staff", "staff"), RegistryEntity("coffee", "coffee")])
        keys = registry.ids(corpus)
        self.staff, self.coffee = keys["staff"], keys["coffee"]
        self.ids = add_documents(
            database,
            corpus,
            [f"text {'x' * n}" for n in range(8)],
            subject=SUBJECTS,
            date=DATES,
            rating=[1.0, None, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0],
            attributes=[{"country": c} if c else {} for c in COUNTRIES],
        )
        with database.session() as session:
            for number, pair in enumerate(SCORES):
                for entity, score in zip((self.staff, self.coffee), pair, strict=True):
                    if score is not None:
                        session.add(
                            stance(corpus, self.ids[number], entity, score, 10 + 10 * (number % 3), number)
                        )
            session.add(stance(corpus, self.ids[3], self.staff, -30, 10, 1, extractor="a model"))
        self.opinions = OpinionStore(database)

    @property
    def corpus(self) -> CorpusRecord:
        return Repository(self.database).corpus()

    def rows(self, numbers: list[int]) -> list[int]:
        return [self.ids[n] for n in numbers]


def stance(
    corpus: int, document: int, entity: int, score: int, impact: int, number: int, extractor: str = EXTRACTOR
) -> Stance:
    return Stance(
        corpus_id=corpus,
        document_id=document,
        entity_id=entity,
        extractor=extractor,
        score=score,
        impact=impact,
        markers=["delight"] if score > 0 else [],
        evidence="personal",
        opinions=1,
        confidence=0.5 + number / 100,
    )


@pytest.fixture
def filled(database: Database) -> Filled:
    return Filled(database)


def test_pool_of_one_entity(filled: Filled) -> None:
    pool = filled.opinions.pool(filled.corpus, [filled.staff], EXTRACTOR)
    numbers = [0, 1, 2, 4, 5, 7]
    assert pool.document_ids.tolist() == filled.rows(numbers)
    assert pool.scores.tolist() == [30, 20, -30, 10, 0, -10]
    assert pool.counts == (1, 0, 1, 1, 1, 1, 1)
    assert pool.impacts.tolist() == [10, 20, 30, 20, 30, 20]
    assert pool.dates == tuple(DATES[n] for n in numbers)
    assert pool.lengths.tolist() == [len("text ") + n for n in numbers]
    assert np.isnan(pool.ratings).tolist() == [False, True, False, False, False, False]
    assert pool.groups == {"country": ("UK", "UK", "Spain", "", "Spain", "UK")}
    assert len(pool) == 6


def test_pool_of_several_entities_is_one_voice_a_document(filled: Filled) -> None:
    pool = filled.opinions.pool(filled.corpus, [filled.staff, filled.coffee], EXTRACTOR)
    numbers = [0, 1, 2, 4, 5, 6, 7]
    assert pool.document_ids.tolist() == filled.rows(numbers)
    # Means 10, 20, -15, 5, 5, -20, -10: halfway goes towards neutral.
    assert pool.scores.tolist() == [10, 20, -10, 0, 0, -20, -10]
    assert pool.confidences.tolist() == pytest.approx([0.5, 0.51, 0.52, 0.54, 0.55, 0.56, 0.57])


def test_an_empty_pool_and_another_extractor(filled: Filled) -> None:
    assert len(filled.opinions.pool(filled.corpus, [987], EXTRACTOR)) == 0
    assert filled.opinions.pool(filled.corpus, [987], EXTRACTOR).counts == (0,) * 7
    other = filled.opinions.pool(filled.corpus, [filled.staff], "a model")
    assert other.document_ids.tolist() == filled.rows([3])


FILTERS = [
    (DocumentFilter(), [0, 1, 2, 3, 4, 5, 6, 7]),
    (DocumentFilter(subjects=("Rome",)), [0, 2, 5]),
    (DocumentFilter(subjects=("Rome", "Oslo")), [0, 2, 3, 5, 6]),
    (DocumentFilter(subjects=("rome",)), []),
    (DocumentFilter(subjects=("O'Hare  T5 100%",)), [1, 4]),
    (DocumentFilter(since="2014-02-01"), [1, 2, 4, 5, 6]),
    (DocumentFilter(until="2014-02-01"), [0, 1, 6]),
    (DocumentFilter(since="2014-02-01", until="2015-06-30"), [1, 2, 6]),
    (DocumentFilter(attributes=(("country", ("UK",)),)), [0, 1, 3, 7]),
    (DocumentFilter(attributes=(("country", ("Spain", "Côte d'Ivoire")),)), [2, 5, 6]),
    (DocumentFilter(rating=(("=", 1.0),)), [0, 5]),
    (DocumentFilter(rating=(("<", 3.0),)), [0, 5, 6]),
    (DocumentFilter(rating=((">=", 2.0), ("<=", 4.0))), [2, 3, 6, 7]),
    (DocumentFilter(attributes=(("country", ("UK",)), ("age", ("30",)))), []),
    (DocumentFilter(("Rome",), "2015-01-01", "2015-12-31", (("country", ("Spain",)),)), [2]),
]


def test_filters(filled: Filled) -> None:
    corpus = filled.corpus
    for where, numbers in FILTERS:
        assert filled.opinions.matching(corpus.id, where).tolist() == filled.rows(numbers), where
        pool = filled.opinions.pool(corpus, [filled.staff], EXTRACTOR, where)
        assert pool.document_ids.tolist() == filled.rows([n for n in numbers if SCORES[n][0] is not None]), (
            where
        )


@pytest.mark.parametrize("side", ["positive", "negative", None])
def test_counts_are_the_pool_s_and_their_sql_runs_when_pasted(filled: Filled, side: str | None) -> None:
    corpus = filled.corpus
    for where, numbers in FILTERS:
        for entities in ([filled.staff], [filled.staff, filled.coffee]):
            counted = filled.opinions.count(corpus.id, entities, EXTRACTOR, where, side)
            pool = filled.opinions.pool(corpus, entities, EXTRACTOR, where)
            wanted = pool.scores > 0 if side == "positive" else pool.scores < 0
            expected = (len(pool), len(numbers)) if side is None else (int(wanted.sum()), len(pool))
            assert (counted.value, counted.total) == expected, (where, entities)
            assert pasted(filled.database, counted.sql) == counted.value, counted.sql
            assert "\n" not in counted.sql


def pasted(database: Database, sql: str) -> int:
    """What the statement gives, sent as the bare text, with no parameters."""
    connection = database.engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute(sql)
        return int(cursor.fetchone()[0])
    finally:
        connection.close()


def test_all_documents_are_counted_without_an_entity(filled: Filled) -> None:
    counted = filled.opinions.count(filled.corpus.id, [], "", DocumentFilter(subjects=("Rome",)), None)
    assert (counted.value, counted.total) == (3, 8)
    assert pasted(filled.database, counted.sql) == 3


def test_a_rating_is_counted_among_documents_of_any_rating(filled: Filled) -> None:
    counted = filled.opinions.count(filled.corpus.id, [], "", DocumentFilter(rating=(("=", 1.0),)), None)
    assert (counted.value, counted.total) == (2, 8)
    assert "rating = 1.0" in counted.sql
    assert pasted(filled.database, counted.sql) == 2
    assert filled.opinions.rated(filled.corpus.id)
    assert not filled.opinions.rated(filled.corpus.id + 1)


def test_authors_are_counted_once(filled: Filled) -> None:
    counted = filled.opinions.count_authors(filled.corpus.id, DocumentFilter())
    assert 0 < counted.value <= 8
    assert counted.total == counted.value
    some = filled.opinions.count_authors(filled.corpus.id, DocumentFilter(rating=(("=", 1.0),)))
    assert 0 < some.value < counted.value
    assert some.total == counted.total
    assert pasted(filled.database, some.sql) == some.value


def test_the_mean_rating_says_how_many_carry_one(filled: Filled) -> None:
    mean, counted = filled.opinions.mean_rating(filled.corpus.id, [], "", DocumentFilter())
    assert (counted.value, counted.total) == (7, 8)
    assert mean == pytest.approx(19 / 7)  # 1, 3, 4, 5, 1, 2, 3
    mean, counted = filled.opinions.mean_rating(
        filled.corpus.id, [filled.coffee], EXTRACTOR, DocumentFilter(rating=((">=", 4.0),))
    )
    assert counted.value == counted.total
    mean, counted = filled.opinions.mean_rating(
        filled.corpus.id, [], "", DocumentFilter(subjects=("Atlantis",))
    )
    assert np.isnan(mean)
    assert (counted.value, counted.total) == (0, 0)


def test_attributes_are_read_again_when_the_corpus_changes(filled: Filled) -> None:
    pool = filled.opinions.pool(filled.corpus, [filled.coffee], EXTRACTOR)
    with filled.database.session() as session:
        session.execute(text("UPDATE author_attributes SET value = 'France' WHERE value = 'UK'"))
    Repository(filled.database).touch(filled.corpus.id)
    again = filled.opinions.pool(filled.corpus, [filled.coffee], EXTRACTOR)
    assert pool.groups["country"][0] == "UK"
    assert again.groups["country"][0] == "France"
    with filled.database.session() as session:
        assert session.query(AuthorAttribute).count() == 7


def test_details_quotes_and_samples(filled: Filled) -> None:
    details = filled.opinions.stance_details(filled.ids[:2], [filled.staff], EXTRACTOR)
    assert details == [(["delight"], "personal")] * 2
    with filled.database.session() as session:
        for place, score, confidence in ((9, -20, 0.9), (0, 30, 0.6), (4, 30, 0.8), (6, 0, 0.7)):
            session.add(
                Opinion(
                    corpus_id=filled.corpus.id,
                    document_id=filled.ids[0],
                    entity_id=filled.staff,
                    extractor=EXTRACTOR,
                    sentiment="positive",
                    intensity="high",
                    score=score,
                    impact=20,
                    markers=["delight"],
                    evidence="personal",
                    quote=f"quote {place}",
                    start=place,
                    end=place + 3,
                    confidence=confidence,
                )
            )
    quotes = filled.opinions.quotes(filled.ids[:3], [filled.staff], EXTRACTOR)
    assert [(q.quote, q.start, q.markers) for q in quotes] == [
        (f"quote {n}", n, ("delight",)) for n in (0, 4, 6, 9)
    ]
    assert filled.opinions.quotes(filled.ids[:3], [filled.coffee], EXTRACTOR) == []
    assert filled.opinions.samples(filled.staff, EXTRACTOR, 1) == [
        ("r0", "quote 4", 30),
        ("r0", "quote 6", 0),
        ("r0", "quote 9", -20),
    ]


@pytest.mark.parametrize(
    ("mean", "found"),
    [(0, 0), (5, 0), (5.1, 10), (-5, 0), (-14.9, -10), (15, 10), (25.1, 30), (30, 30), (-30, -30)],
)
def test_bins(mean: float, found: int) -> None:
    assert to_bin(mean) == found
