"""Random files written by libhdf5: any mix of the features of the format. The same seed gives the same file.

External files are named without a folder, because libhdf5 searches for them in the current folder.

A file is written, closed, opened again and changed (members deleted and renamed, extents enlarged and shrunk, values
overwritten), so that it has gaps, continuations and partly filled chunks, as files in long use have.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
from h5py import h5a, h5d, h5f, h5g, h5p, h5s, h5t

sys.path.insert(0, str(Path(__file__).parents[2] / "corpus" / "recipes"))

import oracle  # noqa: E402
from common import call  # noqa: E402

#: The flags for sharing dataspaces, datatypes, fill values, filter pipelines and attributes.
SHARED_MESSAGES = 0x182A
VERSIONS = [h5f.LIBVER_V18, h5f.LIBVER_V110, h5f.LIBVER_V112, h5f.LIBVER_V114, h5f.LIBVER_V200]
NUMBERS = [f"{order}{kind}{size}" for order in "<>" for kind in "iu" for size in (1, 2, 4, 8)]
NUMBERS += [f"{order}f{size}" for order in "<>" for size in (2, 4, 8)]
PARTS_MAX = 3
ELEMENTS_MAX = 3000


def write(path: Path, seed: int) -> None:
    """Writes the file of a seed."""
    Writer(path, seed).run()


class Writer:
    def __init__(self, path: Path, seed: int):
        self.path = path
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        #: The paths of all objects that references may refer to.
        self.objects: list[str] = []
        #: The paths of the objects that references do refer to.
        self.referenced: set[str] = set()
        self.has_references = self.chance(0.7)
        #: The datasets with external storage.
        self.raw = 0

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, *choices):
        return self.random.choice(choices)

    def run(self) -> None:
        access = h5p.create(h5p.FILE_ACCESS)
        self.low = self.random.choice([h5f.LIBVER_EARLIEST, *VERSIONS])
        later = [version for version in VERSIONS if version >= self.low]
        access.set_libver_bounds(self.low, self.random.choice(later))
        with h5py.File(h5f.create(str(self.path).encode(), h5f.ACC_TRUNC, self.creation(), access)) as file:
            self.file = file
            self.fill(file, 0)
        with h5py.File(h5f.open(str(self.path).encode(), h5f.ACC_RDWR, access)) as file:
            self.file = file
            self.change(file)

    def creation(self) -> h5p.PropFCID:
        plist = h5p.create(h5p.FILE_CREATE)
        plist.set_obj_track_times(self.chance(0.3))
        if self.chance(0.2):
            plist.set_userblock(4096)
        if self.chance(0.2):
            # With lengths of 4 bytes libhdf5 does not know an unlimited dimension again, with offsets of 4 no reference.
            plist.set_sizes(8, 8) if self.has_references else plist.set_sizes(4, 8)
        if self.chance(0.3):
            call("H5Pset_sym_k", plist, self.pick(1, 2, 8, 30), self.pick(1, 2, 4, 9))
        if self.chance(0.3):
            call("H5Pset_istore_k", plist, self.pick(1, 2, 5, 40))
        if self.low >= h5f.LIBVER_V110 and self.chance(0.2):
            plist.set_file_space_strategy(self.pick(0, 1, 2, 3), self.chance(0.5), 1)
            plist.set_file_space_page_size(self.pick(512, 4096, 10_000))
        if self.chance(0.2):
            call("H5Pset_shared_mesg_nindexes", plist, 1)
            call("H5Pset_shared_mesg_index", plist, 0, SHARED_MESSAGES, self.pick(1, 20, 60))
            call("H5Pset_shared_mesg_phase_change", plist, self.pick(0, 3, 50), 0)
        self.order_of_creation(plist.set_link_creation_order)
        return plist

    def order_of_creation(self, setter) -> None:
        if self.chance(0.4):
            setter(h5p.CRT_ORDER_TRACKED | (h5p.CRT_ORDER_INDEXED if self.chance(0.5) else 0))

    # Groups and links.

    def fill(self, group: h5py.Group, depth: int) -> None:
        self.attributes(group)
        for number in range(self.random.randrange(1, 6)):
            name = self.name(number)
            what = self.random.random()
            if what < 0.2 and depth < 3:
                self.fill(self.group(group, name), depth + 1)
            elif what < 0.27:
                group[name] = h5py.SoftLink(self.pick("/", "nowhere", "../a", *self.objects[:3]))
            elif what < 0.31:
                group[name] = h5py.ExternalLink("elsewhere.h5", "/some/place")
            elif what < 0.36 and self.objects:
                group[name] = group.file[self.random.choice(self.objects)]
            elif what < 0.4:
                group[name] = self.compound(2)
                self.attributes(group[name])
            else:
                self.dataset(group, name)
            if name in group and group.get(name, getlink=True).__class__ is h5py.HardLink:
                self.objects.append(group[name].name)
        if self.chance(0.1):
            for number in range(self.random.randrange(30, 300)):
                group[f"many {number * 7 % 300}" + "n" * (number % 40)] = h5py.SoftLink("/")

    def name(self, number: int) -> str:
        return self.pick("a", "Dataset", "ein längerer Name", "x" * self.random.randrange(1, 300), "日本") + str(number)

    def group(self, parent: h5py.Group, name: str) -> h5py.Group:
        plist = h5p.create(h5p.GROUP_CREATE)
        self.order_of_creation(plist.set_link_creation_order)
        self.order_of_creation(plist.set_attr_creation_order)
        if self.chance(0.3):
            most = self.random.randrange(0, 9)
            call("H5Pset_link_phase_change", plist, most, self.random.randrange(0, most + 1))
        if self.chance(0.2):
            call("H5Pset_local_heap_size_hint", plist, self.pick(8, 100, 5000))
        if self.chance(0.2):
            call("H5Pset_est_link_info", plist, self.pick(0, 3, 50), self.pick(4, 200))
        return h5py.Group(h5g.create(parent.id, name.encode(), gcpl=plist))

    # Attributes.

    def attributes(self, owner) -> None:
        for number in range(self.pick(0, 0, 1, 2, 5, 12, 30 if self.chance(0.2) else 1)):
            kind = self.kind(PARTS_MAX)
            name = f"{self.name(number)} attribute"
            if self.chance(0.1):
                owner.attrs[name] = h5py.Empty(kind)
                continue
            shape = self.pick((), (1,), (3,), (2, 3), (0,), (40,))
            if kind.itemsize * int(np.prod(shape, dtype=int)) > 60_000:
                shape = ()
            try:
                owner.attrs.create(name, self.values(kind, shape), shape, kind)
            except RuntimeError:
                # Too large for an object header, where the version of the format knows nothing else.
                continue

    # Datasets.

    def dataset(self, group: h5py.Group, name: str) -> None:
        kind = self.kind(PARTS_MAX)
        if self.chance(0.05):
            group.create_dataset(name, data=h5py.Empty(kind))
            return
        rank = self.pick(0, 1, 1, 2, 2, 3, 4)
        shape = tuple(self.pick(0, 1, 2, 5, 13, 40) if self.chance(0.9) else 1 for _ in range(rank))
        while np.prod(shape, dtype=int) > ELEMENTS_MAX:
            shape = tuple(max(1, size // 2) for size in shape)
        layout = self.pick("contiguous", "compact", "chunked", "chunked", "chunked") if rank else self.pick("contiguous", "compact")
        plist = h5p.create(h5p.DATASET_CREATE)
        plist.set_obj_track_times(self.chance(0.2))
        self.order_of_creation(plist.set_attr_creation_order)
        limits = shape
        if layout == "compact":
            plist.set_layout(h5d.COMPACT)
        elif layout == "chunked":
            limits = tuple(self.pick(size, h5s.UNLIMITED, size + 50) for size in shape)
            limits = tuple(limit or 1 for limit in limits)
            chunk = tuple(self.random.randrange(1, size + 3) if limit == h5s.UNLIMITED or limit > size + 3 else self.random.randrange(1, max(size, 1) + 1) for size, limit in zip(shape, limits))
            plist.set_chunk(chunk)
            self.filters(plist, kind, chunk)
            if self.chance(0.2):
                call("H5Pset_chunk_opts", plist, 2)
        elif self.chance(0.2) and not kind.hasobject and shape and np.prod(shape, dtype=int) > 1:
            size = kind.itemsize * int(np.prod(shape, dtype=int))
            first = size // 2
            self.raw += 1
            for number, part in enumerate((first, size - first)):
                place = f"{self.path.stem}.{self.raw}.{number % self.pick(1, 2)}.raw"
                plist.set_external(place.encode(), (number * 3 + self.random.randrange(3)) * 100_000, part)
        if self.chance(0.3) and not kind.hasobject:
            plist.set_fill_value(self.values(kind, (1,)))
        if self.chance(0.3) and may_be_undefined(kind):
            plist.set_fill_time(self.pick(h5d.FILL_TIME_ALLOC, h5d.FILL_TIME_IFSET, h5d.FILL_TIME_NEVER))
        if self.chance(0.3) and layout != "compact" and may_be_undefined(kind):
            plist.set_alloc_time(self.pick(h5d.ALLOC_TIME_EARLY, h5d.ALLOC_TIME_LATE, *([h5d.ALLOC_TIME_INCR] * (layout == "chunked"))))
        space = h5s.create_simple(shape, limits) if rank else h5s.create(h5s.SCALAR)
        stored = h5t.py_create(kind, logical=True)
        try:
            made = h5py.Dataset(h5d.create(group.id, name.encode(), stored, space, plist))
        except (ValueError, RuntimeError):
            # Too large to be compact, or a type that a filter refuses.
            return
        if self.chance(0.85):
            self.write_some(made)
        self.attributes(made)

    def filters(self, plist, kind: np.dtype, chunk: tuple[int, ...]) -> None:
        if kind.hasobject and self.chance(0.7):
            return
        # What is made of elements comes first: libhdf5 lets them be cut from compressed bytes, and reads past their end.
        of_elements = ["szip", "nbit", "scaleoffset"]
        for number in range(self.pick(0, 1, 1, 2, 3)):
            filter = self.pick("gzip", "gzip", "shuffle", "fletcher32", "lzf", "plugin", *(of_elements if number == 0 else []))
            if filter == "gzip":
                plist.set_deflate(self.random.randrange(10))
            elif filter == "shuffle":
                plist.set_shuffle()
            elif filter == "fletcher32":
                plist.set_fletcher32()
            elif filter == "szip" and kind.kind in "iuf" and np.prod(chunk) >= 32:
                plist.set_szip(self.pick(4, 32), self.pick(4, 8, 16, 32))
            elif filter == "nbit" and kind.kind in "iufV" and not kind.hasobject:
                plist.set_filter(5)
            elif filter == "scaleoffset" and kind.kind in "iu":
                plist.set_scaleoffset(2, self.pick(0, 0, 3))
            elif filter == "lzf":
                plist.set_filter(32_000, h5py.h5z.FLAG_OPTIONAL)
            elif filter == "plugin":
                made = self.pick(
                    hdf5plugin.Bitshuffle(), hdf5plugin.BZip2(), hdf5plugin.LZ4(), hdf5plugin.Zstd(),
                    hdf5plugin.Blosc(cname=self.pick("blosclz", "lz4", "lz4hc", "zlib", "zstd"), shuffle=self.pick(0, 1, 2)),
                    hdf5plugin.Blosc2(cname=self.pick("blosclz", "lz4", "lz4hc", "zlib", "zstd"), filters=self.pick(0, 1, 2)),
                )  # fmt: skip
                plist.set_filter(made.filter_id, h5py.h5z.FLAG_MANDATORY, made.filter_options)

    def write_some(self, dataset: h5py.Dataset) -> None:
        """All of it, or blocks here and there."""
        if dataset.size is None or 0 in dataset.shape:
            return
        if not dataset.shape or self.chance(0.6) or not (dataset.chunks or may_be_undefined(dataset.dtype)):
            self.write_block(dataset, dataset.id.get_space(), dataset.shape)
            return
        for _ in range(self.random.randrange(1, 4)):
            lows = [self.random.randrange(size) for size in dataset.shape]
            steps = [self.pick(1, 1, 2) for _ in lows]
            counts = [self.random.randrange(-(-(size - low) // step)) + 1 for low, size, step in zip(lows, dataset.shape, steps)]
            space = dataset.id.get_space()
            space.select_hyperslab(tuple(lows), tuple(counts), tuple(steps))
            self.write_block(dataset, space, tuple(counts))

    def write_block(self, dataset: h5py.Dataset, space: h5s.SpaceID, shape: tuple[int, ...]) -> None:
        """Writes without h5py's rules for broadcasting, which do not work for sequences."""
        memory = h5s.create_simple(shape) if shape else h5s.create(h5s.SCALAR)
        values = self.values(dataset.dtype, shape)
        dataset.id.write(memory, space, values, h5t.py_create(dataset.dtype))

    # Types and values.

    def kind(self, parts: int) -> np.dtype:
        """A random type, with a limited depth of nested compounds, arrays and sequences."""
        what = self.random.random()
        if parts == 0 or what < 0.45:
            return np.dtype(self.random.choice(NUMBERS))
        if what < 0.52:
            return np.dtype(self.pick("<c8", ">c8", "<c16", ">c16"))
        if what < 0.6:
            return np.dtype(f"S{self.random.randrange(1, 20)}")
        if what < 0.64:
            return np.dtype(f"V{self.random.randrange(1, 9)}")
        if what < 0.68:
            return np.dtype(bool)
        if what < 0.72:
            base = self.pick("<i1", "<u2", ">i4", "<i8")
            return h5py.enum_dtype({f"name {i}": i * 3 for i in range(self.random.randrange(1, 12))}, base)
        if what < 0.78:
            return h5py.string_dtype(self.pick("utf-8", "ascii"), self.pick(None, None, 7))
        if what < 0.81:
            return h5py.ref_dtype
        if what < 0.86:
            base = self.kind(parts - 1)
            # h5py swaps the bytes of big-endian numbers in sequences.
            return h5py.vlen_dtype(base if base.kind in "iuf" and base.byteorder != ">" else np.dtype("<i4"))
        return self.compound(parts)

    def compound(self, parts: int) -> np.dtype:
        members, at = [], 0
        for number in range(self.random.randrange(1, 5)):
            kind = self.kind(parts - 1)
            if self.chance(0.25) and not kind.hasobject and kind.metadata is None and kind.subdtype is None:
                kind = np.dtype((kind, self.pick((2,), (2, 3), (1,))))
            if kind.hasobject:
                at = -(-at // 8) * 8
            elif self.chance(0.2):
                at += self.random.randrange(5)
            members.append((f"member {number}", kind, at))
            at += kind.itemsize
        names, kinds, offsets = (list(part) for part in zip(*members))
        size = at + (self.random.randrange(9) if self.chance(0.2) else 0)
        if any(kind.hasobject for kind in kinds):
            size = -(-size // 8) * 8
        return np.dtype({"names": names, "formats": kinds, "offsets": offsets, "itemsize": size})

    def values(self, kind: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        made = np.zeros(shape, kind)
        self.put(made, kind)
        return made

    def put(self, into: np.ndarray, kind: np.dtype) -> None:
        if kind.fields:
            for name in kind.names:
                part = kind.fields[name][0]
                if part.subdtype:
                    part = part.base
                self.put(into[name], part)
        elif kind.hasobject:
            # A place without indices would take an array for its elements.
            flat = into.reshape(-1)
            for place in range(into.size):
                flat[place] = self.single(kind)
        elif kind.kind == "b":
            into[...] = self.numbers.integers(0, 2, into.shape)
        elif kind.metadata and "enum" in kind.metadata:
            known = list(kind.metadata["enum"].values())
            into[...] = self.numbers.choice(known, into.shape)
        else:
            smooth = self.chance(0.4) and kind.kind in "iuf"
            if smooth:
                into[...] = (np.arange(into.size).reshape(into.shape) % 100).astype(kind)
            else:
                random = self.numbers.bytes(into.size * kind.itemsize)
                into[...] = np.frombuffer(random, kind).reshape(into.shape)

    def single(self, kind: np.dtype):
        text = h5py.check_string_dtype(kind)
        if text is not None:
            letters = "abc" if text.encoding == "ascii" else "abcäöü日"
            return "".join(self.random.choices(letters, k=self.pick(0, 1, 5, 30, 5000 if self.chance(0.05) else 2)))
        if h5py.check_ref_dtype(kind):
            known = [path for path in self.objects if path in self.file]
            if not known or not self.has_references or self.chance(0.2):
                return None
            self.referenced.add(path := self.random.choice(known))
            return self.file[path].ref
        base = h5py.check_vlen_dtype(kind)
        return self.values(base, (self.pick(0, 1, 4, 20),))

    # Changes.

    def change(self, file: h5py.File) -> None:
        datasets: list[h5py.Dataset] = []
        file.visititems(lambda _, found: datasets.append(found) if isinstance(found, h5py.Dataset) else None)
        for dataset in datasets:
            if dataset.chunks and self.chance(0.5):
                limits = [limit if limit is not None else size + 20 for limit, size in zip(dataset.maxshape, dataset.shape)]
                shape = tuple(self.random.randrange(0, limit + 1) for limit in limits)
                if np.prod(shape, dtype=int) <= ELEMENTS_MAX:
                    dataset.resize(shape)
            if self.chance(0.4):
                self.write_some(dataset)
            if self.chance(0.3):
                self.attributes_again(dataset)
        for name in list(file):
            # libhdf5 writes over what was deleted, and then fails to tell what a reference leads to.
            is_free = not any(path == f"/{name}" or path.startswith(f"/{name}/") for path in self.referenced)
            if is_free and self.chance(0.15):
                del file[name]
            elif self.chance(0.1):
                file.move(name, f"{name} moved")
        if self.chance(0.5):
            self.dataset(file, "late")

    def attributes_again(self, owner) -> None:
        for name in list(owner.attrs):
            if self.chance(0.3):
                del owner.attrs[name]
            elif self.chance(0.2):
                h5a.rename(owner.id, name.encode(), f"{name} again".encode())
        self.attributes(owner)


def may_be_undefined(kind: np.dtype) -> bool:
    """True if all readers agree on the value of any bytes. Not for bool, which NumPy normalizes, and text, which needs a heap."""
    return not kind.hasobject and "bool" not in str(kind) and "?" not in str(kind)


def main() -> None:
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        path = Path(f"{seed}.h5")
        try:
            write(path, seed)
            found = {"records": oracle.digest(path)}
        except (OSError, RuntimeError, KeyError, MemoryError, UnicodeEncodeError, ValueError) as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"seed": seed} | found), flush=True)


if __name__ == "__main__":
    main()
