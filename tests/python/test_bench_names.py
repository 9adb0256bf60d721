"""The bench takes variables by the names that netCDF users know them by."""

from __future__ import annotations

import json
import subprocess
import sys

import netCDF4
import pytest


@pytest.mark.parametrize("name", ["lon", "/lon", "/_nc4_non_coord_lon"])
def test_a_variable_with_the_name_of_a_dimension_is_measured(name, tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as file:
        for dimension, size in (("x", 30), ("y", 20), ("lon", 40)):
            file.createDimension(dimension, size)
        file.createVariable("lon", "f4", ("x", "y"))[:] = 1
        file.createVariable("z", "f4", ("x", "lon"))[:] = 1
    command = [sys.executable, "-W", "ignore", "-m", "hyperslab", "bench", str(path), name, "--read", "1x20", "--engine", "hyperslab"]
    plan = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, timeout=120)
    assert plan.returncode == 0 and "panicked" not in plan.stderr, plan.stderr
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["data"]["shape"] == [30, 20]
