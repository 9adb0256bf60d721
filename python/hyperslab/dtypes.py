"""Properties of HDF5 datatypes that NumPy does not have, as dtype metadata with the same keys as in h5py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from hyperslab._hyperslab import Reference, RegionReference
from hyperslab.errors import InvalidError, WrongTypeError

__all__ = [
    "StringInfo",
    "check_dtype",
    "check_enum_dtype",
    "check_opaque_dtype",
    "check_ref_dtype",
    "check_string_dtype",
    "check_vlen_dtype",
    "enum_dtype",
    "opaque_dtype",
    "ref_dtype",
    "regionref_dtype",
    "string_dtype",
    "vlen_dtype",
]


class StringInfo(NamedTuple):
    """How the text of a string datatype is stored."""

    encoding: str
    """``ascii`` or ``utf-8``."""
    length: int | None
    """The size of an element in bytes; None for variable-length text."""


def _metadata(dtype: np.dtype[Any], key: str) -> Any:
    metadata = dtype.metadata
    return None if metadata is None else metadata.get(key)


def check_vlen_dtype(dtype: np.dtype[Any]) -> Any:
    """Return the element type of a variable-length dtype: `str`, `bytes` or a dtype. None for any other dtype."""
    return _metadata(dtype, "vlen")


def check_enum_dtype(dtype: np.dtype[Any]) -> dict[str, int] | None:
    """Return the names of an enumeration with their values. None for any other dtype."""
    return _metadata(dtype, "enum")


def check_ref_dtype(dtype: np.dtype[Any]) -> type | None:
    """Return `Reference` or `RegionReference` for a dtype of references. None for any other dtype."""
    return _metadata(dtype, "ref")


def check_string_dtype(dtype: np.dtype[Any]) -> StringInfo | None:
    """Return how the text of a string dtype is stored. None for any other dtype."""
    kind = check_vlen_dtype(dtype)
    if kind is str:
        return StringInfo("utf-8", None)
    if kind is bytes:
        return StringInfo("ascii", None)
    if dtype.kind == "S":
        return StringInfo(_metadata(dtype, "h5py_encoding") or "ascii", dtype.itemsize)
    return None


def check_opaque_dtype(dtype: np.dtype[Any]) -> bool:
    """Return True if the dtype has no HDF5 equivalent and is stored as opaque bytes."""
    return bool(_metadata(dtype, "h5py_opaque"))


def check_dtype(
    *, vlen: np.dtype[Any] | None = None, enum: np.dtype[Any] | None = None, ref: np.dtype[Any] | None = None
) -> Any:
    """Call `check_vlen_dtype`, `check_enum_dtype` or `check_ref_dtype`, depending on which argument is given."""
    given = [(key, dtype) for key, dtype in (("vlen", vlen), ("enum", enum), ("ref", ref)) if dtype is not None]
    if len(given) != 1:
        raise WrongTypeError(f"check_dtype() takes one of vlen, enum and ref, not {len(given)}")
    key, dtype = given[0]
    return _metadata(dtype, key)


def string_dtype(encoding: Literal["utf-8", "ascii"] = "utf-8", length: int | None = None) -> np.dtype[Any]:
    """Return the dtype of text: of fixed length if `length` (in bytes) is given, otherwise of variable length."""
    if encoding not in ("utf-8", "ascii"):
        raise InvalidError(f"unknown encoding {encoding!r}; HDF5 has 'utf-8' and 'ascii'")
    if length is None:
        return np.dtype("O", metadata={"vlen": str if encoding == "utf-8" else bytes})
    return np.dtype(f"S{int(length)}", metadata={"h5py_encoding": encoding})


def vlen_dtype(basetype: DTypeLike) -> np.dtype[Any]:
    """Return the dtype of variable-length sequences."""
    return np.dtype("O", metadata={"vlen": basetype})


def enum_dtype(values_dict: Mapping[str, int], basetype: DTypeLike = np.uint8) -> np.dtype[Any]:
    """Return the dtype of an enumeration: integers with names."""
    base = np.dtype(basetype)
    if base.kind not in "iu":
        raise WrongTypeError(f"the base of an enumeration must be an integer type, not {base}")
    return np.dtype(base, metadata={"enum": dict(values_dict)})


def opaque_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return a dtype without an HDF5 equivalent, marked to be stored as opaque bytes."""
    base = np.dtype(dtype)
    if base.kind == "O":
        raise WrongTypeError("objects cannot be stored as opaque bytes")
    return np.dtype(base, metadata={"h5py_opaque": True})


ref_dtype = np.dtype("O", metadata={"ref": Reference})
"""The dtype of references to objects."""

regionref_dtype = np.dtype("O", metadata={"ref": RegionReference})
"""The dtype of references to regions of datasets."""
