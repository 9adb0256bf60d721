"""Where the chunks of a dataset lie: `Dataset.chunk_map()`, and the functions of h5py under `Dataset.id`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from hyperslab.errors import InvalidError, OutOfRangeError

if TYPE_CHECKING:
    from hyperslab import Dataset

T = TypeVar("T")

BATCH_CHUNKS = 4096
"""`chunk_iter` turns this many rows of the chunk map into Python objects at once."""


def chunk_dtype(rank: int) -> np.dtype[Any]:
    """The dtype of the chunk map of a dataset with this many axes."""
    return np.dtype([("offset", "u8", (rank,)), ("address", "u8"), ("size", "u8"), ("filter_mask", "u4")])


class StoreInfo(NamedTuple):
    """Where a chunk lies, as h5py says it."""

    chunk_offset: tuple[int, ...] | None
    """Index of its first element along each axis; None for a chunk that does not exist."""
    filter_mask: int
    """Bit i is set where filter i was skipped."""
    byte_offset: int | None
    """Absolute offset of its first byte in the file; None for a chunk that does not exist."""
    size: int
    """Bytes that it takes in the file."""


class ObjectID:
    """What h5py's low-level identifiers have in common: they are equal if they are of the same object of a file, and true
    while it is open."""

    def __init__(self, item: Any) -> None:
        self._object = item

    @property
    def valid(self) -> bool:
        """True while the file is open."""
        return bool(self._object)

    def __bool__(self) -> bool:
        return self.valid

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectID) and self._object == other._object

    def __hash__(self) -> int:
        return hash(self._object)


class GroupID(ObjectID):
    """The identifier of a group or file. Nothing else of h5py's `GroupID` is here."""


class CreationProperties:
    """What h5py's `PropDCID` says about the storage of a dataset."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def get_layout(self) -> int:
        """The layout: `h5d.COMPACT`, `CONTIGUOUS`, `CHUNKED` or `VIRTUAL`."""
        return LAYOUTS.get(self._dataset.layout, LAYOUTS["contiguous"])

    def get_chunk(self) -> tuple[int, ...]:
        """The shape of a chunk."""
        chunks = self._dataset.chunks
        if chunks is None:
            raise InvalidError(f"{self._dataset.name}: the dataset is not chunked", object=self._dataset.name)
        return chunks

    def get_nfilters(self) -> int:
        """How many filters there are."""
        return len(self._dataset.filter_ids)

    def get_filter(self, index: int) -> tuple[int, int, tuple[int, ...], bytes]:
        """The number of a filter, its flags (always 0), its parameters, and its name."""
        code, parameters = self._dataset._filter_parameters()[index]
        return code, 0, tuple(parameters), self._dataset.filter_names[index].encode()


#: h5py's numbers of the layouts.
LAYOUTS = {"compact": 0, "contiguous": 1, "external": 1, "linked": 1, "records": 1, "chunked": 2, "virtual": 3}
#: h5py's names of filters by their numbers.
_FILTERS = {1: "gzip", 2: "shuffle", 3: "fletcher32", 4: "szip", 6: "scaleoffset", 32000: "lzf"}
_SZIP_NN = 32


def filters_of(dataset: Dataset) -> dict[str, Any]:
    """The filters of a dataset with their parameters, as h5py's `Dataset._filters` has them."""
    found: dict[str, Any] = {}
    for code, parameters in dataset._filter_parameters():
        values: Any = tuple(parameters) or None
        if code == 1 and values:
            values = values[0]
        elif code == 4 and values:
            values = ("nn" if values[0] & _SZIP_NN else "ec", values[1])
        elif code == 32000:
            values = None
        found[_FILTERS.get(code, str(code))] = values
    return found


class DatasetID(ObjectID):
    """What h5py's low-level `DatasetID` says about storage, shape and type. Nothing else of it is here.

    Chunks are numbered in row-major order of their offsets; libhdf5 numbers them as its index stores them.
    """

    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset)
        self._dataset = dataset

    @property
    def is_scale(self) -> bool:
        """True for a dimension scale (h5py's `h5ds.is_scale`)."""
        return self._dataset.is_scale

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Its shape; None for a null dataspace."""
        return self._dataset.shape

    @property
    def rank(self) -> int:
        """How many axes it has; 0 also for a null dataspace."""
        return len(self._dataset.shape or ())

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype that NumPy uses for it."""
        return self._dataset.dtype

    def get_create_plist(self) -> CreationProperties:
        """How it is stored."""
        return CreationProperties(self._dataset)

    def get_offset(self) -> int | None:
        """Absolute offset of its first byte in the file; None if its bytes are not one block of the file."""
        return self._dataset._data_offset()

    def get_storage_size(self) -> int:
        """Bytes that its values take as stored."""
        return self._dataset._stored_bytes()

    def get_num_chunks(self, space: Any = None) -> int:
        """How many chunks exist. `space` is accepted for h5py's sake: all chunks are counted."""
        return self._dataset._chunk_count()

    def get_chunk_info(self, index: int, space: Any = None) -> StoreInfo:
        """Where the chunk with this number lies, among those that exist."""
        found = self._dataset._chunk_info(index)
        if found is None:
            raise OutOfRangeError(
                f"Chunk index is out of range: {index}, where {self.get_num_chunks()} chunks exist",
                object=self._dataset.name,
            )
        return StoreInfo(*found)

    def get_chunk_info_by_coord(self, chunk_offset: Sequence[int]) -> StoreInfo:
        """Where the chunk that holds this element lies."""
        found = self._dataset._chunk_info_by_coord(tuple(chunk_offset))
        return StoreInfo(None, 0, None, 0) if found is None else StoreInfo(*found)

    def chunk_iter(self, func: Callable[[StoreInfo], T | None], dxpl: Any = None) -> T | None:
        """Calls `func` with each chunk that exists, until it returns something else than None, and returns that."""
        chunks = self._dataset.chunk_map()
        for start in range(0, len(chunks), BATCH_CHUNKS):
            batch = chunks[start : start + BATCH_CHUNKS]
            columns = (batch[name].tolist() for name in ("offset", "filter_mask", "address", "size"))
            for offset, filter_mask, address, size in zip(*columns, strict=True):
                found = func(StoreInfo(tuple(offset), filter_mask, address, size))
                if found is not None:
                    return found
        return None
