"""Reads indexes by their consumers and by the engine: `python index_consumer.py FORMAT`, paths of files as lines.

For each path, a line of JSON: how many datasets were the same, how many were left out by name, and what is wrong. Every dataset
of the file, in all groups, must be one of these.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import zarr

import hyperslab

#: Dimensions of netCDF without a variable are datasets, but no variables.
NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
#: What netCDF-C puts before the name of a variable that has the name of a dimension, but not its axis.
NON_COORDINATE = "_nc4_non_coord_"
#: Of datasets with more bytes, only the corners are compared: a small file may have one of 60 GiB, most of it never written.
VALUE_BYTES_MAX = 64 << 20
#: Elements of a corner, along each axis.
CORNER = 8


def store(format: str, path: str, folder: Path) -> tuple[Any, int, list[str]]:
    """The store of the index of a file, its version of Zarr, and the names that were left out, with the reasons."""
    # The reader of DMR++ looks for the file beside the document, by its name.
    out = folder / f"{Path(path).name}.dmrpp" if format == "dmrpp" else folder / "index"
    if format == "dmrpp":
        out.with_suffix("").symlink_to(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        refs = None
        if format == "kerchunk":
            refs = hyperslab.index(path)
        elif format != "virtualizarr":
            hyperslab.index(path, out, format=format)
        if format == "virtualizarr":
            from hyperslab.virtualizarr import Parser

            opened, version = Parser()(f"file://{path}", registry()), 3
    left_out = [str(one.message).split(": left out: ", 1)[1] for one in caught if ": left out: " in str(one.message)]
    if format in ("kerchunk", "kerchunk-parquet"):
        from kerchunk.utils import refs_as_store

        opened, version = refs_as_store(refs or str(out), read_only=True, remote_protocol="file"), 2
    elif format == "icechunk":
        import icechunk

        from hyperslab.icechunk import containers

        allowed = containers(out)
        repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(out)), authorize_virtual_chunk_access=allowed)
        opened, version = repository.readonly_session("main").store, 3
    elif format == "zarr":
        from hyperslab.virtualizarr import manifest_store

        opened, version = manifest_store(out, registry()), 3
        # VirtualiZarr does not read inlined chunks: `manifest_store` leaves these variables out.
        left_out += [f"/{chunks.parent.relative_to(out)}: inlined" for chunks in out.rglob("c")]
    elif format == "dmrpp":
        from virtualizarr.parsers import DMRPPParser

        opened, version = DMRPPParser()(url=f"file://{out}", registry=registry()), 3
    return opened, version, left_out


def registry() -> Any:
    import obstore
    from obspec_utils.registry import ObjectStoreRegistry

    return ObjectStoreRegistry({"file://": obstore.store.LocalStore()})


def arrays(group: Any, prefix: str = "") -> dict[str, Any]:
    """All arrays below a group of Zarr, by path."""
    found = {f"{prefix}/{name}": array for name, array in group.arrays()}
    for name, child in group.groups():
        found |= arrays(child, f"{prefix}/{name}")
    return found


def is_only_a_dimension(dataset: Any) -> bool:
    name = dataset.attrs.get("NAME", b"")
    return isinstance(name, (bytes, str)) and (name.encode() if isinstance(name, str) else name).startswith(NO_VARIABLE)


def plain(values: Any) -> Any:
    """Values for comparison: texts as `str` without padding, members of compounds apart, truth values as numbers."""
    values = np.asarray(values)
    if values.dtype.names:
        return [plain(values[name]) for name in values.dtype.names]
    # Opaque bytes, which h5py's tags may call times.
    if values.dtype.kind in "VmM":
        values = np.ascontiguousarray(values).view(f"S{values.dtype.itemsize}")
    if values.dtype.kind in "SUOT":
        texts = (text.decode(errors="surrogateescape") if isinstance(text, bytes) else str(text) for text in values.ravel().tolist())
        return [text.rstrip("\0") for text in texts]
    return values.astype("u1") if values.dtype.kind == "b" else values


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, str):
        return bool(ours == theirs)
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, list):
        return False
    return np.array_equal(ours, theirs, equal_nan=ours.dtype.kind in "fc")


def datasets(file: hyperslab.File) -> dict[str, hyperslab.Dataset]:
    """All datasets of a file, by path."""
    found: dict[str, hyperslab.Dataset] = {}
    file.visititems(lambda name, item: found.update({f"/{name}": item}) if isinstance(item, hyperslab.Dataset) else None)
    return found


def selections(dataset: hyperslab.Dataset) -> list[Any]:
    """What is compared of a dataset: all of it, or its first and its last corner."""
    if dataset.nbytes <= VALUE_BYTES_MAX:
        return [...]
    return [
        tuple(slice(0, min(CORNER, length)) for length in dataset.shape),
        tuple(slice(max(length - CORNER, 0), length) for length in dataset.shape),
    ]


def values_or_error(dataset: hyperslab.Dataset, selection: Any) -> Any:
    try:
        return plain(dataset[selection])
    except hyperslab.HyperslabError as error:
        return type(error).__name__


def compare_own(path: str) -> dict[str, Any]:
    """The datasets of a file through hyperslab's own index, which leaves out nothing."""
    done: dict[str, Any] = {"same": 0, "left_out": 0, "wrong": []}
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        hyperslab.index(path, index, format="hyperslab")
        with hyperslab.File(path) as file, hyperslab.File(path, index=index) as indexed:
            found, expected = datasets(indexed), datasets(file)
            done["wrong"] += [f"{name}: not in both" for name in found.keys() ^ expected.keys()]
            for name in found.keys() & expected.keys():
                compared = selections(expected[name])
                if all(same(values_or_error(expected[name], one), values_or_error(found[name], one)) for one in compared):
                    done["same"] += 1
                else:
                    done["wrong"].append(f"{name}: other values through the index")
    return done


def difference(dataset: hyperslab.Dataset, array: Any, selection: Any) -> str | None:
    """What is wrong with a part of an array of the index, if anything is."""
    try:
        theirs = np.asarray(array[selection])
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    try:
        ours = dataset[selection]
    except hyperslab.HyperslabError:
        return "indexed, but the engine cannot read it"
    # A variable that is shorter than its dimension has the length of the dimension in the index.
    if theirs.ndim == np.ndim(ours):
        theirs = theirs[tuple(slice(0, length) for length in np.shape(ours))]
    a, b = plain(ours), plain(theirs)
    return None if same(a, b) else f"{np.ravel(a)[:3]} here, {np.ravel(b)[:3]} through the index"


def compare(format: str, path: str) -> dict[str, Any]:
    done: dict[str, Any] = {"same": 0, "left_out": 0, "wrong": []}
    with tempfile.TemporaryDirectory() as folder, hyperslab.File(path) as file:
        opened, version, left_out = store(format, path, Path(folder))
        # Through fsspec, zarr-python lists groups from the consolidated metadata only.
        consolidated = format.startswith("kerchunk")
        found = arrays(zarr.open_group(opened, mode="r", zarr_format=version, use_consolidated=consolidated))
        for path_in_file, dataset in datasets(file).items():
            if is_only_a_dimension(dataset):
                continue
            name = path_in_file.replace(NON_COORDINATE, "")
            if name not in found:
                is_named = any(line.startswith((f"{name}: ", f"{path_in_file}: ")) for line in left_out)
                done["left_out"] += is_named
                if not is_named:
                    done["wrong"].append(f"{name}: neither indexed nor named")
                continue
            differences = (difference(dataset, found[name], selection) for selection in selections(dataset))
            wrong = next(filter(None, differences), None)
            done["same"] += wrong is None
            done["wrong"] += [] if wrong is None else [f"{name}: {wrong}"]
    return done


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        path = line.rstrip("\n")
        try:
            done = compare_own(path) if sys.argv[1] == "hyperslab" else compare(sys.argv[1], path)
        except hyperslab.HyperslabError as error:
            done = {"refused": str(error)}
        except Exception as error:
            done = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps({"path": path, **done}), flush=True)
    # Threads of a library that reads an index may end the process by a signal when the interpreter is taken down below them.
    os._exit(0)


if __name__ == "__main__":
    main()
