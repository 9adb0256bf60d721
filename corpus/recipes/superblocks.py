"""Every superblock: versions 0 to 3, widths of 2, 4 and 8 bytes, user blocks, K values, paged files."""

from __future__ import annotations

from pathlib import Path

import h5py
from common import LIBVERS, call, create, ramp

KIND = "test"


def contents(file: h5py.File) -> None:
    """Something of each kind: a chunked and a contiguous dataset, a group, an attribute, a link."""
    file.attrs["title"] = "what the superblock leads to"
    inner = file.create_group("inner")
    inner.create_dataset("chunked", data=ramp((6, 10)), chunks=(4, 4), compression="gzip")
    inner.create_dataset("contiguous", data=ramp((5, 3), ">f8"))
    file["soft"] = h5py.SoftLink("/inner/chunked")


def from_properties(path: Path, libver: str, settings) -> None:
    plist = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    plist.set_obj_track_times(False)
    settings(plist)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    low = {"earliest": h5py.h5f.LIBVER_EARLIEST, "v108": h5py.h5f.LIBVER_V18, "v110": h5py.h5f.LIBVER_V110}[libver]
    access.set_libver_bounds(low, h5py.h5f.LIBVER_LATEST)
    with h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, plist, access)) as file:
        contents(file)


def make(into: Path) -> None:
    for libver in LIBVERS:
        with create(into / f"{libver}.h5", libver) as file:
            contents(file)
    with h5py.File(into / "swmr.h5", "w", libver="latest") as file:
        contents(file)
        file.swmr_mode = True
    for block in (512, 4096):
        for libver in ("earliest", "v110"):
            path = into / f"userblock_{block}_{libver}.h5"
            with create(path, libver, userblock_size=block) as file:
                contents(file)
            with open(path, "r+b") as raw:
                raw.write(b"#!/bin/sh\n".ljust(block, b"\n"))
    for libver in ("earliest", "v108"):
        for offset, length in ((4, 4), (8, 4), (4, 8), (2, 2)):
            name = f"widths_{offset}_{length}_{libver}.h5"
            from_properties(into / name, libver, lambda p, sizes=(offset, length): p.set_sizes(*sizes))
    # A K for the chunk B-tree that is not the usual one needs version 1.
    from_properties(into / "istore_k.h5", "earliest", lambda p: call("H5Pset_istore_k", p, 2))
    from_properties(into / "sym_k.h5", "earliest", lambda p: call("H5Pset_sym_k", p, 2, 2))
    from_properties(into / "istore_k_v108.h5", "v108", lambda p: call("H5Pset_istore_k", p, 2))
    for strategy in ("page", "fsm", "none", "aggregate"):
        with create(into / f"space_{strategy}.h5", "v110", fs_strategy=strategy, fs_persist=strategy in ("page", "fsm")) as file:
            contents(file)
