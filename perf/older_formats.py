"""Reads files of older formats: seconds of hyperslab and of netCDF4 or pyhdf, in turns, in one run.

    older_formats.py                  text to standard output
    older_formats.py --small          a hundredth of the records, to try the script
    older_formats.py --runs 7         how often each is read; the median counts

Files are in the page cache. A copy that swaps the bytes of an array in memory is the floor of a variable of fixed size. The floors
of records are measured without any library (`hyperslab-floor records`, on all cores): a request for each record, or all bytes in
blocks, from which nothing is taken; NumPy gathers them out of a mapping of the file, too (one thread). What is read of
HDF4 is one deflated stream, or deflated chunks; each run opens the file anew, so that nothing is kept from the run before.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import netCDF4
import numpy as np
from programs import FLOOR

import hyperslab

# How libhdf4 stores a data set in chunks, which pyhdf has no word for.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "oracle"))


class Case(NamedTuple):
    """A file, and what is read of it."""

    name: str
    #: How many variables take turns in a record; 0 for one variable of fixed size.
    variables: int
    #: Bytes of a variable in a record, or of all of it.
    bytes: int
    records: int
    #: Reads the value at one place of every record; otherwise a whole variable.
    is_series: bool
    #: hyperslab takes at most this share of the time of its peer.
    bound: float
    peer: str


CASES = (
    Case("8 variables, records of 512 KiB: one variable", 8, 512 << 10, 50, False, 0.35, "netCDF4"),
    Case("8 variables, records of 4 KiB: one variable", 8, 4 << 10, 6_400, False, 0.25, "netCDF4"),
    Case("50 variables, records of 64 B: one variable", 50, 64, 65_536, False, 0.25, "netCDF4"),
    Case("50 variables, records of 64 B: a series of one point", 50, 64, 65_536, True, 0.1, "netCDF4"),
    Case("a variable of fixed size, 200 MB", 0, 200_000_000, 1, False, 1.25, "a copy that swaps"),
)


def make(path: Path, case: Case) -> None:
    """Writes the file by netCDF4."""
    random = np.random.default_rng(1)
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.set_fill_off()
        count = case.bytes // 4
        file.createDimension("x", count)
        file.createDimension("time", None)
        if not case.variables:
            file.createVariable("v0", "f4", ("x",))[:] = random.random(count, "f4")
            return
        block = max(1, (32 << 20) // (case.bytes * case.variables))
        for number in range(case.variables):
            file.createVariable(f"v{number}", "f4", ("time", "x"))
        for start in range(0, case.records, block):
            rows = min(block, case.records - start)
            for number in range(case.variables):
                file[f"v{number}"][start : start + rows] = random.random((rows, count), "f4")


def mapped(path: Path, case: Case) -> Any:
    """The records of the first variable, in a mapping of the file that is made anew."""
    record = case.bytes * case.variables // 4
    begin = path.stat().st_size - case.records * record * 4
    return np.memmap(path, ">f4", "r", begin, (case.records, record))[:, : case.bytes // 4]


def readers(path: Path, case: Case) -> dict[str, Callable[[], Any]]:
    """What reads the values, by name. Files are open."""
    ours = hyperslab.File(path)["v0"]
    theirs = netCDF4.Dataset(path)["v0"]
    theirs.set_auto_maskandscale(False)
    key: Any = (slice(None), case.bytes // 8) if case.is_series else Ellipsis
    found = {"hyperslab": lambda: ours[key], "netCDF4": lambda: theirs[key]}
    if case.variables:
        found["mapping"] = lambda: mapped(path, case)[key].astype("f4")
    values = found["hyperslab"]()
    assert all(np.array_equal(values, read()) for read in found.values())
    if case.peer not in found:
        stored = ours[key].byteswap()
        found[case.peer] = lambda: stored.byteswap()
    return found


#: A field of HDF4: 24 levels of 1,443 × 1,443 32-bit floats, 200 MB.
HDF4_SHAPE = (24, 1_443, 1_443)
#: Rows that are read in all levels.
HDF4_ROWS = 20


#: A field in one deflated stream, and the same in deflated chunks of this shape: of HDF4, and of HDF5 with the same bytes.
STREAM, CHUNKED, SAME_CHUNKS = "stream.hdf", "chunked.hdf", "chunked.h5"
CHUNK = (1, 256, 256)


class Hdf4Case(NamedTuple):
    """What is read of a file of HDF4, and by which library."""

    name: str
    ours: Callable[[Path], Any]
    peer: Callable[[Path], Any]
    bound: float
    #: The file that is read: of one stream, or in chunks.
    file: str = STREAM


def by_pyhdf(path: Path) -> Any:
    """The whole field, by libhdf4."""
    from pyhdf.SD import SD

    return SD(str(path)).select("field").get()


def whole(path: Path) -> Any:
    """The whole field."""
    with hyperslab.File(path) as file:
        return file["field"][...]


def rows(path: Path) -> Any:
    """Some rows in all levels, one after the other."""
    with hyperslab.File(path) as file:
        field = file["field"]
        step = field.shape[1] // HDF4_ROWS
        return [field[:, row * step] for row in range(HDF4_ROWS)]


def same_chunks(path: Path) -> Any:
    """The whole field of the file of HDF5."""
    return whole(path.with_name(SAME_CHUNKS))


HDF4_CASES = (
    Hdf4Case("HDF4, 200 MB in one deflated stream: in full, by pyhdf", whole, by_pyhdf, 0.6),
    Hdf4Case("HDF4, 200 MB in one deflated stream: 20 rows, in full", rows, whole, 1.2),
    Hdf4Case("HDF4, 200 MB in deflated chunks: in full, by pyhdf", whole, by_pyhdf, 0.35, CHUNKED),
    Hdf4Case("HDF4, 200 MB in deflated chunks: HDF5 with the same", whole, same_chunks, 1.15, CHUNKED),
)


def make_hdf4(folder: Path, shape: tuple[int, ...]) -> None:
    """Writes the field by libhdf4, and its chunks by h5py."""
    from hdf4_library import set_chunks
    from pyhdf.SD import SD, SDC

    random = np.random.default_rng(1)
    smooth = np.add.outer(np.sin(np.arange(shape[1]) / 50), np.cos(np.arange(shape[2]) / 70))
    values = np.stack([smooth + level for level in range(shape[0])]) + random.normal(0, 0.01, shape)
    values = np.round(values, 2).astype("f4")
    for name in (STREAM, CHUNKED):
        file = SD(str(folder / name), SDC.WRITE | SDC.CREATE)
        field = file.create("field", SDC.FLOAT32, shape)
        if name == STREAM:
            field.setcompress(SDC.COMP_DEFLATE, 4)
        else:
            set_chunks(field, list(CHUNK), "deflate", 4)
        field[:] = values
        field.endaccess()
        file.end()
    with h5py.File(folder / SAME_CHUNKS, "w") as new:
        new.create_dataset("field", data=values, dtype=">f4", chunks=CHUNK, compression="gzip", compression_opts=4)


def seconds(read: Callable[[], Any]) -> float:
    """The seconds of one read."""
    begun = time.perf_counter()
    read()
    return time.perf_counter() - begun


def floors(path: Path, case: Case) -> dict[str, float]:
    """The seconds that the same bytes take without any library."""
    stride = case.bytes * case.variables
    begin = path.stat().st_size - case.records * stride
    bytes_ = 4 if case.is_series else case.bytes
    words = [FLOOR, "records", path, begin, stride, bytes_, case.records]
    found = json.loads(subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout)
    return {"a request for each": found["ranges"], "all bytes": found["blocks"]}


def report(name: str, ours: float, peer: float, bound: float, floors: dict[str, float] | None = None) -> None:
    """Prints a line, and one with the floors."""
    verdict = "" if ours <= bound * peer else "  not reached"
    print(f"{name:56} {ours * 1e3:7.2f} ms {peer * 1e3:7.2f} ms {ours / peer:6.2f} {bound:6.2f}{verdict}", flush=True)
    if floors:
        least = min(floors.values())
        texts = ", ".join(f"{way} {took * 1e3:.2f} ms" for way, took in floors.items())
        print(f"    without a library: {texts}: {least / peer:.2f} of the peer's, hyperslab takes {ours / least:.2f} times as long")


def main() -> None:
    """Measures all cases."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--small", action="store_true")
    arguments.add_argument("--runs", type=int, default=9)
    given = arguments.parse_args()
    print(f"{'':56} {'hyperslab':>10} {'peer':>10} {'ratio':>6} {'bound':>6}")
    for case in CASES:
        case = case._replace(records=max(1, case.records // 100)) if given.small else case
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file.nc"
            make(path, case)
            # Otherwise it is written to the device while it is read.
            os.sync()
            found = readers(path, case)
            runs: dict[str, list[float]] = {name: [] for name in found}
            least: dict[str, float] = {}
            for _ in range(given.runs):
                for name, read in found.items():
                    runs[name].append(seconds(read))
            medians = {name: statistics.median(times) for name, times in runs.items()}
            if case.variables:
                least = floors(path, case) | {"a mapping": medians["mapping"]}
        report(case.name, medians["hyperslab"], medians[case.peer], case.bound, least)
    shape = (2, *HDF4_SHAPE[1:]) if given.small else HDF4_SHAPE
    with tempfile.TemporaryDirectory() as folder:
        make_hdf4(Path(folder), shape)
        os.sync()
        for one in HDF4_CASES:
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(given.runs):
                for read, spent in zip((one.ours, one.peer), times, strict=True):
                    spent.append(seconds(lambda read=read, path=Path(folder) / one.file: read(path)))
            report(one.name, *map(statistics.median, times), one.bound)


if __name__ == "__main__":
    main()
