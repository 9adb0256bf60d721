"""Indexes of files for other readers: `hyperslab index` from Python."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from hyperslab._application import Answer, StrPath, results, run
from hyperslab.errors import UnsupportedError

#: The names of the formats, and how the names of their indexes end.
ENDINGS = {
    "kerchunk": "json",
    "kerchunk-parquet": "parq",
    "zarr": "zarr",
    "icechunk": "icechunk",
    "dmrpp": "dmrpp",
    "hsds": "hsds.json",
    "hyperslab": "hyperslab",
}


def index(
    path: StrPath | Sequence[StrPath],
    out: StrPath | None = None,
    *,
    format: Literal["kerchunk", "kerchunk-parquet", "zarr", "icechunk", "dmrpp", "hsds", "hyperslab"] = "kerchunk",
    url: str | None = None,
    relative: bool = False,
    template: bool = False,
    concat: str | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
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

    With an `executor` (threads, processes, a cluster's `Client.get_executor()`), each
    of several files is one call, and these calls are given to it all at once; the function that it calls can be pickled.
    With `concat`, the calls write indexes of the format `hyperslab` to a temporary folder beside `out`, which all machines
    must see, and they are then combined here.

    Raises:
        FileNotFoundError: there is no such file.
        HyperslabError: the file cannot be read, the files cannot be combined, or something was left out and `strict` is true.
        ValueError: an argument has no meaning with an `executor`, or two files would have the same index.
    """
    names = [os.fspath(path)] if isinstance(path, (str, os.PathLike)) else [os.fspath(one) for one in path]
    request = {"format": format, "url": url, "relative": relative, "template": template, "concat": concat}
    if executor is None or len(names) < 2:
        what = names[0] if len(names) == 1 else f"{len(names)} files"
        done_of = [(what, run("index", names, request, output=out, jobs=jobs))]
    elif jobs != 1:
        raise ValueError("`jobs` is the number of files that one process reads at the same time; an executor has its own")
    elif concat is None:
        done_of = _each(names, out, request, executor)
    else:
        done_of = [_combine(names, out, request, executor)]
    for what, done in done_of:
        if done.notes and strict:
            raise UnsupportedError(f"left out: {'; '.join(done.notes)}", file=what)
        for line in done.notes:
            warnings.warn(f"{what}: left out: {line}", RuntimeWarning, stacklevel=2)
    if out is not None:
        return None
    return done.text if format == "dmrpp" else json.loads(done.text)


def _each(
    names: list[str], out: StrPath | None, request: dict[str, Any], executor: Executor
) -> list[tuple[str, Answer]]:
    """An index of each file, in the folder `out`."""
    if out is None:
        raise ValueError("several files need a folder for their indexes: give `out`, or combine them with `concat`")
    targets = [Path(out) / f"{_name(name)}.{ENDINGS[request['format']]}" for name in names]
    twice = {target for target in targets if targets.count(target) > 1}
    if twice:
        raise ValueError(f"two files would both have the index {min(twice)}")
    Path(out).mkdir(parents=True, exist_ok=True)
    calls = [(name, os.fspath(target), request) for name, target in zip(names, targets, strict=True)]
    return list(zip(names, results(executor, _one, calls), strict=True))


def _combine(names: list[str], out: StrPath | None, request: dict[str, Any], executor: Executor) -> tuple[str, Answer]:
    """One index of all files, from indexes of hyperslab's own that the executor makes."""
    if "{path}" in (request["url"] or ""):
        raise ValueError("`{path}` in `url` is not the path of the file where an executor reads it; use `{name}`")
    beside = None if out is None else Path(out).absolute().parent
    own = {**request, "format": "hyperslab", "url": None, "relative": False, "template": False, "concat": None}
    with tempfile.TemporaryDirectory(prefix=".hyperslab-index-", dir=beside) as folder:
        parts = [os.path.join(folder, f"{number}.hyperslab") for number in range(len(names))]
        results(executor, _one, [(name, part, own) for name, part in zip(names, parts, strict=True)])
        return f"{len(names)} files", run("index", parts, request, output=out)


def _one(name: str, out: str, request: dict[str, Any]) -> Answer:
    """The index of one file."""
    return run("index", [name], request, output=out)


def _name(path: str) -> str:
    """The last name of a path or URL."""
    return os.path.basename(urlsplit(path).path if "://" in path else path)
