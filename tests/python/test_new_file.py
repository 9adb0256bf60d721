"""`hyperslab.NewFile`: what it writes is what h5py writes, as h5py and hyperslab read it, and valid."""

from __future__ import annotations

import shutil
import subprocess

import h5py
import hdf5plugin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hyperslab

COMPOUND = np.dtype({"names": ["n", "x"], "formats": ["<u2", ">f8"], "offsets": [0, 4], "itemsize": 16})
NESTED = np.dtype([("id", "<i4"), ("pair", [("a", "?"), ("b", "<f4", (2, 3))]), ("name", "S3")])

#: Arrays of every kind of dtype, 6 by 5 elements.
ARRAYS = {
    **{
        dtype: np.arange(30).astype(dtype).reshape(6, 5)
        for dtype in ["i1", "u1", "<i2", ">i2", "<u4", ">u4", "<i8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", ">c16"]
    },
    "bool": np.arange(30).reshape(6, 5) % 3 == 0,
    "S4": np.array([b"abcd", b"", b"x\0y"] * 10).reshape(6, 5),
    "S4 utf-8": np.array(["é", "", "abc"] * 10).astype("U").reshape(6, 5),
    "V3": np.frombuffer(bytes(range(90)), "V3").reshape(6, 5),
    "compound": np.array([(i, i / 7) for i in range(30)], COMPOUND).reshape(6, 5),
    "nested": np.array([(i, (i % 2, np.full((2, 3), i)), b"n%d" % i) for i in range(30)], NESTED).reshape(6, 5),
    "text": np.array(["", "text", "größer", "a" * 300, "x"] * 6, object).reshape(6, 5),
}
#: The dtypes that are not those of the arrays.
DTYPES = {
    "S4 utf-8": h5py.string_dtype("utf-8", 4),
    "text": h5py.string_dtype(),
    "enum": h5py.enum_dtype({"RED": 0, "GREEN": 1, "BLUE": 300}, "<i2"),
    "ascii": h5py.string_dtype("ascii"),
    "datetime": h5py.opaque_dtype("<M8[s]"),
}
ARRAYS["enum"] = np.array([0, 1, 300] * 10, "<i2").reshape(6, 5)
ARRAYS["ascii"] = ARRAYS["text"].copy()
ARRAYS["ascii"][ARRAYS["ascii"] == "größer"] = "greater"
ARRAYS["datetime"] = np.arange(30).astype("<M8[s]").reshape(6, 5)

STORAGES = {
    "as it comes": {},
    "contiguous": {"chunks": False},
    "chunks": {"chunks": (4, 2)},
    "growing": {"maxshape": (None, 5), "chunks": (6, 5)},
    "growing along both": {"maxshape": (None, None), "chunks": (5, 5)},
    "gzip": {"chunks": (4, 3), "compression": "gzip", "compression_opts": 6, "shuffle": True},
    "lzf": {"chunks": (2, 5), "compression": "lzf", "fletcher32": True},
}


def compare(ours: hyperslab.Dataset | h5py.Dataset, theirs: h5py.Dataset) -> None:
    assert (ours.dtype, ours.dtype.metadata) == (theirs.dtype, theirs.dtype.metadata), ours.name
    assert (ours.shape, ours.maxshape, ours.chunks) == (theirs.shape, theirs.maxshape, theirs.chunks)
    assert (ours.compression, ours.compression_opts) == (theirs.compression, theirs.compression_opts)
    assert (ours.shuffle, ours.fletcher32, ours.scaleoffset) == (theirs.shuffle, theirs.fletcher32, theirs.scaleoffset)
    np.testing.assert_array_equal(ours[()], theirs[()])


def valid(path) -> None:
    report = hyperslab.check(path, data=True)
    assert (report["errors"], report["findings"]) == (0, [])


@pytest.mark.parametrize("storage", STORAGES)
def test_datasets_are_those_of_h5py(storage, tmp_path):
    words = STORAGES[storage]
    # libhdf5 does not create datasets of text of variable length with checksums.
    kinds = [kind for kind in ARRAYS if storage != "lzf" or kind not in ("text", "ascii")]
    with h5py.File(tmp_path / "theirs.h5", "w") as theirs, hyperslab.NewFile(tmp_path / "ours.h5") as ours:
        for kind in kinds:
            array, dtype = ARRAYS[kind], DTYPES.get(kind)
            ours.create_dataset(kind, data=array, dtype=dtype, **words)
            if kind == "S4 utf-8":
                array = np.char.encode(array, "utf-8").astype("S4")
            if kind in ("S4 utf-8", "datetime"):
                array = array.astype(dtype)
            theirs.create_dataset(kind, data=array, dtype=dtype, **{key: word for key, word in words.items() if word is not False})
    with h5py.File(tmp_path / "theirs.h5") as theirs, h5py.File(tmp_path / "ours.h5") as ours:
        with hyperslab.File(tmp_path / "ours.h5") as read:
            for kind in kinds:
                compare(ours[kind], theirs[kind])
                compare(read[kind], theirs[kind])
    valid(tmp_path / "ours.h5")


ATTRIBUTES = {
    "int": 5,
    "float": 1.5,
    "bool": True,
    "text": "Größe",
    "bytes": b"bytes",
    "empty text": "",
    "scalar": np.float32(2.5),
    "array": np.arange(6, dtype=">i4").reshape(2, 3),
    "texts": ["a", "bc", ""],
    "flags": np.array([True, False]),
    "complex": 1 + 2j,
    "fixed": np.array([b"ab", b"c"]),
    "large": np.arange(20_000.0),
    "no elements": np.empty((0, 3)),
    "record": np.array((1, 2.0), COMPOUND),
}


@pytest.mark.parametrize("libver", ["earliest", "v18", "v110", "latest"])
def test_attributes_and_links_are_those_of_h5py(libver, tmp_path):
    def write(file, library):
        group = file.create_group("a/b")
        dataset = group.create_dataset("x", data=np.arange(3))
        for owner in (file, group, dataset):
            for name, value in ATTRIBUTES.items():
                owner.attrs[name] = value
            owner.attrs["null"] = library.Empty("<f4")
            owner.attrs.create("short", "text", dtype=h5py.string_dtype("ascii", 8))
            owner.attrs.create("pairs", np.arange(6).reshape(3, 2), dtype=np.dtype(("<i2", (2,))))
            owner.attrs["to"] = dataset.ref
        file["hard"] = dataset
        file["soft"] = library.SoftLink("/a/b")
        file["out"] = library.ExternalLink("other.h5", "/x")
        file["value"] = 42
        file.create_dataset("null", data=library.Empty("<i4"))
        file.create_dataset("größe", data="text")
        file.create_dataset("unwritten", (3, 4), "<f8", chunks=(2, 2), fillvalue=-1.5)
        file.create_dataset("partly", (5,), "<i4", fillvalue=7)[1:3] = [1, 2]

    paths = [tmp_path / "theirs.h5", tmp_path / "ours.h5"]
    with h5py.File(paths[0], "w", libver="latest") as file:
        write(file, h5py)
    with hyperslab.NewFile(paths[1], libver=libver) as file:
        write(file, hyperslab)
    valid(paths[1])
    with h5py.File(paths[0]) as theirs, h5py.File(paths[1]) as ours:
        names = []
        theirs.visit(names.append)
        found = []
        ours.visit(found.append)
        assert found == names and list(ours) == list(theirs)
        assert ours["hard"] == ours["a/b/x"] == ours["soft/x"]
        assert ours.get("out", getlink=True).filename == "other.h5"
        for name in ["/", *names]:
            for key, expected in theirs[name].attrs.items():
                value = ours[name].attrs[key]
                if key == "to":
                    assert ours[value].name == theirs[expected].name
                    continue
                assert type(value) is type(expected), key
                assert ours[name].attrs.get_id(key).dtype == theirs[name].attrs.get_id(key).dtype, key
                if not isinstance(expected, h5py.Empty):
                    np.testing.assert_array_equal(value, expected)
            assert len(ours[name].attrs) == len(theirs[name].attrs)
        for name in ["value", "größe", "unwritten", "partly"]:
            assert ours[name].fillvalue == theirs[name].fillvalue
            compare(ours[name], theirs[name])
        assert ours["null"].shape is None
        assert ours["unwritten"].id.get_num_chunks() == 0


def test_elements_with_text_sequences_and_references(tmp_path):
    sequences, records = h5py.vlen_dtype("<i2"), np.dtype([("name", h5py.string_dtype()), ("n", "<i4"), ("at", "<f8", (2,))])
    rows = [(f"row {i}" * (i % 3), i, (i, -i)) for i in range(40)]
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file["group/target"] = np.arange(4)
        target = file["group/target"]
        file.create_dataset("sequences", data=[np.arange(i % 5) for i in range(70)], dtype=sequences, chunks=(16,), compression="gzip")
        file.create_dataset("records", data=np.array(rows, records), chunks=(7,))
        references = file.create_dataset("references", (3,), hyperslab.ref_dtype)
        references[0], references[2] = target.ref, file["group"].ref
        one = file.create_dataset("one", (2,), sequences)
        one[1] = [1, 2, 3]
        text = file.create_dataset("text", (2, 2), h5py.string_dtype())
        text[0] = "a"
        text[1] = ["b", "c"]
    valid(tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as file:
        assert [list(row) for row in file["sequences"]] == [list(range(i % 5)) for i in range(70)]
        assert [(row["name"].decode(), row["n"], tuple(row["at"])) for row in file["records"]] == rows
        first, second, third = file["references"]
        assert file[first].name == "/group/target" and not second and file[third].name == "/group"
        assert list(file["one"][1]) == [1, 2, 3] and len(file["one"][0]) == 0
        assert file["text"].asstr()[()].tolist() == [["a", "a"], ["b", "c"]]


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_array_in_any_chunks(data, tmp_path_factory):
    dtype = data.draw(st.one_of(hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), hnp.floating_dtypes(sizes=(16, 32, 64))))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=7))
    array = data.draw(hnp.arrays(dtype, shape))
    chunks = tuple(data.draw(st.integers(1, size)) for size in shape)
    text = data.draw(st.sampled_from(["none", "shuffle+gzip=1", "bitshuffle+zstd=3", "blosc", "lz4+fletcher32"]))
    path = tmp_path_factory.mktemp("any") / "x.h5"
    order = data.draw(st.permutations(range(len(shape))))
    with hyperslab.NewFile(path) as file:
        file.create_dataset("x", data=array, chunks=chunks, filter=text)
        file.create_dataset("transposed", data=array.transpose(order), copy=False)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["x"][()], array)
        np.testing.assert_array_equal(file["transposed"][()], array.transpose(order))
        assert file["x"].chunks == chunks and file["x"].dtype == dtype


@pytest.mark.parametrize("text", ["shuffle+gzip=4", "zstd=3", "lz4", "blosc", "bitshuffle", "szip=nn,8", "nbit", "bzip2"])
def test_filters_have_the_words_of_repack(text, tmp_path):
    values = np.arange(5000, dtype="<i4").reshape(100, 50)
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        dataset = file.create_dataset("x", data=values, filter=text)
        assert dataset.chunks == (100, 50)
    with hyperslab.File(tmp_path / "x.h5") as file, h5py.File(tmp_path / "x.h5") as theirs:
        assert file["x"].id.get_num_chunks() == 1
        np.testing.assert_array_equal(file["x"][()], values)
        np.testing.assert_array_equal(theirs["x"][()], values)
    valid(tmp_path / "x.h5")


def test_other_spellings_of_compression(tmp_path):
    values = np.linspace(0, 1, 3000, dtype="<f4")
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file.create_dataset("level", data=values, compression=7)
        file.create_dataset("plugin", data=values, compression=hdf5plugin.Zstd(clevel=5))
        file.create_dataset("scaled", data=values, scaleoffset=3)
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["level"].compression_opts == 7
        np.testing.assert_array_equal(file["plugin"][()], values)
        assert np.abs(file["scaled"][()] - values).max() <= 0.001


class Lazy:
    """An array whose values are computed, which counts what is requested of it."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.largest, self.requests = shape, np.dtype(dtype), 0, 0

    def __getitem__(self, selection):
        first, *rest = [np.arange(*part.indices(size)) for part, size in zip(selection, self.shape, strict=True)]
        rows = (first % 251).astype(self.dtype).reshape(-1, *[1] * len(rest))
        values = np.broadcast_to(rows, [len(first), *map(len, rest)])
        self.largest, self.requests = max(self.largest, values.nbytes), self.requests + 1
        return values


def test_lazily_read_data_comes_in_blocks(tmp_path):
    lazy, flat = Lazy((500, 200, 200), "<i2"), Lazy((34_000_000,), "u1")
    with hyperslab.NewFile(tmp_path / "x.h5", threads=2, verify=False) as file:
        file.create_dataset("x", data=lazy, copy=False, chunks=(7, 200, 200), compression="lzf")
        file.create_dataset("flat", data=flat, copy=False, chunks=False)
        assert lazy.requests == 0
    assert lazy.largest <= 32 << 20 and flat.largest <= 32 << 20
    assert (lazy.requests, flat.requests) == (2, 2)
    with hyperslab.File(tmp_path / "x.h5") as file:
        np.testing.assert_array_equal(file["x"][497:, 5, 3:], lazy[497:500, 5:6, 3:200][:, 0])
        np.testing.assert_array_equal(file["flat"][33_999_990:], flat[33_999_990:34_000_000,])


def test_data_of_other_libraries(tmp_path):
    values = np.arange(240.0).reshape(20, 12)
    dask = pytest.importorskip("dask.array")
    with h5py.File(tmp_path / "source.h5", "w") as file:
        file["x"] = values
        file["text"] = ["a", "", "ccc"]
    np.save(tmp_path / "x.npy", values)
    with h5py.File(tmp_path / "source.h5") as theirs, hyperslab.File(tmp_path / "source.h5") as ours:
        with hyperslab.NewFile(tmp_path / "x.h5") as file:
            file.create_dataset("dask", data=dask.from_array(values, chunks=5) + 1, chunks=(5, 5))
            file.create_dataset("h5py", data=theirs["x"], compression="gzip")
            file.create_dataset("hyperslab", data=ours["x"], dtype=">f4")
            file.create_dataset("theirs", data=theirs["text"])
            file.create_dataset("ours", data=ours["text"])
            file.create_dataset("memmap", data=np.load(tmp_path / "x.npy", mmap_mode="r"))
            file.create_dataset("list", data=[[1, 2], [3, 4]])
    with h5py.File(tmp_path / "x.h5") as file:
        np.testing.assert_array_equal(file["dask"][()], values + 1)
        for name in ["h5py", "hyperslab", "memmap"]:
            np.testing.assert_array_equal(file[name][()], values)
        assert file["hyperslab"].dtype == ">f4"
        assert file["theirs"].asstr()[()].tolist() == file["ours"].asstr()[()].tolist() == ["a", "", "ccc"]
        assert file["list"][()].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("libver", ["earliest", "v110"])
def test_bytes_do_not_depend_on_threads(libver, tmp_path):
    values = np.random.default_rng(1).integers(0, 50, (400, 300, 20), dtype="<i4")
    for threads in (1, 2, 5):
        with hyperslab.NewFile(tmp_path / f"{threads}.h5", libver=libver, threads=threads, page_size=4096 if libver == "v110" else None) as file:
            file.create_dataset("x", data=values, chunks=(31, 50, 20), compression="gzip", compression_opts=1, shuffle=True)
            file.create_dataset("text", data=["text"] * 100, chunks=(7,))
    first, *others = [(tmp_path / f"{threads}.h5").read_bytes() for threads in (1, 2, 5)]
    assert all(first == other for other in others)
    valid(tmp_path / "1.h5")


def test_dimension_scales(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.nc") as file:
        values = file.create_dataset("t2m", data=np.arange(12.0).reshape(3, 4), chunks=(1, 4))
        for axis, (name, size) in enumerate([("time", 3), ("lon", 4)]):
            scale = file.create_dataset(name, data=np.arange(size))
            scale.make_scale(name)
            values.dims[axis].attach_scale(scale)
        values.dims[0].label = "t"
        assert [axis.label for axis in values.dims] == ["t", ""]
        with pytest.raises(ValueError, match="scale"):
            file["time"].dims[0].attach_scale(file["lon"])
        with pytest.raises(IndexError):
            values.dims[2]
    valid(tmp_path / "x.nc")
    with h5py.File(tmp_path / "x.nc") as file:
        assert [list(axis) for axis in file["t2m"].dims] == [["time"], ["lon"]]
        assert file["t2m"].dims[0].label == "t" and h5py.h5ds.is_scale(file["lon"].id)
        assert file["t2m"].dims[1]["lon"][()].tolist() == [0, 1, 2, 3]
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(tmp_path / "x.nc", engine="h5netcdf") as dataset:
        assert dataset["t2m"].dims == ("time", "lon") and set(dataset.coords) == {"time", "lon"}


def test_nothing_is_left_after_an_exception(tmp_path):
    path = tmp_path / "x.h5"
    with pytest.raises(ZeroDivisionError):
        with hyperslab.NewFile(path) as file:
            file["x"] = np.arange(10)
            1 / 0
    assert list(tmp_path.iterdir()) == [] and not file

    class Broken(Lazy):
        def __getitem__(self, selection):
            raise RuntimeError("the tape is torn")

    with pytest.raises(RuntimeError, match="torn"):
        with hyperslab.NewFile(path) as file:
            file.create_dataset("x", data=Broken((100, 100), "f8"))
    assert list(tmp_path.iterdir()) == []

    with hyperslab.NewFile(path) as file:
        file["x"] = 1
    with pytest.raises(FileExistsError, match="overwrite"):
        hyperslab.NewFile(path)
    with pytest.raises(RuntimeError):
        with hyperslab.NewFile(path, overwrite=True) as file:
            file.create_dataset("x", data=Broken((100, 100), "f8"))
    with hyperslab.File(path) as file:
        assert file["x"][()] == 1
    with hyperslab.NewFile(path, overwrite=True) as file:
        file["x"] = 2
    with hyperslab.File(path) as file:
        assert file["x"][()] == 2
    with pytest.raises(FileNotFoundError, match="folder"):
        hyperslab.NewFile(tmp_path / "no" / "x.h5")
    with pytest.raises(ValueError, match="NewFile"):
        hyperslab.File(path, "w")


def test_a_text_with_a_nul_is_refused(tmp_path):
    with pytest.raises(ValueError, match="NUL"):
        with hyperslab.NewFile(tmp_path / "x.h5") as file:
            file["x"] = ["a\0b"]
    assert list(tmp_path.iterdir()) == []


def test_an_array_is_copied(tmp_path):
    array = np.arange(5)
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        for number in range(3):
            array[:] = number
            file.create_dataset(f"{number}", data=array)
        kept = np.arange(5)
        file.create_dataset("kept", data=kept, copy=False)
    with hyperslab.File(tmp_path / "x.h5") as file:
        assert [file[f"{number}"][0] for number in range(3)] == [0, 1, 2]
        assert file["kept"][()].tolist() == [0, 1, 2, 3, 4]


#: A compound with texts of both kinds.
TEXTS = np.dtype([("a", "u1"), ("s", [("t", "S1"), ("v", h5py.string_dtype())])])


def test_members_are_converted_as_arrays_are(tmp_path):
    wide = np.array([(200, (b"x", "größer")), (3, (b"", ""))], [("a", "<i8"), ("s", [("t", "S9"), ("v", object)])])
    exact = [(2**63 + 1, [1, 2]), (np.int64(5), 7)]
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file.create_dataset("wide", data=wide, dtype=TEXTS)
        file.create_dataset("turned", data=np.array([(1, 2)], [("b", "<i4"), ("a", "<i4")]), dtype=[("a", "u1"), ("b", "u1")])
        file.create_dataset("exact", data=exact, dtype=[("n", "<u8"), ("pair", "<i2", 2)])
        assigned = file.create_dataset("assigned", (2,), [("a", "u1"), ("s", "S3")])
        assigned[0] = (7, "ab")
        narrow = np.array((300, b"abcdef"), [("a", "<i4"), ("s", "S6")])
        for write in (lambda: assigned.__setitem__(1, narrow), lambda: file.attrs.create("x", narrow, dtype=assigned.dtype)):
            with pytest.raises(ValueError, match="member 'a': .*300"):
                write()
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["wide"][()].tolist() == [(200, (b"x", "größer".encode())), (3, (b"", b""))]
        assert file["turned"][()].tolist() == [(2, 1)] and file["turned"].dtype.names == ("a", "b")
        assert [(n, pair.tolist()) for n, pair in file["exact"][()]] == [(2**63 + 1, [1, 2]), (5, [7, 7])]
        assert file["assigned"][()].tolist() == [(7, b"ab"), (0, b"")]
        assert not file.attrs


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"data": [300], "dtype": "u1"}, ValueError, "do not fit"),
        ({"data": [float("nan")], "dtype": "i4"}, ValueError, "do not fit"),
        ({"data": [2.0**63], "dtype": "i8"}, ValueError, "do not fit"),
        ({"data": [1j], "dtype": "f8"}, TypeError, "complex"),
        ({"data": ["abc"], "dtype": "S2"}, ValueError, "3 bytes"),
        ({"data": [object()]}, TypeError, "object"),
        ({"data": np.arange(3).astype("M8[s]")}, TypeError, "opaque_dtype"),
        ({"data": np.longdouble([1.5])}, TypeError, "not written"),
        ({"data": np.arange(4), "chunks": (5,)}, ValueError, "axis"),
        ({"data": np.arange(4), "chunks": (2, 2)}, ValueError, "chunks"),
        ({"data": np.arange(4), "shape": (3,)}, ValueError, "shape"),
        ({"data": 1, "compression": "gzip"}, TypeError, "scalar"),
        ({"data": np.arange(4), "maxshape": (3,)}, ValueError, "maximum"),
        ({"data": np.arange(4), "compression": "snappy"}, ValueError, "snappy"),
        ({"data": np.arange(4), "compression": "gzip", "compression_opts": 12}, ValueError, "0 to 9"),
        ({"data": np.arange(4), "filter": "snappy"}, ValueError, "no filter"),
        ({"data": np.arange(4), "filter": "gzip=1", "shuffle": True}, TypeError, "either"),
        ({"data": np.array(["a"]), "filter": "scaleoffset=2"}, ValueError, "scaleoffset"),
        ({"data": np.array(["a"]), "scaleoffset": 2}, TypeError, "integers and floats"),
        ({"data": np.arange(4), "chunks": False, "compression": "gzip"}, ValueError, "chunked"),
        ({}, TypeError, "dtype"),
        ({"data": [1, "a"]}, TypeError, "int, str"),
        ({"data": [(1, (b"ab", "c"))], "dtype": TEXTS}, ValueError, "'s'.*'t'.*2 bytes"),
        ({"data": np.array([(300, (b"a", "c"))], [("a", "<i4"), ("s", [("t", "S1"), ("v", h5py.string_dtype())])]), "dtype": TEXTS}, ValueError, "'a'.*300"),
        ({"data": [(1, (5, "c"))], "dtype": TEXTS}, TypeError, "'t'.*not a text"),
        ({"data": [([1, 256],)], "dtype": [("pair", "u1", 2)]}, ValueError, "'pair'.*256"),
        ({"data": np.zeros(2, [("b", "u1")]), "dtype": [("a", "u1")]}, TypeError, "members b do not become a"),
        ({"data": np.void(b"abcdef"), "dtype": "V4"}, ValueError, "6 bytes do not fit 4"),
        ({"shape": (-3,), "dtype": "f4"}, ValueError, "-3"),
        ({"data": np.arange(4), "maxshape": (-1,)}, ValueError, "-1"),
    ],
)
def test_what_is_not_possible_is_refused(arguments, error, says, tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file["taken"] = 1
        with pytest.raises(error, match=says):
            file.create_dataset("x", **arguments)
        assert "x" not in file
        with pytest.raises(ValueError, match="exists"):
            file.create_group("taken")
        file.discard()


@pytest.mark.parametrize("value", [object(), {"a": 1}, [1, "a"], np.longdouble(1)], ids=["object", "dict", "mixed", "long double"])
def test_errors_of_attributes_name_them(value, tmp_path):
    with pytest.raises(TypeError, match="/x: attribute 'units': "), hyperslab.NewFile(tmp_path / "x.h5") as file:
        file.create_dataset("x", data=1).attrs["units"] = value
    assert not (tmp_path / "x.h5").exists()


def test_groups_are_mappings(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5", track_order=True) as file:
        group = file.create_group("z/a")
        group["x"] = [1, 2]
        file["z/soft"] = hyperslab.SoftLink("/z/a/x")
        assert list(file) == ["z"] and list(file["z"]) == ["a", "soft"] and "z/a/x" in file
        assert file["z/soft"] == file["/z/a/x"] == group["x"] and file.require_group("z/a") == group
        assert group.name == "/z/a" and len(group) == 1 and group["x"].shape == (2,)
        with pytest.raises(KeyError):
            file["no"]
        with pytest.raises(TypeError):
            file.require_group("z/a/x")
        file.attrs["b"] = file.attrs["a"] = 1
        del file.attrs["b"]
        assert dict(file.attrs) == {"a": 1} and "b" not in file.attrs
        file["a"] = 0
    assert not file
    with pytest.raises(OSError):
        file["y"] = 1
    with h5py.File(tmp_path / "x.h5", track_order=True) as file:
        assert list(file) == ["z", "a"]


def test_h5dump_reads_it(tmp_path):
    if shutil.which("h5dump") is None:
        pytest.skip("there is no h5dump")
    with hyperslab.NewFile(tmp_path / "x.h5", libver="v18") as file:
        file.create_dataset("x", data=np.arange(6).reshape(2, 3), chunks=(1, 3), compression="gzip")
        file["x"].attrs["units"] = "K"
    text = subprocess.run(["h5dump", tmp_path / "x.h5"], capture_output=True, text=True, check=True).stdout
    assert "3, 4, 5" in text and '"K"' in text


@pytest.mark.parametrize("module", [h5py, hyperslab], ids=["h5py", "hyperslab"])
def test_datasets_of_open_files_are_copied_whatever_their_elements_are(tmp_path, module):
    arrays = {
        "array": np.arange(12, dtype="<i2").reshape(4, 3),
        "record": np.array([(1, (2.0, 3.0)), (4, (5.0, 6.0))], np.dtype([("a", "<i4"), ("b", "<f8", (2,))])),
        "bytes": np.array([b"ab", b"c"]),
    }
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("array", (4,), np.dtype(("<i2", (3,))))[...] = arrays["array"]
        for name in ("record", "bytes"):
            file[name] = arrays[name]
    with module.File(tmp_path / "in.h5") as source, hyperslab.NewFile(tmp_path / "out.h5") as file:
        for name in arrays:
            file.create_dataset(name, data=source[name])
    with h5py.File(tmp_path / "in.h5") as source, h5py.File(tmp_path / "out.h5") as copy:
        for name in arrays:
            assert copy[name].shape == source[name].shape and copy[name].id.get_type() == source[name].id.get_type()
            np.testing.assert_array_equal(copy[name][...], source[name][...])
