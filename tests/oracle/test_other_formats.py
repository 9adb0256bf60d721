"""Files of other formats are refused with a one-line message (those of netCDF classic: test_netcdf_classic.py, of HDF4: test_hdf4.py).

(The digests of all HDF5 files of the corpus are compared in crates/hyperslab-cli/tests/corpus_digest.rs.)
"""

from __future__ import annotations

import csv

import pytest
from kit import CORPUS, missing_corpus
from records import digest

pytestmark = pytest.mark.skipif(bool(missing_corpus()), reason=missing_corpus() or "")


def others() -> list[str]:
    if missing_corpus():
        return ["none"]
    with open(CORPUS / "MANIFEST.tsv", newline="", errors="surrogateescape") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return sorted(row["path"] for row in rows if not row["kind"].startswith(("hdf5", "cdf", "hdf4", "companion")))


@pytest.mark.parametrize("path", others())
def test_other_formats_are_refused(path):
    ours = digest(CORPUS / path)
    assert ours.code == 2
    assert "not an HDF5 file" in ours.errors
    assert len(ours.errors.partition("hint:")[0].split("\n\n")[0].splitlines()) == 1
