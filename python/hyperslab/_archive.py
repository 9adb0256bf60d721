"""What repacking the files of an archive would save, as data: `hyperslab doctor --summary` from Python."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Literal

from hyperslab._application import StrPath, results, run
from hyperslab._report import Report, block_text, table
from hyperslab.errors import HyperslabError


class ArchiveSummary(Report):
    """The last line of `hyperslab doctor --summary --json` as a mapping; a table of variables in a notebook.

    Members are those of the schema `hyperslab.archive.summary`: `total`, `variables` and `best_files`, each with its
    `savings`, the most saved first. `surveys` has the line of each file.
    """

    def __init__(self, summary: dict[str, Any], surveys: list[dict[str, Any]]) -> None:
        super().__init__(summary)
        self.surveys = surveys

    def __repr__(self) -> str:
        return f"<ArchiveSummary of {self['files']} files: {_savings(self['total'])}>"

    def _repr_html_(self) -> str:
        rows = []
        for variable in self["variables"]:
            cells = [variable["path"], str(variable["files"]), _storage(variable["present"]), _storage(variable["recommended"])]
            rows.append(map(html.escape, [*cells, _savings(variable["savings"])]))
        caption = f"{self['files']} files: {_savings(self['total'])}"
        return table(caption, ("variable", "files", "now", "recommended", "saved"), rows)


def archive_summary(
    paths: StrPath | Iterable[StrPath],
    *,
    executor: Executor | None = None,
    shards: int | None = None,
    reads: Iterable[str | tuple[int | None, ...]] = (),
    readers: Iterable[str] = (),
    place: str | None = None,
    rank: Literal["seconds", "bytes", "dollars"] | None = None,
    page: StrPath | None = None,
    recipe: StrPath | None = None,
) -> ArchiveSummary:
    """Rank the files and variables of an archive by what repacking would save: seconds of usual reads, bytes, dollars.

    Paths are files and folders, local or in a store. Each of `shards` equal shares of the files is one call. With an `executor` (threads, processes, a cluster's `Client.get_executor()`), these calls are given
    to it all at once; the function that it calls can be pickled. Without `shards`, there is one, and one for each
    processor of this machine if there is an executor.

    `reads`, `readers` and `place` are those of `advise`. A page and a recipe for `repack` are written where `page` and
    `recipe` say. Files that cannot be read have a `problem` in `surveys`.

    Raises:
        FileNotFoundError: there is no such file or folder.
        HyperslabError: there are no files, or an argument is wrong; the message says what to do.
    """
    names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    request = {
        "reads": [block_text(read) for read in reads],
        "readers": list(readers),
        "place": place,
        "rank": rank,
    }
    inputs = [os.fspath(name) for name in names]
    number = shards or (1 if executor is None else os.cpu_count() or 1)
    shares = [f"{shard}/{number}" for shard in range(1, number + 1)]
    if executor is None:
        texts = [_survey(inputs, request, share) for share in shares]
    else:
        texts = results(executor, _survey, [(inputs, request, share) for share in shares])
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "all.jsonl"
        lines.write_text("".join(texts))
        surveys = [json.loads(line) for line in lines.read_text().splitlines()]
        surveys = [survey for survey in surveys if survey["schema"]["name"] == "hyperslab.archive.file"]
        if not surveys:
            raise HyperslabError("no file of HDF5, netCDF or HDF4 was found")
        (*_, summary) = run("archive", [lines], {"rank": rank, "page": page, "recipe": recipe}).documents
    return ArchiveSummary(summary, sorted(surveys, key=lambda survey: survey["file"]))


def _survey(inputs: list[str], request: dict[str, Any], share: str) -> str:
    """The lines of JSON of one share of the files."""
    return run("archive", inputs, request, shard=share).text


def _storage(storage: Mapping[str, Any]) -> str:
    chunk = "x".join(map(str, storage["chunk"])) if storage["chunk"] else "contiguous"
    return chunk if storage["filters"] == "none" else f"{chunk}, {storage['filters']}"


def _savings(savings: Mapping[str, Any]) -> str:
    saved = savings["bytes"] - savings["bytes_then"]
    seconds = savings["seconds"] - savings["seconds_then"]
    return f"{savings['rewritten']} of {savings['datasets']} datasets, {saved / 2**20:.1f} MiB and {_seconds(seconds)} saved"


def _seconds(seconds: float) -> str:
    """`12.3 s`, `4.2 min`, `4.2 h`."""
    for unit, size in (("h", 3600), ("min", 60)):
        if abs(seconds) >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.3g} s"
