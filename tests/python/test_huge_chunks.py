"""Chunks of 4 GiB and more (layout version 5): unwritten ones, and written ones in a sparse file."""

from __future__ import annotations

import h5py
import kit
import numpy as np
import pytest
from comparing import assert_same

import hyperslab


@pytest.mark.parametrize("name", ["fixed", "one", "two"])
def test_what_is_not_there_needs_no_memory(name):
    path = kit.FIXTURES / "rare_structures" / "huge_chunks.h5"
    if not path.exists():
        pytest.skip("run corpus/recipes/make.py")
    with hyperslab.File(path) as file:
        made = file[name]
        assert (made.shape, made.chunks, made.compression) == ((1000, 6), (1 << 30, 5), "gzip")
        assert_same(made[3:900:7, 2:], np.full((129, 4), 7, "u1"))


#: The number of elements of a chunk, which does not fit into 32 bits.
CHUNK = (1 << 32) + 7


@pytest.mark.parametrize("maxshape", [(2 * CHUNK,), (None,), (None, None), "single"])
def test_elements_far_into_a_chunk(tmp_path, maxshape):
    """Without filters, in storage that libhdf5 only reserves: 8 GiB, of which the disk stores a few blocks."""
    shape = (CHUNK,) if maxshape == "single" else (2 * CHUNK, 1)[: len(maxshape)]
    limits = shape if maxshape == "single" else maxshape
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((CHUNK, 1)[: len(shape)])
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    space = h5py.h5s.create_simple(shape, tuple(h5py.h5s.UNLIMITED if size is None else size for size in limits))
    places = [at for at in (0, 5, 1 << 32, CHUNK - 1, CHUNK, 2 * CHUNK - 1) if at < shape[0]]
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver=("v200", "latest")) as file:
        written = h5py.Dataset(h5py.h5d.create(file.id, b"d", h5py.h5t.STD_U8LE, space, plist))
        for value, at in enumerate(places):
            written[at] = value + 1
    assert path.stat().st_blocks * 512 < 1 << 20 < path.stat().st_size
    with h5py.File(path) as theirs, hyperslab.File(path) as ours:
        assert ours["d"].chunks == theirs["d"].chunks and ours["d"].chunks[0] == CHUNK
        for value, at in enumerate(places):
            assert_same(ours["d"][at : at + 1], theirs["d"][at : at + 1])
            assert int(ours["d"][at : at + 1].item()) == value + 1
