"""One document in words: what it is, who wrote it, what was found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.views.formats import count, plural
from app.views.layout import wrap
from app.views.rows import score_text
from app.views.safe import line

if TYPE_CHECKING:
    from app.documents import DocumentView


def document_facts(view: DocumentView, width: int, *, ascii: bool = False) -> list[str]:
    """Return title, subject, date, rating, author with attributes, and source, wrapped."""
    record = view.record
    facts = [
        ("title", record.title),
        ("id", f"{record.external_id} from {view.source}"),
        ("on", ", ".join(each for each in (record.subject, record.date) if each)),
        ("rating", "" if record.rating is None else f"{record.rating:g}"),
        ("author", record.author),
        (
            "groups",
            ", ".join(f"{name} {value}" for name, value in sorted(record.attributes.items())) or "unknown",
        ),
        ("link", record.url),
    ]
    out: list[str] = []
    for name, value in facts:
        if value:
            out += wrap(line(value, limit=400, ascii=ascii), width, first=f"{name:<8}", ascii=ascii)
    return out


def size_words(view: DocumentView) -> str:
    """Return how long the text is and how many opinions were found in it."""
    found = plural(len(view.opinions), "opinion")
    return f"{count(len(view.record.text))} characters, {found} found"


def opinion_words(view: DocumentView, index: int) -> str:
    """Return one opinion of the document: its place, entity, score and evidence."""
    each = view.opinions[index]
    return (
        f"opinion {index + 1} of {len(view.opinions)}: {line(each.entity, limit=60)} {score_text(each.score)}"
        f", {line(each.evidence)}, confidence {each.confidence:.2f}"
    )


__all__ = ["document_facts", "opinion_words", "size_words"]
