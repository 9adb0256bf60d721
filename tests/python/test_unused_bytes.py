"""What is said of unused bytes: collections of the global heap lie anywhere, and belong to the elements that refer to them."""

from __future__ import annotations

import json
import subprocess
import sys

import h5py
import numpy as np
import pytest

import hyperslab
from kit import scaled

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


def make(path, rng):
    """A file of heaps, chunks of odd sizes, deleted and resized objects, attributes, perhaps a user block and pages."""
    libver = ["earliest", "latest", ("v108", "v110")][rng.integers(3)]
    options = {"libver": libver, "userblock_size": int(rng.choice([0, 512, 2048]))}
    if rng.random() < 0.2:
        options |= {"userblock_size": 0, "fs_strategy": "page", "fs_page_size": 4096, "fs_persist": bool(rng.random() < 0.5)}
    with h5py.File(path, "w", **options) as file:
        for number in range(rng.integers(1, 12)):
            kind = rng.integers(6)
            name = f"g{number % 3}/d{number}"
            if kind == 0:
                texts = ["x" * int(rng.integers(1, 300)) for _ in range(rng.integers(1, 3000))]
                file.create_dataset(name, data=texts)
                if rng.random() < 0.5:
                    file[name][...] = ["y" * int(rng.integers(1, 300)) for _ in texts]
            elif kind == 1:
                rows = int(rng.integers(1, 60))
                noise = rng.integers(0, 200, (rows, 1001), dtype="u1")
                file.create_dataset(name, data=noise, chunks=(1, 1001), compression="gzip")
                if rng.random() < 0.5:
                    file[name][: rows // 2] = rng.integers(0, 255, (rows // 2, 1001), dtype="u1")
            elif kind == 2:
                file.create_dataset(name, data=rng.random(int(rng.integers(1, 50_000))))
            elif kind == 3:
                file.create_dataset(name, data=rng.random((7, 31, 13)), chunks=(3, 7, 5), maxshape=(None, 31, 13), shuffle=True, compression=1)
                file[name].resize((int(rng.integers(1, 9)), 31, 13))
            elif kind == 4:
                group = file.require_group(name)
                for at in range(rng.integers(1, 200)):
                    group.attrs[f"attribute {at}"] = "text " * int(rng.integers(1, 30))
            else:
                ragged = file.create_dataset(name, (int(rng.integers(1, 200)),), h5py.vlen_dtype("i4"))
                for at in range(len(ragged)):
                    ragged[at] = np.arange(rng.integers(0, 100))
        for name in [name for group in file.values() for name in [f"{group.name}/{member}" for member in group]]:
            if rng.random() < 0.3:
                del file[name]


@pytest.mark.parametrize("number", range(scaled(12, full=500)))
def test_what_is_said_to_be_unused_is_what_a_repack_saves(tmp_path, number):
    path, out = tmp_path / "a.h5", tmp_path / "b.h5"
    make(path, np.random.default_rng(number))
    done = subprocess.run([*COMMAND, "ls", "--bytes", "--json", path], capture_output=True, text=True, check=True)
    predicted = json.loads(done.stdout)["repacked_bytes"]
    hyperslab.repack(path, out)
    saved = path.stat().st_size - out.stat().st_size
    said = path.stat().st_size - predicted
    assert abs(said - saved) <= max(0.1 * saved, 16 << 10), (said, saved)
    findings = hyperslab.doctor(path, all=True)["findings"]
    for finding in findings:
        if finding["code"] == "unused-space":
            assert abs(finding["cost"]["bytes"] - saved) <= max(0.1 * saved, 16 << 10), finding
    if saved > 0.3 * path.stat().st_size + 16384:
        assert any(finding["code"] == "unused-space" for finding in findings) or path.stat().st_size < 1 << 16
    report = hyperslab.check(path)
    assert (report["errors"], report["warnings"]) == (0, 0), report["findings"]
