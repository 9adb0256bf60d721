"""How a variable is stored, in the words of `Variable.encoding`: the same as with `engine="h5netcdf"`."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray
from packaging.version import Version

from hyperslab.dtypes import check_vlen_dtype

#: Filters that h5netcdf has a key for, by their registered numbers.
_KEYS = {4: "szip", 307: "bzip2", 32001: "blosc", 32015: "zstd"}
_SZIP = 4
#: The bit of szip's options that selects entropy coding.
_SZIP_ENTROPY_CODING = 4
#: Since this version, encodings of `engine="h5netcdf"` have the layout and all filters, as those of `engine="netcdf4"`. Before it,
#: that engine writes no file from an encoding that has the level of another filter than deflate.
_HAS_ALL_FILTERS = Version(xarray.__version__) >= Version("2026.9")
#: What h5py calls the compression of a filter that it does not know. No writer takes this word.
_UNKNOWN = "unknown"


def of_variable(variable: Any, dimensions: tuple[str, ...], dtype: np.dtype[Any]) -> dict[str, Any]:
    """The encoding of a variable of the netCDF view."""
    dataset = variable.dataset
    chunks = dataset.chunks if variable.shape else None
    encoding: dict[str, Any] = {"dtype": _dtype(variable, dtype), "chunksizes": chunks or None}
    encoding |= {"shuffle": dataset.shuffle, "fletcher32": dataset.fletcher32}
    if chunks:
        encoding["preferred_chunks"] = dict(zip(dimensions, chunks, strict=True))
    if _HAS_ALL_FILTERS:
        encoding["contiguous"] = not chunks
        encoding |= {"zlib": False, "szip": False, "bzip2": False, "blosc": False, "zstd": False}
        encoding |= _filters(dataset) if chunks else {}
    if not chunks:
        return encoding
    compression = dataset.compression
    if compression == "gzip":
        encoding["zlib"] = True
        encoding["complevel"] = dataset.compression_opts
    elif compression not in (None, _UNKNOWN):
        encoding["compression"] = compression
        encoding["compression_opts"] = dataset.compression_opts
    return encoding


def _filters(dataset: Any) -> dict[str, Any]:
    """The filters that h5netcdf has a key for, and the level of the last of them."""
    found: dict[str, Any] = {}
    for number, parameters in dataset._filter_parameters():
        if number in _KEYS:
            found[_KEYS[number]] = True
            if number == _SZIP and parameters:
                found["complevel"] = "ec" if parameters[0] & _SZIP_ENTROPY_CODING else "nn"
            elif parameters:
                found["complevel"] = parameters[0]
    return found


def _dtype(variable: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "O" and check_vlen_dtype(dtype) is str:
        return str
    user_type = variable.user_type
    metadata: Any = (dtype.metadata or {}) if user_type else {}
    if user_type and user_type[0] == "enum" and "enum" in metadata:
        return np.dtype(dtype, metadata={"enum": metadata["enum"], "enum_name": user_type[1]})
    return dtype
