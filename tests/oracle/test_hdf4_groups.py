"""Groups of HDF4 that files of archives rarely have: fields of different ranks in one data set, circles, damaged attributes."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr
from hdf4_library import add_structure, set_chunks
from pyhdf import V, VS  # noqa: F401: HDF.vgstart and HDF.vstart need them.
from pyhdf.HDF import HC, HDF
from pyhdf.SD import SD, SDC
from records import COMMAND

import hyperslab
from hyperslab.errors import HyperslabError

STRUCTURE = """GROUP=SwathStructure
    GROUP=SWATH_1
        SwathName="S"
        GROUP=Dimension
            OBJECT=Dimension_1
                DimensionName="Band"
                Size=3
            END_OBJECT=Dimension_1
        END_GROUP=Dimension
        GROUP=DataField
            OBJECT=DataField_1
                DataFieldName="bands"
                DimList=("Band","Track","Xtrack")
            END_OBJECT=DataField_1
            OBJECT=DataField_2
                DataFieldName="mean"
                DimList=("Track","Xtrack")
            END_OBJECT=DataField_2
            OBJECT=DataField_3
                DataFieldName="one"
                DimList=("Single","Track","Xtrack")
            END_OBJECT=DataField_3
        END_GROUP=DataField
        GROUP=MergedFields
            OBJECT=MergedFields_1
                MergedFieldName="MRGFLD_bands"
                FieldList=("bands","mean","one")
            END_OBJECT=MergedFields_1
        END_GROUP=MergedFields
    END_GROUP=SWATH_1
END_GROUP=SwathStructure
END
"""


def write_swath(path: Path, values: np.ndarray[Any, Any], lengths: list[int]) -> None:
    """The swath `S`, whose fields share a data set. `lengths` are theirs along its first axis."""
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    setattr(file, "StructMetadata.0", STRUCTURE)
    field = file.create("MRGFLD_bands", SDC.FLOAT32, values.shape)
    field[:] = values
    for axis, name in enumerate(("MRGDIM:S_5", "Track:S", "Xtrack:S")):
        field.dim(axis).setname(name)
    field.attr("Field Dims").set(SDC.INT32, lengths)
    field.attr("Field Offsets").set(SDC.INT32, np.cumsum([0, *lengths[:-1]]).tolist())
    references = [field.ref()]
    field.endaccess()
    file.end()
    add_structure(path, "S", "SWATH", references)


def test_fields_of_different_ranks_that_share_a_data_set(tmp_path):
    path = tmp_path / "merged.hdf"
    values = np.arange(5 * 4 * 6, dtype="f4").reshape(5, 4, 6)
    write_swath(path, values, [3, 1, 1])
    expected = {"bands": values[:3], "mean": values[3], "one": values[4:]}
    with hyperslab.File(path) as ours:
        assert set(expected) == set(ours["S"])
        for name, field in expected.items():
            assert ours["S"][name].shape == field.shape
            np.testing.assert_array_equal(ours["S"][name][...], field)
    with xr.open_dataset(path, engine="hyperslab", group="S") as found:
        dims = {name: found[name].dims for name in expected}
        assert dims == {"bands": ("Band", "Track", "Xtrack"), "mean": ("Track", "Xtrack"), "one": ("Single", "Track", "Xtrack")}
    # Lengths that do not add up are not believed.
    write_swath(path, values, [3, 1, 2])
    with hyperslab.File(path) as ours:
        np.testing.assert_array_equal(ours["S/MRGFLD_bands"][...], values)


def test_vgroups_that_contain_each_other_and_nothing_else_are_listed(tmp_path):
    path = tmp_path / "circle.hdf"
    file = HDF(str(path), HC.WRITE | HC.CREATE)
    groups, tables = file.vgstart(), file.vstart()
    made = [groups.create(name) for name in ("alone", "first", "second", "third")]
    table = tables.create("table", (("a", HC.INT32, 1),))
    table.write([[1], [2]])
    for one, other in ((1, 2), (2, 1), (2, 3)):
        made[one].insert(made[other])
    made[3].insert(table)
    for one in (table, *made):
        one.detach()
    groups.end()
    tables.end()
    file.close()
    with hyperslab.File(path) as ours:
        assert set(ours) == {"alone", "first"}
        assert ours["first/second/third/table"]["a"].tolist() == [1, 2]
        assert "first" in ours["first/second"]


def test_a_damaged_attribute_is_not_left_out_in_silence(tmp_path):
    path = tmp_path / "attribute.hdf"
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    one = file.create("data", SDC.INT16, (4,))
    one[:] = np.arange(4, dtype="i2")
    one.attr("units").set(SDC.CHAR8, "meters")
    one.attr("steps").set(SDC.INT32, [7, 8, 9])
    one.endaccess()
    file.end()
    damage(path, struct.pack(">3i", 7, 8, 9))
    with hyperslab.File(path) as ours:
        assert ours["data"].attrs["units"] in ("meters", b"meters")
        with pytest.raises(OSError, match="steps"):
            ours["data"].attrs["steps"]
    with pytest.warns(RuntimeWarning, match='attribute "steps"'), xr.open_dataset(path, engine="hyperslab") as found:
        assert found["data"].attrs == {"units": "meters"}
    for to in ("netcdf4", "classic"):
        with pytest.raises(HyperslabError, match='attribute "steps"'):
            hyperslab.repack(path, tmp_path / "new.nc", to=to)
        assert not (tmp_path / "new.nc").exists()
    [lost] = hyperslab.repack(path, tmp_path / "new.nc", keep_going=True)["result"]["lost"]
    assert (lost["path"], lost["what"]) == ("/data", "an attribute") and "steps" in lost["error"]
    with netCDF4.Dataset(tmp_path / "new.nc") as new:
        assert new["data"].ncattrs() == ["units"] and new["data"][:].tolist() == [0, 1, 2, 3]


def damage(path: Path, values: bytes) -> None:
    """Takes the last value from the element that has these values."""
    file = bytearray(path.read_bytes())
    descriptor = struct.pack(">2i", file.index(values), len(values))
    at = file.index(descriptor)
    file[at + 4 : at + 8] = struct.pack(">i", len(values) - 4)
    path.write_bytes(file)


def test_names_that_are_not_utf8_are_latin1_and_lead_to_their_objects(tmp_path):
    path = tmp_path / "latin.hdf"
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    for name, number in (("tempQrature", 1), ("tempWrature", 2)):
        one = file.create(name, SDC.INT16, (3,))
        one[:] = np.arange(3, dtype="i2") * number
        one.dim(0).setname("dimQ")
        one.attr("attQ").set(SDC.INT32, number)
        one.endaccess()
    file.end()
    path.write_bytes(path.read_bytes().replace(b"Q", b"\xe9").replace(b"W", b"\xe8"))
    with hyperslab.File(path) as ours:
        assert set(ours) == {b"temp\xe9rature", b"temp\xe8rature"}
        for name in ours:
            np.testing.assert_array_equal(ours[name][...], np.arange(3) * ours[name].attrs[b"att\xe9"][0])
        assert "température" in ours
        np.testing.assert_array_equal(ours["tempèrature"][...], [0, 2, 4])
    with xr.open_dataset(path, engine="hyperslab") as found:
        assert set(found.variables) == {"température", "tempèrature"}
        assert found["tempèrature"].dims == ("dimé",)
    for to in ("netcdf4", "classic"):
        hyperslab.repack(path, tmp_path / f"{to}.nc", to=to)
        with netCDF4.Dataset(tmp_path / f"{to}.nc") as new:
            np.testing.assert_array_equal(new["tempèrature"][:], [0, 2, 4])


def test_what_netcdf_cannot_name_is_refused_with_the_form_that_holds_it(tmp_path):
    path, new = tmp_path / "names.hdf", tmp_path / "new"
    for names, word in ((("a", "b"), "leads back"), (("n" * 300,), "300 bytes")):
        file = HDF(str(path), HC.WRITE | HC.CREATE | HC.TRUNC)
        groups = file.vgstart()
        made = [groups.create(name) for name in names]
        if len(made) == 2:
            made[0].insert(made[1])
            made[1].insert(made[0])
        for one in made:
            one.detach()
        groups.end()
        file.close()
        for to in ("netcdf4", "classic"):
            with pytest.raises(HyperslabError, match=word) as error:
                hyperslab.repack(path, new, to=to)
            assert "hdf5-h4" in error.value.hint
        hyperslab.repack(path, new, to="hdf5-h4")
        with hyperslab.File(new) as file:
            assert names[0] in file
        new.unlink()


def test_fields_that_grew_to_different_lengths_share_their_dimension(tmp_path):
    path = tmp_path / "swath.hdf"
    values = {name: np.arange(rows * 3, dtype="f4").reshape(rows, 3) for name, rows in (("bands", 3), ("mean", 5))}
    text = STRUCTURE[: STRUCTURE.index("        GROUP=MergedFields")] + STRUCTURE[STRUCTURE.index("    END_GROUP=SWATH_1") :]
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    setattr(file, "StructMetadata.0", text)
    references = []
    for name, rows in values.items():
        field = file.create(name, SDC.FLOAT32, (SDC.UNLIMITED, 3))
        field.dim(0).setname("Track:S")
        field.dim(1).setname("Xtrack:S")
        field[: len(rows)] = rows
        references.append(field.ref())
        field.endaccess()
    file.end()
    add_structure(path, "S", "SWATH", references)
    with xr.open_dataset(path, engine="hyperslab", group="S") as found:
        assert dict(found.sizes) == {"Track": 5, "Xtrack": 3}
        np.testing.assert_array_equal(found["bands"][:3], values["bands"])
        np.testing.assert_array_equal(found["mean"], values["mean"])
    hyperslab.repack(path, tmp_path / "new.nc")
    with netCDF4.Dataset(tmp_path / "new.nc") as new:
        np.testing.assert_array_equal(new["S/bands"][:3], values["bands"])
        assert new["S/bands"].shape == (5, 3)


def test_fields_of_tables_have_names_that_readers_tell_apart(tmp_path):
    path = tmp_path / "fields.hdf"
    file = HDF(str(path), HC.WRITE | HC.CREATE)
    tables = file.vstart()
    table = tables.create("table", (("fieldQ", HC.INT32, 1), ("fieldW", HC.INT32, 1), ("other", HC.INT32, 1)))
    table.write([[1, 2, 3], [4, 5, 6]])
    table.detach()
    tables.end()
    file.close()
    path.write_bytes(path.read_bytes().replace(b"fieldQ", b"field\xe9").replace(b"fieldW", b"field\xe8"))
    with hyperslab.File(path) as ours:
        assert ours["table"].dtype.names == ("fieldé", "fieldè", "other")
        assert ours["table"]["fieldè"].tolist() == [2, 5]
    hyperslab.repack(path, tmp_path / "new.nc")
    with netCDF4.Dataset(tmp_path / "new.nc") as new:
        assert new["table"][:]["fieldè"].tolist() == [2, 5]


def test_data_sets_are_members_by_every_tag_of_theirs(tmp_path):
    path = tmp_path / "tags.hdf"
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    references = []
    for number, name in enumerate("abcd"):
        one = file.create(name, SDC.INT16, (3,))
        one[:] = np.arange(3, dtype="i2") * number
        references.append(one.ref())
        one.endaccess()
    file.end()
    tables = HDF(str(path), HC.WRITE)
    groups = tables.vgstart()
    for tag in (720, 700, 702):
        group = groups.create(f"by {tag}")
        for reference in references[1:3]:
            group.add(tag, reference)
        group.detach()
    groups.end()
    tables.close()
    with hyperslab.File(path) as ours:
        for tag in (720, 700, 702):
            assert list(ours[f"by {tag}"]) == ["b", "c"]
            np.testing.assert_array_equal(ours[f"by {tag}/c"][...], [0, 2, 4])


def test_texts_of_attributes_that_are_not_utf8_are_latin1_in_xarray(tmp_path):
    path = tmp_path / "latin.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 2)
        one = file.createVariable("one", "i2", ("x",))
        one[:] = [1, 2]
        one.units = "QC"
        one.name_of = "°C"
    path.write_bytes(path.read_bytes().replace(b"QC", b"\xb0C"))
    with xr.open_dataset(path, engine="hyperslab") as found:
        assert found["one"].attrs == {"units": "°C", "name_of": "°C"}
        found.to_netcdf(tmp_path / "new.nc", engine="netcdf4")
    with hyperslab.File(path) as file:
        assert file["one"].attrs["units"] == b"\xb0C"


@pytest.mark.parametrize("coder", ["deflate", "skphuff"])
def test_check_decodes_the_values(tmp_path, coder):
    path = tmp_path / "coded.hdf"
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    one = file.create("one", SDC.INT32, (100, 100))
    one.setcompress(*((SDC.COMP_DEFLATE, 6) if coder == "deflate" else (SDC.COMP_SKPHUFF, 4)))
    one[:] = np.random.default_rng(0).integers(0, 1000, (100, 100)).astype("i4")
    one.endaccess()
    file.end()

    def found(*more: str) -> list[str]:
        command = [COMMAND, "check", "--json", *more, str(path)]
        document = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        return [finding["code"] + finding["object"] for finding in document["findings"]]

    assert found("--data") == []
    stored = bytearray(path.read_bytes())
    if coder == "deflate":
        middle = len(stored) // 2
        stored[middle : middle + 50] = bytes(50)
        path.write_bytes(stored)
        assert found() == [] and found("--data") == ["chunk-data/one"]


def test_groups_that_contain_each_other_without_a_circle_end(tmp_path):
    path = tmp_path / "many.hdf"
    file = HDF(str(path), HC.WRITE | HC.CREATE)
    groups = file.vgstart()
    made = [groups.create(f"g{number}") for number in range(26)]
    for number, group in enumerate(made):
        for other in made[number + 1 :]:
            group.insert(other)
    for group in made:
        group.detach()
    groups.end()
    file.close()
    done = subprocess.run([COMMAND, "ls", "--netcdf", str(path)], capture_output=True, text=True, timeout=60, check=True)
    assert "reached by several paths" in done.stderr
    with pytest.raises(HyperslabError, match="reached by several paths"):
        hyperslab.repack(path, tmp_path / "new.nc")


@pytest.mark.parametrize("is_first", [False, True])
def test_a_field_that_is_in_another_vgroup_too_has_dimensions_there(tmp_path, is_first):
    path, values = tmp_path / "shared.hdf", np.arange(12, dtype="f4").reshape(4, 3)
    text = STRUCTURE[: STRUCTURE.index("        GROUP=MergedFields")] + STRUCTURE[STRUCTURE.index("    END_GROUP=SWATH_1") :]
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    setattr(file, "StructMetadata.0", text)
    field = file.create("mean", SDC.FLOAT32, values.shape)
    field[:] = values
    for axis, name in enumerate(("Track:S", "Xtrack:S")):
        field.dim(axis).setname(name)
    reference = field.ref()
    field.endaccess()
    file.end()

    def add_group() -> None:
        tables = HDF(str(path), HC.WRITE)
        groups = tables.vgstart()
        outer, inner = groups.create("extra"), groups.create("inner")
        inner.add(HC.DFTAG_NDG, reference)
        outer.insert(inner)
        for group in (inner, outer):
            group.detach()
        groups.end()
        tables.close()

    if is_first:
        add_group()
    add_structure(path, "S", "SWATH", [reference])
    if not is_first:
        add_group()
    hyperslab.repack(path, tmp_path / "new.nc")
    with netCDF4.Dataset(tmp_path / "new.nc") as new:
        for name in ("S/mean", "extra/inner/mean"):
            assert new[name].dimensions == ("Track", "Xtrack")
            np.testing.assert_array_equal(new[name][:], values)
    with xr.open_dataset(path, engine="hyperslab", group="extra/inner") as found:
        np.testing.assert_array_equal(found["mean"], values)


@pytest.mark.parametrize("options", [{}, {"filter": "gzip=4"}, {"chunks": "7x33", "filter": "shuffle+gzip=1"}, {"to": "hdf5-h4"}])
def test_only_what_does_not_decode_is_lost(tmp_path, options):
    path = tmp_path / "chunks.hdf"
    values = np.random.default_rng(0).integers(0, 1000, (1000, 100)).astype("i4")
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    one = file.create("one", SDC.INT32, values.shape)
    set_chunks(one, [10, 100], "deflate", 6)
    one[:] = values
    one.endaccess()
    file.end()
    with hyperslab.File(path) as ours:
        chunk = ours["one"].id.get_chunk_info_by_coord((30, 0))
    stored = bytearray(path.read_bytes())
    stored[chunk.byte_offset + 40 : chunk.byte_offset + 90] = bytes(50)
    path.write_bytes(stored)
    damage = hyperslab.repack(path, tmp_path / "new.nc", keep_going=True, **options)["result"]["damage"]
    assert sum(np.prod(part["shape"]) for part in damage) == 10 * 100
    if "chunks" not in options:
        assert [(part["offset"], part["shape"]) for part in damage] == [([30, 0], [10, 100])]
    with hyperslab.File(tmp_path / "new.nc") as new:
        np.testing.assert_array_equal(np.delete(new["one"][:], range(30, 40), axis=0), np.delete(values, range(30, 40), axis=0))


def test_texts_in_tables_are_characters_in_netcdf(tmp_path):
    path = tmp_path / "texts.hdf"
    file = HDF(str(path), HC.WRITE | HC.CREATE)
    tables = file.vstart()
    table = tables.create("table", (("name", HC.CHAR8, 6), ("number", HC.INT32, 1)))
    table.write([["abcdef", 7], ["ghijkl", 8]])
    table.detach()
    tables.end()
    file.close()
    hyperslab.repack(path, tmp_path / "new.nc")
    # In a process of its own: netCDF-C writes beyond its memory where a text in a record has several bytes.
    read = f"import netCDF4; print(netCDF4.Dataset({str(tmp_path / 'new.nc')!r})['table'][:].tolist())"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    assert done.stdout == "[(b'abcdef', 7), (b'ghijkl', 8)]\n"
    with hyperslab.File(path) as ours, hyperslab.File(tmp_path / "new.nc") as new:
        assert ours["table"]["name"].tolist() == [b"abcdef", b"ghijkl"]
        assert new["table"]["number"].tolist() == [7, 8] and new["table"]["name"].tobytes() == b"abcdefghijkl"


@pytest.mark.parametrize("to", ["netcdf4", "classic"])
def test_scaled_values_are_the_same_after_a_conversion(tmp_path, to):
    path = tmp_path / "scaled.hdf"
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    file.attr("HDFEOSVersion").set(SDC.CHAR8, "HDFEOS_V2.19")
    for name, offset in (("shifted", 5.0), ("plain", 0.0)):
        one = file.create(name, SDC.INT16, (4,))
        one[:] = np.arange(4, dtype="i2")
        one.attr("scale_factor").set(SDC.FLOAT64, 0.5)
        one.attr("add_offset").set(SDC.FLOAT64, offset)
        one.endaccess()
    file.end()
    done = hyperslab.repack(path, tmp_path / "new.nc", to=to)
    assert "hdf4_add_offset" in " ".join(done["plan"]["notes"])
    with netCDF4.Dataset(tmp_path / "new.nc") as new:
        assert new["shifted"][:].tolist() == [-2.5, -2.0, -1.5, -1.0] and new["plain"][:].tolist() == [0, 0.5, 1, 1.5]
        assert new["shifted"].hdf4_add_offset == 5.0 and "hdf4_add_offset" not in new["plain"].ncattrs()
    for opened, engine in ((path, "hyperslab"), (tmp_path / "new.nc", "netcdf4"), (tmp_path / "new.nc", "hyperslab")):
        with xr.open_dataset(opened, engine=engine) as found:
            np.testing.assert_array_equal(found["shifted"], [-2.5, -2.0, -1.5, -1.0])


def test_fields_of_two_structures_do_not_hide_dimensions(tmp_path):
    path, text = tmp_path / "two.hdf", STRUCTURE[: STRUCTURE.index("        GROUP=MergedFields")]
    text += STRUCTURE[STRUCTURE.index("    END_GROUP=SWATH_1") :]
    file = SD(str(path), SDC.WRITE | SDC.CREATE)
    setattr(file, "StructMetadata.0", text)
    references = {}
    for name, length, dimension in (("mean", 4, "Track:S"), ("own", 5, "Track")):
        one = file.create(name, SDC.INT32, (length,))
        one[:] = np.arange(length, dtype="i4")
        one.dim(0).setname(dimension)
        references[name] = one.ref()
        one.endaccess()
    file.end()
    add_structure(path, "S", "SWATH", [references["mean"]])
    tables = HDF(str(path), HC.WRITE)
    groups = tables.vgstart()
    group = groups.create("both")
    for reference in references.values():
        group.add(HC.DFTAG_NDG, reference)
    group.detach()
    groups.end()
    tables.close()
    hyperslab.repack(path, tmp_path / "new.nc")
    with netCDF4.Dataset(tmp_path / "new.nc") as new:
        assert new["both/mean"].shape == (4,) and new["both/own"].shape == (5,) and new["S/mean"].dimensions == ("Track",)
        assert new["both/own"][:].tolist() == [0, 1, 2, 3, 4] and new["both/mean"][:].tolist() == [0, 1, 2, 3]
