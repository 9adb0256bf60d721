"""One small file with one of everything that `hyperslab ls` shows, for the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, ramp

KIND = "test"


def make(into: Path) -> None:
    with create(into / "tour.h5") as file:
        file.attrs["title"] = "a tour"
        group = file.create_group("measured")
        temperature = group.create_dataset(
            "temperature",
            data=ramp((12, 10, 10), "<f4"),
            chunks=(4, 5, 10),
            maxshape=(None, 10, 10),
            shuffle=True,
            compression="gzip",
            fillvalue=-1.5,
        )
        temperature.attrs["units"] = "K"
        temperature.attrs["scale"] = np.float32(0.1)
        temperature.attrs["range"] = np.array([0, 1199], ">i2")
        group.create_dataset("time", data=ramp((12,), ">i8"))
        file.create_dataset("names", data=["first", "zweite", "troisième"], dtype=h5py.string_dtype())
        file.create_dataset("table", data=np.zeros(3, [("id", "<i4"), ("value", "<f8"), ("tag", "S5")]))
        file.create_dataset("scalar", data=np.int8(-7))
        file.create_dataset("nothing", data=h5py.Empty("<f8"))
        file.create_dataset("unwritten", (100, 100), "<f8", chunks=(10, 10))
        file["kind"] = np.dtype("<u2")
        file["measured/again"] = temperature
        file["measured/up"] = file["/"]
        file["shortcut"] = h5py.SoftLink("/measured/temperature")
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
