"""Comparison of values: type, dtype with its metadata, shape, elements."""

from __future__ import annotations

import h5py
import numpy as np

import hyperslab


def same_dtype(ours: np.dtype, theirs: np.dtype) -> bool:
    """True if two dtypes are equal, including nested metadata. Reference types differ between the libraries."""
    if ours != theirs or ours.itemsize != theirs.itemsize or ours.names != theirs.names:
        return False
    if ours.subdtype is not None:
        return same_dtype(ours.subdtype[0], theirs.subdtype[0])
    if ours.names is not None:
        return all(
            same_dtype(ours.fields[name][0], theirs.fields[name][0])
            and ours.fields[name][1] == theirs.fields[name][1]
            for name in ours.names
        )
    mine, other = dict(ours.metadata or {}), dict(theirs.metadata or {})
    if mine.keys() != other.keys():
        return False
    for key, value in other.items():
        if key == "ref":
            if mine[key].__name__ != value.__name__:
                return False
        elif key == "vlen" and isinstance(value, np.dtype):
            if not same_dtype(mine[key], value):
                return False
        elif mine[key] != value:
            return False
    return True


def same(ours, theirs) -> bool:
    """True for the same value of the same type. NaNs are equal; references are if both are null or neither is."""
    if isinstance(theirs, h5py.Empty):
        return isinstance(ours, hyperslab.Empty) and same_dtype(ours.dtype, theirs.dtype)
    if isinstance(theirs, (h5py.Reference, h5py.RegionReference)):
        return type(ours).__name__ == type(theirs).__name__ and bool(ours) == bool(theirs)
    if isinstance(theirs, np.ndarray):
        return (
            type(ours) is type(theirs)
            and ours.shape == theirs.shape
            and same_dtype(ours.dtype, theirs.dtype)
            and same_elements(ours, theirs)
        )
    if isinstance(theirs, np.generic):
        if type(ours) is not type(theirs) or ours.dtype != theirs.dtype:
            return False
        return same_elements(np.asarray(ours), np.asarray(theirs))
    return type(ours) is type(theirs) and ours == theirs


def same_elements(ours: np.ndarray, theirs: np.ndarray) -> bool:
    if theirs.dtype.names is not None:
        return all(same_elements(ours[name], theirs[name]) for name in theirs.dtype.names)
    if theirs.dtype.kind == "O":
        return all(same_object(a, b) for a, b in zip(ours.ravel(), theirs.ravel(), strict=True))
    if theirs.dtype.kind in "fc":
        return bool(np.array_equal(ours, theirs, equal_nan=True))
    return bool(np.array_equal(ours, theirs))


def same_object(ours, theirs) -> bool:
    """An element of an object array. (In those that are arrays, h5py drops the metadata of the dtype.)"""
    if isinstance(theirs, np.ndarray):
        return (
            isinstance(ours, np.ndarray)
            and ours.dtype == theirs.dtype
            and ours.shape == theirs.shape
            and same_elements(ours, theirs)
        )
    return same(ours, theirs)


def assert_same(ours, theirs) -> None:
    assert same(ours, theirs), f"ours {ours!r}\ntheirs {theirs!r}"


def assert_same_content(ours: hyperslab.File, theirs: h5py.File) -> None:
    """The same objects in the same order, with the same values and attributes."""
    names: list[str] = []
    theirs.visit(names.append)
    found: list[str] = []
    ours.visit(found.append)
    assert found == names
    for name in names:
        if isinstance(theirs[name], h5py.Dataset):
            np.testing.assert_array_equal(ours[name][...], theirs[name][...])
        assert dict(ours[name].attrs) == dict(theirs[name].attrs)
