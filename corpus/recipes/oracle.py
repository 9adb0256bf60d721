"""The values that libhdf5 reads from a file, as JSON lines: the oracle that tests compare hyperslab with.

    oracle.py FILE...            records of the files, to standard output

Records are those of `hyperslab digest`. One JSON object a line, keys sorted, ASCII only:

    {"t":"file", "file", "format":"hdf5", "size", "sha256", "status", "superblock", "objects", "errors"}
    {"t":"obj", "file", "path", "kind":"group"|"dataset"|"datatype", "attrs":[...], ...}
        group:     "nlinks"
        dataset:   "dtype", "space", "layout", "chunks", "filters", "fill", "nchunks", "chunks_sha256", the value
        datatype:  "dtype"
    {"t":"link", "file", "path", "kind":"soft"|"external"|"user"|"alias", "target"}

An object is listed at its first path (depth first, links sorted by the bytes of their names); other hard links to it
are "alias" records. A value is described by "n", the number of elements, and the SHA-256 of the elements in the encoding
that "enc" names; see `oracle_values.py`. If storage is missing and fill values are never written, "values_undefined" is
set: the values must not be compared.

This file lists the objects; `oracle_types.py` describes datatypes, `oracle_values.py` reads and encodes values.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from pathlib import Path

import h5py
from h5py import h5a, h5d, h5f, h5g, h5l, h5o, h5s, h5t
from oracle_types import describe_space, describe_type, has_references, text
from oracle_values import References, packed_bytes, value_record

LAYOUTS = {h5d.COMPACT: "compact", h5d.CONTIGUOUS: "contiguous", h5d.CHUNKED: "chunked", 3: "virtual"}
FILL = {0: "undefined", 1: "default", 2: "user"}
FILL_TIMES = {0: "alloc", 1: "never", 2: "ifset"}
LINKS = {h5l.TYPE_SOFT: "soft", h5l.TYPE_EXTERNAL: "external"}


def line(record: dict) -> str:
    return json.dumps(record, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def digest(path: Path, name: str | None = None) -> list[dict]:
    """All records of a file. The record of the file itself is first."""
    name = name or path.name
    file = h5f.open(str(path).encode(), h5f.ACC_RDONLY)
    references = References(file)
    records = []
    for found in walk(h5g.open(file, b"/"), references):
        if isinstance(found, dict):
            records.append(found)
        else:
            records.append((found[0], found[1]))
    # Values are read after all objects are listed, so that references can be written as paths.
    records = [r if isinstance(r, dict) else object_record(r[0], r[1], references) for r in records]
    for record in records:
        record["file"] = name
    objects = [record for record in records if record["t"] == "obj"]
    errors = sum(1 for record in objects for part in [record, *record["attrs"]] if "error" in part)
    return [file_record(path, name, len(objects), errors), *records]


def file_record(path: Path, name: str, objects: int, errors: int) -> dict:
    content = path.read_bytes()
    userblock = content.find(b"\x89HDF\r\n\x1a\n")
    return {
        "t": "file",
        "file": name,
        "format": "hdf5",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "status": "partial" if errors else "ok",
        "superblock": content[userblock + 8],
        "userblock": userblock,
        "objects": objects,
        "errors": errors,
        "oracle": {"h5py": h5py.__version__, "hdf5": h5py.version.hdf5_version},
    }


def walk(root: h5g.GroupID, references: References):
    """Objects as (id, path), and link records, depth first."""
    waiting: list = [(root, b"", None)]
    while waiting:
        group, group_path, name = waiting.pop()
        opened, path = group, group_path or b"/"
        if name is not None:
            path = group_path + b"/" + name
            kind = group.links.get_info(name).type
            if kind != h5l.TYPE_HARD:
                yield link_record(group, name, kind, text(path))
                continue
            opened = h5o.open(group, name)
        address = h5o.get_info(opened).addr
        known = references.paths.get(address)
        if known is not None:
            yield {"t": "link", "path": text(path), "kind": "alias", "target": known}
            continue
        references.paths[address] = text(path)
        yield opened, text(path)
        if isinstance(opened, h5g.GroupID):
            parent = b"" if path == b"/" else path
            waiting += [(opened, parent, member) for member in sorted(opened, reverse=True)]


def link_record(group: h5g.GroupID, name: bytes, kind: int, path: str) -> dict:
    record = {"t": "link", "path": path, "kind": LINKS.get(kind, "user")}
    if kind == h5l.TYPE_SOFT:
        record["target"] = text(group.links.get_val(name))
    elif kind == h5l.TYPE_EXTERNAL:
        record["target"] = [text(part) for part in group.links.get_val(name)]
    else:
        record["class"] = int(kind)
    return record


def object_record(opened, path: str, references: References) -> dict:
    record = {"t": "obj", "path": path}
    if isinstance(opened, h5g.GroupID):
        record |= {"kind": "group", "nlinks": opened.get_num_objs()}
    elif isinstance(opened, h5d.DatasetID):
        record |= {"kind": "dataset"} | dataset_record(opened, references)
    elif isinstance(opened, h5t.TypeID):
        record |= {"kind": "datatype", "dtype": describe_type(opened)}
    attributes = [attribute_record(opened, i, references) for i in range(h5a.get_num_attrs(opened))]
    record["attrs"] = sorted(attributes, key=lambda one: one["name"].encode("utf-8", "surrogateescape"))
    return record


def attribute_record(owner, index: int, references: References) -> dict:
    attribute = h5a.open(owner, index=index)
    kind, space = attribute.get_type(), attribute.get_space()
    record = {"name": text(attribute.name), "dtype": describe_type(kind), "space": describe_space(space)}
    return record | value_record(attribute, kind, space, references)


def dataset_record(dataset: h5d.DatasetID, references: References) -> dict:
    kind, space, plist = dataset.get_type(), dataset.get_space(), dataset.get_create_plist()
    layout = plist.get_layout()
    record = {
        "dtype": describe_type(kind),
        "space": describe_space(space),
        "layout": LAYOUTS[layout],
        "filters": [
            {"id": id, "flags": flags, "cd": [int(value) for value in parameters]}
            for id, flags, parameters, _ in (plist.get_filter(i) for i in range(plist.get_nfilters()))
        ],
        "storage": int(dataset.get_storage_size()),
    }
    record |= fill_record(plist, kind)
    if layout == h5d.CHUNKED:
        record |= {"chunks": [int(size) for size in plist.get_chunk()]} | chunk_record(dataset)
    if plist.get_external_count():
        files = (plist.get_external(i) for i in range(plist.get_external_count()))
        record["external"] = [[text(name), int(offset), int(size)] for name, offset, size in files]
    if layout == 3:
        names = [(plist.get_virtual_filename(i), plist.get_virtual_dsetname(i)) for i in range(plist.get_virtual_count())]
        record["virtual"] = [[text(file), text(name)] for file, name in names]
    if values_undefined(record):
        record["values_undefined"] = True
    return record | value_record(dataset, kind, space, references, record.get("chunks"))


def fill_record(plist, kind: h5t.TypeID) -> dict:
    defined = int(plist.fill_value_defined())
    record = {"fill": FILL[defined], "fill_time": FILL_TIMES[int(plist.get_fill_time())]}
    if defined == 2 and not has_references(kind) and not kind.dtype.subdtype:
        import numpy as np

        value = np.zeros((), kind.dtype)
        plist.get_fill_value(value)
        record["fill_value"] = packed_bytes(value)[:64].hex()
    return record


def chunk_record(dataset: h5d.DatasetID) -> dict:
    """The number of chunks, and a digest of the lines `offset,…:mask:stored bytes`, sorted by offset."""
    rows = [f"{','.join(map(str, offset))}:{mask}:{size}\n" for offset, mask, size in sorted(chunks(dataset))]
    return {"nchunks": len(rows), "chunks_sha256": hashlib.sha256("".join(rows).encode()).hexdigest()}


def chunks(dataset: h5d.DatasetID) -> list[tuple]:
    """(offset, filter mask, stored bytes) of each chunk.

    If an axis is unlimited, each possible chunk is looked up: libhdf5 2.0 lists the chunks of an extensible array with
    wrong offsets if that axis is not the first, or if other axes can grow.
    """
    limits = dataset.get_space().get_simple_extent_dims(True)
    if limits.count(h5s.UNLIMITED) == 1 and len(limits) > 1:
        return [stored for place in grid(dataset) if (stored := stored_at(dataset, place))]
    found = []
    dataset.chunk_iter(lambda info: found.append((tuple(map(int, info.chunk_offset)), info.filter_mask, info.size)))
    return found


def grid(dataset: h5d.DatasetID):
    sizes = dataset.get_create_plist().get_chunk()
    return itertools.product(*(range(0, size, chunk) for size, chunk in zip(dataset.shape, sizes)))


def stored_at(dataset: h5d.DatasetID, place: tuple[int, ...]) -> tuple | None:
    try:
        mask, content = dataset.read_direct_chunk(place)
    except RuntimeError:
        return None  # never written
    return place, mask, len(content)


def values_undefined(record: dict) -> bool:
    """True if some storage is missing and its values are not defined."""
    dims = record["space"].get("dims", [])
    if record["fill_time"] != "never" and record["fill"] != "undefined":
        return False
    if record["space"]["kind"] == "null" or 0 in dims or "external" in record:
        return False
    if record["layout"] == "contiguous":
        return record["storage"] == 0
    if record["layout"] != "chunked":
        return False
    wanted = 1
    for size, chunk in zip(dims, record["chunks"]):
        wanted *= -(-size // chunk)
    return record["nchunks"] < wanted


def main() -> None:
    for path in sys.argv[1:]:
        for record in digest(Path(path)):
            print(line(record))


if __name__ == "__main__":
    main()
