"""What a file refers to and lacks is said by every command that looks at it, once, with its name."""

import json
import subprocess
import sys

import h5py
import numpy as np
import pytest

COMMANDS = ["ls -r", "explain", "doctor", "check", "digest", "repack", "index"]


def run(command, path, folder, *more, codes=(0,)):
    words = {
        "ls -r": ["ls", "-r", path],
        "ls --netcdf": ["ls", "--netcdf", path],
        "explain": ["explain", path, "/v"],
        "repack": ["repack", path, folder / "out.h5", "--overwrite"],
        "index": ["index", path, "--format", "kerchunk"],
    }.get(command, [command, path])
    words = [sys.executable, "-m", "hyperslab", *map(str, words), *more]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in codes, (command, done.stdout, done.stderr)
    return done


def said(done):
    return done.stdout + done.stderr


@pytest.fixture
def lacking(tmp_path):
    path = tmp_path / "m.h5"
    with h5py.File(tmp_path / "there.h5", "w") as there:
        there["d"] = np.arange(4)
    with h5py.File(path, "w", libver="latest") as file:
        layout = h5py.VirtualLayout((10, 4), "i8")
        for n in range(8):
            layout[n] = h5py.VirtualSource(f"raw/r{n}.h5", "data", (4,))
        layout[8] = h5py.VirtualSource("there.h5", "d", (4,))
        layout[9] = h5py.VirtualSource("there.h5", "gone", (4,))
        file.create_virtual_dataset("v", layout)
        file["g/soft"] = h5py.SoftLink("/nowhere/at/all")
        file["g/external"] = h5py.ExternalLink("lost.h5", "/x")
        file["g/renamed"] = h5py.ExternalLink("there.h5", "/was")
        file["g/sound"] = h5py.ExternalLink("there.h5", "/d")
        file.create_dataset("raw", (4,), "i4", external=[("values.bin", 0, 16)])
    return path


@pytest.mark.parametrize("command", [*COMMANDS, "ls --netcdf"])
def test_a_link_that_leads_to_nothing_is_named_once_wherever_it_leads(command, tmp_path):
    path = tmp_path / "l.h5"
    with h5py.File(path, "w") as file:
        file["v"] = np.arange(4)
        file["soft"] = h5py.SoftLink("/nowhere")
        file["external"] = h5py.ExternalLink("lost.h5", "/x")
        file["g/loop"] = h5py.SoftLink("/g/loop")
        file["there"] = h5py.SoftLink("/back")
        file["back"] = h5py.SoftLink("/there")
    done = run(command, path, tmp_path)
    text = said(done)
    if command == "explain":
        # It looks at one dataset.
        assert "loop" not in text
        return
    told = [line for line in text.splitlines() if "target of this" in line or "in a circle" in line or "left out" in line]
    for name in ("/soft", "/external", "/g/loop", "/there", "/back"):
        assert sum(f"{name}:" in line or f"{name} is" in line for line in told) == 1, (name, told)


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_sources_and_dangling_links_are_named_once(command, lacking, tmp_path):
    if command in ("digest", "repack", "index"):
        # Values of missing raw data are an error there.
        (tmp_path / "values.bin").write_bytes(bytes(16))
    done = run(command, lacking, tmp_path)
    lines = [line for line in said(done).splitlines() if "not found" in line or "not exist" in line]
    text = "\n".join(lines)
    assert text.count("9 sources were not found") == 1, text
    assert "/v:" in text and "raw/r0.h5" in text and "and 4 more" in text
    if command != "explain":
        assert text.count("/nowhere/at/all") == 1 and "/g/soft:" in text
        assert text.count("/x in lost.h5") == 1 and text.count("/was in there.h5") == 1
        assert "/g/sound" not in text
    if command in ("ls -r", "doctor", "check"):
        assert "1 file of raw data was not found: values.bin" in text


def test_json_has_the_same_sentences(lacking, tmp_path):
    for command in ["ls -r", "explain", "doctor", "check"]:
        document = json.loads(run(command, lacking, tmp_path, "--json").stdout)
        assert any("raw/r0.h5" in sentence for sentence in document["absent"]), command


@pytest.mark.parametrize("command", ["ls -r", "doctor", "check"])
def test_sources_that_exist_and_cannot_be_read_are_named(command, tmp_path):
    path = tmp_path / "m.h5"
    (tmp_path / "text.h5").write_text("no HDF5 at all")
    with h5py.File(tmp_path / "there.h5", "w") as there:
        there.create_group("d")
    with h5py.File(path, "w", libver="latest") as file:
        layout = h5py.VirtualLayout((3, 4), "i8")
        layout[0] = h5py.VirtualSource("text.h5", "data", (4,))
        layout[1] = h5py.VirtualSource("there.h5", "d", (4,))
        layout[2] = h5py.VirtualSource("gone.h5", "d", (4,))
        file.create_virtual_dataset("v", layout)
        file["e"] = h5py.ExternalLink("text.h5", "/x")
    text = said(run(command, path, tmp_path))
    assert text.count("/v: 2 sources cannot be read, and reads that need them fail: ") == 1, text
    assert "data in text.h5 (" in text and "d in there.h5 (it is not a dataset)" in text
    assert text.count("/v: 1 source was not found") == 1
    assert text.count("/e: the target of this external link cannot be read: ") == 1


def test_a_complete_file_lacks_nothing(tmp_path):
    path = tmp_path / "sound.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file["d"] = np.arange(4)
        file["v"] = h5py.SoftLink("/d")
    for command in COMMANDS:
        done = run(command, path, tmp_path)
        assert "warning" not in done.stderr and "not found" not in done.stdout, command


@pytest.mark.parametrize("swmr", [False, True])
def test_a_file_that_was_never_closed_is_said_to_be_open(swmr, tmp_path):
    path = tmp_path / "left.h5"
    program = """if True:
        import h5py, os, sys
        file = h5py.File(sys.argv[1], "w", libver="latest")
        file["v"] = range(10)
        if sys.argv[2] == "True":
            file.swmr_mode = True
        file.flush()
        os._exit(0)
    """
    subprocess.run([sys.executable, "-c", program, path, str(swmr)], check=True, timeout=60)
    with pytest.raises(OSError, match="already open for write"):
        h5py.File(path)
    for command in COMMANDS:
        text = said(run(command, path, tmp_path, codes=(0, 1)))
        if command == "check":
            assert text.count("not-closed") == 1, text
        else:
            assert text.count("did not close it") == 1 and "h5clear -s" in text, (command, text)
