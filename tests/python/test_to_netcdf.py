"""`hyperslab.to_netcdf`: what xarray's own engine h5netcdf writes, as its engines read it."""

from __future__ import annotations

import numpy as np
import pytest

import hyperslab

xr = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")


@pytest.fixture
def dataset():
    rng = np.random.default_rng(5)
    t2m = rng.normal(280, 10, (6, 4, 5)).astype("f4")
    t2m[0, 0, 0] = np.nan
    return xr.Dataset(
        {
            "t2m": (("time", "lat", "lon"), t2m, {"units": "K", "levels": [1, 2], "one": 1.5, "names": ["a", "b"]}),
            "count": (("lat", "band"), np.arange(12, dtype="i2").reshape(4, 3)),
            "name": (("lat",), np.array(["a", "bb", "größe", ""], object)),
            "code": (("lat",), np.array([b"ab", b"c", b"", b"def"])),
            "is_land": (("lat",), np.array([True, False, True, True])),
            "crs": ((), 7),
        },
        coords={
            "time": np.datetime64("2020-01-01", "ns") + np.arange(6) * np.timedelta64(6, "h"),
            "lat": ("lat", np.linspace(-90, 90, 4), {"units": "degrees_north"}),
            "lon": ("lon", np.arange(5.0)),
            "height": 2.0,
            "area": (("lat", "lon"), np.ones((4, 5))),
        },
        attrs={"title": "Größe", "version": 3},
    )


ENCODINGS = {
    "none": {},
    "compressed": {"t2m": {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": (1, 4, 5)}},
    "packed": {"t2m": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768}},
    "times": {"time": {"units": "hours since 1900-01-01", "dtype": "i4", "calendar": "standard"}},
}


@pytest.mark.parametrize("is_lazy", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_it_is_what_h5netcdf_writes(dataset, encoding, is_lazy, tmp_path):
    if is_lazy:
        pytest.importorskip("dask")
        dataset = dataset.chunk({"time": 2})
    paths = [tmp_path / "theirs.nc", tmp_path / "ours.nc"]
    dataset.to_netcdf(paths[0], engine="h5netcdf", encoding=ENCODINGS[encoding], unlimited_dims=["time"])
    hyperslab.to_netcdf(dataset, paths[1], encoding=ENCODINGS[encoding], unlimited_dims=["time"])
    report = hyperslab.check(paths[1], data=True)
    assert (report["errors"], report["findings"]) == (0, [])
    for engine in ["h5netcdf", "hyperslab"]:
        with xr.open_dataset(paths[0], engine=engine) as theirs, xr.open_dataset(paths[1], engine=engine) as ours:
            xr.testing.assert_identical(ours.load(), theirs.load())
            assert ours.encoding["unlimited_dims"] == theirs.encoding["unlimited_dims"] == {"time"}
            assert list(ours.sizes) == list(theirs.sizes)
            for name in theirs.variables:
                for key in ["dtype", "_FillValue", "zlib", "shuffle", "fletcher32"]:
                    expected, found = theirs[name].encoding.get(key), ours[name].encoding.get(key)
                    assert found == expected or (found != found and expected != expected), (name, key)


def test_an_open_file_is_written_again(dataset, tmp_path):
    hyperslab.to_netcdf(dataset, tmp_path / "a.nc", encoding={"t2m": {"filter": "shuffle+zstd=3", "chunksizes": (2, 4, 5)}})
    with xr.open_dataset(tmp_path / "a.nc", engine="hyperslab") as first:
        hyperslab.to_netcdf(first.isel(lat=slice(1, 3)), tmp_path / "b.nc")
        with xr.open_dataset(tmp_path / "b.nc", engine="hyperslab") as second:
            xr.testing.assert_identical(second.load(), first.isel(lat=slice(1, 3)).load())


def test_what_is_wrong_is_refused(dataset, tmp_path):
    for arguments, says in [
        ({"encoding": {"no": {}}}, "no such variable"),
        ({"encoding": {"t2m": {"zip": True}}}, "zip"),
        ({"unlimited_dims": ["no"]}, "no"),
    ]:
        with pytest.raises(ValueError, match=says):
            hyperslab.to_netcdf(dataset, tmp_path / "x.nc", **arguments)
    assert list(tmp_path.iterdir()) == []
