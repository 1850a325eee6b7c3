"""How bias in the retrieved documents reaches the answer: position weights with their errors (FARO, stage 2).

``Rb = sum_p w_p Eb_p + b`` (eq. 4) is fitted answer by answer on the groups that were really shown, with an effect
for each question, and errors are clustered by question: the same questions recur under many settings, so settings
are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import finite_vector, identifiers, instance, number, numbers, whole, within
from agents.fairness.designs import (
    Design,
    Plan,
    Runs,
    block_size,
    grid_settings,
    orthogonal_array,
    plan,
    runs_of,
)

Floats = NDArray[np.float64]

#: A variance below it is none.
EXACT = 1e-18


@dataclass(frozen=True, eq=False)
class PropagationFit:
    """Position weights of one model, attribute and k.

    Attributes
    ----------
    weights, intercept
        ``w`` of shape (k,) and ``b = Lb + eps``, in units of the bias score. Negative weights are real results.
    covariance
        Shape (k + 1, k + 1), of ``(w_1 .. w_k, b)``, clustered.
    interval
        Shape (k + 1, 2): confidence intervals of ``(w_1 .. w_k, b)`` (Student's t, questions - 1 degrees).
    level
        Their nominal coverage.
    r_squared
        Share of the variance of single answers that the positions and the intercept explain.
    r_squared_settings
        The same for mean answers by setting of the groups shown, as the paper plots it.
    answers, questions
        How many there were; ``questions`` counts the clusters of errors where questions share them.
    refusal_rate
        Share of answers for neither option; they count 0.
    """

    weights: Floats
    intercept: float
    covariance: Floats
    interval: Floats
    level: float
    r_squared: float
    r_squared_settings: float
    answers: int
    questions: int
    refusal_rate: float

    @property
    def k(self) -> int:
        """Number of positions."""
        return int(self.weights.size)

    @property
    def standard_errors(self) -> Floats:
        """Of ``(w_1 .. w_k, b)``, shape (k + 1,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def predict(self, embedding_bias: ArrayLike) -> tuple[float, float]:
        """Predicted Rb of one setting, shape (k,), with its standard error ``sqrt([Eb, 1] Cov [Eb, 1]')``."""
        eb = within("embedding_bias", embedding_bias, -1.0, 1.0)
        if eb.shape != self.weights.shape:
            raise ValueError(f"embedding_bias must have shape {self.weights.shape}, got {eb.shape}")
        x = np.append(eb, 1.0)
        return float(eb @ self.weights) + self.intercept, float(np.sqrt(max(0.0, x @ self.covariance @ x)))


@dataclass(frozen=True, slots=True)
class Validation:
    """Settings that should give the wanted Rb, run and compared with plain retrieval (FARO, figure 5).

    Attributes
    ----------
    mean_absolute_bias
        Mean of ``|Rb - target|`` over the sampled settings, as realised.
    vanilla_absolute_bias
        The same for plain retrieval.
    mean_error, root_mean_square_error
        Realised minus predicted Rb: its mean, and its root mean square.
    covered
        Share of settings whose realised Rb lies within 95 % of sampling and fit error of the prediction.
    settings
        How many settings.
    """

    mean_absolute_bias: float
    vanilla_absolute_bias: float
    mean_error: float
    root_mean_square_error: float
    covered: float
    settings: int

    @property
    def improved(self) -> bool:
        """Whether the neutral settings came closer to the target than plain retrieval."""
        return self.mean_absolute_bias < self.vanilla_absolute_bias


def fit(
    answers: ArrayLike,
    question: ArrayLike,
    groups: ArrayLike,
    *,
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> PropagationFit:
    """Fit the position weights.

    Parameters
    ----------
    answers
        Shape (n,): group that the answer favours, -1 or +1, and 0 for a refusal.
    question
        Shape (n,): identifier of the question; at least two different ones.
    groups
        Shape (n, k): group really shown at each position, -1 or +1 (0 for a neutral document).
    cluster
        Shape (n,): what errors are shared by, such as the thing that several questions are on; default: the question.
    level
        Coverage of the intervals.

    Notes
    -----
    Ordinary least squares on deviations from question means. With A the sum of squares of the deviations x and u
    the residuals, cluster g moves w by ``A^-1 x_g' u_g`` and b by its share of the mean residual minus
    ``mean(e)`` times that; the covariance is ``G / (G - 1)`` times the sum of the outer products.

    Where all clusters move a weight, or the intercept, alike, that says zero, though no finite number of answers leaves
    no doubt: there the error of answers of which one in n + 1 is the opposite is added.

    Raises
    ------
    ValueError
        If shapes disagree, a value is out of range, there is one question only, or some position never varies
        within a question (its weight cannot be told apart).
    """
    y, e, ids = numbers("answers", answers), numbers("groups", groups), identifiers("question", question)
    if y.ndim != 1 or y.size == 0:
        raise ValueError(f"answers must have shape (n,) with n >= 1, got {y.shape}")
    if e.ndim != 2 or e.shape[0] != y.size or e.shape[1] == 0:
        raise ValueError(f"groups must have shape ({y.size}, k), got {e.shape}")
    if ids.shape != y.shape:
        raise ValueError(f"question must have shape {y.shape}, got {ids.shape}")
    shared = ids if cluster is None else identifiers("cluster", cluster)
    if shared.shape != y.shape:
        raise ValueError(f"cluster must have shape {y.shape}, got {shared.shape}")
    if not np.isin(y, (-1.0, 0.0, 1.0)).all():
        raise ValueError("answers must hold -1, 0 or +1 only")
    if not np.isin(e, (-1.0, 0.0, 1.0)).all():
        raise ValueError("groups must hold -1, 0 or +1 only")
    number("level", level, 0.0, 1.0, ends="()")
    _, asked = np.unique(ids, return_inverse=True)
    _, place = np.unique(shared, return_inverse=True)
    G, k, n = int(place.max()) + 1, e.shape[1], y.size
    if asked.max() < 1:
        raise ValueError("question: at least two different questions are needed")
    if G < 2:
        raise ValueError("cluster: at least two different clusters are needed")
    size = np.bincount(asked)
    x = e - _means(e, asked, size)[asked]
    information = x.T @ x
    if np.linalg.matrix_rank(information, tol=1e-9 * n) < k:
        raise ValueError("groups: some position never varies within a question, or two always vary together")
    centred = y - _means(y[:, None], asked, size)[asked, 0]
    inverse = np.linalg.inv(information)
    w = inverse @ (x.T @ centred)
    b = float((y - e @ w).mean())
    score = np.zeros((G, k))
    np.add.at(score, place, x * (centred - x @ w)[:, None])
    influence = np.empty((G, k + 1))
    influence[:, :k] = score @ inverse
    rest = np.bincount(place, weights=y - e @ w - b)
    influence[:, k] = rest / n - influence[:, :k] @ e.mean(axis=0)
    covariance = influence.T @ influence * (G / (G - 1))
    if float(np.diag(covariance).min()) < EXACT:
        covariance += _one_other_answer(np.asarray(inverse, np.float64), np.asarray(e.mean(axis=0)), n)
    from scipy.special import stdtrit

    half = float(stdtrit(G - 1, 0.5 + level / 2)) * np.sqrt(np.diag(covariance))
    centre = np.append(w, b)
    fitted = e @ w + b
    return PropagationFit(
        w,
        b,
        covariance,
        np.column_stack((centre - half, centre + half)),
        level,
        _explained(y, fitted, np.ones(n)),
        _explained_by_setting(y, fitted, e),
        int(n),
        G,
        float((y == 0).mean()),
    )


def _one_other_answer(inverse: Floats, mean: Floats, n: int) -> Floats:
    """Return the covariance of ``(w, b)`` that one answer more, the opposite of what the line says, would leave."""
    noise = 4 / (n + 1)
    shift = np.vstack((np.eye(mean.size), -mean))
    covariance = shift @ (noise * inverse) @ shift.T
    covariance[-1, -1] += noise / n
    return np.asarray(covariance)


def neutral_settings(
    fitted: PropagationFit, count: int, rng: np.random.Generator, *, target: float = 0.0
) -> Floats:
    """Sample settings of Eb whose predicted Rb equals ``target``, uniformly; shape (count, k), in [-1, 1].

    Hit-and-run on the slice of the cube, so that any k and any signs of the weights are served.

    Raises
    ------
    ValueError
        If no setting reaches the target.
    """
    instance("fitted", fitted, PropagationFit)
    whole("count", count, 0)
    instance("rng", rng, np.random.Generator)
    number("target", target)
    w, k = fitted.weights, fitted.k
    gap = target - fitted.intercept
    reach = float(np.abs(w).sum())
    if abs(gap) > reach or reach == 0:
        raise ValueError(
            f"target {target:g} is out of reach: predicted Rb spans {fitted.intercept:g} +- {reach:g}"
        )
    point = np.sign(w) * (gap / reach)
    normal = w / np.linalg.norm(w)
    result = np.empty((count, k))
    for i in range(count):
        for _ in range(20 * k if k > 1 else 0):
            direction = rng.standard_normal(k)
            direction -= (direction @ normal) * normal
            moving = np.abs(direction) > 1e-12
            low = np.max((-np.sign(direction) - point)[moving] / direction[moving], initial=-np.inf)
            high = np.min((np.sign(direction) - point)[moving] / direction[moving], initial=np.inf)
            if low < high:
                point = np.clip(point + rng.uniform(low, high) * direction, -1.0, 1.0)
        result[i] = point
    return result


def validate(
    fitted: PropagationFit,
    embedding_bias: ArrayLike,
    realised: ArrayLike,
    samples: int,
    vanilla: float,
    *,
    target: float = 0.0,
) -> Validation:
    """Compare realised with predicted Rb.

    Parameters
    ----------
    embedding_bias
        Shape (S, k): realised mean group by position of each setting.
    realised
        Shape (S,): bias score of the answers of each setting.
    samples
        Questions asked under each setting, for the sampling error.
    vanilla
        Bias score of plain retrieval on the same questions.
    """
    instance("fitted", fitted, PropagationFit)
    eb, rb = within("embedding_bias", embedding_bias, -1.0, 1.0), finite_vector("realised", realised)
    if eb.ndim != 2 or eb.shape[1] != fitted.k or eb.shape[0] == 0:
        raise ValueError(f"embedding_bias must have shape (S, {fitted.k}), got {eb.shape}")
    if rb.shape != (eb.shape[0],) or not (np.abs(rb) <= 1).all():
        raise ValueError(f"realised must hold bias scores of shape {(eb.shape[0],)}")
    whole("samples", samples, 1)
    number("vanilla", vanilla, -1.0, 1.0)
    number("target", target)
    predicted = np.array([fitted.predict(row) for row in eb])
    error = rb - predicted[:, 0]
    spread = np.sqrt(predicted[:, 1] ** 2 + np.maximum(1.0 - rb**2, 0.0) / samples)
    return Validation(
        float(np.abs(rb - target).mean()),
        abs(float(vanilla) - target),
        float(error.mean()),
        float(np.sqrt((error**2).mean())),
        float((np.abs(error) <= 1.96 * spread + 1e-12).mean()),
        int(rb.size),
    )


def _means(values: Floats, cluster: NDArray[np.int64], size: NDArray[np.int64]) -> Floats:
    total = np.zeros((size.size, values.shape[1]))
    np.add.at(total, cluster, values)
    return np.asarray(total / size[:, None])


def _explained(y: Floats, fitted: Floats, mass: Floats) -> float:
    """R^2 with masses; NaN if the answers never vary."""
    mean = float(np.average(y, weights=mass))
    total = float((mass * (y - mean) ** 2).sum())
    return float("nan") if total == 0 else 1.0 - float((mass * (y - fitted) ** 2).sum()) / total


def _explained_by_setting(y: Floats, fitted: Floats, e: Floats) -> float:
    _, setting, size = np.unique(e, axis=0, return_inverse=True, return_counts=True)
    setting = setting.ravel()
    mean = np.bincount(setting, weights=y) / size
    predicted = np.bincount(setting, weights=fitted) / size
    return _explained(mean, predicted, size.astype(np.float64))


__all__ = [
    "Design",
    "Plan",
    "PropagationFit",
    "Runs",
    "Validation",
    "block_size",
    "fit",
    "grid_settings",
    "neutral_settings",
    "orthogonal_array",
    "plan",
    "runs_of",
    "validate",
]
