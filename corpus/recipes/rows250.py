"""500 MB in which a read `d[:, y, :]` touches 250 chunks of 1 MB, and the same values without filters.

    rows.h5         /d, 125 x 1000 x 1000 float32, chunks 1 x 500 x 500, shuffle + gzip 4
    plain.h5        the same, unfiltered
    contiguous.h5   the same, contiguous
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from bulk import temperature, threads, write_chunks
from common import create

KIND = "bench"

SHAPE = (125, 1000, 1000)
CHUNKS = (1, 500, 500)
LEVEL = 4
#: In kelvin. Gives a compression ratio of 2.3.
RESOLUTION = 2.0**-10


def make(into: Path) -> None:
    with threads() as pool:
        data = np.stack(list(pool.map(lambda step: temperature(step, SHAPE[1:], RESOLUTION), range(SHAPE[0]))))
        with create(into / "rows.h5") as file:
            options = {"shuffle": True, "compression": "gzip", "compression_opts": LEVEL}
            dataset = file.create_dataset("d", SHAPE, "<f4", chunks=CHUNKS, **options)
            write_chunks(pool, dataset, data, (0, 0, 0), LEVEL)
    with create(into / "plain.h5") as file:
        file.create_dataset("d", data=data, chunks=CHUNKS)
    with create(into / "contiguous.h5") as file:
        file.create_dataset("d", data=data)
