"""Rewriting and checking files: `hyperslab repack` and `hyperslab check` from Python, results as data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from hyperslab._process import run
from hyperslab._report import block_text, document
from hyperslab.errors import HyperslabError

StrPath: TypeAlias = str | os.PathLike[str]
#: A value for all datasets (`"gzip=4"`), values by path, name or pattern (`{"t2m": "gzip=4"}`), or several spellings of the
#: command line (`["*:gzip=4", "/mask:none"]`).
PerDataset: TypeAlias = str | Mapping[str, str] | Iterable[str]


def repack(
    paths: StrPath | Iterable[StrPath],
    out: StrPath | None = None,
    *,
    executor: Executor | None = None,
    chunks: PerDataset = (),
    chunk_bytes: PerDataset = (),
    read: str | tuple[int | None, ...] | None = None,
    filter: PerDataset = (),
    contiguous: str | Iterable[str] = (),
    compact: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    rename: Mapping[str, str] | None = None,
    recipe: StrPath | None = None,
    like: Literal["doctor"] | None = None,
    profile: Literal["cmip7"] | None = None,
    page_size: int | str | None = None,
    libver: Literal["earliest", "v18", "v110", "latest"] | None = None,
    user_block: int | str | None = None,
    memory: int | str | None = None,
    folder: StrPath | None = None,
    overwrite: bool = False,
    in_place: bool = False,
    verify: bool = True,
    keep_going: bool = False,
    dry_run: bool = False,
) -> Any:
    """Rewrite files with other chunks, filters and file layout; see `hyperslab repack --help` for the options.

    One path becomes the new file `out` (a file of the same name in it, if `out` is a folder). Several paths become files of
    their names in the folder `out`, which is made if it does not exist. With `in_place` there is no `out`. `read` is the
    block that chunks of `chunk_bytes` are to serve (`--for`); `None` in a tuple is the whole extent.

    Each file is one call, done in a process of its own. With an `executor` (threads, processes, a cluster's
    `Client.get_executor()`), these calls are given to it all at once; the function that it calls can be pickled. Each call
    uses all threads and a quarter of the memory of its machine: set `memory`, and `HYPERSLAB_THREADS` in the environment,
    where several run on one machine.

    Returns:
        What `hyperslab repack --json` prints for each file: `input`, `output`, `plan`, `result` and `error`. For several
        paths a list in their order, in which files that failed have an `error`.

    Raises:
        HyperslabError: one path was given, and its file was not written.
        ValueError: two paths have the same name, or `out` is missing.
    """
    is_single = isinstance(paths, (str, os.PathLike))
    files = cast("list[StrPath]", [paths] if is_single else list(cast("Iterable[StrPath]", paths)))
    if (out is None) != in_place:
        raise ValueError("give either `out` or `in_place=True`")
    arguments = _datasets("--chunks", chunks) + _datasets("--chunk-bytes", chunk_bytes) + _datasets("--filter", filter)
    arguments += _words("--contiguous", contiguous) + _words("--compact", compact)
    arguments += _words("--only", only) + _words("--drop", drop)
    arguments += _words("--rename", [f"{old}={new}" for old, new in (rename or {}).items()])
    values: dict[str, Any] = {
        "--for": None if read is None else block_text(read),
        "--recipe": recipe,
        "--like": like,
        "--profile": profile,
        "--page-size": page_size,
        "--libver": libver,
        "--user-block": user_block,
        "--memory": memory,
        "--folder": folder,
    }
    arguments += [f"{name}={os.fspath(value) if isinstance(value, os.PathLike) else value}" for name, value in values.items() if value is not None]
    flags = {
        "--overwrite": overwrite,
        "--in-place": in_place,
        "--no-verify": not verify,
        "--keep-going": keep_going,
        "--dry-run": dry_run,
    }
    arguments += [name for name, is_set in flags.items() if is_set]
    targets = _targets(files, out, is_single, dry_run)
    calls = [[*arguments, "--", os.fspath(file), *target] for file, target in zip(files, targets, strict=True)]
    if executor is None:
        results = [_repack_file(call) for call in calls]
    else:
        futures = [executor.submit(_repack_file, call) for call in calls]
        results = [future.result() for future in futures]
    if not is_single:
        return results
    (result,) = results
    if result["error"] is not None:
        raise HyperslabError(result["error"])
    return result


def check(path: StrPath, *, data: bool = False) -> dict[str, Any]:
    """Check whether a file follows the HDF5 specification; with `data`, decode every chunk, too.

    Returns:
        What `hyperslab check --json` prints: counts of `errors` and `warnings`, and `findings`, each with its `code`, `object`,
        `structure`, `offset` and `message`.

    Raises:
        HyperslabError: the file cannot be read.
    """
    return document("check", [*(["--data"] if data else []), "--", os.fspath(path)])


def _repack_file(arguments: list[str]) -> dict[str, Any]:
    """Run the command for one file. Its result or error is data, so that it can come from another process."""
    done = run(["repack", "--json", *arguments])
    if done.out:
        report: dict[str, Any] = json.loads(done.out)
        return report
    source = arguments[arguments.index("--") + 1]
    return {"input": source, "output": arguments[-1], "plan": None, "result": None, "error": done.error}


def _targets(files: list[StrPath], out: StrPath | None, is_single: bool, dry_run: bool) -> list[list[str]]:
    """The new file of each file; none if it is replaced."""
    if out is None:
        return [[] for _ in files]
    if is_single:
        return [[os.fspath(out)]]
    names = [Path(file).name for file in files]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two files have the name {min(twice)!r}, and would become the same new file")
    if not dry_run:
        Path(out).mkdir(parents=True, exist_ok=True)
    return [[os.fspath(Path(out) / name)] for name in names]


def _datasets(option: str, value: PerDataset) -> list[str]:
    """`--filter=t2m:gzip=4` for each dataset."""
    if isinstance(value, Mapping):
        value = [f"{objects}:{setting}" for objects, setting in value.items()]
    return _words(option, value)


def _words(option: str, values: str | Iterable[str]) -> list[str]:
    return [f"{option}={value}" for value in ([values] if isinstance(values, str) else values)]
