"""What the extension module offers; `hyperslab` exports it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, BinaryIO, Literal, Self, TypeVar, final, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray
from typing_extensions import Buffer

from hyperslab._views import AsStr, AsType, Chunks, Fields, Items, Keys, Values, VirtualSource
from hyperslab.dims import Dimensions
from hyperslab.links import ExternalLink, HardLink, SoftLink

__all__ = [
    "AttributeManager",
    "AttributeReference",
    "CacheStats",
    "Dataset",
    "Datatype",
    "File",
    "Group",
    "Reference",
    "RegionReference",
    "__version__",
    "cache_bytes",
    "cache_stats",
    "is_hdf5",
    "register_filter",
    "run_command",
    "set_cache_bytes",
    "set_threads",
    "threads",
]

__version__: str

_T = TypeVar("_T")
_Link = HardLink | SoftLink | ExternalLink

def run_command(arguments: list[str]) -> int: ...
def set_cache_bytes(bytes: int | str) -> None:
    """Sets how many bytes of decoded chunks this process keeps: a number, or text such as "2GiB"; 0 keeps none."""

def cache_bytes() -> int:
    """How many bytes of decoded chunks this process keeps at most."""

def threads() -> int:
    """How many threads decode, the caller's included."""

def set_threads(count: int) -> None:
    """Sets how many threads of this process decode, the caller's included: 1 decodes on the caller's thread alone."""

def cache_stats() -> CacheStats:
    """What the chunk cache of this process has done so far."""

def is_hdf5(fname: str | bytes | PathLike[str]) -> bool:
    """True where `fname` is an HDF5 file; False where it is none, or is not there."""

def register_filter(id: int, name: str, decode: Callable[[bytes, tuple[int, ...], int], Buffer]) -> None:
    """Reads chunks that were stored through a filter which is not built in, or another one than is built in.

    `decode(stored, client_data, nbytes)` is given the bytes of a chunk, the filter's parameters in the file, and how
    many bytes the result has at most; it answers with bytes, or whatever offers them (an array, a memoryview). It is
    called on several threads. Register filters before files are opened.
    """

@final
class CacheStats:
    """What the chunk cache of this process has done so far."""

    @property
    def hits(self) -> int:
        """Requests that were served without decoding."""
    @property
    def misses(self) -> int:
        """Requests that had to decode."""
    @property
    def decodes(self) -> int:
        """Chunks that were decoded, those read ahead included."""
    @property
    def evictions(self) -> int:
        """Chunks that made room for others."""
    @property
    def resident_bytes(self) -> int:
        """Bytes of the chunks that are kept."""
    @property
    def resident_chunks(self) -> int:
        """Chunks that are kept."""

@final
class Reference:
    """A reference to an object. `file[reference]` opens it; a null reference is false."""

    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RegionReference:
    """A reference to elements of a dataset. `file[reference]` opens the dataset; a null reference is false."""

    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AttributeReference:
    """A reference to an attribute (HDF5 1.12; h5py has no such class). `file[reference]` opens the object that has it,
    `file[reference].attrs[reference.name]` reads it."""

    @property
    def name(self) -> str | bytes:
        """The name of the attribute."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class _Object:
    @property
    def name(self) -> str | None:
        """Its path in the file; None after the file was closed."""
    @property
    def parent(self) -> Group:
        """The group that its path goes through last."""
    @property
    def file(self) -> File:
        """The file."""
    @property
    def attrs(self) -> AttributeManager:
        """Its attributes."""
    @property
    def ref(self) -> Reference:
        """A reference to it."""
    def __bool__(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AttributeManager(Mapping[str, Any]):
    """The attributes of an object: a mapping of names to values."""

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
        """Names."""
    def values(self) -> Values:
        """Values."""
    def items(self) -> Items:
        """Names and values."""

@final
class Datatype(_Object):
    """A named datatype of an open file."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype."""

class Group(_Object, Mapping[str, Any]):
    """A group of an open file."""

    def __getitem__(self, name: str | bytes | Reference | RegionReference | AttributeReference, /) -> Any: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __reversed__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
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
        """Names of the members."""
    def values(self) -> Values:
        """Members."""
    def items(self) -> Items:
        """Names and members."""
    def visit(self, func: Callable[[str], _T | None]) -> _T | None:
        """Calls `func(name)` for every object below, until it returns something."""
    def visititems(self, func: Callable[[str, Any], _T | None]) -> _T | None:
        """Calls `func(name, object)` for every object below, until it returns something."""
    def visit_links(self, func: Callable[[str], _T | None]) -> _T | None:
        """Calls `func(name)` for every link below, until it returns something."""
    def visititems_links(self, func: Callable[[str, _Link], _T | None]) -> _T | None:
        """Calls `func(name, link)` for every link below, until it returns something."""

class File(Group):
    """An HDF5 file, open for reading; its root group."""

    def __new__(
        cls,
        name: str | bytes | PathLike[str] | BinaryIO,
        mode: Literal["r"] = "r",
        driver: str | None = None,
        *,
        cache_bytes: int | str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Self:
        """Opens a file. Arguments that tune libhdf5 (`rdcc_nbytes` and its like) are accepted and have no effect.

        `cache_bytes` (a number, or text such as "2GiB") gives the file a cache of its own; `threads` bounds how many
        threads of the process its reads use.
        """
    @classmethod
    def in_memory(cls, file_image: bytes | bytearray | memoryview) -> File:
        """Opens a file whose bytes are in memory already."""
    def close(self) -> None:
        """Closes the file; every object of it becomes unusable."""
    def flush(self) -> None:
        """Nothing is ever written; for programs that flush whatever they use."""
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
        """"sec2" for a local file, "family", "split" or "multi" for one that consists of several, "core" for one in
        memory, "fileobj" for a Python object."""
    @property
    def swmr_mode(self) -> bool:
        """Always False: the file is read as it was when it was opened."""
    @property
    def userblock_size(self) -> int:
        """Bytes before the HDF5 file proper."""
    @property
    def decodes(self) -> int:
        """How many chunks of this file were decoded so far."""

@final
class Dataset(_Object):
    """A dataset of an open file. Indexing it reads."""

    def __getitem__(self, index: Any, /) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]: ...
    def len(self) -> int:
        """The size of the first axis."""
    @property
    def shape(self) -> tuple[int, ...] | None:
        """Sizes along the axes; None where the dataspace is null."""
    @property
    def ndim(self) -> int:
        """Number of axes."""
    @property
    def size(self) -> int | None:
        """Number of elements; None where the dataspace is null."""
    @property
    def nbytes(self) -> int:
        """Bytes of all elements in memory."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
    @property
    def maxshape(self) -> tuple[int | None, ...] | None:
        """Largest sizes along the axes; None along an axis without a limit."""
    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Sizes of a chunk; None where the dataset is not chunked."""
    @property
    def compression(self) -> Literal["gzip", "lzf", "szip", "unknown"] | None:
        """"gzip", "lzf", "szip", "unknown" (another filter) or None."""
    @property
    def compression_opts(self) -> int | tuple[str, int] | None:
        """The level of gzip, or the coding and block size of szip."""
    @property
    def shuffle(self) -> bool:
        """True where bytes are shuffled before they are compressed."""
    @property
    def fletcher32(self) -> bool:
        """True where chunks have checksums."""
    @property
    def scaleoffset(self) -> int | None:
        """The scale factor of the scale-offset filter, or None."""
    @property
    def filter_ids(self) -> tuple[int, ...]:
        """Registered numbers of the filters."""
    @property
    def filter_names(self) -> tuple[str, ...]:
        """The names of the filters, as the file has them; empty where it has none."""
    @property
    def dims(self) -> Dimensions:
        """The dimensions and their scales."""
    @property
    def is_scale(self) -> bool:
        """True where the dataset is a dimension scale."""
    @property
    def filters(self) -> tuple[str, ...]:
        """The filters in words, with their parameters: "gzip 4"."""
    @property
    def fillvalue(self) -> Any:
        """What is read where nothing was written."""
    @property
    def is_virtual(self) -> bool:
        """True where the values lie in other datasets."""
    def virtual_sources(self) -> list[VirtualSource]:
        """The files and datasets that a virtual dataset takes its values from, as the file names them."""
    @property
    def external(self) -> list[tuple[str, int, int]] | None:
        """The files of raw data that hold the values: name, first byte, bytes. None where this file holds them."""
    @property
    def layout(self) -> Literal["contiguous", "chunked", "compact", "virtual", "external"]:
        """Where and how the values lie: "contiguous", "chunked", "compact", "virtual" or "external"."""
    def astype(self, dtype: DTypeLike) -> AsType | Dataset:
        """Values as another dtype: `dataset.astype("f8")[...]`."""
    def asstr(self, encoding: str | None = None, errors: str = "strict") -> AsStr:
        """Text as `str`: `dataset.asstr()[...]`."""
    def _read_text(self, index: Any, encoding: str, errors: str) -> Any: ...
    def _read_fields(self, names: Sequence[str], only: bool, index: Any) -> Any: ...
    def fields(self, names: str | list[str] | tuple[str, ...]) -> Fields:
        """Some members of a compound: `dataset.fields(["x", "y"])[...]`."""
    def iter_chunks(self, sel: Any = None) -> Chunks:
        """The selections of the chunks that a region touches."""
    def read_direct(self, dest: NDArray[Any], source_sel: Any = None, dest_sel: Any = None) -> None:
        """Reads into an array that exists already."""
    def explain(self, selection: Any = None) -> str:
        """What a read would do, as text: chunks, byte ranges, requests, filters."""
