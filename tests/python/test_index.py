"""`hyperslab.index` and its command: what the consumers of each format read is what the file has."""

from __future__ import annotations

import base64
import json
import subprocess
import sys

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from reading_back import make_climate, make_tricky, read_back

import hyperslab


@pytest.fixture
def tricky(tmp_path):
    return make_tricky(tmp_path / "tricky.h5")


@pytest.fixture
def climate(tmp_path):
    return make_climate(tmp_path / "climate.nc")


def test_kerchunk_reads_what_the_file_has(tricky, tmp_path):
    found = read_back("kerchunk", tricky, tmp_path)
    with hyperslab.File(tricky) as file:
        assert set(found) == set(file)
        for name, dataset in file.items():
            expected = dataset.asstr()[...] if name == "text" else dataset[...]
            if name == "sparse_masked":
                expected = np.where(expected == -9, np.nan, expected)
            np.testing.assert_array_equal(np.asarray(found[name][1]), expected, err_msg=name)


def test_groups_are_found_through_consolidated_metadata(tmp_path):
    """zarr-python lists groups of references from it only, and loses members whose order it does not expect."""
    path, out = tmp_path / "groups.nc", tmp_path / "groups.json"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 3)
        for name in ("b/one", "a/one", "b/two", "a/two"):
            file.createVariable(f"{name}/v", "f4", ("x",))[:] = [1, 2, len(name)]
            file.createVariable(f"{name[0]}/w", "i4", ("x",)) if name.endswith("one") else None
    hyperslab.index(path, out)
    hyperslab.index(path, tmp_path / "groups.parq", format="kerchunk-parquet")
    for references in (out, tmp_path / "groups.parq"):
        options = {"fo": str(references), "remote_protocol": "file"}
        with xarray.open_datatree("reference://", engine="zarr", storage_options=options) as tree:
            found = {node.path: set(node.data_vars) for node in tree.subtree}
            assert found == {"/": set()} | {f"/{g}": {"w"} for g in "ab"} | {f"/{g}/{n}": {"v"} for g in "ab" for n in ("one", "two")}
            assert tree["/b/two/v"].values.tolist() == [1, 2, 5]


def test_a_shuffle_of_compressed_bytes_is_inlined(tmp_path):
    """Compressed first: HDF5 shuffles whole elements of what came out, and leaves the rest; numcodecs refuses that."""
    path = tmp_path / "order.h5"
    with h5py.File(path, "w") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((100,))
        plist.set_deflate(1)
        plist.set_shuffle()
        dataset = h5py.h5d.create(file.id, b"x", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((250,)), plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(250.0))
    assert read_back("kerchunk", path, tmp_path)["x"][1].tolist() == list(range(250))


@pytest.mark.parametrize("format", ["kerchunk", "icechunk"])
def test_text_of_another_padding_is_inlined(format, tmp_path):
    path = tmp_path / "text.h5"
    paddings = {"terminated": (h5py.h5t.STR_NULLTERM, b"\0"), "spaces": (h5py.h5t.STR_SPACEPAD, b" ")}
    words = [b"one", b"two t", b"", b"three"]
    with h5py.File(path, "w") as file:
        for name, (padding, end) in paddings.items():
            for size in (1, 6):
                kind = h5py.h5t.C_S1.copy()
                kind.set_size(size)
                kind.set_strpad(padding)
                plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                plist.set_chunk((2,))
                plist.set_deflate(1)
                stored = np.array([word[:size].ljust(size, end) for word in words], f"S{size}")
                dataset = h5py.h5d.create(file.id, f"{name} {size}".encode(), kind, h5py.h5s.create_simple((4,)), plist)
                dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, stored, kind)
    found = read_back(format, path, tmp_path)
    with h5py.File(path) as file:
        assert set(found) == set(file)
        for name, dataset in file.items():
            # xarray joins single characters to a text.
            assert np.asarray(found[name][1]).tobytes() == dataset[...].tobytes(), name
    refs = hyperslab.index(path)["refs"]
    assert isinstance(refs["terminated 1/0"], list), "a single character is what Zarr has, too"
    assert isinstance(refs["spaces 1/0"], str)


def test_what_cannot_be_expressed_is_named(tmp_path):
    path = tmp_path / "big.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("lzf", data=np.arange(1 << 20, dtype="f8"), chunks=(1 << 16,), compression="lzf")
        file["reference"] = file.ref
        file["several"] = np.zeros(2, dtype=[("a", "f4", (3,))])
        file["within"] = np.zeros(2, dtype=[("a", [("b", "f4")])])
        file["x"] = 1
    with pytest.warns(RuntimeWarning, match="/lzf: numcodecs has no equal of the filter lzf") as warned:
        refs = hyperslab.index(path)["refs"]
    assert [str(one.message).split("left out: ")[1].split(":")[0] for one in warned] == ["/lzf", "/reference", "/several", "/within"]
    assert "x/.zarray" in refs
    assert not any(key.startswith(("lzf", "reference", "several", "within")) for key in refs)
    command = [sys.executable, "-m", "hyperslab", "index", "--strict", path]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 3
    with pytest.raises(hyperslab.HyperslabError, match="left out"):
        hyperslab.index(path, strict=True)


def test_a_checksum_below_a_shuffle_is_read_as_netcdf_c_writes_it(tmp_path):
    """netCDF-C's order of filters. HDF5 shuffles the checksum, too, which numcodecs can only where it is a whole element."""
    path = tmp_path / "order.h5"
    values = {name: np.arange(600, dtype=name) for name in ("f4", "f8")}
    with h5py.File(path, "w") as file:
        for name, array in values.items():
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((200,))
            plist.set_fletcher32()
            plist.set_shuffle()
            plist.set_deflate(4)
            space, kind = h5py.h5s.create_simple((600,)), h5py.h5t.py_create(array.dtype)
            h5py.Dataset(h5py.h5d.create(file.id, name.encode(), kind, space, plist))[:] = array
    refs = hyperslab.index(path)["refs"]
    assert isinstance(refs["f4/0"], list)
    assert isinstance(refs["f8/0"], str), "its values are in the index"
    found = read_back("kerchunk", path, tmp_path)
    for name, array in values.items():
        np.testing.assert_array_equal(found[name][1], array)


def test_credentials_are_refused(tricky):
    for url in ("s3://user:pw@bucket/x.nc", "s3://bucket/x?password=pw", "https://host/x?token=pw"):
        with pytest.raises(hyperslab.HyperslabError, match="--url contains") as raised:
            hyperslab.index(tricky, url=url)
        assert "pw" not in str(raised.value)


def test_an_index_does_not_replace_its_file(tricky):
    before = tricky.read_bytes()
    for format in ("kerchunk", "dmrpp", "hsds", "hyperslab"):
        with pytest.raises(hyperslab.HyperslabError, match="this file is read"):
            hyperslab.index(tricky, tricky, format=format)
    assert tricky.read_bytes() == before


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

    root = ElementTree.fromstring(hyperslab.index(climate, format="dmrpp", url="https://host/climate.nc"))
    names = {"dap": "http://xml.opendap.org/ns/DAP/4.0#", "dmrpp": "http://xml.opendap.org/dap/dmrpp/1.0.0#"}
    assert root.get("{%s}href" % names["dmrpp"]) == "https://host/climate.nc"
    assert [(d.get("name"), d.get("size")) for d in root.findall("dap:Dimension", names)] == [("time", "3"), ("lat", "5"), ("lon", "7")]
    assert root.find("dap:Attribute[@name='title']/dap:Value", names).text == 'quotes " and <tags>'
    air = root.find("dap:Float32[@name='air']", names)
    assert [dim.get("name") for dim in air.findall("dap:Dim", names)] == ["/time", "/lat", "/lon"]
    chunks = air.find("dmrpp:chunks", names)
    assert chunks.attrib == {"compressionType": "fletcher32 shuffle deflate", "deflateLevel": "4", "fillValue": "-1", "byteOrder": "LE"}
    assert chunks.find("dmrpp:chunkDimensionSizes", names).text == "1 3 4"
    with hyperslab.File(climate) as file:
        expected = [
            (str(row["address"]), str(row["size"]), f"[{','.join(map(str, row['offset']))}]") for row in file["air"].chunk_map()
        ]
    found = [(c.get("offset"), c.get("nBytes"), c.get("chunkPositionInArray")) for c in chunks.findall("dmrpp:chunk", names)]
    assert found == expected
    assert root.find("dap:Group[@name='model']/dap:Int16[@name='bias']/dap:Dim", names).get("name") == "/lat"
    # It ends inside a chunk, before its dimension does: its values are in the document.
    short = base64.b64decode(root.find("dap:Int32[@name='short']/dmrpp:compact", names).text)
    np.testing.assert_array_equal(np.frombuffer(short, "<i4").reshape(3, 5), [[0, 1, 2, 3, 4], [-7] * 5, [-7] * 5])


def test_dmrpp_has_enumerations_compounds_and_short_variables(tmp_path):
    """The names and numbers are those of the type in the file, `structOffset` is where members end in its elements."""
    import xml.etree.ElementTree as ElementTree

    path = tmp_path / "types.nc"
    record = np.dtype({"names": ["x", "v"], "formats": ["<f4", ("<i2", (2,))], "offsets": [0, 8], "itemsize": 16})
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        group = file.createGroup("g")
        cloud = group.createEnumType("u1", "cloud", {"clear": 0, "over<cast": 7})
        group.createVariable("sky", cloud, ("time",), chunksizes=(4,), fill_value=7)[:] = [0, 7, 7]
        file.createVariable("long", "i4", ("time",), chunksizes=(4,))[:] = range(10)
        file.createVariable("half", "i4", ("time",), chunksizes=(4,), fill_value=-1)[:8] = range(8)
    with h5py.File(path, "a") as file:
        assert file["half"].shape == (8,) and file["g/sky"].shape == (3,)
        file.create_dataset("points", data=np.zeros(3, record))
        file.create_dataset("partly", (100_000,), record, chunks=(50_000,))[:3] = np.zeros(3, record)
        file.create_dataset("mixed", data=np.zeros(200_000, [("a", "<i4"), ("b", ">i4")]))
        file["flags"] = np.array([True, False])
        points, flags = (file[name].id.get_offset() for name in ("points", "flags"))
    with pytest.warns(RuntimeWarning) as warned:
        root = ElementTree.fromstring(hyperslab.index(path, format="dmrpp", url="u"))
    left_out = sorted(str(warning.message).split(": ", 2)[2] for warning in warned if "left out" in str(warning.message))
    assert [reason.split(": ")[0] for reason in left_out] == ["/mixed", "/partly"]
    assert "several byte orders" in left_out[0] and "never written" in left_out[1]
    names = {"d": "http://xml.opendap.org/ns/DAP/4.0#", "p": "http://xml.opendap.org/dap/dmrpp/1.0.0#"}
    enumeration = root.find("d:Group/d:Enumeration", names)
    assert enumeration.attrib == {"name": "cloud", "basetype": "UInt8"}
    assert [tuple(constant.attrib.values()) for constant in enumeration] == [("clear", "0"), ("over<cast", "7")]
    sky = root.find("d:Group/d:Enum[@name='sky']", names)
    assert base64.b64decode(sky.find("p:compact", names).text) == bytes([0, 7, 7, *[7] * 7])
    assert sky.find("d:Attribute[@name='_FillValue']", names).get("type") == "UInt8"
    chunks = root.findall("d:Int32[@name='half']/p:chunks/p:chunk", names)
    assert [chunk.get("chunkPositionInArray") for chunk in chunks] == ["[0]", "[4]"]
    structure = root.find("d:Structure[@name='points']", names)
    assert [(m.tag.split("}")[1], m.get("name"), [d.get("size") for d in m]) for m in structure[:2]] == [("Float32", "x", []), ("Int16", "v", ["2"])]
    chunks = structure.find("p:chunks", names)
    assert chunks.attrib == {"fillValue": "0", "structOffset": "8 16", "byteOrder": "LE"}
    assert chunks[0].attrib == {"offset": str(points), "nBytes": "48"}
    assert root.find("d:Int8[@name='flags']/p:chunks/p:chunk", names).get("offset") == str(flags)


def test_dmrpp_names_the_enumeration_of_a_variable(tmp_path):
    import xml.etree.ElementTree as ElementTree

    with netCDF4.Dataset(tmp_path / "enum.nc", "w") as file:
        file.createDimension("x", 3)
        kind = file.createEnumType("i2", "kind", {"a": -1, "b": 300})
        file.createVariable("v", kind, ("x",), fill_value=300)[:] = [-1, -1, 300]
    root = ElementTree.fromstring(hyperslab.index(tmp_path / "enum.nc", format="dmrpp", url="u"))
    variable = root.find("{http://xml.opendap.org/ns/DAP/4.0#}Enum")
    assert variable.attrib == {"name": "v", "enum": "/kind"}
    chunks = variable.find("{http://xml.opendap.org/dap/dmrpp/1.0.0#}chunks")
    assert chunks.attrib == {"fillValue": "300", "byteOrder": "LE"}


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
