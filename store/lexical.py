"""BM25 (rank-bm25's Okapi variant) as a persisted inverted index.

rank-bm25 keeps one dict a document and scores every document for every query term. Here its own statistics (idf with
the epsilon floor, k1, b, average length) are kept with postings in one ``.npz`` file, so that a new process neither
tokenises the corpus again nor touches documents that share no term with the query. Scores equal rank-bm25's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from store.errors import IndexUnavailable

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_SEPARATOR = "\n"
FORMAT = 1


def tokenize(text: str) -> list[str]:
    """Return the case-folded words of a text."""
    return _WORD.findall(text.casefold().replace("’", "'"))


class BM25Index:
    """A BM25 index in one file.

    Parameters
    ----------
    path
        The ``.npz`` file; it is replaced atomically by ``build``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data: dict[str, Any] | None = None
        self._mtime = 0

    def build(self, items: Iterable[tuple[int, str]], stamp: str = "") -> None:
        """Replace the index by one over ``(id, text)`` items and write it to disk."""
        data = _build(items)
        data["stamp"] = np.asarray(stamp)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".tmp.npz")
        with temporary.open("wb") as file:
            np.savez(file, **data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path)
        self._data = None

    def search(self, query: str, n: int) -> list[tuple[int, float]]:
        """Return the at most ``n`` best ids with a positive score, best first, ties by id."""
        data = self._load()
        scores = self._scores(data, query)
        positive = np.flatnonzero(scores > 0)
        order = positive[np.lexsort((data["ids"][positive], -scores[positive]))][:n]
        return [(int(data["ids"][i]), float(scores[i])) for i in order]

    def ids(self) -> set[int]:
        """All ids held."""
        return {int(i) for i in self._load()["ids"]}

    @property
    def stamp(self) -> str | None:
        """The stamp that the index was built with; None when there is no readable index."""
        try:
            return str(self._load()["stamp"])
        except IndexUnavailable:
            return None

    def remove_file(self) -> None:
        """Delete the index file, if there is one, and what a killed ``build`` left."""
        self.path.unlink(missing_ok=True)
        self.path.with_suffix(".tmp.npz").unlink(missing_ok=True)
        self._data = None

    def _scores(self, data: dict[str, Any], query: str) -> NDArray[np.float64]:
        scores = np.zeros(len(data["ids"]))
        k1, b, average = float(data["k1"]), float(data["b"]), float(data["avgdl"])
        norm = k1 * (1 - b + b * data["doc_len"] / average) if average else data["doc_len"]
        for word in tokenize(query):
            term = data["vocabulary"].get(word)
            if term is None:
                continue
            rows = slice(data["indptr"][term], data["indptr"][term + 1])
            docs, freq = data["docs"][rows], data["freqs"][rows]
            scores[docs] += data["idf"][term] * (freq * (k1 + 1) / (freq + norm[docs]))
        return scores

    def _load(self) -> dict[str, Any]:
        try:
            mtime = self.path.stat().st_mtime_ns
            if self._data is None or mtime != self._mtime:
                with self.path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                    data = {name: file[name] for name in file.files}
                if int(data["format"]) != FORMAT:
                    raise IndexUnavailable(
                        f"{self.path} has another format", "run `evenhand doctor --rebuild`"
                    )
                words = bytes(data["words"]).decode("utf-8").split(_SEPARATOR)
                data["vocabulary"] = {word: i for i, word in enumerate(words)} if data["idf"].size else {}
                self._data, self._mtime = data, mtime
        except FileNotFoundError as error:
            raise IndexUnavailable(
                f"the BM25 index {self.path.name} is missing", "run `evenhand doctor --rebuild`"
            ) from error
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise IndexUnavailable(
                f"the BM25 index {self.path.name} is damaged ({error})", "run `evenhand doctor --rebuild`"
            ) from error
        return self._data


def _build(items: Iterable[tuple[int, str]]) -> dict[str, Any]:
    from rank_bm25 import BM25Okapi

    vocabulary: dict[str, int] = {}
    terms: list[NDArray[np.int32]] = []
    freqs: list[NDArray[np.int32]] = []
    ids: list[int] = []
    lengths: list[int] = []
    for unit_id, text in items:
        counts: dict[int, int] = {}
        words = tokenize(text)
        for word in words:
            term = vocabulary.setdefault(word, len(vocabulary))
            counts[term] = counts.get(term, 0) + 1
        ids.append(unit_id)
        lengths.append(len(words))
        terms.append(np.fromiter(counts.keys(), dtype=np.int32, count=len(counts)))
        freqs.append(np.fromiter(counts.values(), dtype=np.int32, count=len(counts)))
    sizes = np.asarray([len(t) for t in terms], dtype=np.int64)
    all_terms = np.concatenate(terms) if terms else np.zeros(0, np.int32)
    all_docs = np.repeat(np.arange(len(ids), dtype=np.int32), sizes)
    order = np.argsort(all_terms, kind="stable")
    document_frequency = np.bincount(all_terms, minlength=len(vocabulary))

    # rank-bm25's own idf, on our document frequencies.
    model = BM25Okapi.__new__(BM25Okapi)
    model.k1, model.b, model.epsilon, model.idf, model.corpus_size = 1.5, 0.75, 0.25, {}, len(ids)
    if vocabulary:
        model._calc_idf(dict(zip(vocabulary, document_frequency.tolist(), strict=True)))
    return {
        "format": np.asarray(FORMAT),
        "ids": np.asarray(ids, dtype=np.int64),
        "doc_len": np.asarray(lengths, dtype=np.float64),
        "avgdl": np.asarray(float(np.mean(lengths)) if lengths else 0.0),
        "k1": np.asarray(model.k1),
        "b": np.asarray(model.b),
        "idf": np.asarray([model.idf[w] for w in vocabulary], dtype=np.float64),
        "words": np.frombuffer(_SEPARATOR.join(vocabulary).encode("utf-8"), dtype=np.uint8),
        "indptr": np.concatenate([[0], np.cumsum(document_frequency)]).astype(np.int64),
        "docs": all_docs[order],
        "freqs": (np.concatenate(freqs) if freqs else np.zeros(0, np.int32))[order],
    }


__all__ = ["BM25Index", "tokenize"]
