"""Rare structures: shared messages, filtered heaps, cache images, huge chunks, new mappings, rare numbers."""

from __future__ import annotations

import ctypes
from pathlib import Path

import h5py
import numpy as np
from common import access_of, create, create_with, dcpl, file_with, group_with, libhdf5, ramp, random, sharing
from h5py import h5f, h5s, h5t

KIND = "test"

#: libhdf5 allocates memory for a whole chunk, even a missing one (`tests/python/test_huge_chunks.py` reads this file).
UNREAD = {"huge_chunks.h5"}

#: Dataspaces, datatypes, fill values, pipelines and attributes.
ALL_MESSAGES = 0x182A


def shared_messages(into: Path) -> None:
    """Shared messages with an index that is a list, and with one that has become a B-tree."""
    for name, most in (("list", 200), ("btree", 0)):
        with file_with(into / f"shared_messages_{name}.h5", "v110", *sharing(ALL_MESSAGES, 1, most)) as file:
            for i in range(12):
                plist = dcpl(chunk=((3, 2),), deflate=i % 3 + 1)
                made = create_with(file, f"d{i}", np.dtype([("a", "<i4"), ("b", ">f8")]), (5, 4), plist)
                made[...] = np.array((i, -i), made.dtype)
                made.attrs["text"] = f"one of {i % 4} texts, long enough to be shared"
                made.attrs["numbers"] = ramp(i % 3 + 20, "<f4")


def filtered_heap(into: Path) -> None:
    """Links in a heap with compressed blocks and compressed huge objects."""
    with create(into / "filtered_heap.h5", "v110") as file:
        group = group_with(file, "group", ("H5Pset_deflate", 6), ("H5Pset_fletcher32",))
        file["target"] = ramp(3)
        for i in range(400):
            group[f"member {i * 31 % 400:03d} " + "x" * (i % 50)] = file["target"]
        for length in (5000, 20_000):
            group["n" * length] = file["target"]


def cache_image(into: Path) -> None:
    path = into / "cache_image.h5"
    # With chunk indexes that support SWMR, libhdf5 would write an image that it cannot read itself.
    with create(path, "v110") as file:
        for i in range(20):
            file.create_dataset(f"group {i % 3}/d{i}", data=ramp((7, 5)) + i)
    with h5py.File(h5f.open(str(path).encode(), h5f.ACC_RDWR, access_of("v110", image=True))) as file:
        # The following changes are only in the image.
        file["group 0/late"] = ramp(9)
        file["group 1/d1"].attrs["late"] = "too"
        del file["group 2/d2"]


def huge_chunks(into: Path) -> None:
    """Chunks of 4 GiB and more, which only layout version 5 supports. None of them is written."""
    with create(into / "huge_chunks.h5", "v200") as file:
        for name, maxshape in (("fixed", (1 << 31, 6)), ("one", (None, 6)), ("two", (None, None))):
            plist = dcpl(chunk=((1 << 30, 5),), deflate=1)
            plist.set_fill_value(np.array(7, "<u1"))
            # Its extent is small, so that a digest reads it quickly.
            create_with(file, name, "<u1", (1000, 6), plist, None, maxshape)


def mappings(into: Path) -> None:
    """Version 1 of the heap block of mappings, in which names are shared and a bit means "this file"."""
    for i in range(2):
        with create(into / f"mapped{i}.h5") as file:
            for name in "ab":
                file[name] = ramp((4, 3)) + 100 * i + (50 if name == "b" else 0)
    for libver in ("v110", "v200"):
        with create(into / f"mappings_{libver}.h5", libver) as file:
            file["here"] = ramp((4, 3)) - 1000
            layout = h5py.VirtualLayout((28, 3), "<i4")
            sources = [("mapped0.h5", "a"), ("mapped0.h5", "b"), ("mapped1.h5", "b"), (".", "here"), ("mapped1.h5", "b"), ("gone.h5", "a")]
            for i, (name, path) in enumerate(sources):
                layout[4 * i : 4 * i + 4] = h5py.VirtualSource(name, path, (4, 3))
            file.create_virtual_dataset("virtual", layout, fillvalue=-1)
            # Names with block numbers, and selections that do not fit into 4 bytes.
            space = h5s.create_simple((0, 3), (h5s.UNLIMITED, 3))
            space.select_hyperslab((0, 0), (h5s.UNLIMITED, 1), (4, 3), (4, 3))
            plist = dcpl()
            plist.set_virtual(space, b"mapped%b.h5", b"a", h5s.create_simple((4, 3)))
            create_with(file, "counted", "<i4", (8, 3), plist, None, (None, 3))


#: Name: base, size, position and bits of the exponent, bits of the mantissa, bias.
SMALL_FLOATS = {
    "bfloat16": (2, 7, 8, 7, 127),
    "fp8 e4m3": (1, 3, 4, 3, 7),
    "fp8 e5m2": (1, 2, 5, 2, 15),
    "fp6 e2m3": (1, 3, 2, 3, 1),
    "fp6 e3m2": (1, 2, 3, 2, 3),
    "fp4 e2m1": (1, 1, 2, 1, 1),
}


def small_floats(into: Path) -> None:
    with create(into / "small_floats.h5", "v200") as file:
        for name, (size, place, exponent, mantissa, bias) in SMALL_FLOATS.items():
            for order in ("LE", "BE") if size > 1 else ("LE",):
                kind = getattr(h5t, f"IEEE_F32{order}").copy()
                bits = 1 + exponent + mantissa
                kind.set_precision(32)
                kind.set_fields(bits - 1, place, exponent, 0, mantissa)
                kind.set_ebias(bias)
                kind.set_precision(bits)
                kind.set_size(size)
                made = create_with(file, f"{name} {order}", kind, (1 << bits,), dcpl())
                every = np.arange(1 << bits, dtype=f"<u{size}" if order == "LE" else f">u{size}")
                write_raw(made, every)


def wide_floats(into: Path) -> None:
    """Extended precision of 10 bytes in 16, 12 and 10 bytes, and quadruple precision, which x86-64 does not have."""
    values = np.array([0, 1.5, -2.25, np.inf, np.nan, 1e300], np.longdouble)
    with create(into / "wide_floats.h5") as file:
        file["extended"] = values
        extended = h5t.NATIVE_LDOUBLE
        for size in (12, 10):
            kind = extended.copy()
            kind.set_size(size)
            made = create_with(file, f"extended of {size}", kind, (6,), dcpl())
            stored = values.view("u1").reshape(6, 16)[:, :size].copy()
            write_raw(made, stored)
        for order in ("LE", "BE"):
            kind = extended.copy()
            kind.set_precision(128)
            kind.set_norm(h5t.NORM_IMPLIED)
            kind.set_fields(127, 112, 15, 0, 112)
            kind.set_ebias(16383)
            kind.set_order(getattr(h5t, f"ORDER_{order}"))
            made = create_with(file, f"quadruple {order}", kind, (2,), dcpl())
            write_raw(made, random(16).integers(0, 256, 32, "u1"))


def times(into: Path) -> None:
    with create(into / "times.h5") as file:
        for name in ("UNIX_D32LE", "UNIX_D64BE"):
            made = create_with(file, name, getattr(h5t, name), (3,), dcpl())
            write_raw(made, np.arange(3 * made.id.get_type().get_size(), dtype="u1"))


def write_raw(made: h5py.Dataset, data: np.ndarray) -> None:
    """Writes bytes unchanged: the memory type equals the file type, so there is no conversion."""
    write = libhdf5().H5Dwrite
    write.argtypes = [ctypes.c_int64] * 5 + [ctypes.c_void_p]
    kind = made.id.get_type()
    assert data.nbytes == kind.get_size() * made.size
    assert write(made.id.id, kind.id, 0, 0, 0, data.ctypes.data) >= 0


def make(into: Path) -> None:
    shared_messages(into)
    filtered_heap(into)
    cache_image(into)
    huge_chunks(into)
    mappings(into)
    small_floats(into)
    wide_floats(into)
    times(into)
