"""Files with 20,000 datasets, for opening one of them and for listing all.

    flat_earliest.h5, flat_latest.h5      20,000 datasets in one group
    tree_earliest.h5, tree_latest.h5      100 groups of 200 datasets, each with an attribute
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from common import create

KIND = "bench"

FLAT = 20_000
GROUPS, EACH = 100, 200


def make(into: Path) -> None:
    for libver in ("earliest", "latest"):
        with create(into / f"flat_{libver}.h5", libver) as file:
            for i in range(FLAT):
                file.create_dataset(f"dataset {i:05d}", data=np.int32(i))
        with create(into / f"tree_{libver}.h5", libver) as file:
            for i in range(GROUPS):
                group = file.create_group(f"group {i:03d}")
                for j in range(EACH):
                    made = group.create_dataset(f"dataset {j:03d}", data=np.arange(4, dtype="<f4") + j)
                    made.attrs["units"] = "K"
