"""Datasets with a million small chunks, one for each kind of chunk index that can have so many.

    earliest.h5   /btree_v1
    latest.h5     /fixed_array, /extensible_array, /btree_v2

Chunks are 2 x 2 of 4-byte integers in 2000 x 2000.
"""

from __future__ import annotations

from pathlib import Path

from common import create, ramp

KIND = "bench"

SHAPE = (2000, 2000)
CHUNKS = (2, 2)
#: For each index, the maximum sizes for which libhdf5 chooses it.
LATEST = {"fixed_array": SHAPE, "extensible_array": (None, SHAPE[1]), "btree_v2": (None, None)}


def make(into: Path) -> None:
    data = ramp(SHAPE)
    with create(into / "earliest.h5") as file:
        file.create_dataset("btree_v1", data=data, chunks=CHUNKS)
    with create(into / "latest.h5", "latest") as file:
        for name, maxshape in LATEST.items():
            file.create_dataset(name, data=data, chunks=CHUNKS, maxshape=maxshape)
