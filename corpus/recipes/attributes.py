"""Attributes in compact and dense storage, of every shape and all common types."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, random, ramp

KIND = "test"


def shapes(owner) -> None:
    owner.attrs["scalar"] = np.float64(2.5)
    owner.attrs["null"] = h5py.Empty("<f4")
    owner.attrs["null text"] = h5py.Empty(h5py.string_dtype())
    owner.attrs["none"] = np.zeros((0,), "<i4")
    owner.attrs["one"] = np.ones((1,), ">u2")
    owner.attrs["matrix"] = ramp((3, 4), ">i8")
    owner.attrs["text"] = "grüne Äpfel"
    owner.attrs["bytes"] = np.bytes_(b"fixed")
    owner.attrs["texts"] = ["one", "", "three"]
    owner.attrs["fixed texts"] = np.array([b"ab", b"c", b""], "S4")
    owner.attrs["flags"] = np.array([True, False])
    owner.attrs["complex"] = np.array([1 + 2j, 3 - 4j], "<c8")
    owner.attrs["record"] = np.array([(1, 2.5)], [("a", "<i4"), ("b", ">f8")])
    owner.attrs["reference"] = owner.ref


def dense(owner, count: int) -> None:
    for i in range(count):
        owner.attrs[f"attribute {i * 31 % count:04d}"] = np.arange(i % 9, dtype="<f4") if i % 3 else f"text {i}"


def make(into: Path) -> None:
    for libver in ("earliest", "v108", "latest"):
        with create(into / f"shapes_{libver}.h5", libver) as file:
            shapes(file)
            shapes(file.create_dataset("d", data=ramp(3)))
        with create(into / f"many_{libver}.h5", libver) as file:
            dense(file, 60)
            dense(file.create_group("g"), 9)
            dense(file.create_dataset("d", data=ramp(3)), 500)
    with create(into / "large.h5", "v110") as file:
        # An attribute of more than 64 KiB cannot be a header message; it is a huge object of a fractal heap.
        group = file.create_group("large")
        for size in (100, 10_000, 70_000, 300_000):
            group.attrs[f"{size} bytes"] = random(size).integers(0, 256, size, np.uint8)
    with create(into / "ordered.h5", "v110") as file:
        dense(file.create_group("few", track_order=True), 5)
        dense(file.create_group("many", track_order=True), 100)
    with create(into / "emptied.h5", "v110") as file:
        dense(file, 50)
        for name in list(file.attrs)[3:]:
            del file.attrs[name]
    with create(into / "committed.h5", "v108") as file:
        file["float"] = np.dtype(">f4")
        file["record"] = np.dtype([("a", "<i2"), ("b", "<f8")])
        for owner in (file, file.create_dataset("d", (4,), dtype=file["float"])):
            owner.attrs.create("number", 1.5, dtype=file["float"])
            owner.attrs.create("records", np.array([(1, 2.0), (3, 4.0)], file["record"].dtype), dtype=file["record"])
