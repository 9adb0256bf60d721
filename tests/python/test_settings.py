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


def test_a_file_may_have_a_cache_of_its_own(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=np.arange(10000), chunks=(1000,), compression="gzip")
    before = hyperslab.cache_stats()
    with hyperslab.File(tmp_path / "a.h5", cache_bytes="1MiB", threads=1) as file:
        for row in range(0, 10000, 100):
            assert file["d"][row] == row
        assert file.decodes == 10
    with hyperslab.File(tmp_path / "a.h5", cache_bytes=0) as file:
        for row in (0, 1, 2):
            file["d"][row]
        assert file.decodes == 3
    assert hyperslab.cache_stats().decodes == before.decodes
    for wrong in [{"cache_bytes": "much"}, {"threads": 0}]:
        with pytest.raises(ValueError):
            hyperslab.File(tmp_path / "a.h5", **wrong)
    with pytest.raises(TypeError):
        hyperslab.File(tmp_path / "a.h5", cache_bytes=None, threads="many")


def test_files_that_a_file_refers_to_have_its_settings(tmp_path):
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("d", data=np.arange(10000), chunks=(1000,), compression="gzip")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["linked"] = h5py.ExternalLink("b.h5", "/d")
        layout = h5py.VirtualLayout((10000,), "i8")
        layout[:] = h5py.VirtualSource("b.h5", "d", (10000,))
        file.create_virtual_dataset("virtual", layout)
    before = hyperslab.cache_stats()
    with hyperslab.File(tmp_path / "a.h5", cache_bytes="1MiB") as file:
        for name in ("linked", "virtual"):
            for row in range(0, 10000, 500):
                assert file[name][row] == row
    assert hyperslab.cache_stats().decodes == before.decodes


def test_threads_can_be_set(tmp_path):
    before = hyperslab.threads()
    assert 1 <= before
    try:
        for count in (1, 3):
            hyperslab.set_threads(count)
            assert hyperslab.threads() == count
        with pytest.raises(ValueError):
            hyperslab.set_threads(0)
    finally:
        hyperslab.set_threads(before)
    done = subprocess.run(
        [sys.executable, "-c", "import hyperslab; print(hyperslab.threads())"],
        env={**os.environ, "HYPERSLAB_THREADS": "5"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == 5


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
    assert "HYPERSLAB_CACHE=5 apples is not a valid byte size" in done.stderr
    assert "unset it" in done.stderr
