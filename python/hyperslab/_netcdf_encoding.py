"""How a variable of a new netCDF-4 file is stored: the words of xarray's encodings as those of `NewFile.create_dataset`.

The words of compression are those of netCDF4-python (`compression="zstd"`, `complevel`, `szip_coding`, `blosc_shuffle`), those
of h5py (`compression="gzip"`, `compression_opts`), and the flags that xarray's engines give variables of an open file
(`zlib`, `szip`, `bzip2`, `blosc`, `zstd`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hyperslab.errors import InvalidError

#: What xarray remembers of the file that a variable was read from, and that is not for the new one.
_OF_SOURCE = {"source", "original_shape", "preferred_chunks"}
#: Filters that an encoding names by a flag, with their registered numbers. The value of the flag may be a dict of options.
_FLAGS = {"zlib": 1, "szip": 4, "bzip2": 307, "blosc": 32001, "zstd": 32015}
#: The codecs of Blosc by netCDF's names, with Blosc's numbers.
_BLOSC = {"blosc_lz": 0, "blosc_lz4": 1, "blosc_lz4hc": 2, "blosc_snappy": 3, "blosc_zlib": 4, "blosc_zstd": 5}
#: The levels of each filter.
_LEVELS = {"zlib": range(10), "bzip2": range(1, 10), "blosc": range(10), "zstd": range(-131072, 23)}
#: netCDF4-python's defaults.
_LEVEL, _SZIP_CODING, _SZIP_PIXELS, _BLOSC_SHUFFLE = 4, "nn", 8, 1
#: The words of some filters alone.
_DETAILS = {"szip_coding", "szip_pixels_per_block", "blosc_shuffle"}
_KNOWN = {"chunksizes", "chunks", "shuffle", "fletcher32", "filter", "compression", "compression_opts", "complevel"}
_KNOWN |= {"dtype", "endian", "contiguous"} | _DETAILS | set(_FLAGS)
_SZIP_PIXELS_POSSIBLE = range(2, 33, 2)
_ENDIAN: dict[str, Literal["<", ">", "="]] = {"little": "<", "big": ">", "native": "="}


def storage_words(name: str, encoding: Mapping[str, Any], *, is_asked: bool, is_growing: bool) -> dict[str, Any]:
    """The words `chunks`, `compression`, `compression_opts`, `shuffle`, `fletcher32` and `filter`.

    What the caller asked for is an error if it is not known or not possible. What xarray remembers of the file that the variable
    was read from is left out where it does not say enough. `is_growing` is True for a variable with unlimited dimensions.
    """
    given = {key: value for key, value in encoding.items() if key not in _OF_SOURCE and value is not None}
    unknown = set(given) - _KNOWN
    if is_asked and unknown:
        raise InvalidError(f"encoding of {name!r}: unknown words {sorted(unknown)}")
    words: dict[str, Any] = {key: given[key] for key in ("shuffle", "fletcher32", "filter") if key in given}
    if is_asked and "chunks" in given:
        # Of an array that was read from Zarr, xarray remembers them under this name.
        words["chunks"] = given["chunks"]
    if "chunksizes" in given:
        words["chunks"] = given["chunksizes"]
    try:
        words |= _compression(given)
    except ValueError as error:
        if is_asked:
            raise InvalidError(f"encoding of {name!r}: {error}") from error
    if is_asked and given.get("contiguous"):
        stored = [key for key, value in words.items() if value is not False] + ["unlimited dimensions"] * is_growing
        if stored:
            raise InvalidError(f"encoding of {name!r}: contiguous data cannot have {', '.join(stored)}")
    return words


def byte_order(name: str, encoding: Mapping[str, Any]) -> Literal["<", ">", "="] | None:
    """NumPy's character of the byte order that is asked for; None if the dtype says it."""
    asked = encoding.get("endian")
    if asked is None:
        return None
    if asked not in _ENDIAN:
        raise InvalidError(f"encoding of {name!r}: endian is 'little', 'big' or 'native', not {asked!r}")
    return _ENDIAN[asked]


def _compression(given: Mapping[str, Any]) -> dict[str, Any]:
    """The words `compression` and `compression_opts`; none without compression."""
    flags = [flag for flag in _FLAGS if given.get(flag)]
    named = given.get("compression") or None
    if named in ("gzip", "zlib"):
        filter = "zlib"
    elif isinstance(named, str) and named.startswith("blosc"):
        filter = "blosc"
    elif isinstance(named, str) and named in _FLAGS:
        filter = named
    elif named is not None:
        # Words that `create_dataset` alone knows: the number of a filter, an object of hdf5plugin.
        if isinstance(named, str) and named != "lzf":
            raise ValueError(f"there is no compression {named!r}; `filter` has more")
        if flags:
            raise ValueError(f"both {flags[0]} and compression={named!r}")
        return {"compression": named} | _options(given)
    elif len(flags) == 1:
        filter = flags[0]
    elif flags:
        raise ValueError(f"compression by both {' and '.join(flags)}")
    else:
        if "filter" not in given and given.get("compression_opts") is not None:
            raise ValueError("compression_opts without compression")
        return {}
    if flags not in ([], [filter]):
        raise ValueError(f"both {flags[0]} and compression={named!r}")
    if "filter" in given:
        raise ValueError(f"both filter={given['filter']!r} and {filter}")
    foreign = sorted(word for word in _DETAILS & set(given) if not word.startswith(filter))
    if foreign:
        # netCDF4-python ignores them; so that encodings for several filters can be written, so does this.
        given = {key: value for key, value in given.items() if key not in foreign}
    if filter == "szip":
        return _szip(given)
    if filter == "blosc":
        return _blosc(given, named)
    options = given.get("compression_opts", given.get("complevel", _LEVEL))
    if isinstance(options, (tuple, list)) and len(options) == 1:
        options = options[0]
    level = _level(filter, options)
    if filter == "zlib":
        return {"compression": "gzip", "compression_opts": level}
    # A filter's parameters are unsigned numbers of 32 bits; negative levels of Zstandard wrap around.
    return {"compression": _FLAGS[filter], "compression_opts": (level % 2**32,)}


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a filter by their old or new word."""
    for word in ("compression_opts", "complevel"):
        if word in given:
            return {"compression_opts": given[word]}
    return {}


def _szip(given: Mapping[str, Any]) -> dict[str, Any]:
    if "compression_opts" in given:
        return {"compression": "szip", "compression_opts": given["compression_opts"]}
    flag = given.get("szip")
    options = flag if isinstance(flag, Mapping) else {}
    coding = given.get("szip_coding", options.get("coding"))
    if coding is None:
        # Of a file that was opened by h5netcdf, it is in the place of the level.
        level = given.get("complevel")
        coding = level if isinstance(level, str) else _SZIP_CODING
    pixels = given.get("szip_pixels_per_block", options.get("pixels_per_block", _SZIP_PIXELS))
    if coding not in ("ec", "nn"):
        raise ValueError(f"szip_coding is 'ec' or 'nn', not {coding!r}")
    if pixels not in _SZIP_PIXELS_POSSIBLE:
        raise ValueError(f"szip_pixels_per_block is an even number from 2 to 32, not {pixels!r}")
    return {"compression": "szip", "compression_opts": (coding, pixels)}


def _blosc(given: Mapping[str, Any], named: str | None) -> dict[str, Any]:
    flag = given.get("blosc")
    options = flag if isinstance(flag, Mapping) else {}
    codec = options.get("compressor") if named in (None, "blosc") else named
    if codec not in _BLOSC:
        asked = "blosc without its codec" if codec is None else f"there is no compression {codec!r}"
        raise ValueError(f"{asked}: compression is one of {', '.join(map(repr, _BLOSC))}")
    shuffle = given.get("blosc_shuffle", options.get("shuffle", _BLOSC_SHUFFLE))
    if shuffle not in (0, 1, 2):
        raise ValueError(f"blosc_shuffle is 0 (none), 1 (bytes) or 2 (bits), not {shuffle!r}")
    level = _level("blosc", given.get("complevel", _LEVEL))
    return {"compression": _FLAGS["blosc"], "compression_opts": (0, 0, 0, 0, level, int(shuffle), _BLOSC[codec])}


def _level(filter: str, level: Any) -> int:
    levels = _LEVELS[filter]
    if isinstance(level, str) or level not in levels:
        raise ValueError(f"the level of {filter} is a number from {levels[0]} to {levels[-1]}, not {level!r}")
    return int(level)
