from __future__ import annotations

from pathlib import Path

import pytest

from store.database import Database
from tests.benchmarks.kill_ingest import torture


@pytest.mark.slow
def test_three_kills_at_random_moments_lose_and_double_nothing(database: Database, tmp_path: Path) -> None:
    url = database.engine.url.render_as_string(hide_password=False)
    stored = torture(url, tmp_path, rows=1500, kills=3, seed=7)
    assert max(stored) > 0
