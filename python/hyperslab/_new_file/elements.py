"""Values that are assigned, as arrays of the dtype that is to be stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperslab._new_file.compounds import compound_array
from hyperslab._new_file.references import NewReference, NewRegionReference
from hyperslab.dtypes import check_string_dtype, check_vlen_dtype, ref_dtype, regionref_dtype, string_dtype
from hyperslab.errors import InvalidError, WrongTypeError


def plain(values: Any) -> Any:
    """Return the values of a column, index or table of pandas as an array; anything else as it is."""
    if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "to_numpy"):
        return values.to_numpy()
    return values


def is_sequence(dtype: np.dtype[Any]) -> bool:
    """True for a dtype of sequences of variable length; text is none."""
    return check_vlen_dtype(dtype) is not None and check_string_dtype(dtype) is None


def dtype_of(values: Any) -> np.dtype[Any]:
    """Return the dtype in which values are stored if none is given: that of h5py, and text of variable length for arrays of
    `str`."""
    dtype: np.dtype[Any] | None = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and (dtype.kind != "O" or dtype.metadata):
        return string_dtype() if dtype.kind in "UT" else dtype
    kinds = {type(value) for value in values.flat} if isinstance(values, np.ndarray) else set(_types(values))
    if kinds == {str}:
        return string_dtype()
    if kinds == {bytes}:
        return string_dtype("ascii")
    if kinds == {NewReference}:
        return ref_dtype
    if kinds == {NewRegionReference}:
        return regionref_dtype
    found = np.asarray(values).dtype
    if found.kind in "UTS" and not all(issubclass(kind, (str, bytes) if found.kind == "S" else str) for kind in kinds):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise WrongTypeError(f"values of the types {names} have no dtype in common; give one")
    return string_dtype() if found.kind in "UT" else found


def _types(values: Any) -> Iterable[type]:
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _types(value)
    else:
        yield type(values)


def array_of(values: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return values as an array of a dtype. An integer or a text that has no place in it is an error, instead of another
    value."""
    if np.ma.isMaskedArray(values):
        # The mask of a compound array has a field for each field of the array.
        if np.ascontiguousarray(np.ma.getmaskarray(values)).reshape(-1).view(np.bool_).any():
            raise WrongTypeError("the mask of a masked array would be lost", hint="give values.filled(...), and store the mask beside it")
        values = np.ma.getdata(values)
    if dtype.names is not None:
        return compound_array(values, dtype, array_of)
    if dtype.kind == "O":
        return _objects(values, dtype)
    if dtype.kind in "UT":
        raise WrongTypeError("HDF5 has no text of a fixed number of characters; use hyperslab.string_dtype()")
    array = np.asarray(values)
    if dtype.kind == "S" and array.dtype.kind in "UTOS":
        return _fixed_text(array, dtype)
    if array.dtype.kind == "c" and dtype.kind in "biuf":
        raise WrongTypeError(f"complex numbers do not fit {dtype}")
    if dtype.kind == "V" and array.dtype.kind in "VS" and array.dtype.itemsize > dtype.itemsize:
        raise InvalidError(f"elements of {array.dtype.itemsize} bytes do not fit {dtype.itemsize}")
    if dtype.kind in "iu" and array.dtype.kind == "O":
        array = _integers(array)
    if dtype.kind in "iu" and array.dtype.kind in "iufO" and array.size and not np.can_cast(array.dtype, dtype):
        limits = np.iinfo(dtype)
        least, most = array.min(), array.max()
        if array.dtype != object:
            least, most = least.item(), most.item()
        # Of NaN, neither is true.
        if not (limits.min <= least and most <= limits.max):
            raise InvalidError(f"values from {least} to {most} do not fit {dtype}")
    return np.asarray(array, dtype)


def _integers(array: NDArray[Any]) -> NDArray[Any]:
    """Python objects as numbers. Integers stay what they are, and do not become floats where their types are mixed."""
    values = array.ravel().tolist()
    if all(isinstance(value, (int, np.integer)) for value in values):
        return np.array([int(value) for value in values], object).reshape(array.shape)
    return np.asarray(array.tolist())


def _fixed_text(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    texts = [text_bytes(value) for value in array.ravel().tolist()]
    longest = max(map(len, texts), default=0)
    if longest > dtype.itemsize:
        raise InvalidError(f"a text of {longest} bytes does not fit {dtype.itemsize}")
    return np.array(texts, dtype).reshape(array.shape)


def _objects(values: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of Python objects. Sequences are elements, not axes, if the dtype is one of sequences."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        return values
    vlen = check_vlen_dtype(dtype)
    if vlen is None or vlen in (str, bytes):
        # An array of `str` would lose NULs at the ends.
        return np.asarray(values, object)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        one = np.empty((), object)
        one[()] = values
        return one
    array = np.empty(len(values), object)
    for number, value in enumerate(values):
        array[number] = value
    return array


def is_unset(value: Any) -> bool:
    """True for what NumPy fills new arrays of objects with."""
    return value is None or (isinstance(value, int) and value == 0)


def text_bytes(value: Any) -> bytes:
    """Return a text in UTF-8; bytes stay as they are.

    Raises:
        TypeError: it is not a text.
        ValueError: it has no form in UTF-8.
    """
    if isinstance(value, str):
        try:
            content = value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise InvalidError(f"a text is not UTF-8: {error}") from None
    elif isinstance(value, (bytes, np.bytes_)):
        content = bytes(value)
    elif is_unset(value):
        content = b""
    else:
        raise WrongTypeError(f"{value!r} is not a text")
    return content
