"""The router's figures: built questions, labelled questions, the file's own labels by source, and the time.

    python -m tests.benchmarks.bench_router [--data DIR] [--wrong]

``--data`` (or ``EVENHAND_DATA``) holds ``question_router/questions.jsonl`` and ``xquad_en``; without it only the
built questions and the time are shown. ``--wrong`` prints every question that was routed wrongly. Exit status 1 if a
bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from agents.evaluation.router import (
    RoutedQuestion,
    Score,
    build_questions,
    default_classify,
    labelled_questions,
    score,
    score_side,
    source_questions,
)
from agents.evaluation.router_baseline import leave_one_source_out
from agents.models.router import QuestionRouter
from tests.benchmarks.bars import Bars


def show(name: str, result: Score, wrong: bool) -> None:
    low, high = _wilson(result.right, result.total)
    print(f"{name:58} {result.accuracy:.3f}  [{low:.3f}, {high:.3f}]  {result.right}/{result.total}")
    if wrong:
        for question, got in result.wrong:
            print(f"    {question.kind} -> {got}: {question.question}")


def _wilson(right: int, total: int) -> tuple[float, float]:
    z, p = 1.96, right / total
    middle, half = p + z * z / (2 * total), z * np.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    return float((middle - half) / (1 + z * z / total)), float((middle + half) / (1 + z * z / total))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("EVENHAND_DATA", "../shared/data")))
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    classify, router, bars = default_classify(), QuestionRouter(), Bars()

    built = build_questions(np.random.default_rng(options.seed), per_family=60)
    kinds = score(built, classify)
    show(f"built, {len(built)} questions: kind", kinds, options.wrong)
    bars.judge("built questions: share of the right kind", kinds.accuracy, ">=", 0.95)
    for part, (right, total) in kinds.parts.items():
        print(f"    {part:54} {right / total:.3f}  {right}/{total}")
    show("built: side asked for", score_side(built, router.route), options.wrong)
    majority = Counter(q.kind for q in built).most_common(1)[0][0]
    show(f"    baseline: always {majority}", score(built, lambda _: majority), wrong=False)

    started = time.perf_counter()
    for question in built:
        router.route(question.question)
    print(f"time a question: {(time.perf_counter() - started) / len(built) * 1000:.2f} ms (warm)")

    path = options.data / "question_router" / "questions.jsonl"
    if not path.exists():
        print(f"{path} is missing: labelled questions and sources left out")
        return bars.end()
    labelled = labelled_questions(path)
    result = score(labelled, classify)
    show(f"labelled by docs/router-labels.md, {len(labelled)} questions", result, options.wrong)
    bars.judge("labelled questions: share of the right kind", result.accuracy, ">=", 0.9)
    for part, (right, total) in result.parts.items():
        print(f"    {part:54} {right / total:.3f}  {right}/{total}")
    second = labelled_questions(path, "router_labels_second.jsonl")
    show(f"second sample, {len(second)} questions", score(second, classify), options.wrong)
    own = source_questions(path)
    mine = {q.question: q.kind for q in labelled}
    agree = sum(mine[q.question] == q.kind for q in own if q.question in mine)
    print(f"our labels agree with the file's own on {agree}/{len(mine)}")
    heads = leave_one_source_out(own)
    for source in sorted(heads):
        part = [q for q in own if q.family == source]
        show(
            f"own labels, {source}: rules (trained on no source)",
            score(part, classify, lenient=True),
            wrong=False,
        )
        show(f"own labels, {source}: bag of words, this source left out", heads[source], wrong=False)
    xquad = next((options.data / "xquad_en").glob("*.json"), None)
    if xquad is not None:
        data = json.loads(xquad.read_text("utf-8"))["data"]
        texts = [qa["question"] for d in data for p in d["paragraphs"] for qa in p["qas"]]
        facts = [RoutedQuestion(text, "factual", "xquad") for text in texts]
        show("xquad, all factual", score(facts, classify), wrong=False)
    return bars.end()


if __name__ == "__main__":
    sys.exit(main())
