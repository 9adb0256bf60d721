"""Object and region references, and the dimension scales that are built on them."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from comparing import assert_same

import hyperslab


def write(file):
    file["group/data"] = np.arange(60).reshape(10, 6)
    file["group/type"] = np.dtype("f8")
    objects = [file["group"].ref, file["group/data"].ref, file["group/type"].ref, file["/"].ref]
    file.create_dataset("objects", data=objects, dtype=h5py.ref_dtype)
    data = file["group/data"]
    points = h5py.h5s.create_simple((10, 6))
    points.select_elements([(3, 4), (0, 0), (9, 5)])
    irregular = h5py.h5s.create_simple((10, 6))
    irregular.select_hyperslab((0, 0), (2, 2))
    irregular.select_hyperslab((5, 3), (3, 1), op=h5py.h5s.SELECT_OR)
    regions = [
        data.regionref[2:5, 1:4],
        data.regionref[::3, 1],
        data.regionref[...],
        data.regionref[0:0],
        data.regionref[[1, 4, 5], 2:4],
        h5py.h5r.create(data.id, b".", h5py.h5r.DATASET_REGION, points),
        h5py.h5r.create(data.id, b".", h5py.h5r.DATASET_REGION, irregular),
    ]
    file.create_dataset("regions", data=regions, dtype=h5py.regionref_dtype)
    file.create_dataset("nothing", (1,), h5py.ref_dtype)


def test_object_references_open_objects(pair, libver):
    both = pair(write, libver)
    theirs, ours = both["objects"]
    for a, b in zip(ours[:], theirs[:], strict=True):
        assert repr(a) == repr(b) and a
        found, expected = both.ours[a], both.theirs[b]
        assert type(found).__name__ == type(expected).__name__
        assert found.name == expected.name
        assert found == both.ours[expected.name]
        assert both.ours.get(a) == found
        assert found.ref == a and hash(found.ref) == hash(a)
    assert [child.name for child in both.ours[ours[0]].values()] == ["/group/data", "/group/type"]
    assert both.ours[ours[1]].parent.name == "/group"
    assert repr(both.ours[ours[1]]) == repr(both.theirs[theirs[1]])


def test_null_references_refer_to_nothing(pair):
    both = pair(write)
    null = both.ours["nothing"][0]
    assert not null and isinstance(null, hyperslab.Reference)
    with pytest.raises(ValueError):
        both.ours[null]


def test_region_references_select(pair, libver):
    both = pair(write, libver)
    theirs, ours = both["regions"]
    for a, b in zip(ours[:], theirs[:], strict=True):
        found, expected = both.ours[a], both.theirs[b]
        assert found.name == expected.name == "/group/data"
        assert_same(found[a], expected[b])
    with pytest.raises(ValueError):
        both.ours["objects"][ours[0]]


def test_dimension_scales(pair, libver):
    def write(file):
        file["x"], file["y"] = np.arange(3.0), np.arange(4.0)
        file["d"] = np.zeros((3, 4))
        file["x"].make_scale("x name")
        file["y"].make_scale()
        file["d"].dims[0].label = "across"
        file["d"].dims[0].attach_scale(file["x"])
        file["d"].dims[1].attach_scale(file["y"])

    both = pair(write, libver)
    theirs, ours = both["d"]
    assert len(ours.dims) == len(theirs.dims) == 2
    for a, b in zip(ours.dims, theirs.dims, strict=True):
        assert (a.label, a.keys(), len(a)) == (b.label, b.keys(), len(b))
        assert [scale.name for scale in a.values()] == [scale.name for scale in b.values()]
        assert_same(a[0][...], b[0][...])
    assert ours.dims[0]["x name"].name == "/x"
    assert [name for name, _ in ours.dims[0].items()] == list(ours.dims[0]) == ["x name"]
    assert both.ours["x"].is_scale and not ours.is_scale
    with pytest.raises(KeyError):
        ours.dims[0]["nope"]
    with pytest.raises(IndexError):
        ours.dims[2]
