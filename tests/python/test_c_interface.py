"""The interface for C: the programs of crates/hyperslab-c, compiled with its header and linked with its library, on files of h5py."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import h5py
import kit
import numpy as np
import pytest

CRATE = kit.ROOT / "crates" / "hyperslab-c"
#: Built with the tests of the crate.
LIBRARY = Path(os.environ.get("CARGO_TARGET_DIR", kit.ROOT / "target")) / "debug" / "deps" / "libhyperslab_c.so"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A folder with the library under the names that it is installed with."""
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built (cargo test -p hyperslab-c)")
    folder = tmp_path_factory.mktemp("lib")
    (folder / "libhyperslab.so.0").symlink_to(LIBRARY)
    (folder / "libhyperslab.so").symlink_to("libhyperslab.so.0")
    return folder


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("c") / "t.h5"
    with h5py.File(path, "w") as new:
        values = np.arange(60 * 7, dtype=">f4").reshape(60, 7)
        new.attrs["title"] = "a file"
        new.attrs["levels"] = np.array([1.5, -2.25], dtype=">f8")
        new.create_dataset("a/t", data=values, chunks=(7, 7), compression="gzip", compression_opts=4, shuffle=True)
        new["a/t"].attrs["units"] = np.bytes_("K")
        new["names"] = ["one", "two"]
        new["flags"] = np.array([True, False])
        new["whole"] = np.arange(5, dtype="u2")
    return path


def compiled(source: str, library: Path, folder: Path) -> Path:
    compiler = {"c": shutil.which("cc") or shutil.which("gcc"), "f90": shutil.which("gfortran")}[source.rsplit(".")[-1]]
    if compiler is None:
        pytest.skip(f"there is no compiler for {source}")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"] if source.endswith(".c") else ["-Wall", "-Werror"]
    program = folder / source.replace(".", "-")
    command = [compiler, *flags, CRATE / "tests" / "programs" / source, f"-I{CRATE / 'include'}", f"-L{library}", "-lhyperslab"]
    subprocess.run([*map(str, command), f"-Wl,-rpath,{library}", "-o", str(program)], check=True, timeout=120)
    return program


def test_a_program_in_c_reads_by_every_function(library, file, tmp_path):
    program = compiled("read.c", library, tmp_path)
    done = subprocess.run([program, file], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with h5py.File(file) as known:
        chunks = [known["a/t"].id.get_chunk_info(number) for number in range(known["a/t"].id.get_num_chunks())]
        values = known["a/t"][:].astype("f8")
    assert done.stdout.splitlines() == [
        "  @levels = 1.5 -2.25",
        '  @title = "a file"',
        f"/a/t 60x7 class 2 of 4 bytes, {len(chunks)} chunks of 7x7 (shuffle+gzip=4), {sum(chunk.size for chunk in chunks)} bytes",
        '  @units = "K"',
        f"  sum: {values.sum():g}",
        f"  sum of every other element of the second column: {values[::2, 1].sum():g}",
        "  the plan has a text",
        "/flags 2 class 0 of 1 bytes",
        '/names 2 class 3 of 16 bytes',
        '  first: "one"',
        "/whole 5 class 1 of 2 bytes",
        'the doctor: {"schema":{"na',
        "/missing is not found",
    ]


def test_errors_have_a_status_and_a_text(library, file, tmp_path):
    program = compiled("read.c", library, tmp_path)
    other = tmp_path / "other.h5"
    other.write_bytes(b"no file of this kind" * 100)
    done = subprocess.run([program, other], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.startswith("not-hdf5: ") and str(other) in done.stderr
    done = subprocess.run([program, tmp_path / "none.h5"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.startswith("not-found: ")


def test_a_program_in_fortran_reads_a_block(library, file, tmp_path):
    program = compiled("read.f90", library, tmp_path)
    done = subprocess.run([program, file, "/a/t"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with h5py.File(file) as known:
        values = known["a/t"][1:].astype("f8")
    assert done.stdout.strip() == f"values: {values.size}, sum: {values.sum():.1f}"
