"""Everything that can stand in the brackets, against h5py: values, shapes, types and classes of errors."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from comparing import assert_same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit import scaled

import hyperslab

SHAPE = (10, 6, 7)
VALUES = np.arange(np.prod(SHAPE)).reshape(SHAPE).astype(">i4")
EVERY_THIRD = np.arange(10) % 3 == 0
EVEN = np.arange(6) % 2 == 0
MASK = VALUES % 5 == 0

INDEXES = [
    (),
    ...,
    0,
    -1,
    (3, 2, 1),
    (..., 2),
    (2, ...),
    (..., 1, 2),
    (1, ..., 2),
    (1, 2, 3, ...),
    slice(None),
    slice(2, 9, 3),
    slice(-4, -1),
    slice(8, 2),
    slice(50, 60),
    (slice(None, None, 4), slice(1, None, 2), slice(None, 3)),
    (slice(0, 0), 1),
    np.int64(3),
    np.uint8(3),
    np.array(3),
    True,
    [1, 4, 8],
    [0, -1],
    [],
    (0, [1, 3]),
    ([1, 3], 0),
    (slice(1, 5), [0, 2, 5], slice(None, None, 3)),
    (..., [0, 6]),
    np.array([2, 5], "u8"),
    np.array([2], "i1"),
    range(3),
    ((0, 2), 1),
    EVERY_THIRD,
    list(EVERY_THIRD),
    (EVERY_THIRD, 0),
    (0, EVEN),
    (slice(None), EVEN, 3),
    np.zeros(10, bool),
    MASK,
    np.zeros(SHAPE, bool),
    np.ones(SHAPE, bool),
    np.asfortranarray(MASK),
]

WRONG = [
    10,
    -11,
    (0, 0, 7),
    (0, 0, 0, 0),
    (..., ...),
    (0, 0, 0, 0, ...),
    None,
    (0, None),
    "name",
    1.5,
    {},
    {1, 2},
    np.True_,
    [1, 1],
    [3, 1],
    [-1, 0],
    [1, 11],
    [1.0, 2.0],
    ["a"],
    [[1, 2]],
    ([0, 1], [0, 1]),
    (EVERY_THIRD, EVEN),
    (0, EVERY_THIRD),
    EVEN,
    np.ones((10, 5), bool),
    slice(None, None, -1),
    slice(0, 5, 0),
    slice("a", None),
    2**70,
    (slice(None), 10**30),
]


def layouts(file):
    file.create_dataset("contiguous", data=VALUES)
    file.create_dataset("chunked", data=VALUES, chunks=(3, 4, 2))
    file.create_dataset("compressed", data=VALUES, chunks=(4, 6, 3), compression="gzip", shuffle=True)
    file.create_dataset("one_chunk", data=VALUES, chunks=SHAPE, fletcher32=True)
    file.create_dataset("growing", data=VALUES, chunks=(2, 3, 7), maxshape=(None, 6, None))
    file.create_dataset("sparse", SHAPE, "i2", chunks=(3, 2, 4), fillvalue=7)[4:6] = 5
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple(SHAPE)
    name = h5py.h5d.create(file.id, b"compact", h5py.h5t.STD_I32BE, space, compact)
    name.write(h5py.h5s.ALL, h5py.h5s.ALL, VALUES)


LAYOUTS = ["contiguous", "chunked", "compressed", "one_chunk", "growing", "sparse", "compact"]


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_index_selects_what_h5py_selects(pair, libver, name):
    theirs, ours = pair(layouts, libver)[name]
    for index in INDEXES:
        assert_same(ours[index], theirs[index])


@pytest.mark.parametrize("index", WRONG, ids=repr)
def test_wrong_indexes_raise_what_h5py_raises(pair, index):
    theirs, ours = pair(layouts)["chunked"]
    with pytest.raises(Exception) as expected:
        theirs[index]
    with pytest.raises(Exception) as found:
        ours[index]
    builtin = {IndexError, TypeError, ValueError}
    wanted = {kind for kind in type(expected.value).__mro__ if kind in builtin} or {IndexError}
    assert wanted <= set(type(found.value).__mro__), (expected.value, found.value)


def test_the_index_behind_the_last_is_out_of_range_in_a_list_too(pair):
    # h5py lets this one through to the library, which then raises an OSError.
    _, ours = pair(layouts)["chunked"]
    with pytest.raises(IndexError):
        ours[[1, 10]]


def test_scalar_datasets(pair, libver):
    both = pair(lambda file: file.create_dataset("s", data=2.5, dtype=">f8"), libver)
    theirs, ours = both["s"]
    assert_same(ours[()], theirs[()])
    assert_same(ours[...], theirs[...])
    assert_same(np.asarray(ours), np.asarray(theirs))
    assert (ours.shape, ours.size, ours.ndim, ours.maxshape) == ((), 1, 0, ())
    for index in [0, slice(None), (..., 0), [0]]:
        with pytest.raises(ValueError):
            ours[index]
    with pytest.raises(TypeError):
        len(ours)
    with pytest.raises(TypeError):
        iter(ours)


def test_null_datasets(pair, libver):
    theirs, ours = pair(lambda file: file.__setitem__("e", h5py.Empty("f4")), libver)["e"]
    assert_same(ours[()], theirs[()])
    assert_same(ours[...], theirs[...])
    assert (ours.shape, ours.size, ours.maxshape, ours.nbytes) == (None, None, None, 0)
    with pytest.raises(ValueError):
        ours[0]
    with pytest.raises(TypeError):
        np.asarray(ours)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_extents_without_elements(pair, libver, shape):
    def write(file):
        file.create_dataset("z", shape, "f8", maxshape=(None,) * len(shape), chunks=(2,) * len(shape))

    theirs, ours = pair(write, libver)["z"]
    for index in [(), ..., slice(None), (..., slice(0, 2)), []]:
        assert_same(ours[index], theirs[index])
    with pytest.raises(IndexError):
        ours[(0,) * len(shape)]


def test_iteration_goes_along_the_first_axis(pair):
    theirs, ours = pair(layouts)["compressed"]
    assert len(ours) == ours.len() == 10
    for a, b in zip(ours, theirs, strict=True):
        assert_same(a, b)


def test_result_is_writeable_and_owns_its_memory(pair):
    _, ours = pair(layouts)["contiguous"]
    first, second = ours[2], ours[2]
    assert first.flags.owndata and first.flags.writeable and first.flags.c_contiguous
    first[:] = -1
    np.testing.assert_array_equal(second, VALUES[2])
    np.testing.assert_array_equal(ours[2], VALUES[2])


def axis_index(size: int):
    bound = st.none() | st.integers(-size - 3, size + 3)
    slices = st.builds(slice, bound, bound, st.none() | st.integers(1, size + 2))
    integers = st.integers(-size, size - 1) if size else st.nothing()
    return st.one_of(slices, integers)


def axis_list(size: int):
    lists = st.sets(st.integers(0, size - 1)).map(sorted) if size else st.just([])
    masks = st.lists(st.booleans(), min_size=size, max_size=size).map(lambda mask: np.array(mask, dtype=bool))
    return st.one_of(lists, masks)


@st.composite
def cases(draw):
    """A shape, a chunk shape and an index of it."""
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=1, max_size=4)))
    chunks = tuple(draw(st.integers(1, max(size, 1))) for size in shape)
    index = [draw(axis_index(size)) for size in shape]
    if draw(st.booleans()):
        axis = draw(st.integers(0, len(shape) - 1))
        index[axis] = draw(axis_list(shape[axis]))
    index = index[: draw(st.integers(0, len(index)))]
    if draw(st.booleans()):
        where = draw(st.integers(0, len(index)))
        room = len(shape) - len(index)
        rest = [draw(axis_index(size)) for size in shape[len(shape) - draw(st.integers(0, room)) :]]
        index = [*index[:where], ..., *rest] if where == len(index) else index
    return shape, chunks, tuple(index)


@settings(max_examples=scaled(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(), filtered=st.booleans(), latest=st.booleans())
def test_random_selections_equal_h5py(tmp_path_factory, case, filtered, latest):
    shape, chunks, index = case
    path = tmp_path_factory.mktemp("random") / "a.h5"
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype("<u2")
    with h5py.File(path, "w", libver="latest" if latest else "earliest") as file:
        options = {"compression": "gzip", "shuffle": True} if filtered else {}
        file.create_dataset("d", data=values, chunks=chunks, maxshape=(None,) * len(shape), **options)
    with h5py.File(path) as theirs, hyperslab.File(path) as ours:
        try:
            expected = theirs["d"][index]
        except (ValueError, TypeError) as error:
            if "Use other code for boolean selection" in str(error):
                # A mask with `...` beside it, of a dataset of one axis: h5py refuses what it accepts of two.
                np.testing.assert_array_equal(ours["d"][index], values[index])
                return
            with pytest.raises(type(error)):
                ours["d"][index]
        else:
            assert_same(ours["d"][index], expected)
