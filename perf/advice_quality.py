"""How good the advice of `hyperslab advise` is: it is compared with all of a grid of storages, measured by `hyperslab bench`.

For each of 60 random data sets (smooth, noisy, masked, integer, sparse; 1 to 4 dimensions; 8 MiB at most) and its random
weighted reads, the advised storage and up to 40 others are written by `hyperslab repack` and read by the bench, with libhdf5 and
with hyperslab. (One program writes all of them: how fast a gzip stream is decoded depends on the encoder, by up to a factor
of 2.) The fastest of the grid that keep to the bound of the size are then measured again beside the advised one, in turns: the
least of 40 disturbed times is not the time of the best. The advice is *good* if its weighted read time is within 1.25 times that of
the best, and *harmful* if it is more than 5 % above that of the file as it was.

    scripts/measure advice --out quality.jsonl           all 60, for each reader; begun again, it goes on
    scripts/measure advice --cases 0,13,27               these
    scripts/measure advice --out quality.jsonl --report  what the lines say, nothing is measured

Times are the least of a few runs: of libhdf5 processor time, of hyperslab, which reads in several threads, by the clock. A data
set whose file as it was reads in less than a millisecond is too small to be measured, and is counted as such. Each line has the
load of the machine at its end.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND

ROOT = Path(__file__).resolve().parents[1]
CASES = 60
BYTES_MAX = 8 << 20
KINDS = ["smooth", "noisy", "masked", "integer", "sparse"]
FILTERS = ["none", "gzip=1", "shuffle+gzip=1", "shuffle+gzip=4", "shuffle+gzip=9"]
CANDIDATES_MAX = 40
#: The advice that is compared: the reader's name for `advise`, and the engine's for `bench`.
READERS = {
    "libhdf5-2" if h5py.version.hdf5_version_tuple >= (2,) else "libhdf5-1.14": "libhdf5",
    "hyperslab": "hyperslab",
}
GOOD = 1.25
HARMFUL = 1.05
#: Files may grow by so much, as `advise` allows by default.
SIZE_BOUND = 1.05
#: Less cannot be measured.
SECONDS_MIN = 0.001
#: The fastest of the grid that are measured again, and how often.
FINALISTS = 3
ROUNDS = 3


@dataclass
class Case:
    """A data set in a file, and its reads."""

    number: int
    kind: str
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    #: Blocks as `--read` takes them.
    reads: list[str]


def values(kind: str, shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Values of a kind."""
    axes = np.ogrid[tuple(slice(n) for n in shape)]
    smooth = sum(np.sin(axis / (3 + 9 * random.random()) + number) for number, axis in enumerate(axes)) * 10
    smooth = np.broadcast_to(smooth, shape)
    match kind:
        case "smooth":
            return (smooth + random.normal(size=shape) / 256).astype("f4")
        case "noisy":
            return random.normal(size=shape).astype("f4")
        case "masked":
            return np.where(smooth > 2, 1e20, smooth + random.normal(size=shape) / 16).astype("f4")
        case "integer":
            return (smooth * 50 + random.integers(-3, 4, shape)).astype("i2")
        case _:
            return np.where(random.random(shape) < 0.02, random.integers(1, 1000, shape), 0).astype("i4")


def make(number: int, folder: Path) -> tuple[Case, Path]:
    """Writes the file of a case."""
    random = np.random.default_rng(1000 + number)
    kind = KINDS[number % len(KINDS)]
    rank = 1 + number // len(KINDS) % 4
    elements = int(2 ** random.uniform(18, 20.9 if kind != "integer" else 21.9))
    # Extents whose product is about as large: random shares of its logarithm.
    shares = random.dirichlet(np.full(rank, 4.0))
    shape = tuple(max(2, round(elements**share)) for share in shares)
    data = values(kind, shape, random)
    assert data.nbytes <= BYTES_MAX * 1.3, (shape, data.nbytes)
    chunks = tuple(int(np.clip(round(n ** random.uniform(0, 1)), 1, n)) for n in shape)
    # No file has more chunks than a producer would bear.
    chunks = list(chunks)
    while math.prod(-(-n // chunk) for n, chunk in zip(shape, chunks, strict=True)) > 4096:
        axis = int(np.argmax([n / chunk for n, chunk in zip(shape, chunks, strict=True)]))
        chunks[axis] = min(shape[axis], 2 * chunks[axis])
    reads = []
    for _ in range(random.integers(1, 4)):
        whole = [bool(random.random() < 0.5) for _ in shape]
        block = [n if is_whole else max(1, n // int(random.integers(1, 40))) for n, is_whole in zip(shape, whole, strict=True)]
        # A few thousand reads are enough to be measured.
        while math.prod(-(-n // size) for n, size in zip(shape, block, strict=True)) > 4000:
            axis = int(np.argmax([n / size for n, size in zip(shape, block, strict=True)]))
            block[axis] = min(shape[axis], 2 * block[axis])
        reads.append("x".join(map(str, block)) + f"@{int(random.integers(1, 10))}")
    reads = list({read.split("@")[0]: read for read in reads}.values())
    path = folder / f"case{number}.h5"
    level = int(random.choice([0, 1, 4, 6]))
    options = {"compression": "gzip", "compression_opts": level} if level else {}
    with h5py.File(path, "w") as file:
        file.create_dataset("d", data=data, chunks=tuple(chunks), **options)
    return Case(number, kind, shape, tuple(chunks), reads), path


def command(hyperslab: str, *words: str) -> dict:
    """The JSON document of a command."""
    # The libhdf5 of this very Python.
    environment = os.environ | {"VIRTUAL_ENV": sys.prefix}
    ended = subprocess.run([hyperslab, *words, "--json"], capture_output=True, text=True, check=False, env=environment)
    if not ended.stdout:
        raise RuntimeError(f"{' '.join(words)}: {ended.stderr}")
    return json.loads(ended.stdout)


def shapes(case: Case, element_bytes: int) -> list[tuple[int, ...]]:
    """Chunk shapes of a grid: those of the reads, and balanced ones, of 64 KiB to 4 MiB; none of them from the advice."""
    found = [case.chunks]
    blocks = [tuple(map(int, read.split("@")[0].split("x"))) for read in case.reads]
    for size in (64 << 10, 256 << 10, 1 << 20, 4 << 20):
        share = min(1.0, size / (math.prod(case.shape) * element_bytes)) ** (1 / len(case.shape))
        found.append(tuple(max(1, round(n * share)) for n in case.shape))
        for block in blocks:
            chunk = list(block)
            for axis in range(len(chunk)):
                over = math.prod(chunk) * element_bytes / size
                if over > 1:
                    chunk[axis] = max(1, int(chunk[axis] / over))
            found.append(tuple(chunk))
    unique = list(dict.fromkeys(found))
    return unique[: CANDIDATES_MAX // len(FILTERS)]


def measured(hyperslab: str, path: Path, case: Case, engines: list[str], quick: bool) -> dict:
    """A file as the bench measures it: bytes, and seconds and decodes by engine."""
    words = ["bench", str(path), "/d", "--repeats", "2" if quick else "3", "--cell-seconds", "4", "--max-seconds", "3600"]
    words += [word for read in case.reads for word in ("--read", read)]
    words += [word for engine in engines for word in ("--engine", engine)]
    document = command(hyperslab, *words)
    weights = dict(document["weights"])
    found: dict = {"bytes": path.stat().st_size, "seconds": {}, "decodes": {}}
    for row in document["rows"]:
        engine = row["engine"].split(" ")[0]
        # libhdf5 reads in one thread, whose processor time says more than a clock on a machine that is not alone.
        seconds = row["read"]["cpu" if engine == "libhdf5" else "read"]["min"]
        # What libhdf5 decodes is counted, unless nothing is filtered.
        found["decodes"][engine] = found["decodes"].get(engine, 0) + (row["read"]["decodes"] or 0)
        found["seconds"][engine] = found["seconds"].get(engine, 0.0) + weights.get(row["read_as"], 1.0) * seconds
    return found


def repacked(hyperslab: str, path: Path, chunk: tuple[int, ...], filters: str) -> Path:
    """The file with another storage of the grid."""
    name = f"{'x'.join(map(str, chunk))} {filters}"
    out = path.parent / f"{name}.h5"
    words = ["repack", str(path), str(out), "--chunks", f"/d:{name.split()[0]}", "--filter", f"/d:{filters}"]
    subprocess.run([hyperslab, *words], check=True, capture_output=True)
    return out


def followed(hyperslab: str, path: Path, recommendation: dict) -> Path:
    """The file that the advice's own line makes."""
    (pasted,) = [one["line"] for one in recommendation["lines"] if one["tool"] == "hyperslab"]
    _, *words = shlex.split(pasted)
    subprocess.run([hyperslab, *words, "--overwrite"], cwd=path.parent, check=True, capture_output=True)
    return path.parent / "out.h5"


def least(measurements: list[dict]) -> dict:
    """The least of several measurements of a file."""
    engines = measurements[0]["seconds"]
    return measurements[0] | {"seconds": {engine: min(one["seconds"][engine] for one in measurements) for engine in engines}}


def judged(hyperslab: str, number: int, folder: Path, quick: bool, has_grid: bool) -> list[dict]:
    """The advice on a case for each reader, beside the best of the grid."""
    case, path = make(number, folder)
    with h5py.File(path) as file:
        element_bytes = file["d"].dtype.itemsize
    reads = [word for read in case.reads for word in ("--read", read)]
    answer = command(hyperslab, "advise", str(path), "/d", *reads, "--readers", ",".join(READERS), "--seconds", "20")
    (advice,) = answer["datasets"]
    by_reader = {one["reader"]: one for one in advice["recommendations"]}
    chunks = shapes(case, element_bytes) if has_grid else []
    grid = [repacked(hyperslab, path, chunk, filters) for chunk in chunks for filters in FILTERS]
    storages = {file: measured(hyperslab, file, case, list(READERS.values()), quick) for file in grid}
    results = []
    for reader, engine in READERS.items():
        recommendation = by_reader[reader]
        stored = recommendation["storage"]
        is_kept = recommendation["verdict"] == "already-good"
        out = path if is_kept else followed(hyperslab, path, recommendation)
        allowed = [file for file, one in storages.items() if one["bytes"] <= SIZE_BOUND * path.stat().st_size]
        finalists = sorted(allowed, key=lambda file: storages[file]["seconds"][engine])[:FINALISTS]
        # In turns, so that what disturbs one disturbs the others.
        files = dict.fromkeys([path, out, *finalists])
        rounds = [{file: measured(hyperslab, file, case, [engine], quick) for file in files} for _ in range(1 if quick else ROUNDS)]
        final = {file: least([turn[file] for turn in rounds]) for file in files}
        present, advised = final[path], final[out]
        best = min(final, key=lambda file: final[file]["seconds"][engine])
        name = f"{'x'.join(map(str, stored['chunk'])) if stored['chunk'] else 'contiguous'} {stored['filters']}"
        place = list(READERS).index(reader)
        seconds = advised["seconds"][engine]
        results.append(
            asdict(case)
            | {
                "reader": reader,
                "advised": name,
                "promised_bytes": stored["stored_bytes"],
                "promised_seconds": stored["seconds"][place],
                "promised_seconds_as_it_was": advice["present"]["seconds"][place],
                "promised_decodes": sum(read["decodes"] for read in stored["reads"][place]),
                "decodes": advised["decodes"][engine],
                "bytes": advised["bytes"],
                "bytes_as_it_was": present["bytes"],
                "seconds": seconds,
                "seconds_as_it_was": present["seconds"][engine],
                "best": name if best == out else "as it was" if best == path else best.stem,
                "times_best": seconds / final[best]["seconds"][engine],
                "times_as_it_was": seconds / present["seconds"][engine],
                "is_measurable": present["seconds"][engine] >= SECONDS_MIN,
                "load": os.getloadavg()[0],
            }
        )
    return results


def line(one: dict) -> str:
    """A result for people."""
    shape = "x".join(map(str, one["shape"]))
    return (
        f"{one['number']:2} {one['kind']:8} {shape:18} {one['reader']:10} {one['times_best']:5.2f} times the best, "
        f"{one['times_as_it_was']:5.2f} times as it was: {one['advised']} (best: {one['best']})"
    )


def report(results: list[dict]) -> None:
    """The shares of good and harmful advice, and what is neither."""
    for reader in READERS:
        own = [one for one in results if one.get("reader") == reader]
        measurable = [one for one in own if one["is_measurable"]]
        if not measurable:
            continue
        good = sum(one["times_best"] <= GOOD for one in measurable)
        harmful = [one for one in measurable if one["times_as_it_was"] > HARMFUL]
        print(
            f"{reader}: {good} of {len(measurable)} ({good / len(measurable):.0%}) within {GOOD} times the best, "
            f"{len(harmful)} more than 5 % slower than as it was; {len(own) - len(measurable)} are too small to be measured"
        )
        for one in sorted(measurable, key=lambda one: -one["times_best"]):
            if one["times_best"] > GOOD or one in harmful:
                print(f"  {line(one)}")
    for one in results:
        if "failed" in one:
            print(f"{one['number']:2} failed: {one['failed']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hyperslab", default=str(COMMAND), help="the command")
    parser.add_argument("--cases", help="numbers, separated by commas; all if omitted")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--no-grid", action="store_true", help="compare only with the file as it was")
    parser.add_argument("--out", type=Path, help="JSON lines to which every result is added; cases that it has are passed over")
    parser.add_argument("--report", action="store_true", help="only report what OUT has")
    args = parser.parse_args()
    numbers = [int(number) for number in args.cases.split(",")] if args.cases else list(range(CASES))
    known = args.out.read_text().splitlines() if args.out and args.out.exists() else []
    results = [json.loads(text) for text in known]
    done = {one["number"] for one in results}
    for number in [] if args.report else [number for number in numbers if number not in done]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = judged(args.hyperslab, number, Path(folder), args.quick, not args.no_grid)
            except (RuntimeError, subprocess.CalledProcessError) as error:
                found = [{"number": number, "failed": str(error)}]
        results += found
        for one in found:
            print(f"{number:2} failed: {one['failed']}" if "failed" in one else line(one), flush=True)
        if args.out:
            with args.out.open("a") as out:
                out.writelines(json.dumps(one) + "\n" for one in found)
    report(results)
    return 1 if any("failed" in one for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
