"""Settings of the store: values only, never factories; an unknown key is an error."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbedderSettings(_Settings):
    """Which sentence embedder a corpus is built with.

    ``bundled`` is the int8 MiniLM that a package ships; ``sentence-transformers`` takes a name or a folder;
    ``endpoint`` is an OpenAI-compatible embeddings endpoint (``models.embedder``).
    """

    kind: Literal["bundled", "sentence-transformers", "endpoint"] = Field(
        default="bundled", description="sentence-transformers: extra `models`; endpoint: models.embedder"
    )
    model: str = Field(default="", description="name or folder of a sentence-transformers model")
    threads: int = Field(default=0, ge=0, description="threads of one inference; 0: all cores")
    batch_size: int = Field(
        default=8, ge=1, le=4096, description="texts a batch: 8 is fastest on a CPU, a GPU wants more"
    )


class ChunkSettings(_Settings):
    """How long texts are cut. ``tokens`` 0 means the embedder's own limit."""

    tokens: int = Field(default=0, ge=0, le=32768, description="longest passage; 0: the embedder's own limit")
    overlap: float = Field(
        default=0.15, ge=0.0, lt=0.9, description="share of a passage that the next repeats"
    )


class StoreSettings(_Settings):
    """Where knowledge is kept. Empty URLs mean: inside the workspace."""

    database_url: str = Field(default="", description="SQLAlchemy URL; empty: SQLite in the workspace")
    chroma_url: str = Field(default="", description="address of a Chroma server; empty: in the workspace")
    lock_timeout: float = Field(default=20.0, ge=0.0, description="seconds to wait for another writer")
    exact_below: int = Field(
        default=20_000, ge=0, description="passages up to which search is exact, without the vector index"
    )
    memory_limit_mb: int = Field(default=512, ge=16, description="vectors kept in memory by one process")
    embedder: EmbedderSettings = EmbedderSettings()
    chunks: ChunkSettings = ChunkSettings()


__all__ = ["ChunkSettings", "EmbedderSettings", "StoreSettings"]
