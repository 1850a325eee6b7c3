"""What is asked, what is taken from an earlier run, how many at once, when to stop, and what the check compares."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pytest

from agents.calibration import CalibrationQuestion, Check, calibrate, plan_sha
from agents.calibration_calls import Asked, Call, ask_all
from agents.calibration_check import Checked, run_check
from agents.fairness.propagation import PropagationFit
from agents.models.choice import Choice
from agents.models.errors import FATAL, ModelCallError, ModelUnreachable
from store.ports import Usage

Letter = Literal["A", "B"] | None
GOOD_FIRST = CalibrationQuestion(
    text="Is it good?",
    plus="yes",
    minus="no",
    documents=("good 1", "good 2", "bad 1", "bad 2"),
    groups=(1, 1, -1, -1),
    relevance=(4.0, 3.0, 2.0, 1.0),
)


class Log:
    def __init__(self) -> None:
        self.calls: dict[tuple[str, int, int], int | None] = {}

    def observed(self, plan_sha: str) -> dict[tuple[int, int], int | None]:
        return {(q, r): outcome for (sha, q, r), outcome in self.calls.items() if sha == plan_sha}

    def observe(
        self, plan_sha: str, question: int, run: int, realised: list[int], outcome: int | None
    ) -> None:
        self.calls[plan_sha, question, run] = outcome

    def save(self, **row: Any) -> int:
        return 1


@dataclass
class Chooser:
    """Answers by ``reply(documents, option A)``; counts the calls, and how many it has at once."""

    reply: Callable[[Sequence[str], str], Letter] = lambda documents, option_a: "A"
    name: str = "fake"
    prompt_sha: str = "p" * 64
    sampling: str = ""
    fails: dict[int, ModelCallError] = field(default_factory=dict)
    seen: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    now: int = 0
    most: int = 0

    async def choose(
        self, documents: Sequence[str], question: str, option_a: str, option_b: str, *, run: int = 0
    ) -> Choice:
        self.seen.append((run, tuple(documents)))
        if error := self.fails.get(len(self.seen)):
            raise error
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(3):
            await asyncio.sleep(0)
        self.now -= 1
        return Choice(self.reply(documents, option_a), None, "", self.prompt_sha, Usage(calls=1))


def sha(questions: Sequence[CalibrationQuestion] = (GOOD_FIRST,), **changed: Any) -> str:
    plan: dict[str, Any] = {"attribute": "polarity", "k": 2, "design": "blocks", "seed": 0, **changed}
    chooser = plan.pop("chooser", Chooser())
    return plan_sha(questions, chooser, **plan)


@pytest.mark.parametrize(
    "changed",
    [
        {"questions": (replace(GOOD_FIRST, text="Is it fine?"),)},
        {"questions": (replace(GOOD_FIRST, plus="surely"),)},
        {"questions": (replace(GOOD_FIRST, minus="never"),)},
        {"questions": (replace(GOOD_FIRST, documents=("good 1", "good 2", "bad 1", "bad 3")),)},
        {"questions": (replace(GOOD_FIRST, groups=(1, -1, 1, -1)),)},
        {"questions": (replace(GOOD_FIRST, relevance=(4.0, 3.0, 1.0, 2.0)),)},
        {"questions": (GOOD_FIRST, GOOD_FIRST)},
        {"chooser": Chooser(name="another")},
        {"chooser": Chooser(prompt_sha="q" * 64)},
        {"chooser": Chooser(sampling="temperature 0.7")},
        {"attribute": "political"},
        {"k": 3},
        {"design": "grid"},
        {"seed": 1},
    ],
    ids=lambda changed: "-".join(changed),
)
def test_whatever_can_change_an_answer_makes_another_plan(changed: dict[str, Any]) -> None:
    assert sha((replace(GOOD_FIRST),), chooser=Chooser()) == sha(), "equal plans are one plan"
    assert sha(**changed) != sha()


@pytest.mark.parametrize(
    "other",
    [
        {"chooser": Chooser(prompt_sha="q" * 64)},
        {"documents": ("good 1", "good 2", "bad 1", "bad 3")},
        {"relevance": (1.0, 2.0, 3.0, 4.0)},
    ],
    ids=lambda other: "-".join(other),
)
async def test_no_answer_to_another_prompt_or_other_documents_is_taken_for_this_one(
    other: dict[str, Any],
) -> None:
    log, pair = Log(), [GOOD_FIRST, replace(GOOD_FIRST, text="Is it nice?")]
    first = await calibrate(pair, Chooser(), log, attribute="polarity", k=2)
    same = await calibrate(pair, Chooser(), log, attribute="polarity", k=2)
    assert (same.called, same.reused) == (0, first.called)
    chooser = other.get("chooser", Chooser())
    changed = [replace(each, **{n: v for n, v in other.items() if n != "chooser"}) for each in pair]
    found = await calibrate(changed, chooser, log, attribute="polarity", k=2)
    assert (found.called, found.reused) == (first.called, 0)


def calls(count: int) -> list[Call]:
    return [Call(0, run, (0, 2), (1, -1), 1) for run in range(count)]


async def ask(chooser: Chooser, log: Log, count: int, workers: int) -> Asked:
    return await ask_all([GOOD_FIRST], chooser, calls(count), log, "plan", workers, lambda done: None)


@pytest.mark.parametrize("workers", [1, 3, 11])
async def test_as_many_calls_are_under_way_as_there_are_workers(workers: int) -> None:
    chooser = Chooser()
    asked = await ask(chooser, Log(), 24, workers)
    assert asked.called == 24
    assert chooser.most == workers


@pytest.mark.parametrize("error", FATAL, ids=lambda error: error.__name__)
async def test_a_failure_that_every_call_would_share_stops_the_asking(error: type[ModelCallError]) -> None:
    chooser, log = Chooser(fails={5: error("no")}), Log()
    with pytest.raises(error):
        await ask(chooser, log, 24, 1)
    assert len(chooser.seen) == 5
    assert len(log.calls) == 4


async def test_calls_under_way_at_a_fatal_failure_are_kept() -> None:
    chooser, log = Chooser(fails={3: FATAL[0]("no")}), Log()
    with pytest.raises(FATAL[0]):
        await ask(chooser, log, 24, 3)
    assert len(chooser.seen) == 3
    assert {run for _, _, run in log.calls} == {0, 1}


async def test_a_failure_of_one_call_leaves_the_others_asked_and_kept() -> None:
    chooser, log = Chooser(fails={5: ModelUnreachable("gone")}), Log()
    with pytest.raises(ModelUnreachable):
        await ask(chooser, log, 24, 1)
    assert len(chooser.seen) == 24
    assert len(log.calls) == 23


def fitted(k: int = 2) -> PropagationFit:
    weights = np.full(k, 0.5)
    return PropagationFit(
        weights=weights,
        intercept=0.0,
        covariance=np.zeros((k + 1, k + 1)),
        interval=np.column_stack([np.append(weights, 0.0)] * 2),
        level=0.95,
        r_squared=1.0,
        r_squared_settings=1.0,
        answers=100,
        questions=10,
        refusal_rate=0.0,
    )


async def checked(chooser: Chooser, question: CalibrationQuestion = GOOD_FIRST) -> Checked:
    check = Check([question] * 6, settings=3, held_out=True)
    found, asked = await run_check(check, fitted(), chooser, Log(), "plan", 0, 1, lambda done: None)
    assert asked.called == check.calls == 24
    return found


async def test_a_model_that_only_likes_a_letter_is_found_neutral_by_the_check() -> None:
    found = await checked(Chooser())
    assert found.realised.tolist() == [0, 0, 0]
    assert found.vanilla == 0


@pytest.mark.parametrize("sign", [1, -1])
async def test_the_check_compares_with_the_most_relevant_documents_in_their_order(sign: int) -> None:
    relevance = tuple(sign * each for each in (3.0, 4.0, -3.0, -4.0))
    best = [("good 2", "good 1"), ("bad 2", "bad 1")][sign < 0]

    def by_what_is_shown(documents: Sequence[str], option_a: str) -> Letter:
        likes = "yes" if documents[0].startswith("good") else "no"
        return "A" if option_a == likes else "B"

    chooser = Chooser(by_what_is_shown)
    found = await checked(chooser, replace(GOOD_FIRST, relevance=relevance))
    assert {documents for run, documents in chooser.seen if run == 0} == {best}
    assert found.vanilla == sign
    assert found.summary.vanilla_absolute_bias == 1


async def test_the_check_reports_the_groups_that_it_showed() -> None:
    chooser = Chooser()
    found = await checked(chooser)
    for setting, bias in enumerate(found.embedding_bias, 1):
        shown = [documents for run, documents in chooser.seen if run == setting]
        signs = np.array(
            [[1 if each.startswith("good") else -1 for each in documents] for documents in shown]
        )
        assert bias == pytest.approx(signs.mean(axis=0))


async def test_no_answer_to_another_check_question_is_taken_for_this_one() -> None:
    log, pair = Log(), [GOOD_FIRST, replace(GOOD_FIRST, text="Is it nice?")]

    def letter(documents: Sequence[str], option_a: str) -> Literal["A", "B"]:
        likes = "yes" if documents[0].startswith("good") else "no"
        return "A" if option_a == likes else "B"

    def check(text: str) -> Check:
        return Check([replace(GOOD_FIRST, text=f"{text} {n}?") for n in range(4)], settings=2, held_out=True)

    first = await calibrate(pair, Chooser(letter), log, attribute="polarity", k=2, check=check("a"))
    assert first.checked is not None
    same = await calibrate(pair, Chooser(letter), log, attribute="polarity", k=2, check=check("a"))
    assert same.called == 0
    other = await calibrate(pair, Chooser(letter), log, attribute="polarity", k=2, check=check("b"))
    assert other.called == check("b").calls, (other.called, other.reused)
