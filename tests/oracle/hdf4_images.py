"""Raster images by libhdf4: its library that pyhdf brings has the functions, and pyhdf none of them."""

from __future__ import annotations

import ast
import ctypes
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyhdf
from hdf4_library import CHUNKS, CODERS, COMPRESSED, ChunkDefinition
from numpy.typing import NDArray

#: `DFACC_READ`, `DFACC_CREATE`.
READ, CREATE = 1, 4
#: Orders of the components: `MFGR_INTERLACE_PIXEL`, `LINE`, `COMPONENT`.
INTERLACES = (0, 1, 2)
#: Number types of `hntdefs.h`, of the machine's byte order in memory.
NUMBER_TYPES = {"i1": 20, "u1": 21, "i2": 22, "u2": 23, "i4": 24, "u4": 25, "f4": 5, "f8": 6}
#: The bit of number types that are stored little-endian.
LITTLE = 0x4000
IMAGE_CODERS = {**CODERS, "jpeg": 7}


class Parameters(ctypes.Structure):
    """`comp_info` of `hcomp.h`."""

    _fields_ = [("values", ctypes.c_int32 * 8)]


def _library() -> ctypes.CDLL:
    [path] = (Path(pyhdf.__file__).parents[1] / "pyhdf.libs").glob("libdf-*")
    library = ctypes.CDLL(str(path))
    library.GRsetchunk.argtypes = [ctypes.c_int32, ChunkDefinition, ctypes.c_int32]
    return library


LIBRARY = _library()


def checked(answer: int) -> int:
    """What a function returned, if it is no error."""
    assert answer != -1, "an error of libhdf4"
    return answer


def pair(first: int, second: int) -> Any:
    """Two numbers, as libhdf4 takes sizes and places."""
    return (ctypes.c_int32 * 2)(first, second)


class Images:
    """A file whose images are written or read."""

    def __init__(self, path: Path, mode: int) -> None:
        self.file = checked(LIBRARY.Hopen(str(path).encode(), mode, 0))
        self.images = checked(LIBRARY.GRstart(self.file))

    def __enter__(self) -> Images:
        return self

    def __exit__(self, *_: object) -> None:
        checked(LIBRARY.GRend(self.images))
        checked(LIBRARY.Hclose(self.file))

    def write(
        self,
        name: str,
        pixels: NDArray[Any],
        interlace: int,
        coder: str = "none",
        parameters: tuple[int, ...] = (),
        chunk: tuple[int, int] | None = None,
        number_type: int | None = None,
    ) -> None:
        """Writes (height, width, components) pixels."""
        height, width, components = pixels.shape
        kind = NUMBER_TYPES[pixels.dtype.str[1:]] if number_type is None else number_type
        image = checked(LIBRARY.GRcreate(self.images, name.encode(), components, kind, interlace, pair(width, height)))
        code = IMAGE_CODERS[coder]
        if chunk is not None:
            definition = ChunkDefinition(coder=code)
            definition.lengths[:2] = [chunk[1], chunk[0]]
            definition.parameters[: len(parameters)] = parameters
            checked(LIBRARY.GRsetchunk(image, definition, CHUNKS if coder == "none" else CHUNKS | COMPRESSED))
        elif coder != "none":
            given = Parameters()
            given.values[: len(parameters)] = parameters
            checked(LIBRARY.GRsetcompress(image, code, ctypes.byref(given)))
        axes = {0: (0, 1, 2), 1: (0, 2, 1), 2: (2, 0, 1)}[interlace]
        data = np.ascontiguousarray(pixels.transpose(axes))
        checked(LIBRARY.GRwriteimage(image, pair(0, 0), None, pair(width, height), data.ctypes.data_as(ctypes.c_void_p)))
        checked(LIBRARY.GRendaccess(image))

    def read(self, index: int, like: NDArray[Any]) -> NDArray[Any]:
        """The pixels of an image, which have the shape and the dtype of others."""
        image = checked(LIBRARY.GRselect(self.images, index))
        checked(LIBRARY.GRreqimageil(image, 0))
        pixels = np.zeros_like(like)
        height, width, _ = like.shape
        checked(LIBRARY.GRreadimage(image, pair(0, 0), None, pair(width, height), pixels.ctypes.data_as(ctypes.c_void_p)))
        checked(LIBRARY.GRendaccess(image))
        return pixels


def main() -> None:
    """Writes an image and reads it again: of pixels in a file of NumPy, with the arguments of `write` as text of Python."""
    path, pixels, arguments = sys.argv[1:]
    given = np.load(pixels)
    with Images(Path(path), CREATE) as images:
        images.write("image", given, **ast.literal_eval(arguments))
    with Images(Path(path), READ) as images:
        np.save(pixels, images.read(0, given))


if __name__ == "__main__":
    main()
