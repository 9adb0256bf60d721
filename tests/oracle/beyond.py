"""What this version does not read, in the words of the corpus' manifest.

A file with one of these features may end in an error, for the whole file or for the objects that use it. It may not
give a wrong value. The list shrinks as the engine grows; it never excuses a file without such a feature.
"""

from __future__ import annotations

#: Damaged files: part of them may be readable, and must then be right.
DAMAGED = {"MALFORMED", "UNCLEAN-CLOSE"}
#: Filters that are read. All others are refused by name.
FILTERS = {
    f"filter:{name}"
    for name in (
        "deflate", "shuffle", "fletcher32", "szip", "nbit", "scaleoffset",
        "lzf", "bzip2", "lz4", "blosc", "blosc2", "bitshuffle", "zstd", "zfp",
    )
}  # fmt: skip


def beyond(features: list[str]) -> list[str]:
    """The features of a file that excuse an error."""
    return [f for f in features if f in DAMAGED or (f.startswith("filter:") and f not in FILTERS)]
