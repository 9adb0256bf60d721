"""Scaled values of HDF4 for xarray, which knows netCDF's rule.

In HDF4, a value is `scale_factor * (stored - add_offset)`; in netCDF, it is `scale_factor * stored + add_offset`. Both say the same
where the offset is 0.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

#: Attributes of files that NASA's libraries write, which follow HDF4's rule.
MARKS = ("HDFEOSVersion", "StructMetadata.0")
#: Where the offset of the file is kept.
ORIGINAL = "hdf4_add_offset"


def follows_hdf4(file: Any, asked: bool | Literal["auto"]) -> bool:
    """True if the scaled values of a file follow HDF4's rule: `asked` for, or by its attributes."""
    if file.format != "hdf4" or asked is False:
        return False
    return asked is True or any(mark in file.attrs for mark in MARKS)


def as_in_netcdf(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a variable with the offset that gives the same values by netCDF's rule."""
    scale, offset = (_number(attributes.get(name)) for name in ("scale_factor", "add_offset"))
    if scale is None or not offset:
        return attributes
    changed = attributes | {"add_offset": np.float64(-scale * offset), ORIGINAL: attributes["add_offset"]}
    # Both have one type, as CF asks for.
    return changed | {"scale_factor": np.float64(scale)}


def _number(value: Any) -> float | None:
    """The only number of an attribute."""
    if isinstance(value, str | bytes) or value is None or np.size(value) != 1:
        return None
    return float(np.ravel(value)[0])
