"""Measures entity linking on 300 questions built from the hotel registry.

Sixty each: an alias, a plural, one misspelling (a random edit of a random word), a paraphrase (written by hand,
without the registry's words where English allows), and sixty about nothing in the corpus.
Run ``python -m tests.benchmarks.bench_linking``; the data folder comes from EVENHAND_DATA.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

from store.enrich.linking import Embed, link
from store.enrich.registry import RegistryResult
from store.enrich.registry_words import lemmas
from tests.benchmarks.bench_registry import build, hotel_rows

TEMPLATES = (
    "What do guests think about {}?",
    "Summarize guest opinions on {}.",
    "What are the biggest complaints about the {}?",
    "What positive experiences do guests report with {}?",
    "How do business travelers and families differ on the {}?",
    "How good is the {}?",
    "are people happy with the {}",
    "Tell me what visitors from Texas say about {}",
)

#: Paraphrase -> the names that are a right answer.
PARAPHRASES = {
    "morning meal": ("breakfast",), "the people who work there": ("staff",), "how tidy it is": ("cleanliness",),
    "where it is situated": ("location",), "sleeping comfort of the mattresses": ("mattress", "comfort", "bed"),
    "internet speed": ("wifi",), "the lavatories": ("bathroom",), "somewhere to swim": ("pool",),
    "a place to leave the car": ("parking",), "how much it costs": ("price",),
    "the workers at reception": ("front desk",),
    "the racket at night": ("noise",), "hygiene": ("cleanliness",), "the dining room": ("restaurant",),
    "cooling of the rooms": ("air conditioning", "room"), "the lift": ("elevator",), "the jacuzzi": ("hot tub",),
    "the exercise room": ("gym",), "the maids": ("housekeeping", "staff"), "the television channels": ("tv",),
    "the odour": ("smell",), "transfer bus to the airport": ("shuttle",), "checking in": ("check-in",),
    "the fridge": ("refrigerator",), "bang for the buck": ("value",), "scenery from the window": ("view", "window"),
    "the corridors": ("hallway",), "the duvet and bed sheets": ("bed", "sheet", "linens"), "couches": ("sofa",),
    "how cosy the place feels": ("comfort", "atmosphere"), "the ambience": ("atmosphere",), "cuisine": ("food",),
    "espresso": ("coffee",), "wireless access": ("wifi",), "their supervisors": ("manager",), "the foyer": ("lobby",),
    "beverages": ("drink",), "the sauna and massages": ("spa",), "swimming facilities": ("pool", "facility"),
    "the bathtub": ("tub", "bathroom"), "pancakes and omelettes": ("breakfast", "waffles", "eggs"),
    "cost of a night": ("price",), "the carpeting": ("carpet",), "interior design": ("decor",),
    "the amenities": ("facility",), "the garage": ("parking",), "the pub": ("bar",),
    "hospitality of the personnel": ("staff",),
    "charging points": ("outlets",), "settees": ("sofa",), "the ocean shore": ("beach",), "puppies": ("dog",),
    "evening meal": ("dinner", "food"), "cushions for the head": ("pillows",), "cigarette smell": ("smell", "smoke"),
    "insects": ("bugs",), "how loud it gets": ("noise",), "neighbourhood": ("location",), "armchairs": ("chair",),
    "the accommodation": ("room",),
}  # fmt: skip

OFF_TOPIC = (
    "quantum physics", "mortgage brokers", "the presidential election", "mathematics homework", "dental implants",
    "electric guitars", "the stock exchange", "Python programming", "tax returns", "volcanoes", "the roman empire",
    "photosynthesis", "vaccines", "football transfers", "knitting patterns", "bitcoin mining", "the solar system",
    "chess openings", "divorce lawyers", "poetry of the romantics", "dinosaurs", "helicopter pilots", "submarines",
    "kidney transplants", "wedding rings", "laptop keyboards", "camera lenses", "headphones", "the penal code",
    "military spending", "nuclear reactors", "tennis rackets", "horse racing", "opera singers", "the periodic table",
    "marathon training", "accounting software", "grammar", "climate policy", "school curricula", "immigration law",
    "skateboards", "tattoos", "makeup", "lawn mowers", "dishwashers", "bicycle brakes", "the trombone", "astronomy",
    "insurance claims", "passport renewal", "university rankings", "graphics cards", "motorcycles", "violin lessons",
    "earthquakes", "the Supreme Court", "perfume", "novels of Tolstoy", "cryptography",
)  # fmt: skip


def misspell(name: str, rng: np.random.Generator) -> str:
    """Return the name with one random edit inside its longest word."""
    parts = name.split()
    index = max(range(len(parts)), key=lambda i: len(parts[i]))
    word = parts[index]
    at = int(rng.integers(1, len(word)))
    letter = "abcdefghijklmnopqrstuvwxyz"[int(rng.integers(26))]
    kind = int(rng.integers(4))
    if kind == 0:
        word = word[:at] + word[at + 1 :]
    elif kind == 1:
        word = word[:at] + letter + word[at:]
    elif kind == 2:
        word = word[:at] + letter + word[at + 1 :]
    elif at + 1 < len(word):
        word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    else:
        word = word[:at] + word[at] + word[at:]
    return " ".join([*parts[:index], word, *parts[index + 1 :]])


def plural(name: str) -> str:
    """Return a regular plural."""
    if name.endswith("y") and name[-2] not in "aeiou":
        return name[:-1] + "ies"
    return name if name.endswith("s") else name + ("es" if name.endswith(("x", "ch", "sh")) else "s")


def questions(result: RegistryResult, seed: int = 0) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return (kind, question, names of the right entities; empty for off topic)."""
    rng = np.random.default_rng(seed)
    built: list[tuple[str, str, tuple[str, ...]]] = []

    def ask(kind: str, phrase: str, right: tuple[str, ...]) -> None:
        built.append((kind, TEMPLATES[int(rng.integers(len(TEMPLATES)))].format(phrase), right))

    entities = result.entities
    aliases = [(a, e.name) for e in entities for a in e.aliases if lemmas(a) != lemmas(e.name)]
    for index in rng.choice(len(aliases), 60, replace=False):
        ask("alias", aliases[int(index)][0], (aliases[int(index)][1],))
    for entity in entities[:60]:
        ask("plural", plural(entity.name), (entity.name,))
    long = [entity for entity in entities if len(max(entity.name.split(), key=len)) >= 4]
    for index in rng.choice(len(long), 60, replace=False):
        name = long[int(index)].name
        slip = misspell(name, rng)
        while slip == name:
            slip = misspell(name, rng)
        ask("misspelling", slip, (name,))
    for phrase, right in PARAPHRASES.items():
        ask("paraphrase", phrase, right)
    for phrase in OFF_TOPIC:
        ask("off topic", phrase, ())
    return built


def measure(result: RegistryResult, embed: Embed | None, verbose: bool = False) -> None:
    """Print the share of right links a kind, and the time a question."""
    built = questions(result)
    names = {entity.key: entity.name for entity in result.entities}
    link("warm up the zebra", result.entities, result.counts, embed)
    tally: dict[str, list[bool]] = {}
    seconds = []
    for kind, question, right in built:
        started = time.perf_counter()
        found = link(question, result.entities, result.counts, embed)
        seconds.append(time.perf_counter() - started)
        got = [names[key] for key in found.entities]
        good = not got if not right else bool(got) and lemmas(got[0]) in {lemmas(name) for name in right}
        tally.setdefault(kind, []).append(good)
        if verbose and not good:
            print(f"   {kind}: {question!r} -> {got} ({found.reason}); wanted {right}")
    for kind, goods in tally.items():
        print(f"{kind:12} {sum(goods)}/{len(goods)}")
    goods = [good for values in tally.values() for good in values]
    print(
        f"right {np.mean(goods):.3f} of {len(goods)}; off topic linked {1 - np.mean(tally['off topic']):.3f}"
    )
    print(
        f"milliseconds a question: median {np.median(seconds) * 1e3:.1f}, p95 {np.quantile(seconds, 0.95) * 1e3:.1f}"
    )


def main(arguments: Sequence[str]) -> None:
    """Bootstrap the hotel registry from 6,000 reviews and measure."""
    from store.embedders import BundledMiniLM

    embedder = BundledMiniLM(threads=1)
    measure(build(hotel_rows()[:6000], embedder.embed), embedder.embed, "-v" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
