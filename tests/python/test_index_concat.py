"""Many files as one index, along a dimension: what may be combined, and what may not."""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import netCDF4
import numpy as np
import pytest
from reading_back import NEEDS, read_back

import hyperslab
from hyperslab import _index

UNITS = "days since 2000-01-01"


def month(path, first, days, *, chunk=5, units="K", scale=0.5, shuffle=True, endian="little", dtype="i2", lon=None, levels=2, fill=-999):
    """A file of some days: a packed variable along time, a mask without it, and the coordinates."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("level", levels)
        file.createDimension("lon", 6)
        time = file.createVariable("time", "f8", ("time",))
        time.units = UNITS
        time[:] = np.arange(first, first + days)
        file.createVariable("lon", "f4", ("lon",))[:] = np.arange(6) * 60 if lon is None else lon
        options = {"zlib": True, "shuffle": shuffle, "fill_value": fill, "chunksizes": (chunk, levels, 3), "endian": endian}
        air = file.createVariable("air", dtype, ("time", "level", "lon"), **options)
        air.units, air.scale_factor = units, scale
        air.set_auto_maskandscale(False)
        air[:] = np.arange(first * levels * 6, (first + days) * levels * 6).reshape(days, levels, 6)
    return path


@pytest.fixture
def months(tmp_path):
    return [month(tmp_path / "1.nc", 0, 10), month(tmp_path / "2.nc", 10, 5), month(tmp_path / "3.nc", 15, 7)]


@pytest.mark.parametrize("format", ["kerchunk", "kerchunk-parquet", "zarr", "icechunk"])
def test_the_consumer_reads_all_files(format, months, tmp_path):
    for name in NEEDS[format]:
        pytest.importorskip(name)
    out = tmp_path / f"all.{format}"
    hyperslab.index(months, out, format=format, concat="time", jobs=2)
    found = read_back(format, None, tmp_path, out=out)
    dims, values, attributes = found["air"]
    assert dims == ("time", "level", "lon") and attributes["units"] == "K"
    np.testing.assert_array_equal(values, np.arange(22 * 12).reshape(22, 2, 6) * 0.5)
    np.testing.assert_array_equal(found["lon"][1], np.arange(6) * 60)
    # Its chunks of 512 elements are joined to one, which VirtualiZarr does not read.
    if format != "zarr":
        np.testing.assert_array_equal(found["time"][1], np.arange(22))


def test_references_lead_to_their_files(months):
    document = hyperslab.index(months, concat="time", template=True, url="s3://bucket/{name}")
    assert document["templates"] == {"u": "s3://bucket/"}
    refs = document["refs"]
    assert json.loads(refs["air/.zarray"])["shape"] == [22, 2, 6]
    for number, path in enumerate(months):
        with hyperslab.File(path) as file:
            for row in file["air"].chunk_map():
                at = row["offset"].astype(int) // [5, 2, 3] + [[0, 2, 3][number], 0, 0]
                expected = [f"{{{{u}}}}{path.name}", int(row["address"]), int(row["size"])]
                assert refs[f"air/{'.'.join(map(str, at))}"] == expected


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"units": "degC"}, 'attribute units is "degC" here, but "K" in'),
        ({"scale": 0.25}, "attribute scale_factor is 0.25 here, but 0.5 in"),
        ({"fill": -1}, "attribute _FillValue is -1 here, but -999 in"),
        ({"dtype": "i4"}, 'type is "<i4" here, but "<i2" in'),
        ({"endian": "big"}, 'type is ">i2" here, but "<i2" in'),
        ({"levels": 3}, r"/air: its shape is \[5, 3, 6\] here, but \[10, 2, 6\] in"),
        ({"lon": np.arange(6)}, "/lon: its values are not those in"),
    ],
)
def test_what_differs_is_named(other, message, tmp_path):
    first, second = month(tmp_path / "1.nc", 0, 10), month(tmp_path / "2.nc", 10, 5, **other)
    with pytest.raises(hyperslab.HyperslabError, match=message) as raised:
        hyperslab.index([first, second], concat="time")
    assert str(second) in str(raised.value)


def day(path, units, times, *, dtype="f8", calendar=None, fill=None, bounds="f8"):
    """A file whose times count from a date of its own, with bounds, which have no units of their own."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("nv", 2)
        order = {"endian": "big"} if dtype.startswith(">") else {}
        time = file.createVariable("time", dtype.lstrip(">"), ("time",), fill_value=fill, **order)
        time.setncatts({"units": units, "bounds": "time_bnds"} | ({"calendar": calendar} if calendar else {}))
        time[:] = times
        file.createVariable("time_bnds", bounds.lstrip(">"), ("time", "nv"))[:] = np.stack([times, np.asarray(times) + 60], axis=1)
        air = file.createVariable("air", "f4", ("time",), chunksizes=(2,))
        air[:] = np.arange(len(times)) + 100 * int(path.stem)
    return path


@pytest.mark.parametrize("format", ["kerchunk", "icechunk"])
@pytest.mark.parametrize(
    ("calendar", "dtypes"),
    [(None, ["i4", "i4", "i4"]), ("noleap", ["f8", "i8", ">i4"]), ("360_day", ["i8", "f8", "f4"]), (None, ["f8", "i8", ">i4"])],
)
def test_times_that_count_from_other_dates_are_those_of_the_first_file(format, calendar, dtypes, tmp_path):
    for name in NEEDS[format]:
        pytest.importorskip(name)
    paths = [
        day(tmp_path / f"{number}.nc", f"minutes since 2001-02-{26 + number} 00:30:00", [0, 60], dtype=dtype, calendar=calendar, bounds=dtype)
        for number, dtype in enumerate(dtypes)
    ]
    out = tmp_path / f"all.{format}"
    hyperslab.index(paths, out, format=format, concat="time")
    found = read_back(format, None, tmp_path, out=out)
    xarray = pytest.importorskip("xarray")
    coder = xarray.coders.CFDatetimeCoder(use_cftime=True) if hasattr(xarray, "coders") else None
    options = {"decode_times": coder} if coder else {"use_cftime": True}
    parts = [xarray.open_dataset(path, engine="netcdf4", decode_cf=False).load() for path in paths]
    for name in ("time", "time_bnds"):
        expected = np.concatenate([xarray.decode_cf(part, **options)[name].values for part in parts])
        values = np.asarray(found[name][1], "f8")
        stored = xarray.Dataset({"x": (found[name][0], values, {k: found["time"][2][k] for k in ("units", "calendar") if k in found["time"][2]})})
        np.testing.assert_array_equal(xarray.decode_cf(stored, **options)["x"].values, expected, err_msg=name)
    np.testing.assert_array_equal(found["air"][1], [0, 1, 100, 101, 200, 201])


def test_missing_times_stay_missing(tmp_path):
    masked = np.ma.masked_equal([0, -1], -1)
    first = day(tmp_path / "0.nc", "minutes since 2001-01-01", [0, 60], fill=-999.0)
    second = day(tmp_path / "1.nc", "minutes since 2001-01-02", masked, dtype="i4", fill=-1)
    refs = hyperslab.index([first, second], concat="time")["refs"]
    assert json.loads(refs["time/.zattrs"])["_FillValue"] == -999.0
    times = np.frombuffer(base64.b64decode(refs["time/0"].removeprefix("base64:")), "<f8")
    np.testing.assert_array_equal(times, [0, 60, 1440, -999])
    with pytest.raises(hyperslab.HyperslabError, match="the time -1 cannot be expressed"):
        hyperslab.index([day(tmp_path / "2.nc", "minutes since 2001-01-01", [0, 60]), second], concat="time")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (("days since 2001-01-01", "i4"), ("hours since 2001-01-02", "i4"), r"the time 60 cannot be expressed as in the first file"),
        (("days since 2001-01-01", "f8"), ("months since 2001-01-01", "f8"), "its attribute units is"),
        (("minutes since 2001-01-01", "i1"), ("minutes since 2001-01-02", "i1"), "the time 0 cannot be expressed"),
    ],
)
def test_times_that_have_no_place_in_the_first_file_are_named(first, second, message, tmp_path):
    paths = [day(tmp_path / f"{number}.nc", units, [0, 60], dtype=dtype) for number, (units, dtype) in enumerate((first, second))]
    with pytest.raises(hyperslab.HyperslabError, match=message) as raised:
        hyperslab.index(paths, concat="time")
    assert str(paths[1]) in str(raised.value) and "/time" in str(raised.value)


def big(path, first, days, **options):
    """As a month, but too large to be joined to one chunk."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 300_000)
        options = {"chunksizes": (2, 100_000), "zlib": True, "shuffle": False} | options
        values = file.createVariable("v", "i4", ("time", "x"), **options)
        values[:] = np.arange(first, first + days)[:, None]
    return path


@pytest.mark.parametrize(
    ("days", "options", "message"),
    [
        (3, {}, "ends with a part of a chunk: 3 is not a multiple of 2 along time"),
        (2, {"shuffle": True}, r"filters are \[.*Shuffle.*\] here, but \[Zlib"),
        (2, {"chunksizes": (1, 100_000)}, r"chunks are \[1, 100000\] here, but \[2, 100000\] in"),
    ],
)
def test_chunks_and_filters_must_agree(days, options, message, tmp_path):
    files = [big(tmp_path / "1.nc", 0, days), big(tmp_path / "2.nc", days, 2, **options)]
    with pytest.raises(hyperslab.HyperslabError, match=message):
        hyperslab.index(files, concat="time")


def test_a_missing_variable_or_dimension_is_named(months, tmp_path):
    with netCDF4.Dataset(months[1], "a") as file:
        file.createVariable("extra", "i4", ("time",))
    with pytest.raises(hyperslab.HyperslabError, match="/extra: it is not in"):
        hyperslab.index(months, concat="time")
    with pytest.raises(hyperslab.HyperslabError, match="/extra: it is in .*2.nc, but not here"):
        hyperslab.index([months[1], months[0]], concat="time")
    with pytest.raises(hyperslab.HyperslabError, match='no variable has the dimension "depth"'):
        hyperslab.index(months, concat="depth")


def test_many_files_have_an_index_each(months, tmp_path):
    out = tmp_path / "indexes"
    hyperslab.index(months, out, jobs=2)
    assert sorted(path.name for path in out.iterdir()) == ["1.nc.json", "2.nc.json", "3.nc.json"]
    one = json.loads((out / "2.nc.json").read_text())
    assert one == hyperslab.index(months[1])


def test_indexes_of_shares_are_combined(months, tmp_path):
    """The map is done by many machines, the reduction by one, which reads no metadata of the files."""
    parts = tmp_path / "parts"
    hyperslab.index(months, parts, format="hyperslab")
    natives = sorted(parts.iterdir())
    assert [path.name for path in natives] == ["1.nc.hyperslab", "2.nc.hyperslab", "3.nc.hyperslab"]
    assert hyperslab.index(natives, concat="time") == hyperslab.index(months, concat="time")


def test_an_executor_gets_a_call_for_each_file(months, tmp_path):
    class Pickling(ThreadPoolExecutor):
        """Calls what another process would get."""

        calls = 0

        def submit(self, function, *arguments):
            self.calls += 1
            function, arguments = pickle.loads(pickle.dumps((function, arguments)))
            return super().submit(function, *arguments)

    with Pickling(2) as executor:
        hyperslab.index(months, tmp_path / "parts", format="hsds", executor=executor)
        assert executor.calls == 3
        assert hyperslab.index(months, concat="time", executor=executor) == hyperslab.index(months, concat="time")
        hyperslab.index(months, tmp_path / "all.json", concat="time", executor=executor, relative=True)
        assert executor.calls == 9
        with pytest.raises(hyperslab.HyperslabError, match="none.nc"):
            hyperslab.index([months[0], tmp_path / "none.nc"], tmp_path / "parts", executor=executor)
        with pytest.raises(ValueError, match="both have the index"):
            hyperslab.index([months[0], months[0]], tmp_path / "twice", executor=executor)
        for arguments in ({"jobs": 2}, {"concat": "time", "url": "s3://b/{path}"}, {}):
            with pytest.raises(ValueError, match="`"):
                hyperslab.index(months, executor=executor, **arguments)
    parts = tmp_path / "parts"
    assert sorted(path.name for path in parts.iterdir()) == ["1.nc.hsds.json", "1.nc.json", "2.nc.hsds.json", "3.nc.hsds.json"]
    assert json.loads((parts / "2.nc.hsds.json").read_text()) == hyperslab.index(months[1], format="hsds")
    refs = json.loads((tmp_path / "all.json").read_text())["refs"]
    assert {value[0] for value in refs.values() if isinstance(value, list)} == {"1.nc", "2.nc", "3.nc"}
    assert not list(tmp_path.glob(".hyperslab-index-*")), "nothing temporary is left"


def test_the_endings_are_those_of_the_command(months, tmp_path):
    for format, ending in _index.ENDINGS.items():
        if format != "icechunk":
            hyperslab.index(months[:2], tmp_path / format, format=format)
            assert sorted(os.listdir(tmp_path / format)) == [f"{number}.nc.{ending}" for number in (1, 2)]


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "hyperslab", "index", *map(str, arguments)], capture_output=True, text=True, check=False)


def test_shares_of_the_files_are_disjoint_and_are_resumed(months, tmp_path):
    out, log = tmp_path / "indexes", tmp_path / "done.log"
    done = command(tmp_path, "-o", out, "--shard", "1/2", "--resume", log)
    assert (done.returncode, sorted(os.listdir(out))) == (0, ["1.nc.json", "3.nc.json"]), done.stderr
    first = (out / "1.nc.json").stat().st_mtime_ns
    done = command(tmp_path, "-o", out, "--resume", log)
    assert (done.returncode, sorted(os.listdir(out))) == (0, ["1.nc.json", "2.nc.json", "3.nc.json"]), done.stderr
    assert (out / "1.nc.json").stat().st_mtime_ns == first, "what the log lists is not written again"
    assert len(log.read_text().splitlines()) == 3


def test_relative_names_are_seen_from_the_folder_of_the_index(months, tmp_path):
    (tmp_path / "indexes").mkdir()
    hyperslab.index(months[0], tmp_path / "indexes" / "1.json", relative=True)
    refs = json.loads((tmp_path / "indexes" / "1.json").read_text())["refs"]
    assert {value[0] for value in refs.values() if isinstance(value, list)} == {"../1.nc"}
