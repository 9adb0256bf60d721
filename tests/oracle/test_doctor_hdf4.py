"""The doctor's counts for HDF4: chunks and streams that libhdf4 inflates, against those that are counted while pyhdf reads."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import hdf4_inflates
import numpy as np
from hdf4_library import set_chunks
from kit import scaled
from pyhdf.SD import SD, SDC

import hyperslab

TYPES = {"i1": SDC.INT8, "i2": SDC.INT16, "i4": SDC.INT32, "f8": SDC.FLOAT64}
#: The longest axes of data sets of one, two and three dimensions.
LENGTHS = {1: 4000, 2: 90, 3: 40}
#: Sweeps of each data set, and the most blocks of one.
SWEEPS = 3
BLOCKS_MAX = 3000


def make(path: Path, random: np.random.Generator) -> dict[str, tuple[int, ...]]:
    """Data sets in one stream and in chunks, of which some are not stored."""
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    shapes = {}
    for number in range(4):
        rank = int(random.integers(1, 4))
        shape = tuple(int(length) for length in random.integers(1, LENGTHS[rank], rank))
        name, kind = f"d{number}", str(random.choice(list(TYPES)))
        data_set = file.create(name, TYPES[kind], shape)
        is_chunked = number % 2 == 1
        if is_chunked:
            chunk = [int(random.integers(1, min(length, 40) + 1)) for length in shape]
            set_chunks(data_set, chunk, "deflate", 6)
        else:
            data_set.setcompress(SDC.COMP_DEFLATE, 6)
        values = random.integers(0, 9, shape).astype(kind)
        if is_chunked and random.random() < 0.4:
            # The rest is never written.
            part = [int(random.integers(1, length + 1)) for length in shape]
            data_set[tuple(slice(0, end) for end in part)] = values[tuple(slice(0, end) for end in part)]
        else:
            data_set[:] = values
        data_set.endaccess()
        shapes[name] = shape
    file.end()
    return shapes


def sweep(random: np.random.Generator, path: Path, name: str, shape: tuple[int, ...]) -> dict[str, Any]:
    while True:
        block = [int(random.choice([1, length, random.integers(1, length + 1)])) for length in shape]
        if math.prod(-(-length // size) for length, size in zip(shape, block, strict=True)) <= BLOCKS_MAX:
            break
    step = [int(random.integers(1, 4)) for _ in shape] if random.random() < 0.3 else [1] * len(shape)
    order = [int(axis) for axis in random.permutation(len(shape))]
    return {"file": str(path), "name": name, "shape": list(shape), "block": block, "order": order, "step": step}


def test_decodes_are_those_that_libhdf4_makes(tmp_path: Path) -> None:
    random = np.random.default_rng(13)
    library = hdf4_inflates.build(tmp_path)
    sweeps = []
    for number in range(scaled(6, full=100)):
        path = tmp_path / f"{number}.hdf"
        for name, shape in make(path, random).items():
            sweeps += [sweep(random, path, name, shape) for _ in range(SWEEPS)]
    counted = hdf4_inflates.counted(library, sweeps)
    wrong = []
    for asked, (starts, found) in zip(sweeps, counted, strict=True):
        report = hyperslab.doctor(
            asked["file"],
            "/" + asked["name"],
            reads=[tuple(asked["block"])],
            order=asked["order"],
            stride=None if set(asked["step"]) == {1} else asked["step"],
        )
        [read] = report["datasets"][0]["reads"]
        [profile] = read["profiles"]
        assert profile["exact"], asked
        if (profile["decodes"], profile["decoded_bytes"]) != (starts, found):
            wrong.append((asked, profile["decodes"], profile["decoded_bytes"], starts, found))
    assert not wrong, f"{len(wrong)} of {len(sweeps)}: {wrong[:3]}"
    assert sum(starts for starts, _ in counted) > len(sweeps), "something was inflated again"
