"""`python -m hyperslab` is the command."""

import sys

from hyperslab._command import main

sys.exit(main())
