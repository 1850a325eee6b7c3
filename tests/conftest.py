"""Shared fixtures: a migrated database of either kind, empty for every test."""

from __future__ import annotations

import os
import shutil
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from store.database import Database
from store.tables import Base, Corpus

POSTGRES = os.environ.get("EVENHAND_TEST_POSTGRES") or "postgresql+psycopg://127.0.0.1:5432/test"


def pytest_configure() -> None:
    """Hear Ctrl-C: a shell starts what runs in its background deaf to it, and every process of a test inherits that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file, made once and copied for every test."""
    path = tmp_path_factory.mktemp("template") / "empty.db"
    database = Database(f"sqlite:///{path}")
    database.upgrade()
    database.close()
    return path


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A migrated PostgreSQL database of this run's own, dropped at the end."""
    server = create_engine(POSTGRES, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 3})
    name = f"evenhand_{uuid.uuid4().hex[:12]}"
    try:
        with server.connect() as connection:
            connection.execute(text(f"CREATE DATABASE \"{name}\" ENCODING 'UTF8' TEMPLATE template0"))
            connection.execute(text(f'ALTER DATABASE "{name}" SET synchronous_commit = off'))
    except OperationalError as error:
        server.dispose()
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI needs a PostgreSQL server: {error}")
        pytest.skip("no PostgreSQL server answers (EVENHAND_TEST_POSTGRES, else 127.0.0.1:5432)")
    url = make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    try:
        database = Database(url)
        database.upgrade()
        database.close()
        yield url
    finally:
        with server.connect() as connection:
            connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
        server.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty, migrated database: SQLite, then PostgreSQL."""
    if request.param == "sqlite":
        yield from _sqlite(request)
        return
    found = Database(request.getfixturevalue("postgres_url"))
    with found.engine.begin() as connection:
        # Deleting few rows is much faster than TRUNCATE, which makes new files.
        for table in reversed(Base.metadata.sorted_tables):
            connection.execute(table.delete())
    yield found
    found.close()


@pytest.fixture
def sqlite_database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty, migrated SQLite database."""
    yield from _sqlite(request)


def _sqlite(request: pytest.FixtureRequest) -> Iterator[Database]:
    path = request.getfixturevalue("tmp_path") / "evenhand.db"
    shutil.copy(request.getfixturevalue("sqlite_template"), path)
    found = Database(f"sqlite:///{path}")
    yield found
    found.close()


def new_corpus(database: Database, name: str = "reviews") -> int:
    """Make a corpus; return its id."""
    with database.session() as session:
        corpus = Corpus(name=name)
        session.add(corpus)
        session.flush()
        return corpus.id
