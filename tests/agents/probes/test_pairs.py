from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.probes import (
    BIASES,
    build_pairs,
    bundled_pairs,
    find_redocred,
    parse_pairs,
    redocred_facts,
    write_pairs,
)
from agents.probes.features import answer_position, features, jaccard, query_statistics, term_frequency
from agents.probes.pairs import LENGTH_SLACK, MAX_WORDS, ProbePair
from agents.probes.redocred import sentence_text
from store.errors import UsageError
from store.lexical import tokenize
from tests.agents.probes.planted import made_facts


def words(text: str) -> int:
    return len(tokenize(text))


def check(bias: str, pair: ProbePair) -> None:
    """What must hold of a pair of each kind, whatever it was made of."""
    assert pair.entity in pair.question
    assert pair.treatment != pair.control
    assert max(words(pair.treatment), words(pair.control)) <= MAX_WORDS
    if bias == "brevity":
        assert pair.control.startswith(pair.treatment)
        assert pair.answer_at[0] == pair.answer_at[1] >= 0
    elif bias == "literal":
        assert pair.entity in pair.treatment
    elif bias == "position":
        assert sorted(tokenize(pair.treatment)) == sorted(tokenize(pair.control))
        assert answer_position(pair.answer_at[0], pair.treatment) < answer_position(
            pair.answer_at[1], pair.control
        )
    elif bias == "repetition":
        assert abs(words(pair.treatment) - words(pair.control)) <= LENGTH_SLACK
        assert pair.answer_at[0] == pair.answer_at[1] >= 0
    else:
        assert pair.answer_at[0] == -1
        assert pair.treatment.startswith(f"{pair.entity}. {pair.entity}. ")
        assert words(pair.treatment) < words(pair.control)


def test_every_kind_of_pair_is_what_it_says() -> None:
    facts = made_facts(60)
    pairs = build_pairs(facts, 30)
    assert set(pairs) == set(BIASES)
    for bias, each in pairs.items():
        assert len(each) == 30
        for pair in each:
            check(bias, pair)
    answers = {fact.source: fact.answer_text for fact in facts}
    for pair in pairs["foil"]:
        assert answers[pair.source] not in pair.treatment
        assert pair.control[pair.answer_at[1] :].startswith(answers[pair.source])
    for pair in pairs["position"]:
        for at, document in zip(pair.answer_at, (pair.treatment, pair.control), strict=True):
            assert document[at:].startswith(answers[pair.source])


def test_literal_pairs_ask_by_both_names_in_turn_so_that_length_cancels() -> None:
    pairs = build_pairs(made_facts(40), 40)["literal"]
    off = [words(pair.treatment) - words(pair.control) for pair in pairs]
    assert sum(off) == 0
    assert {abs(value) for value in off} == {2}


def test_a_question_serves_several_biases() -> None:
    pairs = build_pairs(made_facts(40), 20)
    assert pairs["brevity"][0].question == pairs["position"][0].question


def test_too_few_facts_give_fewer_pairs_and_wrong_numbers_are_refused() -> None:
    assert len(build_pairs(made_facts(3), 30)["brevity"]) == 3
    assert build_pairs(made_facts(1), 5)["foil"] == (), "nothing is unrelated"
    with pytest.raises(ValueError, match="count"):
        build_pairs([], 0)


def test_the_bundled_pairs() -> None:
    pairs = bundled_pairs()
    assert {bias: len(each) for bias, each in pairs.items()} == dict.fromkeys(BIASES, 15)
    for bias, each in pairs.items():
        for pair in each:
            check(bias, pair)


def test_pairs_in_files(tmp_path: Path) -> None:
    pairs = build_pairs(made_facts(6), 3)
    write_pairs(tmp_path / "pairs.jsonl", pairs)
    assert parse_pairs((tmp_path / "pairs.jsonl").read_text().splitlines(), "pairs.jsonl") == pairs
    for broken in ("{", "[]", '{"bias": "brevity"}', '{"answer_at": [0]}'):
        with pytest.raises(UsageError, match=r"pairs\.jsonl, line 1"):
            parse_pairs([broken], "pairs.jsonl")


def test_sentences_get_their_spaces_and_spans() -> None:
    text, spans = sentence_text(["Willi", "(", "born", '"', "W.", '"', ",", "1963", ")", "'s", "."])
    assert text == 'Willi (born "W.", 1963)\'s.'
    assert [text[a:b] for a, b in spans[:5]] == ["Willi", "(", "born", '"', "W."]


def document() -> dict[str, Any]:
    def mention(name: str, sentence: int, first: int) -> dict[str, Any]:
        return {"name": name, "sent_id": sentence, "pos": [first, first + len(name.split())], "type": "X"}

    return {
        "title": "Ada",
        "sents": [
            ["Ada", "Lovelace", "was", "born", "in", "London", "."],
            ["Lovelace", "wrote", "notes", "and", "Lovelace", "lived", "in", "Paris", "."],
            ["It", "rained", "."],
        ],
        "vertexSet": [
            [mention("Ada Lovelace", 0, 0), mention("Lovelace", 1, 0), mention("Lovelace", 1, 4)],
            [mention("London", 0, 5)],
            [mention("Paris", 1, 7)],
        ],
        "labels": [
            {"r": "P19", "h": 0, "t": 1, "evidence": [0]},
            {"r": "P551", "h": 0, "t": 1, "evidence": [0]},  # the same subject and object
            {"r": "P551", "h": 0, "t": 2, "evidence": [1]},  # the subject is named twice
            {"r": "P20", "h": 0, "t": 2, "evidence": [0, 1]},  # two sentences
            {"r": "P9999", "h": 1, "t": 2, "evidence": [0]},  # no question for it
        ],
    }


def test_which_labels_of_redocred_are_usable(tmp_path: Path) -> None:
    path = tmp_path / "redocred" / "dev_revised.json"
    path.parent.mkdir()
    path.write_text(json.dumps([document()]))
    (fact,) = redocred_facts(find_redocred(tmp_path))
    assert fact.question() == "Where was Ada Lovelace born?"
    assert fact.answer_text == "London"
    assert fact.names == ("Ada Lovelace", "Lovelace")
    assert fact.mentions == (1, 2, 0)
    assert fact.answering == (True, False, False)
    assert fact.renamed("Lovelace") == ("Lovelace was born in London.", 21)


def test_what_is_no_redocred_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not in"):
        find_redocred(tmp_path)
    (tmp_path / "dev_revised.json").write_text("{}")
    with pytest.raises(UsageError, match="is not Re-DocRED"):
        redocred_facts(tmp_path / "dev_revised.json")
    (tmp_path / "dev_revised.json.gz").write_bytes(b"no gzip")
    with pytest.raises(UsageError, match="cannot read"):
        redocred_facts(tmp_path / "dev_revised.json.gz")


def test_features_by_hand() -> None:
    assert jaccard("Where is Ada", "Ada is here") == pytest.approx(2 / 4)
    assert jaccard("", "") == 0
    assert term_frequency("ada is", "Ada, Ada is Ada") == pytest.approx((3 + 1) / 2)
    pair = ProbePair("position", "q Ada", "one two Ada", "a b", (8, 0), "Ada", "s", "d")
    (row,) = features("position", ["q"], [pair])  # type: ignore[misc]
    assert row.tolist() == [8 / 11, 0.0]
    assert features("foil", ["q"], [pair]) is None
    (row,) = features("brevity", ["q"], [pair])  # type: ignore[misc]
    assert row.tolist() == [3, 2]


def test_query_statistics_by_hand() -> None:
    found = query_statistics(
        ["Where is Ada Lovelace", "Who is Bo"],
        ["In which place is Ada Lovelace", "Name him"],
        ["Ada Lovelace", "Bo"],
    )
    assert (found.words, found.added_words) == (4.0, 0.5)
    assert found.terms_kept == pytest.approx((3 / 4 + 0) / 2)
    assert found.new_terms == pytest.approx((3 + 2) / 2)
    assert found.entities_kept == 0.5
    assert found.vocabulary == 8
    with pytest.raises(ValueError, match="no question"):
        query_statistics([], [], [])
