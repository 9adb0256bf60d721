"""Files of HDF4, read by hyperslab and by libhdf4: made files of every storage that pyhdf writes, and those of the corpus."""

from __future__ import annotations

import csv
import ctypes
from pathlib import Path
from typing import Any

import h5py
import hdf4_readers
import netCDF4
import numpy as np
import pytest
import xarray as xr
from hdf4_library import LIBRARY, set_bits, set_chunks, set_file
from kit import CORPUS, missing_corpus, scaled
from pyhdf import VS  # noqa: F401: HDF.vstart needs it.
from pyhdf.HDF import HC, HDF
from pyhdf.SD import SD, SDC

import hyperslab
from hyperslab.errors import HyperslabError

TYPES = {
    "i1": SDC.INT8,
    "u1": SDC.UINT8,
    "i2": SDC.INT16,
    "u2": SDC.UINT16,
    "i4": SDC.INT32,
    "u4": SDC.UINT32,
    "f4": SDC.FLOAT32,
    "f8": SDC.FLOAT64,
}
COMPRESSIONS = {
    "none": None,
    "rle": (SDC.COMP_RLE,),
    "huffman": (SDC.COMP_SKPHUFF, 2),
    "deflate": (SDC.COMP_DEFLATE, 6),
}
SELECTIONS = 6
#: Data sets of `test.cdf` that do not say their type: libhdf4 takes that of the one before. They are errors by name here.
NO_TYPE = ("Long", "Float")


def values(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return np.round(random.normal(size=shape), 1).astype(kind)
    limits = np.iinfo(kind)
    wide = random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    # Long runs, for coders.
    return np.where(random.random(shape) < 0.7, kind.type(3), wide)


def make(path: Path, random: np.random.Generator) -> None:
    """Data sets of all types and compressions, of which some can grow, and tables of records."""
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    file.title = "made"
    file.numbers = [1.5, 2.5]
    for number in range(int(random.integers(1, 8))):
        dtype = str(random.choice(list(TYPES)))
        rank = int(random.integers(1, 4))
        shape = [int(length) for length in random.integers(1, 9, rank)]
        can_grow = random.random() < 0.3
        one = file.create(f"set{number}", TYPES[dtype], [SDC.UNLIMITED, *shape[1:]] if can_grow else shape)
        for axis in range(rank):
            one.dim(axis).setname(f"d{number}_{axis}")
        one.units = "K"
        if random.random() < 0.3:
            one.setfillvalue(7)
        compression = str(random.choice(list(COMPRESSIONS)))
        storage = str(random.choice(["whole", "chunks", "bits", "file"]))
        parameters = COMPRESSIONS[compression]
        if can_grow:
            pass
        elif storage == "chunks":
            chunk = [int(random.integers(1, length + 2)) for length in shape]
            set_chunks(one, chunk, compression, *(parameters or ())[1:])
        elif storage == "bits" and np.dtype(dtype).kind != "f":
            width = 8 * np.dtype(dtype).itemsize
            bits = int(random.integers(1, width + 1))
            set_bits(one, int(random.integers(bits - 1, width)), bits, random.random() < 0.5, random.random() < 0.5)
        elif storage == "file":
            set_file(one, path.with_suffix(f".{number}"), int(random.integers(0, 9)))
        elif parameters:
            one.setcompress(*parameters)
        if random.random() < 0.9:
            whole = values(random, dtype, tuple(shape))
            # In two steps, so that the element of one that can grow is linked.
            for rows in (slice(0, 1), slice(1, shape[0])) if can_grow else (slice(0, shape[0]),):
                if rows.start < rows.stop:
                    one[rows] = whole[rows]
        one.endaccess()
    file.end()
    if random.random() < 0.6:
        add_tables(path, random)


def add_tables(path: Path, random: np.random.Generator) -> None:
    file = HDF(str(path), HC.WRITE)
    interface = file.vstart()
    fields = (("count", HC.INT32, 1), ("pair", HC.FLOAT32, 2), ("name", HC.CHAR8, 5), ("code", HC.UINT16, 1))
    table = interface.create("table", fields)
    rows = int(random.integers(1, 9))
    table.write([[row, [row / 2, -row], "abcde"[: row % 5 + 1].ljust(5), row * 7] for row in range(rows)])
    table.detach()
    interface.end()
    file.close()


def names(sets: list[Any]) -> list[str]:
    """The names by which the data sets of a file are found: a number follows one that is there already."""
    counts: dict[str, int] = {}
    found = []
    for name, *_ in sets:
        name = name.replace("/", "_")
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name}#{counts[name]}")
    return found


def plain(value: Any) -> Any:
    """An attribute as a list of numbers or a text."""
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        return value.rstrip("\0")
    return np.atleast_1d(np.asarray(value)).tolist()


def assert_sets_equal(path: Path, sets: list[Any], own: dict[str, Any]) -> int:
    """Compares all data sets and attributes; the number of data sets that libhdf4 could read."""
    read = 0
    with hyperslab.File(path) as file:
        assert_attributes_equal(file.attrs, own)
        for known, (_, shape, _, _, expected, attributes) in zip(names(sets), sets, strict=True):
            if known not in file and (known.startswith("fakeDim") or known in NO_TYPE):
                # Without a scale, libhdf4 gives what lies before the scales of other dimensions.
                continue
            dataset = file[known]
            if isinstance(expected, str):
                continue
            read += 1
            assert list(dataset.shape) == shape, known
            found = dataset[()]
            assert found.dtype.newbyteorder("=") == expected.dtype.newbyteorder("="), known
            np.testing.assert_array_equal(found, expected.reshape(found.shape), err_msg=known)
            assert_attributes_equal(dataset.attrs, attributes)
    return read


def assert_attributes_equal(ours: Any, theirs: dict[str, Any]) -> None:
    for name, value in theirs.items():
        found = plain(ours[name])
        if isinstance(found, str) != isinstance(plain(value), str):
            # pyhdf has a text for characters without a sign.
            continue
        np.testing.assert_array_equal(found, plain(value), err_msg=name)


@pytest.mark.parametrize("seed", range(scaled(20, full=200)))
def test_made_files_are_the_same(tmp_path, seed):
    random = np.random.default_rng(seed)
    path = tmp_path / "made.hdf"
    make(path, random)
    [theirs] = hdf4_readers.read_all([path], tmp_path / "answer")
    sets, own = theirs["sets"]
    assert_sets_equal(path, sets, own)
    with hyperslab.File(path) as file:
        for known, (*_, expected, _) in zip(names(sets), sets, strict=True):
            if isinstance(expected, str) or 0 in expected.shape:
                continue
            for _ in range(SELECTIONS):
                selection = tuple(
                    slice(start := int(random.integers(0, length)), int(random.integers(start, length + 1)))
                    for length in file[known].shape
                )
                np.testing.assert_array_equal(file[known][selection], expected.reshape(file[known].shape)[selection])
        if "table" in file:
            rows = next(table for table in theirs["tables"].values() if table[0] == "table")[3]
            found = file["table"][()]
            assert found["count"].tolist() == [row[0] for row in rows]
            assert found["pair"].tolist() == [row[1] for row in rows]
            assert found["code"].tolist() == [row[3] for row in rows]
            assert [name.decode() for name in found["name"]] == [row[2].rstrip("\0") for row in rows]


def corpus_files() -> list[str]:
    if missing_corpus():
        return ["none"]
    with open(CORPUS / "MANIFEST.tsv", newline="", errors="surrogateescape") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return sorted(row["path"] for row in rows if row["kind"].startswith("hdf4"))


@pytest.mark.skipif(bool(missing_corpus()), reason=missing_corpus() or "")
@pytest.mark.parametrize("name", corpus_files())
def test_real_files_are_the_same(tmp_path, name):
    path = CORPUS / name
    [theirs] = hdf4_readers.read_all([path], tmp_path / "answer")
    if theirs is None or isinstance(theirs["sets"], str):
        pytest.skip(f"libhdf4 does not read it: {theirs}")
    sets, own = theirs["sets"]
    assert_sets_equal(path, sets, own)


def test_scaled_values_follow_hdf4s_rule(tmp_path):
    path = tmp_path / "scaled.hdf"
    stored = np.array([100, 102, 108], "i2")
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    setattr(file, "StructMetadata.0", "GROUP=GridStructure\nEND_GROUP=GridStructure\nEND\n")
    for name, offset in (("moved", 100.0), ("same", 0.0)):
        one = file.create(name, SDC.INT16, 3)
        one[:] = stored
        one.scale_factor, one.add_offset = 0.5, offset
        one.endaccess()
    file.end()
    with xr.open_dataset(path, engine="hyperslab") as dataset:
        np.testing.assert_array_equal(dataset["moved"], 0.5 * (stored - 100.0))
        np.testing.assert_array_equal(dataset["same"], 0.5 * stored)
        assert dataset["moved"].attrs["hdf4_add_offset"] == 100.0
    with xr.open_dataset(path, engine="hyperslab", decode_modis_scale=False) as dataset:
        np.testing.assert_array_equal(dataset["moved"], 0.5 * stored + 100.0)
    with hyperslab.File(path) as file:
        assert file.format == "hdf4"
        assert file["moved"].attrs["add_offset"] == 100.0


#: What has no place in a netCDF-4 file, or is not read: the file's name ends so, and the error says so.
NOT_CONVERTED = {
    "/test.cdf": "without a number type",
    "/IMCOMP.hdf": "IMCOMP",
    "/tdfr8f.hdf": "IMCOMP",
    "/Tables.hdf": "Tables_External_File",
    "/hdifftst7.hdf": "leads back",
}


@pytest.mark.skipif(bool(missing_corpus()), reason=missing_corpus() or "")
@pytest.mark.parametrize("name", corpus_files())
def test_real_files_become_netcdf4_with_the_same_values(tmp_path, name):
    path, out = CORPUS / name, tmp_path / "out.nc"
    reason = next((reason for end, reason in NOT_CONVERTED.items() if name.endswith(end)), None)
    if reason:
        with pytest.raises(HyperslabError, match=reason):
            hyperslab.repack(path, out)
        return
    hyperslab.repack(path, out)
    options = {"mask_and_scale": False, "decode_times": False, "decode_coords": False, "concat_characters": False}
    compared = 0
    with (
        xr.open_datatree(path, engine="hyperslab", **options) as tree,
        netCDF4.Dataset(out) as file,
        h5py.File(out) as stored,
    ):
        for place in tree.groups:
            group = file[place] if place != "/" else file
            for known, variable in tree[place].to_dataset(inherit=False).variables.items():
                new = str(known).replace("/", "_")
                assert tuple(group[new].dimensions) == variable.dims, (place, known)
                other = f"_nc4_non_coord_{new}"
                values = stored[place][other if other in stored[place] else new][()]
                if values.dtype.names:
                    # A text in a record is an array of characters there.
                    values = values.view(variable.dtype)
                np.testing.assert_array_equal(values, variable.values, err_msg=f"{place} {known}")
                compared += 1
    assert compared or not any(tree[place].variables for place in tree.groups)


@pytest.mark.parametrize("coder", ["deflate", "rle", "huffman", "none"])
def test_chunks_that_were_written_again_and_lie_in_several_blocks(tmp_path, coder):
    """A program adds rows, and closes the file each time: a chunk that got longer goes on in another block."""
    path, random = tmp_path / "grown.hdf", np.random.default_rng(3)
    parameters = {"deflate": (6,), "huffman": (4,)}.get(coder, ())
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    one = file.create("a", SDC.INT32, (47, 50))
    set_chunks(one, [20, 30], coder, *parameters)
    one[0:3] = random.integers(0, 1 << 30, (3, 50)).astype("i4")
    one.endaccess()
    file.end()
    for start in range(3, 43, 4):
        file = SD(str(path), SDC.WRITE)
        one = file.select("a")
        one[start : start + 4] = random.integers(0, 1 << 30, (4, 50)).astype("i4")
        one.endaccess()
        file.end()
    file = SD(str(path))
    expected = file.select("a")[:]
    file.end()
    index = tmp_path / "grown.hyperslab"
    hyperslab.index(path, index, format="hyperslab")
    hyperslab.repack(path, tmp_path / "grown.nc")
    for name, options in ((path, {}), (path, {"index": index}), (tmp_path / "grown.nc", {})):
        with hyperslab.File(name, **options) as ours:
            np.testing.assert_array_equal(ours["a"][...], expected)
            np.testing.assert_array_equal(ours["a"][18:22, 25:35], expected[18:22, 25:35])
    assert hyperslab.check(path, data=True)["errors"] == 0
    if coder in ("deflate", "none"):
        references = hyperslab.index(path)
        with xr.open_dataset(references, engine="kerchunk") as found:
            np.testing.assert_array_equal(found["a"], expected)


def test_references_have_the_values_of_chunks_that_were_never_written(tmp_path):
    path = tmp_path / "holes.hdf"
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    # The value that is set when chunking is counts, whatever the attribute is later.
    for name, before, after in (("plain", None, None), ("filled", 7, None), ("later", None, 7), ("other", 7, 9)):
        one = file.create(name, SDC.INT16, (40, 30))
        if before is not None:
            one.setfillvalue(before)
        set_chunks(one, [20, 30], "deflate", 6)
        if after is not None:
            one.setfillvalue(after)
        one[0:5] = np.arange(150, dtype="i2").reshape(5, 30)
        one.endaccess()
    file.end()
    file = SD(str(path))
    expected = {name: file.select(name)[:] for name in ("plain", "filled", "later", "other")}
    file.end()
    with hyperslab.File(path) as ours, xr.open_dataset(hyperslab.index(path), engine="kerchunk", mask_and_scale=False) as found:
        for name, values in expected.items():
            np.testing.assert_array_equal(ours[name][...], values)
            np.testing.assert_array_equal(found[name], values)


@pytest.mark.skipif(bool(missing_corpus()), reason=missing_corpus() or "")
def test_fields_that_share_a_data_set_are_fields_of_their_own():
    path = CORPUS / "quintusdias+pyhdfeos/tests/data/Swath219.hdf"
    file = SD(str(path))
    longitude, latitude = file.select("MRGFLD_Longitude")[:]
    file.end()
    with hyperslab.File(path) as ours:
        assert {"Longitude", "Latitude"} < set(ours["Swath1"]) and "MRGFLD_Longitude" not in ours["Swath1"]
        np.testing.assert_array_equal(ours["Swath1/Longitude"][...], longitude)
        np.testing.assert_array_equal(ours["Swath1/Latitude"][3:9, ::2], latitude[3:9, ::2])
        assert ours["MRGFLD_Longitude"].shape == (2, 20, 10)
    with xr.open_dataset(path, engine="hyperslab", group="Swath1") as found:
        assert found["Latitude"].dims == ("GeoTrack", "GeoXtrack")


def test_numbers_that_are_stored_little_endian(tmp_path):
    path, pair = tmp_path / "little.hdf", ctypes.c_int32 * 2
    file = LIBRARY.SDstart(str(path).encode(), SDC.WRITE | SDC.CREATE)
    made = {}
    for name, kind in TYPES.items():
        made[name] = (np.arange(12) * 7 - 3).astype(name).reshape(3, 4)
        # `DFNT_LITEND`.
        one = LIBRARY.SDcreate(file, name.encode(), kind | 0x4000, 2, pair(3, 4))
        assert LIBRARY.SDwritedata(one, pair(0, 0), None, pair(3, 4), made[name].ctypes.data_as(ctypes.c_void_p)) == 0
        LIBRARY.SDendaccess(one)
    assert LIBRARY.SDend(file) == 0
    with hyperslab.File(path) as ours:
        for name, values in made.items():
            np.testing.assert_array_equal(ours[name][...], values)
            assert ours[name].dtype == name


def test_tables_have_their_attributes_and_those_of_their_fields(tmp_path):
    path = tmp_path / "tables.hdf"
    file = HDF(str(path), HC.WRITE | HC.CREATE)
    tables = file.vstart()
    table = tables.create("table", (("a", HC.INT32, 1), ("b", HC.FLOAT32, 2)))
    table.write([[1, [2.5, 3.5]], [2, [4.5, 5.5]]])
    table.attr("whole").set(HC.CHAR8, "about all")
    table.field("b").attr("units").set(HC.CHAR8, "m")
    table.field("a").attr("scale").set(HC.FLOAT64, 0.25)
    table.detach()
    tables.end()
    file.close()
    with hyperslab.File(path) as ours:
        found = ours["table"].attrs
        assert (found["whole"], found["b.units"], found["a.scale"].tolist()) == (b"about all", b"m", [0.25])
        assert ours["table"]["b"].tolist() == [[2.5, 3.5], [4.5, 5.5]]


def test_a_fill_value_of_another_kind_counts_by_its_bytes(tmp_path):
    path = tmp_path / "kinds.hdf"
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    for name, kind, of_fill, fill in (("a", SDC.UINT16, SDC.INT16, -5), ("b", SDC.UINT8, SDC.CHAR8, "A"), ("c", SDC.INT16, SDC.INT32, 7)):
        one = file.create(name, kind, (4, 5))
        one.attr("_FillValue").set(of_fill, fill)
        one[0:1] = np.arange(5).reshape(1, 5).astype({SDC.UINT16: "u2", SDC.UINT8: "u1", SDC.INT16: "i2"}[kind])
        one.endaccess()
    file.end()
    file = SD(str(path))
    expected = {name: file.select(name)[:] for name in "ab"}
    file.end()
    with hyperslab.File(path) as ours:
        for name, values in expected.items():
            np.testing.assert_array_equal(ours[name][...], values)
