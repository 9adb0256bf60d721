"""The cache, as far as it can be set and watched."""

from __future__ import annotations

import os
import subprocess
import sys

import h5py
import numpy as np
import pytest

import hyperslab


@pytest.fixture
def budget():
    before = hyperslab.cache_bytes()
    yield
    hyperslab.set_cache_bytes(before)


def test_the_budget_can_be_set(budget):
    for wanted, bytes in [(1 << 20, 1 << 20), ("3MiB", 3 << 20), ("1GB", 10**9), (0, 0)]:
        hyperslab.set_cache_bytes(wanted)
        assert hyperslab.cache_bytes() == bytes
    for wrong in ["much", "", "-1"]:
        with pytest.raises(ValueError):
            hyperslab.set_cache_bytes(wrong)
    with pytest.raises((TypeError, OverflowError)):
        hyperslab.set_cache_bytes(-1)
    with pytest.raises(TypeError):
        hyperslab.set_cache_bytes(None)


def test_the_cache_can_be_watched(tmp_path, budget):
    hyperslab.set_cache_bytes("64MiB")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=np.arange(10000), chunks=(1000,), compression="gzip")
    before = hyperslab.cache_stats()
    with hyperslab.File(tmp_path / "a.h5") as file:
        for _ in range(3):
            for row in range(0, 10000, 100):
                file["d"][row]
        assert file.decodes == 10
    after = hyperslab.cache_stats()
    assert after.decodes - before.decodes == 10
    assert after.hits > before.hits
    assert repr(after).startswith("CacheStats(hits=")
    for name in ["hits", "misses", "decodes", "evictions", "resident_bytes", "resident_chunks"]:
        assert isinstance(getattr(after, name), int)


def test_the_budget_comes_from_the_environment():
    script = "import hyperslab; print(hyperslab.cache_bytes())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "HYPERSLAB_CACHE": "5MiB"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == 5 << 20


def test_a_budget_in_the_environment_that_cannot_be_read_is_told(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["d"] = 1
    done = subprocess.run(
        [sys.executable, "-c", f"import hyperslab; hyperslab.File({str(tmp_path / 'a.h5')!r})"],
        env={**os.environ, "HYPERSLAB_CACHE": "5 apples"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "HYPERSLAB_CACHE=5 apples is no number of bytes" in done.stderr
    assert "unset it" in done.stderr
