"""h5py's modules over this package, for libraries that import h5py themselves.

    import hyperslab.h5py

    hyperslab.h5py.install()  # before the library is imported
    import anndata

    cells = anndata.read_h5ad("cells.h5ad")

Libraries open files with `h5py.File`, and ask whether an object is an `h5py.Dataset`. `install` puts this module in the place of
h5py for the rest of the process: what imports h5py from then on gets the classes of this package, and reads through it.
Nothing can be written in such a process. Classes and functions of h5py that write are missing, and so is the low-level API,
apart from the names below, which libraries use when they read.

`docs/ecosystem.md` lists the libraries that were tried.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import hyperslab
from hyperslab import *  # noqa: F403
from hyperslab._chunks import _SZIP_NN, LAYOUTS, DatasetID, GroupID, StoreInfo
from hyperslab._h5py_names import AttributeID
from hyperslab._views import AsType
from hyperslab.dtypes import StringInfo
from hyperslab.errors import ReadOnlyError

#: The version of h5py whose names and behaviour these are, and that of libhdf5 that it was released with.
__version__ = "3.16.0"
_HDF5_VERSION = "2.0.0"


def install() -> None:
    """Make `import h5py` find this module, for the rest of the process.

    Raises:
        RuntimeError: h5py was imported before, so that libraries may use its classes already.
    """
    this = sys.modules[__name__]
    if sys.modules.get("h5py", this) is not this:
        raise RuntimeError("h5py is imported already: call hyperslab.h5py.install() before anything imports it")
    sys.modules["h5py"] = this
    # Libraries import it for its effect on libhdf5, to which it adds filters; this package has decoders of its own.
    sys.modules["hdf5plugin"] = _plugins()
    sys.modules.update({f"h5py.{name}": module for name, module in _MODULES.items()})


#: The names of the filters of hdf5plugin by their numbers, and Blosc's numbers of its codecs.
_PLUGINS = {
    307: "bzip2",
    32001: "blosc",
    32004: "lz4",
    32008: "bshuf",
    32013: "zfp",
    32015: "zstd",
    32017: "sz",
    32018: "fcidecomp",
    32024: "sz3",
    32026: "blosc2",
    32028: "sperr",
}
_BLOSC_CODECS = {"blosclz": 0, "lz4": 1, "lz4hc": 2, "snappy": 3, "zlib": 4, "zstd": 5}


def _plugins() -> ModuleType:
    """A module in the place of hdf5plugin, which names filters; hyperslab decodes without plug-ins of libhdf5."""
    filters = {number: SimpleNamespace(filter_id=number, filter_name=name) for number, name in _PLUGINS.items()}

    def get_filters(filters_wanted: Any = tuple(_PLUGINS)) -> tuple[Any, ...]:
        wanted = filters_wanted if isinstance(filters_wanted, (list, tuple)) else (filters_wanted,)
        return tuple(found for found in filters.values() if {found.filter_id, found.filter_name} & set(wanted))

    module = ModuleType("hdf5plugin", "The names of filters; hyperslab decodes without plug-ins of libhdf5.")
    blosc = type("Blosc", (), {"_Blosc__COMPRESSIONS": _BLOSC_CODECS})
    module.__dict__.update(get_filters=get_filters, _filters=SimpleNamespace(Blosc=blosc), PLUGIN_PATH="")
    return module


def get_config() -> SimpleNamespace:
    """How h5py represents Booleans and complex numbers, and that this is not a build with MPI."""
    return SimpleNamespace(bool_names=(b"FALSE", b"TRUE"), complex_names=("r", "i"), default_file_mode="r", mpi=False, track_order=False)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _module(name: str, **members: Any) -> ModuleType:
    """A module of h5py with some of its names."""
    module = ModuleType(f"h5py.{name}", f"The names of h5py.{name} that this package has.")
    module.__dict__.update(members)
    return module


class VirtualLayout:
    """What describes a virtual dataset that is to be written: there is none."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        raise ReadOnlyError("hyperslab only reads files")


class VirtualSource(VirtualLayout):
    """A source of a virtual dataset that is to be written."""


_MODULES: dict[str, ModuleType] = {
    "_hl": _module("_hl"),
    "_hl.attrs": _module("_hl.attrs", AttributeManager=hyperslab.AttributeManager),
    "_hl.base": _module("_hl.base", Empty=hyperslab.Empty, HLObject=hyperslab.HLObject),
    "_hl.dataset": _module("_hl.dataset", AsTypeView=AsType, Dataset=hyperslab.Dataset),
    "_hl.datatype": _module("_hl.datatype", Datatype=hyperslab.Datatype),
    "_hl.files": _module("_hl.files", File=hyperslab.File),
    "_hl.group": _module("_hl.group", Group=hyperslab.Group),
    # No filter encodes.
    "filters": _module("filters", encode=(), decode=("gzip", "szip", "shuffle", "fletcher32", "scaleoffset", "lzf")),
    "h5": _module("h5", get_config=get_config),
    "h5a": _module("h5a", AttrID=AttributeID),
    "h5d": _module(
        "h5d",
        DatasetID=DatasetID,
        StoreInfo=StoreInfo,
        COMPACT=LAYOUTS["compact"],
        CONTIGUOUS=LAYOUTS["contiguous"],
        CHUNKED=LAYOUTS["chunked"],
        VIRTUAL=LAYOUTS["virtual"],
    ),
    "h5ds": _module("h5ds", is_scale=lambda identifier: identifier.is_scale),
    "h5f": _module("h5f", UNLIMITED=hyperslab.UNLIMITED, FileID=GroupID),
    "h5g": _module("h5g", GroupID=GroupID),
    "h5r": _module(
        "h5r",
        Reference=hyperslab.Reference,
        RegionReference=hyperslab.RegionReference,
        get_name=lambda reference, identifier: identifier._object[reference].name.encode(),
    ),
    "h5s": _module("h5s", UNLIMITED=hyperslab.UNLIMITED),
    "h5t": _module(
        "h5t",
        check_dtype=hyperslab.check_dtype,
        check_enum_dtype=hyperslab.check_enum_dtype,
        check_opaque_dtype=hyperslab.check_opaque_dtype,
        check_ref_dtype=hyperslab.check_ref_dtype,
        check_string_dtype=hyperslab.check_string_dtype,
        check_vlen_dtype=hyperslab.check_vlen_dtype,
        enum_dtype=hyperslab.enum_dtype,
        opaque_dtype=hyperslab.opaque_dtype,
        ref_dtype=hyperslab.ref_dtype,
        regionref_dtype=hyperslab.regionref_dtype,
        special_dtype=hyperslab.special_dtype,
        string_dtype=hyperslab.string_dtype,
        string_info=StringInfo,
        vlen_dtype=hyperslab.vlen_dtype,
    ),
    "h5z": _module(
        "h5z",
        FILTER_DEFLATE=1,
        FILTER_SHUFFLE=2,
        FILTER_FLETCHER32=3,
        FILTER_SZIP=4,
        FILTER_NBIT=5,
        FILTER_SCALEOFFSET=6,
        FILTER_LZF=32000,
        SZIP_EC_OPTION_MASK=4,
        SZIP_NN_OPTION_MASK=_SZIP_NN,
    ),
    "version": _module(
        "version",
        version=__version__,
        version_tuple=_numbers(__version__),
        hdf5_version=_HDF5_VERSION,
        hdf5_version_tuple=_numbers(_HDF5_VERSION),
        api_version="1.8",
        info=hyperslab.version.info,
    ),
}
# `h5py.h5t` is the module above, `h5py._hl.group` is `group` of `_hl`.
for _name, _members in _MODULES.items():
    _parent, _, _last = _name.rpartition(".")
    setattr(_MODULES[_parent] if _parent else sys.modules[__name__], _last, _members)


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"h5py.{name} is not available where hyperslab is in the place of h5py: docs/h5py-differences.md")
