"""Documents as data: what strangers wrote cannot leave its place in a prompt.

Three layers, none of which trusts the model:

1. Characters that open something are replaced one for one: angle brackets (chat-template tokens such as
   ``<|im_end|>``, XML, think blocks), square brackets (citations, ``[INST]``, Markdown links and images) and all
   their compatibility forms; hidden characters (zero width, bidirectional, tags, controls) are taken out.
2. Each document stands between lines that hold its id and a nonce; since no document can hold an angle bracket,
   no document can write such a line, and the nonce is checked to occur in none.
3. What comes back is checked against the source: :func:`locate` finds a quote in the original text, or not.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_SWAP: Final = {"<": "‹", ">": "›", "[": "(", "]": ")", "|": "¦", "`": "'", "{": "(", "}": ")"}
_LINE_ENDS: Final = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
#: Zero-width joiners and variation selectors carry emoji and several scripts, but also hidden text: out as well.
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_QUOTES: Final = {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
_OTHER: Final = {"\u2215": "/", "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-"}
_DEAD_LINK: Final = ":\u2215\u2215"


@dataclass(frozen=True, slots=True)
class Fenced:
    """Documents ready for a prompt.

    Attributes
    ----------
    text
        All documents, each in its fence.
    ids
        The ids in order, as the model may cite them.
    nonce
        What every fence line of this call holds.
    """

    text: str
    ids: tuple[str, ...]
    nonce: str


def fence(documents: Sequence[tuple[str, str]], *, nonce: str | None = None) -> Fenced:
    """Fence ``(id, text)`` pairs.

    The nonce is derived from the documents and then checked against them, so that equal calls give equal prompts
    (and are cached) while no document can hold its own nonce.

    Raises
    ------
    ValueError
        When an id is repeated or is not made of letters, digits, ``_`` and ``-``.
    """
    ids = tuple(name for name, _ in documents)
    if len(set(ids)) != len(ids):
        raise ValueError(f"document ids must be distinct, got {ids}")
    for name in ids:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise ValueError(f"a document id is 1 to 64 letters, digits, _ or -, got {name!r}")
    texts = [neutralise(text) for _, text in documents]
    if nonce is None:
        nonce = _nonce(texts)
    blocks = [
        f"<document {nonce} id={name}>\n{text}\n</document {nonce} id={name}>"
        for name, text in zip(ids, texts, strict=True)
    ]
    return Fenced("\n\n".join(blocks), ids, nonce)


def neutralise(text: str) -> str:
    r"""Return ``text`` without anything that could act: see the module. Never longer than ``text``, in practice.

    Line ends become ``\n``. The slashes after a link's colon become U+2215, so that nothing which later renders
    the answer finds an address to follow.
    """
    kept = "".join(_safe(char) for char in text.replace("\r\n", "\n"))
    return kept.replace("://", _DEAD_LINK)


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Return ``(start, end)`` of a quote in the original text, so that ``text[start:end]`` are its words, or None.

    Equal letter by letter, save for what fencing changes and what models change without meaning it: the kind of
    quotation marks and dashes, runs of white space, hidden characters. Case and words must be the same.
    """
    wanted, _ = _fold(quote)
    wanted = wanted.strip()
    if not wanted:
        return None
    if (start := text.find(quote)) >= 0 and quote == quote.strip():
        return start, start + len(quote)
    folded, offsets = _fold(text)
    found = folded.find(wanted)
    if found < 0:
        return None
    return offsets[found], offsets[found + len(wanted) - 1] + 1


def _nonce(texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text.encode("utf-8", "replace"))
    while True:
        nonce = digest.hexdigest()[:8]
        if not any(nonce in text for text in texts):
            return nonce
        digest.update(b"again")


@lru_cache(maxsize=4096)
def _safe(char: str) -> str:
    if char in _LINE_ENDS:
        return "\n"
    if char == "\t":
        return char
    if char in _SWAP:
        return _SWAP[char]
    # Variation selectors are marks (Mn) and Hangul fillers letters (Lo): both show nothing.
    if unicodedata.category(char) in _HIDDEN_CATEGORIES or char in "\u115f\u1160\u3164\uffa0\u034f\u2800":
        return ""
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return ""
    if char.isascii():
        return char
    # Full-width and small forms: some tokenisers fold them to the plain ones.
    plain = unicodedata.normalize("NFKC", char)
    if any(part in _SWAP or part in _LINE_ENDS for part in plain):
        return "".join(_SWAP.get(part, "\n" if part in _LINE_ENDS else part) for part in plain)
    return char


def _fold(text: str) -> tuple[str, list[int]]:
    """Return the text in its comparable form and, for each of its characters, the offset it came from."""
    letters: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(text):
        for part in _safe(char):
            part = _QUOTES.get(part, _OTHER.get(part, part))
            if part.isspace():
                if letters and letters[-1] == " ":
                    continue
                part = " "
            letters.append(part)
            offsets.append(offset)
    return "".join(letters), offsets


__all__ = ["Fenced", "fence", "locate", "neutralise"]
