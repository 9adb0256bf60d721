"""Runs h5netcdf's own tests, with hyperslab in the place of h5py wherever a file is opened for reading.

    .venv/bin/python scripts/try_h5netcdf_suite.py [ARGUMENTS OF PYTEST]

The tests are those that h5netcdf is installed with. They write with h5py and netCDF4; where they ask for the name of the
library, this package is right, too. Exits with 1 if a test fails, or no file was opened.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import h5netcdf.core
import h5py
import pytest
from suite_results import SuiteResults

import hyperslab
import hyperslab.h5netcdf  # noqa: F401 - it lets h5netcdf's functions handle objects of this package


class ReadingWithHyperslab:
    """A plugin of pytest: h5netcdf opens files through this package."""

    def __init__(self) -> None:
        self.opened = 0

    def pytest_configure(self) -> None:
        theirs = h5netcdf.core._open_h5py

        def open_h5py(path: Any, mode: str, **options: Any) -> Any:
            if mode != "r" or isinstance(path, h5py.File):
                return theirs(path, mode, **options)
            self.opened += 1
            file = hyperslab.File(path, mode, **options)
            return file, True, True

        h5netcdf.core._open_h5py = open_h5py
        h5netcdf.core.File._h5py = property(_library, _set_library)


def _library(file: Any) -> Any:
    """The library that h5netcdf asks about datatypes and classes."""
    return hyperslab.h5py if isinstance(file.__dict__.get("_File__h5file"), hyperslab.File) else file.__dict__["_library"]


def _set_library(file: Any, library: Any) -> None:
    file.__dict__["_library"] = library


def copy_tests(folder: Path) -> None:
    """The tests, which accept the name of this package."""
    installed = Path(h5netcdf.core.__file__).parent / "tests"
    for path in installed.iterdir():
        if path.suffix in (".py", ".ini"):
            shutil.copy(path, folder)
    tests = folder / "test_h5netcdf.py"
    text = tests.read_text()
    for backend in ("backend", "read_backend", "local_backend"):
        asked = f"assert ds._h5py.__name__ == {backend}\n"
        assert asked in text, "h5netcdf's tests ask in another way"
        text = text.replace(asked, f"assert ds._h5py.__name__ in ({backend}, 'hyperslab.h5py')\n")
    tests.write_text(text)


def main() -> int:
    reading, results = ReadingWithHyperslab(), SuiteResults()
    with tempfile.TemporaryDirectory() as folder:
        copy_tests(Path(folder))
        os.chdir(folder)
        pytest.main(["-q", "-p", "no:cacheprovider", "-k", "not pyfive", *sys.argv[1:]], plugins=[reading, results])
        os.chdir("/")
    results.report(f"h5netcdf {h5netcdf.__version__}", f"hyperslab opened {reading.opened} files")
    return int(bool(results.failed) or not reading.opened)


if __name__ == "__main__":
    raise SystemExit(main())
