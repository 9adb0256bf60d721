"""Datasets for reads of many small parts, in files that are small enough to check every request.

    parts.h5      /field          128 x 128 in chunks of 32 x 32
                  /strings        3,000 strings of variable length; /repeated the same string many times
                  /records        200 records of 64 bytes in chunks of 50; /sparse with missing chunks
                  /long           10 records of 40,000 bytes, contiguous
                  /bare           records that were never written; /filled the same with a fill value
    members.h5    /group          2,000 links, in dense storage
                  /attributes     a group with 500 attributes, in dense storage
"""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, create_with, dcpl, ramp, set_fill

KIND = "test"

RECORD = np.dtype([("id", "<u4"), ("x", "<f8"), ("label", "S12"), ("more", "<i2", (3,)), ("y", "<f8"), ("rest", "V26")])
LONG = np.dtype([("before", "u1", (20_000,)), ("value", "<f8"), ("after", "u1", (19_992,))])
GZIP = {"compression": "gzip", "shuffle": True}


def records(count: int) -> np.ndarray:
    made = np.zeros(count, RECORD)
    made["id"] = np.arange(count)
    made["x"] = np.arange(count) / 2
    made["label"] = [b"label %d" % i for i in range(count)]
    made["more"] = ramp((count, 3), "<i2")
    made["y"] = -np.arange(count)
    return made


def make(into: Path) -> None:
    with create(into / "parts.h5") as file:
        file.create_dataset("field", data=ramp((128, 128)), chunks=(32, 32), **GZIP)
        strings = [f"text {i} {'ä' * (i % 9)}" for i in range(3000)]
        file.create_dataset("strings", data=strings, dtype=h5py.string_dtype())
        file.create_dataset("repeated", (500,), h5py.string_dtype(), fillvalue="again")
        file.create_dataset("records", data=records(200), chunks=(50,), **GZIP)
        sparse = create_with(file, "sparse", RECORD, (200,), filled())
        sparse[60:70] = records(200)[60:70]
        long = np.zeros(10, LONG)
        long["value"] = np.arange(10) * 1.5
        file.create_dataset("long", data=long)
        file.create_dataset("bare", (10,), RECORD)
        create_with(file, "filled", RECORD, (10,), filled(chunked=False))
    with create(into / "members.h5", "latest") as file:
        group, data = file.create_group("group"), file.create_dataset("data", data=np.int32(7))
        for i in range(2000):
            group[f"member {i:04d}"] = data
        attributes = file.create_group("attributes")
        for i in range(500):
            attributes.attrs[f"attribute {i:03d}"] = i


def filled(chunked: bool = True) -> h5py.h5p.PropDCID:
    plist = dcpl(chunk=((50,),)) if chunked else dcpl()
    value = records(9)[8]
    set_fill(plist, RECORD, value)
    return plist
