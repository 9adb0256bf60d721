"""References of HDF5 1.12, which h5py does not support: to objects, regions and attributes, also of other files."""

from __future__ import annotations

import ctypes
from pathlib import Path

import h5py
import numpy as np
from common import create, libhdf5, ramp

KIND = "test"

ID, TEXT, POINTER = ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
#: `H5R_ref_t`, which is opaque.
Buffer = ctypes.c_uint8 * 64


def constant(name: str) -> int:
    """An identifier in a global variable of libhdf5, such as `H5T_STD_REF_g`."""
    return ID.in_dll(libhdf5(), name).value


def reference(function: str, *arguments) -> ctypes.Array:
    """A reference created by `H5Rcreate_…`."""
    made = Buffer()
    target = getattr(libhdf5(), function)
    target.argtypes = [ID, TEXT, *[ID if isinstance(one, int) else TEXT for one in arguments[2:]], ID, POINTER]
    assert target(*arguments, 0, made) >= 0
    return made


def store(file: h5py.File, name: bytes, references: list, attribute: bool = False) -> None:
    """Writes references as a dataset, or as an attribute of the root group. None is a null reference."""
    library, kind = libhdf5(), constant("H5T_STD_REF_g")
    library.H5Tcopy.restype = library.H5Dcreate2.restype = library.H5Acreate2.restype = ID
    extent = h5py.h5s.create_simple((len(references),))
    space = extent.id
    buffer = (Buffer * len(references))(*[one or Buffer() for one in references])
    if attribute:
        library.H5Acreate2.argtypes = [ID, TEXT, ID, ID, ID, ID]
        library.H5Awrite.argtypes = [ID, ID, POINTER]
        made = library.H5Acreate2(file.id.id, name, kind, space, 0, 0)
        assert made >= 0 and library.H5Awrite(made, kind, buffer) >= 0
        assert library.H5Aclose(ID(made)) >= 0
        return
    library.H5Dcreate2.argtypes = [ID, TEXT, ID, ID, ID, ID, ID]
    library.H5Dwrite.argtypes = [ID, ID, ID, ID, ID, POINTER]
    made = library.H5Dcreate2(file.id.id, name, kind, space, 0, 0, 0)
    assert made >= 0 and library.H5Dwrite(made, kind, 0, 0, 0, buffer) >= 0
    assert library.H5Dclose(ID(made)) >= 0
    for one in filter(None, references):
        library.H5Rdestroy(one)


def make(into: Path) -> None:
    there = into / "there.h5"
    with create(there, "v110") as file:
        file["data"] = ramp((4, 5))
    with create(into / "references.h5", "v110") as file, h5py.File(there) as other:
        file["data"] = ramp((4, 5))
        file["data"].attrs["units"] = np.bytes_(b"K")
        block, points = h5py.h5s.create_simple((4, 5)), h5py.h5s.create_simple((4, 5))
        block.select_hyperslab((1, 0), (2, 3))
        points.select_elements([(3, 4), (0, 0)])
        here = file.id.id
        store(file, b"objects", [reference("H5Rcreate_object", here, b"/data"), None])
        store(file, b"regions", [reference("H5Rcreate_region", here, b"/data", one.id) for one in (block, points)])
        store(file, b"attributes", [reference("H5Rcreate_attr", here, b"/data", b"units")])
        store(file, b"away", [reference("H5Rcreate_object", other.id.id, b"/data")])
