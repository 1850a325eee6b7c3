"""What ``doctor`` checks, each with what to do about it."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from app.bootstrap import Parts
from store.errors import ApplicationError
from store.ports import Role

State = Literal["ok", "note", "wrong"]
ROLES: tuple[Role, ...] = ("generator", "extractor", "enhancer", "router", "verifier")
_STATES: dict[str, State] = {"ok": "ok", "lacking": "note", "failed": "wrong", "skipped": "note"}
PACKAGES = ("evenhand", "langgraph", "chromadb", "sqlalchemy", "onnxruntime", "textual", "openai")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. ``note`` is worth knowing, ``wrong`` must be mended."""

    name: str
    state: State
    detail: str
    hint: str = ""


async def diagnose(parts: Parts) -> list[Check]:
    """Look at the installation, the workspace, the indexes of every corpus, and the configured models."""
    checks = [_python(), _packages(), _settings(parts), _embedder(parts)]
    if not parts.workspace.exists():
        where = str(parts.workspace.root)
        checks.append(
            Check("workspace", "note", f"none at {where}", "run `evenhand init` or `evenhand demo`")
        )
    else:
        checks += _workspace(parts)
    checks += await _models(parts)
    return checks


def _python() -> Check:
    fine = sys.version_info >= (3, 11)
    return Check("python", "ok" if fine else "wrong", platform.python_version(), "use Python 3.11 or newer")


def _packages() -> Check:
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            return Check("packages", "wrong", f"{name} is not installed", "run `pip install evenhand`")
    return Check("packages", "ok", ", ".join(found))


def _settings(parts: Parts) -> Check:
    origin = str(parts.project) if parts.project else "defaults (no evenhand.toml found)"
    return Check("settings", "ok", origin)


def _embedder(parts: Parts) -> Check:
    if parts.settings.store.embedder.kind == "endpoint":
        return Check("embedder", "ok", "endpoint (checked when first used)")
    try:
        embedder = parts.embedder
        embedder.embed_query("ready?")
    except ApplicationError as error:
        return Check("embedder", "wrong", error.message, error.hint)
    return Check("embedder", "ok", f"{embedder.name}, {embedder.dimension} dimensions")


def _workspace(parts: Parts) -> list[Check]:
    root = parts.workspace.root
    checks = [Check("workspace", "ok", str(root))]
    if not parts.workspace.can_be_written():
        detail = "read-only: questions are answered, and neither they nor anything else is stored"
        checks.append(Check("workspace", "note", detail, "make it writable to ingest, enrich or curate"))
    try:
        corpora = parts.repository.corpora()
    except ApplicationError as error:
        return [*checks, Check("database", "wrong", error.message, error.hint)]
    checks.append(Check("database", "ok", parts.database.shown_url))
    if not corpora:
        checks.append(Check("corpora", "note", "none yet", "run `evenhand ingest FILE`"))
    for corpus in corpora:
        checks += _corpus(parts, corpus.id, corpus.name, corpus.documents)
    return checks


def _corpus(parts: Parts, corpus_id: int, name: str, documents: int) -> list[Check]:
    title = f"corpus {name}"
    checks: list[Check] = []
    for source in parts.repository.sources(corpus_id):
        balanced = source.rows_read == (
            source.rows_new + source.rows_updated + source.rows_unchanged + source.rows_quarantined
        )
        if not balanced and source.state != "running":
            checks.append(
                Check(title, "wrong", f"the books of {source.name} do not balance", "ingest it again")
            )
        if source.state != "done":
            detail = f"{source.name} was not read to its end ({source.state})"
            checks.append(Check(title, "note", detail, "run the same ingest again: it continues"))
    try:
        compared = parts.indexer.compare(corpus_id)
    except ApplicationError as error:
        return [*checks, Check(title, "wrong", error.message, error.hint)]
    for kind in compared:
        if kind.consistent and kind.unread:
            detail = (
                f"{documents:,} documents; {kind.kind}: SQL = BM25 = {kind.sql:,} passages; {kind.unread}"
            )
            checks.append(Check(title, "note", detail, "answers use the vectors in SQL, which takes longer"))
        elif kind.consistent:
            detail = f"{documents:,} documents; {kind.kind}: SQL = Chroma = BM25 = {kind.sql:,} passages"
            checks.append(Check(title, "ok", detail))
        else:
            vectors = kind.unread or (
                f"{kind.missing_vectors:,} of {kind.sql:,} vectors missing, {kind.orphan_vectors:,} too many"
            )
            stamp = "current" if kind.bm25_current else "out of date"
            detail = kind.error or f"{kind.kind}: {vectors}, BM25 {stamp}"
            checks.append(Check(title, "wrong", detail, "run `evenhand doctor --rebuild`"))
    return checks


async def _models(parts: Parts) -> list[Check]:
    checks: list[Check] = []
    seen: list[object] = []
    for role in ROLES:
        chat = parts.chat(role)
        if chat is None or chat in seen:
            continue
        seen.append(chat)
        # A server may have been upgraded since: its refusals are found out anew.
        chat.forget_quirks()
        from agents.models.probe import probe

        report = await probe(chat)
        for found in report.checks:
            title = f"model {report.model}"
            checks.append(Check(title, _STATES[found.status], f"{found.name}: {found.detail}", found.hint))
    if not seen:
        checks.append(Check("models", "note", "no language model configured: everything runs embedded"))
    return checks


__all__ = ["Check", "diagnose"]
