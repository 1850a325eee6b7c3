"""``python -m app.cli``."""

from app.cli.main import run

run()
