"""Hyperslab's own index of files of netCDF classic and HDF4: they are opened with one request, and read the same."""

from __future__ import annotations

import os
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from pyhdf.SD import SD, SDC

import hyperslab
from hyperslab.errors import ChangedError


def classic(path: Path, variables: int) -> Path:
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        file.createDimension("time", None)
        file.createDimension("x", 50)
        for number in range(variables):
            file.createVariable(f"v{number}", "f4", ("time", "x"))[:] = np.arange(150).reshape(3, 50) + number
            file[f"v{number}"].long_name = "a name " * 20
    return path


def hdf4(path: Path, data_sets: int) -> Path:
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    random = np.random.default_rng(1)
    for number in range(data_sets):
        one = file.create(f"v{number}", SDC.FLOAT32, (300, 400))
        if number % 2:
            one.setcompress(SDC.COMP_DEFLATE, 1)
        one[:] = random.random((300, 400), "f4") + number
        one.units = "K"
        one.endaccess()
    file.end()
    return path


#: A header in the first response and one of 300 KB; a file that is fetched as a whole and one of 14 MB.
FILES = {
    "short.nc": lambda path: classic(path, 3),
    "long.nc": lambda path: classic(path, 1000),
    "small.hdf": lambda path: hdf4(path, 4),
    "large.hdf": lambda path: hdf4(path, 30),
}


@pytest.fixture(params=FILES)
def older(request, tmp_path):
    return FILES[request.param](tmp_path / request.param)


def index(path: object, out: Path) -> Path:
    hyperslab.index(path, out, format="hyperslab")
    return out


def test_a_url_takes_one_request(server, older, tmp_path):
    server.files["/a"] = older.read_bytes()
    url = f"{server.url}/a"
    # From the file and from the URL.
    for number, source in enumerate((older, url)):
        made = index(source, tmp_path / f"{number}.hyperslab")
        assert made.stat().st_size < 4096 + 0.5 * older.stat().st_size
        before = len(server.requests)
        with hyperslab.File(url, index=made) as file, hyperslab.File(older) as expected:
            names = list(file)
            assert names == list(expected)
            for name in names:
                assert dict(file[name].attrs).keys() == dict(expected[name].attrs).keys()
                assert (file[name].shape, file[name].dtype, file[name].chunks) == (
                    expected[name].shape,
                    expected[name].dtype,
                    expected[name].chunks,
                )
            assert len(server.requests) - before == 1
            for name in ("v0", "v1"):
                np.testing.assert_array_equal(file[name][...], expected[name][...])


def test_a_file_that_changed_is_refused(older, tmp_path):
    made = index(older, tmp_path / "i.hyperslab")
    with hyperslab.File(older, index=made) as file:
        assert file["v1"].shape[-1] in (50, 400)
    # Another time alone is no change; other bytes of a structure are.
    os.utime(older, (1, 1))
    hyperslab.File(older, index=made).close()
    whole = bytearray(older.read_bytes())
    whole[60] ^= 1
    older.write_bytes(whole)
    with pytest.raises(ChangedError, match="made of"):
        hyperslab.File(older, index=made)
    older.write_bytes(whole + b"more")
    with pytest.raises(ChangedError, match="made of"):
        hyperslab.File(older, index=made)


def test_xarray_and_other_formats_of_index_take_it(server, tmp_path):
    import xarray

    path = classic(tmp_path / "a.nc", 3)
    server.files["/a.nc"] = path.read_bytes()
    made = index(path, tmp_path / "a.hyperslab")
    before = len(server.requests)
    with xarray.open_dataset(f"{server.url}/a.nc", engine="hyperslab", index=made) as found:
        assert len(server.requests) - before == 1
        np.testing.assert_array_equal(found["v2"], np.arange(150).reshape(3, 50) + 2)
    assert hyperslab.index(made, format="kerchunk") == hyperslab.index(path, format="kerchunk")
