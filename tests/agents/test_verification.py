"""Verification: single rules by hand, and catch and false-alarm rates on seeded answers."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from agents.fairness.distance import w1_bins
from agents.verification import Verification, verify
from agents.verification.lexical import lexical_claim, lexical_claim_bin
from agents.verification.quotes import check_quote, stands_in
from agents.verification.shares import stated_shares
from agents.verification.text import citation_labels, clauses, quotes, sentences
from agents.verification.words import compared, quantified
from tests.agents.verification_cases import Case, right_cases, wrong_cases

DOCUMENTS = {
    "1": 'I stayed in May. The wifi was fast and reliable. My friend said "never again" about the gym.',
    "2": "The wifi was not good, and it dropped twice an hour.",
    "3": "Lovely bar — the barman's drinks were superb!",
}
EVEN = (10, 20, 20, 0, 20, 20, 10)


def check(case: Case, *, stances: bool = True) -> Verification:
    known = {"positive": 20, "negative": -20, "neutral": 0}
    return verify(
        case.answer,
        case.documents,
        population=case.population,
        classify=lexical_claim,
        distance=w1_bins,
        stances={label: known[side] for label, side, _ in case.voices} if stances else None,
    )


def kinds(answer: str, **options: object) -> list[str]:
    return [finding.kind for finding in verify(answer, DOCUMENTS, **options).findings]  # type: ignore[arg-type]


# Rates -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stances", [True, False])
def test_catch_and_false_alarm_rates(stances: bool) -> None:
    right, wrong = right_cases(2024, 120), wrong_cases(2025, 18)
    assert len(right) >= 60
    assert len(wrong) >= 60
    alarms = [case for case in right if not check(case, stances=stances).ok]
    caught, total = Counter[str](), Counter[str]()
    for case in wrong:
        total[case.kind] += 1
        caught[case.kind] += not check(case, stances=stances).ok
    sources = ("invented citation", "altered quote", "misattributed quote")
    balance = ("one-sided", "reversed majority", "missing minority")
    found_sources = sum(caught[k] for k in sources) / sum(total[k] for k in sources)
    found_balance = sum(caught[k] for k in balance) / sum(total[k] for k in balance)
    print(f"false alarms {len(alarms)}/{len(right)}; caught {dict(caught)} of {dict(total)}")
    assert found_sources >= 0.95, caught
    assert found_balance >= 0.85, caught
    assert caught["wrong share"] / total["wrong share"] >= 0.95
    assert len(alarms) / len(right) <= 0.05, [case.answer for case in alarms[:3]]


def test_the_finding_names_the_fault() -> None:
    for case in wrong_cases(7, 6):
        found = {finding.kind for finding in check(case).findings}
        if found and case.kind in {"invented citation", "misattributed quote", "wrong share"}:
            assert case.kind in found, case.answer


def test_seeded_answers_are_reproducible() -> None:
    assert right_cases(5, 6) == right_cases(5, 6)
    assert [c.answer for c in wrong_cases(5, 2)] == [c.answer for c in wrong_cases(5, 2)]


# Citations -------------------------------------------------------------------------------------------------------


def test_citations() -> None:
    assert citation_labels("a [1] b [D2, D4] c [3; 1] d [link](x) [note] [12](y)") == ("1", "D2", "D4", "3")
    assert kinds("It is fast [1]. So they say [9].") == ["invented citation"]
    assert kinds("It is fast [1][2].") == []
    assert verify("No citation at all.", DOCUMENTS).citations == {}


# Quotes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        "“The wifi was fast and reliable” [1]",
        '"the wifi was fast and reliable," says one [1].',
        'One says: "The wifi was fast and reliable." [1] Others disagree [2].',
        "«The  wifi was fast» [1]",
        "“I stayed … reliable” [1]",
        "“The wifi [...] reliable” [1]",
        "“[The] wifi was fast” [1]",
        "‘The wifi was fast’, one says [1].",
        "“My friend said ‘never again’” [1]",
        '“My friend said "never again" about the gym” [1]',
        "“the barman’s drinks were superb” [3]",
        "'the barman's drinks were superb' [3]",
        "“LOVELY BAR - the barman's drinks” [3]",
        "- “The wifi was not good” [2]\n- “Lovely bar” [3]",
        "It doesn't say what the guests' views are [1].",
        'A 15" screen was seen [1].',
        "“not good” [2]",
    ],
)
def test_verbatim_quotes_pass(answer: str) -> None:
    assert kinds(answer) == []


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("“The wifi was fast and cheap” [1]", "altered quote"),
        ("“The wifi was good” [2]", "altered quote"),
        ("“good, and it dropped twice an hour” [2]", "altered quote"),
        ("“reliable … I stayed” [1]", "altered quote"),
        ("“ifi was fast” [1]", "altered quote"),
        ("“the wifi was fast and reliable” [2]", "misattributed quote"),
        ("“I love everything” they say.", "altered quote"),
        ("'I love all of it' [1]", "altered quote"),
    ],
)
def test_other_quotes_do_not(answer: str, kind: str) -> None:
    assert kinds(answer) == [kind]


def test_quote_verdicts() -> None:
    assert stands_in("fast ... reliable", DOCUMENTS["1"]) == "verbatim"
    assert stands_in("good", DOCUMENTS["2"]) == "cut after a negation"
    assert stands_in("...", DOCUMENTS["1"]) is None
    assert check_quote("Lovely bar", ["1"], DOCUMENTS).label == "3"


def test_a_quote_without_citation_in_its_sentence_has_the_lines() -> None:
    assert kinds("One says “the wifi was fast”. Another agrees [1].") == []


# Text ------------------------------------------------------------------------------------------------------------


def test_sentences_keep_their_citations_and_quotes_whole() -> None:
    cut = sentences(
        "They said “Great. Really great.” [1] But e.g. the bar was bad. [2][3]\nPositive:\n- more [4]"
    )
    assert [s.labels for s in cut] == [("1",), ("2", "3"), (), ("4",)]
    assert cut[2].heading
    assert all(s.text == s.text.strip() for s in cut)


def test_clauses_part_where_the_sentence_turns() -> None:
    (sentence,) = sentences("Most liked it [1], but some found it noisy [2].")
    assert [c.labels for c in clauses(sentence)] == [("1",), ("2",)]


def test_quotes_of_every_kind() -> None:
    found = [q.words for q in quotes("“a ‘b c’ d” \"e f\" «g» „h i“ 'j k' it's o'clock")]
    assert found == ["a ‘b c’ d", "e f", "g", "h i", "j k"]


ODD = ["", "“", '"', "[", "[1", "“" * 2000, "a. " * 3000, "x" * 100_000, "\x00", "“a\n\nb”"]


@pytest.mark.parametrize("answer", ODD, ids=range(len(ODD)))
def test_odd_answers_take_no_time_and_raise_nothing(answer: str) -> None:
    started = time.process_time()
    verify(answer, DOCUMENTS, population=EVEN, classify=lambda _: None)
    assert time.process_time() - started < 5


# Shares ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "62 % positive, 8 % neutral or mixed, and 30 % negative",
            [("positive", 0.62), ("neutral", 0.08), ("negative", 0.3)],
        ),
        ("Positive: 62 %, negative: 38 %", [("positive", 0.62), ("negative", 0.38)]),
        ("Two thirds of guests were happy", [("positive", 2 / 3)]),
        ("7 of 10 complained", [("negative", 0.7)]),
        ("40 percent were not satisfied", [("negative", 0.4)]),
        ("20 % of the rooms have a view", []),
        ("Positive, 12 of 20 voices:", []),
        ("nothing", []),
    ],
)
def test_stated_shares(text: str, expected: list[tuple[str, float]]) -> None:
    assert [(s.side, pytest.approx(s.share)) for s in stated_shares(text)] == expected


def test_shares_are_held_against_the_population() -> None:
    population = (0, 30, 0, 10, 0, 60, 0)
    assert kinds("60 % are positive, 10 % neutral and 30 % negative.", population=population) == []
    assert kinds("About 57 % are positive.", population=population) == []
    assert kinds("80 % are positive.", population=population) == ["wrong share"]
    assert kinds("Half of them complained.", population=population) == ["wrong share"]
    assert kinds("“80 % positive” is what one wrote.", population=population) == ["altered quote"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Most guests liked it", "most"),
        ("Almost all liked it", "vast"),
        ("The overwhelming majority liked it", "vast"),
        ("Everyone liked it", "all"),
        ("Not all liked it", None),
        ("Few liked it", "few"),
        ("Hardly anyone liked it", "hardly"),
        ("Nobody liked it", "none"),
        ("A minority liked it", "minority"),
        ("Guests liked it", None),
        ("A few liked it", None),
        ("The most comfortable beds", None),
        ("It is one of the most liked", None),
        ("At most ten liked it", None),
        ("Overall, some liked it", None),
        ("Most complaints concern the noise", None),
        ("All of those who complained mention noise", None),
    ],
)
def test_amounts_in_words(text: str, expected: str | None) -> None:
    found = quantified(text)
    assert (found.amount if found else None) == expected


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Praise clearly outweighs criticism", "positive"),
        ("Praise is outweighed by complaints", "negative"),
        ("More people complained than praised it", "negative"),
        ("Fewer people complained than praised it", "positive"),
        ("Twice as many were unhappy as were happy", "negative"),
        ("Complaints are far more common than praise", "negative"),
        ("Opinions are evenly split", None),
        ("As many complained as praised it", None),
    ],
)
def test_comparisons(text: str, first: str | None) -> None:
    found = compared(text)
    assert found is not None
    assert found.first == first


#: 70 % positive, 10 % neutral, 20 % negative.
MOSTLY_GOOD = (5, 10, 5, 10, 20, 30, 20)
TRUE_OF_MOSTLY_GOOD = [
    "Most guests were happy with it.",
    "A large majority liked it, while a minority complained.",
    "About two thirds liked it.",
    "Seven in ten praised it and one in five was unhappy.",
    "Few complained.",
    "Only a minority were dissatisfied.",
    "Praise clearly outweighs criticism.",
    "Far more people were satisfied than dissatisfied.",
    "Overall, guests were pleased.",
    "Overall, some guests were unhappy with the wifi.",
    "Most complaints concern the slow wifi.",
    "80 % of the complaints concern the wifi.",
    "Of those who complained, half mention noise.",
    "The most common criticism is the noise.",
    "All of the critics mention the price.",
    "Not everyone was happy.",
    "Complaints are rare.",
    "Three times as many people praised it as complained.",
    "The consensus is positive.",
    "At most a quarter were unhappy.",
    "Nearly three quarters of the reviews are favourable.",
    "It was not bad, most guests say.",
]
FALSE_OF_MOSTLY_GOOD = [
    "Most guests complained.",
    "The vast majority were dissatisfied.",
    "Hardly anyone liked it.",
    "Nobody liked it.",
    "Opinions are evenly split.",
    "Criticism outweighs praise.",
    "The reviews are largely negative.",
    "Half of the guests were unhappy.",
    "Nobody complained.",
    "Only a handful were satisfied.",
    "A minority were happy with it.",
    "Everyone praised it.",
    "Two thirds of the guests were disappointed.",
    "Nine out of ten were pleased.",
    "Three quarters of reviewers criticised it.",
    "The consensus is negative.",
    "Twice as many people were unhappy as happy.",
    "More people complained than praised it.",
    "Few guests were pleased.",
    "Only 40 % were happy with it.",
    "Fewer than half were satisfied, more than half complained.",
    "Overall, guests were unhappy with it.",
    "Half were happy, half were not.",
]


@pytest.mark.parametrize("answer", TRUE_OF_MOSTLY_GOOD)
def test_true_amounts_pass(answer: str) -> None:
    voices = "One loves it [1]. Another loves it [3]. One hates it [2]."
    assert kinds(f"{answer} {voices}", population=MOSTLY_GOOD, classify=lexical_claim) == []


@pytest.mark.parametrize("answer", FALSE_OF_MOSTLY_GOOD)
def test_false_amounts_are_found(answer: str) -> None:
    found = kinds(answer, population=MOSTLY_GOOD, classify=lexical_claim)
    assert set(found) & {"wrong share", "reversed majority", "one-sided"}


def test_a_share_of_the_documents_shown_is_held_to_what_they_can_show() -> None:
    cited = "".join(f"[{n}]" for n in (1, 2, 3))
    assert kinds(f"2 of 3 were happy {cited}.", population=MOSTLY_GOOD, classify=lexical_claim) == []


# Balance ---------------------------------------------------------------------------------------------------------


def signed(claim: str) -> int | None:
    return 20 if "love" in claim else -20 if "hate" in claim else None


@pytest.mark.parametrize(
    ("answer", "population", "expected"),
    [
        ("They love it [1]. They hate it [2].", EVEN, []),
        ("They love it [1]. They love the bar [3].", EVEN, ["one-sided"]),
        ("They love it [1][2][3].", (0, 15, 0, 0, 0, 85, 0), []),
        ("They love it [1][2][3]. They love the bar [1].", (0, 20, 0, 0, 0, 80, 0), ["missing minority"]),
        ("They love it [1][2][3]. Some hate it [2].", (0, 80, 0, 0, 0, 20, 0), ["reversed majority"]),
        (
            "Most love it. They hate it [1][2]. They love it [3].",
            (0, 70, 0, 0, 0, 30, 0),
            ["reversed majority"],
        ),
        (
            "Few hate it. They hate it [1][2]. They love it [3].",
            (0, 70, 0, 0, 0, 30, 0),
            ["reversed majority"],
        ),
        ("All love it. They love it [1][2]. They hate it [3].", (0, 30, 0, 0, 0, 70, 0), ["one-sided"]),
    ],
)
def test_balance(answer: str, population: tuple[float, ...], expected: list[str]) -> None:
    assert kinds(answer, population=population, classify=signed) == expected


def test_a_question_for_one_side_is_answered_by_it() -> None:
    answer = "They hate it [1]. They hate the bar [3]."
    only = (0, 100, 0, 0, 0, 0, 0)
    assert kinds(answer, population=only, classify=signed, side="negative") == []
    assert kinds("They love it [1][3].", population=only, classify=signed, side="negative") == ["one-sided"]


def test_distribution_distance_and_amplification() -> None:
    result = verify(
        "They love it [1]. They hate it [2].",
        DOCUMENTS,
        population=(0, 1, 0, 0, 0, 3, 0),
        retrieved=(0, 1, 0, 0, 0, 3, 0),
        classify=signed,
        distance=w1_bins,
    )
    assert result.distribution == (0, 0.5, 0, 0, 0, 0.5, 0)
    assert result.distance == pytest.approx(10)  # a quarter of the mass moves by 40
    assert result.amplification == pytest.approx(10)
    assert w1_bins(result.distribution, (0, 0.25, 0, 0, 0, 0.75, 0)) == pytest.approx(10)


def test_stances_speak_where_the_claim_does_not() -> None:
    result = verify("One writes of it [1].", DOCUMENTS, population=EVEN, classify=signed, stances={"1": -30})
    assert [claim.bin for claim in result.claims] == [-30]


def test_deviation_is_one_line_for_the_writer() -> None:
    result = verify("They say “nothing at all” [7].", DOCUMENTS)
    assert not result.ok
    assert "\n" not in result.deviation
    assert "[7]" in result.deviation
    assert "nothing at all" in result.deviation


@pytest.mark.parametrize("population", [(1, 2), (0,) * 7, (1, 1, 1, 1, 1, 1, -1), (float("nan"),) * 7])
def test_a_population_that_is_none_is_refused(population: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="population"):
        verify("x", {}, population=population)


@pytest.mark.parametrize(
    ("claim", "sign"),
    [
        ("Most guests praise the friendly staff", 1),
        ("Some complained about the slow wifi", -1),
        ("Reviewers call the seating cramped", -1),
        ("The lounge has two floors", 0),
    ],
)
def test_embedded_claim_classifier(claim: str, sign: int) -> None:
    found = lexical_claim_bin(claim) or 0
    assert (found > 0) - (found < 0) == sign
