"""Helpers for large fixtures: fields that compress like real data, and encoding of chunks on all cores.

h5py encodes one chunk after another under a lock. Here, chunks are shuffled and deflated in threads and written in
their stored form (`write_direct_chunk`). This writes a gigabyte in a quarter of the time; the file is the same.
"""

from __future__ import annotations

import itertools
import os
import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

import h5py
import numpy as np
from common import random


def temperature(step: int, shape: tuple[int, int], resolution: float) -> np.ndarray:
    """A field like the air temperature at 2 m: warm equator, seasons, travelling waves, small-scale weather.

    Real fields are packed or rounded at some point, which is why they compress. This one is rounded to `resolution`
    kelvin.
    """
    lat = np.linspace(np.pi / 2, -np.pi / 2, shape[0], dtype=np.float32)[:, None]
    lon = np.linspace(0, 2 * np.pi, shape[1], endpoint=False, dtype=np.float32)[None, :]
    year = np.float32(2 * np.pi * step / 1460)
    field = 250 + 45 * np.cos(lat) - 12 * np.cos(year) * np.sin(lat)
    for wave in range(3, 8):
        field = field + (8 / wave) * np.cos(lat) ** 2 * np.sin(wave * lon - (0.05 * wave) * step + wave * lat)
    field = field + 0.8 * random(step).standard_normal(shape, np.float32)
    return (np.round(field / resolution) * resolution).astype(np.float32)


def threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1)


def encode(chunk: np.ndarray, level: int) -> bytes:
    """Applies shuffle, then deflate, as HDF5 does."""
    size = chunk.dtype.itemsize
    content = np.ascontiguousarray(chunk).view(np.uint8).reshape(-1, size)
    return zlib.compress(np.ascontiguousarray(content.T), level)


def write_chunks(pool: ThreadPoolExecutor, dataset: h5py.Dataset, data: np.ndarray, at: tuple[int, ...], level: int) -> None:
    """Writes `data` at the offset `at`, a multiple of the chunk shape. Chunks at the edges are padded with zeros."""
    chunks = dataset.chunks
    waiting: deque[tuple[tuple[int, ...], Future]] = deque()

    def stored(local: tuple[int, ...]) -> bytes:
        part = data[tuple(slice(first, first + size) for first, size in zip(local, chunks))]
        if part.shape != chunks:
            whole = np.zeros(chunks, data.dtype)
            whole[tuple(slice(0, size) for size in part.shape)] = part
            part = whole
        return encode(part, level)

    def hand_over() -> None:
        offset, future = waiting.popleft()
        dataset.id.write_direct_chunk(offset, future.result())

    for local in itertools.product(*(range(0, size, chunk) for size, chunk in zip(data.shape, chunks))):
        offset = tuple(first + place for first, place in zip(at, local))
        waiting.append((offset, pool.submit(stored, local)))
        if len(waiting) > 64:
            hand_over()
    while waiting:
        hand_over()
