"""What the store's tests share: documents put straight into SQL, and a store with a fast embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from store.database import Database
from store.hashing import text_hash
from store.indexing import Indexer
from store.search import Searcher
from store.tables import Author, AuthorAttribute, Document, Source, Unit
from store.vectors import ChromaStore
from store.workspace import Workspace
from tests.conftest import new_corpus
from tests.fakes.embedder import HashingEmbedder


@dataclass
class Store:
    """One corpus with its indexes."""

    database: Database
    workspace: Workspace
    chroma: ChromaStore
    embedder: HashingEmbedder
    corpus: int
    sources: dict[int, int] = field(default_factory=dict)

    @property
    def indexer(self) -> Indexer:
        return Indexer(self.database, self.workspace, self.chroma, self.embedder)

    @property
    def searcher(self) -> Searcher:
        return Searcher(self.database, self.workspace, self.chroma, self.embedder)

    def reopen(self) -> None:
        """Forget the open Chroma client, as a new process would."""
        self.chroma.close()

    def add(self, texts: Sequence[str], **fields: Any) -> list[int]:
        return add_documents(self.database, self.corpus, texts, **fields)


def open_store(database: Database, root: Path, url: str = "") -> Store:
    """A store over that database with its folder at ``root``."""
    own = str(database.url) if database.is_sqlite else database.url
    workspace = Workspace(root, "" if own.endswith(str(root / "evenhand.db")) else own)
    workspace.create()
    return Store(
        database, workspace, ChromaStore(workspace.chroma_path, url), HashingEmbedder(), new_corpus(database)
    )


def add_documents(
    database: Database,
    corpus: int,
    texts: Sequence[str],
    *,
    source: str = "reviews.csv",
    chunks: int = 1,
    attributes: Sequence[dict[str, str]] | None = None,
    authors: Sequence[str] | None = None,
    **fields: Any,
) -> list[int]:
    """Store documents with their raw units; a field is one value for all, or a list with one a document."""
    with database.session() as session:
        owner = session.scalar(select(Source).where(Source.corpus_id == corpus, Source.name == source))
        if owner is None:
            owner = Source(corpus_id=corpus, name=source, state="done")
            session.add(owner)
            session.flush()
        first = session.scalar(select(func.count()).select_from(Document)) or 0
        ids = []
        for number, text in enumerate(texts):
            values = {name: v[number] if isinstance(v, list) else v for name, v in fields.items()}
            author = None
            if authors or attributes:
                key = authors[number] if authors else f"author {first + number}"
                author = Author(corpus_id=corpus, key=key, profile_hash=text_hash(f"{key} {first + number}"))
                session.add(author)
                session.flush()
                for name, value in (attributes[number] if attributes else {}).items():
                    session.add(AuthorAttribute(author_id=author.id, name=name, value=value))
            document = Document(
                corpus_id=corpus,
                source_id=owner.id,
                text=text,
                content_hash=text_hash(text),
                author_id=author.id if author else None,
                **{"external_id": f"r{first + number}", **values},
            )
            session.add(document)
            session.flush()
            ids.append(document.id)
            session.add_all(raw_units(document, chunks))
    return ids


def raw_units(document: Document, chunks: int = 1) -> list[Unit]:
    """Cut a document's text into that many chunks of equal length."""
    size = -(-len(document.text) // chunks)
    return [
        Unit(
            corpus_id=document.corpus_id,
            document_id=document.id,
            kind="raw",
            ordinal=number,
            start=number * size,
            end=min((number + 1) * size, len(document.text)),
            text_hash=text_hash(document.text[number * size : (number + 1) * size]),
        )
        for number in range(chunks)
    ]


def count(database: Database, table: Any, *where: Any) -> int:
    """How many rows of a table fit."""
    with database.session() as session:
        return session.scalar(select(func.count()).select_from(table).where(*where)) or 0
