"""Writes the fixtures: files written by libhdf5 and netCDF-C, one folder per topic.

    make.py                     write the topics that the tests need (about a minute)
    make.py --only TOPIC ...    write these topics; the large ones of the benchmarks are only written this way
    make.py --list              list the topics

Each topic is a recipe in this folder. The folder of a test topic also contains ORACLE.jsonl, the values that libhdf5
reads from its files. A folder is kept if its recipe and the libraries have not changed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import multiprocessing
import os
import re
import shutil
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from common import FIXTURES  # noqa: E402

#: Modules that are not recipes. If one of them changes, the topics are written again.
ORACLE = ["oracle.py", "oracle_types.py", "oracle_values.py"]
MADE_WITH = {"test": ["common.py", *ORACLE], "bench": ["common.py", "bulk.py"]}
SHARED = ["make.py", "bulk.py", "common.py", *ORACLE]
STAMP = ".made"
#: Topics of the benchmarks that tests also read.
READ_BY_TESTS = ["many_chunks", "many_datasets"]

#: Patterns for the declarations in a recipe, which is not imported for this.
KIND = r'^KIND = "(\w+)"$'
SUMMARY = r'\A"""(.*?)(?:""")?$'


def topics() -> dict[str, str]:
    """The kind of each topic.

    Recipes are parsed, not imported: netCDF4 and h5py each load their own libhdf5, and plug-ins use the first one that
    was loaded. So each topic is written by a separate process, which imports only what its recipe imports.
    """
    files = sorted(path for path in HERE.glob("*.py") if path.name not in SHARED)
    return {path.stem: declared(path, KIND) for path in files}


def declared(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text(), re.M)
    if not found:
        raise SystemExit(f"error: {path} has nothing that matches {pattern}")
    return found[1]


def stamp(topic: str) -> str:
    """A hash of everything that the files of a topic depend on."""
    files = b"".join((HERE / name).read_bytes() for name in [f"{topic}.py", *MADE_WITH[topics()[topic]]])
    used = [package for package in ("h5py", "netCDF4", "pyhdf", "hdf5plugin", "numpy") if package.encode() in files]
    versions = [f"{package} {version(package)}" for package in used]
    return f"{hashlib.sha256(files).hexdigest()} {', '.join(versions)}\n"


def fresh(topic: str) -> bool:
    made = FIXTURES / topic / STAMP
    return made.is_file() and made.read_text() == stamp(topic)


def make(topic: str) -> str:
    """Writes a topic into a temporary folder, then renames it, so that an incomplete folder is never used."""
    import h5py
    from oracle import digest, line

    began = time.monotonic()
    recipe = importlib.import_module(topic)
    into, place = FIXTURES / f"{topic}.{os.getpid()}", FIXTURES / topic
    into.mkdir(parents=True)
    try:
        recipe.make(into)
        files = sorted(path for path in into.rglob("*") if path.is_file())
        if recipe.KIND == "test":
            unread = getattr(recipe, "UNREAD", ())
            hdf5 = [path for path in files if path.name not in unread and h5py.is_hdf5(path)]
            records = [record for path in hdf5 for record in digest(path, str(path.relative_to(into)))]
            (into / "ORACLE.jsonl").write_text("".join(f"{line(record)}\n" for record in records))
        (into / STAMP).write_text(stamp(topic))
        shutil.rmtree(place, ignore_errors=True)
        into.rename(place)
    finally:
        shutil.rmtree(into, ignore_errors=True)
    size = sum(path.stat().st_size for path in place.rglob("*"))
    return f"{topic}: {len(files)} files, {size / 1e6:.1f} MB, {time.monotonic() - began:.1f} s"


def main() -> None:
    known = topics()
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", nargs="+", choices=sorted(known), metavar="TOPIC")
    arguments.add_argument("--list", action="store_true")
    arguments.add_argument("--force", action="store_true", help="make also what has not changed")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = arguments.parse_args()
    if given.list:
        for topic, kind in known.items():
            print(f"{topic:16} {kind:6} {declared(HERE / (topic + '.py'), SUMMARY)}")
        return
    wanted = given.only or [topic for topic, kind in known.items() if kind == "test" or topic in READ_BY_TESTS]
    stale = [topic for topic in wanted if given.force or not fresh(topic)]
    if not stale:
        return
    FIXTURES.mkdir(parents=True, exist_ok=True)
    failed, workers = [], max(1, min(given.jobs, len(stale)))
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        running = {topic: pool.submit(make, topic) for topic in stale}
        for topic, outcome in running.items():
            try:
                print(outcome.result(), flush=True)
            except Exception:  # noqa: BLE001  if one topic fails, the others are still written
                failed.append(topic)
                print(f"{topic}: FAILED", file=sys.stderr)
                traceback.print_exc()
    if failed:
        sys.exit(f"error: could not write {', '.join(failed)}")


if __name__ == "__main__":
    main()
