"""What xarray calls: the entry point `hyperslab` of `xarray.backends`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import xarray
from xarray.backends import BackendEntrypoint, StoreBackendEntrypoint

from hyperslab.xarray.geolocation import add_geolocation
from hyperslab.xarray.opening import Opening
from hyperslab.xarray.store import GroupStore

SUFFIXES = {".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".he5", ".hdf", ".hdf4", ".he2"}
#: How files of HDF5 and netCDF-4, of netCDF classic, 64-bit offset and CDF-5, and of HDF4 begin.
SIGNATURES = (b"\x89HDF\r\n\x1a\n", b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x0e\x03\x13\x01")


class HyperslabBackendEntrypoint(BackendEntrypoint):
    """Opens files of netCDF, old and new, and of HDF4 and HDF5: on all cores, without a lock.

    The names of variables and dimensions, the attributes and encodings are those of `engine="h5netcdf"`.
    """

    description = "Open netCDF and HDF5 files with hyperslab: in parallel, without a lock"
    url = "https://github.com/hyperslab/hyperslab/blob/main/docs/xarray.md"
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """True for a local file that begins like one of these formats, and for a name that ends so. Never asks a server."""
        if not isinstance(filename_or_obj, str | os.PathLike):
            return isinstance(filename_or_obj, bytes) and filename_or_obj.startswith(SIGNATURES)
        name = os.fspath(filename_or_obj)
        if "://" not in name:
            try:
                with open(os.path.expanduser(name), "rb") as file:
                    return file.read(max(map(len, SIGNATURES))).startswith(SIGNATURES)
            except OSError:
                pass
        return os.path.splitext(name.split("?")[0])[1].lower() in SUFFIXES

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        phony_dims: str | None = None,
        decode_vlen_strings: bool = True,
        decode_modis_scale: bool | Literal["auto"] = "auto",
        geolocation: bool = False,
        storage_options: dict[str, Any] | None = None,
        store: Any = None,
        cache_bytes: int | str | None = None,
        threads: int | None = None,
        locking: bool | Literal["true", "false", "best-effort"] | None = None,
        index: str | os.PathLike[str] | None = None,
        lock: Any = None,
        invalid_netcdf: Any = None,
    ) -> xarray.Dataset:
        """Opens a group of a file as a dataset.

        Args:
            filename_or_obj: a path, a URL, the bytes of a file, or a file object.
            group: the path of the group; the root group if None.
            phony_dims: how axes are numbered that the file does not name: `"access"` (default) or `"sort"`, as in h5netcdf.
            decode_vlen_strings: if False, variable-length text stays `bytes`.
            decode_modis_scale: whether scaled values of HDF4 are `scale_factor * (stored - add_offset)`, as HDF4 has it;
                `"auto"`: in files of HDF-EOS2. In other files they are decoded by netCDF's rule.
            geolocation: whether grids of HDF-EOS2 in degrees and in the sinusoidal projection get coordinates `latitude` and
                `longitude` with two axes.
            storage_options: for a URL: credentials and settings of the object store.
            store: a file system of fsspec or a store of obstore, in which `filename_or_obj` is the path of the file.
            cache_bytes, threads, locking, index: of `hyperslab.File`.
            lock, invalid_netcdf: accepted without effect, for programs that were written for h5netcdf.
        """
        given = locals()
        # Their names are spelled once: xarray takes them from the signature.
        options = {name: given[name] for name in given if name not in ("self", "filename_or_obj")}
        ((_, dataset),) = _open(filename_or_obj, options, below=False)
        return dataset

    def open_groups_as_dict(
        self, filename_or_obj: Any, *, group: str | None = None, **options: Any
    ) -> dict[str, xarray.Dataset]:
        """Opens a group and all below it: a dataset for each, by its path. With `group`, paths are relative to it.

        Its options are those of `open_dataset`.
        """
        opened = _open(filename_or_obj, {"group": group, **options}, below=True)
        top = opened[0][0].rstrip("/")
        return {((path[len(top) + 1 :] or ".") if group else path): dataset for path, dataset in opened}

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> xarray.DataTree:
        """Opens a group and all below it as a tree. Its options are those of `open_dataset`."""
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        tree = xarray.DataTree.from_dict(groups)
        for path, dataset in groups.items():
            tree[path].set_close(dataset._close)
        return tree


def _open(target: Any, options: dict[str, Any], *, below: bool) -> list[tuple[str, xarray.Dataset]]:
    """The path and the dataset of a group, and with `below` of all groups below it."""
    opening, decoders = Opening.of(options)
    stores, has_phony = opening.groups(target, below=below)
    _warn_of_phony(has_phony and opening.phony_dims is None)
    opened = [(store.path, _decode(store, decoders)) for store in stores]
    for store, (_, dataset) in zip(stores, opened, strict=True):
        if opening.geolocation and store.handle.open().file.format == "hdf4":
            add_geolocation(dataset)
    return opened


def _decode(store: GroupStore, decoders: dict[str, Any]) -> xarray.Dataset:
    dropped = decoders.get("drop_variables") or ()
    for name in store.without_value:
        if name not in ({dropped} if isinstance(dropped, str) else set(dropped)):
            what = f"{store.handle.name}: left out {store.path.rstrip('/')}/{name}: it has no value (its dataspace is null)"
            warnings.warn(what, RuntimeWarning, stacklevel=5)
    ragged = store.ragged
    for decoder in ("mask_and_scale", "decode_times", "decode_timedelta") if ragged else ():
        given = decoders.get(decoder)
        if given is not False:
            # xarray fails on the whole file if such a variable has a fill value or units of time.
            wanted = dict(given) if isinstance(given, Mapping) else dict.fromkeys(store.variables(), given)
            decoders = decoders | {decoder: wanted | dict.fromkeys(ragged, False)}
    dataset = StoreBackendEntrypoint().open_dataset(store, **decoders)
    # The handle is pickled with the dataset, the store cannot be.
    dataset.set_close(store.handle.close)
    if store.handle.store is not None:
        # xarray would make a path of this computer of it.
        dataset.encoding["source"] = store.handle.target
    return dataset


def _warn_of_phony(is_needed: bool) -> None:
    if is_needed:
        warnings.warn(
            "some axes have no dimension in the file and are numbered by access; "
            "pass phony_dims='access' to keep the numbers without this warning, or 'sort' for those of netCDF-C",
            UserWarning,
            stacklevel=5,
        )
