"""astype, asstr, fields: against h5py."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from comparing import assert_same

import hyperslab

RECORDS = np.array([(1, 2.5, b"ab"), (3, -4.5, b"c")], dtype=[("n", "<i4"), ("x", ">f8"), ("t", "S2")])


def write(file):
    file["records"] = RECORDS
    file["record"] = RECORDS[0]
    file["ints"] = np.array([0, 1, -1, 127, 128, 300, -300, 2**31 - 1, -(2**31)], "<i4")
    file["wide"] = np.array([0, 2**63 - 1, -(2**63), 2**40, -5], "<i8")
    file["unsigned"] = np.array([0, 255, 2**32, 2**64 - 1], "<u8")
    file["floats"] = np.array([0.0, 1.75, -1.75, 1e10, -1e10, 3e38, 1e300], "<f8")
    file["not_numbers"] = np.array([np.nan, np.inf, -np.inf, 2.5, np.nan], "<f4")
    file["foreign"] = np.array([np.nan, np.inf, -np.inf, 2.5, np.nan], ">f8")
    file["nothing"] = h5py.Empty("f4")
    file["text"] = ["a", "äö", ""]
    file["word"] = "wörd"
    file["fixed"] = np.array([b"ab", b"c"], "S3")
    file["ragged_ascii"] = np.array([b"a", b"b"], dtype=object).astype(h5py.string_dtype("ascii"))


@pytest.mark.parametrize("name", ["ints", "wide", "unsigned", "floats", "not_numbers", "foreign"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "<i2", ">u2", "<i4", ">i4", "u4", "i8", "u8", "f4", ">f4", "f8"])
def test_astype_converts_as_libhdf5_does(pair, name, dtype):
    theirs, ours = pair(write)[name]
    assert_same(ours.astype(dtype)[...], theirs.astype(dtype)[...])
    assert_same(ours.astype(dtype)[1:3], theirs.astype(dtype)[1:3])
    assert_same(ours.astype(dtype)[1], theirs.astype(dtype)[1])
    assert_same(np.asarray(ours.astype(dtype)), np.asarray(theirs.astype(dtype)))


def test_not_a_number_becomes_an_integer_as_in_libhdf5(pair):
    both = pair(write)
    for name in ("not_numbers", "foreign"):
        theirs, ours = both[name]
        targets = [np.ones(5, dtype) for dtype in ("<i2", ">i4", "<i4", "<u4", ">i8")]
        for target in targets:
            expected = target.copy()
            ours.read_direct(target)
            theirs.read_direct(expected)
            assert_same(target, expected)


@pytest.mark.parametrize("dtype", ["i4", "S3", "U3", [("a", "f4")]])
def test_astype_of_a_null_dataspace_is_empty(pair, dtype):
    theirs, ours = pair(write)["nothing"]
    for index in ((), ...):
        found = ours.astype(dtype)[index]
        assert isinstance(found, hyperslab.Empty) and found.dtype == theirs.astype(dtype)[index].dtype
    with pytest.raises(ValueError):
        ours.astype(dtype)[0]


@pytest.mark.parametrize("name", ["records", "ints", "text", "fixed"])
@pytest.mark.parametrize("dtype", ["i4", "S4", "V3", "O", [("a", "i4")]])
def test_no_elements_need_no_conversion(pair, name, dtype):
    theirs, ours = pair(write)[name]
    assert_same(ours.astype(dtype)[0:0], theirs.astype(dtype)[0:0])
    assert_same(ours.astype(dtype)[[]], theirs.astype(dtype)[[]])
    target = np.zeros(3, dtype)
    ours.read_direct(target, np.s_[0:0], np.s_[0:0])
    ours.read_direct(np.zeros(0, dtype), np.s_[0:0])
    assert_same(target, np.zeros(3, dtype))


def test_a_view_describes_itself(pair):
    _, ours = pair(write)["ints"]
    view = ours.astype("f4")
    assert (view.dtype, view.shape, view.ndim, view.size, len(view)) == (np.dtype("f4"), (9,), 1, 9, 9)
    assert ours.astype("<i4") is ours


def test_astype_of_compounds_goes_by_name(pair):
    theirs, ours = pair(write)["records"]
    wanted = np.dtype([("x", "f4"), ("n", "i8")])
    assert_same(ours.astype(wanted)[:], theirs.astype(wanted)[:])


@pytest.mark.parametrize("name", ["text", "word", "fixed", "ragged_ascii"])
def test_asstr(pair, libver, name):
    theirs, ours = pair(write, libver)[name]
    assert_same(ours.asstr()[...], theirs.asstr()[...])
    assert_same(ours.asstr()[()], theirs.asstr()[()])
    assert_same(ours.asstr("latin-1")[()], theirs.asstr("latin-1")[()])
    if ours.ndim:
        assert_same(ours.asstr()[0], theirs.asstr()[0])
        assert_same(np.asarray(ours.asstr()), np.asarray(theirs.asstr()))


def test_asstr_of_opaque_text(pair):
    """h5py takes opaque elements for the dtype that their tag names."""

    def write(file):
        opaque = h5py.h5t.create(h5py.h5t.OPAQUE, 4)
        opaque.set_tag(b"NUMPY:|S4")
        space = h5py.h5s.create_simple((3,))
        dataset = h5py.h5d.create(file.id, b"text", opaque, space)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"ab", b"", b"abcd"], "S4"), opaque)

    theirs, ours = pair(write)["text"]
    for index in (0, (), ..., slice(1, None), [0, 2]):
        assert_same(ours.asstr()[index], theirs.asstr()[index])


def test_asstr_errors(pair):
    both = pair(write)
    with pytest.raises(TypeError):
        both.ours["ints"].asstr()
    with pytest.raises(UnicodeDecodeError):
        both.ours["text"].asstr("ascii")[1]
    assert both.ours["text"].asstr("ascii", errors="replace")[1] == both.theirs["text"].asstr("ascii", "replace")[1]


def test_text_as_numpy_strings(pair):
    theirs, ours = pair(write)["text"]
    assert_same(ours.astype("T")[:], theirs.astype("T")[:])


@pytest.mark.parametrize("name", ["records", "record"])
def test_fields(pair, libver, name):
    theirs, ours = pair(write, libver)[name]
    for names in ["n", "x", ["x", "n"], ["t"]]:
        assert_same(ours.fields(names)[()], theirs.fields(names)[()])
        assert_same(ours.fields(names)[...], theirs.fields(names)[...])
        assert ours.fields(names).dtype == theirs.fields(names).dtype
    assert_same(ours["n"], theirs["n"])
    assert_same(ours["x", "n"], theirs["x", "n"])


def test_names_may_stand_beside_other_indexes(pair):
    theirs, ours = pair(write)["records"]
    for index in [("n", 1), (1, "n"), ("n", slice(1, None)), ("t", "x", [0, 1]), ("n", ...)] + [
        (..., slice(0, 1), "n"), (slice(0, 1), ..., "n"), (..., 1, "n", "x"), ("t", ..., [1]),
    ]:  # fmt: skip
        assert_same(ours[index], theirs[index])
    for wrong in ["q", ("n", "q"), (..., ..., "n"), (..., 0, 0, "n"), (0, 0, "n")]:
        with pytest.raises(ValueError):
            ours[wrong]
    with pytest.raises(ValueError):
        pair(write).ours["ints"]["n"]


MANY = np.dtype(
    [
        ("r", "<f4"),
        ("i", "<f4"),
        ("n", ">i2"),
        ("text", h5py.string_dtype()),
        ("grid", "<i4", (2, 2)),
        ("inner", [("a", "u1"), ("b", ">f8")]),
        ("fixed", "S5"),
        ("flag", "?"),
    ]
)


def write_many(file):
    made = np.zeros(40, MANY)
    made["r"] = np.arange(40)
    made["n"] = np.arange(40) * 300
    made["text"] = [f"text {i}" for i in range(40)]
    made["grid"] = np.arange(160).reshape(40, 2, 2)
    made["inner"]["b"] = np.arange(40) / 4
    made["fixed"] = [b"%d" % i for i in range(40)]
    made["flag"] = np.arange(40) % 3 == 0
    file["plain"] = made
    file["one"] = made[7]
    file.create_dataset("chunked", data=made, chunks=(7,))


@pytest.mark.parametrize("name", ["plain", "chunked", "one"])
@pytest.mark.parametrize("names", [*MANY.names, ["r", "i"], ["flag", "n"], ["text", "inner", "r"], ["grid"]])
def test_fields_of_every_kind(pair, name, names):
    theirs, ours = pair(write_many)[name]
    indexes = [(), ...]
    if ours.ndim:
        indexes += [np.s_[:], np.s_[3:30:4], 5, [1, 8, 20], np.arange(40) % 5 == 0]
    for index in indexes:
        assert_same(ours.fields(names)[index], theirs.fields(names)[index])


def test_text_of_many_elements(pair):
    words = [f"word {i}" if i % 7 else "" for i in range(50_000)]

    def write(file):
        file.create_dataset("vlen", data=words, dtype=h5py.string_dtype())
        file.create_dataset("gzip", data=words, dtype=h5py.string_dtype(), chunks=(999,), compression="gzip")
        file.create_dataset("fixed", data=np.array(words, "S"), chunks=(999,))
        file.create_dataset("unwritten", (20_000,), h5py.string_dtype(), fillvalue="again")

    both = pair(write)
    for name in ("vlen", "gzip", "fixed", "unwritten"):
        theirs, ours = both[name]
        assert_same(ours[:], theirs[:])
        assert_same(ours.asstr()[:], theirs.asstr()[:])
        assert_same(ours.asstr()[17:18_000:3], theirs.asstr()[17:18_000:3])
