"""Files of netCDF classic, 64-bit offset and CDF-5, read by hyperslab and by netCDF-C: random files, and those of the corpus."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import scipy.io
import xarray as xr
from kit import CORPUS, missing_corpus, scaled

import hyperslab
from hyperslab.errors import HyperslabError

FORMATS = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA")
TYPES = ("i1", "S1", "i2", "i4", "f4", "f8")
TYPES_OF_CDF5 = ("u1", "u2", "u4", "i8", "u8")
SELECTIONS = 8
#: What netCDF-C opens, and gives zeros for values that lie behind the end of the file, or more than one record dimension.
MALFORMED = ("/bad_padding_name_v", "/bad_padding_value_vattr", "/bad_xtype", "/bad_unlimited")
#: What netCDF-C does not open, though every value has its place.
LARGE = ("/bad_large_rec",)
#: netCDF-C does not end, or dies, where a header has too large numbers.
DEADLY = ("/bad_nattrs", "/bad_ndims", "/bad_nvars")


def values(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    if dtype == "S1":
        return random.integers(0, 128, shape).astype("u1").view("S1")
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return random.normal(size=shape).astype(kind)
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def make(path: Path, random: np.random.Generator, form: str) -> None:
    """A file with a record dimension and others, and variables of all types with any of them."""
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.set_fill_on() if random.random() < 0.5 else file.set_fill_off()
        records = int(random.integers(0, 6))
        file.createDimension("time", None)
        lengths = {f"d{number}": int(random.integers(1, 7)) for number in range(int(random.integers(1, 4)))}
        for name, length in lengths.items():
            file.createDimension(name, length)
        file.title = "é" * int(random.integers(0, 4))
        types = TYPES + (TYPES_OF_CDF5 if form == FORMATS[2] else ())
        written = []
        for number in range(int(random.integers(1, 8))):
            dtype = str(random.choice(types))
            dims = tuple(random.choice(list(lengths), int(random.integers(0, 4))))
            dims = ("time", *dims) if random.random() < 0.6 else dims
            own = {} if dtype == "S1" or random.random() < 0.5 else {"fill_value": np.array(7, dtype)[()]}
            name = "time" if number == 0 and dims[:1] == ("time",) and dtype != "S1" else f"v{number}"
            variable = file.createVariable(name, dtype, dims, **own)
            variable.set_auto_maskandscale(False)
            variable.set_auto_chartostring(False)
            variable.units = "K" * int(random.integers(0, 5))
            if dtype != "S1":
                variable.numbers = values(random, dtype, (int(random.integers(1, 4)),))
            written.append((variable, dtype, tuple(records if dim == "time" else lengths[dim] for dim in dims)))
        for variable, dtype, shape in written:
            # Without fill values, what is not written is whatever was there.
            if 0 not in shape:
                variable[...] = values(random, dtype, shape)


def compare(path: Path, random: np.random.Generator) -> None:
    """All values, attributes and dimensions, and parts of variables."""
    with netCDF4.Dataset(path) as expected, hyperslab.File(path) as file:
        expected.set_auto_maskandscale(False)
        expected.set_auto_chartostring(False)
        assert list(file) == list(expected.variables)
        for name, variable in expected.variables.items():
            dataset = file[name]
            whole = np.asarray(variable[...])
            found = np.asarray(dataset[...])
            assert (found.dtype, found.shape) == (whole.dtype, whole.shape), name
            assert found.tobytes() == whole.tobytes(), name
            assert dataset.maxshape == tuple(None if dim.isunlimited() else len(dim) for dim in variable.get_dims())
            for _ in range(SELECTIONS if whole.ndim and whole.size else 0):
                key = tuple(part(random, size) for size in whole.shape)
                assert np.asarray(dataset[key]).tobytes() == np.ascontiguousarray(whole[key]).tobytes(), (name, key)
    same_in_xarray(path)


def part(random: np.random.Generator, size: int) -> Any:
    if random.random() < 0.3:
        return int(random.integers(0, size))
    start, stop = sorted(random.integers(0, size + 1, 2))
    return slice(int(start), int(stop), int(random.integers(1, 4)))


def same_in_xarray(path: Path, **decoders: bool) -> None:
    for options in ({"decode_cf": False}, decoders):
        with warnings.catch_warnings():
            # Random numbers are no dates, and fill values of other types.
            warnings.simplefilter("ignore")
            with xr.open_dataset(path, engine="netcdf4", **options) as expected, xr.open_dataset(path, engine="hyperslab", **options) as found:
                xr.testing.assert_identical(expected.load(), found.load())
                assert list(expected.variables) == list(found.variables)
                assert expected.encoding["unlimited_dims"] == found.encoding["unlimited_dims"]
                for name, variable in expected.variables.items():
                    own = found.variables[name]
                    assert own.dtype == variable.dtype, name
                    for word in ("dtype", "original_shape"):
                        assert own.encoding.get(word) == variable.encoding.get(word), (name, word)


@pytest.mark.parametrize("form", FORMATS)
def test_random_files_are_read_as_netcdf_c_reads_them(tmp_path: Path, form: str) -> None:
    random = np.random.default_rng(list(form.encode()))
    for number in range(scaled(12, full=300)):
        path = tmp_path / f"{number}.nc"
        make(path, random, form)
        compare(path, random)


def test_a_single_record_variable_of_bytes_is_not_padded(tmp_path: Path) -> None:
    # netCDF-C and scipy write it so.
    path = tmp_path / "by_scipy.nc"
    with scipy.io.netcdf_file(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.createVariable("b", "b", ("time", "x"))[:] = np.arange(15, dtype="i1").reshape(5, 3)
    compare(path, np.random.default_rng(0))


def test_a_cut_file_gives_what_lies_before_the_cut(tmp_path: Path) -> None:
    path, cut = tmp_path / "whole.nc", tmp_path / "cut.nc"
    with netCDF4.Dataset(path, "w", format=FORMATS[0]) as file:
        file.createDimension("time", None)
        for name in ("a", "b"):
            file.createVariable(name, "i4", ("time",))[:] = np.arange(100)
    cut.write_bytes(path.read_bytes()[:-40])
    with hyperslab.File(cut) as file:
        assert file["a"][:95].tolist() == list(range(95))
        with pytest.raises(OSError, match=r"cut.nc: /b: .*beyond the end of the file"):
            file["b"][:]


def real_files() -> list[str]:
    if missing_corpus():
        return []
    with (CORPUS / "MANIFEST.tsv").open() as manifest:
        return [row["path"] for row in csv.DictReader(manifest, delimiter="\t") if row["kind"].startswith("cdf")]


def test_real_files_are_the_same_in_xarray() -> None:
    if why := missing_corpus():
        pytest.skip(why)
    compared = 0
    for name in real_files():
        path = CORPUS / name
        if any(word in name for word in (*MALFORMED, *LARGE, *DEADLY)):
            if any(word in name for word in DEADLY) or name.endswith("bad_xtype.nc5"):
                with pytest.raises(hyperslab.HyperslabError, match="byte 0x"):
                    hyperslab.File(path)
            else:
                hyperslab.File(path).close()
            continue
        try:
            xr.open_dataset(path, engine="netcdf4", decode_cf=False).close()
        except (OSError, ValueError):
            # What netCDF-C refuses is refused, or read as far as every value has its place.
            continue
        # netCDF4 takes NULs out of texts, wherever they are.
        if not name.endswith("/nc_test_cdf5.nc"):
            # Some have times that no calendar of xarray has.
            same_in_xarray(path, decode_times=False)
            compared += 1
    assert compared > 35, compared


@pytest.mark.parametrize("form", FORMATS)
def test_a_conversion_is_the_same_in_netcdf_c_h5netcdf_and_h5py(tmp_path: Path, form: str) -> None:
    random = np.random.default_rng([7, *form.encode()])
    for number in range(scaled(6, full=100)):
        path, new = tmp_path / f"{number}.nc", tmp_path / f"{number}.nc4"
        make(path, random, form)
        options = {} if number % 2 else {"filter": "shuffle+gzip=4", "chunk_bytes": "256"}
        hyperslab.repack(path, new, **options)
        with netCDF4.Dataset(path) as expected, netCDF4.Dataset(new) as found, h5py.File(new) as file:
            assert found.file_format == "NETCDF4" and set(expected.variables) <= set(file)
            assert list(found.variables) == list(expected.variables)
            assert {name: len(dim) for name, dim in found.dimensions.items()} == {name: len(dim) for name, dim in expected.dimensions.items()}
        for options in ({"decode_cf": False}, {"decode_times": False}):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with xr.open_dataset(path, engine="netcdf4", **options) as expected:
                    for engine in ("netcdf4", "h5netcdf", "hyperslab"):
                        with xr.open_dataset(new, engine=engine, **options) as found:
                            xr.testing.assert_identical(expected.load(), found.load())


def test_a_conversion_gives_the_same_bytes_again_and_leaves_nothing_out_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "old.nc"
    with netCDF4.Dataset(path, "w", format=FORMATS[0]) as file:
        file.createDimension("x", 4)
        variable = file.createVariable("v", "f4", ("x",))
        variable[:] = np.arange(4)
        variable.CLASS = "mine"
    notes = [hyperslab.repack(path, tmp_path / name)["plan"]["notes"] for name in ("a.nc", "b.nc")]
    assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "b.nc").read_bytes()
    assert notes[0] == notes[1] == ["/v: the attribute CLASS is left out, because netCDF-4 has it for itself"]
    hyperslab.repack(path, in_place=True)
    with hyperslab.File(path) as file:
        assert file.format == "hdf5" and file["v"][()].tolist() == [0, 1, 2, 3]


#: Reads files through the indexes that are made of them, by zarr; prints what is not the same as by netCDF-C.
THROUGH_INDEXES = """
import sys, warnings
import numpy as np
import xarray as xr
import hyperslab
from hyperslab.errors import HyperslabError

warnings.simplefilter("ignore")
options = {"mask_and_scale": False, "decode_times": False, "decode_coords": False, "concat_characters": False}
for path in sys.argv[1:]:
    with xr.open_dataset(path, engine="netcdf4", **options) as expected:
        found = xr.open_dataset(hyperslab.index(path), engine="kerchunk", **options)
        assert set(found.variables) == set(expected.variables), path
        for name, variable in expected.variables.items():
            assert found[name].dims == variable.dims, (path, name)
            values = found[name].values
            assert values.astype(values.dtype.newbyteorder("=")).tobytes() == variable.values.tobytes(), (path, name)
"""


def test_indexes_lead_to_the_same_values(tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    paths = []
    for number in range(scaled(9, full=90)):
        paths.append(tmp_path / f"{number}.nc")
        make(paths[-1], random, FORMATS[number % 3])
    # Readers of Zarr 3 may hang in threads of fsspec.
    subprocess.run([sys.executable, "-c", THROUGH_INDEXES, *map(str, paths)], check=True, timeout=300)


def test_an_index_names_each_record_and_the_order_of_bytes(tmp_path: Path) -> None:
    path = tmp_path / "records.nc"
    with netCDF4.Dataset(path, "w", format=FORMATS[1]) as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        for name in ("a", "b"):
            file.createVariable(name, "f4", ("time", "x"))[:] = np.arange(12).reshape(4, 3)
    references = hyperslab.index(path)["refs"]
    chunks = [references[f"b/{record}.0"] for record in range(4)]
    assert {chunk[2] for chunk in chunks} == {12}
    assert len({after[1] - before[1] for before, after in itertools.pairwise(chunks)}) == 1
    assert json.loads(references["b/.zarray"])["dtype"] == ">f4"
    document = subprocess.run([sys.executable, "-m", "hyperslab", "index", "--format", "dmrpp", path], check=True, capture_output=True, text=True).stdout
    assert document.count('byteOrder="BE"') == 2 and document.count("<dmrpp:chunk ") == 8


@pytest.mark.parametrize("count", [100, 20_000, 200_000])
def test_a_conversion_that_keeps_going_loses_only_what_is_cut(tmp_path: Path, count: int) -> None:
    old, new = tmp_path / "cut.nc", tmp_path / "new.nc"
    with netCDF4.Dataset(old, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", count)
        for name in "ab":
            file.createVariable(name, "i4", ("x",))[:] = np.arange(count)
    old.write_bytes(old.read_bytes()[:-40])
    with pytest.raises(HyperslabError):
        hyperslab.repack(old, new)
    [damage] = hyperslab.repack(old, new, keep_going=True)["result"]["damage"]
    assert (damage["path"], damage["offset"], damage["shape"]) == ("/b", [count - 10], [10])
    with netCDF4.Dataset(new) as file:
        np.testing.assert_array_equal(file["a"][:], np.arange(count))
        np.testing.assert_array_equal(file["b"][:-10], np.arange(count - 10))
        assert file["b"][-10:].mask.all()


def test_a_header_that_promises_billions_of_records_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "many.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("t", None)
        for name in ("v", "w"):
            file.createVariable(name, "f8", ("t",))[:] = [1, 2]
    stored = bytearray(path.read_bytes())
    # The number of records stands behind the signature.
    stored[4:8] = (2**31 - 1).to_bytes(4, "big")
    path.write_bytes(stored)
    with pytest.warns(RuntimeWarning, match="behind the end of the file"):
        assert not [key for key in hyperslab.index(path)["refs"] if key.startswith("v/0")]
    assert hyperslab.doctor(path)
    with pytest.raises(HyperslabError, match="next to nothing"):
        hyperslab.repack(path, tmp_path / "new.nc", keep_going=True)
    assert not (tmp_path / "new.nc").exists()
