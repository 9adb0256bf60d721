"""`repack --unlimited`: dimensions that can grow in the new file, as netCDF4 and h5py grow them."""

from __future__ import annotations

from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest

import hyperslab
from hyperslab.errors import HyperslabError

VALUES = np.arange(6 * 4 * 5, dtype="f4").reshape(6, 4, 5)


def made(path: Path, form: str) -> Path:
    """A file with variables along a time, and others."""
    with netCDF4.Dataset(path, "w", format=form) as file:
        for name, length in (("time", None if form.startswith("NETCDF3") else 6), ("y", 4), ("x", 5)):
            file.createDimension(name, length)
        file.createVariable("time", "f8", ("time",))[:] = np.arange(6)
        file.createVariable("t2m", "f4", ("time", "y", "x"), fill_value=-1)[:] = VALUES
        file.createVariable("count", "i2", ("time",))[:] = range(6)
        file.createVariable("fixed", "i4", ("y", "x"))[:] = np.arange(20).reshape(4, 5)
        file.createVariable("one", "i4", ())[...] = 7
    return path


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4"])
@pytest.mark.parametrize("how", [{}, {"filter": "shuffle+gzip=1"}, {"filter": {"t2m": "gzip=4"}, "contiguous": "**"}])
def test_what_has_the_dimension_grows(tmp_path: Path, form: str, how: dict[str, object]) -> None:
    source, out = made(tmp_path / "in.nc", form), tmp_path / "out.nc"
    report = hyperslab.repack(source, out, unlimited="time", **how)
    assert "the dimension time has no limit in the new file" in report["plan"]["notes"]
    with netCDF4.Dataset(out) as file:
        assert {name: one.isunlimited() for name, one in file.dimensions.items()} == {"time": True, "y": False, "x": False}
        assert file["fixed"].chunking() == "contiguous" or "filter" in how
        assert np.array_equal(file["t2m"][:], VALUES) and file["one"][...] == 7
    with netCDF4.Dataset(out, "a") as file:
        file["t2m"][6:8] = 100
        file["time"][6:8] = [6, 7]
    with netCDF4.Dataset(out) as file:
        assert len(file.dimensions["time"]) == 8 and file["count"].shape == (8,)
        assert np.array_equal(file["t2m"][:6], VALUES) and (file["t2m"][6:] == 100).all()
        assert file["count"][:6].tolist() == list(range(6)) and file["count"][6:].mask.all()


def test_a_dimension_without_a_variable_and_several_of_them(tmp_path: Path) -> None:
    source, out = made(tmp_path / "in.nc", "NETCDF4"), tmp_path / "out.nc"
    (tmp_path / "recipe.toml").write_text('unlimited = ["y", "time"]\n')
    hyperslab.repack(source, out, recipe=tmp_path / "recipe.toml")
    with h5py.File(out, "r+") as file:
        assert file["t2m"].maxshape == (None, None, 5) and file["fixed"].maxshape == (None, 5)
        assert file["y"].maxshape == (None,) and file["x"].maxshape == (5,) and file["one"].maxshape == ()
        file["t2m"].resize((6, 9, 5))
    # What grows already needs no change.
    again = hyperslab.repack(out, tmp_path / "again.nc", unlimited=["time"])
    assert again["plan"]["datasets"] == []


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    source = made(tmp_path / "in.nc", "NETCDF4")
    with pytest.raises(HyperslabError, match="--unlimited tim.*no dimension of this name; its dimensions are time, x, y"):
        hyperslab.repack(source, tmp_path / "out.nc", unlimited="tim")
    with pytest.raises(HyperslabError, match="--unlimited time.*/t2m needs chunks, so that it can grow"):
        hyperslab.repack(source, tmp_path / "out.nc", unlimited="time", contiguous="t2m")
    with pytest.raises(HyperslabError, match="--unlimited does not go with a file of netCDF classic"):
        hyperslab.repack(source, tmp_path / "out.nc", unlimited="time", to="classic")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.nc"]
