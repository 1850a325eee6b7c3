from __future__ import annotations

from store.database import Database
from store.enrich.doubts import keep_apart, open_doubts, remember
from store.enrich.registry_clusters import DoubtfulMerge
from store.enrich.registry_exchange import read_kept, review_file
from store.tables import Corpus
from tests.conftest import new_corpus

PAIRS = (DoubtfulMerge("sofa", "couch", 0.71, 12, 8), DoubtfulMerge("wifi", "internet", 0.66, 40, 9))


def test_doubts_stay_until_they_are_decided(sqlite_database: Database) -> None:
    corpus = new_corpus(sqlite_database)
    keys = ["sofa", "couch", "wifi", "internet"]
    assert open_doubts(sqlite_database, corpus, keys) == ()
    with sqlite_database.session() as session:
        row = session.get_one(Corpus, corpus)
        row.settings = remember({"registry_documents": 7}, PAIRS)
    assert open_doubts(sqlite_database, corpus, keys) == PAIRS
    # Merged away since: nothing is left to decide.
    assert open_doubts(sqlite_database, corpus, keys[1:]) == PAIRS[1:]
    keep_apart(sqlite_database, corpus, [("internet", "wifi")])
    keep_apart(sqlite_database, corpus, [("wifi", "internet")])
    assert open_doubts(sqlite_database, corpus, keys) == PAIRS[:1]
    with sqlite_database.session() as session:
        row = session.get_one(Corpus, corpus)
        assert row.settings["registry_documents"] == 7
        assert row.settings["kept_apart"] == [["internet", "wifi"]]
        # The next registry asks about new pairs only.
        row.settings = remember(row.settings, PAIRS[1:])
    assert open_doubts(sqlite_database, corpus, keys) == ()


def test_kept_pairs_are_read() -> None:
    text = review_file(PAIRS).replace("? | wifi", "keep | wifi")
    assert read_kept(text) == (("wifi", "internet"),)
