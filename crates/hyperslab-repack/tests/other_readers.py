"""Reads files and their copies with other readers than h5py: the tools of libhdf5 and netCDF-C, pyfive, and libhdf5 1.8.

    other_readers.py READER...       of `h5diff`, `h5dump`, `ncdump`, `pyfive` and `libhdf5_1_8`

`libhdf5_1_8` is the shared library that `HYPERSLAB_LIBHDF5_1_8` names.

What a reader reads of the first file, it must read of the second; what it cannot read of the first, it need not. The tools
print the same text about both, apart from addresses.
"""

import json
import os
import re
import subprocess
import sys
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


def tool(*words, seconds=TIME_LIMIT):
    """The exit code of a tool and what it prints; `None` if it takes too long."""
    try:
        ended = subprocess.run(words, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, b""
    return ended.returncode, ended.stdout[:TEXT_BYTES_MAX]


def without_addresses(text):
    """The text of h5dump without the name of the file, and without the addresses that name objects in references and that
    stand for the names of committed datatypes without links."""
    body = text.split(b"\n", 1)[-1]
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
    if normalized(text) != normalized(of_copy):
        if normalized(tool(name, before)[1]) != normalized(text):
            # It prints memory that is not initialized.
            return
        pairs = zip(normalized(text).splitlines(), normalized(of_copy).splitlines())
        first = next((pair for pair in pairs if pair[0] != pair[1]), "one is longer")
        raise AssertionError(f"{name} prints {first}")


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


def is_newer(path):
    """True if a file has datasets that HDF5 1.8 does not know: virtual ones, and filters or edge chunks of later versions."""
    newer = []

    def look(_, found):
        if isinstance(found, h5py.Dataset):
            plist = found.id.get_create_plist()
            filters = [plist.get_filter(number)[0] for number in range(plist.get_nfilters())]
            newer.append(found.is_virtual or any(filter not in FILTERS_1_8 for filter in filters))

    with h5py.File(path) as file:
        file.visititems(look)
    return any(newer)


def libhdf5_1_8(before, after):
    """Values that the libhdf5 of h5py reads of the first file, one of version 1.8 reads of the second."""
    with open("/proc/self/maps") as maps:
        new = next(line.split()[-1] for line in maps if "/libhdf5" in line and "_hl" not in line)
    script = Path(__file__).with_name("raw_values.py")
    code, text = tool(sys.executable, script, new, before)
    if code != 0 or is_newer(before):
        return
    expected = json.loads(text)
    code, text = tool(sys.executable, script, os.environ["HYPERSLAB_LIBHDF5_1_8"], after, seconds=COPY_TIME_LIMIT)
    assert code == 0, f"libhdf5 1.8 ends with exit code {code}"
    found = json.loads(text)
    for name, value in expected.items():
        if not str(value).startswith("unread"):
            assert found.get(name) == value, f"libhdf5 1.8 reads {found.get(name)} of {name}"


READERS = {"h5diff": h5diff, "h5dump": h5dump, "ncdump": ncdump, "pyfive": by_pyfive, "libhdf5_1_8": libhdf5_1_8}


def check(before, after):
    if before.endswith(tuple(LEFT_OUT)):
        return
    for name in sys.argv[1:]:
        READERS[name](before, after)


in_process.run(check)
