"""How well `bench --reads N` predicts what all reads take: random cells, each measured in full and in part.

    scripts/measure reads [--cells 60] [--reads 50] [--seed 1]

Prints each cell, the share of estimates within 30 %, and the cells where another engine would have been called the fastest
although the fastest of the full run is at least 1.5 times as fast as the second.
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND

FILTERS = [{}, {"compression": "gzip", "compression_opts": 1}, {"compression": "gzip", "compression_opts": 6},
           {"compression": "gzip", "compression_opts": 4, "shuffle": True}, {"shuffle": True, "fletcher32": True}]
CACHES = ["default", "1MiB", "4MiB", "16MiB", "64MiB"]
SECONDS_MAX = 20


def make(path, rng, shape, chunks, filters):
    values = np.cumsum(np.random.default_rng(rng.randrange(1 << 30)).normal(size=shape).astype("f4"), axis=-1, dtype="f4")
    with h5py.File(path, "w") as file:
        file.create_dataset("d", data=values, chunks=chunks, **filters)


def bench(command, path, block, cache, *more):
    words = [*command, "bench", path, "/d", "--read", "x".join(map(str, block)), "--cache", cache, "--json",
             "--cell-seconds", "10", *more]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    return {row["engine"]: row["read"] for row in document["rows"]}


def seconds(read):
    return read["extrapolated_read"] or read["read"]["median"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=60)
    parser.add_argument("--reads", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", default=str(COMMAND))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    within = total = wrong = done = 0
    with tempfile.TemporaryDirectory() as folder:
        while done < args.cells:
            shape = tuple(rng.choice([24, 60, 100, 180]) for _ in range(3))
            chunks = tuple(rng.randint(1, dim) for dim in shape)
            if not 16 << 10 <= 4 * np.prod(chunks) <= 8 << 20:
                continue
            block = [rng.choice([1, 1, rng.randint(1, dim), dim]) for dim in shape]
            reads = int(np.prod([-(-dim // part) for dim, part in zip(shape, block, strict=True)]))
            if not 2 * args.reads <= reads <= 20_000:
                continue
            filters, cache = rng.choice(FILTERS), rng.choice(CACHES)
            path = Path(folder) / "a.h5"
            make(path, rng, shape, chunks, filters)
            repeats = ("--repeats", "5")
            part = bench([args.command], path, block, cache, "--reads", args.reads, *repeats)
            if max(map(seconds, part.values())) > SECONDS_MAX:
                continue
            full = bench([args.command], path, block, cache, *repeats)
            ratios = {engine: seconds(part[engine]) / seconds(full[engine]) for engine in full}
            total += len(ratios)
            within += sum(1 / 1.3 <= ratio <= 1.3 for ratio in ratios.values())
            ranked = sorted(full, key=lambda engine: seconds(full[engine]))
            first = min(part, key=lambda engine: seconds(part[engine]))
            clear = len(ranked) > 1 and seconds(full[ranked[1]]) >= 1.5 * seconds(full[ranked[0]])
            turned = clear and first != ranked[0]
            wrong += turned
            done += 1
            text = ", ".join(f"{engine.split()[0]} {ratio:.2f}" for engine, ratio in ratios.items())
            print(f"{done:3} {shape} in {chunks} {filters or 'raw'} read {block} cache {cache}: {text}"
                  f"{'  OTHER WINNER' if turned else ''}", flush=True)
    print(f"{within} of {total} estimates within 30 % ({100 * within / total:.0f} %); {wrong} of {done} cells with another winner")


if __name__ == "__main__":
    main()
