"""Looking around in a corpus: documents under typed filters, one document in full, quarantine, corpora."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from app.bootstrap import Parts
from store.errors import UsageError

if TYPE_CHECKING:
    from store.browse import Browser, CorpusLine, DocumentLine, DocumentOpinion, DocumentQuery
    from store.records import DocumentRecord
    from store.repository import QuarantineRecord, SourceRecord

#: Filters by name, besides the corpus' author attributes.
FILTERS: Final = ("subject", "author", "since", "until", "entity", "side")
SIDES: Final = {"negative": -1, "neutral": 0, "positive": 1}
#: Quarantined rows that are listed at the most.
MOST_QUARANTINED: Final = 1000
_TOKEN: Final = re.compile(r'"([^"]*)"|([^\W\d][\w-]*)[:=](?:"([^"]*)"|(\S+))|(\S+)')
_DATE: Final = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?\Z")


@dataclass(frozen=True)
class DocumentView:
    """One document in full, with its source and the opinions found in it."""

    record: DocumentRecord
    source: str
    opinions: tuple[DocumentOpinion, ...]


class Documents:
    """Reads for looking around in one workspace."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def page(
        self, filters: str = "", corpus: str = "", *, limit: int = 200, offset: int = 0
    ) -> tuple[int, list[DocumentLine]]:
        """Return how many documents match what was typed, and one page of them; see :meth:`query`."""
        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        query = self.query(filters, found.name)
        return self._browser().documents(found.id, query, found.extractor or "lexical", limit, offset)

    def query(self, filters: str, corpus: str = "") -> DocumentQuery:
        """Read filters: words that must occur (``"in quotes"`` as they are), and ``name:value`` or ``name=value``.

        Names are ``subject``, ``author``, ``since`` and ``until`` (a year, month or day), ``entity``, ``side``
        (negative, neutral, positive; of the entity) and the corpus' author attributes.

        Raises
        ------
        UsageError
            An unknown name or value.
        """
        from store.browse import DocumentQuery
        from store.opinions import DocumentFilter

        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        attributes = self._parts.repository.attribute_values(found.id)
        words, given = read_filters(filters, tuple(attributes))
        subjects: tuple[str, ...] = ()
        if "subject" in given:
            subjects = _alike("subject", given.pop("subject"), self._parts.repository.subjects(found.id))
        entity, side = self._entity(given.pop("entity", ""), given.pop("side", ""), found.name)
        since, until = _date(given.pop("since", ""), "01"), _date(given.pop("until", ""), "99")
        author = given.pop("author", "")
        wanted = tuple((name, _alike(name, value, attributes[name])) for name, value in sorted(given.items()))
        return DocumentQuery(words, DocumentFilter(subjects, since, until, wanted), author, entity, side)

    def one(self, document_id: int) -> DocumentView:
        """Return a document in full.

        Raises
        ------
        UsageError
            It is not there (any more).
        """
        browser = self._browser()
        source = browser.source(document_id)
        record = self._parts.repository.documents([document_id])[document_id]
        extractors = {each.id: each.extractor for each in self._parts.repository.corpora()}
        extractor = extractors.get(record.corpus_id) or "lexical"
        return DocumentView(record, source, tuple(browser.opinions(document_id, extractor)))

    def corpora(self) -> list[CorpusLine]:
        """Return every corpus with how far it is."""
        return self._browser().corpora()

    def sources(self, corpus: str = "") -> list[SourceRecord]:
        """Return the sources of a corpus with their books."""
        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        return self._parts.repository.sources(found.id)

    def quarantine(self, corpus: str = "") -> list[QuarantineRecord]:
        """Return the quarantined rows of a corpus, the first ``MOST_QUARANTINED``."""
        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        return self._parts.repository.quarantine(found.id, MOST_QUARANTINED)

    def _browser(self) -> Browser:
        from store.browse import Browser

        return Browser(self._parts.database)

    def _entity(self, name: str, side: str, corpus: str) -> tuple[int | None, int | None]:
        from app.catalog import Catalog

        if side and side not in SIDES:
            raise UsageError(f"there is no side `{side}`", f"use one of {', '.join(SIDES)}")
        if side and not name:
            raise UsageError("`side` needs an entity", "as in: entity:staff side:negative")
        if not name:
            return None, None
        return Catalog(self._parts).entity(name, corpus, 0)[0].id, SIDES.get(side)


def read_filters(text: str, attributes: Sequence[str] = ()) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the words and the named filters of what was typed.

    Raises
    ------
    UsageError
        A name that is neither a filter nor an author attribute.
    """
    words: list[str] = []
    named: dict[str, str] = {}
    for quoted, name, inner, value, word in _TOKEN.findall(text):
        if not name:
            words.append(quoted or word)
            continue
        known = {each.casefold(): each for each in (*FILTERS, *attributes)}
        key = known.get(name.casefold())
        if key is None:
            near = get_close_matches(name.casefold(), known, 1, 0.5)
            hint = f"did you mean `{known[near[0]]}`?" if near else f"filters are {', '.join(known.values())}"
            raise UsageError(f"there is no filter `{name}`", f"{hint}; words with `:` go in quotes")
        named[key] = inner or value
    return tuple(word for word in words if word), named


def _alike(name: str, value: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return the known values that equal what was typed, else those that hold it, whatever the case."""
    wanted = value.casefold()
    found = tuple(each for each in values if each.casefold() == wanted)
    found = found or tuple(each for each in values if wanted in each.casefold())
    if not found:
        near = get_close_matches(value, values, 1)
        hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(values[:5]) or 'none'}"
        raise UsageError(f"no document has the {name} `{value}`", hint)
    return found


def _date(value: str, day: str) -> str:
    """Return a date with what is left out filled in; days and months sort as text."""
    if not value:
        return ""
    if not _DATE.match(value):
        raise UsageError(f"`{value}` is no date", "write 2014, 2014-03 or 2014-03-09")
    return "-".join([*value.split("-"), day, day][:3])


__all__ = ["FILTERS", "MOST_QUARANTINED", "SIDES", "DocumentView", "Documents", "read_filters"]
