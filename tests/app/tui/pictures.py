"""Which Textual the pictures are of."""

from __future__ import annotations

import os
from importlib.metadata import version

import pytest

#: Another release draws a little differently. CI installs this one (constraints): there a skip would hide a change.
PICTURED = "8.2.8"
pictured = pytest.mark.skipif(
    version("textual") != PICTURED and os.environ.get("CI") != "true",
    reason=f"the pictures are of Textual {PICTURED}, this is {version('textual')}",
)
