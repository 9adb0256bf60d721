"""What `hyperslab run` makes of programs: the same output, with chunk caches that fit."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import replay
from test_trace import LIBRARIES, NEWEST, counted, random_program, some_cache

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is preloaded on other systems")


def run(*words, **options):
    return subprocess.run(replay.command("run", "--only", "cache", *words), capture_output=True, text=True, timeout=60, **options)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Chunks of 4 MiB, each over a quarter of all rows."""
    path = tmp_path_factory.mktemp("run") / "t.h5"
    with h5py.File(path, "w") as new:
        values = np.arange(1024 * 4096, dtype="f4").reshape(1024, 4096)
        new.create_dataset("t", data=values, chunks=(1024, 1024), compression="gzip", compression_opts=1)
        new.create_dataset("small", data=values[:10], chunks=(1, 4096), compression="gzip")
    return path


@pytest.mark.parametrize("name", LIBRARIES)
def test_rows_decode_each_chunk_once(name, tmp_path):
    program = replay.build(tmp_path, name, LIBRARIES[name])
    path = tmp_path / "counted.h5"
    # Chunks of 1 MiB, which count when they are decoded, over all rows.
    counted(path, "t", (256, 4096), (256, 1024), random.Random(5), "earliest")
    rows = "".join(f"H0 {row} 0 1 1 1 1 1 4096\n" for row in range(20))
    script = f"F0 {path} 521 1000 0.75\nD0 0 t\n{rows}C0\nc0\n"
    plain = subprocess.run([program], input=script, capture_output=True, text=True, timeout=60)
    done = run("--", program, input=script)
    assert (done.returncode, done.stderr) == (0, "")
    read = [[line.split() for line in output.splitlines()] for output in (plain.stdout, done.stdout)]
    (plain_decodes, decodes) = (sum(int(line[1]) for line in lines) for lines in read)
    assert decodes <= 4 and plain_decodes == 20 * decodes
    assert [line[2] for line in read[0]] == [line[2] for line in read[1]]


@pytest.mark.parametrize("name", LIBRARIES)
def test_random_programs_print_the_same(name, tmp_path):
    program = replay.build(tmp_path, name, LIBRARIES[name])
    for seed in replay.programs(200):
        rng = random.Random(f"run {name} {seed}")
        script = "\n".join(random_program(rng, tmp_path / "a.h5", NEWEST.get(name, "latest"))) + "\n"
        plain = subprocess.run([program], input=script, capture_output=True, text=True, timeout=60)
        done = run("--", program, input=script)
        values = [[line.split()[::2] for line in output.splitlines()] for output in (plain.stdout, done.stdout)]
        assert done.returncode == plain.returncode and values[0] == values[1], (seed, script)


def compressed(path: Path, name: str, shape, chunks, rng, newest: str) -> None:
    """Makes a dataset with filters, of some type; some of its chunks may be missing."""
    libver = newest if newest == "earliest" else (rng.choice(["earliest", newest]), newest)
    kind = rng.choice(["<f4", ">f4", "<f8", ">f8", "<i2", ">i4", "u1", "<u8", "S3", "enum", "compound", "array", "nested", "bool"])
    words = {
        "enum": h5py.enum_dtype({"a": 1, "b": 2, "c": 300}, basetype="<i2"),
        "compound": np.dtype([("x", "<f4"), ("y", ">i2")]),
        "array": np.dtype(("<f4", (2,))),
        "nested": np.dtype([("x", [("a", "<i2", (3,)), ("b", "S2")]), ("y", "<f8")]),
    }
    dtype = np.dtype(words.get(kind, kind))
    filters = rng.choice([{"compression": "gzip"}, {"compression": "gzip", "shuffle": True}, {"shuffle": True, "fletcher32": True}])
    fill = {"fillvalue": 7} if dtype.kind in "iuf" and kind != "enum" and rng.random() < 0.5 else {}
    with h5py.File(path, "a", libver=libver) as file:
        made = file.create_dataset(name, shape, dtype, chunks=chunks, **filters, **fill)
        values = np.frombuffer(np.random.default_rng(rng.randrange(1 << 30)).bytes(int(np.prod(shape)) * 16), "u1")
        whole = shape if rng.random() < 0.6 else tuple(max(1, dim // 2) for dim in shape)
        count = int(np.prod(whole))
        base = dtype.base
        items = values[: count * dtype.itemsize]
        if kind in ("bool", "enum", "S3"):
            items = items % 2
        content = np.frombuffer(items.tobytes(), base).reshape(*whole, *dtype.shape)
        made[tuple(slice(0, dim) for dim in whole)] = content


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_engine_answers_as_libhdf5_does(name, tmp_path):
    program = replay.build(tmp_path, name, LIBRARIES[name])
    answered = 0
    for seed in replay.programs(500):
        rng, path = random.Random(f"engine {name} {seed}"), tmp_path / "a.h5"
        lines = random_program(rng, path, NEWEST.get(name, "latest"), compressed, "nnnffddsqlu")
        # libhdf5 1.8 keeps the place in the file, which a child moves.
        script = "\n".join(line for line in wilder(rng, lines, path) if name != "1.8" or line[0] != "K") + "\n"
        if rng.random() < 0.1:
            damage(path, change_of_a_byte(rng, path))
        before = path.read_bytes()
        plain = subprocess.run([program], input=script, capture_output=True, text=True, timeout=60)
        # What the program changed is as it was, and was not changed just now.
        path.write_bytes(before)
        os.utime(path, (time.time() - 100, time.time() - 100))
        words = replay.command("run", "--min-dataset", "0", "--report", "--", program)
        done = subprocess.run(words, input=script, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout), (seed, script, done.stderr)
        answered += sum(map(int, re.findall(r"(\d+) answered", done.stderr)))
    assert answered > 0 or name == "1.8"


def stored_bytes(path: Path) -> list[tuple[int, int]]:
    """Where chunks are stored: offset and size."""
    with h5py.File(path) as file:
        found = [one.id.get_chunk_info(number) for one in file.values() if one.chunks for number in range(one.id.get_num_chunks())]
    return [(chunk.byte_offset, chunk.size) for chunk in found if chunk.size]


def change_of_a_byte(rng, path: Path) -> str:
    offset, size = rng.choice(stored_bytes(path) or [(0, 0)])
    return f"V{offset + rng.randrange(size)} {rng.randrange(256)} {path}" if size else "N0"


def damage(path: Path, line: str) -> None:
    """Makes a change as a program does."""
    if line[0] == "V":
        offset, byte, _ = line[1:].split(maxsplit=2)
        with path.open("r+b") as file:
            file.seek(int(offset))
            file.write(bytes([int(byte)]))


def wilder(rng, lines: list[str], path: Path) -> list[str]:
    """The same program with transfer lists, threads, forks, what is open twice or used after it was closed, H5close, and a file whose
    bytes change between two openings: while it is open, what libhdf5 reads depends on what its cache still has."""
    program, opened = [lines[0]], {}
    if rng.random() < 0.3:
        program.append(f"F1 {path} {some_cache(rng, 400) if rng.random() < 0.5 else ''}")
    changes = rng.random() < 0.25
    for line in lines[1:]:
        if line[0] == "D" and len(program) > 1 and program[1].startswith("F1") and rng.random() < 0.4:
            slot, _, *rest = line.split()
            line = " ".join([slot, "1", *rest])
        kind = rng.random()
        if kind < 0.1:
            program.append(f"T{rng.randrange(6)}")
        elif kind < 0.15:
            program.append(f"N{rng.randrange(2)}")
        elif kind < 0.19 and not changes:
            program.append(f"K{rng.randrange(1, 6)}")
        elif kind < 0.25 and opened:
            files = [one for one in program[:2] if one[0] == "F"]
            closed = [f"C{slot}" for slot in opened] + [f"c{number}" for number in range(len(files))]
            program += [*closed, change_of_a_byte(rng, path)] if changes else ["x"]
            program += [*files, *opened.values()]
        program.append(line)
        slot = line[1:].split()[0]
        if line[0] == "D":
            opened[slot] = line
        elif line[0] == "C":
            opened.pop(slot, None)
            if rng.random() < 0.3:
                program.append(f"A{slot}")
    return program


def mapped(path: Path, name: str, shape, chunks, rng, newest: str) -> None:
    """Makes a virtual dataset of several sources, in its file or in others; of some, a part is missing."""
    dtype = np.dtype(rng.choice(["<f4", ">f8", "<i2", "u1", "S3"]))
    layout = h5py.VirtualLayout(shape, dtype)
    random_bytes = np.random.default_rng(rng.randrange(1 << 30))
    places = sorted(rng.sample(range(1, shape[0]), min(shape[0] - 1, rng.randrange(3))))
    for number, (begin, end) in enumerate(zip([0, *places], [*places, shape[0]], strict=True)):
        part = (end - begin, *shape[1:])
        file = path if rng.random() < 0.2 else path.parent / f"source-{name}-{number}.h5"
        if file != path:
            file.unlink(missing_ok=True)
        if rng.random() < 0.08:
            continue
        of_source = np.dtype(rng.choice(["<f4", "<i2"])) if rng.random() < 0.1 and dtype.kind != "S" else dtype
        values = np.frombuffer(random_bytes.bytes(int(np.prod(part)) * of_source.itemsize), of_source).reshape(part)
        values = np.nan_to_num(values) if of_source.kind == "f" else values
        storage = rng.choice([{"compression": "gzip", "shuffle": True}, {}, {"fletcher32": True}])
        storage = storage and {**storage, "chunks": tuple(min(a, b) for a, b in zip(chunks, part, strict=True))}
        with h5py.File(file, "a", libver=(newest, newest)) as source:
            stored = source.create_dataset(f"{name}-{number}", part, of_source, **storage)
            rows = part[0] if rng.random() < 0.7 else part[0] // 2
            stored[:rows] = values[:rows]
        layout[begin:end] = h5py.VirtualSource("." if file == path else file.name, f"{name}-{number}", part)
    with h5py.File(path, "a", libver=(newest, newest)) as new:
        new.create_virtual_dataset(name, layout, **({"fillvalue": 7} if dtype.kind != "S" else {}))


@pytest.mark.parametrize("name", [name for name in LIBRARIES if name != "1.8"])
def test_the_engine_answers_for_virtual_datasets_as_libhdf5_does(name, tmp_path):
    program = replay.build(tmp_path, name, LIBRARIES[name])
    answered = 0
    for seed in replay.programs(300):
        rng = random.Random(f"virtual {name} {seed}")
        path = tmp_path / "a.h5"
        lines = [line for line in random_program(rng, path, NEWEST.get(name, "latest"), mapped, "nnffd") if line[0] not in "BYR"]
        script = "\n".join(lines) + "\n"
        plain = subprocess.run([program], input=script, capture_output=True, text=True, timeout=60, cwd=tmp_path)
        if name == "system" and plain.returncode == -signal.SIGABRT:
            # Some reads of virtual datasets end libhdf5 1.10 itself.
            continue
        words = replay.command("run", "--min-dataset", "0", "--report", "--", program)
        done = subprocess.run(words, input=script, capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout), (seed, script)
        found = re.search(r"(\d+) answered", done.stderr)
        answered += int(found[1]) if found else 0
    assert answered > 0


def both_ways(script: str, folder: Path) -> tuple[str, str]:
    """What a program in Python prints, with and without the engine, and what is said of the latter."""
    plain = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=folder)
    words = replay.command("run", "--min-dataset", "0", "--report", "--", sys.executable, "-c", script)
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=folder)
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout), done.stderr
    return done.stdout, done.stderr


def virtual_of_two(folder: Path, names: tuple[str, str] = ("s0.h5", "s1.h5"), maxshape=None) -> None:
    layout = h5py.VirtualLayout((20, 100), "f4", maxshape)
    for number, name in enumerate(names):
        with h5py.File(folder / name, "a") as source:
            values = np.arange(1000, dtype="f4").reshape(10, 100) + 1000 * number
            source.create_dataset(f"d{number}", data=values, chunks=(5, 100), compression="gzip")
        layout[10 * number : 10 * number + 10] = h5py.VirtualSource(name, f"d{number}", (10, 100))
    with h5py.File(folder / "v.h5", "a", libver="latest") as file:
        file.create_virtual_dataset("v", layout)


def test_reads_of_a_virtual_dataset_that_are_left_find_its_sources(tmp_path):
    virtual_of_two(tmp_path)
    # h5py closes strongly, and libhdf5 opens sources weakly: one opened by the engine must not keep libhdf5 from it.
    printed, said = both_ways("import h5py; v = h5py.File('v.h5')['v']; print(v[...].sum(), v[[1, 5, 12]].sum(), v.astype('i8')[3:14].sum())", tmp_path)
    assert "0.0" not in printed.split() and "1 answered" in said, (printed, said)
    # A source that the program has open strongly is filled by libhdf5.
    both_ways("import h5py; s = h5py.File('s1.h5'); v = h5py.File('v.h5')['v']; print(v[...].sum(), v[12:].sum())", tmp_path)


def test_a_virtual_dataset_that_names_its_own_file_is_as_libhdf5_reads_it(tmp_path):
    virtual_of_two(tmp_path, ("v.h5", "s1.h5"))
    both_ways("import h5py; v = h5py.File('v.h5')['v']; print(v[...].sum(), v[:10].sum(), v[12:].sum())", tmp_path)


def test_a_virtual_dataset_that_grows_is_left(tmp_path):
    virtual_of_two(tmp_path, maxshape=(None, 100))
    _, said = both_ways("import h5py; v = h5py.File('v.h5')['v']; print(v.shape, v[...].sum())", tmp_path)
    assert "grows with its sources" in said, said


def test_a_source_that_is_replaced_meanwhile_is_read_anew(tmp_path):
    virtual_of_two(tmp_path)
    with h5py.File(tmp_path / "new.h5", "w") as new:
        new.create_dataset("d1", data=np.full((10, 100), 7, "f4"), chunks=(5, 100), compression="gzip")
    script = """
import h5py, os, shutil
shutil.copy("s1.h5", "old.h5")
v = h5py.File("v.h5")["v"]
print(v[:10].sum())
os.rename("s1.h5", "kept.h5")
os.link("new.h5", "s1.h5")
print(v[10:].sum(), v[...].sum())
os.rename("kept.h5", "s1.h5")
"""
    printed, _ = both_ways(script, tmp_path)
    assert printed.split()[1] == "7000.0", printed


def test_sources_are_closed_with_the_file(tmp_path):
    virtual_of_two(tmp_path)
    script = """
import os, h5py
file = h5py.File("v.h5")
v = file["v"]
print(v[...].sum())
if os.fork() == 0:
    file.close()
    print(h5py.File("s0.h5", "r+").mode, flush=True)
    os._exit(0)
os.wait()
file.close()
print(h5py.File("s0.h5", "r+").mode)
"""
    _, said = both_ways(script, tmp_path)
    assert "1 answered" in said, said


def cache_of(file: Path, opening: str, *words) -> tuple[int, int]:
    script = f"import h5py; file = h5py.File({str(file)!r}{opening}); print(*file['t'].id.get_access_plist().get_chunk_cache()[:2])"
    done = run(*words, "--", sys.executable, "-c", script)
    assert done.returncode == 0, done.stderr
    slots, size = map(int, done.stdout.split())
    return slots, size


def test_a_cache_of_the_program_is_never_made_smaller_and_memory_is_kept(file):
    assert cache_of(file, "")[1] == 16 << 20
    assert cache_of(file, ", rdcc_nbytes=2**30, rdcc_nslots=9973") == (9973, 2**30)
    assert cache_of(file, ", rdcc_nbytes=100", "--memory", "5MiB")[1] in (100, 4 << 20)
    assert cache_of(file, ", rdcc_nbytes=100", "--memory", "1MiB")[1] == 100


def test_caches_are_those_that_the_traced_reads_need(tmp_path):
    path = tmp_path / "t.h5"
    with h5py.File(path, "w") as new:
        values = np.arange(512 * 2048, dtype="f4").reshape(512, 2048)
        new.create_dataset("t", data=values, chunks=(512, 128), compression="gzip", compression_opts=1)
    # Of all columns, only the first four chunks: the usual reads need sixteen.
    reads = f"import h5py; rows = h5py.File({str(path)!r}, rdcc_nbytes=100)['t']; [rows[row, :512] for row in range(20)]"
    trace = tmp_path / "x"
    subprocess.run(replay.command("trace", "-o", trace, "--", sys.executable, "-c", reads), check=True, timeout=60)
    assert cache_of(path, ", rdcc_nbytes=100")[1] == 4 << 20
    assert cache_of(path, ", rdcc_nbytes=100", "--reads-from", trace)[1] == 2 << 20
    assert cache_of(path, ", rdcc_nbytes=100", "--reads-from", trace, "--memory", "1MiB")[1] == 100
    missing = run("--reads-from", tmp_path / "none", "--", "true")
    assert missing.returncode == 2 and "none" in missing.stderr


def test_a_dataset_that_is_opened_again_has_the_cache_that_its_reads_so_far_need(tmp_path):
    for name in ("a.h5", "b.h5"):
        with h5py.File(tmp_path / name, "w") as new:
            values = np.arange(512 * 2048, dtype="f4").reshape(512, 2048)
            new.create_dataset("t", data=values, chunks=(512, 128), compression="gzip", compression_opts=1)
            new.create_dataset("other", data=values, chunks=(512, 128), compression="gzip", compression_opts=1)
    script = f"""
import h5py
def caches(name, columns):
    with h5py.File({str(tmp_path)!r} + "/" + name, rdcc_nbytes=100) as file:
        t = file["t"]
        [t[:, column : column + 128] for column in range(0, columns, 128)]
        print(*(one.id.get_access_plist().get_chunk_cache()[1] >> 20 for one in (t, file["other"])))
caches("a.h5", 2048)
caches("a.h5", 0)
caches("b.h5", 0)
"""
    done = run("--", sys.executable, "-c", script)
    # The usual reads need all sixteen chunks of a row; these reads need none, in the next file as well.
    assert done.stdout.split() == ["4", "4", "0", "4", "0", "4"], done


def test_the_exit_code_is_that_of_the_program():
    assert run("--", "sh", "-c", "exit 7").returncode == 7
    assert run("--", "sh", "-c", "kill -TERM $$").returncode == -15
    missing = run("--", "no-such-program")
    assert missing.returncode == 2 and "no such program" in missing.stderr


def test_a_dataset_that_is_open_twice_has_one_cache(file):
    script = f"""
import h5py
with h5py.File({str(file)!r}, rdcc_nbytes=100) as file:
    first = file["t"]
    second = file["t"]
    print(second[5].sum(), first.id.get_access_plist().get_chunk_cache()[1])
"""
    assert run("--", sys.executable, "-c", script).stdout.split()[1] == str(16 << 20)


def test_both_ways_are_compared(file):
    script = f"import h5py; rows = h5py.File({str(file)!r}, rdcc_nbytes=100)['t']; print(rows[...].sum(), rows[5:900:7, 3].sum())"
    words = replay.command("run", "--verify", "--memory", "1MiB", "--", sys.executable, "-c", script)
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "2 reads, 2 made both ways without a difference, 0 left" in done.stderr, done.stderr
