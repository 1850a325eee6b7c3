"""Facts from Re-DocRED (Tan et al., EMNLP 2022; MIT): Wikipedia passages with relations and their evidence."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agents.probes.facts import Fact
from agents.probes.relations import QUESTIONS
from store.errors import UsageError

#: Folder and file of the set in a folder of data sets.
NAME, FILE = "redocred", "dev_revised.json"

_NO_SPACE_BEFORE: Final = frozenset(
    [".", ",", ";", ":", "!", "?", ")", "]", "}", "%", "'s", "n't", "'", "’s", "..."]
)
_NO_SPACE_AFTER: Final = frozenset("([{$£€#")
_QUOTE: Final = '"'
_YEAR_OR_NUMBER: Final = re.compile(r"[\d\s.,-]+")


def redocred_facts(path: Path, seed: int = 0) -> list[Fact]:
    """Return the usable facts of the file in an order that the seed draws.

    A label is usable when it has exactly one evidence sentence, in which the subject is named once and the object is
    named, and a question for its relation. One label a (subject, object); the others of a document follow only after
    every document has had its turn, so that the first few hundred come from as many documents as there are.

    Raises
    ------
    UsageError
        The file cannot be read or is not Re-DocRED.
    """
    rounds: dict[int, list[tuple[str, Fact]]] = {}
    for document in _read(path):
        drawn = sorted(_facts(document), key=lambda fact: _order(fact, seed))
        for turn, fact in enumerate(drawn):
            rounds.setdefault(turn, []).append((_order(fact, seed), fact))
    return [fact for turn in sorted(rounds) for _, fact in sorted(rounds[turn], key=lambda item: item[0])]


def find_redocred(data: Path) -> Path:
    """Return the file in a folder of data sets, in the set's own folder, or the path itself when it is a file.

    Raises
    ------
    UsageError
        It is in none of these places.
    """
    if data.is_file():
        return data
    for folder in (data / NAME, data):
        for name in (FILE, f"{FILE}.gz"):
            if (folder / name).is_file():
                return folder / name
    raise UsageError(
        f"the data set `{NAME}` is not in {data} (looked for {NAME}/{FILE} and {FILE}.gz)",
        "give the folder that holds it by --data",
    )


def sentence_text(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return tokens as a sentence with natural spacing, and each token's character span in it."""
    text, spans, open_quote, glue = "", [], False, True
    for word in tokens:
        quote = word == _QUOTE
        if not glue and word not in _NO_SPACE_BEFORE and not (quote and open_quote):
            text += " "
        spans.append((len(text), len(text) + len(word)))
        text += word
        glue = word in _NO_SPACE_AFTER or (quote and not open_quote)
        open_quote ^= quote
    return text, spans


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        raw = path.read_bytes()
        documents = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except (OSError, EOFError, ValueError) as error:
        raise UsageError(f"cannot read {path} as Re-DocRED ({error})") from None
    wanted = {"title", "sents", "vertexSet", "labels"}
    if not isinstance(documents, list) or not all(
        isinstance(each, Mapping) and wanted <= each.keys() for each in documents
    ):
        raise UsageError(
            f"{path} is not Re-DocRED", "documents need the fields title, sents, vertexSet, labels"
        )
    return documents


def _order(fact: Fact, seed: int) -> str:
    key = f"{seed}\n{fact.source}\n{fact.question()}\n{fact.answer_text}"
    return hashlib.sha256(key.encode()).hexdigest()


def _facts(document: Mapping[str, Any]) -> Iterator[Fact]:
    pieces = [sentence_text(tokens) for tokens in document["sents"]]
    vertices: list[list[Mapping[str, Any]]] = document["vertexSet"]
    seen: set[tuple[int, int]] = set()
    for label in document["labels"]:
        head, tail = int(label["h"]), int(label["t"])
        if len(label["evidence"]) != 1 or label["r"] not in QUESTIONS or (head, tail) in seen:
            continue
        evidence = int(label["evidence"][0])
        heads = _spans(vertices[head], evidence, pieces)
        tails = _spans(vertices[tail], evidence, pieces)
        if len(heads) != 1 or not tails or head == tail or _overlap(heads[0], tails[0]):
            continue
        seen.add((head, tail))
        text = pieces[evidence][0]
        name = text[heads[0][0] : heads[0][1]]
        # A name may occur in the text beyond the annotated mentions.
        if text.count(name) != 1 or _YEAR_OR_NUMBER.fullmatch(name):
            continue
        names = tuple(dict.fromkeys([name, *(_name(mention, pieces) for mention in vertices[head])]))
        answers = {_name(mention, pieces) for mention in vertices[tail]}
        yield Fact(
            source=str(document["title"]),
            sentences=tuple(text for text, _ in pieces),
            evidence=evidence,
            head=heads[0],
            answer=tails[0],
            names=names,
            mentions=tuple(len(_spans(vertices[head], i, pieces)) for i in range(len(pieces))),
            answering=tuple(any(answer in text for answer in answers) for text, _ in pieces),
            template=QUESTIONS[label["r"]],
        )


def _spans(
    mentions: Sequence[Mapping[str, Any]], sentence: int, pieces: Sequence[tuple[str, list[tuple[int, int]]]]
) -> list[tuple[int, int]]:
    spans = pieces[sentence][1]
    found = {
        (spans[m["pos"][0]][0], spans[m["pos"][1] - 1][1])
        for m in mentions
        if m["sent_id"] == sentence and m["pos"][1] <= len(spans)
    }
    return sorted(found)


def _name(mention: Mapping[str, Any], pieces: Sequence[tuple[str, list[tuple[int, int]]]]) -> str:
    spans = _spans([mention], int(mention["sent_id"]), pieces)
    text = pieces[int(mention["sent_id"])][0]
    return text[spans[0][0] : spans[0][1]] if spans else str(mention["name"])


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]


__all__ = ["FILE", "NAME", "find_redocred", "redocred_facts", "sentence_text"]
