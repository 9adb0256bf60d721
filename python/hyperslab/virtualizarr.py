"""A parser for VirtualiZarr: `open_virtual_dataset(url, parser=hyperslab.virtualizarr.Parser(), ...)`.

It stands in for VirtualiZarr's `HDFParser`: it needs no h5py, and several threads may use it. Variables that Zarr cannot
express, and those with inlined chunks, which VirtualiZarr does not read, are left out with a warning.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from hyperslab._index import index

__all__ = ["Parser", "manifest_store"]


class Parser:
    """Makes a `ManifestStore` of a file: where its chunks lie, and how Zarr decodes them."""

    def __init__(self, group: str | None = None, drop_variables: Iterable[str] | None = None) -> None:
        """`group` is the group that becomes the root of the store; `drop_variables` are left out."""
        self.group = group
        self.drop_variables = list(drop_variables or ())

    def __call__(self, url: str, registry: Any) -> Any:
        """The store of the file at `url`; `registry` (an `ObjectStoreRegistry`) reads its chunks."""
        parts = urlsplit(url)
        file = unquote(parts.path) if parts.scheme in ("", "file") else url
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "index.zarr")
            index(file, out, format="zarr", url=url if parts.scheme else None)
            return manifest_store(out, registry, self.group, self.drop_variables)


def manifest_store(
    path: str | os.PathLike[str], registry: Any, group: str | None = None, drop_variables: Iterable[str] = ()
) -> Any:
    """The `ManifestStore` of a folder of the format `zarr`; `registry` (an `ObjectStoreRegistry`) reads its chunks."""
    from virtualizarr.manifests import ManifestStore  # type: ignore[import-untyped]

    root = Path(path)
    folder = root / group.strip("/") if group else root
    if not (folder / "zarr.json").is_file():
        raise ValueError(f"there is no group {group!r} in {root}")
    return ManifestStore(group=_group(folder, root, set(drop_variables)), registry=registry)


def _group(folder: Path, root: Path, drop_variables: set[str]) -> Any:
    from virtualizarr.manifests import ManifestGroup

    arrays, groups = {}, {}
    for child in sorted(path.parent for path in folder.glob("*/zarr.json")):
        document = json.loads((child / "zarr.json").read_bytes())
        if document["node_type"] == "group":
            groups[child.name] = _group(child, root, drop_variables)
        elif child.name in drop_variables:
            continue
        elif (child / "c").exists():
            name = child.relative_to(root).as_posix()
            warnings.warn(f"left out /{name}: VirtualiZarr does not read inlined chunks", RuntimeWarning, stacklevel=4)
        else:
            arrays[child.name] = _array(document, json.loads((child / "manifest.json").read_bytes()))
    attributes = json.loads((folder / "zarr.json").read_bytes())["attributes"]
    return ManifestGroup(arrays=arrays, groups=groups, attributes=attributes)


def _array(document: dict[str, Any], manifest: dict[str, Any]) -> Any:
    import numpy as np
    from virtualizarr.manifests import ChunkManifest, ManifestArray
    from zarr.core.metadata import ArrayV3Metadata  # type: ignore[import-not-found, unused-ignore]

    grid = document["chunk_grid"]["configuration"]["chunk_shape"]
    counts = tuple(-(-length // chunk) for length, chunk in zip(document["shape"], grid, strict=True))
    # A chunk without a path was never written.
    paths = np.full(counts, "", dtype=np.dtypes.StringDType())
    offsets, lengths = np.zeros(counts, np.uint64), np.zeros(counts, np.uint64)
    for key, entry in manifest.items():
        at = tuple(map(int, key.split(".")))[: len(counts)]
        paths[at], offsets[at], lengths[at] = entry["path"], entry["offset"], entry["length"]
    chunks = ChunkManifest.from_arrays(paths=paths, offsets=offsets, lengths=lengths, validate_paths=False)
    return ManifestArray(metadata=ArrayV3Metadata.from_dict(document), chunkmanifest=chunks)
