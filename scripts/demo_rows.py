"""Reads a dataset row by row with hyperslab and with h5py, and prints the time of each.

demo_rows.py FILE DATASET
"""

from __future__ import annotations

import itertools
import sys
import time

import h5py
import numpy as np

import hyperslab

#: Reading all rows with a cache smaller than a chunk takes minutes, so only this many are read; the rest is extrapolated.
SAMPLE = 200
MIB = 1 << 20


def read(dataset, count: int | None = None) -> tuple[float, int, float]:
    """The seconds, the number of rows, and a sum for comparing the readers."""
    places = list(itertools.islice(np.ndindex(*dataset.shape[:-1]), count))
    total = 0.0
    began = time.perf_counter()
    for place in places:
        total += dataset[place][0]
    return time.perf_counter() - began, len(places), total


def main() -> None:
    path, name = sys.argv[1:3]
    with hyperslab.File(path) as file:
        ours, count, total = read(file[name])
    with h5py.File(path) as file:
        theirs, _, their_total = read(file[name])
        default = file.id.get_access_plist().get_cache()[2]
    with hyperslab.File(path) as file, h5py.File(path) as other:
        if not np.array_equal(file[name][...], other[name][...]):
            sys.exit("error: the readers return different values; please report this")
    with h5py.File(path, rdcc_nbytes=MIB) as file:
        sampled = read(file[name], SAMPLE)[0]
    if total != their_total:
        sys.exit("error: the sums of the rows differ between the readers; please report this")

    thrashing = sampled / SAMPLE * count
    versions = f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}"
    print(f"  {ours:8.3f} s   hyperslab {hyperslab.__version__}, default settings")
    print(f"  {theirs:8.3f} s   {versions}, default cache ({default / MIB:.0f} MiB)")
    print(f"  {thrashing:8.0f} s   {versions}, 1 MiB cache (the default before HDF5 2.0); {SAMPLE} rows took {sampled:.2f} s,")
    print(f"               {count:,} rows are extrapolated from that")
    print(f"  All values are equal. hyperslab is {thrashing / ours:,.0f} times faster than h5py with 1 MiB.")


if __name__ == "__main__":
    main()
