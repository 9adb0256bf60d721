"""Variables that xarray's own engines have trouble with: sequences of variable length, and datasets without a value."""

from __future__ import annotations

import h5py
import netCDF4
import numpy as np
import pytest

xr = pytest.importorskip("xarray")


@pytest.fixture
def ragged(tmp_path):
    """A file of netCDF-C with sequences of no, one and two axes, one with a fill value and units of time."""
    path = tmp_path / "ragged.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 3)
        file.createDimension("y", 2)
        kind = file.createVLType("i4", "sequence")
        number = iter(range(100))
        for name, dims in {"none": (), "one": ("x",), "two": ("x", "y"), "x": ("x",)}.items():
            variable = file.createVariable(name, kind, dims)
            values = np.empty(tuple(len(file.dimensions[dim]) for dim in dims), object)
            for place in np.ndindex(values.shape):
                values[place] = np.arange(next(number) % 4, dtype="i4")
            variable[...] = values if dims else values[()]
        file["one"].units = "days since 2000-01-01"
        file.createVariable("plain", "f4", ("x",))[:] = [1, 2, 3]
    return path


def same(found, expected) -> bool:
    pairs = zip(np.asarray(found, object).ravel(), np.asarray(expected, object).ravel(), strict=True)
    return all(np.array_equal(ours, theirs) for ours, theirs in pairs)


def test_sequences_are_read_and_not_decoded(ragged):
    with netCDF4.Dataset(ragged) as theirs, xr.open_dataset(ragged, engine="hyperslab") as ours:
        assert ours.plain.values.tolist() == [1, 2, 3]
        for name in ("none", "one", "two", "x"):
            assert ours[name].dtype == object and ours[name].shape == theirs[name].shape
            values = ours[name].values
            expected = theirs[name][...]
            assert same(values if values.ndim else [values[()]], expected if values.ndim else [expected]), name
        one = ours.one.isel(x=1)
        assert one.ndim == 0 and np.array_equal(one.values[()], theirs["one"][1])
        assert same(ours.two.isel(y=1).values, theirs["two"][:, 1])
        assert np.array_equal(ours.two.isel(x=2, y=0).values[()], theirs["two"][2, 0])
    with xr.open_dataset(ragged, engine="hyperslab", chunks={"x": 1}) as lazy:
        assert same(lazy.one.compute().values, xr.open_dataset(ragged, engine="hyperslab").one.values)


def test_a_dataset_without_a_value_is_left_out_by_name(tmp_path):
    path = tmp_path / "null.h5"
    with h5py.File(path, "w") as file:
        file["number"] = h5py.Empty("f4")
        file["text"] = h5py.Empty(h5py.string_dtype())
        file["x"] = np.arange(3)
    with pytest.warns(RuntimeWarning) as warned, xr.open_dataset(path, engine="hyperslab", phony_dims="sort") as ds:
        assert list(ds.variables) == ["x"]
        assert ds.load().x.values.tolist() == [0, 1, 2]
    messages = [str(warning.message) for warning in warned]
    assert [message.split(": ")[1] for message in messages] == ["left out /number", "left out /text"]
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        options = {"engine": "hyperslab", "phony_dims": "sort", "drop_variables": ["number", "text"]}
        xr.open_dataset(path, **options).close()
