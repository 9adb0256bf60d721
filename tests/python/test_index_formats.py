"""Indexes for Zarr, Icechunk and kerchunk in Parquet: what their consumers read is what the file has."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest
from reading_back import NEEDS, make_climate, make_tricky, read_back

import hyperslab

FORMATS = ["kerchunk-parquet", "zarr", "icechunk"]


@pytest.fixture(params=FORMATS)
def format(request):
    for name in NEEDS[request.param]:
        pytest.importorskip(name)
    return request.param


def inlined(path, tmp_path):
    """The variables of the format `zarr` that have inlined chunks, which VirtualiZarr does not read."""
    out = tmp_path / "inlined.zarr"
    with pytest.warns(RuntimeWarning, match="/compound: Zarr 3 has no type"):
        hyperslab.index(path, out, format="zarr")
    return {chunks.parent.name for chunks in out.glob("*/c")}


def test_the_consumer_reads_what_the_file_has(format, tmp_path):
    path = make_tricky(tmp_path / "tricky.h5")
    missing = set()
    if format == "kerchunk-parquet":
        found = read_back(format, path, tmp_path)
    else:
        with pytest.warns(RuntimeWarning, match="/compound: Zarr 3 has no type"):
            found = read_back(format, path, tmp_path)
        missing = {"compound"}
    if format == "zarr":
        names = inlined(path, tmp_path)
        assert {"mask", "text", "lzf"} <= names and len(names) <= 5
        missing |= names
    with hyperslab.File(path) as file:
        assert set(found) == set(file) - missing
        for name in found:
            dataset = file[name]
            expected = dataset.asstr()[...] if name == "text" else dataset[...]
            if name == "sparse_masked":
                expected = np.where(expected == -9, np.nan, expected)
            np.testing.assert_array_equal(np.asarray(found[name][1]), expected, err_msg=name)


@pytest.mark.parametrize("format", ["kerchunk", "dmrpp", "icechunk"])
def test_numbers_beside_texts_are_where_they_are(format, tmp_path):
    """Texts are read to be inlined, and reads of small neighbours share blocks, which are not where the numbers lie."""
    for name in NEEDS[format]:
        pytest.importorskip(name)
    path = tmp_path / "small.h5"
    with h5py.File(path, "w") as file:
        for number in range(12):
            file[f"text_{number:02}"] = f"text {number}"
            file[f"value_{number:02}"] = np.array([number + 0.5])
    found = read_back(format, path, tmp_path)
    assert [found[f"value_{number:02}"][1] for number in range(12)] == [number + 0.5 for number in range(12)]


def test_a_chunk_that_was_stored_without_blosc_is_inlined(format, tmp_path):
    path, folder = tmp_path / "masked.h5", tmp_path / "out"
    folder.mkdir()
    # Such bytes do not become shorter, whatever the codec.
    values = np.random.default_rng(1).integers(0, 1 << 63, 12)
    with hyperslab.NewFile(path) as file:
        dataset = file.create_dataset("x", data=values, chunks=(4,), filter="blosc")
        dataset.attrs["_FillValue"] = np.int64(-1)
    with hyperslab.File(path) as file:
        assert 1 in file["x"].chunk_map()["filter_mask"]
    out = folder / "index"
    hyperslab.index(path, out, format=format, strict=True)
    if format != "zarr":  # VirtualiZarr does not read inlined chunks.
        np.testing.assert_array_equal(read_back(format, path, folder)["x"][1], values)


def test_dimensions_attributes_and_packed_values_are_netcdf(format, tmp_path):
    path = make_climate(tmp_path / "climate.nc")
    found = read_back(format, path, tmp_path)
    dims, values, attributes = found["air"]
    assert dims == ("time", "lat", "lon")
    np.testing.assert_array_equal(values, np.arange(105).reshape(3, 5, 7) * 0.5 + 2)
    assert list(attributes["limits"]) == [1, 2.5]
    if format != "zarr":
        np.testing.assert_array_equal(found["short"][1], [[0, 1, 2, 3, 4], [np.nan] * 5, [np.nan] * 5])


def test_chunks_that_were_never_written_are_values_of_zarr_3(tmp_path):
    path = tmp_path / "sparse.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("seven", (1000, 1000), "i4", chunks=(10, 10), fillvalue=7)[0, 0] = 1
    out = tmp_path / "sparse.zarr"
    hyperslab.index(path, out, format="zarr")
    document = json.loads((out / "seven" / "zarr.json").read_text())
    assert document["fill_value"] == 7
    manifest = json.loads((out / "seven" / "manifest.json").read_text())
    with hyperslab.File(path) as file:
        [row] = file["seven"].chunk_map()
    assert manifest == {"0.0": {"path": f"file://{path}", "offset": int(row["address"]), "length": 400}}
    assert not (out / "seven" / "c").exists()
    root = json.loads((out / "zarr.json").read_text())
    assert root["consolidated_metadata"]["metadata"]["seven"] == document


def test_records_of_parquet_are_divided(tmp_path):
    pytest.importorskip("fastparquet")
    path = tmp_path / "many.h5"
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("x", (250_000,), "i1", chunks=(1,), fillvalue=3)
        dataset.attrs["_FillValue"] = np.int8(3)
        dataset[:5] = range(10, 15)
        dataset[240_000] = 99
    out = tmp_path / "many.parq"
    hyperslab.index(path, out, format="kerchunk-parquet")
    # A record without references is not written.
    assert sorted(file.name for file in (out / "x").iterdir()) == ["refs.0.parq", "refs.2.parq"]
    import pandas

    record = pandas.read_parquet(out / "x" / "refs.2.parq", engine="fastparquet")
    with hyperslab.File(path) as file:
        addresses = {int(row["offset"][0]): int(row["address"]) for row in file["x"].chunk_map()}
    assert len(record) == 50_000 and list(record.columns) == ["path", "offset", "size"]
    assert tuple(record.iloc[40_000]) == (str(path), addresses[240_000], 1)
    assert record["size"].sum() == 1


def test_an_index_replaces_only_an_earlier_one(tmp_path):
    path = make_climate(tmp_path / "climate.nc")
    out = tmp_path / "folder"
    out.mkdir()
    (out / "precious").write_text("do not delete")
    with pytest.raises(hyperslab.HyperslabError, match="something else than an index"):
        hyperslab.index(path, out, format="zarr")
    assert (out / "precious").read_text() == "do not delete"
    out = tmp_path / "index.zarr"
    hyperslab.index(path, out, format="zarr")
    (out / "stale").write_text("")
    hyperslab.index(path, out, format="zarr")
    assert (out / "zarr.json").exists() and not (out / "stale").exists()


def test_credentials_are_refused(tmp_path):
    path = make_climate(tmp_path / "climate.nc")
    with pytest.raises(hyperslab.HyperslabError, match="must not have credentials"):
        hyperslab.index(path, url="https://host/climate.nc?X-Amz-Signature=secret")


def test_a_file_that_icechunk_would_not_find_is_refused(tmp_path):
    pytest.importorskip("icechunk")
    path = tmp_path / "run#1.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(1000.0)
    with pytest.raises(hyperslab.HyperslabError, match="run#1.h5: Icechunk finds no file whose path has"):
        hyperslab.index(path, tmp_path / "out.icechunk", format="icechunk")
    assert not (tmp_path / "out.icechunk").exists()
