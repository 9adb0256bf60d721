"""`repack --to hdf5-h4`: files of HDF4 with the names that h4toh5 gives to what is in them."""

from __future__ import annotations

import ctypes
import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import h5py
import hdf4_images
import numpy as np
import pytest
from hdf4_library import set_chunks
from kit import CORPUS, missing_corpus
from pyhdf import V, VS  # noqa: F401: HDF.vstart and vgstart need them.
from pyhdf.HDF import HC, HDF
from pyhdf.SD import SD, SDC
from test_hdf4 import NOT_CONVERTED, corpus_files

import hyperslab
from hyperslab.errors import HyperslabError

VALUES = np.arange(60, dtype="i2").reshape(6, 10)


def made(path: Path) -> Path:
    """Data sets with a scale, in chunks, that can grow; a table and a data set in two Vgroups; annotations are not pyhdf's to write."""
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    file.title = "all"
    chunked = file.create("chunked", SDC.INT16, (6, 10))
    set_chunks(chunked, [3, 5], "deflate", 5)
    chunked[:] = VALUES
    chunked.dim(0).setname("time")
    chunked.dim(1).setname("a/b")
    chunked.dim(0).setscale(SDC.FLOAT32, [0.5 * step for step in range(6)])
    chunked.units = "K"
    reference = chunked.ref()
    chunked.endaccess()
    grown = file.create("chunked", SDC.INT16, (SDC.UNLIMITED, 10))
    grown[0:6] = VALUES + 1
    grown.endaccess()
    file.end()
    file = HDF(str(path), HC.WRITE)
    vdatas, vgroups = file.vstart(), file.vgstart()
    table = vdatas.create("tab/le", (("count", HC.INT32, 1), ("pair", HC.FLOAT32, 2)))
    table.write([[row, [row / 2, -row]] for row in range(3)])
    table._class = "kind"
    for name in ("one", "two"):
        group = vgroups.create(name)
        group._class = "set"
        group.insert(table)
        group.add(HC.DFTAG_NDG, reference)
        group.detach()
    table.detach()
    vgroups.end()
    vdatas.end()
    file.close()
    return path


def text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def test_objects_have_the_names_of_h4toh5(tmp_path: Path) -> None:
    source, out = made(tmp_path / "a.hdf"), tmp_path / "a.h5"
    hyperslab.repack(source, out, to="hdf5-h4")
    with h5py.File(out) as file:
        # The other data set of that name is in two Vgroups, and there only.
        assert sorted(file) == ["HDF4_DIMGROUP", "chunked", "one", "two"]
        assert text(file.attrs["title_GLOSDS"]) == "all"
        chunked = file["one/chunked"]
        assert file["two/chunked"] == chunked and file["one/tab_le"] == file["two/tab_le"]
        np.testing.assert_array_equal(chunked[...], VALUES)
        np.testing.assert_array_equal(file["chunked"][...], VALUES + 1)
        assert (chunked.chunks, chunked.compression, chunked.compression_opts) == ((3, 5), "gzip", 5)
        assert file["chunked"].maxshape == (None, 10) and chunked.maxshape == (6, 10)
        attributes = {name: text(value) for name, value in chunked.attrs.items() if h5py.check_string_dtype(chunked.attrs.get_id(name).dtype)}
        assert attributes.pop("HDF4_DIMENSION_LIST") == "[b'time' b'a/b']"
        assert attributes == {"HDF4_OBJECT_NAME": "chunked", "HDF4_OBJECT_TYPE": "SDS", "units": "K"}
        number = chunked.attrs.get_id("HDF4_REF_NUM")
        assert number.dtype == ">u2" and chunked.attrs["HDF4_REF_NUM"] > 0
        scale, none = chunked.attrs["DIMSCALE"]
        assert file[scale].name == "/HDF4_DIMGROUP/time" and not none
        np.testing.assert_array_equal(file[scale][...], 0.5 * np.arange(6))
        table = file["one/tab_le"]
        assert table["count"].tolist() == [0, 1, 2] and table["pair"].tolist() == [[0, 0], [0.5, -1], [1, -2]]
        found = {name: text(table.attrs[name]) for name in ("CLASS", "TITLE", "VERSION", "FIELD_0_NAME", "FIELD_1_NAME", "HDF4_VDATA_CLASS")}
        assert list(found.values()) == ["TABLE", "tab/le", "1.0", "count", "pair", "kind"]
        assert text(file["one"].attrs["HDF4_VGROUP_CLASS"]) == "set" and text(file["one"].attrs["HDF4_OBJECT_TYPE"]) == "Vgroup"
        kind = h5py.check_string_dtype(chunked.attrs.get_id("units").dtype)
        assert kind.length == 1 and chunked.attrs.get_id("units").get_type().get_strpad() == h5py.h5t.STR_SPACEPAD


def test_images_refer_to_their_palettes(tmp_path: Path) -> None:
    path, out = tmp_path / "a.hdf", tmp_path / "a.h5"
    pixels = np.arange(35, dtype="u1").reshape(5, 7, 1)
    with hdf4_images.Images(path, hdf4_images.CREATE) as images:
        images.write("indexed", pixels, 0)
        images.write("colours", np.dstack([pixels] * 3), 0)
        library = hdf4_images.LIBRARY
        image = library.GRselect(images.images, 0)
        palette = np.arange(768, dtype="u1")
        lut = library.GRgetlutid(image, 0)
        hdf4_images.checked(library.GRwritelut(lut, 3, 21, 0, 256, palette.ctypes.data_as(ctypes.c_void_p)))
        hdf4_images.checked(library.GRendaccess(image))
    hyperslab.repack(path, out, to="hdf5-h4")
    with h5py.File(out) as file:
        indexed, colours = file["indexed"], file["colours"]
        (reference,) = indexed.attrs["PALETTE"]
        assert file[reference].name == text(indexed.attrs["HDF4_PALETTE_LIST"])
        assert file[reference].name.startswith("/HDF4_PALGROUP/HDF4_PALETTE_")
        np.testing.assert_array_equal(file[reference][...], palette.reshape(256, 3))
        assert text(file[reference].attrs["CLASS"]) == "PALETTE"
        assert [text(indexed.attrs[name]) for name in ("CLASS", "HDF4_OBJECT_TYPE", "IMAGE_SUBCLASS")] == ["IMAGE", "raster8", "IMAGE_INDEXED"]
        assert [text(colours.attrs[name]) for name in ("HDF4_OBJECT_TYPE", "INTERLACE_MODE")] == ["raster24", "INTERLACE_PIXEL"]
        np.testing.assert_array_equal(indexed[...], pixels[..., 0])


def test_other_files_are_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = [1]
    with pytest.raises(HyperslabError, match="--to hdf5-h4 is for files of HDF4"):
        hyperslab.repack(tmp_path / "a.h5", tmp_path / "b.h5", to="hdf5-h4")


def digests(file: Any, kind: type) -> Counter[tuple[Any, ...]]:
    """How often values occur in a file, whatever their names."""
    found: dict[Any, tuple[Any, ...]] = {}

    def look(name: str, item: Any) -> None:
        # What several fields share is divided here.
        if isinstance(item, kind) and item.shape is not None and "MRGFLD_" not in name:
            values = np.asarray(item[...])
            listed = repr(values.tolist()).encode() if values.dtype.names or values.dtype.hasobject else values.tobytes()
            found[item.id.id if kind is h5py.Dataset else item.name] = (values.shape, hashlib.sha256(listed).hexdigest(), bool(values.dtype.names))

    file.visititems(look)
    return Counter(found.values())


@pytest.mark.skipif(bool(missing_corpus()), reason=missing_corpus() or "")
@pytest.mark.parametrize("name", corpus_files())
def test_real_files_have_the_same_values(tmp_path: Path, name: str) -> None:
    path, out = CORPUS / name, tmp_path / "out.h5"
    # A Vgroup in itself has a place here.
    items = NOT_CONVERTED.items()
    reason = next((reason for end, reason in items if name.endswith(end) and reason != "leads back"), None)
    if reason:
        with pytest.raises(HyperslabError, match=reason):
            hyperslab.repack(path, out, to="hdf5-h4")
        return
    hyperslab.repack(path, out, to="hdf5-h4")
    with h5py.File(out) as file, hyperslab.File(path) as ours:
        new, old = digests(file, h5py.Dataset), digests(ours, hyperslab.Dataset)
    if b"StructMetadata" in path.read_bytes():
        # Here, tables of one field are plain fields of swaths, and the tables of HDF-EOS2 itself are left out.
        assert {values for values in new if not values[2]} <= set(old)
    else:
        assert set(new) == set(old)
