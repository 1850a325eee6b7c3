"""How answers are read as Markdown: emphasis, lists, headings, tables and code; no links, images or HTML.

Documents are quoted in answers. Inside a quotation nothing is markup, so that a quote is shown word for word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.markdown import Markdown as RichMarkdown

from app.views.safe import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

#: Rules whose text shall stay as it was written.
_LITERAL: Final = ("link", "image", "autolink", "html_inline", "html_block", "reference", "entity")
_MARKUP: Final = frozenset("\\`*_~#|<>[]!-+")
#: Longest answer that is drawn; what is longer is cut on the screen only.
LONGEST_DRAWN: Final = 20_000


def answer_parser() -> MarkdownIt:
    """Return the parser of answers."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(list(_LITERAL))


class Reader:
    """Makes the pieces of a streamed answer harmless: what is hidden is shown, and quotations are no markup."""

    def __init__(self, ascii: bool = False) -> None:
        self._ascii = ascii
        self._quoted = False

    def feed(self, piece: str) -> str:
        """Return the Markdown of the next piece."""
        shown = visible(piece)
        if "“" not in shown and not self._quoted:
            return self._plain(shown)
        out: list[str] = []
        for character in shown:
            if character == "“":
                self._quoted = True
            elif character in "”\n":
                self._quoted = False
            elif self._quoted and character in _MARKUP:
                out.append("\\")
            out.append(character)
        return self._plain("".join(out))

    def _plain(self, text: str) -> str:
        return visible(text, ascii=True) if self._ascii else text


def answer_markdown(text: str, ascii: bool = False) -> str:
    """Return the Markdown of a whole answer, cut where it is too long to be drawn."""
    cut = text[:LONGEST_DRAWN]
    more = (
        ""
        if len(cut) == len(text)
        else f"\n\n… (the screen ends here; the answer has {len(text):,} characters)"
    )
    return Reader(ascii).feed(cut) + more


class AnswerRenderable(RichMarkdown):
    """A finished answer as one renderable: a fraction of what a tree of widgets costs."""

    def __init__(self, text: str, ascii: bool = False) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = answer_markdown(text, ascii)
        self.parsed = answer_parser().parse(self.markup)


__all__ = ["LONGEST_DRAWN", "AnswerRenderable", "Reader", "answer_markdown", "answer_parser"]
