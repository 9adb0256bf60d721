"""Chunks that hyperslab encoded, put into files in place of those that libhdf5 encoded: both must read the same.

    libhdf5_reads.py FOLDER CHUNKS

FOLDER has the files of corpus/recipes/filter_vectors.py. A line of CHUNKS is one chunk, separated by tabs: file, dataset,
filter mask, bytes in hexadecimal. Prints how many chunks were read, or what was wrong with the first that differs.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401, which registers its filters
import numpy as np


def values(dataset):
    """All bytes, in the file's type."""
    kind = dataset.get_type()
    out = np.zeros(dataset.shape, f"V{kind.get_size()}")
    dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, out, mtype=kind)
    return out.tobytes()


def main():
    folder, chunks = Path(sys.argv[1]), Path(sys.argv[2])
    by_family = {}
    for line in chunks.read_text().splitlines():
        family, *chunk = line.split("\t")
        by_family.setdefault(family, []).append(chunk)
    read = 0
    with tempfile.TemporaryDirectory() as copies:
        for family, written in by_family.items():
            theirs, ours = folder / f"{family}.h5", Path(copies) / f"{family}.h5"
            shutil.copyfile(theirs, ours)
            with h5py.File(ours, "r+") as file:
                for name, mask, stored in written:
                    dataset = file[name].id
                    dataset.write_direct_chunk((0,) * dataset.rank, bytes.fromhex(stored), int(mask))
            # Opened again: libhdf5 keeps the mask of a chunk that it has read before.
            with h5py.File(theirs) as before, h5py.File(ours) as after:
                for name, _, _ in written:
                    compare(family, name, values(before[name].id), after[name].id)
                    read += 1
    print(read)


def compare(family, name, expected, dataset):
    try:
        found = values(dataset)
    except OSError as error:
        sys.exit(f"{family} {name}: {error}")
    if found != expected:
        wrong = next((i for i, (a, b) in enumerate(zip(expected, found)) if a != b), None)
        sys.exit(f"{family} {name}: byte {wrong} of {len(expected)} differs")


if __name__ == "__main__":
    main()
