"""`hyperslab.to_netcdf`: what xarray's own engine h5netcdf writes, as its engines read it."""

from __future__ import annotations

import numpy as np
import pytest

import hyperslab
from hyperslab.xarray.encoding import _HAS_ALL_FILTERS

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


#: netCDF4-python's words, and the filters that it writes for them.
COMPRESSIONS = [
    {"compression": "zlib", "complevel": 2, "shuffle": True},
    {"compression": "zstd"},
    {"compression": "zstd", "complevel": -3, "fletcher32": True},
    {"compression": "bzip2", "complevel": 9},
    {"compression": "szip"},
    {"compression": "szip", "szip_coding": "ec", "szip_pixels_per_block": 16},
    {"compression": "blosc_lz"},
    {"compression": "blosc_lz4", "complevel": 7, "blosc_shuffle": 2},
    {"compression": "blosc_lz4hc", "blosc_shuffle": 0},
    {"compression": "blosc_zlib"},
    {"compression": "blosc_zstd", "complevel": 1},
]


@pytest.mark.parametrize("words", COMPRESSIONS, ids=lambda words: "-".join(map(str, words.values())))
def test_compression_is_that_of_netcdf4(dataset, words, tmp_path):
    netCDF4 = pytest.importorskip("netCDF4")
    t2m = np.random.default_rng(1).integers(0, 9, (40, 30)).astype("f4")
    with netCDF4.Dataset(tmp_path / "theirs.nc", "w") as file:
        file.createDimension("y", 40)
        file.createDimension("x", 30)
        try:
            variable = file.createVariable("t2m", "f4", ("y", "x"), chunksizes=(20, 30), **{"shuffle": False} | words)
            variable[:] = t2m
            theirs = variable.filters()
        except (RuntimeError, ValueError) as error:
            pytest.skip(f"netCDF-C lacks the filter: {error}")
    path = tmp_path / "ours.nc"
    hyperslab.to_netcdf(xr.Dataset({"t2m": (("y", "x"), t2m)}), path, encoding={"t2m": {"chunksizes": (20, 30), **words}})
    assert hyperslab.check(path, data=True)["findings"] == []
    with netCDF4.Dataset(path) as file:
        assert file["t2m"].filters() == theirs
        np.testing.assert_array_equal(file["t2m"][:], t2m)
    # What netCDF4 says of a variable can be given back, and a variable of an open file keeps its compression.
    for given in (None, {"t2m": theirs}):
        again = tmp_path / "again.nc"
        with xr.open_dataset(path, engine="netcdf4") as opened:
            hyperslab.to_netcdf(opened, again, encoding=given, overwrite=True)
        with netCDF4.Dataset(again) as file:
            assert file["t2m"].filters() == theirs
            np.testing.assert_array_equal(file["t2m"][:], t2m)


#: Encodings of older xarray have no words for the others.
KEPT = ["szip", "shuffle+gzip=1", *(["zstd=5", "bzip2=2"] if _HAS_ALL_FILTERS else [])]


@pytest.mark.parametrize("filter", KEPT)
def test_a_variable_of_an_open_file_keeps_its_compression(filter, tmp_path):
    first = xr.Dataset({"t2m": (("y", "x"), np.arange(1200.0).reshape(40, 30))})
    hyperslab.to_netcdf(first, tmp_path / "a.nc", encoding={"t2m": {"filter": filter}})
    with xr.open_dataset(tmp_path / "a.nc", engine="hyperslab") as opened:
        hyperslab.to_netcdf(opened, tmp_path / "b.nc")
    with hyperslab.File(tmp_path / "a.nc") as a, hyperslab.File(tmp_path / "b.nc") as b:
        assert b["t2m"]._filter_parameters() == a["t2m"]._filter_parameters()
        np.testing.assert_array_equal(b["t2m"][...], a["t2m"][...])


@pytest.mark.parametrize("endian", ["little", "big", "native"])
def test_byte_order(dataset, endian, tmp_path):
    hyperslab.to_netcdf(dataset, tmp_path / "a.nc", encoding={"count": {"endian": endian}, "area": {"contiguous": True}})
    with hyperslab.File(tmp_path / "a.nc") as file:
        assert file["count"].dtype == np.dtype("i2").newbyteorder({"native": "="}.get(endian, endian[0]))
        assert file["area"].chunks is None
        np.testing.assert_array_equal(file["count"][...], dataset["count"])


REFUSED = [
    ({"compression": "zip"}, "zip"),
    ({"compression": "blosc"}, "blosc_lz4"),
    ({"blosc": True, "complevel": 2}, "blosc_lz4"),
    ({"compression": "blosc_zip"}, "blosc_zip"),
    ({"compression": "blosc_lz4", "blosc_shuffle": 3}, "blosc_shuffle"),
    ({"compression": "zstd", "complevel": 23}, "22"),
    ({"compression": "bzip2", "complevel": 0}, "level of bzip2"),
    ({"compression": "szip", "szip_coding": "xx"}, "szip_coding"),
    ({"compression": "szip", "szip_pixels_per_block": 3}, "szip_pixels_per_block"),
    ({"zlib": True, "zstd": True}, "zlib and zstd"),
    ({"zlib": True, "compression": "zstd"}, "zlib"),
    ({"compression": "zstd", "filter": "gzip"}, "filter"),
    ({"compression_opts": 4}, "without compression"),
    ({"contiguous": True, "zlib": True}, "contiguous"),
    ({"endian": "middle"}, "endian"),
    ({"significant_digits": 3}, "significant_digits"),
]


@pytest.mark.parametrize(("words", "says"), REFUSED, ids=lambda value: str(value))
def test_compression_that_is_not_possible_is_refused(dataset, words, says, tmp_path):
    with pytest.raises(ValueError, match=says) as raised:
        hyperslab.to_netcdf(dataset, tmp_path / "x.nc", encoding={"t2m": words})
    assert "t2m" in str(raised.value)
    assert list(tmp_path.iterdir()) == []


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


@pytest.mark.parametrize(
    ("value", "says"),
    [(True, "bool"), (np.array([True, False]), "bool"), (np.float16(1), "float16"), (1j, "complex"), (None, "no datatype")],
)
def test_attributes_that_netcdf_does_not_see_are_refused(value, says, tmp_path):
    for owned, of in [(xr.Dataset(attrs={"flag": value}), "/"), (xr.Dataset({"a": ("x", [1.0], {"flag": value})}), "/a")]:
        with pytest.raises(TypeError, match=says) as refused:
            hyperslab.to_netcdf(owned, tmp_path / "x.nc")
        assert "'flag'" in str(refused.value) and of in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_dataset_of_netcdf_is_refused(tmp_path):
    for dtype in ("f2", "G"):
        with pytest.raises(TypeError, match="variable 'a': netCDF has no type for"):
            hyperslab.to_netcdf(xr.Dataset({"a": ("x", np.ones(2, dtype))}), tmp_path / "x.nc")
    with pytest.raises(TypeError, match="to_dataset"):
        hyperslab.to_netcdf(xr.DataArray([1.0], name="a"), tmp_path / "x.nc")
    # xarray stores booleans as integers.
    hyperslab.to_netcdf(xr.Dataset({"a": ("x", [True, False])}), tmp_path / "x.nc")
    assert xr.open_dataset(tmp_path / "x.nc", engine="h5netcdf")["a"].dtype == bool


def test_dimensions_without_elements_can_grow(tmp_path):
    dataset = xr.Dataset({"a": ("x", np.zeros(0)), "b": (("x", "y"), np.zeros((0, 3), "i4"))}, coords={"t": ("t", np.zeros(0))})
    paths = [tmp_path / "theirs.nc", tmp_path / "ours.nc"]
    dataset.to_netcdf(paths[0], engine="h5netcdf")
    hyperslab.to_netcdf(dataset, paths[1])
    with hyperslab.File(paths[0]) as theirs, hyperslab.File(paths[1]) as ours:
        assert ours["a"].maxshape == (None,) and ours["x"].chunks == (1024,)
        for name in ("a", "b", "t", "x", "y"):
            assert (ours[name].shape, ours[name].maxshape) == (theirs[name].shape, theirs[name].maxshape)
    with xr.open_dataset(paths[0], engine="h5netcdf") as theirs, xr.open_dataset(paths[1], engine="h5netcdf") as ours:
        xr.testing.assert_identical(ours, theirs)
        assert ours.encoding["unlimited_dims"] == theirs.encoding["unlimited_dims"] == {"x", "t"}
    # Data of a file, in the layout that is asked for.
    hyperslab.to_netcdf(dataset, tmp_path / "asked.nc", encoding={"a": {"contiguous": True}})


def test_complex_numbers_have_the_types_of_h5netcdf(tmp_path):
    values = np.array([1 + 2j, np.nan - 1j, 0])
    dataset = xr.Dataset(
        {
            "a": ("x", values.astype("c8")),
            "b": (("x", "y"), np.outer(values, values)),
            "c": ((), np.complex128(3j)),
            "d": ("x", values, {"_FillValue": -1j}),
        }
    )
    paths = [tmp_path / "theirs.nc", tmp_path / "ours.nc"]
    dataset.drop_vars("d").to_netcdf(paths[0], engine="h5netcdf")
    hyperslab.to_netcdf(dataset, paths[1], encoding={"b": {"zlib": True, "shuffle": True}})
    report = hyperslab.check(paths[1], data=True)
    assert (report["errors"], report["findings"]) == (0, [])
    for engine in ["h5netcdf", "hyperslab"]:
        with xr.open_dataset(paths[0], engine=engine) as theirs, xr.open_dataset(paths[1], engine=engine) as ours:
            xr.testing.assert_identical(ours.drop_vars("d").load(), theirs.load())
            np.testing.assert_array_equal(ours["d"], values)
    with hyperslab.File(paths[0]) as theirs, hyperslab.File(paths[1]) as ours:
        for name in ("_PFNC_FLOAT_COMPLEX_TYPE", "_PFNC_DOUBLE_COMPLEX_TYPE"):
            assert ours[name].dtype == theirs[name].dtype
        assert ours["d"].fillvalue == -1j
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(paths[1], auto_complex=True) as file:
        np.testing.assert_array_equal(file["a"][:], values.astype("c8"))
        np.testing.assert_array_equal(file["b"][:], np.outer(values, values))
        assert sorted(file.cmptypes) == sorted(("_PFNC_FLOAT_COMPLEX_TYPE", "_PFNC_DOUBLE_COMPLEX_TYPE"))
    swapped = xr.Dataset({"a": ("x", values.astype(">c16")), "b": ("x", values)})
    hyperslab.to_netcdf(swapped, tmp_path / "swapped.nc")
    with hyperslab.File(tmp_path / "swapped.nc") as file:
        np.testing.assert_array_equal(file["b"][...], values)
    with pytest.raises(ValueError, match="'b'.*byte order"):
        hyperslab.to_netcdf(swapped, tmp_path / "x.nc", encoding={"b": {"endian": "little"}})
    with pytest.raises(ValueError, match="_PFNC_DOUBLE"):
        hyperslab.to_netcdf(xr.Dataset({"_PFNC_DOUBLE_COMPLEX_TYPE": 1, "a": 1j}), tmp_path / "x.nc")
