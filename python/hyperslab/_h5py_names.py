"""Names of h5py that programs use to recognise objects and to describe datatypes."""

from __future__ import annotations

from abc import ABC
from typing import Any, NamedTuple

import numpy as np

from hyperslab.dtypes import enum_dtype, ref_dtype, regionref_dtype, string_dtype, vlen_dtype

#: The maximum size of an axis without one (h5py's `h5s.UNLIMITED`). `Dataset.maxshape` has None for it, as in h5py.
UNLIMITED = 0xFFFF_FFFF_FFFF_FFFF


class HLObject(ABC):
    """What groups, datasets and named datatypes have in common: `isinstance(object, HLObject)`."""


class AttributeID(NamedTuple):
    """What h5py's low-level `AttrID` says about an attribute. Nothing else of it is here."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...] | None


def special_dtype(**kind: Any) -> np.dtype[Any]:
    """The dtype of a kind that NumPy does not have, by h5py's older function.

    Exactly one of `vlen=str`, `vlen=bytes`, `vlen=DTYPE`, `enum=(BASE, VALUES)`, `ref=Reference`, `ref=RegionReference`.
    """
    from hyperslab._hyperslab import Reference, RegionReference

    if len(kind) != 1:
        raise TypeError("Exactly one keyword may be provided")
    name, value = kind.popitem()
    if name == "vlen":
        if value is str:
            return string_dtype("utf-8")
        return string_dtype("ascii") if value is bytes else vlen_dtype(value)
    if name == "enum":
        try:
            base, values = value
        except TypeError:
            raise TypeError("An enum special type must be created from a 2-tuple") from None
        return enum_dtype(values, basetype=base)
    if name == "ref":
        if value is Reference:
            return ref_dtype
        if value is RegionReference:
            return regionref_dtype
        raise ValueError("Ref class must be Reference or RegionReference")
    raise TypeError(f'Unknown special type "{name}"')
