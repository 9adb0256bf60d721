"""Every dtype that h5py or libhdf5 can write: the same dtype, metadata and values as in h5py."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from comparing import assert_same, same_dtype, same_object
from h5py import h5d, h5s, h5t

import hyperslab

NUMBERS = [order + kind for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8") for order in "<>"]
FLOATS = [order + kind for kind in ("f2", "f4", "f8", "c8", "c16") for order in "<>"] + ["g", "G"]


def values_of(dtype: str) -> np.ndarray:
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, 0, 1, 42, 2], dtype=dtype)
    some = [0.0, -0.0, 1.5, -3.25, np.inf, np.nan]
    return np.array(some, dtype=dtype) * (1 + 2j if dtype.kind == "c" else 1)


@pytest.mark.parametrize("dtype", NUMBERS + FLOATS)
def test_numbers(pair, libver, dtype):
    values = values_of(dtype).astype(dtype)

    def write(file):
        file["plain"] = values
        file.create_dataset("chunked", data=values, chunks=(4,), compression="gzip")

    both = pair(write, libver)
    for name in ["plain", "chunked"]:
        theirs, ours = both[name]
        assert same_dtype(ours.dtype, theirs.dtype)
        assert ours.dtype.str == theirs.dtype.str
        assert_same(ours[...], theirs[...])
        assert_same(ours[1:4], theirs[1:4])
        assert_same(ours[2], theirs[2])
        assert_same(ours.fillvalue, theirs.fillvalue)


NESTED = np.dtype([("a", "<i2"), ("in", [("x", ">f4"), ("y", "S3")]), ("m", "<u4", (2, 3))])
PADDED = np.dtype({"names": ["b", "a"], "formats": [">i2", "<f8"], "offsets": [20, 8], "itemsize": 32})


def write_structured(file):
    nested = np.zeros((3, 2), NESTED)
    nested["a"] = np.arange(6).reshape(3, 2)
    nested["in"]["x"] = 1.5
    nested["in"]["y"] = b"ab"
    nested["m"] = np.arange(6).reshape(2, 3)
    file.create_dataset("nested", data=nested, chunks=(2, 1), compression="gzip")
    padded = np.zeros(4, PADDED)
    padded["a"], padded["b"] = 2.5, [1, -2, 3, -4]
    file["padded"] = padded
    file["aligned"] = np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")], align=True))
    file.create_dataset("array", (2,), np.dtype((">f4", (3, 2))))[...] = np.arange(12).reshape(2, 3, 2)
    file["bool"] = np.array([True, False, True])
    file["in_bool"] = np.array([(True, 1), (False, 2)], dtype=[("ok", "?"), ("n", "i4")])
    file.create_dataset("enum", data=[1, 2, 1], dtype=h5py.enum_dtype({"RED": 1, "GRÜN": 2}, ">i2"))
    file.create_dataset("negative_enum", data=[-1, 5], dtype=h5py.enum_dtype({"A": -1, "B": 5}, "<i8"))
    file["opaque"] = np.array([b"\0ab", b"cd\0"], dtype="V3")
    file["dates"] = np.array(["2020-02-03", "1999-01-01"], "M8[s]").astype(h5py.opaque_dtype("M8[s]"))
    file["fixed"] = np.array([b"a", b"bcd", b"", b"a\0b"], dtype="S3")
    file.create_dataset("fixed_utf8", data=["ä".encode(), b"b"], dtype=h5py.string_dtype("utf-8", 4))
    file["complex_pair"] = np.array([1 + 2j, 3], dtype=">c16")


STRUCTURED = [
    "nested", "padded", "aligned", "array", "bool", "in_bool", "enum", "negative_enum", "opaque", "dates", "fixed",
    "fixed_utf8", "complex_pair",
]  # fmt: skip


@pytest.mark.parametrize("name", STRUCTURED)
def test_structured(pair, libver, name):
    theirs, ours = pair(write_structured, libver)[name]
    assert same_dtype(ours.dtype, theirs.dtype), (ours.dtype, theirs.dtype)
    assert_same(ours[...], theirs[...])
    assert_same(ours[1:], theirs[1:])
    assert_same(ours[(1,) * ours.ndim], theirs[(1,) * ours.ndim])
    assert_same(ours[[0, 1]], theirs[[0, 1]])
    assert_same(ours.fillvalue, theirs.fillvalue)
    assert repr(ours) == repr(theirs)


def write_objects(file):
    strings = file.create_dataset("strings", (5,), h5py.string_dtype(), chunks=(2,), compression="gzip")
    strings[:3] = ["", "äöü", "x" * 5000]
    file.create_dataset("ascii", (2,), h5py.string_dtype("ascii"))[0] = b"abc"
    file.create_dataset("filled", (3,), h5py.string_dtype(), fillvalue="none")[1] = "some"
    file["one"] = "a single text"
    ragged = file.create_dataset("ragged", (2, 2), h5py.vlen_dtype("<f4"))
    ragged[0, 0], ragged[1, 1] = [1, 2, 3], np.arange(2000)
    texts = file.create_dataset("vlen_text", (2,), h5py.vlen_dtype(h5py.string_dtype()))
    texts[0] = np.array(["a", "bc"], dtype=object)
    inner = np.dtype([("a", "i4"), ("b", "f4")])
    records = file.create_dataset("vlen_compound", (2,), h5py.vlen_dtype(inner))
    records[1] = np.array([(1, 2.5), (3, 4.5)], dtype=inner)
    file.create_dataset("refs", (2,), h5py.ref_dtype)[0] = file["one"].ref
    file.create_dataset("regions", (2,), h5py.regionref_dtype)[0] = file["ragged"].regionref[:, 1]
    mixed = [
        ("n", "i4"), ("text", h5py.string_dtype()), ("f", ">f8"), ("seq", h5py.vlen_dtype("i2")),
        ("ref", h5py.ref_dtype), ("region", h5py.regionref_dtype), ("fixed", "S4"), ("last", "i1"),
    ]  # fmt: skip
    row = (1, "x", 2.5, np.array([1, 2], "i2"), file["one"].ref, file["ragged"].regionref[0], b"abcd", 7)
    file.create_dataset("mixed", (2,), mixed)[0] = row
    file.create_dataset("arrays", (2,), [("a", "i4", (2,)), ("s", h5py.string_dtype(), (3,)), ("z", "i1")])


OBJECTS = ["strings", "ascii", "filled", "one", "ragged", "vlen_text", "vlen_compound", "refs", "regions", "mixed",
           "arrays"]  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_objects(pair, libver, name):
    theirs, ours = pair(write_objects, libver)[name]
    assert same_dtype(ours.dtype, theirs.dtype), (ours.dtype, theirs.dtype)
    assert_same(ours[...], theirs[...])
    assert_same(ours[()], theirs[()])
    if ours.ndim:
        assert_same(ours[1:], theirs[1:])
        assert same_object(ours[(0,) * ours.ndim], theirs[(0,) * ours.ndim])
    assert_same(ours.fillvalue, theirs.fillvalue)


def test_text_that_was_never_written_is_one_object(pair):
    """A million elements with the fill value need the memory of one."""

    def write(file):
        file.create_dataset("d", (1_000_000,), h5py.string_dtype(), fillvalue="x" * 1000, chunks=(10_000,))[7] = "y"

    _, ours = pair(write)["d"]
    found = ours[...]
    assert found[7] == b"y"
    # Those that share a chunk with what was written have their own copies in the file.
    assert found[10_000] is found[-1]
    assert found[0] == found[-1] == b"x" * 1000


def create(file, name, datatype, values=None, memory=None, shape=(2,)):
    dataset = h5d.create(file.id, name.encode(), datatype, h5s.create_simple(shape))
    if values is not None:
        dataset.write(h5s.ALL, h5s.ALL, values, memory)


def integer(base, *, size=None, precision=None, offset=0):
    datatype = base.copy()
    if size:
        datatype.set_size(size)
    if precision:
        datatype.set_precision(precision)
    datatype.set_offset(offset)
    return datatype


def small_float(size, sign, exponent_at, exponent, mantissa, bias, base=h5t.IEEE_F32LE):
    datatype = base.copy()
    datatype.set_fields(sign, exponent_at, exponent, 0, mantissa)
    datatype.set_size(size)
    datatype.set_ebias(bias)
    return datatype


def text(size, padding, charset=h5t.CSET_ASCII):
    datatype = h5t.C_S1.copy()
    datatype.set_size(size)
    datatype.set_strpad(padding)
    datatype.set_cset(charset)
    return datatype


def compound(size, *members):
    datatype = h5t.create(h5t.COMPOUND, size)
    for name, offset, member in members:
        datatype.insert(name, offset, member)
    return datatype


def write_uncommon(file):
    ints = np.array([5, -3], "<i4")
    create(file, "i20", integer(h5t.STD_I32LE, precision=20), ints)
    create(file, "i20_at_4", integer(h5t.STD_I32BE, precision=20, offset=4), ints)
    create(file, "u12_at_3", integer(h5t.STD_U16LE, precision=12, offset=3), np.array([4095, 7], "<u2"))
    floats = np.array([1.5, -0.0078125, 0.0, -0.0, np.inf, np.nan, 2.0**-133, 255.0], "<f4")
    eight = (8,)
    create(file, "bfloat16", small_float(2, 15, 7, 8, 7, 127), floats, shape=eight)
    create(file, "f8e4m3", small_float(1, 7, 3, 4, 3, 7), floats[:4], shape=(4,))
    create(file, "f8e5m2", small_float(1, 7, 2, 5, 2, 15), floats[:4], shape=(4,))
    create(file, "f24", small_float(3, 23, 16, 7, 16, 63), floats[:4], shape=(4,))
    create(file, "bits16", h5t.STD_B16BE)
    create(file, "null_terminated", text(4, h5t.STR_NULLTERM), np.array([b"ab\0c", b"abcd"]), text(4, h5t.STR_NULLTERM))
    create(file, "space_padded", text(4, h5t.STR_SPACEPAD), np.array([b"ab  ", b"a\0 d"]), text(4, h5t.STR_SPACEPAD))
    create(file, "null_padded", text(4, h5t.STR_NULLPAD), np.array([b"ab\0c", b"abcd"]), text(4, h5t.STR_NULLPAD))
    wide = h5t.enum_create(h5t.STD_I32BE)
    wide.enum_insert(b"TRUE", 1)
    wide.enum_insert(b"FALSE", 0)
    create(file, "wide_bool", wide, np.array([1, 0], ">i4"), wide)
    spread = compound(24, (b"r", 0, h5t.IEEE_F64LE), (b"i", 16, h5t.IEEE_F64LE))
    create(file, "spread_complex", spread, np.array([1 + 2j, 3]))
    turned = compound(16, (b"r", 8, h5t.IEEE_F64LE), (b"i", 0, h5t.IEEE_F64LE))
    create(file, "turned_complex", turned, np.array([1 + 2j, 3]))
    half = compound(4, (b"r", 0, h5t.IEEE_F16LE), (b"i", 2, h5t.IEEE_F16LE))
    create(file, "half_pair", half)
    create(file, "native_complex", h5t.COMPLEX_IEEE_F32BE, np.array([1 + 2j, 3], ">c8"), h5t.COMPLEX_IEEE_F32BE)
    terminated = text(4, h5t.STR_NULLTERM)
    records = compound(12, (b"n", 0, h5t.STD_I32BE), (b"t", 8, terminated))
    raw = np.zeros(2, {"names": ["n", "t"], "formats": [">i4", "S4"], "offsets": [0, 8], "itemsize": 12})
    raw["n"], raw["t"] = [1, 2], [b"ab", b"abcd"]
    create(file, "with_text", records, raw, records)


UNCOMMON = [
    "i20", "i20_at_4", "u12_at_3", "bfloat16", "f8e4m3", "f8e5m2", "f24", "bits16", "null_terminated",
    "space_padded", "null_padded", "wide_bool", "spread_complex", "turned_complex", "half_pair", "native_complex",
    "with_text",
]  # fmt: skip


@pytest.mark.parametrize("name", UNCOMMON)
def test_uncommon(pair, libver, name):
    theirs, ours = pair(write_uncommon, libver)[name]
    assert same_dtype(ours.dtype, theirs.dtype), (ours.dtype, theirs.dtype)
    assert_same(ours[...], theirs[...])
    assert_same(ours[1], theirs[1])
    assert_same(ours.fillvalue, theirs.fillvalue)


def test_what_h5py_cannot_read_is_read_or_refused(pair):
    def write(file):
        create(file, "i24", integer(h5t.STD_I32LE, size=3), np.array([5, -3], "<i4"))
        create(file, "u40", integer(h5t.STD_U64BE, size=5), np.array([2**40 - 1, 7], "<u8"))
        tagged = h5t.create(h5t.OPAQUE, 3)
        tagged.set_tag(b"a tag")
        create(file, "tagged", tagged, np.array([b"abc", b"def"], "V3"), tagged)
        create(file, "packed", compound(4, (b"a", 0, small_float(2, 15, 7, 8, 7, 127)), (b"b", 2, h5t.STD_I16LE)))
        big_endian = file.create_dataset("ragged", (1,), h5py.vlen_dtype(">i4"))
        big_endian[0] = np.array([1, 2, 3], ">i4")
        create(file, "quad", h5t.IEEE_F128LE)
        create(file, "time", h5t.UNIX_D32LE)

    _, ours = pair(write)["/"]
    np.testing.assert_array_equal(ours["i24"][:], np.array([5, -3], "<i4"))
    np.testing.assert_array_equal(ours["u40"][:], np.array([2**40 - 1, 7], "u8"))
    assert ours["u40"].dtype == ">u8"
    assert [bytes(value) for value in ours["tagged"][:]] == [b"abc", b"def"]
    assert ours["packed"].dtype == np.dtype([("a", "<f4"), ("b", "<i2")])
    # h5py returns the bytes as if they were in native byte order.
    found = ours["ragged"][0]
    assert found.dtype == ">i4" and found.tolist() == [1, 2, 3]
    for name in ["quad", "time"]:
        with pytest.raises(TypeError) as error:
            ours[name].dtype
        assert error.value.kind == "unsupported"
        with pytest.raises(hyperslab.HyperslabError):
            ours[name][0]
        assert "HDF5 dataset" in repr(ours[name])


def test_a_tag_that_names_a_dtype_is_not_trusted(pair):
    def write(file):
        for name, tag in [("object", b"NUMPY:|O"), ("longer", b"NUMPY:<M8[s]"), ("nonsense", b"NUMPY:spam")]:
            datatype = h5t.create(h5t.OPAQUE, 8 if name == "object" else 4)
            datatype.set_tag(tag)
            create(file, name, datatype)

    _, ours = pair(write)["/"]
    assert {name: ours[name].dtype.str for name in ours} == {"longer": "|V4", "nonsense": "|V4", "object": "|V8"}
    assert bytes(ours["object"][0]) == b"\0" * 8


def test_helpers_tell_what_a_dtype_means(pair):
    both = pair(lambda file: (write_objects(file), write_structured(file)))
    for name in OBJECTS + STRUCTURED:
        theirs, ours = both[name]
        assert hyperslab.check_string_dtype(ours.dtype) == h5py.check_string_dtype(theirs.dtype)
        assert hyperslab.check_enum_dtype(ours.dtype) == h5py.check_enum_dtype(theirs.dtype)
        assert hyperslab.check_vlen_dtype(ours.dtype) == h5py.check_vlen_dtype(theirs.dtype)
    assert hyperslab.check_ref_dtype(both.ours["refs"].dtype) is hyperslab.Reference
    assert hyperslab.check_ref_dtype(both.ours["regions"].dtype) is hyperslab.RegionReference


def test_named_datatypes(pair, libver):
    def write(file):
        file["type"] = np.dtype([("a", "<i4"), ("b", ">f8")])
        file["type"].attrs["unit"] = "m"
        file.create_dataset("d", (2,), file["type"])

    both = pair(write, libver)
    theirs, ours = both["type"]
    assert isinstance(ours, hyperslab.Datatype)
    assert same_dtype(ours.dtype, theirs.dtype)
    assert (repr(ours), ours.name, ours.attrs["unit"]) == (repr(theirs), theirs.name, "m")
    assert both.ours["d"].dtype == ours.dtype
    assert ours == both.ours["type"] and ours != both.ours["d"]
