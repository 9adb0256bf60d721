"""An adapter for h5netcdf: its interface over this package, for programs that use h5netcdf directly.

    import hyperslab.h5netcdf

    with hyperslab.h5netcdf.File("era5.nc") as file:
        file.variables["t2m"][0]

In xarray, `engine="hyperslab"` does the same without h5netcdf.
"""

from __future__ import annotations

from abc import ABCMeta
from types import ModuleType
from typing import Any, Literal

import h5netcdf  # type: ignore[import-not-found, import-untyped, unused-ignore]
import h5netcdf.attrs  # type: ignore[import-not-found, import-untyped, unused-ignore]
import h5netcdf.core  # type: ignore[import-not-found, import-untyped, unused-ignore]

import hyperslab
import hyperslab.h5py
from hyperslab import _hyperslab

__all__ = ["File"]

#: Classes of datatypes, by HDF5's numbers.
_STRING, _COMPOUND, _ENUM, _VLEN = 3, 6, 8, 9


class File(h5netcdf.File, metaclass=ABCMeta):  # type: ignore[misc, unused-ignore]
    """A netCDF-4 file, open for reading, with the interface of `h5netcdf.File`. Files of netCDF classic and HDF4 are the
    netCDF-4 files that `hyperslab repack` would make of them."""

    def __init__(
        self,
        path: Any,
        mode: Literal["r"] = "r",
        *,
        invalid_netcdf: bool = False,
        phony_dims: str | None = None,
        decode_vlen_strings: bool | None = None,
        **options: Any,
    ) -> None:
        """`path` is what `hyperslab.File` opens, or such a file; `options` are those of `hyperslab.File`."""
        # Until h5netcdf has opened it.
        self._closed = True
        is_open = isinstance(path, hyperslab.File)
        opened = path if is_open else hyperslab.File(path, mode, **options)
        settings = {} if decode_vlen_strings is None else {"decode_vlen_strings": decode_vlen_strings}
        self._close_h5file, self._opened = not is_open, opened
        if opened.format != "hdf5":
            opened = _hyperslab.as_netcdf4(opened)
        super().__init__(opened, "r", invalid_netcdf=invalid_netcdf, phony_dims=phony_dims, backend="h5py", **settings)
        self._close_h5file = not is_open

    def close(self) -> None:
        """Closes the file, if it was opened here."""
        super().close()
        if self._close_h5file:
            self._opened.close()

    @property
    def _h5py(self) -> Any:
        """The library that h5netcdf asks about datatypes and dimension scales."""
        return hyperslab.h5py

    @_h5py.setter
    def _h5py(self, library: Any) -> None:
        """h5netcdf would set h5py."""

    @property
    def backend(self) -> str:
        """The name of this package."""
        return "hyperslab"


def _adapt(name: str, applies: Any, ours: Any) -> None:
    """Lets a function of h5netcdf handle objects of this package, too."""
    theirs = getattr(h5netcdf.core, name)

    def function(first: Any, *more: Any, **named: Any) -> Any:
        return ours(first) if applies(first) else theirs(first, *more, **named)

    setattr(h5netcdf.core, name, function)


def _attributes(attributes: Any, check_dtype: Any, library: Any, *more: Any, **named: Any) -> Any:
    """Attributes that are read as those of h5py: their datatypes in the file say how text is decoded."""
    library = _AS_H5PY if library is hyperslab.h5py else library
    return h5netcdf.attrs.Attributes(attributes, check_dtype, library, *more, **named)


def _type_class(item: Any) -> int | None:
    """HDF5's number of the class of the datatype of a dataset or of a named datatype."""
    dtype = item.dtype
    if hyperslab.check_string_dtype(dtype) is not None:
        return _STRING
    if hyperslab.check_enum_dtype(dtype) is not None:
        return _ENUM
    if hyperslab.check_vlen_dtype(dtype) is not None:
        return _VLEN
    if dtype.names is not None:
        return _COMPOUND
    return {"i": 0, "u": 0, "f": 1, "S": _STRING, "c": _COMPOUND, "b": _ENUM}.get(dtype.kind)


#: What h5netcdf uses of h5py to read attributes, under the name that it looks for.
_AS_H5PY = ModuleType("h5py", "The names of h5py that h5netcdf reads attributes with.")
_AS_H5PY.__dict__.update(Empty=hyperslab.Empty, check_string_dtype=hyperslab.check_string_dtype)
h5netcdf.core.Attributes = _attributes
_adapt("_open_h5py", lambda path: isinstance(path, hyperslab.File), lambda file: (file, True, False))
_adapt("_parse_backend", lambda path: isinstance(path, hyperslab.File), lambda file: "h5py")
for _name in ("_get_h5usertype_identifier", "_get_h5dstype_identifier"):
    _adapt(_name, lambda item: isinstance(item, hyperslab.HLObject), _type_class)
