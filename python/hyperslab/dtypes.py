"""What a dtype says beyond NumPy: the metadata that h5py introduced, under the same keys."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["StringInfo", "check_enum_dtype", "check_ref_dtype", "check_string_dtype", "check_vlen_dtype"]


class StringInfo(NamedTuple):
    """How the text of a string datatype is stored."""

    encoding: str
    """``ascii`` or ``utf-8``."""
    length: int | None
    """Bytes of an element; None for text of any length."""


def _metadata(dtype: np.dtype[Any], key: str) -> Any:
    metadata = dtype.metadata
    return None if metadata is None else metadata.get(key)


def check_vlen_dtype(dtype: np.dtype[Any]) -> Any:
    """The type of the elements of a variable-length dtype: `str`, `bytes` or a dtype. None for any other dtype."""
    return _metadata(dtype, "vlen")


def check_enum_dtype(dtype: np.dtype[Any]) -> dict[str, int] | None:
    """The names of an enumeration, with their values. None for any other dtype."""
    return _metadata(dtype, "enum")


def check_ref_dtype(dtype: np.dtype[Any]) -> type | None:
    """`Reference` or `RegionReference`. None for any other dtype."""
    return _metadata(dtype, "ref")


def check_string_dtype(dtype: np.dtype[Any]) -> StringInfo | None:
    """How the text of a string dtype is stored. None for any other dtype."""
    kind = check_vlen_dtype(dtype)
    if kind is str:
        return StringInfo("utf-8", None)
    if kind is bytes:
        return StringInfo("ascii", None)
    if dtype.kind == "S":
        return StringInfo(_metadata(dtype, "h5py_encoding") or "ascii", dtype.itemsize)
    return None
