"""Icechunk: a repository whose chunks are references to HDF5 files, written by Icechunk's own library.

`hyperslab index --format icechunk` and `hyperslab.index(..., format="icechunk")` use this module; `containers` gives readers
what they must authorize:

    repository = icechunk.Repository.open(
        icechunk.local_filesystem_storage("era5.icechunk"),
        authorize_virtual_chunk_access=hyperslab.icechunk.containers("era5.icechunk"),
    )
    xarray.open_zarr(repository.readonly_session("main").store, consolidated=False)
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

__all__ = ["containers", "write"]

#: References that are handed to Icechunk together.
BATCH = 100_000
#: Columns have a row for each chunk of the grid: they are used where it has at most this many times as many as exist.
SPARSE_RATIO = 4


def write(zarr: str | os.PathLike[str], storage: Any, message: str = "Index of HDF5 files") -> Any:
    """Write a repository from a folder of the format `zarr` of `hyperslab index`. Returns the repository.

    `storage` is an `icechunk.Storage`, or the path of an empty folder.
    """
    import icechunk  # type: ignore[import-not-found, unused-ignore]
    from zarr.core.buffer import default_buffer_prototype  # type: ignore[import-not-found, unused-ignore]
    from zarr.core.sync import sync  # type: ignore[import-not-found, unused-ignore]

    root = Path(zarr)
    if isinstance(storage, (str, os.PathLike)):
        storage = icechunk.local_filesystem_storage(os.fspath(storage))
    manifests = {path.parent.relative_to(root).as_posix(): json.loads(path.read_bytes()) for path in root.rglob("manifest.json")}
    urls = {entry["path"] for manifest in manifests.values() for entry in manifest.values()}
    prefixes = sorted({_prefix(url) for url in urls})
    config = icechunk.RepositoryConfig.default()
    for prefix in prefixes:
        config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, _store(prefix)))
    repository = icechunk.Repository.create(storage, config, authorize_virtual_chunk_access=dict.fromkeys(prefixes))
    session = repository.writable_session("main")
    buffers = default_buffer_prototype().buffer

    async def copy() -> None:
        for key, data in _members(root):
            await session.store.set(key, buffers.from_bytes(data))

    sync(copy())
    for path, manifest in manifests.items():
        if manifest:
            _set_references(session.store, f"/{path}", json.loads((root / path / "zarr.json").read_bytes()), manifest)
    session.commit(message)
    return repository


def _set_references(store: Any, path: str, array: dict[str, Any], manifest: dict[str, dict[str, Any]]) -> None:
    """Store the references of an array: from columns where the library takes them (from version 2 on) and most chunks exist."""
    import icechunk

    shape, chunk_shape = array["shape"], array["chunk_grid"]["configuration"]["chunk_shape"]
    # The chunk of a scalar has the key "0".
    coordinates = [[int(part) for part in key.split(".")][: len(shape)] for key in manifest]
    grid = tuple(-(-length // chunk) for length, chunk in zip(shape, chunk_shape, strict=True))
    chunks = math.prod(grid)
    if hasattr(store, "set_virtual_refs_arr") and grid and chunks <= SPARSE_RATIO * len(manifest):
        places = np.ravel_multi_index(tuple(np.array(coordinates).T), grid)
        offsets, lengths = np.zeros(chunks, np.uint64), np.zeros(chunks, np.uint64)
        offsets[places] = [entry["offset"] for entry in manifest.values()]
        lengths[places] = [entry["length"] for entry in manifest.values()]
        # A chunk without a location has no reference.
        locations = [""] * chunks
        for place, entry in zip(places.tolist(), manifest.values(), strict=True):
            locations[place] = entry["path"]
        store.set_virtual_refs_arr(path, grid, locations, offsets, lengths, validate_containers=False)
        return
    specs = [
        icechunk.VirtualChunkSpec(at, entry["path"], entry["offset"], entry["length"])
        for at, entry in zip(coordinates, manifest.values(), strict=True)
    ]
    for start in range(0, len(specs), BATCH):
        store.set_virtual_refs(path, specs[start : start + BATCH], validate_containers=False)


def containers(path: str | os.PathLike[str]) -> dict[str, None]:
    """The places of the files that a repository in a local folder refers to, each without credentials."""
    import icechunk

    config = icechunk.Repository.fetch_config(icechunk.local_filesystem_storage(os.fspath(path)))
    found = config.virtual_chunk_containers if config is not None else None
    return dict.fromkeys(found or {})


def _members(root: Path) -> Iterator[tuple[str, bytes]]:
    """Metadata and inlined chunks, by their keys."""
    # The metadata of an array comes before its chunks, which Icechunk would not accept otherwise.
    for path in sorted(root.rglob("*"), key=lambda path: (path.name != "zarr.json", path)):
        if path.is_dir() or path.name == "manifest.json":
            continue
        data = path.read_bytes()
        if path.name == "zarr.json":
            document = json.loads(data)
            # Icechunk has the metadata of all members together anyway.
            document.pop("consolidated_metadata", None)
            data = json.dumps(document).encode()
        yield path.relative_to(root).as_posix(), data


def _prefix(url: str) -> str:
    """The folder of a file, which readers authorize; of a bucket, the bucket.

    Raises:
        ValueError: a path that Icechunk would read as another one.
    """
    if any(character in url for character in "?#%"):
        raise ValueError(f"{url}: Icechunk finds no file whose path has ?, # or %; rename it, or name a copy with --url")
    parts = urlsplit(url)
    if parts.scheme == "file":
        return f"file://{parts.path.rpartition('/')[0]}/"
    return f"{parts.scheme}://{parts.netloc}/"


def _store(prefix: str) -> Any:
    """How Icechunk reads below a prefix."""
    import icechunk

    parts = urlsplit(prefix)
    match parts.scheme:
        case "file":
            return icechunk.local_filesystem_store(parts.path)
        case "s3":
            return icechunk.s3_store()
        case "gs" | "gcs":
            return icechunk.gcs_store()
        case "http" | "https":
            return icechunk.http_store()
        case _:
            raise ValueError(f"{prefix}: Icechunk reads chunks at file, s3, gs, http and https URLs")


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2])
    # Icechunk's threads may still run. Where the interpreter is taken down below them, the process sometimes ends by a signal
    # although the repository is complete.
    sys.stdout.flush()
    os._exit(0)
