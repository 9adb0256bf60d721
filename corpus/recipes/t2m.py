"""1.4 GiB of temperatures with two chunk shapes: one for maps, one for time series.

    big_t1.h5    /t2m, 1460 x 361 x 720 float32, chunks 1 x 361 x 720, shuffle + gzip 4
    big_365.h5   the same values, chunks 365 x 25 x 25
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from bulk import temperature, threads, write_chunks
from common import create

KIND = "bench"

SHAPE = (1460, 361, 720)
LEVEL = 4
SLAB = 365
#: In kelvin. Gives a compression ratio of 2.1.
RESOLUTION = 2.0**-12


def make(into: Path) -> None:
    options = {"shuffle": True, "compression": "gzip", "compression_opts": LEVEL}
    with threads() as pool, create(into / "big_t1.h5") as maps, create(into / "big_365.h5") as series:
        map_chunks = maps.create_dataset("t2m", SHAPE, "<f4", chunks=(1, *SHAPE[1:]), **options)
        series_chunks = series.create_dataset("t2m", SHAPE, "<f4", chunks=(SLAB, 25, 25), **options)
        slab = np.empty((SLAB, *SHAPE[1:]), "<f4")
        for first in range(0, SHAPE[0], SLAB):

            def fill(step: int) -> None:
                slab[step] = temperature(first + step, SHAPE[1:], RESOLUTION)

            list(pool.map(fill, range(SLAB)))
            write_chunks(pool, map_chunks, slab, (first, 0, 0), LEVEL)
            write_chunks(pool, series_chunks, slab, (first, 0, 0), LEVEL)
        for dataset in (map_chunks, series_chunks):
            ratio = dataset.nbytes / dataset.id.get_storage_size()
            if not 2.0 <= ratio <= 2.25:
                raise AssertionError(f"{dataset.file.filename}: the compression ratio must be 2.1, but it is {ratio:.2f}")
