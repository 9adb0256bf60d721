"""Real files, written by others over twenty years: equal to libhdf5 where they use what is read, else a clear error.

The corpus lies beside the project (HYPERSLAB_CORPUS names another place); without it these tests are skipped.
"""

from __future__ import annotations

import csv

import pytest
from beyond import beyond
from records import CORPUS, differences, digest, oracle
from reference import trusted

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus at {CORPUS}")


def manifest() -> dict[str, dict]:
    if not CORPUS.is_dir():
        return {}
    with open(CORPUS / "MANIFEST.tsv", newline="", errors="surrogateescape") as lines:
        return {row["path"]: row for row in csv.DictReader(lines, delimiter="\t")}


FILES = manifest()
ORACLE = oracle(CORPUS / "ORACLE.jsonl.gz") if FILES else {}
HDF5 = sorted(path for path, row in FILES.items() if row["kind"].startswith("hdf5"))
OTHERS = sorted(path for path, row in FILES.items() if not row["kind"].startswith(("hdf5", "companion")))


@pytest.mark.parametrize("path", HDF5)
def test_digest_equals_libhdf5(path):
    theirs = ORACLE[path]
    ours = digest(CORPUS / path)
    features = FILES[path]["features"].split(",")
    excuses = beyond(features) + (["driver"] if theirs[""].get("driver", "sec2") != "sec2" else [])
    if theirs[""]["status"] in ("unreadable", "crash", "timeout"):
        return  # digest() has checked that there was a clean end
    if not ours.records:
        assert excuses, f"refused: {ours.errors}"
        return
    found = {}
    for name, record in theirs.items():
        if not name or "error" in record or record.get("t") == "link" and record["kind"] == "error":
            continue
        mine = ours.records.get(name)
        if mine is None:
            what = ["is missing"]
        elif "error" in mine:
            what = [] if excuses else [mine["error"]]
        else:
            what = differences(mine, trusted(record))
            if excuses:
                # An attribute that uses what is not read carries its own error: that is no wrong value.
                failed = [f"attribute {one.get('name')!r}" for one in mine.get("attrs", []) if "error" in one]
                what = [w for w in what if not w.startswith(tuple(failed))]
        if what:
            found[name] = what
    assert not found


@pytest.mark.parametrize("path", OTHERS)
def test_other_formats_are_refused(path):
    ours = digest(CORPUS / path)
    assert ours.code == 2
    assert "not an HDF5 file" in ours.errors
