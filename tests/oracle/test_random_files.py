"""The digests of random files written by libhdf5 equal those of libhdf5.

`HYPERSLAB_RANDOM_FILES=4000:4200` tests the files with these seeds instead of the default ones. The full run tests more
files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import scaled
from records import differences, digest

WRITER = Path(__file__).with_name("random_files.py")
#: The number of files in one test. It is small, so that a failing file is found quickly.
BATCH = 20
BATCHES = scaled(5, full=100)
FIRST, LAST = (int(number) for number in os.environ.get("HYPERSLAB_RANDOM_FILES", f"0:{BATCHES * BATCH}").split(":"))
#: The fewest files of a test that libhdf5 must have written and read without failing.
COMPARED_MIN = BATCH // 2
SECONDS_MAX = 120


@pytest.mark.parametrize("first", range(FIRST, LAST, BATCH))
def test_random_files_digest_as_libhdf5_reads_them(first, tmp_path):
    compared = 0
    for answer in written(first, first + BATCH, tmp_path):
        if "records" in answer:
            path = tmp_path / f"{answer['seed']}.h5"
            compare(path, {record["path"]: record for record in answer["records"] if "path" in record})
            compared += 1
    assert compared >= COMPARED_MIN


def written(first: int, last: int, folder: Path) -> Iterator[dict]:
    """The output of the writer. If it crashes on a file, it is started again with the next one."""
    while first < last:
        command = [sys.executable, WRITER, str(first), str(last)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS_MAX)
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.endswith("}")]
        yield from answers
        assert done.returncode <= 0, done.stderr
        first = answers[-1]["seed"] + 1 if answers else first
        first += done.returncode < 0


def compare(path: Path, theirs: dict[str, dict]) -> None:
    ours = digest(path)
    assert ours.records.keys() == theirs.keys(), path.name
    found = {}
    for name, record in theirs.items():
        # hyperslab may read what libhdf5 cannot.
        if "error" not in record and (what := differences(ours.records[name], record)):
            found[name] = what, ours.records[name].get("error")
    assert not found, path.name
