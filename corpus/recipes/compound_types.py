"""Compounds, arrays, enumerations, sequences, opaque, references, committed types, and nested ones."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import LIBVERS, create, create_with, dcpl, ramp

KIND = "test"

INNER = np.dtype([("x", ">f4"), ("y", "<i2"), ("tag", "S5")])
OUTER = np.dtype([("id", "<u8"), ("inner", INNER), ("grid", ">i2", (2, 3)), ("inners", INNER, (2,)), ("last", "u1")])
SPREAD = np.dtype({"names": ["a", "b"], "formats": ["<i4", ">f8"], "offsets": [3, 17], "itemsize": 40})


def filled(dtype: np.dtype, count: int) -> np.ndarray:
    """Bytes below 64, so that all floats are finite and all strings ASCII."""
    content = (np.arange(count * dtype.itemsize) * 7 % 63 + 1).astype("u1")
    return np.frombuffer(content.tobytes(), dtype).copy()


def compounds(file) -> None:
    for name, dtype in (("inner", INNER), ("outer", OUTER), ("spread", SPREAD)):
        data = filled(dtype, 12)
        if name == "spread":
            data = np.array([(i, i / 2) for i in range(12)], dtype)
        file.create_dataset(f"compound {name}", data=data)
        file.create_dataset(f"compound {name} chunked", data=data, chunks=(5,), shuffle=True, compression="gzip")
    many = np.dtype([(f"member {i}", "<f4" if i % 2 else ">i2") for i in range(120)])
    file.create_dataset("compound of many", data=filled(many, 3))


def arrays(file) -> None:
    for inner in (">i4", "<f8", "S3", INNER):
        dtype = np.dtype((inner, (2, 3)))
        plain = filled(np.dtype(inner), 4 * 6).reshape(4, 2, 3)
        made = file.create_dataset(f"array of {np.dtype(inner).str}", (4,), dtype)
        made[...] = plain


def enumerations(file) -> None:
    colours = {"red": 0, "green": 1, "blue": -7}
    for base in ("i1", "<i2", ">i4", "<i8"):
        kind = h5py.enum_dtype(colours, base)
        file.create_dataset(f"enum {base}", data=np.array([0, 1, -7, 1], base), dtype=kind)
    file.create_dataset("enum in compound", data=np.zeros(3, np.dtype([("c", h5py.enum_dtype(colours, "<i2")), ("v", "<f4")])))


def sequences(file) -> None:
    for base in ("<i4", ">f8", "u1"):
        made = file.create_dataset(f"sequence {base}", (4,), h5py.vlen_dtype(np.dtype(base)))
        for i, length in enumerate((0, 1, 5)):  # the fourth is never written
            made[i] = np.arange(length).astype(base)
    held = np.dtype([("n", "<i4"), ("text", h5py.string_dtype()), ("values", h5py.vlen_dtype(np.dtype("<f4")))])
    data = np.empty(3, held)
    for i in range(3):
        data[i] = (i, f"text {i}", np.arange(i, dtype="<f4"))
    file.create_dataset("sequences in compound", data=data)
    attribute = np.empty(2, object)
    attribute[:] = [np.arange(3, dtype="<i4"), np.arange(1, dtype="<i4")]
    file.attrs.create("sequence", attribute, dtype=h5py.vlen_dtype(np.dtype("<i4")))


def references(file) -> None:
    target = file.create_dataset("targets/one", data=ramp((4, 5)))
    file.create_group("targets/group")
    kind = h5py.h5t.STD_REF_OBJ
    data = np.array([target.ref, file["targets/group"].ref, None], h5py.ref_dtype)
    create_with(file, "object references", kind, (3,), dcpl(), data)
    region = file.create_dataset("region references", (3,), h5py.regionref_dtype)
    region[0] = target.regionref[1:3, 2:5]
    region[1] = target.regionref[...]


def opaque(file) -> None:
    file.create_dataset("opaque", data=np.array([b"\x00\x01\xff", b"abc"], "V3"))
    stamps = np.array(["2015-01-01", "2026-11-21"], "datetime64[s]")
    file.create_dataset("times", data=stamps.astype(h5py.opaque_dtype(stamps.dtype)))


def committed(file) -> None:
    file["types/inner"] = INNER
    file["types/text"] = h5py.string_dtype()
    file["types/number"] = np.dtype(">i4")
    file["types/number"].attrs["unit"] = "m"
    for name in ("inner", "number"):
        data = filled(INNER, 4) if name == "inner" else np.arange(4)
        file.create_dataset(f"of committed {name}", data=data, dtype=file[f"types/{name}"])
    file.create_dataset("of committed text", data=["a", "bc"], dtype=file["types/text"])


def make(into: Path) -> None:
    for libver in LIBVERS:
        with create(into / f"{libver}.h5", libver) as file:
            for write in (compounds, arrays, enumerations, sequences, references, opaque, committed):
                write(file)
