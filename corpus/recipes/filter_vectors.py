"""Chunks of every supported filter, as HDF5 files and as test vectors for the filters' own tests.

    make.py --only filter_vectors    the files: FAMILY.h5, one dataset of one chunk for each case
    filter_vectors.py [FAMILY...]    crates/hyperslab-filters/vectors/FAMILY.txt: stored bytes, decoded bytes

A vector file is text, one case after the other:

    = NAME
    filters ID:VALUE,VALUE ID:...    in the order of writing
    mask MASK                        bit i set: filter i was skipped
    stored HEX                       the chunk as it is stored in the file
    raw HEX                          what libhdf5 reads from it in the file's type, as a zlib stream
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
import zlib
from pathlib import Path

import h5py
import numpy as np
from common import ROOT, create, dcpl, libhdf5, random

KIND = "test"

VECTORS = ROOT / "crates/hyperslab-filters/vectors"

DEFLATE, SHUFFLE, FLETCHER32, SZIP, NBIT = 1, 2, 3, 4, 5
SCALEOFFSET, BZIP2, LZF, BLOSC, LZ4, BITSHUFFLE, ZFP, ZSTD, BLOSC2 = 6, 307, 32000, 32001, 32004, 32008, 32013, 32015, 32026
LZO, VBZ = 305, 32020
MANDATORY, OPTIONAL = h5py.h5z.FLAG_MANDATORY, h5py.h5z.FLAG_OPTIONAL
EC, NN = 4, 32


class Case:
    """One dataset: a datatype of the file, values of that type, a property list."""

    def __init__(self, name, kind, shape, data, plist):
        self.name, self.shape, self.plist = name, shape, plist
        self.kind = kind if isinstance(kind, h5py.h5t.TypeID) else h5py.h5t.py_create(np.dtype(kind), logical=True)
        self.bytes = data if isinstance(data, bytes) else np.ascontiguousarray(data, np.dtype(kind)).tobytes()


def filtered(shape, *filters, fill=None):
    """A property list for one chunk of this shape. Each filter is a function of the list, or (id, values)."""
    plist = dcpl(chunk=(tuple(shape),))
    if fill is not None:
        plist.set_fill_value(np.array(fill))
    for one in filters:
        if callable(one):
            one(plist)
        else:
            plist.set_filter(one[0], OPTIONAL if len(one) < 3 else one[2], tuple(one[1]))
    return plist


def no_fill(plist):
    """Makes the fill value undefined."""
    set_fill_value = libhdf5().H5Pset_fill_value
    set_fill_value.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    if set_fill_value(plist.id, h5py.h5t.STD_I32LE.id, None) < 0:
        raise RuntimeError("H5Pset_fill_value failed")


def plugin(made):
    """A filter of hdf5plugin as (id, values)."""
    return (made.filter_id, made.filter_options)


def smooth(shape, seed=1, step=3):
    """A random walk: neighbouring values are similar, as in most real data."""
    walk = random(seed).integers(-step, step + 1, int(np.prod(shape))).cumsum()
    return walk.reshape(shape)


def waves(shape, dtype="<f4"):
    count = int(np.prod(shape))
    return (280 + 15 * np.sin(np.arange(count) / 40) + random(4).normal(0, 0.05, count)).astype(dtype).reshape(shape)


def classic():
    """libhdf5's own filters that need no preparation by libhdf5, in several orders."""
    shuffle, deflate, fletcher = (lambda p: p.set_shuffle()), (lambda p: p.set_deflate(4)), (lambda p: p.set_fletcher32())
    shape = (20, 30)
    for order, filters in {
        "deflate": [deflate],
        "shuffle": [shuffle],
        "fletcher32": [fletcher],
        "shuffle-deflate": [shuffle, deflate],
        "shuffle-deflate-fletcher32": [shuffle, deflate, fletcher],
        "fletcher32-shuffle-deflate": [fletcher, shuffle, deflate],
        "deflate-shuffle": [deflate, shuffle],
        "deflate-deflate": [(DEFLATE, (1,)), (DEFLATE, (9,))],
    }.items():
        for kind in ["<f4", ">i2", "<f8", "S5"]:
            data = np.char.mod("%05d", np.arange(600)).astype("S5") if kind == "S5" else smooth(shape).astype(kind)
            yield Case(f"{order} {kind}", kind, shape, data.reshape(shape), filtered(shape, *filters))
    yield Case("fletcher32 odd", "u1", (33,), np.arange(33), filtered((33,), fletcher))
    yield Case("deflate level 0", "<i4", shape, smooth(shape), filtered(shape, lambda p: p.set_deflate(0)))


def integer(base, size, precision, offset):
    """An integer type that does not use all of its bits."""
    kind = base.copy()
    kind.set_size(size)
    kind.set_precision(precision)
    kind.set_offset(offset)
    return kind


def szip():
    for kind in ["u1", "<i2", ">i2", "<u4", ">i4", "<i8", "<f4", ">f4", "<f8"]:
        for option, word in [(EC, "ec"), (NN, "nn")]:
            for block in [4, 8, 16, 32]:
                shape = (12, 40) if block < 16 else (6, 67)
                data = waves(shape, kind) if "f" in kind else smooth(shape) + 90
                yield Case(f"{word} {block} {kind}", kind, shape, data.astype(kind),
                           filtered(shape, lambda p: p.set_szip(option, block)))
    for precision, kind in [(10, "<i2"), (12, ">u2"), (20, "<u4"), (24, ">i4"), (5, "u1")]:
        low = np.dtype(kind)
        base = h5py.h5t.py_create(low)
        made = integer(base, low.itemsize, precision, 0)
        data = (smooth((9, 21), 2) + 16) & ((1 << precision) - 1 if kind[1] == "u" else (1 << (precision - 1)) - 1)
        yield Case(f"nn 8 {precision} bits of {kind}", made, (9, 21), data.astype(kind).tobytes(),
                   filtered((9, 21), lambda p: p.set_szip(NN, 8)))
    shape = (16, 200)
    long_runs = np.zeros(shape, "<u2")
    long_runs[3, 17] = 9
    long_runs[7:9, 100:130] = 1
    for word, data in {
        "zeros": np.zeros(shape), "runs of zeros": long_runs, "constant": np.full(shape, 77),
        "bits": random(7).integers(0, 2, shape), "small": random(8).integers(0, 5, shape),
        "steps": np.repeat(random(9).integers(0, 60000, 40), 80).reshape(shape),
        "mixed": np.where(np.arange(3200).reshape(shape) % 400 < 90, random(10).integers(0, 65536, shape), 3),
    }.items():
        for option, name in [(EC, "ec"), (NN, "nn")]:
            for block in [8, 32]:
                yield Case(f"{name} {block} {word}", "<u2", shape, data.astype("<u2"),
                           filtered(shape, lambda p: p.set_szip(option, block)))
    yield Case("nn 2 one line", "<i2", (7,), np.array([5, -3, 8, 8, 8, 9, 30000]),
               filtered((7,), lambda p: p.set_szip(NN, 2)))
    yield Case("with shuffle and fletcher32", "<i4", (10, 50), smooth((10, 50)),
               filtered((10, 50), lambda p: p.set_szip(NN, 16), lambda p: p.set_fletcher32()))


def nbit():
    through = (NBIT, ())
    count = 37

    def noise(size, seed=3):
        return random(seed).integers(0, 256, count * size, np.uint8).tobytes()

    t = h5py.h5t
    for base, word in [(t.STD_U32LE, "u32le"), (t.STD_I32BE, "i32be"), (t.STD_I16LE, "i16le"), (t.STD_U64BE, "u64be"),
                       (t.STD_U8LE, "u8"), (t.STD_I64LE, "i64le")]:
        size = base.get_size()
        for precision, offset in [(1, 0), (3, 2), (7, 1), (8, 0), (11, 5), (16, 8), (17, 0), (31, 1), (40, 13), (63, 0)]:
            if precision + offset <= 8 * size and precision < 8 * size:
                made = integer(base, size, precision, offset)
                yield Case(f"{word} {precision} at {offset}", made, (count,), noise(size), filtered((count,), through))
    yield Case("all bits", "<i4", (count,), noise(4), filtered((count,), through))
    short = t.IEEE_F32LE.copy()
    short.set_fields(26, 20, 6, 7, 13)
    short.set_offset(7)
    short.set_precision(20)
    short.set_size(4)
    yield Case("float of 20 bits", short, (count,), noise(4), filtered((count,), through))
    wide = t.IEEE_F64BE.copy()
    wide.set_fields(50, 40, 10, 4, 36)
    wide.set_offset(4)
    wide.set_precision(47)
    wide.set_size(8)
    yield Case("float of 47 bits", wide, (count,), noise(8), filtered((count,), through))
    text = t.C_S1.copy()
    text.set_size(5)
    odd, big = integer(t.STD_U16LE, 2, 9, 3), integer(t.STD_I32BE, 4, 21, 6)
    inner = t.create(t.COMPOUND, 8)
    inner.insert(b"odd", 0, odd)
    inner.insert(b"text", 2, text)
    outer = t.create(t.COMPOUND, 47)
    outer.insert(b"big", 1, big)
    outer.insert(b"inner", 6, inner)
    outer.insert(b"row", 16, t.array_create(odd, (2, 3)))
    outer.insert(b"full", 30, t.IEEE_F64LE)
    outer.insert(b"last", 39, t.array_create(inner, (1,)))
    for word, made in {
        "array of odd": t.array_create(odd, (3,)), "array of arrays": t.array_create(t.array_create(big, (2,)), (2,)),
        "array of text and odd": t.array_create(inner, (2,)), "inner compound": inner, "outer compound": outer,
    }.items():
        yield Case(word, made, (count,), noise(made.get_size()), filtered((count,), through))


def scaleoffset():
    shape = (7, 23)
    for kind in ["u1", "i1", "<u2", ">i2", "<i4", ">u4", "<i8", ">u8"]:
        dtype = np.dtype(kind)
        data = (smooth(shape, 5) % 100 + 20).astype(kind)
        with_fill = data.copy()
        with_fill[2, 3:9] = 19
        for bits in [0, 3, 7]:
            through = [lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, bits)]
            yield Case(f"{kind} {bits} bits", kind, shape, data, filtered(shape, *through))
            yield Case(f"{kind} {bits} bits, no fill", kind, shape, data, filtered(shape, *through, no_fill))
            yield Case(f"{kind} {bits} bits, fill", kind, shape, with_fill,
                       filtered(shape, *through, fill=np.array(19, kind)))
        least = [lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, 0)]
        yield Case(f"{kind} constant", kind, shape, np.full(shape, 55), filtered(shape, *least))
        yield Case(f"{kind} constant, no fill", kind, shape, np.full(shape, 55), filtered(shape, *least, no_fill))
        yield Case(f"{kind} all bits", kind, shape, data,
                   filtered(shape, lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, dtype.itemsize * 8)))
        ends = np.iinfo(dtype)
        wide = random(6).integers(ends.min, ends.max, shape, dtype.newbyteorder("="), endpoint=True)
        yield Case(f"{kind} whole range", kind, shape, wide, filtered(shape, *least))
        negative = (smooth(shape, 8, 2) - 40).astype(kind)
        yield Case(f"{kind} below zero", kind, shape, negative, filtered(shape, *least))
    for kind in ["<f4", ">f4", "<f8", ">f8"]:
        for digits in [-3, -1, 0, 1, 2, 3, 5, 7, 9]:
            data = waves(shape, kind)
            with_fill = data.copy()
            with_fill[1, 4:8] = -999.5
            through = [(SCALEOFFSET, (0, digits & 0xFFFFFFFF))]
            yield Case(f"{kind} {digits} digits", kind, shape, data, filtered(shape, *through))
            yield Case(f"{kind} {digits} digits, no fill", kind, shape, data, filtered(shape, *through, no_fill))
            yield Case(f"{kind} {digits} digits, fill", kind, shape, with_fill,
                       filtered(shape, *through, fill=np.array(-999.5, kind)))
        yield Case(f"{kind} large", kind, shape, waves(shape, kind) * np.dtype(kind).type(1e30),
                   filtered(shape, lambda p: p.set_scaleoffset(h5py.h5z.SO_FLOAT_DSCALE, 2)))


def lzf():
    for kind, data in {"<f4": waves((40, 30)), "<i2": smooth((40, 30)), "u1": np.zeros((40, 30)),
                       "S7": np.char.mod("%07d", np.arange(1200)).reshape(40, 30)}.items():
        yield Case(f"{kind}", kind, (40, 30), data.astype(kind), filtered((40, 30), (LZF, ())))
        yield Case(f"{kind} shuffled", kind, (40, 30), data.astype(kind),
                   filtered((40, 30), lambda p: p.set_shuffle(), (LZF, ())))
    yield Case("left out", "u1", (300,), random(1).integers(0, 256, 300), filtered((300,), (LZF, ())))


def codecs():
    import hdf5plugin as hp

    shape = (30, 41)
    for word, one in {
        "lz4": hp.LZ4(), "lz4 blocks of 500": hp.LZ4(nbytes=500), "zstd": hp.Zstd(), "zstd 19": hp.Zstd(clevel=19),
        "bzip2": hp.BZip2(), "bzip2 1": hp.BZip2(blocksize=1),
    }.items():
        for kind, data in {"<f4": waves(shape), "<i2": smooth(shape), "u1": np.full(shape, 3),
                           "noise": random(2).integers(0, 256, shape)}.items():
            kind = "u1" if kind == "noise" else kind
            name = "noise" if data.dtype == np.int64 and kind == "u1" and data.max() > 3 else kind
            yield Case(f"{word} {name}", kind, shape, data.astype(kind), filtered(shape, plugin(one)))


def bitshuffle():
    import hdf5plugin as hp

    for kind in ["u1", "<i2", "S3", "<f4", "<f8", "<c16", "S24"]:
        for count in [3, 8, 500, 1031, 4096]:
            if count * np.dtype(kind).itemsize > 9000:
                continue
            values = np.char.mod("%03d", np.arange(count) // 3) if kind[0] == "S" else smooth((count,)) + 100
            for cname in ["none", "lz4", "zstd"]:
                for block in [0, 64]:
                    if block and count not in (500, 1031):
                        continue
                    one = hp.Bitshuffle(nelems=block, cname=cname)
                    yield Case(f"{cname} {kind} {count} by {block}", kind, (count,), values.astype(kind),
                               filtered((count,), plugin(one)))


def blosc():
    import hdf5plugin as hp

    for cname in ["blosclz", "lz4", "lz4hc", "zlib", "zstd", "snappy"]:
        for shuffle in [hp.Blosc.NOSHUFFLE, hp.Blosc.SHUFFLE, hp.Blosc.BITSHUFFLE]:
            for kind in ["u1", "<i2", "<f4", "<f8", "S20"]:
                count = 2400 // np.dtype(kind).itemsize
                values = np.char.mod("%06d", np.arange(count)) if kind[0] == "S" else smooth((count,)) + 100
                one = hp.Blosc(cname=cname, clevel=5, shuffle=shuffle)
                yield Case(f"{cname} {shuffle} {kind}", kind, (count,), values.astype(kind),
                           filtered((count,), plugin(one)))
        one = hp.Blosc(cname=cname, clevel=9, shuffle=1)
        yield Case(f"{cname} noise", "<u4", (700,), random(5).integers(0, 1 << 32, 700), filtered((700,), plugin(one)))
        fast = hp.Blosc(cname=cname, clevel=1, shuffle=1)
        yield Case(f"{cname} blocks", "<i4", (35_001,), np.arange(35_001) // 50 * 50, filtered((35_001,), plugin(fast)))
        yield Case(f"{cname} zeros", "<i4", (1000,), np.zeros(1000), filtered((1000,), plugin(one)))
        odd = hp.Blosc(cname=cname, clevel=5, shuffle=hp.Blosc.BITSHUFFLE)
        yield Case(f"{cname} odd count of bits", "<f4", (397,), waves((397,)), filtered((397,), plugin(odd)))
    one = hp.Blosc(clevel=0)
    yield Case("copied", "<i4", (100,), np.arange(100), filtered((100,), plugin(one)))
    yield Case("tiny", "<i4", (3,), np.arange(3), filtered((3,), plugin(hp.Blosc())))


def zfp():
    import hdf5plugin as hp

    shapes = [(50,), (9, 13), (5, 6, 7), (3, 4, 5, 6)]
    for kind in ["<f4", "<f8", "<i4", "<i8"]:
        for shape in shapes:
            size = 8 * np.dtype(kind).itemsize
            modes = {"rate 8": hp.Zfp(rate=8), "rate 3.3": hp.Zfp(rate=3.3), "precision 12": hp.Zfp(precision=12),
                     f"precision {size}": hp.Zfp(precision=size), "reversible": hp.Zfp(reversible=True),
                     "expert": hp.Zfp(minbits=40, maxbits=400, maxprec=24, minexp=-20)}
            if kind[1] == "f":
                modes |= {"accuracy 0.01": hp.Zfp(accuracy=0.01), "accuracy 1e-9": hp.Zfp(accuracy=1e-9)}
            data = waves(shape, kind) if kind[1] == "f" else (smooth(shape) * 1000).astype(kind)
            for word, one in modes.items():
                yield Case(f"{word} {kind} {len(shape)}-D", kind, shape, data, filtered(shape, plugin(one)))
        if kind[1] == "f":
            ends = np.array([0, -0.0, 1e-38, -1e30, 3e-300, 7, 1.5, np.pi] * 3 + [0.0] * 8, "<f8").astype(kind)
            if kind == "<f8":
                ends[:4] = [1e308, -1e-308, 5e-324, -0.0]
            for word, one in {"reversible": hp.Zfp(reversible=True), "rate 16": hp.Zfp(rate=16)}.items():
                yield Case(f"{word} {kind} ends of the range", kind, ends.shape, ends, filtered(ends.shape, plugin(one)))
    yield Case("rate 8 >f4", ">f4", (9, 13), waves((9, 13), ">f4"), filtered((9, 13), plugin(hp.Zfp(rate=8))))
    yield Case("one row", "<f4", (1, 13), waves((1, 13)), filtered((1, 13), plugin(hp.Zfp(precision=20))))


def blosc2():
    import hdf5plugin as hp

    for cname in ["blosclz", "lz4", "zlib", "zstd"]:
        for filters in [hp.Blosc2.NOFILTER, hp.Blosc2.SHUFFLE, hp.Blosc2.BITSHUFFLE, hp.Blosc2.DELTA]:
            for kind in ["u1", "<i2", "<f4", "<f8", "S20"]:
                count = 2400 // np.dtype(kind).itemsize
                values = np.char.mod("%06d", np.arange(count)) if kind[0] == "S" else smooth((count,)) + 100
                one = hp.Blosc2(cname=cname, clevel=5, filters=filters)
                yield Case(f"{cname} {filters} {kind}", kind, (count,), values.astype(kind),
                           filtered((count,), plugin(one)))
        one = hp.Blosc2(cname=cname, clevel=9, filters=1)
        yield Case(f"{cname} noise", "<u4", (700,), random(5).integers(0, 1 << 32, 700), filtered((700,), plugin(one)))
        fast = hp.Blosc2(cname=cname, clevel=1, filters=1)
        yield Case(f"{cname} blocks", "<i4", (35_001,), np.arange(35_001) // 50 * 50, filtered((35_001,), plugin(fast)))
        yield Case(f"{cname} zeros", "<i4", (1000,), np.zeros(1000), filtered((1000,), plugin(one)))
        yield Case(f"{cname} equal", "<f8", (1000,), np.full(1000, 7.25), filtered((1000,), plugin(one)))
        yield Case(f"{cname} NaN", "<f4", (1000,), np.full(1000, np.nan), filtered((1000,), plugin(one)))
        yield Case(f"{cname} runs", "<i4", (3000,), np.arange(3000) // 900 * 0x01010101, filtered((3000,), plugin(one)))
        for shape in [(30, 41), (7, 9, 11), (3, 5, 7, 9)]:
            yield Case(f"{cname} {len(shape)}-D", "<f4", shape, waves(shape), filtered(shape, plugin(one)))
        for shape in [(301, 257), (43, 41, 39)]:
            steps = (np.indices(shape).sum(0) // 40).astype("<i4")
            fast = hp.Blosc2(cname=cname, clevel=1, filters=hp.Blosc2.SHUFFLE)
            yield Case(f"{cname} bricks {len(shape)}-D", "<i4", shape, steps, filtered(shape, plugin(fast)))
    yield Case("bits of an odd count", "<f4", (397,), waves((397,)),
               filtered((397,), plugin(hp.Blosc2(cname="zstd", filters=hp.Blosc2.BITSHUFFLE))))
    yield Case("copied", "<i4", (100,), np.arange(100), filtered((100,), plugin(hp.Blosc2(clevel=0))))
    yield Case("tiny", "<i4", (3,), np.arange(3), filtered((3,), plugin(hp.Blosc2())))


def vbz():
    """Needs `pip install vbz-h5py-plugin`."""
    import vbz_h5py_plugin

    h5py.h5pl.prepend(str(Path(vbz_h5py_plugin.__file__).parent / "lib").encode())
    for kind, integer in [("i1", 1), ("u1", 1), ("<i2", 2), ("<u2", 2), ("<i4", 4), ("<f4", 4)]:
        ends = random(11).integers(0, 256, 200 * integer, np.uint8).tobytes()
        for version in [0, 1]:
            for differences in [0, 1]:
                for level in [0, 1]:
                    name = f"v{version} {kind} differences {differences} level {level}"
                    through = filtered((200,), (VBZ, (version, integer, differences, level)))
                    yield Case(name, kind, (200,), (smooth((200,)) % 120).astype(kind), through)
                    yield Case(f"{name} noise", kind, (200,), ends, through)
    through = filtered((401,), (VBZ, (0, 2, 1)))
    yield Case("no level", "<i2", (401,), smooth((401,), step=200), through)


FAMILIES = [classic, szip, nbit, scaleoffset, lzf, codecs, bitshuffle, blosc, zfp, blosc2]
#: The tests do not install the writers of these filters, so they are written only if named.
RARE = [vbz]


def write(into: Path, family) -> Path:
    path = into / f"{family.__name__}.h5"
    # Object headers with checksums: without them, libhdf5 takes types with few bits in many bytes for damage.
    with create(path, "v110") as file:
        for number, case in enumerate(family()):
            space = h5py.h5s.create_simple(case.shape)
            made = h5py.h5d.create(file.id, f"{number:03} {case.name}".encode(), case.kind, space, case.plist)
            values = np.frombuffer(case.bytes, f"V{case.kind.get_size()}").reshape(case.shape)
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=case.kind)
    return path


def make(into: Path) -> None:
    """Writes the files."""
    for family in FAMILIES:
        write(into, family)


def vectors(path: Path):
    """The cases of a file as lines of a vector file."""
    with h5py.File(path) as file:
        for name in sorted(file):
            dataset = file[name].id
            kind = dataset.get_type()
            raw = np.zeros(dataset.shape, f"V{kind.get_size()}")
            dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, mtype=kind)
            yield from lines(name, dataset, raw.tobytes())


def lines(name, dataset, raw):
    """One case: the first chunk of a dataset, stored and decoded."""
    plist = dataset.get_create_plist()
    mask, stored = dataset.read_direct_chunk((0,) * dataset.rank)
    filters = [plist.get_filter(i) for i in range(plist.get_nfilters())]
    yield f"= {name}"
    yield "filters " + " ".join(f"{one[0]}:{','.join(str(v & 0xFFFFFFFF) for v in one[2])}" for one in filters)
    yield f"mask {mask}"
    yield f"stored {stored.hex()}"
    yield f"raw {zlib.compress(raw, 9).hex()}"


def lzo(folder: Path):
    """Chunks as PyTables writes them, without PyTables, whose packages do not include LZO; needs liblzo2."""
    library = ctypes.CDLL("liblzo2.so.2")

    def compressed(raw, function):
        out, length, memory = ctypes.create_string_buffer(2 * len(raw) + 99), ctypes.c_size_t(), bytearray(1 << 19)
        memory = (ctypes.c_char * len(memory)).from_buffer(memory)
        if getattr(library, function)(raw, ctypes.c_size_t(len(raw)), out, ctypes.byref(length), memory) != 0:
            raise RuntimeError(f"{function} failed")
        return out.raw[: length.value]

    shape = (30, 41)
    noise = random(3).integers(0, 256, 18_000, np.uint8)
    cases = {
        "<f4": waves(shape), "<i2": smooth(shape), "u1": np.full(shape, 3), "<i8": np.arange(1230).reshape(shape) // 100,
        "<u4": random(2).integers(0, 9, shape), "S6": np.char.mod("%06d", np.arange(1230) // 3 * 3).reshape(shape),
        "u1 far copies": np.concatenate([noise, np.roll(noise, 99)[:5_000]]), "u1 noise": noise[:700],
    }  # fmt: skip
    with create(folder / "lzo.h5", "v110") as file:
        for name, data in cases.items():
            data = data.astype(name.split()[0])
            raw = data.tobytes()
            for function in ["lzo1x_1_compress", "lzo1x_999_compress"]:
                trailer = zlib.adler32(raw).to_bytes(4, "little") + len(raw).to_bytes(4, "little")
                for version, end in [(20, trailer), (10, b"")] if name == "<i2" else [(20, trailer)]:
                    # The level, PyTables' version of the format, and a table.
                    plist = filtered(data.shape, (LZO, (1, version, 0)))
                    word = f"{name} {function[4:-9]} {version}"
                    kind, space = h5py.h5t.py_create(data.dtype), h5py.h5s.create_simple(data.shape)
                    made = h5py.h5d.create(file.id, word.encode(), kind, space, plist)
                    made.write_direct_chunk((0,) * data.ndim, compressed(raw, function) + end)
                    yield from lines(word, made, raw)


def main() -> None:
    names = sys.argv[1:]
    VECTORS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = {family.__name__: lambda family=family: vectors(write(Path(folder), family)) for family in FAMILIES + RARE}
        made["lzo"] = lambda: lzo(Path(folder))
        for name in names or [family.__name__ for family in FAMILIES]:
            lines = list(made[name]())
            out = VECTORS / f"{name}.txt"
            out.write_text("\n".join(lines) + "\n")
            print(f"{out.name}: {len(lines) // 5} cases, {out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
