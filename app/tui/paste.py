"""A paste is one text, whatever stands in it: an escape character inside it is no key and no end of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual._xterm_parser import XTermParser
from textual.message import Message

#: What a terminal sends around a bracketed paste.
START: Final = "\x1b[200~"
END: Final = "\x1b[201~"
#: What stands for an escape character that was pasted.
SHOWN: Final = "␛"


class PasteParser(XTermParser):
    """Textual's parser, which never sees an escape character inside a paste.

    It would take it for the start of a key: what follows it is lost, and the rest of the paste is typed.
    """

    _inside = False
    #: Outside: the last characters that were passed on; inside: those that may begin the end, held back.
    _tail = ""

    def feed(self, data: str) -> Iterable[Message]:
        """Parse what arrived; the end of the input is the empty string."""
        if not data:
            return super().feed(data)
        tamed = self._tamed(data)
        # Where all of it is held back there is nothing to parse yet.
        return super().feed(tamed) if tamed else ()

    def _tamed(self, data: str) -> str:
        out: list[str] = []
        while data:
            taken, data = self._paste(data) if self._inside else self._typed(data)
            out.append(taken)
        return "".join(out)

    def _typed(self, data: str) -> tuple[str, str]:
        """Return what is passed on, to the beginning of a paste where there is one, and the rest."""
        seen = self._tail + data
        at = seen.find(START)
        if at < 0:
            # Passed on at once: a lone escape character is a key, and is waited for.
            self._tail = seen[1 - len(START) :]
            return data, ""
        end = at + len(START) - len(self._tail)
        self._inside, self._tail = True, ""
        return data[:end], data[end:]

    def _paste(self, data: str) -> tuple[str, str]:
        """Return what is passed on of a paste, and what follows it."""
        text, found, rest = (self._tail + data).partition(END)
        self._tail = ""
        if found:
            self._inside = False
        else:
            # The first characters of the end may have come without the others.
            held = next((n for n in range(len(END) - 1, 0, -1) if text.endswith(END[:n])), 0)
            text, self._tail = text[: len(text) - held], text[len(text) - held :]
        return text.replace("\x1b", SHOWN) + found, rest


def guard_pastes() -> None:
    """Let the terminal's input be read by this parser."""
    try:
        from textual.drivers import linux_driver
    except ImportError:
        # Another system, another driver; pastes are as Textual reads them.
        return
    linux_driver.XTermParser = PasteParser  # type: ignore[attr-defined]


__all__ = ["PasteParser", "guard_pastes"]
