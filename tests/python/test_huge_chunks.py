"""Chunks of 4 GiB and more (layout version 5), of which none is written: all of it is the fill value."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_same

import hyperslab

FIXTURES = Path(os.environ.get("HYPERSLAB_FIXTURES", Path(__file__).parents[2] / "fixtures"))


@pytest.mark.parametrize("name", ["fixed", "one", "two"])
def test_what_is_not_there_needs_no_memory(name):
    path = FIXTURES / "rare_structures" / "huge_chunks.h5"
    if not path.exists():
        pytest.skip("run corpus/recipes/make.py")
    with hyperslab.File(path) as file:
        made = file[name]
        assert (made.shape, made.chunks, made.compression) == ((1000, 6), (1 << 30, 5), "gzip")
        assert_same(made[3:900:7, 2:], np.full((129, 4), 7, "u1"))
