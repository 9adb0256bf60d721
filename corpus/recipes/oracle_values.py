"""Values in the encodings whose SHA-256 digests are in the records of the oracle.

"bin"   every element in row-major order, packed: numbers little-endian, strings and opaque as stored, arrays and
        compounds as their parts in order, without padding.
"json"  where a type has a variable-length or reference part: the compact JSON list of the elements. Integers are
        numbers, floats "0x" and the big-endian hex of their bits, strings strings (trailing NULs of fixed ones
        stripped) or {"b": hex} if not UTF-8, compounds, arrays and sequences lists, references {"ref": path} or
        {"regref": path, "sel", "n", "bounds"}.
"null"  a null dataspace: nothing.

Not handled: long double, and types without an equivalent in NumPy ("raw").
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
from h5py import h5f, h5o, h5r, h5s, h5t
from oracle_types import COMPLEX, has_references

#: A JSON value up to this length is included in the record.
SHOWN_TEXT = 200
#: A single element up to this length is included in the record.
SHOWN_BYTES = 16

SELECTIONS = {h5s.SEL_NONE: "none", h5s.SEL_ALL: "all", h5s.SEL_POINTS: "points", h5s.SEL_HYPERSLABS: "hyperslab"}


class References:
    """Converts references to the paths under which their objects are listed."""

    def __init__(self, file: h5f.FileID):
        self.file = file
        self.paths: dict[int, str] = {}

    def encode(self, reference) -> dict:
        region = isinstance(reference, h5r.RegionReference)
        key = "regref" if region else "ref"
        if not reference:
            return {key: None}
        path = self.paths.get(h5o.get_info(h5r.dereference(reference, self.file)).addr, "?")
        if not region:
            return {key: path}
        space = h5r.get_region(reference, self.file)
        points = int(space.get_select_npoints())
        record = {key: path, "sel": SELECTIONS[space.get_select_type()], "n": points}
        if points:
            record["bounds"] = [[int(x) for x in corner] for corner in space.get_select_bounds()]
        return record


def value_record(owner, kind: h5t.TypeID, space: h5s.SpaceID, references: References, chunks=None) -> dict:
    """The value of a dataset or an attribute. Errors of reading are recorded, not raised."""
    extent = space.get_simple_extent_type()
    count = 0 if extent == h5s.NULL else int(space.get_simple_extent_npoints())
    if extent == h5s.NULL:
        return {"n": count, "enc": "null"}
    shape = tuple(space.get_simple_extent_dims()) if extent == h5s.SIMPLE else ()
    try:
        if has_references(kind):
            return {"n": count} | json_record(read(owner, kind, shape), kind, shape, count, references)
        return {"n": count} | packed_record(owner, kind, space, shape, count, chunks)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        return {"n": count, "error": f"{type(error).__name__}: {str(error)[:300]}"}


def read(owner, kind: h5t.TypeID, shape: tuple[int, ...]) -> np.ndarray:
    """All elements as a NumPy array."""
    dtype = kind.dtype
    base, inner = dtype.subdtype or (dtype, ())
    values = np.zeros(shape + inner, base)
    if values.size == 0:
        return values
    memory = memory_type(kind, dtype)
    if hasattr(owner, "get_create_plist"):
        owner.read(h5s.ALL, h5s.ALL, values, mtype=memory)
    else:
        owner.read(values, mtype=memory)
    return values


def memory_type(kind: h5t.TypeID, dtype: np.dtype) -> h5t.TypeID:
    """The memory type for reading. Opaque types and bitfields have no NumPy equivalent and keep the type of the file."""
    kind_class = kind.get_class()
    if kind_class == h5t.OPAQUE:
        return kind.copy()
    if kind_class == h5t.BITFIELD:
        return getattr(h5t, f"STD_B{8 * kind.get_size()}{'BE' if dtype.byteorder == '>' else 'LE'}")
    if kind_class == h5t.COMPOUND and dtype.names and len(dtype.names) == kind.get_nmembers():
        made = h5t.create(h5t.COMPOUND, dtype.itemsize)
        for i, name in enumerate(dtype.names):
            field, offset = dtype.fields[name][:2]
            made.insert(kind.get_member_name(i), offset, memory_type(kind.get_member_type(i), field))
        return made
    if kind_class == h5t.ARRAY and dtype.subdtype:
        return h5t.array_create(memory_type(kind.get_super(), dtype.subdtype[0]), kind.get_array_dims())
    return h5t.py_create(dtype)


def packed_record(owner, kind, space, shape, count, chunks) -> dict:
    values = read(owner, kind, shape)
    content = packed_bytes(values) if count else b""
    record = {"enc": "bin", "nbytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if count == 1 and len(content) <= SHOWN_BYTES:
        record["value"] = content.hex()
    return record


def packed_bytes(values: np.ndarray) -> bytes:
    """Elements without padding, little-endian; the ten significant bytes of x87 numbers."""
    if values.dtype.kind == "f" and values.dtype.itemsize == 16:
        native = np.ascontiguousarray(values.astype(np.longdouble))
        return native.reshape(-1).view("u1").reshape(-1, 16)[:, :10].tobytes()
    dtype = packed_dtype(values.dtype)
    if dtype == values.dtype:
        return np.ascontiguousarray(values).tobytes()
    packed = np.zeros(values.shape, dtype)
    copy_fields(packed, values)
    return packed.tobytes()


def packed_dtype(dtype: np.dtype) -> np.dtype:
    if dtype.subdtype:
        return np.dtype((packed_dtype(dtype.subdtype[0]), dtype.subdtype[1]))
    if dtype.names:
        return np.dtype([(f"{i}", packed_dtype(dtype[name])) for i, name in enumerate(dtype.names)])
    if dtype.kind in "SV":
        return dtype
    if dtype.kind == "b":
        return np.dtype("u1")
    return dtype.newbyteorder("<")


def copy_fields(target: np.ndarray, source: np.ndarray) -> None:
    if source.dtype.names:
        for i, name in enumerate(source.dtype.names):
            copy_fields(target[f"{i}"], source[name])
    else:
        target[...] = source


def json_record(values: np.ndarray, kind, shape, count, references: References) -> dict:
    elements = values.reshape((count, *values.shape[len(shape) :]))
    encoded = [encode(element, kind, references) for element in elements]
    content = json.dumps(encoded, ensure_ascii=True, separators=(",", ":"))
    record = {"enc": "json", "sha256": hashlib.sha256(content.encode()).hexdigest()}
    if len(content) <= SHOWN_TEXT:
        record["value"] = content
    return record


def encode(value, kind: h5t.TypeID, references: References):
    """One element in the JSON encoding."""
    kind_class = kind.get_class()
    if kind_class in (h5t.INTEGER, h5t.BITFIELD, h5t.ENUM):
        return int(value)
    if kind_class == h5t.FLOAT:
        return bits(value)
    if kind_class == COMPLEX:
        return [bits(np.asarray(value).real), bits(np.asarray(value).imag)]
    if kind_class == h5t.STRING:
        if kind.is_variable_str():
            return readable(value if isinstance(value, (bytes, str)) else b"")
        return readable(bytes(value).rstrip(b"\0"))
    if kind_class == h5t.OPAQUE:
        return {"b": np.asarray(value).tobytes().hex()}
    if kind_class == h5t.COMPOUND:
        if isinstance(value, (complex, np.complexfloating)):
            return [bits(value.real), bits(value.imag)]
        members = range(kind.get_nmembers())
        return [encode(value[value.dtype.names[i]], kind.get_member_type(i), references) for i in members]
    if kind_class == h5t.ARRAY:
        dims, part = kind.get_array_dims(), kind.get_super()
        parts = np.asarray(value)
        parts = parts.reshape((int(np.prod(dims)), *parts.shape[len(dims) :]))
        return [encode(one, part, references) for one in parts]
    if kind_class == h5t.VLEN:
        part = kind.get_super()
        return [] if value is None else [encode(one, part, references) for one in in_file_order(value, part)]
    if kind_class == h5t.REFERENCE:
        return references.encode(value)
    raise TypeError(f"class {kind_class} has no JSON encoding")


def in_file_order(values: np.ndarray, part: h5t.TypeID) -> np.ndarray:
    """The numbers of a sequence. h5py 3.16 returns them in the byte order of the file, but with a native dtype."""
    if part.get_class() in (h5t.INTEGER, h5t.FLOAT) and values.dtype == part.dtype.newbyteorder("="):
        return values.view(part.dtype)
    return values


def bits(value) -> str:
    number = np.asarray(value)
    return "0x" + number.astype(number.dtype.newbyteorder(">")).tobytes().hex()


def readable(value: bytes | str):
    content = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return {"b": content.hex()}
