"""Hyperslab's own index: a file that is opened with it is the same, and takes no requests for metadata."""

from __future__ import annotations

import os

import h5py
import numpy as np
import pytest

import hyperslab
from hyperslab.errors import ChangedError, DamagedError, InvalidError


@pytest.fixture
def file(tmp_path):
    """A file whose metadata lies in many places, with all that an index must not change."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", userblock_size=512) as file:
        for number in range(20):
            group = file.create_group(f"group{number:02}")
            data = group.create_dataset("data", data=np.arange(30_000) + number, chunks=(1000,), compression="gzip")
            data.attrs["number"] = number
            data.attrs["text"] = f"variable length {number}"
            group["contiguous"] = np.arange(5000.0) * number
        file.create_dataset("sparse", (10**6, 10**6), "i2", chunks=(100, 100), fillvalue=5)[123, 456] = 7
        skipped = file.create_dataset("mask", (4, 4), "i4", chunks=(4, 4), compression="gzip")
        skipped.id.write_direct_chunk((0, 0), np.arange(16, dtype="<i4").tobytes(), filter_mask=1)
        file["text"] = ["one", "two"]
    return path


@pytest.fixture
def index(file, tmp_path):
    out = tmp_path / "a.hyperslab"
    hyperslab.index(file, out, format="hyperslab")
    return out


def assert_same(found, path):
    with h5py.File(path) as expected:
        names = []
        expected.visit(names.append)
        same = []
        found.visit(same.append)
        assert same == names
        for name in names:
            item = expected[name]
            assert {**found[name].attrs} == {**item.attrs}
            if isinstance(item, h5py.Dataset) and item.size < 10**6:
                np.testing.assert_array_equal(found[name][...], item[...])
        assert found["sparse"][123, 455:458].tolist() == [5, 7, 5]


def test_a_local_file_is_the_same(file, index):
    with hyperslab.File(file, index=index) as found:
        assert_same(found, file)
        assert found["mask"].chunk_map()["filter_mask"].tolist() == [1]


def test_a_url_takes_no_requests_for_metadata(server, file, tmp_path):
    server.files["/a.h5"] = file.read_bytes()
    url, out = f"{server.url}/a.h5", tmp_path / "url.hyperslab"
    hyperslab.index(url, out, format="hyperslab")
    with hyperslab.File(url, index=out) as found:
        opened = len(server.requests)
        found.visititems(lambda name, item: dict(item.attrs))
        maps = [found[f"group{number:02}/data"].chunk_map() for number in range(20)]
        assert len(maps[0]) == 30 and len(server.requests) == opened
        before = len(server.requests)
        assert found["group07/data"][12_345] == 12_352
        assert len(server.requests) - before == 1
        assert_same(found, file)
    # The first request says which state of the file it is.
    first = len(server.requests)
    with hyperslab.File(url, index=out):
        assert len(server.requests) - first == 1


def test_xarray_opens_a_url_with_an_index(server, tmp_path):
    xarray = pytest.importorskip("xarray")
    path, out = tmp_path / "a.nc", tmp_path / "a.hyperslab"
    made = xarray.Dataset({f"v{n:02}": ("x", np.arange(1000) + n, {"units": "K"}) for n in range(30)})
    made.to_netcdf(path, engine="h5netcdf")
    server.files["/a.nc"] = path.read_bytes()
    hyperslab.index(path, out, format="hyperslab")
    before = len(server.requests)
    with xarray.open_dataset(f"{server.url}/a.nc", engine="hyperslab", index=out) as found:
        assert len(server.requests) - before == 1
        xarray.testing.assert_identical(found.load(), made)


def test_a_file_that_changed_is_refused(file, index):
    stat = os.stat(file)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    with hyperslab.File(file, index=index) as touched:
        assert len(touched)
    with open(file, "r+b") as changed:
        changed.seek(700)
        byte = changed.read(1)[0]
        changed.seek(700)
        changed.write(bytes([byte ^ 1]))
    with pytest.raises(ChangedError, match="it is not the file that its index .*a.hyperslab was made of"):
        hyperslab.File(file, index=index)
    with open(file, "ab") as out:
        out.write(b"more")
    with pytest.raises(ChangedError, match="make the index again"):
        hyperslab.File(file, index=index)


def test_another_file_of_the_same_length_is_refused(server, file, index):
    other = bytearray(file.read_bytes())
    other[600] ^= 1
    server.files["/other.h5"] = bytes(other)
    with pytest.raises((ChangedError, OSError)):
        hyperslab.File(f"{server.url}/other.h5", index=index)
    server.files["/same.h5"] = file.read_bytes()
    with hyperslab.File(f"{server.url}/same.h5", index=index) as found:
        assert_same(found, file)


def test_an_index_that_was_damaged_is_refused(file, index, tmp_path):
    good = index.read_bytes()
    refused = 0
    for at in range(0, len(good), max(1, len(good) // 200)):
        damaged = tmp_path / "damaged.hyperslab"
        damaged.write_bytes(good[:at] + bytes([good[at] ^ 0x15]) + good[at + 1 :])
        try:
            with hyperslab.File(file, index=damaged) as found:
                assert_same(found, file)
        except (DamagedError, ChangedError, InvalidError, OSError):
            refused += 1
    assert refused > 100
    for length in (0, 1, 7, len(good) // 2, len(good) - 1):
        damaged.write_bytes(good[:length])
        with pytest.raises(DamagedError):
            hyperslab.File(file, index=damaged)
    with pytest.raises(FileNotFoundError):
        hyperslab.File(file, index=tmp_path / "none.hyperslab")


def test_other_readers_of_parquet_read_it(file, index):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("fastparquet")
    rows = pandas.read_parquet(index, engine="fastparquet")
    assert list(rows.columns) == ["dataset", "chunk", "offset", "size", "filter_mask", "bytes"]
    with hyperslab.File(file) as found:
        chunks = found["group03/data"].chunk_map()
    mine = rows[rows["dataset"] == "/group03/data"]
    assert mine["offset"].tolist() == chunks["address"].tolist()
    assert mine["size"].tolist() == chunks["size"].tolist()
