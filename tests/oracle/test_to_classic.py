"""Files that become netCDF classic, 64-bit offset and CDF-5: random ones, read by netCDF-C and scipy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import scipy.io
from kit import scaled

import hyperslab
from hyperslab.errors import HyperslabError

FORMS = {"classic": "NETCDF3_CLASSIC", "64bit": "NETCDF3_64BIT_OFFSET", "cdf5": "NETCDF3_64BIT_DATA"}
OLD = ["i1", "S1", "i2", "i4", "f4", "f8"]
NEW = ["u1", "u2", "u4", "i8", "u8"]


def make(path: Path, random: np.random.Generator, form: str, kinds: list[str]) -> None:
    """Dimensions of which one may grow, variables of all these types, attributes."""
    with netCDF4.Dataset(path, "w", format=form) as file:
        lengths = random.integers(1, 7, 4)
        grows = bool(random.integers(2))
        for number, length in enumerate(lengths):
            file.createDimension(f"d{number}", None if grows and number == 0 else int(length))
        file.title, file.numbers = "a title", np.array([1.5, 2.5])
        for number in range(int(random.integers(1, 9))):
            kind = str(random.choice(kinds))
            axes = sorted(int(axis) for axis in random.permutation(4)[: random.integers(0, 4)])
            name = f"v{number}" if random.random() < 0.8 or not axes else f"d{axes[0]}"
            if name in file.variables:
                continue
            packed = {"zlib": True, "complevel": 1} if form.startswith("NETCDF4") and axes else {}
            variable = file.createVariable(name, kind, [f"d{axis}" for axis in axes], **packed)
            shape = [int(lengths[axis]) for axis in axes]
            if grows and axes and axes[0] == 0:
                shape[0] = int(random.integers(0, 5))
            if kind == "S1":
                values = np.frombuffer(random.integers(97, 123, int(np.prod(shape))).astype("u1").tobytes(), "S1").reshape(shape)
            else:
                values = random.integers(0, 100, shape).astype(kind)
            if values.size:
                variable[tuple(slice(0, length) for length in shape)] = values
            variable.units = "K"
            variable.valid = np.array([3, 4], "i2")


def content(file: Any) -> dict[str, Any]:
    """Everything that a reader sees."""
    found: dict[str, Any] = {"": {name: np.asarray(file.getncattr(name)).tolist() for name in file.ncattrs()}}
    for name, dimension in file.dimensions.items():
        found["dim " + name] = (len(dimension), dimension.isunlimited())
    for name, variable in file.variables.items():
        variable.set_auto_maskandscale(False)
        attributes = {key: np.asarray(variable.getncattr(key)).tolist() for key in variable.ncattrs()}
        found[name] = (variable.dtype.str.lstrip("<>|="), variable.dimensions, attributes, np.asarray(variable[...]).tolist())
    return found


@pytest.mark.parametrize("to", FORMS)
def test_other_libraries_read_the_same(tmp_path: Path, to: str) -> None:
    random = np.random.default_rng(5)
    for number in range(scaled(20)):
        form = str(random.choice(["NETCDF4", "NETCDF4_CLASSIC", *FORMS.values()]))
        has_new = to == "cdf5" and form in ("NETCDF4", "NETCDF3_64BIT_DATA")
        old, new = tmp_path / "old.nc", tmp_path / f"{number}.nc"
        make(old, random, form, OLD + NEW if has_new else OLD)
        report = hyperslab.repack(old, new, to=to)
        assert report["result"]["verified_bytes"] > 0
        with netCDF4.Dataset(old) as before, netCDF4.Dataset(new) as after:
            assert after.data_model == FORMS[to]
            assert content(after) == content(before), number
        assert hyperslab.check(new)["errors"] == 0
        if to != "cdf5":
            with scipy.io.netcdf_file(new, "r", mmap=False) as by_scipy, netCDF4.Dataset(new) as by_netcdf:
                assert list(by_scipy.variables) == list(by_netcdf.variables)
                for name, variable in by_scipy.variables.items():
                    by_netcdf[name].set_auto_maskandscale(False)
                    assert np.array_equal(variable[...], by_netcdf[name][...]), (number, name)
        again = tmp_path / "again.nc"
        hyperslab.repack(old, again, to=to, overwrite=True)
        assert again.read_bytes() == new.read_bytes(), "a second run gives the same bytes"
        old.unlink()


def test_what_has_no_place_is_named_with_what_holds_it(tmp_path: Path) -> None:
    def refused(make: Any, to: str = "classic") -> str:
        path = tmp_path / "in.nc"
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("x", 3)
            make(file)
        with pytest.raises(HyperslabError) as caught:
            hyperslab.repack(path, tmp_path / "out.nc", to=to)
        assert not (tmp_path / "out.nc").exists()
        return str(caught.value)

    assert "has no groups, so that /model has no place in it" in refused(lambda file: file.createGroup("model"))
    assert "v is of type uint64, which needs CDF-5" in refused(lambda file: file.createVariable("v", "u8", ("x",)))
    assert "netCDF classic has no strings" in refused(lambda file: file.createVariable("v", str, ("x",)), "cdf5")
    two = np.dtype([("a", "i4"), ("b", "f4")])
    text = refused(lambda file: file.createVariable("v", file.createCompoundType(two, "pair"), ("x",)), "cdf5")
    assert "values of the type pair" in text and "--to netcdf4" in text


def test_options_of_hdf5_do_not_go_with_it(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as file:
        file.createDimension("x", 3)
    with pytest.raises(HyperslabError, match="--filter does not go with a file of netCDF classic"):
        hyperslab.repack(tmp_path / "in.nc", tmp_path / "out.nc", to="classic", filter="gzip=4")
    with pytest.raises(ValueError, match="the formats are"):
        hyperslab.repack(tmp_path / "in.nc", tmp_path / "out.nc", to="hdf6")


def test_older_files_are_replaced_in_place_and_stored_as_the_doctor_says(tmp_path: Path) -> None:
    path = tmp_path / "old.nc"
    values = np.arange(400_000, dtype="f4").reshape(4000, 100)
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", None)
        file.createDimension("x", 100)
        for name in ("a", "b"):
            file.createVariable(name, "f4", ("time", "x"))[:] = values
    hyperslab.repack(path, tmp_path / "new.nc", like="doctor")
    with netCDF4.Dataset(tmp_path / "new.nc") as file:
        assert file["a"].filters()["zlib"] and np.array_equal(file["a"][...], values)
    hyperslab.repack(path, in_place=True)
    with netCDF4.Dataset(path) as file:
        assert file.data_model.startswith("NETCDF4") and np.array_equal(file["b"][...], values)


def test_variables_that_are_shorter_than_their_dimensions_are_filled(tmp_path: Path) -> None:
    old, new = tmp_path / "old.nc", tmp_path / "new.nc"
    with netCDF4.Dataset(old, "w") as file:
        for name, length in (("t", None), ("x", 3), ("u", None)):
            file.createDimension(name, length)
        long = file.createVariable("long", "i4", ("t", "x", "u"))
        long[0:4, :, 0:5] = np.arange(60).reshape(4, 3, 5)
        for order in ("little", "big"):
            short = file.createVariable(order, "i2", ("t", "x", "u"), endian=order, fill_value=-7)
            short[0:2, :, 0:3] = np.arange(18).reshape(2, 3, 3)
    hyperslab.repack(old, new, to="classic")
    # netCDF-C itself takes what such a variable has for its first values.
    expected = np.full((4, 3, 5), -7)
    expected[0:2, :, 0:3] = np.arange(18).reshape(2, 3, 3)
    with netCDF4.Dataset(new) as after:
        after.set_auto_mask(False)
        np.testing.assert_array_equal(after["long"][:], np.arange(60).reshape(4, 3, 5))
        np.testing.assert_array_equal(after["little"][:], expected)
        np.testing.assert_array_equal(after["big"][:], expected)


def test_what_netcdf_has_no_word_for_is_named(tmp_path: Path) -> None:
    path = tmp_path / "null.h5"
    with h5py.File(path, "w") as file:
        file["values"] = np.arange(3)
        file["nothing"] = h5py.Empty("f4")
    with pytest.raises(HyperslabError, match="nothing has no elements"):
        hyperslab.repack(path, tmp_path / "new.nc", to="classic")


def test_names_with_slashes_lead_to_their_variables(tmp_path: Path) -> None:
    path = tmp_path / "slash.nc"
    with scipy.io.netcdf_file(path, "w") as file:
        file.createDimension("x", 3)
        for name, number in (("t/2m", 1), ("t", 2)):
            file.createVariable(name, "i2", ("x",))[:] = np.arange(3) * number
    with hyperslab.File(path) as file:
        assert set(file) == {"t/2m", "t"} and "t/2m" in file and "t/3m" not in file
        for name, number in (("t/2m", 1), ("/t/2m", 1), ("t", 2)):
            np.testing.assert_array_equal(file[name][:], np.arange(3) * number)
        with pytest.raises(KeyError):
            file["t/3m"]
