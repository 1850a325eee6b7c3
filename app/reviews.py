"""Checking labels by hand: the sample, the verdicts, the review file, and what they say of the labels."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from app.bootstrap import Parts
from store.errors import UsageError
from store.reviews import Outcome, ReviewItem, ReviewStore, Verdict

if TYPE_CHECKING:
    from agents.fairness.quality import Corrected, LabelQuality, Reviews
    from store.repository import CorpusRecord

#: What may be written for a verdict, in the terminal and in a review file.
VERDICTS: Final[dict[str, Verdict]] = {
    "p": "positive",
    "positive": "positive",
    "n": "negative",
    "negative": "negative",
    "0": "neutral",
    "neutral": "neutral",
    "mixed": "neutral",
    "x": "not about",
    "not about": "not about",
}
#: Cells that leave a label open.
OPEN: Final = frozenset({"", "s", "skip", "?"})
COLUMNS: Final = ("document_id", "entity_key", "document", "entity", "text", "verdict")
#: Around the words of a label in a text.
MARKS: Final = ("»", "«")
#: Labels drawn at once, at most.
MOST: Final = 5000


@dataclass(frozen=True, slots=True)
class Filled:
    """One verdict of a review file."""

    document_id: int
    entity_key: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Assessed:
    """What the reviews say of a corpus' labels; ``quality`` is None without any review.

    ``labelled`` are the shares of negative, neutral and positive labels, ``corrected`` the same corrected for errors.
    """

    corpus: str
    extractor: str
    quality: LabelQuality | None
    words: str
    labelled: tuple[float, float, float]
    corrected: Corrected | None


class ReviewDesk:
    """Reviews of the labels of one corpus."""

    def __init__(self, parts: Parts, corpus: str = "") -> None:
        self._parts = parts
        self.corpus: CorpusRecord = parts.repository.corpus(corpus or parts.settings.corpus)
        self.extractor: str = self.corpus.extractor or "lexical"

    @property
    def _store(self) -> ReviewStore:
        return self._parts.reviews

    def sample(self, n: int) -> list[ReviewItem]:
        """Draw up to ``n`` labels that nobody reviewed yet.

        Raises
        ------
        UsageError
            ``n`` is out of range, the corpus has no labels, or all of them were reviewed.
        """
        if not 1 <= n <= MOST:
            raise UsageError(f"cannot draw {n:,} labels", f"draw 1 to {MOST:,} at once")
        items = self._store.draw(self.corpus.id, self.extractor, n, self._parts.settings.enrich.seed)
        if not items and self._store.count(self.corpus.id, self.extractor):
            raise UsageError("every label of this corpus was reviewed", "`evenhand enrich --quality`")
        if not items:
            raise UsageError("this corpus has no labels to review", "run `evenhand enrich` first")
        return items

    def record(self, document_id: int, entity_id: int, verdict: Verdict) -> Outcome:
        """Store one verdict at once."""
        with self._parts.workspace.writing(self._parts.settings.store.lock_timeout):
            return self._store.record(self.corpus.id, self.extractor, document_id, entity_id, verdict)

    def finish(self) -> None:
        """Let answers know of new verdicts."""
        with self._parts.workspace.writing(self._parts.settings.store.lock_timeout):
            self._parts.repository.touch(self.corpus.id)

    def take(self, verdicts: Iterable[Filled]) -> Counter[str]:
        """Store the verdicts of a file; count ``stored``, ``known`` (reviewed before), ``gone`` (no such label)."""
        keys = self._store.entity_ids(self.corpus.id)
        counts: Counter[str] = Counter()
        try:
            for each in verdicts:
                entity = keys.get(each.entity_key)
                outcome = "gone" if entity is None else self.record(each.document_id, entity, each.verdict)
                counts[outcome] += 1
        finally:
            if counts["stored"]:
                self.finish()
        return counts

    def assess(self) -> Assessed:
        """Estimate how good the labels are, and the corpus' shares corrected for their errors."""
        from agents.corrections import quality_words, read_reviews
        from agents.fairness.quality import assess, corrected_shares

        reviews: Reviews = read_reviews(self._store, self.corpus.id, self.extractor)
        counts = reviews.population
        n = max(sum(counts), 1)
        quality = assess(reviews) if len(reviews) else None
        return Assessed(
            corpus=self.corpus.name,
            extractor=self.extractor,
            quality=quality,
            words=quality_words(quality)
            or "no label was reviewed yet: `evenhand enrich --review 50` draws some",
            labelled=(sum(counts[:3]) / n, counts[3] / n, sum(counts[4:]) / n),
            corrected=corrected_shares(reviews, counts, seed=self._parts.settings.enrich.seed),
        )


def marked(item: ReviewItem, marks: tuple[str, str] = MARKS) -> list[str]:
    """Return the passages of a label with its words marked."""
    return [_marked(passage.text, passage.spans, marks) for passage in item.passages]


def _marked(text: str, spans: Sequence[tuple[int, int]], marks: tuple[str, str]) -> str:
    pieces, at = [], 0
    for start, end in spans:
        # Places that overlap are marked as one.
        if end > at:
            pieces += [text[at : max(start, at)], marks[0], text[max(start, at) : end], marks[1]]
            at = end
    return "".join([*pieces, text[at:]])


def file_rows(items: Sequence[ReviewItem]) -> list[tuple[Any, ...]]:
    """Return the rows of a review file, verdicts empty; the predicted label is not in it."""
    return [(i.document_id, i.entity_key, i.document, i.entity, " | ".join(marked(i)), "") for i in items]


def read_file(path: Path) -> list[Filled]:
    """Read a review file (CSV or JSONL) that a person filled in; lines without a verdict are left out.

    Raises
    ------
    UsageError
        The file cannot be read, or a line is wrong; nothing of it counts then.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path} ({getattr(error, 'strerror', None) or 'not UTF-8'})") from None
    rows = _jsonl(text) if path.suffix.lower() in (".jsonl", ".ndjson") else _csv(text)
    filled = []
    for number, row in rows:
        written = row.get("verdict")
        cell = " ".join(str("" if written is None else written).casefold().split())
        if cell in OPEN:
            continue
        verdict = VERDICTS.get(cell)
        if verdict is None:
            raise UsageError(
                f"line {number} of the review file: unknown verdict {cell!r}",
                "write p, n, 0 or x, or leave it empty",
            )
        document, key = str(row.get("document_id") or ""), row.get("entity_key")
        if (
            not (document.isascii() and document.isdigit() and len(document) < 19)
            or not isinstance(key, str)
            or not key
        ):
            raise UsageError(f"line {number} of the review file has no `document_id` or no `entity_key`")
        filled.append(Filled(int(document), key, verdict))
    return filled


def _csv(text: str) -> Iterable[tuple[int, dict[str, Any]]]:
    head = text.split("\n", 1)[0]
    # A spreadsheet may write semicolons where commas were.
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    if not {"document_id", "entity_key", "verdict"} <= set(reader.fieldnames or ()):
        raise UsageError(
            "the review file lacks `document_id`, `entity_key` or `verdict` in its first line",
            "write one with `evenhand enrich --review 50 --review-file FILE`",
        )
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise UsageError(f"line {reader.line_num} of the review file: {error}") from None


def _jsonl(text: str) -> Iterable[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise UsageError(f"line {number} of the review file is no JSON object")
        yield number, row


__all__ = [
    "COLUMNS",
    "MARKS",
    "OPEN",
    "VERDICTS",
    "Assessed",
    "Filled",
    "ReviewDesk",
    "file_rows",
    "marked",
    "read_file",
]
