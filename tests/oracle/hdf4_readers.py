"""What libhdf4 reads of a file, through pyhdf in a process of its own: a file that it does not understand may end the process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

#: Reads the files of the command line, each into `OUT.NUMBER`: data sets in their order, Vdatas by name, attributes.
PROGRAM = """
import pickle, sys
import numpy as np
from pyhdf.SD import SD, SDC
from pyhdf.HDF import HDF, HC
import pyhdf.VS

NUMBERS = {SDC.CHAR8: "S1", SDC.UCHAR8: "u1", SDC.INT8: "i1", SDC.UINT8: "u1", SDC.INT16: "i2", SDC.UINT16: "u2",
           SDC.INT32: "i4", SDC.UINT32: "u4", SDC.FLOAT32: "f4", SDC.FLOAT64: "f8"}

def attributes(of):
    found = {}
    for name, number in ((name, of.attr(index)) for index, name in enumerate(of.attributes())):
        found[name] = number.get()
    return found

def data_sets(path):
    file = SD(path)
    count, _ = file.info()
    found = []
    for index in range(count):
        one = file.select(index)
        name, rank, shape, kind, _ = one.info()
        shape = [shape] if isinstance(shape, int) else list(shape)
        dimensions = [one.dim(axis).info()[0] for axis in range(rank)]
        try:
            # A data set without records is empty; libhdf4 has an error for it.
            values = np.empty(shape, NUMBERS[kind]) if 0 in shape else np.asarray(one.get())
        except Exception as error:
            values = repr(error)
        found.append((name, shape, kind, dimensions, values, attributes(one)))
        one.endaccess()
    own = attributes(file)
    file.end()
    return found, own

def tables(path):
    file = HDF(path, HC.READ)
    interface = file.vstart()
    found = {}
    for info in interface.vdatainfo():
        name, cls, reference, records, fields = info[0], info[1], info[2], info[3], info[4]
        one = interface.attach(reference)
        try:
            found[reference] = (name, cls, [field[0] for field in one.fieldinfo()], one.read(records) if records else [])
        except Exception as error:
            found[reference] = (name, cls, [], repr(error))
        one.detach()
    interface.end()
    file.close()
    return found

out, *paths = sys.argv[1:]
for number, path in enumerate(paths):
    answer = {}
    for word, read in (("sets", data_sets), ("tables", tables)):
        try:
            answer[word] = read(path)
        except Exception as error:
            answer[word] = repr(error)
    with open(f"{out}.{number}", "wb") as file:
        pickle.dump(answer, file)
"""


def read_all(paths: list[Path], out: Path, seconds: float = 120) -> list[dict[str, Any] | None]:
    """What libhdf4 reads of each file; `None` where it dies. `out` is the beginning of names of files that it may write."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM, out, *paths], capture_output=True, timeout=seconds)
    if ran.returncode and len(paths) > 1:
        return [read_all([path], out, seconds)[0] for path in paths]
    if ran.returncode:
        return [None]
    return [pickle.loads(Path(f"{out}.{number}").read_bytes()) for number in range(len(paths))]  # noqa: S301
