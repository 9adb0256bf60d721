"""Real files under `hyperslab trace`, `run --only cache` and `run`: programs print what they print without it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit import hdf5_files, scaled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is preloaded on other systems")

BYTES_MAX = 2 << 20
COMMAND = [sys.executable, "-m", "hyperslab"]
WAYS = {
    "trace": ["trace", "-o", "TRACE", "--"],
    "cache": ["run", "--only", "cache", "--"],
    "run": ["run", "--min-dataset", "0", "--"],
}
#: Reads datasets of files in several ways, and prints a digest of what comes, or the class of the error.
READ = """
import hashlib, sys, warnings
import h5py, numpy as np
warnings.simplefilter("ignore")
def digest(values):
    # Between the members of a compound, and what an address is, differs from run to run.
    listed = values.dtype.hasobject or values.dtype.names
    return hashlib.sha256(repr(values.tolist()).encode() if listed else values.tobytes()).hexdigest()[:16]
def tried(read):
    try:
        return digest(np.asarray(read()))
    except Exception as error:
        return type(error).__name__
def look(name, item):
    if not isinstance(item, h5py.Dataset) or item.shape is None or item.nbytes > 1 << 24:
        return
    if item.dtype.hasobject and not h5py.check_string_dtype(item.dtype) or not item.id.get_storage_size():
        return
    ways = [lambda: item[()]]
    if item.shape and item.size:
        middle = tuple(dim // 2 for dim in item.shape)
        ways += [lambda: item[middle], lambda: item[middle[0]], lambda: item[..., :: 2], lambda: item[tuple(slice(at, None) for at in middle)]]
        if item.dtype.kind in "fiu":
            ways += [lambda: item.astype("f8")[()], lambda: item.astype("i4")[...]]
    print(name, *map(tried, ways))
for path in sys.argv[1:]:
    try:
        with h5py.File(path, "r") as file:
            file.visititems(look)
    except Exception as error:
        print(path, type(error).__name__)
"""


#: The longest that a tool alone may take for a file.
ALONE_SECONDS = 60


def files() -> list[Path]:
    found = hdf5_files(BYTES_MAX)
    return found[:: max(1, len(found) // scaled(60))]


def ended(words, folder: Path, seconds: int = 600) -> tuple:
    done = subprocess.run(list(map(str, words)), capture_output=True, timeout=seconds, cwd=folder)
    return done.returncode, done.stdout


@pytest.mark.parametrize("way", WAYS)
def test_h5py_reads_the_same(way, tmp_path):
    program = [sys.executable, "-c", READ, *files()]
    plain = ended(program, tmp_path)
    assert plain[1].count(b"\n") >= 10
    words = [word.replace("TRACE", str(tmp_path / "x")) for word in WAYS[way]]
    assert ended([*COMMAND, *words, *program], tmp_path) == plain


@pytest.mark.parametrize("tool", [["h5dump"], ["h5dump", "-p", "-H"], ["ncdump"], ["h5ls", "-r", "-v"]], ids="-".join)
def test_tools_print_the_same(tool, tmp_path):
    if not shutil.which(tool[0]):
        pytest.skip(f"{tool[0]} is not installed")
    for path in files()[:: 6 // scaled(1, full=2)]:
        try:
            plain = ended([*tool, path], tmp_path, ALONE_SECONDS)
        except subprocess.TimeoutExpired:
            # A tower of links that netCDF-C follows endlessly, taking memory.
            continue
        # ncdump writes beyond its memory for some files, and ends where that happens to hurt.
        if plain[0] < 0:
            continue
        for words in (["run", "--min-dataset", "0", "--"], ["run", "--only", "cache", "--"]):
            assert ended([*COMMAND, *words, *tool, path], tmp_path) == plain, (path, words)
