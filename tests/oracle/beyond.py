"""What this version does not read, in the words of the corpus' manifest.

A file with one of these features may end in an error, for the whole file or for the objects that use it. It may not
give a wrong value. The list shrinks as the engine grows; it never excuses a file without such a feature.
"""

from __future__ import annotations

#: Whole features.
FEATURES = {
    "MALFORMED",
    "UNCLEAN-CLOSE",
    "layout:virtual",
    "msg:external-files",
    "dtype:time",
    "dtype:complex",
    "dtype:reference-object2",
    "dtype:float-VAX",
    "sizes:16/16",
    "shared-msg:sohm",
    "attr:shared-space",
}
#: Beginnings of features.
FAMILIES = ("filter:", "driver-info:", "dtype:float-custom", "dtype:int-size", "dtype:int-custom", "link:user")
#: Of those families, what is read.
READ = {"filter:deflate", "filter:shuffle", "filter:fletcher32"}


def beyond(features: list[str]) -> list[str]:
    """The features of a file that excuse an error."""
    return [f for f in features if f in FEATURES or (f.startswith(FAMILIES) and f not in READ)]
