"""xarray with three engines: opening many variables and many files, loading, Dask, and a distant file.

Every measurement runs in a process of its own, which prints its seconds. The best of the repeats counts, and the engines
take turns, so that all of them run on the same machine. A bound is a ratio to another engine of the same run, except for the
distant file, whose latency is given. An engine that takes longer than the limit is not measured again: its time is known to
be at least the limit. `--small` makes files of a hundredth of the size, to try the script itself.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np
import xarray

ROOT = Path(__file__).parents[1]
#: Seconds in which a process imports what it needs.
START_SECONDS = 30

#: `work()` is measured, after everything was imported.
CHILD = """
import sys, time, warnings, numpy, xarray, dask, dask.array
import h5netcdf, netCDF4, hyperslab.xarray
from programs import SERVER
xarray.backends.list_engines()
warnings.simplefilter("ignore")
{setup}
def work():
{work}
if __name__ == "__main__":
    {warm}
    began = time.perf_counter()
    result = work()
    print(time.perf_counter() - began, result)
    {end}
"""


@dataclass
class Case:
    """Something that several engines do."""

    name: str
    #: Statement of each engine, whose last value is compared.
    work: dict[str, str]
    #: The most seconds of the first engine for each of another one.
    bounds: dict[str, float]
    setup: str = ""
    warm: str = "pass"
    end: str = "pass"
    #: The most seconds of the first engine.
    seconds_max: float | None = None
    best: dict[str, float] = field(default_factory=dict)
    #: The engines that took longer than the limit, which is their time in `best`.
    slow: set[str] = field(default_factory=set)


def run(case: Case, engine: str, limit: float) -> tuple[float, str | None]:
    """The seconds, and what the statement returned; the limit and nothing if it takes longer."""
    body = "\n".join("    " + line for line in case.work[engine].strip().splitlines())
    code = CHILD.format(setup=case.setup, work=body, warm=case.warm, end=case.end)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        # From a file, because workers of a cluster import it.
        script.write(code)
        script.flush()
        command = [sys.executable, script.name]
        # In a session of its own, because the processes of a cluster outlive the one that is ended.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            out, error = process.communicate(timeout=limit + START_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return limit, None
    if process.returncode != 0:
        raise SystemExit(f"{case.name}, {engine}:\n{error}")
    seconds, _, result = out.strip().splitlines()[-1].partition(" ")
    return (float(seconds), result) if float(seconds) <= limit else (limit, None)


def measure(case: Case, repeats: int, limit: float) -> bool:
    """Prints a row for each engine; True if all bounds are reached."""
    results = {}
    engines = deque(case.work)
    for number in range(repeats):
        # A process that gets memory which another has just freed is faster, so the order of the engines changes from run to run.
        for engine in reversed(engines) if number // len(engines) % 2 else engines.copy():
            if engine in case.slow:
                continue
            seconds, result = run(case, engine, limit)
            case.best[engine] = min(seconds, case.best.get(engine, seconds))
            if result is None:
                case.slow.add(engine)
            else:
                results[engine] = result
        engines.rotate(-1)
    if len(set(results.values())) > 1:
        raise SystemExit(f"{case.name}: the engines differ: {results}")
    ours, reached = next(iter(case.work)), True
    for engine, seconds in case.best.items():
        note = ""
        if engine in case.bounds:
            # Of an engine that takes longer than the limit, the ratio is smaller still.
            ratio, bound = case.best[ours] / seconds, case.bounds[engine]
            is_reached = ratio <= bound and ours not in case.slow
            at_most = "less than " if engine in case.slow else ""
            note = f"  {ours} takes {at_most}{ratio:.3f} of it, at most {bound:.3f}: {'reached' if is_reached else 'MISSED'}"
            reached &= is_reached
        elif engine == ours and case.seconds_max is not None:
            is_reached = seconds <= case.seconds_max
            note = f"  at most {case.seconds_max} s: {'reached' if is_reached else 'MISSED'}"
            reached &= is_reached
        more = ">" if engine in case.slow else " "
        print(f"{case.name:24} {engine:12} {more}{seconds:9.3f} s{note}", flush=True)
    return reached


def many_variables(path: Path, count: int) -> None:
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", None), ("lat", 9), ("lon", 18)):
            file.createDimension(name, size)
            file.createVariable(name, "f8", (name,))[:] = np.arange(size or 4)
        for number in range(count):
            variable = file.createVariable(f"v{number:04}", "f4", ("time", "lat", "lon"), zlib=True, fill_value=-9)
            variable.setncatts({"units": "K", "long_name": f"variable {number}", "scale_factor": 0.5, "cell_methods": "mean"})
            variable[:] = np.full((4, 9, 18), number)


def many_files(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        with netCDF4.Dataset(folder / f"{number:04}.nc", "w") as file:
            file.createDimension("time", None)
            file.createDimension("x", 50)
            time = file.createVariable("time", "f8", ("time",))
            time.units = "days since 2000-01-01"
            time[:] = [2 * number, 2 * number + 1]
            file.createVariable("x", "f4", ("x",))[:] = range(50)
            for name in ("a", "b", "c"):
                file.createVariable(name, "f4", ("time", "x"), zlib=True)[:] = np.full((2, 50), number)


def large(path: Path, steps: int) -> None:
    """Smooth fields with noise, as they are stored usually: shuffle and gzip, a chunk for each time step."""
    random = np.random.default_rng(1)
    noise = random.normal(0, 0.3, (8, 721, 1440)).astype("f4")
    base = 280 + 20 * np.sin(np.linspace(0, np.pi, 721))[:, None] * np.cos(np.linspace(0, 4 * np.pi, 1440))
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", steps), ("lat", 721), ("lon", 1440)):
            file.createDimension(name, size)
        options = {"zlib": True, "complevel": 1, "shuffle": True, "chunksizes": (1, 721, 1440)}
        t2m = file.createVariable("t2m", "f4", ("time", "lat", "lon"), **options)
        for step in range(steps):
            t2m[step] = np.round(base + noise[step % 8] + step * 0.01, 2)


def distant(path: Path, groups: int) -> None:
    """Like ATL03: groups of beams with many small variables, whose metadata is scattered."""
    with netCDF4.Dataset(path, "w") as file:
        for number in range(groups):
            group = file.createGroup(f"gt{number}")
            group.createDimension("delta_time", None)
            for name in range(40):
                values = group.createVariable(f"h_{name:02}", "f8", ("delta_time",), zlib=True, chunksizes=(10_000,))
                values.setncatts({"units": "m", "long_name": f"height {name}"})
                values[:] = np.arange(20_000.0)


def opened(engine: str, path: str, options: str = "") -> str:
    return f"with xarray.open_dataset({path!r}, engine={engine!r}{options}) as ds:\n    return len(ds.variables)"


NO_COST = """
import numpy as np
from xarray.backends import BackendEntrypoint
class NoCost(BackendEntrypoint):
    def open_dataset(self, filename_or_obj, *, drop_variables=None):
        values = np.zeros((4, 9, 18), "f4")
        variables = {f"v{n:04}": (("time", "lat", "lon"), values, {"units": "K"}) for n in range(COUNT)}
        variables |= {name: ((name,), np.arange(float(size))) for name, size in (("time", 4), ("lat", 9), ("lon", 18))}
        return xarray.Dataset(variables)
"""


#: A backend whose files are in memory: what is left is what xarray and Dask do for each file.
NO_COST_FILES = """
import numpy as np
from xarray.backends import AbstractDataStore, BackendEntrypoint, StoreBackendEntrypoint
from xarray.core.utils import FrozenDict
from pathlib import Path
class InMemory(AbstractDataStore):
    def __init__(self, number):
        self.number = number
    def get_variables(self):
        variables = {name: xarray.Variable(("time", "x"), np.full((2, 50), self.number, "f4")) for name in "abc"}
        time = np.array([2.0 * self.number, 2 * self.number + 1])
        variables["time"] = xarray.Variable(("time",), time, {"units": "days since 2000-01-01"})
        variables["x"] = xarray.Variable(("x",), np.arange(50, dtype="f4"))
        return FrozenDict(variables)
    def get_attrs(self):
        return FrozenDict()
class NoCost(BackendEntrypoint):
    def open_dataset(self, filename_or_obj, *, drop_variables=None):
        ds = StoreBackendEntrypoint().open_dataset(InMemory(int(Path(filename_or_obj).stem)))
        ds.set_close(lambda: None)
        return ds
"""


#: What two threads take to read the blocks and to add up their values, without xarray and Dask.
NO_DASK = """
from concurrent.futures import ThreadPoolExecutor
with hyperslab.File({!r}) as file:
    t2m = file["t2m"]
    def part(start):
        values = t2m[start : start + 4]
        return float(numpy.nansum(values, dtype="f8")), int((~numpy.isnan(values)).sum())
    with ThreadPoolExecutor(2) as threads:
        parts = list(threads.map(part, range(0, len(t2m), 4)))
    return round(sum(total for total, _ in parts) / sum(count for _, count in parts), 2)
"""


def cases(folder: Path, scale: int) -> dict[str, Callable[[], Case]]:
    """The cases by the words that choose them. Each makes its files when it is called."""
    path = {name: str(folder / name) for name in ("variables.nc", "files", "large.nc", "distant.nc", "small")}
    engines = ("hyperslab", "h5netcdf", "netcdf4")

    def variables() -> Case:
        count = 1000 // scale
        many_variables(Path(path["variables.nc"]), count)
        work = {engine: opened(engine, path["variables.nc"], ", decode_times=False") for engine in engines}
        work["no cost"] = f"ds = xarray.open_dataset('x', engine=NoCost)\nreturn len(ds.variables)"
        bounds = {"h5netcdf": 1 / 10, "netcdf4": 1 / 2}
        return Case("open 1,000 variables", work, bounds, setup=NO_COST.replace("COUNT", str(count)))

    def files() -> Case:
        many_files(Path(path["files"]), 1000 // scale)
        each = "with xarray.open_mfdataset({!r}, engine={}, parallel=False) as ds:\n    return dict(ds.sizes)"
        names = {engine: repr(engine) for engine in engines} | {"no cost": "NoCost"}
        work = {engine: each.format(f"{path['files']}/*.nc", name) for engine, name in names.items()}
        return Case("open_mfdataset", work, {"h5netcdf": 1 / 4, "netcdf4": 1 / 2}, setup=NO_COST_FILES)

    def series() -> Case:
        if not Path(path["files"]).exists():
            many_files(Path(path["files"]), 1000 // scale)
        ours = f"with hyperslab.xarray.open_mfdataset('{path['files']}/*.nc') as ds:\n    return dict(ds.sizes)"
        each = "with xarray.open_mfdataset({!r}, engine={!r}, parallel={}) as ds:\n    return dict(ds.sizes)"
        work = {"one dataset": ours}
        work |= {engine: each.format(f"{path['files']}/*.nc", engine, False) for engine in engines[1:]}
        return Case("a series of files", work, {"h5netcdf": 1 / 4, "netcdf4": 1 / 2})

    def threads() -> Case:
        folder = Path(path["small"])
        folder.mkdir(exist_ok=True)
        for number in range(20):
            values = np.random.default_rng(number).integers(0, 50, (24, 30, 40)).astype("f4")
            ds = xarray.Dataset({"t": (("time", "y", "x"), values)})
            ds.to_netcdf(folder / f"{number}.nc", engine="h5netcdf", encoding={"t": {"zlib": True, "chunksizes": (6, 30, 40)}})
        opens = 3200 // scale
        each = (
            "def one(number):\n"
            f"    with xarray.open_dataset('{folder}/%d.nc' % (number % 20), engine={{!r}}) as ds:\n"
            "        return float(ds.t.values.sum())\n"
            "with ThreadPoolExecutor(32) as threads:\n"
            f"    return round(sum(threads.map(one, range({opens}))))"
        )
        # netCDF4 is not thread-safe below xarray's lock: it ends in a segmentation fault.
        work = {engine: each.format(engine) for engine in engines[:2]}
        return Case("32 threads open small files", work, {"h5netcdf": 1 / 4}, setup="from concurrent.futures import ThreadPoolExecutor")

    def load() -> Case:
        if not Path(path["large.nc"]).exists():
            large(Path(path["large.nc"]), max(8, 340 // scale))
        load = "with xarray.open_dataset({!r}, engine={!r}, mask_and_scale=False) as ds:\n    return float(ds.t2m.load().values[-1, 5, 5])"
        work = {engine: load.format(path["large.nc"], engine) for engine in engines}
        work["the engine"] = (
            f"with hyperslab.File({path['large.nc']!r}) as file:\n    return float(file['t2m'][...][-1, 5, 5])"
        )
        bounds = {"the engine": 1.15}
        return Case("load 1.4 GiB, gzip", work, bounds)

    def mean(scheduler: str, bound: float, **more: str) -> Callable[[], Case]:
        def case() -> Case:
            if not Path(path["large.nc"]).exists():
                large(Path(path["large.nc"]), max(8, 340 // scale))
            work = {
                engine: f"with xarray.open_dataset({path['large.nc']!r}, engine={engine!r}, chunks={{'time': 4}}) as ds:\n"
                f"    return round(float(ds.t2m.mean()), 2)"
                for engine in engines[:2]
            }
            if scheduler == "threads":
                work["no Dask"] = NO_DASK.format(path["large.nc"])
            return Case(f"Dask mean, {scheduler}", work, {"h5netcdf": bound}, **more)

        return case

    cluster = {
        "setup": "import distributed",
        "warm": "client = distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None)",
        "end": "client.close()",
    }

    def remote() -> Case:
        if not SERVER.exists():
            raise SystemExit(f"{SERVER} is missing: cargo build --release -p hyperslab-testkit --example serve")
        distant(Path(path["distant.nc"]), max(2, 12 // scale))
        setup = (
            "import subprocess\n"
            f"server = subprocess.Popen([{str(SERVER)!r}, {path['distant.nc']!r}, '40', '80000000'], "
            "stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
            "url = server.stdout.readline().strip()"
        )
        work = {"hyperslab": "with xarray.open_dataset(url, engine='hyperslab', group='gt1') as ds:\n    return len(ds.variables)"}
        end = "server.stdin.close(); server.terminate()"
        return Case("open a distant group", work, {}, setup=setup, end=end, seconds_max=0.4)

    return {
        "variables": variables,
        "mfdataset": files,
        "series": series,
        "opening threads": threads,
        "load": load,
        "dask threads": mean("threads", 1 / 4),
        "dask processes": mean("2 processes", 1 / 1.8, **cluster),
        "distant": remote,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="files of a hundredth of the size; bounds say nothing then")
    parser.add_argument("--only", nargs="+", default=[], help="cases whose name contains one of these words")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="the longest measurement (default 60)")
    parser.add_argument("--json", type=Path, help="write the seconds to this file")
    arguments = parser.parse_args()
    reached, seconds = True, {}
    print(f"load of the machine: {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory(prefix="hyperslab-xarray-") as folder:
        for name, make in cases(Path(folder), 100 if arguments.small else 1).items():
            if arguments.only and not any(word in name for word in arguments.only):
                continue
            case = make()
            reached &= measure(case, arguments.repeats, arguments.limit)
            seconds[case.name] = {"seconds": case.best, "slower_than_limit": sorted(case.slow)}
    if arguments.json:
        arguments.json.write_text(json.dumps(seconds, indent=2))
    print("all bounds are reached" if reached else "a bound is missed")
    return 0 if reached or arguments.small else 1


if __name__ == "__main__":
    sys.exit(main())
