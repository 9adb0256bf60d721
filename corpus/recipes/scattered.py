"""A compressed field of 64 MB, for reads of scattered elements.

    field.h5      /field, 4096 x 4096 float32, chunks 256 x 256, shuffle + gzip 4
"""

from __future__ import annotations

from pathlib import Path

from bulk import temperature, threads, write_chunks
from common import create

KIND = "bench"

SHAPE = (4096, 4096)
CHUNKS = (256, 256)
LEVEL = 4


def make(into: Path) -> None:
    data = temperature(0, SHAPE, 2.0**-10)
    with create(into / "field.h5") as file, threads() as pool:
        options = {"shuffle": True, "compression": "gzip", "compression_opts": LEVEL}
        dataset = file.create_dataset("field", SHAPE, "<f4", chunks=CHUNKS, **options)
        write_chunks(pool, dataset, data, (0, 0), LEVEL)
