from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from store.calibrations import CalibrationStore
from store.database import Database
from tests.conftest import new_corpus

KEY = {"model": "m", "prompt_sha": "abc", "attribute": "gender", "k": 5}


@pytest.fixture
def calibrations(database: Database) -> CalibrationStore:
    return CalibrationStore(database)


def test_the_newest_fit_of_exactly_that_key(calibrations: CalibrationStore) -> None:
    assert calibrations.find(**KEY) is None  # type: ignore[arg-type]
    calibrations.save(**KEY, design="d", result={"weights": [1.0]})  # type: ignore[arg-type]
    newest = calibrations.save(**KEY, design="d", result={"weights": [2.0]})  # type: ignore[arg-type]
    calibrations.save(**{**KEY, "k": 6}, design="d", result={})  # type: ignore[arg-type]
    found = calibrations.find(**KEY)  # type: ignore[arg-type]
    assert found is not None
    assert (found.id, found.result) == (newest, {"weights": [2.0]})
    assert abs(found.created_at - datetime.now(UTC)) < timedelta(minutes=5)
    for change in ({"model": "n"}, {"prompt_sha": "x"}, {"attribute": "age"}, {"k": 7}):
        assert calibrations.find(**{**KEY, **change}) is None  # type: ignore[arg-type]
    assert [f.k for f in calibrations.fits()] == [6, 5, 5]


def test_single_calls_are_kept_once(calibrations: CalibrationStore) -> None:
    calibrations.observe("plan", 0, 0, [1, -1, 0], 1)
    calibrations.observe("plan", 0, 1, [1, -1, 0], None)
    calibrations.observe("other", 0, 0, [], -1)
    assert calibrations.observed("plan") == {(0, 0): 1, (0, 1): None}
    # Two runs of one plan at once: the first answer of a call stands.
    calibrations.observe("plan", 0, 0, [], -1)
    assert calibrations.observed("plan") == {(0, 0): 1, (0, 1): None}


def test_probes(calibrations: CalibrationStore, database: Database) -> None:
    assert calibrations.latest_probe("minilm") is None
    calibrations.save_probe(new_corpus(database), "minilm", {"t": 1})
    calibrations.save_probe(None, "minilm", {"t": 2})
    calibrations.save_probe(None, "other", {"t": 3})
    assert calibrations.latest_probe("minilm") == {"t": 2}


def test_a_corpus_own_diagnosis_comes_before_the_general_one_and_others_do_not_count(
    database: Database,
) -> None:
    calibrations = CalibrationStore(database)
    own, other = new_corpus(database, "own"), new_corpus(database, "other")
    calibrations.save_probe(own, "minilm", {"t": 1})
    calibrations.save_probe(None, "minilm", {"t": 2})
    calibrations.save_probe(other, "minilm", {"t": 3})
    assert calibrations.latest_probe("minilm", own) == {"t": 1}
    assert calibrations.latest_probe("minilm") == {"t": 2}
    listed = calibrations.probes()
    assert [record.result["t"] for record in listed] == [3, 2, 1]
    assert listed[1].corpus_id is None
