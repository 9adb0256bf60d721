"""The libhdf5 that h5py uses, for functions that h5py does not wrap."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "corpus" / "recipes"))

from common import call, libhdf5  # noqa: E402
from revised_references import reference, store  # noqa: E402

__all__ = ["call", "libhdf5", "reference", "store"]

