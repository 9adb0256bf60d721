"""Properties of datasets, filters and layouts, compared with h5py."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from comparing import assert_same

import hyperslab

FILTERS = {
    "none": {},
    "gzip": {"compression": "gzip"},
    "gzip9": {"compression": 9},
    "lzf": {"compression": "lzf"},
    "szip": {"compression": "szip", "compression_opts": ("nn", 8)},
    "szip_ec": {"compression": "szip", "compression_opts": ("ec", 16)},
    "shuffle": {"shuffle": True},
    "fletcher32": {"fletcher32": True},
    "scaleoffset": {"scaleoffset": 0},
    "all": {"compression": "gzip", "compression_opts": 2, "shuffle": True, "fletcher32": True},
}

PROPERTIES = [
    "shape", "dtype", "size", "ndim", "nbytes", "maxshape", "chunks", "compression", "compression_opts", "shuffle",
    "fletcher32", "scaleoffset", "fillvalue", "is_virtual", "name", "filter_ids", "filter_names", "is_scale",
]  # fmt: skip


@pytest.mark.parametrize("filters", FILTERS)
def test_properties_and_values(pair, libver, filters):
    values = (np.arange(3000).reshape(60, 50) * 7 % 1000).astype("<i4")

    def write(file):
        file.create_dataset("d", data=values, chunks=(16, 20), maxshape=(None, 50), fillvalue=3, **FILTERS[filters])

    theirs, ours = pair(write, libver)["d"]
    for name in PROPERTIES:
        assert getattr(ours, name) == getattr(theirs, name), name
    assert repr(ours) == repr(theirs)
    assert_same(ours[...], theirs[...])
    assert_same(ours[5:40:7, ::3], theirs[5:40:7, ::3])
    assert_same(np.asarray(ours), np.asarray(theirs))
    assert list(ours.iter_chunks()) == list(theirs.iter_chunks())
    region = np.s_[10:33, 5:21]
    assert list(ours.iter_chunks(region)) == list(theirs.iter_chunks(region))


def test_of_two_filters_with_one_number_the_last_counts(pair):
    def write(file):
        storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        storage.set_chunk((10,))
        storage.set_deflate(1)
        storage.set_deflate(9)
        space = h5py.h5s.create_simple((30,))
        h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_INT16, space, storage).write(space, space, np.arange(30, dtype="i2"))

    theirs, ours = pair(write)["d"]
    assert ours.compression_opts == theirs.compression_opts == 9
    assert_same(ours[...], theirs[...])


def test_properties_of_other_layouts(pair, libver):
    def write(file):
        file["contiguous"] = np.arange(5.0)
        file.create_dataset("never_written", (3, 4), "i2", fillvalue=9)
        file.create_dataset("chunks_missing", (30,), "f8", chunks=(10,), fillvalue=np.nan)[5] = 1
        file.create_dataset("no_fill", (3,), "i4")

    both = pair(write, libver)
    for name in both.theirs:
        theirs, ours = both[name]
        for attribute in PROPERTIES:
            a, b = getattr(ours, attribute), getattr(theirs, attribute)
            assert a == b or (a != a and b != b), (name, attribute)
        assert_same(ours[...], theirs[...])
    assert both.ours["contiguous"].layout == "contiguous"
    with pytest.raises(TypeError):
        both.ours["contiguous"].iter_chunks()


def test_virtual_datasets(pair, tmp_path):
    with h5py.File(tmp_path / "source.h5", "w") as source:
        source["d"] = np.arange(10)

    def write(file):
        layout = h5py.VirtualLayout((2, 10), "i8")
        layout[0] = h5py.VirtualSource(tmp_path / "source.h5", "d", (10,))
        file.create_virtual_dataset("v", layout, fillvalue=-1)

    theirs, ours = pair(write)["v"]
    assert ours.is_virtual and ours.shape == theirs.shape and ours.layout == "virtual"
    assert_same(ours[...], theirs[...])
    assert_same(ours[:, 3], theirs[:, 3])


def test_values_in_other_files(pair, tmp_path):
    values = np.arange(10, dtype="<i4")
    (tmp_path / "one.bin").write_bytes(b"skip" + values[:5].tobytes())
    (tmp_path / "two.bin").write_bytes(values[5:].tobytes())

    def write(file):
        unlimited = h5py.h5f.UNLIMITED
        file.create_dataset("d", (10,), "<i4", external=[("one.bin", 4, 20), ("two.bin", 0, unlimited)])
        file["own"] = 1

    both = pair(write)
    theirs, ours = both["d"]
    assert ours.external == theirs.external
    assert both.ours["own"].external is None
    assert ours.layout == "external"
    np.testing.assert_array_equal(ours[2:8], values[2:8])


def test_chunks_can_be_iterated_and_read(pair):
    values = np.arange(7 * 9).reshape(7, 9)
    theirs, ours = pair(lambda file: file.create_dataset("d", data=values, chunks=(3, 4)))["d"]
    rebuilt = np.zeros_like(values)
    for chunk in ours.iter_chunks():
        rebuilt[chunk] = ours[chunk]
    np.testing.assert_array_equal(rebuilt, values)
    for wrong in [np.s_[0:3], np.s_[0:30, 0:2], np.s_[3:3, 0:2], np.s_[-1:2, 0:2]]:
        with pytest.raises(ValueError):
            ours.iter_chunks(wrong)
        with pytest.raises(ValueError):
            theirs.iter_chunks(wrong)
    assert list(ours.iter_chunks((slice(0, 7), 4))) == list(theirs.iter_chunks((slice(0, 7), 4)))


def test_read_direct(pair):
    values = np.arange(60, dtype=">f4").reshape(10, 6)
    theirs, ours = pair(lambda file: file.create_dataset("d", data=values, chunks=(4, 4), compression="gzip"))["d"]
    cases = [
        (np.zeros((10, 6), ">f4"), None, None),
        (np.zeros((10, 6), "<f4"), None, None),
        (np.zeros((10, 6), "f8"), None, None),
        (np.zeros((10, 6), "i2"), None, None),
        (np.zeros((3, 6), ">f4"), np.s_[2:5], None),
        (np.zeros(6, ">f4"), np.s_[4], None),
        (np.zeros((1, 6), ">f4"), np.s_[4], None),
        (np.zeros((12, 8), ">f4"), None, np.s_[1:11, 2:]),
        (np.zeros((12, 8)), np.s_[0:4, ::2], np.s_[3:7, 5:]),
        (np.zeros((3, 6), ">f4"), np.s_[4:5], None),
    ]
    for out, source, target in cases:
        expected = out.copy()
        theirs.read_direct(expected, source, target)
        ours.read_direct(out, source, target)
        assert_same(out, expected)
    for wrong in [np.zeros((9, 6), ">f4"), np.zeros(5, ">f4")]:
        with pytest.raises(TypeError):
            theirs.read_direct(wrong)
        with pytest.raises(TypeError):
            ours.read_direct(wrong)
    frozen = np.zeros((10, 6), ">f4")
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        ours.read_direct(frozen)
    with pytest.raises(TypeError):
        ours.read_direct([0.0])


def test_numpy_reads_datasets_as_arrays(pair):
    theirs, ours = pair(lambda file: file.create_dataset("d", data=np.arange(6, dtype=">i2")))["d"]
    assert_same(np.asarray(ours), np.asarray(theirs))
    assert_same(np.asarray(ours, dtype="f4"), np.asarray(theirs, dtype="f4"))
    assert np.sum(ours) == 15
    assert_same(ours[...] + ours, theirs[...] + theirs)
    with pytest.raises(ValueError):
        np.array(ours, copy=False)


def test_explain_tells_the_plan(pair):
    def write(file):
        file.create_dataset("d", data=np.arange(6000.0).reshape(60, 100), chunks=(10, 100), compression="gzip")

    _, ours = pair(write)["d"]
    whole, one = ours.explain(), ours.explain(np.s_[5])
    assert "gzip" in whole and len(whole) > len(one) > 0
    with pytest.raises(IndexError):
        ours.explain(60)


def test_equality_and_hash(pair):
    both = pair(lambda file: (file.__setitem__("a", [1]), file.__setitem__("b", [1])))
    a, b = both.ours["a"], both.ours["b"]
    assert a == both.ours["a"] and hash(a) == hash(both.ours["a"])
    assert a != b and a != "a" and a != both.ours
    with hyperslab.File(both.path) as again:
        assert again == both.ours and again["a"] == a
