"""How groups of files are opened: the options that the engine has beside those with which xarray decodes."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any, Literal

from hyperslab.xarray.files import FileHandle
from hyperslab.xarray.store import GroupStore, open_groups

#: Options of h5netcdf's engine that have no meaning here.
IGNORED = {"lock", "invalid_netcdf"}


@dataclass(frozen=True)
class Opening:
    """The options of `HyperslabBackendEntrypoint.open_dataset` that are about the file and the group."""

    group: str | None = None
    phony_dims: str | None = None
    decode_vlen_strings: bool = True
    decode_modis_scale: bool | Literal["auto"] = "auto"
    geolocation: bool = False
    storage_options: dict[str, Any] | None = None
    store: Any = None
    cache_bytes: int | str | None = None
    threads: int | None = None
    locking: bool | Literal["true", "false", "best-effort"] | None = None
    index: str | os.PathLike[str] | None = None

    @classmethod
    def of(cls, options: dict[str, Any]) -> tuple[Opening, dict[str, Any]]:
        """These options, and the others: how xarray decodes."""
        names = {field.name for field in fields(cls)}
        own = {name: value for name, value in options.items() if name in names}
        others = {name: value for name, value in options.items() if name not in names | IGNORED}
        return cls(**own), others

    def handle(self, target: Any) -> FileHandle:
        """A file that is opened when it is needed."""
        if isinstance(target, memoryview | bytearray):
            target = bytes(target)
        if isinstance(target, os.PathLike):
            target = os.fspath(target)
        if isinstance(target, str) and self.store is None and "://" not in target:
            target = os.path.abspath(os.path.expanduser(target))
        index = None if self.index is None else os.path.abspath(self.index)
        options = {"cache_bytes": self.cache_bytes, "threads": self.threads, "locking": self.locking, "index": index}
        given = {name: value for name, value in options.items() if value is not None}
        return FileHandle(target, given, self.storage_options, self.store)

    def groups(self, target: Any, *, below: bool) -> tuple[list[GroupStore], bool]:
        """The group of a file, and with `below` all groups below it; and whether axes were numbered."""
        return open_groups(
            self.handle(target),
            self.group,
            below=below,
            phony_dims=self.phony_dims or "access",
            decode_vlen_strings=self.decode_vlen_strings,
            decode_modis_scale=self.decode_modis_scale,
        )
