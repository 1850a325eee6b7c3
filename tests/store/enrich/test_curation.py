import json

import pytest

from store.enrich.curation import Decision, apply, check, replay
from store.enrich.registry_clusters import DoubtfulMerge
from store.enrich.registry_exchange import export_registry, import_registry, read_review, review_file
from store.errors import UsageError
from store.records import RegistryEntity

REGISTRY = (
    RegistryEntity("room", "room", None, ("bedroom", "room")),
    RegistryEntity("suite", "suite", "room", ("suite",)),
    RegistryEntity("bathroom", "bathroom", "room", ("bathroom", "toilet")),
    RegistryEntity("shower", "shower", "bathroom", ("shower",)),
    RegistryEntity("staff", "staff", None, ("employee", "staff")),
)


def table(entities: tuple[RegistryEntity, ...]) -> dict[str, RegistryEntity]:
    return {entity.key: entity for entity in entities}


def test_merge_moves_forms_and_children() -> None:
    after = table(apply(REGISTRY, [Decision("merge", "bathroom", "suite")]))
    assert "bathroom" not in after
    assert {"bathroom", "toilet", "suite"} <= set(after["suite"].aliases)
    assert after["shower"].parent == "suite"


def test_merge_of_a_parent_into_its_child_leaves_a_tree() -> None:
    after = table(apply(REGISTRY, [Decision("merge", "room", "bathroom")]))
    assert after["bathroom"].parent is None
    assert after["suite"].parent == "bathroom"


def test_rename_keeps_the_key_and_the_old_name_as_alias() -> None:
    after = table(apply(REGISTRY, [Decision("rename", "staff", "Team")]))
    assert after["staff"].name == "Team"
    assert set(after["staff"].aliases) == {"employee", "staff", "team"}


def test_move_drop_and_alias() -> None:
    after = table(
        apply(
            REGISTRY,
            [
                Decision("move", "shower", ""),
                Decision("drop", "bathroom"),
                Decision("alias", "room", "Toilet"),
            ],
        )
    )
    assert after["shower"].parent is None
    assert "bathroom" not in after
    assert "toilet" in after["room"].aliases


def test_drop_hands_children_to_the_grandparent() -> None:
    assert table(apply(REGISTRY, [Decision("drop", "bathroom")]))["shower"].parent == "room"


def test_alias_is_taken_from_the_entity_that_had_it() -> None:
    after = table(apply(REGISTRY, [Decision("alias", "suite", "bedrooms")]))
    assert "bedroom" not in after["room"].aliases
    assert "bedrooms" in after["suite"].aliases


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Decision("move", "room", "shower"), "its own ancestor"),
        (Decision("move", "room", "room"), "its own ancestor"),
        (Decision("merge", "room", "room"), "into itself"),
        (Decision("alias", "room", "showers"), "is the name of 'shower'"),
        (Decision("rename", "room", "Staff"), "already named"),
    ],
)
def test_refusals(decision: Decision, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        apply(REGISTRY, [decision])


def test_check_names_the_unknown_entity() -> None:
    with pytest.raises(UsageError, match="no entity 'sauna'"):
        check(REGISTRY, Decision("drop", "sauna"))
    with pytest.raises(UsageError, match="no entity 'sauna'"):
        check(REGISTRY, Decision("merge", "room", "sauna"))
    check(REGISTRY, Decision("move", "room", ""))


DECISIONS = [
    Decision("merge", "suite", "room"),
    Decision("rename", "staff", "team"),
    Decision("move", "bathroom", ""),
    Decision("drop", "shower"),
    Decision("alias", "room", "chamber"),
]


def test_applying_twice_is_applying_once() -> None:
    once = apply(REGISTRY, DECISIONS)
    assert apply(once, DECISIONS) == once


def test_decisions_survive_a_registry_that_brings_things_back() -> None:
    curated = apply(REGISTRY, DECISIONS)
    fresh = (*curated, RegistryEntity("shower", "shower", None, ("shower",)), REGISTRY[1])
    again, refused = replay(fresh, DECISIONS)
    assert again == curated
    assert refused == ()


def test_replay_reports_what_no_longer_fits() -> None:
    kept, refused = replay(REGISTRY, [Decision("move", "room", "shower"), Decision("drop", "staff")])
    assert [decision.entity for decision, _ in refused] == ["room"]
    assert "staff" not in table(kept)


def test_decision_round_trip_and_validation() -> None:
    for decision in DECISIONS:
        assert Decision.from_dict(json.loads(json.dumps(decision.to_dict()))) == decision
    for wrong in ({"action": "burn", "entity": "x"}, {"action": "drop"}, {"action": "rename", "entity": "x"}):
        with pytest.raises(UsageError):
            Decision.from_dict(wrong)


def test_export_and_import_round_trip() -> None:
    entities, decisions = import_registry(export_registry(REGISTRY, DECISIONS))
    assert entities == REGISTRY
    assert list(decisions) == DECISIONS


def _with(**change: object) -> str:
    data = json.loads(export_registry(REGISTRY))
    data["entities"][1].update(change)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "does not say schema"),
        ('{"schema": "evenhand.registry/1", "entities": {}}', "must be lists"),
        (_with(key=""), "entity 2 has no 'key'"),
        (_with(name=3), "has no 'name'"),
        (_with(parent=7), "'parent' must be"),
        (_with(parent="sauna"), "unknown parent 'sauna'"),
        (_with(aliases="suite"), "'aliases' must be a list"),
        (_with(key="room"), "occurs twice"),
        (_with(key="room2", parent="room2"), "its own ancestor"),
    ],
)
def test_import_refuses_in_one_line(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        import_registry(text)
    assert "\n" not in str(caught.value)


def test_review_file_round_trip() -> None:
    text = review_file(
        [DoubtfulMerge("sofa", "furniture", 0.75, 40, 20), DoubtfulMerge("bed", "mattress", 0.72, 900, 60)]
    )
    assert read_review(text) == ()
    marked = text.replace("? | sofa", "merge | sofa").replace("? | bed", "swap | bed")
    assert read_review(marked) == (
        Decision("merge", "furniture", "sofa"),
        Decision("merge", "bed", "mattress"),
    )
    with pytest.raises(UsageError, match="line 8 of the review file: unknown verdict"):
        read_review(text.replace("? | sofa", "yes | sofa").replace("# verdict", "# \n# verdict"))
