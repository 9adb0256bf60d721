"""Files of HDF4, read by hyperslab and by libhdf4: made files of every storage that pyhdf writes, and those of the corpus."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import hdf4_readers
import numpy as np
import pytest
from kit import CORPUS, missing_corpus, scaled
from pyhdf import VS  # noqa: F401: HDF.vstart needs it.
from pyhdf.HDF import HC, HDF
from pyhdf.SD import SD, SDC

import hyperslab

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
        compression = COMPRESSIONS[str(random.choice(list(COMPRESSIONS)))]
        if compression and not can_grow:
            one.setcompress(*compression)
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
