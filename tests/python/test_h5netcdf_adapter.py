"""The adapter of h5netcdf: it reads what h5netcdf reads over h5py."""

from __future__ import annotations

import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from kit import CORPUS, ROOT, is_slow, missing_corpus, scaled
from reading_back import make_climate

import hyperslab

h5netcdf = pytest.importorskip("h5netcdf")
adapter = pytest.importorskip("hyperslab.h5netcdf")


def assert_same(ours, theirs):
    assert set(ours.variables) == set(theirs.variables) and set(ours.groups) == set(theirs.groups)
    assert {name: dimension.size for name, dimension in ours.dimensions.items()} == {
        name: dimension.size for name, dimension in theirs.dimensions.items()
    }
    assert_same_attributes(ours, theirs)
    for name, variable in theirs.variables.items():
        found = ours.variables[name]
        assert (found.dimensions, found.shape, found.dtype, found.chunks) == (
            variable.dimensions,
            variable.shape,
            variable.dtype,
            variable.chunks,
        )
        assert_same_attributes(found, variable)
        assert_equal_values(found[...], variable[...])
    for name, group in theirs.groups.items():
        assert_same(ours.groups[name], group)


def assert_equal_values(ours, theirs):
    if np.asarray(theirs).dtype != object:
        return np.testing.assert_array_equal(ours, theirs)
    assert ours.shape == theirs.shape
    for one, other in zip(ours.flat, theirs.flat, strict=True):
        np.testing.assert_array_equal(one, other)


def assert_same_attributes(ours, theirs):
    assert list(ours.attrs) == list(theirs.attrs)
    for name, value in theirs.attrs.items():
        found = ours.attrs[name]
        assert isinstance(found, str) == isinstance(value, str)
        assert_equal_values(found, value)


def test_variables_attributes_and_groups_are_the_same(tmp_path):
    path = make_climate(tmp_path / "climate.nc")
    with netCDF4.Dataset(path, "a") as file:
        kind = file.createEnumType("u1", "kind", {"clear": 0, "cloudy": 1})
        file.createVariable("sky", kind, ("lat",), fill_value=0)[:] = [0, 1, 1, 0, 1]
        file.createVariable("name", str, ("lat",))[:] = np.array(["a", "b", "c", "d", "ß"], object)
    for decode in (False, True):
        with adapter.File(path, decode_vlen_strings=decode) as ours, h5netcdf.File(path, "r", decode_vlen_strings=decode) as theirs:
            assert ours.backend == "hyperslab"
            assert_same(ours, theirs)
            assert ours["sky"].datatype.enum_dict == theirs["sky"].datatype.enum_dict == {"clear": 0, "cloudy": 1}


def test_real_files_are_the_same():
    if reason := missing_corpus():
        pytest.skip(reason)
    paths = sorted(path for path in CORPUS.rglob("*.nc") if path.stat().st_size < 1 << 20)
    compared = 0
    for path in paths:
        if path.open("rb").read(4) != b"\x89HDF" or is_slow(path):
            continue
        try:
            theirs = h5netcdf.File(path, "r", phony_dims="sort")
        except Exception:  # noqa: BLE001 - what h5netcdf does not open, it need not open here
            continue
        with theirs, adapter.File(path, phony_dims="sort") as ours:
            assert_same(ours, theirs)
        compared += 1
        if compared == max(25, scaled(25)):
            break
    assert compared >= 20


def test_tests_of_h5netcdf_pass():
    """Some of them; at scale 10 all."""
    script = ROOT / "scripts" / "try_h5netcdf_suite.py"
    some = [] if scaled(1) > 1 else ["-k", "h5py and (test_array_attributes or test_enum_type) and not pyfive"]
    done = subprocess.run([sys.executable, "-W", "ignore", script, *some], capture_output=True, text=True)
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " 0 failed" in last and int(last.split("opened ")[1].split()[0]) >= 8, last


def test_files_of_older_formats_are_what_they_would_be_converted_to(tmp_path):
    old, new = tmp_path / "old.nc", tmp_path / "new.nc"
    with netCDF4.Dataset(old, "w", format="NETCDF3_CLASSIC") as file:
        file.title = "a title"
        for name, length in (("time", None), ("x", 3), ("bare", 2)):
            file.createDimension(name, length)
        file.createVariable("time", "f8", ("time",))[:] = [1, 2, 3, 4]
        one = file.createVariable("one", "i2", ("time", "x"))
        one[0:2] = np.arange(6).reshape(2, 3)
        one.units = "K"
        file.createVariable("two", "f4", ("bare",))[:] = [1.5, 2.5]
    hyperslab.repack(old, new)
    with adapter.File(old) as ours, h5netcdf.File(new) as theirs:
        assert_same(ours, theirs)
        assert ours.variables["one"].dimensions == ("time", "x")
    with hyperslab.File(old) as file:
        with adapter.File(file) as ours:
            assert list(ours.dimensions) == ["time", "x", "bare"]
        assert file["two"][1] == 2.5
