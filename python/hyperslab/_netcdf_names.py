"""Which names a new netCDF-4 file can have.

HDF5 takes a `/` in a name for a path, and netCDF keeps some names of attributes for itself: readers of netCDF do not show
attributes with these names, whatever their values are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hyperslab.errors import InvalidError, WrongTypeError

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["check_names"]

#: Attributes that netCDF-C writes itself or computes, and does not show.
_RESERVED = frozenset(
    {
        "CLASS",
        "DIMENSION_LIST",
        "NAME",
        "REFERENCE_LIST",
        "_ARRAY_DIMENSIONS",
        "_Codecs",
        "_Format",
        "_IsNetcdf4",
        "_NCProperties",
        "_Netcdf4Coordinates",
        "_Netcdf4Dimid",
        "_SuperblockVersion",
        "_nc3_strict",
    }
)


def check_names(variables: Mapping[Any, xr.Variable], attributes: Mapping[Any, Any]) -> None:
    """Check the names of variables, their dimensions, and all attributes.

    Raises:
        TypeError: a name is not a text.
        ValueError: a name is empty, is a path, or is reserved.
    """
    for name, variable in variables.items():
        _check_name("variable", name)
        for dim in variable.dims:
            _check_name("dimension", dim)
    _check_attributes("the dataset", attributes)
    for name, variable in variables.items():
        _check_attributes(f"variable {name!r}", variable.attrs)


def _check_text(what: str, name: Hashable) -> str:
    if not isinstance(name, str):
        raise WrongTypeError(f"{what} {name!r}: a name in a netCDF file is a str, not {type(name).__name__}")
    if not name:
        raise InvalidError(f"{what} {name!r}: the name is empty")
    return name


def _check_name(what: str, name: Hashable) -> None:
    if "/" in _check_text(what, name):
        raise InvalidError(f"{what} {name!r}: forward slashes '/' are not allowed in names; HDF5 separates groups by them")


def _check_attributes(owner: str, names: Iterable[Hashable]) -> None:
    for name in names:
        if _check_text(f"{owner}: attribute", name) in _RESERVED:
            raise InvalidError(
                f"{owner}: attribute {name!r}: netCDF reserves the name, and its readers do not show the attribute",
                hint=f"remove it, or give it another name: attrs.pop({name!r})",
            )
