"""The only SQL of ingest: batches of rows become documents, and every row is accounted for in the same transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import and_, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session

from store.hashing import fields_hash
from store.ingest.chunking import Chunker
from store.ingest.derived import add_units, bump, withdraw
from store.ingest.prepare import Prepared, document_values
from store.tables import (
    Author,
    AuthorAttribute,
    Document,
    QuarantinedRow,
    Source,
    now,
)

#: An author's key and attributes.
Profile = tuple[str, tuple[tuple[str, str], ...]]
#: Author profiles remembered in a run.
_REMEMBERED: Final = 50_000
NOBODY: Final[Profile] = ("", ())


@dataclass(slots=True)
class Counts:
    """What became of rows. ``duplicates`` are among the unchanged: rows equal to one read before in this run."""

    read: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    quarantined: int = 0
    removed: int = 0
    duplicates: int = 0
    units: int = 0

    def add(self, other: Counts) -> None:
        """Add another batch's counts."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def balanced(self) -> bool:
        """Tell whether rows read = new + updated + unchanged + quarantined."""
        return self.read == self.new + self.updated + self.unchanged + self.quarantined


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row for the quarantine."""

    number: int
    reason: str
    raw: str


@dataclass(slots=True)
class Ledger:
    """Writes the rows of one run of one source.

    Attributes
    ----------
    corpus_id, source_id, generation
        Where the rows belong, and the number of the run.
    chunker
        Text to character offsets of its chunks; None to leave chunking to ``chunk_pending``.
    again
        The rows come from the quarantine: they were read, and booked as quarantined, before.
    """

    corpus_id: int
    source_id: int
    generation: int
    chunker: Chunker | None
    again: bool = False
    _authors: dict[Profile, int] = field(default_factory=dict)

    def write(
        self, session: Session, rows: Sequence[Prepared], rejected: Iterable[Rejected]
    ) -> tuple[Counts, list[Rejected]]:
        """Store one batch and add its counts to the source's books; the caller commits both or neither.

        Returns
        -------
        counts, refused
            What became of the rows, and all that went to quarantine (ids used twice among them).
        """
        counts = Counts(read=len(rows))
        refused = list(rejected)
        counts.read += len(refused)
        stored = self._stored(session, [row.external_id for row in rows])
        fresh: dict[str, Prepared] = {}
        changed: dict[int, Prepared] = {}
        touched: list[int] = []
        seen: dict[str, tuple[str, int]] = {}
        for row in rows:
            first = seen.get(row.external_id)
            known = stored.get(row.external_id)
            if first is None and known is not None and known.generation == self.generation:
                first = (known.content_hash, known.row_number)
            if first is not None:
                if first[0] == row.content_hash:
                    counts.unchanged += 1
                    counts.duplicates += 1
                else:
                    refused.append(Rejected(row.number, _taken(row.external_id, first[1]), raw_of(row)))
                continue
            seen[row.external_id] = (row.content_hash, row.number)
            if known is None:
                fresh[row.external_id] = row
            elif known.content_hash == row.content_hash:
                touched.append(known.id)
                counts.unchanged += 1
            else:
                changed[known.id] = row
        authors = self._author_ids(session, [*fresh.values(), *changed.values()])
        counts.new = len(fresh)
        counts.updated = len(changed)
        counts.units = self._insert(session, list(fresh.values()), authors)
        counts.units += self._update(session, changed, authors)
        if touched:
            session.execute(
                update(Document).where(Document.id.in_(touched)).values(generation=self.generation),
                execution_options={"synchronize_session": False},
            )
        counts.quarantined = len(refused)
        self._quarantine(session, [row.number for row in rows], refused)
        self._book(session, counts, bool(fresh or changed))
        return counts, refused

    def _stored(self, session: Session, ids: list[str]) -> dict[str, Any]:
        if not ids:
            return {}
        found = session.execute(
            select(
                Document.id,
                Document.external_id,
                Document.content_hash,
                Document.generation,
                Document.row_number,
            ).where(Document.source_id == self.source_id, Document.external_id.in_(ids))
        )
        return {row.external_id: row for row in found}

    def _author_ids(self, session: Session, rows: Iterable[Prepared]) -> dict[Profile, int]:
        """Return author ids by profile, making the profiles that are missing."""
        wanted = {profile(row) for row in rows} - {NOBODY}
        if len(self._authors) > _REMEMBERED:
            self._authors.clear()
        missing = {profile_hash(person): person for person in wanted if person not in self._authors}
        if not missing:
            return self._authors
        query = select(Author.profile_hash, Author.id).where(
            Author.corpus_id == self.corpus_id, Author.profile_hash.in_(list(missing))
        )
        found = {row.profile_hash: row.id for row in session.execute(query)}
        absent = [key for key in missing if key not in found]
        if absent:
            session.execute(
                insert(Author),
                [
                    {"corpus_id": self.corpus_id, "key": missing[key][0], "profile_hash": key}
                    for key in absent
                ],
            )
            found = {row.profile_hash: row.id for row in session.execute(query)}
            values = [
                {"author_id": found[key], "name": name, "value": value, "origin": "column"}
                for key in absent
                for name, value in missing[key][1]
            ]
            if values:
                session.execute(insert(AuthorAttribute), values)
        self._authors.update((missing[key], identifier) for key, identifier in found.items())
        return self._authors

    def _insert(self, session: Session, rows: list[Prepared], authors: dict[Profile, int]) -> int:
        if not rows:
            return 0
        moment = now()
        session.connection().execute(
            insert(Document.__table__),  # type: ignore[arg-type]
            [
                {
                    **document_values(row),
                    "corpus_id": self.corpus_id,
                    "source_id": self.source_id,
                    "external_id": row.external_id,
                    "author_id": authors.get(profile(row)),
                    "generation": self.generation,
                    "created_at": moment,
                    "updated_at": moment,
                }
                for row in rows
            ],
        )
        if self.chunker is None:
            return 0
        found = session.execute(
            select(Document.external_id, Document.id).where(
                Document.source_id == self.source_id,
                Document.external_id.in_([row.external_id for row in rows]),
            )
        )
        ids = {row.external_id: row.id for row in found}
        return add_units(
            session, self.corpus_id, [(ids[row.external_id], row.text) for row in rows], self.chunker
        )

    def _update(self, session: Session, rows: dict[int, Prepared], authors: dict[Profile, int]) -> int:
        """Replace changed documents; what was derived from a text goes with the text."""
        if not rows:
            return 0
        texts = session.execute(select(Document.id, Document.text).where(Document.id.in_(list(rows))))
        retold = [row.id for row in texts if row.text != rows[row.id].text]
        moment = now()
        values = [
            {
                **document_values(row),
                "b_id": identifier,
                "author_id": authors.get(profile(row)),
                "generation": self.generation,
                "updated_at": moment,
            }
            for identifier, row in rows.items()
        ]
        table = Document.__table__
        columns: dict[str, Any] = {name: bindparam(name) for name in values[0] if name != "b_id"}
        session.connection().execute(
            update(table).where(table.c.id == bindparam("b_id")).values(columns),  # type: ignore[arg-type]
            values,
        )
        withdraw(session, retold)
        if self.chunker is None or not retold:
            return 0
        return add_units(session, self.corpus_id, [(i, rows[i].text) for i in retold], self.chunker)

    def _quarantine(self, session: Session, accepted: list[int], refused: list[Rejected]) -> None:
        """Set rows aside, with how often they were tried; a row that is now right leaves the quarantine."""
        numbers = [*accepted, *(row.number for row in refused)]
        if not numbers:
            return
        inside = and_(
            QuarantinedRow.source_id == self.source_id,
            QuarantinedRow.row_number.between(min(numbers), max(numbers)),
        )
        found = session.execute(select(QuarantinedRow.row_number, QuarantinedRow.attempts).where(inside))
        tried = {row.row_number: row.attempts for row in found}
        if tried:
            session.execute(delete(QuarantinedRow).where(inside, QuarantinedRow.row_number.in_(numbers)))
        if refused:
            session.execute(
                insert(QuarantinedRow),
                [
                    {
                        "corpus_id": self.corpus_id,
                        "source_id": self.source_id,
                        "row_number": row.number,
                        "reason": row.reason,
                        "raw": row.raw,
                        "attempts": tried.get(row.number, 0) + 1,
                        "generation": self.generation,
                        "last_tried_at": now(),
                    }
                    for row in refused
                ],
            )

    def _book(self, session: Session, counts: Counts, changed: bool) -> None:
        before = counts.read if self.again else 0
        session.execute(
            update(Source)
            .where(Source.id == self.source_id)
            .values(
                rows_read=Source.rows_read + counts.read - before,
                rows_new=Source.rows_new + counts.new,
                rows_updated=Source.rows_updated + counts.updated,
                rows_unchanged=Source.rows_unchanged + counts.unchanged,
                rows_quarantined=Source.rows_quarantined + counts.quarantined - before,
            ),
            execution_options={"synchronize_session": False},
        )
        if changed:
            bump(session, self.corpus_id)


def audit(session: Session, source_id: int, generation: int) -> tuple[int, int]:
    """Return how many documents and quarantined rows of a source carry a run's number."""
    documents = session.scalar(
        select(func.count())
        .select_from(Document)
        .where(Document.source_id == source_id, Document.generation == generation)
    )
    quarantined = session.scalar(
        select(func.count())
        .select_from(QuarantinedRow)
        .where(QuarantinedRow.source_id == source_id, QuarantinedRow.generation == generation)
    )
    return documents or 0, quarantined or 0


def profile(row: Prepared) -> Profile:
    """Return who wrote a row; ``NOBODY`` when it says nothing about its author."""
    return row.author, row.attributes


def profile_hash(person: Profile) -> str:
    """Return the hash of an author's key and attributes."""
    return fields_hash([person[0], *(part for pair in person[1] for part in pair)])


def raw_of(row: Prepared) -> str:
    """Return a row as the quarantine keeps it."""
    return raw_fields(row.fields)


def raw_fields(fields: dict[str, str]) -> str:
    """Return a row's fields as JSON that any database can hold."""
    import json

    text = json.dumps(fields, ensure_ascii=False)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _taken(external_id: str, number: int) -> str:
    return f"id {external_id!r} is already used by row {number} with other content"


__all__ = [
    "Counts",
    "Ledger",
    "Profile",
    "Rejected",
    "audit",
    "profile",
    "profile_hash",
    "raw_fields",
    "raw_of",
]
