"""Filters of new datasets, from h5py's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from hyperslab._hyperslab import parse_filters
from hyperslab.errors import InvalidError, WrongTypeError

_GZIP, _SHUFFLE, _FLETCHER32, _SZIP, _SCALEOFFSET, _LZF = 1, 2, 3, 4, 6, 32000
_SZIP_CODINGS = {"ec": 4, "nn": 32}


def filters_of(
    dtype: np.dtype[Any],
    compression: Any,
    options: Any,
    shuffle: bool | None,
    fletcher32: bool | None,
    scaleoffset: int | bool | None,
    text: str | None,
) -> list[tuple[int, list[int]]]:
    """The filters in the order of h5py: scaleoffset, shuffle, compression, fletcher32."""
    if text is not None:
        if any((compression is not None, shuffle, fletcher32, scaleoffset is not None)):
            raise WrongTypeError("give either `filter` or h5py's words for filters")
        return parse_filters(text)
    filters: list[tuple[int, list[int]]] = []
    if scaleoffset is not None and scaleoffset is not False:
        if dtype.kind not in "iuf":
            raise WrongTypeError("scaleoffset is for integers and floats")
        if dtype.kind == "f" and scaleoffset is True:
            raise InvalidError("scaleoffset of floats is a number of decimal digits")
        if scaleoffset < 0:
            raise InvalidError("scaleoffset must not be negative")
        if fletcher32:
            raise InvalidError("fletcher32 cannot be used with scaleoffset")
        filters.append((_SCALEOFFSET, [0 if scaleoffset is True else int(scaleoffset)]))
    if shuffle:
        filters.append((_SHUFFLE, []))
    if compression is not None and compression is not False:
        filters.append(_compression(compression, options))
    elif options is not None:
        raise WrongTypeError("compression_opts without compression")
    if fletcher32:
        filters.append((_FLETCHER32, []))
    return filters


def _compression(compression: Any, options: Any) -> tuple[int, list[int]]:
    if hasattr(compression, "filter_id"):
        compression, options = compression.filter_id, compression.filter_options
    if compression is True:
        compression = "gzip"
    if isinstance(compression, (int, np.integer)) and 0 <= compression <= 9:
        # h5py's older spelling of gzip and its level.
        if options is not None:
            raise WrongTypeError("two levels of gzip")
        compression, options = "gzip", int(compression)
    if compression == "gzip":
        level = 4 if options is None else options
        if level not in range(10):
            raise InvalidError(f"the level of gzip is a number from 0 to 9, not {level!r}")
        return _GZIP, [int(level)]
    if compression == "lzf":
        if options is not None:
            raise InvalidError("lzf has no options")
        return _LZF, []
    if compression == "szip":
        coding, pixels = ("nn", 8) if options is None else options
        if coding not in _SZIP_CODINGS or pixels not in range(2, 33, 2):
            raise InvalidError("the options of szip are 'nn' or 'ec', and an even number of pixels from 2 to 32")
        return _SZIP, [_SZIP_CODINGS[coding], int(pixels)]
    if isinstance(compression, (int, np.integer)):
        return int(compression), [int(option) for option in cast("Iterable[int]", options or ())]
    raise InvalidError(f"there is no compression {compression!r}; `filter` has more than h5py")
