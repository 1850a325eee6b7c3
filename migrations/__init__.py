"""Alembic migrations, shipped in the wheel and run by ``Database.upgrade``."""
