"""A plugin of pytest that notes which tests of another project pass."""

from __future__ import annotations

from typing import Any


class SuiteResults:
    """The names of the tests that passed and failed, without the folders that the project is installed in."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.skipped = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = report.nodeid.rpartition("tests/")[2]
        if report.failed:
            self.failed.add(name)
        elif report.skipped:
            self.skipped += 1
        elif report.when == "call":
            self.passed.add(name)

    def report(self, project: str, note: str) -> None:
        """Prints the tests that fail, and how many there are of each kind."""
        # A test that passes may fail while it cleans up.
        passed = self.passed - self.failed
        for name in sorted(self.failed):
            print(f"fails: {name}")
        print(f"{project}: {len(passed)} passed, {len(self.failed)} failed, {self.skipped} skipped; {note}")
