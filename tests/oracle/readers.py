"""Files that a library reads in a process of its own: some files crash libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: What each program begins and ends with. Between these, it defines `read(path)`; `reader` is the library that is asked for, and
#: `digest` makes a text of values.
BEGIN = """
import hashlib, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
reader, out, *paths = sys.argv[1:]
def digest(values):
    values = np.ma.getdata(np.asanyarray(values))
    # Between the members of a compound, memory is not set.
    is_listed = values.dtype.hasobject or values.dtype.names
    content = repr(values.tolist()).encode() if is_listed else values.tobytes()
    return hashlib.sha256(repr((values.shape, str(values.dtype))).encode() + content).hexdigest()
"""
END = """
found = {}
for path in paths:
    try:
        found[path] = read(path)
    except Exception as error:
        found[path] = repr(error)
with open(out, "w") as file:
    file.write(repr(found))
"""


def read_all(program: str, reader: str, paths: list[Path], out: Path, seconds: float) -> list:
    """What the program's `read` returns of each file, or the error as a text; `out` is a file that it may write."""
    words = [sys.executable, "-c", BEGIN + program + END, reader, out, *paths]
    ran = subprocess.run(words, capture_output=True, timeout=seconds)
    if ran.returncode:
        # A crash: one by one.
        return ["crashed"] if len(paths) == 1 else [read_all(program, reader, [path], out, seconds)[0] for path in paths]
    return list(eval(out.read_text()).values())  # noqa: S307
