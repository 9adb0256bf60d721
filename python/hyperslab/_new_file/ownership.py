"""Copies of arrays, of which nothing is shared: an array of objects holds arrays itself."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The bytes from which on several threads copy an array, and the number of threads beyond which that is not faster.
_LARGE = 8 << 20
_THREADS_MAX = 8


def copied(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of an array, and of the arrays that are its elements or members."""
    if array.nbytes >= _LARGE and array.ndim and not array.dtype.hasobject:
        return _copied_by_threads(array)
    result = np.array(array, order="C", copy=True)
    if result.dtype.hasobject:
        _copy_elements(result)
    return result


def _copied_by_threads(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of a large array without objects: writing to new memory takes most of the time, which threads share."""
    result = np.empty(array.shape, array.dtype)
    parts = min(os.cpu_count() or 1, _THREADS_MAX, len(array))
    bounds = [len(array) * number // parts for number in range(parts + 1)]

    def copy(number: int) -> None:
        part = slice(bounds[number], bounds[number + 1])
        np.copyto(result[part], array[part])

    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(copy, range(parts)))
    return result


def _copy_elements(array: NDArray[Any]) -> None:
    """Replace arrays in an array that nothing else uses by copies."""
    if array.dtype.names is not None:
        for name in array.dtype.names:
            if array.dtype[name].hasobject:
                _copy_elements(array[name])
        return
    if array.dtype.kind != "O":
        return
    flat = array.reshape(-1)
    # Texts are of a few types, which takes less time to see than to look at each.
    if not any(issubclass(kind, np.ndarray) for kind in set(map(type, flat))):
        return
    for number, value in enumerate(flat):
        if isinstance(value, np.ndarray):
            flat[number] = value.copy() if type(value) is np.ndarray and value.dtype.kind != "O" else copied(value)
    # A member of compounds has gaps between its elements, so that its flat form may be a copy.
    if not np.may_share_memory(flat, array):
        for place, value in zip(np.ndindex(array.shape), flat, strict=True):
            array[place] = value
