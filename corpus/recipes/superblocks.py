"""Every superblock: versions 0 to 3, widths of 2, 4 and 8 bytes, user blocks, K values, paged files."""

from __future__ import annotations

from pathlib import Path

import h5py
from common import LIBVERS, create, file_with, ramp

KIND = "test"


def contents(file: h5py.File) -> None:
    """One object of each kind: a chunked and a contiguous dataset, a group, an attribute, a link."""
    file.attrs["title"] = "what the superblock leads to"
    inner = file.create_group("inner")
    inner.create_dataset("chunked", data=ramp((6, 10)), chunks=(4, 4), compression="gzip")
    inner.create_dataset("contiguous", data=ramp((5, 3), ">f8"))
    file["soft"] = h5py.SoftLink("/inner/chunked")


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
            with file_with(into / f"widths_{offset}_{length}_{libver}.h5", libver, ("H5Pset_sizes", offset, length)) as file:
                contents(file)
    # A K of the chunk B-tree that is not the default requires version 1.
    for name, libver, setting in (
        ("istore_k", "earliest", ("H5Pset_istore_k", 2)),
        ("sym_k", "earliest", ("H5Pset_sym_k", 2, 2)),
        ("istore_k_v108", "v108", ("H5Pset_istore_k", 2)),
    ):
        with file_with(into / f"{name}.h5", libver, setting) as file:
            contents(file)
    for strategy in ("page", "fsm", "none", "aggregate"):
        with create(into / f"space_{strategy}.h5", "v110", fs_strategy=strategy, fs_persist=strategy in ("page", "fsm")) as file:
            contents(file)
