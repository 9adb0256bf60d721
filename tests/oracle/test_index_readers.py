"""Indexes for kerchunk over fixtures and corpus: zarr-python reads through them what the engine reads.

A sample of the files by default, more of them at scale 10 (`scripts/test --full`).
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from kit import hdf5_files, scaled

FILE_BYTES_MAX = 2 << 20
#: Files at scale 1.
SAMPLE = 24
#: Seconds for all files: readers of Zarr 3 may hang in threads of fsspec.
TIME_LIMIT = 600

#: Reads the variables of files through kerchunk and through the engine; prints how many were the same, and the others.
COMPARE = """
import json, sys, warnings
import numpy as np
import xarray as xr
import hyperslab

warnings.simplefilter("ignore")
options = {"mask_and_scale": False, "decode_times": False, "decode_coords": False}
same, different = 0, []
for path in sys.argv[1:]:
    try:
        ours = xr.open_dataset(path, engine="hyperslab", phony_dims="sort", **options)
    except Exception:
        continue
    try:
        index = hyperslab.index(path)
    except hyperslab.HyperslabError as error:
        # Of a family of files, the engine opens all by the name of the first; an index has one file.
        if "consists of several files" not in str(error):
            raise
        continue
    theirs = xr.open_dataset(index, engine="kerchunk", **options)
    for name in set(ours.variables) & set(theirs.variables):
        try:
            a = ours[name].values
        except TypeError:
            # xarray does not convert compounds whose byte order is not the machine's.
            continue
        b = theirs[name].values
        # Opaque bytes may be times here: h5py's tags say so.
        are_bytes = {a.dtype.kind, b.dtype.kind} & {"V", "M", "m"}
        is_same = a.tobytes() == b.tobytes() if are_bytes else np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        if is_same and a.shape == b.shape:
            same += 1
        else:
            different.append(f"{path}: {name}: {a.ravel()[:3]} here, {b.ravel()[:3]} through the index")
print(json.dumps([same, different]))
"""


def sample() -> list[Path]:
    found = hdf5_files(FILE_BYTES_MAX)
    netcdf = [path for path in found if path.suffix in (".nc", ".nc4")]
    chosen = random.Random(2).sample(found, min(len(found), scaled(SAMPLE)))
    return sorted({*chosen, *random.Random(2).sample(netcdf, min(len(netcdf), scaled(SAMPLE)))})


def test_kerchunk_reads_what_the_engine_reads() -> None:
    pytest.importorskip("kerchunk")
    paths = sample()
    assert len(paths) >= 10
    command = [sys.executable, "-c", COMPARE, *paths]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT)
    assert ended.returncode == 0, ended.stderr
    same, different = json.loads(ended.stdout.splitlines()[-1])
    assert different == []
    assert same > len(paths)
