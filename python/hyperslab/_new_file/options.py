"""The options of a new file, checked before anything is created."""

from __future__ import annotations

import operator
from typing import Any

from hyperslab._hyperslab import parse_bytes
from hyperslab.errors import InvalidError, WrongTypeError

_LIBVERS = ("earliest", "v18", "v108", "v110", "v112", "v114", "v200", "latest")
_PAGES = range(512, 2**30 + 1)


def checked_libver(libver: Any) -> str | None:
    """Return the oldest library: the first of two, as in h5py."""
    oldest = libver[0] if isinstance(libver, tuple) and libver else libver
    if oldest is not None and oldest not in _LIBVERS:
        raise InvalidError(f"libver must be 'earliest', 'v18', 'v110' or 'latest', not {libver!r}")
    return oldest


def checked_page_size(size: Any) -> int | None:
    """Return the size of a page in bytes, which may be a text with a unit: `"1MiB"`."""
    if size is None:
        return None
    count = parse_bytes(size) if isinstance(size, str) else _integer("page_size", size)
    if count not in _PAGES:
        raise InvalidError(f"page_size is from 512 bytes to 1 GiB, not {size!r}")
    return count


def checked_userblock_size(size: Any) -> int:
    """Return the size of a user block in bytes."""
    count = _integer("userblock_size", size)
    if count != 0 and (count < 512 or count & (count - 1) or count >= 2**63):
        raise InvalidError(f"userblock_size is 0, or a power of two from 512 on, not {size!r}")
    return count


def checked_threads(threads: Any) -> int | None:
    """Return how many threads encode."""
    if threads is None:
        return None
    count = _integer("threads", threads)
    if not 1 <= count < 2**32:
        raise InvalidError(f"threads is a number from 1 on, not {threads!r}")
    return count


def _integer(name: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise WrongTypeError(f"{name} is an integer, not {value!r}") from None


def checked_encoder(encoder: Any) -> str:
    """The word for an encoder of the gzip filter."""
    if encoder not in ("auto", "fast", "small"):
        raise InvalidError(f"encoder={encoder!r}: it is one of 'auto', 'fast', 'small'")
    return str(encoder)
