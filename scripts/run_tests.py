"""Runs the steps of scripts/test, quick ones first, and adds up what they report.

A step that fails does not keep the later ones from running. A step that is one check (formatting, lints) counts as
one test. The last line is "N passed, N failed"; the exit code is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable
CORPUS = Path(os.environ.get("HYPERSLAB_CORPUS", ROOT.parent / "shared" / "corpus"))

CARGO_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;", re.M)
PYTEST_RESULT = re.compile(r"^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s", re.M)


@dataclass
class Step:
    name: str
    command: list[str]
    #: Reads (passed, failed) from what the command said; without it the step is one check.
    count: object = None
    environment: dict[str, str] = field(default_factory=dict)


def count_cargo(output: str) -> tuple[int, int]:
    found = CARGO_RESULT.findall(output)
    return sum(int(passed) for passed, _ in found), sum(int(failed) for _, failed in found)


def count_pytest(output: str) -> tuple[int, int]:
    passed = failed = 0
    for line in PYTEST_RESULT.findall(output):
        words = {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (\w+)", line)}
        passed += words.get("passed", 0) + words.get("xfailed", 0)
        failed += words.get("failed", 0) + words.get("error", 0) + words.get("xpassed", 0)
    return passed, failed


def steps() -> list[Step]:
    pip = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-build-isolation", "--no-deps", "."]
    # How much pytest says is set here: its last line is read.
    pytest = [PYTHON, "-m", "pytest", "-o", "addopts=-q", "-p", "no:cacheprovider"]
    # The extension module has no tests of its own in Rust, and cannot be linked into a test program.
    workspace = ["--workspace", "--exclude", "hyperslab-python"]
    listed = [
        Step("format", ["cargo", "fmt", "--all", "--check"]),
        Step("fixtures", [PYTHON, "corpus/recipes/make.py"]),
        Step("rust", ["cargo", "test", *workspace, "--locked", "--no-fail-fast"], count_cargo),
        Step("lints", ["cargo", "clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
        *(Step(f"core{'-' * bool(f)}{f}", ["cargo", "check", "-p", "hyperslab", "--no-default-features", f"--features={f}"]) for f in ("", "deflate")),
        Step("package", pip, environment={"PATH": f"{Path(PYTHON).parent}{os.pathsep}{os.environ['PATH']}"}),
        Step("python", [*pytest, "tests/python"], count_pytest),
        Step("oracle", [*pytest, "tests/oracle"], count_pytest),
        Step("browser", [*pytest, "tests/browser"], count_pytest),
    ]
    if os.environ.get("CI"):
        return listed
    return [step for step in listed if not missing(step)]


def missing(step: Step) -> bool:
    """On a user's machine the toolchain may come without these; in CI their absence is a failure."""
    wanted = {
        "format": {"cargo-fmt": "rustup component add rustfmt"},
        "lints": {"cargo-clippy": "rustup component add clippy"},
        "browser": {"chromium": "apt-get install chromium", "chromedriver": "apt-get install chromium-driver"},
    }
    for program, how in wanted.get(step.name, {}).items():
        if not shutil.which(program):
            print(f"== {step.name}: left out, {program} is not installed ({how})")
            return True
    return False


def run(step: Step) -> tuple[int, int]:
    """Runs a step, its output shown as it comes."""
    print(f"== {step.name}: {' '.join(step.command)}", flush=True)
    environment = {**os.environ, "HYPERSLAB_PYTHON": PYTHON, "PYO3_PYTHON": PYTHON, **step.environment}
    process = subprocess.Popen(
        step.command, cwd=ROOT, env=environment, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    lines = []
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    ok = process.wait() == 0
    if step.count is None:
        return int(ok), int(not ok)
    passed, failed = step.count("".join(lines))
    # A command that fails without a failed test (it does not compile, it crashes) is a failure too, as is one in
    # which nothing ran.
    if failed == 0 and (not ok or passed == 0):
        failed = 1
    return passed, failed


def main() -> int:
    known = steps()
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("step", nargs="*", help=f"of {', '.join(step.name for step in known)}")
    arguments.add_argument("--list", action="store_true", help="list the steps")
    given = arguments.parse_args()
    unknown = set(given.step) - {step.name for step in known}
    if unknown:
        arguments.error(f"no such step: {', '.join(sorted(unknown))}")
    if given.list:
        print("\n".join(f"{step.name:10} {' '.join(step.command)}" for step in known))
        return 0
    if not CORPUS.is_dir():
        print(f"== no corpus of real files at {CORPUS}: tests over it are left out (HYPERSLAB_CORPUS names another place)")
    report, passed, failed = [], 0, 0
    for step in known:
        if given.step and step.name not in given.step:
            continue
        began = time.monotonic()
        good, bad = run(step)
        passed, failed = passed + good, failed + bad
        report.append(f"{step.name:10} {good:6} passed {bad:4} failed {time.monotonic() - began:7.0f} s")
    print("==")
    print("\n".join(report))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
