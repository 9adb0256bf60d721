"""`hyperslab.repack` and `hyperslab.check`: the results of the commands as data, one call per file for any executor."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest

import hyperslab
from hyperslab._application import results

VALUES = np.arange(4000.0).reshape(40, 10, 10)


@pytest.fixture
def paths(tmp_path):
    names = [tmp_path / f"{name}.h5" for name in "abc"]
    for number, path in enumerate(names):
        with h5py.File(path, "w") as file:
            file.create_dataset("t2m", data=VALUES + number, chunks=(1, 10, 10))
            file.create_dataset("mask", data=np.zeros(5000, "u1"), chunks=(1000,))
            file["t2m"].attrs["mask"] = file["mask"].ref
    return names


def chunks_and_filter(path, name="t2m"):
    with h5py.File(path) as file:
        return file[name].chunks, file[name].compression


def test_one_file_is_one_result(paths, tmp_path):
    result = hyperslab.repack(
        paths[0], tmp_path / "out.h5", chunks={"t2m": "10x10x10"}, filter=["*:gzip=4", "mask:none"], page_size="4KiB"
    )
    assert result["schema"]["name"] == "hyperslab.repack"
    assert result["error"] is None and result["result"]["verified_bytes"] > 0
    assert [dataset["path"] for dataset in result["plan"]["datasets"]] == ["/t2m"]
    assert chunks_and_filter(tmp_path / "out.h5") == ((10, 10, 10), "gzip")
    assert chunks_and_filter(tmp_path / "out.h5", "mask") == ((1000,), None)
    with h5py.File(tmp_path / "out.h5") as file:
        np.testing.assert_array_equal(file["t2m"][:], VALUES)
    report = hyperslab.check(tmp_path / "out.h5", data=True)
    assert (report["errors"], report["findings"]) == (0, [])


def test_rounding_is_that_of_netcdf4_python(tmp_path):
    values = np.random.default_rng(1).normal(300, 50, (40, 30))
    values[3] = -999.9
    for dtype, digits in [("f4", 2), ("f8", 3), (">f4", 0), ("f8", -1)]:
        data = values.astype(dtype)
        with h5py.File(tmp_path / "in.h5", "w") as file:
            file.create_dataset("t", data=data).attrs["missing_value"] = data.dtype.type(-999.9)
        result = hyperslab.repack(
            tmp_path / "in.h5", tmp_path / "out.h5", filter=f"/t:round={digits}+shuffle+gzip=4", overwrite=True
        )
        with netCDF4.Dataset(tmp_path / "quantized.nc", "w") as file:
            file.createDimension("y", 40)
            file.createDimension("x", 30)
            variable = file.createVariable("t", data.dtype, ("y", "x"), least_significant_digit=digits)
            variable[:] = data
            expected = np.asarray(variable[:])
        expected[3] = data[3]
        with h5py.File(tmp_path / "out.h5") as file:
            np.testing.assert_array_equal(file["t"][:], expected)
            assert (file["t"].shuffle, file["t"].compression) == (True, "gzip")
        change = np.abs(expected.astype("f8") - data.astype("f8")).max()
        assert result["result"]["rounding"][0]["error_max"] == pytest.approx(change)


def test_options_have_their_python_spelling(paths, tmp_path):
    planned = hyperslab.repack(paths[0], tmp_path / "out.h5", read=(None, 1, 1), chunk_bytes="t2m:4000", dry_run=True)
    assert planned["result"] is None and planned["plan"]["datasets"][0]["after"]["chunk"][0] == 40
    assert not (tmp_path / "out.h5").exists()
    chosen = hyperslab.repack(paths[0], tmp_path / "out.h5", only="t2m", rename={"/t2m": "t"})
    assert chosen["plan"]["selection"]["omitted"] == ["/mask"]
    with h5py.File(tmp_path / "out.h5") as file:
        assert list(file) == ["t"] and not file["t"].attrs["mask"]
    hyperslab.repack(paths[1], in_place=True, filter="lzf")
    assert chunks_and_filter(paths[1]) == ((1, 10, 10), "lzf")


@pytest.mark.parametrize("sizes", [(4, 4), (4, 8), (8, 4)])
def test_values_with_short_addresses_become_longer(sizes, tmp_path):
    text, path, out = h5py.string_dtype(), tmp_path / "short.h5", tmp_path / "out.h5"
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_sizes(*sizes)
    record = [("id", "<i2"), ("name", text), ("ref", h5py.ref_dtype), ("x", "<f8", (2,)), ("region", h5py.regionref_dtype)]
    with h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, creation)) as file:
        values = file.create_dataset("group/values", data=np.arange(60.0).reshape(6, 10), chunks=(4, 4), compression="gzip")
        file["group"].attrs.create("refs", np.array([values.ref], dtype=h5py.ref_dtype))
        file.attrs["texts"] = np.array(["a", "", "ccc"], dtype=text)
        strings = file.create_dataset("strings", (57,), text, chunks=(10,), shuffle=True, compression="gzip")
        strings[:] = [f"text {i}" * (i % 4) for i in range(57)]
        sequences = file.create_dataset("sequences", (20,), h5py.vlen_dtype("<i4"))
        records = file.create_dataset("records", (7,), np.dtype(record), chunks=(3,))
        for i in range(20):
            sequences[i] = np.arange(i % 5)
        for i in range(7):
            target = values if i % 2 else file["group"]
            records[i] = (i, f"name {i}", target.ref, (i, i / 2), values.regionref[1:3, i : i + 2])

    def content(path):
        with h5py.File(path) as file:
            records = [
                (row["id"], row["name"], file[row["ref"]].name, *row["x"], file["group/values"][row["region"]].tolist())
                for row in file["records"]
            ]
            references = [file[reference].name for reference in file["group"].attrs["refs"]]
            sequences = [list(sequence) for sequence in file["sequences"]]
            strings = file["strings"]
            texts = [*file.attrs["texts"], *strings, strings.compression, strings.shuffle, strings.chunks]
            return records, references, sequences, texts, file["group/values"][:].tolist()

    for options in ({}, {"libver": "earliest"}, {"page_size": "4KiB"}):
        hyperslab.repack(path, out, overwrite=True, **options)
        assert content(out) == content(path)
        assert hyperslab.check(out, data=True)["findings"] == []


class Counted(Executor):
    """Passes calls on, and counts them."""

    def __init__(self, inner):
        self.inner, self.calls = inner, 0

    def submit(self, function, /, *args, **kwargs) -> Future:
        self.calls += 1
        return self.inner.submit(function, *args, **kwargs)


EXECUTORS = {
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")),
}


@pytest.mark.parametrize("make", EXECUTORS.values(), ids=EXECUTORS.keys())
def test_an_executor_gets_one_call_per_file(make, paths, tmp_path):
    with make() as inner:
        executor = Counted(inner)
        results = hyperslab.repack(paths, tmp_path / "new" / "folder", executor=executor, filter="gzip=1")
    assert executor.calls == len(paths)
    assert [Path(result["input"]) for result in results] == paths
    for number, result in enumerate(results):
        with h5py.File(result["output"]) as file:
            np.testing.assert_array_equal(file["t2m"][:], VALUES + number)


def test_a_dask_cluster_gets_one_call_per_file(paths, tmp_path):
    distributed = pytest.importorskip("distributed")
    paths[1].write_bytes(b"no file of this format")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        executor = Counted(client.get_executor())
        results = hyperslab.repack(paths, tmp_path / "new", executor=executor, filter="gzip=1")
        log = client.run_on_scheduler(lambda dask_scheduler: [entry[:3] for entry in dask_scheduler.transition_log])
    done = {key for key, before, after in log if (before, after) == ("processing", "memory")}
    assert (executor.calls, len(done)) == (3, 3), "each call is a task of a worker"
    assert [result["error"] is None for result in results] == [True, False, True]
    for number in (0, 2):
        assert chunks_and_filter(results[number]["output"]) == ((1, 10, 10), "gzip")


def test_a_file_that_fails_does_not_stop_the_others(paths, tmp_path):
    paths[1].write_bytes(b"no file of this format")
    with ThreadPoolExecutor(2) as executor:
        results = hyperslab.repack(paths, tmp_path / "out", executor=executor)
    assert [result["error"] is None for result in results] == [True, False, True]
    assert "b.h5" in results[1]["error"] and results[1]["result"] is None
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.h5", "c.h5"]


def test_a_folder_becomes_the_same_tree(paths, tmp_path):
    tree, user_block = tmp_path / "tree", tmp_path / "tree" / "deep" / "matlab.mat"
    user_block.parent.mkdir(parents=True)
    paths[0].rename(tree / "a.h5")
    paths[1].rename(tree / "no_ending")
    paths[2].rename(tree / "c.h5")
    with h5py.File(user_block, "w", userblock_size=512) as file:
        file["t2m"] = VALUES
    (tree / "broken.h5").write_bytes((tree / "a.h5").read_bytes()[:8])
    names = ["a.h5", "broken.h5", "c.h5", "deep/matlab.mat", "no_ending"]
    with ThreadPoolExecutor(2) as executor:
        for number, more in enumerate([{}, {"executor": executor}]):
            out = tmp_path / f"out{number}"
            results = hyperslab.repack(tree, out, filter="gzip=1", **more)
            assert [Path(result["input"]) for result in results] == [tree / name for name in names]
            assert [result["error"] is None for result in results] == [True, False, True, True, True]
            assert (out / "deep" / "matlab.mat").exists() and not (out / "broken.h5").exists()
    both = hyperslab.repack([tree, out / "a.h5"], tmp_path / "both")
    assert len(both) == 6 and both[5]["error"] == f"{tmp_path / 'both' / 'a.h5'} exists"
    reports = hyperslab.check(tree)
    assert [Path(report["file"]) for report in reports] == [tree / name for name in names]
    assert [report.get("errors") for report in reports] == [0, None, 0, 0, 0] and "broken.h5" in reports[1]["error"]
    (tmp_path / "empty").mkdir()
    for call in (hyperslab.check, lambda path: hyperslab.repack(path, out), lambda path: hyperslab.repack([path], out)[0]["error"] and hyperslab.check(path)):
        with pytest.raises(hyperslab.HyperslabError, match="no file of HDF5"):
            call(tmp_path / "empty")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize("is_executor", [False, True])
def test_ctrl_c_removes_what_was_written(is_executor, tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        for number in range(40):
            file.create_dataset(f"{number}", data=np.random.default_rng(number).random(400_000), chunks=(1000,))
    script = """
import sys, hyperslab
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as executor:
    hyperslab.repack([sys.argv[1]], sys.argv[2], filter="shuffle+bzip2", executor=executor if sys.argv[3] else None)
"""
    out = tmp_path / "out"
    command = [sys.executable, "-c", script, tmp_path / "in.h5", out, "yes" if is_executor else ""]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not (out / ".in.h5.hyperslab-part").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        messages = process.communicate()[1].decode()
    assert process.returncode != 0 and "KeyboardInterrupt" in messages
    assert list(out.iterdir()) == []


def test_no_call_of_an_executor_is_waited_for_without_a_look_for_interrupts():
    """A signal that arrives just before the main thread waits does not wake it: it would be heard when the call has ended."""
    waits = []

    class Watched(Future):
        def result(self, timeout=None):
            waits.append(timeout)
            return super().result(timeout)

    class OneCall(Executor):
        def submit(self, function, *arguments):
            future = Watched()

            def run():
                try:
                    future.set_result(function(*arguments))
                except TimeoutError as error:
                    future.set_exception(error)

            threading.Thread(target=run).start()
            return future

    assert results(OneCall(), lambda: time.sleep(0.5) or 7, [()]) == [7]
    assert len(waits) > 1 and None not in waits[:-1]

    def late():
        raise TimeoutError("of the call")

    with pytest.raises(TimeoutError, match="of the call"):
        results(OneCall(), late, [()])


def test_what_is_wrong_is_said(paths, tmp_path):
    with pytest.raises(hyperslab.HyperslabError, match="no dataset has this path or name"):
        hyperslab.repack(paths[0], tmp_path / "out.h5", filter={"absent": "gzip=1"})
    with pytest.raises(hyperslab.HyperslabError, match="there is no filter"):
        hyperslab.repack(paths[0], tmp_path / "out.h5", filter="gzipp")
    with pytest.raises(ValueError, match="in_place"):
        hyperslab.repack(paths[0])
    with pytest.raises(ValueError, match="two files have the name 'a.h5'"):
        hyperslab.repack([paths[0], paths[0]], tmp_path / "out")
    with pytest.raises(hyperslab.HyperslabError, match=r"none\.h5"):
        hyperslab.check(tmp_path / "none.h5")
    for call in (lambda: hyperslab.check(tmp_path / "none.h5"), lambda: hyperslab.repack(tmp_path / "none.h5", tmp_path / "out.h5")):
        with pytest.raises(FileNotFoundError) as missing:
            call()
        assert missing.value.filename == str(tmp_path / "none.h5")
    with pytest.raises(FileExistsError) as existing:
        hyperslab.repack(paths[0], paths[1])
    assert (existing.value.hint, existing.value.message) == ("replace it with overwrite=True", f"{paths[1]} exists")
    assert not (tmp_path / "out.h5").exists()


def test_violations_of_the_format_are_data(paths):
    whole = bytearray(paths[0].read_bytes())
    # The length of the file in the superblock (version 0: the third of four addresses).
    whole[40:48] = (len(whole) + 8).to_bytes(8, "little")
    paths[0].write_bytes(whole)
    report = hyperslab.check(paths[0])
    assert report["errors"] + report["warnings"] > 0
    assert {"code", "object", "structure", "offset", "message"} <= report["findings"][0].keys()


def test_the_public_checker_accepts_the_packing_for_cmip7(tmp_path):
    """`check_cmip7_packing` of the package cmip7_repack, run as its users run it."""
    pytest.importorskip("pyfive")
    checker = Path(sysconfig.get_path("scripts")) / "check_cmip7_packing"
    if not checker.exists():
        pytest.skip("cmip7_repack is not installed")
    path, out = tmp_path / "tas.nc", tmp_path / "out.nc"
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["variable_id"] = "tas"
        time = file.create_dataset("time", data=np.arange(300.0), chunks=(1,), maxshape=(None,))
        time.make_scale("time")
        time.attrs["bounds"] = "time_bnds"
        file.create_dataset("time_bnds", data=np.zeros((300, 2)), chunks=(1, 2))
        values = np.random.default_rng(0).integers(0, 99, (300, 90, 90)).astype("f4")
        file.create_dataset("tas", data=values, chunks=(1, 90, 90))
        file["tas"].dims[0].attach_scale(time)

    def check(path):
        ended = subprocess.run([sys.executable, checker, path], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout.strip()

    assert check(path)[0] == 1
    hyperslab.repack(path, out, profile="cmip7")
    assert check(out) == (0, f"PASS: File {str(out)!r}")
    with h5py.File(out) as file:
        np.testing.assert_array_equal(file["tas"][:], values)
        assert file["tas"].dims[0][0].name == "/time"


ZFP = {
    "zfp": {"reversible": True},
    "zfp-rate=8": {"rate": 8},
    "zfp-rate=3.3": {"rate": 3.3},
    "zfp-precision=12": {"precision": 12},
    "zfp-accuracy=0.01": {"accuracy": 0.01},
}


@pytest.mark.parametrize("shape", [(50,), (9, 13), (5, 6, 7), (3, 4, 5, 6), (1, 33)])
def test_zfp_writes_the_bytes_of_the_plug_in(shape, tmp_path):
    hdf5plugin = pytest.importorskip("hdf5plugin")
    values = 280 + 25 * np.cos(np.arange(np.prod(shape)).reshape(shape) / 7)
    kinds = {"f4": values, "f8": values, "i4": values * 1000, "i8": values * 1000}
    with h5py.File(tmp_path / "plain.h5", "w") as plain, h5py.File(tmp_path / "theirs.h5", "w") as theirs:
        for kind, data in kinds.items():
            plain.create_dataset(kind, data=data.astype(kind), chunks=shape)
            for name, mode in ZFP.items():
                theirs.create_dataset(f"{name} {kind}", data=data.astype(kind), chunks=shape, **hdf5plugin.Zfp(**mode))
    for name in ZFP:
        path = tmp_path / f"{name}.h5"
        done = hyperslab.repack(tmp_path / "plain.h5", path, filter=name)
        rounded = {one["path"] for one in done["result"]["rounding"]}
        assert bool(rounded) == (name != "zfp"), rounded
        with h5py.File(path) as ours, h5py.File(tmp_path / "theirs.h5") as theirs:
            for kind in ours:
                a, b = ours[kind].id, theirs[f"{name} {kind}"].id
                assert a.get_create_plist().get_filter(0)[2] == b.get_create_plist().get_filter(0)[2], (name, kind)
                at = (0,) * len(shape)
                assert a.read_direct_chunk(at) == b.read_direct_chunk(at), (name, kind)
                np.testing.assert_array_equal(ours[kind][:], theirs[f"{name} {kind}"][:])


@pytest.mark.parametrize(("name", "mode"), [("bitgroom", "BitGroom"), ("granularbitround", "GranularBitRound")])
@pytest.mark.parametrize("digits", [1, 3, 6])
def test_values_are_rounded_as_by_netcdf(name, mode, digits, tmp_path):
    netCDF4 = pytest.importorskip("netCDF4")
    random = np.random.default_rng(1)
    values = random.normal(0, 1, 5000) * 10.0 ** random.integers(-9, 9, 5000)
    values[::7] = 0
    values[::11] = -999.5
    with netCDF4.Dataset(tmp_path / "plain.nc", "w") as plain, netCDF4.Dataset(tmp_path / "theirs.nc", "w") as theirs:
        for file, rounding in ((plain, {}), (theirs, {"significant_digits": digits, "quantize_mode": mode})):
            file.createDimension("x", len(values))
            for kind in ("f4", "f8"):
                made = file.createVariable(
                    kind, kind, ("x",), chunksizes=(5000,), fill_value=-999.5, compression="zlib", **rounding
                )
                made[:] = values
    done = hyperslab.repack(tmp_path / "plain.nc", tmp_path / "ours.nc", filter=f"{name}={digits}+shuffle+gzip=4")
    assert {one["path"] for one in done["result"]["rounding"]} == {"/f4", "/f8"}
    with h5py.File(tmp_path / "ours.nc") as ours, h5py.File(tmp_path / "theirs.nc") as theirs:
        for kind in ("f4", "f8"):
            assert ours[kind].id.get_create_plist().get_filter(0)[0] in (32022, 32023)
            stored = hyperslab.File(tmp_path / "ours.nc")[kind][:]
            np.testing.assert_array_equal(stored, theirs[kind][:])


def test_lzo_is_written(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file.create_dataset("d", data=np.arange(100_000) // 7, chunks=(5000,))
    hyperslab.repack(tmp_path / "in.h5", tmp_path / "out.h5", filter="shuffle+lzo")
    assert (tmp_path / "out.h5").stat().st_size < 40_000
    np.testing.assert_array_equal(hyperslab.File(tmp_path / "out.h5")["d"][:], np.arange(100_000) // 7)
