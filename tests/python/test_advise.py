"""`hyperslab.advise` and `hyperslab.encoding_for`: the advice of the command as data, and for xarray."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import hyperslab


def maps() -> np.ndarray:
    t, y, x = np.ogrid[:240, :60, :80]
    noise = np.random.default_rng(0).normal(size=(240, 60, 80)) / 64
    return (280 + 9 * np.sin(t / 40 + y / 9) + 5 * np.cos(x / 11) + noise).astype("f4")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "maps.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("t2m", data=maps(), chunks=(1, 60, 80), compression="gzip")
        file["scalar"] = 1.0
    return path


def test_advice_is_data(path):
    reads = ["1x60x80", (None, 1, 1)]
    advice = hyperslab.advise(path, "/t2m", reads=reads, readers=["libhdf5-1.14"], seconds=5)
    assert advice["schema"]["name"] == "hyperslab.advise"
    (dataset,) = advice["datasets"]
    assert [read["block"] for read in dataset["reads"]] == [[1, 60, 80], [240, 1, 1]]
    (one,) = dataset["recommendations"]
    assert one["verdict"] == "rewrite"
    assert advice.encoding()["t2m"]["chunksizes"] == tuple(one["storage"]["chunk"])
    assert "/t2m" in repr(advice) and "hyperslab repack" in advice._repr_html_()


def test_before_data_exist():
    reads = ["1x7000x14000", ":x1x1"]
    advice = hyperslab.advise(synthetic=(100_000, 7_000, 14_000), type="<i2", ratio=3.0, reads=reads, seconds=1)
    (dataset,) = advice["datasets"]
    assert (dataset["path"], dataset["logical_bytes"]) == ("/data", 2 * 100_000 * 7_000 * 14_000)
    tools = [line["tool"] for line in dataset["recommendations"][0]["lines"]]
    assert "h5py" in tools and "h5repack" not in tools
    for wrong in ({}, {"path": "x.h5", "synthetic": (3, 3)}):
        with pytest.raises(TypeError, match="synthetic"):
            hyperslab.advise(**wrong)


def test_h5py_writes_as_it_says(path, tmp_path):
    advice = hyperslab.advise(path, "/t2m", reads=["1x60x80", ":x1x1"], readers=["h5py"], seconds=5)
    (line,) = [line["line"] for line in advice["datasets"][0]["recommendations"][0]["lines"] if line["tool"] == "h5py"]
    with h5py.File(tmp_path / "out.h5", "w") as out:
        exec(line, {"out": out, "data": maps()})
        assert list(out["t2m"].chunks) == advice["datasets"][0]["recommendations"][0]["storage"]["chunk"]


def test_an_xarray_dataset_gets_its_encoding(tmp_path):
    xr = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    data = xr.Dataset({"t2m": (("time", "lat", "lon"), maps()), "n": ("time", np.arange(240))})
    encoding = hyperslab.encoding_for(data, [{"time": 1}, {"lat": 1, "lon": 1}], readers=["netcdf-4.9"], seconds=3)
    assert set(encoding) == {"t2m"}, "what has one dimension is left to xarray"
    data.to_netcdf(tmp_path / "out.nc", encoding=encoding)
    with h5py.File(tmp_path / "out.nc") as file:
        assert file["t2m"].chunks == encoding["t2m"]["chunksizes"]
        assert bool(file["t2m"].shuffle) == encoding["t2m"]["shuffle"]
        assert file["t2m"].compression == ("gzip" if encoding["t2m"]["zlib"] else None)
    with pytest.raises(hyperslab.HyperslabError, match="no dimension"):
        hyperslab.encoding_for(data, [{"month": 1}])


def test_packed_values_are_sampled_and_written_as_they_are_packed(tmp_path):
    xr = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    data = xr.Dataset({"t2m": (("time", "lat", "lon"), maps().astype("f8"))})
    packing = {"dtype": np.dtype("i2"), "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768}
    data["t2m"].encoding = packing | {"chunksizes": (1, 60, 80), "source": "in.nc"}
    data["empty"] = ("none", "lat"), np.zeros((0, 60))
    options = {"readers": ["netcdf-4.9"], "seconds": 3}
    encoding = hyperslab.encoding_for(data, [({"time": 1}, 10), {"lat": 1, "lon": 1}], **options)
    assert set(encoding) == {"t2m"}, "what has no values is left to xarray"
    assert {key: encoding["t2m"][key] for key in packing} == packing
    assert "chunksizes" in encoding["t2m"] and "source" not in encoding["t2m"]
    # By their sizes: chunks of 64 KiB and more of two bytes a value, not of eight.
    assert np.prod(encoding["t2m"]["chunksizes"]) * 2 >= 1 << 16
    data.to_netcdf(tmp_path / "out.nc", encoding=encoding)
    with h5py.File(tmp_path / "out.nc") as file:
        assert file["t2m"].dtype == "i2" and file["t2m"].chunks == encoding["t2m"]["chunksizes"]


@pytest.mark.parametrize(("plugin", "mode"), [("bitgroom", "BitGroom"), ("granularbitround", "GranularBitRound")])
def test_digits_are_kept_by_the_quantization_of_netcdf(plugin, mode, tmp_path):
    xr = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    data = xr.Dataset({"t2m": (("time", "lat", "lon"), maps())})
    options = {"readers": [f"netcdf-4.9+{plugin}"], "max_error": "0.1%", "size_bound": "0.6x", "seconds": 5}
    encoding = hyperslab.encoding_for(data, [{"time": 1}], **options)
    assert encoding["t2m"]["quantize_mode"] == mode
    data.to_netcdf(tmp_path / "out.nc", encoding=encoding)
    with h5py.File(tmp_path / "out.nc") as file:
        share = np.abs(file["t2m"][:] / data["t2m"].values - 1).max()
        assert 0 < share <= 0.001 and file["t2m"].compression == "gzip"


@pytest.mark.parametrize("read", ["1x60x80", (1, None, None), 3])
def test_a_read_that_names_no_dimensions_is_a_type_error(read):
    xr = pytest.importorskip("xarray")
    data = xr.Dataset({"t2m": (("time", "lat", "lon"), maps())})
    with pytest.raises(TypeError, match="mapping from dimensions to sizes"):
        hyperslab.encoding_for(data, [read])


def test_what_is_wrong_is_said(path):
    with pytest.raises(hyperslab.HyperslabError, match="2 dimensions, but /t2m has 3"):
        hyperslab.advise(path, "/t2m", reads=["1x1"])
    with pytest.raises(hyperslab.HyperslabError, match="it is a scalar"):
        hyperslab.advise(path, "/scalar")
    with pytest.raises(hyperslab.HyperslabError, match="unknown reader"):
        hyperslab.advise(path, readers=["hdf4"])
