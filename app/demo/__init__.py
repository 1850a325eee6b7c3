"""The bundled corpus (see ``SOURCE.md``) and the questions of ``evenhand demo``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

MAPS: Final = ("text=content", "subject=airline_name", "author=author_id", "date=date", "title=title")
ATTRIBUTES: Final = ("country=author_country",)
QUESTIONS: Final = (
    "Which lounges have a smoking room?",
    "What do travellers think of the food?",
    "What are the biggest complaints about the staff?",
)


def corpus_file() -> AbstractContextManager[Path]:
    """Return a context in which the bundled corpus is a file."""
    return as_file(files("app.demo").joinpath("lounges.csv.gz"))


__all__ = ["ATTRIBUTES", "MAPS", "QUESTIONS", "corpus_file"]
