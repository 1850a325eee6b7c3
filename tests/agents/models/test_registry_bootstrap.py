from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from agents.models.chat import OpenAIChat
from agents.models.extractor import ExtractorOptions, LLMExtractor
from agents.models.registry_bootstrap import bootstrap_by_model, cluster
from store.records import RegistryEntity
from tests.fakes.misbehaving import MisbehavingServer, Request, completion, http

MEANING = {
    "pool": 0.0,
    "swimming pool": 0.3,
    "staff": 90.0,
    "personnel": 90.4,
    "employee": 130.0,
    "bar": 200.0,
}


def embed(names: Sequence[str]) -> Any:
    """Unit vectors in the plane by the angle of the name's meaning, in degrees; others lie far away."""
    angles = np.deg2rad([MEANING.get(name, 270 + 17 * n) for n, name in enumerate(names)])
    return np.column_stack([np.cos(angles), np.sin(angles)])


def count(**names: int) -> list[tuple[tuple[str, ...], Counter[str]]]:
    from store.enrich.registry_words import lemmas

    spelled = {name.replace("_", " "): n for name, n in names.items()}
    return [(lemmas(name), Counter({name: n})) for name, n in spelled.items()]


def test_near_names_are_joined_and_nearly_near_ones_are_asked_about() -> None:
    counted = count(staff=9, pool=8, personnel=4, swimming_pool=3, employee=2)
    found = cluster(counted, embed=embed, previous=(), known=Counter(), least=2, most=10)
    assert [(e.key, e.aliases) for e in found.entities] == [
        ("staff", ("personnel", "staff")),
        ("pool", ("pool", "swimming pool")),
        ("employee", ("employee",)),
    ]
    assert [(pair.left, pair.right) for pair in found.doubtful] == [("staff", "employee")]
    assert found.counts == {"staff": 13, "pool": 11, "employee": 2}


def test_rare_names_are_dropped_and_the_number_is_bounded() -> None:
    found = cluster(count(staff=9, pool=8, bar=1), embed=None, previous=(), known=Counter(), least=2, most=1)
    assert [entity.key for entity in found.entities] == ["staff"]


def test_known_entities_keep_key_and_name_and_take_new_forms() -> None:
    previous = [RegistryEntity("crew", "staff", None, ("staff", "crew"))]
    found = cluster(
        count(personnel=4), embed=embed, previous=previous, known=Counter(crew=2), least=2, most=10
    )
    assert found.entities == (RegistryEntity("crew", "staff", None, ("crew", "personnel", "staff")),)
    assert found.counts == {"crew": 6}


def test_tiers_come_from_the_last_word() -> None:
    found = cluster(count(bar=9, pool_bar=3), embed=None, previous=(), known=Counter(), least=2, most=10)
    assert [(entity.key, entity.parent) for entity in found.entities] == [("bar", None), ("pool-bar", "bar")]


async def test_from_documents(server: MisbehavingServer, connect: Callable[..., OpenAIChat]) -> None:
    async def names_the_last_word(request: Request, writer: Any) -> None:
        documents = [
            {
                "id": name,
                "language": "en",
                "opinions": [
                    {
                        "entity": text.split()[-1],
                        "sentiment": "positive",
                        "intensity": "high",
                        "impact": "low",
                        "markers": [],
                        "evidence": "personal",
                        "quote": text,
                    }
                ],
            }
            for name, text in request.documents.items()
        ]
        writer.write(http(200, json.dumps(completion(json.dumps({"documents": documents}))).encode()))

    server.default = names_the_last_word
    texts = [
        "I like the pools",
        "we like the pool",
        "they like the Pool",
        "one liked the ghost",
        "nice staff",
        "good staff",
    ]
    extractor = LLMExtractor(connect(), options=ExtractorOptions(open_discovery=True))
    found = await bootstrap_by_model(list(enumerate(texts)), extractor)
    assert [(e.key, e.name, e.aliases) for e in found.result.entities] == [
        ("pool", "pool", ("pool", "pools")),
        ("staff", "staff", ("staff",)),
    ]
    assert (found.documents, found.failures) == (6, {})
    assert "give its short common name" in server.requests[0].prompt


async def test_closed_discovery_finds_nothing(connect: Callable[..., OpenAIChat]) -> None:
    with pytest.raises(ValueError, match="open_discovery"):
        await bootstrap_by_model([], LLMExtractor(connect()))
