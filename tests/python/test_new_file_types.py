"""Named datatypes, region references, nested sequences and their fill values in `hyperslab.NewFile`, as h5py reads them."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import hyperslab

VALUES = np.arange(60, dtype="<i4").reshape(6, 10)
#: Indexes of a dataset; h5py's indexes with lists of more than one axis are not possible.
REGIONS = {
    "block": np.s_[1:3, 2:4],
    "row": np.s_[2],
    "steps": np.s_[::2, 1::3],
    "list": np.s_[[0, 2, 3, 5], :],
    "whole": np.s_[...],
    "one": np.s_[3, 4],
    "mask": VALUES % 7 == 3,
}


def valid(path) -> None:
    report = hyperslab.check(path, data=True)
    assert (report["errors"], report["findings"]) == (0, [])


@pytest.mark.parametrize("libver", ["earliest", "v110", "latest"])
def test_region_references_select_what_those_of_h5py_do(libver, tmp_path):
    record = np.dtype([("n", "<i2"), ("region", hyperslab.regionref_dtype), ("object", hyperslab.ref_dtype)])
    with hyperslab.NewFile(tmp_path / "x.h5", libver=libver) as file:
        x = file.create_dataset("g/x", data=VALUES, chunks=(4, 4))
        file["regions"] = [x.regionref[index] for index in REGIONS.values()]
        file.create_dataset("chunked", (5,), hyperslab.regionref_dtype, chunks=(2,))[3] = x.regionref[0:2, 0:2]
        file.create_dataset("records", data=np.array([(7, x.regionref[4:, 9], x.ref)], record))
        file.attrs["region"] = x.regionref[1, :3]
        assert file[x.ref] == x and file[x.regionref[0]] == x
    valid(tmp_path / "x.h5")
    # h5py makes region references only in files that it may write.
    with h5py.File(tmp_path / "x.h5", "r+") as file, hyperslab.File(tmp_path / "x.h5", locking=False) as ours:
        x = file["g/x"]
        for ref, own, index in zip(file["regions"], ours["regions"], REGIONS.values(), strict=True):
            theirs = x.regionref[index]
            assert file[ref] == x
            np.testing.assert_array_equal(x[ref], x[theirs])
            assert x.regionref.selection(ref) == x.regionref.selection(theirs)
            np.testing.assert_array_equal(ours["g/x"][own].ravel(), VALUES[index].ravel())
        assert [bool(ref) for ref in file["chunked"]] == [False, False, False, True, False]
        assert x[file["chunked"][3]].tolist() == [[0, 1], [10, 11]]
        n, region, ref = file["records"][0]
        assert n == 7 and x[region].ravel().tolist() == [49, 59] and file[ref] == x
        assert x[file.attrs["region"]].ravel().tolist() == [10, 11, 12]


def test_named_datatypes(tmp_path):
    record = np.dtype([("name", h5py.string_dtype()), ("at", "<f4", (2,))])
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file["types/short"] = np.dtype("<i2")
        file["types/record"] = record
        file["types/colour"] = h5py.enum_dtype({"RED": 0, "BLUE": 7}, "u1")
        short, colour = file["types/short"], file["types/colour"]
        assert short.dtype == np.dtype("<i2") and isinstance(short, hyperslab.NewDatatype)
        short.attrs["meaning"] = "small"
        x = file.create_dataset("x", data=[1, 2, 3], dtype=short, chunks=(2,), compression="gzip")
        file.create_dataset("records", (2,), file["types/record"])[0] = ("a", (1, 2))
        x.attrs.create("colour", 7, dtype=colour)
        x.attrs.create("none", hyperslab.Empty("<i2"), dtype=short)
        x.attrs.create("changed", 1, dtype=short)
        x.attrs.modify("changed", 2)
        x.attrs.create("own", 1, dtype=short)
        x.attrs["own"] = 3
        file["alias"] = short
        file.attrs["type"] = short.ref
        with hyperslab.NewFile(tmp_path / "other.h5") as other:
            with pytest.raises(ValueError, match="another new file"):
                other.create_dataset("x", (2,), short)
            other.discard()
    valid(tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as file:
        assert isinstance(file["types/short"], h5py.Datatype) and file["types/short"].attrs["meaning"] == "small"
        assert file["alias"] == file["types/short"] == file[file.attrs["type"]]
        x = file["x"]
        assert x.id.get_type().committed() and x[()].tolist() == [1, 2, 3] and x.dtype == "<i2"
        assert file["records"].id.get_type().committed() and file["records"][0]["name"] == b"a"
        named = {name: x.attrs.get_id(name).get_type().committed() for name in x.attrs}
        assert named == {"colour": True, "none": True, "changed": True, "own": False}
        assert (x.attrs["colour"], x.attrs["changed"], x.attrs["own"]) == (7, 2, 3)
        assert h5py.check_enum_dtype(file["types/colour"].dtype) == {"RED": 0, "BLUE": 7}


def nested(*rows) -> np.ndarray:
    """An array of sequences."""
    array = np.empty(len(rows), object)
    for number, row in enumerate(rows):
        array[number] = row
    return array


def test_sequences_of_sequences_and_of_texts(tmp_path):
    pairs = h5py.vlen_dtype(np.dtype([("name", h5py.string_dtype()), ("n", "<i4")]))
    numbers, texts = h5py.vlen_dtype(h5py.vlen_dtype("<i4")), h5py.vlen_dtype(h5py.string_dtype())
    deep = h5py.vlen_dtype(numbers)
    mixed = np.dtype([("plain", h5py.vlen_dtype("<i2")), ("texts", texts), ("inner", [("t", h5py.string_dtype()), ("n", "<i8")], (2,))])
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file.create_dataset("numbers", data=[[[1, 2], [3], []], [], [[4]]], dtype=numbers, chunks=(2,), compression="gzip")
        file.create_dataset("texts", data=[["a", "größer"], [], ["x"]], dtype=texts)
        file.create_dataset("deep", data=[[[[1], [2, 3]], []], [[[4]]]], dtype=deep)
        file.create_dataset("pairs", (2,), pairs)[1] = np.array([("one", 1), ("two", 2)], pairs.metadata["vlen"])
        rows = [([1, 2], ["a", "bc"], [("x", 1), ("y", 2)]), ([], [], [("", 3), ("zz", 4)])]
        file.create_dataset("mixed", data=np.array(rows, mixed))
        file.attrs.create("texts", [["p", "q"], ["r"]], dtype=texts)
    valid(tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as file, hyperslab.File(tmp_path / "x.h5") as ours:
        for read in (file, ours):
            listed = [[[int(n) for n in inner] for inner in row] for row in read["numbers"][()]]
            assert listed == [[[1, 2], [3], []], [], [[4]]]
            decoded = [[text.decode() if isinstance(text, bytes) else text for text in row] for row in read["texts"][()]]
            assert decoded == [["a", "größer"], [], ["x"]]
            assert [[[list(n) for n in inner] for inner in row] for row in read["deep"][()]] == [[[[1], [2, 3]], []], [[[4]]]]
        # h5py cannot read sequences of compounds with text, not even its own.
        found = ours["pairs"][()]
        assert len(found[0]) == 0 and [(row["name"].decode(), row["n"]) for row in found[1]] == [("one", 1), ("two", 2)]
        first, second = file["mixed"][()]
        assert list(first["plain"]) == [1, 2] and [text.decode() for text in first["texts"]] == ["a", "bc"]
        assert [(t.decode(), n) for t, n in first["inner"]] == [("x", 1), ("y", 2)]
        assert len(second["texts"]) == 0 and [(t.decode(), n) for t, n in second["inner"]] == [("", 3), ("zz", 4)]
        assert [[text.decode() for text in row] for row in file.attrs["texts"]] == [["p", "q"], ["r"]]


def test_fill_values_of_variable_length(tmp_path):
    sequences, record = h5py.vlen_dtype("<i4"), np.dtype([("name", h5py.string_dtype()), ("n", "<i4")])
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file.create_dataset("text", (5,), h5py.string_dtype(), fillvalue="absent", chunks=(2,))
        file.create_dataset("block", (5000,), h5py.string_dtype(), fillvalue="größer")
        file.create_dataset("small", (3,), h5py.string_dtype(), fillvalue="few")
        partly = file.create_dataset("partly", (5,), h5py.string_dtype(), fillvalue=b"rest", chunks=(2,))
        partly[1] = "set"
        file.create_dataset("sequences", (4,), sequences, fillvalue=[7, 8], chunks=(2,), maxshape=(None,))
        file.create_dataset("records", (3,), record, fillvalue=("none", -1), chunks=(2,))
        file.create_dataset("to", (3,), hyperslab.ref_dtype, fillvalue=partly.ref, chunks=(2,))
        assert partly[0] == b"rest"
    valid(tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as file, hyperslab.File(tmp_path / "x.h5") as ours:
        assert file["text"][()].tolist() == [b"absent"] * 5 and file["text"].fillvalue == b"absent"
        assert file["block"][4999].decode() == "größer" and file["block"].id.get_offset() is None
        assert file["small"][()].tolist() == [b"few"] * 3
        assert file["partly"][()].tolist() == [b"rest", b"set", b"rest", b"rest", b"rest"]
        for read in (file, ours):
            assert [list(row) for row in read["sequences"][()]] == [[7, 8]] * 4
        assert [tuple(row) for row in file["records"][()]] == [(b"none", -1)] * 3
        assert all(file[ref].name == "/partly" for ref in file["to"][()])
        with h5py.File(tmp_path / "x.h5") as again:
            assert again["text"].id.get_create_plist().fill_value_defined() == h5py.h5d.FILL_VALUE_USER_DEFINED
    # What other programs add has the fill value, too.
    with h5py.File(tmp_path / "x.h5", "r+") as file:
        file["sequences"].resize((6,))
        assert [list(row) for row in file["sequences"][()]] == [[7, 8]] * 6


def test_require_dataset(tmp_path):
    for library, path in ((h5py, tmp_path / "theirs.h5"), (hyperslab, tmp_path / "ours.h5")):
        with h5py.File(path, "w") if library is h5py else hyperslab.NewFile(path) as file:
            x = file.require_dataset("g/x", (4, 5), "<i8", maxshape=(None, 5), chunks=(2, 5))
            assert file.require_dataset("g/x", (4, 5), "<i4") == x == file.require_dataset("g/x", (4, 5), "<i8", exact=True)
            assert file.require_dataset("g/x", (9, 5), "<i8", maxshape=(None, 5)) == x
            for shape, dtype, options in [
                ((4, 6), "<i8", {}),
                ((9, 5), "<i8", {"maxshape": (9, 5)}),
                ((4, 5), "<f8", {}),
                ((4, 5), "<i4", {"exact": True}),
            ]:
                with pytest.raises(TypeError):
                    file.require_dataset("g/x", shape, dtype, **options)
            with pytest.raises(TypeError):
                file.require_dataset("g", (1,), "<i8")
            assert file.require_dataset("one", 3, "<f4").shape == (3,) and file.require_dataset("one", 3, "<f4").shape == (3,)


def test_links_are_moved(tmp_path):
    names = {}
    for library, path in ((h5py, tmp_path / "theirs.h5"), (hyperslab, tmp_path / "ours.h5")):
        with h5py.File(path, "w", track_order=True) if library is h5py else hyperslab.NewFile(path, track_order=True) as file:
            for name in ("a/b/x", "a/c", "d"):
                file[name] = [1, 2]
            file["soft"] = library.SoftLink("/d")
            file.move("a/b", "new/place/b")
            file.move("soft", "a/soft")
            file["a"].move("c", "/last")
            file["a"].move("/d", "e")
            file.move("last", "last")
            assert file["new/place/b/x"].name == "/new/place/b/x" and file["last"].name == "/last"
            file["new/place/b"].create_dataset("y", data=3)
            for source, target in (("no", "x"), ("last", "a/e")):
                with pytest.raises(ValueError):
                    file.move(source, target)
        with h5py.File(path, track_order=True) as file:
            names[library] = [list(file), list(file["a"]), list(file["new/place/b"]), file["new/place/b/y"][()]]
            assert file["a"].get("soft", getlink=True).path == "/d" and "soft" not in file
    assert names[h5py] == names[hyperslab]
    valid(tmp_path / "ours.h5")
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file["a/b/x"] = 1
        with pytest.raises(ValueError, match="into itself"):
            file.move("a", "a/b/c")
        file.discard()


@pytest.mark.parametrize(
    ("use", "error", "says"),
    [
        (lambda file, other: file.create_dataset("y", data=[other["x"].regionref[0]]), TypeError, "same new file"),
        (lambda file, _: file["x"].regionref[[3, 1]], ValueError, "increasing order"),
        (lambda file, _: file["x"].regionref[9], IndexError, "range"),
        (lambda file, _: file["x"].regionref["name"], (TypeError, ValueError), ""),
        (lambda file, _: file["null"].regionref[...], ValueError, "no elements"),
        (lambda file, _: file.create_dataset("y", (2,), "<i4", fillvalue=[1, 2]), ValueError, "one element"),
        (lambda file, other: file.create_dataset("y", (2,), hyperslab.ref_dtype, fillvalue=other["x"].ref), TypeError, "same new file"),
    ],
)
def test_what_is_not_possible_is_refused(use, error, says, tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file, hyperslab.NewFile(tmp_path / "y.h5") as other:
        file["x"] = other["x"] = [1, 2, 3, 4]
        file["null"] = hyperslab.Empty("<i4")
        with pytest.raises(error, match=says):
            use(file, other)
            file.close()
        file.discard()
        other.discard()
