"""New HDF5 files, with h5py's words.

What is created is described here; `FileBuilder` writes it when the file is closed.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from types import TracebackType
from typing import Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hyperslab._elements import NewReference, array_of, dtype_of, encode
from hyperslab._empty import Empty
from hyperslab._hyperslab import FileBuilder, parse_filters
from hyperslab._new_dims import NewDimensions
from hyperslab.dtypes import check_string_dtype, check_vlen_dtype
from hyperslab.errors import ClosedError, ExistingFileError, InvalidError, MissingFileError, NotFoundError, WrongTypeError
from hyperslab.links import ExternalLink, SoftLink

__all__ = ["NewAttributes", "NewDataset", "NewFile", "NewGroup"]

StrPath: TypeAlias = str | os.PathLike[str]

_GZIP, _SHUFFLE, _FLETCHER32, _SZIP, _SCALEOFFSET, _LZF = 1, 2, 3, 4, 6, 32000
_SZIP_CODINGS = {"ec": 4, "nn": 32}


class _Object:
    """What groups and datasets have in common."""

    def __init__(self, file: NewFile, id: int, name: str) -> None:
        self._file = file
        self._id = id
        self._name = name
        self._attrs = NewAttributes(self)

    @property
    def name(self) -> str:
        """The path in the file."""
        return self._name

    @property
    def attrs(self) -> NewAttributes:
        """The attributes, to be set and read."""
        return self._attrs

    @property
    def file(self) -> NewFile:
        """The file that contains it."""
        return self._file

    @property
    def ref(self) -> NewReference:
        """A reference to it, as a value of datasets and attributes of the same file."""
        return NewReference(self._file, self._id)

    @property
    def _builder(self) -> FileBuilder:
        return self._file._open_builder()


class NewAttributes(MutableMapping[str, Any]):
    """The attributes of an object of a new file.

    A `str` becomes text of variable length in UTF-8, `bytes` text of variable length, other values an array of the dtype
    that NumPy gives them, as in h5py. `Empty` is an attribute without a value.
    """

    def __init__(self, owner: _Object) -> None:
        self._owner = owner
        self._values: dict[str, NDArray[Any] | Empty] = {}
        self._dtypes: dict[str, np.dtype[Any]] = {}

    def create(self, name: str, data: Any, shape: int | tuple[int, ...] | None = None, dtype: DTypeLike | None = None) -> None:
        """Set an attribute to `data`, with this shape and dtype if they are given.

        Raises:
            TypeError: HDF5 has no datatype for the values.
            ValueError: the shape has another number of elements, or the values do not fit the dtype.
        """
        self._owner._builder
        if isinstance(data, Empty):
            self._values[name], self._dtypes[name] = data, data.dtype
            return
        stored = dtype_of(data) if dtype is None else np.dtype(dtype)
        array = np.array(array_of(data, stored.base), order="C", copy=True)
        if shape is not None:
            array = array.reshape(shape)
        if stored.subdtype is not None:
            _outer_shape(array.shape, stored)
        self._values[name], self._dtypes[name] = array, stored

    def modify(self, name: str, value: Any) -> None:
        """Set the value of an attribute; its dtype stays as it is, if it exists."""
        self.create(name, value, dtype=self._dtypes.get(name))

    def __setitem__(self, name: str, value: Any) -> None:
        self.create(name, value)

    def __getitem__(self, name: str) -> Any:
        try:
            value = self._values[name]
        except KeyError:
            raise NotFoundError(f"{self._owner.name}: there is no attribute {name!r}") from None
        return value if isinstance(value, Empty) else value[()]

    def __delitem__(self, name: str) -> None:
        self[name]
        del self._values[name], self._dtypes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<Attributes of {self._owner!r}>"

    def _write(self, builder: FileBuilder) -> None:
        for name, value in self._values.items():
            dtype = self._dtypes[name]
            if isinstance(value, Empty):
                builder.attribute(self._owner._id, name, dtype, None, None)
                continue
            shape = value.shape if dtype.subdtype is None else _outer_shape(value.shape, dtype)
            builder.attribute(self._owner._id, name, dtype, shape, encode(value, dtype.base, self._owner._file))


def _shape_of(source: Any, dtype: np.dtype[Any]) -> tuple[int, ...]:
    """The shape of a dataset with these values: NumPy's arrays of an array dtype have the axes of their elements, too."""
    shape = tuple(source.shape)
    return _outer_shape(shape, dtype) if dtype.subdtype and isinstance(source, np.ndarray) else shape


def _outer_shape(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """The shape without the axes that belong to the elements of an array dtype."""
    inner = dtype.shape
    if shape[len(shape) - len(inner) :] != inner:
        raise InvalidError(f"values of shape {shape} do not have the shape {inner} of their dtype at the end")
    return shape[: len(shape) - len(inner)]


class NewDataset(_Object):
    """A dataset of a new file.

    Its values are those of `data`, or what is assigned to it; for an assignment, an array of the whole dataset is made in
    memory. What was never assigned has the fill value.
    """

    def __init__(
        self,
        file: NewFile,
        id: int,
        name: str,
        *,
        dtype: np.dtype[Any],
        shape: tuple[int, ...] | None,
        maxshape: tuple[int | None, ...] | None,
        chunks: tuple[int, ...] | None,
        fillvalue: Any,
        source: Any,
        is_own: bool,
    ) -> None:
        super().__init__(file, id, name)
        self._dtype = dtype
        self._shape = shape
        self._maxshape = maxshape
        self._chunks = chunks
        self._fillvalue = fillvalue
        self._source = source
        #: True if the source is an array that nothing else uses.
        self._is_own = is_own
        self._labels: dict[int, str] = {}

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape; None for a dataset without elements."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape or ())

    @property
    def size(self) -> int | None:
        """The number of elements."""
        return None if self._shape is None else int(np.prod(self._shape, dtype=object))

    @property
    def maxshape(self) -> tuple[int | None, ...] | None:
        """The shape to which it can grow; None along an axis without a limit."""
        return self._shape if self._maxshape is None else self._maxshape

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The shape of a chunk; None if it is not chunked."""
        return self._chunks

    @property
    def fillvalue(self) -> Any:
        """The value of elements that are not assigned."""
        return self._fillvalue

    @property
    def dims(self) -> NewDimensions:
        """The axes, to which dimension scales are attached."""
        return NewDimensions(self)

    def make_scale(self, name: str = "") -> None:
        """Make it a dimension scale of this name."""
        self._builder.make_scale(self._id, name)

    def __len__(self) -> int:
        if not self._shape:
            raise WrongTypeError("a scalar has no length")
        return self._shape[0]

    def __setitem__(self, selection: Any, values: Any) -> None:
        self._builder
        if self._shape is None:
            raise InvalidError(f"{self.name}: the dataset has no elements")
        is_sequence = check_vlen_dtype(self._dtype) is not None and check_string_dtype(self._dtype) is None
        self._in_memory()[selection] = values if is_sequence else array_of(values, self._dtype.base)[()]

    def __getitem__(self, selection: Any) -> Any:
        """The values that were given so far."""
        if self._shape is None:
            return Empty(self._dtype)
        if self._source is not None and not isinstance(self._source, np.ndarray):
            return np.asarray(self._source[selection], self._dtype.base)
        return self._in_memory()[selection]

    def __repr__(self) -> str:
        return f'<new HDF5 dataset "{self.name}": shape {self._shape}, type "{self._dtype.str}">'

    def _in_memory(self) -> NDArray[Any]:
        """The array of all elements; made if there is none."""
        assert self._shape is not None
        if self._is_own:
            return cast("NDArray[Any]", self._source)
        shape = self._shape + self._dtype.shape
        if self._source is not None:
            array = np.array(array_of(self._source[...], self._dtype.base), order="C", copy=True)
        elif self._dtype.hasobject and self._dtype.names is None:
            array = np.full(shape, self._unset(), object)
        elif self._fillvalue is None:
            array = np.zeros(shape, self._dtype.base)
        else:
            array = np.full(shape, self._fillvalue, self._dtype.base)
        self._source, self._is_own = array, True
        return array

    def _unset(self) -> Any:
        text = check_string_dtype(self._dtype)
        return None if text is None else b""

    def _write(self, builder: FileBuilder) -> None:
        if self._source is None or self._shape is None:
            return
        source = self._source
        if isinstance(source, np.ndarray) and not self._dtype.hasobject and source.flags.c_contiguous and not isinstance(source, np.memmap):
            builder.data(self._id, source.reshape(-1).view(np.uint8), True)
        else:
            builder.data(self._id, self._block, False)

    def _block(self, start: tuple[int, ...], count: tuple[int, ...]) -> Any:
        selection = tuple(slice(first, first + size) for first, size in zip(start, count, strict=True))
        base = self._dtype.base
        values = np.asarray(array_of(self._source[selection or ()], base))
        if values.shape != count + self._dtype.shape:
            raise InvalidError(f"{self.name}: the data of shape {count} from {start} on has the shape {values.shape}")
        return encode(values, base, self._file)


class NewGroup(_Object, Mapping[str, Any]):
    """A group of a new file: a mapping of names to groups, datasets and links."""

    def __init__(self, file: NewFile, id: int, name: str) -> None:
        super().__init__(file, id, name)
        self._members: dict[str, NewGroup | NewDataset | SoftLink | ExternalLink] = {}

    def create_group(self, name: str) -> NewGroup:
        """Create a group, and the groups on the way to it.

        Raises:
            ValueError: the name is taken.
        """
        group, last, path = self._place(name)
        return group._add(last, NewGroup(self._file, self._builder.group(path), path))

    def require_group(self, name: str) -> NewGroup:
        """Return a group, which is created if it does not exist.

        Raises:
            TypeError: there is a dataset of this name.
        """
        found = self.get(name)
        if found is None:
            return self.create_group(name)
        if not isinstance(found, NewGroup):
            raise WrongTypeError(f"{name} is not a group")
        return found

    def create_dataset(
        self,
        name: str,
        shape: int | tuple[int, ...] | None = None,
        dtype: DTypeLike | None = None,
        data: Any = None,
        *,
        chunks: bool | int | tuple[int, ...] | None = None,
        maxshape: bool | int | tuple[int | None, ...] | None = None,
        compression: Any = None,
        compression_opts: Any = None,
        shuffle: bool | None = None,
        fletcher32: bool | None = None,
        scaleoffset: int | bool | None = None,
        filter: str | None = None,
        fillvalue: Any = None,
        copy: bool = True,
    ) -> NewDataset:
        """Create a dataset, and the groups on the way to it. The words are those of h5py.

        Args:
            name: the path, from this group on or, with a leading `/`, from the root group on.
            shape: the number of elements along each axis; that of `data` by default.
            dtype: of the elements in the file; that of `data` by default. Without data and shape, the dataset is empty.
            data: the values: anything that NumPy makes an array of, or anything with `shape`, `dtype` and slices (an array of
                dask or Zarr, a dataset of an open file, a `numpy.memmap`), which is read in blocks of some 32 MiB when
                the file is written.
            chunks: the shape of a chunk; True for an automatic one of at most 1 MiB with the proportions of the dataset,
                which it also has if it has filters or can grow; False for none.
            maxshape: the shape to which it can grow; None along an axis (True: along all) is without a limit.
            compression: `"gzip"`, `"lzf"`, `"szip"`, the number of a filter, or an object of hdf5plugin.
            compression_opts: the level of gzip (0 to 9, 4 by default), the pair of szip, or the parameters of a filter.
            shuffle: regroup bytes before compression.
            fletcher32: add a checksum to each chunk.
            scaleoffset: the number of decimal digits that are kept (lossy) or, for integers, of bits (True: as many as needed).
            filter: instead of these, filters as `hyperslab repack` has them: `"shuffle+gzip=4"`, `"bitshuffle+zstd=3"`.
            fillvalue: the value of elements that are never assigned.
            copy: False keeps a NumPy array in `data` instead of a copy; it must not change until the file is closed.

        Raises:
            TypeError: HDF5 has no datatype for the values.
            ValueError: the name is taken, or values, shape, chunks and filters do not fit each other.
        """
        if isinstance(data, Empty):
            dtype, data, shape = data.dtype if dtype is None else dtype, None, None
            is_null = True
        else:
            is_null = data is None and shape is None
        if dtype is None:
            if data is None:
                raise WrongTypeError("a dataset needs `data` or a `dtype`")
            stored = dtype_of(data)
        else:
            stored = np.dtype(dtype)
        source, is_own = (None, False) if data is None else _source_of(data, stored, copy)
        whole = None if source is None else _shape_of(source, stored)
        if shape is None:
            shape = whole
        else:
            shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
            if source is not None and shape != whole:
                if not isinstance(source, np.ndarray) or source.size != np.prod(shape + stored.shape, dtype=object):
                    raise InvalidError(f"{name}: data of shape {whole} is not of shape {shape}")
                source = source.reshape(shape + stored.shape)
        filters = _filters(stored, compression, compression_opts, shuffle, fletcher32, scaleoffset, filter)
        if isinstance(chunks, (int, np.integer)) and not isinstance(chunks, bool):
            chunks = (int(chunks),)
        if not shape and (filters or chunks or maxshape):
            raise WrongTypeError("scalar and empty datasets have no chunks and filters, and do not grow")
        if maxshape is True:
            maxshape = (None,) * len(shape or ())
        elif isinstance(maxshape, int) and maxshape is not False:
            maxshape = (maxshape,)
        maximum = tuple(maxshape) if maxshape else None
        group, last, path = self._place(name)
        id, chosen = self._builder.dataset(
            path,
            stored,
            None if is_null else shape,
            maxshape=maximum,
            chunks=chunks if chunks is None or isinstance(chunks, bool) else list(chunks),
            filters=filters,
            fillvalue=None if fillvalue is None else _fill_bytes(fillvalue, stored),
        )
        dataset = NewDataset(
            self._file,
            id,
            path,
            dtype=stored,
            shape=None if is_null else shape,
            maxshape=maximum,
            chunks=None if chosen is None else tuple(chosen),
            fillvalue=fillvalue,
            source=source,
            is_own=is_own,
        )
        return group._add(last, dataset)

    def get(self, name: str, default: Any = None, getlink: bool = False) -> Any:
        """Return the group or dataset at a path, or `default`. With `getlink`, return a symbolic link itself."""
        try:
            return self._find(name, getlink)
        except KeyError:
            return default

    def __getitem__(self, name: str) -> Any:
        return self._find(name, False)

    def __setitem__(self, name: str, value: Any) -> None:
        """Create a link, or a dataset of the values."""
        if isinstance(value, _Object):
            if value._file is not self._file:
                raise InvalidError(f"{name}: an object of another file")
            group, last, path = self._place(name)
            self._builder.link(path, object=value._id)
        elif isinstance(value, SoftLink):
            group, last, path = self._place(name)
            self._builder.link(path, target=value.path)
        elif isinstance(value, ExternalLink):
            group, last, path = self._place(name)
            self._builder.link(path, target=value.path, filename=value.filename)
        else:
            self.create_dataset(name, data=value)
            return
        group._add(last, cast("Any", value))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._members))

    def __len__(self) -> int:
        return len(self._members)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f'<new HDF5 group "{self.name}" ({len(self)} members)>'

    def _find(self, name: str, getlink: bool, depth: int = 0) -> Any:
        found: Any = self._file if name.startswith("/") else self
        parts = [part for part in name.split("/") if part]
        for number, part in enumerate(parts):
            member = found._members.get(part) if isinstance(found, NewGroup) else None
            if isinstance(member, SoftLink) and not (getlink and number == len(parts) - 1):
                if depth > 16:
                    raise NotFoundError(f"{name}: too many symbolic links")
                member = found._find(member.path, False, depth + 1)
            if member is None or (isinstance(member, ExternalLink) and not getlink):
                raise NotFoundError(f"{self.name}: there is no {name!r} in the new file")
            found = member
        return found

    def _place(self, name: str) -> tuple[NewGroup, str, str]:
        """The group in which a path ends, which is created if it does not exist, the last name, and the whole path."""
        group: NewGroup = self._file if name.startswith("/") else self
        parts = [part for part in name.split("/") if part]
        if not parts:
            raise InvalidError("a name is missing")
        for part in parts[:-1]:
            member = group._members.get(part)
            if member is None:
                path = f"{group.name.rstrip('/')}/{part}"
                member = group._add(part, NewGroup(self._file, self._builder.group(path), path))
            if not isinstance(member, NewGroup):
                raise InvalidError(f"{name}: {part} is not a group")
            group = member
        return group, parts[-1], f"{group.name.rstrip('/')}/{parts[-1]}"

    def _add(self, name: str, member: Any) -> Any:
        self._members[name] = member
        if isinstance(member, _Object):
            self._file._objects.setdefault(member._id, member)
        return member


class NewFile(NewGroup):
    """A new HDF5 file, which is written when it is closed.

        with hyperslab.NewFile("new.h5") as file:
            file.create_dataset("t2m", data=values, chunks=(1, 361, 720), compression="gzip", shuffle=True)
            file["t2m"].attrs["units"] = "K"

    All chunks are encoded by all threads, and metadata lies together at the start of the file. The file has a temporary name
    until it is complete, verified and on the device: after an exception in the block nothing is left of it. Files that exist
    are not changed.
    """

    def __init__(
        self,
        path: StrPath,
        *,
        libver: str | tuple[str, str] | None = None,
        page_size: int | None = None,
        userblock_size: int = 0,
        track_order: bool = False,
        overwrite: bool = False,
        verify: bool = True,
        threads: int | None = None,
    ) -> None:
        """Begin a new file.

        Args:
            path: of the new file, in a folder that exists.
            libver: the oldest HDF5 library that is to read it: `"earliest"` (1.6), `"v18"`, `"v110"` (the default) or `"latest"`.
            page_size: manage the file in pages of so many bytes, for readers of object stores.
            userblock_size: bytes before the file, for the application: 0, or a power of two from 512 on.
            track_order: let readers list links and attributes in the order of their creation.
            overwrite: replace a file of this name when the new one is complete.
            verify: read the new file again, and compare it with what was to be written.
            threads: how many threads encode; the bytes of the file do not depend on it.

        Raises:
            FileExistsError: there is a file of this name, and `overwrite` is not set.
            FileNotFoundError: there is no such folder.
        """
        self._path = os.path.abspath(os.fspath(path))
        self._options = {
            "libver": libver[0] if isinstance(libver, tuple) else libver,
            "page_size": page_size,
            "userblock_size": userblock_size,
            "overwrite": overwrite,
            "verify": verify,
            "threads": threads,
        }
        self._open: FileBuilder | None = None
        if not overwrite and os.path.lexists(self._path):
            raise ExistingFileError(f"{self._path}: the file exists", hint="replace it with overwrite=True", file=self._path)
        if not os.path.isdir(os.path.dirname(self._path)):
            raise MissingFileError(f"{self._path}: the folder does not exist", file=self._path)
        self._open = FileBuilder(track_order)
        self._objects: dict[int, _Object] = {}
        super().__init__(self, 0, "/")
        self._objects[0] = self

    @property
    def filename(self) -> str:
        """The path of the new file."""
        return self._path

    def close(self) -> None:
        """Write the file. A file that is closed already stays as it is.

        Raises:
            OSError: the file could not be written, or its verification failed. Nothing of it is left.
        """
        builder = self._open
        if builder is None:
            return
        self._open = None
        for item in self._objects.values():
            item.attrs._write(builder)
            if isinstance(item, NewDataset):
                item._write(builder)
        builder.write(self._path, **cast("Any", self._options))

    def discard(self) -> None:
        """Close the file without writing it."""
        self._open = None

    def __enter__(self) -> Self:
        self._open_builder()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __bool__(self) -> bool:
        return self._open is not None

    def __del__(self) -> None:
        if getattr(self, "_open", None) is not None and len(self._objects) > 1:
            warnings.warn(f"{self._path} was not written: close the new file", ResourceWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f'<new HDF5 file "{os.path.basename(self._path)}"{"" if self else " (closed)"}>'

    def _open_builder(self) -> FileBuilder:
        if self._open is None:
            raise ClosedError(f"{self._path}: the new file is closed")
        return self._open


def _source_of(data: Any, dtype: np.dtype[Any], copy: bool) -> tuple[Any, bool]:
    """What the values of a dataset are read from, and whether it is an array of the dataset's own."""
    if isinstance(data, np.memmap) or (not isinstance(data, (np.ndarray, np.generic)) and _slices(data)):
        return data, False
    array = array_of(data, dtype.base)
    if isinstance(data, (list, tuple, np.generic)) or (isinstance(data, np.ndarray) and not np.may_share_memory(array, data)):
        return array, True
    return (np.array(array, order="C", copy=True), True) if copy else (array, False)


def _slices(data: Any) -> bool:
    """True for arrays of which parts can be read. A slice of a column of pandas is by label."""
    return not hasattr(data, "iloc") and all(hasattr(data, name) for name in ("shape", "dtype", "__getitem__"))


def _fill_bytes(value: Any, dtype: np.dtype[Any]) -> bytes:
    if dtype.hasobject:
        raise InvalidError("a fill value of text or sequences of variable length is not written")
    if dtype.subdtype is not None:
        return np.broadcast_to(array_of(value, dtype.base), dtype.shape).tobytes()
    return array_of(value, dtype).tobytes()


def _filters(
    dtype: np.dtype[Any],
    compression: Any,
    options: Any,
    shuffle: bool | None,
    fletcher32: bool | None,
    scaleoffset: int | bool | None,
    text: str | None,
) -> list[tuple[int, list[int]]]:
    """The filters in the order of h5py: scaleoffset, shuffle, compression, fletcher32."""
    if text is not None:
        if any((compression is not None, shuffle, fletcher32, scaleoffset is not None)):
            raise WrongTypeError("give either `filter` or h5py's words for filters")
        return parse_filters(text)
    filters: list[tuple[int, list[int]]] = []
    if scaleoffset is not None and scaleoffset is not False:
        if dtype.kind not in "iuf":
            raise WrongTypeError("scaleoffset is for integers and floats")
        if dtype.kind == "f" and scaleoffset is True:
            raise InvalidError("scaleoffset of floats is a number of decimal digits")
        if scaleoffset < 0:
            raise InvalidError("scaleoffset must not be negative")
        if fletcher32:
            raise InvalidError("fletcher32 cannot be used with scaleoffset")
        filters.append((_SCALEOFFSET, [0 if scaleoffset is True else int(scaleoffset)]))
    if shuffle:
        filters.append((_SHUFFLE, []))
    if compression is not None and compression is not False:
        filters.append(_compression(compression, options))
    elif options is not None:
        raise WrongTypeError("compression_opts without compression")
    if fletcher32:
        filters.append((_FLETCHER32, []))
    return filters


def _compression(compression: Any, options: Any) -> tuple[int, list[int]]:
    if hasattr(compression, "filter_id"):
        compression, options = compression.filter_id, compression.filter_options
    if compression is True:
        compression = "gzip"
    if isinstance(compression, (int, np.integer)) and 0 <= compression <= 9:
        # h5py's older spelling of gzip and its level.
        if options is not None:
            raise WrongTypeError("two levels of gzip")
        compression, options = "gzip", int(compression)
    if compression == "gzip":
        level = 4 if options is None else options
        if level not in range(10):
            raise InvalidError(f"the level of gzip is a number from 0 to 9, not {level!r}")
        return _GZIP, [int(level)]
    if compression == "lzf":
        if options is not None:
            raise InvalidError("lzf has no options")
        return _LZF, []
    if compression == "szip":
        coding, pixels = ("nn", 8) if options is None else options
        if coding not in _SZIP_CODINGS or pixels not in range(2, 33, 2):
            raise InvalidError("the options of szip are 'nn' or 'ec', and an even number of pixels from 2 to 32")
        return _SZIP, [_SZIP_CODINGS[coding], int(pixels)]
    if isinstance(compression, (int, np.integer)):
        return int(compression), [int(option) for option in cast("Iterable[int]", options or ())]
    raise InvalidError(f"there is no compression {compression!r}; `filter` has more than h5py")
