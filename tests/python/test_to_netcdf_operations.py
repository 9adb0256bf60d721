"""What `hyperslab.to_netcdf` writes after the usual operations on an opened dataset, compared with what h5netcdf writes."""

from __future__ import annotations

import warnings

import h5py
import numpy as np
import pytest
from kit import scaled

import hyperslab

xr = pytest.importorskip("xarray")

OPERATIONS = {
    "isel_number": lambda d: d.isel(time=0),
    "isel_lat": lambda d: d.isel(lat=1),
    "isel_slice": lambda d: d.isel(time=slice(3,7)),
    "isel_slice1": lambda d: d.isel(time=slice(3,4),lat=slice(0,1)),
    "isel_empty": lambda d: d.isel(time=slice(0,0)),
    "isel_empty_lat": lambda d: d.isel(lat=slice(0,0)),
    "isel_list": lambda d: d.isel(lat=[0,2]),
    "isel_points": lambda d: d.isel(lat=xr.DataArray([0,1],dims="p"),lon=xr.DataArray([1,2],dims="p")),
    "sel_point": lambda d: d.sel(time="2020-01-02T06:00"),
    "sel_slice": lambda d: d.sel(time=slice("2020-01-02","2020-01-03")),
    "sel_nearest": lambda d: d.sel(lat=10,method="nearest"),
    "squeeze": lambda d: d.squeeze(),
    "isel_squeeze": lambda d: d.isel(time=[0]).squeeze(),
    "expand_dims": lambda d: d.expand_dims("member"),
    "expand_dims_n": lambda d: d.expand_dims(member=[1,2]),
    "transpose": lambda d: d.transpose("lon","lat","time",...),
    "swap_dims": lambda d: d.drop_vars("one").assign_coords(step=("time",np.arange(48))).swap_dims(time="step"),
    "rename": lambda d: d.rename(time="t",t2m="x"),
    "rename_lat": lambda d: d.rename(lat="y"),
    "rename_dims": lambda d: d.rename_dims(time="t"),
    "rename_vars": lambda d: d.rename_vars(time="tt"),
    "drop_vars": lambda d: d.drop_vars("t2m"),
    "drop_vars_time": lambda d: d.drop_vars("time"),
    "drop_vars_all_time": lambda d: d.drop_vars(["time","t2m"]),
    "drop_dims": lambda d: d.drop_dims("time"),
    "drop_dims_lat": lambda d: d.drop_dims("lat"),
    "assign_coords": lambda d: d.assign_coords(lon=d.lon+1,k=("time",np.arange(48))),
    "where": lambda d: d.where(d.t2m>280),
    "where_drop": lambda d: d.where(d.lat>0,drop=True),
    "fillna": lambda d: d.fillna({"t2m":0}),
    "astype": lambda d: d[["t2m","count"]].astype("f8"),
    "astype_int": lambda d: d[["count"]].astype("i8"),
    "astype_keep": lambda d: d[["t2m"]].fillna(0).astype("i4"),
    "resample": lambda d: d[["t2m"]].resample(time="1D").mean(),
    "groupby": lambda d: d[["t2m"]].groupby("time.hour").mean(),
    "groupby_day": lambda d: d[["t2m"]].groupby("time.day").mean(),
    "rolling": lambda d: d[["t2m"]].rolling(time=3).mean(),
    "rolling_construct": lambda d: d[["t2m"]].rolling(time=3).construct("w"),
    "coarsen": lambda d: d[["t2m"]].coarsen(time=4).mean(),
    "coarsen_construct": lambda d: d[["t2m"]].coarsen(time=4).construct(time=("a","b")),
    "pad": lambda d: d[["t2m","count"]].pad(lat=(1,1)),
    "pad_time": lambda d: d[["t2m"]].pad(time=1),
    "diff": lambda d: d[["t2m"]].diff("time"),
    "concat": lambda d: xr.concat([d.isel(time=slice(0,3)),d.isel(time=slice(3,9))],"time",data_vars="minimal",coords="minimal",compat="override"),
    "concat_new": lambda d: xr.concat([d[["t2m"]],d[["t2m"]]],"run"),
    "merge": lambda d: xr.merge([d[["t2m"]],d[["count"]].rename(count="c2")]),
    "chunk": lambda d: d.chunk(time=7,lat=3),
    "stack": lambda d: d.stack(z=("lat","lon")).reset_index("z"),
    "stack_time": lambda d: d.stack(z=("time","lat")).reset_index("z"),
    "reduce": lambda d: d[["t2m"]].mean("time"),
    "argmax": lambda d: d[["t2m"]].fillna(0).argmax("time"),
    "sortby": lambda d: d.sortby("lat",ascending=False),
    "to_array": lambda d: d[["t2m","area"]].to_array("v").to_dataset(name="q"),
    "roll": lambda d: d.roll(lon=1,roll_coords=True),
    "load": lambda d: d.load(),
    "reindex": lambda d: d[["t2m"]].reindex(lat=[-90,0,90]),
    "set_coords": lambda d: d.set_coords("count"),
    "reset_coords": lambda d: d.reset_coords("height"),
    "reset_index": lambda d: d.reset_index("time"),
    "head": lambda d: d.head(time=2),
    "isel0_expand": lambda d: d.isel(time=0).expand_dims("time"),
    "multiindex": lambda d: d.stack(z=("lat","lon")),
    "str_time": lambda d: d.assign_coords(time=d.time.astype(str)),
    "interp": lambda d: d[["t2m"]].interp(lat=[-10.0, 10.0]),
    "interp_like": lambda d: d[["t2m"]].interp(lon=d.lon + 0.25),
}
ENGINES = ["hyperslab", "h5netcdf", "netcdf4", "zarr"]
CASES = [(name, engine, unlimited) for unlimited in (True, False) for engine in ENGINES for name in OPERATIONS]
#: In CI each operation once, with the engines and the two kinds of dimensions in turn.
CHOSEN = CASES if scaled(10) >= 100 else [(name, ENGINES[at % 4], at % 3 > 0) for at, name in enumerate(OPERATIONS)]


def source(path, unlimited: bool) -> None:
    """A file with text, packed numbers, scalars, and chunks that do not fit its parts."""
    rng = np.random.default_rng(1)
    t2m = rng.normal(280, 10, (48, 4, 5)).astype("f4")
    t2m[0, 0, 0] = np.nan
    dataset = xr.Dataset(
        {
            "t2m": (("time", "lat", "lon"), t2m, {"units": "K"}),
            "count": (("lat", "lon"), np.arange(20, dtype="i2").reshape(4, 5)),
            "name": (("lat",), np.array(["a", "bb", "größe", ""], object)),
            "code": (("lat",), np.array([b"ab", b"c", b"", b"def"])),
            "one": (("one", "lat"), np.ones((1, 4))),
            "crs": ((), 7),
        },
        coords={
            "time": np.datetime64("2020-01-01", "ns") + np.arange(48) * np.timedelta64(6, "h"),
            "lat": ("lat", np.linspace(-90, 90, 4)),
            "lon": ("lon", np.arange(5.0)),
            "height": 2.0,
            "area": (("lat", "lon"), np.ones((4, 5))),
        },
    )
    packed = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768}
    encoding = {
        "t2m": {"zlib": True, "chunksizes": (12, 2, 5)} | packed,
        "count": {"chunksizes": (2, 5), "zlib": True},
        "time": {"chunksizes": (512 if unlimited else 12,)},
    }
    dataset.to_netcdf(path, engine="h5netcdf", unlimited_dims=["time"] if unlimited else None, encoding=encoding)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The file with and without a dimension that can grow, also as a Zarr store."""
    folder = tmp_path_factory.mktemp("sources")
    for unlimited in (True, False):
        source(folder / f"{unlimited}.nc", unlimited)
        with xr.open_dataset(folder / f"{unlimited}.nc", engine="h5netcdf") as dataset:
            # Zarr has none of its filters.
            plain = dataset.drop_vars("code").drop_encoding()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plain.chunk(time=12).to_zarr(folder / f"{unlimited}.zarr")
    return folder


def limits(path) -> dict[str, tuple[int | None, ...]]:
    """The extents to which the dimension scales can grow."""
    with h5py.File(path) as file:
        return {name: item.maxshape for name, item in file.items() if item.is_scale}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "engine", "unlimited"), CHOSEN)
def test_operations_are_written_as_h5netcdf_writes_them(sources, tmp_path, name, engine, unlimited):
    ending = "zarr" if engine == "zarr" else "nc"
    with xr.open_dataset(sources / f"{unlimited}.{ending}", engine=engine) as opened:
        if engine == "zarr":
            opened["code"] = ("lat", np.array([b"ab", b"c", b"", b"def"]))
        changed = OPERATIONS[name](opened)
        theirs = ours = None
        try:
            changed.to_netcdf(tmp_path / "theirs.nc", engine="h5netcdf")
        except Exception as error:
            theirs = error
        try:
            hyperslab.to_netcdf(changed, tmp_path / "ours.nc")
        except Exception as error:
            ours = error
    assert ours is None or theirs is not None, ours
    if theirs is not None:
        return
    for reader in ("h5netcdf", "netcdf4"):
        with xr.open_dataset(tmp_path / "theirs.nc", engine=reader) as expected:
            with xr.open_dataset(tmp_path / "ours.nc", engine=reader) as found:
                xr.testing.assert_identical(found.load(), expected.load())
                for variable in expected.variables:
                    there, here = expected[variable].encoding, found[variable].encoding
                    assert (here["dtype"], here.get("_FillValue")) == pytest.approx((there["dtype"], there.get("_FillValue")), nan_ok=True)
    growing = {dim for dim, size in limits(tmp_path / "theirs.nc").items() if None in size}
    assert growing == {dim for dim, size in limits(tmp_path / "ours.nc").items() if None in size}


def test_what_the_call_asks_for_must_be_possible(sources, tmp_path):
    with xr.open_dataset(sources / "True.nc", engine="hyperslab") as opened:
        first = opened.isel(time=0)
        hyperslab.to_netcdf(first, tmp_path / "one.nc")
        with pytest.raises(ValueError, match="there are no dimensions"):
            hyperslab.to_netcdf(first, tmp_path / "two.nc", unlimited_dims=["time"])
        for chunks in [(12, 2, 5), (5, 2), (0, 0)]:
            with pytest.raises(ValueError, match="t2m"):
                hyperslab.to_netcdf(first, tmp_path / "three.nc", encoding={"t2m": {"chunksizes": chunks}})
