"""Random paged files, read by h5py with a page buffer: what the buffer counted, and the reads that reached it.

Usage: page_buffer.py FIRST COUNT, or page_buffer.py table. Prints one JSON object a line: {"skip": why}, or a case.

A file is opened twice from memory, and read in the same way. Without a page buffer, each read of libhdf5 reaches the Python
object that stands for the file, and is noted with its kind, which follows from where the raw data lies. With a page buffer,
libhdf5 counts. The reads that open a file come before the buffer, and are left out.
"""

import io
import json
import sys

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(json.dumps({"skip": str(error)}))
    sys.exit()


class Noted(io.BytesIO):
    """A file that notes each read: place and length."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.reads: list[tuple[int, int]] = []

    def readinto(self, buffer) -> int:
        self.reads.append((self.tell(), len(buffer)))
        return super().readinto(buffer)


def content(page: int, random: np.random.Generator) -> bytes:
    made = io.BytesIO()
    with h5py.File(made, "w", fs_strategy="page", fs_page_size=page, fs_persist=False) as file:
        for number in range(int(random.integers(1, 6))):
            size = int(random.integers(10, 4000))
            chunked = {"chunks": (int(random.integers(1, size)),)} if random.random() < 0.7 else {}
            group = file.create_group(f"g{number}")
            group.attrs["a"] = np.arange(int(random.integers(1, 50)))
            group.create_dataset("d", data=random.integers(0, 9, size).astype("i2"), **chunked)
    # libhdf5 allocates whole pages, and takes a shorter file for a truncated one.
    return made.getvalue() + bytes(-len(made.getvalue()) % page)


def places_of_raw_data(dataset) -> list[tuple[int, int]]:
    if dataset.chunks is None:
        return [(dataset.id.get_offset(), dataset.id.get_storage_size())]
    chunks = (dataset.id.get_chunk_info(number) for number in range(dataset.id.get_num_chunks()))
    return [(chunk.byte_offset, chunk.size) for chunk in chunks]


def read(data: bytes, steps: list, **settings):
    noted = Noted(data)
    counts = None
    with h5py.File(noted, "r", **settings) as file:
        opened = len(noted.reads)
        names = list(file)
        raw = [place for name in names for place in places_of_raw_data(file[name]["d"])]
        for number, start, length in steps:
            dataset = file[names[number % len(names)]]["d"]
            first = int(start * dataset.shape[0])
            dataset[first : first + int(length * (dataset.shape[0] - first)) + 1]
            if number % 7 == 0:
                dict(file[names[number % len(names)]].attrs)
        if settings:
            stats = file.id.get_page_buffering_stats()
            counts = {"metadata": list(stats.meta), "raw": list(stats.raw)}
        reads = noted.reads[opened:]
    return reads, raw, counts


def case(number: int) -> dict:
    random = np.random.default_rng(number)
    page = int(random.choice([512, 1024, 4096]))
    data = content(page, random)
    pages, minimum = int(random.integers(1, 12)), int(random.choice([0, 0, 20, 50, 100]))
    steps = [(int(one), *random.random(2)) for one in random.integers(0, 100, 30)]
    reads, raw, _ = read(data, steps)
    settings = {"page_buf_size": pages * page, "min_raw_keep": minimum}
    requests, _, counts = read(data, steps, **settings)
    # libhdf5 reads a block of raw data at once, or parts of it.
    kinds = [any(start <= at < start + size for start, size in raw) for at, _ in reads]
    return {
        "number": number,
        "page": page,
        "bytes": pages * page,
        "raw_percent": minimum,
        "file_bytes": len(data),
        "reads": [[at, size, is_raw] for (at, size), is_raw in zip(reads, kinds, strict=True)],
        "requests": [len(requests), sum(size for _, size in requests)],
        **counts,
    }


def granule(page: int) -> bytes:
    """A file as those of the table, but smaller: 500 datasets, with metadata of more than 1 MiB and less than 2 MiB."""
    made = io.BytesIO()
    with h5py.File(made, "w", fs_strategy="page", fs_page_size=page, fs_persist=False) as file:
        for number in range(500):
            name = f"gt{number % 9}/part{number % 85}/d{number}"
            dataset = file.create_dataset(name, shape=(2000,), dtype="i2", chunks=(500,))
            dataset[:] = number
            dataset.attrs["units"] = "meters"
    return made.getvalue() + bytes(-len(made.getvalue()) % page)


def listing(data: bytes, **settings):
    """Lists all objects, and where their chunks lie, as the table's author did; and what that took."""
    noted = Noted(data)
    counts = None
    raw = []

    def visit(_, item) -> None:
        if isinstance(item, h5py.Dataset):
            raw.extend(places_of_raw_data(item))

    with h5py.File(noted, "r", **settings) as file:
        opened = len(noted.reads)
        file.visititems(visit)
        if settings:
            stats = file.id.get_page_buffering_stats()
            counts = {"metadata": list(stats.meta), "raw": list(stats.raw)}
        reads = noted.reads[opened:]
    return reads, raw, counts


def table() -> None:
    """Pages of 1 and 2 MiB for the 4 and 8 MiB of the table, with the same multiples of them as buffers."""
    small = 1 << 20
    rows = [(1, 1), (2, 2), (1, 2), (2, 4), (1, 4)]
    files = {pages: granule(pages * small) for pages in (1, 2)}
    unbuffered = {pages: listing(data)[0] for pages, data in files.items()}
    for number, (pages, buffer) in enumerate(rows):
        data, reads = files[pages], unbuffered[pages]
        requests, _, counts = listing(data, page_buf_size=buffer * small)
        line = {
            "number": number,
            "page": pages * small,
            "bytes": buffer * small,
            "raw_percent": 0,
            "file_bytes": len(data),
            "reads": [[at, size, False] for at, size in reads],
            "requests": [len(requests), sum(size for _, size in requests)],
            **counts,
        }
        print(json.dumps(line))


if not hasattr(h5py.h5f.FileID, "get_page_buffering_stats"):
    print(json.dumps({"skip": "this h5py has no page buffer"}))
    sys.exit()
if sys.argv[1] == "table":
    table()
    sys.exit()
first, count = map(int, sys.argv[1:3])
for number in range(first, first + count):
    print(json.dumps(case(number)))
