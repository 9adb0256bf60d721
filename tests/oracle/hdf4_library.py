"""What libhdf4 can write and pyhdf has no function for: chunks, bits, other files. It is the library that pyhdf brings."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pyhdf
import pyhdf.SD  # It loads the library, with what that needs.
from pyhdf import V  # noqa: F401: HDF.vgstart needs it.
from pyhdf.HDF import HC, HDF

#: `HDF_CHUNK` and `HDF_COMP` of `hchunks.h`.
CHUNKS, COMPRESSED = 1, 2
#: Coders of `hcomp.h`.
CODERS = {"none": 0, "rle": 1, "nbit": 2, "huffman": 3, "deflate": 4}


class ChunkDefinition(ctypes.Structure):
    """`HDF_CHUNK_DEF` of `mfhdf.h`, with room behind it."""

    _fields_ = [
        ("lengths", ctypes.c_int32 * 32),
        ("coder", ctypes.c_int32),
        ("model", ctypes.c_int32),
        ("parameters", ctypes.c_int32 * 5),
        ("rest", ctypes.c_int32 * 8),
    ]


def _library() -> ctypes.CDLL:
    [path] = (Path(pyhdf.__file__).parents[1] / "pyhdf.libs").glob("libmfhdf*")
    library = ctypes.CDLL(str(path))
    library.SDsetchunk.argtypes = [ctypes.c_int32, ChunkDefinition, ctypes.c_int32]
    library.SDsetexternalfile.argtypes = [ctypes.c_int32, ctypes.c_char_p, ctypes.c_int32]
    return library


LIBRARY = _library()


def set_chunks(data_set: Any, shape: list[int], coder: str, *parameters: int) -> None:
    """Stores a new data set in chunks of this shape, coded so."""
    definition = ChunkDefinition(coder=CODERS[coder])
    definition.lengths[: len(shape)] = shape
    definition.parameters[: len(parameters)] = parameters
    flags = CHUNKS if coder == "none" else CHUNKS | COMPRESSED
    assert LIBRARY.SDsetchunk(data_set._id, definition, flags) == 0


def set_bits(data_set: Any, start: int, bits: int, extends_sign: bool, fills_with_ones: bool) -> None:
    """Stores these bits of the values of a new data set."""
    assert LIBRARY.SDsetnbitdataset(data_set._id, start, bits, int(extends_sign), int(fills_with_ones)) != -1


def set_file(data_set: Any, path: Path, offset: int) -> None:
    """Stores the values of a new data set in another file."""
    assert LIBRARY.SDsetexternalfile(data_set._id, str(path).encode(), offset) == 0


def add_structure(path: Path, name: str, kind: str, references: list[int]) -> None:
    """Makes data sets of these references the fields of a grid or a swath of HDF-EOS2."""
    tables = HDF(str(path), HC.WRITE)
    groups = tables.vgstart()
    structure, fields = groups.create(name), groups.create("Data Fields")
    structure._class, fields._class = kind, f"{kind} Vgroup"
    for reference in references:
        fields.add(HC.DFTAG_NDG, reference)
    structure.insert(fields)
    for group in (fields, structure):
        group.detach()
    groups.end()
    tables.close()
