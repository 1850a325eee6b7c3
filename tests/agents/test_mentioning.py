"""The documents that mention a topic: whole words, within limits, and all of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.pools import mentioning


class Texts:
    """Documents whose ids count from 1, looked up as the repository does."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = dict(enumerate(texts, 1))
        self.read = 0

    def mentioning(self, _corpus: int, words: list[str], limit: int) -> list[int]:
        held = [i for i, text in self.texts.items() if all(word in text.lower() for word in words)]
        return held[:limit]

    def documents(self, ids: list[int]) -> dict[int, Any]:
        self.read += len(ids)
        return {i: SimpleNamespace(text=self.texts[i]) for i in ids}


def over(texts: list[str]) -> Any:
    return SimpleNamespace(
        repository=Texts(texts), corpus=SimpleNamespace(id=1), document_count=lambda: len(texts)
    )


def test_every_document_is_found_however_many_there_are() -> None:
    assert len(mentioning(over(["The ads are long."] * 2500), "ads")) == 2500


def test_a_part_of_a_word_is_no_mention_and_hides_none() -> None:
    """Ten "parkings" before the one "park": a search for one document must go past them."""
    context = over(["The parking is full."] * 10 + ["The park is lovely.", "A park."])
    assert mentioning(context, "park", 1) == [11]
    assert mentioning(context, "park") == [11, 12]
    assert mentioning(context, "pa") == []


def test_a_search_for_one_reads_few_texts() -> None:
    context = over(["The park is lovely."] * 5000)
    assert mentioning(context, "park", 1) == [1]
    assert context.repository.read < 10


@pytest.mark.parametrize("within", [[], [2], [2, 4], [1, 2, 3, 4]])
def test_only_documents_within_the_limits(within: list[int]) -> None:
    context = over(["Ads.", "No ads please.", "Music.", "The ads!"])
    expected = [i for i in (1, 2, 4) if i in within]
    assert mentioning(context, "the ads", within=np.asarray(within, dtype=np.int64)) == expected


def test_nothing_mentions_words_without_content_or_an_empty_corpus() -> None:
    assert mentioning(over(["The."]), "the") == []
    assert mentioning(over([]), "ads") == []
