"""Raster images of HDF4: pixels that libhdf4 wrote are what it reads, in every order, number type, coder and chunk."""

from __future__ import annotations

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
