"""How often libhdf4 starts to inflate, and how many bytes come out: counted in a process of its own by a library that stands
between it and zlib."""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

COUNTER = r"""
#include <dlfcn.h>
#include <zlib.h>
static unsigned long long starts, bytes;
unsigned long long counted_starts(void) { return starts; }
unsigned long long counted_bytes(void) { return bytes; }
void count_anew(void) { starts = bytes = 0; }
/* Python loads zlib for its own modules alone, where RTLD_NEXT does not look. */
static void *of_zlib(const char *name) { return dlsym(dlopen("libz.so.1", RTLD_LAZY), name); }
int inflateInit_(z_streamp stream, const char *version, int size) {
    static int (*real)(z_streamp, const char *, int);
    if (!real) real = (int (*)(z_streamp, const char *, int))of_zlib("inflateInit_");
    starts++;
    return real(stream, version, size);
}
int inflate(z_streamp stream, int flush) {
    static int (*real)(z_streamp, int);
    if (!real) real = (int (*)(z_streamp, int))of_zlib("inflate");
    unsigned before = stream->avail_out;
    int result = real(stream, flush);
    bytes += before - stream->avail_out;
    return result;
}
"""
#: What is used of `zlib.h`, which a machine need not have.
ZLIB = r"""
typedef struct { const unsigned char *next_in; unsigned avail_in; unsigned long total_in; unsigned char *next_out;
    unsigned avail_out; } *z_streamp;
"""


def build(folder: Path) -> Path:
    """Compiles the library that counts."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "no C compiler was found"
    source, library = folder / "counter.c", folder / "counter.so"
    source.write_text(COUNTER.replace("#include <zlib.h>", ZLIB))
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def counted(library: Path, sweeps: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Starts and bytes of each of these sweeps, read by pyhdf."""
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    done = subprocess.run(
        [sys.executable, __file__, str(library)],
        input=json.dumps(sweeps),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [(starts, found) for starts, found in json.loads(done.stdout)]


def blocks(shape: list[int], block: list[int], order: list[int]) -> Any:
    """Start and length of each block of a sweep; the last dimension of `order` moves fastest."""
    along = [range(0, length, size) for length, size in zip(shape, block, strict=True)]
    for places in itertools.product(*(along[axis] for axis in order)):
        start = [0] * len(shape)
        for axis, place in zip(order, places, strict=True):
            start[axis] = place
        yield start, [min(size, length - at) for size, length, at in zip(block, shape, start, strict=True)]


def main() -> None:
    from pyhdf.SD import SD

    counter = ctypes.CDLL(sys.argv[1])
    counter.counted_starts.restype = counter.counted_bytes.restype = ctypes.c_ulonglong
    results = []
    for sweep in json.load(sys.stdin):
        file = SD(sweep["file"])
        data_set = file.select(sweep["name"])
        counter.count_anew()
        for start, count in blocks(sweep["shape"], sweep["block"], sweep["order"]):
            wanted = [-(-length // step) for length, step in zip(count, sweep["step"], strict=True)]
            data_set.get(start, wanted, None if set(sweep["step"]) == {1} else sweep["step"])
        results.append((counter.counted_starts(), counter.counted_bytes()))
        data_set.endaccess()
        file.end()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
