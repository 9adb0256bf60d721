"""What the values of a new dataset are read from, and their shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hyperslab._new_file.elements import array_of
from hyperslab._new_file.extents import Shape, shape_tuple
from hyperslab._new_file.ownership import copied
from hyperslab._new_file.packed import Packed, is_string_array, packed
from hyperslab.errors import InvalidError


def source_of(data: Any, dtype: np.dtype[Any], copy: bool) -> tuple[Any, bool]:
    """What the values of a dataset are read from, and whether it is an array of the dataset's own.

    Without `copy`, and of Dask, they are read when the file is written; all others are read now, because files may be closed,
    and memory used for something else, before.
    """
    is_array = isinstance(data, (np.ndarray, np.generic))
    if not is_array and _slices(data):
        if not copy or hasattr(data, "__dask_graph__"):
            return data, False
        return copied(np.asarray(array_of(data[whole(data.shape)], dtype.base))), True
    if isinstance(data, np.memmap) and not copy:
        return data, False
    if copy and is_string_array(data) and (texts := packed(data, dtype)) is not None:
        return texts, True
    array = array_of(data, dtype.base)
    if not dtype.hasobject:
        if isinstance(data, (list, tuple, np.generic)) or (is_array and not np.may_share_memory(array, data)):
            return array, True
    if not copy:
        return array, False
    return packed(array, dtype) or copied(array), True


def whole(shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Return the index of all elements; not every array knows `...`."""
    return tuple(slice(0, size) for size in shape)


def _slices(data: Any) -> bool:
    """True for arrays of which parts can be read. A slice of a column of pandas is by label."""
    return not hasattr(data, "iloc") and all(hasattr(data, name) for name in ("shape", "dtype", "__getitem__"))


def in_shape(
    name: str, source: Any, shape: Shape | None, dtype: np.dtype[Any]
) -> tuple[Any, tuple[int, ...] | None]:
    """The values of a dataset in the shape that is asked for (their own if none is), and that shape.

    Raises:
        ValueError: the shape has another number of elements, or the values are not in an array.
    """
    whole = None if source is None else _shape_of(source, dtype)
    if shape is None:
        return source, whole
    shape = shape_tuple(shape)
    if source is not None and shape != whole:
        if isinstance(source, Packed) and math.prod(shape) == math.prod(source.shape):
            return source.in_shape(shape), shape
        if not isinstance(source, np.ndarray) or source.size != np.prod(shape + dtype.shape, dtype=object):
            raise InvalidError(f"{name}: data of shape {whole} is not of shape {shape}")
        source = source.reshape(shape + dtype.shape)
    return source, shape


def _shape_of(source: Any, dtype: np.dtype[Any]) -> tuple[int, ...]:
    """The shape of a dataset with these values: NumPy's arrays of an array dtype have the axes of their elements, too."""
    shape = tuple(source.shape)
    return outer_shape(shape, dtype) if dtype.subdtype and isinstance(source, np.ndarray) else shape


def outer_shape(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """The shape without the axes that belong to the elements of an array dtype."""
    inner = dtype.shape
    if shape[len(shape) - len(inner) :] != inner:
        raise InvalidError(f"values of shape {shape} do not have the shape {inner} of their dtype at the end")
    return shape[: len(shape) - len(inner)]
