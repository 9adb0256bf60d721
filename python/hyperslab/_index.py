"""Indexes of files for other readers: `hyperslab index` from Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Literal

from hyperslab.errors import HyperslabError

Path = str | os.PathLike[str]


def index(
    path: Path | Sequence[Path],
    out: Path | None = None,
    *,
    format: Literal["kerchunk", "kerchunk-parquet", "zarr", "icechunk", "dmrpp", "hsds", "hyperslab"] = "kerchunk",
    url: str | None = None,
    relative: bool = False,
    template: bool = False,
    concat: str | None = None,
    jobs: int = 1,
    strict: bool = False,
) -> Any:
    """Write where every chunk of a file lies, for other readers: kerchunk and fsspec, Zarr, Icechunk, Hyrax (DMR++), HSDS.

    With the format `hyperslab`, the index is for `hyperslab.File(path, index=out)`.

    `url` is where readers find the file; its absolute path if it is None, with `relative` its path as seen from the folder of
    `out`. In `url`, `{name}` is the name of the file. With `template`, the references of kerchunk name the folder of the files
    once. Several files are combined along the dimension `concat`; without it, `out` is a folder that gets an index of each.
    `jobs` files are read at the same time.

    Without `out`, the index is returned: of kerchunk as a dictionary, which `fsspec.filesystem("reference", fo=...)` takes, of
    DMR++ as text, of HSDS as a dictionary, which `hyperslab.hsds.load` takes.

    What the format cannot express is inlined if it is small. What is left out causes a `RuntimeWarning` with the reason.

    The work is done in a process of its own.

    Raises:
        HyperslabError: the file cannot be read, the files cannot be combined, or something was left out and `strict` is true.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    names = [os.fspath(one) for one in paths]
    command = [sys.executable, "-m", "hyperslab", "index", "--format", format, "--jobs", str(jobs)]
    command += [] if out is None else ["--output", os.fspath(out)]
    command += [] if url is None else ["--url", url]
    command += [] if concat is None else ["--concat", concat]
    command += ["--relative"] if relative else []
    command += ["--template"] if template else []
    ended = subprocess.run([*command, "--", *names], capture_output=True, check=False)
    messages = ended.stderr.decode(errors="replace").splitlines()
    what = names[0] if len(names) == 1 else f"{len(names)} files"
    if ended.returncode != 0:
        errors = [line.removeprefix("error: ") for line in messages if line.startswith("error: ")]
        raise HyperslabError(" ".join(errors) or "hyperslab index failed", file=what)
    left_out = [line.replace("left out: ", "", 1) for line in messages if "left out: " in line]
    if left_out and strict:
        raise HyperslabError(f"left out: {'; '.join(left_out)}", file=what)
    for line in left_out:
        warnings.warn(f"{what}: left out: {line}", RuntimeWarning, stacklevel=2)
    if out is not None:
        return None
    return ended.stdout.decode() if format == "dmrpp" else json.loads(ended.stdout)
