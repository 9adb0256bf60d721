"""Measures `hyperslab repack` against the floor, cp and other repackers in one run, and says which bounds it reaches.

    scripts/measure repack                     all cases, at the sizes of the bounds: about 12 GB in --folder, and an hour
    scripts/measure repack --small             the same at a tenth of the size or less, to try it
    scripts/measure repack --only WORD ...     cases with one of these words in their name
    scripts/measure repack --repeats N         medians of N runs (3)
    scripts/measure repack --folder FOLDER     for the files (perf/out/repack)

In each repeat of a case, all programs run one after the other, starting with a different one. Every run ends with the new
file on the device. The floor is the time in which all cores decode each chunk of the input and encode each chunk of the
output once (`hyperslab-floor decode`, `encode`). Writes perf/out/repack.json, too.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND, FLOOR

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SCRIPTS = Path(sysconfig.get_path("scripts"))
MIB = 1 << 20


@dataclass
class Bound:
    """The median seconds of `measured` are at most `factor` times those of `against`."""

    measured: str
    against: str
    factor: float


@dataclass
class Case:
    name: str
    #: Writes the input; the second argument is the size, 1 or less.
    make: Callable[[Path, float], None]
    #: Options of `hyperslab repack`, by the name of the variant.
    variants: dict[str, list[str]]
    #: Command lines of others; IN and OUT are replaced. cmip7repack writes IN_cmip7repack.
    others: dict[str, list[str]] = field(default_factory=dict)
    bounds: tuple[Bound, ...] = ()
    #: The dataset of which the floor is measured.
    floor: str | None = None
    #: The size of the input with --small.
    small: float = 0.1
    #: (variant, other, factor): the new file is at most so many times as large as the other's.
    sizes: tuple[tuple[str, str, float], ...] = ()
    #: The most peak memory of a variant, in bytes.
    memory: dict[str, int] = field(default_factory=dict)
    #: With it, the peak memory is shown for each of so many objects of the whole size.
    objects: int = 0


def temperature(steps: int) -> np.ndarray:
    """Six-hourly maps with weather in them, as reanalyses have: three digits of noise on smooth fields."""
    random = np.random.default_rng(1)
    latitude = np.linspace(-np.pi / 2, np.pi / 2, 361, dtype="f4")[:, None]
    longitude = np.linspace(0, 2 * np.pi, 720, dtype="f4")[None, :]
    noise = np.round(random.normal(0, 0.5, (361, 720)), 2).astype("f4")
    return np.stack(
        [
            280 + 25 * np.cos(latitude) + 5 * np.sin(3 * longitude + step / 9) * np.cos(2 * latitude)
            + np.roll(noise, 7 * step, 1)
            for step in range(steps)
        ]
    ).astype("f4")  # fmt: skip


def maps(**storage) -> Callable[[Path, float], None]:
    def make(path: Path, size: float) -> None:
        values = temperature(max(round(1460 * size), 10))
        storage_here = dict(storage)
        if "chunks" in storage_here:
            storage_here["chunks"] = tuple(map(min, storage_here["chunks"], values.shape))
        with h5py.File(path, "w") as file:
            file.create_dataset("t2m", data=values, **storage_here)

    return make


def columns(path: Path, size: float) -> None:
    """HDFGroup/hdf5#6458, with fewer columns: 67,186 rows, chunks that are a part of one column."""
    random = np.random.default_rng(2)
    with h5py.File(path, "w") as file:
        made = file.create_dataset(
            "d", (67_186, round(2000 * size)), "<u4", chunks=(2000, 1), compression="gzip", compression_opts=4
        )
        for column in range(0, made.shape[1], 100):
            made[:, column : column + 100] = random.poisson(3, (len(made), min(100, made.shape[1] - column)))


def small_datasets(path: Path, size: float) -> None:
    with h5py.File(path, "w") as file:
        for number in range(round(100 * size)):
            group = file.create_group(f"group {number:03}")
            for member in range(1000):
                group.create_dataset(f"dataset {member:03}", data=np.arange(4, dtype="<i4") + member)


def many_chunks(path: Path, size: float) -> None:
    with h5py.File(path, "w", libver="latest") as file:
        made = file.create_dataset("d", (round(1_000_000 * size), 4), "<i4", chunks=(1, 4))
        made[...] = np.arange(made.size, dtype="<i4").reshape(made.shape)


def cmip7(path: Path, size: float) -> None:
    steps = max(round(3650 * size), 100)
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["variable_id"] = "tas"
        moment = file.create_dataset("time", data=np.arange(float(steps)), chunks=(1,), maxshape=(None,))
        moment.make_scale("time")
        moment.attrs["bounds"] = "time_bnds"
        file.create_dataset("time_bnds", data=np.zeros((steps, 2)), chunks=(1, 2))
        values = temperature(steps)[:, ::2, ::5]
        made = file.create_dataset("tas", data=values, chunks=(1, *values.shape[1:]), compression="gzip", shuffle=True)
        made.dims[0].attach_scale(moment)


def both(*options: str) -> dict[str, list[str]]:
    return {"hyperslab": [*options], "hyperslab, not verified": [*options, "--no-verify"]}


#: The encoder of the floor. The fast one is measured by encoding.py.
SMALL = ("--encoder", "small")
SERIES = "365x25x25"
STEPS = "1x361x720"
CASES = [
    Case(
        "contiguous 1.4 GiB to chunks, shuffle and gzip 4",
        maps(),
        both(*SMALL, "--chunks", STEPS, "--filter", "shuffle+gzip=4"),
        {"h5repack": ["h5repack", "-l", f"CHUNK={STEPS}", "-f", "SHUF", "-f", "GZIP=4", "IN", "OUT"]},
        (Bound("hyperslab", "floor", 1.5), Bound("hyperslab, not verified", "floor", 1.25)),
        floor="/t2m",
        sizes=(("hyperslab", "h5repack", 1.02),),
    ),
    *(
        Case(
            f"1.4 GiB, {before} to {after}, gzip 4, {memory} MiB",
            maps(chunks=tuple(map(int, before.split("x"))), compression="gzip", compression_opts=4),
            both(*SMALL, "--chunks", after, "--filter", "gzip=4", "--memory", f"{memory}MiB"),
            {"h5repack": ["h5repack", "-l", f"CHUNK={after}", "-f", "GZIP=4", "IN", "OUT"]} if memory == 512 else {},
            (Bound("hyperslab, not verified", "floor", 1.35),),
            floor="/t2m",
            memory={"hyperslab": memory * MIB},
        )
        for before, after in ((STEPS, SERIES), (SERIES, STEPS))
        for memory in (512, 64)
    ),
    Case(
        "uint32 67,186 x 2000, 2000x1 gzip 4 to 67,186x10 gzip 1 (#6458 with a tenth of the columns)",
        columns,
        both(*SMALL, "--chunks", "67186x10", "--filter", "gzip=1", "--memory", "512MiB"),
        {"h5repack": ["h5repack", "-l", "CHUNK=67186x10", "-f", "GZIP=1", "IN", "OUT"]},
        (Bound("hyperslab", "h5repack", 0.1),),
        floor="/d",
        # With fewer columns, h5repack's slabs are whole chunks.
        small=0.5,
        memory={"hyperslab": 512 * MIB},
    ),
    Case(
        "10^5 small datasets",
        small_datasets,
        both(),
        {"h5repack": ["h5repack", "IN", "OUT"]},
        (Bound("hyperslab", "h5repack", 1.0),),
        objects=100_100,
    ),
    Case(
        "10^6 chunks",
        many_chunks,
        both(),
        {"h5repack": ["h5repack", "IN", "OUT"]},
        (Bound("hyperslab", "h5repack", 1.0),),
    ),
    Case(
        "stored bytes to a paged file, 1.4 GiB",
        maps(chunks=(1, 361, 720)),
        both("--page-size", "4MiB"),
        {"cp": ["cp", "IN", "OUT"]},
        (Bound("hyperslab, not verified", "cp", 1 / 0.7),),
    ),
    Case(
        "CMIP7",
        cmip7,
        both("--profile", "cmip7"),
        {"cmip7repack": [str(SCRIPTS / "cmip7repack"), "IN"]},
        (Bound("hyperslab", "cmip7repack", 0.2),),
    ),
]


@dataclass
class Run:
    seconds: float
    memory: int
    size: int


def run(words: list[str], source: Path, target: Path) -> Run | None:
    """Runs a command until its file is on the device; `None` if it is not installed."""
    if shutil.which(words[0]) is None:
        return None
    target.unlink(missing_ok=True)
    if "OUT" not in words:
        target = source.with_name(f"{source.name}_cmip7repack")
        target.unlink(missing_ok=True)
    words = [{"IN": str(source), "OUT": str(target)}.get(word, word) for word in words]
    os.sync()
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if target.exists():
        with target.open("rb") as file:
            os.fsync(file.fileno())
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {said.decode(errors='replace')}")
    return Run(seconds, usage.ru_maxrss * 1024, target.stat().st_size)


def floor(what: str, path: Path, dataset: str) -> float:
    """0 for reading contiguous data, which is in the page cache."""
    with h5py.File(path) as file:
        if file[dataset].chunks is None:
            return 0.0
    done = subprocess.run([FLOOR, what, path, dataset], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["seconds"]


def measure(case: Case, folder: Path, size: float, repeats: int) -> dict:
    source, target = folder / "in.nc", folder / "out.nc"
    source.unlink(missing_ok=True)
    # In a process of its own: the peak memory of a program begins with that of the process that starts it.
    maker = multiprocessing.get_context("fork").Process(target=case.make, args=(source, size))
    maker.start()
    maker.join()
    if maker.exitcode != 0:
        raise SystemExit(f"{case.name}: the input was not made")
    ours = {name: [str(COMMAND), "repack", "IN", "OUT", *options] for name, options in case.variants.items()}
    programs = ours | case.others
    found: dict[str, list[Run]] = {}
    floors = []
    for number in range(repeats):
        names = list(programs)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            done = run(programs[name], source, target)
            if done is not None:
                found.setdefault(name, []).append(done)
            if name in ours and case.floor and len(floors) <= number:
                floors.append(floor("decode", source, case.floor) + floor("encode", target, case.floor))
    target.unlink(missing_ok=True)
    source.unlink()
    return {
        "case": case.name,
        "seconds": {name: [run.seconds for run in runs] for name, runs in found.items()} | {"floor": floors},
        "memory": {name: max(run.memory for run in runs) for name, runs in found.items()},
        "bytes": {name: runs[-1].size for name, runs in found.items()},
    }


def judged(case: Case, result: dict, size: float) -> list[str]:
    """The lines about a case. Bounds that are missed begin with MISSED."""
    medians = {name: statistics.median(times) for name, times in result["seconds"].items() if times}
    lines = [case.name]
    for name, seconds in medians.items():
        line = f"    {name:26} {seconds:9.2f} s"
        if "floor" in medians and name != "floor":
            line += f"   {seconds / medians['floor']:6.2f} x floor"
        if name in result["memory"]:
            line += f"   {result['memory'][name] / MIB:7.0f} MiB"
            line += f"   {result['bytes'][name] / MIB:9.1f} MiB written"
        if name in result["memory"] and case.objects:
            line += f"   {result['memory'][name] / (case.objects * size):.0f} bytes for each object"
        lines.append(line)

    def line(holds: bool, what: str) -> None:
        lines.append(f"    {'reached' if holds else 'MISSED '}  {what}")

    for bound in case.bounds:
        if bound.against not in medians:
            lines.append(f"    {bound.against} is not installed")
            continue
        ratio = medians[bound.measured] / medians[bound.against]
        line(ratio <= bound.factor, f"{bound.measured}: {ratio:.3f} x {bound.against}, at most {bound.factor:.3f}")
    for name, other, factor in case.sizes:
        if other in result["bytes"]:
            ratio = result["bytes"][name] / result["bytes"][other]
            line(ratio <= factor, f"{name}: {ratio:.4f} x the bytes of {other}, at most {factor}")
    for name, most in case.memory.items():
        line(result["memory"][name] <= most, f"{name}: {result['memory'][name] / MIB:.0f} MiB, at most {most / MIB:.0f}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=ROOT / "perf" / "out" / "repack")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores{', small' if args.small else ''}")
    results, missed = [], 0
    for case in CASES:
        if args.only and not any(word in case.name for word in args.only):
            continue
        size = case.small if args.small else 1.0
        result = measure(case, args.folder, size, args.repeats)
        results.append(result)
        lines = judged(case, result, size)
        missed += sum(line.strip().startswith("MISSED") for line in lines)
        print("\n".join(lines), flush=True)
    out = ROOT / "perf" / "out" / "repack.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"small": args.small, "load": os.getloadavg(), "results": results}, indent=2))
    print(f"{missed} bounds are missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
