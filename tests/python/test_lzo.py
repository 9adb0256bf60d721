"""LZO chunks that hyperslab encodes are decoded by liblzo2, the library of LZO's author, to the same bytes.

It is searched for where the system has its libraries (Debian's package `liblzo2-2`), or is the one that `HYPERSLAB_LIBLZO2` names.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import struct
import zlib

import h5py
import numpy as np
import pytest

import hyperslab

#: Bytes after a stream: a checksum of what was encoded, and its length.
TRAILER_BYTES = 8


def chunks() -> dict[str, bytes]:
    """Bytes whose streams have each kind of code: literals and copies, short and long, from near and from far away."""
    random = np.random.default_rng(7)
    noise = random.integers(0, 256, 1 << 18, "u1").tobytes()
    far = {distance: noise[:distance] + noise[:40] + noise[distance : distance + 9] for distance in (2047, 2049, 16383, 16385, 49150, 49152, 70_000)}
    lengths = b"".join(noise[at : at + 300] + noise[at : at + length] for at, length in zip(range(0, 90_000, 300), range(300), strict=True))
    return {
        "noise": noise,
        "zeros": bytes(1 << 18),
        "ramp": (np.arange(60_000) // 7).astype("<i4").tobytes(),
        "shuffled": np.ascontiguousarray(np.arange(60_000, dtype="<i4").view("u1").reshape(-1, 4).T).tobytes(),
        "floats": np.cumsum(random.normal(size=30_000)).astype("<f4").tobytes(),
        "few symbols": random.integers(0, 3, 100_000, "u1").tobytes(),
        "text": b"the quick brown fox jumps over the lazy dog; " * 700 + b"end",
        "copies of every length": lengths,
        "runs of literals": b"".join(noise[at : at + at % 700] + bytes(5) for at in range(0, 200_000, 431)),
        **{f"{distance} back": data for distance, data in far.items()},
        **{f"{size} bytes": noise[:size] for size in (*range(1, 24), 237, 238, 239, 273, 274, 4096)},
        **{f"{size} zeros": bytes(size) for size in (*range(1, 40), 271, 272, 273, 526, 527)},
    }


def liblzo2() -> ctypes.CDLL | None:
    path = os.environ.get("HYPERSLAB_LIBLZO2") or ctypes.util.find_library("lzo2")
    return ctypes.CDLL(path) if path else None


def test_liblzo2_decodes_what_is_encoded(tmp_path):
    library = liblzo2()
    if library is None:
        pytest.skip("liblzo2 is not installed (liblzo2-2)")
    library.lzo_adler32.restype = ctypes.c_uint32
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        for name, content in chunks().items():
            file.create_dataset(name, data=np.frombuffer(content, "u1"), chunks=(len(content),), filter="lzo")
    encoded = 0
    with h5py.File(tmp_path / "x.h5") as file:
        for name, content in chunks().items():
            mask, stored = file[name].id.read_direct_chunk((0,))
            if mask:
                # It would have become longer.
                assert stored == content, name
                continue
            stream, (checksum, length) = stored[:-TRAILER_BYTES], struct.unpack("<II", stored[-TRAILER_BYTES:])
            # One byte more than is needed, to see that nothing is written beyond the end.
            decoded, size = ctypes.create_string_buffer(len(content) + 1), ctypes.c_ulong(len(content))
            code = library.lzo1x_decompress_safe(stream, ctypes.c_ulong(len(stream)), decoded, ctypes.byref(size), None)
            assert (code, size.value, length) == (0, len(content), len(content)), name
            assert decoded.raw[:-1] == content, name
            assert checksum == library.lzo_adler32(ctypes.c_uint32(1), content, ctypes.c_ulong(len(content))) == zlib.adler32(content), name
            encoded += 1
    assert encoded > 40, encoded
