"""Memory that processes keep when they free it, so that what is measured was touched before.

The host of a virtual machine may take back at once what a process gives up, and a gigabyte of it takes longer to get
again than to read. glibc can be told to give nothing back; another C library is left as it is.
"""

from __future__ import annotations

import ctypes

#: Tells a process that is started, by its environment.
KEPT = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "-1"}


def keep() -> None:
    """Tells this process."""
    mmap_max, trim_threshold = -4, -1
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, -1)
