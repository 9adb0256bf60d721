"""The forecast of `hyperslab doctor --cloud` beside what real readers request of a server, and wait for it.

    scripts/measure cloud FILE DATASET [BLOCK]

BLOCK is swept over the dataset, `1x361x720`; the whole dataset if it is omitted. The server answers after 40 ms, with 80 MB/s a
connection. h5py over fsspec's caches and hyperslab run in this Python; libhdf5's driver ROS3 in the one that the variable
ROS3_PYTHON names, whose h5py must have it (`pip install h5py-s3 fsspec`). Prints a table: requests and bytes, forecast and real, and
their seconds, in which those of the same step on the local file are added to the forecast. The exit code is 1 if requests or bytes differ by more than 2 %, or seconds by more than 30 %.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from programs import BUILT

ROOT = Path(__file__).resolve().parents[1]
TARGET = BUILT
CLI = ROOT / "crates/hyperslab-cli"
PLACE = "latency=40ms,bandwidth=80MB/s,connections=256,price=0.0004,egress=0.09"
MIB = 1 << 20
# The code of a reader in the forecast, its name in readers.py, and its block.
FSSPEC = [
    ("fsspec-none", "none", 5 * MIB),
    ("fsspec-first", "first", 5 * MIB),
    ("fsspec-readahead", "readahead", 5 * MIB),
    ("fsspec-blockcache-4MiB", "blockcache", 4 * MIB),
    ("fsspec-blockcache-8MiB", "blockcache", 8 * MIB),
    ("hyperslab", "hyperslab", 0),
]
REQUESTS_MAX, BYTES_MAX, SECONDS_MAX = 0.02, 0.02, 0.30
# A reader that makes more is not waited for.
COUNT_MAX = 2_000


class Server:
    """The counting server of the tests."""

    def __init__(self, file: str):
        words = [TARGET / "examples/serve", file, "40", "80000000"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def counts(self) -> tuple[int, int]:
        """Requests and bytes since the last call."""
        print(file=self.process.stdin, flush=True)
        words = self.process.stdout.readline().split()
        return int(words[0]), int(words[2])


class Readers:
    """A Python that reads as it is told."""

    def __init__(self, python: str, url: str):
        words = [python, CLI / "tests/remote/readers.py", ROOT / "crates/hyperslab-apps/src/forecast/record.py", url]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        answer = json.loads(self.process.stdout.readline())
        if "skip" in answer:
            sys.exit(f"{python}: {answer['skip']}")

    def seconds(self, job: dict) -> float:
        print(json.dumps(job), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())["seconds"]


def forecast(file: str, dataset: str, block: str, python: str) -> dict:
    words = [TARGET / "hyperslab", "doctor", "--cloud", "--json", "--place", PLACE, file, dataset, "--read", block]
    told = subprocess.run(words, capture_output=True, check=True, env=os.environ | {"HYPERSLAB_INTERPRETER": python})
    return json.loads(told.stdout)


def blocks(document: dict) -> list:
    read = document["datasets"][0]["reads"][0]
    starts = (range(0, extent, size) for extent, size in zip(document["datasets"][0]["shape"], read["shape"]))
    shape = document["datasets"][0]["shape"]
    return [
        (start, [min(size, extent - at) for at, size, extent in zip(start, read["shape"], shape)])
        for start in itertools.product(*starts)
    ]


def compare(file: str, dataset: str, block: str, python: str, readers: list) -> bool:
    document = forecast(file, dataset, block, python)
    server = Server(file)
    process = Readers(python, server.url)
    is_exact = True
    for step in document["forecast"]["steps"]:
        kind = step["name"] if step["name"] in ("opening", "listing") else "reading"
        if kind == "reading" and step["blocks_replayed"] < step["blocks"]:
            sys.exit(f"{step['name']}: only {step['blocks_replayed']} of {step['blocks']} blocks are replayed")
        for code, reader, size in readers:
            expected = next(found for found in step["readers"] if found["reader"] == code)
            if expected["requests"] > COUNT_MAX:
                continue
            job = {"reader": reader, "block": size, "step": kind, "dataset": dataset, "blocks": blocks(document)}
            local = process.seconds(job | {"file": file})
            seconds = process.seconds(job)
            requests, received = server.counts()

            def differs(real: float, told: float, most: float) -> bool:
                return abs(real - told) > most * real

            wrong = [
                name
                for name, real, told, most in [
                    ("requests", requests, expected["requests"], REQUESTS_MAX),
                    ("bytes", received, expected["bytes"], BYTES_MAX),
                    ("seconds", seconds, expected["seconds"] + local, SECONDS_MAX),
                ]
                if differs(real, told, most)
            ]
            is_exact &= not wrong
            print(
                f"{step['name']:12} {code:24} requests {expected['requests']:6,} {requests:6,}  bytes {expected['bytes']:12,}"
                f" {received:12,}  seconds {expected['seconds'] + local:7.2f} {seconds:7.2f}  {', '.join(wrong)}"
            )
    return is_exact


def main() -> int:
    file, dataset, *rest = sys.argv[1:]
    block = rest[0] if rest else "x".join(":" for _ in forecast_shape(file, dataset))
    print(f"load {os.getloadavg()[0]:.1f}; forecast, real")
    results = [compare(file, dataset, block, sys.executable, FSSPEC)]
    if python := os.environ.get("ROS3_PYTHON"):
        script = "import h5py; print(h5py.version.hdf5_version_tuple >= (2, 2, 0))"
        is_new = subprocess.run([python, "-c", script], capture_output=True, check=True, text=True).stdout.strip()
        code = "ros3-2.2" if is_new == "True" else "ros3-2.0"
        results.append(compare(file, dataset, block, python, [(code, "ros3", 0)]))
    return 0 if all(results) else 1


def forecast_shape(file: str, dataset: str) -> list[int]:
    words = [TARGET / "hyperslab", "ls", "--json", file, dataset]
    told = subprocess.run(words, capture_output=True, check=True)
    return json.loads(told.stdout)["objects"][0]["shape"]


if __name__ == "__main__":
    sys.exit(main())
