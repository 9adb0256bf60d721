"""Measures what writes gzip against its floor, h5repack, h5netcdf and h5py in one run, and says which bounds it reaches.

    encoding.py                     all cases: about 4 GB in --folder, and ten minutes
    encoding.py --only WORD ...     cases with one of these words in their name
    encoding.py --small             a tenth of the data, to try the script
    encoding.py --repeats N         the least of N runs of hyperslab (5); the others run once
    encoding.py --folder FOLDER     for the files; a memory file system (/dev/shm), so that no device is waited for

The floor of a repack is the time in which all cores decode each chunk of the input, encode each chunk of the output, and
decode it again, once (`hyperslab-floor`). All files are read back by h5py and compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from programs import COMMAND, FLOOR
from repack import temperature

MIB = 1 << 20
#: A year of 378 MB, and 1.5 GB.
YEAR, YEARS = 365, 1460
MEMORY = Path("/dev/shm")


@dataclass
class Bound:
    """hyperslab takes at most `factor` times what `against` takes."""

    against: str
    factor: float


@dataclass
class Result:
    #: Seconds by what was measured; `hyperslab` is compared with the others.
    seconds: dict[str, float]
    bytes: dict[str, int]


@dataclass
class Case:
    name: str
    measure: Callable[[Path, bool, int], Result]
    bounds: tuple[Bound, ...]


def seconds(words: list) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return time.perf_counter() - began, done.stdout


def floor(what: str, path: Path, *encoder: str) -> float:
    return json.loads(seconds([FLOOR, what, path, "/t2m", *encoder])[1])["seconds"]


def least(times: int, run: Callable[[], float]) -> float:
    return min(run() for _ in range(times))


def same(path: Path, name: str, values: np.ndarray) -> None:
    with h5py.File(path) as file:
        for start in range(0, len(values), 100):
            part = slice(start, start + 100)
            if file[name][part].tobytes() != values[part].tobytes():
                raise SystemExit(f"{path}: other values in {name}")


def repacked(steps: int, before: dict, after: str) -> Callable[[Path, bool, int], Result]:
    def measure(folder: Path, is_small: bool, repeats: int) -> Result:
        source, target, other = folder / "in.h5", folder / "out.h5", folder / "h5repack.h5"
        values = temperature(steps // 10 if is_small else steps)
        with h5py.File(source, "w") as file:
            file.create_dataset("t2m", data=values, **before)
        said = ""

        def ours() -> float:
            nonlocal said
            target.unlink(missing_ok=True)
            took, said = seconds([COMMAND, "repack", "--json", source, target, "--chunks", after, "--filter", "gzip=4"])
            return took

        found = {"hyperslab": least(repeats, ours)}
        same(target, "t2m", values)
        encoders = json.loads(said)["result"]["encoders"]
        fast = ("fast",) if [one["encoder"] for one in encoders] == ["fast"] else ()
        parts = [("decode", source)] if "chunks" in before else []
        parts += [("encode", target, *fast), ("decode", target)]
        found["floor"] = sum(least(repeats, lambda part=part: floor(*part)) for part in parts)
        found["h5repack"] = seconds(["h5repack", "-l", f"CHUNK={after}", "-f", "GZIP=4", source, other])[0]
        sizes = {"hyperslab": target.stat().st_size, "h5repack": other.stat().st_size}
        return Result(found, sizes)

    return measure


WRITE = """
import sys, time
import numpy as np, {imports}
values = np.load(sys.argv[1], mmap_mode="r")[...]
{prepare}
began = time.perf_counter()
{write}
print(time.perf_counter() - began)
"""


def written(folder: Path, repeats: int, values: np.ndarray, name: str, programs: dict[str, tuple[str, str, str]]) -> Result:
    """Each library writes the same values from a process of its own."""
    source = folder / "values.npy"
    np.save(source, values)
    found, sizes = {}, {}
    for library, (imports, prepare, write) in programs.items():
        target = folder / f"{library}.nc"
        program = WRITE.format(imports=imports, prepare=prepare, write=write)

        def run(program=program, target=target) -> float:
            target.unlink(missing_ok=True)
            return float(seconds([sys.executable, "-c", program, source, target])[1])

        found[library] = least(repeats if library == "hyperslab" else 1, run)
        same(target, name, values)
        sizes[library] = target.stat().st_size
        target.unlink()
    return Result(found, sizes)


def to_netcdf(folder: Path, is_small: bool, repeats: int) -> Result:
    values = temperature(48 if is_small else 481)
    prepare = 'ds = xarray.Dataset({"t2m": (("time", "latitude", "longitude"), values)})'
    encoding = 'encoding={"t2m": {"zlib": True}}'
    programs = {
        "hyperslab": ("hyperslab, xarray", prepare, f"hyperslab.to_netcdf(ds, sys.argv[2], {encoding})"),
        "h5netcdf": ("xarray", prepare, f'ds.to_netcdf(sys.argv[2], engine="h5netcdf", {encoding})'),
    }
    return written(folder, repeats, values, "t2m", programs)


def new_file(make: Callable[[int], np.ndarray]) -> Callable[[Path, bool, int], Result]:
    def measure(folder: Path, is_small: bool, repeats: int) -> Result:
        values = make(24 if is_small else 240)
        options = 'data=values, chunks=(1, 361, 720), shuffle=True, compression="gzip", compression_opts=4'
        create = f'    file.create_dataset("d", {options})'
        programs = {
            "hyperslab": ("hyperslab", "", f"with hyperslab.NewFile(sys.argv[2]) as file:\n{create}"),
            "h5py": ("h5py", "", f'with h5py.File(sys.argv[2], "w") as file:\n{create}'),
        }
        return written(folder, repeats, values, "d", programs)

    return measure


def rounded(steps: int) -> np.ndarray:
    """Smooth fields with noise, in two decimal places."""
    random = np.random.default_rng(3)
    time, latitude, longitude = (np.linspace(0, 2 * np.pi, size, dtype="f4") for size in (steps, 361, 720))
    waves = np.sin(3 * longitude + time[:, None, None]) * np.cos(2 * latitude)[:, None] + np.sin(latitude)[:, None]
    return np.round(280 + 15 * waves + random.normal(0, 0.3, (steps, 361, 720)), 2).astype("f4")


def noise(steps: int) -> np.ndarray:
    return np.random.default_rng(4).normal(size=(steps, 361, 720)).astype("f4")


CASES = [
    Case(
        "repack (1,361,720) to (365,25,25), gzip 4, 378 MB",
        repacked(YEAR, {"chunks": (1, 361, 720), "compression": "gzip"}, "365x25x25"),
        (Bound("floor", 1.4), Bound("h5repack", 1 / 28)),
    ),
    Case(
        "repack contiguous to chunked, gzip 4, 1.5 GB",
        repacked(YEARS, {}, "1x361x720"),
        (Bound("floor", 1.4), Bound("h5repack", 1 / 10)),
    ),
    Case("to_netcdf, zlib, 500 MB", to_netcdf, (Bound("h5netcdf", 1 / 10),)),
    Case("NewFile, shuffle and gzip 4, rounded t2m, 250 MB", new_file(rounded), (Bound("h5py", 1 / 7),)),
    Case("NewFile, shuffle and gzip 4, noise, 250 MB", new_file(noise), (Bound("h5py", 1 / 7),)),
]


def told(case: Case, result: Result) -> tuple[list[str], int]:
    lines, missed = [f"{case.name}; load of the machine: {os.getloadavg()[0]:.2f}"], 0
    ours = result.seconds["hyperslab"]
    for name, took in result.seconds.items():
        size = f"{result.bytes[name] / MIB:9.1f} MiB" if name in result.bytes else ""
        lines.append(f"  {name:10} {took:8.2f} s {size}")
    for bound in case.bounds:
        ratio, holds = ours / result.seconds[bound.against], ours <= bound.factor * result.seconds[bound.against]
        missed += not holds
        said = f"{ratio:.2f} of the" if bound.factor > 1 else f"{1 / ratio:.1f} times as fast as"
        wanted = f"at most {bound.factor}" if bound.factor > 1 else f"at least {1 / bound.factor:.0f}"
        lines.append(f"  {said} {bound.against}; {wanted}: {'reached' if holds else 'MISSED'}")
    return lines, missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=MEMORY if MEMORY.is_dir() else None)
    arguments, _ = parser.parse_known_args()
    missed = 0
    for case in CASES:
        if arguments.only and not any(word in case.name for word in arguments.only):
            continue
        with tempfile.TemporaryDirectory(prefix="hyperslab-encoding-", dir=arguments.folder) as folder:
            lines, failed = told(case, case.measure(Path(folder), arguments.small, arguments.repeats))
        missed += failed
        print("\n".join(lines), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    if shutil.which("h5repack") is None:
        raise SystemExit("h5repack is not installed")
    sys.exit(main())
