import random
import warnings
from collections.abc import Sequence

import numpy as np
import pytest

from store.enrich.matcher import EntityMatcher
from store.enrich.registry import MAX_ENTITIES, RegistryResult, bootstrap
from store.enrich.registry_select import columns_to_terms, vouched
from store.enrich.registry_words import one_edit
from store.enrich.terms import TermCount
from store.records import RegistryEntity

SENTENCES = (
    "The room was {good} and the bathroom was {bad}.",
    "We loved the {good} breakfast, and the breakfast buffet was {good}.",
    "The staff were {good}; the employees at the front desk were {bad}.",
    "The front desk staff was {good}.",
    "The Wi-Fi was {bad} in our rooms.",
    "Their wifi is {good} and the internet connection is {good}.",
    "Our stay in Springfield was for three days at the Grand Palace with my husband.",
    "What a {good} swimming pool, the pool area was {good} too.",
    "Parking was {bad} and the parking lot is {bad}.",
    "It was dirty and filthy, not clean at all, on the second day.",
    "The location is {good}, a {good} thing for people.",
    "The refridgerator was {bad}; the refrigerator was {bad}; a {good} refrigerator.",
    "The towels were {bad}.",
)


def corpus(seed: int, size: int = 150) -> list[str]:
    rng = random.Random(seed)
    good = ["great", "excellent", "lovely", "comfortable", "nice"]
    bad = ["terrible", "horrible", "slow", "awful", "poor"]
    return [
        " ".join(
            sentence.format(good=rng.choice(good), bad=rng.choice(bad))
            for sentence in rng.sample(SENTENCES, 4)
        )
        for _ in range(size)
    ]


@pytest.fixture(scope="module")
def result() -> RegistryResult:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return bootstrap(
            corpus(0), seed=7, subjects=["Grand Palace, Springfield"], aspect_columns=["towels_rating"]
        )


def test_names_that_a_person_would_choose(result: RegistryResult) -> None:
    names = {entity.name for entity in result.entities}
    assert {
        "room",
        "bathroom",
        "breakfast",
        "staff",
        "front desk",
        "wifi",
        "location",
        "cleanliness",
    } <= names
    assert names & {"pool", "swimming pool"}
    assert names & {"towel", "towels"}


def test_no_junk_places_or_subjects(result: RegistryResult) -> None:
    names = {entity.name for entity in result.entities}
    assert not names & {
        "thing",
        "day",
        "days",
        "people",
        "husband",
        "springfield",
        "grand palace",
        "palace",
        "stay",
    }


def test_one_thing_under_one_name(result: RegistryResult) -> None:
    owner: dict[str, str] = {}
    for entity in result.entities:
        for alias in entity.aliases:
            assert owner.setdefault(alias, entity.key) == entity.key
    matcher = EntityMatcher(result.entities)
    for forms in (
        ("Wi-Fi", "wifi", "internet connection"),
        ("front desk", "front desk staff"),
        ("dirty", "clean"),
    ):
        assert len({matcher.find(form)[0].entity for form in forms}) == 1


def test_misspelling_is_an_alias(result: RegistryResult) -> None:
    matcher = EntityMatcher(result.entities)
    assert matcher.find("refridgerator")[0].entity == matcher.find("refrigerators")[0].entity


def test_keys_counts_and_parents_are_consistent(result: RegistryResult) -> None:
    keys = [entity.key for entity in result.entities]
    assert len(set(keys)) == len(keys) <= MAX_ENTITIES
    assert set(result.counts) == set(keys)
    assert [result.counts[key] for key in keys] == sorted(result.counts.values(), reverse=True)
    assert all(entity.parent is None or entity.parent in keys for entity in result.entities)
    assert all(entity.name in entity.aliases for entity in result.entities)


def test_equal_seed_gives_an_equal_registry(result: RegistryResult) -> None:
    again = bootstrap(
        corpus(0), seed=7, subjects=["Grand Palace, Springfield"], aspect_columns=["towels_rating"]
    )
    assert again == result


def test_previous_keys_names_and_entities_stay(result: RegistryResult) -> None:
    previous = (
        RegistryEntity("crew", "The Crew", None, ("staff", "the crew")),
        RegistryEntity("sauna", "sauna", "crew", ("sauna",)),
    )
    again = bootstrap(corpus(1), seed=3, previous=previous)
    table = {entity.key: entity for entity in again.entities}
    assert table["crew"].name == "The Crew"
    assert "employee" in table["crew"].aliases
    assert table["sauna"] == previous[1]
    assert again.counts["sauna"] == 0
    assert "staff" not in table
    assert not {"staff"} & {
        alias for key, entity in table.items() if key != "crew" for alias in entity.aliases
    }


ANGLES = {"parking": 0.0, "location": 0.1, "towel": 0.75}


def embed(texts: Sequence[str]) -> np.ndarray:
    """Three names lie in one plane, every other one points its own way."""
    vectors = np.zeros((len(texts), len(texts) + 2))
    for row, text in enumerate(texts):
        if text in ANGLES:
            vectors[row, :2] = np.cos(ANGLES[text]), np.sin(ANGLES[text])
        else:
            vectors[row, row + 2] = 1.0
    return vectors


def test_meaning_joins_and_asks() -> None:
    found = bootstrap(corpus(0), seed=7, embed=embed)
    matcher = EntityMatcher(found.entities)
    joined = matcher.find("parking")[0].entity
    assert matcher.find("location")[0].entity == joined
    towel = matcher.find("towels")[0].entity
    assert [{pair.left, pair.right} for pair in found.doubtful] == [{joined, towel}]
    assert found.doubtful[0].similarity == pytest.approx(np.cos(0.65), abs=1e-3)


def test_no_texts() -> None:
    assert bootstrap([], seed=0) == RegistryResult()
    previous = (RegistryEntity("room", "room", None, ("room",)),)
    assert bootstrap([], seed=0, previous=previous).entities == previous


def test_texts_without_words() -> None:
    assert bootstrap(["...", "", "12 34", "\x00"], seed=0).entities == ()


def test_columns_to_terms() -> None:
    assert columns_to_terms(
        ["wifi_connectivity_rating", "overall_rating", "catering_rating", "catering_score"]
    ) == [
        ("wifi", "connectivity"),
        ("catering",),
    ]


@pytest.mark.parametrize(
    ("left", "right", "near"),
    [
        ("parking", "parkng", True), ("parking", "parkking", True), ("parking", "parkinh", True),
        ("parking", "aprking", True), ("parking", "pakrin", False), ("parking", "parking", False), ("", "a", True),
        ("ab", "ba", True), ("abc", "cab", False),
    ],
)  # fmt: skip
def test_one_edit(left: str, right: str, near: bool) -> None:
    assert one_edit(left, right) is near
    assert one_edit(right, left) is near


def test_a_full_registry_grows_only_by_what_matters() -> None:
    previous = tuple(
        RegistryEntity(f"e{n}", f"entity {n}", None, (f"entity {n}",)) for n in range(MAX_ENTITIES)
    )
    entities = bootstrap(corpus(0), seed=7, previous=previous).entities
    fresh = {entity.name for entity in entities} - {entity.name for entity in previous}
    assert set(previous) <= set(entities)
    assert "room" in fresh
    assert len(fresh) < 15


def _names(texts: list[str], subjects: Sequence[str] = ()) -> set[str]:
    return {entity.name for entity in bootstrap(texts, seed=7, subjects=subjects).entities}


def test_makers_in_lower_case_are_no_entities() -> None:
    texts = [
        "acme is great and the player is great . an awful acme player , i love acme .",
        "the player was terrible , acme was terrible . my great player has a great screen .",
        "the screen is awful and the player is slow . acme is awful , good screens .",
    ] * 12
    assert {"player", "screen"} <= _names(texts)
    assert "acme" not in _names(texts, ["Acme X200 DVD player"])
    assert {"player", "screen"} <= _names(texts, ["Acme X200 DVD player"])


def test_participles_vouch_for_no_aspect() -> None:
    texts = ["This coat was dry cleaned and the lining is nice."] * 60
    assert "lining" in _names(texts)
    assert "cleanliness" not in _names(texts)
    assert "cleanliness" in _names(["This room was very clean and the carpet is nice."] * 60)


def test_a_name_that_is_mostly_an_infinitive_is_not_vouched_for() -> None:
    sleep = ("sleep",)
    assert not vouched([sleep], {sleep: TermCount(uses=30, opinions=8, bare=13)})
    assert vouched([sleep], {sleep: TermCount(uses=30, opinions=8, bare=3)})
    assert vouched([sleep], {sleep: TermCount(uses=30, opinions=8, bare=13, definite=9)})


def test_a_corpus_in_capitals_has_a_registry() -> None:
    names = {entity.name for entity in bootstrap([text.upper() for text in corpus(0)], seed=7).entities}
    assert {"room", "bathroom", "staff", "front desk"} <= names


def test_meaning_never_joins_through_a_third_name() -> None:
    def chain(texts: Sequence[str]) -> np.ndarray:
        angles = {"parking": 0.0, "towel": 0.4, "location": 0.8}
        vectors = np.zeros((len(texts), len(texts) + 2))
        for row, text in enumerate(texts):
            if text in angles:
                vectors[row, :2] = np.cos(angles[text]), np.sin(angles[text])
            else:
                vectors[row, row + 2] = 1.0
        return vectors

    matcher = EntityMatcher(bootstrap(corpus(0), seed=7, embed=chain).entities)
    keys = {matcher.find(word)[0].entity for word in ("parking", "location", "towel")}
    assert len(keys) == 2


CLINIC = (
    "The doctor was excellent, she took her time.",
    "Rang four times before the doctor had a slot.",
    "I saw the doctor on Tuesday. The letter came by post.",
    "The doctor listened. The letter got lost, of course.",
    "The letter said ten, the doctor said nine.",
    "A terrible wait, but the doctor was kind; my letter was wrong.",
)


def test_a_small_corpus_finds_what_it_is_about_with_few_opinion_words() -> None:
    """``doctor`` is a person in passing elsewhere; hardly any text judges the letter with a word of judgement."""
    names = {entity.name for entity in bootstrap(CLINIC * 8, seed=0).entities}
    assert {"doctor", "letter"} <= names
    assert not {"time", "times", "slot", "course", "tuesday"} & names


def test_a_contextual_word_named_in_passing_stays_out() -> None:
    texts = [*corpus(3), *["The room was nice, my doctor recommended it."] * 4]
    assert "doctor" not in {entity.name for entity in bootstrap(texts, seed=0).entities}
