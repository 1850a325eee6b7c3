"""Guesses the mapping from the columns' names and a sample of their values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from store.errors import UsageError
from store.ingest.bands import Bands, bands_for
from store.ingest.columns import FIELDS, Mapping
from store.ingest.dates import DateOrder, guess_order, parse_date
from store.ingest.names import (
    ATTRIBUTES,
    KIND_OR_PERSON,
    KNOWN,
    OF_PLACE,
    OWN_IDS,
    PERSON,
    attribute_name,
    normalised,
    said_of_person,
)
from store.ingest.overrides import Overrides, resolve, resolve_texts
from store.ingest.ratings import guess_scale

#: An attribute with more values than this, and more than a third as many as rows, names single people: no groups.
_MANY_VALUES: Final = 50
#: A column named like a person holds kinds of people where it has at most this many values among many rows.
_FEW_KINDS: Final = 8
#: A column that only its person's name makes an attribute has at most this many values, of this many letters.
_MOST_KINDS, _LONGEST_KIND = 25, 40
#: Columns whose values are longer than this on average are not kept unless asked for.
_LONG: Final = 300


def guess(
    header: Sequence[str], sample: Sequence[dict[str, str]], overrides: Overrides | None = None
) -> Mapping:
    """Return the mapping that names and values suggest, with the user's part taken as given.

    Parameters
    ----------
    header
        Column names in order.
    sample
        The source's first rows.
    overrides
        What the user said (``parse_overrides``).

    Raises
    ------
    UsageError
        The user named a column that does not exist, or no column can be the text.
    """
    return _Guess(header, sample, overrides or Overrides()).mapping()


class _Guess:
    """One guess: columns are taken one field after another, the surest first."""

    def __init__(self, header: Sequence[str], sample: Sequence[dict[str, str]], overrides: Overrides) -> None:
        self.header = list(header)
        self.sample = sample
        self.given = overrides
        self.notes: list[str] = []
        self.names = {column: normalised(column) for column in header}
        self.values = {c: [v for row in sample if (v := row.get(c, "").strip())] for c in header}
        self.free = list(header)
        self.chosen: dict[str, str] = {}

    def mapping(self) -> Mapping:
        """Choose every field's column."""
        for name, column in self.given.fields.items():
            if name != "text" and column:
                found = resolve(column, self.header, f"--map {name}={column}")
                self._check_given(name, found)
                self._take(name, found)
        asked = {
            name: resolve(column, self.header, f"--attribute {name}={column}") if column else ""
            for name, column in self.given.attributes.items()
        }
        for column in asked.values():
            if column in self.free:
                self.free.remove(column)
        texts = self._texts()
        self._find("rating", lambda c: guess_scale(self.values[c]) is not None)
        self._find("date", self._is_date)
        self._other_date()
        self._find("author", lambda c: not self._holds_kinds(c))
        self._find("url", lambda c: True)
        self._find("id", self._is_unique)
        self._find("id", self._nearly_unique)
        self._find("title", lambda c: True)
        self._find("subject", self._repeats)
        self._other_ids()
        self._unfit()
        attributes = self._attributes(asked)
        extra = self._extra()
        rating = self.chosen.get("rating", "")
        date = self.chosen.get("date", "")
        return Mapping(
            text=texts,
            **{name: self.chosen.get(name, "") for name in FIELDS[1:]},
            rating_scale=(self.given.rating_scale or self._scale(rating)) if rating else None,
            date_order=self._order(date),
            attributes=attributes,
            bands=self._bands(attributes),
            extra=extra,
            notes=tuple(self.notes),
        )

    def _take(self, field: str, column: str) -> None:
        self.chosen[field] = column
        if column in self.free:
            self.free.remove(column)

    def _find(self, field: str, fits: Callable[[str], bool]) -> None:
        """Take the free column whose name is surest for a field and whose values fit it."""
        if field in self.chosen or self.given.fields.get(field) == "":
            return
        for known in KNOWN[field]:
            for column in self.free:
                if self.names[column] == known and self.values[column] and fits(column):
                    self._take(field, column)
                    return

    def _texts(self) -> tuple[str, ...]:
        if self.given.fields.get("text"):
            columns = resolve_texts(self.given.fields["text"], self.header)
            for column in columns:
                if column in self.free:
                    self.free.remove(column)
            return columns
        known = [c for c in self.free if self.names[c] in KNOWN["text"] and self.values[c]]
        if not known:
            known = [c for c in self.free if self._mean_words(c) >= 3 and not self._is_date(c)]
            if known:
                best = max(known, key=self._mean_length)
                self.notes.append(f"no column is named like a text: {best!r} has the longest ones")
        if not known:
            raise UsageError(
                "no column can be the text of a document",
                f"name one with --map text=COLUMN; columns are {', '.join(self.header[:20])}",
            )
        best = max(known, key=self._mean_length)
        self.free.remove(best)
        return (best,)

    def _unfit(self) -> None:
        """Say which columns are named like ratings or dates but hold none."""
        for name, kind in (("rating", "numbers"), ("date", "dates")):
            if name in self.chosen or self.given.fields.get(name) == "":
                continue
            for column in self.free:
                if self.names[column] in KNOWN[name] and self.values[column]:
                    self.notes.append(
                        f"{column!r} is named like a {name} but holds no {kind} "
                        f"(for example {self.values[column][0][:40]!r}): kept as it is"
                    )

    def _other_date(self) -> None:
        """Let the only column of dates be the date, whatever its name, and say so; several are left to the user."""
        if "date" in self.chosen or self.given.fields.get("date") == "":
            return
        held = [column for column in self.free if self._is_date(column) and not self._is_number(column)]
        if len(held) == 1:
            self._take("date", held[0])
            self.notes.append(f"{held[0]!r} holds dates and is taken as the date; --map date= for none")
        elif held:
            self.notes.append(
                f"no date is taken: {', '.join(map(repr, held[:5]))} hold dates; name one with --map date="
            )

    def _other_ids(self) -> None:
        """Let other columns that end in ``id`` stand for the row (unique values) or its subject (repeated)."""
        for column in list(self.free):
            words = self.names[column].split()
            if not words or words[-1] not in ("id", "c id") or words[0] in PERSON or not self.values[column]:
                continue
            if "id" not in self.chosen and self.given.fields.get("id") != "" and self._is_unique(column):
                self._take("id", column)
            elif (
                "subject" not in self.chosen
                and self.given.fields.get("subject") != ""
                and self._repeats(column)
            ):
                self._take("subject", column)

    def _attributes(self, asked: dict[str, str]) -> dict[str, str]:
        found = {name: column for name, column in asked.items() if column}
        candidates = [(c, *self._attribute(c)) for c in self.free]
        personal = any(person and name for _, name, person in candidates)
        for column, name, person in candidates:
            if not name or name in asked or name in found or not self.values[column]:
                continue
            if not person and name in OF_PLACE and (personal or self._of_subject(column)):
                continue
            distinct = len(set(self.values[column]))
            numeric = bands_for(name, self.values[column]) is not None
            if not numeric and distinct > _MANY_VALUES and distinct > len(self.values[column]) / 3:
                self.notes.append(f"{column!r} has too many values to compare groups: kept, no attribute")
                continue
            found[name] = column
        for column in found.values():
            if column in self.free:
                self.free.remove(column)
        order = {name: position for position, name in enumerate(ATTRIBUTES)}
        return dict(sorted(found.items(), key=lambda item: order.get(item[0].replace("_", " "), -1)))

    def _attribute(self, column: str) -> tuple[str, bool]:
        """Return the attribute that a column stands for, and whether it is surely the author's."""
        name, person = attribute_name(column)
        if name:
            return name, person
        if self._holds_kinds(column):
            return self.names[column].replace(" ", "_"), True
        said = said_of_person(column)
        values = set(self.values[column])
        kinds = 1 < len(values) <= _MOST_KINDS and max(map(len, values)) <= _LONGEST_KIND
        numbers = sum(value.replace(".", "", 1).isdigit() for value in values) > len(values) / 2
        return (said, True) if said and kinds and not numbers else ("", person)

    def _holds_kinds(self, column: str) -> bool:
        """Whether a column named like a person ("customer") holds kinds of people ("new", "returning")."""
        values = self.values[column]
        few = 1 < len(set(values)) <= _FEW_KINDS and len(values) >= 5 * len(set(values))
        return self.names[column] in KIND_OR_PERSON and few

    def _check_given(self, field: str, column: str) -> None:
        """Refuse a column that cannot be what the user says it is, rather than find no text or no ratings later."""
        option, values = f"--map {field}={column}", self.values[column]
        fits = {"rating": lambda c: guess_scale(self.values[c]) is not None, "date": self._is_date}
        if field not in fits or not values or fits[field](column):
            return
        kind = "numbers" if field == "rating" else "dates"
        usable = [name for name in self.header if self.values[name] and fits[field](name)]
        raise UsageError(
            f"{option}: {column!r} holds no {kind} (for example {values[0][:40]!r})",
            f"columns with {kind}: {', '.join(usable[:10])}"
            if usable
            else f"no column holds {kind}: leave it out",
        )

    def _of_subject(self, column: str) -> bool:
        """Tell whether a column never differs among the rows of one subject: then it describes the subject."""
        subject = self.chosen.get("subject", "")
        if not subject:
            return False
        seen: dict[str, set[str]] = defaultdict(set)
        rows: dict[str, int] = defaultdict(int)
        for row in self.sample:
            if value := row.get(column, ""):
                seen[row.get(subject, "")].add(value)
                rows[row.get(subject, "")] += 1
        repeated = [name for name, count in rows.items() if count > 1]
        return bool(repeated) and all(len(seen[name]) == 1 for name in repeated)

    def _bands(self, attributes: dict[str, str]) -> dict[str, Bands]:
        found: dict[str, Bands] = {}
        for name, column in attributes.items():
            if name in self.given.bands:
                found[name] = Bands(self.given.bands[name])
            elif (bands := bands_for(name, self.values[column])) is not None:
                found[name] = bands
        return found

    def _extra(self) -> tuple[str, ...]:
        if self.given.extra is not None:
            return tuple(resolve(c, self.header, f"--map extra={c}") for c in self.given.extra)
        return tuple(c for c in self.free if self.values[c] and self._mean_length(c) <= _LONG)

    def _scale(self, column: str) -> tuple[float, float] | None:
        scale = guess_scale(self.values[column])
        if scale is None:
            self.notes.append(f"{column!r} holds no numbers: no ratings are stored")
        return scale

    def _order(self, column: str) -> DateOrder:
        if self.given.date_order == "dmy":
            return "dmy"
        if self.given.date_order == "mdy" or not column:
            return "mdy"
        order, sure = guess_order(self.values[column])
        if not sure:
            self.notes.append(
                f"dates in {column!r} may be day/month or month/day: read as month/day; "
                "--map date_order=dmy for the other"
            )
        return order

    def _is_date(self, column: str) -> bool:
        values = self.values[column][:100]
        return bool(values) and sum(bool(parse_date(value)) for value in values) >= 0.7 * len(values)

    def _is_number(self, column: str) -> bool:
        return all(value.replace(".", "", 1).lstrip("-").isdigit() for value in self.values[column][:100])

    def _is_unique(self, column: str) -> bool:
        values = self.values[column]
        return len(values) == len(self.sample) and len(set(values)) == len(values)

    def _nearly_unique(self, column: str) -> bool:
        """Tell whether a column that is named like an id is one with a few mistakes."""
        values = self.values[column]
        if self.names[column] not in OWN_IDS or len(set(values)) < 0.95 * len(self.sample):
            return False
        self.notes.append(
            f"{column!r} is the id, though {len(self.sample) - len(set(values))} rows repeat or lack it"
        )
        return True

    def _repeats(self, column: str) -> bool:
        values = self.values[column]
        few = len(values) < 20
        return few or len(set(values)) <= 0.9 * len(values)

    def _mean_length(self, column: str) -> float:
        values = self.values[column]
        return sum(map(len, values)) / len(values) if values else 0.0

    def _mean_words(self, column: str) -> float:
        values = self.values[column][:200]
        return sum(len(value.split()) for value in values) / len(values) if values else 0.0


__all__ = ["guess"]
