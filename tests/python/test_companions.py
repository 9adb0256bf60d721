"""Where the files that a file refers to by a relative name are found: random folders, links and working directories, with h5py
as the oracle."""

from __future__ import annotations

import os
import random

import h5py
import numpy as np
import pytest
from kit import scaled

import hyperslab

FOLDERS = ["a", "b", "a/raw", "b/raw", "c/d", "."]
NAMES = ["m.h5", "raw/m.h5", "../m.h5", "d/m.h5"]


class Layout:
    """A file that refers to others, a path by which it is opened, and companions of the same name in several folders."""

    def __init__(self, root, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        for folder in [*FOLDERS, "work", "work/raw"]:
            (root / folder).mkdir(parents=True, exist_ok=True)
        self.names = self.random.sample(NAMES, 2)
        if self.random.random() < 0.4:
            self.names.append(str(root / self.random.choice(FOLDERS) / "m.h5"))
        self.values = 0
        for folder in FOLDERS:
            if self.random.random() < 0.45:
                self.companion(root / folder / "m.h5")
        self.main = root / self.random.choice(FOLDERS) / "main.h5"
        self.refer(self.main)
        self.path = self.linked(self.main)
        self.cwd = root / self.random.choice(["a", "b", "c", "work", "."])
        self.later = root / self.random.choice(["a", "b", "work"]) if self.random.random() < 0.2 else self.cwd

    def companion(self, path) -> None:
        """A file of one value, which no other has. Some are links, and some refer to others in turn."""
        target = path
        if self.random.random() < 0.3:
            target = self.root / self.random.choice(FOLDERS) / f"real{self.values}.h5"
            path.symlink_to(target if self.random.random() < 0.5 else os.path.relpath(target, path.parent))
        self.values += 1
        with h5py.File(target, "w") as file:
            file["data"] = np.full(2, self.values)
            if self.random.random() < 0.5:
                file["next"] = h5py.ExternalLink(self.random.choice(["m.h5", "raw/m.h5", "../m.h5"]), "data")

    def refer(self, path) -> None:
        with h5py.File(path, "w", libver="latest") as file:
            for number, name in enumerate(self.names):
                file[f"link{number}"] = h5py.ExternalLink(name, "data")
                file[f"next{number}"] = h5py.ExternalLink(name, "next")
                layout = h5py.VirtualLayout((2,), "i8")
                layout[...] = h5py.VirtualSource(name, "data", (2,))
                file.create_virtual_dataset(f"virtual{number}", layout, fillvalue=-1)

    def linked(self, path):
        """The path itself, or a chain of up to three links to it, of files and of folders."""
        for number in range(self.random.choice([0, 1, 1, 2, 3])):
            link = self.root / self.random.choice(FOLDERS) / f"link{number}.h5"
            link.symlink_to(path if self.random.random() < 0.5 else os.path.relpath(path, link.parent))
            path = link
        if self.random.random() < 0.3 and path.parent != self.root:
            folder = self.root / "folder"
            folder.symlink_to(path.parent)
            path = folder / path.name
        return path

    def opened(self) -> str:
        """The path by which the file is opened in the working directory."""
        is_relative = self.random.random() < 0.5
        return os.path.relpath(self.path, self.cwd) if is_relative else str(self.path)


def values(library, path: str, later, names: list[str]) -> dict[str, object]:
    """What each of the names leads to; None if there is nothing."""
    found = {}
    with library.File(path) as file:
        os.chdir(later)
        for number in range(len(names)):
            for kind in ("virtual", "link", "next"):
                try:
                    found[f"{kind}{number}"] = file[f"{kind}{number}"][...].tolist()
                except KeyError:
                    found[f"{kind}{number}"] = None
    return found


def test_companions_are_found_where_libhdf5_finds_them(tmp_path, monkeypatch):
    for variable in ("HDF5_EXT_PREFIX", "HDF5_VDS_PREFIX", "HDF5_EXTFILE_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    several = 0
    for seed in range(scaled(50)):
        root = tmp_path / str(seed)
        root.mkdir()
        layout = Layout(root, seed)
        monkeypatch.chdir(layout.cwd)
        path = layout.opened()
        theirs = values(h5py, path, layout.later, layout.names)
        os.chdir(layout.cwd)
        ours = values(hyperslab, path, layout.later, layout.names)
        assert ours == theirs, (seed, path, layout.names)
        several += len({str(value) for value in theirs.values()} - {"None"}) > 1
    assert several > scaled(50) / 4, "most layouts lead nowhere, and test little"


@pytest.fixture
def beside_real(tmp_path):
    """A file, opened through a link in another folder, whose companions lie beside the real file."""
    for folder in ("real/raw", "links"):
        (tmp_path / folder).mkdir(parents=True)
    with h5py.File(tmp_path / "real/raw/r0.h5", "w") as file:
        file["data"] = np.arange(3)
    (tmp_path / "real/raw/values.bin").write_bytes(np.arange(5, 8).tobytes())
    with h5py.File(tmp_path / "real/m.h5", "w") as file:
        layout = h5py.VirtualLayout((3,), "i8")
        layout[...] = h5py.VirtualSource("raw/r0.h5", "data", (3,))
        file.create_virtual_dataset("virtual", layout)
        file["link"] = h5py.ExternalLink("raw/r0.h5", "data")
        file.create_dataset("external", (3,), "i8", external=[("raw/values.bin", 0, 24)])
    (tmp_path / "links/rel.h5").symlink_to("../real/m.h5")
    return tmp_path / "links/rel.h5"


def test_companions_beside_the_real_file(beside_real):
    with hyperslab.File(beside_real) as file:
        assert file["virtual"][...].tolist() == [0, 1, 2]
        assert file["link"][...].tolist() == [0, 1, 2]
        # libhdf5 has only the working directory for raw data (docs/h5py-differences.md).
        assert file["external"][...].tolist() == [5, 6, 7]


def test_copies_and_digests_find_them_too(beside_real, tmp_path):
    hyperslab.repack(beside_real, tmp_path / "real/copy.h5")
    with h5py.File(tmp_path / "real/copy.h5") as file:
        assert file["virtual"][...].tolist() == [0, 1, 2]
