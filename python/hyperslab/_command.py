"""The `hyperslab` command, as installed with the package."""

from __future__ import annotations

import os
import signal
import sys

from hyperslab import _hyperslab


def main() -> int:
    """Runs the command with this process's arguments; the result is its exit code."""
    # The work is done in Rust, where Python's handler would wait for its turn for ever: Ctrl-C ends the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A reader that goes away (`hyperslab ls FILE | head`) ends it as quietly as any other command.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # Which interpreter a part of the command that needs a process of its own starts.
    os.environ.setdefault("HYPERSLAB_INTERPRETER", sys.executable)
    return _hyperslab.run_command(["hyperslab", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
