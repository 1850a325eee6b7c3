"""Alembic environment: migrates over the connection that ``Database.upgrade`` hands in."""

from __future__ import annotations

import os

from alembic import context
from sqlalchemy import create_engine

from store.tables import Base


def _migrate(connection: object) -> None:
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)  # type: ignore[arg-type]
    with context.begin_transaction():
        context.run_migrations()


handed_in = context.config.attributes.get("connection")
if handed_in is not None:
    _migrate(handed_in)
else:
    # `alembic` on the command line, for authors of migrations only.
    with create_engine(os.environ.get("EVENHAND_MIGRATIONS_URL", "sqlite://")).begin() as own:
        _migrate(own)
