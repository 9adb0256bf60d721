"""Chunk maps: `Dataset.chunk_map()`, and h5py's functions for chunks in `Dataset.id`."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import hyperslab
from hyperslab.errors import NotChunkedError

FIXED, GROWING, GROWING_BOTH = (20, 30), (None, 30), (None, None)
GZIP = {"compression": "gzip", "shuffle": True}


def write(file):
    """A dataset for each kind of chunk index, complete and with most chunks missing."""
    values = np.arange(600, dtype="<i4").reshape(20, 30)
    for name, maxshape in (("fixed", FIXED), ("growing", GROWING), ("growing both", GROWING_BOTH)):
        for kind, filters in (("plain", {}), ("gzip", GZIP)):
            options = {"chunks": (3, 4), "maxshape": maxshape, **filters}
            file.create_dataset(f"{name} {kind}", data=values, **options)
            sparse = file.create_dataset(f"{name} {kind} sparse", (20, 30), "<i4", **options)
            sparse[19, 29] = sparse[4, 0] = sparse[4, 13] = 1
    file.create_dataset("one", data=values, chunks=(20, 30))
    file.create_dataset("line", data=values.ravel(), chunks=(7,), maxshape=(None,))
    file.create_dataset("unwritten", (20, 30), "<i4", chunks=(3, 4))
    skipped = file.create_dataset("skipped", (6,), "<i4", chunks=(3,), **GZIP)
    skipped.id.write_direct_chunk((0,), values[0, :3].tobytes(), filter_mask=3)


def infos(dataset):
    return {dataset.id.get_chunk_info(i) for i in range(dataset.id.get_num_chunks())}


def test_chunks_are_those_of_h5py(pair, libver):
    both = pair(write, libver)
    for name in both.theirs:
        theirs, ours = both[name]
        expected = infos(theirs)
        assert infos(ours) == expected, name
        assert ours.id.get_num_chunks() == len(expected)
        seen = []
        assert ours.id.chunk_iter(seen.append) is None
        assert len(seen) == len(expected) and set(seen) == expected, name
        assert sorted(seen) == seen, "row-major order"
        for info in expected:
            assert ours.id.get_chunk_info_by_coord(info.chunk_offset) == info
            assert type(ours.id.get_chunk_info_by_coord(info.chunk_offset)).__name__ == type(info).__name__


def test_identifiers_say_where_and_what_values_are(pair, libver, tmp_path):
    def write(file):
        file["contiguous"] = np.arange(5, dtype="i4")
        file["record"] = np.zeros(3, [("a", "i4"), ("b", "f8")])
        file["scalar"] = 1.5
        file["text"] = ["a", "bc"]
        file["null"] = h5py.Empty("f4")
        file.create_dataset("unwritten", (10,), "i4")
        file.create_dataset("chunked", data=np.arange(7), chunks=(5,), compression="gzip")
        file.create_dataset("no_chunks", (7,), "i4", chunks=(5,))
        file.create_dataset("external", data=np.arange(4), external=str(tmp_path / "external.raw"))
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        h5py.h5d.create(file.id, b"compact", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((3,)), plist)

    both = pair(write, libver)
    for name in both.theirs:
        theirs, ours = (dataset.id for dataset in both[name])
        assert ours.get_offset() == theirs.get_offset(), name
        assert ours.get_storage_size() == theirs.get_storage_size(), name
        assert (ours.shape, ours.rank, ours.dtype) == (theirs.shape, theirs.rank, theirs.dtype), name
    dataset = both.ours["contiguous"]
    both.ours.close()
    for call in (dataset.id.get_offset, dataset.id.get_storage_size):
        with pytest.raises(hyperslab.errors.ClosedError):
            call()


def test_the_offset_counts_from_the_beginning_of_the_file(tmp_path):
    path = tmp_path / "user_block.h5"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["x"] = np.arange(5)
    with h5py.File(path) as theirs, hyperslab.File(path) as ours:
        assert ours["x"].id.get_offset() == theirs["x"].id.get_offset()


def test_the_chunk_map_is_an_array_of_the_same(pair, libver):
    both = pair(write, libver)
    for name in both.theirs:
        theirs, ours = both[name]
        chunks = ours.chunk_map()
        assert chunks.dtype.names == ("offset", "address", "size", "filter_mask")
        assert chunks["offset"].shape == (len(chunks), ours.ndim)
        found = {
            (tuple(row["offset"].tolist()), int(row["filter_mask"]), int(row["address"]), int(row["size"]))
            for row in chunks
        }
        assert found == {tuple(info) for info in infos(theirs)}, name
        assert chunks.flags.writeable and chunks.flags.owndata
    assert pair(write, libver)["skipped"][1].chunk_map()["filter_mask"].tolist() == [3]


def test_stored_bytes_are_where_the_map_says(pair):
    both = pair(write)
    raw = both.path.read_bytes()
    dataset = both.ours["fixed plain"]
    for row in dataset.chunk_map():
        start = int(row["address"])
        stored = np.frombuffer(raw[start : start + int(row["size"])], "<i4").reshape(3, 4)
        i, j = row["offset"].tolist()
        values = dataset[i : i + 3, j : j + 4]
        np.testing.assert_array_equal(stored[: values.shape[0], : values.shape[1]], values)


def test_where_the_unlimited_axis_is_not_the_first_offsets_are_those_that_reads_use(pair):
    """libhdf5 reports other offsets here than those at which it reads the chunks, so the stored values are compared."""

    def grow(file):
        values = np.arange(240, dtype="<i4").reshape(6, 40)
        file.create_dataset("d", data=values, chunks=(2, 3), maxshape=(6, None))

    both = pair(grow)
    theirs, ours = both["d"]
    raw = both.path.read_bytes()
    chunks = ours.chunk_map()
    assert len(chunks) == theirs.id.get_num_chunks() == 3 * 14
    for row in chunks:
        start = int(row["address"])
        stored = np.frombuffer(raw[start : start + int(row["size"])], "<i4").reshape(2, 3)
        i, j = row["offset"].tolist()
        values = theirs[i : i + 2, j : j + 3]
        np.testing.assert_array_equal(stored[: values.shape[0], : values.shape[1]], values)
    np.testing.assert_array_equal(ours[...], theirs[...])


def test_an_element_leads_to_its_chunk(pair):
    theirs, ours = pair(write)["growing gzip sparse"]
    for element in [(19, 29), (18, 28), (4, 13), (3, 12), (0, 0), (20, 0), (3, 300)]:
        a, b = ours.id.get_chunk_info_by_coord(element), theirs.id.get_chunk_info_by_coord(element)
        assert (a.byte_offset, a.size) == (b.byte_offset, b.size), element
        # For a missing chunk, libhdf5 leaves the filter mask undefined.
        assert b.byte_offset is None or a.filter_mask == b.filter_mask, element
        # h5py repeats the element it was asked for.
        assert a.chunk_offset == (None if b.chunk_offset is None else (element[0] // 3 * 3, element[1] // 4 * 4))
    for dataset in (ours, theirs):
        with pytest.raises(ValueError):
            dataset.id.get_chunk_info_by_coord((4,))


def test_iteration_ends_at_the_first_answer_and_at_the_first_exception(pair):
    for dataset in pair(write)["fixed gzip"]:
        seen = []

        def second(info, seen=seen):
            seen.append(info)
            return info.size if len(seen) == 2 else None

        assert dataset.id.chunk_iter(second) == seen[1].size
        assert len(seen) == 2
        with pytest.raises(ZeroDivisionError):
            dataset.id.chunk_iter(lambda info: 1 // 0)


def test_wrong_requests(pair):
    def more(file):
        write(file)
        file["contiguous"] = np.arange(4)
        file["scalar"] = 1

    both = pair(more)
    for dataset in both["one"]:
        with pytest.raises(ValueError):
            dataset.id.get_chunk_info(1)
        with pytest.raises(OverflowError):
            dataset.id.get_chunk_info(-1)
    for name in ("contiguous", "scalar"):
        for dataset in both[name]:
            for ask in (
                lambda id: id.get_num_chunks(),
                lambda id: id.get_chunk_info(0),
                lambda id: id.get_chunk_info_by_coord((0,)),
                lambda id: id.chunk_iter(print),
            ):
                with pytest.raises((RuntimeError, ValueError)):
                    ask(dataset.id)
        with pytest.raises(NotChunkedError, match=f"/{name}: the dataset is not chunked"):
            both.ours[name].chunk_map()
    ours = both.ours["one"]
    both.ours.close()
    with pytest.raises(ValueError):
        ours.chunk_map()


SIDE = 2**32 + 1


@pytest.mark.parametrize("shape", [(2**32, SIDE), (SIDE, SIDE, SIDE)], ids=["2^64", "2^96"])
def test_sparse_grids_of_more_chunks_than_64_bits_count(pair, libver, shape):
    places = [
        tuple(0 for _ in shape),
        (*(3 for _ in shape[1:]), 5),
        (shape[0] - 1, *(1 for _ in shape[1:])),
        tuple(size - 1 for size in shape),
    ]

    def sparse(file):
        made = file.create_dataset("d", shape, "u1", chunks=tuple(1 for _ in shape), maxshape=tuple(None for _ in shape))
        for number, place in enumerate(places):
            made[place] = number + 1

    both = pair(sparse, libver)
    theirs, ours = both["d"]
    assert infos(ours) == infos(theirs)
    assert ours.chunk_map()["offset"].tolist() == [list(place) for place in places]
    for number, place in enumerate(places):
        assert ours[place] == theirs[place] == number + 1
    elsewhere = tuple(7 for _ in shape)
    assert ours[elsewhere] == theirs[elsewhere] == 0
    # libhdf5 cannot read several chunks at once if the number of chunks overflows.
    corner = tuple(slice(size - 3, size) for size in shape)
    expected = np.zeros([3 for _ in shape], "u1")
    expected[tuple(-1 for _ in shape)] = len(places)
    np.testing.assert_array_equal(ours[corner], expected)
    # NumPy refuses to make an array of that size.
    with pytest.raises((hyperslab.HyperslabError, ValueError)):
        ours[...]


def test_a_grid_beyond_128_bits_is_not_supported(pair, tmp_path):
    def sparse(file):
        file.create_dataset("d", (SIDE,) * 5, "u1", chunks=(1,) * 5, maxshape=(None,) * 5)[3, 1, 4, 1, 5] = 9

    both = pair(sparse)
    with pytest.raises(hyperslab.HyperslabError, match="2\\^128"):
        both.ours["d"]
    assert isinstance(both.theirs["d"], h5py.Dataset)
