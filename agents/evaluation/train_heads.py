"""Train the heads that the embedded extractor ships, from MAMS ``train.xml`` and Hu and Liu's product reviews.

``python -m agents.evaluation.train_heads --data DIR`` writes ``store/enrich/data/heads.npz``; the same data give
the same file. Nothing else is read: no hotel, no lounge, no rating. What each head is for and how well it does is
told in ``store/enrich/data/heads.md`` and measured by ``python -m agents.evaluation.extraction``.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agents.evaluation.extraction_data import (
    ProductSentence,
    TargetExample,
    product_sentences,
    target_examples,
)
from agents.evaluation.linear import calibrated, fit
from store.enrich.clauses import clauses
from store.enrich.features import Analysis, Features, analyse, sentence_features, target_features
from store.enrich.heads import FILE, Head, pack

POLARITIES: Final = ("negative", "neutral", "positive")
SIGNS: Final = ("negative", "positive")
OPINION: Final = ("plain", "opinion")
#: Inverse penalties, the same for every fit.
TARGET_C: Final = 0.3
SIGN_C: Final = 1.0
OPINION_C: Final = 3.0


def polarity_labels(examples: Sequence[TargetExample]) -> list[str]:
    """Name the polarity of each example."""
    return [POLARITIES[example.polarity + 1] for example in examples]


def target_rows(examples: Sequence[TargetExample], *, topic: bool) -> list[Features]:
    """Return the features of each example; ``topic`` lets the head see the target's own words."""
    known: dict[str, Analysis] = {}
    rows = []
    for example in examples:
        if example.text not in known:
            known = {example.text: analyse(example.text)}
        rows.append(target_features(known[example.text], example.start, example.end, example.others, topic))
    return rows


def product_targets(sentences: Sequence[ProductSentence]) -> list[TargetExample]:
    """Turn the feature labels into target examples where the feature's words stand in the sentence.

    A feature of the product that is named in a sentence where the annotators marked nothing is neutral.
    """
    names: dict[str, set[str]] = {}
    for sentence in sentences:
        names.setdefault(sentence.product, set()).update(name for name, _, _ in sentence.features)
    found = []
    for sentence in sentences:
        labels = {
            name: strength for name, strength, flags in sentence.features if not set(flags) & {"u", "p"}
        }
        spans = _spans(sentence.text.lower(), names[sentence.product])
        for name, (start, end) in spans.items():
            if name not in labels and sentence.opinionated:
                continue
            strength = labels.get(name, 0)
            others = tuple(span for other, span in spans.items() if other != name)
            found.append(TargetExample(sentence.text, start, end, (strength > 0) - (strength < 0), others))
    return found


def _spans(text: str, names: set[str]) -> dict[str, tuple[int, int]]:
    spans: dict[str, tuple[int, int]] = {}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        match = re.search(rf"\b{re.escape(name)}(?:s|es)?\b", text)
        if match and not any(left < match.end() and match.start() < right for left, right in spans.values()):
            spans[name] = match.span()
    return spans


def train_targets(examples: Sequence[TargetExample], *, topic: bool) -> Head:
    """Fit the three-class head on all examples, with the temperature that suits held-out sentences."""
    rows, labels = target_rows(examples, topic=topic), polarity_labels(examples)
    texts = sorted({example.text for example in examples})
    held = set(texts[::5])
    inside = [i for i, example in enumerate(examples) if example.text not in held]
    outside = [i for i, example in enumerate(examples) if example.text in held]
    trial = fit([rows[i] for i in inside], [labels[i] for i in inside], POLARITIES, inverse_penalty=TARGET_C)
    trial = calibrated(trial, [rows[i] for i in outside], [labels[i] for i in outside])
    full = fit(rows, labels, POLARITIES, inverse_penalty=TARGET_C)
    return Head(full.classes, full.index, full.weights, full.intercept, trial.temperature)


def sided_clauses(examples: Sequence[TargetExample]) -> list[tuple[str, int]]:
    """Return the clauses whose targets take one side only, with that side (-1 or 1)."""
    sides: dict[str, set[int]] = {}
    for example in examples:
        for clause in clauses(example.text):
            if clause.start <= example.start < clause.end and example.polarity:
                sides.setdefault(example.text[clause.start : clause.end], set()).add(example.polarity)
    return [(text, min(found)) for text, found in sides.items() if len(found) == 1]


def train_orientation(sentences: Sequence[ProductSentence], sided: Sequence[tuple[str, int]]) -> Head:
    """Fit the sign of an opinion sentence on product sentences and on one-sided clauses of another domain."""
    told = [(sentence.text, sentence.orientation) for sentence in sentences if sentence.orientation]
    told.extend(sided)
    return fit(
        [sentence_features(text) for text, _ in told],
        [SIGNS[int(sign > 0)] for _, sign in told],
        SIGNS,
        inverse_penalty=SIGN_C,
        least_count=2,
    )


def train_opinion(sentences: Sequence[ProductSentence]) -> Head:
    """Fit whether a sentence holds an opinion on the product."""
    return fit(
        [sentence_features(sentence.text) for sentence in sentences],
        [OPINION[sentence.opinionated] for sentence in sentences],
        OPINION,
        inverse_penalty=OPINION_C,
        least_count=2,
    )


def main() -> None:
    """Write the shipped file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=Path("store/enrich/data") / FILE)
    arguments = parser.parse_args()
    sentences = product_sentences(arguments.data)
    restaurants = target_examples(arguments.data, "train")
    examples = [*restaurants, *product_targets(sentences)]
    content = pack(
        {
            "target": train_targets(examples, topic=False),
            "orientation": train_orientation(sentences, sided_clauses(restaurants)),
            "opinion": train_opinion(sentences),
        }
    )
    arguments.out.write_bytes(content)
    sys.stderr.write(f"{arguments.out}: {len(content)} bytes from {len(examples)} targets\n")


if __name__ == "__main__":
    main()
