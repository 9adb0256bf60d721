"""Reads files and their copies with other readers than h5py: the tools of libhdf5 and netCDF-C, pyfive, and libhdf5 1.8.

    other_readers.py READER...       of `h5diff`, `h5dump`, `ncdump`, `pyfive` and `libhdf5_1_8`

`libhdf5_1_8` is the shared library that `HYPERSLAB_LIBHDF5_1_8` names.

What a reader reads of the first file, it must read of the second; what it cannot read of the first, it need not. The tools
print the same text about both, apart from addresses and from memory that they did not initialize: what they print of the first
file depends on what is in such memory, too.
"""

import ctypes
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import h5py
import in_process
import numpy as np
import pyfive

#: Seconds for one tool and a file, and for its copy: a file that takes longer is not compared.
TIME_LIMIT, COPY_TIME_LIMIT = 4, 40
#: Files that are not compared, and why.
LEFT_OUT = {
    "fill_values/v110.h5": "elements without fill value are never written: the tools print memory that is not initialized",
    "nc_test/f03tst_open_mem.nc": "a variable without fill value was never written: h5dump prints memory that is not initialized",
    "testfiles/trefer_obj_del.h5": "h5diff 1.10 compares the bytes of revised references, which it does not know",
    "links_and_mappings/billion.h5": "the tools visit all sources of a virtual dataset",
    "structures/huge_links_direct.h5": "the tools take minutes to visit its links",
    "chunk_indexes/v110_sum.h5": "the tools print each element of 30 datasets",
    "nc_test4/ref_tst_dims.nc": "4.5 billion elements, none of them stored",
    "testfiles/h5stat_tsohm.h5": "pyfive reads attribute info messages without creation order beyond their end",
    "rare_structures/huge_chunks.h5": "libhdf5 1.8 knows no chunks of more than 4 GiB",
}
#: Longer texts are not compared.
TEXT_BYTES_MAX = 64 << 20
#: Where the superblock has its version.
SUPERBLOCK_VERSION = 8
#: The filters that every libhdf5 1.8 has.
FILTERS_1_8 = (1, 2, 3, 5, 6)


def tool(*words, seconds=TIME_LIMIT, perturbed=False):
    """The exit code of a tool and what it prints; `None` if it takes too long. `perturbed`: new memory is not zeros."""
    environment = {**os.environ, "MALLOC_PERTURB_": "85"} if perturbed else None
    try:
        ended = subprocess.run(words, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL, env=environment)
    except subprocess.TimeoutExpired:
        return None, b""
    return ended.returncode, ended.stdout[:TEXT_BYTES_MAX]


def without_addresses(text):
    """The text of h5dump without the name of the file, and without the addresses that name objects in references and that
    stand for the names of committed datatypes without links."""
    body = text.split(b"\n", 1)[-1]
    # Of a null reference in a sequence it prints a kind of object and an address that were never set.
    body = re.sub(rb'\((?:[A-Z]+|\d+-) *\d+ ""\)', b'("")', body)
    body = re.sub(rb"\b(DATASET|GROUP|DATATYPE|HARDLINK) \d+\b", rb"\1", body)
    body = re.sub(rb'"/?#\d+(:\d+)?"', b'"#"', body)
    # Where lines of elements end depends on the addresses.
    return re.sub(rb"\s+(\([\d,]+\): )?", b"\n", body)


def h5diff(before, after):
    if tool("h5dump", before)[0] != 0:
        return
    code, _ = tool("h5diff", "-q", before, after)
    # 2 is an error: references, times and filters that it does not know.
    if code == 1:
        # Of some files it says that they differ from themselves.
        assert tool("h5diff", "-q", before, before)[0] != 0, "h5diff finds differences"


def h5dump(before, after):
    same_text("h5dump", before, after, without_addresses)


def ncdump(before, after):
    # Attributes without a creation order have no order that is to be kept.
    same_text("ncdump", before, after, lambda text: b"\n".join(sorted(text.splitlines()[1:])))


def same_text(name, before, after, normalized):
    code, text = tool(name, before)
    if code != 0:
        return
    copied, of_copy = tool(name, after, seconds=COPY_TIME_LIMIT)
    assert copied == 0, f"{name} ends with exit code {copied}"
    text, of_copy = normalized(text), normalized(of_copy)
    if text == of_copy:
        return
    # Lines with memory that is not initialized are others when the file is read again, with other memory.
    again = normalized(tool(name, before, seconds=COPY_TIME_LIMIT, perturbed=True)[1])
    lines, found = Counter(text.splitlines()), Counter(of_copy.splitlines())
    wanted = lines & Counter(again.splitlines())
    unstable = (lines - wanted).total()
    missing = wanted - found
    assert not missing, f"{name} does not print {next(iter(missing))} {'without' if not unstable else 'apart from'} unstable lines"
    assert (found - wanted).total() <= unstable, f"{name} prints {next(iter(found - wanted))}"


def by_pyfive(before, after):
    """Numbers that pyfive reads of the first file, it reads of the second.

    Some that h5py reads it reads wrongly, of both: those of 17 bits in 4 bytes, for example.
    """
    names = []

    def note(name, found):
        if isinstance(found, h5py.Dataset) and found.dtype.kind in "iuf" and found.dtype.itemsize <= 8 and found.shape:
            names.append(name)

    try:
        with h5py.File(before) as file:
            file.visititems(note)
        original = pyfive.File(before)
    except Exception:
        return
    if Path(after).read_bytes()[SUPERBLOCK_VERSION] == 1:
        # It knows no superblock of version 1, which chunk indexes with nodes of other sizes need.
        return
    with original, pyfive.File(after) as copied:
        for name in names:
            try:
                values = original[name][()]
            except Exception:
                continue
            np.testing.assert_array_equal(copied[name][()], values, err_msg=name)


def newer(path):
    """The names under which libhdf5 1.8 reads nothing, because they need what later versions introduced: virtual datasets,
    filters and options of edge chunks; and all attributes of an object of which one has a datatype that 1.8 does not know."""
    names, options = set(), ctypes.c_uint()

    def look(name, found):
        types = [h5py.h5a.open(found.id, key.encode()).get_type() for key in found.attrs]
        if any(map(is_newer_type, types)):
            names.update(f"{name}@{key}" for key in found.attrs)
        if not isinstance(found, h5py.Dataset):
            return
        plist = found.id.get_create_plist()
        filters = [plist.get_filter(number)[0] for number in range(plist.get_nfilters())]
        has_options = found.chunks and libhdf5().H5Pget_chunk_opts(ctypes.c_int64(plist.id), ctypes.byref(options)) >= 0
        is_newer = found.is_virtual or any(filter not in FILTERS_1_8 for filter in filters)
        if is_newer or (has_options and options.value) or is_newer_type(found.id.get_type()):
            names.update([name, *(f"{name}@{key}" for key in found.attrs)])

    with h5py.File(path) as file:
        look(".", file)
        file.visititems(look)
    return names


def is_newer_type(datatype):
    """True if HDF5 1.8 does not know a datatype: revised references and complex numbers, and what contains them."""
    if isinstance(datatype, h5py.h5t.TypeReferenceID):
        return not (datatype.equal(h5py.h5t.STD_REF_OBJ) or datatype.equal(h5py.h5t.STD_REF_DSETREG))
    if isinstance(datatype, h5py.h5t.TypeCompoundID):
        return any(is_newer_type(datatype.get_member_type(number)) for number in range(datatype.get_nmembers()))
    if isinstance(datatype, (h5py.h5t.TypeArrayID, h5py.h5t.TypeVlenID)):
        return is_newer_type(datatype.get_super())
    return datatype.get_class() > h5py.h5t.ARRAY


@functools.cache
def libhdf5():
    """The library of h5py."""
    return ctypes.CDLL(path_of_libhdf5())


def path_of_libhdf5():
    with open("/proc/self/maps") as maps:
        return next(line.split()[-1] for line in maps if "/libhdf5" in line and "_hl" not in line)


def properties_for_1_8(dataset):
    """Its chunks, filters and fill value. Its own creation properties may have a version of the layout that 1.8 does not know."""
    own, plist = dataset.get_create_plist(), h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(own.get_chunk())
    for number in range(own.get_nfilters()):
        identification, flags, values, _ = own.get_filter(number)
        plist.set_filter(identification, flags, values)
    if own.fill_value_defined() == h5py.h5d.FILL_VALUE_USER_DEFINED:
        value = np.zeros((), dataset.dtype)
        own.get_fill_value(value)
        plist.set_fill_value(value)
    return plist


def written_for_1_8(path, names, target):
    """Write chunked datasets as libhdf5 does for version 1.8, with the stored bytes that they have."""
    with h5py.File(path) as file, h5py.File(target, "w", libver=("earliest", "v108")) as old:
        for name in names:
            found = file[name].id
            plist = properties_for_1_8(found)
            new = h5py.h5d.create(old.id, name.replace("/", " ").encode(), found.get_type(), found.get_space(), plist)
            for number in range(found.get_num_chunks()):
                offset = found.get_chunk_info(number).chunk_offset
                mask, stored = found.read_direct_chunk(offset)
                new.write_direct_chunk(offset, stored, mask)


def libhdf5_1_8(before, after):
    """Values that the libhdf5 of h5py reads of the first file, one of version 1.8 reads of the second.

    What they read differently must be what 1.8 reads of a file that libhdf5 itself writes with the same stored bytes.
    """
    script, old = Path(__file__).with_name("raw_values.py"), os.environ["HYPERSLAB_LIBHDF5_1_8"]
    code, text = tool(sys.executable, script, path_of_libhdf5(), before)
    if code != 0:
        return
    expected, not_known = json.loads(text), newer(before)
    code, text = tool(sys.executable, script, old, after, seconds=COPY_TIME_LIMIT)
    if code != 0 and not_known:
        # It ends where it finds something that it does not know.
        return
    assert code == 0, f"libhdf5 1.8 ends with exit code {code}"
    found = json.loads(text)
    others = [name for name, value in expected.items() if not str(value).startswith("unread") and found.get(name) != value]
    others = [name for name in others if name not in not_known]
    with h5py.File(before) as file:
        chunked = [name for name in others if "@" not in name and isinstance(file[name], h5py.Dataset) and file[name].chunks]
    if chunked:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, "written.h5")
            written_for_1_8(before, chunked, target)
            by_1_8 = json.loads(tool(sys.executable, script, old, target, seconds=COPY_TIME_LIMIT)[1])
        others = [name for name in others if name not in chunked or by_1_8[name.replace("/", " ")] != found.get(name)]
    for name in others:
        raise AssertionError(f"libhdf5 1.8 reads {found.get(name)} of {name}")


READERS = {"h5diff": h5diff, "h5dump": h5dump, "ncdump": ncdump, "pyfive": by_pyfive, "libhdf5_1_8": libhdf5_1_8}


def check(before, after):
    if before.endswith(tuple(LEFT_OUT)):
        return
    for name in sys.argv[1:]:
        READERS[name](before, after)


in_process.run(check)
