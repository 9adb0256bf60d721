"""Writes texts of variable length and ragged rows: processor time of hyperslab and of h5py, in one run.

    variable_lengths.py                   text to standard output
    variable_lengths.py --only WORD ...   runs the cases with one of these words in their names
    variable_lengths.py --small           a hundredth of the values, to try the script

hyperslab's time contains the verification of the written file, which h5py does not make. Each file is written by a process
of its own; counted is the time of all its threads, from before the file is opened until it is closed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

#: What is written: how it is made, and the arguments of `create_dataset`.
CASES = {
    "300,000 texts of 35 bytes": (
        300_000,
        "values = [f'station {number:09} north of the river' for number in range(count)]",
        "data=values, dtype=h5py.string_dtype()",
    ),
    "300,000 texts of 35 bytes, chunks, gzip": (
        300_000,
        "values = [f'station {number:09} north of the river' for number in range(count)]",
        "data=values, dtype=h5py.string_dtype(), chunks=(min(count, 10_000),), compression='gzip'",
    ),
    "100,000 ragged rows of 0 to 36 integers": (
        100_000,
        "random = numpy.random.default_rng(1)\n"
        "values = numpy.empty(count, object)\n"
        "values[:] = [numpy.arange(length, dtype='i4') for length in random.integers(0, 37, count)]",
        "data=values, dtype=h5py.vlen_dtype('i4')",
    ),
    "100,000 ragged rows of 0 to 36 integers, chunks, gzip": (
        100_000,
        "random = numpy.random.default_rng(1)\n"
        "values = numpy.empty(count, object)\n"
        "values[:] = [numpy.arange(length, dtype='i4') for length in random.integers(0, 37, count)]",
        "data=values, dtype=h5py.vlen_dtype('i4'), chunks=(min(count, 10_000),), compression='gzip'",
    ),
    "300,000 texts of 35 bytes in NumPy's StringDType": (
        300_000,
        "texts = [f'station {number:09} north of the river' for number in range(count)]\n"
        "values = numpy.array(texts, dtype=numpy.dtypes.StringDType())",
        "data=values, dtype=h5py.string_dtype()",
    ),
    "10,000 ragged rows of 0 to 2,000 floats": (
        10_000,
        "random = numpy.random.default_rng(1)\n"
        "values = numpy.empty(count, object)\n"
        "values[:] = [numpy.arange(length, dtype='f8') for length in random.integers(0, 2001, count)]",
        "data=values, dtype=h5py.vlen_dtype('f8')",
    ),
}
OPEN = {"hyperslab": "hyperslab.NewFile(sys.argv[1])", "h5py": "h5py.File(sys.argv[1], 'w')"}
#: hyperslab takes at most this share of h5py's processor time.
BOUND = 1.0

WRITE = """
import json, resource, sys
import h5py, hyperslab, numpy
count = {count}
{make}
def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime
before = used()
with {open} as file:
    file.create_dataset("d", {arguments})
print(json.dumps(used() - before))
"""


def write(library: str, case: tuple[int, str, str], path: Path) -> float:
    count, make, arguments = case
    program = WRITE.format(count=count, make=make, open=OPEN[library], arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    arguments, _ = parser.parse_known_args()
    chosen = {name: case for name, case in CASES.items() if not arguments.only or any(word in name for word in arguments.only)}
    missed = 0
    for name, (count, *how) in chosen.items():
        case = (count // 100 if arguments.small else count, *how)
        times: dict[str, list[float]] = {library: [] for library in OPEN}
        with tempfile.TemporaryDirectory(prefix="hyperslab-variable-lengths-") as folder:
            for repeat in range(arguments.repeats):
                for library, found in times.items():
                    path = Path(folder) / f"{library}-{repeat}.h5"
                    found.append(write(library, case, path))
                    path.unlink()
        least = {library: min(found) for library, found in times.items()}
        ratio = least["hyperslab"] / least["h5py"]
        missed += ratio > BOUND
        print(f"{name}; load of the machine: {os.getloadavg()[0]:.2f}")
        print(f"  hyperslab {1e3 * least['hyperslab']:6.0f} ms, h5py {1e3 * least['h5py']:6.0f} ms of processor time")
        print(f"  hyperslab takes {ratio:.2f} of h5py's time; bound {BOUND}: {'MISSED' if ratio > BOUND else 'reached'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
