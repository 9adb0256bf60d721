"""Copies of arrays, of which nothing is shared: an array of objects holds arrays itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def copied(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of an array, and of the arrays that are its elements or members."""
    result = np.array(array, order="C", copy=True)
    if result.dtype.hasobject:
        _copy_elements(result)
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
