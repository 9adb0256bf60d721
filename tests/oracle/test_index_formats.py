"""Indexes for kerchunk in Parquet, Icechunk and hyperslab itself over real files: their readers read what the engine reads.

A few files by default, because each consumer reads in a process of its own; more at scale 10 (`scripts/test --full`).
"""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from kit import CORPUS, missing_corpus, scaled

import hyperslab

FILE_BYTES_MAX = 400 << 10
#: Files at scale 1.
SAMPLE = 3
#: Seconds for a file: readers of Zarr 3 may hang.
TIME_LIMIT = 90

#: Reads the variables of a file through an index and through the engine; prints those that differ.
COMPARE = """
import sys, warnings
import numpy as np
import xarray as xr
warnings.simplefilter("ignore")
options = {"mask_and_scale": False, "decode_times": False, "decode_coords": False}
path, index, format = sys.argv[1:]
ours = xr.open_dataset(path, engine="hyperslab", phony_dims="sort", **options)
if format == "icechunk":
    import icechunk, hyperslab.icechunk
    storage = icechunk.local_filesystem_storage(index)
    allowed = hyperslab.icechunk.containers(index)
    repository = icechunk.Repository.open(storage, authorize_virtual_chunk_access=allowed)
    theirs = xr.open_zarr(repository.readonly_session("main").store, consolidated=False, **options)
else:
    theirs = xr.open_dataset(index, engine="kerchunk", storage_options={"remote_protocol": "file"}, **options)
for name in set(ours.variables) & set(theirs.variables):
    try:
        a = ours[name].values
    except TypeError:
        # xarray does not convert compounds whose byte order is not the machine's.
        continue
    b = theirs[name].values
    same = a.shape == b.shape and (np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") or a.tobytes() == b.tobytes())
    print("same" if same else f"different: /{name}: {a.ravel()[:3]} here, {b.ravel()[:3]} through the index")
"""


def sample() -> list[Path]:
    if missing_corpus():
        return []
    paths = [path for path in sorted(CORPUS.rglob("*.nc")) if path.stat().st_size <= FILE_BYTES_MAX]
    found = [path for path in paths if path.open("rb").read(4) == b"\x89HDF"]
    return sorted(random.Random(3).sample(found, min(len(found), scaled(SAMPLE))))


@pytest.mark.parametrize("format", ["kerchunk-parquet", "icechunk"])
def test_readers_of_zarr_read_what_the_engine_reads(format: str, tmp_path: Path) -> None:
    if reason := missing_corpus():
        pytest.skip(reason)
    pytest.importorskip("icechunk" if format == "icechunk" else "fastparquet")
    same = 0
    for number, path in enumerate(sample()):
        out = tmp_path / f"{number}.{format}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            hyperslab.index(path, out, format=format)
        command = [sys.executable, "-c", COMPARE, str(path), str(out), format]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT)
        assert ended.returncode == 0, f"{path}: {ended.stderr}"
        # Icechunk warns on standard output.
        lines = [line for line in ended.stdout.splitlines() if line == "same" or line.startswith("different: /")]
        assert [line for line in lines if line != "same"] == [], path
        same += len(lines)
    assert same >= len(sample())


def test_a_file_with_its_index_is_the_same(tmp_path: Path) -> None:
    if reason := missing_corpus():
        pytest.skip(reason)
    compared = 0
    for number, path in enumerate(sample()):
        out = tmp_path / f"{number}.hyperslab"
        hyperslab.index(path, out, format="hyperslab")
        with hyperslab.File(path, index=out) as found, hyperslab.File(path) as expected:
            names: list[str] = []
            expected.visit(names.append)
            for name in names:
                item = expected[name]
                # Dimensions without values may be of any length.
                is_small = isinstance(item, hyperslab.Dataset) and item.shape is not None and item.nbytes < 1 << 24
                if is_small and item.dtype.kind in "iufSb":
                    np.testing.assert_array_equal(found[name][()], item[()], err_msg=f"{path}: {name}")
                    compared += 1
    assert compared >= len(sample())
