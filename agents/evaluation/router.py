"""How well the router tells facts, views, both and counts apart: built questions, labelled questions, sources.

Three looks:

- **built**: questions over twelve domains' entities: WARP's six templates, groups, counts, facts, both, each plain,
  paraphrased and misspelt, with their kind and their side;
- **labelled**: 200 questions of real people, by the rule in ``docs/router-labels.md``;
- **sources**: the question file's own labels, one source at a time. The rules are trained on none of them; beside
  them stands a bag-of-words head, trained on the other sources.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from agents.models.router import QuestionRouter, Route

Classify = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class RoutedQuestion:
    """A question with the route it should take.

    ``family`` is the template's name or the source; ``variant`` is plain, paraphrased or misspelt; ``side`` is
    only judged on built questions.
    """

    question: str
    kind: str
    family: str
    variant: str = "plain"
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """Right answers among questions, in all and by family, variant and kind, with the wrong ones."""

    right: int
    total: int
    parts: dict[str, tuple[int, int]] = field(default_factory=dict)
    wrong: tuple[tuple[RoutedQuestion, str], ...] = ()

    @property
    def accuracy(self) -> float:
        """Share of right answers in [0, 1]; nan without questions."""
        return self.right / self.total if self.total else float("nan")


def _data(name: str) -> Any:
    return json.loads(resources.files("agents.evaluation").joinpath("data", name).read_text("utf-8"))


def build_questions(rng: np.random.Generator, per_family: int = 60) -> list[RoutedQuestion]:
    """Build questions over the domains of ``router_domains.json`` from ``router_templates.json``.

    Parameters
    ----------
    rng
        Chooses domain, entity, template and slips; the same state gives the same questions.
    per_family
        Questions a template family: a third plain, a third paraphrased, a third misspelt (of either).
    """
    domains, templates = list(_data("router_domains.json").values()), _data("router_templates.json")
    made: list[RoutedQuestion] = []
    for family, spec in templates.items():
        for i in range(per_family):
            variant = ("plain", "paraphrased", "misspelt")[i % 3]
            pool = spec["plain"] + spec["paraphrased"] if variant == "misspelt" else spec[variant]
            domain = domains[rng.integers(len(domains))]
            entity = domain["entities"][rng.integers(len(domain["entities"]))]
            question = _fill(pool[rng.integers(len(pool))], domain, entity, rng)
            if variant == "misspelt":
                question = misspell(question, rng, keep=entity)
            made.append(RoutedQuestion(question, spec["kind"], family, variant, spec["side"]))
    return made


def _fill(template: str, domain: dict[str, Any], entity: str, rng: np.random.Generator) -> str:
    def pick(key: str) -> str:
        return str(domain[key][rng.integers(len(domain[key]))])

    first, second = rng.choice(len(domain["groups"]), size=2, replace=False)
    people = pick("people")
    fact = pick("facts")
    if not template.startswith("{fact}"):
        fact = fact[0].lower() + fact[1:]
    return (
        template.replace("{fact}", fact)
        .replace("{people_one}", people.removesuffix("s"))
        .replace("{people}", people)
        .replace("{documents}", pick("documents"))
        .replace("{entity}", entity)
        .replace("{name}", pick("names"))
        .replace("{group2}", domain["groups"][second])
        .replace("{group}", domain["groups"][first])
    )


_NEIGHBOURS = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wqrewtyuiosaspdfghjkxzcvbn", strict=True))


def misspell(question: str, rng: np.random.Generator, keep: str = "") -> str:
    """Put one slip into one word of four letters or more: swap, drop, double or a neighbouring key.

    The first letter stays, as it mostly does in real slips, and the words of ``keep`` stay whole.
    """
    words = question.split(" ")
    kept = set(keep.lower().split())
    places = [
        i for i, w in enumerate(words) if len(w.strip("?.,!:")) >= 4 and w.strip("?.,!:").lower() not in kept
    ]
    if not places:
        return question
    i = places[rng.integers(len(places))]
    word = words[i]
    at = int(rng.integers(1, len(word.strip("?.,!:")) - 1))
    slip = rng.integers(4)
    if slip == 0:
        word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif slip == 1:
        word = word[:at] + word[at + 1 :]
    elif slip == 2:
        word = word[:at] + word[at] + word[at:]
    else:
        word = word[:at] + _NEIGHBOURS.get(word[at].lower(), "e") + word[at + 1 :]
    words[i] = word
    return " ".join(words)


def labelled_questions(path: Path, sample: str = "router_labels.jsonl") -> list[RoutedQuestion]:
    """Return the questions of ``question_router/questions.jsonl`` that this project has labelled by its own rule.

    ``sample`` names the file of labels: the 200, or ``router_labels_second.jsonl``, 120 labelled later.

    Raises
    ------
    ValueError
        A labelled question is not in the file.
    """
    texts = {_key(row["question"]): row["question"] for row in _rows(path)}
    labels = resources.files("agents.evaluation").joinpath("data", sample).read_text("utf-8")
    made = []
    for line in labels.splitlines():
        row = json.loads(line)
        if row["sha256"] not in texts:
            raise ValueError(f"labelled question {row['sha256']} is not in {path.name}")
        made.append(RoutedQuestion(texts[row["sha256"]], row["label"], row["source"]))
    return made


def source_questions(path: Path) -> list[RoutedQuestion]:
    """Return every question of the file with the file's own label; repeated questions once."""
    unique = {
        row["question"]: RoutedQuestion(row["question"], row["label"], row["source"]) for row in _rows(path)
    }
    return list(unique.values())


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _key(question: str) -> str:
    return hashlib.sha256(question.encode()).hexdigest()[:16]


def score(questions: Iterable[RoutedQuestion], classify: Classify, *, lenient: bool = False) -> Score:
    """Score the kind that ``classify`` gives.

    ``lenient`` is for files that know only factual and opinion: "both" then counts as right for either, and
    "counting" as wrong.
    """
    parts: dict[str, list[int]] = {}
    wrong: list[tuple[RoutedQuestion, str]] = []
    total = 0
    for question in questions:
        got = classify(question.question)
        right = got == question.kind or (lenient and got == "both")
        total += 1
        for part in (f"family {question.family}", f"variant {question.variant}", f"kind {question.kind}"):
            tally = parts.setdefault(part, [0, 0])
            tally[0] += right
            tally[1] += 1
        if not right:
            wrong.append((question, got))
    return Score(total - len(wrong), total, {k: (v[0], v[1]) for k, v in sorted(parts.items())}, tuple(wrong))


def score_side(questions: Sequence[RoutedQuestion], route: Callable[[str], Route]) -> Score:
    """Score the side asked for on built questions that are views or counts."""
    asked = [q for q in questions if q.kind in {"opinion", "counting"}]
    relabelled = [RoutedQuestion(q.question, str(q.side), q.family, q.variant) for q in asked]
    return score(relabelled, lambda text: str(route(text).side))


def default_classify() -> Classify:
    """Return the router of the product as a function from question to kind."""
    router = QuestionRouter()
    return lambda question: router.route(question).kind


__all__ = [
    "Classify",
    "RoutedQuestion",
    "Score",
    "build_questions",
    "default_classify",
    "labelled_questions",
    "misspell",
    "score",
    "score_side",
    "source_questions",
]
