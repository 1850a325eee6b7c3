"""Says when a question cannot be read: no words, another language than English, or letters that form no words."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from store.enrich.language import detect
from store.enrich.linking import english_words

_WORD: Final = re.compile(r"[^\W\d_]+")
_LANGUAGES: Final = {
    "ar": "Arabic", "de": "German", "el": "Greek", "es": "Spanish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pt": "Portuguese", "ru": "Russian",
    "th": "Thai", "zh": "Chinese",
}  # fmt: skip
#: Words that open questions, and verbs of thinking, that no English question holds.
_ASKING: Final = {
    "de": "was wie wieviele warum welche welcher denken halten meinen sagen gäste leute über vom",
    "es": "qué que cómo cuántos cuántas cuáles opinan piensan dicen sobre huéspedes clientes gente el los las",
    "fr": "que quoi quel quelle quels quelles comment combien pourquoi pensent disent clients gens les des du",
    "it": "cosa come quanti quante quale perché pensano dicono clienti ospiti gli della del sulla",
    "nl": "wat hoe hoeveel waarom welke vinden denken zeggen gasten mensen het een van over de",
    "pt": "que como quantos quantas quais pensam dizem acham hóspedes clientes pessoas sobre os das dos",
}
_ENGLISH: Final = frozenset(
    [
        "what",
        "how",
        "why",
        "which",
        "who",
        "the",
        "is",
        "are",
        "do",
        "does",
        "of",
        "about",
        "and",
        "was",
        "were",
        "to",
    ]
)
#: Share of a question's words that are English, below which it is no English.
LEAST_KNOWN: Final = 0.3


def unread(question: str, names: Collection[str] = ()) -> str:
    """Return why ``question`` cannot be read, as a note for the reader, or an empty text.

    ``names`` are words of the corpus (entities, subjects, author groups) that no dictionary need know.
    """
    words = [word.lower() for word in _WORD.findall(question[:2000])]
    if not words:
        return "the question holds no words"
    language = _language(question, words)
    if language:
        return f"the question looks like {language}, and only English questions are understood"
    own = {word for name in names for word in _WORD.findall(name.lower())}
    judged = [word for word in words if len(word) > 2 and word not in own]
    if judged and not own & set(words):
        known = english_words()
        if sum(word in known for word in judged) < LEAST_KNOWN * len(judged):
            return "the question holds hardly a word of English"
    return ""


def _language(question: str, words: list[str]) -> str:
    code = detect(question)
    if code in _LANGUAGES and code not in _ASKING:
        return _LANGUAGES[code]
    english = sum(word in _ENGLISH for word in words)
    foreign = {name: sum(word in said.split() for word in words) for name, said in _ASKING.items()}
    best = max(foreign, key=lambda name: (foreign[name], name == code))
    if foreign[best] >= 2 and foreign[best] > 2 * english:
        return _LANGUAGES[best]
    return _LANGUAGES[code] if code in _ASKING and not english else ""


__all__ = ["LEAST_KNOWN", "unread"]
