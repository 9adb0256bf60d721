"""What `hyperslab trace` says of programs, compared with what libhdf5 did for them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import replay

import hyperslab

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is preloaded on other systems")

LIBRARIES = replay.libraries()
#: The newest format that each library reads; the others read all.
NEWEST = {"1.8": "earliest", "system": "v110", "1.14": "v114"}


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]


def datasets(folder: Path) -> dict[str, dict]:
    return {line["traced"]: line for line in lines(folder) if "traced" in line}


def counted(path: Path, name: str, shape, chunks, rng, newest: str) -> None:
    """Makes a dataset whose chunks are counted when they are decoded. In half of them, some chunks are not stored."""
    whole = rng.random() < 0.5
    libver = newest if newest == "earliest" else (rng.choice(["earliest", newest]), newest)
    with h5py.File(path, "a", libver=libver) as file:
        space = h5py.h5s.create_simple(shape)
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk(chunks)
        creation.set_filter(replay.COUNTING, h5py.h5z.FLAG_OPTIONAL)
        made = h5py.h5d.create(file.id, name.encode(), h5py.h5t.NATIVE_INT32, space, creation)
        for at in np.ndindex(*[-(-dim // chunk) for dim, chunk in zip(shape, chunks, strict=True)]):
            if whole or rng.random() < 0.9:
                values = np.arange(np.prod(chunks), dtype="i4") + sum(at)
                made.write_direct_chunk(tuple(a * c for a, c in zip(at, chunks, strict=True)), values.tobytes(), 0)


def some_cache(rng, chunk_bytes: int) -> str:
    slots, chunks = rng.choice([1, 2, 7, 53, 521]), rng.choice([0, 0.5, 1, 2, 3.5, 10, 100])
    return f"{slots} {int(chunks * chunk_bytes)} {rng.choice([0, 0.5, 0.75, 1])}"


def random_program(rng, path: Path, newest: str = "latest", make=counted, types: str = "nnfdqu") -> list[str]:
    """Lines for the program, of which several datasets are read in turn."""
    if path.exists():
        path.unlink()
    shapes = {}
    for name in ["a", "b"][: rng.choice([1, 2, 2])]:
        rank = rng.choice([1, 2, 2, 3])
        shape = tuple(rng.randrange(1, 24) for _ in range(rank))
        chunks = tuple(rng.randrange(1, dim + 1) for dim in shape)
        make(path, name, shape, chunks, rng, newest)
        shapes[name] = (shape, chunks)
    program = [f"F0 {path} {some_cache(rng, 400) if rng.random() < 0.5 else ''}"]
    opened: dict[int, str] = {}
    for _ in range(rng.randrange(5, 60)):
        if not opened or rng.random() < 0.08:
            slot = rng.randrange(4)
            if slot in opened:
                program.append(f"C{slot}")
            name = rng.choice(list(shapes))
            cache = some_cache(rng, 4 * int(np.prod(shapes[name][1]))) if rng.random() < 0.7 else ""
            program.append(f"D{slot} 0 {name} {cache}")
            opened[slot] = name
            continue
        if newest != "earliest" and rng.random() < 0.15:
            slot = rng.choice(list(opened))
            shape, chunks = shapes[opened[slot]]
            corner = [rng.randrange(-(-dim // chunk)) * chunk for dim, chunk in zip(shape, chunks, strict=True)]
            program.append(f"B{slot} " + " ".join(map(str, corner)))
        if newest in ("latest", "v114") and rng.random() < 0.1:
            program.append(f"Y{rng.randrange(2)}")
            several = rng.sample(sorted(opened), rng.randrange(1, len(opened) + 1))
            # Named twice, a dataset is an error in some versions.
            if len({opened[slot] for slot in several}) == len(several):
                program.append(f"R{len(several)} " + " ".join(map(str, several)))
        if rng.random() < 0.2:
            program.append(f"M{rng.randrange(5)} {rng.choice(types)}")
        slot = rng.choice(list(opened))
        shape, _ = shapes[opened[slot]]
        text = lambda numbers: " ".join(map(str, numbers))  # noqa: E731
        starts = lambda: [rng.randrange(dim) for dim in shape]  # noqa: E731
        kind = rng.random()
        if kind < 0.1:
            program.append(f"A{slot}")
        elif kind < 0.8:
            start, stride, count, block = starts(), [], [], []
            for first, dim in zip(start, shape, strict=True):
                block.append(rng.randrange(1, dim - first + 1) if rng.random() < 0.7 else 1)
                stride.append(block[-1] + rng.randrange(3))
                count.append(rng.randrange(1, (dim - first - block[-1]) // stride[-1] + 2) if rng.random() < 0.4 else 1)
            program.append(f"H{slot} {text(start)} {text(stride)} {text(count)} {text(block)}")
        elif kind < 0.9:
            first, second = starts(), starts()
            sizes = lambda start: [rng.randrange(1, dim - at + 1) for at, dim in zip(start, shape, strict=True)]  # noqa: E731
            program.append(f"U{slot} {text(first)} {text(sizes(first))} {text(second)} {text(sizes(second))}")
        else:
            points = rng.randrange(1, 8)
            program.append(f"P{slot} {points} " + " ".join(text(starts()) for _ in range(points)))
    return program


@pytest.mark.parametrize("name", LIBRARIES)
def test_decodes_are_those_of_libhdf5(name, tmp_path):
    program = replay.build(tmp_path, name, LIBRARIES[name])
    for seed in replay.programs(200):
        rng = random.Random(f"{name} {seed}")
        script = "\n".join(random_program(rng, tmp_path / "a.h5", NEWEST.get(name, "latest"))) + "\n"
        plain = subprocess.run([program], input=script, capture_output=True, text=True, timeout=60)
        folder = tmp_path / f"{seed}.trace"
        traced = subprocess.run(replay.command("trace", "-o", folder, "--", program), input=script, capture_output=True, text=True, timeout=60)
        assert traced.stdout == plain.stdout, (seed, script)
        assert traced.returncode == plain.returncode == 0, traced.stderr
        expected = sum(int(line.split()[1]) for line in plain.stdout.splitlines())
        found = datasets(folder)
        assert sum(line["reads"]["decodes"] for line in found.values()) == expected, (seed, script, found)
        calls = sum(line.get(kind, {"calls": 0})["calls"] for line in found.values() for kind in ("reads", "stored_chunks"))
        assert calls == plain.stdout.count("\n") - plain.stdout.count("missing")
        assert not plain.stdout.count("-1 "), plain.stdout


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.h5"
    with h5py.File(path, "w") as new:
        values = np.arange(60 * 120, dtype="f4").reshape(60, 120)
        new.create_dataset("t", data=values, chunks=(60, 30), compression="gzip")
        new.create_dataset("raw", data=values)
    return path


def test_a_program_is_told_what_it_reads_and_what_would_help(file, tmp_path):
    script = f"""
import h5py
with h5py.File({str(file)!r}, rdcc_nbytes=100) as file:
    rows = file["t"]
    for row in range(60):
        rows[row]
    file["raw"][:, 3]
print("done")
"""
    done = subprocess.run(replay.command("trace", "-o", tmp_path / "x", "--", sys.executable, "-c", script), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    found = datasets(tmp_path / "x")
    assert found["/t"]["reads"]["decodes"] == 240 and found["/t"]["decodes_least"] == 4
    assert found["/t"]["candidates"][-1]["decodes"] == 4
    assert found["/raw"]["reads"]["calls"] == 1 and "decodes" not in found["/raw"]["reads"]
    pattern = next(line for line in lines(tmp_path / "x") if line.get("dataset") == "/t")
    assert (pattern["shape"], pattern["count"], pattern["memory_type"]) == ([1, 120], 60, "f4")
    assert "/t" in done.stderr and "240" in done.stderr and "rdcc_nbytes" in done.stderr
    shown = subprocess.run(replay.command("trace", "--show", tmp_path / "x", "--json"), capture_output=True, text=True, timeout=60)
    assert json.loads(shown.stdout)["datasets"][0]["cure"]["decodes"] == 4


def test_the_doctor_takes_the_reads_of_a_trace(file, tmp_path):
    script = f"import h5py; rows = h5py.File({str(file)!r})['t']; [rows[row] for row in range(60)]"
    subprocess.run(replay.command("trace", "-o", tmp_path / "x", "--", sys.executable, "-c", script), check=True, timeout=60)
    report = hyperslab.doctor(file, reads_from=tmp_path / "x")
    assert [dataset["path"] for dataset in report["datasets"]] == ["/t"]
    assert [read["shape"] for read in report["datasets"][0]["reads"]] == [[1, 120]]
    with pytest.raises(ValueError, match="no read of"):
        hyperslab.doctor(tmp_path / "t.h5", "/raw", reads_from=tmp_path / "x")


def test_the_page_of_a_trace_has_its_numbers(file, tmp_path):
    script = f"""
import h5py, time
with h5py.File({str(file)!r}, rdcc_nbytes=100) as file:
    rows = file["t"]
    for row in range(60):
        rows[row]
        time.sleep(0.004)
"""
    page = tmp_path / "page.html"
    words = replay.command("trace", "-o", tmp_path / "x", "--html", page, "--", sys.executable, "-c", script)
    subprocess.run(words, check=True, timeout=60)
    text = page.read_text()
    for part in ("When it waited for HDF5", "240 decodes of 4 chunks", "decoded 60 times", "--read 1x120", "hyperslab run --only cache"):
        assert part in text, part
    again = tmp_path / "again.html"
    subprocess.run(replay.command("trace", "--show", tmp_path / "x", "--html", again), check=True, timeout=60)
    assert "240 decodes of 4 chunks" in again.read_text()
    assert [at.name for at in tmp_path.iterdir() if at.suffix == ".html"] and not (tmp_path / "x" / "page.html").exists()


def test_the_bench_and_the_forecast_take_the_reads_of_a_trace(file, tmp_path):
    script = f"import h5py; rows = h5py.File({str(file)!r})['t']; [rows[row] for row in range(60)]"
    subprocess.run(replay.command("trace", "-o", tmp_path / "x", "--", sys.executable, "-c", script), check=True, timeout=60)
    words = replay.command("bench", file, "--reads-from", tmp_path / "x", "--engine", "hyperslab", "--repeats", "1", "--json")
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {tuple(row["access"]["block"]) for row in rows} == {(1, 120)}
    assert {row["subject"]["path"] for row in rows if "subject" in row} <= {"/t"}
    words = replay.command("doctor", file, "--cloud", "--reads-from", tmp_path / "x", "--json")
    report = json.loads(subprocess.run(words, capture_output=True, text=True, timeout=120).stdout)
    assert [read["shape"] for read in report["datasets"][0]["reads"]] == [[1, 120]]
    assert "1x120" in json.dumps(report["forecast"])


def test_a_program_that_is_killed_leaves_what_it_did(file, tmp_path):
    script = f"""
import h5py, time
file = h5py.File({str(file)!r})
for row in range(60):
    file["t"][row]
print("read", flush=True)
time.sleep(60)
"""
    process = subprocess.Popen(replay.command("trace", "-o", tmp_path / "x", "--", sys.executable, "-c", script), stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"read\n"
    end = time.monotonic() + 30
    while not any(line.get("count") == 60 for line in lines(tmp_path / "x")) and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == -signal.SIGTERM
    # Each read opens the dataset anew, so that nothing is in its cache.
    assert datasets(tmp_path / "x")["/t"]["opened"] == 60
    assert lines(tmp_path / "x")[0]["ended"] is False


def test_children_have_traces_of_their_own(file, tmp_path):
    script = f"""
import h5py, os
file = h5py.File({str(file)!r})
data = file["t"]
data[0]
if os.fork() == 0:
    data[1]
    data[2]
    file.close()
    os._exit(0)
os.wait()
"""
    subprocess.run(replay.command("trace", "-o", tmp_path / "x", "--", sys.executable, "-c", script), check=True, timeout=60)
    processes = [line for line in lines(tmp_path / "x") if "hyperslab_trace" in line]
    calls = {line["pid"]: line for line in processes}
    assert len(calls) == 2
    reads = sorted(line["reads"]["calls"] for line in lines(tmp_path / "x") if "traced" in line)
    assert reads == [1, 2]
    # What the parent decoded is in the child's cache, too.
    assert sorted(line["reads"]["decodes"] for line in lines(tmp_path / "x") if "traced" in line) == [0, 4]


def test_a_folder_that_exists_is_not_written_into(file, tmp_path):
    (tmp_path / "x").mkdir()
    done = subprocess.run(replay.command("trace", "-o", tmp_path / "x", "--", "true"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "exists" in done.stderr


def test_without_hdf5_that_is_said(tmp_path):
    done = subprocess.run(replay.command("trace", "-o", tmp_path / "x", "--", "sh", "-c", "exit 7"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 7 and "no H5Dread was seen" in done.stderr
    assert not (tmp_path / "x").exists()
    assert os.path.exists("/bin/sh")


def test_the_cache_in_force_is_told_and_whose_it_is(tmp_path):
    path = tmp_path / "t.nc"
    with h5py.File(path, "w") as new:
        new.create_dataset("t", data=np.arange(4 << 20, dtype="u1").reshape(2048, 2048), chunks=(2048, 512), compression="gzip")
    opened = {
        "netCDF-C": f"import netCDF4; t = netCDF4.Dataset({str(path)!r})['t']; t.set_var_chunk_cache(1 << 20, 7, 0.5)",
        "file": f"import h5py; t = h5py.File({str(path)!r}, rdcc_nbytes=1 << 20)['t']",
    }
    for whose, opening in opened.items():
        folder = tmp_path / whose
        script = f"{opening}; [t[row] for row in range(20)]"
        subprocess.run(replay.command("trace", "-o", folder, "--", sys.executable, "-c", script), check=True, timeout=60)
        found = datasets(folder)["/t"]
        assert (found["cache"]["nbytes"], found["cache_from"]) == (1 << 20, whose)
        shown = subprocess.run(replay.command("trace", "--show", folder), capture_output=True, text=True, check=True, timeout=60)
        words = "set by netCDF-C" if whose == "netCDF-C" else "set by the program for the file"
        assert f"in force: 1 MiB, {words}" in shown.stdout, shown.stdout


def test_of_many_datasets_those_that_took_least_time_are_summed_up(tmp_path):
    path, folder = tmp_path / "many.h5", tmp_path / "many.trace"
    with h5py.File(path, "w", libver="latest") as new:
        for number in range(4200):
            new[f"d{number}"] = [number]
        new.create_dataset("large", data=np.arange(4 << 20, dtype="u1"), chunks=(4 << 20,), compression="gzip")
    script = f"""
import h5py
with h5py.File({str(path)!r}) as file:
    [file["large"][at] for at in range(5)]
    for number in range(4200):
        file[f"d{{number}}"][0]
"""
    subprocess.run(replay.command("trace", "-o", folder, "--", sys.executable, "-c", script), check=True, timeout=100)
    (process,) = (line for line in lines(folder) if "pid" in line)
    found = datasets(folder)
    assert found["/large"]["reads"]["calls"] == 5 and len(found) == 4096
    # One of those that are closed is given up for each that comes.
    assert process["others"]["datasets"] == 4201 - 4096
    assert process["others"]["reads"]["calls"] + sum(line["reads"]["calls"] for line in found.values()) == 4205
    shown = subprocess.run(replay.command("trace", "--show", folder), capture_output=True, text=True, check=True, timeout=60)
    assert "105 datasets that took less time, together: 105 reads" in shown.stdout


def test_chunks_that_are_read_as_they_are_stored_are_counted_by_themselves(file, tmp_path):
    folder = tmp_path / "x.trace"
    script = f"import h5py; t = h5py.File({str(file)!r})['t']; t[0]; [t.id.read_direct_chunk((0, 30 * at)) for at in range(4)]; t[0]"
    subprocess.run(replay.command("trace", "-o", folder, "--", sys.executable, "-c", script), check=True, timeout=60)
    found = datasets(folder)["/t"]
    with h5py.File(file) as plain:
        stored = plain["t"].id.get_storage_size()
    assert found["stored_chunks"]["calls"] == 4 and found["stored_chunks"]["bytes"] == stored
    # libhdf5 drops a chunk that it gives as it is stored, and decodes it again.
    assert found["reads"]["decodes"] == 8
    shown = subprocess.run(replay.command("trace", "--show", folder), capture_output=True, text=True, check=True, timeout=60)
    assert "4 chunks as they are stored (H5Dread_chunk)" in shown.stdout
