"""Files of netCDF classic and of HDF4: small ones, to be cut and damaged."""

from __future__ import annotations

import ctypes
from pathlib import Path

import netCDF4
import numpy as np
import pyhdf
from pyhdf import V, VS  # noqa: F401: HDF.vstart and vgstart need them.
from pyhdf.HDF import HC, HDF
from pyhdf.SD import SD, SDC

KIND = "test"

CLASSIC = {"1": "NETCDF3_CLASSIC", "2": "NETCDF3_64BIT_OFFSET", "5": "NETCDF3_64BIT_DATA"}
COMPRESSIONS = {
    "rle": (SDC.COMP_RLE,),
    "huffman": (SDC.COMP_SKPHUFF, 2),
    "deflate": (SDC.COMP_DEFLATE, 6),
}


def make(into: Path) -> None:
    for number, form in CLASSIC.items():
        classic(into / f"classic_{number}.nc", form)
    data_sets(into / "data_sets.hdf")
    coded(into / "coded.hdf")
    grouped(into / "grouped.hdf")
    tables(into / "tables.hdf")


def classic(path: Path, form: str) -> None:
    """Record variables that take turns, a fixed one, text."""
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.createDimension("time", None)
        file.createDimension("x", 3)
        file.title = "small"
        file.createVariable("a", "i2", ("time", "x"))[:] = np.arange(6).reshape(2, 3)
        file.createVariable("b", "f8", ("time",))[:] = [1, 2]
        file.createVariable("c", "S1", ("x",))[:] = list("abc")
        file["a"].units = "K"


def data_sets(path: Path) -> None:
    """A data set of each compression, one that grew, one without values."""
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    file.title = "small"
    values = np.arange(12, dtype="i2").reshape(4, 3)
    for name, compression in COMPRESSIONS.items():
        one = file.create(name, SDC.INT16, (4, 3))
        one.setcompress(*compression)
        one[:] = values
        one.units = "K"
        one.endaccess()
    grown = file.create("grown", SDC.INT16, (SDC.UNLIMITED, 3))
    for row in range(4):
        grown[row : row + 1] = values[row : row + 1]
    grown.endaccess()
    file.create("empty", SDC.FLOAT32, (2, 2)).endaccess()
    file.end()


class Chunks(ctypes.Structure):
    """`HDF_CHUNK_DEF` of `mfhdf.h`: sizes, a coder with its parameters, and room behind them."""

    _fields_ = [("sizes", ctypes.c_int32 * 32), ("coder", ctypes.c_int32 * 2), ("level", ctypes.c_int32), ("rest", ctypes.c_int32 * 12)]


def coded(path: Path) -> None:
    """Data sets of 120 x 90 integers: one deflated stream, and chunks of 30 x 40 that are deflated each."""
    # pyhdf has no function for chunks, but the library that it brings.
    [library] = (Path(pyhdf.__file__).parents[1] / "pyhdf.libs").glob("libmfhdf*")
    set_chunks = ctypes.CDLL(str(library)).SDsetchunk
    set_chunks.argtypes = [ctypes.c_int32, Chunks, ctypes.c_int32]
    values = np.arange(120 * 90, dtype="i2").reshape(120, 90)
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    for name in ("stream", "chunks"):
        one = file.create(name, SDC.INT16, values.shape)
        if name == "stream":
            one.setcompress(SDC.COMP_DEFLATE, 6)
        else:
            chunks = Chunks(coder=(SDC.COMP_DEFLATE, 0), level=6)
            chunks.sizes[:2] = [30, 40]
            assert set_chunks(one._id, chunks, 3) == 0
        one[:] = values
        one.endaccess()
    file.end()


def grouped(path: Path) -> None:
    """A grid of HDF-EOS2 as far as attributes go, and a dimension with a scale."""
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    text = 'GROUP=GridStructure\n\tGROUP=GRID_1\n\t\tGridName="g"\n\t\tXDim=3\n\tEND_GROUP=GRID_1\nEND_GROUP=GridStructure\nEND\n'
    setattr(file, "StructMetadata.0", text)
    one = file.create("field", SDC.UINT8, (2, 3))
    one[:] = np.arange(6, dtype="u1").reshape(2, 3)
    for axis, name in enumerate(("YDim:g", "XDim:g")):
        one.dim(axis).setname(name)
    one.dim(1).setscale(SDC.FLOAT32, [0.5, 1.5, 2.5])
    one.scale_factor, one.add_offset = 0.5, 10.0
    one.endaccess()
    file.end()


def tables(path: Path) -> None:
    """Vdatas in a Vgroup."""
    file = HDF(str(path), HC.WRITE | HC.CREATE)
    vdatas, vgroups = file.vstart(), file.vgstart()
    group = vgroups.create("group")
    for name in ("one", "two"):
        fields = (("count", HC.INT32, 1), ("pair", HC.FLOAT32, 2), ("name", HC.CHAR8, 4))
        table = vdatas.create(name, fields)
        table.write([[row, [row / 2, -row], "abcd"] for row in range(3)])
        table.attr("made").set(HC.CHAR8, "here")
        group.insert(table)
        table.detach()
    group.detach()
    vgroups.end()
    vdatas.end()
    file.close()
