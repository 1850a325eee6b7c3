"""A receipt written to a file whose name says the form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from store.errors import UsageError

if TYPE_CHECKING:
    from store.receipt import AuditReceipt

#: Endings of files that a receipt can be written to.
ENDINGS: Final = (".md", ".html", ".json", ".txt")


def save_receipt(receipt: AuditReceipt, path: str, *, force: bool = False) -> Path:
    """Write a receipt as Markdown, HTML, JSON or text, by the ending of the file; returns where it is.

    Raises
    ------
    UsageError
        No name, another ending, or a file that exists already (without ``force``).
    StoreError
        It cannot be written.
    """
    from app.files import write_whole

    if not path.strip():
        raise UsageError("no file named", "type where to write the receipt")
    file = Path(path.strip()).expanduser()
    write_whole(file, _text(receipt, file.suffix.lower()), force)
    return file


def _text(receipt: AuditReceipt, ending: str) -> str:
    if ending == ".md":
        from app.views.receipt_markdown import receipt_markdown

        return receipt_markdown(receipt)
    if ending == ".html":
        from app.views.receipt_html import receipt_html

        return receipt_html(receipt)
    if ending == ".json":
        from app.views.receipt_json import receipt_json

        return receipt_json(receipt)
    if ending == ".txt":
        from app.views.receipt_text import receipt_text

        return receipt_text(receipt)
    what = f"as `{ending}`" if ending else "to a file without an ending"
    raise UsageError(f"a receipt cannot be written {what}", f"use {', '.join(ENDINGS)}")


__all__ = ["ENDINGS", "save_receipt"]
