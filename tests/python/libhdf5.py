"""The libhdf5 inside of h5py, for what h5py itself does not wrap."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "corpus" / "recipes"))

from common import libhdf5  # noqa: E402

__all__ = ["ReferenceBuffer", "constant", "libhdf5"]

#: `H5R_ref_t`, which is opaque.
ReferenceBuffer = ctypes.c_uint8 * 64


def constant(name: str) -> int:
    """An identifier that the library keeps in a global variable, such as `H5T_STD_REF_g`."""
    return ctypes.c_int64.in_dll(libhdf5(), name).value
