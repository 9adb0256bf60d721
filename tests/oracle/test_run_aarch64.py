"""The library that `hyperslab trace` and `hyperslab run` preload, on aarch64: random programs in an emulator, as in tests/python.

The full run builds and fetches what is needed (`need_aarch64` in scripts/lib.sh), and names its folder in HYPERSLAB_AARCH64."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import kit
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import replay  # noqa: E402
from test_run import compressed, mapped  # noqa: E402
from test_trace import NEWEST, datasets, random_program  # noqa: E402

FOLDER = Path(os.environ.get("HYPERSLAB_AARCH64", "none"))
VERSIONS = ["1.14", "2.0"]

class Machine:
    """Runs the program of tests/programs/replay.c as on aarch64."""

    def __init__(self, folder: Path, version: str) -> None:
        (library,) = (FOLDER / f"libhdf5-aarch64-{version}" / "h5py.libs").glob("libhdf5-*.so*")
        self.program = replay.build(folder, version, library, "aarch64-linux-gnu-gcc")
        self.preload = FOLDER / "aarch64-unknown-linux-gnu" / "debug" / "libhyperslab_preload.so"
        assert self.preload.exists(), "the library was not built for aarch64"

    def run(self, script: str, plan: dict | None = None) -> subprocess.CompletedProcess:
        words = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", "-E", f"LD_LIBRARY_PATH={FOLDER / 'aarch64-lib'}"]
        if plan:
            words += ["-E", f"LD_PRELOAD={self.preload}"]
        environment = {**os.environ, "HYPERSLAB_RUN": json.dumps(plan)} if plan else None
        return subprocess.run([*words, self.program], input=script, capture_output=True, text=True, timeout=120, env=environment)


#: The library is built for aarch64 in the full run alone.
if kit.scaled(1) >= 10:

    @pytest.mark.parametrize("version", VERSIONS)
    def test_decodes_are_those_of_libhdf5(version, tmp_path):
        machine = Machine(tmp_path, version)
        for seed in range(100):
            rng = random.Random(f"aarch64 {version} {seed}")
            script = "\n".join(random_program(rng, tmp_path / "a.h5", NEWEST.get(version, "latest"))) + "\n"
            plain, folder = machine.run(script), tmp_path / f"{seed}.trace"
            folder.mkdir()
            traced = machine.run(script, {"trace": str(folder)})
            assert (traced.returncode, traced.stdout) == (plain.returncode, plain.stdout) and plain.returncode == 0, (seed, traced.stderr)
            expected = sum(int(line.split()[1]) for line in plain.stdout.splitlines())
            assert sum(line["reads"]["decodes"] for line in datasets(folder).values()) == expected, (seed, script)

    @pytest.mark.parametrize("make", [compressed, mapped])
    @pytest.mark.parametrize("version", VERSIONS)
    def test_the_engine_answers_as_libhdf5_does(version, make, tmp_path):
        machine = Machine(tmp_path, version)
        answered = 0
        for seed in range(100):
            rng = random.Random(f"aarch64 engine {version} {seed}")
            lines = random_program(rng, tmp_path / "a.h5", NEWEST.get(version, "latest"), make, "nnffdsqlu" if make is compressed else "nnffd")
            script = "\n".join(line for line in lines if make is compressed or line[0] not in "BYR") + "\n"
            plain = machine.run(script)
            done = machine.run(script, {"cache": {}, "engine": {"dataset_bytes_min": 0, "verify": False, "report": True}})
            assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout), (seed, script, done.stderr)
            found = re.search(r"(\d+) answered", done.stderr)
            answered += int(found[1]) if found else 0
        assert answered > 0
