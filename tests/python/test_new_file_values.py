"""`hyperslab.NewFile`: values of sequences, array dtypes, fields and pandas in a shape that is given."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import hyperslab

TEXTS, NUMBERS = h5py.vlen_dtype(h5py.string_dtype()), h5py.vlen_dtype("<i4")
PAIR = np.dtype(("<i4", (2,)))


@pytest.mark.parametrize("wrap", [list, lambda values: np.array(values, object)], ids=["list", "array"])
def test_a_dataset_without_axes_is_one_sequence(wrap, tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file.create_dataset("texts", (), TEXTS, data=wrap(["a", "größer"]))
        file.create_dataset("numbers", (), NUMBERS, data=wrap([1, 2, 3]))
        file.create_dataset("assigned", (), TEXTS)[()] = wrap(["a", "b"])
        file.create_dataset("all", (), NUMBERS)[...] = wrap([4, 5])
        file.create_dataset("row", (3,), NUMBERS)[0:2] = [wrap([1, 2]), wrap([3, 4])]
        file["row"][2] = wrap([5, 6])
        file.create_dataset("rows", (1, 2), NUMBERS, data=[[wrap([1, 2]), wrap([3])]])
        with pytest.raises(ValueError, match="/row: .*shape"):
            file["row"][0:2] = [[1], [2], [3]]
    with h5py.File(tmp_path / "x.h5") as file:
        assert [text.decode() for text in file["texts"][()]] == ["a", "größer"] and file["texts"].shape == ()
        assert file["numbers"][()].tolist() == [1, 2, 3] and file["all"][()].tolist() == [4, 5]
        assert [text.decode() for text in file["assigned"][()]] == ["a", "b"]
        assert [row.tolist() for row in file["row"]] == [[1, 2], [3, 4], [5, 6]]
        assert [row.tolist() for row in file["rows"][0]] == [[1, 2], [3]]


def test_attributes_have_the_shape_that_is_given(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        create = file.attrs.create
        create("pairs", np.arange(6), shape=(3,), dtype=PAIR)
        create("rows", np.arange(6).reshape(3, 2), shape=(3,), dtype=PAIR)
        create("like h5py", np.arange(6), shape=(3, 2), dtype=PAIR)
        create("pair", [1, 2], shape=(), dtype=PAIR)
        create("one", [1, 2, 3], shape=(), dtype=NUMBERS)
        create("texts", ["a", "b"], shape=(), dtype=TEXTS)
        create("equal", [[1, 2], [3, 4]], shape=(2,), dtype=NUMBERS)
        create("nested", [[[1], [2, 3]]], shape=(1, 2), dtype=NUMBERS)
        create("number", [1, 2], shape=2)
        create("none", np.zeros((0, 2)), shape=(0,), dtype=PAIR)
        create("singles", np.arange(3), shape=(3,), dtype=np.dtype(("<i4", (1,))))
        for shape, dtype in (((4,), PAIR), ((2,), "i4"), ((2, 2), NUMBERS)):
            with pytest.raises(ValueError, match="/: attribute 'x': .*shape"):
                create("x", [1, 2, 3], shape=shape, dtype=dtype)
    with h5py.File(tmp_path / "x.h5") as file:
        for name in ("pairs", "rows", "like h5py"):
            assert file.attrs[name].tolist() == [[0, 1], [2, 3], [4, 5]]
            assert file.attrs.get_id(name).shape == (3,)
        assert file.attrs["pair"].tolist() == [1, 2] and file.attrs.get_id("pair").shape == ()
        assert file.attrs["none"].shape == (0, 2) and file.attrs["singles"].tolist() == [[0], [1], [2]]
        assert file.attrs["one"].tolist() == [1, 2, 3] and [text.decode() for text in file.attrs["texts"]] == ["a", "b"]
        assert [row.tolist() for row in file.attrs["equal"]] == [[1, 2], [3, 4]]
        assert [row.tolist() for row in file.attrs["nested"][0]] == [[1], [2, 3]]


def test_fields_are_assigned_as_in_h5py(tmp_path):
    record = np.dtype([("a", "<i4"), ("b", "<f4"), ("at", "<i2", (2,))])

    def write(file):
        x = file.create_dataset("x", (3,), record)
        x["a"] = [1, 2, 3]
        x[0:2, "b"] = 1.5
        x["b", 2:] = 2.5
        x["at"] = [[1, 2], [3, 4], [5, 6]]
        x[2, "a"] = 7
        return x["a"].tolist(), x[0:2, "b"].tolist(), x["at"].tolist()

    with h5py.File(tmp_path / "theirs.h5", "w") as file:
        theirs = write(file)
    with hyperslab.NewFile(tmp_path / "ours.h5") as file:
        assert write(file) == theirs == ([1, 2, 7], [1.5, 1.5], [[1, 2], [3, 4], [5, 6]])
        # h5py does not assign fields beside texts.
        texts = file.create_dataset("texts", (2,), [("n", "u1"), ("t", h5py.string_dtype()), ("s", NUMBERS)])
        texts["t"] = ["x", "größer"]
        texts["s"] = [[1], [2, 3]]
        texts[1, "n"] = 5
        with pytest.raises(ValueError, match="^/texts: .*NUL"):
            texts["t"] = ["x", "y\0"]
        x = file["x"]
        x["a", "b"] = np.array([(9, 8.0)] * 3, [("b", "f8"), ("a", "i8")])
        x["a"] = np.array([(4,), (5,), (6,)], [("a", "<i8")])
        for use, error, says in (
            (lambda: x.__setitem__("no", 1), ValueError, "no field 'no'"),
            (lambda: x.__setitem__("a", 2**40), ValueError, "do not fit"),
            (lambda: x.__setitem__(("a", "b"), 1), TypeError, "fields"),
        ):
            with pytest.raises(error, match=f"^/x: .*{says}"):
                use()
    with h5py.File(tmp_path / "ours.h5") as file:
        assert file["x"]["a"].tolist() == [4, 5, 6] and file["x"]["b"].tolist() == [9, 9, 9]
        assert [(n, t.decode(), s.tolist()) for n, t, s in file["texts"][()]] == [(0, "x", [1]), (5, "größer", [2, 3])]


def test_without_a_dtype_elements_are_f4(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        assert file.create_dataset("x", (3,)).dtype == np.dtype("f4")
        assert file.create_dataset("empty", dtype="i2").shape is None
        # As in h5py, objects are true while the file is open.
        assert all(map(bool, (file, file.create_group("g"), file["x"], file["empty"], file.create_dataset("one", data=1))))
        x = file["x"]
    assert not x
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["x"].dtype == np.dtype("<f4") and file["x"][()].tolist() == [0, 0, 0]


def test_columns_of_pandas(tmp_path):
    pd = pytest.importorskip("pandas")
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file["texts"] = pd.Series(["a", "größer"], index=[5, 3])
        file["index"] = pd.Index(["a", "b"])
        file["numbers"] = pd.Series([1, 2], dtype="Int64")
        file["table"] = pd.DataFrame({"a": [1, 2], "b": [1.5, 2]})
        file.attrs["texts"] = pd.Series(["a", "b"])
        file.create_dataset("assigned", (2,), hyperslab.string_dtype())[:] = pd.Series(["c", "d"])
        with pytest.raises(TypeError, match="/missing"):
            file["missing"] = pd.Series(["a", None])
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["texts"].asstr()[()].tolist() == ["a", "größer"] and file["index"].asstr()[()].tolist() == ["a", "b"]
        assert file["numbers"][()].tolist() == [1, 2] and file["table"][()].tolist() == [[1, 1.5], [2, 2]]
        assert list(file.attrs["texts"]) == ["a", "b"] and file["assigned"].asstr()[()].tolist() == ["c", "d"]


def _given(kind):
    if kind == "texts":
        return np.array(["a", "größer", b"bytes", "", None, "b"], object), hyperslab.string_dtype()
    rows = np.empty(6, object)
    rows[:] = [np.arange(length, dtype="<i4") for length in (3, 0, 1, 2, 40, 5)]
    return rows, h5py.vlen_dtype("<i4")


def stored(text):
    """A text as h5py reads it."""
    return b"" if text is None else text.encode() if isinstance(text, str) else text


def test_texts_of_several_axes_are_written_in_blocks(tmp_path):
    texts = np.array([f"text {number}" * (number % 4) for number in range(7 * 5 * 3)], object)
    rows = np.empty(7 * 5, object)
    rows[:] = [np.arange(number % 6, dtype="<f8") for number in range(7 * 5)]
    for chunks, name in [(None, "contiguous"), ((3, 2, 2), "chunked"), ((2, 5, 3), "whole rows")]:
        with hyperslab.NewFile(tmp_path / "x.h5", overwrite=True) as file:
            file.create_dataset("given", data=texts.reshape(7, 5, 3), chunks=chunks)
            file.create_dataset("in shape", (7, 5, 3), data=texts, chunks=chunks)
            assigned = file.create_dataset("assigned", (7, 5, 3), hyperslab.string_dtype(), chunks=chunks)
            assigned[...] = texts.reshape(7, 5, 3)
            assert assigned[6, 4, 2] == texts[-1].encode()
            file.create_dataset("rows", data=rows.reshape(7, 5), dtype=h5py.vlen_dtype("<f8"), chunks=chunks and chunks[:2])
        with h5py.File(tmp_path / "x.h5") as file:
            for other in ("given", "in shape", "assigned"):
                assert file[other].asstr()[()].ravel().tolist() == texts.tolist(), (name, other)
            for one, other in zip(file["rows"][()].ravel(), rows, strict=True):
                assert one.tolist() == other.tolist(), name


@pytest.mark.parametrize("kind", ["texts", "rows"])
@pytest.mark.parametrize("how", ["untouched", "read", "assigned", "changed", "chunks"])
def test_values_of_variable_length_are_what_was_given(kind, how, tmp_path):
    values, dtype = _given(kind)
    expected = [value if isinstance(value, str) or value is None else value.copy() if kind == "rows" else value for value in values]
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        dataset = file.create_dataset("d", data=values, dtype=dtype, chunks=(4,) if how == "chunks" else None)
        assert dataset.shape == (6,)
        if how == "read":
            found = dataset[...]
            assert found.dtype.kind == "O"
            # As it is read from the file.
            read = [value if kind == "rows" else stored(value) for value in expected]
            for one, other in zip(found, read, strict=True):
                assert np.array_equal(one, other) and type(one) is type(other)
            found[0] = found[5]
            assert np.array_equal(dataset[0], read[0]), "what is read is a copy"
        if how == "assigned":
            dataset[1] = expected[1] = "new" if kind == "texts" else np.array([7, 8], "<i4")
        if how == "changed":
            values[2] = values[5]
            if kind == "rows":
                values[0][:] = -1
    with h5py.File(tmp_path / "x.h5") as file:
        for one, other in zip(file["d"][...], expected, strict=True):
            if kind == "rows":
                assert one.dtype == np.dtype("<i4") and one.tolist() == other.tolist()
            else:
                assert one == stored(other)


def test_values_of_variable_length_get_another_shape(tmp_path):
    for kind in ("texts", "rows"):
        values, dtype = _given(kind)
        with hyperslab.NewFile(tmp_path / "x.h5", overwrite=True) as file:
            file.create_dataset("d", (2, 3), dtype, data=values)
            file.create_dataset("none", data=np.empty(0, object), dtype=dtype)
            file.create_dataset("big", data=list(values) * 20_000, dtype=dtype)
        with h5py.File(tmp_path / "x.h5") as file:
            assert file["d"].shape == (2, 3) and file["none"].shape == (0,) and file["big"].shape == (120_000,)
            assert len(file["d"][1, 2]) == len(values[5])
            first, last = file["big"][:6], file["big"][-6:]
            assert [len(one) for one in first] == [len(one) for one in last] == [len(file["d"][place]) for place in np.ndindex(2, 3)]


LARGE = np.arange(6 << 20, dtype="f4").reshape(1536, 4096)


@pytest.mark.parametrize(
    "values",
    [LARGE[:, :2048].copy(), np.asfortranarray(LARGE), LARGE[::-1, ::-1], LARGE.reshape(1, -1), LARGE[:, ::2]],
    ids=["C", "F", "reversed", "one row", "steps"],
)
def test_large_arrays_are_copied_when_they_are_given(tmp_path, values):
    assert values.nbytes >= 8 << 20
    before = values.copy()
    with hyperslab.NewFile(tmp_path / "new.h5") as file:
        file.create_dataset("d", data=values)
        values += 1
    with hyperslab.File(tmp_path / "new.h5") as file:
        np.testing.assert_array_equal(file["d"][...], before)


@pytest.mark.parametrize(("given", "stored"), [("i8", "i4"), ("f4", "f8"), ("u2", "f4"), ("f8", ">f4"), ("i8", ">i2")])
def test_sequences_of_another_type_are_those_of_h5py(given, stored, tmp_path):
    values = np.empty(40, object)
    for number in range(40):
        values[number] = np.arange(number % 7).astype(given)
    for name, new in (("ours.h5", hyperslab.NewFile), ("theirs.h5", lambda path: h5py.File(path, "w"))):
        with new(tmp_path / name) as file:
            file.create_dataset("given", data=values, dtype=h5py.vlen_dtype(stored))
            file.create_dataset("assigned", (40,), dtype=h5py.vlen_dtype(stored))[...] = values
            file.create_dataset("lists", (40,), dtype=h5py.vlen_dtype(stored))[...] = [list(range(n % 5)) for n in range(40)]
    with h5py.File(tmp_path / "ours.h5") as ours, h5py.File(tmp_path / "theirs.h5") as theirs:
        for name in theirs:
            assert h5py.check_vlen_dtype(ours[name].dtype) == h5py.check_vlen_dtype(theirs[name].dtype)
            assert all(np.array_equal(one, other) for one, other in zip(ours[name], theirs[name], strict=True)), name


def test_numbers_without_a_place_in_a_sequence_are_refused(tmp_path):
    values = np.empty(2, object)
    values[:] = [np.array([1, 2]), np.array([1 << 40])]
    with hyperslab.NewFile(tmp_path / "x.h5") as file, pytest.raises(ValueError, match="1099511627776 do not fit int32"):
        file.create_dataset("d", data=values, dtype=h5py.vlen_dtype("i4"))


STRINGS = np.dtypes.StringDType()
#: Short ones are kept in NumPy's array itself, longer ones beside it.
SOME = ["", "a", "größer", "fifteen letters", "text of more than fifteen bytes", "ß" * 300]


def test_arrays_of_string_dtype_are_texts(tmp_path):
    values = np.array(SOME, STRINGS)
    values[1] = "changed, and longer than before"
    table = np.array([SOME, SOME[::-1]], STRINGS)
    expected = {
        "all": values.tolist(),
        "gaps": values[::2].tolist(),
        "turned": table.T.tolist(),
        "shaped": values.reshape(3, 2).tolist(),
        "chunks": table.tolist(),
        "later": values.tolist(),
        "assigned": table.tolist(),
        "some": ["", *SOME[2:4], "", "", ""],
        "none": [],
        "one": SOME[2],
    }
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        kept = file.create_dataset("all", data=values)
        file.create_dataset("gaps", data=values[::2])
        file.create_dataset("turned", data=table.T)
        file.create_dataset("shaped", (3, 2), h5py.string_dtype(), data=values)
        file.create_dataset("chunks", data=table, chunks=(1, 4), compression="gzip")
        file.create_dataset("later", data=values, copy=False)
        file.create_dataset("assigned", table.shape, h5py.string_dtype())[...] = table
        file.create_dataset("some", (6,), h5py.string_dtype())[1:3] = np.array(SOME[2:4], STRINGS)
        file.create_dataset("none", data=np.array([], STRINGS))
        file.create_dataset("one", data=np.array(SOME[2], STRINGS))
        # They were read when they were given, and are read as from a file.
        values_before, values[0] = values.copy(), "changed later"
        assert [text.decode() for text in kept[...]] == values_before.tolist()
        kept[2] = "another"
        values[0] = ""
    expected["all"][2] = "another"
    with h5py.File(tmp_path / "x.h5") as file:
        assert {name: file[name].asstr()[()] if name == "one" else file[name].asstr()[...].tolist() for name in file} == expected


def test_what_texts_of_string_dtype_cannot_be_is_refused(tmp_path):
    file = hyperslab.NewFile(tmp_path / "x.h5")
    with pytest.raises(ValueError, match="NUL"):
        file.create_dataset("nul", data=np.array(["a\0b", "c"], STRINGS))
    with pytest.raises((TypeError, ValueError)):
        file.create_dataset("missing", data=np.array(["a", np.nan], np.dtypes.StringDType(na_object=np.nan)), dtype=h5py.string_dtype())
    file.discard()
