"""Each structure of the format in a file that is as small as possible, for the tests that damage files.

A file contains little more than the structures in its name, so that nearly every change affects one of them, and ten
thousand changes of each can be read in seconds.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import h5py
import numpy as np
from common import create, create_with, dcpl, file_with, group_with, libhdf5, ramp, sharing

KIND = "test"
#: Message types of `H5Pset_shared_mesg_index` for dataspaces and datatypes, which are shared.
SHARED = 0x1F
#: The filter of the blocks of the heap of links.
COMPRESSED = ("H5Pset_deflate", 6)


def superblocks(into: Path) -> None:
    for name, libver, settings in (
        ("superblock_0", "earliest", []),
        ("superblock_1", "earliest", [("H5Pset_istore_k", 2)]),
        ("superblock_2", "v108", []),
        ("superblock_3", "v110", []),
        ("extension", "v108", [("H5Pset_istore_k", 2), ("H5Pset_sym_k", 2, 2)]),
    ):
        with file_with(into / f"{name}.h5", libver, *settings) as file:
            file.create_dataset("d", data=ramp(2))
    with create(into / "file_space.h5", "v110", fs_strategy="fsm", fs_persist=True) as file:
        file.create_dataset("d", data=ramp(2))


def headers(into: Path) -> None:
    """Object headers with continuation blocks, and messages that are in no other file."""
    for version, libver in ((1, "earliest"), (2, "v110")):
        with create(into / f"header_{version}.h5", libver) as file:
            owners = [file.create_dataset(name, data=ramp(2)) for name in "ab"]
            for i in range(6):
                for owner in owners:
                    owner.attrs.create(f"attribute {i}", ramp(i + 1, "<i2"))
    with create(into / "rare_messages.h5", "v110", track_order=True) as file:
        order = h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED
        phases, estimates = ("H5Pset_link_phase_change", 9, 3), ("H5Pset_est_link_info", 5, 7)
        group_with(file, "g", phases, estimates, ("H5Pset_link_creation_order", order))
        h5py.h5o.set_comment(file["g"].id, b"a comment")
        file["again"] = file["g"]
    with create(into / "times.h5") as file:
        file.create_dataset("d", data=ramp(2), track_times=True)


def messages(into: Path) -> None:
    for libver in ("earliest", "v110", "v200"):
        with create(into / f"datatypes_{libver}.h5", libver) as file:
            pair = np.dtype({"names": ["a", "b"], "formats": ["<i2", ("<f4", (2,))]})
            colours = h5py.enum_dtype({"red": 1, "green": 2}, "i1")
            file["named"] = np.dtype("<f8")
            for name, data in (
                ("compound", np.zeros(2, pair)),
                ("enum", np.array([1, 2], colours)),
                ("opaque", np.array([b"ab", b"cd"], h5py.opaque_dtype("V2"))),
                ("text", np.array([b"one", b"three"])),
                ("float", np.array([1.5, -2.0], ">f4")),
            ):
                file.create_dataset(name, data=data)
            file.create_dataset("committed", (2,), file["named"])
            create_with(file, "bits", h5py.h5t.STD_B16LE, (3,), dcpl())
            create_with(file, "array", h5py.h5t.array_create(h5py.h5t.STD_I16LE, (2, 3)), (2,), dcpl())
            file["scalar"] = 7
            file["null"] = h5py.Empty("<f4")
            file.create_dataset("growing", data=ramp((2, 2), "u1"), maxshape=(4, None), chunks=(2, 2))
            create_with(file, "time", h5py.h5t.UNIX_D32LE, (3,), dcpl())
            if libver == "v200":
                create_with(file, "complex", complex_type(), (2,), dcpl())
    for libver in ("earliest", "v110"):
        with create(into / f"fill_{libver}.h5", libver) as file:
            file.create_dataset("unwritten", (3,), "<i4", fillvalue=-7)
            file.create_dataset("chunked", (3,), "<i4", chunks=(2,), fillvalue=9)
            create_with(file, "compact", "<i2", (4,), dcpl(layout=h5py.h5d.COMPACT), ramp(4, "<i2"))
        with create(into / f"attributes_{libver}.h5", libver) as file:
            for name, value in (("a", ramp(3)), ("b", np.bytes_(b"text")), ("c", 1.5), ("d", ramp((2, 2), "<i2"))):
                file.attrs[name] = value
            file["named"] = np.dtype("<i2")
            file.attrs.create("e", 3, dtype=file["named"])
        with create(into / f"filters_{libver}.h5", libver) as file:
            many = dcpl(chunk=((8,),), shuffle=(), deflate=1, fletcher32=())
            create_with(file, "many", "<i4", (16,), many, ramp(16))
            create_with(file, "scaled", "<i4", (8,), dcpl(chunk=((8,),), scaleoffset=(h5py.h5z.SO_INT, 4)), ramp(8))
            create_with(file, "szip", "<i2", (16,), dcpl(chunk=((16,),), szip=(h5py.h5z.SZIP_NN_OPTION_MASK, 8)), ramp(16, "<i2"))
    with create(into / "links.h5", "v110") as file:
        file.create_group("g")
        file["hard"] = file["g"]
        file["soft"] = h5py.SoftLink("/g")
        file["external"] = h5py.ExternalLink("other.h5", "/there")
    with create(into / "external_files.h5") as file:
        file.create_dataset("d", (6,), "<i4", external=[("one.bin", 0, 12), ("two.bin", 4, 12)])


def complex_type() -> h5py.h5t.TypeID:
    """A complex datatype. h5py writes a compound instead."""
    target = libhdf5().H5Tcomplex_create
    target.restype, target.argtypes = ctypes.c_int64, [ctypes.c_int64]
    return h5py.h5t.TypeID(target(h5py.h5t.IEEE_F32LE.id))


def filters(into: Path) -> None:
    """A chunk for each registered filter."""
    import hdf5plugin as plugins

    for name, filter in (
        ("lzf", {"compression": "lzf"}),
        ("bzip2", plugins.BZip2()),
        ("blosc", plugins.Blosc(cname="zstd")),
        ("blosc2", plugins.Blosc2()),
        ("lz4", plugins.LZ4()),
        ("zstd", plugins.Zstd()),
        ("bitshuffle", plugins.Bitshuffle(cname="lz4")),
        ("zfp", plugins.Zfp(reversible=True)),
    ):
        with create(into / f"filter_{name}.h5", "v110") as file:
            file.create_dataset("d", data=ramp((8, 16), "<i4"), chunks=(8, 16), **filter)


def heaps(into: Path) -> None:
    for libver in ("earliest", "v110"):
        with create(into / f"global_heap_{libver}.h5", libver) as file:
            file.create_dataset("text", data=["one", "two", "three", ""], dtype=h5py.string_dtype())
            sequences = file.create_dataset("sequences", (2,), h5py.vlen_dtype(np.dtype("<i2")))
            sequences[0], sequences[1] = ramp(3, "<i2"), ramp(5, "<i2")
            file.attrs["text"] = "variable"
        with create(into / f"references_{libver}.h5", libver) as file:
            target = file.create_dataset("target", data=ramp((4, 5)))
            file.create_dataset("objects", data=[target.ref, file.ref], dtype=h5py.ref_dtype)
            points = np.zeros((4, 5), bool)
            points[1, 2] = points[3, 4] = True
            regions = [target.regionref[1:3, ::2], target.regionref[points]]
            file.create_dataset("regions", data=regions, dtype=h5py.regionref_dtype)
    with create(into / "old_group.h5") as file:
        member = file.create_dataset("d", data=ramp(2))
        for i in range(40):
            file[f"m{i * 7 % 40:02d}"] = member
    with create(into / "dense_links.h5", "v110", track_order=True) as file:
        member = file.create_dataset("d", data=ramp(2))
        for i in range(70):
            file[f"member {i * 11 % 70:02d}"] = member
    with create(into / "huge_links.h5", "v110") as file:
        long_links(file)
    with file_with(into / "huge_links_direct.h5", "v110", ("H5Pset_sizes", 2, 4)) as file:
        # With addresses of 2 bytes, a heap ID has enough space for the address of the object.
        long_links(file)
    with create(into / "huge_links_filtered.h5", "v110") as file:
        long_links(group_with(file, "group", COMPRESSED))
    with create(into / "nested_blocks.h5", "v110") as file:
        # Enough names for a heap with a second level; then most of them are deleted with their blocks.
        group = group_with(file, "group", COMPRESSED)
        names = [f"{i:03d}" + "n" * 3900 for i in range(130)]
        for name in names:
            group[name] = h5py.SoftLink("/")
        for name in names[3:-5]:
            del group[name]
    for name, track in (("dense_attributes", False), ("dense_attributes_in_order", True)):
        with create(into / f"{name}.h5", "v110", track_order=track) as file:
            for i in range(40):
                file.attrs[f"a{i * 7 % 40:02d}"] = np.int16(i)
    for name, list_max in (("list", 20), ("tree", 0)):
        with file_with(into / f"shared_{name}.h5", "v110", *sharing(SHARED, 10, list_max)) as file:
            for i in range(3):
                file.create_dataset(f"d{i}", data=ramp(i + 2)).attrs["units"] = "metres"
    with file_with(into / "cache_image.h5", "v110", image=True) as file:
        file.create_dataset("d", data=ramp(4)).attrs["a"] = 1
        file.create_group("g")


def long_links(group: h5py.Group) -> None:
    """Links, one of which is too long for a block of the heap."""
    for i in range(10):
        group[f"{i}" + "n" * (4200 if i == 5 else 4)] = h5py.SoftLink("/")


def indexes(into: Path) -> None:
    def chunks(file, name, shape, maxshape, chunk, **filters):
        create_with(file, name, "u1", shape, dcpl(chunk=(chunk,), **filters), ramp(shape, "u1"), maxshape)

    for kind, filters in (("plain", {}), ("gzip", {"deflate": 1})):
        with file_with(into / f"chunks_1_{kind}.h5", "earliest", ("H5Pset_istore_k", 2)) as file:
            chunks(file, "two levels", (9,), (None,), (1,), **filters)
        with create(into / f"fixed_array_{kind}.h5", "v110") as file:
            chunks(file, "d", (5, 5), (5, 5), (2, 2), **filters)
        with create(into / f"fixed_array_5_{kind}.h5", "v200") as file:
            chunks(file, "d", (5, 5), (5, 5), (2, 2), **filters)
        with create(into / f"extensible_array_{kind}.h5", "v110") as file:
            chunks(file, "d", (90,), (None,), (1,), **filters)
        with create(into / f"extensible_array_far_{kind}.h5", "v200") as file:
            made = create_with(file, "d", "u1", (300,), dcpl(chunk=((1,),), **filters), None, (None,))
            for i in (0, 4, 20, 250, 299):
                made[i] = i % 256
        with create(into / f"chunks_2_{kind}.h5", "v110") as file:
            chunks(file, "leaf", (3, 4), (None, None), (2, 2), **filters)
        with create(into / f"single_chunk_{kind}.h5", "v110") as file:
            chunks(file, "d", (4,), (4,), (4,), **filters)
    with create(into / "chunks_2_levels.h5", "v110") as file:
        chunks(file, "d", (10, 10), (None, None), (1, 1))
    with create(into / "fixed_array_pages.h5", "v110") as file:
        chunks(file, "d", (1030,), (1030,), (1,))
    with create(into / "implicit.h5", "v110") as file:
        plist = dcpl(chunk=((2, 2),), alloc_time=h5py.h5d.ALLOC_TIME_EARLY)
        create_with(file, "d", "u1", (3, 5), plist, ramp((3, 5), "u1"))
    with create(into / "virtual.h5", "v110") as file:
        line = file.create_dataset("line", data=ramp(6))
        layout = h5py.VirtualLayout((3, 2), "<i4")
        for i in range(3):
            layout[i] = h5py.VirtualSource(".", line.name, (6,))[i : i + 3 : 2]
        file.create_virtual_dataset("d", layout, fillvalue=-1)


def make(into: Path) -> None:
    for part in (superblocks, headers, messages, filters, heaps, indexes):
        part(into)
