"""DMR++, element for element as Hyrax's own builder (build_dmrpp) writes it.

Each case makes a file like one of the builder's public examples (OPENDAP/bes, modules/dmrpp_module/data/dmrpp, by whose name
it goes) and says which elements that example has. Places in the file are those that libhdf5 tells.

What is deliberately different:

* Values in the document have no `dmrpp:chunks` beside them, from which VirtualiZarr would read fill values.
* Compounds always have `structOffset`, as the builder writes it since its version 3.21.
* `Byte` is `UInt8`, which means the same in DAP4.
* There is no container `build_dmrpp_metadata`.
"""

from __future__ import annotations

import base64
import re
import struct
import xml.etree.ElementTree as ElementTree

import h5py
import netCDF4
import numpy as np
import pytest

import hyperslab

NAMESPACES = 'xmlns="http://xml.opendap.org/ns/DAP/4.0#" xmlns:dmrpp="http://xml.opendap.org/dap/dmrpp/1.0.0#"'
FOR_MEMBERS = ("Structure", "Dim", "Dimension", "Attribute", "Map", "Enumeration", "EnumConst", "Dataset")


def document(path):
    """What we write."""
    return ElementTree.fromstring(hyperslab.index(path, format="dmrpp", url="u"))


def canonical(element, path="", places=None):
    """An element as values; the places of chunks go to `places` instead, with the path of their variable."""
    tag, attributes = element.tag.split("}")[1], dict(element.attrib)
    if tag == "chunk" and places is not None:
        places.append((path, int(attributes.pop("offset")), int(attributes.pop("nBytes"))))
    elif tag not in FOR_MEMBERS and "name" in attributes or tag == "Structure":
        path = f"{path}/{attributes['name']}"
    text = (element.text or "").strip()
    if tag == "Value" and re.fullmatch(r"[-+.\de]+", text):
        text = float(text)
    return tag, attributes, text, [canonical(child, path, places) for child in element]


def places_in(file, path):
    """The places of the chunks of a dataset, as libhdf5 tells them."""
    group, _, name = path.rpartition("/")
    dataset = file[path]
    if f"_nc4_non_coord_{name}" in file[group or "/"]:
        dataset = file[f"{group}/_nc4_non_coord_{name}"]
    if dataset.chunks is None:
        return [(dataset.id.get_offset(), dataset.nbytes)]
    chunks = [dataset.id.get_chunk_info(number) for number in range(dataset.id.get_num_chunks())]
    return [(chunk.byte_offset, chunk.size) for chunk in chunks]


CASES = {}


def case(expected):
    """Registers a function that makes a file, by the name of the example; `expected` are the elements in its `Dataset`."""

    def register(make):
        CASES[make.__name__] = (make, expected)
        return make

    return register


def chunked(file, name, shape, dtype, chunks, filters=(), **options):
    """A dataset whose filters are in this order, which h5py's own options would not keep."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(chunks)
    for add in filters:
        add(properties)
    dtype = h5py.h5t.py_create(np.dtype(dtype), logical=True)
    made = h5py.h5d.create(file.id, name.encode(), dtype, h5py.h5s.create_simple(shape, **options), properties)
    dataset = h5py.Dataset(made)
    if dataset.dtype.kind != "V":
        dataset[...] = np.arange(np.prod(shape)).reshape(shape)
    return dataset


@case(
    """<Int32 name="IntArray"><Dim size="6"/><Dim size="8"/>
    <dmrpp:chunks compressionType="fletcher32 shuffle deflate deflate" deflateLevel="4 6" fillValue="0" byteOrder="LE">
      <dmrpp:chunkDimensionSizes>3 4</dmrpp:chunkDimensionSizes>
      <dmrpp:chunk chunkPositionInArray="[0,0]"/><dmrpp:chunk chunkPositionInArray="[0,4]"/>
      <dmrpp:chunk chunkPositionInArray="[3,0]"/><dmrpp:chunk chunkPositionInArray="[3,4]"/>
    </dmrpp:chunks></Int32>"""
)
def SDS_fle_shuf_2def(path):
    with h5py.File(path, "w") as file:
        filters = [lambda p: p.set_fletcher32(), lambda p: p.set_shuffle(), lambda p: p.set_deflate(4), lambda p: p.set_deflate(6)]
        chunked(file, "IntArray", (6, 8), "<i4", (3, 4), filters)


@case(
    """<Int64 name="i64_be"><Dim size="2"/><Dim size="3"/>
    <dmrpp:chunks fillValue="0" byteOrder="BE"><dmrpp:chunk/></dmrpp:chunks></Int64>"""
)
def d_size64_be(path):
    with h5py.File(path, "w") as file:
        file["i64_be"] = np.arange(6, dtype=">i8").reshape(2, 3)


@case(
    """<Int16 name="p_cd"><Dim size="3"/><dmrpp:chunks fillValue="0" byteOrder="LE">
    <dmrpp:chunkDimensionSizes>5</dmrpp:chunkDimensionSizes>
    <dmrpp:chunk chunkPositionInArray="[0]"/></dmrpp:chunks></Int16>"""
)
def part_chunk_unlim(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("p_cd", data=np.arange(3, dtype="<i2"), chunks=(5,), maxshape=(None,))


@case(
    """<Group name="data field"><Int16 name="data.1"><Dim size="2"/>
    <Attribute name="_FillValue" type="Int16"><Value>-999</Value></Attribute>
    <dmrpp:chunks fillValue="0" byteOrder="LE"><dmrpp:chunk/></dmrpp:chunks></Int16></Group>"""
)
def t_special_name(path):
    with h5py.File(path, "w") as file:
        file["data field/data.1"] = np.array([1, 2], "<i2")
        file["data field/data.1"].attrs["_FillValue"] = np.int16(-999)


@case(
    """<Attribute name="special_char_attr" type="String"><Value>~`!@#%^&amp;*()-_+={}[]|\\:;&quot;'?,&lt;&gt;/</Value></Attribute>"""
)
def t_special_char_attr(path):
    with h5py.File(path, "w") as file:
        file.attrs["special_char_attr"] = "~`!@#%^&*()-_+={}[]|\\:;\"'?,<>/"


@case(
    """<Dimension name="dim1" size="2"/>
    <Int32 name="dim1"><Dim name="/dim1"/>
      <dmrpp:chunks fillValue="-2147483647" byteOrder="LE"><dmrpp:chunk/></dmrpp:chunks></Int32>
    <Float32 name="d1"><Dim name="/dim1"/><Map name="/dim1"/>
      <dmrpp:chunks fillValue="9.96921e+36" byteOrder="LE"><dmrpp:chunk/></dmrpp:chunks></Float32>
    <Group name="g1"><Dimension name="dim2" size="3"/>
      <Int32 name="dim2"><Dim name="/g1/dim2"/>
        <dmrpp:chunks fillValue="-2147483647" byteOrder="LE"><dmrpp:chunk/></dmrpp:chunks></Int32>
      <Float32 name="d2"><Dim name="/dim1"/><Dim name="/g1/dim2"/><Map name="/dim1"/><Map name="/g1/dim2"/>
        <dmrpp:chunks fillValue="9.96921e+36" byteOrder="LE"><dmrpp:chunk/></dmrpp:chunks></Float32>
    </Group>"""
)
def nc4_group_atomic_default(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("dim1", 2)
        # A map comes first, wherever it is in the file.
        file.createVariable("d1", "f4", ("dim1",))[:] = 1
        file.createVariable("dim1", "i4", ("dim1",))[:] = 1
        group = file.createGroup("g1")
        group.createDimension("dim2", 3)
        group.createVariable("dim2", "i4", ("dim2",))[:] = 1
        group.createVariable("d2", "f4", ("dim1", "dim2"))[:] = 1


@case(
    """<Dimension name="time" size="0"/><Dimension name="lat" size="10"/>
    <Int32 name="time"><Dim name="/time"/><dmrpp:chunks fillValue="-2147483647" byteOrder="LE">
      <dmrpp:chunkDimensionSizes>1</dmrpp:chunkDimensionSizes></dmrpp:chunks></Int32>
    <Int32 name="lat"><Dim name="/lat"/><Attribute name="units" type="String"><Value>degrees_north</Value></Attribute>
      <dmrpp:chunks fillValue="-2147483647" byteOrder="LE"><dmrpp:chunk/></dmrpp:chunks></Int32>
    <Float64 name="p"><Dim name="/time"/><Dim name="/lat"/>
      <Attribute name="_FillValue" type="Float64"><Value>-9999.</Value></Attribute>
      <Attribute name="valid_range" type="Float64"><Value>0.</Value><Value>5000.</Value></Attribute>
      <Map name="/time"/><Map name="/lat"/>
      <dmrpp:chunks fillValue="-9999" byteOrder="LE">
        <dmrpp:chunkDimensionSizes>1 10</dmrpp:chunkDimensionSizes></dmrpp:chunks></Float64>
    <Attribute name="DODS_EXTRA" type="Container">
      <Attribute name="Unlimited_Dimension" type="String"><Value>time</Value></Attribute></Attribute>"""
)
def nc4_unlimited_0(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("lat", 10)
        file.createVariable("time", "i4", ("time",), chunksizes=(1,))
        lat = file.createVariable("lat", "i4", ("lat",))
        lat.units = "degrees_north"
        lat[:] = 1
        p = file.createVariable("p", "f8", ("time", "lat"), chunksizes=(1, 10), fill_value=-9999)
        p.valid_range = [0.0, 5000.0]


@case(
    """<Dimension name="dim1" size="2"/><Dimension name="pre" size="3"/>
    <Float32 name="pre"><Dim name="/dim1"/><Dim name="/pre"/>
      <dmrpp:chunks fillValue="9.96921e+36" byteOrder="LE"><dmrpp:chunk/></dmrpp:chunks></Float32>"""
)
def nc4_group_var_dim_name_same(path):
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("dim1", 2)
        file.createDimension("pre", 3)
        file.createVariable("pre", "f4", ("dim1", "pre"))[:] = 1


@case(
    """<Enumeration name="Color" basetype="UInt8">
      <EnumConst name="RED" value="0"/><EnumConst name="GREEN" value="1"/><EnumConst name="BLUE" value="2"/></Enumeration>
    <Enum name="enum_chunk_array" enum="/Color"><Dim size="4"/><dmrpp:chunks byteOrder="LE">
      <dmrpp:chunkDimensionSizes>2</dmrpp:chunkDimensionSizes>
      <dmrpp:chunk chunkPositionInArray="[0]"/><dmrpp:chunk chunkPositionInArray="[2]"/></dmrpp:chunks></Enum>"""
)
def t_enum_name_chunk_array(path):
    with h5py.File(path, "w") as file:
        # h5py would sort the names.
        color = h5py.h5t.enum_create(h5py.h5t.STD_U8LE)
        for value, name in enumerate((b"RED", b"GREEN", b"BLUE")):
            color.enum_insert(name, value)
        color.commit(file.id, b"Color")
        file.create_dataset("enum_chunk_array", data=np.array([0, 1, 2, 0], "u1"), dtype=file["Color"], chunks=(2,))


@case(
    """<Structure name="comp_array"><Float64 name="a_name"/><Int16 name="b_name"/><Float32 name="c_name"><Dim size="2"/></Float32>
    <Dim size="4"/><dmrpp:chunks compressionType="shuffle deflate" deflateLevel="1" fillValue="0" byteOrder="LE"
        structOffset="8 12 24"><dmrpp:chunkDimensionSizes>2</dmrpp:chunkDimensionSizes>
      <dmrpp:chunk chunkPositionInArray="[0]"/><dmrpp:chunk chunkPositionInArray="[2]"/></dmrpp:chunks></Structure>"""
)
def compound_high_comp_two_chunks_naligned(path):
    members = {"names": ["a_name", "b_name", "c_name"], "formats": ["<f8", "<i2", ("<f4", (2,))]}
    dtype = np.dtype({**members, "offsets": [0, 8, 12], "itemsize": 24})
    with h5py.File(path, "w") as file:
        filters = [lambda p: p.set_shuffle(), lambda p: p.set_deflate(1)]
        chunked(file, "comp_array", (4,), dtype, (2,), filters)[...] = np.ones(4, dtype)


@case(
    """<Structure name="comp_scalar_be"><Int32 name="a_name"/><Float32 name="b_name"/>
    <dmrpp:chunks fillValue="0" byteOrder="BE" structOffset="4 8"><dmrpp:chunk/></dmrpp:chunks></Structure>"""
)
def comp_scalar_be(path):
    with h5py.File(path, "w") as file:
        file["comp_scalar_be"] = np.array((1, 2.5), [("a_name", ">i4"), ("b_name", ">f4")])


@case(
    """<Structure name="DSC"><Int32 name="Orbit"/><Float32 name="Temperature"/><String name="year"/><Dim size="2"/>
    <dmrpp:specialstructuredata>gQQAAIXrVEJNakF5TXc9PTugBAAA4XpcQk1qQXlOQT09Ow==</dmrpp:specialstructuredata></Structure>"""
)
def compound_simple_array_fix_str(path):
    with h5py.File(path, "w") as file:
        rows = [(1153, 53.23, b"2023"), (1184, 55.12, b"2024")]
        file["DSC"] = np.array(rows, [("Orbit", "<i4"), ("Temperature", "<f4"), ("year", "S4")])


@case(
    """<Structure name="DSC_array"><Int32 name="Orbit"/><String name="year"><Dim size="3"/></String>
    <Float32 name="Temperature"><Dim size="2"/></Float32><String name="month"/><String name="day"><Dim size="3"/></String>
    <Dim size="2"/><dmrpp:specialstructuredata>gQQAAE1UazNPUT09O01UazRPUT09O01UazVPUT09O4XrVEKkcFhCTVRJPTtNUT09O01qTT07TXp"""
    """FPTugBAAATWpBd01RPT07TWpBeE1RPT07TWpBeU1RPT074XpcQq5HYEJNUT09O01qVT07T1E9PTtNVFE9Ow==</dmrpp:specialstructuredata>
    </Structure>"""
)
def compound_array_fix_vlen_str(path):
    text = h5py.string_dtype("ascii")
    members = [("Orbit", ">i4"), ("year", "S4", (3,)), ("Temperature", ">f4", (2,)), ("month", text), ("day", text, (3,))]
    rows = np.zeros(2, members)
    # Numbers are in the order of the machine, whatever it is in the file.
    rows[0] = (1153, [b"1979", b"1989", b"1999"], [53.23, 54.11], "12", ["1", "23", "31"])
    rows[1] = (1184, [b"2001", b"2011", b"2021"], [55.12, 56.07], "1", ["25", "9", "14"])
    with h5py.File(path, "w") as file:
        file["DSC_array"] = rows


@case("""<String name="var_str_sca"><dmrpp:compact>QW4gSERGNSBzY2FsYXIgc3RyaW5n</dmrpp:compact></String>""")
def Scalar_compact_str(path):
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_layout(h5py.h5d.COMPACT)
    with h5py.File(path, "w") as file:
        text = np.array(b"An HDF5 scalar string")
        dtype = h5py.h5t.py_create(text.dtype)
        h5py.Dataset(h5py.h5d.create(file.id, b"var_str_sca", dtype, h5py.h5s.create(h5py.h5s.SCALAR), properties))[...] = text


@case("""<String name="vl_scalar"><dmrpp:compact>QW4gSERGNSB2bGVuIHNjYWxhciBzdHJpbmcu</dmrpp:compact></String>""")
def Scalar_contiguous_vlstr(path):
    with h5py.File(path, "w") as file:
        file["vl_scalar"] = "An HDF5 vlen scalar string."


@case(
    """<String name="VLSArrayElements"><Dim size="10"/><dmrpp:vlsa>
    <v>Bannana</v><v>bread</v><v>is</v><v c="6">so</v><v>tasty!</v></dmrpp:vlsa></String>"""
)
def t_vl_string_1d(path):
    with h5py.File(path, "w") as file:
        file["VLSArrayElements"] = ["Bannana", "bread", "is", *["so"] * 6, "tasty!"]


@case(
    """<String name="string_array"><Dim size="5"/><dmrpp:FixedLengthStringArray string_length="8" pad="null_pad"/>
    <dmrpp:chunks fillValue=""><dmrpp:chunkDimensionSizes>5</dmrpp:chunkDimensionSizes>
    <dmrpp:chunk chunkPositionInArray="[0]"/></dmrpp:chunks></String>"""
)
def chunked_string_array(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("string_array", data=np.array([b"a", b"bc", b"def", b"g", b"hijklmno"]), chunks=(5,))


@case(
    """<Dimension name="lat" size="9"/><Int8 name="wind_speed"><Dim name="/lat"/><Dim size="8"/>
    <Attribute name="_FillValue" type="Int8"><Value>-128</Value></Attribute>
    <dmrpp:chunks compressionType="shuffle deflate" deflateLevel="2" fillValue="-128" byteOrder="LE">
      <dmrpp:chunkDimensionSizes>3 4</dmrpp:chunkDimensionSizes>
      <dmrpp:chunk chunkPositionInArray="[3,4]"/><dmrpp:chunk chunkPositionInArray="[6,0]"/></dmrpp:chunks></Int8>"""
)
def ghrsst(path):
    """Of the chunks of a satellite's swath, most were never written."""
    with h5py.File(path, "w") as file:
        lat = file.create_dataset("lat", (9,), ">f4")
        lat.make_scale("This is a netCDF dimension but not a netCDF variable.         9")
        wind = file.create_dataset("wind_speed", (9, 8), "i1", chunks=(3, 4), shuffle=True, compression=2, fillvalue=-128)
        wind.dims[0].attach_scale(lat)
        wind.attrs["_FillValue"] = np.int8(-128)
        wind[3, 4], wind[6, 0] = 1, 2


@pytest.mark.parametrize("name", CASES)
def test_the_document_is_that_of_hyrax(name, tmp_path):
    make, expected = CASES[name]
    path, places = tmp_path / f"{name}.h5", []
    make(path)
    found = canonical(document(path), "", places)[3]
    assert found == canonical(ElementTree.fromstring(f"<Dataset {NAMESPACES}>{expected}</Dataset>"))[3]
    with h5py.File(path) as file:
        paths = list(dict.fromkeys(path for path, *_ in places))
        assert [(path, *place) for path in paths for place in places_in(file, path)] == places


def variable(path, name):
    """The element of a variable, and the names of its children."""
    element = next(element for element in document(path).iter() if element.get("name") == name)
    return element, [child.tag.split("}")[1] for child in element if child.tag.split("}")[1] not in ("Dim", "Attribute")]


def test_compact_numbers_have_the_byte_order_of_the_reader(tmp_path):
    """Hyrax copies them as they are, also those that the file has with the most significant byte first."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_layout(h5py.h5d.COMPACT)
    values = np.arange(100, dtype=">i4")
    with h5py.File(tmp_path / "compact.h5", "w") as file:
        space, dtype = h5py.h5s.create_simple((100,)), h5py.h5t.py_create(values.dtype)
        h5py.Dataset(h5py.h5d.create(file.id, b"var_int32", dtype, space, properties))[...] = values
    element, children = variable(tmp_path / "compact.h5", "var_int32")
    assert children == ["compact"]
    assert base64.b64decode(element[-1].text) == values.astype("<i4").tobytes()


def test_what_hyrax_cannot_read_in_the_file_is_in_the_document(tmp_path):
    path = tmp_path / "inline.nc"
    record = np.dtype([("a", "<i4"), ("b", ">i2")])
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createVariable("long", "i4", ("time",), chunksizes=(4,))[:] = range(5)
        file.createVariable("short", ">i4", ("time",), endian="big", chunksizes=(4,), fill_value=-7)[:2] = [1, 2]
    with h5py.File(path, "a") as file:
        file.create_dataset("lzf", data=np.arange(6.0), chunks=(4,), compression="lzf")
        file.create_dataset("texts", (3,), "S4", chunks=(2,))[0] = b"ab"
        file.create_dataset("mixed", data=np.array([(1, 2), (3, 4)], record))
        file.create_dataset("partly", (2,), [("a", "<i4")], chunks=(1,))[0] = (5,)
        kind = h5py.enum_dtype({"a": 0, "b": 1}, basetype="i2")
        file["kind"] = kind
        file.create_dataset("enumeration", (4,), file["kind"], chunks=(2,))[0] = 1
    expected = {
        "lzf": np.arange(6.0).tobytes(),
        "texts": b"ab" + bytes(10),
        "mixed": struct.pack("<ihih", 1, 2, 3, 4),
        "partly": struct.pack("<ii", 5, 0),
        "short": struct.pack("<5i", 1, 2, -7, -7, -7),
    }
    for name, content in expected.items():
        element, children = variable(path, name)
        is_structure = name in ("mixed", "partly")
        assert children[-1] == ("specialstructuredata" if is_structure else "compact"), name
        assert base64.b64decode(element[-1].text) == content, name
    # Hyrax fills integers, but not enumerations.
    element, _ = variable(path, "enumeration")
    assert element.tag.endswith("}Int16") and element[-1].get("fillValue") == "0"
    with h5py.File(path, "a") as file:
        file.create_dataset("large", data=np.zeros(200_000), chunks=(4000,), compression="lzf")
    with pytest.warns(RuntimeWarning, match="/large: Hyrax does not have the filter lzf, and its values are too many"):
        document(path)


def test_coordinates_are_maps(tmp_path):
    """Those that the attribute names come first; a coordinate variable of a dimension that they have is left out."""
    path = tmp_path / "maps.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", 2), ("y", 3), ("x", 4)):
            file.createDimension(name, size)
            file.createVariable(name, "f8", (name,))[:] = range(size)
        group = file.createGroup("g").createGroup("h")
        for name in ("sst", "lost"):
            sst = group.createVariable(name, "f4", ("time", "y", "x"))
            sst[:] = 1
            sst.coordinates = "lon ../../lat /g/area none ../../../above" if name == "sst" else "/elsewhere/lon"
        file["g"].createVariable("area", "f4", ("y",))[:] = 1
        for name in ("lon", "lat"):
            file.createVariable(name, "f4", ("y", "x"))[:] = 1
    found = {element.get("name"): [child.get("name") for child in element if child.tag.endswith("}Map")] for element in document(path).iter()}
    assert found["sst"] == ["/lon", "/lat", "/g/area", "/time"]
    assert found["lost"] == ["/time", "/y", "/x"]
    assert found["lon"] == found["area"] == found["time"] == []
