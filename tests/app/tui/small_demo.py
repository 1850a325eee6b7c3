"""The app as it is, but for a demo corpus of few reviews, for the walk through a real terminal.

python -m tests.app.tui.small_demo WORKSPACE REVIEWS
"""

from __future__ import annotations

import sys

from app.backstage import Backstage
from app.bootstrap import Parts
from app.settings import load_settings
from app.tui.app import EvenhandApp

if __name__ == "__main__":
    settings, project = load_settings(None, {"workspace": sys.argv[1]})
    backstage = Backstage(lambda: Parts(settings, project))
    app = EvenhandApp(backstage, demo_reviews=int(sys.argv[2]))
    try:
        app.run()
    finally:
        backstage.close()
    sys.exit(app.return_code)
