"""Versions, by h5py's names."""

from __future__ import annotations

import platform
import sys

import numpy as np

from hyperslab._hyperslab import __version__ as version

__all__ = ["info", "version", "version_tuple"]

#: Major, minor and patch number.
version_tuple = tuple(int(part) for part in version.split("-")[0].split(".")[:3])

#: What a report of a mistake needs.
info = f"""\
hyperslab  {version}
Python     {sys.version.split()[0]}
NumPy      {np.__version__}
platform   {platform.platform()}
"""
