"""Measures the cases of cases.py in one run, and reports whether each satisfies its bounds.

    ratios.py                     all cases; text to standard output, perf/out/ratios.{txt,json}
    ratios.py --only WORD ...     cases with one of these words in their name
    ratios.py --repeats N         instead of each case's own
    ratios.py --update-readme     also puts the tables into README.md and docs/measured.md

In each repeat of a case, all readers run one after the other, starting with a different one, so that a disturbance
affects all of them. Medians are compared. Before that, every reader reads once without being measured, and all values
are compared.

This process keeps the memory that it frees (see memory.py), so that readers from Python get memory that was written
before. The cost of new memory is measured separately, by hyperslab-floor.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import memory
import numpy as np
import table
from cases import CASES, Case
from machine import describe
from readers import FLOOR, PYTHON, ROOT, TARGET, floor
from programs import COMMAND

FIXTURES = ROOT / "fixtures"
#: The times that hyperslab-floor measures for a read, if they apply.
NATIVE = ("floor", "floor_new", "rust", "rust_touched", "decodes", "chunks")
OUT = ROOT / "perf" / "out"


def measure(case: Case, repeats: int) -> dict[str, list[float]]:
    """Seconds of each repeat by reader; "decodes" and "chunks" are counts."""
    path = FIXTURES / case.file
    found: dict[str, list[float]] = {}
    if case.kind in ("read", "task"):
        check(case, path)
    for number in range(repeats):
        for reader, seconds in one_round(case, path, number).items():
            found.setdefault(reader, []).append(seconds)
    return found


def one_round(case: Case, path: Path, number: int) -> dict[str, float]:
    if case.kind == "list":
        return {"rust": floor("list", path)["rust"], "hyperslab ls": command("ls", "-r", path)}
    if case.kind == "open":
        return {"rust": floor("open", path, case.dataset)["rust"]}
    native = floor(*native_words(case, path))
    seconds = {name: native[name] for name in NATIVE if name in native}
    # Starts with a different reader each time: after a pause, the other cores are asleep.
    first = number % len(case.readers)
    for reader in case.readers[first:] + case.readers[:first]:
        seconds[reader] = timed(case, path, reader)[0]
    return {name: seconds[name] for name in (*NATIVE, *case.readers) if name in seconds}


def native_words(case: Case, path: Path) -> tuple:
    """The arguments of hyperslab-floor."""
    if case.kind == "task":
        return ("task", case.task, path, case.dataset)
    if case.selections:
        return ("read", path, case.dataset, *case.selections)
    return ("rows", path, case.dataset)


def timed(case: Case, path: Path, reader: str) -> tuple[float, object]:
    if case.kind == "task":
        return PYTHON[reader].task(path, case.dataset, case.task)
    if case.selections:
        return PYTHON[reader].slices(path, case.dataset, case.selections)
    sample = case.sampled.get(reader)
    seconds, values = PYTHON[reader].rows(path, case.dataset, sample)
    return seconds * (count_rows(case, path) / sample if sample else 1), values


def count_rows(case: Case, path: Path) -> int:
    import h5py

    with h5py.File(path) as file:
        return int(np.prod(file[case.dataset].shape[:-1]))


def command(*words) -> float:
    """Wall time of a whole `hyperslab` process."""
    began = time.perf_counter()
    subprocess.run([COMMAND, *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def check(case: Case, path: Path) -> None:
    """Checks that all readers return the same values."""
    whole = [reader for reader in case.readers if reader not in case.sampled]
    first = timed(case, path, whole[0])[1]
    for reader in whole[1:]:
        np.testing.assert_array_equal(first, timed(case, path, reader)[1], err_msg=f"{case.name}: {reader}")


def verdicts(case: Case, medians: dict[str, float]) -> list[dict]:
    """Each bound of a case with the measured ratio."""
    found = []
    for bound in case.bounds:
        best = min(bound.against, key=medians.__getitem__)
        ratio = medians[bound.measured] / medians[best]
        found.append({"what": f"{bound.measured} / {best}", "value": ratio, "at_most": bound.factor, "unit": "x"})
    if case.decodes_at_most is not None:
        value = medians["decodes"] / medians["chunks"]
        found.append({"what": "decodes per chunk", "value": value, "at_most": case.decodes_at_most, "unit": ""})
    for reader, limit in case.seconds_at_most.items():
        found.append({"what": reader, "value": medians[reader] * 1e3, "at_most": limit * 1e3, "unit": " ms"})
    for verdict in found:
        verdict["reached"] = verdict["value"] <= verdict["at_most"]
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", nargs="+", default=[], metavar="WORD")
    arguments.add_argument("--repeats", type=int)
    arguments.add_argument("--update-readme", action="store_true")
    given = arguments.parse_args()
    if not FLOOR.exists():
        sys.exit(f"error: {FLOOR} is missing\nhint: run scripts/bench")
    memory.keep()
    results = []
    for case in CASES:
        if given.only and not any(word in case.name for word in given.only):
            continue
        print(f"  {case.name} ...", file=sys.stderr, flush=True)
        seconds = measure(case, given.repeats or case.repeats)
        medians = {reader: statistics.median(values) for reader, values in seconds.items()}
        result = {"case": case.name, "kind": case.kind, "seconds": seconds, "medians": medians}
        results.append(result | {"sampled": case.sampled, "verdicts": verdicts(case, medians)})
    report = {"machine": describe(), "results": results}
    text = table.as_text(report)
    print(text)
    OUT.mkdir(exist_ok=True)
    (OUT / "ratios.json").write_text(json.dumps(report, indent=1) + "\n")
    (OUT / "ratios.txt").write_text(text + "\n")
    if given.update_readme:
        table.publish(report, ROOT / "README.md", ROOT / "docs" / "measured.md")
    return 0 if all(verdict["reached"] for result in results for verdict in result["verdicts"]) else 1


if __name__ == "__main__":
    sys.exit(main())
