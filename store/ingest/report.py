"""What ingest tells about itself: progress on the way, the books at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from store.ingest.columns import Mapping
from store.ingest.ledger import Counts


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """Where a run stands. ``fraction`` is the share of the source read, in [0, 1], or None when not known."""

    rows: int
    new: int
    updated: int
    unchanged: int
    quarantined: int
    fraction: float | None
    seconds: float

    @property
    def rate(self) -> float:
        """Rows per second."""
        return self.rows / self.seconds if self.seconds > 0 else 0.0


@dataclass(slots=True)
class IngestReport:
    """The books of one run of one source.

    ``complete`` is false when the source could not be read to its end, ``fault`` says where and why where it broke
    off; ``interrupted`` when the run was cancelled.
    ``notes`` counts what was set right or dropped on the way. ``reasons`` counts quarantined rows by reason.
    """

    source: str
    source_id: int
    mapping: Mapping
    kind: str
    encoding: str
    counts: Counts = field(default_factory=Counts)
    notes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    complete: bool = True
    fault: str = ""
    interrupted: bool = False

    def break_off(self, reason: str) -> None:
        """Note that nothing after the rows read so far can be read."""
        kept = self.counts.new + self.counts.updated + self.counts.unchanged
        self.complete = False
        self.fault = f"{reason}, after row {self.counts.read:,}; {kept:,} rows are kept"

    def balance(self) -> str:
        """Return the books in one line."""
        c = self.counts
        line = (
            f"rows read {c.read:,} = new {c.new:,} + updated {c.updated:,} + unchanged {c.unchanged:,}"
            f" + quarantined {c.quarantined:,}"
        )
        return f"{line}; removed {c.removed:,}" if c.removed else line


def general(reason: str) -> str:
    """Return a quarantine reason without what is particular to one row, so that like can be counted with like."""
    if "is already used by row" in reason:
        return "id already used by another row with other content"
    head, colon, _ = reason.partition(" at character ")
    return head if colon else reason


__all__ = ["IngestProgress", "IngestReport", "general"]
