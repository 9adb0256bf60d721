"""Values of arrays as the elements of a file.

An element of variable length is 16 bytes in the file, and a reference 8: what it refers to is given beside the bytes.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperslab._hyperslab import packed_arrays, packed_string_array, packed_texts
from hyperslab._new_file.elements import array_of, is_unset, text_bytes
from hyperslab._new_file.references import NewReference, NewRegionReference
from hyperslab.dtypes import check_ref_dtype, check_string_dtype, check_vlen_dtype
from hyperslab.errors import InvalidError, WrongTypeError

#: The offsets of sequences, their numbers of elements, and their contents: the lengths in bytes, and all one after the other;
#: or, of elements that refer to something themselves, a list of elements.
Sequences: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], "tuple[NDArray[np.int64], NDArray[np.uint8]] | list[Elements]"]
#: The bytes; the sequences; the offsets and objects of references; the offsets, datasets and selections of region references.
Elements: TypeAlias = tuple[
    NDArray[np.uint8], Sequences, tuple[NDArray[np.int64], NDArray[np.int64]], list[tuple[int, int, bytes]]
]

_NONE = np.empty(0, np.int64)
_EMPTY = np.empty(0, np.uint8)
_VARIABLE = np.dtype("V16")
_REFERENCE = np.dtype("V8")
_REGION_REFERENCE = np.dtype("V12")


def encode(array: NDArray[Any], dtype: np.dtype[Any], file: object) -> Elements:
    """Return the elements of an array in row-major order. The dtype is its own, with the metadata of h5py's dtypes. References
    lead to objects of `file`."""
    if not dtype.hasobject:
        contiguous = np.ascontiguousarray(array).reshape(-1)
        return _plain(contiguous.view(np.uint8).reshape(-1))
    stored = _stored(dtype)
    elements = np.zeros(array.size, stored)
    encoder = _Encoder(file)
    offsets = np.arange(array.size, dtype=np.int64) * stored.itemsize
    encoder.add(array.reshape(-1), dtype, elements, stored, offsets)
    references = _joined(encoder.places), np.asarray(encoder.objects, np.int64)
    return elements.view(np.uint8).reshape(-1), encoder.sequences(), references, encoder.regions


def _plain(content: NDArray[np.uint8]) -> Elements:
    """Elements that refer to nothing."""
    return content, (_NONE, _NONE, (_NONE, _EMPTY)), (_NONE, _NONE), []


def of_variable_length(counts: NDArray[np.int64], lengths: NDArray[np.int64], content: NDArray[np.uint8]) -> Elements:
    """Texts or plain sequences: their numbers of elements, their lengths in bytes, and all one after the other."""
    offsets = np.arange(counts.size, dtype=np.int64) * _VARIABLE.itemsize
    elements = np.zeros(counts.size * _VARIABLE.itemsize, np.uint8)
    return elements, (offsets, counts, (lengths, content)), (_NONE, _NONE), []


def packed_values(
    values: list[Any] | NDArray[Any], dtype: np.dtype[Any]
) -> tuple[np.dtype[Any], NDArray[np.int64], NDArray[np.uint8]] | None:
    """Texts or plain sequences one after the other: the dtype of an element, the lengths in bytes, and the content. None where
    they have to be looked at one by one. Texts may be an array of `StringDType`."""
    base: np.dtype[Any] = np.dtype("u1")
    if check_string_dtype(dtype) is not None:
        found = packed_texts(values) if isinstance(values, list) else packed_string_array(np.ascontiguousarray(values))
    elif not isinstance(values, list):
        return None
    else:
        sequence = check_vlen_dtype(dtype)
        base = np.dtype(object if sequence is None else sequence)
        found = None if base.hasobject or base.subdtype is not None else packed_arrays(values, base)
    return None if found is None else (base, *found)


#: How many elements are checked at once.
_CHECKED = 1 << 16


def check(array: NDArray[Any], dtype: np.dtype[Any], file: object) -> None:
    """Check that the elements of an array can be written: texts without NUL, references to objects of the file.

    Raises:
        TypeError: an element is not what the dtype says.
        ValueError: it cannot be written.
    """
    if dtype.hasobject:
        flat = array.reshape(-1)
        for start in range(0, flat.size, _CHECKED):
            encode(flat[start : start + _CHECKED], dtype, file)


def one_element(value: Any, dtype: np.dtype[Any], file: object) -> Elements:
    """Return a single element of a datatype."""
    base = dtype.base
    if dtype.subdtype is not None:
        return encode(np.broadcast_to(array_of(value, base), dtype.shape), base, file)
    if base.kind == "O":
        one = np.empty((), object)
        one[()] = value
        return encode(one, base, file)
    array = array_of(value, base)
    if array.size != 1:
        raise InvalidError(f"{value!r} is not one element of {dtype}")
    return encode(array, base, file)


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else _NONE


def _stored(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The layout of an element in the file, with room for what refers to other places."""
    if not dtype.hasobject:
        return dtype
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_stored(base), shape))
    if dtype.names is not None:
        return np.dtype([(name, _stored(dtype[name])) for name in dtype.names])
    if check_ref_dtype(dtype):
        return _REGION_REFERENCE if _is_region(dtype) else _REFERENCE
    if not dtype.metadata:
        hint = "use hyperslab.string_dtype() or vlen_dtype()"
        raise WrongTypeError("an object dtype without an element type", hint=hint)
    return _VARIABLE


def _is_region(dtype: np.dtype[Any]) -> bool:
    """True for references to regions: hyperslab's or h5py's."""
    kind = check_ref_dtype(dtype)
    return kind is not None and kind.__name__ == "RegionReference"


def _packed(contents: list[bytes]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The lengths, and the bytes one after the other."""
    return np.fromiter(map(len, contents), np.int64, len(contents)), np.frombuffer(b"".join(contents), np.uint8)


def _text(value: Any) -> bytes:
    text = text_bytes(value)
    if b"\0" in text:
        raise InvalidError("a text of variable length ends at its first NUL; this one has a NUL inside")
    return text


class _Encoder:
    """Collects what elements refer to."""

    def __init__(self, file: object) -> None:
        self.file = file
        #: Texts, and sequences of elements that refer to nothing: offsets, numbers of elements, lengths in bytes, contents.
        self.plain: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]] = []
        #: Sequences of other elements: offsets, numbers of elements, contents.
        self.nested: list[tuple[NDArray[np.int64], NDArray[np.int64], list[Elements]]] = []
        self.places: list[NDArray[np.int64]] = []
        self.objects: list[int] = []
        self.regions: list[tuple[int, int, bytes]] = []

    def sequences(self) -> Sequences:
        """All sequences that were added."""
        offsets = _joined([part[0] for part in self.plain])
        counts = _joined([part[1] for part in self.plain])
        lengths = _joined([part[2] for part in self.plain])
        content = np.concatenate([part[3] for part in self.plain]) if self.plain else _EMPTY
        if not self.nested:
            return offsets, counts, (lengths, content)
        ends = np.cumsum(lengths)
        pieces = (content[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True))
        contents = [_plain(piece) for piece in pieces]
        for _, _, more in self.nested:
            contents += more
        offsets = _joined([offsets, *(part[0] for part in self.nested)])
        counts = _joined([counts, *(part[1] for part in self.nested)])
        return offsets, counts, contents

    def add(
        self, array: NDArray[Any], dtype: np.dtype[Any], elements: NDArray[Any], stored: np.dtype[Any], offsets: NDArray[np.int64]
    ) -> None:
        """Add the values of a flat array; `elements` are those of the file, at these offsets in bytes."""
        if not dtype.hasobject:
            elements[...] = array
        elif dtype.names is not None:
            for name in dtype.names:
                fields = stored.fields
                assert fields is not None
                member, offset = fields[name][:2]
                self._add_field(array[name], dtype[name], elements[name], member, offsets + offset)
        elif _is_region(dtype):
            self._add_regions(array.tolist(), offsets)
        elif check_ref_dtype(dtype):
            self._add_references(array.tolist(), offsets)
        else:
            self._add_sequences(array.tolist(), dtype, offsets)

    def _add_field(
        self, array: NDArray[Any], dtype: np.dtype[Any], elements: NDArray[Any], stored: np.dtype[Any], offsets: NDArray[np.int64]
    ) -> None:
        if dtype.subdtype is None or not dtype.hasobject:
            self.add(array, dtype.base if dtype.subdtype is not None else dtype, elements, stored, offsets)
            return
        base, _ = dtype.subdtype
        count = array.size // max(len(array), 1)
        within = np.arange(count, dtype=np.int64) * stored.base.itemsize
        places = (offsets[:, None] + within).reshape(-1)
        inner = np.zeros(array.size, stored.base)
        self.add(array.reshape(-1), base, inner, stored.base, places)
        elements[...] = inner.reshape(elements.shape)

    def _add_sequences(self, values: list[Any], dtype: np.dtype[Any], offsets: NDArray[np.int64]) -> None:
        packed = packed_values(values, dtype)
        if packed is not None:
            base, lengths, content = packed
            self.plain.append((offsets, lengths // base.itemsize, lengths, content))
            return
        if check_string_dtype(dtype) is not None:
            texts = _packed([_text(value) for value in values])
            self.plain.append((offsets, texts[0], *texts))
            return
        base = np.dtype(check_vlen_dtype(dtype))
        together = _converted_together(values, base)
        if together is not None:
            counts, content = together
            self.plain.append((offsets, counts, counts * base.itemsize, content))
            return
        arrays = [np.empty(0, base.base) if is_unset(value) else array_of(value, base) for value in values]
        counts = np.fromiter((array.size for array in arrays), np.int64, len(arrays))
        if base.hasobject:
            self.nested.append((offsets, counts, [encode(array, base, self.file) for array in arrays]))
        else:
            self.plain.append((offsets, counts, *_packed([np.ascontiguousarray(array).tobytes() for array in arrays])))

    def _add_references(self, values: list[Any], offsets: NDArray[np.int64]) -> None:
        given = [number for number, value in enumerate(values) if value]
        for number in given:
            reference = values[number]
            if not isinstance(reference, NewReference) or not reference.is_of(self.file):
                raise WrongTypeError("a reference must be the `ref` of an object of the same new file")
            self.objects.append(reference._id)
        self.places.append(offsets[given])

    def _add_regions(self, values: list[Any], offsets: NDArray[np.int64]) -> None:
        for value, offset in zip(values, offsets.tolist(), strict=True):
            if not value:
                continue
            if not isinstance(value, NewRegionReference) or not value.is_of(self.file):
                raise WrongTypeError("a region reference must be the `regionref[...]` of a dataset of the same new file")
            self.regions.append((offset, value._id, value._selection))


def _converted_together(values: list[Any], base: np.dtype[Any]) -> tuple[NDArray[np.int64], NDArray[np.uint8]] | None:
    """The lengths and the numbers of sequences of numbers that have another type, but all the same: converted by one call, which
    takes a fifteenth of the time of one for each. `None` for anything else."""
    if base.kind not in "iuf" or base.subdtype is not None:
        return None
    try:
        arrays = [_NOTHING if is_unset(value) else np.asarray(value) for value in values]
    except (TypeError, ValueError):
        return None
    filled = [array for array in arrays if array.size]
    if len({array.dtype for array in filled}) != 1 or filled[0].dtype.kind not in "iuf" or any(array.ndim != 1 for array in arrays):
        return None
    counts = np.fromiter((array.size for array in arrays), np.int64, len(arrays))
    return counts, np.ascontiguousarray(array_of(np.concatenate(filled), base)).view(np.uint8)


_NOTHING = np.empty(0)
