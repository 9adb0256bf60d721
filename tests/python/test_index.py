"""`hyperslab.index` and its command: what the consumers of each format read is what the file has."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import h5py
import netCDF4
import numpy as np
import pytest

import hyperslab

#: Reads all variables through the index, in a process of its own: readers of Zarr 3 may hang in threads of fsspec.
READ = {
    "kerchunk": """
import pickle, sys, warnings, xarray
warnings.simplefilter("ignore")
ds = xarray.open_dataset(sys.argv[1], engine="kerchunk", decode_times=False)
""",
    "dmrpp": """
import pickle, sys, warnings, xarray, obstore
from obspec_utils.registry import ObjectStoreRegistry
from virtualizarr.parsers import DMRPPParser
warnings.simplefilter("ignore")
registry = ObjectStoreRegistry({"file://": obstore.store.LocalStore()})
manifest = DMRPPParser()(url="file://" + sys.argv[1], registry=registry)
ds = xarray.open_zarr(manifest, consolidated=False, zarr_format=3, decode_times=False)
""",
}
STORE = """
pickle.dump({name: (v.dims, v.values, dict(v.attrs)) for name, v in ds.variables.items()}, open(sys.argv[2], "wb"))
"""


def read_back(format, path, tmp_path, **options):
    """The variables of an index, as its consumer reads them."""
    # Readers of DMR++ find the file beside it, by its name.
    out = path.with_name(f"{path.name}.dmrpp") if format == "dmrpp" else tmp_path / "index.json"
    values = tmp_path / "values.pickle"
    if format == "virtualizarr":
        out = path
    else:
        hyperslab.index(path, out, format=format, url=f"file://{path}" if format == "dmrpp" else None, **options)
    ended = subprocess.run(
        [sys.executable, "-c", READ[format] + STORE, out, values], timeout=90, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return pickle.loads(values.read_bytes())

READ["virtualizarr"] = READ["dmrpp"].replace("DMRPPParser", "Parser").replace("virtualizarr.parsers", "hyperslab.virtualizarr")


@pytest.fixture
def tricky(tmp_path):
    """One dataset for each way in which a reference could be misread."""
    path = tmp_path / "tricky.h5"
    ramp = np.arange(60, dtype="f4").reshape(6, 10)
    with h5py.File(path, "w", userblock_size=512, libver="latest") as file:
        def chunked(name, data=ramp, **options):
            return file.create_dataset(name, data=data, chunks=(4, 4), **options)

        chunked("plain")
        chunked("gzip", compression="gzip", shuffle=True, fletcher32=True)
        chunked("big_endian", data=ramp.astype(">i2"), compression="gzip")
        # Zeros that were never written are values, not missing ones.
        file.create_dataset("sparse", (6, 10), "f4", chunks=(4, 4), compression="gzip")[0, 0] = 1
        masked = file.create_dataset("sparse_masked", (6, 10), "f4", chunks=(4, 4), fillvalue=-9)
        masked[0, 0] = 1
        masked.attrs["_FillValue"] = np.float32(-9)
        # One chunk without the deflate filter, as its mask says.
        skipped = file.create_dataset("mask", (4, 4), "i4", chunks=(4, 4), compression="gzip")
        skipped.id.write_direct_chunk((0, 0), np.arange(16, dtype="<i4").tobytes(), filter_mask=1)
        # Partial chunks at the edges are not filtered.
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((4, 4))
        plist.set_deflate(4)
        plist.set_chunk_opts(h5py.h5d.CHUNK_DONT_FILTER_PARTIAL_CHUNKS) if hasattr(plist, "set_chunk_opts") else None
        edges = h5py.h5d.create(file.id, b"edges", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((6, 10)), plist)
        edges.write(h5py.h5s.ALL, h5py.h5s.ALL, ramp)
        chunked("lzf", compression="lzf")
        file["contiguous"] = ramp.astype("f8")
        file["scalar"] = np.int16(-5)
        file["truth"] = np.array([True, False, True])
        file["complex"] = np.array([1 + 2j, 3 - 4j], "c8")
        file["text"] = ["one", "zwei", "três"]
        file["fixed"] = np.array([b"ab", b"cde"])
        file["empty"] = np.zeros((0, 3), "f4")
        file["compound"] = np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    return path


def test_kerchunk_reads_what_the_file_has(tricky, tmp_path):
    found = read_back("kerchunk", tricky, tmp_path)
    with hyperslab.File(tricky) as file:
        assert set(found) == set(file)
        for name, dataset in file.items():
            expected = dataset.asstr()[...] if name == "text" else dataset[...]
            if name == "sparse_masked":
                expected = np.where(expected == -9, np.nan, expected)
            np.testing.assert_array_equal(np.asarray(found[name][1]), expected, err_msg=name)


def test_what_cannot_be_expressed_is_named(tmp_path):
    path = tmp_path / "big.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("lzf", data=np.arange(1 << 20, dtype="f8"), chunks=(1 << 16,), compression="lzf")
        file["reference"] = file.ref
        file["several"] = np.zeros(2, dtype=[("a", "f4", (3,))])
        file["x"] = 1
    with pytest.warns(RuntimeWarning, match="/lzf: numcodecs has no equal of the filter lzf") as warned:
        refs = hyperslab.index(path)["refs"]
    assert [str(one.message).split("left out: ")[1].split(":")[0] for one in warned] == ["/lzf", "/reference", "/several"]
    assert "x/.zarray" in refs
    assert not any(key.startswith(("lzf", "reference", "several")) for key in refs)
    command = [sys.executable, "-m", "hyperslab", "index", "--strict", path]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 3
    with pytest.raises(hyperslab.HyperslabError, match="left out"):
        hyperslab.index(path, strict=True)


def test_references_are_those_of_the_chunk_map(tricky):
    refs = hyperslab.index(tricky, url="s3://bucket/tricky.h5")["refs"]
    with hyperslab.File(tricky) as file:
        for name in ("plain", "gzip"):
            for row in file[name].chunk_map():
                key = ".".join(str(at // 4) for at in row["offset"])
                assert refs[f"{name}/{key}"] == ["s3://bucket/tricky.h5", int(row["address"]), int(row["size"])]
    # Where the chunks are inlined instead, no reference leads to bytes that would be decoded wrongly.
    assert refs["mask/0.0"].startswith("base64:")
    assert json.loads(refs["sparse/.zarray"])["fill_value"] is None
    assert json.loads(refs["sparse_masked/.zarray"])["fill_value"] == -9
    assert "sparse_masked/1.2" not in refs


@pytest.fixture
def climate(tmp_path):
    path = tmp_path / "climate.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.title = 'quotes " and <tags>'
        for name, size in (("time", None), ("lat", 5), ("lon", 7)):
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",))[:] = [1, 2, 3]
        # netCDF-C computes the checksum first, and shuffles afterwards.
        air = file.createVariable(
            "air", "f4", ("time", "lat", "lon"), zlib=True, shuffle=True, fletcher32=True, chunksizes=(1, 3, 4), fill_value=-1
        )
        air.scale_factor, air.add_offset, air.limits = 0.5, 2.0, np.array([1, 2.5], "f4")
        air.set_auto_maskandscale(False)
        air[:] = np.arange(105).reshape(3, 5, 7)
        short = file.createVariable("short", "i4", ("time", "lat"), chunksizes=(2, 5), fill_value=-7)
        short[:1] = np.arange(5)
        file.createGroup("model").createVariable("bias", "i2", ("lat",))[:] = range(5)
    return path


def test_kerchunk_reads_netcdf_with_dimensions_and_attributes(climate, tmp_path):
    found = read_back("kerchunk", climate, tmp_path)
    dims, values, attributes = found["air"]
    assert dims == ("time", "lat", "lon")
    np.testing.assert_array_equal(values, np.arange(105).reshape(3, 5, 7) * 0.5 + 2)
    assert attributes["limits"] == [1, 2.5]
    np.testing.assert_array_equal(found["short"][1], [[0, 1, 2, 3, 4], [np.nan] * 5, [np.nan] * 5])
    assert json.loads(hyperslab.index(climate)["refs"]["model/bias/.zattrs"]) == {"_ARRAY_DIMENSIONS": ["lat"]}


def test_dmrpp_lists_the_chunks_of_the_file(climate):
    import xml.etree.ElementTree as ElementTree

    with pytest.warns(RuntimeWarning, match="/short: it is shorter than its dimensions"):
        root = ElementTree.fromstring(hyperslab.index(climate, format="dmrpp", url="https://host/climate.nc"))
    names = {"dap": "http://xml.opendap.org/ns/DAP/4.0#", "dmrpp": "http://xml.opendap.org/dap/dmrpp/1.0.0#"}
    assert root.get("{%s}href" % names["dmrpp"]) == "https://host/climate.nc"
    assert [(d.get("name"), d.get("size")) for d in root.findall("dap:Dimension", names)] == [("time", "3"), ("lat", "5"), ("lon", "7")]
    assert root.find("dap:Attribute[@name='title']/dap:Value", names).text == 'quotes " and <tags>'
    air = root.find("dap:Float32[@name='air']", names)
    assert [dim.get("name") for dim in air.findall("dap:Dim", names)] == ["/time", "/lat", "/lon"]
    chunks = air.find("dmrpp:chunks", names)
    assert chunks.attrib == {"compressionType": "fletcher32 shuffle deflate", "deflateLevel": "4", "fillValue": "-1.0", "byteOrder": "LE"}
    assert chunks.find("dmrpp:chunkDimensionSizes", names).text == "1 3 4"
    with hyperslab.File(climate) as file:
        expected = [
            (str(row["address"]), str(row["size"]), f"[{','.join(map(str, row['offset']))}]") for row in file["air"].chunk_map()
        ]
    found = [(c.get("offset"), c.get("nBytes"), c.get("chunkPositionInArray")) for c in chunks.findall("dmrpp:chunk", names)]
    assert found == expected
    assert root.find("dap:Group[@name='model']/dap:Int16[@name='bias']/dap:Dim", names).get("name") == "/lat"


def test_virtualizarr_reads_the_chunks_of_dmrpp(tmp_path):
    path = tmp_path / "simple.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 50)
        # Its parser knows neither fletcher32 nor big-endian numbers.
        file.createVariable("a", "f4", ("x",), zlib=True, shuffle=True, chunksizes=(16,))[:] = range(50)
        file.createVariable("b", "i2", ("x",))[:] = range(50)
    found = read_back("dmrpp", path, tmp_path)
    for name in ("a", "b"):
        assert found[name][0] == ("x",)
        np.testing.assert_array_equal(found[name][1], range(50))


def test_virtualizarr_reads_through_the_parser(climate, tmp_path):
    found = read_back("virtualizarr", climate, tmp_path)
    assert found["air"][0] == ("time", "lat", "lon")
    np.testing.assert_array_equal(found["air"][1], np.arange(105).reshape(3, 5, 7) * 0.5 + 2)
