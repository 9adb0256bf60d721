"""The test suites of h5py and netCDF4-python under `hyperslab trace`, `run --only cache` and `run`: their outcomes are those without it.

In the full run alone, in the environment of `test_run_programs.py`; netCDF4's suite is in its source alone, which is fetched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from kit import IS_FULL

PYTHON = os.environ.get("HYPERSLAB_PROGRAMS_PYTHON", sys.executable)
COMMAND = [sys.executable, "-W", "ignore", "-m", "hyperslab"]
WAYS = {
    "trace": ["trace", "-o", "TRACE", "--"],
    "cache": ["run", "--only", "cache", "--"],
    "run": ["run", "--min-dataset", "0", "--"],
}
SECONDS_MAX = 1200


def outcomes(command: list[str], tests: list[str], folder: Path) -> dict[str, str]:
    """The outcome of each test, by its name."""
    words = [*command, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "NO_NET": "1"}
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment, timeout=SECONDS_MAX, check=False)
    found = re.findall(r"^(PASSED|FAILED|ERROR|XPASS|XFAIL) (\S+)", done.stdout, re.MULTILINE)
    return {name: outcome for outcome, name in found}


def source_of(package: str, version: str, folder: Path) -> Path:
    """The source of a package, from the index that pip uses."""
    asked = subprocess.run([PYTHON, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True, check=False)
    index = (asked.stdout.strip() or "https://pypi.org/simple").rstrip("/") + f"/{package}/"
    with urllib.request.urlopen(index, timeout=60) as page:
        links = re.findall(rf'href="([^"]*/{package}-{re.escape(version)}\.tar\.gz)', page.read().decode())
    with urllib.request.urlopen(urllib.parse.urljoin(index, links[0]), timeout=120) as archive:
        (folder / "source.tar.gz").write_bytes(archive.read())
    with tarfile.open(folder / "source.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / f"{package}-{version}"


if IS_FULL:

    @pytest.mark.skipif(sys.platform != "linux", reason="nothing is preloaded on other systems")
    @pytest.mark.parametrize("suite", ["h5py", "netcdf4"])
    def test_suites_have_the_same_outcomes(suite: str, tmp_path: Path) -> None:
        tests = ["--pyargs", "h5py"]
        folder = tmp_path
        if suite == "netcdf4":
            folder, tests = source_of("netcdf4", "1.7.5.1", tmp_path) / "test", ["."]
        plain = outcomes([PYTHON], tests, folder)
        assert len(plain) > 100
        for way, ours in WAYS.items():
            shutil.rmtree(tmp_path / "trace", ignore_errors=True)
            given = [str(tmp_path / "trace") if word == "TRACE" else word for word in ours]
            assert outcomes([*COMMAND, *given, PYTHON], tests, folder) == plain, way
