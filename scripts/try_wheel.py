"""Tries an installed wheel: a file is read by eight threads at once, and the command answers."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hyperslab

ROOT = Path(__file__).parents[1]


def read_all(path: Path) -> int:
    """Reads all datasets of a file. Returns how many there are."""
    datasets: list[hyperslab.Dataset] = []
    with hyperslab.File(path) as file:
        file.visititems(lambda _, item: datasets.append(item) if isinstance(item, hyperslab.Dataset) else None)
        for dataset in datasets:
            dataset[()]
    return len(datasets)


def main() -> None:
    metadata = importlib.metadata.metadata("hyperslab")
    for name in ("Summary", "License-Expression", "Description-Content-Type", "Project-URL"):
        assert metadata[name], f"the wheel has no {name}"
    assert hyperslab.__version__ == metadata["Version"]
    files = sorted((ROOT / "fixtures" / "attributes").rglob("*.h5"))
    if not files:
        raise SystemExit("fixtures are missing: corpus/recipes/make.py --only attributes")
    with ThreadPoolExecutor(8) as pool:
        reads = sum(pool.map(read_all, files * 8))
    with tempfile.TemporaryDirectory() as folder:
        missing = subprocess.run([sys.executable, "-m", "hyperslab", "ls", f"{folder}/none.h5"], capture_output=True, check=False)
    assert missing.returncode == 2, missing.stderr
    is_free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    if is_free_threaded:
        assert not sys._is_gil_enabled(), "importing hyperslab switched the GIL on"  # type: ignore[attr-defined]
    print(f"hyperslab {hyperslab.__version__} works in Python {sys.version.split()[0]}{' without the GIL' * is_free_threaded}: {reads} datasets read")


if __name__ == "__main__":
    main()
