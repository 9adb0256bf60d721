"""The variables, attributes and encodings of one group, for xarray to decode."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from xarray import Variable
from xarray.backends import AbstractDataStore
from xarray.core import indexing
from xarray.core.utils import FrozenDict

from hyperslab import _hyperslab
from hyperslab.dtypes import check_string_dtype
from hyperslab.errors import MissingGroupError
from hyperslab.xarray import encoding
from hyperslab.xarray.array import LazyArray, is_ragged
from hyperslab.xarray.calibration import as_in_netcdf, follows_hdf4
from hyperslab.xarray.dimensions import Dimension, Names
from hyperslab.xarray.files import FileHandle


class GroupStore(AbstractDataStore):
    """A group of a file."""

    def __init__(
        self,
        handle: FileHandle,
        group: Any,
        dimensions: list[Dimension],
        names: dict[str, tuple[str, ...]],
        around: dict[str, int],
        decode_vlen_strings: bool,
        follows_hdf4: bool,
    ) -> None:
        """`names` are the dimensions of each variable; `around` are the lengths of those of the groups around this one;
        with `follows_hdf4`, scaled values follow HDF4's rule."""
        self.path: str = group.path
        self.handle = handle
        self._group = group
        self._dimensions = dimensions
        self._names = names
        self._around = around
        self._decode_vlen_strings = decode_vlen_strings
        self._follows_hdf4 = follows_hdf4
        #: Those with a value.
        self._variables = [variable for variable in group.variables if variable.dataset.shape is not None]

    @property
    def without_value(self) -> list[str]:
        """The names of the variables that have no value: their dataspaces are null."""
        return [variable.name for variable in self._group.variables if variable.dataset.shape is None]

    @property
    def ragged(self) -> list[str]:
        """The names of the variables whose elements are sequences of variable length, which xarray does not decode."""
        return [variable.name for variable in self._variables if is_ragged(variable.dataset.dtype)]

    def variables(self) -> dict[str, tuple[Any, tuple[str, ...]]]:
        """Each variable of the netCDF view with its dimensions, by its name."""
        return {variable.name: (variable, self._names[variable.name]) for variable in self._variables}

    def get_variables(self) -> Any:
        return FrozenDict((variable.name, self.variable(variable)) for variable in self._variables)

    def get_attrs(self) -> Any:
        return FrozenDict(self._group.attributes)

    def get_dimensions(self) -> Any:
        return FrozenDict((dimension.name, dimension.length) for dimension in self._dimensions)

    def get_parent_dimensions(self) -> Any:
        return FrozenDict(self._around)

    def get_encoding(self) -> dict[str, Any]:
        return {"unlimited_dims": {dimension.name for dimension in self._dimensions if dimension.is_unlimited}}

    def array(self, variable: Any) -> LazyArray:
        """The values of a variable of the netCDF view, not decoded."""
        dataset = variable.dataset
        dtype = dataset.dtype
        text = check_string_dtype(dtype) if dtype.kind in "OS" else None
        codec = text.encoding if self._decode_vlen_strings and text is not None and text.length is None else None
        view = _compound_view(dtype) if variable.user_type and variable.user_type[0] == "compound" else None
        shape = variable.shape if variable.has_labels else dataset.shape or ()
        return LazyArray(self.handle, variable.path, dataset, shape, codec=codec, view=view)

    def variable(self, variable: Any) -> Variable:
        """A variable of the netCDF view as xarray decodes it later."""
        names = self._names[variable.name]
        array = self.array(variable)
        stored = encoding.of_variable(variable, names, array.dtype)
        stored["source"] = self.handle.name
        stored["original_shape"] = array.shape
        attributes = as_in_netcdf(variable.attributes) if self._follows_hdf4 else variable.attributes
        return Variable(names, indexing.LazilyIndexedArray(array), attributes, stored)


def open_groups(
    handle: FileHandle,
    path: str | None,
    *,
    below: bool,
    phony_dims: str,
    decode_vlen_strings: bool,
    decode_modis_scale: bool | Literal["auto"],
) -> tuple[list[GroupStore], bool]:
    """The group at a path and, with `below`, those below it, in the order of the file. Reads the metadata of the file
    once. The second value says whether a group has dimensions that the file does not name."""
    opened = handle.open()
    wanted = "/" + (path or "").strip("/")
    groups, omitted = _hyperslab.netcdf_groups(opened.file, wanted, below)
    for place, reason in omitted:
        warnings.warn(f"{handle.name}: left out {place}: {reason}", RuntimeWarning, stacklevel=4)
    names = Names(phony_dims)
    if phony_dims == "sort" and wanted != "/" and any(_has_phony(group) for group in groups):
        # Their numbers go on after those of all groups before this one.
        groups = _all_groups(opened.file, groups)
    scaled = follows_hdf4(opened.file, decode_modis_scale)
    lengths: dict[str, dict[str, int]] = {}
    stores = []
    for group in groups:
        dimensions, of_variables = names.of_group(group)
        around: dict[str, int] = {}
        for parent in _parents(group.path):
            around |= lengths[parent]
        lengths[group.path] = {dimension.name: dimension.length for dimension in dimensions}
        if group.path == wanted or (below and group.path.startswith(wanted.rstrip("/") + "/")):
            opened.datasets.update((variable.path, variable.dataset) for variable in group.variables)
            stores.append(GroupStore(handle, group, dimensions, of_variables, around, decode_vlen_strings, scaled))
    if not stores:
        raise MissingGroupError(f"{handle.name}: group not found: {wanted}", file=handle.name, object=wanted)
    return stores, names.phony > 0


def _has_phony(group: Any) -> bool:
    return any(not variable.has_labels for variable in group.variables)


def _all_groups(file: Any, groups: list[Any]) -> list[Any]:
    """All groups of the file in its order; `groups` are among them, as they were opened."""
    every, _ = _hyperslab.netcdf_groups(file, "/", True)
    opened = {group.path: group for group in groups}
    in_order = [opened.pop(group.path, group) for group in every]
    return in_order + list(opened.values())


def _parents(path: str) -> Iterator[str]:
    """The groups around a group, the outermost first."""
    names = path.strip("/").split("/")[:-1] if path != "/" else None
    if names is not None:
        yield "/"
        for depth in range(len(names)):
            yield "/" + "/".join(names[: depth + 1])


def _compound_view(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Fixed-length text in a compound of netCDF is an array of characters; it is seen as text."""
    if not dtype.fields or not any(field.subdtype and field.base == "S1" for field, *_ in dtype.fields.values()):
        return None
    formats = [f"S{field.shape[0]}" if field.base == "S1" and field.shape else field for field, *_ in dtype.fields.values()]
    offsets = [offset for _, offset, *_ in dtype.fields.values()]
    recipe: Any = {"names": list(dtype.fields), "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize}
    seen: np.dtype[Any] = np.dtype(recipe)
    return seen
