"""A file like a granule of ICESat-2's ATL03: many groups and datasets that grew together, so metadata lies scattered between data.

    granule.h5        58 groups, 203 datasets, 12,700 chunks; its index nodes, headers and heaps lie all over the file
    granule_paged.h5  the same contents, with metadata in pages of 64 KiB of their own
    granule_4mib_pages.h5  the same with pages of 4 MiB, of which the first has all metadata
    many_datasets.h5  912 datasets: 24 with 30 chunks of 16 KiB, the others with 2 small ones
    appended.h5       one dataset of 3,000 compressed chunks, which were appended with others, so its index lies between them

`python granule.py FILE 10` writes it ten times as large: about as many groups, datasets and chunks as the original has.
"""

from __future__ import annotations

import sys
from pathlib import Path

import h5py
import numpy as np
from common import create, ramp, random

KIND = "test"

BEAMS = ["gt1l", "gt1r", "gt2l", "gt2r", "gt3l", "gt3r"]
CHUNK = 128
#: Elements are appended in so many steps, to all datasets in turn.
STEPS = 20


def layout(scale: int) -> dict[str, int]:
    """The number of chunks of each dataset."""
    datasets = {}
    for beam in BEAMS:
        for name in ["h_ph", "lat_ph", "lon_ph", "delta_time"]:
            datasets[f"{beam}/heights/{name}"] = 450 * scale
        for group in range(2 * scale + 5):
            for number in range(2 * scale + 1 if scale == 1 else 7):
                datasets[f"{beam}/part{group:02}/value{number:02}"] = 14 if scale == 1 else 18
    for number in range(9 if scale == 1 else 90):
        datasets[f"ancillary_data/part{number % 9}/value{number:02}"] = 16
    return datasets


def write(path: Path, scale: int, chunk: int = CHUNK, **options) -> None:
    append({name: (chunks, chunk) for name, chunks in layout(scale).items()}, path, **options)


def write_many_datasets(path: Path) -> None:
    datasets = {}
    for beam in BEAMS:
        for name in ["h_ph", "lat_ph", "lon_ph", "delta_time"]:
            datasets[f"{beam}/heights/{name}"] = (30, 2048)
        for number in range(148):
            datasets[f"{beam}/part{number % 4}/value{number:03}"] = (2, CHUNK)
    append(datasets, path, steps=5)


def write_appended(path: Path) -> None:
    steps, shape = 3000, (32, 32)
    values = random(12).normal(size=(steps, *shape)).astype("<f4")
    with create(path) as file:
        times = file.create_dataset("time", (0,), "<f8", chunks=(1,), maxshape=(None,))
        wind = file.create_dataset("uas", (0, *shape), "<f4", chunks=(1, *shape), maxshape=(None, *shape), compression=1)
        for start in range(0, steps, 50):
            for dataset, new in ((times, np.arange(start, start + 50)), (wind, values[start : start + 50])):
                dataset.resize(start + 50, axis=0)
                dataset[start:] = new
            file.flush()


def append(datasets: dict[str, tuple[int, int]], path: Path, steps: int = STEPS, **options) -> None:
    """Writes datasets of so many chunks of so many elements, a part of each in turn."""
    with create(path, **options) as file:
        file.attrs["title"] = "a granule"
        opened = {}
        for step in range(steps):
            for number, (name, (chunks, chunk)) in enumerate(datasets.items()):
                # A dataset is created when its first values come, so object headers lie between data, too.
                if number % steps > step:
                    continue
                if name not in opened:
                    kind = "<f8" if "heights" in name else "<f4"
                    opened[name] = file.create_dataset(name, (0,), kind, chunks=(chunk,), maxshape=(None,))
                    opened[name].attrs["units"] = "meters"
                dataset = opened[name]
                whole = chunks * chunk
                end = whole if step == steps - 1 else whole * (step + 1) // steps
                start = dataset.shape[0]
                dataset.resize((end,))
                dataset[start:end] = ramp((end - start,), dataset.dtype)
            # Written through, so that metadata stays where it was allocated.
            file.flush()


def make(into: Path) -> None:
    write(into / "granule.h5", 1)
    write(into / "granule_paged.h5", 1, fs_strategy="page", fs_page_size=1 << 16)
    write(into / "granule_4mib_pages.h5", 1, fs_strategy="page", fs_page_size=4 << 20)
    write_many_datasets(into / "many_datasets.h5")
    write_appended(into / "appended.h5")


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), 464)
    with h5py.File(sys.argv[1]) as written:
        found = []
        written.visititems(lambda name, item: found.append(item))
        chunks = sum(item.id.get_num_chunks() for item in found if isinstance(item, h5py.Dataset))
        groups = sum(isinstance(item, h5py.Group) for item in found)
        print(f"{groups} groups, {len(found) - groups} datasets, {chunks} chunks")
