"""Which chunks and filters suit a dataset, as data: `hyperslab advise` from Python."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hyperslab._application import run
from hyperslab._report import Report, block_text, places, table
from hyperslab.errors import HyperslabError

#: A block: `"1x361x720"`, or `(1, 361, 720)` in which `None` stands for the whole extent.
Block = str | tuple[int | None, ...]

#: A block by the names of dimensions.
Read = Mapping[str, int | None]

#: What an encoding says of the values themselves, beside their storage.
_PACKING = ("dtype", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned")

#: The name of a variable in its sample.
_SAMPLE = "sample"

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
                found[name] = _encoding(dataset["recommendations"][0])
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
    path: str | os.PathLike[str] | None = None,
    datasets: str | Iterable[str] = (),
    *,
    synthetic: tuple[int, ...] | None = None,
    type: str = "<f4",
    ratio: float = 2.0,
    reads: Iterable[Block] = (),
    reads_from: str | os.PathLike[str] | None = None,
    stride: Iterable[int] | None = None,
    random: int | None = None,
    write: Block | None = None,
    readers: Iterable[str] = (),
    size_bound: str | None = None,
    max_error: float | str | None = None,
    place: str | None = None,
    cloud: bool = False,
    seconds: float | None = None,
) -> Advice:
    """Advise on chunks and filters that serve the reads of datasets.

    A read is the shape of a block in which the dataset is read: `"1x361x720"`, or `(1, 361, 720)`, in which `None` stands for
    the whole extent; `"1x361x720@10"` counts ten times. Without reads, those that the axes suggest are taken. `reads_from` is the
    folder of `hyperslab trace`, one of its files, or a file of JSON lines: the reads that a program made. The other
    arguments are the options of the command: `readers` such as `["netcdf-4.9", "h5py+zstd"]`, `size_bound` such as
    `"1.2x"`, `max_error` if floats may be rounded, by at most so much, or by a share of each value such as `"0.1%"`,
    `place` such as `"s3"`, `cloud` for a forecast of what the file takes there as it is, and `seconds` that the answer may
    take. `stride` keeps every n-th element of each block along each dimension, and `random` takes that many random places
    in place of a sweep.

    Before data exist, `synthetic` is the shape of made-up values in place of a file; they are of `type`, and gzip makes them
    smaller by `ratio`.

    Raises:
        FileNotFoundError: there is no such file.
        KeyError: there is no such dataset.
        HyperslabError: the file or a dataset cannot be read, or an argument is wrong; the message says what to do.
    """
    if (path is None) == (synthetic is None):
        raise TypeError("advise takes a file, or the shape of values that do not exist yet (synthetic=)")
    made_up = None if synthetic is None else {"shape": block_text(synthetic), "element": type, "ratio": float(ratio)}
    request = {
        "made_up": made_up,
        "datasets": [datasets] if isinstance(datasets, str) else list(datasets),
        "reads": [block_text(read) for read in reads],
        "reads_from": None if reads_from is None else os.fspath(reads_from),
        "places": places(stride, random),
        "write": None if write is None else block_text(write),
        "readers": list(readers),
        "size_bound": size_bound,
        "max_error": None if max_error is None else str(max_error),
        "place": place,
        "cloud": cloud,
        "seconds": seconds,
    }
    (report,) = run("advise", [] if path is None else [path], request).documents
    return Advice(report)


def encoding_for(
    dataset: Any,
    reads: Iterable[Read | tuple[Read, float]] = (),
    **options: Any,
) -> dict[str, dict[str, Any]]:
    """The encoding for `to_netcdf` that serves the reads of an `xarray.Dataset` that is not written yet.

    A read is a mapping from the names of dimensions to the size of the block along them; dimensions that it does not name
    are read whole: `{"time": 1}` is a map, `{"lat": 1, "lon": 1}` a time series, and `({"time": 1}, 10)` a map that counts
    ten times. Without reads, those that the axes suggest are taken. A block that is longer than a dimension is the whole of
    it. Variables with fewer than two dimensions, and without values, are left to `to_netcdf`. `options` are those of
    `advise`; sizes are compared with those of the default chunks, shuffled and deflated at level 4.

    How a variable's values are packed (`dtype`, `scale_factor`, `add_offset`, `_FillValue`) stays as its `encoding` says:
    the sample is packed so, and the encoding that is returned has it.

    The values are written to a temporary file, one variable at a time.

    Raises:
        HyperslabError: a variable is larger than 2 GiB, in which case encode a part of it: `encoding_for(ds.isel(...))`;
            or an argument is wrong.
        TypeError: a read is not a mapping.
    """
    wanted = [_read(read) for read in reads]
    unknown = {key for read, _ in wanted for key in read} - set(dataset.dims)
    if unknown:
        raise HyperslabError(f"no dimension {sorted(map(str, unknown))}; the dataset has {sorted(map(str, dataset.dims))}")
    encoding: dict[str, dict[str, Any]] = {}
    for name, variable in dataset.data_vars.items():
        if variable.ndim < 2 or variable.size == 0 or variable.dtype.kind not in "iufb":
            continue
        if variable.nbytes > _BYTES_MAX:
            raise HyperslabError(f"{name} has {variable.nbytes} bytes, which is too much for a sample; ask about a part of it")
        blocks = [_block(read, weight, variable) for read, weight in wanted]
        packing = {key: value for key, value in variable.encoding.items() if key in _PACKING}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sample.nc"
            # A name of the sample's own: that of the variable may be one that a path cannot have.
            sample = variable.drop_encoding().reset_coords(drop=True).rename(_SAMPLE).to_dataset()
            storage = packing | {"zlib": True, "complevel": 4, "shuffle": True}
            sample.to_netcdf(path, format="NETCDF4", encoding={_SAMPLE: storage})
            advice = advise(path, f"/{_SAMPLE}", reads=blocks, **options)
            encoding[name] = packing | advice.encoding()[_SAMPLE]
    return encoding


def _read(read: Any) -> tuple[Mapping[str, int | None], float]:
    """A read with its weight."""
    block, weight = read if isinstance(read, tuple) and len(read) == 2 and isinstance(read[0], Mapping) else (read, 1)
    if not isinstance(block, Mapping):
        example = '{"time": 1}, or ({"time": 1}, 10) for one that counts ten times'
        raise TypeError(f"a read is a mapping from dimensions to sizes, such as {example}, not {read!r}")
    return block, weight


def _block(read: Mapping[str, int | None], weight: float, variable: Any) -> str:
    """A read of a variable as the command line takes it."""
    sizes = (read.get(dimension) for dimension in variable.dims)
    block = tuple(None if size is None or size >= length else size for size, length in zip(sizes, variable.shape, strict=True))
    return f"{block_text(block)}@{weight}" if weight != 1 else block_text(block)


def _text(recommendation: Mapping[str, Any]) -> str:
    storage = recommendation["storage"]
    chunks = "x".join(map(str, storage["chunk"])) if storage["chunk"] else "contiguous"
    text = f"{chunks}, {storage['filters']}, {storage['stored_bytes'] / 2**20:.1f} MiB"
    return f"already good ({text})" if recommendation["verdict"] == "already-good" else text


def _encoding(recommendation: Mapping[str, Any]) -> dict[str, Any]:
    """A recommended storage in xarray's words."""
    words = recommendation["encoding"]
    if words is None:
        filters = recommendation["storage"]["filters"]
        raise HyperslabError(f"xarray has no words for the filters {filters}; name readers without them")
    return {word: tuple(value) if word == "chunksizes" else value for word, value in words.items()}
