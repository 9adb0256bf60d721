"""What is said of unused bytes: collections of the global heap lie anywhere, and belong to the elements that refer to them."""

from __future__ import annotations

import json
import subprocess
import sys

import h5py
import numpy as np
import pytest

import hyperslab

COMMAND = [sys.executable, "-W", "ignore", "-m", "hyperslab"]


@pytest.mark.parametrize("userblock", [0, 512])
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_heaps_behind_chunks_of_odd_sizes_are_used(tmp_path, libver, userblock):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver=libver, userblock_size=userblock) as file:
        noise = np.random.default_rng(1).integers(0, 200, (40, 1001), dtype="u1")
        file.create_dataset("noise", data=noise, chunks=(1, 1001), compression="gzip")
        file.create_dataset("text", data=[f"a text of some length, number {number}" for number in range(20_000)])
    done = subprocess.run([*COMMAND, "ls", "--bytes", "--json", path], capture_output=True, text=True, check=True)
    census = json.loads(done.stdout)
    assert census["unaccounted_bytes"] + census["free_bytes"] < 16 << 10
    report = hyperslab.check(path)
    assert (report["errors"], report["warnings"]) == (0, 0), report["findings"]
    assert not [finding for finding in hyperslab.doctor(path)["findings"] if finding["code"] == "unused-space"]
