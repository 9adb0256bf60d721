"""Indexes of files for other readers: `hyperslab index` from Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from typing import Any, Literal

from hyperslab.errors import HyperslabError


def index(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    format: Literal["kerchunk", "dmrpp"] = "kerchunk",
    url: str | None = None,
    strict: bool = False,
) -> Any:
    """Write where every chunk of a file lies, for other readers: kerchunk and fsspec, or Hyrax (DMR++).

    `url` is where readers find the file; its absolute path if it is None. Without `out`, the index is returned: of kerchunk as
    a dictionary, which `fsspec.filesystem("reference", fo=...)` takes, of DMR++ as text.

    What the format cannot express is inlined if it is small. What is left out causes a `RuntimeWarning` with the reason.

    The work is done in a process of its own.

    Raises:
        HyperslabError: the file cannot be read, or something was left out and `strict` is true.
    """
    command = [sys.executable, "-m", "hyperslab", "index", "--format", format, os.fspath(path)]
    command += [] if out is None else ["--output", os.fspath(out)]
    command += [] if url is None else ["--url", url]
    ended = subprocess.run(command, capture_output=True, check=False)
    messages = ended.stderr.decode(errors="replace").splitlines()
    if ended.returncode != 0:
        errors = [line.removeprefix("error: ") for line in messages if line.startswith("error: ")]
        raise HyperslabError(" ".join(errors) or "hyperslab index failed", file=os.fspath(path))
    left_out = [line.removeprefix("left out: ") for line in messages if line.startswith("left out: ")]
    if left_out and strict:
        raise HyperslabError(f"left out: {'; '.join(left_out)}", file=os.fspath(path))
    for line in left_out:
        warnings.warn(f"{os.fspath(path)}: left out: {line}", RuntimeWarning, stacklevel=2)
    if out is not None:
        return None
    return json.loads(ended.stdout) if format == "kerchunk" else ended.stdout.decode()
