"""A table of bad files: what is said, what exit code it has, and what the books say about the rows."""

from __future__ import annotations

import gzip
import json
import os
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from store.database import Database
from store.errors import ApplicationError, IngestError, UsageError
from store.ingest.mapping import parse_overrides
from store.tables import Document, Source
from tests.conftest import new_corpus
from tests.store.ingest.helpers import books, count, quarantine, run, texts

Make = Callable[[Path], Path]


def file(name: str, data: bytes | str) -> Make:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return make


def folder(**files: str) -> Make:
    def make(root: Path) -> Path:
        path = root / "folder"
        path.mkdir()
        for name, content in files.items():
            (path / name.replace("__", ".")).write_text(content)
        return path

    return make


def workbook(rows: list[list[Any]]) -> Make:
    def make(root: Path) -> Path:
        import openpyxl

        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(root / "r.xlsx")
        return root / "r.xlsx"

    return make


def parquet(columns: dict[str, list[Any]]) -> Make:
    def make(root: Path) -> Path:
        import pyarrow
        from pyarrow import parquet as pq

        pq.write_table(pyarrow.table(columns), root / "r.parquet")
        return root / "r.parquet"

    return make


@dataclass(frozen=True)
class Refused:
    """A source that is not taken at all."""

    name: str
    make: Make
    error: type[ApplicationError]
    message: str
    options: dict[str, Any] = field(default_factory=dict)


REFUSED = [
    Refused("missing", lambda root: root / "none.csv", UsageError, "no such file: {path}; check the path"),
    Refused(
        "misspelt",
        lambda root: file("reviews.csv", "text\na b c\n")(root).with_name("review.csv"),
        UsageError,
        "no such file: {path}; did you mean {folder}/reviews.csv?",
    ),
    Refused("empty", file("r.csv", ""), IngestError, "{path} is empty; nothing was stored"),
    Refused("header only", file("r.csv", "id,text\n"), IngestError, "{path} has no rows; nothing was stored"),
    Refused("blank lines", file("r.csv", "\n\n \n"), IngestError, "{path} has no rows; nothing was stored"),
    Refused("empty JSON array", file("r.json", "[]"), IngestError, "{path} has no rows; nothing was stored"),
    Refused("blank JSONL", file("r.jsonl", "\n\n"), IngestError, "{path} has no rows; nothing was stored"),
    Refused(
        "not JSON",
        file("r.json", "hello"),
        IngestError,
        "no row of {path} can be read (not JSON: neither an array nor an object); check its --format and --encoding",
    ),
    Refused(
        "no ending",
        file("reviews", "text\nfine\n"),
        UsageError,
        "reviews: the ending tells no format; "
        "give one with --format: csv, tsv, json, jsonl, xlsx, parquet, text, markdown",
    ),
    Refused(
        "unknown format",
        file("r.csv", "text\nfine\n"),
        UsageError,
        "unknown format 'cvs'; one of csv, tsv, json, jsonl, xlsx, parquet, text, markdown",
        {"format": "cvs"},
    ),
    Refused(
        "unknown encoding",
        file("r.csv", "text\nfine\n"),
        UsageError,
        "unknown encoding 'utf-9'; for example utf-8, utf-16, cp1252, latin-1",
        {"encoding": "utf-9"},
    ),
    Refused(
        "an encoding of bytes",
        file("r.csv", "text\nfine\n"),
        UsageError,
        "unknown encoding 'hex'; for example utf-8, utf-16, cp1252, latin-1",
        {"encoding": "hex"},
    ),
    Refused(
        "a name that is too long",
        file("r.csv", "text\nfine\n"),
        UsageError,
        "a source's name has at most 500 characters; give a shorter one with --source",
        {"source_name": "x" * 501},
    ),
    Refused(
        "unknown split",
        file("r.txt", "fine"),
        UsageError,
        "unknown way to split 'words'; one of file, blank-lines, lines",
        {"split": "words"},
    ),
    Refused(
        "two-character delimiter",
        file("r.csv", "id,text\n1,fine\n"),
        UsageError,
        "a delimiter is one character, not '::'; for example --delimiter ';'",
        {"delimiter": "::"},
    ),
    Refused(
        "random bytes named CSV",
        file("r.csv", bytes(random.Random(3).randbytes(20_000))),
        IngestError,
        "r.csv holds no text (11 % of its bytes are control characters); "
        "check the file; for text in a rare encoding give --encoding",
    ),
    Refused(
        "PDF named CSV",
        file("r.csv", b"%PDF-1.7\n..."),
        IngestError,
        "r.csv is a PDF, not csv; give its --format, or unpack or convert it first",
    ),
    Refused(
        "workbook named CSV",
        file("r.csv", b"PK\x03\x04...."),
        IngestError,
        "r.csv is a ZIP archive or an Excel workbook, not csv; "
        "give its --format, or unpack or convert it first",
    ),
    Refused(
        "old Excel",
        file("r.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        IngestError,
        "r.xlsx is an old Excel or a password-protected workbook; save it as plain .xlsx",
    ),
    Refused(
        "text named workbook",
        file("r.xlsx", "id,text\n"),
        IngestError,
        "r.xlsx is no xlsx file; check the file, or give its --format",
    ),
    Refused(
        "text named Parquet",
        file("r.parquet", "id,text\n"),
        IngestError,
        "r.parquet is no parquet file; check the file, or give its --format",
    ),
    Refused("folder without files", folder(), IngestError, "no readable files in {path}; readable are"),
    Refused(
        "folder of pictures", folder(a__png="x"), IngestError, "no readable files in {path}; readable are"
    ),
    Refused(
        "workbook without rows", workbook([[None]]), IngestError, "{path} has no rows; nothing was stored"
    ),
    Refused(
        "unknown sheet",
        workbook([["text"], ["a fine room"]]),
        UsageError,
        "r.xlsx has no sheet 'Sheat'; did you mean 'Sheet'?",
        {"sheet": "Sheat"},
    ),
    Refused(
        "Parquet without rows",
        parquet({"text": []}),
        IngestError,
        "{path} has no rows; nothing was stored",
    ),
    Refused(
        "wrong column",
        file("r.csv", "id,Review Text\n1,fine room here\n"),
        UsageError,
        "--map text=Reviw: there is no column 'Reviw'; did you mean 'Review Text'?",
        {"overrides": parse_overrides(["text=Reviw"])},
    ),
    Refused(
        "wrong attribute column",
        file("r.csv", "id,text,author_country\n1,fine room here,US\n"),
        UsageError,
        "--attribute country=athor_country: there is no column 'athor_country'; did you mean 'author_country'?",
        {"overrides": parse_overrides([], ["country=athor_country"])},
    ),
    Refused(
        "no text column",
        file("r.csv", "id,score\n1,2\n2,3\n"),
        UsageError,
        "no column can be the text of a document; name one with --map text=COLUMN; columns are id, score",
    ),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refused_sources(case: Refused, sqlite_database: Database, tmp_path: Path) -> None:
    corpus = new_corpus(sqlite_database)
    path = case.make(tmp_path)
    with pytest.raises(case.error) as raised:
        run(sqlite_database, corpus, path, **case.options)
    expected = case.message.format(path=path, folder=tmp_path)
    assert (
        str(raised.value).startswith(expected) if expected.endswith("are") else str(raised.value) == expected
    )
    assert raised.value.exit_code == (2 if case.error is UsageError else 1)
    assert "\n" not in str(raised.value)
    assert texts(sqlite_database) == []


@dataclass(frozen=True)
class Read:
    """A source that is read: its documents' texts, its quarantine as (row, reason, raw), what was noted."""

    name: str
    make: Make
    texts: list[str]
    quarantine: list[tuple[int, str, str]] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    complete: bool = True


UNCLOSED = "a quote is opened and never closed"
STRAY = "a quote inside a quoted field is not doubled"

READ = [
    Read("UTF-8", file("r.csv", "id,text\n1,Schön\n"), ["Schön"]),
    Read("UTF-8 with mark", file("r.csv", b"\xef\xbb\xbfid,text\n1,Sch\xc3\xb6n\n"), ["Schön"]),
    Read("UTF-16 with mark", file("r.csv", "id,text\n1,Schön 好\n".encode("utf-16")), ["Schön 好"]),
    Read("UTF-16 without mark", file("r.csv", "id,text\n1,Schön\n".encode("utf-16-le")), ["Schön"]),
    Read("UTF-16 big-endian", file("r.csv", "id,text\n1,Schön\n".encode("utf-16-be")), ["Schön"]),
    Read("cp1252", file("r.csv", "id,text\n1,“Schön” – 5 €\n".encode("cp1252")), ["“Schön” – 5 €"]),
    Read("Latin-1", file("r.csv", "id,text\n1,Schön \x81\n".encode("latin-1")), ["Schön \x81"]),
    Read(
        "Cyrillic",
        file("r.csv", ("text\n" + "Отличный отель, рекомендую всем\n" * 5).encode("cp1251")),
        ["Отличный отель, рекомендую всем"],
    ),
    Read(
        "mostly UTF-8",
        file("r.csv", "id,text\n1,ööööööööööööööö\n".encode() + b"2,Sch\xf6n\n3,Fein\n"),
        ["ööööööööööööööö", "Fein"],
        [(2, "not valid utf-8: byte 0xf6", "2,Sch\\udcf6n")],
    ),
    Read(
        "wrong encoding given",
        file("r.csv", b"id,text\n1,Sch\xf6n\n2,Fein\n"),
        ["Fein"],
        [(1, "not valid utf-8: byte 0xf6", "1,Sch\\udcf6n")],
        options={"encoding": "utf-8"},
    ),
    Read(
        "NUL bytes",
        file("r.csv", b"id,text\n1,Go\x00od\n2,Bad\n"),
        ["Good", "Bad"],
        notes=("rows with NUL bytes, taken out",),
    ),
    Read(
        "semicolons", file("r.csv", "id;text\n1;Good, clean\n2;Bad, dirty\n"), ["Good, clean", "Bad, dirty"]
    ),
    Read("pipes", file("r.csv", "id|text\n1|Good, clean\n"), ["Good, clean"]),
    Read("tabs in .csv", file("r.csv", "id\ttext\n1\tGood, clean\n"), ["Good, clean"]),
    Read("sep= line", file("r.csv", "sep=;\nid;text\n1;Good\n"), ["Good"]),
    Read("TSV", file("r.tsv", "id\ttext\n1\tGood, clean\n"), ["Good, clean"]),
    Read(
        "TSV that does not quote",
        file("r.tsv", 'id\ttext\tstars\n1\t"Good, he said\t5\n2\tA "nice" bed\t4\n3\t"So" so\t3\n'),
        ['"Good, he said', 'A "nice" bed', '"So" so'],
    ),
    Read(
        "row names without a name in the header",
        file("r.csv", '"text","stars"\n"1","Good",5\n"2","Bad",1\n'),
        ["Good", "Bad"],
        notes=("the first column has no name in the header: it is named column 1",),
    ),
    Read(
        "a header that the encoding cannot read",
        file("r.csv", b"id,text,gr\xf6\xdfe\n1,Good,5\n"),
        ["Good"],
        options={"encoding": "utf-8"},
    ),
    Read(
        "one column of prose",
        file("r.csv", "review\nGood, clean\nBad\nFar, too, loud\n"),
        ["Good, clean", "Bad", "Far, too, loud"],
    ),
    Read("quoted line break", file("r.csv", 'id,text\n1,"Good\nclean"\n2,Bad\n'), ["Good\nclean", "Bad"]),
    Read(
        "Windows line ends",
        file("r.csv", 'id,text\r\n1,"Good\r\nclean"\r\n2,Bad\r\n'),
        ["Good\nclean", "Bad"],
    ),
    Read("mixed line ends", file("r.csv", "id,text\n1,Good\r\n2,Bad\r3,Fair\n"), ["Good", "Bad", "Fair"]),
    Read("no last line end", file("r.csv", "id,text\n1,Good"), ["Good"]),
    Read("blank lines between", file("r.csv", "id,text\n\n1,Good\n\n\n2,Bad\n"), ["Good", "Bad"]),
    Read("doubled quotes", file("r.csv", 'id,text\n1,"A ""nice"" room"\n'), ['A "nice" room']),
    Read("quote in a bare field", file("r.csv", 'id,text\n1,A 5" bed\n2,Bad\n'), ['A 5" bed', "Bad"]),
    Read(
        "quotes not doubled",
        file("r.csv", 'id,text,stars\n1,"A "nice" room",5\n2,Bad,1\n'),
        ['A "nice" room', "Bad"],
        notes=("rows with quotes that are not doubled, read as they stand",),
    ),
    Read(
        "backslash quotes",
        file("r.csv", 'id,text,stars\n1,"A \\"nice, big\\" room",5\n2,Bad,1\n'),
        ['A "nice, big" room', "Bad"],
    ),
    Read(
        "space before quote", file("r.csv", 'id, text\n1, "Good, clean"\n2, "Bad"\n'), ["Good, clean", "Bad"]
    ),
    Read(
        "unclosed quote at the end of the file",
        file("r.csv", 'id,text,stars\n1,"Good,5\n2,Bad,1\n3,Fair,3\n'),
        ["Bad", "Fair"],
        [(1, UNCLOSED, '1,"Good,5\n')],
    ),
    Read(
        "unclosed quote before a quoted row",
        file("r.csv", 'id,text,stars\n1,"Good,5\n2,"Bad",1\n3,Fair,3\n'),
        ["Bad", "Fair"],
        [(1, UNCLOSED, '1,"Good,5\n')],
    ),
    Read(
        "unclosed quote that a later inch mark would close",
        file("r.csv", 'id,text,stars\n1,"Good,5\n2,Bad,1\n3,Fair,3\n4,A bed of 5",2\n5,Fine,4\n'),
        ["Bad", "Fair", 'A bed of 5"', "Fine"],
        [(1, UNCLOSED, '1,"Good,5\n')],
    ),
    Read(
        "every row with an unclosed quote",
        file("r.csv", 'id,text,stars\n1,"Good,5\n2,"Bad,1\n3,"Fair,3\n4,Fine,4\n'),
        ["Fine"],
        [(1, UNCLOSED, '1,"Good,5\n'), (2, UNCLOSED, '2,"Bad,1\n'), (3, UNCLOSED, '3,"Fair,3\n')],
    ),
    Read(
        "ragged rows",
        file("r.csv", "id,text,stars\n1,Good\n2,Bad,1,x,y\n3,Fair,3\n4,Fine,4,,\n"),
        ["Fair", "Fine"],
        [
            (1, "2 fields where the header has 3", "1,Good"),
            (2, "5 fields where the header has 3", "2,Bad,1,x,y"),
        ],
    ),
    Read(
        "duplicate header",
        file("r.csv", "id,text,text\n1,Good,ignored\n"),
        ["Good"],
        notes=("duplicate column renamed to 'text (2)'",),
        options={"overrides": parse_overrides(["text=text"])},
    ),
    Read(
        "no header",
        file("r.csv", "1,The room was very clean and quiet,5\n2,The bed was much too hard for us,2\n"),
        ["The room was very clean and quiet", "The bed was much too hard for us"],
        notes=("no header row: columns are named column 1, column 2 ...",),
    ),
    Read(
        "no text",
        file("r.csv", "id,text\n1,Good\n2,\n3,   \n4,\u200b\u00a0\n5,nan\n"),
        ["Good"],
        [
            (2, "no text", '{"id": "2", "text": ""}'),
            (3, "no text", '{"id": "3", "text": "   "}'),
            (4, "no text", '{"id": "4", "text": "\u200b\u00a0"}'),
            (5, "no text", '{"id": "5", "text": "nan"}'),
        ],
    ),
    Read(
        "hostile text is kept as it is",
        file(
            "r.jsonl",
            "\n".join(json.dumps({"text": t}) for t in ("\x1b[31mred", "[/]", "=cmd()", "a\u202eb")),
        ),
        ["\x1b[31mred", "[/]", "=cmd()", "a\u202eb"],
    ),
    Read(
        "half characters",
        file("r.jsonl", '{"text": "Good \\ud83d room"}\n'),
        ["Good \ufffd room"],
        notes=("texts with half characters (lone surrogates), replaced",),
    ),
    Read(
        "five million characters",
        file("r.csv", f'id,text\n1,"{"a long word, " * 400_000}"\n2,Bad\n'),
        ["a l", "Bad"],
        options={"embedder_spans": lambda text: [(n, n + 50) for n in range(0, len(text) - 50, 50)]},
    ),
    Read(
        "broken JSON line",
        file("r.jsonl", '{"text": "Good"}\n{"text": "Bad"\n\n{"text": "Fair"}\n[1]\n5\n'),
        ["Good", "Fair"],
        [
            (2, "not valid JSON at character 16: Expecting ',' delimiter", '{"text": "Bad"\n'),
            (4, "an object with named fields was expected, not a list", "[1]"),
            (5, "an object with named fields was expected, not a number", "5"),
        ],
    ),
    Read(
        "JSON array",
        file("r.json", '[{"text": "Good"}, {"text": "Bad", "a": {"b": [1, 2]}}]'),
        ["Good", "Bad"],
    ),
    Read("JSON with a tab in a text", file("r.jsonl", '{"text": "Good\troom"}\n'), ["Good\troom"]),
    Read(
        "JSON object with one array",
        file("r.json", '{"version": 1, "reviews": [{"text": "Good"}, {"text": "Bad"}], "tags": ["a"]}'),
        ["Good", "Bad"],
        notes=("the array 'tags' was passed over: rows come from 'reviews'",),
    ),
    Read(
        "JSON objects one after another",
        file("r.json", '{\n"text": "Good"\n}\n{\n"text": "Bad"\n}\n'),
        ["Good", "Bad"],
    ),
    Read("JSON Lines named .json", file("r.json", '{"text": "Good"}\n{"text": "Bad"}\n'), ["Good", "Bad"]),
    Read(
        "broken element of a JSON array",
        file("r.json", '[{"text": "Good"}, {"text": "Bad" "x": 1}, {"text": "Fair"}]'),
        ["Good", "Fair"],
        [
            (
                2,
                "not valid JSON at character 35 of the file: Expecting ',' delimiter",
                '{"text": "Bad" "x": 1}',
            )
        ],
    ),
    Read(
        "JSON array cut short",
        file("r.json", '[{"text": "Good"}, {"text": "Ba'),
        ["Good"],
        [
            (
                2,
                "not valid JSON at character 29 of the file: Unterminated string starting at; "
                "nothing after it could be read",
                '{"text": "Ba',
            )
        ],
        complete=False,
    ),
    Read(
        "deeply nested JSON",
        file("r.jsonl", '{"text": "Good"}\n' + "[" * 100_000 + "\n"),
        ["Good"],
        [(2, "not valid JSON: nested too deeply", "[" * 100_000 + "\n")],
    ),
    Read(
        "workbook",
        workbook([["id", "text"], [1, "Good"], [None, None], [2, None], [3, "=1+1"]]),
        ["Good"],
        [(2, "no text", '{"id": "2", "text": ""}'), (3, "no text", '{"id": "3", "text": ""}')],
    ),
    Read(
        "Parquet",
        parquet({"id": [1, 2], "text": ["Good", None]}),
        ["Good"],
        [(2, "no text", '{"id": "2", "text": ""}')],
    ),
    Read("text file", file("r.txt", "Good room.\n\nBad bed.\n"), ["Good room.\n\nBad bed."]),
    Read(
        "text by paragraphs",
        file("r.txt", "Good\nroom.\n\n\nBad bed.\n"),
        ["Good\nroom.", "Bad bed."],
        options={"split": "blank-lines"},
    ),
    Read(
        "text by lines",
        file("r.txt", "Good room.\n\nBad bed.\n"),
        ["Good room.", "Bad bed."],
        options={"split": "lines"},
    ),
    Read("gzip", file("r.csv.gz", gzip.compress(b"id,text\n1,Good\n")), ["Good"]),
    Read("gzip without the ending", file("r.csv", gzip.compress(b"id,text\n1,Good\n")), ["Good"]),
    Read(
        "folder of texts",
        folder(b__txt="Bad bed.", a__md="# Title\nGood room.", c__png="x", d__txt=""),
        ["# Title\nGood room.", "Bad bed."],
        [(3, "d.txt: {folder}/folder/d.txt is empty", "")],
        notes=("files of other formats in the folder, not read",),
    ),
]


@pytest.mark.parametrize("case", READ, ids=lambda case: case.name)
def test_what_is_read(case: Read, sqlite_database: Database, tmp_path: Path) -> None:
    corpus = new_corpus(sqlite_database)
    report = run(sqlite_database, corpus, case.make(tmp_path), **case.options)
    expected = [(n, reason.format(folder=tmp_path), raw) for n, reason, raw in case.quarantine]
    assert [(row.row_number, row.reason, row.raw) for row in quarantine(sqlite_database)] == expected
    found = texts(sqlite_database)
    assert [text[:3] if len(text) > 1000 else text for text in found] == case.texts
    assert set(case.notes) <= set(report.notes)
    assert report.complete is case.complete
    read, new, updated, unchanged, quarantined = books(report)
    assert read == new + updated + unchanged + quarantined
    assert (new, quarantined) == (len(case.texts), len(case.quarantine))
    again = run(sqlite_database, corpus, tmp_path / report.source, **case.options)
    assert books(again) == (read, 0, 0, read - quarantined, quarantined)


def test_gzip_that_is_cut_short_keeps_the_rows_before(sqlite_database: Database, tmp_path: Path) -> None:
    corpus = new_corpus(sqlite_database)
    rows = "".join(f"{n},Room number {n * 7919 % 10007} was fine\n" for n in range(5_000))
    path = tmp_path / "r.csv.gz"
    whole = gzip.compress(("id,text\n" + rows).encode())
    path.write_bytes(whole[: int(len(whole) * 0.9)])
    report = run(sqlite_database, corpus, path, embedder_spans=None)
    kept = count(sqlite_database, Document)
    assert 0 < kept < 5_000
    assert all(text.endswith(" was fine") for text in texts(sqlite_database)), "no row that was cut"
    assert not report.complete
    assert report.fault.endswith(
        f"r.csv.gz is cut short: its gzip data have no end, after row {kept:,}; {kept:,} rows are kept"
    )
    with sqlite_database.session() as session:
        source = session.scalars(select(Source)).one()
    assert (source.state, source.rows_read, source.rows_new) == ("partial", kept, kept)
    path.write_bytes(whole)
    report = run(sqlite_database, corpus, path, embedder_spans=None)
    assert (report.complete, report.fault) == (True, "")
    assert books(report) == (5_000, 5_000 - kept, 0, kept, 0)


def test_a_cut_file_removes_nothing(sqlite_database: Database, tmp_path: Path) -> None:
    corpus = new_corpus(sqlite_database)
    path = tmp_path / "r.csv.gz"
    whole = gzip.compress(
        b"id,text\n" + b"".join(b"%d,Room %d was fine\n" % (n, n * 7919) for n in range(4_000))
    )
    path.write_bytes(whole)
    run(sqlite_database, corpus, path, embedder_spans=None)
    path.write_bytes(whole[: len(whole) // 2])
    report = run(sqlite_database, corpus, path, embedder_spans=None, sync=True)
    assert 0 < report.counts.unchanged < 4_000
    assert report.counts.removed == 0
    assert count(sqlite_database, Document) == 4_000


def test_a_file_of_a_folder_that_breaks_off_leaves_the_others_whole(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    rows = "".join(f"{n},Room number {n * 7919 % 10007} was fine\n" for n in range(3_000))
    (folder / "a.csv.gz").write_bytes(gzip.compress(f"id,text\n{rows}".encode())[:-40])
    (folder / "b.csv").write_text("id,text\nb1,The bed was soft\nb2,The bed was hard\n")
    report = run(sqlite_database, new_corpus(sqlite_database), folder, embedder_spans=None)
    assert not report.complete
    assert report.counts.quarantined == 1
    (reason,) = report.reasons
    assert reason.startswith("a.csv.gz: ")
    assert reason.endswith("is cut short: its gzip data have no end")
    with sqlite_database.session() as session:
        held = set(session.scalars(select(Document.text)))
    assert {"The bed was soft", "The bed was hard"} < held
    assert len(held) == report.counts.new > 2


def test_a_short_gzip_that_is_cut_short_keeps_the_rows_before(
    sqlite_database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl.gz"
    lines = "".join(json.dumps({"text": f"Room {n * 7919 % 10007} was fine"}) + "\n" for n in range(400))
    whole = gzip.compress(lines.encode())
    path.write_bytes(whole[:-10])
    report = run(sqlite_database, new_corpus(sqlite_database), path)
    assert "is cut short: its gzip data have no end" in report.fault
    assert count(sqlite_database, Document) == report.counts.new > 0


def test_a_gzip_that_is_cut_before_any_row_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    path = tmp_path / "r.csv.gz"
    path.write_bytes(gzip.compress(b"id,text\n1,The room was fine\n")[:12])
    with pytest.raises(IngestError):
        run(sqlite_database, new_corpus(sqlite_database), path)
    assert count(sqlite_database, Document) == 0


def test_a_parquet_file_that_is_damaged_further_on_keeps_the_rows_before(
    sqlite_database: Database, tmp_path: Path
) -> None:
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "r.parquet"
    said = [f"Room number {n * 7919 % 10007} was fine" for n in range(4_000)]
    table = pyarrow.table({"id": list(range(4_000)), "text": said})
    parquet.write_table(table, path, row_group_size=1_000, compression="gzip")
    data = bytearray(path.read_bytes())
    start = parquet.ParquetFile(path).metadata.row_group(2).column(1).data_page_offset
    data[start + 40 : start + 400] = b"\0" * 360
    path.write_bytes(data)
    report = run(sqlite_database, new_corpus(sqlite_database), path)
    assert books(report) == (2_000, 2_000, 0, 0, 0)
    assert "r.parquet is damaged (" in report.fault
    assert report.fault.endswith(", after row 2,000; 2,000 rows are kept")


APPLY: list[tuple[str, str, dict[str, str], str]] = [
    ("r.csv", "id,text\n1,The room was fine\n", {"sheet": "One"}, "--sheet means nothing for r.csv (csv)"),
    ("r.csv", "id,text\n1,The room was fine\n", {"split": "lines"}, "--split means nothing for r.csv (csv)"),
    ("r.json", '[{"text": "The room was fine"}]', {"delimiter": ";"}, "--delimiter means nothing for r.json"),
    (
        "r.txt",
        "The room was fine\n",
        {"sheet": "One"},
        "--sheet means nothing for r.txt (text); leave it out",
    ),
]


@pytest.mark.parametrize(("name", "text", "options", "message"), APPLY)
def test_an_option_that_means_nothing_for_the_file_is_refused(
    sqlite_database: Database, tmp_path: Path, name: str, text: str, options: dict[str, str], message: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        run(sqlite_database, new_corpus(sqlite_database), path, **options)
    assert str(raised.value).startswith(message)
    assert count(sqlite_database, Document) == 0


def test_in_a_folder_an_option_holds_for_the_files_that_have_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "a.csv").write_text("id,text\n1,The bed was soft\n")
    (folder / "b.txt").write_text("The room was fine\nThe food was cold\n")
    corpus = new_corpus(sqlite_database)
    report = run(sqlite_database, corpus, folder, split="lines")
    assert report.counts.new == 3
    with pytest.raises(UsageError, match=r"--sheet means nothing for .* \(csv, text\)"):
        run(sqlite_database, corpus, folder, sheet="One")
    with pytest.raises(UsageError, match="utf-99"):
        run(sqlite_database, corpus, folder, encoding="utf-99")


def test_a_sheet_that_one_workbook_of_a_folder_lacks(sqlite_database: Database, tmp_path: Path) -> None:
    import openpyxl

    folder = tmp_path / "d"
    folder.mkdir()
    for name, title in (("a", "One"), ("b", "Two")):
        book = openpyxl.Workbook()
        book.active.title = title
        book.active.append(["text"])
        book.active.append([f"The bed of {name} was soft"])
        book.save(folder / f"{name}.xlsx")
    report = run(sqlite_database, new_corpus(sqlite_database), folder, sheet="One")
    assert (report.counts.new, report.counts.quarantined) == (1, 1)
    assert list(report.reasons) == ["b.xlsx: b.xlsx has no sheet 'One'"]


def test_a_damaged_workbook(sqlite_database: Database, tmp_path: Path) -> None:
    path = tmp_path / "r.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("something.txt", "x")
    with pytest.raises(IngestError, match=r"r\.xlsx is no readable Excel workbook"):
        run(sqlite_database, new_corpus(sqlite_database), path)


def test_a_workbook_that_is_damaged_further_on_keeps_the_rows_before(
    sqlite_database: Database, tmp_path: Path
) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    for n in range(3_000):
        book.active.append([n, f"Room number {n * 7919 % 10007} was fine"])
    path = tmp_path / "r.xlsx"
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet[: len(sheet) // 2]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    report = run(sqlite_database, new_corpus(sqlite_database), path)
    assert 1_000 < report.counts.new < 2_000
    assert not report.complete
    assert "r.xlsx is damaged (" in report.fault


def test_a_damaged_parquet_file(sqlite_database: Database, tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    with pytest.raises(IngestError, match=r"r\.parquet is no readable Parquet file"):
        run(sqlite_database, new_corpus(sqlite_database), path)


OVERRIDES = [
    (["txt=Review"], [], "--map txt=Review: there is no field 'txt'; did you mean 'text'?"),
    (["Review"], [], "--map Review: NAME=COLUMN was expected; for example --map text=Review"),
    (["rating_scale=5"], [], "rating_scale is LOWEST-HIGHEST, not '5'; for example --map rating_scale=1-5"),
    (["rating_scale=5-1"], [], "rating_scale is LOWEST-HIGHEST, not '5-1'; for example --map rating_scale=1-5"),
    (["date_order=ymd"], [], "date_order is dmy or mdy, not 'ymd'"),
    ([], ["country"], "--attribute country: NAME=COLUMN was expected; for example --attribute country=author_country"),
    ([], ["age=Age:50,20"], "--attribute age=Age:50,20: the edges of bands must rise"),
]  # fmt: skip


@pytest.mark.parametrize(("maps", "attributes", "message"), OVERRIDES)
def test_wrong_overrides(maps: list[str], attributes: list[str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_overrides(maps, attributes)
    assert str(raised.value) == message
    assert raised.value.exit_code == 2


def test_a_pipe_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "r.csv")
    with pytest.raises(UsageError, match=r"r.csv is neither a file nor a folder"):
        run(sqlite_database, new_corpus(sqlite_database), tmp_path / "r.csv")
