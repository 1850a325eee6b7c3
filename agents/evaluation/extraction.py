"""Measure the embedded extractor against labels and ratings that others gave.

Five measures, each a function that returns plain numbers by method, so that no figure stands alone:

``orientation``        sign of an opinion sentence, Hu and Liu, leaving one product out
``opinion_sentences``  which sentences hold an opinion, Hu and Liu, leaving one product out
``product_features``   which features the registry finds, Hu and Liu
``targets``            polarity of an aspect term, MAMS ``val``, trained on ``train`` alone
``aspects``            sign and order of seven aspects of a lounge, by the reviewer's own ratings (never fitted)

Neutral counts as wrong wherever a sign is asked. ``python -m agents.evaluation.extraction --data DIR`` prints them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.evaluation.aspects import aspects
from agents.evaluation.extraction_data import ProductSentence, product_sentences, target_examples
from agents.evaluation.measures import by_class, by_sign, calibration_error, cut, retrieved, vader
from agents.evaluation.train_heads import (
    POLARITIES,
    polarity_labels,
    sided_clauses,
    target_rows,
    train_opinion,
    train_orientation,
    train_targets,
)
from store.enrich.clauses import clauses
from store.enrich.features import sentence_features
from store.enrich.polarity import compound

#: Probability from which a sentence counts as opinion: half the F1 that can be reached (Lipton et al. 2014).
OPINION_CUT: Final = 0.35


def run(data: Path) -> dict[str, Any]:
    """Return every figure: set -> method -> measure -> value."""
    return {
        "orientation": orientation(data),
        "opinion sentences": opinion_sentences(data),
        "product features": product_features(data),
        "targets": targets(data),
        "aspects": aspects(data),
    }


def orientation(data: Path) -> dict[str, dict[str, float]]:
    """Accuracy of the sign of the opinion sentences of Hu and Liu; those whose strengths cancel are left out."""
    kept = [sentence for sentence in product_sentences(data) if sentence.orientation]
    truth = np.array([sentence.orientation for sentence in kept])
    learned = np.zeros(len(kept), dtype=np.int64)
    sided = sided_clauses(target_examples(data, "train"))
    for inside, outside in _folds(kept):
        head = train_orientation([kept[i] for i in inside], sided)
        scores = head.scores([sentence_features(kept[i].text) for i in outside])
        learned[outside] = np.where(scores[:, 1] > scores[:, 0], 1, -1)
    texts = [sentence.text for sentence in kept]
    return {
        "majority": by_sign(truth, np.ones(len(truth), dtype=np.int64)),
        "vader": by_sign(truth, cut([vader(text) for text in texts])),
        "lexicon": by_sign(truth, cut([compound(text) for text in texts])),
        "head, product left out": by_sign(truth, learned),
    }


def opinion_sentences(data: Path) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of finding the sentences with an opinion on the product."""
    sentences = product_sentences(data)
    truth = np.array([sentence.opinionated for sentence in sentences])
    learned = np.zeros(len(sentences), dtype=bool)
    for inside, outside in _folds(sentences):
        head = train_opinion([sentences[i] for i in inside])
        rows = [sentence_features(sentences[i].text) for i in outside]
        learned[outside] = head.probabilities(rows)[:, 1] > OPINION_CUT
    texts = [sentence.text for sentence in sentences]
    return {
        "all": retrieved(truth, np.ones(len(truth), dtype=bool)),
        "vader": retrieved(truth, cut([vader(text) for text in texts]) != 0),
        "lexicon": retrieved(truth, cut([compound(text) for text in texts]) != 0),
        "head, product left out": retrieved(truth, learned),
    }


def product_features(data: Path) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of the registry's entities against the features that Hu and Liu's readers named."""
    from agents.evaluation.features import evaluate_features, registry_names

    scores = evaluate_features(data / "huliu_product_reviews", registry_names)
    return {
        score.product: {
            "precision": round(score.precision, 4),
            "recall": round(score.recall, 4),
            "f1": round(score.f1, 4),
        }
        for score in scores
    }


def targets(data: Path) -> dict[str, dict[str, float]]:
    """Three-class accuracy on the aspect terms of MAMS ``val.xml``."""
    train, held = target_examples(data, "train"), target_examples(data, "val")
    truth = np.array([example.polarity for example in held])
    found: dict[str, dict[str, float]] = {
        "majority": by_class(truth, np.zeros(len(truth), dtype=np.int64)),
        "vader, clause": by_class(truth, cut([vader(_clause(e.text, e.start)) for e in held])),
        "lexicon, clause": by_class(truth, cut([compound(_clause(e.text, e.start)) for e in held])),
    }
    for name, topic in (("head", True), ("head without the term's words", False)):
        head = train_targets(train, topic=topic)
        shares = head.probabilities(target_rows(held, topic=topic))
        found[name] = by_class(truth, shares.argmax(axis=1) - 1)
        labels = [POLARITIES.index(label) for label in polarity_labels(held)]
        found[name]["calibration error"] = calibration_error(
            shares.max(axis=1), shares.argmax(axis=1) == np.array(labels)
        )
    return found


def _clause(text: str, position: int) -> str:
    for clause in reversed(clauses(text)):
        if clause.start <= position:
            return text[clause.start : clause.end]
    return text


def _folds(sentences: Sequence[ProductSentence]) -> list[tuple[list[int], list[int]]]:
    products = sorted({sentence.product for sentence in sentences})
    return [
        (
            [i for i, sentence in enumerate(sentences) if sentence.product != product],
            [i for i, sentence in enumerate(sentences) if sentence.product == product],
        )
        for product in products
    ]


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    arguments = parser.parse_args()
    sys.stdout.write(json.dumps(run(arguments.data), indent=2) + "\n")


if __name__ == "__main__":
    main()
