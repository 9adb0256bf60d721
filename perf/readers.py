"""The readers. A reader is a function that does the reads of a case and returns seconds by name.

All are measured in the same way: the file and the dataset are open, the reader's cache is empty, and the file is in the
system's page cache. Only the reads are measured.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import time
from pathlib import Path

import h5py
import hidefix
import numpy as np

import hyperslab
import memory
from tasks import TASKS, prepared
from programs import FLOOR

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
MIB = 1 << 20


def floor(*words: str) -> dict:
    """One run of hyperslab-floor: {"floor": seconds, "rust": seconds, "decodes": count, ...}.

    It reads into new memory. Tasks are done twice, and are not measured with new memory separately.
    """
    environment = os.environ | (memory.KEPT if words[0] == "task" else {})
    done = subprocess.run([FLOOR, *map(str, words)], check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)


def index(text: str):
    """`:, 5, 0:10` as a NumPy index. A single index keeps its axis, so that all readers return the same shape."""
    fields = [field.strip() for field in text.split(",")]
    parts = [[int(word) if word else None for word in field.split(":")] for field in fields]
    return tuple(slice(part[0], part[0] + 1) if len(part) == 1 else slice(*part) for part in parts)


class Cached:
    """h5py or hyperslab: any module with `File`. Rows are read as users do, `dataset[i, j, k]`."""

    def __init__(self, module, **options):
        self.module, self.options = module, options

    def slices(self, path, name, selections) -> tuple[float, np.ndarray]:
        with self.module.File(path, "r", **self.options) as file:
            dataset, wanted = file[name], [index(text) for text in selections]
            began = time.perf_counter()
            for one in wanted:
                values = dataset[one]
            return time.perf_counter() - began, values

    def task(self, path, name, task) -> tuple[float, object]:
        with self.module.File(path, "r", **self.options) as file:
            thing = prepared(task, file[name])
            began = time.perf_counter()
            values = TASKS[task](thing)
            return time.perf_counter() - began, values

    def rows(self, path, name, count=None) -> tuple[float, np.ndarray]:
        with self.module.File(path, "r", **self.options) as file:
            dataset = file[name]
            places = list(itertools.islice(np.ndindex(*dataset.shape[:-1]), count))
            total = 0.0
            began = time.perf_counter()
            for place in places:
                total += dataset[place][0]
            return time.perf_counter() - began, np.array(total)


class Hidefix:
    """hidefix removes axes of length one; they are added again, which takes no time."""

    def slices(self, path, name, selections) -> tuple[float, np.ndarray]:
        dataset = hidefix.Index(str(path)).dataset(name.lstrip("/"))
        wanted = [index(text) for text in selections]
        began = time.perf_counter()
        for one in wanted:
            values = dataset[one]
        seconds = time.perf_counter() - began
        shape = [len(range(*part.indices(size))) for part, size in zip(wanted[-1], dataset.shape())]
        return seconds, np.reshape(values, shape)


#: A cache for all chunks, as an expert on libhdf5 would set it.
TUNED = {"rdcc_nbytes": 1024 * MIB, "rdcc_nslots": 1_000_003}

PYTHON = {
    "hyperslab": Cached(hyperslab),
    "h5py": Cached(h5py),
    "h5py tuned": Cached(h5py, **TUNED),
    "h5py 1 MiB": Cached(h5py, rdcc_nbytes=MIB, rdcc_nslots=521),
    "hidefix": Hidefix(),
}
