"""Structures that libhdf5 no longer writes: data layouts 1 and 2, a fill value in the old message only.

The files are written by a current libhdf5 in its oldest format; then messages of their headers are rewritten in place.
libhdf5 can still read them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
from common import create, create_with, dcpl, ramp

KIND = "test"

NIL, DATASPACE, FILL_VALUE, LAYOUT, CONTINUATION = 0x00, 0x01, 0x05, 0x08, 0x10
COMPACT, CONTIGUOUS, CHUNKED = 0, 1, 2

Change = Callable[[bytearray, int, int], None]


def messages(content: bytearray, header: int) -> Iterator[tuple[int, int, int]]:
    """Type, offset and size of each message of an object header of version 1."""
    (left,) = struct.unpack_from("<I", content, header + 8)
    blocks = [(header + 16, left)]
    for at, size in blocks:
        end = at + size
        while at < end:
            kind, size = struct.unpack_from("<HH", content, at)
            yield kind, at + 8, size
            if kind == CONTINUATION:
                blocks.append(struct.unpack_from("<QQ", content, at + 8))
            at += 8 + size


def rewrite(path: Path, changes: dict[int, Change]) -> None:
    """Changes all messages of these types in the header of the only dataset of the file."""
    with h5py.File(path) as file:
        header = h5py.h5o.get_info(file["d"].id).addr
    content = bytearray(path.read_bytes())
    done = set()
    for kind, at, size in list(messages(content, header)):
        if kind in changes:
            changes[kind](content, at, size)
            done.add(kind)
    assert done == set(changes), path
    path.write_bytes(content)


def layout(version: int) -> Change:
    """Converts a layout message of version 3 with one dimension."""

    def change(content: bytearray, at: int, size: int) -> None:
        _, kind = content[at : at + 2]
        if kind == COMPACT:
            # The head is longer and overwrites the last elements; `shortened` removes these from the dataspace.
            (count,) = struct.unpack_from("<H", content, at + 2)
            data = content[at + 4 : at + 4 + count // 2]
            made = struct.pack("<BBB5xII", version, 1, COMPACT, len(data) // 2, len(data)) + data
        elif kind == CONTIGUOUS:
            address, count = struct.unpack_from("<QQ", content, at + 2)
            made = struct.pack("<BBB5xQI", version, 1, CONTIGUOUS, address, count // 4)
        else:
            _, address, chunk, element = struct.unpack_from("<BQII", content, at + 2)
            made = struct.pack("<BBB5xQII", version, 2, CHUNKED, address, chunk, element)
        assert len(made) <= size
        content[at : at + size] = made.ljust(size, b"\0")

    return change


def shortened(content: bytearray, at: int, size: int) -> None:
    """Halves the size and the maximum size of a dataspace."""
    for dim in range(at + 8, at + size, 8):
        (count,) = struct.unpack_from("<Q", content, dim)
        struct.pack_into("<Q", content, dim, count // 2)


def removed(content: bytearray, at: int, size: int) -> None:
    struct.pack_into("<H", content, at - 8, NIL)


def make(into: Path) -> None:
    for version in (1, 2):
        for kind in ("compact", "contiguous", "chunked"):
            path = into / f"layout_{version}_{kind}.h5"
            with create(path) as file:
                if kind == "compact":
                    create_with(file, "d", "<i2", (24,), dcpl(layout=h5py.h5d.COMPACT), ramp(24, "<i2"))
                else:
                    file.create_dataset("d", data=ramp(9), chunks=(4,) if kind == "chunked" else None)
            shorter = {DATASPACE: shortened} if kind == "compact" else {}
            rewrite(path, {LAYOUT: layout(version)} | shorter)
    for name, data in (("unwritten", None), ("sparse", ramp(3))):
        path = into / f"old_fill_{name}.h5"
        with create(path) as file:
            made = file.create_dataset("d", (7,), "<i4", chunks=(3,), fillvalue=-7)
            if data is not None:
                made[3:6] = data
        rewrite(path, {FILL_VALUE: removed})
