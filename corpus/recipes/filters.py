"""Deflate, shuffle and fletcher32 in every order and for every element size; skipped filters; edge chunks."""

from __future__ import annotations

import itertools
import zlib
from pathlib import Path

import h5py
import numpy as np
from common import call, create, create_with, dcpl, ramp, random

KIND = "test"

NAMES = ("deflate", "shuffle", "fletcher32")
SHAPE, CHUNKS = (21, 17), (6, 5)
ELEMENTS = ["u1", "<i2", ">i4", "<f8", "S3", "S16", "<c16", np.dtype([("a", "<i2"), ("b", ">f8"), ("c", "u1")])]
#: H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS
EDGES_UNFILTERED = 0x0002


def pipeline(names, level=6, chunks=CHUNKS):
    made = dcpl(chunk=(chunks,))
    for name in names:
        getattr(made, f"set_{name}")(*((level,) if name == "deflate" else ()))
    return made


def orders(file) -> None:
    for count in range(1, len(NAMES) + 1):
        for names in itertools.permutations(NAMES, count):
            create_with(file, " ".join(names), "<i4", SHAPE, pipeline(names), ramp(SHAPE))
    create_with(file, "twice", "<i4", SHAPE, pipeline(("shuffle", "deflate", "deflate", "fletcher32")), ramp(SHAPE))


def elements(file) -> None:
    for number, dtype in enumerate(ELEMENTS):
        dtype = np.dtype(dtype)
        count = SHAPE[0] * SHAPE[1]
        # Bytes below 128, so that strings stay ASCII and floats finite.
        data = np.frombuffer(random(number).integers(1, 64, count * dtype.itemsize, np.uint8).tobytes(), dtype)
        for names in (("shuffle",), ("shuffle", "deflate", "fletcher32"), ("fletcher32", "shuffle")):
            create_with(file, f"{number} {' '.join(names)}", dtype, SHAPE, pipeline(names), data.reshape(SHAPE))


def levels(file) -> None:
    noise = random(9).normal(size=SHAPE).astype("<f4")
    for level in range(10):
        create_with(file, f"level {level}", "<f4", SHAPE, pipeline(("deflate",), level), noise)
    create_with(file, "zeros", "<f8", (100, 100), pipeline(("deflate",), 9, (50, 50)), np.zeros((100, 100)))
    odd = ramp((7,), "<i8")
    create_with(file, "odd sums", "u1", (7,), pipeline(("fletcher32",), chunks=(3,)), odd.astype("u1"))


def masks(file) -> None:
    """Writes stored chunks directly, each with other skipped filters than its neighbours."""
    shape, chunks = (8, 4), (1, 4)
    data = ramp(shape, "<i4") * 1_000_003
    made = create_with(file, "masks", "<i4", shape, pipeline(("shuffle", "deflate", "fletcher32"), chunks=chunks))
    for row in range(shape[0]):
        stored = data[row].tobytes()
        if not row & 1:
            stored = np.frombuffer(stored, np.uint8).reshape(4, 4).T.tobytes()
        if not row & 2:
            stored = zlib.compress(stored, 6)
        if not row & 4:
            stored += fletcher32(stored).to_bytes(4, "little")
        made.id.write_direct_chunk((row, 0), stored, row)
    np.testing.assert_array_equal(made[...], data)


def fletcher32(content: bytes) -> int:
    """Fletcher-32 as libhdf5 computes it: big-endian words; an odd last byte is the high half of a word."""
    one = two = 0
    for i in range(0, len(content), 2):
        word = content[i] << 8 | (content[i + 1] if i + 1 < len(content) else 0)
        one = (one + word) % 65535
        two = (two + one) % 65535
    # libhdf5 folds instead of dividing: a sum that is a multiple of 65535, but not 0, becomes 65535.
    one, two = (value or (65535 if any(content) else 0) for value in (one, two))
    return two << 16 | one


def edges(file) -> None:
    """Partial chunks at the edges stored without filters (layout version 4)."""
    for number, (maxshape, libname) in enumerate((((21, 17), "fixed"), ((None, 17), "extensible"), ((None, None), "btree2"))):
        plist = pipeline(("shuffle", "deflate"))
        call("H5Pset_chunk_opts", plist, EDGES_UNFILTERED)
        create_with(file, f"edges {libname}", ">i4", SHAPE, plist, ramp(SHAPE, ">i4"), maxshape)
    plist = pipeline(("deflate",))
    call("H5Pset_chunk_opts", plist, EDGES_UNFILTERED)
    grown = create_with(file, "edges grown", "<i4", (8, 7), plist, ramp((8, 7)), (None, None))
    grown.resize((13, 12))
    grown[8:] = 5
    grown[:, 7:] = 6


def make(into: Path) -> None:
    for libver in ("earliest", "v110", "v200"):
        with create(into / f"{libver}.h5", libver) as file:
            orders(file)
            elements(file)
            levels(file)
            masks(file)
    for libver in ("v110", "v200"):
        with create(into / f"edges_{libver}.h5", libver) as file:
            edges(file)
