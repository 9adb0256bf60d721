"""A parser for VirtualiZarr: `open_virtual_dataset(url, parser=hyperslab.virtualizarr.Parser(), ...)`.

It stands in for VirtualiZarr's `HDFParser`: it needs no h5py, and several threads may use it. Variables that Zarr cannot
express, and those with inlined chunks, which this version of VirtualiZarr does not read, are left out with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from hyperslab._index import index

__all__ = ["Parser"]


class Parser:
    """Makes a `ManifestStore` of a file: where its chunks lie, and how Zarr decodes them."""

    def __init__(self, group: str | None = None, drop_variables: Iterable[str] | None = None) -> None:
        """`group` is the group that becomes the root of the store; `drop_variables` are left out."""
        self.group = group
        self.drop_variables = list(drop_variables or ())

    def __call__(self, url: str, registry: Any) -> Any:
        """The store of the file at `url`; `registry` (an `ObjectStoreRegistry`) reads its chunks."""
        from virtualizarr.manifests import ManifestStore  # type: ignore[import-untyped]
        from virtualizarr.parsers.kerchunk.translator import (  # type: ignore[import-untyped]
            manifestgroup_from_kerchunk_refs,
        )

        parts = urlsplit(url)
        found = index(unquote(parts.path) if parts.scheme in ("", "file") else url, url=url)
        inlined = {key.rpartition("/")[0] for key, value in found["refs"].items() if _is_inlined(key, value)}
        for name in sorted(inlined - set(self.drop_variables)):
            warnings.warn(f"{url}: left out /{name}: VirtualiZarr does not read inlined chunks", RuntimeWarning, stacklevel=2)
        found["refs"] = {key: value for key, value in found["refs"].items() if key.rpartition("/")[0] not in inlined}
        manifests = manifestgroup_from_kerchunk_refs(found, group=self.group, skip_variables=self.drop_variables)
        return ManifestStore(group=manifests, registry=registry)


def _is_inlined(key: str, value: Any) -> bool:
    return isinstance(value, str) and not key.rpartition("/")[2].startswith(".z")
