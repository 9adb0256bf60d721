"""Extents: null, scalar, size zero along an axis, unlimited, and all kinds of partial edge chunks."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import LIBVERS, create, ramp

KIND = "test"


def edge_cases(file) -> None:
    file.create_dataset("null", data=h5py.Empty(">f8"))
    file.create_dataset("null text", data=h5py.Empty(h5py.string_dtype()))
    file.create_dataset("scalar", data=np.float32(2.5))
    file.create_dataset("scalar record", data=np.array((1, 2.5), [("a", "<i4"), ("b", "<f8")]))
    for shape in ((0,), (0, 5), (5, 0), (3, 0, 2)):
        file.create_dataset(f"zero {shape}", shape, "<i4")
        limits = tuple(None if size == 0 else size for size in shape)
        chunks = tuple(max(size, 1) for size in shape)
        file.create_dataset(f"zero {shape} unlimited", shape, "<i4", maxshape=limits, chunks=chunks)
        file.create_dataset(f"zero {shape} gzip", shape, "<i4", maxshape=limits, chunks=chunks, compression="gzip")


def edges(file) -> None:
    """Extents that are multiples of the chunk along no axis or some axes, or smaller than one chunk."""
    for shape, chunks in (((10, 10), (5, 5)), ((11, 9), (5, 5)), ((3, 4), (5, 5)), ((10, 7), (10, 3)), ((1, 1), (8, 8))):
        for maxshape in (None, (None, shape[1]), (None, None)):
            if any(limit is not None and chunk > limit for chunk, limit in zip(chunks, maxshape or shape)):
                continue  # libhdf5 refuses a chunk larger than the maximum size
            kind = "fixed" if maxshape is None else f"{sum(limit is None for limit in maxshape)} unlimited"
            name = f"{shape} by {chunks} {kind}"
            file.create_dataset(name, data=ramp(shape, ">i4"), chunks=chunks, maxshape=maxshape)
            file.create_dataset(f"{name} gzip", data=ramp(shape), chunks=chunks, maxshape=maxshape, compression="gzip")


def appended(file) -> None:
    made = file.create_dataset("appended", (0, 3), "<f8", maxshape=(None, 3), chunks=(4, 2), shuffle=True, compression="gzip")
    for row in range(23):
        made.resize(row + 1, axis=0)
        made[row] = ramp((3,), "<f8") + row * 100


def make(into: Path) -> None:
    for libver in LIBVERS:
        with create(into / f"{libver}.h5", libver) as file:
            edge_cases(file)
            edges(file)
            appended(file)
