"""`hyperslab.xarray.open_mfdataset`: what it returns is what xarray makes of the same files one by one."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import hyperslab
import numpy as np
import pytest

xr = pytest.importorskip("xarray")
netCDF4 = pytest.importorskip("netCDF4")
pytest.importorskip("dask")

from hyperslab.xarray import open_mfdataset  # noqa: E402

#: How xarray combines files that continue each other.
XARRAY = {"combine": "nested", "data_vars": "minimal", "coords": "minimal", "compat": "equals", "join": "exact", "engine": "hyperslab"}


def write(folder: Path, starts: list[int], **more) -> list[str]:
    """A file of two or three steps from each of these days on."""
    paths = []
    for number, start in enumerate(starts):
        path = folder / f"{number:02}.nc"
        steps = 2 + number % 2
        with netCDF4.Dataset(path, "w") as file:
            for name, size in (("time", None), ("y", 4), ("x", 6), ("bnds", 2)):
                file.createDimension(name, size)
            time = file.createVariable("time", "f8", ("time",))
            origin = more.get("origin", lambda _: 0)(number)
            time.setncatts({"units": f"days since {np.datetime64('2000-01-01') + origin}", "calendar": "standard", "bounds": "time_bnds"})
            days = np.arange(start, start + steps)[:: more.get("step", 1)] - origin
            time[:] = days
            file.createVariable("time_bnds", "f8", ("time", "bnds"))[:] = np.stack([days, days + 1], axis=1)
            file.createVariable("x", "f4", ("x",))[:] = np.arange(6)
            file.createVariable("area", "f4", ("y", "x"))[:] = np.arange(24).reshape(4, 6)
            packed = file.createVariable("t", "i2", ("time", "y", "x"), zlib=True, chunksizes=(1, 2, 6), fill_value=-9)
            packed.setncatts({"scale_factor": more.get("scale", lambda _: 0.5)(number), "add_offset": 7.0, "units": "K"})
            packed.set_auto_maskandscale(False)
            packed[:] = np.arange(steps * 24).reshape(steps, 4, 6) + 100 * number
            packed[0, 0, 0] = -9
            file.createVariable("across", "i4", ("y", "time"))[:] = np.arange(4 * steps).reshape(4, steps) + 1000 * number
            file.createVariable("name", str, ("time",))[:] = np.array([f"{start + i}" for i in range(steps)], object)
            file.history = f"file {number}"
            more.get("also", lambda *_: None)(number, file)
        paths.append(str(path))
    return paths


def same(mine, theirs) -> None:
    xr.testing.assert_identical(mine.compute(), theirs.compute())
    for name, variable in theirs.variables.items():
        # xarray loads what is the same in all files, and forgets the chunks of text.
        assert mine[name].chunks == variable.chunks or "time" not in variable.dims or name == "name", name
        assert mine[name].encoding == variable.encoding, name


@pytest.mark.parametrize("chunks", [{}, None, "auto", {"time": 2}, {"time": 4, "x": 3}])
def test_it_is_what_xarray_combines(tmp_path, chunks):
    paths = write(tmp_path, [0, 2, 5, 7])
    mine = open_mfdataset(f"{tmp_path}/*.nc", chunks=chunks)
    if chunks is None:
        theirs = xr.concat([xr.open_dataset(path, engine="hyperslab") for path in paths], "time", **{k: v for k, v in XARRAY.items() if k not in ("combine", "engine")})
        xr.testing.assert_identical(mine.load(), theirs.load())
    elif chunks == {}:
        same(mine, xr.open_mfdataset(paths, concat_dim="time", chunks=chunks, **XARRAY))
    else:
        # xarray makes chunks within each file.
        theirs = xr.open_mfdataset(paths, concat_dim="time", chunks={}, **XARRAY)
        xr.testing.assert_identical(mine.compute(), theirs.compute())
        if isinstance(chunks, dict):
            assert max(mine.t.chunksizes["time"]) == chunks["time"]
    assert mine.encoding["source"] == paths[0]
    assert mine.encoding["unlimited_dims"] == {"time"}


def test_units_of_time_may_differ(tmp_path):
    paths = write(tmp_path, [0, 2, 5], origin=lambda number: 10 * number)
    mine = open_mfdataset(paths)
    theirs = xr.open_mfdataset(paths, concat_dim="time", **XARRAY)
    xr.testing.assert_identical(mine.compute(), theirs.compute())
    assert mine.time.dtype == "M8[ns]" and mine.time_bnds.dtype == "M8[ns]"
    assert mine.time.encoding["units"] == theirs.time.encoding["units"]
    with pytest.raises(hyperslab.errors.InvalidError, match="the units of time, or its type, differ"):
        open_mfdataset(paths, decode_times=False)


def simple(path: Path, units: str, values, dtype: str = "f8", name: str = "time", **attributes) -> str:
    """A file with a variable along `Time` or `time`, whose times are in `name`."""
    dimension = "Time" if name == "XTIME" else "time"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension(dimension, None)
        time = file.createVariable(name, dtype, (dimension,), **({"fill_value": -1} if dtype == "i8" else {}))
        time.setncatts({"units": units, **attributes})
        time[:] = values
        file.createVariable("t", "f4", (dimension,))[:] = np.arange(len(values)) + len(str(path)) + int(units[-1])
    return str(path)


@pytest.mark.parametrize("calendar", ["standard", "noleap", "360_day"])
@pytest.mark.parametrize("dtypes", [["i4"] * 4, ["i8", "f8", "i4", "f4"]])
@pytest.mark.parametrize("word", ["minutes", "days"])
def test_equal_numbers_with_other_units_are_other_times(tmp_path, calendar, dtypes, word):
    """As in the files of MERRA-2: the minutes of a day, in a file for each day."""
    paths = [
        simple(tmp_path / f"{3 - number}.nc", f"{word} since 2001-02-{25 + number}", [0, 1], dtype, calendar=calendar)
        for number, dtype in enumerate(dtypes)
    ]
    if word == "days":
        # Each file has two days.
        paths = paths[::2]
    theirs = xr.open_mfdataset(paths, concat_dim="time", **XARRAY)
    for arguments in ({}, {"concat_dim": "time"}):
        mine = open_mfdataset(sorted(paths, reverse=bool(arguments)), **arguments)
        np.testing.assert_array_equal(mine.time.values, theirs.time.values)
        np.testing.assert_array_equal(mine.t.values, theirs.t.values)
    assert mine.time.encoding["units"] == theirs.time.encoding["units"]


def test_a_time_that_is_no_coordinate_places_files_as_well(tmp_path):
    """As in the files of WRF: `XTIME(Time)` counts from the start of each run, and `Time` has no variable."""
    paths = [simple(tmp_path / f"{number}.nc", f"minutes since 2001-01-0{9 - number}", [0, 30], name="XTIME") for number in range(3)]
    mine = open_mfdataset(paths)
    theirs = xr.open_mfdataset(paths[::-1], **XARRAY, concat_dim="Time")
    np.testing.assert_array_equal(mine.XTIME.values, theirs.XTIME.values)
    np.testing.assert_array_equal(mine.t.values, theirs.t.values)


def test_a_coordinate_comes_before_times_of_other_dimensions(tmp_path):
    """As in files of satellites: each line of an image has a time of its own."""

    def scan(number, file):
        file.createVariable("scan", "f8", ("y",)).units = f"seconds since 2000-01-{1 + number:02}"
        file["scan"][:] = np.arange(4)

    paths = write(tmp_path, [0, 2], also=scan)
    with pytest.raises(hyperslab.errors.InvalidError, match="scan: the attribute units is"):
        open_mfdataset(paths)
    mine = open_mfdataset(paths, drop_variables="scan")
    assert mine.sizes["time"] == 5


def test_texts_have_no_order(tmp_path):
    """Files of stations stay in the order in which they are given."""
    paths = []
    for name in ("Zürich", "Bern"):
        path = tmp_path / f"{name}.nc"
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("station", 1)
            file.createVariable("station", str, ("station",))[:] = np.array([name], object)
        paths.append(str(path))
    assert list(open_mfdataset(paths).station.values) == ["Zürich", "Bern"]


def test_times_with_equal_units_may_have_other_types(tmp_path):
    paths = [
        simple(tmp_path / "0.nc", "hours since 2001-01-01", [0, 1], "i8"),
        simple(tmp_path / "1.nc", "hours since 2001-01-01", [2, 3], "f8"),
    ]
    mine = open_mfdataset(paths)
    np.testing.assert_array_equal(mine.time.values, xr.open_mfdataset(paths, concat_dim="time", **XARRAY).time.values)
    with pytest.raises(hyperslab.errors.InvalidError, match="or its type, differ"):
        open_mfdataset(paths, decode_times=False)


def test_bounds_follow_their_times(tmp_path):
    """Bounds have no units of their own."""
    paths = write(tmp_path, [0, 2])
    with netCDF4.Dataset(paths[1], "a") as file:
        file.renameVariable("time_bnds", "old")
        file.createVariable("time_bnds", "i4", ("time", "bnds"))[:] = file["old"][:]
    mine = open_mfdataset(paths, drop_variables="old")
    theirs = xr.open_mfdataset(paths, drop_variables="old", concat_dim="time", **XARRAY)
    np.testing.assert_array_equal(mine.time_bnds.values, theirs.time_bnds.values)


def test_files_are_put_into_the_order_of_their_coordinate(tmp_path):
    paths = write(tmp_path, [5, 0, 2])
    assert open_mfdataset(paths).time.to_index().is_monotonic_increasing
    given = open_mfdataset(paths, concat_dim="time")
    assert [int(name) for name in given.name.values[[0, 2]]] == [5, 0], "in the order that was given"
    other = tmp_path / "falling"
    other.mkdir()
    falling = write(other, [5, 0, 2], step=-1)
    assert open_mfdataset(falling).time.to_index().is_monotonic_decreasing


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"scale": lambda number: 0.5 + number}, r"01.nc: t: the attribute scale_factor is .*1.5.*, in .*00.nc .*0.5"),
        ({"also": lambda number, file: number and file.createVariable("more", "f4", ("x",))}, "has a variable 'more', .* has none"),
        ({"also": lambda number, file: file.createVariable("odd", "f4" if number else "f8", ("x",))}, r"odd: its type is dtype\('float32'\)"),
        ({"also": lambda number, file: file.createVariable("odd", "f4", ("x", "y") if number else ("y", "x"))}, "odd: it has the dimensions"),
        ({"also": lambda number, file: file["area"].setncattr("units", "m" * (number + 1))}, "area: the attribute units is 'mm'"),
        ({"also": lambda number, file: file["area"].__setitem__((0, 0), number)}, "area: its values are not those of"),
    ],
)
def test_what_is_not_a_series_is_named(tmp_path, change, says):
    write(tmp_path, [0, 2], **change)
    with pytest.raises(hyperslab.errors.InvalidError, match=says):
        open_mfdataset(f"{tmp_path}/*.nc")


def test_values_of_the_first_file_are_taken_if_asked_for(tmp_path):
    write(tmp_path, [0, 2], also=lambda number, file: file["area"].__setitem__((0, 0), number))
    ds = open_mfdataset(f"{tmp_path}/*.nc", compat="override")
    assert float(ds.area[0, 0]) == 0


def test_the_dimension_is_named_where_it_is_not_plain(tmp_path):
    def move(number, file):
        file["x"][:] = np.arange(6) + number

    paths = write(tmp_path, [0, 2], also=move)
    with pytest.raises(hyperslab.errors.InvalidError, match="the coordinates time and x differ"):
        open_mfdataset(paths)
    with pytest.raises(hyperslab.errors.InvalidError, match="x: its values are not those of"):
        open_mfdataset(paths, concat_dim="time")
    with pytest.raises(hyperslab.errors.InvalidError, match="no dimension 'times'; it has"):
        open_mfdataset(paths, concat_dim="times")
    with pytest.raises(hyperslab.errors.InvalidError, match="no coordinate differs"):
        open_mfdataset([paths[0], paths[0]])
    with pytest.raises(FileNotFoundError, match="no files to open"):
        open_mfdataset(f"{tmp_path}/absent-*.nc")
    with pytest.raises(ValueError, match="'equals' or 'override'"):
        open_mfdataset(paths, compat="same")


def test_variables_are_dropped_before_they_are_compared(tmp_path):
    paths = write(tmp_path, [0, 2], scale=lambda number: 0.5 + number)
    ds = open_mfdataset(paths, drop_variables=["t"])
    assert "t" not in ds and "across" in ds
    assert "t" not in open_mfdataset(paths, drop_variables="t")


def test_files_of_a_store(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    paths = write(tmp_path, [0, 2])
    ds = open_mfdataset(paths, store=fsspec.filesystem("file"), concat_dim="time", chunks=None)
    xr.testing.assert_identical(ds.load(), open_mfdataset(paths).compute())


def test_groups_and_one_file(tmp_path):
    def inner(number, file):
        group = file.createGroup("in")
        group.createVariable("v", "f4", ("time",))[:] = np.arange(len(file["time"])) + 10 * number

    paths = write(tmp_path, [0, 2], also=inner)
    ds = open_mfdataset(paths, group="in", concat_dim="time")
    assert ds.v.values.tolist() == [0, 1, 10, 11, 12]
    alone = open_mfdataset(paths[0], concat_dim="time")
    xr.testing.assert_identical(alone.compute(), xr.open_dataset(paths[0], engine="hyperslab").load())


def test_any_index_reads_what_numpy_takes(tmp_path):
    ds = open_mfdataset(write(tmp_path, [0, 2, 5, 7]), chunks=None, mask_and_scale=False)
    whole = open_mfdataset(f"{tmp_path}/*.nc", mask_and_scale=False).compute()
    random = np.random.default_rng(3)
    for _ in range(300):
        for name in ("t", "across", "name"):
            lazy, loaded = ds[name], whole[name]
            indexers = {}
            for dimension, size in loaded.sizes.items():
                kind = random.integers(5)
                if kind == 0:
                    indexers[dimension] = int(random.integers(-size, size))
                elif kind == 1:
                    step = int(random.choice([-3, -2, -1, 1, 2, 3]))
                    # xarray makes a falling slice that begins before the first element the whole axis, for every engine.
                    low = [-size if step < 0 else -size - 2, -size - 2]
                    ends = [None if random.integers(3) == 0 else int(random.integers(least, size + 2)) for least in low]
                    indexers[dimension] = slice(*ends, step)
                elif kind == 2:
                    indexers[dimension] = random.integers(-size, size, random.integers(0, 7)).tolist()
            xr.testing.assert_identical(lazy.isel(indexers).load(), loaded.isel(indexers))
            points = {d: xr.DataArray(random.integers(0, size, 5), dims="p") for d, size in loaded.sizes.items()}
            xr.testing.assert_identical(lazy.isel(points).load(), loaded.isel(points))


def test_it_is_pickled_and_has_the_same_name_each_time(tmp_path):
    from dask.base import tokenize

    paths = write(tmp_path, [0, 2, 5])
    ds = open_mfdataset(paths)
    assert tokenize(ds.t.data) == tokenize(open_mfdataset(paths).t.data)
    other = pickle.loads(pickle.dumps(ds))
    xr.testing.assert_identical(other.compute(), ds.compute())
    ds.close()
    assert float(ds.t.max()) > 0, "files are opened again"


def test_more_files_than_stay_open(tmp_path):
    paths = write(tmp_path, list(range(0, 90, 3)))
    with xr.set_options(file_cache_maxsize=4):
        ds = open_mfdataset(paths)
        assert ds.sizes["time"] == 75
        assert ds.across.sum().compute() == sum(xr.open_dataset(path, engine="netcdf4").across.sum() for path in paths)


def test_a_file_that_was_replaced_is_an_error(tmp_path):
    paths = write(tmp_path, [0, 2])
    ds = open_mfdataset(paths)
    ds.close()
    other = tmp_path / "other"
    other.mkdir()
    for old, new in zip(paths, write(other, [7, 9]), strict=True):
        os.replace(new, old)
    with pytest.raises(hyperslab.errors.ChangedError):
        ds.across.compute()


@pytest.mark.parametrize("arguments", [{}, {"concat_dim": "time"}], ids=["found", "named"])
def test_dates_of_several_calendars_are_not_put_in_a_row(tmp_path, arguments):
    standard = simple(tmp_path / "0.nc", "minutes since 2001-02-25", [0, 1], "i4", calendar="standard")
    others = [simple(tmp_path / f"{name}.nc", "minutes since 2001-02-26", [0, 1], "i4", calendar=name) for name in ("noleap", "360_day")]
    for paths in ([standard, others[0]], others):
        with pytest.raises(TypeError, match=f"{paths[1]}: time: its dates are of the calendar"):
            open_mfdataset(paths, **arguments)
    gregorian = simple(tmp_path / "1.nc", "minutes since 2001-02-26", [0, 1], "i4", calendar="gregorian")
    assert open_mfdataset([standard, gregorian], **arguments).time.dtype.kind == "M"
