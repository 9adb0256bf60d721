"""The command that comes with the package."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import h5py
import pytest

COMMAND = [sys.executable, "-m", "hyperslab"]


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["group/data"] = [1, 2, 3]
    return tmp_path / "a.h5"


def run(*arguments):
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def test_it_runs(path):
    done = run("ls", "-r", path)
    assert done.returncode == 0, done.stderr
    assert "/group/data" in done.stdout
    assert done.stderr == ""


def test_errors_have_exit_codes(path):
    for arguments in [("ls", "missing.h5"), ("spam",), ("ls",)]:
        done = run(*arguments)
        assert done.returncode in (1, 2)
        assert done.stdout == "" and done.stderr


def test_ctrl_c_ends_it():
    script = """
import time
from hyperslab import _command, _hyperslab
_hyperslab.run_command = lambda arguments: time.sleep(60)
print("ready", flush=True)
_command.main()
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == -signal.SIGINT
