"""Runs the `hyperslab` command: `python -m hyperslab`."""

import sys

from hyperslab._command import main

if __name__ == "__main__":
    sys.exit(main())
