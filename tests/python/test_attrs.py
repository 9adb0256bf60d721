"""Attributes of every kind, compared with h5py."""

from __future__ import annotations

from collections.abc import Mapping

import h5py
import numpy as np
import pytest
from comparing import assert_same

import hyperslab


def write(file):
    file["target"] = [1, 2]
    attrs = file.create_group("g").attrs
    attrs["int"] = 5
    attrs["float"] = np.float32(1.5)
    attrs["big"] = np.array([1, 2], ">i2")
    attrs["matrix"] = np.arange(6.0).reshape(2, 3)
    attrs["text"] = "wörd"
    attrs["texts"] = ["a", "ä", ""]
    attrs.create("ascii", "abc", dtype=h5py.string_dtype("ascii"))
    attrs["fixed"] = np.bytes_(b"abc")
    attrs["fixed_array"] = np.array([b"a", b"bc"], "S2")
    attrs["empty_text"] = ""
    attrs["null"] = h5py.Empty("f4")
    attrs["null_text"] = h5py.Empty(h5py.string_dtype())
    attrs["bool"] = True
    attrs["bools"] = [True, False]
    attrs["complex"] = 1 + 2j
    attrs["record"] = np.array((1, 2.5), dtype=[("a", "i4"), ("b", "f8")])
    attrs["records"] = np.array([(1, "x")], dtype=[("a", "i4"), ("s", h5py.string_dtype())])
    attrs["ref"] = file["target"].ref
    attrs["region"] = file["target"].regionref[1:]
    attrs.create("refs", [file["target"].ref], dtype=h5py.ref_dtype)
    attrs.create("enum", 2, dtype=h5py.enum_dtype({"A": 1, "B": 2}))
    attrs.create("inner", np.zeros((2, 3), "f4"), shape=(2, 3), dtype=np.dtype(("f4", (3,))))
    attrs["no_elements"] = np.zeros((0, 2))
    attrs["opaque"] = np.void(b"ab")
    attrs["ünicode"] = 1
    ragged = np.empty(2, object)
    ragged[:] = [np.arange(3, dtype="i4"), np.arange(1, dtype="i4")]
    attrs.create("ragged", ragged, dtype=h5py.vlen_dtype("i4"))


def names():
    with h5py.File("in memory", "w", driver="core", backing_store=False) as file:
        write(file)
        return list(file["g"].attrs)


@pytest.mark.parametrize("name", names())
def test_every_kind(pair, libver, name):
    both = pair(write, libver)
    assert_same(both.ours["g"].attrs[name], both.theirs["g"].attrs[name])
    assert_same(both.ours["g"].attrs.get(name), both.theirs["g"].attrs[name])


@pytest.mark.parametrize("count", [0, 3, 40])
@pytest.mark.parametrize("track_order", [False, True])
def test_a_mapping(pair, libver, count, track_order):
    def some(file):
        group = file.create_group("g", track_order=track_order)
        for number in range(count):
            group.attrs[f"{number * 37 % 101}"] = number

    both = pair(some, libver)
    ours, theirs = both.ours["g"].attrs, both.theirs["g"].attrs
    assert isinstance(ours, Mapping)
    assert len(ours) == len(theirs) == count
    assert list(ours) == list(theirs)
    assert dict(ours) == dict(theirs)
    assert list(ours.values()) == list(theirs.values())
    assert list(reversed(ours)) == list(reversed(list(ours)))
    assert "0" in ours or count == 0
    assert "nope" not in ours
    assert ours.get("nope") is None and ours.get("nope", 3) == 3
    with pytest.raises(KeyError):
        ours["nope"]
    with pytest.raises(TypeError):
        ours[0]
    assert repr(ours).startswith("<Attributes of HDF5 object")


def test_of_files_and_datasets(pair):
    def some(file):
        file.attrs["on"] = "file"
        file["d"] = 1
        file["d"].attrs["on"] = "dataset"

    ours = pair(some).ours
    assert ours.attrs["on"] == ours["/"].attrs["on"] == "file"
    assert ours["d"].attrs["on"] == "dataset"


def test_a_near_miss_is_suggested(pair):
    with pytest.raises(KeyError, match='did you mean "matrix"'):
        pair(write).ours["g"].attrs["matrxi"]


def test_an_attribute_larger_than_a_header(pair, libver):
    def some(file):
        group = file.create_group("g")
        for number in range(20):
            group.attrs[f"a{number}"] = np.full(2000 if libver == "earliest" else 10000, number)

    both = pair(some, libver)
    for name, value in both.theirs["g"].attrs.items():
        assert_same(both.ours["g"].attrs[name], value)


def test_attributes_cannot_be_set(pair):
    ours = pair(write).ours["g"]
    with pytest.raises(TypeError):
        ours.attrs["a"] = 1
    assert isinstance(ours.attrs, hyperslab.AttributeManager)
