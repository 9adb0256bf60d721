"""Integers and floats of every size and byte order, with extreme values; odd precisions, booleans, bitfields, complex."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, create_with, dcpl

KIND = "test"


def integers(file) -> None:
    for order in "<>":
        for size in (1, 2, 4, 8):
            for sign in "iu":
                dtype = np.dtype(f"{order}{sign}{size}")
                info = np.iinfo(dtype)
                values = np.array([info.min, info.min + 1, 0, 1, 0x5A, info.max - 1, info.max], dtype)
                for chunks in (None, (3,)):
                    file.create_dataset(f"{sign}{8 * size} {order} {chunks}", data=values, chunks=chunks)


def floats(file) -> None:
    for order in "<>":
        for size in (2, 4, 8):
            dtype = np.dtype(f"{order}f{size}")
            info = np.finfo(dtype.newbyteorder("="))
            values = [0.0, -0.0, 1.5, -2.25, info.max, info.min, info.tiny, info.smallest_subnormal, np.inf, -np.inf, np.nan]
            data = np.array(values).astype(dtype)
            # A signalling NaN must be read unchanged.
            data.view("u1").reshape(-1, size)[-1] = np.array([np.nan], dtype).view("u1")
            for chunks in (None, (4,)):
                file.create_dataset(f"f{8 * size} {order} {chunks}", data=data, chunks=chunks)


def odd(file) -> None:
    """Numbers that do not use all bits of their bytes."""
    for order in (h5py.h5t.STD_I32LE, h5py.h5t.STD_I32BE):
        kind = order.copy()
        kind.set_precision(17)
        kind.set_offset(6)
        name = "17 bits " + ("LE" if order is h5py.h5t.STD_I32LE else "BE")
        create_with(file, name, kind, (5,), dcpl(), np.array([0, 1, -1, 65535, -65536], "<i4"))
    file.create_dataset("bool", data=np.array([True, False, True]))
    for dtype in ("<c8", ">c8", "<c16", ">c16"):
        file.create_dataset(f"complex {dtype}", data=np.array([1 + 2j, -3.5j, 0]).astype(dtype))
    for size in (8, 16, 32, 64):
        for order in ("LE", "BE"):
            kind = getattr(h5py.h5t, f"STD_B{size}{order}")
            made = create_with(file, f"bits {size} {order}", kind, (4,), dcpl())
            values = np.array([0, 1, 0xA5, (1 << size) - 1], f"<u{size // 8}")
            made.id.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=getattr(h5py.h5t, f"STD_B{size}LE"))


def make(into: Path) -> None:
    for libver in ("earliest", "latest"):
        with create(into / f"{libver}.h5", libver) as file:
            integers(file)
            floats(file)
            odd(file)
