"""Renews the figures of docs/choosing-chunks.md: those that `hyperslab advise` gives for a made-up year of weather maps.

    scripts/measure choosing-chunks [HYPERSLAB]      the command; that of the profile dist if not given

Seconds are predicted by the built-in constants, so that they are the same on every machine as far as decoding is; what
decoding takes is measured, and differs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "choosing-chunks.md"
SHAPE = (1460, 73, 144)
MAPS, SERIES = "1x73x144", ":x1x1"


def write(path: Path) -> None:
    """Four maps a day for a year, a map a chunk, as model output usually comes."""
    t, y, x = (np.arange(n).reshape(shape) for n, shape in zip(SHAPE, ((-1, 1, 1), (1, -1, 1), (1, 1, -1)), strict=True))
    noise = np.random.default_rng(0).normal(size=SHAPE)
    values = 15 + 20 * np.cos((y - 36) / 23) + 8 * np.sin(t / 232 + y / 30) + 3 * np.sin(x / 9 + t / 17) + noise / 4
    with h5py.File(path, "w") as file:
        packed = np.round(values * 100).astype("i2")
        options = {"chunks": (1, *SHAPE[1:]), "shuffle": True, "compression": "gzip", "compression_opts": 4}
        file.create_dataset("t2m", data=packed, **options)


def advice(command: str, path: Path, *options: str) -> dict:
    environment = os.environ | {"HYPERSLAB_CALIBRATION": "0"}
    words = [command, "advise", str(path), "/t2m", "--json", "--seconds", "30", *options]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    return json.loads(ended.stdout)["datasets"][0]


def seconds(value: float) -> str:
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (0.1, 1e3, "ms"), (120, 1, "s")):
        if value < limit:
            return f"{value * factor:.2g} {unit}" if value * factor < 100 else f"{value * factor:.0f} {unit}"
    return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"


def size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 1 << 20 else f"{count / 2**10:.0f} KiB"


def chunks(storage: dict) -> str:
    return "x".join(map(str, storage["chunk"])) if storage["chunk"] else "contiguous"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def shapes(command: str, path: Path) -> str:
    """What maps and series cost, in the chunks that suit each mix of them."""
    rows = []
    both = ["--read", MAPS, "--read", SERIES, "--readers", "libhdf5-1.14"]
    now = advice(command, path, *both)["present"]
    rows.append(["as it is: " + chunks(now), size(now["chunk_bytes"]), *[seconds(cost["seconds"]) for cost in now["reads"][0]]])
    for name, maps, series in (("maps alone", 1000, 1), ("both alike", 1, 1), ("series alone", 1, 1000)):
        reads = ["--read", f"{MAPS}@{maps}", "--read", f"{SERIES}@{series}", "--readers", "libhdf5-1.14"]
        storage = advice(command, path, *reads)["recommendations"][0]["storage"]
        costs = [seconds(cost["seconds"]) for cost in storage["reads"][0]]
        rows.append([f"for {name}: {chunks(storage)}", size(storage["chunk_bytes"]), *costs])
    return table(["chunks", "of", "all maps", "all series"], rows)


def caches(command: str, path: Path) -> str:
    """The best chunks for maps and series alike, by the cache of the reader."""
    rows = []
    for reader, cache in (("libhdf5-1.14", "1 MiB"), ("libhdf5-2", "8 MiB"), ("netcdf-4.10", "64 MiB"), ("hyperslab", "its own")):
        told = advice(command, path, "--read", MAPS, "--read", SERIES, "--readers", reader)
        storage = told["recommendations"][0]["storage"]
        before = [seconds(cost["seconds"]) for cost in told["present"]["reads"][0]]
        after = [seconds(cost["seconds"]) for cost in storage["reads"][0]]
        effects = [f"{one} → {other}" for one, other in zip(before, after, strict=True)]
        rows.append([reader, cache, chunks(storage), *effects])
    return table(["reader", "chunk cache", "best chunks", "all maps", "all series"], rows)


def filters(command: str, path: Path) -> str:
    """The storages that no other beats, for a reader that has zstd."""
    told = advice(command, path, "--read", MAPS, "--read", SERIES, "--readers", "libhdf5-2+zstd", "--size-bound", "none")
    rows = []
    for storage in told["pareto"][:8]:
        row = [chunks(storage), storage["filters"], size(storage["stored_bytes"]), seconds(storage["seconds"][0])]
        rows.append([*row, seconds(storage["write_seconds"] or 0.0)])
    return table(["chunks", "filters", "size", "reads", "written in"], rows)


def places(command: str, path: Path) -> str:
    """The best chunks by where the file lies."""
    rows = []
    for place in ("local", "hdd", "s3"):
        told = advice(command, path, "--read", MAPS, "--read", SERIES, "--readers", "libhdf5-2", "--place", place)
        storage = told["recommendations"][0]["storage"]
        both = [f"{seconds(one['seconds'][0])}, {round(one['requests']):,} requests" for one in (told["present"], storage)]
        rows.append([place, chunks(storage), size(storage["chunk_bytes"]), *both])
    return table(["place", "best chunks", "of", "as it is", "with these"], rows)


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else str(COMMAND)
    text = PAGE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "year.h5"
        write(path)
        for name, make in (("shapes", shapes), ("caches", caches), ("filters", filters), ("places", places)):
            new = f"<!-- {name} -->\n{make(command, path)}\n<!-- end -->"
            text, number = re.subn(f"<!-- {name} -->.*?<!-- end -->", lambda _, new=new: new, text, flags=re.S)
            if number != 1:
                raise SystemExit(f"{PAGE}: the place of the figures {name!r} is not there once")
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
