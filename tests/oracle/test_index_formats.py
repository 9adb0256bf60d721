"""Indexes over fixtures and corpus: every dataset of a file is what its consumer reads, or was left out by name.

A sample of the files by default, all small ones at scale 10 (`scripts/test --full`). `index_consumer.py` compares them.
"""

from __future__ import annotations

import json
import os
import random
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from kit import hdf5_files, scaled

FILE_BYTES_MAX = 1 << 20
#: Files at scale 1.
SAMPLE = 25
#: Seconds for a file: readers of Zarr 3 may hang in threads of fsspec.
TIME_LIMIT = 90
#: The libraries of each consumer.
CONSUMERS = {
    "kerchunk": ["kerchunk"],
    "kerchunk-parquet": ["kerchunk", "fastparquet"],
    "zarr": ["virtualizarr"],
    "icechunk": ["icechunk"],
    "hyperslab": [],
}


def sample() -> list[Path]:
    found = hdf5_files(FILE_BYTES_MAX)
    return sorted(random.Random(3).sample(found, min(len(found), scaled(SAMPLE, full=400))))


def end_of(file: BinaryIO) -> str:
    """The last words that were written to a file."""
    file.seek(max(file.seek(0, os.SEEK_END) - 2000, 0))
    return file.read().decode(errors="replace")


def compared(format: str, paths: list[Path]) -> Iterator[dict[str, Any]]:
    """What the consumer says of each file; an error if it takes too long."""
    command = [sys.executable, str(Path(__file__).with_name("index_consumer.py")), format]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryFile() as told,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=told, bufsize=0) as consumer,
    ):
        assert consumer.stdin is not None and consumer.stdout is not None
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(consumer.stdout, selectors.EVENT_READ)
                for path in paths:
                    consumer.stdin.write(f"{path}\n".encode())
                    consumer.stdin.flush()
                    line = b""
                    # Icechunk warns on standard output.
                    while not line.startswith(b"{"):
                        assert selector.select(TIME_LIMIT), f"{path}: no answer in {TIME_LIMIT} s"
                        line = consumer.stdout.readline()
                        assert line, f"{path}: the consumer ended: {end_of(told)}"
                    yield json.loads(line)
        finally:
            consumer.kill()


@pytest.mark.parametrize("format", CONSUMERS)
def test_every_dataset_is_read_as_it_is_or_named(format: str) -> None:
    for name in CONSUMERS[format]:
        pytest.importorskip(name)
    paths, same, compared_files, wrong = sample(), 0, 0, []
    for done in compared(format, paths):
        # A damaged file has no index.
        if "refused" in done:
            continue
        # All files first: a run at scale 10 takes minutes.
        wrong += [done] if "failed" in done or done["wrong"] else []
        same, compared_files = same + done.get("same", 0), compared_files + 1
    assert wrong == []
    assert compared_files >= 0.8 * len(paths) and same > len(paths)
    print(f"{format}: {compared_files} files, {same} datasets read as they are")
