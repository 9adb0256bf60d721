"""Reads a dataset of three million small chunks in full: seconds and memory of hyperslab and of h5py, in one run.

    small_chunks.py                   text to standard output
    small_chunks.py --only WORD ...   runs if one of these words is in the name of the case
    small_chunks.py --small           a hundredth of the chunks, to try the script

Each read is a process of its own. Its memory is the most that it ever uses (`VmHWM`, which begins anew with each program; the
`ru_maxrss` of a process contains that of its parent), less what it uses before it opens the file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import hyperslab

NAME = "3 million small chunks, whole"
CHUNKS = 3_000_000
#: A read that takes longer is given up.
SECONDS_MAX = 300.0
#: hyperslab takes at most this share of h5py's time.
BOUND = 0.2

READ = """
import json, sys, time
import numpy
import {library} as library
def most():
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
before = most()
began = time.perf_counter()
with library.File(sys.argv[1], "r") as file:
    values = file["d"][...]
seconds = time.perf_counter() - began
print(json.dumps({{"seconds": seconds, "bytes": most() - before, "sum": int(values.sum(dtype="i8"))}}))
"""


def read(library: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-c", READ.format(library=library), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=True)
    return json.loads(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    arguments, _ = parser.parse_known_args()
    if arguments.only and not any(word in NAME for word in arguments.only):
        return 0
    chunks = CHUNKS // 100 if arguments.small else CHUNKS
    with tempfile.TemporaryDirectory(prefix="hyperslab-small-chunks-") as folder:
        path = Path(folder) / "small.h5"
        values = np.arange(4 * chunks, dtype="<i4").reshape(chunks, 4)
        with hyperslab.NewFile(path) as file:
            file.create_dataset("d", data=values, chunks=(1, 4))
        runs = {library: [read(library, path) for _ in range(arguments.repeats)] for library in ("hyperslab", "h5py")}
    print(f"{NAME}: {chunks:,} chunks of 16 bytes; load of the machine: {os.getloadavg()[0]:.2f}")
    least = {}
    for library, found in runs.items():
        assert all(run["sum"] == int(values.sum(dtype="i8")) for run in found), library
        least[library] = {key: min(run[key] for run in found) for key in ("seconds", "bytes")}
        print(f"  {library:10} {least[library]['seconds']:7.2f} s {least[library]['bytes'] / 2**20:9.0f} MiB")
    ratio = least["hyperslab"]["seconds"] / least["h5py"]["seconds"]
    print(f"  hyperslab takes {ratio:.3f} of h5py's time; bound {BOUND}: {'reached' if ratio <= BOUND else 'MISSED'}")
    return 0 if ratio <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
