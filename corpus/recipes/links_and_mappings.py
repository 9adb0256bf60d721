"""Links that lead to links, and virtual datasets of every shape, including some that only an attacker would write."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, dcpl, ramp, random
from h5py import h5d, h5s, h5t

KIND = "test"

#: Files without an oracle, because libhdf5 searches external data in the working directory, is wrong (see `odd`), or
#: would take hours.
UNREAD = {"external.h5", "odd.h5", "billion.h5", "tower.h5", "twin_towers.h5"}

U = h5s.UNLIMITED


def space(dims, maxdims=None, *slab):
    made = h5s.create_simple(dims, maxdims or dims)
    if slab:
        made.select_hyperslab(*[(n,) if isinstance(n, int) else n for n in slab])
    return made


def virtual(file, name: str, dtype, dims, mappings, maxdims=None) -> None:
    """Creates a virtual dataset of mappings (target space, file, dataset, source space)."""
    plist = dcpl()
    for target, source_file, source, selection in mappings:
        plist.set_virtual(target, source_file.encode(), source.encode(), selection)
    h5d.create(file.id, name.encode(), h5t.py_create(np.dtype(dtype)), space(dims, maxdims), plist)


def links(into: Path) -> None:
    with create(into / "links.h5") as file:
        file["d"] = 1
        # Each link doubles the number of paths: 2^40 paths that lead to no object.
        for i in range(40):
            file[f"a{i}"] = h5py.SoftLink(f"/a{i + 1}/a{i + 1}")
        file["a40"] = h5py.SoftLink("/")
        file["loop"] = h5py.SoftLink("/loop")
        file["self"] = h5py.SoftLink("/")
        file["long way"] = h5py.SoftLink("/self" * 30 + "/d")
        file["too long a way"] = h5py.SoftLink("/self" * 70 + "/d")
        file["misspelt"] = h5py.SoftLink("/group/temperatur")
        file["group/temperature"] = ramp(4)
        file["away"] = h5py.ExternalLink("other.h5", "/back")
        file["gone"] = h5py.ExternalLink("nowhere.h5", "/d")
    with create(into / "other.h5") as file:
        file["back"] = h5py.ExternalLink("links.h5", "/group/temperature")
    with create(into / "long_names.h5", "v110") as file:
        file.create_group("A" * 60_000)
        file.create_group("C" * 60_000)
        file["s"] = h5py.SoftLink("/" + "B" * 60_000)


def rows(into: Path) -> None:
    """Rows of two files, with one large chunk each."""
    layout = h5py.VirtualLayout((200, 300), "<f4")
    for i in range(2):
        with create(into / f"rows{i}.h5") as file:
            data = random(i).random((100, 300), "<f4")
            file.create_dataset("d", data=data, chunks=(100, 300), compression="gzip")
        layout[i * 100 : (i + 1) * 100] = h5py.VirtualSource(f"rows{i}.h5", "d", shape=(100, 300))
    with create(into / "rows.h5", "v110") as file:
        file.create_virtual_dataset("d", layout)
    with create(into / "rows_of_rows.h5", "v110") as file:
        layout = h5py.VirtualLayout((200, 300), "<f4")
        layout[:] = h5py.VirtualSource("rows.h5", "d", shape=(200, 300))
        file.create_virtual_dataset("d", layout)


def shapes(into: Path) -> None:
    for i in range(4):
        with create(into / f"part{i}.h5") as file:
            file["d"] = ramp((5, 7), "<i4") + 100 * i
    with create(into / "shapes.h5", "v110") as file:
        source = [h5py.VirtualSource(f"part{i}.h5", "d", shape=(5, 7)) for i in range(4)]
        layout = h5py.VirtualLayout((4, 5, 7), "<i4")
        for i in range(4):
            layout[i] = source[i]
        file.create_virtual_dataset("stacked", layout, fillvalue=-1)
        layout = h5py.VirtualLayout((20, 7), "<i4")
        for i in range(4):
            layout[i::4] = source[i]
        file.create_virtual_dataset("interleaved", layout, fillvalue=-1)
        layout = h5py.VirtualLayout((6, 3, 7), "<i4")
        for i in range(3):
            layout[i, :, 1:6] = source[i][1:4, 0:5]
        layout[4, :, 0:5] = h5py.VirtualSource("missing.h5", "d", shape=(5, 7))[1:4, 0:5]
        file.create_virtual_dataset("holes", layout, fillvalue=-7)
        layout = h5py.VirtualLayout((35,), "<i4")
        layout[:] = source[1][:]
        file.create_virtual_dataset("flat", layout)
        every_other = space((12,), None, 0, 6, 2, 1)
        grid = space((5, 7), None, (0, 0), (2, 3), (3, 2), (1, 1))
        virtual(file, "pairs", "<i4", (12,), [(every_other, "part0.h5", "d", grid)])
        corner = space((6, 6), None, (0, 0), (1, 1), (1, 1), (2, 2))
        corner.select_hyperslab((4, 3), (1, 2), op=h5s.SELECT_OR)
        virtual(file, "scattered", "<i4", (6, 6), [(corner, "part2.h5", "d", space((5, 7), None, (1, 1), (2, 3)))])
        # The opposite byte order.
        layout = h5py.VirtualLayout((5, 7), ">i4")
        layout[:] = source[3]
        file.create_virtual_dataset("swapped", layout)

def odd(into: Path) -> None:
    """Mappings for which libhdf5 reads outside of a source, returns different values for parts and the whole, or fails."""
    with create(into / "odd.h5", "v110") as file:
        file["short"] = ramp(20)
        fifty = space((50,), None, 0, 50)
        virtual(file, "beyond", "<i4", (50,), [(fifty, ".", "short", fifty)])
        # Its second half is mapped to its first half.
        own = (space((8,), None, 4, 4), ".", "own", space((8,), None, 0, 4))
        short = (space((8,), None, 0, 4), ".", "short", space((20,), None, 3, 4))
        virtual(file, "own", "<i4", (8,), [own, short])
        # The source is larger than the maximum extent.
        file.create_dataset("line", data=ramp(20), maxshape=(None,), chunks=(4,))
        line = space((10,), (U,), 0, U, 1, 1)
        virtual(file, "capped", "<i4", (5,), [(line, ".", "line", line)], (15,))


def unlimited(into: Path) -> None:
    with create(into / "unlimited.h5", "v110") as file:
        for i in range(3):
            file[f"block{i}"] = ramp((2, 3)) + 10 * i
        target = space((1, 3), (U, 3), (0, 0), (U, 1), (2, 3), (2, 3))
        virtual(file, "counted", "<i4", (1, 3), [(target, ".", "block%b", space((2, 3)))], (U, 3))
        for i in range(2):
            file.create_dataset(f"line{i}", data=ramp(10 + i) + 50 * i, maxshape=(None,), chunks=(4,))
        line = space((10,), (U,), 0, U, 1, 1)
        lines = [(space((10,), (U,), i, U, 2, 1), ".", f"line{i}", line) for i in range(2)]
        virtual(file, "woven", "<i4", (10,), lines, (U,))


def billion(into: Path) -> None:
    """Extents with too many elements to be listed."""
    with create(into / "billion.h5", "v110") as file:
        size = 1 << 30
        file.create_dataset("d", (size,), "u1", chunks=(1 << 20,), fillvalue=7)
        file["d"][size - 5 :] = [1, 2, 3, 4, 5]
        all_of_it = space((size,), None, 0, size)
        virtual(file, "whole", "u1", (size,), [(all_of_it, ".", "d", all_of_it)])
        virtual(
            file,
            "halves",
            "u1",
            (2 * size,),
            [(space((2 * size,), None, i, size, 2, 1), ".", "d", all_of_it) for i in range(2)],
        )


def towers(into: Path) -> None:
    """Virtual datasets of virtual datasets: 8^8 paths to the sources, and 2^14 by two names."""
    slab = space((10,), (U,), 0, U, 1, 1)
    with create(into / "tower.h5", "v110") as file:
        file.create_dataset("v8", data=np.arange(10), maxshape=(None,), chunks=(10,))
        for level in range(7, -1, -1):
            virtual(file, f"v{level}", "<i8", (10,), [(slab, ".", f"v{level + 1}", slab)] * 8, (U,))
    with create(into / "twin_towers.h5", "v110") as file:
        for twin in "ab":
            file.create_dataset(f"14{twin}", data=np.arange(10), maxshape=(None,), chunks=(10,))
        for level in range(13, -1, -1):
            both = [(slab, ".", f"{level + 1}{twin}", slab) for twin in "ab"]
            for twin in "ab":
                virtual(file, f"{level}{twin}", "<i8", (10,), both, (U,))


def external(into: Path) -> None:
    with create(into / "external.h5") as file:
        pieces = [(f"raw{i}.bin", 4 * i, 40) for i in range(3)]
        file.create_dataset("d", (30,), "<i4", external=pieces)
        file.create_dataset("gone", (10,), "<i4", external=[("gone.bin", 0, 40)])
    for i in range(3):
        (into / f"raw{i}.bin").write_bytes(bytes(4 * i) + (ramp(10, "<i4") + 100 * i).tobytes())


def make(into: Path) -> None:
    links(into)
    rows(into)
    shapes(into)
    odd(into)
    unlimited(into)
    billion(into)
    towers(into)
    external(into)
