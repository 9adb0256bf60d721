"""Grids of HDF-EOS2 in xarray: the grid mapping of each projection, and latitude and longitude of pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hdf4_library import add_structure
from pyhdf.SD import SD, SDC

from hyperslab.errors import InvalidError

#: The radius of the sphere of MODIS, in metres.
SPHERE = 6371007.181
#: Upper left and lower right corner of tile h08v05 of MODIS, in metres of its projection.
CORNERS = ((-11119505.196667, 4447802.078667), (-10007554.677, 3335851.559))


def write(path: Path, projection: str, parameters: list[float], corners: Any = CORNERS, more: str = "", pixels: int = 1200) -> None:
    """A file with the grid `tile` of square shape and its field `field`."""
    (left, top), (right, bottom) = corners
    text = f"""GROUP=GridStructure
    GROUP=GRID_1
        GridName="tile"
        XDim={pixels}
        YDim={pixels}
        UpperLeftPointMtrs=({left:.6f},{top:.6f})
        LowerRightMtrs=({right:.6f},{bottom:.6f})
        Projection={projection}
        ProjParams=({",".join(f"{number:.6f}" for number in parameters)})
{more}
        GROUP=DataField
            OBJECT=DataField_1
                DataFieldName="field"
                DataType=DFNT_INT16
                DimList=("YDim","XDim")
            END_OBJECT=DataField_1
        END_GROUP=DataField
    END_GROUP=GRID_1
END_GROUP=GridStructure
END
"""
    file = SD(str(path), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    setattr(file, "StructMetadata.0", text)
    field = file.create("field", SDC.INT16, (pixels, pixels))
    field[:] = np.ones((pixels, pixels), "i2")
    field.dim(0).setname("YDim:tile")
    field.dim(1).setname("XDim:tile")
    reference = field.ref()
    field.endaccess()
    file.end()
    add_structure(path, "tile", "GRID", [reference])


def opened(path: Path, **options: Any) -> xr.Dataset:
    return xr.open_dataset(path, engine="hyperslab", group="tile", **options)


def numbers(places: dict[int, float]) -> list[float]:
    return [places.get(place, 0.0) for place in range(13)]


def test_a_tile_of_modis_lies_where_its_bounds_are_published(tmp_path):
    write(tmp_path / "tile.hdf", "GCTP_SNSOID", numbers({0: SPHERE}))
    with opened(tmp_path / "tile.hdf", geolocation=True) as grid:
        assert grid["field"].dims == ("YDim", "XDim")
        # The list of tiles has 30 to 40 degrees north; the parallels there are cut at -130.54 and -103.92 degrees.
        for row, column, place in ((0, 0, (40, -130.54)), (-1, -1, (30, -103.92))):
            pixel = grid.isel(YDim=row, XDim=column)
            assert np.allclose((pixel.latitude, pixel.longitude), place, atol=0.02)
        assert grid.latitude.attrs == {"standard_name": "latitude", "units": "degrees_north"}
        mapping = grid["crs"].attrs
    assert mapping == {
        "grid_mapping_name": "sinusoidal",
        "longitude_of_projection_origin": 0.0,
        "false_easting": 0.0,
        "false_northing": 0.0,
        "earth_radius": SPHERE,
    }


def test_fields_name_their_grid_mapping(tmp_path):
    write(tmp_path / "tile.hdf", "GCTP_SNSOID", numbers({0: SPHERE}), pixels=12)
    with opened(tmp_path / "tile.hdf") as grid:
        assert grid["field"].attrs["grid_mapping"] == "crs"
        assert not {"latitude", "longitude"} & set(grid.variables)
    with xr.open_datatree(tmp_path / "tile.hdf", engine="hyperslab") as tree:
        assert tree["tile"]["crs"].attrs["grid_mapping_name"] == "sinusoidal"


def test_pixels_outside_the_earth_have_no_place(tmp_path):
    half = np.pi * SPHERE
    write(tmp_path / "earth.hdf", "GCTP_SNSOID", numbers({0: SPHERE}), ((-half, half / 2), (half, -half / 2)), pixels=36)
    with opened(tmp_path / "earth.hdf", geolocation=True) as grid:
        assert np.isnan(grid.longitude.values[0, 0])
        assert not np.isnan(grid.longitude.values[17:19]).any()
        assert np.nanmax(np.abs(grid.longitude)) <= 180


@pytest.mark.parametrize(
    ("projection", "parameters", "more", "mapping"),
    [
        (
            "GCTP_PS",
            {0: 6378273.0, 1: -0.006693883, 4: -45_000_000.0, 5: 70_000_000.0},
            "",
            {
                "grid_mapping_name": "polar_stereographic",
                "straight_vertical_longitude_from_pole": -45.0,
                "latitude_of_projection_origin": 90.0,
                "standard_parallel": 70.0,
                "semi_major_axis": 6378273.0,
                # NSIDC's ellipsoid of Hughes.
                "semi_minor_axis": 6356889.449,
            },
        ),
        (
            "GCTP_CEA",
            {5: 30_000_000.0},
            "        SphereCode=8",
            {
                "grid_mapping_name": "lambert_cylindrical_equal_area",
                "longitude_of_central_meridian": 0.0,
                "standard_parallel": 30.0,
                "semi_major_axis": 6378137.0,
                "semi_minor_axis": 6356752.31414,
            },
        ),
        (
            "GCTP_LAMAZ",
            {0: 6371228.0, 4: -100_030_036.0, 5: 45_000_000.0},
            "",
            {
                "grid_mapping_name": "lambert_azimuthal_equal_area",
                "longitude_of_projection_origin": -100.51,
                "latitude_of_projection_origin": 45.0,
                "earth_radius": 6371228.0,
            },
        ),
        (
            "GCTP_UTM",
            {},
            "        ZoneCode=-33\n        SphereCode=12",
            {
                "grid_mapping_name": "transverse_mercator",
                "longitude_of_central_meridian": 15.0,
                "false_northing": 1e7,
                "semi_major_axis": 6378137.0,
            },
        ),
    ],
)
def test_projections_have_their_grid_mapping(tmp_path, projection, parameters, more, mapping):
    write(tmp_path / "tile.hdf", projection, numbers(parameters), more=more, pixels=4)
    with opened(tmp_path / "tile.hdf") as grid:
        found = {name: grid["crs"].attrs[name] for name in mapping}
    words = {name: value for name, value in mapping.items() if isinstance(value, str)}
    assert {name: found[name] for name in words} == words
    rest = [name for name in mapping if name not in words]
    assert np.allclose([found[name] for name in rest], [mapping[name] for name in rest], rtol=1e-7)
    with pytest.raises(InvalidError, match=projection):
        opened(tmp_path / "tile.hdf", geolocation=True)


def test_a_grid_of_degrees_has_no_grid_mapping_and_may_have_both_axes(tmp_path):
    # Degrees are packed, too: DDDMMMSSS.SS.
    write(tmp_path / "degrees.hdf", "GCTP_GEO", numbers({}), ((-10_000_000.0, 40_000_000.0), (10_000_000.0, 20_000_000.0)), pixels=4)
    with opened(tmp_path / "degrees.hdf", geolocation=True) as grid:
        assert "crs" not in grid.variables
        assert np.allclose(grid.latitude[:, 0], [37.5, 32.5, 27.5, 22.5])
        assert np.allclose(grid.longitude[0], [-7.5, -2.5, 2.5, 7.5])
