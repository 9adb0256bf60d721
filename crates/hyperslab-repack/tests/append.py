"""Changes copies of files through h5py, and reads the changes: new objects, attributes and links, and larger datasets.

The pairs of files on standard input are a file and its copy, which is changed.
"""

import h5py
import in_process
import numpy as np


def objects(file):
    """The first objects of the root group that are linked to it directly."""
    # h5py's `get` does not know user-defined links.
    kinds = {name: file.id.links.get_info(name.encode()).type for name in file}
    return [name for name, kind in kinds.items() if kind == h5py.h5l.TYPE_HARD][:3]


def append(_, path):
    with h5py.File(path, "r+") as file:
        count, names = len(file), objects(file)
        new = file.create_group("new group")
        new.create_dataset("values", data=np.arange(1000), chunks=(100,), compression="gzip")
        for number in range(12):
            file.attrs[f"new {number}"] = number
        for number in range(30):
            file.create_group(f"new {number}")
        for name in names:
            found = file[name]
            for number in range(10):
                found.attrs[f"new {number}"] = number
            if isinstance(found, h5py.Dataset) and found.chunks and None in found.maxshape:
                grown = [size + 3 if most is None else size for size, most in zip(found.shape, found.maxshape)]
                found.resize(grown)
            file.move(name, f"moved {name}")
    with h5py.File(path, "r") as file:
        assert len(file) == count + 31, f"{len(file)} objects, before {count}"
        assert (file["new group/values"][()] == np.arange(1000)).all()
        assert file.attrs["new 11"] == 11
        for name in names:
            assert file[f"moved {name}"].attrs["new 9"] == 9, name


def check(before, after):
    try:
        h5py.File(before, "r").close()
    except OSError:
        return
    append(before, after)


in_process.run(check)
