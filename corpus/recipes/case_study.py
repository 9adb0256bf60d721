"""The file of the 2015 paper: 16,200 rows of a CrIS granule, which gzip hardly compresses.

"Improving I/O Performance When Working with HDF5 Compressed Datasets" (The HDF Group, 2015), Figures 4 and 5:
60 x 30 x 9 x 717 big-endian floats with unlimited dimensions, chunks 4 x 30 x 9 x 717 (3,097,440 bytes: three times
the chunk cache of that time), gzip 6 with a ratio of 1.076, fill value -999.3.

    cris.h5        as in the paper
    cris_raw.h5    the same values, chunked and unfiltered
    cris_small.h5  repacked as the paper recommends: chunks 1 x 30 x 9 x 717
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, random

KIND = "test"

DATASET = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW"
SHAPE = (60, 30, 9, 717)
CHUNKS = (4, 30, 9, 717)
SMALL_CHUNKS = (1, 30, 9, 717)
FILL = -999.3

#: The noise of the imaginary part, which is mostly noise if the calibration is good. In mW/(m2 sr cm-1).
NOISE = 0.106
#: The amplitude of the remaining spectrum in it, in the same unit.
RESIDUAL = 0.02


def scan_lines(first: int, count: int) -> np.ndarray:
    """The imaginary part of the long-wave spectra of some scan lines: 30 fields of regard, 9 detectors each.

    A smooth residual, strongest in the carbon dioxide band at 667 cm-1 and larger over warm scenes, plus the noise of
    the instrument. The noise fills the low bits of the mantissa, which is why gzip compresses so little.
    """
    wavenumber = 650.0 + 0.625 * np.arange(SHAPE[-1])
    band = np.exp(-(((wavenumber - 667.0) / 40.0) ** 2))
    fringes = np.sin(wavenumber * 0.9) * band + 0.3 * np.sin(wavenumber * 0.31)
    lines = []
    for line in range(first, first + count):
        rng = random(line)
        scene = 0.5 + rng.random((*SHAPE[1:3], 1))
        lines.append(RESIDUAL * scene * fringes + rng.normal(0.0, NOISE, SHAPE[1:]))
    return np.stack(lines).astype(">f4")


def write(path: Path, chunks: tuple[int, ...], **filters) -> None:
    with create(path) as file:
        dataset = file.create_dataset(
            DATASET, SHAPE, ">f4", maxshape=(None,) * 4, chunks=chunks, fillvalue=np.float32(FILL), **filters
        )
        for first in range(0, SHAPE[0], CHUNKS[0]):
            dataset[first : first + CHUNKS[0]] = scan_lines(first, CHUNKS[0])


def make(into: Path) -> None:
    gzip = {"compression": "gzip", "compression_opts": 6}
    write(into / "cris.h5", CHUNKS, **gzip)
    write(into / "cris_raw.h5", CHUNKS)
    write(into / "cris_small.h5", SMALL_CHUNKS, **gzip)
    with h5py.File(into / "cris.h5") as file:
        dataset = file[DATASET]
        ratio = dataset.nbytes / dataset.id.get_storage_size()
    if not 1.07 <= ratio <= 1.085:
        raise AssertionError(f"the compression ratio must be near 1.076, but it is {ratio:.3f}")
