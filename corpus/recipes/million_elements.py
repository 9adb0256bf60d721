"""A million strings and a million records, as in typical tables.

    strings.h5    /vlen, /vlen_gzip     variable-length text of 2 to 25 bytes, contiguous and in chunks of 10,000
                  /fixed, /fixed_gzip   the same in 24 bytes each
    records.h5    /contiguous, /gzip    records of ten members, 64 bytes, contiguous and in chunks of 10,000
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, random

KIND = "bench"

COUNT = 1_000_000
CHUNK = 10_000
GZIP = {"chunks": (CHUNK,), "compression": "gzip", "shuffle": True}

RECORD = np.dtype(
    [
        ("id", "<i8"),
        ("time", "<f8"),
        ("longitude", "<f4"),
        ("latitude", "<f4"),
        ("energy", "<f8"),
        ("momentum", "<f4", (3,)),
        ("charge", "i1"),
        ("quality", "u1"),
        ("station", "<u2"),
        ("name", "S16"),
    ]
)


def text() -> list[str]:
    """Names with a number; some contain letters that are not ASCII."""
    places = ["Oslo", "Tromsø", "Reykjavík", "Lima", "Quito", "Nairobi", "Dar es Salaam", "Zürich"]
    return [f"{places[i % 8]} {i * 7919 % COUNT}" for i in range(COUNT)]


def records() -> np.ndarray:
    made, numbers = np.zeros(COUNT, RECORD), random(3)
    made["id"] = np.arange(COUNT)
    made["time"] = np.arange(COUNT) * 0.25
    made["longitude"] = numbers.integers(-180_000, 180_000, COUNT) / 1000
    made["latitude"] = numbers.integers(-90_000, 90_000, COUNT) / 1000
    made["energy"] = numbers.integers(0, 1 << 20, COUNT) / 1024
    made["momentum"] = numbers.integers(-512, 512, (COUNT, 3))
    made["charge"] = numbers.integers(-1, 2, COUNT)
    made["quality"] = numbers.integers(0, 4, COUNT)
    made["station"] = numbers.integers(0, 300, COUNT)
    made["name"] = [b"station %d" % number for number in made["station"]]
    return made


def make(into: Path) -> None:
    strings = text()
    with create(into / "strings.h5") as file:
        file.create_dataset("vlen", data=strings, dtype=h5py.string_dtype())
        file.create_dataset("vlen_gzip", data=strings, dtype=h5py.string_dtype(), **GZIP)
        fixed = np.array([one.encode() for one in strings], h5py.string_dtype(length=24))
        file.create_dataset("fixed", data=fixed)
        file.create_dataset("fixed_gzip", data=fixed, **GZIP)
    with create(into / "records.h5") as file:
        file.create_dataset("contiguous", data=records())
        file.create_dataset("gzip", data=records(), **GZIP)
