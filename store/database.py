"""Opens the database, and checks that its schema is the one this program knows.

Alembic takes a second to import, so answering a question never loads it: the revision is read with plain SQL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from store.errors import SchemaMismatch, ServiceUnreachable, StoreError, WorkspaceBusy

#: The newest revision under ``migrations/versions``; a test keeps the two equal.
HEAD_REVISION = "0001"
BUSY_TIMEOUT_SECONDS = 30


class Database:
    """An engine and its sessions.

    Parameters
    ----------
    url
        SQLAlchemy URL: ``sqlite:///path`` or ``postgresql+psycopg://...``.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self.engine = _create_engine(url, self.is_sqlite)
        self.sessions = sessionmaker(self.engine, expire_on_commit=False)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a session in one transaction: commit at the end, roll back on any exception.

        Raises
        ------
        WorkspaceBusy
            Another process holds SQLite's lock longer than the busy timeout.
        ServiceUnreachable
            The database server does not answer.
        StoreError
            The database file is damaged, read-only, or the disk is full.
        """
        try:
            with self.sessions.begin() as session:
                yield session
        except DatabaseError as error:
            raise translate(error, self.shown_url) from error

    @property
    def shown_url(self) -> str:
        """The URL without its password."""
        return make_url(self.url).render_as_string(hide_password=True)

    def revision(self) -> str | None:
        """Return the schema revision, or None for a database without one."""
        try:
            with self.engine.connect() as connection:
                exists = self.engine.dialect.has_table(connection, "alembic_version")
                if not exists:
                    return None
                return connection.execute(
                    text("SELECT version_num FROM alembic_version")
                ).scalar_one_or_none()
        except DatabaseError as error:
            raise translate(error, self.shown_url) from error

    def check_revision(self) -> None:
        """Raise SchemaMismatch unless the schema is exactly the one this program knows."""
        found = self.revision()
        if found == HEAD_REVISION:
            return
        if found is None:
            raise SchemaMismatch(f"no Evenhand tables in {self.shown_url}", "run `evenhand db upgrade`")
        if found < HEAD_REVISION:
            raise SchemaMismatch(
                f"database {self.shown_url} has schema {found}, this program needs {HEAD_REVISION}",
                "run `evenhand db upgrade`",
            )
        raise SchemaMismatch(
            f"database {self.shown_url} has schema {found}, newer than this program's {HEAD_REVISION}",
            "install a newer evenhand",
        )

    def upgrade(self, revision: str = "head") -> None:
        """Migrate the schema (forwards to ``head``, or to a named revision)."""
        from alembic import command

        with self.engine.begin() as connection:
            command.upgrade(_alembic_config(connection), revision)

    def downgrade(self, revision: str) -> None:
        """Migrate the schema backwards."""
        from alembic import command

        with self.engine.begin() as connection:
            command.downgrade(_alembic_config(connection), revision)

    def close(self) -> None:
        """Give every connection back."""
        self.engine.dispose()


def translate(error: DatabaseError, where: str) -> StoreError | ServiceUnreachable:
    """Return the error of our own tree that a driver's error stands for."""
    detail = str(error.orig).splitlines()[0] if error.orig else str(error)
    if isinstance(error.orig, sqlite3.Error):
        lowered = detail.lower()
        if "locked" in lowered or "busy" in lowered:
            return WorkspaceBusy(
                f"the database {where} is locked by another process", "wait for it to finish and run again"
            )
        if "readonly" in lowered or "unable to open" in lowered:
            return StoreError(
                f"cannot write the database {where} ({detail})", "check the folder's permissions"
            )
        if "full" in lowered or "disk i/o" in lowered:
            return StoreError(
                f"cannot write the database {where} ({detail})", "free some disk space and run again"
            )
        if "malformed" in lowered or "not a database" in lowered:
            return StoreError(
                f"the database {where} is damaged ({detail})",
                "restore it from a backup, or start a new workspace",
            )
        if "no such table" in lowered:
            return SchemaMismatch(f"no Evenhand tables in {where} ({detail})", "run `evenhand db upgrade`")
    elif isinstance(error, OperationalError):
        return ServiceUnreachable(
            f"the database {where} does not answer ({detail})", "start it or correct `database_url`"
        )
    return StoreError(f"the database {where} refused a statement ({detail})")


def _create_engine(url: str, is_sqlite: bool) -> Engine:
    if not is_sqlite:
        return create_engine(url, pool_pre_ping=True)
    path = make_url(url).database
    if path and path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA synchronous=NORMAL")
        # Erasing must leave no bytes behind (`forget`).
        cursor.execute("PRAGMA secure_delete=ON")
        cursor.execute("PRAGMA cache_size=-65536")
        if path and not _is_wal(cursor):
            cursor.execute("PRAGMA journal_mode=WAL")
        cursor.close()

    return engine


def _is_wal(cursor: Any) -> bool:
    return str(cursor.execute("PRAGMA journal_mode").fetchone()[0]).lower() == "wal"


def _alembic_config(connection: object) -> Any:
    from alembic.config import Config

    import migrations

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    return config


__all__ = ["HEAD_REVISION", "Database", "translate"]
