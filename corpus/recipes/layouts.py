"""Compact, contiguous and chunked storage of rank 0 to 32, allocated early, late or never."""

from __future__ import annotations

from pathlib import Path

import h5py
from common import LIBVERS, create, create_with, dcpl, ramp

KIND = "test"


def contiguous(file: h5py.File) -> None:
    for name, time in (("early", h5py.h5d.ALLOC_TIME_EARLY), ("late", h5py.h5d.ALLOC_TIME_LATE)):
        plist = dcpl(layout=h5py.h5d.CONTIGUOUS, alloc_time=time)
        create_with(file, f"{name} written", "<i4", (6, 7), plist, ramp((6, 7)))
        create_with(file, f"{name} unwritten", "<i4", (6, 7), plist)


def compact(file: h5py.File) -> None:
    plist = dcpl(layout=h5py.h5d.COMPACT)
    create_with(file, "compact", ">i2", (9, 5), plist, ramp((9, 5)))
    create_with(file, "compact unwritten", ">i2", (9, 5), plist)
    scalar = h5py.h5d.create(file.id, b"compact scalar", h5py.h5t.IEEE_F64BE, h5py.h5s.create(h5py.h5s.SCALAR), plist)
    h5py.Dataset(scalar)[()] = 6.25


def ranks(file: h5py.File) -> None:
    file.create_dataset("rank 0", data=7)
    for rank in (1, 2, 3, 4, 5, 7, 32):
        shape = tuple(3 if axis < 5 else 1 for axis in range(rank))
        chunks = tuple(2 if axis < 5 else 1 for axis in range(rank))
        file.create_dataset(f"rank {rank} contiguous", data=ramp(shape))
        file.create_dataset(f"rank {rank} chunked", data=ramp(shape), chunks=chunks)


def make(into: Path) -> None:
    for libver in LIBVERS:
        with create(into / f"{libver}.h5", libver) as file:
            contiguous(file)
            compact(file)
            ranks(file)
            # One row is larger than a small chunk cache, for reads across the fast axis.
            file.create_dataset("wide", data=ramp((64, 5000), "<f4"))
