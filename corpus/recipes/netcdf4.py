"""netCDF-4 files: dimension scales, groups, unlimited dimensions, and netCDF's user-defined types."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
from common import ramp, random

KIND = "test"


def climate(path: Path) -> None:
    """A file as a model writes it: coordinates, packed integers, missing values, attributes."""
    with netCDF4.Dataset(path, "w") as file:
        file.Conventions = "CF-1.11"
        file.title = "a small field"
        for name, size in (("time", None), ("lat", 19), ("lon", 36)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2000-01-01"
        lat = file.createVariable("lat", "f4", ("lat",))
        lon = file.createVariable("lon", "f4", ("lon",))
        lat[:], lon[:] = np.linspace(-90, 90, 19), np.arange(0, 360, 10)
        options = {"zlib": True, "complevel": 4, "shuffle": True, "chunksizes": (1, 19, 36)}
        field = file.createVariable("t2m", "f4", ("time", "lat", "lon"), fill_value=-9999.0, **options)
        packed = file.createVariable("packed", "i2", ("time", "lat", "lon"), fletcher32=True, fill_value=-32767)
        packed.set_auto_maskandscale(False)
        packed.scale_factor, packed.add_offset = 0.01, 273.15
        for step in range(12):
            time[step] = step * 6
            field[step] = 280 + random(step).normal(0, 5, (19, 36))
            packed[step] = ramp((19, 36), "i2") + step
        big = file.createVariable("big endian", ">f8", ("lat", "lon"), endian="big")
        big[:] = ramp((19, 36), "f8")


def groups(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("shared", 4)
        for name in ("forecast", "analysis/surface"):
            group = file.createGroup(name)
            group.createDimension("own", 3)
            made = group.createVariable("values", "i4", ("shared", "own"))
            made[:] = ramp((4, 3))
            group.createVariable("own", "i8", ("own",))[:] = [7, 8, 9]
        scalar = file.createVariable("crs", "S1")
        scalar.grid_mapping_name = "latitude_longitude"
        # A dimension without a variable, and a variable with the name of a dimension that it does not have.
        file.createDimension("bare", 5)
        file.createVariable("bare", "f4", ("shared", "bare"))[:] = ramp((4, 5), "f4")
        # A variable that has the same dimension twice.
        file.createDimension("square", 3)
        file.createVariable("matrix", "f8", ("square", "square"))[:] = ramp((3, 3), "f8")


def user_types(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 4)
        point = file.createCompoundType(np.dtype([("lat", "f4"), ("lon", "f4"), ("n", "i2", (3,))], align=True), "point_kind")
        points = file.createVariable("points", point, ("x",))
        data = np.zeros(4, point.dtype)
        data["lat"], data["lon"], data["n"] = np.arange(4), np.arange(4) * 2, np.arange(12).reshape(4, 3)
        points[:] = data
        sky = file.createEnumType(np.uint8, "sky_kind", {"clear": 0, "cloud": 1, "missing": 255})
        clouds = file.createVariable("sky", sky, ("x",), fill_value=255)
        clouds[:3] = [0, 1, 1]
        ragged = file.createVLType(np.int32, "ragged_kind")
        rows = file.createVariable("rows", ragged, ("x",))
        for i in range(4):
            rows[i] = np.arange(i + 1, dtype="i4")
        names = file.createVariable("names", str, ("x",))
        for i, text in enumerate(("one", "zwei", "три", "")):
            names[i] = text
        letters = file.createVariable("letters", "S1", ("x",))
        letters[:] = np.array(list("abcd"), "S1")
        file.setncattr_string("several", ["texts", "in", "one"])
        file.numbers = np.arange(5, dtype="i8")


def many_variables(path: Path) -> None:
    """Enough variables and attributes for dense storage, in creation order."""
    with netCDF4.Dataset(path, "w") as file:
        for i in range(5):
            file.createDimension(f"d{i}", i + 2)
        for i in range(80):
            made = file.createVariable(f"v{i:03d}", "f4", (f"d{i % 5}", f"d{(i + 1) % 5}"))
            made.units = "1"
            for j in range(i % 13):
                made.setncattr(f"attribute_{j}", j)
            if i % 3:
                made[:] = ramp(made.shape, "f4") + i


def make(into: Path) -> None:
    climate(into / "climate.nc")
    groups(into / "groups.nc")
    user_types(into / "user_types.nc")
    many_variables(into / "many_variables.nc")
