"""Raster images of HDF4: pixels that libhdf4 wrote are what it reads, in every order, number type, coder and chunk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import hdf4_images
import numpy as np
import pytest
from hdf4_images import INTERLACES, LITTLE, NUMBER_TYPES
from kit import CORPUS, missing_corpus, scaled

import hyperslab
from hyperslab.errors import HyperslabError

#: How images are stored, and the parameters of the coder.
STORAGES: dict[str, dict[str, Any]] = {
    "plain": {},
    "rle": {"coder": "rle"},
    "huffman": {"coder": "huffman", "parameters": (1,)},
    "deflate": {"coder": "deflate", "parameters": (6,)},
    "chunks": {"chunk": (2, 3)},
    "rle in chunks": {"chunk": (2, 3), "coder": "rle"},
    "deflate in chunks": {"chunk": (3, 2), "coder": "deflate", "parameters": (6,)},
}
CASES = [
    (storage, dtype, components, interlace, size)
    for storage in STORAGES
    for dtype in NUMBER_TYPES
    for components in (1, 2, 3)
    for interlace in INTERLACES
    for size in ((5, 7), (6, 6))
]


def written(path: Path, pixels: np.ndarray[Any, Any], **how: Any) -> np.ndarray[Any, Any]:
    """An image that libhdf4 writes, in a process of its own; returns what libhdf4 reads of it."""
    kept = path.with_suffix(".npy")
    np.save(kept, pixels)
    done = subprocess.run(
        [sys.executable, hdf4_images.__file__, str(path), str(kept), repr(how)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: np.ndarray[Any, Any] = np.load(kept)
    return found


def assert_read(path: Path, expected: np.ndarray[Any, Any]) -> None:
    """The image, as a whole and in part."""
    with hyperslab.File(path) as file:
        image = file["image"]
        expected = expected[..., 0] if expected.shape[2] == 1 else expected
        assert image.shape == expected.shape
        np.testing.assert_array_equal(image[...], expected)
        np.testing.assert_array_equal(image[1:, -1], expected[1:, -1])
        assert image.dtype == expected.dtype


@pytest.mark.parametrize("number", range(scaled(12, full=len(CASES))))
def test_pixels_are_libhdf4s(tmp_path, number):
    # In CI, cases that lie far apart.
    storage, dtype, components, interlace, size = CASES[number * 83 % len(CASES)]
    random = np.random.default_rng(number)
    pixels = np.where(random.random((*size, components)) < 0.5, 3, random.random((*size, components)) * 100).astype(dtype)
    found = written(tmp_path / "image.hdf", pixels, interlace=interlace, **STORAGES[storage])
    np.testing.assert_array_equal(found, pixels)
    assert_read(tmp_path / "image.hdf", pixels)


@pytest.mark.parametrize("dtype", ["i2", "u4", "f8"])
def test_pixels_that_are_stored_little_endian(tmp_path, dtype):
    pixels = (np.random.default_rng(0).random((4, 5, 2)) * 100).astype(dtype)
    found = written(tmp_path / "image.hdf", pixels, interlace=0, number_type=NUMBER_TYPES[dtype] | LITTLE)
    # libhdf4 takes the values for numbers in that order already, and returns what is stored.
    assert_read(tmp_path / "image.hdf", found)


@pytest.mark.parametrize("components", [1, 3])
@pytest.mark.parametrize("quality", [(75, 1), (30, 0), (100, 1)])
@pytest.mark.parametrize("size", [(23, 46), (8, 8), (1, 1), (17, 5)])
def test_jpeg(tmp_path, components, quality, size):
    y, x = np.mgrid[: size[0], : size[1]]
    smooth = np.stack([128 + 100 * np.sin(x / 5 + y / 9 + component) for component in range(components)], -1)
    noisy = smooth + np.random.default_rng(1).normal(0, 20, smooth.shape)
    path = tmp_path / "image.hdf"
    found = written(path, noisy.clip(0, 255).astype("u1"), interlace=0, coder="jpeg", parameters=quality)
    assert_read(path, found)
    hyperslab.repack(path, tmp_path / "image.nc")
    with hyperslab.File(tmp_path / "image.nc") as file:
        np.testing.assert_array_equal(file["image"][...].reshape(found.shape), found)
    # What is cut is an error, where libjpeg would make it grey.
    whole = path.read_bytes()
    start = whole.find(b"\xff\xd8\xff")
    end = whole.find(b"\xff\xd9", start)
    path.write_bytes(whole[: end - 4] + b"\xff\xd9" + whole[end - 2 :])
    with hyperslab.File(path) as file, pytest.raises(HyperslabError, match="JPEG"):
        file["image"][...]


@pytest.mark.skipif(bool(missing_corpus()), reason=missing_corpus() or "")
def test_a_real_file_with_jpeg_has_three_images():
    path = CORPUS / "HDFGroup+hdf4/hdf/test/test_files/jpeg.dat"
    # The images have no Vgroups: libhdf4 finds them by their lists of elements.
    with hyperslab.File(path) as file, hdf4_images.Images(path, hdf4_images.READ) as images:
        names = [name for name in file if file[name].ndim == 3]
        for number, name in enumerate(names):
            np.testing.assert_array_equal(file[name][...], images.read(number, file[name][...]))
        assert len(names) == 3


def run_apart(code: str, path: Path) -> None:
    """Runs code with the path as its argument, in a process of its own: libhdf4 may end it."""
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False, env=found)
    assert done.returncode == 0, done.stderr


#: Writes images that are partly or never written and have a fill value, in chunks or compressed; then prints what libhdf4 reads.
UNWRITTEN = """
import ctypes, sys
import numpy as np
from hdf4_images import CHUNKS, COMPRESSED, CREATE, LIBRARY, LITTLE, NUMBER_TYPES, READ, ChunkDefinition, Images, checked, pair
from pathlib import Path

path, names = Path(sys.argv[1]), {}
SHAPE, PART = (4, 6), (2, 3)
with Images(path, CREATE) as images:
    for order in (0, LITTLE):
        for of_fill in (0, LITTLE):
            for components, fill in ((1, [7]), (3, [1, 2, 3]), (3, [4, 4, 4])):
                for how in ("plain", "chunks", "deflated"):
                    for is_part in (False, True):
                        if is_part and how == "plain" and order != of_fill:
                            continue  # libhdf4 writes the bytes of the fill value in the other order.
                        name = f"{how} {components} {fill} {order} {of_fill} {is_part}"
                        size = pair(SHAPE[1], SHAPE[0])
                        image = checked(LIBRARY.GRcreate(images.images, name.encode(), components, NUMBER_TYPES["i2"] | order, 0, size))
                        value = np.array(fill, "i2")
                        kind = NUMBER_TYPES["i2"] | of_fill
                        checked(LIBRARY.GRsetattr(image, b"FillValue", kind, components, value.ctypes.data_as(ctypes.c_void_p)))
                        if how != "plain":
                            definition = ChunkDefinition(coder=4 if how == "deflated" else 0)
                            definition.lengths[:2] = [3, 2]
                            definition.parameters[:1] = [6]
                            checked(LIBRARY.GRsetchunk(image, definition, CHUNKS | COMPRESSED if how == "deflated" else CHUNKS))
                        if is_part:
                            pixels = np.arange(100, 100 + PART[0] * PART[1] * components, dtype="i2")
                            at, size = pair(0, 0), pair(PART[1], PART[0])
                            checked(LIBRARY.GRwriteimage(image, at, None, size, pixels.ctypes.data_as(ctypes.c_void_p)))
                        checked(LIBRARY.GRendaccess(image))
                        names[name] = components
with Images(path, READ) as images:
    for number, (name, components) in enumerate(names.items()):
        np.save(path.parent / (name + ".npy"), images.read(number, np.zeros((*SHAPE, components), "i2")))
"""


def test_pixels_that_were_never_written_are_the_fill_value(tmp_path):
    path = tmp_path / "unwritten.hdf"
    run_apart(UNWRITTEN, path)
    expected = {kept.stem: np.load(kept) for kept in tmp_path.glob("*.npy")}
    assert len(expected) > 60
    with hyperslab.File(path) as file:
        assert set(file) == set(expected)
        for name, pixels in expected.items():
            pixels = pixels[..., 0] if pixels.shape[2] == 1 else pixels
            np.testing.assert_array_equal(file[name][...], pixels, err_msg=name)
            np.testing.assert_array_equal(file[name][1:, -2:], pixels[1:, -2:], err_msg=name)


#: Writes three images, and Vgroups and labels that refer to them as `GRidtoref` says.
REFERRED = """
import ctypes, sys
import numpy as np
from hdf4_images import CREATE, LIBRARY, Images, checked, pair

with Images(sys.argv[1], CREATE) as images:
    references = []
    for name in ("a", "b", "c"):
        image = checked(LIBRARY.GRcreate(images.images, name.encode(), 1, 21, 0, pair(5, 4)))
        pixels = np.full(20, ord(name), "u1")
        checked(LIBRARY.GRwriteimage(image, pair(0, 0), None, pair(5, 4), pixels.ctypes.data_as(ctypes.c_void_p)))
        references.append(LIBRARY.GRidtoref(image) & 0xFFFF)
        if name == "a":
            palette = np.arange(768).astype("u1")
            table = checked(LIBRARY.GRgetlutid(image, 0))
            checked(LIBRARY.GRwritelut(table, 3, 21, 0, 256, palette.ctypes.data_as(ctypes.c_void_p)))
        checked(LIBRARY.GRendaccess(image))
    LIBRARY.Vinitialize(images.file)
    for tag in (306, 302, 202):
        group = checked(LIBRARY.Vattach(images.file, -1, b"w"))
        LIBRARY.Vsetname(group, b"by %d" % tag)
        for reference in references[:2]:
            checked(LIBRARY.Vaddtagref(group, tag, reference))
        checked(LIBRARY.Vdetach(group))
    LIBRARY.Vfinish(images.file)
    labels = checked(LIBRARY.ANstart(images.file))
    text = b"the label of b"
    label = checked(LIBRARY.ANcreate(labels, 306, references[1], 0))
    checked(LIBRARY.ANwriteann(label, text, len(text)))
    checked(LIBRARY.ANendaccess(label))
    checked(LIBRARY.ANend(labels))
"""


def test_images_are_found_by_the_references_that_programs_write(tmp_path):
    path = tmp_path / "referred.hdf"
    run_apart(REFERRED, path)
    with hyperslab.File(path) as file:
        for tag in (306, 302, 202):
            assert list(file[f"by {tag}"]) == ["a", "b"]
            assert file[f"by {tag}/b"][0, 0] == ord("b")
        labels = {name: list(file[name].attrs) for name in "abc"}
        assert labels == {"a": [], "b": ["anno_label-1"], "c": []}
