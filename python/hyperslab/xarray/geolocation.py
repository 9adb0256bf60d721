"""Latitude and longitude of the pixels of a grid of HDF-EOS2, on request: for grids of degrees and in the sinusoidal projection."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray

from hyperslab.errors import InvalidError

#: The axes of a grid, slowest first.
AXES = ("YDim", "XDim")
#: The coordinates that are added, and their units.
ADDED = {"latitude": "degrees_north", "longitude": "degrees_east"}


def add_geolocation(dataset: xarray.Dataset) -> None:
    """Adds coordinates `latitude` and `longitude` with two axes to the dataset of a grid; others stay as they are.

    Raises:
        ValueError: latitude and longitude are not computed for this grid.
    """
    projection = dataset.attrs.get("Projection")
    if not isinstance(projection, str) or not projection.startswith("GCTP_"):
        return
    found = _located(dataset, projection)
    if isinstance(found, str):
        raise InvalidError(f"latitude and longitude are not computed: {found}", hint="open it without geolocation=True")
    for (name, units), values in zip(ADDED.items(), found, strict=True):
        dataset.coords[name] = xarray.Variable(AXES, values, {"standard_name": name, "units": units})


def _located(dataset: xarray.Dataset, projection: str) -> tuple[Any, Any] | str:
    """Latitude and longitude of the centres of the pixels, in degrees, NaN outside the projection; or why there are none."""
    if not all(axis in dataset.coords for axis in AXES):
        return "the grid does not say where its corners lie"
    y, x = (np.asarray(dataset.coords[axis].values, float) for axis in AXES)
    if projection == "GCTP_GEO":
        shape = (len(y), len(x))
        return np.broadcast_to(y[:, None], shape).copy(), np.broadcast_to(x, shape).copy()
    mapping = next((one.attrs for one in dataset.variables.values() if "grid_mapping_name" in one.attrs), {})
    if mapping.get("grid_mapping_name") != "sinusoidal":
        return f"the projection is {projection}, whose metres pyproj converts"
    if "earth_radius" not in mapping:
        return "the sinusoidal projection is on an ellipsoid or has no radius"
    radius, east, north, origin = (
        float(mapping[name]) for name in ("earth_radius", "false_easting", "false_northing", "longitude_of_projection_origin")
    )
    latitude = np.degrees((y - north) / radius)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.degrees((x - east)[None, :] / (radius * np.cos(np.radians(latitude))))
    is_inside = (np.abs(away) <= 180) & (np.abs(latitude) <= 90)
    longitude = (origin + away + 180) % 360 - 180
    return np.where(is_inside, latitude, np.nan), np.where(is_inside, longitude, np.nan)
