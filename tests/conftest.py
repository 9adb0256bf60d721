"""If `CI` is set, a skipped test fails, except for the reasons in `kit.ACCEPTED`."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import kit  # noqa: E402

# The processes of pytest-xdist ignore Ctrl-C, and so would the programs that tests start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def fail_if_skipped(report) -> None:
    """Turns a skip into a failure. Expected failures (`xfail`), which pytest also reports as skipped, are not changed."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not kit.is_accepted(reason):
        report.outcome = "failed"
        report.longrepr = f"{reason}; in CI this is a failure, not a skip"


if kit.IS_CI:

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(item, call):
        report = yield
        fail_if_skipped(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(collector):
        report = yield
        fail_if_skipped(report)
        return report
