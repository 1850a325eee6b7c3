"""A scale for relevances: solvers know absolute tolerances only, in which relevances of 1e-6 vanish."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

#: HiGHS ends within 1e-6 of an integer optimum whatever it is asked; costs are multiplied so that this is nothing.
FINE: Final = 1e3


def zero_and_unit(relevance: NDArray[np.float64], present: NDArray[np.bool_]) -> tuple[float, float]:
    """Relevance to subtract and to divide by so that most relevances of (Q, N) lie between 0 and 1.

    Lower end and range are the middle ones of the questions: a single outlier does not squeeze all others together.
    """
    low = np.where(present, relevance, np.inf).min(axis=1)
    spread = np.where(present, relevance, -np.inf).max(axis=1) - low
    unit = (
        float(np.median(spread))
        or float(spread.max())
        or float(np.ptp(low))
        or float(np.abs(low).max())
        or 1.0
    )
    return float(np.median(low)), unit


__all__ = ["FINE", "zero_and_unit"]
