"""Programs that no one here wrote, over real files under `hyperslab trace`, `run --only cache` and `run`: what they print, their exit
code, what they complain of, and the files that they write are the same.

These programs are installed for the full run alone (`scripts/test --full`); `test_run_corpus.py` has those that CI has anyway.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kit import IS_FULL, hdf5_files
from run_programs import OUT, PROGRAMS, words

BYTES_MAX = 4 << 20
FILES = 60
SECONDS_MAX = 60
COMMAND = [sys.executable, "-W", "ignore", "-m", "hyperslab"]
WAYS = {
    "trace": ["trace", "-o", "TRACE", "--"],
    "cache": ["run", "--only", "cache", "--"],
    "run": ["run", "--min-dataset", "0", "--"],
}
#: What memory has that nobody wrote: what differs by it is of elements that were never written.
UNWRITTEN = ("85", "170")
#: What the interpreter must have, in place of a program.
PACKAGES = {"PyTables": "tables", "rasterio": "rasterio", "xarray netcdf4": "netCDF4", "xarray h5netcdf": "h5netcdf"}
PYTHON = os.environ.get("HYPERSLAB_PROGRAMS_PYTHON", sys.executable)


def is_there(program: str) -> bool:
    if program in PACKAGES:
        found = subprocess.run([PYTHON, "-c", f"import {PACKAGES[program]}"], capture_output=True, check=False)
        return found.returncode == 0
    return shutil.which(PROGRAMS[program][0]) is not None


def ended(command: list[str], folder: Path, unwritten: str) -> tuple[int, bytes, bytes, bytes | None] | None:
    """The exit code, what was printed, what was complained of, and what was written; None if it does not end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    environment = {**os.environ, "MALLOC_PERTURB_": unwritten, "GDAL_PAM_ENABLED": "NO"}
    try:
        done = subprocess.run(command, capture_output=True, cwd=folder, env=environment, timeout=SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired:
        return None
    out = folder / OUT
    return done.returncode, done.stdout, done.stderr, out.read_bytes() if out.exists() else None


if IS_FULL:

    @pytest.mark.skipif(sys.platform != "linux", reason="nothing is preloaded on other systems")
    @pytest.mark.parametrize("program", PROGRAMS)
    def test_programs_do_the_same(program, tmp_path):
        if not is_there(program):
            pytest.fail(f"{program} is not installed")
        files = hdf5_files(BYTES_MAX)
        compared = 0
        for path in files[:: max(1, len(files) // FILES)]:
            command, folder = words(program, path, PYTHON), tmp_path / "here"
            plain = ended(command, folder, UNWRITTEN[0])
            if OUT in command:
                # What has the time in it is another file in another second.
                time.sleep(1.1)
            # What a program does otherwise each time, or dies of, is not compared.
            if plain is None or plain[0] < 0 or plain != ended(command, folder, UNWRITTEN[1]):
                continue
            compared += 1
            for way, ours in WAYS.items():
                given = [str(tmp_path / "trace") if word == "TRACE" else word for word in ours]
                shutil.rmtree(tmp_path / "trace", ignore_errors=True)
                found = ended([*COMMAND, *given, *command], folder, UNWRITTEN[0])
                what = (program, path, way)
                assert found is not None and (found[0], found[1], found[3]) == (plain[0], plain[1], plain[3]), what
                # A summary of what was read follows.
                assert found[2].startswith(plain[2]) if way == "trace" else found[2] == plain[2], (*what, plain[2], found[2])
        assert compared >= 10
