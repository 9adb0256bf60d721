"""Opening and closing."""

from __future__ import annotations

import gc
import io
import os
import pickle
from pathlib import Path

import h5py
import numpy as np
import pytest

import hyperslab


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["d"] = np.arange(5)
        file["text"] = ["a", "b"]
        file.create_group("g")
    return path


def test_a_path_may_be_anything_that_names_a_file(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    for name in [path, str(path), os.fsencode(path), "a.h5", Path("a.h5")]:
        with hyperslab.File(name) as file, h5py.File(name) as theirs:
            assert file.filename == theirs.filename
            assert repr(file) == repr(theirs)
            assert file["d"][2] == 2
    for wrong in [3, None, ["a.h5"]]:
        with pytest.raises(TypeError):
            hyperslab.File(wrong)


def test_properties(path):
    with hyperslab.File(path) as file:
        assert (file.mode, file.name, file.driver, file.userblock_size) == ("r", "/", "sec2", 0)
        assert isinstance(file, hyperslab.Group)
        assert file.parent == file["/"] and file.file == file
        file.flush()


def test_user_block(tmp_path):
    with h5py.File(tmp_path / "u.h5", "w", userblock_size=1024) as file:
        file["d"] = ["text"]
    with hyperslab.File(tmp_path / "u.h5") as file:
        assert file.userblock_size == 1024
        assert file["d"][0] == b"text"


@pytest.mark.parametrize("mode", ["r+", "w", "w-", "x", "a", "q", ""])
def test_only_reading(path, mode):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="mode"):
        hyperslab.File(path, mode)
    assert path.read_bytes() == before


def test_tuning_of_libhdf5_is_accepted(path):
    with hyperslab.File(path, "r", rdcc_nbytes=1 << 20, rdcc_nslots=521, libver="latest", swmr=False) as file:
        assert file["d"][1] == 1
    with pytest.raises(TypeError):
        hyperslab.File(path, spam=1)
    with pytest.raises(ValueError):
        hyperslab.File(path, driver="mpio")


def test_closed_objects_say_so(path):
    file = hyperslab.File(path)
    dataset, group, attrs = file["d"], file["g"], file["g"].attrs
    assert file and dataset and group
    dataset[:]
    file.close()
    file.close()
    assert not file and not dataset and not group
    for use in [
        lambda: dataset[0],
        lambda: file["d"],
        lambda: list(file),
        lambda: file.attrs,
        lambda: group.keys(),
        lambda: len(group),
        lambda: attrs["a"],
        lambda: file.filename,
        lambda: dataset.file,
        lambda: dataset.parent,
        lambda: dataset.explain(),
    ]:
        with pytest.raises(ValueError, match="closed") as error:
            use()
        assert isinstance(error.value, hyperslab.HyperslabError)
    assert "d" not in file
    assert repr(file) == "<Closed HDF5 file>"
    assert repr(group) == "<Closed HDF5 group>"
    assert repr(dataset) == "<Closed HDF5 dataset>"
    assert dataset.name is None and dataset.shape == (5,)


def test_close_lets_go_of_the_file(path):
    def open_files():
        return sum(os.path.realpath(f"/proc/self/fd/{fd}") == str(path) for fd in os.listdir("/proc/self/fd"))

    file = hyperslab.File(path)
    dataset = file["d"]
    assert open_files() == 1
    file.close()
    assert open_files() == 0
    del file
    file = hyperslab.File(path)
    dataset = file["d"]
    del file
    gc.collect()
    assert dataset[1] == 1
    del dataset
    gc.collect()
    assert open_files() == 0


def test_the_context_manager_closes_after_errors(path):
    with pytest.raises(ZeroDivisionError):
        with hyperslab.File(path) as file:
            1 / 0
    assert not file


class Slow(io.RawIOBase):
    """Returns only a few bytes in each read."""

    def __init__(self, content: bytes) -> None:
        self.inner = io.BytesIO(content)

    def seek(self, offset, whence=0):
        return self.inner.seek(offset, whence)

    def read(self, size=-1):
        return self.inner.read(min(size, 7))


def test_file_like_objects(path):
    for source in [open(path, "rb"), io.BytesIO(path.read_bytes()), Slow(path.read_bytes())]:
        with source, hyperslab.File(source) as file:
            assert file.driver == "fileobj"
            np.testing.assert_array_equal(file["d"][:], np.arange(5))
            assert file["text"][:].tolist() == [b"a", b"b"]


def test_errors_of_file_like_objects_are_told(path):
    class Broken(Slow):
        def read(self, size=-1):
            raise RuntimeError("the network is down")

    with pytest.raises(OSError, match="the network is down"):
        hyperslab.File(Broken(path.read_bytes()))


def test_files_in_memory(path):
    with hyperslab.File.in_memory(path.read_bytes()) as file:
        assert file.driver == "core"
        np.testing.assert_array_equal(file["d"][:], np.arange(5))
    with hyperslab.File.in_memory(memoryview(path.read_bytes())) as file:
        assert file["d"][4] == 4


def test_is_hdf5(path, tmp_path):
    (tmp_path / "text").write_text("no HDF5")
    assert hyperslab.is_hdf5(path) and hyperslab.is_hdf5(str(path))
    assert not hyperslab.is_hdf5(tmp_path / "text")
    assert not hyperslab.is_hdf5(tmp_path / "missing")


def test_open_objects_are_pickled_by_path(path):
    with hyperslab.File(path, threads=1, cache_bytes="1MiB") as file:
        for thing in [file, file["d"], file["g"]]:
            again = pickle.loads(pickle.dumps(thing))
            assert type(again) is type(thing) and again == thing and again.name == thing.name
        for thing in [file, file["d"], file["g"]]:
            again = pickle.loads(pickle.dumps(thing.attrs))
            assert type(again) is hyperslab.AttributeManager and again == thing.attrs
        again = pickle.loads(pickle.dumps(file["d"]))
        assert (again[...] == file["d"][...]).all()
    with pytest.raises(OSError):
        pickle.dumps(file)


def test_what_has_no_path_is_not_pickled(path):
    with hyperslab.File(path) as file, hyperslab.File.in_memory(path.read_bytes()) as image:
        for thing in [image.attrs, image["d"].attrs, image, image["d"], image["g"]]:
            with pytest.raises(TypeError):
                pickle.dumps(thing)


def test_tables_for_notebooks_show_members_and_attributes(path):
    with hyperslab.File(path) as file:
        assert "<td style='text-align:left'>d</td>" in file._repr_html_()
        assert "shape" in file["d"]._repr_html_() and str(file["d"].shape) in file["d"]._repr_html_()
    assert file._repr_html_() == "&lt;Closed HDF5 file&gt;"


def test_datasets_of_every_type_have_a_table(tmp_path):
    path = tmp_path / "types.h5"
    with h5py.File(path, "w") as file:
        file["compound"] = np.zeros(2, [("a", "i4"), ("b", "f8")])
        file["opaque"] = np.zeros(2, "V3")
        file["complex"] = np.zeros(2, "c8")
        file["enumeration"] = np.array([True, False])
        file["text"] = ["a", "b"]
        file["reference"] = file["text"].ref
        file["null"] = h5py.Empty("f4")
        file.create_dataset("filled", (2,), file["compound"].dtype, fillvalue=np.array((1, 2.5), file["compound"].dtype)[()])
    with hyperslab.File(path) as file:
        for name, dataset in file.items():
            assert f"Dataset /{name}" in dataset._repr_html_()
        assert "(1, 2.5)" in file["filled"]._repr_html_()


def test_dask_aligns_its_chunks_and_names_datasets_by_file(path):
    array = pytest.importorskip("dask.array")
    with hyperslab.File(path) as file:
        arrays = [array.from_array(file["d"], chunks="auto") for _ in range(2)]
        assert arrays[0].name == arrays[1].name
        assert (arrays[0].compute() == file["d"][...]).all()


def test_a_file_that_is_overwritten_and_opened_again_is_read_afresh(tmp_path):
    path = tmp_path / "b.h5"
    for value in range(5):
        with h5py.File(path, "w") as file:
            file.create_dataset("d", data=np.full((100, 100), value), chunks=(10, 10), compression="gzip")
        with hyperslab.File(path) as file:
            assert (file["d"][:] == value).all()
