"""References of HDF5 1.12, which h5py does not read: written by libhdf5, read here, followed with h5py's names."""

from __future__ import annotations

import struct

import h5py
import numpy as np
import pytest
from comparing import assert_same
from libhdf5 import reference as make
from libhdf5 import store

import hyperslab

DATA = np.arange(60).reshape(10, 6)


def spaces():
    block = h5py.h5s.create_simple((10, 6))
    block.select_hyperslab((2, 1), (3, 4))
    points = h5py.h5s.create_simple((10, 6))
    points.select_elements([(3, 4), (0, 0), (9, 5)])
    irregular = h5py.h5s.create_simple((10, 6))
    irregular.select_hyperslab((0, 0), (2, 2))
    irregular.select_hyperslab((5, 3), (3, 1), op=h5py.h5s.SELECT_OR)
    everything = h5py.h5s.create_simple((10, 6))
    return [block, points, irregular, everything]


def write(path, libver):
    with h5py.File(path, "w", libver=libver) as file:
        file["group/data"] = DATA
        file["group/type"] = np.dtype("f8")
        file["group/data"].attrs["units"] = "K"
        file["group"].attrs["title"] = "a group"
        objects = [make("H5Rcreate_object", file.id.id, name) for name in (b"/group", b"/group/data", b"/group/type", b"/")]
        store(file, b"objects", [*objects, None])
        regions = [make("H5Rcreate_region", file.id.id, b"/group/data", space.id) for space in spaces()]
        store(file, b"regions", regions)
        attributes = [("/group/data", "units"), ("/group", "title")]
        made = [make("H5Rcreate_attr", file.id.id, where.encode(), name.encode()) for where, name in attributes]
        mixed = [*made, make("H5Rcreate_object", file.id.id, b"/group")]
        store(file, b"mixed", mixed)
        own = [make("H5Rcreate_object", file.id.id, b"/group/data")]
        store(file, b"where", own, attribute=True)


@pytest.fixture
def file(tmp_path, libver):
    write(tmp_path / "references.h5", libver)
    with hyperslab.File(tmp_path / "references.h5") as opened:
        yield opened


def test_objects(file):
    found = file["objects"]
    assert found.dtype.kind == "O" and hyperslab.check_ref_dtype(found.dtype) is hyperslab.Reference
    *references, null = found[:]
    assert [file[one].name for one in references] == ["/group", "/group/data", "/group/type", "/"]
    assert all(references) and not null and type(null) is hyperslab.Reference
    assert references[1] == file["group/data"].ref
    assert_same(file[references[1]][...], DATA)
    with pytest.raises(ValueError, match="null"):
        file[null]
    assert file.attrs["where"][0] == references[1]


def test_regions(file):
    selected = [DATA[2:5, 1:5], DATA[[3, 0, 9], [4, 0, 5]], None, DATA]
    for reference, expected in zip(file["regions"][:], selected, strict=True):
        assert type(reference) is hyperslab.RegionReference and reference
        dataset = file[reference]
        assert dataset.name == "/group/data"
        if expected is None:
            expected = np.concatenate([DATA[:2, :2].ravel(), DATA[5:8, 3]])
        assert_same(dataset[reference], expected)


def test_a_region_without_an_end_ends_with_the_dataset(tmp_path, libver):
    space = h5py.h5s.create_simple((10, 6), (h5py.h5s.UNLIMITED, 6))
    space.select_hyperslab((1, 1), (h5py.h5s.UNLIMITED, 2), (4, 2), (3, 1))
    with h5py.File(tmp_path / "a.h5", "w", libver=("v110" if libver == "latest" else libver, "latest")) as file:
        file.create_dataset("group/data", data=DATA, maxshape=(None, 6))
        store(file, b"regions", [make("H5Rcreate_region", file.id.id, b"/group/data", space.id)])
    for rows in (10, 11, 6, 1):
        with h5py.File(tmp_path / "a.h5", "a") as file:
            file["group/data"].resize(rows, 0)
        with hyperslab.File(tmp_path / "a.h5") as file:
            data, reference = file["group/data"], file["regions"][0]
            wanted = [row for row in range(1, rows) if (row - 1) % 4 < 3]
            assert_same(data[reference], data[...][wanted][:, [1, 3]])


@pytest.mark.parametrize("rows", [10, 4, 3])
def test_a_region_without_an_end_whose_blocks_overlap_is_refused(tmp_path, rows):
    """In an extent that ends after one block and a part of the next one, too."""
    space = h5py.h5s.create_simple((10, 6), (h5py.h5s.UNLIMITED, 6))
    space.select_hyperslab((0, 1), (h5py.h5s.UNLIMITED, 2), (4, 2), (3, 1))
    with h5py.File(tmp_path / "a.h5", "w", libver=("v110", "latest")) as file:
        file.create_dataset("data", data=DATA[:rows], maxshape=(None, 6))
        store(file, b"regions", [make("H5Rcreate_region", file.id.id, b"/data", space.id)])
    whole = (tmp_path / "a.h5").read_bytes()
    found = [struct.pack(f"<{kind}{kind}", 0, 4) + b"\xff" * struct.calcsize(kind) for kind in "HIQ"]
    found = [(axis, kind) for axis, kind in zip(found, "HIQ") if whole.count(axis + struct.pack(f"<{kind}", 3)) == 1]
    ((axis, kind),) = found
    damaged = whole.replace(axis, struct.pack(f"<{kind}{kind}", 0, 2) + axis[2 * struct.calcsize(kind) :])
    with hyperslab.File.in_memory(damaged) as file, pytest.raises(hyperslab.errors.DamagedError, match="overlap"):
        file["data"][file["regions"][0]]


def test_attributes_among_others(file):
    units, title, group = file["mixed"][:]
    assert type(units) is type(title) is hyperslab.AttributeReference
    assert (file[units].name, units.name) == ("/group/data", "units")
    assert file[units].attrs[units.name] == "K"
    assert file.get(title).attrs[title.name] == "a group"
    assert type(group) is hyperslab.Reference and file[group].name == "/group"
    assert repr(units) == '<HDF5 attribute reference "units">'
    assert len({units, title, units}) == 2


def test_other_files(tmp_path, libver):
    write(tmp_path / "there.h5", libver)
    with h5py.File(tmp_path / "there.h5", "r") as there, h5py.File(tmp_path / "here.h5", "w", libver=libver) as here:
        # At other addresses than those in the other file.
        here["some"] = np.arange(1000)
        block = spaces()[0]
        made = [
            make("H5Rcreate_object", there.id.id, b"/group/data"),
            make("H5Rcreate_region", there.id.id, b"/group/data", block.id),
            make("H5Rcreate_attr", there.id.id, b"/group/data", b"units"),
        ]
        store(here, b"away", made)
    with hyperslab.File(tmp_path / "here.h5") as here:
        whole, region, attribute = here["away"][:]
        assert_same(here[whole][...], DATA)
        assert here[whole].file.filename.endswith("there.h5")
        assert_same(here[region][region], DATA[2:5, 1:5])
        assert here[attribute].attrs[attribute.name] == "K"
        with pytest.raises(ValueError, match="must point to this dataset"):
            here["some"][region]
    (tmp_path / "there.h5").unlink()
    with hyperslab.File(tmp_path / "here.h5") as here, pytest.raises(hyperslab.HyperslabError, match=r"there\.h5"):
        here[here["away"][0]]
