"""How long `hyperslab doctor --summary` takes for an archive of many files.

Twenty different files of a product line (three variables of 2 MiB each, in maps) and twenty of other extents are linked into a
folder under as many names as are asked for, and the folder is summarized. Wall time, processor time and files a second are
printed; then again from the log alone, which is what a summary of shares costs.

    scripts/measure archive                  10,000 files
    scripts/measure archive --files 1000 --jobs 2
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND

ROOT = Path(__file__).resolve().parents[1]
DIFFERENT = 20


def write(path: Path, number: int, steps: int) -> None:
    """A file of three variables over one grid."""
    random = np.random.default_rng(number)
    t, y, x = np.ogrid[:steps, :52, :60]
    with h5py.File(path, "w") as file:
        for name, scale in (("t2m", 9), ("u10", 20), ("v10", 20)):
            data = 280 + scale * np.sin(t / 40 + y / 9 + number) + 5 * np.cos(x / 11)
            data = data.astype("f4") + random.normal(size=data.shape).astype("f4") / 64
            file.create_dataset(name, data=data, chunks=(1, 52, 60), compression="gzip", compression_opts=1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hyperslab", default=str(COMMAND), help="the command")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        originals = [Path(folder) / f"original{number}" for number in range(2 * DIFFERENT)]
        for number, original in enumerate(originals):
            write(original, number, 160 if number < DIFFERENT else 100 + number)
        archive = Path(folder) / "archive"
        archive.mkdir()
        for number in range(args.files):
            # Four of five files are of the product line.
            which = number % DIFFERENT + (DIFFERENT if number % 5 == 4 else 0)
            os.link(originals[which], archive / f"file{number:06}.h5")
        log = Path(folder) / "done.jsonl"
        for what, inputs in (("examined", [str(archive), "--resume", str(log)]), ("from the log", [str(log)])):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            command = [args.hyperslab, "doctor", "--summary", "--jobs", str(args.jobs), "--json", *inputs]
            ended = subprocess.run(command, capture_output=True, text=True, check=True)
            wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            summary = json.loads(ended.stdout.splitlines()[-1])
            print(
                f"{what}: {summary['files']} files, {summary['total']['datasets']} datasets, {summary['total']['rewritten']} "
                f"worth rewriting; {wall:.1f} s, {seconds:.1f} s of processor time, {summary['files'] / wall:.0f} files a second "
                f"(load {os.getloadavg()[0]:.1f})"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
