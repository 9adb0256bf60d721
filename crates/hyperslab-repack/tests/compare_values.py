"""Compares damaged files with their repacks through h5py: attributes and values that it reads of the first file, it reads
of the second, and they are equal.
"""

import h5py
import in_process
import numpy as np

DEPTH_MAX = 6
BYTES_MAX = 1 << 20


def attempt(read):
    """The result of a call; `None` after an error."""
    try:
        return read()
    except Exception:
        return None


def comparable(value):
    """Bytes that are equal for equal values; a reference is as good as any other, for its bytes are addresses."""
    if isinstance(value, h5py.Empty):
        return value.dtype.str
    if isinstance(value, (bytes, str)):
        return value
    if isinstance(value, (h5py.Reference, h5py.RegionReference)):
        return "reference"
    value = np.asarray(value)
    if value.dtype.names:
        return value.shape, [comparable(value[name]) for name in value.dtype.names]
    if value.dtype.hasobject:
        items = [comparable(item) for item in value.ravel() if item is not None]
        return value.shape, items
    return value.shape, value.dtype.str, value.tobytes()


def compare_values(where, before, after):
    found = attempt(before)
    if found is None:
        return
    expected = comparable(found)
    if comparable(after()) != expected:
        raise ValueError(f"{where} has other values")


def compare_objects(where, before, after, depth):
    for name in attempt(lambda: list(before.attrs)) or []:
        compare_values(f"{where}@{name}", lambda: before.attrs[name], lambda: after.attrs[name])
    if isinstance(before, h5py.Dataset):
        if (attempt(lambda: before.nbytes) or 0) <= BYTES_MAX:
            compare_values(where, lambda: before[()], lambda: after[()])
    elif isinstance(before, h5py.Group) and depth < DEPTH_MAX:
        for name in attempt(lambda: list(before)) or []:
            if not isinstance(attempt(lambda: before.get(name, getlink=True)), h5py.HardLink):
                continue
            below = attempt(lambda: before[name])
            if below is not None:
                compare_objects(f"{where}/{name}", below, after[name], depth + 1)


def compare(before, after):
    one = attempt(lambda: h5py.File(before, "r"))
    if one is not None:
        with one, h5py.File(after, "r") as other:
            compare_objects("", one, other, 0)


in_process.run(compare)
