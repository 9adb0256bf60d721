"""Makes the fixtures: files written by libhdf5 and netCDF-C, one folder a topic.

    make.py                     what the tests need (under a minute)
    make.py --only TOPIC ...    these topics; large ones (for the benchmarks) only this way
    make.py --list              the topics

Each topic is a recipe in this folder. A test topic also gets ORACLE.jsonl, what libhdf5 reads from its files. A
folder whose recipe and libraries have not changed is left as it is.
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

#: Not recipes. What a topic is made with: a change there makes it anew.
ORACLE = ["oracle.py", "oracle_types.py", "oracle_values.py"]
MADE_WITH = {"test": ["common.py", *ORACLE], "bench": ["common.py", "bulk.py"]}
SHARED = ["make.py", "bulk.py", "common.py", *ORACLE]
STAMP = ".made"
#: Topics of the benchmarks that tests read, too.
READ_BY_TESTS = ["many_datasets"]

#: What a recipe says of itself, without being imported.
KIND = r'^KIND = "(\w+)"$'
SUMMARY = r'\A"""(.*?)(?:""")?$'


def topics() -> dict[str, str]:
    """Topic to kind.

    Recipes are read, not imported: netCDF4 and h5py bring a libhdf5 each, and plug-ins take the first they see. Each
    topic is made in a process of its own, which imports only what its recipe imports.
    """
    files = sorted(path for path in HERE.glob("*.py") if path.name not in SHARED)
    return {path.stem: declared(path, KIND) for path in files}


def declared(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text(), re.M)
    if not found:
        raise SystemExit(f"error: {path} says nothing like {pattern}")
    return found[1]


def stamp(topic: str) -> str:
    """Changes when the topic's files would."""
    content = hashlib.sha256()
    for name in [f"{topic}.py", *MADE_WITH[topics()[topic]]]:
        content.update((HERE / name).read_bytes())
    versions = [f"{package} {version(package)}" for package in ("h5py", "netCDF4", "hdf5plugin", "numpy")]
    return f"{content.hexdigest()} {', '.join(versions)}\n"


def fresh(topic: str) -> bool:
    made = FIXTURES / topic / STAMP
    return made.is_file() and made.read_text() == stamp(topic)


def make(topic: str) -> str:
    """Writes a topic beside its place and moves it there, so that a half-made folder is never taken for a whole one."""
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
            except Exception:  # noqa: BLE001  one topic that fails does not keep the others from being made
                failed.append(topic)
                print(f"{topic}: FAILED", file=sys.stderr)
                traceback.print_exc()
    if failed:
        sys.exit(f"not made: {', '.join(failed)}")


if __name__ == "__main__":
    main()
