"""The SQL schema. SQL is the truth; Chroma and BM25 hold only what can be made anew from these tables.

Ids are never reused (``sqlite_autoincrement``), so an id in a rebuildable index can never come to mean something else.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """Declarative base with a naming convention, so that migrations can name every constraint."""

    metadata = MetaData(naming_convention=NAMING)


class Corpus(Base):
    """A named body of documents with one embedder and one entity registry."""

    __tablename__ = "corpora"
    __table_args__ = {"sqlite_autoincrement": True}

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    embedder: Mapped[str] = mapped_column(String(200), default="")
    embedder_fingerprint: Mapped[str] = mapped_column(String(200), default="")
    chunk_tokens: Mapped[int] = mapped_column(Integer, default=256)
    chunk_overlap: Mapped[float] = mapped_column(Float, default=0.15)
    #: Rises with every change of documents, entities or opinions: caches compare it.
    revision: Mapped[int] = mapped_column(Integer, default=0)
    #: Extractor whose labels answers use by default.
    extractor: Mapped[str] = mapped_column(String(200), default="")
    settings: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)


class Source(Base):
    """One file (or stream) that documents came from; its counts are the books that must balance."""

    __tablename__ = "sources"
    __table_args__ = (UniqueConstraint("corpus_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    #: Identity of the source in the corpus (the file's name unless given): rows of one source share an id space.
    name: Mapped[str] = mapped_column(String(500))
    location: Mapped[str] = mapped_column(Text, default="")
    kind: Mapped[str] = mapped_column(String(20), default="")
    encoding: Mapped[str] = mapped_column(String(40), default="")
    mapping: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    state: Mapped[str] = mapped_column(String(20), default="running")
    #: Number of the run; documents carry the last run that saw them, so that ``--sync`` knows what left.
    generation: Mapped[int] = mapped_column(Integer, default=0)
    rows_read: Mapped[int] = mapped_column(Integer, default=0)
    rows_new: Mapped[int] = mapped_column(Integer, default=0)
    rows_updated: Mapped[int] = mapped_column(Integer, default=0)
    rows_unchanged: Mapped[int] = mapped_column(Integer, default=0)
    rows_quarantined: Mapped[int] = mapped_column(Integer, default=0)
    rows_removed: Mapped[int] = mapped_column(Integer, default=0)
    started_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    finished_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class Author(Base):
    """An author profile: one author key with one set of attributes.

    Two rows of a source that carry the same author key and different attributes make two profiles, because in
    crawled data one key ("A Traveler") is often many people.
    """

    __tablename__ = "authors"
    __table_args__ = (UniqueConstraint("corpus_id", "profile_hash"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    key: Mapped[str] = mapped_column(String(500), index=True, default="")
    profile_hash: Mapped[str] = mapped_column(String(32))


class AuthorAttribute(Base):
    """One attribute of an author profile (country, age band, tenure ...), as text."""

    __tablename__ = "author_attributes"
    __table_args__ = (Index("ix_author_attributes_name_value", "name", "value"),)

    author_id: Mapped[int] = mapped_column(ForeignKey("authors.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[str] = mapped_column(String(500))
    #: ``column`` for what the source says, ``inferred`` for a model's guess.
    origin: Mapped[str] = mapped_column(String(20), default="column")


class Document(Base):
    """One row of a source: a review, a post, a survey answer."""

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("source_id", "external_id"),
        Index("ix_documents_corpus_subject", "corpus_id", "subject"),
        Index("ix_documents_corpus_date", "corpus_id", "date"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), index=True)
    external_id: Mapped[str] = mapped_column(String(500))
    row_number: Mapped[int] = mapped_column(Integer, default=0)
    title: Mapped[str] = mapped_column(Text, default="")
    text: Mapped[str] = mapped_column(Text)
    url: Mapped[str] = mapped_column(Text, default="")
    subject: Mapped[str] = mapped_column(String(500), default="")
    #: ISO 8601 date (``2014-03-09``) or empty.
    date: Mapped[str] = mapped_column(String(10), default="")
    rating: Mapped[float | None] = mapped_column(Float)
    rating_min: Mapped[float | None] = mapped_column(Float)
    rating_max: Mapped[float | None] = mapped_column(Float)
    author_id: Mapped[int | None] = mapped_column(ForeignKey("authors.id", ondelete="SET NULL"), index=True)
    #: Hash of every mapped field: equal hash means unchanged.
    content_hash: Mapped[str] = mapped_column(String(32), index=True)
    #: Unmapped columns that were asked to be kept (aspect ratings for evaluation, for example).
    extra: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    generation: Mapped[int] = mapped_column(Integer, default=0)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class QuarantinedRow(Base):
    """A row that could not become a document, with the reason and the raw text."""

    __tablename__ = "quarantine"
    __table_args__ = (UniqueConstraint("source_id", "row_number"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    source_id: Mapped[int] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), index=True)
    row_number: Mapped[int] = mapped_column(Integer)
    reason: Mapped[str] = mapped_column(Text)
    raw: Mapped[str] = mapped_column(Text, default="")
    attempts: Mapped[int] = mapped_column(Integer, default=1)
    generation: Mapped[int] = mapped_column(Integer, default=0)
    last_tried_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class Unit(Base):
    """What is embedded and indexed: a chunk of a document, or one enriched document an entity.

    ``kind`` is ``raw`` (a chunk; its text is ``documents.text[start:end]``), ``enriched`` (one an entity a document,
    content with metadata) or ``split`` (the same without metadata, for the papers' ablation).
    """

    __tablename__ = "units"
    __table_args__ = (
        Index("ix_units_corpus_kind_document", "corpus_id", "kind", "document_id"),
        Index("ix_units_pending", "corpus_id", "kind", "indexed"),
        Index("ix_units_entity", "entity_id", "kind"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), index=True)
    entity_id: Mapped[int | None] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(10))
    ordinal: Mapped[int] = mapped_column(Integer, default=0)
    start: Mapped[int] = mapped_column(Integer, default=0)
    end: Mapped[int] = mapped_column(Integer, default=0)
    #: Empty for raw chunks.
    text: Mapped[str] = mapped_column(Text, default="")
    text_hash: Mapped[str] = mapped_column(String(32), index=True)
    indexed: Mapped[bool] = mapped_column(Boolean, default=False)


class UnitTombstone(Base):
    """A unit that left SQL and must still leave the vector index."""

    __tablename__ = "unit_tombstones"

    unit_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(10))


class Embedding(Base):
    """The vector of one distinct text under one embedder: computed once, whatever happens to the indexes."""

    __tablename__ = "embeddings"

    fingerprint: Mapped[str] = mapped_column(String(200), primary_key=True)
    text_hash: Mapped[str] = mapped_column(String(32), primary_key=True)
    #: float32, little endian, unit L2 norm.
    vector: Mapped[bytes] = mapped_column(LargeBinary)


class Entity(Base):
    """A thing that people hold views on."""

    __tablename__ = "entities"
    __table_args__ = (UniqueConstraint("corpus_id", "key"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    key: Mapped[str] = mapped_column(String(200))
    name: Mapped[str] = mapped_column(String(200))
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("entities.id", ondelete="SET NULL"))
    #: ``active`` or ``retired`` (merged, dropped, or no longer found).
    state: Mapped[str] = mapped_column(String(20), default="active")


class EntityAlias(Base):
    """A surface form that names an entity."""

    __tablename__ = "entity_aliases"

    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True)
    form: Mapped[str] = mapped_column(String(200), primary_key=True)


class EntityDecision(Base):
    """A person's curation, replayed after every bootstrap of the registry."""

    __tablename__ = "entity_decisions"
    __table_args__ = {"sqlite_autoincrement": True}

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    payload: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class Opinion(Base):
    """One opinion unit with its exact quote."""

    __tablename__ = "opinions"
    __table_args__ = (
        Index("ix_opinions_document_extractor", "document_id", "extractor"),
        Index("ix_opinions_entity_extractor", "entity_id", "extractor"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"))
    extractor: Mapped[str] = mapped_column(String(200))
    sentiment: Mapped[str] = mapped_column(String(10))
    intensity: Mapped[str] = mapped_column(String(10))
    score: Mapped[int] = mapped_column(Integer)
    impact: Mapped[int] = mapped_column(Integer)
    markers: Mapped[list[str]] = mapped_column(JSON, default=list)
    evidence: Mapped[str] = mapped_column(String(20))
    quote: Mapped[str] = mapped_column(Text)
    start: Mapped[int] = mapped_column(Integer)
    end: Mapped[int] = mapped_column(Integer)
    confidence: Mapped[float] = mapped_column(Float)


class Stance(Base):
    """One document's opinion on one entity: the mean of its units (its descendants' included), in seven bins.

    The population of an entity is the count of its stances by bin: one document, one voice.
    """

    __tablename__ = "stances"
    __table_args__ = (Index("ix_stances_entity_extractor_score", "entity_id", "extractor", "score"),)

    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True)
    extractor: Mapped[str] = mapped_column(String(200), primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    score: Mapped[int] = mapped_column(Integer)
    impact: Mapped[int] = mapped_column(Integer)
    markers: Mapped[list[str]] = mapped_column(JSON, default=list)
    evidence: Mapped[str] = mapped_column(String(20))
    opinions: Mapped[int] = mapped_column(Integer)
    confidence: Mapped[float] = mapped_column(Float)


class EnrichmentWork(Base):
    """Where enrichment of one document stands; what failed is kept with its reason and tried again on demand."""

    __tablename__ = "enrichment_work"
    __table_args__ = (Index("ix_enrichment_work_corpus_extractor_state", "corpus_id", "extractor", "state"),)

    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    extractor: Mapped[str] = mapped_column(String(200), primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    #: Extractor version and registry hash: another value means the work is stale.
    version: Mapped[str] = mapped_column(String(200))
    content_hash: Mapped[str] = mapped_column(String(32))
    #: ``done``, ``failed``, ``pending`` (the server's fault: every run tries it again) or ``set-aside`` (not in the
    #: extractor's language).
    state: Mapped[str] = mapped_column(String(20))
    reason: Mapped[str] = mapped_column(Text, default="")
    language: Mapped[str] = mapped_column(String(8), default="")
    attempts: Mapped[int] = mapped_column(Integer, default=1)
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class LabelReview(Base):
    """A person's verdict on one extracted label: the ground for error-corrected shares."""

    __tablename__ = "label_reviews"
    __table_args__ = (
        UniqueConstraint("document_id", "entity_id", "extractor"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    entity_id: Mapped[int] = mapped_column(ForeignKey("entities.id", ondelete="CASCADE"))
    extractor: Mapped[str] = mapped_column(String(200))
    predicted: Mapped[int] = mapped_column(Integer)
    verdict: Mapped[int | None] = mapped_column(Integer)
    about_entity: Mapped[bool] = mapped_column(Boolean, default=True)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class Thread(Base):
    """A conversation."""

    __tablename__ = "threads"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    title: Mapped[str] = mapped_column(String(500), default="")
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class Answer(Base):
    """An answer with its audit receipt, written as it happens."""

    __tablename__ = "answers"
    __table_args__ = (Index("ix_answers_corpus_created", "corpus_id", "created_at"),)

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    corpus_id: Mapped[int] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"))
    thread_id: Mapped[str | None] = mapped_column(ForeignKey("threads.id", ondelete="SET NULL"), index=True)
    question: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text, default="")
    #: ``running``, ``done``, ``stopped`` or ``failed``.
    state: Mapped[str] = mapped_column(String(20), default="running")
    receipt: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class Citation(Base):
    """Which document an answer cites: ``forget`` finds the answers that quote it."""

    __tablename__ = "citations"

    answer_id: Mapped[str] = mapped_column(ForeignKey("answers.id", ondelete="CASCADE"), primary_key=True)
    document_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)


class Calibration(Base):
    """Position weights of one model, prompt, attribute and k (FARO stage 2)."""

    __tablename__ = "calibrations"
    __table_args__ = (
        Index("ix_calibrations_key", "model", "prompt_sha", "attribute", "k"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    model: Mapped[str] = mapped_column(String(300))
    prompt_sha: Mapped[str] = mapped_column(String(64))
    attribute: Mapped[str] = mapped_column(String(200))
    k: Mapped[int] = mapped_column(Integer)
    design: Mapped[str] = mapped_column(String(20))
    result: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class CalibrationRun(Base):
    """One observed call of a calibration, so that an interrupted one resumes."""

    __tablename__ = "calibration_runs"
    __table_args__ = (UniqueConstraint("plan_sha", "question", "run"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    plan_sha: Mapped[str] = mapped_column(String(64), index=True)
    question: Mapped[int] = mapped_column(Integer)
    run: Mapped[int] = mapped_column(Integer)
    #: Realised groups by position, in {-1, 0, 1}.
    realised: Mapped[list[int]] = mapped_column(JSON)
    #: +1, -1, or null for a refusal.
    outcome: Mapped[int | None] = mapped_column(Integer)


class Probe(Base):
    """A retriever-bias diagnosis and its recommendation."""

    __tablename__ = "probes"
    __table_args__ = {"sqlite_autoincrement": True}

    id: Mapped[int] = mapped_column(primary_key=True)
    corpus_id: Mapped[int | None] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), index=True)
    retriever: Mapped[str] = mapped_column(String(300), index=True)
    result: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


class ModelCall(Base):
    """Cached model output, by model, parameters and prompt hash."""

    __tablename__ = "model_calls"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    model: Mapped[str] = mapped_column(String(300), index=True)
    reply: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)


__all__ = [
    "Answer",
    "Author",
    "AuthorAttribute",
    "Base",
    "Calibration",
    "CalibrationRun",
    "Citation",
    "Corpus",
    "Document",
    "Embedding",
    "EnrichmentWork",
    "Entity",
    "EntityAlias",
    "EntityDecision",
    "LabelReview",
    "ModelCall",
    "Opinion",
    "Probe",
    "QuarantinedRow",
    "Source",
    "Stance",
    "Thread",
    "Unit",
    "UnitTombstone",
    "now",
]
