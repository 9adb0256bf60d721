"""Fill values: default, user-defined, undefined, never written; for missing chunks, unallocated and resized storage."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, create_with, dcpl, set_fill

KIND = "test"

TIMES = {"alloc": h5py.h5d.FILL_TIME_ALLOC, "never": h5py.h5d.FILL_TIME_NEVER, "ifset": h5py.h5d.FILL_TIME_IFSET}
TYPES = ["<i4", ">f4", ">u2", "S4", np.dtype([("a", "<i2"), ("b", ">f8")])]


def given(dtype: np.dtype):
    if dtype.names:
        return np.array((-5, 2.5), dtype)
    return np.array(b"fill" if dtype.kind == "S" else 42, dtype)


def make(into: Path) -> None:
    for libver in ("earliest", "v108", "v110", "v200"):
        with create(into / f"{libver}.h5", libver) as file:
            for number, dtype in enumerate(map(np.dtype, TYPES)):
                for time, fill_time in TIMES.items():
                    for kind in ("default", "given"):
                        for layout in ("contiguous", "chunked", "gzip", "unlimited", "early"):
                            write(file, f"{number}/{time}/{kind} {layout}", dtype, fill_time, kind, layout)
            undefined(file)


def write(file, name, dtype, fill_time, kind, layout) -> None:
    settings = {"fill_time": fill_time}
    if layout != "contiguous":
        settings["chunk"] = ((3, 4),)
    if layout == "gzip":
        settings["deflate"] = 4
    if layout == "early":
        settings["alloc_time"] = h5py.h5d.ALLOC_TIME_EARLY
    plist = dcpl(**settings)
    if kind == "given":
        set_fill(plist, dtype, given(dtype))
    maxshape = (None, 9) if layout == "unlimited" else (7, 9)
    made = create_with(file, name, dtype, (7, 9), plist, None, maxshape)
    if "chunk" in settings:
        made[4, 5] = np.zeros((), dtype)  # writes one of nine chunks
    if layout == "unlimited":
        made.resize((11, 9))


def undefined(file) -> None:
    """Makes the fill value undefined: elements that were not written have no defined value."""
    for layout in ("contiguous", "chunked"):
        plist = dcpl(**({"chunk": ((3, 4),)} if layout == "chunked" else {}))
        set_fill(plist, np.dtype("<i4"), None)
        made = create_with(file, f"undefined {layout}", "<i4", (7, 9), plist)
        if layout == "chunked":
            made[0, 0] = 1
