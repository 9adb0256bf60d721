"""Objects with thousands of attributes, which are read once, however they are asked for. Read for each name, they would take
minutes."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import hyperslab

COUNT = 6400


@pytest.fixture(params=["earliest", "latest"])
def path(request, tmp_path):
    """A file with attributes in the object header, and in dense storage."""
    with h5py.File(tmp_path / "a.h5", "w", libver=request.param) as file:
        dataset = file.create_dataset("x", data=0)
        for number in range(COUNT):
            dataset.attrs[f"name {number:05}"] = np.int64(number)
    return tmp_path / "a.h5"


def test_many_attributes_are_the_same(path):
    with h5py.File(path) as theirs, hyperslab.File(path) as ours:
        expected = {name: int(value) for name, value in theirs["x"].attrs.items()}
        attrs = ours["x"].attrs
        assert {name: int(attrs[name]) for name in attrs} == expected
        assert {name: int(value) for name, value in ours["x"].attrs.items()} == expected
        assert [int(value) for value in ours["x"].attrs.values()] == list(expected.values())
        assert len(attrs) == COUNT and "name 00007" in attrs and "name" not in attrs
        with pytest.raises(KeyError, match="did you mean"):
            attrs["name 0000l"]
