"""Comparison of the records of `hyperslab digest` with those of libhdf5.

A record is compared field by field. Fields that are not in libhdf5's record, and the texts of errors, are not compared.
Values that HDF5 leaves undefined (missing storage without a fill value) have no digest to compare.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

COMMAND = os.environ.get("HYPERSLAB_COMMAND", str(Path(sys.executable).with_name("hyperslab")))

#: The longest time for the digest of a file. Files of these sizes take well under a second, unless reading hangs.
SECONDS_MAX = 60

VALUE = ("n", "enc", "nbytes", "sha256")
OBJECT = ("kind", "nlinks", "dtype", "space", "layout", "chunks", "filters", "fill", "nchunks", "chunks_sha256", "target")


@dataclass
class Digest:
    code: int
    records: dict[str, dict]
    errors: str


def digest(path: Path) -> Digest:
    """Runs the command. For any file, it must end by itself with a known exit code."""
    done = subprocess.run(
        [COMMAND, "digest", "--bare", str(path)], capture_output=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL
    )
    errors = done.stderr.decode(errors="replace")
    assert done.returncode in (0, 1, 2), f"exit code {done.returncode}: {errors}"
    assert "panicked" not in errors, errors
    records = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record["t"] == "schema":
            continue
        # Names may be empty in a damaged file, so that two paths are the same: the first is compared.
        records.setdefault(record["path"], record)
    assert done.returncode != 2 or not records, "an invalid request must not print records"
    return Digest(done.returncode, records, errors)


def oracle(path: Path) -> dict[str, dict[str, dict]]:
    """The records by file and path. The record of the file itself has the path ""."""
    files: dict[str, dict[str, dict]] = defaultdict(dict)
    with open(path) as lines:
        for line in lines:
            record = json.loads(line)
            files[record["file"]].setdefault(record.get("path", ""), record)
    return files


def differences(ours: dict, theirs: dict) -> list[str]:
    """The differences between two records of one object; empty if they agree."""
    found = differing(ours, theirs, OBJECT)
    mine = {one.get("name"): one for one in ours.get("attrs", [])}
    for attribute in theirs.get("attrs", []):
        name = attribute.get("name")
        if "error" in attribute or name is None:
            continue
        if name not in mine:
            found.append(f"attribute {name!r} is missing")
        else:
            found += [f"attribute {name!r}: {what}" for what in differing(mine[name], attribute, ("dtype", "space"))]
    return found


def differing(ours: dict, theirs: dict, fields: tuple[str, ...]) -> list[str]:
    if not theirs.get("values_undefined"):
        fields += VALUE
    return [f"{f} is {ours.get(f)!r}, not {theirs[f]!r}" for f in fields if f in theirs and ours.get(f) != theirs[f]]
