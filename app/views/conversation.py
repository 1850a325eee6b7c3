"""A conversation, or one answer of it, as a file: Markdown, text, JSON, HTML; every receipt with its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from app.views import html_parts as part
from app.views.layout import wrap
from app.views.receipt_html import page, receipt_html
from app.views.receipt_json import dump_json, receipt_document
from app.views.receipt_markdown import code_block, receipt_markdown
from app.views.receipt_text import receipt_text
from app.views.safe import line, markdown_line, visible
from app.views.words import receipt_line

if TYPE_CHECKING:
    from store.answers import AnswerRecord

_WIDTH: Final = 100

#: What the state of an answer means to its reader; nothing for one that is whole.
STATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "running": "not finished: interrupted, or still being written elsewhere",
        "stopped": "stopped before its end",
        "failed": "failed before its end",
    }
)


def state_words(record: AnswerRecord) -> str:
    """Return what is missing of an answer, empty for a whole one."""
    return STATES.get(record.state, "")


def conversation_markdown(records: Sequence[AnswerRecord], title: str) -> str:
    """Return answers and receipts as Markdown; a single whole answer is its receipt, which holds the answer."""
    out = [f"# {markdown_line(title)}", ""] if title else []
    for record in records:
        if record.receipt is not None:
            out.append(
                _deeper(receipt_markdown(record.receipt)) if title else receipt_markdown(record.receipt)
            )
            continue
        out += [f"## {markdown_line(record.question)}", "", *code_block(visible(record.text)), ""]
        out += [f"*{state_words(record)}*", ""]
    return "\n".join(out).rstrip() + "\n"


def _deeper(text: str) -> str:
    fence = ""
    out = []
    for each in text.split("\n"):
        if each.startswith("```"):
            mark = each[: len(each) - len(each.lstrip("`"))]
            fence = "" if fence and mark.startswith(fence) else fence or mark
        out.append(f"#{each}" if each.startswith("#") and not fence else each)
    return "\n".join(out)


def conversation_text(records: Sequence[AnswerRecord], title: str) -> str:
    """Return answers and receipts as plain text."""
    out = [*wrap(line(title), _WIDTH), "=" * min(_WIDTH, len(line(title))), ""] if title else []
    for record in records:
        if record.receipt is not None:
            out += [receipt_text(record.receipt, _WIDTH), ""]
            continue
        out += [*wrap(record.question, _WIDTH, first="> "), "", *wrap(record.text, _WIDTH)]
        out += [f"({state_words(record)})", ""]
    return "\n".join(out).rstrip() + "\n"


def conversation_json(records: Sequence[AnswerRecord], title: str) -> str:
    """Return answers and receipts as one JSON document (``conversation/1``)."""
    answers = [
        {
            "id": record.id,
            "question": record.question,
            "text": record.text,
            "state": record.state,
            "asked_at": record.created_at.isoformat(),
            "receipt": None if record.receipt is None else receipt_document(record.receipt),
        }
        for record in records
    ]
    return dump_json({"schema": "conversation/1", "title": title, "answers": answers}) + "\n"


def conversation_html(records: Sequence[AnswerRecord], title: str) -> str:
    """Return answers and receipts as one HTML page without scripts."""
    if not title and len(records) == 1 and (only := records[0].receipt) is not None:
        return receipt_html(only)
    sections = []
    for record in records:
        body = [f"<h2>{part.text(record.question, 300)}</h2>", part.answer(record.text, ())]
        if record.receipt is not None:
            body += [
                f"<p>{part.text(receipt_line(record.receipt))}</p>",
                f"<details><summary>Receipt</summary>{part.code(receipt_text(record.receipt, _WIDTH))}</details>",
            ]
        else:
            body.append(f"<p>{part.text(state_words(record))}</p>")
        sections.append(f"<section>{''.join(body)}</section>")
    heading = f"<header><h1>{part.text(title or 'Answers', 300)}</h1></header>"
    return page(title or "Answers", f"{heading}\n<main>\n{''.join(sections)}\n</main>")


Writer = Callable[[Sequence["AnswerRecord"], str], str]

#: Writers by the ending of the file's name.
WRITERS: Final[Mapping[str, Writer]] = MappingProxyType(
    {
        ".md": conversation_markdown,
        ".txt": conversation_text,
        ".json": conversation_json,
        ".html": conversation_html,
    }
)

__all__ = [
    "STATES",
    "WRITERS",
    "Writer",
    "conversation_html",
    "conversation_json",
    "conversation_markdown",
    "conversation_text",
    "state_words",
]
