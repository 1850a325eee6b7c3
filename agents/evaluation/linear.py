"""Fit the linear heads: multinomial logistic regression with an L2 penalty, by L-BFGS, on scipy alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from store.enrich.features import Features
from store.enrich.heads import Head

ITERATIONS: Final = 150


def fit(
    features: Sequence[Features],
    labels: Sequence[str],
    classes: Sequence[str],
    *,
    inverse_penalty: float = 1.0,
    least_count: int = 3,
) -> Head:
    """Fit a head.

    Minimises ``inverse_penalty * sum_i loss_i + |W|^2 / 2``; the intercept is not penalised.

    Parameters
    ----------
    features, labels
        One item an example; ``labels`` are drawn from ``classes``.
    inverse_penalty
        Larger fits the examples more closely.
    least_count
        Features seen in fewer examples are dropped.

    Raises
    ------
    ValueError
        If there are no examples or the lengths differ.
    """
    if not features or len(features) != len(labels):
        raise ValueError(
            f"features and labels must be equally many and not none: {len(features)}, {len(labels)}"
        )
    counts = Counter(name for named in features for name in named)
    names = sorted(name for name, count in counts.items() if count >= least_count)
    index = {name: i for i, name in enumerate(names)}
    matrix = design(features, index)
    target = np.zeros((len(labels), len(classes)))
    target[np.arange(len(labels)), [list(classes).index(label) for label in labels]] = 1.0
    coefficients, intercept = _minimise(matrix, target, inverse_penalty)
    return Head(tuple(classes), index, coefficients.astype(np.float32), intercept.astype(np.float32))


def design(features: Sequence[Features], index: dict[str, int]) -> Any:
    """Return the sparse matrix, shape (len(features), len(index)), of the features that ``index`` knows."""
    from scipy.sparse import csr_array

    pointer, columns, values = [0], [], []
    for named in features:
        for name, value in named.items():
            column = index.get(name)
            if column is not None:
                columns.append(column)
                values.append(value)
        pointer.append(len(columns))
    return csr_array((values, columns, pointer), shape=(len(features), len(index)), dtype=np.float64)


def _minimise(
    matrix: Any, target: NDArray[np.float64], inverse_penalty: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from scipy.optimize import minimize

    columns = matrix.shape[1]
    classes = target.shape[1]
    transposed = matrix.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        coefficients = flat[: columns * classes].reshape(columns, classes)
        scores = matrix @ coefficients + flat[columns * classes :]
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        error = (np.exp(logs) - target) * inverse_penalty
        gradient = transposed @ error + coefficients
        value = -inverse_penalty * float((logs * target).sum()) + 0.5 * float((coefficients**2).sum())
        return value, np.concatenate([gradient.ravel(), error.sum(axis=0)])

    found = minimize(
        loss,
        np.zeros((columns + 1) * classes),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": ITERATIONS, "maxcor": 20, "ftol": 1e-7, "gtol": 1e-2},
    )
    flat = found.x
    return flat[: columns * classes].reshape(columns, classes), flat[columns * classes :]


def calibrated(head: Head, features: Sequence[Features], labels: Sequence[str]) -> Head:
    """Return ``head`` with the temperature that makes held-out ``labels`` likeliest (Guo et al. 2017)."""
    from dataclasses import replace

    from scipy.optimize import minimize_scalar

    scores = head.scores(features).astype(np.float64)
    truth = np.array([head.classes.index(label) for label in labels])

    def surprise(temperature: float) -> float:
        scaled = scores * temperature
        scaled -= scaled.max(axis=1, keepdims=True)
        logs = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
        return -float(logs[np.arange(len(truth)), truth].mean())

    best = minimize_scalar(surprise, bounds=(0.1, 3.0), method="bounded")
    return replace(head, temperature=float(best.x))


__all__ = ["ITERATIONS", "calibrated", "design", "fit"]
