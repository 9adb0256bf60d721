"""Files of fsspec and of obstore, whose ranges are requested together."""

from __future__ import annotations

import io
import time

import fsspec
import h5py
import numpy as np
import obstore
import pytest
from comparing import assert_same_content
from fsspec.implementations.memory import MemoryFileSystem

import hyperslab
from hyperslab.errors import ChangedError


@pytest.fixture
def content(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        for number in range(20):
            data = np.random.default_rng(number).normal(size=3000)
            file.create_dataset(f"group{number:02}/data", data=data, chunks=(100,), compression="gzip")
            file[f"group{number:02}"].attrs["number"] = number
    return path.read_bytes()


class Counting(MemoryFileSystem):
    """A file system that notes how many ranges each call asks for."""

    protocol = "counting"
    cachable = False

    def __init__(self, **options):
        super().__init__(**options)
        self.calls = []
        self.failing = None

    def cat_ranges(self, paths, starts, ends, max_gap=None, on_error="return", **options):
        self.calls.append(len(paths))
        if self.failing is not None:
            return [self.failing for _ in paths]
        return super().cat_ranges(paths, starts, ends, max_gap, on_error=on_error, **options)


def check(file, content):
    with h5py.File(io.BytesIO(content)) as local:
        assert_same_content(file, local)


def test_ranges_of_a_file_system_are_requested_together(content):
    fs = Counting()
    fs.pipe("/folder/a.h5", content)
    with hyperslab.File("/folder/a.h5", store=fs) as file:
        check(file, content)
        assert file.driver == "fileobj"
    with hyperslab.File("/folder/a.h5", store=fs, cache_bytes=0) as file:
        file.prefetch(chunk_indexes=True)
        fs.calls.clear()
        values = file["group19/data"][::500]
        assert values.shape == (6,) and len(fs.calls) == 1, "one call for all chunks"


def test_open_files_of_fsspec_are_read_through_their_file_system(content):
    fs = Counting()
    fs.pipe("/folder/a.h5", content)
    opened = fs.open("/folder/a.h5")
    fs.calls.clear()
    with hyperslab.File(opened) as file:
        check(file, content)
    assert fs.calls and max(fs.calls) >= 1 and opened.tell() == 0, "its position is not moved"
    later = fsspec.core.OpenFile(fs, "/folder/a.h5")
    with hyperslab.File(later) as file:
        check(file, content)


def test_compressed_files_of_fsspec_are_read_decompressed(content, tmp_path):
    import gzip

    path = tmp_path / "a.h5.gz"
    path.write_bytes(gzip.compress(content))
    with fsspec.open(str(path), compression="gzip") as opened, hyperslab.File(opened) as file:
        check(file, content)


def test_stores_of_obstore(content):
    store = obstore.store.MemoryStore()
    obstore.put(store, "folder/a.h5", content)
    with hyperslab.File("folder/a.h5", store=store) as file:
        check(file, content)
    with hyperslab.File(obstore.open_reader(store, "folder/a.h5")) as file:
        check(file, content)


def test_any_object_with_read_and_seek(content):
    with hyperslab.File(io.BytesIO(content)) as file:
        check(file, content)


def test_errors_of_a_store_are_the_cause(content):
    fs = Counting()
    fs.pipe("/a.h5", content)
    with hyperslab.File("/a.h5", store=fs) as file:
        fs.failing = PermissionError("no longer")
        with pytest.raises(hyperslab.HyperslabError) as error:
            for number in range(20):
                file[f"group{number:02}/data"][...]
        assert isinstance(error.value.__cause__, PermissionError)
        fs.failing = None
        check(file, content)
    with pytest.raises(FileNotFoundError):
        hyperslab.File("/none.h5", store=fs)
    with pytest.raises(TypeError, match="cat_ranges or get_ranges"):
        hyperslab.File("/a.h5", store=object())
    with pytest.raises(ValueError, match="storage_options are for URLs"):
        hyperslab.File("/a.h5", store=fs, storage_options={"anon": True})


def test_a_short_answer_is_an_error(content):
    class Short(Counting):
        def cat_ranges(self, *arguments, **options):
            return [found[:-1] for found in super().cat_ranges(*arguments, **options)]

    fs = Short()
    fs.pipe("/a.h5", content)
    with pytest.raises((OSError, EOFError)):
        hyperslab.File("/a.h5", store=fs)


def test_a_file_that_changes_in_its_store_is_an_error(content):
    changed = content[:-100] + bytes(100)
    fs = Counting()
    fs.pipe("/a.h5", content)
    store = obstore.store.MemoryStore()
    obstore.put(store, "a.h5", content)
    files = [
        hyperslab.File("/a.h5", store=fs, cache_bytes=0),
        hyperslab.File(fs.open("/a.h5"), cache_bytes=0),
        hyperslab.File("a.h5", store=store, cache_bytes=0),
    ]
    for file in files:
        assert file["group00/data"].shape == (3000,)
    fs.pipe("/a.h5", changed)
    obstore.put(store, "a.h5", changed)
    # It is asked whether the file has changed at most once a second.
    time.sleep(1.1)
    for file in files:
        with pytest.raises(ChangedError, match=r"a\.h5.* changed after it was opened"):
            for number in range(20):
                file[f"group{number:02}/data"][...]


def test_long_ranges_are_divided_as_explain_says():
    values = np.random.default_rng(1).integers(0, 255, size=20 << 20, dtype="u1")
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        file["data"] = values
    fs = Counting()
    fs.pipe("/a.h5", content.getvalue())
    with hyperslab.File("/a.h5", store=fs, cache_bytes=0) as file:
        dataset = file["data"]
        explained = dataset.explain(np.s_[:])
        fs.calls.clear()
        np.testing.assert_array_equal(dataset[...], values)
        assert fs.calls == [explained.data["requests_made"]] == [5]
