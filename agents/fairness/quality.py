"""How good opinion labels are, and shares corrected for their errors, from labels that a person reviewed.

Reviews are drawn with equal probability within each of the seven predicted bins (``store.reviews``), so a review of
bin ``b`` stands for ``N_b / n_b`` stances. Accuracy carries Wilson's interval (Wilson 1927) on the effective number of
reviews (as Korn and Graubard 1998). Shares are corrected by inverting the error matrix ``P(predicted | true)`` (Rogan
and Gladen 1978; Buonaccorsi 2010, ch. 3), with the result held to the simplex; for the corpus itself this equals the
double-sampling estimator (Tenenbein 1970), which is unbiased by design. Intervals are percentiles of a stratified
Bayesian bootstrap over the reviews (Rubin 1981) and over the labelling errors of the population itself.

A population may have reviews of its own (one entity of many): its matrix is then shrunk towards that of all reviews,
which counts as ``OWN`` further reviews. It is assumed that the errors do not otherwise depend on the population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import codes_of, counts_of, instance, integers, number, whole

#: Order of the classes everywhere here; column 3 of a table is "not about the entity".
CLASSES = ("negative", "neutral", "positive")
NOT_ABOUT = 3
BINS = (-30, -20, -10, 0, 10, 20, 30)
#: Fewer reviews than this say too little to correct anything.
MIN_REVIEWS = 30
#: Reviews that the matrix of all reviews counts for, against those of the population itself.
OWN = 30.0
#: Weight, in reviews, of each predicted class' prior (the pooled accuracy, errors spread evenly): in the estimate, and
#: in the bootstrap, where an error that was not seen yet must be possible.
PRIOR, DRAWN_PRIOR = 0.3, 1.0
_Z = 1.959963984540054

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A share in [0, 1] with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Reviews:
    """Reviewed labels of one corpus and extractor.

    Attributes
    ----------
    bins
        Predicted score of each review, -30 ... +30, shape (n,).
    truths
        What the reviewer found: 0 negative, 1 neutral or mixed, 2 positive, 3 not about the entity; shape (n,).
    entities
        Id of the entity that each review is on, shape (n,).
    population
        Stances of the corpus by predicted bin, -30 ... +30: what the reviews were drawn from.
    """

    bins: Ints
    truths: Ints
    entities: Ints
    population: tuple[int, ...]

    def __post_init__(self) -> None:
        bins = integers("bins", self.bins)
        if not np.isin(bins, BINS).all():
            raise ValueError(f"bins: expected scores among {', '.join(map(str, BINS))}")
        truths = codes_of("truths", self.truths, 0, NOT_ABOUT, length=bins.size)
        entities = integers("entities", self.entities, length=bins.size)
        counts_of("population", self.population, length=len(BINS))
        for name, array in (("bins", bins), ("truths", truths), ("entities", entities)):
            object.__setattr__(self, name, array.astype(np.int64))

    def __len__(self) -> int:
        return len(self.bins)

    @property
    def predicted(self) -> Ints:
        """Predicted class of each review, 0 to 2."""
        return np.asarray(np.sign(self.bins) + 1, dtype=np.int64)

    @property
    def weights(self) -> Floats:
        """Stances that each review stands for; they add up to each reviewed class's stances."""
        index = (self.bins + 30) // 10
        held = np.bincount(index, minlength=len(BINS))
        # What was reviewed is part of the population, whatever has been erased or relabelled since.
        stances = np.maximum(np.asarray(self.population, dtype=np.float64), held)
        weights = stances[index] / held[index]
        for each in range(3):
            mine = self.predicted == each
            if mine.any():
                weights[mine] *= stances[_bins_of(each)].sum() / weights[mine].sum()
        return np.asarray(weights)


@dataclass(frozen=True, slots=True)
class LabelQuality:
    """What the reviews say of the labels.

    Attributes
    ----------
    n
        Reviews.
    accuracy
        Share of the corpus' labels whose class is right; a label that is not about its entity is wrong.
    counts
        Reviews by predicted class (rows) and found class (columns; the fourth: not about the entity), shape (3, 4).
    found
        Of the labels of each predicted class, the share of each found class, shape (3, 4); None where no label of
        that class was reviewed.
    recall
        Of the stances of each true class, the share that is labelled so; None where none was found.
    """

    n: int
    accuracy: Interval
    counts: tuple[tuple[int, ...], ...]
    found: tuple[tuple[Interval, ...] | None, ...]
    recall: tuple[Interval | None, ...]

    @property
    def enough(self) -> bool:
        """Whether there are reviews enough to correct shares."""
        return self.n >= MIN_REVIEWS


@dataclass(frozen=True, slots=True)
class Corrected:
    """Shares of negative, neutral, positive among the documents that truly hold a view, corrected for label errors.

    ``n`` counts the reviews used, ``own`` those among them that are on the population itself.
    """

    shares: tuple[Interval, Interval, Interval]
    n: int
    own: int


def wilson(share: float, n: float) -> Interval:
    """Return Wilson's 95 % score interval of a share seen in ``n`` trials (n may be an effective, broken number)."""
    number("share", share, -1e-9, 1 + 1e-9)
    if number("n", n, 0.0) == 0:
        return Interval(share, 0.0, 1.0)
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * float(np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)))
    # At 0 and 1 the bounds equal the share but for rounding.
    return Interval(share, min(max(0.0, centre - half), share), max(min(1.0, centre + half), share))


def assess(reviews: Reviews) -> LabelQuality:
    """Estimate accuracy and confusion matrix of the corpus' labels.

    Raises
    ------
    ValueError
        There is no review.
    """
    instance("reviews", reviews, Reviews)
    if not len(reviews):
        raise ValueError("reviews: no label was reviewed yet")
    predicted, truths, weights = reviews.predicted, reviews.truths, reviews.weights
    counts = np.zeros((3, 4), dtype=np.int64)
    np.add.at(counts, (predicted, truths), 1)
    found: list[tuple[Interval, ...] | None] = []
    recall: list[Interval | None] = []
    for each in range(3):
        row, column = predicted == each, truths == each
        found.append(
            tuple(_share(truths[row] == true, weights[row], reviews.bins[row]) for true in range(4))
            if row.any()
            else None
        )
        recall.append(_share(predicted[column] == each, weights[column]) if column.any() else None)
    return LabelQuality(
        n=len(reviews),
        accuracy=_share(predicted == truths, weights, reviews.bins),
        counts=tuple(tuple(int(n) for n in row) for row in counts),
        found=tuple(found),
        recall=tuple(recall),
    )


def corrected_shares(
    reviews: Reviews,
    counts: Sequence[int],
    entities: Sequence[int] = (),
    *,
    seed: int = 0,
    draws: int = 1000,
) -> Corrected | None:
    """Estimate the true shares of a population whose labels are known, from reviewed labels.

    Parameters
    ----------
    reviews
        Reviewed labels of the corpus.
    counts
        The population's documents by predicted bin, -30 ... +30.
    entities
        Ids of the entities that the population is of; reviews of them weigh more. Empty: the whole corpus.
    seed, draws
        Of the bootstrap.

    Returns
    -------
    Corrected or None
        None below ``MIN_REVIEWS`` reviews and for an empty population.

    Raises
    ------
    ValueError
        An argument has the wrong shape or range; the message begins with its name.
    """
    instance("reviews", reviews, Reviews)
    stances = counts_of("counts", counts, length=len(BINS))
    people = integers("entities", entities)
    whole("seed", seed, 0)
    whole("draws", draws, 1)
    if len(reviews) < MIN_REVIEWS or not stances.sum():
        return None
    labels = np.asarray([stances[_bins_of(each)].sum() for each in range(3)])
    own = np.isin(reviews.entities, people)
    rng = np.random.default_rng(seed)
    parts = _Parts(reviews, own)
    about, matrix = parts.rates(np.ones((1, len(reviews))), parts.prior[None])
    shares = _invert(matrix, (labels * about) / (labels * about).sum(axis=1, keepdims=True))[0]
    gains = rng.gamma(parts.shapes, size=(draws, len(reviews)))
    prior = rng.gamma(parts.prior * (DRAWN_PRIOR / PRIOR), size=(draws, *parts.prior.shape))
    drawn_about, drawn_matrix = parts.rates(gains, prior)
    if people.size:
        labels = _relabelled(rng, labels, about[0], matrix[0], shares, draws)
    # The labels of the whole corpus are what the reviews were drawn from: they do not vary.
    kept = drawn_about * labels
    spread = _invert(drawn_matrix, kept / np.maximum(kept.sum(axis=1, keepdims=True), 1e-12))
    low, high = np.quantile(spread, [0.025, 0.975], axis=0)
    return Corrected(
        shares=tuple(  # type: ignore[arg-type]
            Interval(float(v), float(min(a, v)), float(max(b, v)))
            for v, a, b in zip(shares, low, high, strict=True)
        ),
        n=len(reviews),
        own=int(own.sum()),
    )


def spread_over_bins(corrected: Corrected, counts: Sequence[int]) -> tuple[Interval, ...]:
    """Spread each sign's corrected mass over its bins in the proportions that the labels show.

    Reviews tell signs apart, not intensities, so the seven bins are not identified beyond that. A sign that no label
    has goes to its mildest bin.
    """
    instance("corrected", corrected, Corrected)
    stances = counts_of("counts", counts, length=len(BINS))
    result = []
    for each, share in enumerate(corrected.shares):
        inside = stances[_bins_of(each)]
        if not inside.sum():
            inside = np.asarray([[0.0, 0.0, 1.0], [1.0], [1.0, 0.0, 0.0]][each])
        result += [
            Interval(share.value * part, share.low * part, share.high * part)
            for part in (float(p) for p in inside / inside.sum())
        ]
    return tuple(result)


class _Parts:
    """The reviews as arrays for many weighted looks at them at once."""

    def __init__(self, reviews: Reviews, own: NDArray[np.bool_]) -> None:
        self.weights, self.own = reviews.weights, own
        index = (reviews.bins + 30) // 10
        drawn = np.bincount(index, minlength=len(BINS))[index]
        # Exponential gains would spread a bin's mean by s2 / (n + 1); these spread it by s2 / (n - 1), as it varies.
        self.shapes = np.maximum(1 - 2 / drawn, 0.5)
        # One column a cell of (predicted, found), row-major.
        self.cells = np.zeros((len(reviews), 12))
        self.cells[np.arange(len(reviews)), 4 * reviews.predicted + reviews.truths] = 1.0
        stances = np.asarray(reviews.population, dtype=np.float64)
        held = np.bincount(reviews.predicted, minlength=3)
        self.stances = np.maximum([stances[_bins_of(each)].sum() for each in range(3)], held)
        hits = float((reviews.predicted == reviews.truths).sum())
        pooled = (hits + 1) / (len(reviews) + 2)
        self.prior = np.full((3, 4), PRIOR * (1 - pooled) / 3)
        self.prior[np.arange(3), np.arange(3)] = PRIOR * pooled
        # A pseudo-review weighs as much as a review of its class.
        self.unit = np.where(held > 0, self.stances / np.maximum(held, 1), np.maximum(self.stances, 1.0))

    def rates(self, gains: Floats, prior: Floats) -> tuple[Floats, Floats]:
        """Return the share of each predicted class that is about its entity, and ``P(predicted | true)``.

        For B sets of gains (B, n) and of pseudo-reviews (B, 3, 4) these are (B, 3) and (B, 3, 3), predicted classes in
        the rows.
        """
        weighted = gains * self.weights
        rows = (weighted @ self.cells).reshape(-1, 3, 4) + self.unit[:, None] * prior
        rows = rows / rows.sum(axis=2, keepdims=True)
        joint = rows[:, :, :3] * self.stances[:, None]
        matrix = joint / joint.sum(axis=1, keepdims=True)
        about = 1 - rows[:, :, NOT_ABOUT]
        if not self.own.any():
            return np.asarray(about), np.asarray(matrix)
        mine = weighted[:, self.own]
        # In units of reviews: the weights keep their proportions.
        mine = mine * (self.own.sum() / mine.sum(axis=1, keepdims=True))
        held = (mine @ self.cells[self.own]).reshape(-1, 3, 4)
        off = held[:, :, NOT_ABOUT] + OWN * (1 - about)
        about = 1 - off / (held.sum(axis=2) + OWN)
        own = held[:, :, :3]
        matrix = (own + OWN * matrix) / (own.sum(axis=1, keepdims=True) + OWN)
        return np.asarray(about), np.asarray(matrix)


def _invert(matrix: Floats, shares: Floats) -> Floats:
    """Return theta (B, 3) on the simplex with the least ``|matrix @ theta - shares|``; matrix (B, 3, 3), shares (B, 3).

    The inverse where that is a distribution, else the best point of the simplex' three edges.
    """
    # A trace of the identity keeps a matrix of labels that tell nothing apart from being singular.
    steady = matrix + 1e-9 * np.eye(3)
    theta = np.linalg.solve(steady, np.broadcast_to(shares, matrix.shape[:2])[..., None])[..., 0]
    outside = (theta < 0).any(axis=1)
    if outside.any():
        theta[outside] = _nearest_on_edges(
            matrix[outside], np.broadcast_to(shares, matrix.shape[:2])[outside]
        )
    return np.asarray(theta / theta.sum(axis=1, keepdims=True))


def _nearest_on_edges(matrix: Floats, shares: Floats) -> Floats:
    best = np.zeros_like(shares)
    least = np.full(len(shares), np.inf)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        start, along = matrix[:, :, second], matrix[:, :, first] - matrix[:, :, second]
        length = np.maximum((along**2).sum(axis=1), 1e-12)
        part = np.clip(((shares - start) * along).sum(axis=1) / length, 0.0, 1.0)
        error = ((start + part[:, None] * along - shares) ** 2).sum(axis=1)
        nearer = error < least
        least[nearer] = error[nearer]
        point = np.zeros_like(shares)
        point[:, first], point[:, second] = part, 1 - part
        best[nearer] = point[nearer]
    return best


def _relabelled(
    rng: np.random.Generator, labels: Floats, about: Floats, matrix: Floats, shares: Floats, draws: int
) -> Floats:
    """Draw the label counts (draws, 3) that the same documents could have got, centred on those that they have."""
    kept = labels * about
    total = kept.sum()
    drawn = np.zeros((draws, 3))
    for true in range(3):
        chances = matrix[:, true] / matrix[:, true].sum()
        drawn += rng.multinomial(round(total * shares[true]), chances, size=draws)
    centred = labels + (drawn - drawn.mean(axis=0))
    return np.asarray(np.maximum(centred, 0.0))


def _share(held: ArrayLike, weights: Floats, bins: Ints | None = None) -> Interval:
    """Return a weighted share with Wilson's interval on the number of reviews that would tell as much.

    With ``bins`` the reviews are a sample stratified by them, else that number is Kish's.
    """
    hits = np.asarray(held, dtype=np.float64)
    total = weights.sum()
    share = float((hits * weights).sum() / total)
    effective = float(total**2 / (weights**2).sum())
    if bins is not None and 0 < share < 1:
        variance = 0.0
        for each in np.unique(bins):
            mine = bins == each
            n = int(mine.sum())
            # A stratum without an error is not one without error: one review at the common rate is added.
            rate = (float(hits[mine].sum()) + share) / (n + 1)
            variance += float(weights[mine].sum() / total) ** 2 * rate * (1 - rate) / n
        effective = share * (1 - share) / variance
    return wilson(share, effective)


def _bins_of(each: int) -> slice:
    return (slice(0, 3), slice(3, 4), slice(4, 7))[each]


__all__ = [
    "BINS",
    "CLASSES",
    "MIN_REVIEWS",
    "NOT_ABOUT",
    "Corrected",
    "Interval",
    "LabelQuality",
    "Reviews",
    "assess",
    "corrected_shares",
    "spread_over_bins",
    "wilson",
]
