"""Strings of fixed and variable length, with every padding and character set, as values and as attributes."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, create_with, dcpl

KIND = "test"

PADDINGS = {"nullterm": h5py.h5t.STR_NULLTERM, "nullpad": h5py.h5t.STR_NULLPAD, "spacepad": h5py.h5t.STR_SPACEPAD}
CHARSETS = {"ascii": h5py.h5t.CSET_ASCII, "utf8": h5py.h5t.CSET_UTF8}
TEXTS = ["", "a", "seven77", "eight888", "nine99999", "äöü", "日本語", " lead and trail ", "tab\tand\nline"]


def fixed(size: int, padding: int, charset: int) -> h5py.h5t.TypeID:
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(size)
    kind.set_strpad(padding)
    kind.set_cset(charset)
    return kind


def fixed_strings(file) -> None:
    for padding, pad in PADDINGS.items():
        for charset, cset in CHARSETS.items():
            for size in (1, 8, 21):
                kind = fixed(size, pad, cset)
                texts = [text.encode()[:size] for text in TEXTS]
                texts = [text.decode(errors="ignore").encode() for text in texts]
                name = f"{padding} {charset} {size}"
                made = create_with(file, name, kind, (len(texts),), dcpl())
                # Written as stored bytes, including spaces, for each padding.
                stored = [t.ljust(size, b" " if padding == "spacepad" else b"\0") for t in texts]
                if padding == "nullterm":
                    stored = [t[:-1] + b"\0" for t in stored]
                made.id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(stored, f"S{size}"), mtype=kind)


def variable_strings(file) -> None:
    for charset, encoding in (("utf8", "utf-8"), ("ascii", "ascii")):
        kind = h5py.string_dtype(encoding)
        texts = TEXTS if charset == "utf8" else [text for text in TEXTS if text.isascii()]
        for chunks in (None, (2,)):
            made = file.create_dataset(f"variable {charset} {chunks}", (len(texts) + 1,), kind, chunks=chunks)
            made[: len(texts)] = texts  # the last one is never written
        file.create_dataset(f"variable {charset} scalar", data=texts[2], dtype=kind)
        file.attrs.create(f"variable {charset}", texts, dtype=kind)
    long = ["x" * 5000, "y" * 70_000, "z"]
    file.create_dataset("variable long", data=long, dtype=h5py.string_dtype())
    # Many small strings, in more than one global heap collection.
    many = [f"string number {i}" for i in range(1000)]
    file.create_dataset("variable many", data=many, dtype=h5py.string_dtype(), chunks=(100,), compression="gzip")
    file.create_dataset("bytes that are no text", data=np.array([b"\xff\xfe", b"ok"], "S2"))
    file.create_dataset("variable bytes that are no text", data=[b"\xff\xfe", b"ok"], dtype=h5py.string_dtype("ascii"))


def make(into: Path) -> None:
    for libver in ("earliest", "v110", "latest"):
        with create(into / f"{libver}.h5", libver) as file:
            fixed_strings(file)
            variable_strings(file)
