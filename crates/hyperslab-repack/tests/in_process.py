"""Runs a check of each pair of files in a process of its own, which ends in time even inside libhdf5.

Standard input has two paths a line, separated by a tab. Standard output has a line for each pair for which the check
fails: the first path, a tab, and the reason; and a last line `done`.
"""

import os
import signal
import sys

SECONDS_MAX = 300
PIPE_BYTES_MAX = 4096


def attempt(check, before, after):
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        signal.alarm(SECONDS_MAX)
        found = ""
        try:
            check(before, after)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        os.write(writer, found.encode(errors="replace")[:PIPE_BYTES_MAX])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        found = pipe.read().decode(errors="replace")
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return found if status == 0 else f"ended with status {status}"


def run(check):
    for line in sys.stdin:
        before, after = line.rstrip("\n").split("\t")
        if found := attempt(check, before, after):
            print(f"{before}\t{found}", flush=True)
    print("done")
