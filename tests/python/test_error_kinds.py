"""Every function that takes a file raises the same kind of error for the same cause: the built-in exception that h5py or the
system raises, with `errno` and the name of the file."""

import contextlib
import errno
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import hyperslab
import hyperslab.h5netcdf
import hyperslab.h5py
import numpy as np
import pytest
import xarray as xr
from hyperslab import errors


def repack(path, folder):
    return hyperslab.repack(path, folder / "out.h5", overwrite=True)


def index(path, folder):
    return hyperslab.index(path, folder / "out.json")


#: All of them, on a file that they read; and a folder to write to.
READERS = {
    "File": lambda path, _: hyperslab.File(path).close(),
    "h5netcdf.File": lambda path, _: hyperslab.h5netcdf.File(path).close(),
    "xarray": lambda path, _: xr.open_dataset(path, engine="hyperslab").close(),
    "doctor": lambda path, _: hyperslab.doctor(path),
    "advise": lambda path, _: hyperslab.advise(path, seconds=1),
    "check": lambda path, _: hyperslab.check(path),
    "repack": repack,
    "index": index,
}
#: Those that only look at a file that another program writes.
LOOK = {"doctor", "advise", "check"}


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "sound.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("d", data=np.arange(40_000).reshape(200, 200), chunks=(50, 50), compression="gzip")
    return path


def raised(function, path, folder):
    with pytest.raises(errors.HyperslabError) as caught:
        READERS[function](path, folder)
    return caught.value


@pytest.mark.parametrize("function", READERS)
def test_a_file_that_is_missing(function, tmp_path):
    missing = tmp_path / "missing.h5"
    error = raised(function, missing, tmp_path)
    assert isinstance(error, FileNotFoundError), type(error)
    assert error.errno == errno.ENOENT and str(missing) in str(error) and error.kind == "not-found"


def test_an_archive_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        hyperslab.archive_summary(tmp_path / "missing")
    assert caught.value.errno == errno.ENOENT


@pytest.mark.parametrize("function", READERS)
def test_a_file_that_is_not_hdf5(function, tmp_path):
    text = tmp_path / "text.h5"
    text.write_text("no HDF5 at all\n" * 100)
    error = raised(function, text, tmp_path)
    assert isinstance(error, OSError) and error.kind == "not-hdf5", (type(error), error.kind)


@pytest.mark.parametrize("function", sorted(set(READERS) - {"check"}))
def test_a_file_that_is_cut_off(function, sound, tmp_path):
    cut = tmp_path / "cut.h5"
    cut.write_bytes(sound.read_bytes()[:2000])
    error = raised(function, cut, tmp_path)
    assert isinstance(error, OSError) and error.kind in ("damaged", "io"), (type(error), error.kind)


@pytest.mark.parametrize("function", sorted(set(READERS) - {"check", "repack", "index"}))
def test_a_folder_in_place_of_a_file(function, tmp_path):
    error = raised(function, tmp_path, tmp_path)
    assert isinstance(error, IsADirectoryError) and error.errno == errno.EISDIR, type(error)


@pytest.fixture
def forbidden():
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    path = folder / "forbidden.h5"
    with h5py.File(path, "w") as file:
        file["d"] = np.arange(10)
    path.chmod(0)
    yield path
    shutil.rmtree(folder)


@contextlib.contextmanager
def another_user():
    """What root may read, another user may not."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.mark.parametrize("function", READERS)
def test_a_file_that_may_not_be_read(function, forbidden, sound, tmp_path):
    # What is imported at first use may be out of reach of another user, too.
    READERS[function](sound, tmp_path)
    caught = None
    with another_user():
        try:
            READERS[function](forbidden, tmp_path)
        except Exception as error:
            caught = error
    assert isinstance(caught, errors.HyperslabError) and isinstance(caught, PermissionError), (type(caught), caught)
    assert caught.errno == errno.EACCES


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "written.h5"
    code = "import h5py, sys\nfile = h5py.File(sys.argv[1], 'w')\nfile['d'] = range(9)\nfile.flush()\nprint('', flush=True)\nsys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        yield path
        writer.stdin.close()


@pytest.mark.parametrize("function", sorted(set(READERS) - LOOK))
def test_a_file_that_another_program_writes(function, written, tmp_path):
    error = raised(function, written, tmp_path)
    assert isinstance(error, BlockingIOError) and error.errno == errno.EAGAIN, (type(error), error)


@pytest.mark.parametrize("function", sorted(LOOK))
def test_what_only_looks_warns_of_a_writer(function, written, tmp_path):
    with pytest.warns(RuntimeWarning, match="open for writing"):
        READERS[function](written, tmp_path)


@pytest.mark.parametrize("function", ["doctor", "advise"])
def test_a_dataset_that_is_missing(function, sound):
    with pytest.raises(KeyError) as caught:
        getattr(hyperslab, function)(sound, "/no/such")
    assert isinstance(caught.value, errors.NotFoundError) and caught.value.kind == "not-found"


@pytest.mark.parametrize(
    "call",
    [
        lambda path: hyperslab.doctor(path, "/d", reads=["1x2x3"]),
        lambda path: hyperslab.doctor(path, reads=["many"]),
        lambda path: hyperslab.advise(path, "/d", reads=["1x2x3"]),
        lambda path: hyperslab.advise(path, size_bound="large"),
        lambda path: hyperslab.archive_summary(path, place="the moon"),
        lambda path: hyperslab.repack(path, path.parent / "out.h5", filter="magic"),
        lambda path: hyperslab.repack(path, path.parent / "out.h5", memory=1),
    ],
)
def test_what_a_request_says_wrong_is_a_value_error(call, sound):
    with pytest.raises(ValueError) as caught:
        call(sound)
    assert isinstance(caught.value, errors.InvalidError)


def test_a_file_that_may_not_be_replaced(sound, tmp_path):
    (tmp_path / "there.h5").write_bytes(b"x")
    with pytest.raises(FileExistsError) as caught:
        hyperslab.repack(sound, tmp_path / "there.h5")
    assert caught.value.errno == errno.EEXIST and isinstance(caught.value, errors.ExistingFileError)


@pytest.mark.parametrize(
    "call",
    [
        lambda path, out: hyperslab.repack(path, out),
        lambda path, out: hyperslab.index(path, out),
        lambda path, out: hyperslab.index(path, out, format="zarr"),
    ],
)
def test_a_folder_that_is_missing(call, sound, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        call(sound, tmp_path / "no" / "such" / "out.h5")
    assert caught.value.errno == errno.ENOENT


def new_file(_, out):
    with hyperslab.NewFile(out) as file:
        file["d"] = np.arange(10_000)


@pytest.mark.parametrize(
    "options",
    [{"chunks": "/nope:1x1"}, {"filter": "/nope:gzip=1"}, {"only": "/nope"}, {"drop": "/nope"}, {"rename": {"/nope": "/x"}}],
)
def test_an_object_that_is_not_there_is_a_key_error(options, sound, tmp_path):
    with pytest.raises(KeyError) as error:
        hyperslab.repack(sound, tmp_path / "out.h5", **options)
    assert "/nope" in str(error.value) and error.value.object == "/nope"
    assert not (tmp_path / "out.h5").exists()


@pytest.mark.parametrize("write", [hyperslab.repack, new_file])
def test_a_disk_that_is_full(write, sound, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError) as caught:
            write(sound, tmp_path / "out.h5")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG and isinstance(caught.value, errors.HyperslabError), caught.value
    assert [path.name for path in tmp_path.iterdir()] == ["sound.h5"], "nothing of it is left"


def test_how_far_it_is_is_heard(sound, tmp_path):
    heard = []
    hyperslab.repack(sound, tmp_path / "out.h5", progress=lambda *event: heard.append(event))
    assert heard and all(name == str(sound) and done <= total for name, done, total in heard)


def test_a_listener_that_raises_ends_the_work(sound, tmp_path):
    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        hyperslab.repack(sound, tmp_path / "out.h5", progress=stop)
    assert [path.name for path in tmp_path.iterdir()] in (["sound.h5"], ["out.h5", "sound.h5"], ["sound.h5", "out.h5"])
