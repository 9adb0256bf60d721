"""Writes what the fuzz targets begin with: `corpus/<target>/` and `data/selections.h5`.

    python fuzz/make_seeds.py       (needs h5py, and the fixtures: corpus/recipes/make.py)
"""

from __future__ import annotations

import hashlib
import struct
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "corpus" / "recipes"))

from common import FIXTURES, create, create_with, dcpl, ramp  # noqa: E402

#: Longer files make slow seeds.
FILE_BYTES_MAX = 16 << 10
FILTERS = {
    1: "deflate", 2: "shuffle", 3: "fletcher32", 4: "szip", 5: "nbit", 6: "scaleoffset", 305: "lzo", 307: "bzip2",
    32000: "lzf", 32001: "blosc", 32004: "lz4", 32008: "bitshuffle", 32013: "zfp", 32015: "zstd", 32020: "vbz",
    32026: "blosc2",
}  # fmt: skip


def seed(target: str, content: bytes) -> None:
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


#: Filters that are written, in the order of their numbers, as the target `filter_encode` counts them.
WRITTEN = [1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32008, 32015, 32020]


def files() -> None:
    for path in sorted(FIXTURES.rglob("*.h5")):
        if path.stat().st_size <= FILE_BYTES_MAX:
            seed("file", path.read_bytes())
            seed("check", path.read_bytes())
            seed("repack", path.read_bytes())


def older() -> None:
    """Files of older formats: what follows their first four bytes."""
    for path in sorted((FIXTURES / "older_formats").glob("*.nc")):
        form, content = int(path.stem.rpartition("_")[2]), path.read_bytes()
        seed("netcdf_classic", bytes([(1, 2, 5).index(form)]) + content[4:])
    for path in sorted((FIXTURES / "older_formats").glob("*.hdf")):
        seed("hdf4", path.read_bytes()[4:])


def filters() -> None:
    """The chunks of the filters' own tests, one filter each: its parameters, the chunk's bytes, the stored bytes."""
    for path in sorted((ROOT / "crates" / "hyperslab-filters" / "vectors").glob("*.txt")):
        lines = path.read_text().splitlines()
        for i in range(0, len(lines) - 4, 5):
            used = lines[i + 1].removeprefix("filters").split()
            stored = bytes.fromhex(lines[i + 3].removeprefix("stored").strip())
            raw = zlib.decompress(bytes.fromhex(lines[i + 4].removeprefix("raw").strip()))
            if len(used) != 1 or len(stored) > FILE_BYTES_MAX:
                continue
            number, _, values = used[0].partition(":")
            parameters = [int(value) for value in values.split(",") if value]
            if int(number) in FILTERS:
                head = struct.pack(f"<B{len(parameters)}II", len(parameters), *parameters, len(raw))
                seed(f"filter_{FILTERS[int(number)]}", head + stored)
                if int(number) in WRITTEN:
                    which = struct.pack("<H", WRITTEN.index(int(number)))
                    seed("filter_encode", which + head + raw[:FILE_BYTES_MAX])


def selections() -> None:
    (HERE / "data").mkdir(exist_ok=True)
    with create(HERE / "data" / "selections.h5", "v110") as file:
        for name, shape, options in (
            ("contiguous", (7, 11, 5), {}),
            ("line", (250,), {"chunks": (16,), "maxshape": (None,)}),
            ("plane", (33, 41), {"chunks": (8, 7), "compression": "gzip", "shuffle": True}),
            ("cube", (9, 13, 10), {"chunks": (4, 5, 3), "maxshape": (None, None, 10)}),
            ("thin", (6, 200), {"chunks": (1, 200), "compression": "lzf"}),
            ("four", (3, 4, 5, 6), {"chunks": (2, 3, 2, 4), "fletcher32": True}),
            ("single", (12, 9), {"chunks": (12, 9), "compression": "gzip"}),
        ):
            file.create_dataset(name, data=ramp(shape, ">i4"), **options)
        sparse = file.create_dataset("sparse", (60, 60), "<i8", chunks=(7, 9), fillvalue=-3, compression="gzip")
        for i in range(0, 60, 11):
            sparse[i, i * 7 % 60] = i
        compact = dcpl()
        compact.set_layout(0)
        create_with(file, "compact", "<u2", (20, 3), compact, ramp((20, 3), "<u2"))
        file["scalar"] = 5
        file.create_dataset("empty", (0, 4), "<f4", chunks=(2, 2), maxshape=(None, 4))
        file.create_dataset("unwritten", (30,), "<f8", fillvalue=1.5)
    for i in range(64):
        seed("selections", hashlib.sha256(bytes([i])).digest())


if __name__ == "__main__":
    files()
    older()
    filters()
    selections()
