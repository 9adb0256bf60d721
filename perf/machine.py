"""The machine and the software versions of a measurement."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path

import h5py
import numpy as np

import hyperslab


def model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"


def describe() -> dict:
    from importlib.metadata import version

    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": model(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "load": round(os.getloadavg()[0], 1),
        "commit": commit(),
        "python": platform.python_version(),
        "hyperslab": hyperslab.__version__,
        "h5py": h5py.__version__,
        "hdf5": h5py.version.hdf5_version,
        "hidefix": version("hidefix"),
        "numpy": np.__version__,
    }
