"""Assignments to new datasets, with h5py as the oracle: random shapes, dtypes, indexes and values."""

from __future__ import annotations

import random

import h5py
import numpy as np
import pytest
from kit import scaled

import hyperslab

DTYPES = [
    np.dtype("i4"),
    np.dtype("f8"),
    np.dtype("S5"),
    np.dtype("bool"),
    np.dtype([("x", "i4"), ("y", "f8"), ("z", "i2", (2,))]),
    np.dtype(("i4", (2,))),
    h5py.string_dtype(),
    h5py.vlen_dtype("i4"),
]
ERRORS = (TypeError, ValueError, IndexError, KeyError, OSError)


class Case:
    """A dataset, and assignments to it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        rank = self.random.choice([0, 1, 1, 2, 2, 3, 4])
        self.shape = tuple(self.random.choice([0, 1, 2, 3, 4, 5, 5, 6, 6]) for _ in range(rank))
        self.dtype = self.random.choice(DTYPES)
        self.options = {}
        if rank and 0 not in self.shape and self.random.random() < 0.5:
            self.options["chunks"] = tuple(self.random.randint(1, size) for size in self.shape)

    def index(self) -> tuple:
        items: list = []
        has_list = False
        for size in self.shape[: self.random.randint(0, len(self.shape) + (self.random.random() < 0.05))]:
            kind = self.random.random()
            if kind < 0.25:
                items.append(self.random.randint(-size - 1, size) if self.random.random() < 0.1 else self.random.randrange(size or 1))
            elif kind < 0.65:
                bounds = [self.random.choice([None, self.random.randint(-size - 1, size + 1)]) for _ in range(2)]
                items.append(slice(*bounds, self.random.choice([None, 1, 2, 3, -1 if self.random.random() < 0.1 else 2])))
            elif kind < 0.72 and not any(item is Ellipsis for item in items):
                items.append(Ellipsis)
            elif not has_list or self.random.random() < 0.1:
                has_list = True
                items.append(self.listed(size))
        if self.random.random() < 0.05 and self.shape:
            mask = np.array([self.random.random() < 0.5 for _ in range(int(np.prod(self.shape)))], bool)
            return (mask.reshape(self.shape),)
        return tuple(items)

    def listed(self, size: int):
        chosen = [at for at in range(size) if self.random.random() < 0.5]
        kind = self.random.random()
        if kind < 0.1:
            self.random.shuffle(chosen)
        if kind < 0.2 and chosen:
            chosen.append(chosen[-1])
        if kind > 0.8:
            return np.isin(np.arange(size), chosen)
        return chosen if kind < 0.5 else np.array(chosen, self.random.choice(["i8", "u4", "i2"]))

    def values(self, shape: tuple[int, ...]):
        """Values for a selection of this shape; some are broadcast, and some do not fit."""
        kind = self.random.random()
        if kind < 0.2:
            shape = ()
        elif kind < 0.35:
            shape = tuple(1 if self.random.random() < 0.4 else size for size in shape)[self.random.randint(0, 2) :]
        elif kind < 0.45:
            shape = tuple(reversed(shape))
        elif kind < 0.5:
            shape = (1, *shape)
        elif kind < 0.55:
            shape = (*shape, 2)
        return self.array(shape)

    def array(self, shape: tuple[int, ...]):
        size = int(np.prod(shape))
        dtype = self.dtype
        if h5py.check_string_dtype(dtype) and dtype.kind == "O":
            array = np.empty(size, object)
            array[:] = [f"text {self.random.randrange(99)}" for _ in range(size)]
            return array.reshape(shape) if shape else array[0]
        if h5py.check_vlen_dtype(dtype) is not None:
            # h5py takes no sequences along several axes, and arrays of objects only if their lengths differ.
            if len(shape) != 1 or not size:
                return np.arange(self.random.randint(1, 4), dtype="i4")
            return [np.arange(2 + at % 2, dtype="i4") for at in range(size)]
        number = np.array([self.random.randrange(100) for _ in range(size)], "i4").reshape(shape)
        if dtype.names:
            array = np.zeros(shape, dtype)
            array["x"], array["y"] = number, number / 2
            array["z"] = number[..., None]
            return array[()]
        if dtype.subdtype:
            return np.stack([number, -number], axis=-1)
        if dtype.kind == "S":
            return number.astype("S5")[()]
        array = number.astype(dtype)
        return array.tolist() if self.random.random() < 0.3 else array[()]


def assign(dataset, index, values) -> str | None:
    """Assign, and return the class of the error."""
    try:
        dataset[index] = values
    except ERRORS as error:
        return type(error).__name__
    return None


def plain(array) -> object:
    """Values that can be compared, also if they are sequences or texts."""
    if getattr(array, "dtype", np.dtype("i4")).names:
        return [array[name].tolist() for name in array.dtype.names]
    if isinstance(array, np.ndarray) and array.dtype == object:
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in array.ravel()]
    return np.asarray(array).tolist()


def read(dataset, index) -> object:
    """The shape of what an index selects, and its values if they are no texts, which h5py returns as bytes; or an error."""
    try:
        found = dataset[index]
    except ERRORS:
        return "error"
    return np.shape(found), plain(found) if dataset.dtype.kind != "O" else None


def selected_shape(case: Case, index) -> tuple[int, ...]:
    """The shape of what an index selects; any if it selects nothing."""
    with h5py.File.in_memory() as file:
        try:
            return file.create_dataset("x", case.shape, "i1")[index].shape
        except ERRORS:
            return case.shape


def test_assignments_mean_what_they_mean_in_h5py(tmp_path):
    refused = 0
    for seed in range(scaled(200)):
        case = Case(seed)
        theirs, ours = tmp_path / f"theirs{seed}.h5", tmp_path / f"ours{seed}.h5"
        with h5py.File(theirs, "w") as their_file, hyperslab.NewFile(ours, verify=False) as our_file:
            their_data = their_file.create_dataset("x", case.shape, case.dtype, **case.options)
            our_data = our_file.create_dataset("x", case.shape, case.dtype, **case.options)
            for _ in range(3):
                index = case.index()
                values = case.values(selected_shape(case, index))
                expected = assign(their_data, index, values)
                found = assign(our_data, index, values)
                assert (found is None) == (expected is None), (seed, case.shape, case.dtype, index, values, found, expected)
                refused += expected is not None
            index = case.index()
            assert read(our_data, index) == read(their_data, index), (seed, case.shape, case.dtype, index)
        with h5py.File(theirs) as their_file, h5py.File(ours) as our_file:
            assert plain(our_file["x"][()]) == plain(their_file["x"][()]), (seed, case.shape, case.dtype)
    assert scaled(200) * 0.2 < refused < scaled(200) * 2, "too few or too many of the assignments are refused"


@pytest.mark.parametrize("seed", range(5))
def test_a_field_is_assigned_alone(tmp_path, seed):
    case = Case(seed)
    case.dtype = np.dtype([("x", "i4"), ("y", "f8"), ("z", "i2", (2,))])
    case.shape = (4, 3)
    columns = [("x", np.arange(3)), ("y", 2.5), ("x", np.zeros((4, 1)))]
    both = np.zeros((4, 3), [("y", "f8"), ("x", "i4"), ("more", "i1")])
    both["x"] = 7
    paths = [tmp_path / "theirs.h5", tmp_path / "ours.h5"]
    for path, library in zip(paths, [h5py.File, hyperslab.NewFile], strict=True):
        case.random.seed(seed)
        with library(path, "w") if library is h5py.File else library(path) as file:
            data = file.create_dataset("c", (4, 3), case.dtype)
            name, values = case.random.choice(columns)
            data[name] = values
            data[1:3, "y"] = np.ones((2, 3))
            data["x", "y"] = both
            data[0, :, "x"] = [1, 2, 3]
    with h5py.File(paths[0]) as theirs, h5py.File(paths[1]) as ours:
        for name in "xyz":
            assert ours["c"][name].tolist() == theirs["c"][name].tolist()


def test_a_region_reference_is_an_index(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        data = file.create_dataset("x", (4, 5), "i4")
        region = data.regionref[1:3, ::2]
        data[region] = np.arange(6)
        assert data[region].tolist() == [[0, 1, 2], [3, 4, 5]]
        data[region] = 9
        other = file.create_dataset("y", (4, 5), "i4")
        with pytest.raises(ValueError, match="another dataset"):
            other[region] = 1
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["x"][1:3, ::2].tolist() == [[9, 9, 9], [9, 9, 9]]


def test_what_is_read_of_a_new_file_is_a_copy(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        data = file.create_dataset("x", data=np.arange(6.0).reshape(2, 3))
        view = data[:]
        view -= view.mean()
        row = data[0]
        row[:] = -1
        ragged = file.create_dataset("ragged", (2,), hyperslab.vlen_dtype("i4"))
        given = np.array([1, 2, 3], "i4")
        ragged[0] = given
        given[:] = 0
        ragged[0][:] = 0
        ragged[...][0][:] = 0
        data.attrs["a"] = np.arange(3)
        data.attrs["a"][:] = 9
        data.attrs.create("lists", [np.arange(2), np.arange(3)], dtype=hyperslab.vlen_dtype("i8"))
        data.attrs["lists"][0][:] = 9
        records = file.create_dataset("records", data=np.zeros(2, [("x", "i4")]))
        records["x"][:] = 5
        records[0]["x"] = 5
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["x"][...].tolist() == np.arange(6.0).reshape(2, 3).tolist()
        assert file["ragged"][0].tolist() == [1, 2, 3]
        assert file["x"].attrs["a"].tolist() == [0, 1, 2]
        assert file["x"].attrs["lists"][0].tolist() == [0, 1]
        assert file["records"]["x"].tolist() == [0, 0]


def test_data_is_read_when_it_is_given(tmp_path):
    np.save(tmp_path / "ring.npy", np.zeros(4))
    ring = np.load(tmp_path / "ring.npy", mmap_mode="r+")
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file["x"] = np.arange(5)
    with hyperslab.NewFile(tmp_path / "x.h5") as out:
        for number in range(3):
            ring[:] = number
            out.create_dataset(f"ring{number}", data=ring)
        for number, library in enumerate([h5py, hyperslab]):
            with library.File(tmp_path / "source.h5") as source:
                out.create_dataset(f"copy{number}", data=source["x"])
        buffer = np.ones(3)
        out["buffer"] = buffer
        buffer[:] = 0
    with h5py.File(tmp_path / "x.h5") as file:
        assert [file[f"ring{number}"][0] for number in range(3)] == [0, 1, 2]
        assert [file[f"copy{number}"][...].tolist() for number in range(2)] == [[0, 1, 2, 3, 4]] * 2
        assert file["buffer"][...].tolist() == [1, 1, 1]
