"""Makes processes keep the memory that they free, so that measurements use memory that was written before.

The host of a virtual machine may reclaim freed memory immediately, and allocating a gigabyte again can take longer than
reading it. glibc can be set to keep freed memory; other C libraries are not changed.
"""

from __future__ import annotations

import ctypes

#: Tells a process that is started, by its environment.
KEPT = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "-1"}


def keep() -> None:
    """Changes the setting of this process."""
    mmap_max, trim_threshold = -4, -1
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, -1)
