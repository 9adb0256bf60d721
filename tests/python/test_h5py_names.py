"""h5py's names that programs use besides files, groups and datasets."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys

import h5py
import numpy as np
import pytest

import hyperslab


@pytest.fixture
def both(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.arange(100), chunks=(10,), compression="gzip").attrs["units"] = "K"
        file.attrs["title"], file.attrs["number"] = "text", 5
        file.create_group("group")
        file["type"] = np.dtype("f4")
    with h5py.File(path) as theirs, hyperslab.File(path) as ours:
        yield theirs, ours


def test_attributes_are_equal_to_a_dictionary(both):
    for file in both:
        assert file.attrs == {"title": "text", "number": 5}
        assert file.attrs == dict(file.attrs) and {"title": "text", "number": 5} == file.attrs
        assert file.attrs != {"title": "text"} and file.attrs != 5 and file["x"].attrs != file.attrs
        with pytest.raises(TypeError):
            hash(file.attrs)


def test_modules_are_there_after_the_package_is_imported():
    code = """
import sys, hyperslab
heavy = {"xarray", "h5netcdf", "icechunk", "zarr", "fsspec", "h5py", "hyperslab.xarray", "hyperslab.h5netcdf"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
hyperslab.icechunk.containers, hyperslab.h5netcdf.File, hyperslab.hsds.load
assert not hasattr(hyperslab, "nothing")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_attributes_are_not_written(both):
    for file in both:
        assert file.attrs.setdefault("number", 7) == 5
        for change in (lambda attrs: attrs.setdefault("new", 1), lambda attrs: attrs.update(new=1), lambda attrs: attrs.create("new", 1)):
            with pytest.raises((OSError, KeyError)):
                change(file.attrs)
    with pytest.raises(hyperslab.errors.ReadOnlyError, match="only reads"):
        both[1].attrs.modify("number", 1)


def test_objects_are_high_level_objects(both):
    for library, file in zip((h5py, hyperslab), both, strict=True):
        for name in ("/", "x", "group", "type"):
            assert isinstance(file[name], library.HLObject)
        assert not isinstance(file.attrs, library.HLObject)
        assert file["x"].flush() is None
        assert len(file.libver) == 2
        assert file.meta_block_size == 2048
        file.note = 3
        file["x"].note = 4
        assert file.note == 3


def test_special_dtypes_are_those_of_h5py():
    assert hyperslab.UNLIMITED == h5py.UNLIMITED
    for kind in ({"vlen": str}, {"vlen": bytes}, {"vlen": np.dtype("i4")}, {"enum": ("i1", {"a": 1})}):
        found, expected = hyperslab.special_dtype(**kind), h5py.special_dtype(**kind)
        assert found == expected and dict(found.metadata) == dict(expected.metadata), kind
    assert hyperslab.check_ref_dtype(hyperslab.special_dtype(ref=hyperslab.Reference)) is hyperslab.Reference
    for wrong in ({}, {"vlen": str, "enum": 1}, {"what": 1}, {"enum": 1}):
        for library in (h5py, hyperslab):
            with pytest.raises(TypeError):
                library.special_dtype(**wrong)
    assert hyperslab.version.version == hyperslab.__version__ and hyperslab.version.version_tuple[:2] == (0, 1)


def test_a_file_in_memory_by_its_driver(both):
    with hyperslab.File(both[1].filename, driver="core", backing_store=False) as file:
        assert file["x"][3] == 3


def test_an_explanation_is_text_and_data(both):
    explanation = both[1]["x"].explain(np.s_[5:25])
    assert isinstance(explanation, str) and "chunk" in explanation
    data = explanation.data
    assert (data["dataset"], data["shape"], data["chunks_touched"], data["decodes"]) == ("/x", [20], 3, 3)
    chunks = [chunk for request in data["requests"] for chunk in request["chunks"]]
    rows = {tuple(row["offset"] // 10): row for row in both[1]["x"].chunk_map()}
    for chunk in chunks:
        row = rows[tuple(chunk["chunk"])]
        assert (chunk["start"], chunk["end"]) == (row["address"], row["address"] + row["size"])
    again = pickle.loads(pickle.dumps(explanation))
    assert again == explanation and again.data == data


class Refusing(io.BytesIO):
    """A file of a store that refuses to be read after it was opened."""

    refuses = False

    def read(self, size=-1):
        if self.refuses:
            raise PermissionError("403: the token has expired")
        return super().read(size)


def test_what_a_file_object_raises_is_the_cause(both):
    source = Refusing(open(both[1].filename, "rb").read())
    with hyperslab.File(source) as file:
        dataset = file["x"]
        source.refuses = True
        with pytest.raises(OSError) as raised:
            dataset[...]
    assert isinstance(raised.value.__cause__, PermissionError) and "403" in str(raised.value)


class Scaled(hyperslab.File):
    """A file with arguments and attributes of its own."""

    def __init__(self, path, factor, *, where="x"):
        super().__init__(path, "r", rdcc_nbytes=0)
        self.factor, self.where = factor, where

    def values(self):
        return self[self.where][...] * self.factor


def test_subclasses_have_arguments_of_their_own(both):
    path = both[1].filename
    with Scaled(path, 3, where="./x") as file:
        assert isinstance(file, hyperslab.File) and file["x"].file == file
        np.testing.assert_array_equal(file.values(), np.arange(100) * 3)
        again = pickle.loads(pickle.dumps(file))
        with pytest.raises(hyperslab.errors.InvalidError, match="opened before"):
            file.__init__(path, 4)
    assert not file and type(again) is Scaled and (again.factor, again.where) == (3, "./x")
    np.testing.assert_array_equal(again.values(), np.arange(100) * 3)
    with open(path, "rb") as stream:
        in_memory = Scaled.in_memory(stream.read())
    assert type(in_memory) is Scaled and in_memory["x"][7] == 7


class NeverOpened(hyperslab.File):
    """A subclass that forgets to open the file."""

    def __init__(self):
        pass


def test_a_file_that_was_never_opened_says_so():
    file = NeverOpened()
    assert not file and file.name is None and "x" not in file and repr(file) == "<Closed HDF5 file>"
    assert file == file and file != NeverOpened()
    file.close()
    uses = [len, list, hash, pickle.dumps, lambda file: file["x"], lambda file: file.attrs, lambda file: file.filename]
    uses += [lambda file: file.visit(print), lambda file: file.keys(), lambda file: file.ref, lambda file: file.__enter__()]
    for use in uses:
        with pytest.raises(hyperslab.errors.ClosedError, match="never opened"):
            use(file)


IN_THE_PLACE_OF_H5PY = """
import sys
import hyperslab.h5py
hyperslab.h5py.install()
hyperslab.h5py.install()
import h5py, h5py._hl.dataset, hdf5plugin
from h5py import h5t, filters
from h5py._hl.group import Group
assert h5py.File is hyperslab.File and Group is hyperslab.Group and h5py._hl.dataset.Dataset is hyperslab.Dataset
with h5py.File(sys.argv[1], "r") as file:
    x = file["x"]
    assert isinstance(x, h5py.Dataset) and isinstance(file, h5py.Group) and isinstance(x, h5py.HLObject)
    assert h5t.check_string_dtype(file.attrs.get_id("title").dtype).encoding == "utf-8"
    assert h5py.h5ds.is_scale(x.id) is False and x.id == file["/x"].id and x.id.valid
    assert {file["group"].id: 1} == {file["/group"].id: 1} and file.id and file["group"].id != file.id
    import dask.array
    assert dask.array.from_array(x, chunks="auto").sum().compute() == 4950
assert not file.id.valid and not x.id
assert h5py.version.version_tuple == (3, 16, 0) and h5py.get_config().bool_names == (b"FALSE", b"TRUE")
for write in (lambda: h5py.File(sys.argv[1], "a"), lambda: h5py.VirtualLayout((1,)), lambda: h5py.h5d.create, lambda: h5py.h5p):
    try:
        write()
    except (OSError, ValueError, AttributeError):
        continue
    raise AssertionError("it is only for reading")
assert not any("libhdf5" in line for line in open("/proc/self/maps")) if sys.platform == "linux" else True
print("read")
"""


def test_libraries_that_import_h5py_read_through_this_package(both):
    pytest.importorskip("dask")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", IN_THE_PLACE_OF_H5PY, both[1].filename], capture_output=True, text=True)
    assert done.stdout == "read\n", done.stderr
    import hyperslab.h5py

    with pytest.raises(RuntimeError, match="imported already"):
        hyperslab.h5py.install()
    assert sys.modules["h5py"] is h5py


def test_a_dataset_can_be_a_base_class(both):
    class Doubled(hyperslab.Dataset):
        def __init__(self, dataset, factor):
            super().__init__(dataset.id)
            self.factor = factor

        def __getitem__(self, index):
            return super().__getitem__(index) * self.factor

    doubled = Doubled(both[1]["x"], 2)
    assert (doubled[4], doubled.shape, doubled.name, doubled.chunks) == (8, (100,), "/x", (10,))
    assert doubled == both[1]["x"] and hyperslab.Dataset(doubled.id)[4] == 4
    for wrong in (5, both[1], None):
        with pytest.raises((TypeError, AttributeError)):
            hyperslab.Dataset(wrong)
