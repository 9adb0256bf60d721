"""Files that were cut off: `repack --keep-going` gives back every dataset whose header, chunk index and data lie before the cut, with
the groups on its path."""

from __future__ import annotations

import io
import subprocess
import sys

import h5py
import numpy as np
import pytest

import hyperslab

COMMAND = [sys.executable, "-W", "ignore", "-m", "hyperslab"]
CUTS = 20


class Recorded(io.BytesIO):
    """A file in memory that knows how far it was read."""

    end = 0

    def readinto(self, buffer) -> int:
        count = super().readinto(buffer)
        self.end = max(self.end, self.tell())
        return count


def write(path, libver: str) -> None:
    noise = np.random.default_rng(1)
    with h5py.File(path, "w", libver=libver, track_order=False) as file:
        for number in range(6):
            group = file.create_group(f"group{number}")
            values = noise.integers(0, 1000, (40, 50), dtype="i4")
            group.create_dataset("chunked", data=values, chunks=(7, 50), compression="gzip", track_times=False)
            group.create_dataset("grows", data=values, chunks=(5, 25), maxshape=(None, None), track_times=False)
            group.create_dataset("plain", data=values + number, track_times=False)
            group.create_dataset("text", data=[f"text {number} {at}" for at in range(30)], track_times=False)
            group["plain"].attrs["units"] = "K" * 50
            group.attrs["number"] = number
            file.flush()
            if number % 2:
                group.create_group("inner").create_dataset("small", data=np.arange(5), track_times=False)


def datasets(path) -> dict[str, np.ndarray]:
    """The values of all datasets that can be read."""
    found = {}
    with h5py.File(path) as file:
        names: list[str] = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        for name in names:
            found[name] = file[name][...]
    return found


def needed(content: bytes, name: str) -> int:
    """How far a reader must be able to read to get the values of a dataset."""
    source = Recorded(content)
    with h5py.File(source, "r") as file:
        file[name][...]
    return source.end


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_what_lies_before_a_cut_comes_back(tmp_path, libver):
    whole = tmp_path / "whole.h5"
    write(whole, libver)
    content = whole.read_bytes()
    expected = datasets(whole)
    ends = {name: needed(content, name) for name in expected}
    recovered = 0
    for number in range(1, CUTS + 1):
        cut = len(content) * number // (CUTS + 1)
        path, out = tmp_path / "cut.h5", tmp_path / f"out{number}.h5"
        path.write_bytes(content[:cut])
        with pytest.raises(OSError, match="repack --keep-going") as raised:
            hyperslab.File(path)
        assert raised.value.kind == "damaged"
        done = subprocess.run([*COMMAND, "repack", "--keep-going", path, out], capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), (cut, done.stderr)
        before = {name for name, end in ends.items() if end <= cut}
        if not out.exists():
            assert not before, (cut, before, done.stderr)
            continue
        found = datasets(out)
        assert before <= set(found), (cut, done.stderr)
        for name in before:
            np.testing.assert_array_equal(found[name], expected[name])
        # What is not whole is named.
        missing = set(expected) - set(found)
        assert not missing or "could not be read" in done.stderr
        recovered += len(before)
    assert recovered > CUTS


def test_a_cut_file_is_not_replaced_in_place(tmp_path):
    path = tmp_path / "cut.h5"
    write(path, "latest")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 3 // 4])
    words = ["repack", "--keep-going", "--in-place", path, "--filter", "gzip=1"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "truncated" in done.stderr
    assert path.read_bytes() == content[: len(content) * 3 // 4]


@pytest.mark.parametrize("words", [["--drop", "group0"], ["--only", "group0", "--only", "group1"]])
def test_a_selection_of_a_cut_file_ends(tmp_path, words):
    """What cannot be read is left out of a selection, too, or is an error that names it."""
    path = tmp_path / "cut.h5"
    write(path, "latest")
    content = path.read_bytes()
    for eighths in range(1, 8):
        path.write_bytes(content[: len(content) * eighths // 8])
        out = tmp_path / f"{eighths}.h5"
        command = [*COMMAND, "repack", "--keep-going", *words, path, out]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1, 2), (eighths, done.stderr)
        assert out.exists() or str(path) in done.stderr or "group" in done.stderr, (eighths, done.stderr)
