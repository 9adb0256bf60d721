"""Files that libhdf5 writes at random digest as libhdf5 reads them.

Which ones is told by their seeds: `HYPERSLAB_RANDOM_FILES=4000:4200` tries others than every run does, and the full run
tries more.
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
#: Files of a test, so that a failing one is near.
BATCH = 20
BATCHES = scaled(10)
FIRST, LAST = (int(number) for number in os.environ.get("HYPERSLAB_RANDOM_FILES", f"0:{BATCHES * BATCH}").split(":"))
#: Of the files of a test, so many are such as libhdf5 wrote and read without failing itself.
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
    """Answers of the writer, which is begun again behind a file that it did not survive."""
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
        # What libhdf5 cannot read we may.
        if "error" not in record and (what := differences(ours.records[name], record)):
            found[name] = what, ours.records[name].get("error")
    assert not found, path.name
