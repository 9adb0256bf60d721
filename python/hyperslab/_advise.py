"""Which chunks and filters suit a dataset, as data: `hyperslab advise` from Python."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hyperslab._report import Report, block_text, document, table
from hyperslab.errors import HyperslabError

#: A block: `"1x361x720"`, or `(1, 361, 720)` in which `None` stands for the whole extent.
Block = str | tuple[int | None, ...]

#: Larger variables are not written to a temporary file only to be asked about.
_BYTES_MAX = 2 << 30


class Advice(Report):
    """The report of `hyperslab advise --json` as a mapping; a table in a notebook.

    Members are those of the schema `hyperslab.advise`: `file`, `datasets`, each with its `recommendations` (for all readers
    first), its `pareto` set and the storage that it has at `present`, and `skipped`.
    """

    def __repr__(self) -> str:
        texts = [f"{dataset['path']}: {_text(dataset['recommendations'][0])}" for dataset in self["datasets"]]
        return f"<Advice on {self['file']}: {'; '.join(texts) or 'no dataset'}>"

    def encoding(self) -> dict[str, dict[str, Any]]:
        """The recommendations for all readers as xarray's `Dataset.to_netcdf(encoding=...)` takes them, by variable.

        Only variables of the root group have one: xarray writes a group at a time.
        """
        found = {}
        for dataset in self["datasets"]:
            name = dataset["path"].lstrip("/")
            if "/" not in name:
                found[name] = _encoding(dataset["recommendations"][0]["storage"])
        return found

    def _repr_html_(self) -> str:
        rows = []
        for dataset in self["datasets"]:
            for one in dataset["recommendations"]:
                line = next((line["line"] for line in one["lines"] if line["tool"] == "hyperslab"), "")
                cells = [dataset["path"], one["reader"], _text(one)]
                code = f"<code>{html.escape(line)}</code>" if line else ""
                rows.append([*map(html.escape, cells), code])
        return table(self["file"], ("dataset", "for", "recommended", "line"), rows)


def advise(
    path: str | os.PathLike[str],
    datasets: str | Iterable[str] = (),
    *,
    reads: Iterable[Block] = (),
    write: Block | None = None,
    readers: Iterable[str] = (),
    size_bound: str | None = None,
    max_error: float | None = None,
    place: str | None = None,
    cloud: bool = False,
    seconds: float | None = None,
) -> Advice:
    """Advise on chunks and filters that serve the reads of datasets.

    A read is the shape of a block in which the dataset is read: `"1x361x720"`, or `(1, 361, 720)`, in which `None` stands for
    the whole extent; `"1x361x720@10"` counts ten times. Without reads, those that the axes suggest are taken. The other
    arguments are the options of the command: `readers` such as `["netcdf-4.9", "h5py+zstd"]`, `size_bound` such as
    `"1.2x"`, `max_error` if floats may be rounded, by at most so much, `place` such as `"s3"`, `cloud` for a forecast of what
    the file takes there as it is, and `seconds` that the answer may take.

    The work is done in a process of its own.

    Raises:
        HyperslabError: the file or a dataset cannot be read, or an argument is wrong; the message says what to do.
    """
    arguments = [os.fspath(path)]
    arguments += [datasets] if isinstance(datasets, str) else list(datasets)
    for read in reads:
        arguments += ["--read", block_text(read)]
    arguments += [] if write is None else ["--write", block_text(write)]
    readers = list(readers)
    arguments += ["--readers", ",".join(readers)] if readers else []
    given = {"--size-bound": size_bound, "--max-error": max_error, "--place": place, "--seconds": seconds}
    for option, value in given.items():
        arguments += [] if value is None else [option, str(value)]
    arguments += ["--cloud"] if cloud else []
    return Advice(document("advise", arguments))


def encoding_for(
    dataset: Any,
    reads: Iterable[Mapping[str, int | None]] = (),
    **options: Any,
) -> dict[str, dict[str, Any]]:
    """The encoding for `to_netcdf` that serves the reads of an `xarray.Dataset` that is not written yet.

    A read is a mapping from the names of dimensions to the size of the block along them; dimensions that it does not name
    are read whole: `{"time": 1}` is a map, `{"lat": 1, "lon": 1}` a time series. Without reads, those that the axes suggest
    are taken. Variables with fewer than two dimensions are left to `to_netcdf`. `options` are those of `advise`; sizes are
    compared with those of the default chunks, shuffled and deflated at level 4.

    The values are written to a temporary file, one variable at a time.

    Raises:
        HyperslabError: a variable is larger than 2 GiB, in which case encode a part of it: `encoding_for(ds.isel(...))`;
            or an argument is wrong.
    """
    reads = list(reads)
    encoding: dict[str, dict[str, Any]] = {}
    for name, variable in dataset.data_vars.items():
        if variable.ndim < 2 or variable.dtype.kind not in "iufb":
            continue
        if variable.nbytes > _BYTES_MAX:
            raise HyperslabError(f"{name} has {variable.nbytes} bytes, which is too much for a sample; ask about a part of it")
        blocks = [tuple(read.get(dimension) for dimension in variable.dims) for read in reads]
        unknown = {key for read in reads for key in read} - set(dataset.dims)
        if unknown:
            raise HyperslabError(f"no dimension {sorted(unknown)}; the dataset has {sorted(map(str, dataset.dims))}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sample.nc"
            sample = {name: {"zlib": True, "complevel": 4, "shuffle": True}}
            variable.drop_encoding().to_dataset(name=name).to_netcdf(path, format="NETCDF4", encoding=sample)
            advice = advise(path, f"/{name}", reads=blocks, **options)
            encoding |= advice.encoding()
    return encoding


def _text(recommendation: Mapping[str, Any]) -> str:
    storage = recommendation["storage"]
    chunks = "x".join(map(str, storage["chunk"])) if storage["chunk"] else "contiguous"
    text = f"{chunks}, {storage['filters']}, {storage['stored_bytes'] / 2**20:.1f} MiB"
    return f"already good ({text})" if recommendation["verdict"] == "already-good" else text


def _encoding(storage: Mapping[str, Any]) -> dict[str, Any]:
    """A storage in xarray's words."""
    if storage["chunk"] is None:
        return {"contiguous": True, "zlib": False}
    encoding: dict[str, Any] = {"chunksizes": tuple(storage["chunk"]), "shuffle": False, "zlib": False}
    for word in storage["filters"].split("+"):
        name, _, numbers = word.partition("=")
        match name:
            case "none":
                pass
            case "shuffle" | "fletcher32":
                encoding[name] = True
            case "gzip":
                encoding |= {"zlib": True, "complevel": int(numbers)}
            case "zstd":
                encoding |= {"compression": "zstd", "complevel": int(numbers)}
                del encoding["zlib"]
            case "szip":
                encoding |= {"compression": "szip", "szip_coding": "nn", "szip_pixels_per_block": 8}
                del encoding["zlib"]
            case "blosc":
                encoding |= {"compression": "blosc_lz4", "complevel": 5, "blosc_shuffle": 1}
                del encoding["zlib"]
            case _:
                raise HyperslabError(f"xarray has no word for the filter {word}; name readers without it")
    return encoding
