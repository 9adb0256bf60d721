"""Rewriting and checking files: `hyperslab repack` and `hyperslab check` from Python, results as data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from hyperslab._application import Progress, StrPath, results, run
from hyperslab._hyperslab import parse_bytes
from hyperslab._new_file.options import checked_encoder
from hyperslab._report import block_text
from hyperslab.errors import HyperslabError

#: A value for all datasets (`"gzip=4"`), values by path, name or pattern (`{"t2m": "gzip=4"}`), or several spellings of the
#: command line (`["*:gzip=4", "/mask:none"]`).
PerDataset: TypeAlias = str | Mapping[str, str] | Iterable[str]


def repack(
    paths: StrPath | Iterable[StrPath],
    out: StrPath | None = None,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
    chunks: PerDataset = (),
    chunk_bytes: PerDataset = (),
    read: str | tuple[int | None, ...] | None = None,
    filter: PerDataset = (),
    to: Literal["netcdf4", "hdf5-h4", "classic", "64bit", "cdf5"] | None = None,
    encoder: Literal["auto", "fast", "small"] = "auto",
    contiguous: str | Iterable[str] = (),
    compact: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    unlimited: str | Iterable[str] = (),
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
    their names in the folder `out`, which is made if it does not exist; the files of a folder become the same tree. With `in_place` there is no `out`. `read` is the
    block that chunks of `chunk_bytes` are to serve (`--for`); `None` in a tuple is the whole extent. `to` is the format of the new
    file: files of netCDF classic and HDF4 become netCDF-4 if it is omitted.

    `progress` is called now and then with the name of the file, the bytes of it that are done, and its bytes; without an executor.

    Each file is one call; so is a folder, and each of as many equal shares of it as this machine has processors if there is an
    executor. With an `executor` (threads, processes, a cluster's
    `Client.get_executor()`), these calls are given to it all at once; the function that it calls can be pickled. Each call
    uses all threads and a quarter of the memory of its machine: set `memory`, and `HYPERSLAB_THREADS` in the environment,
    where several run on one machine.

    Returns:
        What `hyperslab repack --json` prints for each file: `input`, `output`, `plan`, `result` and `error`. For several
        paths, and for a folder, a list in their order, in which files that failed have an `error`.

    Raises:
        FileNotFoundError: one path was given, and there is no such file.
        FileExistsError: one path was given, there is a file `out`, and `overwrite` is not set.
        HyperslabError: one path was given, and its file was not written; or there are no files in the folder.
        ValueError: two paths have the same name, or `out` is missing.
    """
    is_single = isinstance(paths, (str, os.PathLike))
    files = cast("list[StrPath]", [paths] if is_single else list(cast("Iterable[StrPath]", paths)))
    if (out is None) != in_place:
        raise ValueError("give either `out` or `in_place=True`")
    request = {
        "chunks": _settings(chunks),
        "chunk_bytes": _settings(chunk_bytes),
        "reads_for": None if read is None else block_text(read),
        "filters": _settings(filter),
        "to": _format(to),
        "encoder": checked_encoder(encoder),
        "contiguous": _words(contiguous),
        "compact": _words(compact),
        "only": _words(only),
        "drop": _words(drop),
        "unlimited": _words(unlimited),
        "rename": [f"{old}={new}" for old, new in (rename or {}).items()],
        "recipe": recipe,
        "like_doctor": like == "doctor",
        "profile": profile,
        "libver": libver,
        "page_bytes": _bytes(page_size),
        "user_block": _bytes(user_block),
        "memory": _bytes(memory),
        "folder": folder,
        "overwrite": overwrite,
        "in_place": in_place,
        "no_verify": not verify,
        "keep_going": keep_going,
        "dry_run": dry_run,
    }
    if like not in (None, "doctor"):
        raise ValueError(f"like={like!r}: there is only the adviser 'doctor'")
    targets = _targets(files, out, is_single, dry_run)
    calls: list[list[_Call]] = []
    for file, target in zip(files, targets, strict=True):
        count = os.cpu_count() or 1 if executor is not None and _is_folder(file) else 1
        shares = [f"{share}/{count}" if count > 1 else None for share in range(1, count + 1)]
        calls.append([(os.fspath(file), target, request, share) for share in shares])
    if executor is None:
        done = [[_repack(call, progress) for call in shares] for shares in calls]
    else:
        futures = iter(results(executor, _repack, [(call,) for shares in calls for call in shares]))
        done = [[next(futures) for _ in shares] for shares in calls]
    if not is_single:
        return [report for outcomes in done for report in _in_order(outcomes)]
    (outcomes,) = done
    failed = next((error for _, error in outcomes if error is not None), None)
    if failed is not None:
        raise failed
    found = _in_order(outcomes)
    return found if _is_folder(files[0]) else found[0]


def check(path: StrPath, *, data: bool = False) -> Any:
    """Check whether a file follows the HDF5 specification; with `data`, decode every chunk, too.

    Returns:
        What `hyperslab check --json` prints: counts of `errors` and `warnings`, and `findings`, each with its `code`, `object`,
        `structure`, `offset` and `message`. For a folder a list with one such result for each HDF5 file below it; files that cannot
        be read have only their name `file` and an `error`.

    Raises:
        FileNotFoundError: there is no such file.
        HyperslabError: the file cannot be read, or there are no files in the folder.
    """
    reports = run("check", [path], {"data": data}).documents
    return reports if _is_folder(path) else reports[0]


def _is_folder(path: StrPath) -> bool:
    """True for a folder: a local one, or a URL that ends with a slash."""
    name = os.fspath(path)
    return name.endswith("/") if "://" in name else os.path.isdir(name)


#: A file or folder, what it becomes, how, and which share of it.
_Call: TypeAlias = tuple[str, str | None, dict[str, Any], str | None]
#: The results of a call, or why nothing was begun.
_Done: TypeAlias = tuple[list[dict[str, Any]], HyperslabError | None]


def _repack(call: _Call, progress: Progress | None = None) -> _Done:
    """Rewrite one file or folder. Results and errors are data, so that they can come from another process."""
    source, target, request, share = call
    try:
        answer = run("repack", [source], request, output=target, shard=share, progress=progress)
    except HyperslabError as error:
        failed = {"input": source, "output": target or source, "plan": None, "result": None, "error": error.message}
        return [failed], error
    return answer.documents, None


def _in_order(shares: list[_Done]) -> list[dict[str, Any]]:
    """The results of equal shares of a folder, in the order of its files: each share has every n-th file."""
    if any(error is not None for _, error in shares):
        # Nothing was begun: each share says so.
        return shares[0][0]
    longest = max(len(reports) for reports, _ in shares)
    return [reports[place] for place in range(longest) for reports, _ in shares if place < len(reports)]


def _targets(files: list[StrPath], out: StrPath | None, is_single: bool, dry_run: bool) -> list[str | None]:
    """The new file of each file; none if it is replaced."""
    if out is None:
        return [None for _ in files]
    if is_single or all(map(_is_folder, files)):
        return [os.fspath(out) for _ in files]
    names = [Path(file).name for file in files if not _is_folder(file)]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two files have the name {min(twice)!r}, and would become the same new file")
    if not dry_run:
        Path(out).mkdir(parents=True, exist_ok=True)
    return [os.fspath(out if _is_folder(file) else Path(out) / Path(file).name) for file in files]


def _format(to: str | None) -> str | None:
    if to not in (None, "netcdf4", "hdf5-h4", "classic", "64bit", "cdf5"):
        raise ValueError(f"to={to!r}: the formats are 'netcdf4', 'hdf5-h4', 'classic', '64bit' and 'cdf5'")
    return to


def _settings(value: PerDataset) -> list[str]:
    """`t2m:gzip=4` for each dataset."""
    return [f"{objects}:{setting}" for objects, setting in value.items()] if isinstance(value, Mapping) else _words(value)


def _words(values: str | Iterable[str]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def _bytes(size: int | str | None) -> int | None:
    """`"4MiB"` in bytes."""
    return parse_bytes(size) if isinstance(size, str) else size
