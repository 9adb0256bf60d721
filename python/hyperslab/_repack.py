"""Rewriting and checking files: `hyperslab repack` and `hyperslab check` from Python, results as data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from hyperslab._process import results, run
from hyperslab._report import block_text, documents
from hyperslab.errors import ExistingFileError, HyperslabError, MissingFileError

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
    their names in the folder `out`, which is made if it does not exist; the HDF5 files of a folder become the same tree. With `in_place` there is no `out`. `read` is the
    block that chunks of `chunk_bytes` are to serve (`--for`); `None` in a tuple is the whole extent.

    Each file is one call, done in a process of its own; so is a folder, and each of as many equal shares of it as this machine has
    processors if there is an executor. With an `executor` (threads, processes, a cluster's
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
    calls: list[list[list[str]]] = []
    for file, target in zip(files, targets, strict=True):
        count = os.cpu_count() or 1 if executor is not None and _is_folder(file) else 1
        shares = [[f"--shard={share}/{count}"] if count > 1 else [] for share in range(1, count + 1)]
        calls.append([[*arguments, *share, "--", os.fspath(file), *target] for share in shares])
    if executor is None:
        done = [[_repack(call) for call in shares] for shares in calls]
    else:
        futures = iter(results([executor.submit(_repack, call) for shares in calls for call in shares]))
        done = [[next(futures) for _ in shares] for shares in calls]
    if not is_single:
        return [report for outcomes in done for report in _in_order(outcomes)]
    (outcomes,) = done
    if _is_folder(files[0]):
        found = _in_order(outcomes)
        if all("schema" in report for report in found):
            return found
    (reports, hint), *_ = outcomes
    result = reports[0]
    if result["error"] is not None:
        raise _failure(result, hint)
    return result


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
    arguments = [*(["--data"] if data else []), "--", os.fspath(path)]
    if _is_folder(path):
        return [report for report in documents("check", arguments) if report["schema"]["name"] != "hyperslab.check.summary"]
    try:
        (report,) = documents("check", arguments)
    except HyperslabError as error:
        raise _missing(os.fspath(path), error.message, error.hint) or error from None
    return report


def _is_folder(path: StrPath) -> bool:
    """True for a folder: a local one, or a URL that ends with a slash."""
    name = os.fspath(path)
    return name.endswith("/") if "://" in name else os.path.isdir(name)


#: The results of a call, and what to do next.
_Done: TypeAlias = tuple[list[dict[str, Any]], str | None]


def _repack(arguments: list[str]) -> _Done:
    """Run the command for one file or folder. Results and errors are data, so that they can come from another process."""
    done = run(["repack", "--json", *arguments])
    reports = [json.loads(line) for line in done.out.splitlines()]
    if not reports and done.code != 0:
        source = arguments[arguments.index("--") + 1]
        reports = [{"input": source, "output": arguments[-1], "plan": None, "result": None, "error": done.error}]
    return reports, done.hint


def _in_order(shares: list[_Done]) -> list[dict[str, Any]]:
    """The results of equal shares of a folder, in the order of its files: each share has every n-th file."""
    if any("schema" not in report for reports, _ in shares for report in reports):
        # Nothing was begun: each share says so.
        return shares[0][0]
    longest = max(len(reports) for reports, _ in shares)
    return [reports[place] for place in range(longest) for reports, _ in shares if place < len(reports)]


def _failure(result: dict[str, Any], hint: str | None) -> HyperslabError:
    """The exception for a file that was not written."""
    error, output = result["error"], result["output"]
    if error == f"{output} exists":
        return ExistingFileError(error, hint="replace it with overwrite=True", file=output)
    return _missing(result["input"], error, hint) or HyperslabError(error, hint=hint, file=result["input"])


def _missing(name: str, error: str, hint: str | None) -> HyperslabError | None:
    """The exception for a file that does not exist."""
    if "://" in name or os.path.exists(name):
        return None
    return MissingFileError(error, hint=hint, file=name)


def _targets(files: list[StrPath], out: StrPath | None, is_single: bool, dry_run: bool) -> list[list[str]]:
    """The new file of each file; none if it is replaced."""
    if out is None:
        return [[] for _ in files]
    if is_single or all(map(_is_folder, files)):
        return [[os.fspath(out)] for _ in files]
    names = [Path(file).name for file in files if not _is_folder(file)]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two files have the name {min(twice)!r}, and would become the same new file")
    if not dry_run:
        Path(out).mkdir(parents=True, exist_ok=True)
    return [[os.fspath(out if _is_folder(file) else Path(out) / Path(file).name)] for file in files]


def _datasets(option: str, value: PerDataset) -> list[str]:
    """`--filter=t2m:gzip=4` for each dataset."""
    if isinstance(value, Mapping):
        value = [f"{objects}:{setting}" for objects, setting in value.items()]
    return _words(option, value)


def _words(option: str, values: str | Iterable[str]) -> list[str]:
    return [f"{option}={value}" for value in ([values] if isinstance(values, str) else values)]
