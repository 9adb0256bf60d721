"""Fixtures of these tests: files that h5py writes and both libraries read."""

from __future__ import annotations

from pathlib import Path

import h5py
import kit
import pytest

import hyperslab


@pytest.fixture(params=["earliest", "latest"])
def libver(request):
    """The oldest and the latest format in which h5py writes files."""
    return request.param


class Pair:
    """A file written by h5py and opened by both libraries."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.theirs = h5py.File(path, "r")
        self.ours = hyperslab.File(path)

    def __getitem__(self, name):
        return self.theirs[name], self.ours[name]

    def close(self) -> None:
        self.theirs.close()
        self.ours.close()


@pytest.fixture
def pair(tmp_path):
    """Call it with a function that writes into an `h5py.File`."""
    opened = []

    def make(write, libver="latest") -> Pair:
        path = tmp_path / f"pair{len(opened)}.h5"
        with h5py.File(path, "w", libver=libver) as file:
            write(file)
        opened.append(Pair(path))
        return opened[-1]

    yield make
    for both in opened:
        both.close()


@pytest.fixture(scope="session")
def corpus():
    """The folder of real files; tests that need it are skipped without it."""
    if why := kit.missing_corpus():
        pytest.skip(why)
    return kit.CORPUS
