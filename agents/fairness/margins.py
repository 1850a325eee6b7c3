"""Margins of error of a probability sample: means, shares, and shares that the sample was balanced upon.

They speak of the sampling frame, the documents that could be drawn, weighted by their inclusion probabilities; a mean
over documents outside the frame may differ from it by more than the margin says.

References
----------
Deville and Tille, J. Statist. Plann. Inference 128 (2005): the variance under balanced sampling. Saerndal, Swensson,
Wretman, Model Assisted Survey Sampling (1992), 5.6: ratios by linearisation. Hall, J. R. Statist. Soc. B 54 (1992):
removing skewness by transformation. Wilson, J. Amer. Statist. Assoc. 22 (1927), with the effective sample size of Korn
and Graubard, Survey Methodology 24 (1998): shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.checks import BoolArray, booleans, finite, finite_vector, number, numbers, whole, within
from agents.fairness.distance import FloatArray

#: Standard deviation of a count that is rounded to one of its two neighbouring whole numbers: at most one half.
ROUNDING: Final = 0.5


@dataclass(frozen=True, slots=True)
class Margin:
    """An estimate of a population mean with its design-based standard error and interval.

    ``low`` and ``high`` are NaN where the sample does not tell how far off the estimate may be.
    """

    estimate: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class _Spread:
    """Estimated mean, its variance and skewness, degrees of freedom; ``left`` is the mean of 1 - inclusion."""

    mean: float
    variance: float
    skewness: float
    freedom: int
    left: float


def design_margin(
    values: ArrayLike,
    inclusion: ArrayLike,
    balance: ArrayLike | None = None,
    *,
    known: ArrayLike | None = None,
    level: float = 0.95,
) -> Margin:
    """Estimate a mean over the frame from a probability sample, with its margin of error.

    The sample is self-weighting for the population's bins and groups, so the estimate is the plain mean of the known
    values. Its variance is that of Deville and Tille (2005): residuals e of the weighted regression on the balancing
    variables, ``sum c_i e_i^2 / n^2`` with ``c_i = (1 - inclusion_i) m / (m - q)``, m known values, q regressors: at
    most a fifth of m, since the landing may have given up the later ones. Where values are unknown, the regressed
    variable is the linearised ratio, ``known_i (y_i - mean) n / m``.

    The interval is Hall's (1992): with a = skewness of e, divided by the root of n, and T = (estimate - mean) / error,
    the cubic ``T + a T^2 / 3 + a^2 T^3 / 27 + a / 6`` has no skewness to first order and is compared with Student's t
    of m - q degrees of freedom. Ratings are skewed; the plain t interval reaches too little towards the long tail.

    Parameters
    ----------
    values
        Shape (n,): the variable for the sampled documents (stars, length ...). Ignored where unknown.
    inclusion
        Shape (n,): their inclusion probabilities, in (0, 1].
    balance
        Shape (n, c): their rows of :func:`agents.fairness.balanced.balance_columns`, most important first. None for a
        sample that was not balanced.
    known
        Shape (n,) booleans: the value is known; default: all. The mean is that of the documents with a known value.
    level
        Nominal coverage, in (0, 1).

    Returns
    -------
    Margin
        In the unit of ``values``. A census (every inclusion 1) has no error: low and high are the estimate. There is
        no interval (NaN) with fewer than two known values, nor where the known values are all alike or follow from
        the balancing variables: such a sample does not show how far the others may be, and a width of zero would be
        a false claim. Ends may lie a little outside a rating's scale.

    Raises
    ------
    ValueError
        An argument has the wrong shape or range; the message begins with its name.
    """
    y, chances, mask = _checked("values", values, inclusion, known, level)
    found = _spread(y, chances, mask, balance)
    if found.left == 0:
        return _census(found.mean)
    if not found.variance > 0:
        return Margin(found.mean, np.nan, np.nan, np.nan)
    error = float(np.sqrt(found.variance))
    reach = _student(found.freedom, level)
    low = found.mean - error * _unskewed(reach, found.skewness)
    high = found.mean - error * _unskewed(-reach, found.skewness)
    return Margin(found.mean, error, low, high)


def share_margin(
    has: ArrayLike,
    inclusion: ArrayLike,
    balance: ArrayLike | None = None,
    *,
    known: ArrayLike | None = None,
    held: float | None = None,
    level: float = 0.95,
) -> Margin:
    """Estimate the share of documents that have a characteristic, with its margin of error.

    A share that the sample was not balanced upon has Wilson's interval with the effective sample size
    ``p (1 - p) / variance`` of :func:`design_margin`'s variance; it stays in [0, 1] and has a width at 0 and at 1.

    A share that it was balanced upon (a bin, a side, a group of the constrained attribute) has a regression residual of
    zero, which says too much: a sample holds whole documents. A count that is rounded to one of its neighbours without
    bias has a variance of at most 1/4, so half a document stands for the standard error, and Student's t with m - 1
    degrees of freedom gives about one document. What the landing of the cube gives up early is held less well, see
    :func:`landing_deviation`.

    Parameters
    ----------
    has
        Shape (n,), booleans or 0/1: the sampled documents that have the characteristic. Ignored where unknown.
    inclusion, balance, known, level
        As in :func:`design_margin`. ``balance`` is not used where ``held`` is given.
    held
        Where the sample was balanced upon this very characteristic: the standard deviation of its count, in documents,
        :data:`ROUNDING` for strata and what the cube holds first, else :func:`landing_deviation`.

    Returns
    -------
    Margin
        In [0, 1]. A census has no error. NaN with fewer than two known values.

    Raises
    ------
    ValueError
        An argument has the wrong shape or range; the message begins with its name.
    """
    y, chances, mask = _checked("has", has, inclusion, known, level)
    if held is not None:
        number("held", held, 0.0)
    if not np.isin(y, (0.0, 1.0)).all():
        raise ValueError("has: expected booleans, or numbers that are all 0 or 1")
    found = _spread(y, chances, mask, balance)
    share, count = found.mean, int(mask.sum())
    if found.left == 0:
        return _census(share)
    if count < 2:
        return Margin(share, np.nan, np.nan, np.nan)
    if held is not None:
        reach = held / count * _student(count - 1, level)
        return Margin(share, held / count, max(share - reach, 0.0), min(share + reach, 1.0))
    error = max(float(np.sqrt(found.variance)), ROUNDING / count)
    size = share * (1 - share) / error**2 if 0 < share < 1 else count / found.left
    low, high = _wilson(share, size, _student(found.freedom, level))
    return Margin(share, error, low, high)


def balancing_place(values: ArrayLike, balance: ArrayLike) -> int | None:
    """Return how many balancing equations must hold for the total of ``values`` to hold.

    Parameters
    ----------
    values
        Shape (N,): the variable for all documents of the frame.
    balance
        Shape (N, c): :func:`agents.fairness.balanced.balance_columns` of the frame; the size comes before them.

    Returns
    -------
    int or None
        1 for a constant, 2 for the first column, and so on; columns that follow from earlier ones do not count. None
        where the total is not held at all.
    """
    rest = finite_vector("values", values, least=1)
    columns = finite("balance", balance)
    if columns.ndim != 2 or len(columns) != rest.size:
        raise ValueError(f"balance: expected shape ({rest.size}, c), got {columns.shape}")
    enough = 1e-9 * max(float(np.linalg.norm(rest)), 1.0)
    basis = np.zeros((rest.size, 0))
    for column in np.column_stack([np.ones(rest.size), columns]).T:
        own = column - basis @ (basis.T @ column)
        own -= basis @ (basis.T @ own)
        length = float(np.linalg.norm(own))
        if length <= 1e-9 * float(np.linalg.norm(column)):
            continue
        basis = np.column_stack([basis, own / length])
        rest = rest - basis[:, -1] * float(basis[:, -1] @ rest)
        if float(np.linalg.norm(rest)) <= enough:
            return basis.shape[1]
    return None


def landing_deviation(place: int, variance: float, inclusion: ArrayLike, *, counted: bool = True) -> float:
    """Return the standard deviation of a total that the cube method holds as its ``place``-th equation.

    The landing gives the equations up from the last to the first, so this one is given up with ``place`` units left
    undecided. Each is decided with a variance of at most 1/4, and what a unit adds has the variable's ``variance``; a
    sample left to chance would vary by that times the sum of ``1 - inclusion``. A count is a whole number as well, and
    varies by :data:`ROUNDING` at least.

    Parameters
    ----------
    place
        From :func:`balancing_place`, at least 1.
    variance
        Of the variable over the frame: ``share (1 - share)`` of a characteristic.
    inclusion
        Shape (n,): inclusion probabilities of the sampled documents.
    counted
        The total is a number of documents; else a sum of measurements, which nothing rounds.

    Returns
    -------
    float
        In the unit of the total, documents for a count.
    """
    whole("place", place, 1)
    number("variance", variance, 0.0)
    chance = float((1 - finite_vector("inclusion", within("inclusion", inclusion, 0.0, 1.0))).sum())
    spread = min(place / 4, chance) * variance
    return float(np.sqrt(max(ROUNDING**2, spread) if counted else spread))


def held_margin(values: ArrayLike, inclusion: ArrayLike, held: float, *, level: float = 0.95) -> Margin:
    """Estimate a mean that the sample was balanced upon, with its margin of error.

    Parameters
    ----------
    values, inclusion, level
        As in :func:`design_margin`; all values are known.
    held
        Standard deviation of their total, from :func:`landing_deviation`.

    Returns
    -------
    Margin
        With Student's t of n - 1 degrees of freedom. NaN for a single value; a census has no error.

    Raises
    ------
    ValueError
        An argument has the wrong shape or range; the message begins with its name.
    """
    y, chances, _ = _checked("values", values, inclusion, None, level)
    number("held", held, 0.0)
    mean = float(y.mean())
    if not (1 - chances).any():
        return _census(mean)
    if y.size < 2:
        return Margin(mean, np.nan, np.nan, np.nan)
    reach = held / y.size * _student(y.size - 1, level)
    return Margin(mean, held / y.size, mean - reach, mean + reach)


def _census(mean: float) -> Margin:
    return Margin(mean, 0.0 if np.isfinite(mean) else np.nan, mean, mean)


def _checked(
    name: str, values: ArrayLike, inclusion: ArrayLike, known: ArrayLike | None, level: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return values (0 where unknown), inclusion probabilities and the mask of known values, each of shape (n,)."""
    y = numbers(name, values)
    if y.ndim != 1 or y.size == 0:
        raise ValueError(f"{name}: expected at least one document in one dimension, got shape {y.shape}")
    chances = finite_vector("inclusion", inclusion, length=y.size)
    if bool((chances <= 0).any()) or bool((chances > 1 + 1e-9).any()):
        raise ValueError("inclusion: expected probabilities in (0, 1]")
    mask = np.ones(y.size, dtype=np.bool_) if known is None else booleans("known", known, y.shape)
    number("level", level, 0.0, 1.0, ends="()")
    return finite_vector(name, np.where(mask, y, 0.0)), chances.clip(max=1.0), mask


def _spread(y: FloatArray, chances: FloatArray, known: BoolArray, balance: ArrayLike | None) -> _Spread:
    """Estimate mean, variance and skewness; see :func:`design_margin`."""
    n, count = y.size, int(known.sum())
    weight = 1 - chances
    left = float(weight.mean())
    columns = _regressors(balance, n, count)
    if count < 2:
        return _Spread(float(y[known].mean()) if count else np.nan, np.nan, 0.0, 1, left)
    mean = float(y[known].mean())
    linear = np.where(known, y - mean, 0.0) * n / count
    root = np.sqrt(weight)
    beta, _residual, rank, _singular = np.linalg.lstsq(columns * root[:, None], linear * root, rcond=None)
    error = linear - columns @ beta
    freedom = count - max(int(rank), 1)
    square = float(weight @ error**2)
    variance = square * count / freedom / n**2
    if variance <= (1e-9 * np.abs(y).max()) ** 2:
        return _Spread(mean, 0.0, 0.0, freedom, left)
    # Weighting both moments by 1 - inclusion keeps the skewness bounded where little is left to chance.
    skewness = float(weight @ error**3) * float(np.sqrt(weight.sum() / n)) / square**1.5
    return _Spread(mean, variance, skewness, freedom, left)


def _regressors(balance: ArrayLike | None, n: int, count: int) -> FloatArray:
    """Return the constant and the leading balancing variables, at most a fifth of the known values; shape (n, q)."""
    constant = np.ones((n, 1))
    if balance is None:
        return constant
    columns = numbers("balance", balance)
    if columns.ndim != 2 or len(columns) != n or not np.isfinite(columns).all():
        raise ValueError(f"balance: expected finite numbers of shape ({n}, c), got {columns.shape}")
    return np.column_stack([constant, columns[:, : max(1, count // 5) - 1]])


def _unskewed(reach: float, skewness: float) -> float:
    """Return the T whose transform by Hall's cubic is ``reach``; ``reach`` itself without skewness."""
    if abs(skewness) < 1e-6:
        return reach
    return float(3 / skewness * (np.cbrt(1 + skewness * (reach - skewness / 6)) - 1))


def _wilson(share: float, size: float, reach: float) -> tuple[float, float]:
    """Return Wilson's interval: the shares that are within ``reach`` of their own standard errors of ``share``."""
    extra = reach**2 / size
    centre = (share + extra / 2) / (1 + extra)
    half = float(np.sqrt(extra * share * (1 - share) + extra**2 / 4)) / (1 + extra)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def _student(freedom: int, level: float) -> float:
    from scipy.special import stdtrit  # scipy.stats would cost seconds

    return float(stdtrit(freedom, (1 + level) / 2))


__all__ = [
    "ROUNDING",
    "Margin",
    "balancing_place",
    "design_margin",
    "held_margin",
    "landing_deviation",
    "share_margin",
]
