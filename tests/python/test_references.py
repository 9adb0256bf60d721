"""Object and region references, and dimension scales, which use them."""

from __future__ import annotations

import copy
import pickle
import struct

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


def test_references_are_pickled_by_what_they_contain(pair):
    file = pair(write).ours
    references = [file["objects"][1], file["regions"][0], file["nothing"][0]]
    for reference, again in zip(references, pickle.loads(pickle.dumps(references)), strict=True):
        assert type(again) is type(reference) and again == reference and bool(again) == bool(reference)
        assert copy.copy(reference) == reference == copy.deepcopy(reference)
    objects, regions = pickle.loads(pickle.dumps(references))[:2]
    assert file[objects] == file["group/data"]
    assert_same(file["group/data"][regions], file["group/data"][2:5, 1:4])


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


def test_blocks_that_overlap_are_no_product_of_their_axes(tmp_path):
    """As many elements as the product of the rows and columns that they touch, one of them twice."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("data", data=np.arange(60).reshape(10, 6))
        space = data.id.get_space()
        space.select_hyperslab((0, 0), (1, 2))
        space.select_hyperslab((1, 1), (1, 1), op=h5py.h5s.SELECT_OR)
        reference = h5py.h5r.create(data.id, b".", h5py.h5r.DATASET_REGION, space)
        file.create_dataset("regions", data=[reference], dtype=h5py.regionref_dtype)
    apart = (tmp_path / "a.h5").read_bytes()
    first, second, over = (struct.pack("<4I", *corners) for corners in ((0, 0, 0, 1), (1, 1, 1, 1), (0, 1, 1, 1)))
    assert apart.count(first + second) == 1
    for whole in (apart, apart.replace(first + second, first + over)):
        with hyperslab.File.in_memory(whole) as file:
            assert_same(file["data"][file["regions"][0]], np.array([0, 1, 7]))


HUGE = 1 << 50


@pytest.fixture(scope="module")
def huge(tmp_path_factory):
    """Selections of far more elements than there is memory for, of datasets of which nothing is stored."""
    path = tmp_path_factory.mktemp("huge") / "a.h5"
    with h5py.File(path, "w", libver="latest") as file:
        for shape in ((HUGE,), (4, HUGE)):
            data = file.create_dataset(f"{len(shape)}", shape, "u1")
            regions = file.create_dataset(f"regions of {len(shape)}", (3,), h5py.regionref_dtype)

            def refer(place, *blocks, data=data, regions=regions):
                space = data.id.get_space()
                space.select_none()
                for block in blocks:
                    space.select_hyperslab(*block, op=h5py.h5s.SELECT_OR)
                regions[place] = h5py.h5r.create(data.id, b".", h5py.h5r.DATASET_REGION, space)

            if len(shape) == 1:
                refer(0, ((3,), (1,), None, (HUGE // 2,)))
                refer(1, ((0,), (1 << 20,), (1 << 27,), (1 << 26,)))
                refer(2, ((3,), (1,), None, (HUGE // 4,)), ((HUGE // 2,), (1,), None, (HUGE // 8,)))
            else:
                rows = [((row, 5), (1, 1), None, (1, HUGE // 8)) for row in (0, 1, 3)]
                refer(0, *rows)
                refer(1, *rows, ((2, 0), (1, 1), None, (1, 1)))
                refer(2, ((0, 2), (1, 1), None, (2, 3)), ((3, 2), (1, 1), None, (1, 1)))
    with hyperslab.File(path) as opened:
        yield opened


def test_a_region_is_not_spelled_out_where_it_is_regular(huge):
    assert f"{HUGE // 2} bytes" in huge["1"].explain(huge["regions of 1"][0])
    assert f"{2**20 * 2**26} bytes" in huge["1"].explain(huge["regions of 1"][1])
    assert f"{3 * HUGE // 8} bytes" in huge["2"].explain(huge["regions of 2"][0])
    assert_same(huge["2"][huge["regions of 2"][2]], np.zeros(7, "u1"))


@pytest.mark.parametrize(("of", "place"), [("1", 2), ("2", 1)])
def test_a_region_that_is_too_long_to_be_spelled_out_is_refused(huge, of, place):
    with pytest.raises(hyperslab.errors.OutOfMemoryError, match="not enough memory for a list") as error:
        huge[of].explain(huge[f"regions of {of}"][place])
    assert "select fewer elements" in str(error.value)


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
