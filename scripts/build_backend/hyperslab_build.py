"""The build backend of the package: maturin, after the library that `hyperslab trace` and `run` preload was built.

A wheel is built of one Rust library, and that one is a second. On Linux it is put into the package as a data file.
HYPERSLAB_PRELOAD_BUILT names one that was built before. The options for cargo are those that maturin gets, MATURIN_PEP517_ARGS.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import maturin
from maturin import (  # noqa: F401 - they are called by the front end
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parents[2]
NAME = "libhyperslab_preload.so"
PLACE = ROOT / "python" / "hyperslab" / "_preload" / NAME


def profile(config_settings) -> str:
    """The profile that maturin is told to use."""
    settings = config_settings or {}
    given = settings.get("maturin.build-args") or settings.get("build-args") or os.environ.get("MATURIN_PEP517_ARGS", "")
    words = shlex.split(given) if isinstance(given, str) else list(given)
    for number, word in enumerate(words):
        if word == "--profile" and number + 1 < len(words):
            return words[number + 1]
        if word.startswith("--profile="):
            return word.removeprefix("--profile=")
        if word in ("--release", "-r"):
            return "release"
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["tool"]["maturin"]["profile"]


def build_preload(config_settings) -> None:
    """Builds the library, and puts it into the package."""
    if not sys.platform.startswith("linux"):
        return
    built = os.environ.get("HYPERSLAB_PRELOAD_BUILT")
    if built is None:
        chosen = profile(config_settings)
        # With the features that the wheel enables, so that both share what is compiled.
        command = ["cargo", "build", "--locked", "--profile", chosen, "-p", "hyperslab-preload", "--features", "as-in-wheel"]
        subprocess.run(command, cwd=ROOT, check=True)
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        built = target / ("debug" if chosen == "dev" else chosen) / NAME
    PLACE.parent.mkdir(exist_ok=True)
    shutil.copyfile(built, PLACE)
    # As maturin does with the extension module.
    if (strip := shutil.which("strip")) and "debug" not in Path(built).parts:
        subprocess.run([strip, "--strip-all", str(PLACE)], check=True)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build_preload(config_settings)
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    build_preload(config_settings)
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    return maturin.build_sdist(sdist_directory, config_settings)
