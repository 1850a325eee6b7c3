"""From stances in SQL to the pool that the selection methods take: population, sides, author groups, targets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.fairness.pool import Pool
from agents.models.extractive import content_words
from agents.models.router_rating import RatingRange, parse_value
from agents.state import RagState
from store.errors import UsageError
from store.opinions import DocumentFilter, StancePool
from store.records import BINS

#: Author groups told apart in the constraint; two or more values beyond them share one group.
MAX_GROUPS = 5
#: An attribute known for fewer of the pool's documents than this does not constrain the selection unasked.
MIN_KNOWN = 0.3
#: Below these an attribute says nothing of the pool: it is named as unknown, not audited.
MIN_AUDITED_SHARE, MIN_AUDITED = 0.1, 10
#: A value shared by fewer documents than this does not make a group of its own.
MIN_GROUP = 5
#: Name of the filter on the documents' own ratings.
RATING = "rating"
#: Texts read at once in the search for a topic's words.
_TEXTS = 1000


@dataclass(frozen=True)
class Groups:
    """One author attribute over a pool: group codes (-1 unknown), names, and the population's shares.

    ``rest`` is the code of the group that collects the values without a group of their own; -1 where there is none.
    """

    attribute: str
    names: tuple[str, ...]
    codes: NDArray[np.int64]
    shares: NDArray[np.float64]
    unknown: float
    rest: int = -1

    @property
    def named(self) -> tuple[int, ...]:
        """Codes of the groups that stand for one value each."""
        return tuple(code for code in range(len(self.names)) if code != self.rest)


@dataclass(frozen=True)
class OpinionPool:
    """The entity's documents with everything that the selection and the receipt need."""

    stances: StancePool
    target: NDArray[np.float64]
    target_name: str
    groups: dict[str, Groups]
    covariates: NDArray[np.float64] | None = None

    @property
    def population(self) -> tuple[int, ...]:
        """Documents by bin."""
        return self.stances.counts


def document_filter(state: RagState) -> DocumentFilter:
    """Return the restrictions that the question stated."""
    subjects: list[str] = []
    attributes: dict[str, list[str]] = {}
    rating: tuple[tuple[str, float], ...] = ()
    for item in state.get("filters", ()):
        if item["name"] == "subject":
            subjects.append(item["value"])
        elif item["name"] == RATING:
            rating = _bounds(parse_value(item["value"]))
        elif item["name"] != "period":
            attributes.setdefault(item["name"], []).append(item["value"])
    since, until = [*state.get("period", []), "", ""][:2]
    return DocumentFilter(
        tuple(subjects),
        since,
        until,
        tuple((name, tuple(values)) for name, values in sorted(attributes.items())),
        rating,
    )


def mentioning(
    context: RagContext, topic: str, most: int | None = None, within: NDArray[np.int64] | None = None
) -> list[int]:
    """Return the documents whose words hold all content words of ``topic``, in order of their ids.

    A part of a word is no mention: "park" is not mentioned by "parking".

    Parameters
    ----------
    most
        So many at the most; all for None.
    within
        Ids of the documents that are looked at; all documents for None.
    """
    wanted = content_words(topic)
    if not wanted:
        return []
    held: list[int] = []
    # What holds the letters may not hold the words: more is read until there are enough, or no more.
    read, limit = 0, 1 + (context.document_count() if most is None else most)
    while True:
        found = context.repository.mentioning(context.corpus.id, sorted(wanted), limit)
        fresh = np.asarray(found[read:], dtype=np.int64)
        fresh = fresh if within is None else fresh[np.isin(fresh, within)]
        for start in range(0, len(fresh), _TEXTS):
            texts = context.repository.documents(fresh[start : start + _TEXTS].tolist())
            held += [document for document, each in texts.items() if wanted <= content_words(each.text)]
            if most is not None and len(held) >= most:
                return sorted(held)[:most]
        if len(found) < limit:
            return sorted(held)
        read, limit = len(found), 8 * limit


def _bounds(asked: RatingRange) -> tuple[tuple[str, float], ...]:
    """Return the comparisons that a range of ratings stands for."""
    if asked.low is not None and asked.low == asked.high:
        return (("=", asked.low),)
    low = () if asked.low is None else ((">" if asked.low_open else ">=", asked.low),)
    high = () if asked.high is None else (("<" if asked.high_open else "<=", asked.high),)
    return (*low, *high)


def opinion_pool(context: RagContext, state: RagState) -> OpinionPool:
    """Return the pool of the question's entities, restricted by its filters and its side; cached a revision."""
    where = document_filter(state)
    options = state.get("options", {})
    side = state.get("route", {}).get("side")
    target = options.get("target", context.settings.target)
    ids = tuple(state.get("entity_ids", ())) or tuple(
        context.entity_ids()[e.key] for e in context.entities() if e.parent is None
    )
    key = (context.corpus.id, context.corpus.revision, "pool", ids, where, side, str(target))
    return context.memo.get(key, lambda: _build(context, ids, where, side, target))


def fairness_pool(
    pool: OpinionPool,
    relevance: NDArray[np.float64],
    balance: str,
    vectors: NDArray[np.float32] | None = None,
) -> tuple[Pool, tuple[Groups, ...]]:
    """Return the input of ``agents.fairness.selection.select`` and the attributes that constrain it."""
    groups = constrained(pool, balance)
    stances = pool.stances
    return (
        Pool(
            relevance=relevance,
            score=stances.scores.astype(np.float64),
            population=pool.target,
            vectors=None if vectors is None else vectors.astype(np.float64),
            groups={each.attribute: each.codes.astype(np.intp) for each in groups},
            group_shares={each.attribute: each.shares for each in groups},
            covariates=pool.covariates,
            ids=stances.document_ids.astype(np.intp),
        ),
        groups,
    )


def constrained(pool: OpinionPool, balance: str) -> tuple[Groups, ...]:
    """Return the author attributes that the selection balances: those named, else the best known one.

    Parameters
    ----------
    balance
        Names with commas between them, ``none``, or nothing.

    Raises
    ------
    UsageError
        The corpus has no attribute of that name, or there is no name between the commas.
    """
    if balance == "none":
        return ()
    if balance:
        names = [balance] if balance in pool.groups else [name.strip() for name in balance.split(",")]
        names = [name for name in names if name]
        if not names:
            raise UsageError(
                f"`{balance}` names no author attribute", "give names with commas between, or none"
            )
        for name in names:
            if name not in pool.groups:
                known = ", ".join(sorted(pool.groups)) or "none"
                raise UsageError(f"the corpus has no author attribute `{name}`", f"it has: {known}")
        return tuple(pool.groups[name] for name in dict.fromkeys(names))
    usable = [g for g in pool.groups.values() if len(g.names) > 1 and 1 - g.unknown >= MIN_KNOWN]
    return tuple(sorted(usable, key=lambda g: (g.unknown, g.attribute))[:1])


def make_groups(attribute: str, values: tuple[str, ...]) -> Groups:
    """Group an attribute's values: the most frequent ones, several others together, empty ones unknown."""
    counts = Counter(value for value in values if value)
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    names = [value for value in ranked if counts[value] >= MIN_GROUP][:MAX_GROUPS] or ranked[:1]
    others = len(ranked) - len(names)
    if others == 1:
        # A single value loses its name to nothing.
        names, others = ranked, 0
    index = {name: code for code, name in enumerate(names)}
    rest = len(names) if others else -1
    # Not "other", which is an answer that authors give, and then a group like any.
    names += [f"{others:,} other values"] if others else []
    codes = np.asarray([index.get(value, rest) if value else -1 for value in values], dtype=np.int64)
    known = codes[codes >= 0]
    shares = np.bincount(known, minlength=len(names)) / max(len(known), 1)
    unknown = 1 - len(known) / len(values) if values else 1.0
    return Groups(attribute, tuple(names), codes, shares.astype(np.float64), unknown, rest)


def audited(groups: Groups) -> bool:
    """Return whether enough authors' values are known for shares to mean something."""
    known = int((groups.codes >= 0).sum())
    return known >= MIN_AUDITED and known >= MIN_AUDITED_SHARE * len(groups.codes)


def target_shares(target: str | tuple[float, ...] | list[float], stances: StancePool) -> NDArray[np.float64]:
    """Return the seven shares that the selection should reproduce.

    Raises
    ------
    UsageError
        The target is no known name and no seven shares.
    """
    counts = np.asarray(stances.counts, dtype=np.float64)
    if isinstance(target, (tuple, list)):
        shares = np.asarray(target, dtype=np.float64)
        if (
            shares.shape != (len(BINS),)
            or not np.isfinite(shares).all()
            or (shares < 0).any()
            or not shares.max()
        ):
            raise UsageError("a target needs seven shares, none negative", "give them from -30 to +30")
        scaled = shares / shares.max()  # first, so that the sum of huge numbers is finite
        return np.asarray(scaled / scaled.sum())
    if target == "stars":
        return _stars(stances)
    total = max(counts.sum(), 1.0)
    if target == "proportional":
        return counts / total if counts.sum() else np.full(len(BINS), 1 / len(BINS))
    if target == "parity":
        return _parity(counts / total)
    raise UsageError(f"there is no target `{target}`", "use proportional, parity, stars, or seven shares")


def _build(
    context: RagContext, ids: tuple[int, ...], where: DocumentFilter, side: str | None, target: object
) -> OpinionPool:
    stances = context.opinions.pool(context.corpus, ids, context.extractor, where)
    if side is not None:
        stances = _only(stances, stances.scores > 0 if side == "positive" else stances.scores < 0)
    shares = target_shares(target, stances)  # type: ignore[arg-type]
    groups = {name: make_groups(name, values) for name, values in stances.groups.items()}
    name = target if isinstance(target, str) else "given"
    return OpinionPool(
        stances, shares, name if side is None else f"{name}, {side} side", groups, covariates(stances)
    )


def _only(stances: StancePool, mask: NDArray[np.bool_]) -> StancePool:
    rows = np.flatnonzero(mask)
    return StancePool(
        stances.document_ids[rows],
        stances.scores[rows],
        stances.impacts[rows],
        stances.confidences[rows],
        tuple(stances.dates[i] for i in rows),
        stances.ratings[rows],
        stances.lengths[rows],
        {name: tuple(values[i] for i in rows) for name, values in stances.groups.items()},
        stances.levels[rows],
    )


def _parity(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give both signs the same mass, keeping each side's own shape and the neutral share."""
    result = shares.copy()
    low, high = shares[:3].sum(), shares[4:].sum()
    half = (low + high) / 2
    if low and high:
        result[:3] *= half / low
        result[4:] *= half / high
    return np.asarray(result / result.sum()) if result.sum() else np.full(len(BINS), 1 / len(BINS))


def _stars(stances: StancePool) -> NDArray[np.float64]:
    levels = stances.levels[np.isfinite(stances.levels)]
    if not len(levels):
        raise UsageError("these documents carry no ratings to take as target", "use --target proportional")
    # 1..5 stars stand for -30, -20, 0, 20, 30; other scales are cut into five steps first.
    steps = np.rint(levels * 4).astype(np.int64)
    return np.bincount(np.asarray([0, 1, 3, 5, 6])[steps], minlength=len(BINS)) / len(steps)


def covariates(stances: StancePool, *, ratings: bool = True) -> NDArray[np.float64] | None:
    """Return what a sample balances besides opinions and authors: ratings, period and length, the first matter most.

    Shape (n, c), standardised, unknown values at the mean. ``ratings`` False holds them out, for evaluations by them.
    """
    if not len(stances):
        return None
    years = np.asarray([float(d[:4]) if d[:4].isdigit() else np.nan for d in stances.dates])
    found = [stances.ratings] if ratings else []
    found += [years, np.log1p(stances.lengths.astype(np.float64))]
    columns = [
        _standard(np.where(np.isfinite(each), each, np.nanmean(each)))
        for each in found
        if np.isfinite(each).any()
    ]
    return np.stack(columns, axis=1)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = values.std()
    return np.asarray((values - values.mean()) / spread) if spread > 0 else np.zeros_like(values)


__all__ = [
    "RATING",
    "Groups",
    "OpinionPool",
    "audited",
    "constrained",
    "covariates",
    "document_filter",
    "fairness_pool",
    "make_groups",
    "mentioning",
    "opinion_pool",
    "target_shares",
]
