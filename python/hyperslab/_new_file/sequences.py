"""Values as sequences of variable length in a shape that is known, so that it is clear what is an axis and what an element."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperslab._new_file.elements import array_of
from hyperslab.dtypes import check_vlen_dtype
from hyperslab.errors import InvalidError


def assigned_sequences(values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the sequences that are assigned to a selection of this shape: arrays of objects as they are; of numbers, the last
    axis is that of the sequences, as in h5py; other values in the shape of the selection."""
    is_object = isinstance(values, np.ndarray) and values.dtype.kind == "O" and values.size > 0
    if is_object and all(isinstance(value, (np.ndarray, list, tuple)) for value in values.flat):
        return values
    base = check_vlen_dtype(dtype)
    if np.dtype(base).hasobject:
        return sequences_in(values, shape, dtype)
    try:
        numbers = np.asarray(values, base)
    except (TypeError, ValueError):
        return _of_different_lengths(values, shape, dtype)
    if numbers.ndim == 0:
        return sequences_in(values, shape, dtype)
    array = np.empty(numbers.shape[:-1] or (1,), object)
    for place in np.ndindex(array.shape):
        array[place] = numbers[place] if numbers.ndim > 1 else numbers
    return array


def _of_different_lengths(values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A list of sequences, which is broadcast; lists of lists of them in the shape of the selection."""
    try:
        arrays = [np.asarray(value, check_vlen_dtype(dtype)) for value in values]
    except (TypeError, ValueError):
        return sequences_in(values, shape, dtype)
    if any(array.ndim != 1 for array in arrays):
        return sequences_in(values, shape, dtype)
    result = np.empty(len(arrays), object)
    for number, array in enumerate(arrays):
        result[number] = array
    return result


def sequences_in(values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an array of this shape, of which each element is a sequence. Without axes, the values are one sequence.

    Raises:
        ValueError: the values are not in this shape.
    """
    size = int(np.prod(shape, dtype=object))
    if not shape:
        if isinstance(values, np.ndarray) and values.dtype.kind == "O" and values.ndim == 0:
            return values.copy()
        one = np.empty((), object)
        one[()] = values
        return one
    array = array_of(values, dtype)
    if array.size == size:
        return array.reshape(shape).copy()
    result = np.empty(shape, object)
    for place in np.ndindex(shape):
        result[place] = _at(values, place, shape)
    return result


def _at(values: Any, place: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    for index, extent in zip(place, shape, strict=True):
        if not hasattr(values, "__len__") or len(values) != extent:
            raise InvalidError(f"the sequences are not in the shape {shape}")
        values = values[index]
    return values
