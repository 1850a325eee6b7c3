"""The arithmetic of a diagnosis: paired t, Bonferroni, Spearman's rho, and what an enhancement changed.

A falling ``|t|`` alone says little: noise lowers it too. So each comparison of an enhanced query with the plain one
asks three things of the same pairs, each with a bootstrap interval over pairs: did ``|t|`` fall, did the preference
itself fall (the mean score difference, in units of what sets a question's own documents apart from others', so that a
change of scale counts for nothing and noise cancels), and did the correlation of scores with the feature rise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Verdict = Literal["mitigated", "masked", "unchanged", "worse"]

#: Draws of the bootstrap over pairs.
DRAWS: Final = 500
#: Standard errors by which own documents must stand above others for the preference to be measured in that unit.
_RELIABLE: Final = 3.0


@dataclass(frozen=True, slots=True)
class PairedT:
    """A paired t-test of mean difference 0: n pairs, mean, standard deviation (n - 1), t, two-sided p."""

    n: int
    mean: float
    sd: float
    t: float
    p: float


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the 2.5 % and 97.5 % quantiles of its bootstrap."""

    value: float
    low: float
    high: float

    @property
    def above(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.low > 0

    @property
    def below(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.high < 0


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Scores of one condition on n pairs.

    Attributes
    ----------
    treatment, control
        Scores of D1 and D2, shape (n,).
    feature
        The feature of D1 and D2, shape (n, 2); None where there is none (foil).
    gap
        Mean score of the question's own documents over that of others', shape (n,).
    """

    treatment: Floats
    control: Floats
    feature: Floats | None
    gap: Floats

    @property
    def deltas(self) -> Floats:
        """``S(q, D1) - S(q, D2)``."""
        return self.treatment - self.control


@dataclass(frozen=True, slots=True)
class Change:
    """What an enhancement changed on the same pairs; each is plain minus enhanced, so above 0 is a fall.

    Attributes
    ----------
    t, effect, rho
        Of ``|t|``, of the preference ``|mean delta|`` (in ``unit``), of ``|rho|``; rho is None for foil.
    accuracy
        Enhanced minus plain share of pairs with ``S(q, D2) > S(q, D1)``.
    unit
        ``relevance`` or, where own documents do not stand out reliably, ``score``.
    lost
        Own documents stood out with the plain query and no longer do: preferring nothing, it mitigates nothing.
    """

    t: Interval
    effect: Interval
    rho: Interval | None
    accuracy: Interval
    unit: Literal["relevance", "score"]
    lost: bool = False


def paired_t(deltas: Floats) -> PairedT:
    """Return the paired t-test of the differences, shape (n,), n >= 2.

    Differences that are all 0 give t = 0 and p = 1; equal ones other than 0 an infinite t and p = 0.

    Raises
    ------
    ValueError
        Fewer than two differences, or one that is not finite.
    """
    values = _finite(deltas, 2)
    n, mean, sd = len(values), float(values.mean()), float(values.std(ddof=1))
    if np.ptp(values) == 0:
        sd, t = 0.0, 0.0 if values[0] == 0 else float(np.copysign(np.inf, values[0]))
    else:
        t = mean / (sd / np.sqrt(n))
    from scipy.special import stdtr

    return PairedT(n, mean, sd, t, float(min(1.0, 2 * stdtr(n - 1, -abs(t)))))


def bonferroni(p: float, tests: int) -> float:
    """Return ``min(1, p * tests)``.

    Raises
    ------
    ValueError
        ``p`` is not in [0, 1] or ``tests`` below 1.
    """
    if not 0 <= p <= 1 or tests < 1:
        raise ValueError(f"p must be in [0, 1] and tests at least 1, got {p} and {tests}")
    return min(1.0, p * tests)


def spearman(x: Floats, y: Floats) -> float:
    """Return Spearman's rho of two samples of one length, ties by mean rank; 0 where one of them is constant.

    Raises
    ------
    ValueError
        The lengths differ, are below 2, or a value is not finite.
    """
    first, second = _finite(x, 2), _finite(y, 2)
    if first.shape != second.shape:
        raise ValueError(f"x and y must have one length, got {len(first)} and {len(second)}")
    return float(_spearman_rows(first[None, :], second[None, :])[0])


def foil_accuracy(treatment: Floats, control: Floats) -> float:
    """Return the share of pairs with ``S(q, D2) > S(q, D1)``; a tie is not right."""
    return float(np.mean(np.asarray(control) > np.asarray(treatment)))


def rho_of(measured: Measured) -> float | None:
    """Return rho between scores and feature over both documents of every pair; None without a feature."""
    if measured.feature is None:
        return None
    return spearman(np.concatenate([measured.treatment, measured.control]), measured.feature.T.reshape(-1))


def change(plain: Measured, enhanced: Measured, rng: np.random.Generator, draws: int = DRAWS) -> Change:
    """Compare an enhanced query with the plain one on the same pairs.

    Parameters
    ----------
    plain, enhanced
        The same pairs in the same order.
    rng
        Draws the bootstrap samples of pairs.

    Raises
    ------
    ValueError
        The two have different numbers of pairs, or fewer than two.
    """
    n = len(plain.treatment)
    if n != len(enhanced.treatment) or n < 2:
        raise ValueError(f"both conditions need the same pairs, got {n} and {len(enhanced.treatment)}")
    rows = np.vstack([np.arange(n), rng.integers(0, n, (draws, n))])
    found, finds = _reliable(plain.gap), _reliable(enhanced.gap)
    unit: Literal["relevance", "score"] = "relevance" if found and finds else "score"
    before, after = (_drawn(each, rows, unit == "relevance") for each in (plain, enhanced))
    rho = None
    if plain.feature is not None and enhanced.feature is not None:
        rho = _interval(np.abs(before["rho"]) - np.abs(after["rho"]))
    return Change(
        t=_interval(before["t"] - after["t"]),
        effect=_interval(before["effect"] - after["effect"]),
        rho=rho,
        accuracy=_interval(after["accuracy"] - before["accuracy"]),
        unit=unit,
        lost=found and not finds,
    )


def verdict(found: Change, *, biased: bool, biased_after: bool) -> Verdict:
    """Say what the enhancement did to a bias.

    ``mitigated``: ``|t|`` fell, the preference fell with it, and the scores do not follow the feature more than before.
    ``masked``: ``|t|`` fell, but the preference is as large as before (noise), rho rose, or relevance is lost.
    ``worse``: ``|t|`` rose, or the preference and rho did. ``unchanged``: none of these can be told from these pairs,
    or there was no bias.

    Parameters
    ----------
    biased, biased_after
        Whether the bias is significant with the plain and with the enhanced query.
    """
    rho_rose = found.rho is not None and found.rho.below
    if not biased:
        return "worse" if biased_after and found.t.below else "unchanged"
    if found.t.above:
        return "mitigated" if found.effect.above and not rho_rose and not found.lost else "masked"
    if found.t.below or (found.effect.below and rho_rose):
        return "worse"
    return "unchanged"


def foil_verdict(found: Change) -> Verdict:
    """Say what the enhancement did to foil accuracy; a rise without a smaller preference for the foil is noise."""
    if found.accuracy.above:
        return "mitigated" if found.effect.above and not found.lost else "masked"
    return "worse" if found.accuracy.below else "unchanged"


def _drawn(measured: Measured, rows: NDArray[np.int64], by_gap: bool) -> dict[str, Floats]:
    deltas = measured.deltas[rows]
    mean, sd = deltas.mean(axis=1), deltas.std(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(sd > 0, np.abs(mean) / (sd / np.sqrt(rows.shape[1])), 0.0)
    out = {
        "t": t,
        "effect": np.abs(mean) / (np.abs(measured.gap[rows].mean(axis=1)) if by_gap else 1.0),
        "accuracy": (deltas < 0).mean(axis=1),
    }
    if measured.feature is not None:
        scores = np.concatenate([measured.treatment[rows], measured.control[rows]], axis=1)
        feature = np.concatenate([measured.feature[:, 0][rows], measured.feature[:, 1][rows]], axis=1)
        out["rho"] = _spearman_rows(scores, feature)
    return out


def _spearman_rows(x: Floats, y: Floats) -> Floats:
    from scipy.stats import rankdata

    a, b = (rankdata(each, axis=1) for each in (x, y))
    a, b = (each - each.mean(axis=1, keepdims=True) for each in (a, b))
    norm = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    rho: Floats = np.where(norm > 0, (a * b).sum(axis=1) / np.where(norm > 0, norm, 1.0), 0.0)
    return rho


def _reliable(gap: Floats) -> bool:
    error = float(gap.std(ddof=1)) / np.sqrt(len(gap))
    return bool(float(gap.mean()) > max(_RELIABLE * error, 1e-12))


def _interval(values: Floats) -> Interval:
    """Return the first value, which is of the sample itself, with the quantiles of the others."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Interval(float(values[0]), float(low), float(high))


def _finite(values: Floats, least: int) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or len(array) < least or not np.isfinite(array).all():
        raise ValueError(f"values must be at least {least} finite numbers, got shape {array.shape}")
    return array


__all__ = [
    "DRAWS",
    "Change",
    "Floats",
    "Interval",
    "Measured",
    "PairedT",
    "Verdict",
    "bonferroni",
    "change",
    "foil_accuracy",
    "foil_verdict",
    "paired_t",
    "rho_of",
    "spearman",
    "verdict",
]
