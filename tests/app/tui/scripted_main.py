"""The app with a scripted service in a process of its own, for tests that need a real terminal.

python -m tests.app.tui.scripted_main WORKSPACE [GAP]
"""

from __future__ import annotations

import sys

from app.bootstrap import Parts
from app.settings import Settings
from app.tui.app import EvenhandApp
from tests.app.tui.conftest import TEXT, Script, ScriptedBackstage

if __name__ == "__main__":
    gap = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    words = [f"{word} " for word in TEXT.split(" ")]
    backstage = ScriptedBackstage(
        lambda: Parts(Settings(workspace=sys.argv[1])), Script(pieces=words * (20 if gap else 1), gap=gap)
    )
    app = EvenhandApp(backstage)
    try:
        app.run()
    finally:
        backstage.close()
    sys.exit(app.return_code)
