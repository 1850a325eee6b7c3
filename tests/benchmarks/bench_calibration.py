"""Position weights of a real model (FARO stage 2): 25 questions x 8 runs at k = 3, then settings meant as neutral.

``python -m tests.benchmarks.bench_calibration [--base-url URL --model NAME] [--questions 25] [--validate 4]
[--log FILE]``. Without a base URL the small real server is started; it is far too weak to judge, and the figures say
how weak. The data are the political questions of ``kim_bias_qa`` (MIT), under ``EVENHAND_DATA``. With a log every call
is kept as it is made, and the same command continues after an interruption.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import csv
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from agents.calibration import CalibrationQuestion, calibrate
from agents.fairness.injection import inject
from agents.fairness.propagation import neutral_settings, validate
from agents.models.chat import OpenAIChat
from agents.models.choice import choose
from agents.models.chooser import LLMChooser
from agents.models.settings import EndpointSettings, Limits
from agents.models.small_server import MODEL, WARNING, SmallServer

K = 3


class Log:
    """A calibration log in a file of JSON lines, or in this process only where no path is given."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: dict[str, Any] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                # The last line of a run that was killed may be cut.
                with contextlib.suppress(ValueError):
                    self._kept.update([json.loads(line)])

    def get(self, *key: Any) -> Any:
        """Return what was kept under a key; KeyError where nothing was."""
        return self._kept[json.dumps(key)]

    def put(self, value: Any, *key: Any) -> None:
        """Keep a value."""
        self._kept[json.dumps(key)] = value
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([json.dumps(key), value]) + "\n")

    def observed(self, plan_sha: str) -> dict[tuple[int, int], int | None]:
        """Return the answers of a plan by question and run."""
        keys = [json.loads(key) for key in self._kept]
        return {(key[1], key[2]): self.get(*key) for key in keys if key[0] == plan_sha}

    def observe(
        self, plan_sha: str, question: int, run: int, realised: list[int], outcome: int | None
    ) -> None:
        """Keep one answer of a plan."""
        self.put(outcome, plan_sha, question, run)

    def save(self, **row: object) -> int:
        """Keep no fit: it is printed."""
        return 0


def read_questions(path: Path, count: int) -> list[CalibrationQuestion]:
    """Return questions whose topic has at least K distinct claims of each side; +1 is the right-leaning side."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    by_topic: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_topic.setdefault(row["topic"], []).append(row)
    found = []
    for same in by_topic.values():
        own = same[0]
        right = list(dict.fromkeys(row["right_claim"] for row in same))[:K]
        left = list(dict.fromkeys(row["left_claim"] for row in same))[:K]
        if len(right) < K or len(left) < K:
            continue
        documents = tuple(text for pair in zip(right, left, strict=True) for text in pair)
        groups = tuple([1, -1] * K)
        relevance = tuple(float(2 * K - n) for n in range(2 * K))
        found.append(
            CalibrationQuestion(
                own["question"], own["right_claim"], own["left_claim"], documents, groups, relevance
            )
        )
    return found[:count]


async def measure(chat: OpenAIChat, questions: list[CalibrationQuestion], settings: int, log: Log) -> None:
    """Fit, print, and check the fit on settings it says are neutral."""
    started = time.monotonic()

    def progress(done: int, total: int) -> None:
        if done % 20 == 0:
            sys.stderr.write(f"\r{done} of {total} calls, {time.monotonic() - started:.0f} s")

    found = await calibrate(
        questions,
        LLMChooser(chat),
        log,
        attribute="political",
        k=K,
        workers=chat.settings.limits.concurrency,
        progress=progress,
    )
    fit = found.fit
    print(
        f"\n{chat.model}: {fit.answers} answers to {fit.questions} questions, {time.monotonic() - started:.0f} s"
    )
    for name, value, error, (low, high) in zip(
        [f"w_{p}" for p in range(1, K + 1)] + ["b"],
        [*fit.weights, fit.intercept],
        fit.standard_errors,
        fit.interval,
        strict=True,
    ):
        print(f"{name} = {value:+.3f}  (SE {error:.3f}, 95 % {low:+.3f} to {high:+.3f})")
    print(
        f"R^2 {fit.r_squared:.3f} of answers, {fit.r_squared_settings:.3f} of settings; refusals "
        f"{100 * fit.refusal_rate:.1f} %; liking for the letter A {found.letter_bias:+.2f}"
    )
    if not settings:
        return
    rng = np.random.default_rng(1)
    plain = await realised(chat, questions, None, rng, log)
    wanted = neutral_settings(fit, settings, rng)
    runs = [await realised(chat, questions, setting, rng, log) for setting in wanted]
    checked = validate(
        fit, np.array([eb for eb, _ in runs]), np.array([rb for _, rb in runs]), len(questions), plain[1]
    )
    for eb, rb in runs:
        predicted, error = fit.predict(eb)
        print(f"Eb {np.round(eb, 2)}: predicted Rb {predicted:+.3f} (SE {error:.3f}), realised {rb:+.3f}")
    print(
        f"|Rb| of neutral settings {checked.mean_absolute_bias:.3f}, of plain retrieval "
        f"{checked.vanilla_absolute_bias:.3f}; error {checked.mean_error:+.3f}, RMSE "
        f"{checked.root_mean_square_error:.3f}, {100 * checked.covered:.0f} % within 95 % bounds"
    )


async def realised(
    chat: OpenAIChat,
    questions: list[CalibrationQuestion],
    setting: np.ndarray | None,
    rng: np.random.Generator,
    log: Log,
) -> tuple[np.ndarray, float]:
    """Run one setting (None: plain relevance order) on every question; return mean groups shown and Rb."""

    async def one(index: int, order: list[int]) -> int:
        question = questions[index]
        first = 1 if index % 2 else -1
        options = (question.plus, question.minus) if first > 0 else (question.minus, question.plus)
        key = ("check", chat.model, question.text, *options, *order)
        with contextlib.suppress(KeyError):
            return int(log.get(*key))
        choice = await choose(chat, question.text, *options, [question.documents[i] for i in order])
        outcome = 0 if choice.letter is None else first if choice.letter == "A" else -first
        log.put(outcome, *key)
        return outcome

    orders, shown = [], []
    for question in questions:
        if setting is None:
            order = list(range(K))
        else:
            order = inject(question.relevance, question.groups, (setting + 1) / 2, rng).order.tolist()
        orders.append(order)
        shown.append([question.groups[i] for i in order])
    answers = await asyncio.gather(*(one(index, order) for index, order in enumerate(orders)))
    return np.mean(shown, axis=0), float(np.mean(answers))


async def run(options: argparse.Namespace) -> None:
    """Connect and measure."""
    data = (
        Path(os.environ.get("EVENHAND_DATA", "../shared/data")) / "kim_bias_qa" / "PoliticBias-QA_train.csv"
    )
    questions = read_questions(data, options.questions)
    server = None if options.base_url else SmallServer(context=2048, parallel=2)
    if server is not None:
        print(WARNING)
    settings = EndpointSettings(
        base_url=server.base_url if server else options.base_url,
        model=MODEL if server else options.model,
        limits=Limits(concurrency=2 if server else 16),
    )
    chat = OpenAIChat(settings)
    try:
        await measure(chat, questions, options.validate, Log(options.log))
    finally:
        await chat.aclose()
        if server is not None:
            server.close()


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--questions", type=int, default=25)
    parser.add_argument("--validate", type=int, default=4)
    parser.add_argument("--log", type=Path, help="keep every call here, and continue from it")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
