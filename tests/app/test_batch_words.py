"""What a batch came to, in words and as documents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agents.batch_solutions import solve_batch
from app.batch_words import batch_document, batch_note, batch_remarks, component_documents
from store.verdicts import Z
from tests.agents.test_batch import make


def test_an_error_too_large_for_the_tolerance_is_said_everywhere() -> None:
    batch = make(3, questions=12, candidates=9, error=0.3)
    found = solve_batch(batch, 0.1)
    assert (found.met, found.verdict, found.verdicts) == (True, "met as estimated", ("met as estimated",))
    assert abs(found.predicted[0] - found.target[0]) <= 0.1
    told = (
        f"+/- {Z * found.standard_error[0]:.3f}, target +0.180 +/- 0.1: met as estimated: the calibration's"
    )
    assert told in batch_note(batch, found)
    (only,) = component_documents(batch, found)
    assert (only["met"], only["verdict"]) == (True, "met as estimated")
    assert only["error"] == pytest.approx(Z * only["standard_error"])
    document = batch_document(batch, found)
    assert (document["verdict"], document["error"]) == ("met as estimated", only["error"])
    assert document["note"] == batch_note(batch, found)

    sure = make(3, questions=12, candidates=9, error=0.001)
    assert solve_batch(sure, 0.1).verdict == "met"
    assert batch_note(sure, solve_batch(sure, 0.1)).endswith("+/- 0.1: met")
    far = solve_batch(batch, 0.1, -1.0)
    assert (far.met, far.verdict) == (False, "not met")
    assert "+/- 0.1: not met: 0." in batch_note(batch, far)
    assert "from the target; the rankings reach -0." in batch_note(batch, far)


def test_of_several_components_those_that_cannot_be_sure_are_named() -> None:
    batch = make(3, questions=12, candidates=9, error=0.045, groups=2)
    found = solve_batch(batch, 0.08)
    assert found.verdicts == ("met as estimated", "met", "met")
    assert batch_note(batch, found).endswith(
        "3 of 3 components within 0.08 of their targets; met as estimated: the calibration's error is too large "
        "to be sure of polarity"
    )


def test_a_group_with_nobody_shown_is_said_and_that_it_could_not_miss() -> None:
    batch = make(1, groups=2)
    often, rare = (
        replace(each, population=p) for each, p in zip(batch.components[1:], (0.95, 0.05), strict=True)
    )
    batch = replace(batch, components=(batch.components[0], often, rare))
    found = solve_batch(batch, 0.3)
    assert found.target[2] == pytest.approx(0.045)
    rank = np.take_along_axis(batch.problem.types, found.ranking, axis=1)
    assert found.shown[1:].tolist() == batch.problem.vectors[rank].sum(axis=(0, 1))[1:].tolist()
    none = np.array([6, 6, 0])
    remarks = batch_remarks(batch, replace(found, shown=none))
    assert "nobody of region = r1 is shown in 6 places" in remarks
    assert (
        "the tolerance 0.3 is not below the target of region = r1 (+0.045): met even with nobody of it; "
        "a smaller --tau holds more"
    ) in remarks
    assert [each["shown"] for each in component_documents(batch, replace(found, shown=none))] == [None, 6, 0]
    narrow = batch_remarks(batch, replace(found, tau=0.04, shown=np.array([6, 5, 1])))
    assert not any("nobody" in each for each in narrow)
    unknown = replace(batch, components=(*batch.components[:2], replace(rare, population=0.0)))
    assert not any("nobody" in each for each in batch_remarks(unknown, replace(found, shown=none)))
