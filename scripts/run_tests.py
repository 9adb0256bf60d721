"""Runs the steps of scripts/test and adds up their results.

Three tiers, each with its own steps:

    --quick   formatting, words, and the tests that need no long wait, at a tenth of the scale: for the edit loop
    (none)    what CI runs
    --full    random and damaged input at ten times the scale, loom, AddressSanitizer; one step for each test program,
              noted as it passes, so that a run that was interrupted goes on; the last run is noted in
              docs/full-test-runs.md

The package is built and its tests run beside the Rust tests, once these are compiled: many of them wait for other programs
or for distant servers, or for a single thread. If a step fails, the later steps still run. A step that is a single check
(formatting, lints) counts as one test; in CI, the build lints what it compiles. The last line is "N passed, N failed, N
skipped"; the exit code is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from kit import IS_CI, missing_corpus  # noqa: E402

PYTHON = sys.executable
#: The page that lists the runs of the full tier.
FULL_RUNS = ROOT / "docs" / "full-test-runs.md"
#: What scripts/lib.sh makes when it installs an optimised package.
INSTALLED = [Path(sys.prefix) / f".hyperslab-installed-{profile}" for profile in ("release", "dist")]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
#: The steps that the full tier has passed with the present files.
PROGRESS = TARGET / "full-tests.json"

#: The test programs of the quick tier, in addition to the tests inside the crates.
QUICK = ["chunk_map", "commands", "io_patterns", "links_and_mappings", "page", "pipeline", "real_files", "report", "small_parts"]
#: The scale of tests with random input in each tier, relative to CI.
SCALE = {"quick": "0.1", "normal": "1", "full": "10"}

#: Test programs that read every file of the corpus in the full tier: each of their tests is a step.
LONG = {"copies"}
TEST_FUNCTION = re.compile(r"^#\[test\]\nfn (\w+)", re.M)
CARGO_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;", re.M)
#: The line that `skip!` of crates/hyperslab-testkit prints, and the line that names the test program.
CARGO_SKIP = re.compile(r"^ +Running (?P<program>.+)$|skipped: (?P<test>[\w:]+): ", re.M)
PYTEST_RESULT = re.compile(r"^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s", re.M)


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass
class Step:
    name: str
    command: list[str]
    #: Reads the counts from the output of the command. Without it, the step is a single check.
    count: Callable[[str], Count] | None = None
    environment: dict[str, str] = field(default_factory=dict)
    #: The steps that run at the same time, from the first test on. Before that, they would wait for the compiler.
    beside: list[Step] = field(default_factory=list)


def count_cargo(output: str) -> Count:
    found = [[int(number) for number in numbers] for numbers in CARGO_RESULT.findall(output)]
    passed, failed, ignored = (sum(numbers) for numbers in zip(*found)) if found else (0, 0, 0)
    # Rust's test harness does not support skips: it counts such a test as passed.
    skips, program = set(), None
    for line in CARGO_SKIP.finditer(output):
        program = line["program"] or program
        if line["test"]:
            skips.add((program, line["test"]))
    return Count(passed - len(skips), failed, ignored + len(skips))


def count_pytest(output: str) -> Count:
    total = Count()
    for line in PYTEST_RESULT.findall(output):
        words = {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (\w+)", line)}
        total += Count(
            words.get("passed", 0) + words.get("xfailed", 0),
            words.get("failed", 0) + words.get("error", 0) + words.get("xpassed", 0),
            words.get("skipped", 0),
        )
    return total


# The extension module has no Rust tests, and cannot be linked into a test program. All features are enabled, because a
# test that needs a missing feature would silently not be built.
CARGO_TEST = ["cargo", "test", "--workspace", "--exclude", "hyperslab-python", "--exclude", "hyperslab-wheel", "--all-features", "--locked", "--no-fail-fast"]
FORMAT = Step("format", ["cargo", "fmt", "--all", "--check"])
WORDS = Step("words", [PYTHON, "scripts/check_words.py"])
FIXTURES = Step("fixtures", [PYTHON, "corpus/recipes/make.py"])
# One compilation for lints and tests in continuous integration: Clippy's compiler makes the same programs as rustc, and lints
# what it compiles. Elsewhere a lint should not keep tests from running, and is a step of its own.
LINTING = {"RUSTC_WORKSPACE_WRAPPER": "clippy-driver", "CLIPPY_ARGS": "-Dwarnings__CLIPPY_HACKERY__"}
# Built as the other tests are, with the packages that are compiled for them: a release build takes ten times as long.
PACKAGE = Step(
    "package",
    [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-build-isolation", "--no-deps", "."],
    environment={
        "PATH": f"{Path(PYTHON).parent}{os.pathsep}{os.environ['PATH']}",
        "MATURIN_PEP517_ARGS": "--profile dev --features as-in-tests",
    },
)
#: The library that is preloaded into programs, as the tests of its crate were built with it.
PRELOAD = TARGET / "debug" / "deps" / "libhyperslab_preload.so"


def pytest(folder: str) -> Step:
    # Sets how much pytest prints, because its last line is parsed. A process for each core; each begins with its share of the
    # files, so that few tests are away from those whose fixtures they use.
    options = ["-o", "addopts=-q -rs", "-p", "no:cacheprovider", "-n", "auto", "--dist", "worksteal"]
    # The package says that it is not optimised, which would be in the output of every command that tests compare.
    quiet = {"PYTHONWARNINGS": "ignore:this is a debug build:RuntimeWarning"}
    return Step(folder, [PYTHON, "-m", "pytest", *options, f"tests/{folder}"], count_pytest, quiet)


def steps(tier: str) -> list[Step]:
    if tier == "quick":
        chosen = [word for name in QUICK for word in ("--test", name)]
        return [FORMAT, WORDS, Step("rust", [*CARGO_TEST, "--lib", *chosen], count_cargo)]
    loom, sanitize = (Step(name, [f"scripts/{name}"], count_cargo) for name in ("loom", "sanitize"))
    after = [pytest("python"), pytest("oracle"), pytest("browser")]
    if tier == "full":
        return [WORDS, FIXTURES, *programs(), PACKAGE, *after, loom, sanitize]
    command = ["cargo", "clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-D", "warnings"]
    lints = [] if IS_CI else [Step("lints", command)]
    # What Python tests waits for the package. Examples in comments are compiled one after the other, and browsers wait much:
    # both are beside the programs of tests, which keep a core busy each.
    python, oracle, browser = after
    examples = Step("examples", [*CARGO_TEST, "--doc"], count_cargo)
    rust = Step("rust", [*CARGO_TEST, "--all-targets"], count_cargo, beside=[PACKAGE, python, *lints, *cores(), oracle, examples, browser])
    return [FORMAT, WORDS, FIXTURES, rust, *rust.beside]


def cores() -> list[Step]:
    """Checks the engine without codecs and with a single codec: each codec is optional."""
    check = ["cargo", "check", "-p", "hyperslab", "--locked", "--no-default-features"]
    return [Step("core", check), Step("core-deflate", [*check, "--features", "deflate"])]


def programs() -> list[Step]:
    """One step for each test program, and for each test of those that take long, so that an interrupted run need not repeat
    much."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)["packages"]
    targets = {target["name"] for package in packages for target in package["targets"] if target["kind"] == ["test"]}
    inside = [Step(f"rust: {what}", [*CARGO_TEST, f"--{what}"], count_cargo) for what in ("lib", "doc")]
    steps = [Step(f"rust: {name}", [*CARGO_TEST, "--test", name], count_cargo) for name in sorted(targets - LONG)]
    for program in sorted(LONG):
        sources = ROOT.glob(f"crates/*/tests/{program}.rs")
        tests = sorted({name for source in sources for name in TEST_FUNCTION.findall(source.read_text())})
        command = [*CARGO_TEST, "--test", program]
        steps += [Step(f"rust: {program} {test}", [*command, test, "--", "--exact"], count_cargo) for test in tests]
    return inside + steps


def missing(step: Step) -> str | None:
    """The missing requirement of a step, if any. In CI, the step runs without it and fails."""
    wanted = {
        "format": {"cargo-fmt": "rustup component add rustfmt"},
        "lints": {"cargo-clippy": "rustup component add clippy"},
        "browser": {"chromium": "apt-get install chromium", "chromedriver": "apt-get install chromium-driver"},
    }
    lacks = (f"{what} is not installed ({how})" for what, how in wanted.get(step.name, {}).items() if not shutil.which(what))
    return None if IS_CI else next(lacks, None)


def run(step: Step, tier: str, show: Callable[[str], object]) -> Count:
    """Runs a step and shows each line of its output immediately."""
    show(f"== {step.name}: {' '.join(step.command)}\n")
    built = {}
    if step is PACKAGE:
        built = {"HYPERSLAB_PRELOAD_BUILT": str(PRELOAD)} if PRELOAD.exists() else {}
        for mark in INSTALLED:
            mark.unlink(missing_ok=True)
    if lack := missing(step):
        show(f"skipped: {step.name}: {lack}\n")
        return Count(skipped=1)
    cases = round(256 * float(SCALE[tier]))
    # Some properties hold for a part of the random cases only. By default, a test fails after 1,024 that it cannot use.
    rejects = {"PROPTEST_MAX_GLOBAL_REJECTS": str(max(1024, 8 * cases))}
    scale = {"HYPERSLAB_TEST_SCALE": SCALE[tier], "PROPTEST_CASES": str(cases), **rejects}
    # Continuous integration builds once: what a second build would need is not kept, nor what only a debugger reads.
    build = {"CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", **LINTING} if IS_CI else {}
    ours = {"HYPERSLAB_PYTHON": PYTHON, "PYO3_PYTHON": PYTHON, "PATH": path(), **build, **built, **step.environment}
    process = subprocess.Popen(
        step.command, cwd=ROOT, env={**scale, **os.environ, **ours}, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    lines = []
    for line in process.stdout:
        show(line)
        lines.append(line)
    ok = process.wait() == 0
    if step.count is None:
        return Count(passed=int(ok), failed=int(not ok))
    count = step.count("".join(lines))
    # A command that fails without a failed test (because it does not compile or crashes) is a failure, too, and so is
    # one that ran no test.
    if count.failed == 0 and (not ok or count.passed + count.skipped == 0):
        count.failed = 1
    return count


def path() -> str:
    """The PATH, with the interpreter itself where a Python is found: pyenv's stand-in takes a quarter of a second, and commands that
    are tested ask for the libraries of a Python hundreds of times."""
    folders = os.environ["PATH"].split(os.pathsep)
    place = next((at for at, folder in enumerate(folders) if (Path(folder) / "python3").is_file()), len(folders))
    return os.pathsep.join([*folders[:place], f"{sys.base_prefix}/bin", *folders[place:]])


def timed(step: Step, tier: str, show: Callable[[str], object]) -> tuple[Count, float]:
    began = time.monotonic()
    return run(step, tier, show), time.monotonic() - began


def run_with(step: Step, beside: list[Step], tier: str) -> dict[str, tuple[Count, float]]:
    """Runs a step, and others beside it from its first test on, whose output is shown after its own."""
    results, lines, runs_tests = {}, [], threading.Event()

    def others() -> None:
        runs_tests.wait()
        for other in beside:
            results[other.name] = timed(other, tier, lines.append)

    def show(line: str) -> None:
        print(line, end="", flush=True)
        if line.lstrip().startswith("Running "):
            runs_tests.set()

    # A daemon, so that an interruption does not begin or wait for the others.
    thread = threading.Thread(target=others, daemon=True)
    thread.start()
    results[step.name] = timed(step, tier, show)
    runs_tests.set()
    thread.join()
    print("".join(lines), end="", flush=True)
    return results


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


class Progress:
    """The progress of a full run. It starts again if a file that git tracks has changed."""

    def __init__(self) -> None:
        self.files = hashlib.sha256((git("rev-parse", "HEAD") + git("diff", "HEAD")).encode()).hexdigest()
        kept = json.loads(PROGRESS.read_text()) if PROGRESS.exists() else {}
        self.done = kept["done"] if kept.get("files") == self.files else {}

    def get(self, step: Step) -> tuple[Count, float] | None:
        kept = self.done.get(step.name)
        return kept and (Count(**kept["count"]), kept["seconds"])

    def note(self, step: Step, count: Count, seconds: float) -> None:
        self.done[step.name] = {"count": asdict(count), "seconds": seconds}
        PROGRESS.write_text(json.dumps({"files": self.files, "done": self.done}))

    def end(self, total: Count, seconds: float) -> None:
        """Adds the run at the top of the table of runs, and resets the progress."""
        commit = git("rev-parse", "--short", "HEAD").strip() + (" and changes" if git("diff", "HEAD") else "")
        date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
        row = f"| {date} | {commit} | {total.passed:,} | {total.failed:,} | {total.skipped:,} | {seconds / 60:.0f} |"
        rule = "|---|---|---:|---:|---:|---:|\n"
        FULL_RUNS.write_text(FULL_RUNS.read_text().replace(rule, f"{rule}{row}\n", 1))
        PROGRESS.unlink(missing_ok=True)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("step", nargs="*", help="only these steps (--list names them)")
    tiers = arguments.add_mutually_exclusive_group()
    for name in ("quick", "full"):
        tiers.add_argument(f"--{name}", dest="tier", action="store_const", const=name, default="normal")
    arguments.add_argument("--list", action="store_true", help="list the steps")
    given = arguments.parse_args()
    known = steps(given.tier)
    unknown = set(given.step) - {step.name for step in known}
    if unknown:
        arguments.error(f"no such step: {', '.join(sorted(unknown))}")
    if given.list:
        print("\n".join(f"{step.name:10} {' '.join(step.command)}" for step in known))
        return 0
    if why := missing_corpus():
        print(f"== {why}")
    progress = Progress() if given.tier == "full" and not given.step else None
    report, total, whole, done = [], Count(), 0.0, {}
    for step in known:
        if given.step and step.name not in given.step:
            continue
        earlier = progress and progress.get(step)
        if not earlier and step.name not in done:
            beside = [other for other in step.beside if not given.step or other.name in given.step]
            done |= run_with(step, beside, given.tier)
        count, seconds = earlier or done[step.name]
        if progress and not count.failed:
            progress.note(step, count, seconds)
        total, whole = total + count, whole + seconds
        note = " (before)" if earlier else ""
        report.append(
            f"{step.name:24} {count.passed:6} passed {count.failed:4} failed {count.skipped:4} skipped {seconds:7.0f} s{note}"
        )
    print("==")
    print("\n".join(report))
    if progress:
        progress.end(total, whole) if not total.failed else print(f"{PROGRESS} lists the steps that passed; the next run continues after them")
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
