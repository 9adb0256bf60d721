"""Reads HDF5 and netCDF-4 files fast, and writes new ones: on all cores, with nothing to tune.

    import hyperslab
    import numpy as np

    with hyperslab.File("era5.nc") as file:
        t2m = file["t2m"]
        print(t2m.explain(np.s_[0:10, :, 180]))  # what the read will do
        values = t2m[0:10, :, 180]

Names and behaviour are those of h5py. `NewFile` writes new files.
"""

from collections.abc import Mapping as _Mapping
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from hyperslab import version
from hyperslab._advise import Advice, advise, encoding_for
from hyperslab._archive import ArchiveSummary, archive_summary
from hyperslab._blocks import MultiBlockSlice
from hyperslab._doctor import Diagnosis, doctor
from hyperslab._empty import Empty
from hyperslab._hyperslab import (
    AttributeManager,
    AttributeReference,
    CacheStats,
    Dataset,
    Datatype,
    File,
    Group,
    Reference,
    RegionReference,
    Traffic,
    __version__,
    cache_bytes,
    cache_stats,
    is_hdf5,
    register_filter,
    set_cache_bytes,
    set_threads,
    threads,
    traffic,
)
from hyperslab._explanation import Explanation
from hyperslab._h5py_names import UNLIMITED, HLObject, special_dtype
from hyperslab._index import index
from hyperslab._new_file import NewDataset, NewDatatype, NewFile, NewGroup
from hyperslab._repack import check, repack
from hyperslab._to_netcdf import to_netcdf
from hyperslab.dtypes import (
    check_dtype,
    check_enum_dtype,
    check_opaque_dtype,
    check_ref_dtype,
    check_string_dtype,
    check_vlen_dtype,
    enum_dtype,
    opaque_dtype,
    ref_dtype,
    regionref_dtype,
    string_dtype,
    vlen_dtype,
)
from hyperslab.errors import HyperslabError
from hyperslab.links import ExternalLink, HardLink, SoftLink

if _TYPE_CHECKING:
    from hyperslab import dims, h5netcdf, h5py, hsds, icechunk, virtualizarr, xarray

#: Modules that need other packages, or time: `hyperslab.icechunk` imports its module when it is used first.
_MODULES = frozenset({"dims", "h5netcdf", "h5py", "hsds", "icechunk", "virtualizarr", "xarray"})

__all__ = [
    "Advice",
    "ArchiveSummary",
    "AttributeManager",
    "AttributeReference",
    "CacheStats",
    "Dataset",
    "Datatype",
    "Diagnosis",
    "Empty",
    "Explanation",
    "ExternalLink",
    "File",
    "Group",
    "HLObject",
    "HardLink",
    "HyperslabError",
    "MultiBlockSlice",
    "NewDataset",
    "NewDatatype",
    "NewFile",
    "NewGroup",
    "Reference",
    "RegionReference",
    "SoftLink",
    "Traffic",
    "UNLIMITED",
    "__version__",
    "advise",
    "archive_summary",
    "cache_bytes",
    "cache_stats",
    "check",
    "check_dtype",
    "check_enum_dtype",
    "check_opaque_dtype",
    "check_ref_dtype",
    "check_string_dtype",
    "check_vlen_dtype",
    "doctor",
    "encoding_for",
    "enum_dtype",
    "index",
    "is_hdf5",
    "opaque_dtype",
    "ref_dtype",
    "regionref_dtype",
    "register_filter",
    "repack",
    "set_cache_bytes",
    "set_threads",
    "special_dtype",
    "string_dtype",
    "threads",
    "to_netcdf",
    "traffic",
    "version",
    "vlen_dtype",
]

HLObject.register(Group)
HLObject.register(Dataset)
HLObject.register(Datatype)
_Mapping.register(Group)
_Mapping.register(AttributeManager)


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f"hyperslab.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
