"""Random reads through a real libhdf5, with what each cost, as JSON lines for the simulator to be held against.

    python validate.py --cases 2000 --seed 1 [--library PATH]

Without --library it is the libhdf5 that h5py brings. Everything goes through the C API by ctypes, so that any build
of the library can be asked, from 1.8 on; where it is too old to tell where its chunks are, h5py's writes the files and
tells. The first line names the library; each further line is a case: a dataset, a chunk cache,
reads, and for each read the decodes, driver reads and driver bytes that were counted (see count.c). A line with
"skip" says why nothing could be done. `--list` prints the paths of other libraries found beside h5py.
"""

import argparse
import ctypes as c
import glob
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILTER = 300
DEFLATE = 1
HID = "hid_t"  # its size differs between versions
hsize = c.c_uint64


def find_h5py_library():
    import h5py  # noqa: F401  (loads its libhdf5 into this process)

    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split()[-1]
            name = os.path.basename(path)
            if name.startswith("libhdf5") and not name.startswith("libhdf5_hl"):
                return path
    raise RuntimeError("h5py has no shared libhdf5")


def other_libraries():
    found = []
    for folder in sys.path:
        for pattern in ("*.libs/libhdf5-*.so*", "*.libs/libhdf5.so*"):
            found += [p for p in glob.glob(os.path.join(folder, pattern)) if "h5py.libs" not in p]
    return sorted(set(found) | set(filter(None, os.environ.get("HYPERSLAB_LIBHDF5", "").split(":"))))


class Library:
    """The few functions that are needed, with their types."""

    SIGNATURES = {
        "H5open": (c.c_int, []),
        "H5get_libversion": (c.c_int, [c.POINTER(c.c_uint)] * 3),
        "H5Eset_auto2": (c.c_int, [HID, c.c_void_p, c.c_void_p]),
        "H5Zregister": (c.c_int, [c.c_void_p]),
        "H5Zfilter_avail": (c.c_int, [c.c_int]),
        "H5Pcreate": (HID, [HID]),
        "H5Pclose": (c.c_int, [HID]),
        "H5Pset_libver_bounds": (c.c_int, [HID, c.c_int, c.c_int]),
        "H5Pset_chunk": (c.c_int, [HID, c.c_int, c.POINTER(hsize)]),
        "H5Pset_chunk_opts": (c.c_int, [HID, c.c_uint]),
        "H5Pset_filter": (c.c_int, [HID, c.c_int, c.c_uint, c.c_size_t, c.POINTER(c.c_uint)]),
        "H5Pset_fill_time": (c.c_int, [HID, c.c_int]),
        "H5Pset_fill_value": (c.c_int, [HID, HID, c.c_void_p]),
        "H5Pset_alloc_time": (c.c_int, [HID, c.c_int]),
        "H5Pset_chunk_cache": (c.c_int, [HID, c.c_size_t, c.c_size_t, c.c_double]),
        "H5Fcreate": (HID, [c.c_char_p, c.c_uint, HID, HID]),
        "H5Fopen": (HID, [c.c_char_p, c.c_uint, HID]),
        "H5Fclose": (c.c_int, [HID]),
        "H5Screate_simple": (HID, [c.c_int, c.POINTER(hsize), c.POINTER(hsize)]),
        "H5Sclose": (c.c_int, [HID]),
        "H5Sselect_hyperslab": (c.c_int, [HID, c.c_int] + [c.POINTER(hsize)] * 4),
        "H5Dcreate2": (HID, [HID, c.c_char_p, HID, HID, HID, HID, HID]),
        "H5Dopen2": (HID, [HID, c.c_char_p, HID]),
        "H5Dclose": (c.c_int, [HID]),
        "H5Dread": (c.c_int, [HID, HID, HID, HID, HID, c.c_void_p]),
        "H5Dwrite": (c.c_int, [HID, HID, HID, HID, HID, c.c_void_p]),
        "H5Dget_offset": (c.c_uint64, [HID]),
        "H5Dget_num_chunks": (c.c_int, [HID, HID, c.POINTER(hsize)]),
        "H5Dget_chunk_info": (
            c.c_int,
            [HID, HID, hsize, c.POINTER(hsize), c.POINTER(c.c_uint), c.POINTER(c.c_uint64), c.POINTER(hsize)],
        ),
        "H5Dget_chunk_storage_size": (c.c_int, [HID, c.POINTER(hsize), c.POINTER(hsize)]),
        "H5Dread_chunk": (c.c_int, [HID, HID, c.POINTER(hsize), c.POINTER(c.c_uint32), c.c_void_p]),
    }

    # Not in libraries before 1.10.5.
    NEW = {"H5Pset_chunk_opts", "H5Dget_num_chunks", "H5Dget_chunk_info", "H5Dget_chunk_storage_size", "H5Dread_chunk"}

    def __init__(self, path):
        self.dll = c.CDLL(path)
        numbers = [c.c_uint() for _ in range(3)]
        self.dll.H5get_libversion(*map(c.byref, numbers))
        self.version = tuple(number.value for number in numbers)
        self.hid = c.c_int if self.version < (1, 10) else c.c_int64
        self.is_new = True
        for name, (result, arguments) in self.SIGNATURES.items():
            # 2.x numbers the forms of a function; the first is the one that was.
            function = getattr(self.dll, name, None) or getattr(self.dll, name + "1", None)
            if function is None and name in self.NEW:
                self.is_new = False
                continue
            types = [self.hid if kind is HID else kind for kind in [result, *arguments]]
            function.restype, function.argtypes = types[0], types[1:]
            setattr(self.dll, name, function)
        self.H5open()
        self.dll.H5Eset_auto2(0, None, None)
        # The newest bound that this library knows.
        fapl = self.H5Pcreate(self.id("H5P_CLS_FILE_ACCESS_ID_g"))
        self.newest = next(high for high in range(9, 0, -1) if self.dll.H5Pset_libver_bounds(fapl, 0, high) >= 0)
        self.H5Pclose(fapl)

    def id(self, name):
        try:
            return self.hid.in_dll(self.dll, name).value
        except ValueError:  # 1.8 named its classes otherwise
            return self.hid.in_dll(self.dll, name.replace("_ID_g", "_g")).value

    def __getattr__(self, name):
        function = getattr(self.dll, name)

        def checked(*arguments):
            result = function(*arguments)
            if result < 0:
                raise RuntimeError(f"{name} failed")
            return result

        return checked


class FilterClass(c.Structure):
    """H5Z_class2_t"""

    _fields_ = [
        ("version", c.c_int),
        ("id", c.c_int),
        ("encoder_present", c.c_uint),
        ("decoder_present", c.c_uint),
        ("name", c.c_char_p),
        ("can_apply", c.c_void_p),
        ("set_local", c.c_void_p),
        ("filter", c.c_void_p),
    ]


def numbers(values):
    return (hsize * len(values))(*values)


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


def random_case(rng, newest):
    """A dataset and a cache. Small, so that every limit is met often; some large, so that the sieve is."""
    kind = rng.choices(["small", "large", "contiguous"], [80, 10, 10])[0]
    rank = rng.randint(1, 4)
    element = rng.choice([1, 2, 4, 8])
    if kind == "contiguous":
        longest = {1: 300_000, 2: 700, 3: 70, 4: 25}[rank]
        shape = [rng.randint(1, longest) for _ in range(rank)]
        return {"kind": kind, "shape": shape, "max": shape, "chunk": None, "element": element, "filtered": False}
    if kind == "small":
        longest = {1: 60, 2: 24, 3: 12, 4: 8}[rank]
        shape = [rng.randint(1, longest) for _ in range(rank)]
        chunk = [rng.randint(1, max(1, min(longest // 2, n + 2))) for n in shape]
    else:
        rank = min(rank, 3)
        longest = {1: 400_000, 2: 900, 3: 90}[rank]
        shape = [rng.randint(longest // 3, longest) for _ in range(rank)]
        chunk = [rng.randint(max(1, n // 4), n) for n in shape]
    maximum = []
    for axis, n in enumerate(shape):
        maximum.append(rng.choice([n, n, n + rng.randint(0, 9), None]))
        # A chunk may only exceed an extent that can grow to it.
        if maximum[axis] is not None and chunk[axis] > maximum[axis]:
            maximum[axis] = None
    case = {
        "kind": kind,
        "shape": shape,
        "max": maximum,
        "chunk": chunk,
        "element": element,
        "filtered": rng.random() < (0.65 if kind == "small" else 0.25),
        "fill_time": rng.choice(["ifset", "ifset", "never", "alloc"]),
        "fill_defined": rng.random() < 0.85,
        "low": rng.choice([0, 2, newest]) if newest > 1 else 0,
        "missing": rng.choice([0, 0, 0.1, 0.5, 0.9]),
    }
    # Filling on allocation with nothing to fill is refused.
    case["fill_defined"] |= case["fill_time"] == "alloc"
    # The flag needs the layout message of 1.10.
    case["edge_unfiltered"] = case["filtered"] and case["low"] > 0 and rng.random() < 0.4
    case["masked"] = rng.choice([0, 0, 0, 2, 3]) if case["filtered"] else 0
    case["deflate"] = case["filtered"] and not case["masked"] and rng.random() < 0.3
    case["early"] = not case["filtered"] and rng.random() < 0.2
    return case


def random_cache(rng, case):
    if case["chunk"] is None:
        return {"nbytes": 1 << 20, "nslots": 521, "w0": 0.75}
    chunk = product(case["chunk"]) * case["element"]
    grid = product(-(-n // m) for n, m in zip(case["shape"], case["chunk"]))
    held = rng.choice([0, 1, 2, 3, rng.randint(1, 20), rng.randint(1, grid + 2)])
    return {
        "nbytes": max(0, chunk * held + rng.choice([0, 0, -1, 1, rng.randint(0, chunk)])),
        "nslots": rng.choice([0, 1, 2, 7, 8, 16, 31, 101, 521, 1000, 8191, rng.randint(1, 60)]),
        "w0": rng.choice([0.0, 0.25, 0.5, 0.75, 0.75, 0.9, 1.0, round(rng.random(), 3)]),
    }


def random_reads(rng, case):
    shape = case["shape"]
    most = 60 if case["kind"] == "small" else 15
    if rng.random() < 0.5:
        block = [rng.choice([1, n, rng.randint(1, n), min(n, (case["chunk"] or shape)[i])]) for i, n in enumerate(shape)]
        order = list(range(len(shape)))
        if rng.random() < 0.4:
            rng.shuffle(order)
        steps = [range(0, shape[axis], block[axis]) for axis in order]
        reads = []
        for position in itertools.islice(itertools.product(*steps), most * 4):
            start = [0] * len(shape)
            for axis, at in zip(order, position):
                start[axis] = at
            reads.append((start, [min(b, n - s) for b, n, s in zip(block, shape, start)]))
        whole = len(reads) == product(-(-n // b) for n, b in zip(shape, block))
        return reads, {"block": block, "order": order} if whole else None
    reads = []
    for _ in range(rng.randint(1, most)):
        start = [rng.randrange(n) for n in shape]
        if rng.random() < 0.2:
            start = [0] * len(shape)
        count = [rng.choice([1, n - s, rng.randint(1, n - s)]) for n, s in zip(shape, start)]
        reads.append((start, count))
    return reads, None


def write_file(rng, library, newest, path, case):
    fapl = library.H5Pcreate(library.id("H5P_CLS_FILE_ACCESS_ID_g"))
    library.H5Pset_libver_bounds(fapl, case.get("low", 0), newest)
    file = library.H5Fcreate(path, 2, 0, fapl)
    library.H5Pclose(fapl)
    dcpl = library.H5Pcreate(library.id("H5P_CLS_DATASET_CREATE_ID_g"))
    kind = library.id(f"H5T_NATIVE_UINT{case['element'] * 8}_g")
    shape, chunk = case["shape"], case["chunk"]
    if chunk:
        library.H5Pset_chunk(dcpl, len(chunk), numbers(chunk))
        if case["filtered"]:
            library.H5Pset_filter(dcpl, FILTER, 1, 1, (c.c_uint * 1)(case["masked"]))
        if case["deflate"]:
            library.H5Pset_filter(dcpl, DEFLATE, 1, 1, (c.c_uint * 1)(1))
        if case["edge_unfiltered"]:
            library.H5Pset_chunk_opts(dcpl, 2)
        library.H5Pset_fill_time(dcpl, {"alloc": 0, "never": 1, "ifset": 2}[case["fill_time"]])
        if not case["fill_defined"]:
            library.H5Pset_fill_value(dcpl, kind, None)
        if case["early"]:
            library.H5Pset_alloc_time(dcpl, 1)
    maximum = numbers([(1 << 64) - 1 if n is None else n for n in case["max"]])
    space = library.H5Screate_simple(len(shape), numbers(shape), maximum)
    dataset = library.H5Dcreate2(file, b"d", kind, space, 0, dcpl, 0)
    # Half noise, half zeros, so that deflate makes chunks of many sizes.
    piece = product(chunk) if chunk else product(shape)
    noise = rng.randbytes(piece * case["element"])
    data = bytearray(len(noise))
    cut = rng.randint(0, len(noise))
    data[:cut] = noise[:cut]
    buffer = (c.c_char * len(data)).from_buffer(data)
    if not chunk:
        library.H5Dwrite(dataset, kind, 0, 0, 0, buffer)
    else:
        for start in itertools.product(*(range(0, n, m) for n, m in zip(shape, chunk))):
            if rng.random() < case["missing"]:
                continue
            count = [min(m, n - s) for n, m, s in zip(shape, chunk, start)]
            library.H5Sselect_hyperslab(space, 0, numbers(start), None, numbers(count), None)
            memory = library.H5Screate_simple(len(count), numbers(count), None)
            library.H5Dwrite(dataset, kind, memory, space, 0, buffer)
            library.H5Sclose(memory)
    for close, handle in (("H5Sclose", space), ("H5Dclose", dataset), ("H5Pclose", dcpl), ("H5Fclose", file)):
        getattr(library, close)(handle)


def stored_chunks(library, dataset, case):
    """[linear index, bytes, is filtered] of each stored chunk, and their ranges in the file."""
    if not case["chunk"]:
        start = library.dll.H5Dget_offset(dataset)
        return [], [(start, start + product(case["shape"]) * case["element"])]
    chunks, ranges = [], []
    found, size, address = hsize(), hsize(), c.c_uint64()
    unused, mask = c.c_uint(), c.c_uint32()
    offset = numbers([0] * len(case["chunk"]))
    # Older libraries do not take H5S_ALL here.
    space = library.H5Screate_simple(len(case["shape"]), numbers(case["shape"]), None)
    library.H5Dget_num_chunks(dataset, space, c.byref(found))
    # Only the addresses are taken from here: for an extensible array whose unlimited dimension is not the first,
    # H5Dget_chunk_info gives the coordinates of other chunks, and so does its by-coordinate form.
    for index in range(found.value):
        library.H5Dget_chunk_info(dataset, space, index, offset, c.byref(unused), c.byref(address), c.byref(size))
        ranges.append((address.value, address.value + size.value))
    library.H5Sclose(space)
    stored = c.create_string_buffer(2 * product(case["chunk"]) * case["element"] + 1024)
    grid = itertools.product(*(range(0, n, m) for n, m in zip(case["shape"], case["chunk"])))
    for linear, start in enumerate(grid):
        offset = numbers(start)
        size.value = 0
        library.dll.H5Dget_chunk_storage_size(dataset, offset, c.byref(size))
        if size.value:
            library.H5Dread_chunk(dataset, 0, offset, c.byref(mask), stored)
            chunks.append([linear, size.value, not mask.value & 1])
    assert len(chunks) == len(ranges)
    return chunks, sorted(ranges)


def write_case(rng, writer, newest, path, case):
    """Writes the file of a case, and chooses its cache. Returns where its chunks lie."""
    write_file(rng, writer, newest, path, case)
    case["cache"] = random_cache(rng, case)
    file = writer.H5Fopen(path, 0, 0)
    dataset = writer.H5Dopen2(file, b"d", 0)
    case["chunks"], ranges = stored_chunks(writer, dataset, case)
    writer.H5Dclose(dataset)
    writer.H5Fclose(file)
    return ranges


class OpenCase:
    """The dataset of a case, opened with its cache, which knows nothing yet."""

    def __init__(self, library, path, case, is_written=False):
        self.library = library
        self.file = library.H5Fopen(path, int(is_written), 0)
        self.dapl = library.H5Pcreate(library.id("H5P_CLS_DATASET_ACCESS_ID_g"))
        cache = case["cache"]
        library.H5Pset_chunk_cache(self.dapl, cache["nslots"], cache["nbytes"], cache["w0"])
        self.dataset = library.H5Dopen2(self.file, b"d", self.dapl)
        self.kind = library.id(f"H5T_NATIVE_UINT{case['element'] * 8}_g")
        self.space = library.H5Screate_simple(len(case["shape"]), numbers(case["shape"]), None)
        self.buffer = c.create_string_buffer(max(1, product(case["shape"]) * case["element"]))

    def call(self, name, count, start, size, step=None):
        """Calls H5Dread or H5Dwrite for these elements, with counters that begin at 0. Returns what was counted."""
        step = numbers(step) if step else None
        self.library.H5Sselect_hyperslab(self.space, 0, numbers(start), step, numbers(size), None)
        memory = self.library.H5Screate_simple(len(size), numbers(size), None)
        count.count_reset()
        getattr(self.library, name)(self.dataset, self.kind, memory, self.space, 0, self.buffer)
        out = (c.c_uint64 * 3)()
        count.count_get(out)
        self.library.H5Sclose(memory)
        return list(out)

    def close_dataset(self):
        self.library.H5Sclose(self.space)
        self.library.H5Dclose(self.dataset)

    def close_file(self):
        self.library.H5Pclose(self.dapl)
        self.library.H5Fclose(self.file)


def run_case(rng, library, writer, count, path):
    newest = min(library.newest, writer.newest)
    case = random_case(rng, newest)
    ranges = write_case(rng, writer, newest, path, case)
    opened = OpenCase(library, path, case)
    starts = numbers([start for start, _ in ranges])
    ends = numbers([end for _, end in ranges])
    count.count_ranges(len(ranges), starts, ends)
    reads, case["sweep"] = random_reads(rng, case)
    if not ranges and not case.get("fill_defined", True):
        # libhdf5 refuses to read where nothing is stored and no fill value is defined.
        reads, case["sweep"] = [], None
    case["reads"] = [[start, size, *opened.call("H5Dread", count, start, size)] for start, size in reads]
    count.count_ranges(0, starts, ends)
    opened.close_dataset()
    opened.close_file()
    return case


def random_patterns(rng, case):
    """Blocks at random places, every how-many-th element of each, plain ones among them."""
    patterns = []
    whole = rng.random() < 0.3
    for _ in range(rng.randint(1, 60)):
        start, count, step = [], [], []
        for n, m in zip(case["shape"], case["chunk"]):
            if whole:
                first = rng.randrange(-(-n // m)) * m
                start.append(first)
                count.append(min(m, n - first))
                step.append(1)
                continue
            stride = rng.choice([1, 1, 2, 3, m, m + 1, rng.randint(1, n)])
            first = rng.randrange(n)
            most = -(-(n - first) // stride)
            start.append(first)
            count.append(rng.choice([1, most, rng.randint(1, most)]))
            step.append(stride)
        patterns.append((start, count, step))
    return patterns


def run_patterns(rng, library, writer, count, path):
    """Strided reads, or writes, of a dataset with filters: encodes and decodes of each call, and encodes of closing it."""
    newest = min(library.newest, writer.newest)
    while True:
        case = random_case(rng, newest)
        if case["kind"] == "small" and case["filtered"]:
            break
    case |= {"edge_unfiltered": False, "masked": 0, "deflate": False, "early": False, "fill_defined": True}
    write_case(rng, writer, newest, path, case)
    case["writes"] = rng.random() < 0.6
    opened = OpenCase(library, path, case, case["writes"])
    call = "H5Dwrite" if case["writes"] else "H5Dread"
    case["patterns"] = []
    for start, size, step in random_patterns(rng, case):
        decodes = opened.call(call, count, start, size, step)[0]
        case["patterns"].append([start, size, step, count.count_encodes(), decodes])
    count.count_reset()
    opened.close_dataset()
    case["close_encodes"] = count.count_encodes()
    opened.close_file()
    case["reads"], case["sweep"] = [], None
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library")
    parser.add_argument("--patterns", action="store_true", help="strided reads and writes, whose encodes are counted too")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(other_libraries()))
        return
    shim = os.environ.get("HYPERSLAB_COUNT")
    if not shim:
        with tempfile.TemporaryDirectory() as folder:
            shim = os.path.join(folder, "count.so")
            try:
                source = os.path.join(HERE, "count.c")
                subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                print(json.dumps({"skip": f"no C compiler: {error}"}))
                return
            environment = dict(os.environ, LD_PRELOAD=shim, HYPERSLAB_COUNT=shim, HDF5_USE_FILE_LOCKING="FALSE")
            sys.exit(subprocess.run([sys.executable, *sys.argv], env=environment).returncode)
    try:
        path = options.library or find_h5py_library()
        library = Library(path)
        writer = library if library.is_new else Library(find_h5py_library())
    except (ImportError, OSError, AttributeError, RuntimeError) as error:
        print(json.dumps({"skip": f"no libhdf5: {error}"}))
        return
    count = c.CDLL(shim)
    count.count_encodes.restype = c.c_uint64
    count.count_ranges.argtypes = [c.c_size_t, c.POINTER(hsize), c.POINTER(hsize)]
    name = b"count"
    filter_class = FilterClass(1, FILTER, 1, 1, name, None, None, c.cast(count.count_filter, c.c_void_p).value)
    library.H5Zregister(c.byref(filter_class))
    if writer is not library:
        writer.H5Zregister(c.byref(filter_class))
    print(json.dumps({"library": ".".join(map(str, library.version)), "path": path}))
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "case.h5").encode()
        for number in range(options.cases):
            run = run_patterns if options.patterns else run_case
            case = run(rng, library, writer, count, path)
            case["number"] = number
            print(json.dumps(case, separators=(",", ":")))


if __name__ == "__main__":
    main()
