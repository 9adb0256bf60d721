"""Prints digests of all values of a file, as a shared library of libhdf5 reads them, whatever its version.

    raw_values.py LIBRARY FILE

Standard output is a JSON object: for each object by its path, `null` if it has no values (a group), a digest of the bytes of
its elements in the datatype of the file, or `unread` and why. Values with addresses are only read. Attributes are `PATH@NAME`.
"""

import ctypes
import hashlib
import json
import sys

#: Functions that return an identifier.
OPENING = {"H5Fopen", "H5Oopen", "H5Aopen_by_idx", "H5Dget_type", "H5Dget_space", "H5Aget_type", "H5Aget_space"}
DATASET, INDEX_NAME, INCREASING = 1, 0, 0
#: Classes of datatypes whose elements may be addresses.
WITH_ADDRESSES = (3, 7, 9)
BYTES_MAX = 64 << 20


class Library:
    """The functions of libhdf5 that are used here. Identifiers have 4 bytes before HDF5 1.10, and 8 since."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        numbers = [ctypes.c_uint() for _ in range(3)]
        self.library.H5get_libversion(*map(ctypes.byref, numbers))
        self.version = tuple(number.value for number in numbers)
        self.identifier = ctypes.c_int if self.version < (1, 10) else ctypes.c_int64
        self.library.H5open()
        self.library.H5Eset_auto2(self.identifier(0), None, None)

    def __getattr__(self, name):
        function = getattr(self.library, name)
        function.restype = {
            "H5Sget_simple_extent_npoints": ctypes.c_int64,
            "H5Tget_size": ctypes.c_size_t,
            "H5Aget_name": ctypes.c_ssize_t,
        }.get(name, self.identifier if name in OPENING else ctypes.c_int)
        return lambda *given: function(*(self.identifier(one) if isinstance(one, int) else one for one in given))


def digest(library, get_type, get_space, read):
    datatype, space = get_type(), get_space()
    count, size = library.H5Sget_simple_extent_npoints(space), library.H5Tget_size(datatype)
    if count < 0 or size <= 0 or count * size > BYTES_MAX:
        return f"unread: {count} elements of {size} bytes"
    buffer = ctypes.create_string_buffer(count * size + 1)
    if count and read(datatype, buffer) < 0:
        return "unread: an error"
    if any(library.H5Tdetect_class(datatype, ctypes.c_int(kind)) > 0 for kind in WITH_ADDRESSES):
        return "read"
    return hashlib.sha256(buffer.raw[: count * size]).hexdigest()


def attributes(library, path, found, values):
    for number in range(max(library.H5Aget_num_attrs(found), 0)):
        opened = library.H5Aopen_by_idx(found, b".", ctypes.c_int(INDEX_NAME), ctypes.c_int(INCREASING), ctypes.c_uint64(number), 0, 0)
        if opened < 0:
            values[f"{path}@#{number}"] = "unread: cannot be opened"
            continue
        name = ctypes.create_string_buffer(1024)
        library.H5Aget_name(opened, ctypes.c_size_t(len(name)), name)
        values[f"{path}@{name.value.decode(errors='replace')}"] = digest(
            library,
            lambda: library.H5Aget_type(opened),
            lambda: library.H5Aget_space(opened),
            lambda datatype, buffer: library.H5Aread(opened, datatype, buffer),
        )
        library.H5Aclose(opened)


def main(path, name):
    library, values = Library(path), {}
    file = library.H5Fopen(name.encode(), ctypes.c_uint(0), 0)
    if file < 0:
        raise SystemExit(f"libhdf5 {library.version} cannot open {name}")
    visitor = ctypes.CFUNCTYPE(ctypes.c_int, library.identifier, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)
    paths = []

    @visitor
    def note(_, path, info, __):
        # `H5O_info_t` begins with the number of the file, the address, and the kind of the object.
        paths.append((path, ctypes.cast(info + 16, ctypes.POINTER(ctypes.c_int)).contents.value))
        return 0

    visit = library.H5Ovisit if library.version < (1, 12) else library.H5Ovisit1
    if visit(file, ctypes.c_int(INDEX_NAME), ctypes.c_int(INCREASING), note, None) < 0:
        raise SystemExit(f"libhdf5 {library.version} does not reach all objects of {name}")
    for path, kind in paths:
        text, found = path.decode(errors="replace"), library.H5Oopen(file, path, 0)
        values[text] = None if found >= 0 else "unread: cannot be opened"
        if kind == DATASET and found >= 0:
            values[text] = digest(
                library,
                lambda: library.H5Dget_type(found),
                lambda: library.H5Dget_space(found),
                lambda datatype, buffer: library.H5Dread(found, datatype, 0, 0, 0, buffer),
            )
        attributes(library, text, found, values)
        library.H5Oclose(found)
    print(json.dumps(values))


main(sys.argv[1], sys.argv[2])
