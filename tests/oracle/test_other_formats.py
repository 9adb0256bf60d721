"""Files of other formats are refused with a one-line message (those of netCDF classic: test_netcdf_classic.py, of HDF4: test_hdf4.py).

(The digests of all HDF5 files of the corpus are compared in crates/hyperslab-cli/tests/corpus_digest.rs.)
"""

from __future__ import annotations

import pytest
from records import digest

#: How files of other formats begin.
OTHERS = {
    "grib": b"GRIB\0\0\0\x02",
    "tiff": b"II*\0",
    "gzip": b"\x1f\x8b\x08",
    "html": b"<!DOCTYPE html>",
    "text": b"a,b\n1,2\n",
    "unknown": b"\x01\x02\x03\x04",
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_formats_are_refused(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(OTHERS[name] + bytes(100))
    ours = digest(path)
    assert ours.code == 2
    assert "not an HDF5 file" in ours.errors
    assert len(ours.errors.partition("hint:")[0].split("\n\n")[0].splitlines()) == 1
