from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.calibration import CalibrationQuestion, Check, calibrate, clusters, pack
from agents.models.chooser import EMBEDDED, ExtractiveChooser, LLMChooser
from agents.models.errors import ModelUnreachable
from agents.questions import read_questions
from store.embedders import BundledMiniLM
from store.errors import Unmeasurable
from store.ports import ChatReply, ChatRequest, Usage
from tests.fakes.chat import FakeChatModel

WEIGHTS = (0.5, 0.25, -0.25)


class Log:
    def __init__(self) -> None:
        self.calls: dict[tuple[str, int, int], int | None] = {}
        self.saved: list[dict[str, Any]] = []

    def observed(self, plan_sha: str) -> dict[tuple[int, int], int | None]:
        return {(q, r): outcome for (sha, q, r), outcome in self.calls.items() if sha == plan_sha}

    def observe(
        self, plan_sha: str, question: int, run: int, realised: list[int], outcome: int | None
    ) -> None:
        assert (plan_sha, question, run) not in self.calls
        assert set(realised) <= {-1, 1}
        self.calls[plan_sha, question, run] = outcome

    def save(self, **row: Any) -> int:
        self.saved.append(row)
        return len(self.saved)


class WeightedModel(FakeChatModel):
    """Chooses by known position weights, with some liking for the letter A, and refuses now and then."""

    def __init__(self, fail_after: int = 10**9) -> None:
        super().__init__()
        self._rng = random.Random(5)
        self._fail_after = fail_after

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        if len(self.requests) > self._fail_after:
            raise ModelUnreachable("fake: gone")
        prompt = request.messages[-1].content
        shown = [1 if "good" in line else -1 for line in prompt.splitlines() if line.startswith("it is ")]
        assert len(shown) == 3
        score = float(np.dot(WEIGHTS, shown))
        plus_is_a = "Choice A: yes" in prompt
        chance_plus = (1 + score) / 2
        chance_a = min(1.0, max(0.0, (chance_plus if plus_is_a else 1 - chance_plus) + 0.1))
        text = "I cannot say" if self._rng.random() < 0.05 else "A" if self._rng.random() < chance_a else "B"
        return ChatReply(text, "stop", "fake", Usage(calls=1))


def questions(count: int) -> list[CalibrationQuestion]:
    documents = tuple(f"it is {word} {n}" for n in range(3) for word in ("good", "bad"))
    return [
        CalibrationQuestion(f"Is thing {q} good?", "yes", "no", documents, (1, -1) * 3, (6.0, 5, 4, 3, 2, 1))
        for q in range(count)
    ]


async def test_known_weights_are_found_within_their_intervals() -> None:
    log = Log()
    found = await calibrate(questions(60), LLMChooser(WeightedModel()), log, attribute="polarity", k=3)
    assert (found.called, found.reused, found.usage.calls) == (480, 0, 480)
    truth = np.array(WEIGHTS) * 0.95  # refusals count for neither group
    low, high = found.fit.interval[:3].T
    assert ((low - 0.05 <= truth) & (truth <= high + 0.05)).all(), found.fit
    assert abs(found.fit.intercept) < 0.12, "a liking for the letter is balanced out"
    assert found.letter_bias > 0.05
    assert 0.01 < found.fit.refusal_rate < 0.1
    (row,) = log.saved
    assert (row["model"], row["attribute"], row["k"], row["design"]) == ("fake", "polarity", 3, "blocks")
    assert len(row["prompt_sha"]) == 64
    assert row["result"]["weights"] == found.fit.weights.tolist()


async def test_an_interrupted_calibration_continues() -> None:
    log = Log()
    asked = questions(5)
    with pytest.raises(ModelUnreachable):
        await calibrate(
            asked, LLMChooser(WeightedModel(fail_after=15)), log, attribute="polarity", k=3, workers=2
        )
    assert len(log.calls) == 15
    assert log.saved == []
    steps: list[tuple[int, int]] = []
    found = await calibrate(
        asked,
        LLMChooser(WeightedModel()),
        log,
        attribute="polarity",
        k=3,
        progress=lambda *step: steps.append(step),
    )
    assert (found.called, found.reused) == (25, 15)
    assert steps[-1] == (40, 40)
    again = await calibrate(asked, LLMChooser(WeightedModel(fail_after=0)), log, attribute="polarity", k=3)
    assert (again.called, again.fit.weights.tolist()) == (0, found.fit.weights.tolist())
    other = await calibrate(asked, LLMChooser(WeightedModel()), log, attribute="polarity", k=3, seed=1)
    assert other.reused == 0, "another seed is another plan"
    warm = LLMChooser(WeightedModel(), temperature=0.7)
    assert (await calibrate(asked, warm, log, attribute="polarity", k=3)).reused == 0, (
        "and so is a temperature"
    )


async def test_neutral_settings_are_checked_on_questions_held_back() -> None:
    log = Log()
    everything = questions(80)
    check = Check(everything[40:], settings=5, held_out=True)
    chooser = LLMChooser(WeightedModel())
    found = await calibrate(everything[:40], chooser, log, attribute="polarity", k=3, check=check)
    assert found.called == 40 * 8 + (5 + 1) * 40
    checked = found.checked
    assert checked is not None
    assert checked.embedding_bias.shape == (5, 3)
    assert checked.summary.covered >= 0.6
    # Plain retrieval shows +, -, + and leans by w . (1, -1, 1) = 0; what the check realised is small as well.
    assert checked.summary.mean_absolute_bias < 0.35
    (row,) = log.saved
    stored = json.loads(json.dumps(row["result"]))
    assert stored["validation"]["settings"] == 5
    assert stored["validation"]["held_out"] is True
    again = await calibrate(
        everything[:40], LLMChooser(WeightedModel(fail_after=0)), log, attribute="polarity", k=3, check=check
    )
    assert (again.called, again.reused) == (0, found.called)


async def test_a_target_out_of_reach_is_said_and_the_fit_kept() -> None:
    log = Log()
    check = Check(questions(4), settings=2, held_out=False, target=5.0)
    found = await calibrate(
        questions(10), LLMChooser(WeightedModel()), log, attribute="polarity", k=3, check=check
    )
    assert found.checked is None
    assert "out of reach" in found.unchecked
    assert log.saved[0]["result"]["unchecked"] == found.unchecked


def test_questions_on_one_thing_share_a_cluster() -> None:
    asked = [
        CalibrationQuestion(t, "a", "b", ("x",), (1,), (1.0,), cluster)
        for t, cluster in (("1", "food"), ("2", ""), ("3", "food"), ("4", ""))
    ]
    codes = clusters(asked).tolist()
    assert codes[0] == codes[2]
    assert len(set(codes)) == 3


async def test_the_embedded_chooser_end_to_end() -> None:
    model = BundledMiniLM()
    known: dict[str, np.ndarray] = {}

    def embed(texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, model.embed(new), strict=True))
        return np.stack([known[text] for text in texts])

    path = Path(__file__).parent.parent / "data" / "kim_bias_qa_12.csv"
    asked = read_questions(path, 3, embed)
    log = Log()
    chooser = ExtractiveChooser(embed, model.fingerprint)
    found = await calibrate(asked, chooser, log, attribute="political", k=3, source=path.name)
    assert (found.called, len(found.answers)) == (96, 96)
    # Claims of the right are nearer to options of the right: what is shown moves the choice, at every rank.
    assert found.fit.weights.sum() > 0.3
    assert found.fit.weights[0] > found.fit.weights[2] > 0
    assert found.fit.questions == 4, "errors are clustered by topic"
    assert abs(found.letter_bias) < 0.1
    (row,) = log.saved
    assert (row["model"], row["prompt_sha"]) == (EMBEDDED, chooser.prompt_sha)
    assert row["result"] == pack(found, path.name)


async def test_a_model_that_hardly_chooses_is_not_measured() -> None:
    class Silent(FakeChatModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            return ChatReply("I cannot say", "stop", "fake", Usage(calls=1))

    log = Log()
    with pytest.raises(Unmeasurable, match="32 of 32 calls chose neither option"):
        await calibrate(questions(4), LLMChooser(Silent()), log, attribute="polarity", k=3)
    assert not log.saved
    assert len(log.calls) == 32, "the answers are kept"


def test_the_same_question_again_is_no_other_question() -> None:
    asked = [CalibrationQuestion(t, "a", "b", ("x",), (1,), (1.0,)) for t in ("1", "1", "2")]
    codes = clusters(asked).tolist()
    assert codes[0] == codes[1] != codes[2]
