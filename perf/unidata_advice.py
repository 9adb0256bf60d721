"""The studies that Unidata published on its blog: their best chunks, and those that `hyperslab advise` recommends, measured.

Precipitation of 390 months (a quarter of the published 1,560) on a grid of 128x256 floats is written in the published chunks and
in the advised ones, and read with h5py with the chunk cache of the study, and with hyperslab: all horizontal slices, and all
32,768 time series, as in the published averages. Seconds are wall time, the least of some runs. At the end each study says
whether the advised storage is as fast as the best published one, within 5 %.

    scripts/measure unidata            about five minutes; 300 MB of temporary space
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND

try:
    import hyperslab
except ImportError:
    hyperslab = None

ROOT = Path(__file__).resolve().parents[1]
SHAPE = (390, 128, 256)
#: The cache of the studies, which is that of libhdf5 up to 1.14.
CACHE = {"rdcc_nbytes": 1 << 20, "rdcc_nslots": 521}
SLICES, SERIES = "1x128x256", ":x1x1"
RUNS = 3
#: What is not faster by more than this is as fast.
TOLERANCE = 1.05


def rain() -> np.ndarray:
    """Values that compress by about a tenth, as those of the study do."""
    random = np.random.default_rng(0)
    values = random.gamma(0.5, 3e-5, SHAPE).astype("f4")
    values[random.random(SHAPE) < 0.07] = 0
    return values


def write(path: Path, data: np.ndarray, chunk: tuple[int, ...], level: int) -> None:
    """The values in these chunks, along an unlimited dimension; level 0 is no filter."""
    deflate = {"compression": "gzip", "compression_opts": level} if level else {}
    with h5py.File(path, "w") as file:
        file.create_dataset("pr", data=data, chunks=chunk, maxshape=(None, *SHAPE[1:]), **deflate)


def read(pr, block: str) -> None:
    if block == SLICES:
        for step in range(SHAPE[0]):
            pr[step]
    else:
        for cell in range(SHAPE[1] * SHAPE[2]):
            pr[:, cell // SHAPE[2], cell % SHAPE[2]]


def seconds(opened, block: str) -> float:
    """The least of some runs, each with the file opened anew; of runs that take long, the first."""
    least = float("inf")
    for _ in range(RUNS):
        with opened() as file:
            pr = file["pr"]
            start = time.perf_counter()
            read(pr, block)
            took = time.perf_counter() - start
        least = min(least, took)
        if took > 3:
            break
    return least


def repacked(command: str, path: Path, reads: list[str], readers: str) -> Path:
    """The file as it is advised for these readers; the file itself if it is good already."""
    environment = os.environ | {"VIRTUAL_ENV": sys.prefix}
    words = [command, "advise", "--json", str(path), "/pr", "--readers", readers]
    for one in reads:
        words += ["--read", one]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    recommended = json.loads(ended.stdout)["datasets"][0]["recommendations"][0]
    storage = recommended["storage"]
    if recommended["verdict"] == "already-good":
        return path
    out = path.with_name("advised.h5")
    chunk = "x".join(map(str, storage["chunk"]))
    words = [command, "repack", str(path), str(out), "--overwrite", "--chunks", chunk, "--filter", storage["filters"]]
    subprocess.run(words, check=True, env=environment, capture_output=True)
    return out


#: Study, reads, published chunks, level of deflate, and cache. Chunks of 256 of 390 steps waste as much as 1,024 of 1,560 did.
STUDIES = [
    ("large-enough cache", [SLICES], [(64, 128, 256)], 1, CACHE),
    ("large-enough cache, 16 MB", [SLICES], [(64, 128, 256)], 1, {"rdcc_nbytes": 16_000_000}),
    ("unlimited dimension", [SLICES, SERIES], [(steps, 64, 128) for steps in (4, 16, 64)], 0, CACHE),
    ("sizes and series", [SERIES], [(256, 16, 128), (256, 128, 128)], 0, CACHE),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hyperslab", default=str(COMMAND), help="the command")
    args = parser.parse_args()
    data = rain()
    engines = {"h5py": "libhdf5-1.14"} | ({"hyperslab": "hyperslab"} if hyperslab else {})
    print(f"load {os.getloadavg()[0]:.1f}; h5py {h5py.version.version}, libhdf5 {h5py.version.hdf5_version}\n")
    print("| study | chunks | | size | " + " | ".join(f"{name}: slices | {name}: series" for name in engines) + " |")
    print("|---|---|---|---:|" + "---:|---:|" * len(engines))
    verdicts = []

    def row(study: str, path: Path, what: str, names: list[str], reads: list[str], cache: dict) -> dict[str, float]:
        """Measures a file in some engines: the seconds of all reads together."""
        openers = {"h5py": lambda: h5py.File(path, **cache), "hyperslab": lambda: hyperslab.File(path)}
        times = {name: {one: seconds(openers[name], one) for one in reads} for name in names}
        cells = [f"{times[name][one]:.3f} s" if one in times.get(name, {}) else "" for name in engines for one in (SLICES, SERIES)]
        with h5py.File(path) as file:
            pr = file["pr"]
            stored = "x".join(map(str, pr.chunks)) + f", {', '.join(pr._filters) or 'raw'}"
        print(f"| {study} | {stored} | {what} | {path.stat().st_size / 1e6:.1f} MB | {' | '.join(cells)} |", flush=True)
        return {name: sum(times[name].values()) for name in names}

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "published.h5"
        for study, reads, shapes, level, cache in STUDIES:
            published = []
            for shape in shapes:
                write(path, data, shape, level)
                published.append(row(study, path, "published", list(engines), reads, cache))
            for name, readers in engines.items():
                # No more than the cache that the library has by itself.
                file = repacked(args.hyperslab, path, reads, readers)
                after = row(study, file, f"advised for {readers}", [name], reads, CACHE)[name]
                best = min(one[name] for one in published)
                verdict = "reached" if after <= TOLERANCE * best else "missed"
                verdicts.append(f"{study}, {name}: {verdict}, {after:.3f} s; the best published {best:.3f} s")
    print("\n" + "\n".join(verdicts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
