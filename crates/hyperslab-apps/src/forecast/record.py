"""Notes each read that libhdf5 makes of a file: opening it, listing it, and reading blocks of its datasets.

The request comes as JSON from standard input:
{"file": path, "reads": [{"dataset": path, "blocks": [[start, count], ...]}, ...], "bytes_max": number}. A series of blocks ends
early when so many bytes of the file were read. The answer is JSON, too.

h5py reads a Python file object through a driver without metadata accumulator and without sieve buffer, so that each read
of the library is seen as it is.
"""

import io
import json
import sys

import h5py

try:
    import hdf5plugin  # noqa: F401  Filters that libhdf5 itself lacks.
except ImportError:
    pass


class Recorded(io.FileIO):
    """A file that notes offset and length of each read."""

    def __init__(self, path):
        super().__init__(path, "r")
        self.reads = []

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")
        self.reads.append((self.tell(), len(view)))
        done = 0
        while done < len(view):
            count = super().readinto(view[done:])
            if not count:
                break
            done += count
        return done

    def read(self, size=-1):
        self.reads.append((self.tell(), size))
        return super().read(size)


def visit(_, item):
    for name in item.attrs:
        try:
            item.attrs[name]
        except Exception:  # A type that h5py does not read: its bytes were read all the same.
            pass
    if isinstance(item, h5py.Dataset) and item.chunks is not None:
        if hasattr(item.id, "chunk_iter"):
            item.id.chunk_iter(lambda chunk: None)
        else:
            for number in range(item.id.get_num_chunks()):
                item.id.get_chunk_info(number)


def recorded(path, work):
    """The reads of a file that is opened, worked on, and closed; and what the work returns."""
    noted = Recorded(path)
    with h5py.File(noted, "r") as file:
        done = work(file, noted.reads)
    return list(noted.reads), done


def listing(file, _):
    visit("/", file)
    file.visititems(visit)


def reading(read, bytes_max):
    def work(file, reads):
        dataset, done, seen, fetched = file[read["dataset"]], 0, 0, 0
        for start, count in read["blocks"]:
            dataset[tuple(slice(first, first + many) for first, many in zip(start, count))]
            done += 1
            fetched += sum(size for _, size in reads[seen:])
            seen = len(reads)
            if fetched >= bytes_max:
                break
        return done

    return work


def attempted(path, work):
    try:
        reads, blocks = recorded(path, work)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"accesses": reads, "blocks": blocks or 0}


if __name__ == "__main__":
    request = json.load(sys.stdin)
    path = request["file"]
    answer = {
        "h5py": h5py.version.version,
        "hdf5": h5py.version.hdf5_version,
        "opening": attempted(path, lambda file, reads: None),
        "listing": attempted(path, listing),
        "reads": [attempted(path, reading(read, request["bytes_max"])) for read in request["reads"]],
    }
    json.dump(answer, sys.stdout)
