"""New files that a program does not close itself, and those that cannot be written at first."""

from __future__ import annotations

import os
import subprocess
import sys

import h5py
import numpy as np
import pytest

import hyperslab


def run(code: str, folder) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder."""
    code = f"import os, numpy as np, hyperslab\n{code}"
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=folder, capture_output=True, text=True, timeout=60)


def names(path) -> list[str]:
    with h5py.File(path) as file:
        return sorted(file)


@pytest.mark.parametrize(
    "program",
    [
        "f = hyperslab.NewFile('x.h5'); f['a'] = np.arange(3)",
        "f = hyperslab.NewFile('x.h5'); f['a'] = np.arange(3); d = f['a']; del f; d[0] = 5",
        "def write():\n    f = hyperslab.NewFile('x.h5'); f['a'] = np.arange(3)\nwrite(); assert os.path.exists('x.h5'); os._exit(0)",
        "hyperslab.NewFile('x.h5').create_dataset('a', data=np.arange(3)); os._exit(0)",
        "f = hyperslab.NewFile('x.h5'); f['a'] = np.arange(3); f['r'] = np.array(f['a'].ref, hyperslab.ref_dtype); del f; os._exit(0)",
        "f = hyperslab.NewFile('x.h5'); f['a'] = np.arange(3); raise SystemExit(0)",
        "f = hyperslab.NewFile('x.h5'); f['a'] = np.arange(3)\nif os.fork() == 0: raise SystemExit(0)\nos.wait()",
    ],
)
def test_a_file_that_is_not_closed_is_written(tmp_path, program):
    ran = run(program, tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "a" in names(tmp_path / "x.h5")
    assert os.listdir(tmp_path) == ["x.h5"]


def test_files_are_closed_in_order_at_the_end(tmp_path):
    """A file whose data comes from a file that is still open, and files with and without their last reference."""
    ran = run(
        "first = hyperslab.NewFile('1.h5'); first['a'] = np.arange(3)\n"
        "second = hyperslab.NewFile('2.h5'); second['a'] = np.arange(4)\n"
        "first.close(); source = hyperslab.File('1.h5')\n"
        "third = hyperslab.NewFile('3.h5'); third.create_dataset('a', data=source['a'], copy=False)\n",
        tmp_path,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [names(tmp_path / f"{number}.h5") for number in (1, 2, 3)] == [["a"]] * 3


def test_what_cannot_be_written_is_said(tmp_path):
    ran = run("f = hyperslab.NewFile('x.h5'); f['a'] = np.arange(3); open('x.h5', 'w').close()", tmp_path)
    assert "x.h5 was not written" in ran.stderr and "exists" in ran.stderr
    assert os.listdir(tmp_path) == ["x.h5"]


FAILING = """
class Failing:
    shape, dtype = (4,), np.dtype("i4")
    def __getitem__(self, index):
        raise OSError("the detector is gone")
"""


def test_a_source_that_fails_names_itself_and_takes_nothing_with_it(tmp_path):
    ran = run(
        f"{FAILING}\n"
        "with hyperslab.NewFile('x.h5') as f:\n"
        "    f['kept'] = np.arange(3)\n"
        "    f.create_dataset('group/lost', data=Failing(), copy=False)\n"
        "    f['after'] = np.arange(4)\n"
        "    f.attrs['a'] = 1\n",
        tmp_path,
    )
    assert ran.returncode == 1
    assert "WriteError: /group/lost: its data cannot be read: OSError: the detector is gone" in ran.stderr
    assert "x.h5.partial has everything but the data of /group/lost" in ran.stderr
    assert os.listdir(tmp_path) == ["x.h5.partial"]
    with h5py.File(tmp_path / "x.h5.partial") as file:
        assert file["kept"][...].tolist() == [0, 1, 2] and file["after"].shape == (4,) and file.attrs["a"] == 1
        assert file["group/lost"][...].tolist() == [0] * 4


def test_close_can_be_repeated(tmp_path):
    ready = False

    class Source:
        shape, dtype = (3,), np.dtype("i4")

        def __getitem__(self, index):
            if not ready:
                raise OSError("not yet")
            return np.arange(3, dtype="i4")[index]

    file = hyperslab.NewFile(tmp_path / "x.h5")
    file["a"] = 1
    file.create_dataset("late", data=Source(), copy=False)
    file.attrs["old"] = 1
    for _ in range(2):
        with pytest.raises(OSError, match="^/late: its data cannot be read: OSError: not yet"):
            file.close()
        assert file and os.listdir(tmp_path) == []
    del file.attrs["old"]
    file.attrs["new"] = 2
    ready = True
    file.close()
    assert not file and os.listdir(tmp_path) == ["x.h5"]
    with h5py.File(tmp_path / "x.h5") as written:
        assert written["late"][...].tolist() == [0, 1, 2] and dict(written.attrs) == {"new": 2}
    file.close()


def test_nothing_is_left_of_an_interrupted_close(tmp_path):
    class Source:
        shape, dtype = (3,), np.dtype("i4")

        def __getitem__(self, index):
            raise KeyboardInterrupt

    file = hyperslab.NewFile(tmp_path / "x.h5")
    file.create_dataset("x", data=Source(), copy=False)
    with pytest.raises(KeyboardInterrupt):
        file.close()
    assert not file
    del file
    assert os.listdir(tmp_path) == []


def test_nothing_is_left_of_a_block_that_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), hyperslab.NewFile(tmp_path / "x.h5") as file:
        file["a"] = 1
        1 / 0
    del file
    assert os.listdir(tmp_path) == []
