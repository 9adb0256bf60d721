"""Reads that programs with asyncio await.

Reads wait on threads of their own, not on those of the event loop's default executor, of which there are few. A read whose
task is cancelled stops its requests.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from hyperslab._hyperslab import CancelToken, Dataset, Group

_T = TypeVar("_T")

#: The most reads that wait at the same time. Each has many requests in flight.
READS_MAX = 64

#: The threads of this process. A forked child makes its own.
_threads: tuple[int, ThreadPoolExecutor] | None = None


def _executor() -> ThreadPoolExecutor:
    global _threads
    if _threads is None or _threads[0] != os.getpid():
        _threads = os.getpid(), ThreadPoolExecutor(READS_MAX, thread_name_prefix="hyperslab-aread")
    return _threads[1]


async def run(work: Callable[[], _T]) -> _T:
    """Do `work`, which reads, on another thread. If the task that awaits it is cancelled, its reads are cancelled."""
    token = CancelToken()
    try:
        return await asyncio.get_running_loop().run_in_executor(_executor(), token.run, work)
    except asyncio.CancelledError:
        token.cancel()
        raise


async def read(dataset: Dataset, index: Any) -> Any:
    """`dataset[index]`."""
    return await run(lambda: dataset[index])


async def read_member(group: Group, name: str, index: Any) -> Any:
    """`group[name][index]`."""
    return await run(lambda: group[name][index])
