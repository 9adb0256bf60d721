"""Real files under `hyperslab trace`, `run --only cache` and `run`: programs print what they print without it."""

from __future__ import annotations

import os
import resource
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


#: What a tool alone may take for a file: some follow towers of links without end, in memory or in print.
ALONE_SECONDS = 60
ALONE_BYTES = 4 << 30
PRINTED_BYTES = 64 << 20
#: What memory has that nobody wrote, for malloc: values that differ are of elements that were never written.
UNWRITTEN = ("85", "170")


def files() -> list[Path]:
    found = hdf5_files(BYTES_MAX)
    return found[:: max(1, len(found) // scaled(60))]


def ended(words, folder: Path) -> tuple:
    done = subprocess.run(list(map(str, words)), capture_output=True, timeout=600, cwd=folder)
    return done.returncode, done.stdout


def alone(words, folder: Path, unwritten: str, bounded: bool) -> tuple | None:
    """The same without hyperslab; None if it does not end within the bounds."""

    def bound() -> None:
        if bounded:
            resource.setrlimit(resource.RLIMIT_AS, (ALONE_BYTES, ALONE_BYTES))
            resource.setrlimit(resource.RLIMIT_FSIZE, (PRINTED_BYTES, PRINTED_BYTES))

    printed = folder / "printed"
    environment = {**os.environ, "MALLOC_PERTURB_": unwritten}
    with open(printed, "wb") as out:
        program = subprocess.Popen(
            list(map(str, words)), stdout=out, stderr=subprocess.DEVNULL, cwd=folder, env=environment, preexec_fn=bound
        )
        try:
            code = program.wait(ALONE_SECONDS if bounded else 600)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
            return None
    text = printed.read_bytes()
    # ncdump writes beyond its memory for some files, and ends where that happens to hurt, or where its memory ends.
    return None if code < 0 or (code > 0 and not text) else (code, text)


@pytest.mark.parametrize("way", WAYS)
def test_h5py_reads_the_same(way, tmp_path):
    program = [sys.executable, "-c", READ, *files()]
    one, other = (alone(program, tmp_path, unwritten, bounded=False) for unwritten in UNWRITTEN)
    written = [mine == theirs for mine, theirs in zip(one[1].splitlines(), other[1].splitlines(), strict=True)]
    assert sum(written) >= 10
    words = [word.replace("TRACE", str(tmp_path / "x")) for word in WAYS[way]]
    code, printed = ended([*COMMAND, *words, *program], tmp_path)
    assert code == one[0]
    for mine, theirs, is_written in zip(printed.splitlines(), one[1].splitlines(), written, strict=True):
        assert mine == theirs or not is_written


@pytest.mark.parametrize("tool", [["h5dump"], ["h5dump", "-p", "-H"], ["ncdump"], ["h5ls", "-r", "-v"]], ids="-".join)
def test_tools_print_the_same(tool, tmp_path):
    if not shutil.which(tool[0]):
        pytest.skip(f"{tool[0]} is not installed")
    compared = 0
    for path in files()[:: 6 // scaled(1, full=2)]:
        plain = alone([*tool, path], tmp_path, UNWRITTEN[0], bounded=True)
        if plain is None or plain != alone([*tool, path], tmp_path, UNWRITTEN[1], bounded=True):
            continue
        compared += 1
        for words in (["run", "--min-dataset", "0", "--"], ["run", "--only", "cache", "--"]):
            assert ended([*COMMAND, *words, *tool, path], tmp_path) == plain, (path, words)
    assert compared >= 5
