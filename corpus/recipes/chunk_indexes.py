"""Every kind of chunk index, at each size at which its structure changes, complete and with missing chunks.

    v1 B-tree          earliest; one leaf, two levels, three levels
    single chunk       fixed extent of one chunk
    implicit           fixed extent, no filter, early allocation
    fixed array        fixed extent; paged beyond 1,024 chunks
    extensible array   one unlimited axis; data blocks, super blocks, paged data blocks
    v2 B-tree          several unlimited axes; one leaf, two levels, three levels

Indexes 2 to 6 are written with layout version 4 (v110) and 5 (v200). Each value is the position of its element.
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, create_with, dcpl, ramp

KIND = "test"

FILTERS = {"plain": {}, "gzip": {"deflate": 1}, "sum": {"shuffle": (), "fletcher32": ()}}


def plist(chunks, filters, early=False):
    made = dcpl(chunk=(tuple(chunks),))
    for name, value in filters.items():
        getattr(made, f"set_{name}")(*value if isinstance(value, tuple) else (value,))
    if early:
        made.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    return made


def whole(file, name, shape, maxshape, chunks, filters, dtype="<i4", early=False):
    create_with(file, name, dtype, shape, plist(chunks, filters, early), ramp(shape, dtype), maxshape)


def sparse(file, name, shape, maxshape, chunks, filters, places, dtype="<i4"):
    """Writes only the elements at `places`, and so only their chunks."""
    made = create_with(file, name, dtype, shape, plist(chunks, filters), None, maxshape)
    numbers = ramp(shape, dtype)
    for place in places:
        made[place] = numbers[place]


def b_tree_1(into: Path) -> None:
    for kind, filters in FILTERS.items():
        with create(into / f"btree_v1_{kind}.h5") as file:
            for count in (1, 64, 65, 300, 5000):
                whole(file, f"{count} chunks", (count,), (None,), (1,), filters, "<i2")
            whole(file, "cube", (13, 11, 9), (None, None, None), (4, 3, 2), filters)
            sparse(file, "sparse", (900, 900), (None, None), (10, 10), filters, [(i, i * 37 % 900) for i in range(0, 900, 13)])


def single(file, filters) -> None:
    whole(file, "single/whole", (7, 5), (7, 5), (7, 5), filters)
    sparse(file, "single/unwritten", (7, 5), (7, 5), (7, 5), filters, [])


def implicit(file) -> None:
    whole(file, "implicit/even", (12, 12), (12, 12), (4, 3), {}, early=True)
    whole(file, "implicit/edges", (13, 11, 5), (13, 11, 5), (4, 3, 2), {}, early=True)
    whole(file, "implicit/larger maximum", (9, 7), (20, 30), (4, 3), {}, early=True)


def fixed_array(file, filters) -> None:
    whole(file, "fixed/few", (13, 11), (13, 11), (4, 3), filters)
    whole(file, "fixed/one page", (1024,), (1024,), (1,), filters, "<i2")
    whole(file, "fixed/two pages", (1025,), (1025,), (1,), filters, "<i2")
    whole(file, "fixed/pages", (61, 57), (61, 57), (1, 1), filters, "<i2")
    whole(file, "fixed/larger maximum", (9, 7), (20, 30), (4, 3), filters)
    sparse(file, "fixed/sparse", (100, 100), (100, 100), (2, 2), filters, [(0, 0), (50, 51), (99, 99), (99, 0)])
    sparse(file, "fixed/unwritten", (20, 20), (20, 20), (2, 2), filters, [])


def extensible_array(file, filters) -> None:
    for count in (1, 4, 5, 20, 100, 3000):
        whole(file, f"extensible/{count} chunks", (count,), (None,), (1,), filters, "<i2")
    whole(file, "extensible/first axis", (10, 7, 5), (None, 7, 5), (3, 2, 2), filters)
    whole(file, "extensible/middle axis", (6, 40, 5), (6, None, 5), (2, 3, 4), filters)
    whole(file, "extensible/last axis", (6, 5, 40), (6, 5, None), (2, 4, 3), filters)
    whole(file, "extensible/larger maximum", (8, 10, 6), (12, None, 9), (3, 2, 4), filters)
    # Element 131,060 is in the first data block with pages.
    far = [(i,) for i in (0, 3, 4, 19, 20, 51, 52, 1000, 40_000, 131_059, 131_060, 133_200, 149_999)]
    sparse(file, "extensible/far", (150_000,), (None,), (1,), filters, far, "<i4")
    sparse(file, "extensible/unwritten", (50,), (None,), (3,), filters, [])


def b_tree_2(file, filters) -> None:
    whole(file, "btree2/one leaf", (9, 8), (None, None), (3, 2), filters)
    whole(file, "btree2/two levels", (20, 20), (None, None), (1, 1), filters, "<i2")
    whole(file, "btree2/three levels", (120, 110), (None, None), (1, 1), filters, "<i2")
    whole(file, "btree2/one fixed axis", (7, 9, 8), (None, 9, None), (2, 4, 3), filters)
    sparse(file, "btree2/sparse", (500, 500), (None, None), (7, 9), filters, [(i, i * 31 % 500) for i in range(0, 500, 17)])
    sparse(file, "btree2/unwritten", (50, 50), (None, None), (7, 9), filters, [])


def resized(file, filters) -> None:
    """Extends, shrinks and extends a dataset again: chunks outside the extent are deleted, new ones are missing."""
    for name, maxshape in (("one axis", (None, 8)), ("both axes", (None, None)), ("within the maximum", (40, 8))):
        whole(file, f"resized/{name}", (10, 8), maxshape, (3, 3), filters)
        made = file[f"resized/{name}"]
        made.resize((23, 8))
        made[20:] = ramp((3, 8)) + 1000
        made.resize((5, 8))
        made.resize((17, 8))


def make(into: Path) -> None:
    b_tree_1(into)
    for libver in ("v110", "v200"):
        for kind, filters in FILTERS.items():
            with create(into / f"{libver}_{kind}.h5", libver) as file:
                single(file, filters)
                if not filters:
                    implicit(file)
                fixed_array(file, filters)
                extensible_array(file, filters)
                b_tree_2(file, filters)
                resized(file, filters)
    with create(into / "resized_earliest.h5") as file:
        resized(file, FILTERS["gzip"])
    with create(into / "wide_elements.h5", "v110") as file:
        # The stored size of a larger chunk is written in more bytes.
        for count in (10, 5000, 300_000):
            data = np.frombuffer(np.random.default_rng(count).bytes(count), np.uint8)
            create_with(file, f"{count} bytes", "u1", (count,), plist((count // 2,), {"deflate": 1}), data, (None,))
