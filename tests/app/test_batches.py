"""Batches held to author groups beside polarity, and by the soft objective, on a small real corpus."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.batches import read_batch
from store.errors import UsageError
from tests.app.conftest import Ran, Run

FOOD = "What do travellers think of the food?"
QUESTIONS = [FOOD, "How is the staff?", "Is there a smoking room?", "What do people think of the drinks?"]
BOTH = ("--attribute", "polarity", "--attribute", "country")


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(QUESTIONS), encoding="utf-8")
    return path


def lines(ran: Ran, code: int = 0) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Answers under the constraint, and the last line."""
    assert ran.code == code, ran.err
    *answers, last = [json.loads(text) for text in ran.out.splitlines()]
    assert last["schema"] == "batch/1"
    return [answer for answer in answers if not answer["outside"]], last


def shown(answers: list[dict[str, Any]], component: dict[str, Any], names: set[str], rank: int) -> float:
    """A component's mean at one rank (from 0), read off the receipts."""
    values = []
    for answer in answers:
        entry = answer["receipt"]["ranking"][rank]
        if not component["group"]:
            values.append(float(entry["polarity"]))
            continue
        own = entry["groups"].get(component["attribute"], "")
        rest = component["group"].endswith(" other values")
        values.append(float(bool(own) and own not in names if rest else own == component["group"]))
    return sum(values) / len(values)


def check_components(answers: list[dict[str, Any]], last: dict[str, Any], lean: float = 0.0) -> None:
    names = {
        each["group"] for each in last["components"] if each["group"] and " other values" not in each["group"]
    }
    for each in last["components"]:
        by_rank = [shown(answers, each, names, rank) for rank in range(last["k"])]
        lean_of = lean if each["group"] is None else 0.0
        expected = sum(w * value for w, value in zip(last["weights"], by_rank, strict=True)) + lean_of
        assert each["predicted"] == pytest.approx(expected), each["name"]
        distance = abs(each["predicted"] - each["target"])
        assert each["met"] == (distance <= last["tau"] + 1e-9), each["name"]
        sure = distance + (each["error"] or 0.0) <= last["tau"] + 1e-9
        assert each["verdict"] == ("met" if sure else "met as estimated" if each["met"] else "not met")
        low, high = each["reachable"]
        assert low - 1e-9 <= each["predicted"] <= high + 1e-9
        assert low - 1e-9 <= each["natural"] <= high + 1e-9


def test_polarity_and_author_groups_are_held_at_once(run: Run, library: Path, batch: Path) -> None:
    ran = run("ask", "--batch", batch, "-k", "4", "--tau", "0.08", *BOTH, workspace=library)
    answers, last = lines(ran)
    assert last["attributes"] == ["polarity", "country"]
    assert (last["met"], last["predicted"], last["target"], last["reachable"]) == (True, None, None, None)
    polarity, *groups = last["components"]
    assert (polarity["name"], polarity["group"]) == ("polarity", None)
    assert 2 <= len(groups) <= 6
    assert sum(each["target"] for each in groups) == pytest.approx(1.0)
    assert sum(each["population"] for each in groups) == pytest.approx(1.0)
    check_components(answers, last)
    for each in last["components"]:
        assert each["name"] in ran.err
    assert f"{len(groups) + 1} of {len(groups) + 1} components within 0.08" in ran.err
    assert all("components within" in each["receipt"]["position"]["note"] for each in answers)


def test_parity_asks_for_equal_shares_of_groups(run: Run, library: Path, batch: Path) -> None:
    options = ("--attribute", "country", "--target", "parity", "--tau", "0.12")
    answers, last = lines(run("ask", "--batch", batch, "-k", "4", *options, workspace=library))
    count = len(last["components"])
    assert [each["target"] for each in last["components"]] == pytest.approx([1 / count] * count)
    check_components(answers, last)


def test_polarity_alone_keeps_its_numbers_at_the_top(run: Run, library: Path, batch: Path) -> None:
    _, last = lines(run("ask", "--batch", batch, "-k", "4", workspace=library))
    (only,) = last["components"]
    for name in ("predicted", "target", "natural", "population", "margin", "reachable", "standard_error"):
        assert last[name] == only[name], name
    assert isinstance(last["predicted"], float)
    assert (last["attributes"], last["weights_of"], last["soft"]) == (["polarity"], None, None)


def test_what_cannot_be_met_names_the_worst_component(run: Run, library: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(FOOD, encoding="utf-8")
    ran = run(
        *("ask", "--batch", path, "-k", "2", "--target", "0.3", "--tau", "0.01"), *BOTH, workspace=library
    )
    answers, last = lines(ran, 4)
    check_components(answers, last)
    distance = {each["name"]: abs(each["predicted"] - each["target"]) for each in last["components"]}
    assert distance[last["worst"]] == max(distance.values())
    assert f"not met: farthest is {last['worst']}, " in ran.err
    assert max(distance.values()) < 0.4, "two documents can have a mean of +0.5"
    assert last["verdict"] == "not met"
    assert last["components"][0]["target"] == 0.3, "a number is the target of polarity alone"
    assert any("not met" in text for text in answers[0]["receipt"]["unmet"])


def test_one_calibrated_attribute_lends_its_weights_and_two_do_not_mix(
    run: Run, library: Path, batch: Path, tmp_path: Path
) -> None:
    made = json.loads(run("calibrate", "-k", "2", "--budget", "32", "--json", workspace=library).out)
    ran = run("ask", "--batch", batch, "-k", "2", "--tau", "0.6", *BOTH, workspace=library)
    answers, last = lines(ran, ran.code)
    assert (last["weights"], last["weights_of"], last["calibrated"]) == (made["weights"], "polarity", True)
    assert [each["calibrated"] for each in last["components"]] == [True] + [False] * (
        len(last["components"]) - 1
    )
    assert all(each["standard_error"] >= 0 for each in last["components"])
    check_components(answers, last, made["intercept"])
    assert "country not calibrated: the position weights of polarity stand in" in ran.err

    sides = {"plus": "A lounge in London.", "minus": "A lounge in Sydney."}
    texts = {
        "plus_documents": [f"The London lounge, terminal {n}, at Heathrow." for n in range(4)],
        "minus_documents": [f"The Sydney lounge, terminal {n}, of Qantas." for n in range(4)],
    }
    rows = [json.dumps({"question": f"Where is it, in year {n}?", **sides, **texts}) for n in range(4)]
    set_of = tmp_path / "country.jsonl"
    set_of.write_text("\n".join(rows), encoding="utf-8")
    made = json.loads(
        run(
            *("calibrate", "-k", "2", "--attribute", "country", "--questions", set_of, "--json"),
            workspace=library,
        ).out
    )
    assert made["weights"] != [0.0, 0.0]
    ran = run("ask", "--batch", batch, "-k", "2", "--attribute", "country", workspace=library)
    answers, last = lines(ran, ran.code)
    assert (last["weights"], last["weights_of"], last["intercept"]) == (made["weights"], "country", 0.0)
    total = sum(made["weights"])
    for each in last["components"]:
        assert each["target"] == pytest.approx(each["population"] * total)
    check_components(answers, last)
    mixed = run("ask", "--batch", batch, "-k", "2", *BOTH, workspace=library)
    assert mixed.code == 2
    assert "polarity and country are calibrated for k = 2 with position weights of their own" in mixed.err


def test_weights_that_move_nothing_are_said_to(run: Run, library: Path, batch: Path) -> None:
    run("calibrate", "-k", "2", "--budget", "16", workspace=library)
    with sqlite3.connect(library / "evenhand.db") as connection:
        (found,) = connection.execute("SELECT result FROM calibrations").fetchone()
        result = {**json.loads(found), "weights": [0.01, 0.01], "intercept": 0.0}
        connection.execute("UPDATE calibrations SET result = ?", (json.dumps(result),))
    ran = run("ask", "--batch", batch, "-k", "2", workspace=library)
    _, last = lines(ran)
    assert last["weights"] == [0.01, 0.01]
    assert "no ranking could miss polarity" in ran.err


def test_the_soft_objective_answers_instead_of_the_constraint(run: Run, library: Path, batch: Path) -> None:
    ran = run("ask", "--batch", batch, "-k", "4", "--soft", "5", workspace=library)
    answers, last = lines(ran)
    soft = last["soft"]
    assert (last["status"], last["tau"], last["met"], soft["lambda"]) == ("soft", None, None, 5.0)
    polarity = [[entry["polarity"] for entry in answer["receipt"]["ranking"]] for answer in answers]
    mean = sum(sum(signs) / 4 for signs in polarity) / len(polarity)
    assert soft["predicted"] == last["predicted"] == pytest.approx(mean)
    relevance = sum(entry["relevance"] for answer in answers for entry in answer["receipt"]["ranking"])
    # Relevance stands rounded in the receipt.
    assert soft["objective"] == pytest.approx(relevance - 5 * (mean - last["target"]) ** 2, abs=0.01)
    assert 0 <= soft["gap"] == pytest.approx(soft["bound"] - soft["objective"])
    assert "soft objective, lambda 5, over 3 questions" in ran.err


def test_the_frontier_marks_the_soft_optimum(run: Run, library: Path, batch: Path) -> None:
    command = ("frontier", "--batch", batch, "-k", "4", "--soft", "5")
    ran = run(*command, "--json", workspace=library)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    (marked,) = [point for point in found["points"] if point["soft"]]
    soft = found["soft"]
    assert (marked["bias"], marked["relevance_kept"]) == (soft["predicted"], soft["relevance_kept"])
    assert marked["objective"] == pytest.approx(soft["objective"])
    best = max(point["objective"] for point in found["points"] if not point["chosen"] and not point["soft"])
    assert soft["objective"] >= best - 1e-9
    assert sum(point["chosen"] for point in found["points"]) == 1
    text = run("--ascii", *command, workspace=library)
    assert "soft objective" in text.out.splitlines()[2]
    assert "* chosen, + soft objective, # both" in text.out
    assert text.out.isascii()
    # The same ranking is what `ask` would answer with.
    _, last = lines(run("ask", "--batch", batch, "-k", "4", "--soft", "5", workspace=library))
    assert last["soft"] == soft


def test_the_frontier_with_groups_beside_polarity(run: Run, library: Path, batch: Path) -> None:
    command = ("frontier", "--batch", batch, "-k", "4", "--tau", "0.05")
    alone = json.loads(run(*command, "--json", workspace=library).out)
    found = json.loads(run(*command, *BOTH, "--json", workspace=library).out)

    def curve(document: dict[str, Any]) -> list[float]:
        return [point["bias"] for point in document["points"] if not point["chosen"]]

    assert curve(found) == pytest.approx(curve(alone)), "groups do not bend the curve of polarity"
    (chosen,) = [point for point in found["points"] if point["chosen"]]
    assert chosen["bias"] == found["components"][0]["predicted"]
    assert chosen["verdict"] == found["verdict"]
    assert chosen["relevance_kept"] <= alone["relevance_kept"] + 1e-9
    text = run("--ascii", *command, *BOTH, workspace=library)
    rows = text.out.splitlines()
    assert any(row.startswith("component ") for row in rows)
    for each in found["components"]:
        assert any(row.startswith(each["name"]) for row in rows)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["ask", "--batch", "fine.txt", "--attribute", "planet"], "there are: polarity, country"),
        (["frontier", "--batch", "fine.txt", "--attribute", "polarity", "--attribute", "x"], "attribute `x`"),
        (["ask", "--batch", "fine.txt", *BOTH, "--attribute", "country"], "country is given twice"),
        (["ask", "--batch", "fine.txt", "--attribute", "country", "--target", "0.2"], "is an Rb of polarity"),
        (["ask", "--batch", "fine.txt", "--soft", "-1"], "--soft is -1"),
        (["ask", "--batch", "fine.txt", "--soft", "nan"], "--soft is nan"),
        (["frontier", "--batch", "fine.txt", "--soft", "inf"], "--soft is inf"),
        (["ask", "--batch", "fine.txt", "--tau", "nan"], "Invalid value for '--tau'"),
        (["ask", FOOD, "--tau", "inf"], "--tau is inf"),
        (
            ["ask", "--batch", "fine.txt", "--soft", "1", "--tau", "0.1"],
            "--tau and --soft exclude each other",
        ),
        (["ask", "--batch", "fine.txt", "--soft", "1", *BOTH], "--soft is for polarity alone"),
        (["ask", FOOD, "--attribute", "country"], "belong to --batch: --attribute"),
        (["ask", FOOD, "--soft", "1", "--tau", "0.1"], "belong to --batch: --soft"),
        (["frontier", FOOD, "--soft", "1"], "belong to --batch: --soft"),
        (["frontier", "--batch", "fine.txt", "--attribute", "country"], "only polarity has a curve"),
    ],
)
def test_wrong_use_is_said_in_one_line(run: Run, library: Path, arguments: list[str], fault: str) -> None:
    Path("fine.txt").write_text(FOOD)
    ran = run(*arguments, workspace=library)
    assert ran.code == 2
    assert fault in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("DELETE FROM author_attributes WHERE author_id > 5", "known for the authors of"),
        ("UPDATE author_attributes SET value = 'Spain'", "have country Spain; there is nothing to hold"),
    ],
)
def test_an_attribute_that_says_nothing_of_these_documents(
    run: Run, library: Path, batch: Path, change: str, fault: str
) -> None:
    with sqlite3.connect(library / "evenhand.db") as connection:
        connection.execute(change)
    ran = run("ask", "--batch", batch, "-k", "4", "--attribute", "country", workspace=library)
    assert ran.code == 2
    assert fault in ran.err


def test_lines_end_where_lines_end(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(
        '{"question": "What of the\u2028food?"}\r\n\n{"question": "And the\x0bstaff?"}\n', "utf-8"
    )
    with pytest.raises(UsageError, match=r"line 3 of .* has no `question`"):
        read_batch(path)  # a raw control character is no JSON
    path.write_text("What of the\u2028food?\r\n\nAnd the staff?\n", encoding="utf-8")
    assert len(read_batch(path)) == 2
    path.write_text('{"question": ' + "[" * 100_000, encoding="utf-8")
    with pytest.raises(UsageError, match="line 1 of"):
        read_batch(path)
