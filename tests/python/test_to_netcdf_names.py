"""`hyperslab.to_netcdf`: names that a netCDF-4 file cannot have, or that readers of netCDF hide."""

from __future__ import annotations

import numpy as np
import pytest

import hyperslab

xr = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")


def refuse(dataset, path, error, *says) -> None:
    """Check that a dataset is refused, with these words, and that nothing is written."""
    with pytest.raises(error) as refused:
        hyperslab.to_netcdf(dataset, path)
    for word in says:
        assert word in str(refused.value)
    assert list(path.parent.iterdir()) == []


def test_names_with_slashes_are_refused(tmp_path):
    refuse(xr.Dataset({"a/b": ("x", [1.0])}), tmp_path / "x.nc", ValueError, "variable 'a/b'", "slash")
    refuse(xr.Dataset({"a": ("x/y", [1.0])}), tmp_path / "x.nc", ValueError, "dimension 'x/y'", "slash")
    refuse(xr.Dataset({"": ("x", [1.0])}), tmp_path / "x.nc", ValueError, "variable ''", "empty")
    refuse(xr.Dataset(attrs={"": 1}), tmp_path / "x.nc", ValueError, "attribute ''", "empty")


def test_names_that_are_no_texts_are_refused(tmp_path):
    refuse(xr.Dataset({5: ("x", [1.0])}), tmp_path / "x.nc", TypeError, "variable 5", "int")
    refuse(xr.Dataset({"a": ((5,), [1.0])}), tmp_path / "x.nc", TypeError, "dimension 5", "int")
    refuse(xr.Dataset(attrs={5: 1}), tmp_path / "x.nc", TypeError, "attribute 5", "int")
    refuse(xr.Dataset({"a": ("x", [1.0], {5: 1})}), tmp_path / "x.nc", TypeError, "variable 'a'", "attribute 5")


@pytest.mark.parametrize(
    "name",
    [
        "CLASS", "DIMENSION_LIST", "NAME", "REFERENCE_LIST", "_ARRAY_DIMENSIONS", "_Codecs", "_Format", "_IsNetcdf4",
        "_NCProperties", "_Netcdf4Coordinates", "_Netcdf4Dimid", "_SuperblockVersion", "_nc3_strict",
    ],
)  # fmt: skip
def test_attributes_that_readers_would_hide_are_refused(name, tmp_path):
    refuse(xr.Dataset(attrs={name: "v"}), tmp_path / "x.nc", ValueError, "the dataset", repr(name), "reserves")
    refuse(xr.Dataset({"a": ("x", [1.0], {name: "v"})}), tmp_path / "x.nc", ValueError, "variable 'a'", repr(name))
    # As a coordinate, and as one that is a scale.
    refuse(xr.Dataset(coords={"x": ("x", [1.0], {name: "v"})}), tmp_path / "x.nc", ValueError, "variable 'x'", repr(name))


def test_other_attributes_are_shown(tmp_path):
    attributes = {"DIMENSION_LABELS": "v", "class": 1, "a/b": "c", "_FillValues": 2.0}
    hyperslab.to_netcdf(xr.Dataset({"a": ("x", [1.0], attributes)}, attrs=attributes), tmp_path / "x.nc")
    for engine in ["hyperslab", "h5netcdf"]:
        with xr.open_dataset(tmp_path / "x.nc", engine=engine) as found:
            assert found.attrs == found["a"].attrs == attributes


@pytest.mark.parametrize("value", [[1, "b"], (1, "b"), ["b", 1.5], [1, b"b"], ["a", b"b"], np.ma.array([1, 2], mask=[0, 1])])
def test_attributes_of_mixed_values_are_refused(value, tmp_path):
    for dataset, of in [(xr.Dataset(attrs={"q": value}), "/"), (xr.Dataset({"a": ("x", [1.0], {"q": value})}), "/a")]:
        refuse(dataset, tmp_path / "x.nc", TypeError, "'q'", of)
