"""Say whether a text is English, from its function words and its script.

Reviews are short and misspelt, so the test asks only what matters here: may an English lexicon read this text?
The share of English function words is compared with that of the six languages most often mixed into English
review sites; a text mostly outside the Latin script is never English.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+")
_SCRIPTS: Final[tuple[tuple[str, int, int], ...]] = (
    ("ja", 0x3040, 0x30FF),
    ("ko", 0xAC00, 0xD7AF),
    ("zh", 0x4E00, 0x9FFF),
    ("ru", 0x0400, 0x04FF),
    ("el", 0x0370, 0x03FF),
    ("ar", 0x0600, 0x06FF),
    ("he", 0x0590, 0x05FF),
    ("th", 0x0E00, 0x0E7F),
    ("hi", 0x0900, 0x097F),
)
#: How many words of a text are looked at.
SAMPLE_WORDS: Final = 200


def detect(text: str) -> str:
    """Return the ISO 639-1 code of the language of ``text``, or ``und`` where nothing tells.

    Texts of at most three Latin words that fit no other language better are taken as English: a
    two-word verdict ("Great stay") carries no function word.
    """
    script = _script(text)
    if script:
        return script
    words = [word.lower() for word in _WORD.findall(text[: SAMPLE_WORDS * 12])][:SAMPLE_WORDS]
    if not words:
        return "und"
    known = _function_words()
    shares = dict.fromkeys(("en", "fr", "de", "es", "it", "pt", "nl"), 0)
    for word in words:
        for code in known.get(word, ()):
            shares[code] += 1
    best = max(shares, key=lambda code: (shares[code], code == "en"))
    if best != "en" and shares[best] >= 2 and shares[best] > 1.3 * shares["en"]:
        return best
    if shares["en"] / len(words) >= 0.08 or all(word.isascii() for word in words):
        return "en"
    return "und"


@cache
def _function_words() -> dict[str, tuple[str, ...]]:
    """Map a word to the languages that it is a function word of."""
    path = files("store.enrich") / "data" / "function_words.json"
    listed = json.loads(path.read_text(encoding="utf-8"))["words"]
    codes: dict[str, tuple[str, ...]] = {}
    for code, words in listed.items():
        for word in words.split():
            codes[word] = (*codes.get(word, ()), code)
    return codes


def _script(text: str) -> str:
    """Return the language of the script that most letters are in, or an empty string for Latin."""
    sample = text[:2000]
    if sample.isascii():
        return ""
    counts: dict[str, int] = {}
    letters = 0
    for character in sample:
        if not character.isalpha():
            continue
        letters += 1
        code = ord(character)
        if code < 0x0370:
            continue
        for name, low, high in _SCRIPTS:
            if low <= code <= high:
                counts[name] = counts.get(name, 0) + 1
                break
    if not counts or sum(counts.values()) <= 0.5 * letters:
        return ""
    if counts.get("ja", 0) > 0.1 * sum(counts.values()):
        return "ja"
    return max(counts, key=lambda name: counts[name])


__all__ = ["SAMPLE_WORDS", "detect"]
