"""Kinds, sides and counts of single questions; the bar on built questions."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import date

import numpy as np
import pytest

from agents.evaluation.router import build_questions, default_classify, misspell, score, score_side
from agents.models.router import QuestionRouter, Route

ROUTER = QuestionRouter()


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        ("opinion", "What do campers think about the showers?"),
        ("opinion", "Summarize camper opinions on the pitches."),
        ("opinion", "How is the food?"),
        ("opinion", "what's the lounge like"),
        ("opinion", "Is the staff friendly?"),
        ("opinion", "Which lounge has the best food?"),
        ("opinion", "Does it have good coffee?"),
        ("opinion", "Should I buy the X2 or the X3?"),
        ("opinion", "Is it worth the money?"),
        ("opinion", "Why is breakfast so expensive?"),
        ("opinion", "How do beginners and experts compare in what they say about the brakes?"),
        ("opinion", "waht do poeple think about the beds"),
        ("opinion", "WHAT DO PEOPLE THINK ABOUT THE BEDS"),
        ("opinion", "no complaints?"),
        ("factual", "What time is check-in?"),
        ("factual", "Is there a gym?"),
        ("factual", "how many rooms does the lounge have"),
        ("factual", "How many people live in Bern?"),
        ("factual", "What percentage of the population speaks Dutch?"),
        ("factual", "How often does the shuttle run?"),
        ("factual", "who won best actor in 2014"),
        ("factual", "who sings love will keep us alive by the eagles"),
        ("factual", "How is cheese made?"),
        ("factual", "Which hotel is the cheapest?"),
        ("factual", "Why is it the most expensive?"),
        ("factual", "Is the restaurant wheelchair accessible?"),
        ("factual", "are towels provided"),
        ("factual", "How do I cancel my booking?"),
        ("factual", "how many reviews can I write"),
        ("both", "Is there a gym and is it any good?"),
        ("both", "When does breakfast start, and do people like it?"),
        ("both", "Tell me about the lounge"),
        ("both", "wifi"),
        ("counting", "How many reviews mention the wifi?"),
        ("counting", "What share of guests complain about noise?"),
        ("counting", "How often is the shuttle mentioned?"),
        ("counting", "what % of comments are negative"),
        ("counting", "Count the reviews that talk about parking."),
        ("counting", "How mnay reveiws mention the pool?"),
    ],
)
def test_kind(kind: str, question: str) -> None:
    route = ROUTER.route(question)
    assert route.kind == kind, route.reason
    assert 0.5 <= route.confidence <= 1
    assert route.reason


@pytest.mark.parametrize(
    ("side", "question"),
    [
        ("negative", "What complaints do guests have about the wifi?"),
        ("negative", "what do people hate about the fit"),
        ("negative", "What problems are there with the battery?"),
        ("negative", "What don't drivers like about the boot space?"),
        ("negative", "Are there any complaints about the noise?"),
        ("negative", "What would guests change about the hotel?"),
        ("negative", "How many guests were unhappy with the pool?"),
        ("positive", "What positive experiences do guests report?"),
        ("positive", "What are the best things about the camera?"),
        ("positive", "Why do students love it?"),
        ("positive", "Show me praise for the staff"),
        ("positive", "What share of guests praise the bar?"),
        (None, "No complaints?"),
        (None, "Are there any good or bad points about the staff?"),
        (None, "What are the pros and cons?"),
        (None, "Do people like the wifi?"),
        (None, "Is the food bad?"),
        (None, "Which is the best lounge?"),
        (None, "What is it like?"),
        (None, "What would you like to see?"),
        (None, "Any issues or is everything great?"),
        (None, "What do new users think of it as opposed to old users?"),
        (None, "What time does breakfast start?"),
    ],
)
def test_side(side: str | None, question: str) -> None:
    assert ROUTER.route(question).side == side


@pytest.mark.parametrize(
    ("count", "question"),
    [
        ("number", "How many reviews mention the wifi?"),
        ("share", "What proportion of guests praise the wifi?"),
        ("share", "What percentage of reviews are positive?"),
        (None, "What do guests think of the wifi?"),
        (None, "How many seats are there?"),
        (None, "Contrast what part-time students and others say on the lectures"),
    ],
)
def test_count(count: str | None, question: str) -> None:
    assert ROUTER.route(question).count == count


def test_case_and_punctuation_do_not_decide() -> None:
    for question in ("Is the staff friendly?", "Where is the gym?", "How many reviews mention it?"):
        kinds = {
            ROUTER.route(form).kind for form in (question, question.upper(), question.rstrip("?").lower())
        }
        assert len(kinds) == 1


ODD = ["", "   ", "???", "\x00", "🙂", "a" * 100_000, "what " * 5000, "2014", "'s", "((("]


@pytest.mark.parametrize("question", ODD, ids=range(len(ODD)))
def test_odd_input_gives_a_route(question: str) -> None:
    assert isinstance(ROUTER.route(question), Route)


def test_names_do_not_judge() -> None:
    question = "Where can I park at the Comfort Best Clean Inn?"
    assert ROUTER.route(question, names=("comfort-best-clean-inn",)).kind == "factual"
    plan = "Does the Clean Air Plan apply to motorcycles?"
    assert ROUTER.route(plan, names=("Clean Air Plan",)).kind == "factual"


@pytest.mark.parametrize(
    ("question", "names", "words"),
    [
        (
            "How many patients are unhappy with the doctor?",
            ("doctor",),
            "'how many patients are unhappy with the doctor'",
        ),
        (
            "How many people praise the waiting room?",
            ("waiting room",),
            "'how many people praise the waiting room'",
        ),
        ("What do poeple think of it?", (), "'poeple think'"),
        ("How do people who commute feel about it?", (), "'people who commute feel'"),
        (
            "How many residents of Northfield complain about the screeching noise at night?",
            (),
            "complain about the …'",
        ),
    ],
)
def test_the_reason_quotes_the_question(question: str, names: tuple[str, ...], words: str) -> None:
    assert words in ROUTER.route(question, names=names).reason


def test_period_and_groups_travel_with_the_route() -> None:
    route = QuestionRouter(date(2016, 3, 31)).route(
        "What did guests from Australia complain about last year?"
    )
    assert route.kind == "opinion"
    assert route.side == "negative"
    assert route.groups == ("guests from Australia",)
    assert route.period is not None
    assert (route.period.start, route.period.end) == ("2015-01-01", "2015-12-31")
    unknown = ROUTER.route("What did guests think last year?")
    assert unknown.period is None
    assert "reference date" in unknown.reason


def test_a_later_reference_overrides() -> None:
    route = QuestionRouter(date(2016, 3, 31)).route(
        "What did guests say this year?", reference=date(2020, 5, 1)
    )
    assert route.period is not None
    assert route.period.start == "2020-01-01"


def test_built_questions_meet_the_bar() -> None:
    questions = build_questions(np.random.default_rng(7), per_family=60)
    assert len(questions) >= 600
    assert {q.variant for q in questions} == {"plain", "paraphrased", "misspelt"}
    kinds = score(questions, default_classify())
    assert kinds.accuracy >= 0.95, [(q.question, got) for q, got in kinds.wrong]
    for kind in ("opinion", "factual", "counting", "both"):
        right, total = kinds.parts[f"kind {kind}"]
        assert right / total >= 0.9, kind
    assert score_side(questions, ROUTER.route).accuracy >= 0.95


def test_the_score_can_fail() -> None:
    questions = build_questions(np.random.default_rng(7), per_family=9)
    assert score(questions, lambda _: "opinion").accuracy < 0.6


def test_built_questions_are_reproducible_and_filled() -> None:
    first = build_questions(np.random.default_rng(3), per_family=9)
    assert first == build_questions(np.random.default_rng(3), per_family=9)
    assert not any("{" in q.question for q in first)


def test_misspell_changes_one_word_and_spares_the_entity() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        slip = misspell("What do guests think about the swimming pool?", rng, keep="swimming pool")
        assert "swimming pool" in slip
        changed = [
            a
            for a, b in zip(
                slip.split(),
                ["What", "do", "guests", "think", "about", "the", "swimming", "pool?"],
                strict=True,
            )
            if a != b
        ]
        assert len(changed) <= 1


def test_a_question_takes_milliseconds() -> None:
    ROUTER.route("warm up")
    questions = [q.question for q in build_questions(np.random.default_rng(1), per_family=9)]
    started = time.process_time()
    for question in questions:
        ROUTER.route(question)
    assert (time.process_time() - started) / len(questions) < 0.02


def test_import_is_light() -> None:
    code = (
        "import sys, agents.models.router;"
        "heavy = {'torch', 'spacy', 'chromadb', 'openai', 'langgraph', 'numpy', 'scipy'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
