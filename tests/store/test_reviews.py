"""The sample of labels to check, and the verdicts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from store.database import Database
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.repository import Repository
from store.reviews import ReviewStore, Verdict, allocate, passages_of, stratified
from store.tables import Document, LabelReview, Opinion, Stance
from tests.conftest import new_corpus
from tests.store.helpers import add_documents, count

EXTRACTOR = "lexical"
TEXT = "At first we waited, then the waiter was kind and fast to us all, and we left content after that."
QUOTE = "the waiter was kind and fast"


class Labelled:
    """Forty documents with a label on staff and its part, the waiter; every fourth also on coffee."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.corpus = new_corpus(database)
        registry = RegistryStore(database)
        registry.save(
            self.corpus,
            [
                RegistryEntity("staff", "staff"),
                RegistryEntity("waiter", "waiter", "staff"),
                RegistryEntity("coffee", "coffee"),
            ],
        )
        self.keys = registry.ids(self.corpus)
        self.ids = add_documents(database, self.corpus, [f"{TEXT} Visit {n}." for n in range(40)])
        start = TEXT.index(QUOTE)
        with database.session() as session:
            for number, document in enumerate(self.ids):
                score = 30 if number % 10 else -10
                session.add(
                    Opinion(
                        corpus_id=self.corpus,
                        document_id=document,
                        entity_id=self.keys["waiter"],
                        extractor=EXTRACTOR,
                        sentiment="positive",
                        intensity="high",
                        score=score,
                        impact=10,
                        markers=[],
                        evidence="unknown",
                        quote=QUOTE,
                        start=start,
                        end=start + len(QUOTE),
                        confidence=0.9,
                    )
                )
                keys = ["staff", "waiter", *(["coffee"] if number % 4 == 0 else [])]
                session.add_all(self.stance(document, key, 0 if key == "coffee" else score) for key in keys)
        self.reviews = ReviewStore(database)

    def stance(self, document: int, key: str, score: int) -> Stance:
        return Stance(
            document_id=document,
            entity_id=self.keys[key],
            extractor=EXTRACTOR,
            corpus_id=self.corpus,
            score=score,
            impact=10,
            markers=[],
            evidence="unknown",
            opinions=1,
            confidence=0.9,
        )


@pytest.fixture
def labelled(database: Database) -> Labelled:
    return Labelled(database)


def test_a_sample_is_stratified_seeded_and_shows_the_words(labelled: Labelled) -> None:
    drawn = labelled.reviews.draw(labelled.corpus, EXTRACTOR, 20, seed=1)
    assert drawn == labelled.reviews.draw(labelled.corpus, EXTRACTOR, 20, seed=1)
    assert drawn != labelled.reviews.draw(labelled.corpus, EXTRACTOR, 20, seed=2)
    assert len(drawn) == len({(item.document_id, item.entity_id) for item in drawn}) == 20
    # 8, 10 and 72 labels of -10, 0 and +30: the rare ones get more than their share.
    bins = Counter(item.predicted for item in drawn)
    assert bins == {-10: 4, 0: 4, 30: 12}
    for item in drawn:
        assert item.probability == pytest.approx(
            bins[item.predicted] / {-10: 8, 0: 10, 30: 72}[item.predicted]
        )
    staff = next(item for item in drawn if item.entity_key == "staff")
    # A label of staff comes from what is said of the waiter.
    (passage,) = staff.passages
    ((start, end),) = passage.spans
    assert passage.text[start:end] == QUOTE
    assert passage.text == f"{TEXT} Visit {labelled.ids.index(staff.document_id)}."


def test_nothing_is_reviewed_twice(labelled: Labelled) -> None:
    reviews, corpus = labelled.reviews, labelled.corpus
    seen: set[tuple[int, int]] = set()
    while items := reviews.draw(corpus, EXTRACTOR, 17):
        for item in items:
            assert (item.document_id, item.entity_id) not in seen
            seen.add((item.document_id, item.entity_id))
            assert reviews.record(corpus, EXTRACTOR, item.document_id, item.entity_id, "positive") == "stored"
    assert len(seen) == reviews.count(corpus, EXTRACTOR) == 90
    document, entity = next(iter(seen))
    assert reviews.record(corpus, EXTRACTOR, document, entity, "negative") == "known"
    assert count(labelled.database, LabelReview) == 90
    assert reviews.record(corpus, EXTRACTOR, document, entity + 1000, "negative") == "gone"


def test_verdicts_come_back_beside_the_labels_of_today(labelled: Labelled) -> None:
    reviews, corpus, keys = labelled.reviews, labelled.corpus, labelled.keys
    verdicts: tuple[Verdict, ...] = ("positive", "negative", "neutral", "not about")
    for document, verdict in zip(labelled.ids[1:5], verdicts, strict=True):
        reviews.record(corpus, EXTRACTOR, document, keys["waiter"], verdict)
    found = reviews.labels(corpus, EXTRACTOR)
    assert found.bins.tolist() == [30, 30, 30, 30]
    assert found.truths.tolist() == [2, 0, 1, 3]
    assert set(found.entities.tolist()) == {keys["waiter"]}
    assert found.population == (0, 0, 8, 10, 0, 0, 72)
    with labelled.database.session() as session:
        stance = session.get_one(Stance, (labelled.ids[1], keys["waiter"], EXTRACTOR))
        stance.score = -20
        session.delete(session.get_one(Stance, (labelled.ids[2], keys["waiter"], EXTRACTOR)))
    found = reviews.labels(corpus, EXTRACTOR)
    assert found.bins.tolist() == [-20, 30, 30]
    assert found.truths.tolist() == [2, 1, 3]
    assert reviews.count(corpus, EXTRACTOR) == 3
    assert reviews.count(corpus, "another") == 0


def test_a_deleted_document_takes_its_verdict_away(labelled: Labelled) -> None:
    labelled.reviews.record(labelled.corpus, EXTRACTOR, labelled.ids[0], labelled.keys["staff"], "negative")
    Repository(labelled.database).delete_documents([labelled.ids[0]])
    assert count(labelled.database, Document) == 39
    assert count(labelled.database, LabelReview) == 0


def test_passages_join_where_they_overlap_and_are_cut_at_words() -> None:
    text = "lorem ipsum " * 100 + "good food, but poor staff. " + "dolor sit " * 100 + "kind staff"
    food, staff, kind = (text.index(quote) for quote in ("good food", "poor staff", "kind staff"))
    found = passages_of(text, [(food, food + 9), (staff, staff + 10), (kind, kind + 10)])
    assert len(found) == 2
    first, last = found
    assert [first.text[a:b] for a, b in first.spans] == ["good food", "poor staff"]
    assert [last.text[a:b] for a, b in last.spans] == ["kind staff"]
    for passage in found:
        words = passage.text.replace("…", "").split()
        assert set(words) <= set(text.split())
    assert first.text.startswith("…")
    assert first.text.endswith("…")
    assert not last.text.endswith("…")
    assert passages_of("x" * 900, [(400, 410)])[0].text.strip("…") == "x" * 330
    assert passages_of(text, []) == ()


def test_no_labels_no_sample(database: Database) -> None:
    assert ReviewStore(database).draw(new_corpus(database), EXTRACTOR, 5) == []


@pytest.mark.parametrize(
    ("sizes", "n", "given"),
    [
        ([100, 400, 0], 30, [10, 20, 0]),
        ([2, 10_000], 50, [1, 49]),
        ([3, 4], 100, [3, 4]),
        ([1, 1, 1], 2, [1, 1, 0]),
        ([5], 0, [0]),
        ([], 3, []),
    ],
)
def test_allocation(sizes: list[int], n: int, given: list[int]) -> None:
    assert allocate(sizes, n) == given


def test_inclusion_probabilities_are_those_told() -> None:
    scores = np.array([30] * 60 + [-10] * 15 + [0] * 5)
    drawn = np.zeros(len(scores))
    told = np.zeros(len(scores))
    for seed in range(4000):
        rows, chances = stratified(scores, 16, np.random.default_rng(seed))
        assert len(rows) == len(set(rows.tolist())) == 16
        drawn[rows] += 1
        told[rows] = chances
    assert drawn / 4000 == pytest.approx(told, abs=0.035)
