"""A program in C that does what lines say with a libhdf5 (tests/programs/replay.c), linked with those that are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import kit

SOURCE = kit.ROOT / "tests" / "programs" / "replay.c"
#: The number of the filter that counts: it leaves chunks as they are.
COUNTING = 31999


def programs(full: int) -> range:
    """The seeds of random programs: all of them in the full run, a fortieth in continuous integration."""
    return range(full if kit.scaled(1) >= 10 else max(1, full // 40))


def libraries() -> dict[str, Path]:
    """The copies of libhdf5 that programs can be linked with, by a name for each."""
    found = {}
    for folder in ("h5py.libs", "netcdf4.libs", "netCDF4.libs", "tables.libs"):
        for path in sorted((Path(h5py.__file__).parents[1] / folder).glob("libhdf5-*.so*")):
            found[folder.removesuffix(".libs").lower()] = path
    for path in (Path("/usr/lib/x86_64-linux-gnu/libhdf5_serial.so.103"),):
        if path.exists():
            found["system"] = path
    for version in ("1.8", "1.14"):
        if old := os.environ.get(f"HYPERSLAB_LIBHDF5_{version.replace('.', '_')}"):
            found[version] = Path(old)
    return found


def build(folder: Path, name: str, library: Path, compiler: str | None = None) -> Path:
    """The program, linked with a library."""
    program = folder / f"replay-{name}"
    flags = {"1.8": ["-DSHORT_IDS"], "system": []}.get(name, ["-DMULTI"])
    content = library.read_bytes()
    if b"\0H5Dread_chunk" in content:
        versions = 2 if b"\0H5Dread_chunk2\0" in content else 1
        flags.append(f"-DREAD_CHUNK={versions}")
    compiler = compiler or shutil.which("cc") or shutil.which("gcc") or "cc"
    command = [compiler, "-O1", "-pthread", *flags, "-o", program, SOURCE, library, f"-Wl,--disable-new-dtags,-rpath,{library.parent}", "-Wl,--allow-shlib-undefined"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return program


def command(*words) -> list[str]:
    """The command line of hyperslab."""
    return [sys.executable, "-m", "hyperslab", *map(str, words)]
