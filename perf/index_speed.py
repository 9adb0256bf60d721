"""Time and memory of `hyperslab index`, in every format, of a file of 127,068 chunks and of one of a million.

Each format is written by a process of its own, whose peak memory counts (with that of the processes that it waits for). Less
than what this script itself has, about 50 MB, is not seen: Linux counts the memory before `exec`, too.
The best of the repeats counts. The first file is made in a temporary folder by h5py: chunks with shuffle and gzip in the index
that old versions of HDF5 write (a B-tree of version 1). The second one is the fixture `many_chunks`, which has such an index.

    scripts/measure index [--small] [--only FORMAT...] [--repeats N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND

ROOT = Path(__file__).parents[1]
MILLION = ROOT / "fixtures" / "many_chunks" / "earliest.h5"
#: Chunks of the first file along each axis: 127,068 together.
GRID = (12, 10_589)
#: Icechunk's library writes its repositories: that needs the command of the Python package.
FORMATS = ["kerchunk", "kerchunk-parquet", "zarr", "dmrpp", "hsds", "hyperslab", "icechunk"]
#: The most seconds.
SECONDS_MAX = {"127,068": 1.0, "million": 5.0}
ICECHUNK_SECONDS_MAX = {"127,068": 5.0, "million": None}
#: The most memory for a million chunks.
BYTES_MAX = 300e6
#: Seconds for one index.
LIMIT = 120


def measure(path: Path, format: str, command: Path, folder: Path) -> tuple[float, int]:
    """Seconds, and the most memory in bytes."""
    out = folder / f"index.{format}"
    shutil.rmtree(out, ignore_errors=True)
    start = [sys.executable, "-m", "hyperslab"] if format == "icechunk" else [command]
    began = time.perf_counter()
    process = subprocess.Popen([*start, "index", path, "--format", format, "-o", out], stdout=subprocess.DEVNULL)
    timer = threading.Timer(LIMIT, process.kill)
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    seconds = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{path.name}, {format}: the command failed after {seconds:.1f} s")
    # Linux counts in KiB, macOS in bytes.
    return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def make(path: Path, grid: tuple[int, int]) -> None:
    values = np.arange(16 * grid[0] * grid[1], dtype="i2").reshape(4 * grid[0], 4 * grid[1])
    with h5py.File(path, "w", libver="earliest", rdcc_nbytes=64 << 20, rdcc_nslots=100_003) as file:
        file.create_dataset("v", data=values, chunks=(4, 4), shuffle=True, compression=1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a file of 1,200 chunks, to try the script itself; bounds say nothing then")
    parser.add_argument("--only", nargs="+", choices=FORMATS, default=FORMATS, metavar="FORMAT")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--command", type=Path, default=COMMAND, help="the command hyperslab (default: the release build)")
    parser.add_argument("--json", type=Path, help="write the measurements to this file")
    arguments = parser.parse_args()
    if not arguments.command.exists():
        raise SystemExit(f"{arguments.command} is missing: cargo build --release -p hyperslab-cli")
    print(f"load of the machine: {os.getloadavg()[0]:.2f}")
    reached, found = True, []
    with tempfile.TemporaryDirectory(prefix="hyperslab-index-") as folder:
        made = Path(folder) / "made.h5"
        # In a process of its own: what it takes would be seen as memory of the commands.
        process = multiprocessing.get_context("spawn").Process(target=make, args=(made, (12, 100) if arguments.small else GRID))
        process.start()
        process.join()
        files = {"127,068": made} if arguments.small else {"127,068": made, "million": MILLION}
        for name, path in files.items():
            if not path.exists():
                raise SystemExit(f"{path} is missing: corpus/recipes/make.py")
            for format in arguments.only:
                runs = [measure(path, format, arguments.command, Path(folder)) for _ in range(arguments.repeats)]
                seconds, memory = min(run[0] for run in runs), min(run[1] for run in runs)
                seconds_max = (ICECHUNK_SECONDS_MAX if format == "icechunk" else SECONDS_MAX)[name]
                bytes_max = BYTES_MAX if name == "million" and format != "icechunk" else None
                is_reached = (seconds_max is None or seconds <= seconds_max) and (bytes_max is None or memory <= bytes_max)
                reached &= is_reached
                bounds = [f"at most {seconds_max:g} s"] if seconds_max else []
                bounds += [f"at most {bytes_max / 1e6:.0f} MB"] if bytes_max else []
                note = f"  {', '.join(bounds)}: {'reached' if is_reached else 'MISSED'}" if bounds else ""
                print(f"{name:8} {format:17} {seconds:7.3f} s {memory / 1e6:8.1f} MB{note}", flush=True)
                found.append({"file": name, "format": format, "seconds": seconds, "bytes": memory})
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2))
    print("all bounds are reached" if reached else "a bound is missed")
    return 0 if reached or arguments.small else 1


if __name__ == "__main__":
    sys.exit(main())
