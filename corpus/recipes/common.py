"""The parts that all recipes share: the folder of the fixtures, and reproducible files.

A recipe is one file in this folder, named after its topic, with

    KIND = "test"            # or "bench": large, only written on request
    def make(into: Path):    # writes the files of the topic into this (empty, existing) folder

Files contain no times and no random numbers without a seed, so two runs write the same values. They do not always write
the same bytes: libhdf5 leaves uninitialized memory in some unused bytes.
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

#: Lower bounds of the format version, oldest first. Files of "earliest" could be read by libhdf5 1.0.
LIBVERS = ["earliest", "v108", "v110", "v112", "v114", "v200"]


def create(path: Path, libver: str = "earliest", **options) -> h5py.File:
    """Creates a file with the lower bound `libver`."""
    return h5py.File(path, "w", libver=(libver, "latest"), **options)


def random(*seed: int) -> np.random.Generator:
    """A random generator that gives the same numbers in every run."""
    return np.random.default_rng([20150101, *seed])


def ramp(shape, dtype="<i4"):
    """Values that are the positions of their elements, so that misplaced values are detected."""
    count = int(np.prod(shape, dtype=np.int64))
    return np.arange(count, dtype=np.int64).astype(dtype).reshape(shape)


def dcpl(**settings) -> h5py.h5p.PropDCID:
    """A dataset creation property list, for properties that h5py's `create_dataset` has no argument for."""
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_obj_track_times(False)
    for name, value in settings.items():
        getattr(made, f"set_{name}")(*value if isinstance(value, tuple) else (value,))
    return made


def create_with(where, name: str, dtype, shape, plist, data=None, maxshape=None) -> h5py.Dataset:
    """Creates a dataset with a property list, and the groups of its path."""
    folder, _, name = name.rpartition("/")
    where = where.require_group(folder) if folder else where
    kind = dtype if isinstance(dtype, h5py.h5t.TypeID) else h5py.h5t.py_create(np.dtype(dtype), logical=True)
    limits = tuple(h5py.h5s.UNLIMITED if m is None else m for m in (maxshape or shape))
    space = h5py.h5s.create_simple(tuple(shape), limits)
    made = h5py.Dataset(h5py.h5d.create(where.id, name.encode(), kind, space, plist))
    if data is not None:
        made[...] = data
    return made


#: The lower bounds of the format version that property lists support, by name.
LOW = {"earliest": h5py.h5f.LIBVER_EARLIEST, "v108": h5py.h5f.LIBVER_V18, "v110": h5py.h5f.LIBVER_V110}


def file_with(path: Path, libver: str, *settings: tuple, image: bool = False) -> h5py.File:
    """Creates a file with a creation property list modified by `settings`; optionally with a metadata cache image."""
    creation = plist_with(h5py.h5p.FILE_CREATE, *settings)
    creation.set_obj_track_times(False)
    return h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, creation, access_of(libver, image)))


def access_of(libver: str, image: bool = False) -> h5py.h5p.PropFAID:
    """A file access property list with the lower bound `libver` and, optionally, a metadata cache image on closing."""
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
    """The calls for a file that shares messages of these types. The index is a list up to `list_max` messages, then a B-tree."""
    return [
        ("H5Pset_shared_mesg_nindexes", 1),
        ("H5Pset_shared_mesg_index", 0, types, bytes_min),
        ("H5Pset_shared_mesg_phase_change", list_max, 0),
    ]


def group_with(file: h5py.File, name: str, *settings: tuple) -> h5py.Group:
    """Creates a group with a creation property list modified by `settings`. Filters apply to the heap of its links."""
    creation = plist_with(h5py.h5p.GROUP_CREATE, *settings)
    return h5py.Group(h5py.h5g.create(file.id, name.encode(), gcpl=creation))


def plist_with(kind, *settings: tuple):
    """Modifies a property list by `settings`: functions of libhdf5 with their arguments after the list."""
    made = h5py.h5p.create(kind)
    for function, *arguments in settings:
        call(function, made, *arguments)
    return made


@functools.cache
def libhdf5() -> ctypes.CDLL:
    """The libhdf5 that h5py uses, for functions that h5py does not wrap."""
    loaded = set(re.findall(r"/\S*libhdf5[-.]\S*", Path("/proc/self/maps").read_text()))
    own = [path for path in loaded if "h5py" in path] or [path for path in loaded if "netcdf" not in path.lower()]
    if not own:
        raise RuntimeError("h5py has not loaded libhdf5")
    return ctypes.CDLL(sorted(own)[0])


def call(function: str, plist, *arguments: int) -> None:
    """Calls `H5Pset_…(plist, …)` with integer arguments. Raises an exception if libhdf5 fails."""
    target = getattr(libhdf5(), function)
    target.restype = ctypes.c_int
    target.argtypes = [ctypes.c_int64] + [ctypes.c_uint] * len(arguments)
    if target(plist.id, *arguments) < 0:
        raise RuntimeError(f"{function}{arguments} failed")


def set_fill(plist, dtype: np.dtype, value: np.ndarray | None) -> None:
    """Calls `H5Pset_fill_value` with the bytes of `value`; None is undefined. h5py's own method does not support strings."""
    target = libhdf5().H5Pset_fill_value
    target.restype = ctypes.c_int
    target.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    bytes_of_value = None if value is None else np.asarray(value, dtype).tobytes()
    kind = h5py.h5t.py_create(dtype)
    if target(plist.id, kind.id, bytes_of_value) < 0:
        raise RuntimeError("H5Pset_fill_value failed")
