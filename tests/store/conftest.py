"""A store for every test that wants one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.database import Database
from tests.store.helpers import Store, open_store


@pytest.fixture
def store(sqlite_database: Database, tmp_path: Path) -> Iterator[Store]:
    """An empty corpus in a workspace of its own, on SQLite."""
    found = open_store(sqlite_database, tmp_path)
    yield found
    found.chroma.close()


@pytest.fixture
def any_store(database: Database, tmp_path: Path) -> Iterator[Store]:
    """The same on SQLite, then PostgreSQL."""
    found = open_store(database, tmp_path)
    yield found
    found.chroma.close()
