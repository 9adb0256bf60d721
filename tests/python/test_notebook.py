"""The notebook of the documentation runs from its first cell to its last."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "xarray.ipynb"


def test_the_notebook_runs(tmp_path):
    for name in ("xarray", "dask", "netCDF4", "kerchunk"):
        pytest.importorskip(name)
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 6
    # Results of runs are not kept in the repository.
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")
    script = tmp_path / "notebook.py"
    script.write_text("\n\n".join(code))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=180, check=False, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
