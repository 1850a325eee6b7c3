"""Opens the database, and checks that its schema is the one this program knows.

Alembic takes a second to import, so answering a question never loads it: the revision is read with plain SQL.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import QueuePool

from store.access import can_write
from store.errors import (
    ConfigurationError,
    SchemaMismatch,
    ServiceUnreachable,
    StoreError,
    Unwritable,
    WorkspaceBusy,
)

#: The newest revision under ``migrations/versions``; a test keeps the two equal.
HEAD_REVISION = "0001"
BUSY_TIMEOUT_SECONDS = 30

#: PostgreSQL's SQLSTATE of a deadlock, a lock that is not available, a failed serialization.
_LOCKED = frozenset({"40P01", "55P03", "40001"})
#: Disk full; read-only transaction; insufficient privilege.
_UNWRITABLE = {
    "53100": "free some disk space and run again",
    "25006": "connect to a server that accepts writes",
    "42501": "give the user of `database_url` the rights to write",
}


class Database:
    """An engine and its sessions.

    Parameters
    ----------
    url
        SQLAlchemy URL: ``sqlite:///path`` or ``postgresql+psycopg://...``.

    Raises
    ------
    ConfigurationError
        The URL cannot be read, or the driver that it names is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
            self.engine = _create_engine(url, self.is_sqlite)
        except (ArgumentError, ModuleNotFoundError, ValueError) as error:
            # The URL may hold a password, so it is not shown.
            raise ConfigurationError(
                "`database_url` cannot be used: it must look like sqlite:///PATH or "
                "postgresql+psycopg://USER@HOST/NAME",
                "correct it; PostgreSQL needs `pip install 'evenhand[postgres]'`",
            ) from error
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
        Unwritable
            The database is read-only, or the disk is full.
        StoreError
            The database file is damaged.
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
        self._refuse_unknown(found)
        raise SchemaMismatch(
            f"database {self.shown_url} has schema {found}, this program needs {HEAD_REVISION}",
            "run `evenhand db upgrade`",
        )

    def upgrade(self, revision: str = "head") -> None:
        """Migrate the schema (forwards to ``head``, or to a named revision).

        Raises
        ------
        SchemaMismatch
            The database belongs to a newer program, or to another one.
        StoreError
            As ``session`` raises them.
        """
        from alembic import command

        found = self.revision()
        if found is not None:
            self._refuse_unknown(found)
        with self._migrating() as connection:
            command.upgrade(_alembic_config(connection), revision)

    def downgrade(self, revision: str) -> None:
        """Migrate the schema backwards."""
        from alembic import command

        with self._migrating() as connection:
            command.downgrade(_alembic_config(connection), revision)

    def _refuse_unknown(self, found: str) -> None:
        if not re.fullmatch(r"\d{4}", found):
            raise SchemaMismatch(
                f"database {self.shown_url} belongs to another program (its schema is {found!r})",
                "correct `database_url`, or choose another workspace",
            )
        if found > HEAD_REVISION:
            raise SchemaMismatch(
                f"database {self.shown_url} has schema {found}, newer than this program's {HEAD_REVISION}",
                "install a newer evenhand",
            )

    @contextmanager
    def _migrating(self) -> Iterator[Connection]:
        """Open one transaction for a whole migration: a killed one leaves the schema as it was."""
        try:
            with self.engine.begin() as connection:
                if self.is_sqlite:
                    # The driver begins no transaction before DDL by itself.
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield connection
        except DatabaseError as error:
            raise translate(error, self.shown_url) from error

    def close(self) -> None:
        """Give every connection back."""
        self.engine.dispose()


def in_utc(moment: datetime) -> datetime:
    """Return a stored moment in UTC: SQLite hands out UTC without saying so, a server in its own time zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


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
            return Unwritable(f"the database {where}", detail, "check the folder's permissions")
        if "full" in lowered or "disk i/o" in lowered:
            return Unwritable(f"the database {where}", detail, "free some disk space and run again")
        if "malformed" in lowered or "not a database" in lowered:
            return StoreError(
                f"the database {where} is damaged ({detail})",
                "restore it from a backup, or start a new workspace",
            )
        if "no such table" in lowered:
            return SchemaMismatch(f"no Evenhand tables in {where} ({detail})", "run `evenhand db upgrade`")
        return StoreError(f"the database {where} refused a statement ({detail})")
    state = str(getattr(error.orig, "sqlstate", None) or "")
    if state in _LOCKED:
        return WorkspaceBusy(
            f"the database {where} is locked by another process ({detail})",
            "wait for it to finish and run again",
        )
    if state in _UNWRITABLE:
        return Unwritable(f"the database {where}", detail, _UNWRITABLE[state])
    if state == "42P01":
        return SchemaMismatch(f"no Evenhand tables in {where} ({detail})", "run `evenhand db upgrade`")
    if isinstance(error, OperationalError):
        return ServiceUnreachable(
            f"the database {where} does not answer ({detail})", "start it or correct `database_url`"
        )
    return StoreError(f"the database {where} refused a statement ({detail})")


def _create_engine(url: str, is_sqlite: bool) -> Engine:
    if not is_sqlite:
        return create_engine(url, pool_pre_ping=True)
    path = make_url(url).database
    if path and path != ":memory:" and Path(path).is_file() and not can_write(Path(path)):
        return _read_only_engine(Path(path))
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.execute("PRAGMA synchronous=NORMAL")
        # Erasing must leave no bytes behind (`forget`).
        cursor.execute("PRAGMA secure_delete=ON")
        cursor.execute("PRAGMA cache_size=-65536")
        if path:
            _use_wal(cursor)
        cursor.close()

    return engine


def _read_only_engine(path: Path) -> Engine:
    """Open a file that may not be written, a backup or a shared folder, so that it can be read all the same.

    Raises
    ------
    StoreError
        A writer was killed and its log was kept without the index to it, which only a writer can make again.
    """
    log = path.with_name(path.name + "-wal")
    logged = log.is_file() and log.stat().st_size > 0
    if logged and not path.with_name(path.name + "-shm").is_file():
        raise StoreError(
            f"the database {path} has changes in {log.name} that cannot be read where the folder is read-only",
            "copy the workspace to a folder that can be written",
        )
    # A file with an empty log is complete: SQLite then needs no files of its own beside it.
    immutable = "" if logged else "&immutable=1"
    file = f"file:{quote(str(path))}?mode=ro{immutable}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(file, BUSY_TIMEOUT_SECONDS, check_same_thread=False, uri=True)

    return create_engine("sqlite://", creator=connect, poolclass=QueuePool)


def _use_wal(cursor: sqlite3.Cursor) -> None:
    """Keep changes in a log beside the file.

    Of two that would change to it at once, or one that writes meanwhile, SQLite lets neither wait: try again.
    """
    until = monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            if not _is_wal(cursor):
                cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
            sleep(0.02)
        else:
            return


def _is_wal(cursor: Any) -> bool:
    return str(cursor.execute("PRAGMA journal_mode").fetchone()[0]).lower() == "wal"


def _alembic_config(connection: object) -> Any:
    from alembic.config import Config

    import migrations

    # Its default stream is whatever stdout was when alembic was imported; what it prints is not a result of ours.
    config = Config(stdout=StringIO())
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    return config


__all__ = ["HEAD_REVISION", "Database", "in_utc", "translate"]
