"""Measures `hyperslab run` and `hyperslab trace` on programs that are not changed, and says which bounds they reach.

    preloaded.py                     all cases: about 1 GB in --folder, and some minutes
    preloaded.py --only WORD ...     cases with one of these words in their name
    preloaded.py --small             less data, to try the script
    preloaded.py --repeats N         the least of N runs (5)
    preloaded.py --folder FOLDER     for the files

Whole processes are timed but where a call is named. The program in C (tests/programs/reads.c) is linked with the libhdf5 of the
system, and compiled once for all runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND

ROOT = Path(__file__).resolve().parents[1]
ROWS = 16_200
#: Rows that are read without hyperslab; each decodes the whole chunk.
PLAIN_ROWS = 10
RUN = [COMMAND, "run", "--"]
CACHE = [COMMAND, "run", "--only", "cache", "--"]


def timed(words: list, **options) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, **options)
    return time.perf_counter() - began, done.stdout


def least(repeats: int, *commands: list) -> list[float]:
    """The least seconds of each command, which are run in turns."""
    runs = [[timed(words)[0] for words in commands] for _ in range(repeats)]
    return [min(column) for column in zip(*runs, strict=True)]


class Report:
    def __init__(self) -> None:
        self.missed = 0

    def bound(self, what: str, found: float, most: float, unit: str = "") -> None:
        self.missed += found > most
        print(f"  {'pass' if found <= most else 'FAIL'}  {what}: {found:.3g}{unit}, at most {most:.3g}{unit}", flush=True)


def program(folder: Path) -> Path:
    """reads.c, linked with the libhdf5 of the system."""
    libraries = sorted(Path("/usr/lib").glob("*/libhdf5_serial.so.*"))
    if not libraries:
        raise SystemExit("there is no libhdf5 of the system: install hdf5-tools")
    path = folder / "reads"
    subprocess.run(["cc", "-O2", ROOT / "tests" / "programs" / "reads.c", libraries[0], "-o", path], check=True)
    return path


def paper(folder: Path, is_small: bool, repeats: int, report: Report) -> None:
    """The files of the paper of 2015 by one program: without compression, with it, and with it under `hyperslab run`."""
    shape = (8, 30, 9, 717) if is_small else (60, 30, 9, 717)
    count, chunk = int(np.prod(shape[:-1])), (4, *shape[1:])
    reads, values = program(folder), np.random.default_rng(2015).normal(size=shape).astype("f4")
    files = {"File.h5": {}, "File_with_compression.h5": {"compression": "gzip", "compression_opts": 6}}
    for name, filters in files.items():
        with h5py.File(folder / name, "w") as new:
            new.create_dataset("ES_ImaginaryLW", data=values, chunks=chunk, **filters)
    plain, packed = ([reads, "rows", folder / name, "/ES_ImaginaryLW"] for name in files)
    raw = min(timed([*plain, count])[0] for _ in range(repeats))
    some = min(1080, count)
    thrashing = timed([*packed, some])[0] * count / some
    cache, run = least(repeats, [*CACHE, *packed, count], [*RUN, *packed, count])
    print(f"  File.h5 {raw:.3f} s; File_with_compression.h5 {thrashing:.0f} s ({some} of {count} rows were read)")
    print(f"  hyperslab run --only cache {cache:.3f} s, hyperslab run {run:.3f} s")
    report.bound("File_with_compression.h5 under run, times plain on File.h5", run / raw, 10)


def memory(folder: Path, is_small: bool, repeats: int, report: Report) -> None:
    """Memory and disk of a trace of many reads."""
    count = 100_000 if is_small else 10_000_000
    file, reads, trace = folder / "memory.h5", program(folder), folder / "memory.trace"
    with h5py.File(file, "w") as new:
        new.create_dataset("packed", data=smooth((1000, 1000)), chunks=(100, 1000), compression="gzip")
    words = [reads, "elements", file, "/packed", count]

    def kilobytes(words: list) -> int:
        """The most that one of its processes had in memory at a time."""
        code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        return int(timed([sys.executable, "-c", code, *words])[1])

    # The program alone, with the library in it: without the command, which takes memory of its own.
    from_environment = ["env", f"LD_PRELOAD={library()}", f'HYPERSLAB_RUN={{"trace":"{trace}"}}', *words]
    trace.mkdir()
    plain, traced = kilobytes(words), kilobytes(from_environment)
    disk = sum(path.stat().st_size for path in trace.iterdir())
    print(f"  {count} reads: plain {plain / 1024:.1f} MiB, traced {traced / 1024:.1f} MiB; {disk} bytes on disk")
    report.bound("memory of the trace, more than plain", (traced - plain) / 1024, 20, " MiB")
    report.bound("disk of the trace", disk / 2**20, 4, " MiB")


def library() -> Path:
    """The library that is preloaded, as the command finds it."""
    words = [*RUN, "sh", "-c", "echo $LD_PRELOAD"]
    return Path(timed(words)[1].strip().split(":")[0])


def smooth(shape: tuple[int, ...]) -> np.ndarray:
    random = np.random.default_rng(7)
    steps = random.normal(0, 0.3, shape).astype("f4")
    return np.round(280 + steps + 15 * np.sin(np.linspace(0, 50, shape[-1], dtype="f4")), 2).astype("f4")


def rows(folder: Path, is_small: bool, repeats: int, report: Report) -> None:
    """The poster's data: one chunk of 46 MB."""
    shape = (6, 30, 9, 717) if is_small else (60, 30, 9, 717)
    count = int(np.prod(shape[:-1]))
    file, reads = folder / "poster.h5", program(folder)
    with h5py.File(file, "w") as new:
        new.create_dataset("t", data=smooth(shape), chunks=shape, compression="gzip", compression_opts=6, shuffle=True)
    plain = min(timed([reads, "rows", file, "/t", PLAIN_ROWS])[0] for _ in range(2))
    whole = plain * count / PLAIN_ROWS
    cache, run = least(repeats, [*CACHE, reads, "rows", file, "/t", count], [*RUN, reads, "rows", file, "/t", count])
    print(f"  plain {PLAIN_ROWS} rows {plain:.2f} s, {count} rows {whole:.0f} s; --only cache {cache:.3f} s; run {run:.3f} s")
    report.bound("--only cache: share of the plain time", cache / whole, 1 / 1000)
    report.bound("run: share of the plain time", run / whole, 1 / 1000)


def whole(folder: Path, is_small: bool, repeats: int, report: Report) -> None:
    """500 MB in full."""
    shape = (50, 512, 512) if is_small else (500, 512, 512)
    file, reads = folder / "whole.nc", program(folder)
    with h5py.File(file, "w") as new:
        data = new.create_dataset("t", shape, "f4", chunks=(1, 512, 512), compression="gzip", compression_opts=4, shuffle=True)
        for step in range(0, shape[0], 50):
            data[step : step + 50] = smooth((50, *shape[1:]))
    python = sys.executable
    own = f"""
import hyperslab, numpy, time
data, values = hyperslab.File({str(file)!r})["t"], numpy.empty({shape}, "f4")
began = time.perf_counter(); data.read_direct(values); print(time.perf_counter() - began)
"""
    of_h5py = f"""
import h5py, numpy, time
data, values = h5py.File({str(file)!r})["t"], numpy.empty({shape}, "f4")
began = time.perf_counter(); data.read_direct(values); print(time.perf_counter() - began)
"""
    of_netcdf4 = f"""
import netCDF4, time
data = netCDF4.Dataset({str(file)!r})["t"]; data.set_auto_mask(False)
began = time.perf_counter(); values = data[:]; print(time.perf_counter() - began)
"""
    ours = min(float(timed([python, "-c", own])[1]) for _ in range(repeats))
    print(f"  hyperslab's own read_direct {ours:.3f} s")
    programs = {
        "C": ([reads, "whole", file, "/t"], 2.5),
        "h5py": ([python, "-c", of_h5py], 2.5),
        "netCDF4": ([python, "-c", of_netcdf4], 2.5),
        "h5dump -b": (["h5dump", "-d", "/t", "-b", "LE", "-o", folder / "dump", file], 4.0),
    }
    # What h5dump takes for all but decoding: the same data without filters.
    raw = folder / "raw.h5"
    with h5py.File(raw, "w") as new:
        data = new.create_dataset("t", shape, "f4")
        for step in range(0, shape[0], 50):
            data[step : step + 50] = smooth((50, *shape[1:]))
    for name, (words, factor) in programs.items():
        plain, run = least(repeats, words, [*RUN, *words])
        line = f"  {name}: plain {plain:.2f} s, run {run:.2f} s"
        if name == "h5dump -b":
            floor = min(timed([*words[:-1], raw])[0] for _ in range(repeats))
            print(f"{line}; plain on the same data without filters {floor:.2f} s ({floor / plain:.2f} of plain)")
        else:
            place = 1 if name == "C" else 0
            call = min(float(timed([*RUN, *words])[1].split()[place]) for _ in range(repeats))
            print(f"{line}, its call {call:.3f} s")
            report.bound(f"{name}: its call, times hyperslab's own", call / ours, 1.1)
        report.bound(f"{name}: share of the plain time", run / plain, 1 / factor)


def calls(folder: Path, is_small: bool, repeats: int, report: Report) -> None:
    """Single elements, the chunk in libhdf5's cache."""
    count = 100_000 if is_small else 1_000_000
    file, reads = folder / "calls.h5", program(folder)
    with h5py.File(file, "w") as new:
        values = smooth((1000, 1000))
        new.create_dataset("raw", data=values)
        new.create_dataset("packed", data=values, chunks=(100, 1000), compression="gzip")

    def per_call(words: list) -> float:
        _, inside, number = timed(words)[1].split()
        return float(inside) / int(number) * 1e9

    def measured(dataset: str) -> dict[str, float]:
        words = [reads, "elements", file, dataset, count]
        ways = {"plain": words, "run": [*RUN, *words], "trace": None}
        found: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(repeats):
            for name, way in ways.items():
                trace = folder / "calls.trace"
                found[name].append(per_call(way or [COMMAND, "trace", "-o", trace, "--", *words]))
                shutil.rmtree(trace, ignore_errors=True)
        return {name: min(times) for name, times in found.items()}

    raw, packed = measured("/raw"), measured("/packed")
    for name, found in (("contiguous", raw), ("gzip", packed)):
        print(f"  {name}: " + ", ".join(f"{way} {took:.0f} ns" for way, took in found.items()))
    report.bound("a call on a dataset that is left as a whole, more than plain", raw["run"] - raw["plain"], 120, " ns")
    most = max(120.0, 0.05 * packed["plain"])
    report.bound("a small read with its chunk in the cache, more than plain", packed["run"] - packed["plain"], most, " ns")
    report.bound("trace, a call that touches a chunk, more than plain", packed["trace"] - packed["plain"], 660, " ns")


CASES = {
    "rows: one chunk of 46 MB, 16,200 rows by a program in C": rows,
    "whole: 500 MB, shuffle and gzip 4, in full": whole,
    "calls: single elements by a program in C": calls,
    "paper: the files of the paper of 2015, by rows, by a program in C": paper,
    "memory: a trace of ten million reads": memory,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    arguments, _ = parser.parse_known_args()
    report = Report()
    for name, measure in CASES.items():
        if arguments.only and not any(word in name for word in arguments.only):
            continue
        print(f"{name}; load of the machine: {os.getloadavg()[0]:.2f}", flush=True)
        with tempfile.TemporaryDirectory(prefix="hyperslab-preloaded-", dir=arguments.folder) as folder:
            measure(Path(folder), arguments.small, arguments.repeats, report)
    return 1 if report.missed else 0


if __name__ == "__main__":
    if sys.platform != "linux":
        raise SystemExit("nothing is preloaded on other systems")
    sys.exit(main())
