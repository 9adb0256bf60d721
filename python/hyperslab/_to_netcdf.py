"""xarray datasets as new netCDF-4 files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperslab._netcdf_encoding import byte_order, storage_words
from hyperslab._netcdf_names import check_names
from hyperslab._new_file import NewDataset, NewDatatype, NewFile
from hyperslab._new_file.elements import dtype_of
from hyperslab.dtypes import string_dtype
from hyperslab.errors import InvalidError, WrongTypeError

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["to_netcdf"]

#: The name of a dimension scale that is not a variable, with the length of the dimension after it (netCDF-4's convention).
_NOT_A_VARIABLE = "This is a netCDF dimension but not a netCDF variable.{:10d}"
#: The elements of a chunk of a dimension scale that is not a variable and can grow, if it has none yet.
_SCALE_CHUNK = 1024
#: The named datatypes of complex numbers, by their sizes in bytes: those of netCDF4-python and h5netcdf.
_COMPLEX = {8: "_PFNC_FLOAT_COMPLEX_TYPE", 16: "_PFNC_DOUBLE_COMPLEX_TYPE"}


def to_netcdf(
    dataset: xr.Dataset,
    path: str | os.PathLike[str],
    *,
    encoding: Mapping[Hashable, Mapping[str, Any]] | None = None,
    unlimited_dims: Iterable[Hashable] | None = None,
    **options: Any,
) -> None:
    """Write an xarray dataset as a netCDF-4 file, compressed by all threads.

    Variables are encoded by xarray, as `Dataset.to_netcdf` does it: times, `_FillValue`, `scale_factor` and coordinates. Arrays of
    Dask, and variables of an open file, are read block by block.

    Args:
        dataset: one group; a `DataTree` is not written.
        path: of the new file.
        encoding: for each variable, replaces its own: xarray's words (`dtype`, `endian`, `shuffle`, `fletcher32`, `chunksizes`,
            `_FillValue`, `units`, …) with netCDF4-python's for compression (`compression` is `"zlib"`, `"szip"`, `"zstd"`,
            `"bzip2"` or `"blosc_lz4"`, `"blosc_zstd"`, …; `complevel`, `szip_coding`, `szip_pixels_per_block`,
            `blosc_shuffle`) or h5py's, and `filter` (`"shuffle+zstd=3"`).
        unlimited_dims: dimensions that can grow; by default those that `dataset.encoding` names.
        options: those of `NewFile`, such as `overwrite`.

    Raises:
        TypeError: netCDF has no type for the values of a variable or an attribute, or a name is not a `str`.
        ValueError: an encoding that is not known or not possible; a name that is empty, has a `/`, or that netCDF reserves.
        FileExistsError: there is a file of this name, and `overwrite` is not set.
    """
    from xarray import Dataset, conventions
    from xarray.coding.strings import CharacterArrayCoder, EncodedStringCoder

    if not isinstance(dataset, Dataset):
        hint = "DataArray.to_dataset(name=…), or a group of a DataTree, is a dataset"
        raise WrongTypeError(f"a {type(dataset).__name__} is not a dataset", hint=hint)
    unlimited = _unlimited(dataset.encoding.get("unlimited_dims") if unlimited_dims is None else unlimited_dims)
    check_names(dataset.variables, dataset.attrs)
    variables, attributes = conventions.encode_dataset_coordinates(dataset)
    asked: Mapping[Hashable, Mapping[str, Any]] = encoding or {}
    for name in asked:
        if name not in variables:
            raise InvalidError(f"encoding of {name!r}: there is no such variable")
        variables[name].encoding = dict(asked[name])
    variables, attributes = conventions.cf_encoder(variables, attributes)
    for name, variable in variables.items():
        encoded = _without_objects(variable, name)
        for coder in (EncodedStringCoder(allows_unicode=True), CharacterArrayCoder()):
            encoded = coder.encode(encoded, name=name)
        variables[name] = encoded
    dims: dict[Hashable, int] = {}
    for variable in variables.values():
        dims.update(variable.sizes)
    missing = unlimited - set(dims)
    if missing and unlimited_dims is not None:
        raise InvalidError(f"unlimited_dims: there are no dimensions {sorted(map(str, missing))}")
    # Those that an open file had, and that are gone since.
    unlimited -= missing
    # In netCDF, only dimensions without a limit are empty.
    growing = unlimited | {dim for dim, size in dims.items() if size == 0}
    file = NewFile(path, track_order=True, **options)
    try:
        with file:
            _write_all(file, variables, attributes, dims, asked, unlimited, growing)
    finally:
        # Not at the end of the program, either.
        file.discard()


def _unlimited(dims: Iterable[Hashable] | None) -> set[Hashable]:
    """The dimensions that can grow, of which one may be given alone."""
    if dims is None:
        return set()
    return {dims} if isinstance(dims, str) or not isinstance(dims, Iterable) else set(dims)


def _write_all(
    file: NewFile,
    variables: Mapping[Hashable, xr.Variable],
    attributes: Mapping[Hashable, Any],
    dims: Mapping[Hashable, int],
    asked: Mapping[Hashable, Mapping[str, Any]],
    unlimited: set[Hashable],
    growing: set[Hashable],
) -> None:
    """Write attributes, variables and dimension scales."""
    for key, value in attributes.items():
        _set_attribute(file, str(key), value)
    written = {}
    for name, variable in variables.items():
        is_asked_to_grow = not unlimited.isdisjoint(variable.dims)
        path = _stored_name(str(name), variable, dims)
        written[name] = _write(file, path, variable, name in asked, growing, is_asked_to_grow=is_asked_to_grow)
    scales: dict[Hashable, NewDataset] = {}
    for number, (dim, size) in enumerate(dims.items()):
        if dim in variables and variables[dim].dims[:1] == (dim,):
            scale = written[dim]
            scale.make_scale(str(dim))
        else:
            maxshape = (None,) if dim in growing else None
            chunks = (size or _SCALE_CHUNK,) if maxshape else None
            scale = file.create_dataset(str(dim), (size,), ">f4", maxshape=maxshape, chunks=chunks)
            scale.make_scale(_NOT_A_VARIABLE.format(size))
        scale.attrs["_Netcdf4Dimid"] = np.int32(number)
        scales[dim] = scale
    numbers = {dim: number for number, dim in enumerate(dims)}
    # A scale of several axes has no list of its dimensions; all variables say them in the same way then.
    if any(len(variables[dim].dims) > 1 for dim, scale in scales.items() if scale is written.get(dim)):
        for name, variable in variables.items():
            if variable.dims:
                written[name].attrs["_Netcdf4Coordinates"] = np.array([numbers[dim] for dim in variable.dims], np.int32)
    for name, variable in variables.items():
        if written[name] is scales.get(name):
            continue
        for axis, dim in enumerate(variable.dims):
            written[name].dims[axis].attach_scale(scales[dim])


def _stored_name(name: str, variable: xr.Variable, dims: Mapping[Hashable, int]) -> str:
    """The name in the file. A variable with the name of a dimension that is not its first cannot be the scale of that."""
    return f"_nc4_non_coord_{name}" if name in dims and variable.dims[:1] != (name,) else name


def _without_objects(variable: xr.Variable, name: Hashable) -> xr.Variable:
    """A variable of texts or numbers in place of one of Python objects."""
    try:
        from xarray.backends.common import ensure_dtype_not_object
    except ImportError:  # before xarray 2025.1, `cf_encoder` has done this
        return variable
    return ensure_dtype_not_object(variable, name=name)


def _set_attribute(owner: NewFile | NewDataset, name: str, value: Any) -> None:
    what = f"attribute {name!r} of {owner.name}"
    if isinstance(value, (list, tuple)):
        try:
            # An array of texts and numbers would be one of texts.
            _check_dtype(what, dtype_of(value))
        except WrongTypeError as error:
            raise WrongTypeError(f"{what}: {error.message}") from None
    # netCDF has no scalars among attributes; those of one element are read as such.
    array = value if isinstance(value, (str, bytes)) else np.atleast_1d(value)
    if not isinstance(array, (str, bytes)):
        _check_dtype(what, array.dtype)
    owner.attrs[name] = array


def _check_dtype(what: str, dtype: np.dtype[Any]) -> None:
    """Refuse what HDF5 can store and netCDF-C does not see, or fails on."""
    if dtype.kind in "bc" or dtype == np.float16:
        hint = "an integer, such as int(True), has a type" if dtype.kind == "b" else None
        raise WrongTypeError(f"{what}: netCDF has no type for {dtype}", hint=hint)


def _complex_type(file: NewFile, name: str, dtype: np.dtype[Any]) -> NewDatatype:
    """The named datatype of complex numbers. It has the byte order of the first variable that uses it."""
    if dtype.itemsize not in _COMPLEX:
        raise WrongTypeError(f"variable {name!r}: netCDF has no type for {dtype}")
    path = _COMPLEX[dtype.itemsize]
    if path not in file:
        file[path] = dtype
    found = file[path]
    if not isinstance(found, NewDatatype):
        raise InvalidError(f"variable {path!r}: netCDF has a datatype of this name for the complex numbers of {name!r}")
    return found


def _write(
    file: NewFile, name: str, variable: xr.Variable, is_asked: bool, growing: set[Hashable], *, is_asked_to_grow: bool
) -> NewDataset:
    """Write a variable without its dimensions. With `is_asked_to_grow`, one of them was asked to grow."""
    encoding = variable.encoding
    limits = tuple(None if dim in growing else size for dim, size in variable.sizes.items())
    maxshape = limits if None in limits else None
    words = storage_words(name, encoding, is_asked=is_asked, is_growing=is_asked_to_grow)
    if not variable.shape:
        words = {}
    dtype = encoding.get("dtype")
    chunks = words.get("chunks")
    if chunks is not None and not is_asked and not _fit(chunks, encoding, variable.shape, limits):
        # Those of the file that it was read from, of which this is a part.
        del words["chunks"]
    elif chunks is not None:
        words["chunks"] = tuple(chunks)
    attributes = dict(variable.attrs)
    fill = attributes.get("_FillValue")
    source = _VariableSource(variable)
    stored = source.dtype if dtype is None or dtype is str else np.dtype(dtype)
    order = byte_order(name, encoding) if is_asked else None
    if order is not None and not stored.hasobject:
        stored = stored.newbyteorder(order)
    named = _complex_type(file, name, stored) if stored.kind == "c" else None
    if named is None:
        _check_dtype(f"variable {name!r}", stored)
    elif order is not None and named.dtype != stored:
        raise InvalidError(f"encoding of {name!r}: all complex variables of a file have the same byte order")
    create = functools.partial(
        file.create_dataset,
        name,
        shape=variable.shape,
        dtype=stored if named is None else named,
        data=source,
        copy=False,
        maxshape=maxshape,
        fillvalue=None if fill is None or stored.hasobject else fill,
    )
    dataset = _created(create, words, is_asked=is_asked)
    for key, value in attributes.items():
        if key == "_FillValue" and named is not None:
            dataset.attrs.create(key, np.atleast_1d(value), dtype=named)
        elif key == "_FillValue" and not stored.hasobject:
            _set_attribute(dataset, key, np.asarray(value, stored))
        else:
            _set_attribute(dataset, str(key), value)
    return dataset


def _fit(chunks: Any, encoding: Mapping[str, Any], shape: tuple[int, ...], limits: tuple[int | None, ...]) -> bool:
    """True if chunks of the file that a variable was read from can be those of the new one, by the rules of xarray's backends:
    its shape is still the same, and no chunk is larger than a dimension that cannot grow."""
    if tuple(encoding.get("original_shape", shape)) != shape or np.ndim(chunks) != 1 or len(chunks) != len(shape):
        return False
    return all(chunk >= 1 and (limit is None or chunk <= limit) for chunk, limit in zip(chunks, limits, strict=True))


def _created(create: Callable[..., NewDataset], words: dict[str, Any], *, is_asked: bool) -> NewDataset:
    """The dataset, stored as the words say. Filters that the file had from which the variable was read are left out if they are
    no longer possible, such as szip for few elements."""
    if not is_asked:
        for fewer in (words, {key: value for key, value in words.items() if key == "chunks"}):
            try:
                return create(**fewer)
            except InvalidError:
                continue
        words = {}
    return create(**words)


class _VariableSource:
    """The values of a variable, of which parts are loaded."""

    def __init__(self, variable: xr.Variable) -> None:
        from xarray.coding.strings import is_bytes_dtype, is_unicode_dtype

        self._variable = variable
        self.shape = variable.shape
        self.dtype: np.dtype[Any] = variable.dtype
        if is_unicode_dtype(variable.dtype):
            self.dtype = string_dtype()
        elif variable.dtype.kind == "O" and is_bytes_dtype(variable.dtype):
            self.dtype = string_dtype("ascii")

    def __getitem__(self, selection: Any) -> Any:
        return self._variable[selection].values
