"""Groups with 100,000 members, and an object with 100,000 attributes.

    earliest.h5   /group    100,000 hard links to ten datasets, in a symbol table
    latest.h5     /group    the same, in dense storage
                  /object   a group with 100,000 attributes, in dense storage
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create

KIND = "bench"

COUNT = 100_000


def make(into: Path) -> None:
    for libver in ("earliest", "latest"):
        with create(into / f"{libver}.h5", libver) as file:
            group = file.create_group("group")
            datasets = [file.create_dataset(f"data/{i}", data=np.int32(i)) for i in range(10)]
            for i in range(COUNT):
                group[f"member {i * 7919 % COUNT:06d}"] = datasets[i % 10]
            if libver == "latest":
                attributes(file.create_group("object"))


def attributes(where: h5py.Group) -> None:
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    for i in range(COUNT):
        made = h5py.h5a.create(where.id, b"attribute %06d" % i, h5py.h5t.STD_I32LE, space)
        made.write(np.array(i, np.int32))
