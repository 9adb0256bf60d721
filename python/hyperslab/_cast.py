"""Conversion of values to another dtype, by HDF5's rules.

Where NumPy wraps around, HDF5 clips: 300 as an int8 is 127. Compounds are matched by the names of their members.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperslab._empty import Empty
from hyperslab.errors import WrongTypeError


def cast(found: Any, dtype: np.dtype[Any]) -> Any:
    """Return `found`, an array or scalar, converted to `dtype`; scalars stay scalars."""
    if isinstance(found, Empty):
        return found
    source = np.asarray(found)
    if source.dtype == dtype and source.dtype.metadata == dtype.metadata:
        return found
    result = _cast(source, dtype)
    return result if isinstance(found, np.ndarray) else result[()]


def _cast(source: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if source.size == 0:
        # As in libhdf5, no element needs a conversion that does not exist.
        return np.empty(source.shape, dtype)
    kinds = source.dtype.kind + dtype.kind
    if kinds == "VV" and source.dtype.names and dtype.names:
        result = np.zeros(source.shape, dtype=dtype)
        for name in dtype.names:
            if name in source.dtype.names:
                result[name] = _cast(source[name], result.dtype[name].base)
        return result
    if dtype.kind in "iu" and source.dtype.kind in "iuf":
        return _clip(source, dtype)
    if kinds == "OT":
        return _as_str(source).astype(dtype)
    if dtype.kind == "U" and source.dtype.kind in "OS":
        return _as_str(source).astype(dtype)
    if ("V" in kinds or "O" in kinds) and source.dtype != dtype and kinds not in ("OS", "OO"):
        raise WrongTypeError(f"{source.dtype} cannot be read as {dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        return source.astype(dtype)


def _as_str(source: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    text = np.empty(source.shape, dtype=object)
    text.ravel()[:] = [element.decode("utf-8") if isinstance(element, bytes) else element for element in source.flat]
    return text


def _clip(source: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if source.dtype.kind in "iu":
        held = np.iinfo(source.dtype)
        result = source.astype(dtype)
        if held.min < low:
            result[source < max(low, held.min)] = low
        if held.max > high:
            result[source > min(high, held.max)] = high
        return result
    with np.errstate(invalid="ignore", over="ignore"):
        result = source.astype(dtype)
        wide = source.astype(np.float64) if source.dtype.itemsize < 8 else source
        # Converted to floats, the bounds may round to values outside the integer type; therefore "or equal".
        result[wide <= float(low)] = low
        result[wide >= float(high)] = high
    if not _is_nan_undefined(source.dtype, dtype):
        result[np.isnan(source)] = 0
    return result


def _is_nan_undefined(source: np.dtype[Any], dtype: np.dtype[Any]) -> bool:
    """True where libhdf5 uses the processor's own conversion, whose result for NaN is undefined; elsewhere NaN becomes 0."""
    return source.isnative and dtype.isnative and dtype.name in ("int32", "int64", "uint64")


def copy_into(target: np.ndarray[Any, Any], selection: Any, values: np.ndarray[Any, Any]) -> None:
    """Copy values into an array, or a selection of it, broadcasting them if it is larger."""
    part = target[... if selection is None else selection]
    # h5py lets a selection of a single element, say [0:1, 0:5], fill an array of shape (5,) and the other way round.
    shape = tuple(size for size in values.shape if size != 1)
    if np.size(part) == values.size and tuple(size for size in np.shape(part) if size != 1) == shape:
        values = values.reshape(np.shape(part))
    try:
        np.broadcast_to(values, np.shape(part))
    except ValueError:
        raise WrongTypeError(f"Can't broadcast {values.shape} -> {np.shape(part)}") from None
    target[... if selection is None else selection] = cast(values, target.dtype)
