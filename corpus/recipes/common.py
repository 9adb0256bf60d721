"""What all recipes share: where fixtures go, how files are made the same every time.

A recipe is one file in this folder, named after its topic, with

    KIND = "test"            # or "bench": large, only made when asked for
    def make(into: Path):    # write the topic's files into this (empty, existing) folder

Files hold no times and no random numbers without a seed, so two runs give the same values. (Not always the same
bytes: libhdf5 leaves what memory held before in some places that nobody reads.)
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = Path(os.environ.get("HYPERSLAB_FIXTURES", ROOT / "fixtures"))

#: Lower bounds of the format, oldest first; "earliest" writes what libhdf5 1.0 could already read.
LIBVERS = ["earliest", "v108", "v110", "v112", "v114", "v200"]


def create(path: Path, libver: str = "earliest", **options) -> h5py.File:
    """A new file whose low bound is `libver`."""
    return h5py.File(path, "w", libver=(libver, "latest"), **options)


def random(*seed: int) -> np.random.Generator:
    """Numbers that are the same in every run."""
    return np.random.default_rng([20150101, *seed])


def ramp(shape, dtype="<i4"):
    """Values of which each tells its own place, so that a misplaced one is seen."""
    count = int(np.prod(shape, dtype=np.int64))
    return np.arange(count, dtype=np.int64).astype(dtype).reshape(shape)


def dcpl(**settings) -> h5py.h5p.PropDCID:
    """A dataset creation property list, for what h5py's `create_dataset` has no word for."""
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_obj_track_times(False)
    for name, value in settings.items():
        getattr(made, f"set_{name}")(*value if isinstance(value, tuple) else (value,))
    return made


def create_with(where, name: str, dtype, shape, plist, data=None, maxshape=None) -> h5py.Dataset:
    """A dataset made from a property list; groups on the way are made too."""
    folder, _, name = name.rpartition("/")
    where = where.require_group(folder) if folder else where
    kind = dtype if isinstance(dtype, h5py.h5t.TypeID) else h5py.h5t.py_create(np.dtype(dtype), logical=True)
    limits = tuple(h5py.h5s.UNLIMITED if m is None else m for m in (maxshape or shape))
    space = h5py.h5s.create_simple(tuple(shape), limits)
    made = h5py.Dataset(h5py.h5d.create(where.id, name.encode(), kind, space, plist))
    if data is not None:
        made[...] = data
    return made


#: What property lists call the bounds of the format that they know.
LOW = {"earliest": h5py.h5f.LIBVER_EARLIEST, "v108": h5py.h5f.LIBVER_V18, "v110": h5py.h5f.LIBVER_V110}


def file_with(path: Path, libver: str, *settings: tuple, image: bool = False) -> h5py.File:
    """A new file whose creation property list got these calls, and perhaps a metadata cache image when it closes."""
    creation = plist_with(h5py.h5p.FILE_CREATE, *settings)
    creation.set_obj_track_times(False)
    return h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, creation, access_of(libver, image)))


def access_of(libver: str, image: bool = False) -> h5py.h5p.PropFAID:
    """How to open a file so that its low bound is `libver`, and perhaps a metadata cache image is left in it."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(LOW[libver], h5py.h5f.LIBVER_LATEST)
    if image:
        with_cache_image(access)
    return access


def with_cache_image(access: h5py.h5p.PropFAID) -> None:
    class Config(ctypes.Structure):
        _fields_ = [("version", ctypes.c_int), ("generate", ctypes.c_bool), ("resize", ctypes.c_bool), ("age", ctypes.c_int)]

    target = libhdf5().H5Pset_mdc_image_config
    target.restype, target.argtypes = ctypes.c_int, [ctypes.c_int64, ctypes.POINTER(Config)]
    if target(access.id, ctypes.byref(Config(1, True, False, -1))) < 0:
        raise RuntimeError("H5Pset_mdc_image_config failed")


def sharing(types: int, bytes_min: int, list_max: int) -> list[tuple]:
    """Settings of a file that shares messages of these types, in an index that is a list of so many, and then a B-tree."""
    return [
        ("H5Pset_shared_mesg_nindexes", 1),
        ("H5Pset_shared_mesg_index", 0, types, bytes_min),
        ("H5Pset_shared_mesg_phase_change", list_max, 0),
    ]


def group_with(file: h5py.File, name: str, *settings: tuple) -> h5py.Group:
    """A group whose creation property list got these calls; filters are those of the heap of its links."""
    creation = plist_with(h5py.h5p.GROUP_CREATE, *settings)
    return h5py.Group(h5py.h5g.create(file.id, name.encode(), gcpl=creation))


def plist_with(kind, *settings: tuple):
    """A property list that got these calls, each a function of libhdf5 and what follows the list itself."""
    made = h5py.h5p.create(kind)
    for function, *arguments in settings:
        call(function, made, *arguments)
    return made


@functools.cache
def libhdf5() -> ctypes.CDLL:
    """The libhdf5 that h5py itself uses, for calls that h5py does not wrap."""
    loaded = set(re.findall(r"/\S*libhdf5[-.]\S*", Path("/proc/self/maps").read_text()))
    own = [path for path in loaded if "h5py" in path] or [path for path in loaded if "netcdf" not in path.lower()]
    if not own:
        raise RuntimeError("no libhdf5 is loaded by h5py")
    return ctypes.CDLL(sorted(own)[0])


def call(function: str, plist, *arguments: int) -> None:
    """`H5Pset_…(plist, …)` with integer arguments; fails as libhdf5 fails."""
    target = getattr(libhdf5(), function)
    target.restype = ctypes.c_int
    target.argtypes = [ctypes.c_int64] + [ctypes.c_uint] * len(arguments)
    if target(plist.id, *arguments) < 0:
        raise RuntimeError(f"{function}{arguments} failed")


def set_fill(plist, dtype: np.dtype, value: np.ndarray | None) -> None:
    """`H5Pset_fill_value`, with the bytes of `value`, or with none: undefined. h5py's own does not know strings."""
    target = libhdf5().H5Pset_fill_value
    target.restype = ctypes.c_int
    target.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    bytes_of_value = None if value is None else np.asarray(value, dtype).tobytes()
    kind = h5py.h5t.py_create(dtype)
    if target(plist.id, kind.id, bytes_of_value) < 0:
        raise RuntimeError("H5Pset_fill_value failed")
