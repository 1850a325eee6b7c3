"""Catch and false-alarm rates of verification on answers built from real review sentences.

    python -m tests.benchmarks.bench_verification [--data DIR] [--answers N]

The sentences and their signs are those of Hu and Liu's product reviews (labelled by people; ``huliu_product_reviews``
under ``--data`` or ``EVENHAND_DATA``); without the data only the built-in bank is used. Two claim classifiers: the
embedded one, whose heads were trained on Hu and Liu's sentences, and VADER, which was not.
"""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from pathlib import Path

from agents.fairness.distance import w1_bins
from agents.verification import Classify, Read, verify
from agents.verification.lexical import lexical_claim
from tests.agents.verification_cases import BANK, Bank, Case, right_cases, wrong_cases

_SIGNS = {"positive": 20, "negative": -20, "neutral": 0}


def huliu_bank(folder: Path) -> Bank:
    """Return product -> sentences all of whose labels are positive, all negative, or that have none."""
    bank: Bank = {}
    for path in sorted(folder.glob("1_*.txt")):
        praise: list[str] = []
        blame: list[str] = []
        plain: list[str] = []
        for line in path.read_text("utf-8", errors="replace").splitlines():
            labels, found, sentence = line.partition("##")
            sentence = " ".join(sentence.split())
            if not found or not 8 <= len(sentence.split()) <= 25 or re.search(r"[\"“”\[\]?]|\.\.", sentence):
                continue
            signs = set(re.findall(r"\[([+-])\d\]", labels))
            target = praise if signs == {"+"} else blame if signs == {"-"} else plain if not labels else None
            if target is not None and sentence not in target:
                target.append(sentence.rstrip(" .") + ".")
        if min(len(praise), len(blame)) >= 20:
            bank[path.stem] = ("it", praise, blame, plain[:40])
    return bank


def vader() -> Classify:
    """Return VADER as a claim classifier: three strengths a sign, None near zero; right about 3 times in 4."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()

    def classify(claim: str) -> Read | None:
        score = float(analyser.polarity_scores(claim)["compound"])
        if abs(score) < 0.05:
            return None
        size = 30 if abs(score) > 0.6 else 20 if abs(score) > 0.3 else 10
        return Read(size if score > 0 else -size, 0.75)

    return classify


def run(name: str, bank: Bank, classify: Classify, answers: int) -> None:
    def fails(case: Case, stances: bool) -> bool:
        known = {label: _SIGNS[side] for label, side, _ in case.voices} if stances else None
        options = {"population": case.population, "classify": classify, "distance": w1_bins, "stances": known}
        return not verify(case.answer, case.documents, **options).ok  # type: ignore[arg-type]

    for stances in (False, True):
        right, wrong = right_cases(31, answers, bank), wrong_cases(32, answers // 4, bank)
        alarms = sum(fails(case, stances) for case in right)
        caught, total = Counter[str](), Counter[str]()
        for case in wrong:
            total[case.kind] += 1
            caught[case.kind] += fails(case, stances)
        print(f"{name}, stances {'known' if stances else 'unknown'}: false alarms {alarms}/{len(right)}")
        print("    " + ", ".join(f"{kind} {caught[kind]}/{total[kind]}" for kind in total))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("EVENHAND_DATA", "../shared/data")))
    parser.add_argument("--answers", type=int, default=200)
    options = parser.parse_args()
    run("bank, embedded classifier", BANK, lexical_claim, options.answers)
    bank = huliu_bank(options.data / "huliu_product_reviews")
    if bank:
        run("Hu and Liu, embedded classifier", bank, lexical_claim, options.answers)
        run("Hu and Liu, VADER", bank, vader(), options.answers)


if __name__ == "__main__":
    main()
