"""Checks of arguments: each returns the value in its own type, or raises ValueError that begins with the name.

A public function checks what it is given before it computes: NaN, a code out of range or a broken number of documents
must not come back as a wrong result, nor as an error that names no argument.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from math import inf, isinf
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
T = TypeVar("T")
_NUMBER: Final = (int, float, np.integer, np.floating)

#: Largest finite number; comparing with it tells NaN and infinities apart, and never overflows.
_MOST: Final = sys.float_info.max
#: By how much sums of shares, and means of numbers in a range, may be off by rounding.
_ROUNDING: Final = 1e-6


def instance(name: str, value: object, kind: type[T]) -> T:
    """Return ``value`` if it is of this class (a pool, a prepared problem, a random generator)."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}: expected a {kind.__name__}, got {_said(value)}")
    return value


def mapping(name: str, value: object) -> Mapping[Any, Any]:
    """Return ``value`` if it gives something for each name."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: expected something for each name, as a dict, got {_said(value)}")
    return value


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return ``value`` if it is one of these words."""
    words = tuple(allowed)
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name}: expected one of {', '.join(words)}, got {_said(value)}")
    return value


def whole(name: str, value: object, least: int | None = None) -> int:
    """Return ``value`` if it is a whole number, at least ``least``; True and 2.0 are none."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        found = int(value)
        if least is None or found >= least:
            return found
    wanted = "a whole number" if least is None else f"a whole number of at least {least}"
    raise ValueError(f"{name}: expected {wanted}, got {_said(value)}")


def number(name: str, value: object, low: float = -inf, high: float = inf, *, ends: str = "[]") -> float:
    """Return ``value`` if it is a finite number between ``low`` and ``high``; round ``ends`` are left out."""
    if isinstance(value, _NUMBER) and not isinstance(value, bool) and -_MOST <= value <= _MOST:
        above = value >= low if ends[0] == "[" else value > low
        below = value <= high if ends[1] == "]" else value < high
        if above and below:
            return float(value)
    raise ValueError(f"{name}: expected {_range(low, high, ends)}, got {_said(value)}")


def seconds(name: str, value: object) -> float:
    """Return ``value`` if it is a time limit: a number of at least 0, or infinity for none."""
    return inf if isinstance(value, float) and value == inf else number(name, value, 0.0)


def numbers(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as numbers of any shape; NaN and infinities pass."""
    array = _array(name, value)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected numbers, got {_said(value)}")
    return array.astype(np.float64, copy=False)


def finite(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as finite numbers of any shape."""
    array = numbers(name, value)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: holds NaN or infinite values")
    return array


def finite_vector(name: str, value: ArrayLike, *, length: int | None = None, least: int = 0) -> FloatArray:
    """Return ``value`` as a finite float vector, of this length or of at least that many numbers."""
    vector = numbers(name, value)
    if vector.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, got shape {vector.shape}")
    if vector.size < least:
        raise ValueError(f"{name}: expected at least {least} numbers, got {vector.size}")
    if length is not None and vector.size != length:
        raise ValueError(f"{name}: expected length {length}, got {vector.size}")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name}: holds NaN or infinite values")
    return vector


def non_negative(name: str, value: ArrayLike, *, length: int | None = None) -> FloatArray:
    """Return ``value`` as a finite float vector without negative numbers."""
    vector = finite_vector(name, value, length=length)
    if bool((vector < 0).any()):
        raise ValueError(f"{name}: holds negative values")
    return vector


def counts_of(name: str, value: ArrayLike, *, length: int | None = None) -> FloatArray:
    """Return ``value`` as a float vector of whole numbers, none negative."""
    vector = non_negative(name, value, length=length)
    if bool((vector != np.floor(vector)).any()):
        raise ValueError(f"{name}: expected whole numbers")
    return vector


def shares_of(name: str, value: ArrayLike, *, length: int | None = None) -> FloatArray:
    """Return ``value`` as it is if it is a probability vector: non-negative, sum 1 within 1e-6."""
    vector = finite_vector(name, value, length=length)
    total = float(vector.sum())
    if vector.size == 0 or bool((vector < 0).any()) or abs(total - 1.0) > _ROUNDING:
        raise ValueError(f"{name}: expected non-negative shares that sum to 1, got sum {total:.6g}")
    return vector


def probabilities(name: str, value: ArrayLike, *, length: int | None = None) -> FloatArray:
    """Return ``value`` as a probability vector (non-negative, sum 1 within 1e-6, renormalised exactly)."""
    vector = shares_of(name, value, length=length)
    return vector / float(vector.sum())


def within(name: str, value: ArrayLike, low: float, high: float) -> FloatArray:
    """Return ``value`` as finite numbers between two bounds, of any shape; rounding may pass them by 1e-9."""
    array = finite(name, value)
    if bool((array < low - 1e-9).any()) or bool((array > high + 1e-9).any()):
        raise ValueError(f"{name}: expected numbers in [{low:g}, {high:g}]")
    return array


def integers(name: str, value: ArrayLike, *, length: int | None = None) -> IntArray:
    """Return ``value`` as a vector of integers."""
    array = _array(name, value)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ValueError(f"{name}: expected a vector of integers, got {array.dtype} of shape {array.shape}")
    if length is not None and array.size != length:
        raise ValueError(f"{name}: expected length {length}, got {array.size}")
    return array.astype(np.intp, copy=False)


def codes_of(name: str, value: ArrayLike, low: int, high: int, *, length: int | None = None) -> IntArray:
    """Return ``value`` as a vector of integers in ``low``..``high``."""
    codes = integers(name, value, length=length)
    if codes.size and (codes.min() < low or codes.max() > high):
        raise ValueError(f"{name}: expected integers in {low}..{high}")
    return codes


def booleans(name: str, value: ArrayLike, shape: tuple[int, ...] | None = None) -> BoolArray:
    """Return ``value`` as booleans, of this shape if one is given; an empty list will do for none."""
    array = _array(name, value)
    if (array.dtype != np.bool_ and array.size) or (shape is not None and array.shape != shape):
        wanted = "booleans" if shape is None else f"booleans of shape {shape}"
        raise ValueError(f"{name}: expected {wanted}, got {array.dtype} of shape {array.shape}")
    return array.astype(np.bool_, copy=False)


def identifiers(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return ``value`` as integers or words that tell things apart, of any shape."""
    array = _array(name, value)
    if array.dtype.kind not in "iuU" and array.size:
        raise ValueError(f"{name}: expected integers or words, got {array.dtype} of shape {array.shape}")
    return array


def pairs(name: str, value: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return the members if each is a pair, such as group codes and their shares."""
    members = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not all(isinstance(each, (tuple, list)) and len(each) == 2 for each in members):
        raise ValueError(f"{name}: expected pairs, got {_said(value)}")
    return [(each[0], each[1]) for each in members]


def _array(name: str, value: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: expected rows of equal length") from error


def _range(low: float, high: float, ends: str) -> str:
    if isinf(high):
        if isinf(low):
            return "a finite number"
        return f"a finite number {'of at least' if ends[0] == '[' else 'above'} {low:g}"
    return f"a number in {ends[0]}{low:g}, {high:g}{ends[1]}"


def _said(value: object) -> str:
    """Say a value in a few words, on one line."""
    if isinstance(value, str):
        return repr(value[:40])
    if value is None or isinstance(value, (*_NUMBER, np.generic)):
        return str(value)[:40]
    return f"a {type(value).__name__}"


__all__ = [
    "BoolArray",
    "booleans",
    "codes_of",
    "counts_of",
    "finite",
    "finite_vector",
    "identifiers",
    "instance",
    "integers",
    "mapping",
    "non_negative",
    "number",
    "numbers",
    "one_of",
    "pairs",
    "probabilities",
    "seconds",
    "shares_of",
    "whole",
    "within",
]
