"""Object headers: continuation blocks (also nested), gaps, comments, times, all sizes of block 0."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from common import create, dcpl, create_with, ramp

KIND = "test"


def continued(file: h5py.File) -> None:
    """Writes attributes to several objects in turn, so that no header can grow in place."""
    owners = [file.create_dataset(f"d{i}", data=ramp(4)) for i in range(3)] + [file.create_group("g")]
    for i in range(40):
        for owner in owners:
            owner.attrs.create(f"attribute {i:03d}", np.arange(i % 5 + 1, dtype="<i2"))


def shrunk(file: h5py.File) -> None:
    """Deletes messages, which leaves gaps and NIL messages."""
    owner = file.create_dataset("shrunk", data=ramp((3, 3)))
    for i in range(30):
        owner.attrs[f"a{i}"] = i
    for i in range(0, 30, 2):
        del owner.attrs[f"a{i}"]
    owner.attrs["a new one"] = np.float32(1.5)


def make(into: Path) -> None:
    for libver in ("earliest", "v108", "latest"):
        with create(into / f"continued_{libver}.h5", libver) as file:
            continued(file)
        with create(into / f"shrunk_{libver}.h5", libver) as file:
            shrunk(file)
    with create(into / "block_0_sizes.h5", "v110") as file:
        # The size of block 0 is stored in 1, 2 or 4 bytes, depending on the first messages.
        for length in (1, 200, 1000, 60000):
            file.create_group(f"compact_{length}").attrs["text"] = np.frombuffer(b"x" * length, "S1")
        plist = dcpl(layout=h5py.h5d.COMPACT)
        for count in (10, 200, 16000):
            create_with(file, f"data_{count}", "<i4", (count,), plist, ramp(count))
    with create(into / "comments.h5", "earliest") as file:
        group = file.create_group("commented")
        h5py.h5o.set_comment(group.id, b"a comment is an old kind of attribute")
        file.create_dataset("d", data=ramp(3))
        h5py.h5o.set_comment(file["d"].id, b"")
    with create(into / "creation_order.h5", "v110", track_order=True) as file:
        for name in ("zebra", "aardvark", "monkey"):
            file.create_group(name, track_order=True).attrs["name"] = name
        for i in range(6):
            file["zebra"].attrs[f"z{9 - i}"] = i
