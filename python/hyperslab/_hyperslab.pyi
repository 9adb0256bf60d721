"""The contents of the extension module, which `hyperslab` exports."""

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from io import BufferedIOBase, RawIOBase
from os import PathLike
from typing import Any, BinaryIO, Literal, NoReturn, Self, TypeVar, final, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray
from typing_extensions import Buffer

from hyperslab._chunks import DatasetID, GroupID
from hyperslab._explanation import Explanation
from hyperslab._h5py_names import AttributeID
from hyperslab._views import AsStr, AsType, Chunks, Fields, Items, Keys, Values, VirtualSource
from hyperslab.dims import Dimensions
from hyperslab.links import ExternalLink, HardLink, SoftLink

__all__ = [
    "AttributeManager",
    "AttributeReference",
    "CacheStats",
    "CancelToken",
    "Dataset",
    "Datatype",
    "File",
    "FileBuilder",
    "Group",
    "NetcdfDimension",
    "NetcdfGroup",
    "NetcdfVariable",
    "Reference",
    "RegionReference",
    "Traffic",
    "__version__",
    "as_netcdf4",
    "attribute_reference",
    "cache_bytes",
    "cache_stats",
    "cancel_applications",
    "error_classes",
    "is_hdf5",
    "netcdf_groups",
    "object_reference",
    "packed_arrays",
    "packed_string_array",
    "packed_texts",
    "parse_bytes",
    "parse_filters",
    "read_orthogonal",
    "read_points",
    "region_reference",
    "register_filter",
    "run_application",
    "run_command",
    "set_cache_bytes",
    "set_threads",
    "threads",
    "traffic",
]

__version__: str

_T = TypeVar("_T")
_Link = HardLink | SoftLink | ExternalLink

def run_command(arguments: list[str]) -> int: ...
def run_application(
    name: str,
    paths: Sequence[str | bytes | PathLike[str]],
    output: str | bytes | PathLike[str] | None,
    request: str,
    jobs: int = 1,
    shard: str | None = None,
    progress: Callable[[str, int, int], Any] | None = None,
) -> tuple[str, list[str]]:
    """Run an application by its name. `progress` is called with the name of a file, and how many of its bytes are done."""

def cancel_applications() -> None:
    """Cancel all applications of this process: those that threads of an executor run."""

def parse_bytes(text: str) -> int:
    """Return the number of bytes that a text such as "2GiB" or "500MB" names."""

def set_cache_bytes(bytes: int | str) -> None:
    """Set the memory budget for decoded chunks of this process: a number of bytes, or text such as "2GiB". 0 keeps
    none."""

def cache_bytes() -> int:
    """Return the memory budget for decoded chunks of this process, in bytes."""

def threads() -> int:
    """How many threads decode, the caller's included."""

def set_threads(count: int) -> None:
    """Sets how many threads of this process decode, the caller's included: 1 decodes on the caller's thread alone."""

def cache_stats() -> CacheStats:
    """Statistics of the chunk cache of this process."""

def traffic() -> Traffic:
    """Return the requests of this process to remote files so far."""

def error_classes() -> list[tuple[str, str]]:
    """The engine's kinds of error, and the name of the exception class of each."""

def is_hdf5(fname: str | bytes | PathLike[str]) -> bool:
    """Return True if `fname` is an HDF5 file, and False if it is not or does not exist."""

def register_filter(id: int, name: str, decode: Callable[[bytes, tuple[int, ...], int], Buffer]) -> None:
    """Register a decoder for a filter that is not built in, or replace a built-in one.

    `decode(stored, client_data, nbytes)` receives the bytes of a chunk, the filter's parameters in the file, and the
    maximum size of the result in bytes. It returns bytes, or an object that supports the buffer protocol (an array, a
    memoryview). It is called on several threads. Register filters before you open files.
    """

def as_netcdf4(file: File) -> File:
    """A file of netCDF classic or HDF4 as the netCDF-4 file that it would be converted to. It is open as long as the file is."""

def netcdf_groups(file: File, path: str, below: bool) -> tuple[list[NetcdfGroup], list[tuple[str, str]]]:
    """The group at a path with the groups around it and, with `below`, those below it; a group comes before the groups in
    it. The second list says what could not be read: path and reason."""

def object_reference(target: int | None, file: bytes | None) -> Reference:
    """A reference to an object, from what its `__reduce__` says."""

def region_reference(target: int | None, file: bytes | None, selection: bytes) -> RegionReference:
    """A reference to a region, from what its `__reduce__` says."""

def attribute_reference(target: int, file: bytes | None, attribute: bytes) -> AttributeReference:
    """A reference to an attribute, from what its `__reduce__` says."""

def read_orthogonal(
    dataset: Dataset, axes: tuple[tuple[int, int, int] | NDArray[np.int64], ...], codec: str | None = None
) -> NDArray[Any]:
    """Read the product of indexes: for each axis either `(start, count, step)` or an array of int64 in any order. The
    result has all axes. With `codec`, text is decoded to `str`."""

def read_points(dataset: Dataset, coordinates: NDArray[np.int64], codec: str | None = None) -> NDArray[Any]:
    """Read single elements: `coordinates` is an array of int64 with a row for each element. The result has one axis."""

def packed_string_array(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint8]] | None:
    """The lengths and the bytes of the texts of an array of `StringDType` without gaps; None if one is missing or has a NUL."""

def packed_texts(values: list[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint8]] | None:
    """Texts in UTF-8, one after the other: their lengths, and the bytes. None where one of them needs a closer look."""

def packed_arrays(values: list[Any], dtype: np.dtype[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint8]] | None:
    """Plain arrays of a dtype, one after the other: their lengths in bytes, and the bytes. None if one of them is no such array."""

def parse_filters(text: str) -> list[tuple[int, list[int]]]:
    """The filters of a pipeline that is written as `hyperslab repack` reads it (`shuffle+gzip=4`): the number of each, and the
    parameters that were given."""

@final
class FileBuilder:
    """The objects of a new file, each by the number that its creation returned; 0 is the root group."""

    def __new__(cls, track_order: bool = False) -> Self: ...
    def group(self, path: str) -> int:
        """Create a group."""
    def dataset(
        self,
        path: str,
        dtype: np.dtype[Any],
        shape: Sequence[int] | None,
        *,
        maxshape: Sequence[int | None] | None = None,
        chunks: bool | Sequence[int] | None = None,
        filters: Sequence[tuple[int, Sequence[int]]] = ...,
        fillvalue: Any = None,
        datatype: int | None = None,
    ) -> tuple[int, list[int] | None]:
        """Create a dataset. `shape` is None for one without elements; `chunks` is a shape, True for an automatic one, or False for
        none; `fillvalue` is one element as a source returns it; `datatype` is the number of the named datatype that it uses.
        Return its number and the shape of its chunks."""
    def datatype(self, path: str, dtype: np.dtype[Any]) -> int:
        """Create a named datatype."""
    def rename(self, source: str, target: str) -> None:
        """Give a link another path."""
    @staticmethod
    def region(index: Any, shape: Sequence[int]) -> bytes:
        """The selection of an index of a dataset of this shape, as files store it. It is checked like the index of a read."""
    @staticmethod
    def selected(
        index: Any, shape: Sequence[int]
    ) -> tuple[tuple[Any, ...], list[int], list[int], list[int], Literal["regular", "list", "points"]]:
        """What an index selects of an array of this shape, by the rules of a read: an index for NumPy that keeps all axes, the
        number of elements along each of them, the shape of the result of a read, the axes with an integer, and the kind."""
    @staticmethod
    def selected_region(
        region: bytes, shape: Sequence[int]
    ) -> tuple[tuple[Any, ...], list[int], list[int], list[int], Literal["regular", "list", "points"]]:
        """As `selected`, for an encoded region."""
    def link(
        self, path: str, *, object: int | None = None, target: str | None = None, filename: str | None = None
    ) -> None:
        """Create a link to an object, to a path, or to a path in another file."""
    def attribute(
        self, object: int, name: str, dtype: np.dtype[Any], shape: Sequence[int] | None, elements: Any, datatype: int | None = None
    ) -> None:
        """Set an attribute. `shape` is None for one without a value; `elements` are as a source returns them; `datatype` is the
        number of the named datatype that it uses."""
    def make_scale(self, dataset: int, name: str) -> None:
        """Make a dataset a dimension scale."""
    def attach_scale(self, dataset: int, axis: int, scale: int) -> None:
        """Attach a dimension scale to an axis of a dataset."""
    def label_axis(self, dataset: int, axis: int, label: str) -> None:
        """Give an axis of a dataset a label."""
    def data(self, dataset: int, source: Any, whole: bool) -> None:
        """Set the elements of a dataset: with `whole`, those of an array of bytes, which must not change until the file is
        written; otherwise `source(start, count)` returns the elements of a block."""
    def clear_values(self) -> None:
        """Drop all attributes, and the elements of datasets."""
    def write(
        self,
        path: str,
        *,
        libver: str | None = None,
        page_size: int | None = None,
        userblock_size: int = 0,
        overwrite: bool = False,
        verify: bool = True,
        threads: int | None = None,
        encoder: str = "auto",
    ) -> int:
        """Write the file, and return its length in bytes. The builder is empty afterwards; after an error it is as before."""

@final
class NetcdfGroup:
    """A group of the netCDF view."""

    @property
    def path(self) -> str:
        """Its path from the root group."""
    @property
    def dimensions(self) -> tuple[NetcdfDimension, ...]:
        """Its own dimensions, in the order of netCDF's numbers."""
    @property
    def variables(self) -> tuple[NetcdfVariable, ...]:
        """Its variables, in the order of the file."""
    @property
    def attributes(self) -> dict[str, Any]:
        """Its attributes, without those that netCDF reserves."""

@final
class NetcdfDimension:
    """A dimension of the netCDF view."""

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def length(self) -> int:
        """Its length. For an unlimited dimension, that of the longest variable that uses it."""
    @property
    def is_unlimited(self) -> bool:
        """True where it can grow."""
    @property
    def is_phony(self) -> bool:
        """True if it was made for an axis that the file gives no dimension."""

@final
class NetcdfVariable:
    """A variable of the netCDF view."""

    @property
    def name(self) -> str:
        """Its netCDF name."""
    @property
    def path(self) -> str:
        """The path of its dataset, from the root group of the file."""
    @property
    def dataset(self) -> Dataset:
        """The dataset of its values."""
    @property
    def dimensions(self) -> tuple[NetcdfDimension, ...]:
        """Its dimensions, slowest first."""
    @property
    def shape(self) -> tuple[int, ...]:
        """Length along each axis. The dataset is shorter along an unlimited dimension that another variable made longer."""
    @property
    def has_labels(self) -> bool:
        """True where the file says what the dimensions of its axes are."""
    @property
    def user_type(self) -> tuple[str, str] | None:
        """"enum", "compound", "vlen", "opaque" or "atomic" and the name, if its type is a user-defined one."""
    @property
    def attributes(self) -> dict[str, Any]:
        """Its attributes, without those that netCDF reserves."""

@final
class CancelToken:
    """Cancels the reads that `run` makes."""

    def __new__(cls) -> Self: ...
    def cancel(self) -> None:
        """Stop the reads, and those that begin later."""
    def run(self, work: Callable[[], _T]) -> _T:
        """Call `work`; the reads that it makes on this thread can be cancelled."""

@final
class CacheStats:
    """Statistics of the chunk cache of this process."""

    @property
    def hits(self) -> int:
        """Requests for a chunk that were answered from the cache."""
    @property
    def misses(self) -> int:
        """Requests for a chunk that had to decode it."""
    @property
    def decodes(self) -> int:
        """Chunks that were decoded, including those read ahead."""
    @property
    def evictions(self) -> int:
        """Chunks that were removed to make room for others."""
    @property
    def resident_bytes(self) -> int:
        """The size of the chunks in the cache, in bytes."""
    @property
    def resident_chunks(self) -> int:
        """The number of chunks in the cache."""

@final
class Traffic:
    """The requests of this process to remote files."""

    @property
    def requests(self) -> int:
        """Requests, including those that failed."""
    @property
    def bytes(self) -> int:
        """Bytes that were received."""
    @property
    def rounds(self) -> int:
        """Batches of requests, each of which was waited for."""
    @property
    def retries(self) -> int:
        """Attempts after the first of a request."""
    @property
    def hedges(self) -> int:
        """Second requests for ranges whose first request took unusually long."""
    @property
    def cached_bytes(self) -> int:
        """Bytes that were read from the disk cache instead of being requested."""
    @property
    def waited(self) -> float:
        """The seconds for which reads waited for their batches."""

@final
class Reference:
    """A reference to an object. `file[reference]` opens it; a null reference is false."""

    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RegionReference:
    """A reference to a region of a dataset. `file[reference]` opens the dataset; a null reference is false."""

    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AttributeReference:
    """A reference to an attribute (HDF5 1.12; h5py has no such class). `file[reference]` opens the object that has it,
    and `file[reference].attrs[reference.name]` reads it."""

    @property
    def name(self) -> str | bytes:
        """The name of the attribute."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class _Object:
    @property
    def name(self) -> str | None:
        """The path in the file, or None after the file was closed."""
    @property
    def parent(self) -> Group:
        """The group that contains it: the last but one of its path."""
    @property
    def file(self) -> File:
        """The file that contains it."""
    @property
    def attrs(self) -> AttributeManager:
        """The attributes of the group."""
    @property
    def ref(self) -> Reference:
        """A reference to this object."""
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AttributeManager(Mapping[str, Any]):
    """The attributes of an object, as a mapping of names to values."""

    def __getitem__(self, name: str | bytes, /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __reversed__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    @overload
    def get(self, name: str, default: None = None) -> Any | None: ...
    @overload
    def get(self, name: str, default: _T) -> Any | _T: ...
    def keys(self) -> Keys:
        """The names of the attributes."""
    def values(self) -> Values:
        """The values of the attributes."""
    def items(self) -> Items:
        """The names and values of the attributes."""
    def get_id(self, name: str | bytes) -> AttributeID:
        """The name, the dtype and the shape of an attribute, without its value. The shape is None if it has no elements."""
    def setdefault(self, name: str, value: Any = None) -> Any:
        """Return the value of an attribute; an error if there is none, because files are only read."""
    def update(self, *_values: Any, **_more: Any) -> NoReturn:
        """Raise an error: files are only read."""
    def create(self, *_values: Any, **_more: Any) -> NoReturn:
        """Raise an error: files are only read."""
    def modify(self, *_values: Any, **_more: Any) -> NoReturn:
        """Raise an error: files are only read."""
    def pop(self, *_values: Any, **_more: Any) -> NoReturn:
        """Raise an error: files are only read."""
    def clear(self) -> NoReturn:
        """Raise an error: files are only read."""

@final
class Datatype(_Object):
    """A named datatype of an open file."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype that NumPy uses for it."""

class Group(_Object, Mapping[str, Any]):
    """A group of an open file."""

    def _repr_html_(self) -> str: ...
    @property
    def id(self) -> GroupID:
        """An identifier as h5py's: equal for the same object, true while the file is open."""
    def __getitem__(self, name: str | bytes | Reference | RegionReference | AttributeReference, /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __reversed__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def prefetch(self, *, chunk_indexes: bool = False) -> None:
        """Fetch the metadata of all objects below this group in a few rounds of concurrent requests, if the file is remote.
        With `chunk_indexes`, also where all chunks lie. What is read afterwards takes no requests for metadata.
        """
    def aread(self, name: str, index: Any = None) -> Coroutine[Any, Any, Any]:
        """Await `group[name][index]`: the values of a dataset below this group, read on another thread."""
    @overload
    def get(
        self,
        name: str | bytes | Reference | RegionReference,
        default: Any = None,
        getclass: Literal[False] = False,
        getlink: Literal[False] = False,
        elink_mode: Literal["r"] | None = None,
        elink_locking: bool | Literal["true", "false", "best-effort"] | None = None,
        elink_swmr: bool | None = None,
    ) -> Any: ...
    @overload
    def get(
        self,
        name: str | bytes,
        default: Any = None,
        *,
        getclass: Literal[True],
        getlink: bool = False,
        elink_mode: Literal["r"] | None = None,
        elink_locking: bool | Literal["true", "false", "best-effort"] | None = None,
        elink_swmr: bool | None = None,
    ) -> type[Any] | Any: ...
    @overload
    def get(
        self,
        name: str | bytes,
        default: Any = None,
        getclass: Literal[False] = False,
        *,
        getlink: Literal[True],
        elink_mode: Literal["r"] | None = None,
        elink_locking: bool | Literal["true", "false", "best-effort"] | None = None,
        elink_swmr: bool | None = None,
    ) -> _Link | Any: ...
    def keys(self) -> Keys:
        """The names of the members."""
    def values(self) -> Values:
        """The members."""
    def items(self) -> Items:
        """The names and members."""
    def visit(self, func: Callable[[str], _T | None]) -> _T | None:
        """Call `func(name)` for every object below this group, until it returns something other than None."""
    def visititems(self, func: Callable[[str, Any], _T | None]) -> _T | None:
        """Call `func(name, object)` for every object below this group, until it returns something other than None."""
    def visit_links(self, func: Callable[[str], _T | None]) -> _T | None:
        """Call `func(name)` for every link below this group, until it returns something other than None."""
    def visititems_links(self, func: Callable[[str, _Link], _T | None]) -> _T | None:
        """Call `func(name, link)` for every link below this group, until it returns something other than None."""

class File(Group):
    """An HDF5 file open for reading, and its root group."""

    def __init__(
        self,
        name: str | bytes | PathLike[str] | BinaryIO | RawIOBase | BufferedIOBase,
        mode: Literal["r"] = "r",
        driver: str | None = None,
        *,
        cache_bytes: int | str | None = None,
        threads: int | None = None,
        storage_options: dict[str, Any] | None = None,
        index: str | PathLike[str] | None = None,
        store: Any = None,
        **options: Any,
    ) -> None:
        """Open a file. Arguments that tune libhdf5 (`rdcc_nbytes` and others) are accepted without effect.

        `cache_bytes` (a number, or text such as "2GiB") gives the file a cache of its own; `threads` limits how many
        threads of the process its reads use. `name` may be a URL (s3, gs, az, abfs, https, http); `storage_options` are
        the options of its store, by the names of fsspec or of object_store. `index` is the path of an index of the format
        `hyperslab`: the file is opened with it, without reading its metadata. With `store`, a file system of fsspec or a store
        of obstore, `name` is the path of the file in it. `name` may also be an open file of fsspec, or any object with `read`
        and `seek`.
        """
    @classmethod
    def in_memory(cls, file_image: bytes | bytearray | memoryview) -> Self:
        """Open a file whose bytes are already in memory."""
    def close(self) -> None:
        """Close the file. Every object opened from it becomes unusable."""
    def flush(self) -> None:
        """Do nothing: hyperslab never writes. For programs that flush every file they use."""
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...
    @property
    def filename(self) -> str:
        """The path, as it was given."""
    @property
    def mode(self) -> Literal["r"]:
        """Always "r"."""
    @property
    def driver(self) -> Literal["sec2", "family", "split", "multi", "core", "fileobj"]:
        """How the file is read: "sec2" for a local file, "family", "split" or "multi" for one that consists of several
        files, "core" for one in memory, "fileobj" for a Python object."""
    @property
    def format(self) -> Literal["hdf5", "hdf4", "netcdf-classic-1", "netcdf-classic-2", "netcdf-classic-5"]:
        """The format of the file: "hdf5", "hdf4", or "netcdf-classic-1", "-2" or "-5"."""
    @property
    def swmr_mode(self) -> bool:
        """Always False: the file is read as it was when it was opened."""
    @property
    def userblock_size(self) -> int:
        """The size of the user block that precedes the HDF5 file, in bytes."""
    @property
    def libver(self) -> tuple[str, str]:
        """The oldest and the newest version of libhdf5 whose format may be written: always "earliest" and "latest", because
        nothing is written.
        """
    @property
    def meta_block_size(self) -> int:
        """The size of the blocks in which libhdf5 would allocate metadata: its default, because nothing is written."""
    @property
    def decodes(self) -> int:
        """The number of chunks of this file that have been decoded so far."""

class Dataset(_Object):
    """A dataset of an open file. Indexing it reads values."""

    def __init__(self, id: DatasetID | Dataset, *_arguments: Any, **_options: Any) -> None:
        """The dataset of a `Dataset.id`, or the same dataset once more: for subclasses."""
    def __getitem__(self, index: Any, /) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]: ...
    def len(self) -> int:
        """The size of the first axis."""
    @property
    def shape(self) -> tuple[int, ...] | None:
        """The size of each axis, or None if the dataspace is null."""
    @property
    def ndim(self) -> int:
        """The number of axes."""
    @property
    def size(self) -> int | None:
        """The number of elements, or None if the dataspace is null."""
    @property
    def nbytes(self) -> int:
        """The size of all elements in memory, in bytes."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
    @property
    def maxshape(self) -> tuple[int | None, ...] | None:
        """The maximum size of each axis; None for an axis without a limit."""
    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The size of a chunk along each axis, or None if the dataset is not chunked."""
    @property
    def compression(self) -> Literal["gzip", "lzf", "szip", "unknown"] | None:
        """The compression filter: "gzip", "lzf", "szip", "unknown" (another filter) or None."""
    @property
    def compression_opts(self) -> int | tuple[str, int] | None:
        """The level of gzip, or the coding and block size of szip."""
    @property
    def shuffle(self) -> bool:
        """True if bytes are shuffled before they are compressed."""
    @property
    def fletcher32(self) -> bool:
        """True if chunks have a Fletcher-32 checksum."""
    @property
    def scaleoffset(self) -> int | None:
        """The scale factor of the scale-offset filter, or None."""
    @property
    def filter_ids(self) -> tuple[int, ...]:
        """The registered numbers of the filters."""
    @property
    def filter_names(self) -> tuple[str, ...]:
        """The names of the filters, as stored in the file; empty for a filter without a name."""
    @property
    def dims(self) -> Dimensions:
        """The dimensions and their scales."""
    @property
    def is_scale(self) -> bool:
        """True if the dataset is a dimension scale."""
    @property
    def filters(self) -> tuple[str, ...]:
        """The filters with their parameters, as text: "gzip 4"."""
    @property
    def fillvalue(self) -> Any:
        """The value of elements that were never written."""
    @property
    def is_virtual(self) -> bool:
        """True if the values are stored in other datasets."""
    def __dask_tokenize__(self) -> Any: ...
    def _repr_html_(self) -> str: ...
    @property
    def _filters(self) -> dict[str, Any]:
        """The filters with their parameters, as h5py's attribute of this name has them; libraries use it."""
    @property
    def _dcpl(self) -> Any:
        """How it is stored, as h5py's attribute of this name says it."""
    def _filter_parameters(self) -> list[tuple[int, list[int]]]: ...
    def virtual_sources(self) -> list[VirtualSource]:
        """The source files and source datasets of a virtual dataset, as named in the file."""
    @property
    def external(self) -> list[tuple[str, int, int]] | None:
        """The external files that contain the raw data, each as (name, offset in bytes, size in bytes), or None if the
        raw data is in this file."""
    @property
    def layout(self) -> Literal["contiguous", "chunked", "compact", "virtual", "external", "linked", "records"]:
        """The storage layout: "contiguous", "chunked", "compact", "virtual" or "external"; of HDF4 also "linked" and "records"."""
    def astype(self, dtype: DTypeLike) -> AsType | Dataset:
        """Read values as another dtype: `dataset.astype("f8")[...]`."""
    def asstr(self, encoding: str | None = None, errors: str = "strict") -> AsStr:
        """Read text as `str`: `dataset.asstr()[...]`."""
    def _read_text(self, index: Any, encoding: str, errors: str) -> Any: ...
    def _read_fields(self, names: Sequence[str], only: bool, index: Any) -> Any: ...
    def fields(self, names: str | list[str] | tuple[str, ...]) -> Fields:
        """Read some members of a compound: `dataset.fields(["x", "y"])[...]`."""
    def iter_chunks(self, sel: Any = None) -> Chunks:
        """Iterate over the chunks that a region touches, as selections."""
    def chunk_map(self) -> NDArray[Any]:
        """Where every existing chunk lies, in row-major order: an array with the fields `offset` (index of its first
        element along each axis), `address` (its first byte in the file), `size` (bytes as stored) and `filter_mask`."""
    @property
    def id(self) -> DatasetID:
        """The functions of h5py's low-level `DatasetID` that say where values lie, and its shape and type."""
    def _data_offset(self) -> int | None: ...
    def _stored_bytes(self) -> int: ...
    def _chunk_count(self) -> int: ...
    def _chunk_info(self, index: int) -> tuple[tuple[int, ...], int, int, int] | None: ...
    def _chunk_info_by_coord(self, element: Sequence[int]) -> tuple[tuple[int, ...], int, int, int] | None: ...
    def read_direct(self, dest: NDArray[Any], source_sel: Any = None, dest_sel: Any = None) -> None:
        """Read into an existing array."""
    def aread(self, index: Any = None) -> Coroutine[Any, Any, Any]:
        """Await `dataset[index]`, read on another thread. If the task is cancelled, the requests are."""
    def explain(self, selection: Any = None) -> Explanation:
        """Describe what a read would do: chunks, byte ranges, requests, filters. It is a text with the same facts as data."""
    def flush(self) -> None:
        """Do nothing: hyperslab never writes. For programs that flush every dataset they use."""
