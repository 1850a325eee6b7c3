"""What ``enrich`` does to check labels by hand: a dialogue, a file to fill in, and what came of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from app.cli.console import PARTIAL, Shell, note, out, out_json, width
from app.reviews import COLUMNS, OPEN, VERDICTS, Assessed, ReviewDesk, file_rows, marked, read_file
from store.reviews import ReviewItem

_ASK = "[p]ositive, [n]egative, [0] neutral or mixed, [x] not about it, [s]kip, [q]uit: "
_SIDES = ("negative", "neutral or mixed", "positive")


def review(sh: Shell, n: int, json: bool) -> int:
    """Show ``n`` labels one by one and store each verdict at once; the end of the input ends it."""
    from app.views.safe import line

    desk = ReviewDesk(sh.parts, sh.corpus)
    items = desk.sample(n)
    stored = agreed = skipped = 0
    note(f"{len(items)} labels to review: what does each text say about the thing named?")
    try:
        for number, item in enumerate(items, 1):
            _show(sh, item, f"{number} of {len(items)}")
            answer = _answer(line(item.entity, ascii=sh.ascii))
            if answer is None:
                break
            if answer in OPEN:
                skipped += 1
                continue
            verdict = VERDICTS[answer]
            if desk.record(item.document_id, item.entity_id, verdict) == "stored":
                stored += 1
                same = verdict == _side(item.predicted)
                agreed += same
                note(f"  stored; labelled {_side(item.predicted)}: {'agrees' if same else 'differs'}")
    finally:
        if stored:
            desk.finish()
    left = len(items) - stored - skipped
    if json:
        counts = {"drawn": len(items), "stored": stored, "agreed": agreed, "skipped": skipped, "left": left}
        out_json("label-review/1", counts)
    else:
        out(f"{stored} verdicts stored ({agreed} agree with the label), {skipped} skipped, {left} left")
        out(desk.assess().words)
    return 0


def write_file(sh: Shell, n: int, path: Path, force: bool = False) -> int:
    """Write ``n`` labels to a CSV or JSONL file with an empty column for the verdict."""
    from app.views.exports import export_table
    from store.errors import UsageError

    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise UsageError(
            f"a review file is CSV or JSONL, not `{path.name}`", "end the name with .csv or .jsonl"
        )
    items = ReviewDesk(sh.parts, sh.corpus).sample(n)
    count = export_table(COLUMNS, file_rows(items), path, force=force)
    out(f"{count:,} labels written to {path}")
    note("fill in `verdict`: p, n, 0 (neutral or mixed) or x (not about it); empty stays open")
    note(f"next: evenhand enrich --review-import {path}")
    return 0


def import_file(sh: Shell, path: Path, json: bool) -> int:
    """Store the verdicts of a review file; one on a reviewed label or on one that is gone is left out."""
    counts = ReviewDesk(sh.parts, sh.corpus).take(read_file(path))
    stored, known, gone = (counts[name] for name in ("stored", "known", "gone"))
    if json:
        out_json("label-review-import/1", {"stored": stored, "known": known, "gone": gone})
    else:
        out(
            f"{stored:,} verdicts stored, {known:,} reviewed before, {gone:,} on labels that are no longer there"
        )
    return PARTIAL if gone else 0


def quality(sh: Shell, json: bool) -> int:
    """Print accuracy, confusion matrix and corrected shares of the labels."""
    found = ReviewDesk(sh.parts, sh.corpus).assess()
    if json:
        out_json("label-quality/1", quality_document(found))
    else:
        out("\n".join(quality_lines(found, width(), ascii=sh.ascii)))
    return 0


def quality_lines(found: Assessed, columns: int, *, ascii: bool = False) -> list[str]:
    """Return what the reviews say of the labels, as lines."""
    from app.views.formats import percent
    from app.views.safe import line
    from app.views.tables import table

    def told(share: Any) -> str:
        if share is None:
            return "-"
        return f"{percent(share.value)} [{percent(share.low)}, {percent(share.high)}]"

    lines = [
        f"{line(found.extractor, ascii=ascii)} labels of {line(found.corpus, ascii=ascii)}: {found.words}"
    ]
    known = found.quality
    if known is None:
        return lines
    rows = []
    for side, counts, shares in zip(_SIDES, known.counts, known.found, strict=True):
        cells = (
            ["-"] * 4 if shares is None else [f"{n} = {told(s)}" for n, s in zip(counts, shares, strict=True)]
        )
        rows.append((side, str(sum(counts)), *cells))
    lines += ["", "found by the reviewer, of each kind of label (reviews = share of such labels [95%]):"]
    lines += table(("labelled", "n", *_SIDES, "not about it"), rows, columns, align="lrrrrr", ascii=ascii)
    recalled = [(side, told(recall)) for side, recall in zip(_SIDES, known.recall, strict=True)]
    lines += ["", "labelled rightly, of what truly is so:"]
    lines += table(("truly", "share"), recalled, columns, align="lr", ascii=ascii)
    if found.corrected is not None:
        shares_now = [
            (side, percent(labelled), told(share))
            for side, labelled, share in zip(_SIDES, found.labelled, found.corrected.shares, strict=True)
        ]
        lines += ["", "all labels of the corpus, and corrected for their errors:"]
        lines += table(("", "labelled", "corrected"), shares_now, columns, align="lrr", ascii=ascii)
    return lines


def quality_document(found: Assessed) -> dict[str, Any]:
    """Return what the reviews say of the labels as a JSON document (label-quality/1)."""

    def interval(share: Any) -> dict[str, float] | None:
        return None if share is None else {"value": share.value, "low": share.low, "high": share.high}

    known, names = found.quality, ("negative", "neutral", "positive")
    document: dict[str, Any] = {
        "corpus": found.corpus,
        "extractor": found.extractor,
        "n": 0 if known is None else known.n,
        "enough": known is not None and known.enough,
        "accuracy": None if known is None else interval(known.accuracy),
        "labelled": dict(zip(names, found.labelled, strict=True)),
        "corrected": None,
        "confusion": {},
        "recall": {},
    }
    if found.corrected is not None:
        document["corrected"] = {
            name: interval(share) for name, share in zip(names, found.corrected.shares, strict=True)
        }
    if known is not None:
        columns = (*names, "not_about")
        document["confusion"] = {
            name: {
                "reviews": dict(zip(columns, counts, strict=True)),
                "shares": None
                if shares is None
                else {column: interval(share) for column, share in zip(columns, shares, strict=True)},
            }
            for name, counts, shares in zip(names, known.counts, known.found, strict=True)
        }
        document["recall"] = {name: interval(share) for name, share in zip(names, known.recall, strict=True)}
    return document


def _show(sh: Shell, item: ReviewItem, place: str) -> None:
    from app.views.layout import wrap
    from app.views.safe import line

    marks = (">>", "<<") if sh.ascii else ("»", "«")
    columns = min(width(), 100)
    note(f"\n{place}: {line(item.entity, ascii=sh.ascii)} (document {line(item.document, ascii=sh.ascii)})")
    for passage in marked(item, marks):
        shown = wrap(line(passage, ascii=sh.ascii), columns, first="  ", rest="  ", ascii=sh.ascii)
        note("\n".join(shown))


def _answer(entity: str) -> str | None:
    """Ask until the answer is one that is known; None at the end of the input or for ``q``."""
    while True:
        sys.stderr.write(f"{entity}: {_ASK}")
        sys.stderr.flush()
        typed = sys.stdin.readline()
        if not sys.stdin.isatty():
            sys.stderr.write("\n")
        answer = typed.strip().casefold()
        if not typed or answer in ("q", "quit"):
            return None
        if answer in VERDICTS or (answer and answer in OPEN):
            return answer
        note("type p, n, 0, x, s or q")


def _side(score: int) -> str:
    return "positive" if score > 0 else "negative" if score < 0 else "neutral"


__all__ = ["import_file", "quality", "quality_document", "quality_lines", "review", "write_file"]
