from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import store.lexical
from store.errors import IndexUnavailable
from store.lexical import BM25Index, tokenize
from tests.fakes.indexes import RankBM25Index

WORDS = st.sampled_from(
    ["staff", "coffee", "Lounge", "it's", "a", "ß", "快適", "naïve", "...", "staff coffee"]
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


@pytest.fixture
def index(tmp_path: Path) -> BM25Index:
    return BM25Index(tmp_path / "corpus-1-raw.npz")


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(TEXTS, max_size=12), query=TEXTS)
def test_scores_are_rank_bm25_s(
    texts: list[str], query: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    items = [(7 * number + 3, text) for number, text in enumerate(texts)]
    index, reference = BM25Index(tmp_path_factory.getbasetemp() / "hypothesis.npz"), RankBM25Index()
    index.build(items)
    reference.build(items)
    expected = reference.scores(query)
    held = index._load()
    np.testing.assert_allclose(
        index._scores(held, query), [expected[i] for i, _ in items], rtol=1e-9, atol=1e-12
    )
    found = dict(index.search(query, 100))
    assert set(found) == {item for item, score in expected.items() if score > 0}


def test_scores_on_real_words(index: BM25Index) -> None:
    rng = np.random.default_rng(4)
    vocabulary = [f"word{n}" for n in range(300)]
    items = [(n, " ".join(rng.choice(vocabulary, rng.integers(0, 60)) if n else [])) for n in range(200)]
    reference = RankBM25Index()
    index.build(items)
    reference.build(items)
    for _ in range(20):
        query = " ".join(rng.choice([*vocabulary, "unknown"], 5))
        expected = reference.scores(query)
        np.testing.assert_allclose(index._scores(index._load(), query), list(expected.values()), rtol=1e-9)


def test_another_process_opens_it_without_tokenising(index: BM25Index) -> None:
    index.build([(n, f"word{n} common text") for n in range(50)], "50/49/1225")
    program = (
        "import sys; from pathlib import Path; import store.lexical as lexical\n"
        "asked = []; whole = lexical.tokenize\n"
        "lexical.tokenize = lambda text: asked.append(text) or whole(text)\n"
        "index = lexical.BM25Index(Path(sys.argv[1]))\n"
        "print(index.stamp, index.search('word17 common', 2)[0][0], asked)\n"
        "assert 'rank_bm25' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, index.path], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "50/49/1225 17 ['word17 common']"


def test_missing_file(index: BM25Index) -> None:
    assert index.stamp is None
    with pytest.raises(IndexUnavailable, match=r"the BM25 index corpus-1-raw\.npz is missing") as caught:
        index.search("coffee", 3)
    assert caught.value.hint == "run `evenhand doctor --rebuild`"
    index.remove_file()


@pytest.mark.parametrize("damage", ["empty", "text", "truncated", "flipped", "another format"])
def test_damaged_file(index: BM25Index, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if damage == "another format":
        monkeypatch.setattr(store.lexical, "FORMAT", 99)
    index.build([(n, f"word{n} common") for n in range(200)], "s")
    monkeypatch.undo()
    raw = bytearray(index.path.read_bytes())
    if damage == "empty":
        raw = bytearray()
    elif damage == "text":
        raw = bytearray(b"a letter to my aunt")
    elif damage == "truncated":
        del raw[len(raw) // 2 :]
    elif damage == "flipped":
        raw[len(raw) // 2] ^= 0xFF
    index.path.write_bytes(raw)
    opened = BM25Index(index.path)
    assert opened.stamp is None
    with pytest.raises(IndexUnavailable) as caught:
        opened.search("common", 3)
    assert caught.value.hint == "run `evenhand doctor --rebuild`"
    opened.build([(1, "a b"), (2, "c"), (3, "d")], "t")
    assert opened.search("c", 1)[0][0] == 2


def test_a_file_that_another_process_replaced_is_read_again(index: BM25Index) -> None:
    index.build([(1, "sauna"), (2, "pool"), (3, "bar")], "a")
    assert index.search("sauna", 1)[0][0] == 1
    BM25Index(index.path).build([(4, "sauna"), (5, "pool"), (6, "bar")], "b")
    assert index.search("sauna", 1)[0][0] == 4
    assert index.stamp == "b"


def test_a_build_that_dies_leaves_the_old_index(index: BM25Index, monkeypatch: pytest.MonkeyPatch) -> None:
    index.build([(1, "sauna"), (2, "pool"), (3, "bar")], "a")

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", die)
    with pytest.raises(KeyboardInterrupt):
        index.build([(9, "sauna")], "b")
    assert BM25Index(index.path).search("sauna", 1)[0][0] == 1
    index.remove_file()
    assert list(index.path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It’s the Staff's coffee_machine!", ["it's", "the", "staff's", "coffee", "machine"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("\n\x00 --- …", []),
        ("naïve 快適 5-star", ["naïve", "快適", "5", "star"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert tokenize(text) == words
