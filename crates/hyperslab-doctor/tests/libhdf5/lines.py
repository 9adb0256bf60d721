"""Runs the doctor's lines for h5py, xarray and netCDF4 against a file, and prints the cache each library then reports.

    python lines.py FILE DATASET < lines.json        # [{"for": "h5py", "line": "..."}, ...]
"""

import json
import sys


def opened_by(line, names):
    """The value of the last statement of a line; those before it, after ";", are run first."""
    *before, last = line.split("; ")
    for statement in before:
        exec(statement, names)
    return eval(last, names)


file, dataset = sys.argv[1:3]
for fix in json.load(sys.stdin):
    target, line = fix["for"], fix["line"]
    try:
        if target == "h5py" and "h5py.File" in line:
            import h5py

            with eval(line) as opened:
                _, nslots, nbytes, w0 = opened.id.get_access_plist().get_cache()
        elif target == "h5py":
            import h5py

            count = 0
            with h5py.File(file) as opened:
                dset = opened[dataset]
                for s in dset.iter_chunks():
                    block = dset[s]
                    count += 1
            nslots, nbytes, w0 = 0, count, 0
        elif target == "xarray":
            import netCDF4
            import xarray as xr

            with opened_by(line, {"netCDF4": netCDF4, "xr": xr}) as opened:
                # The file that xarray's engine opened, as the netCDF4 package shows it.
                group = opened._close.__self__.ds
                nbytes, nslots, w0 = group[dataset.rsplit("/", 1)[1]].get_var_chunk_cache()
        elif target == "netCDF4":
            import netCDF4

            with netCDF4.Dataset(file) as nc:
                eval(line)
                nbytes, nslots, w0 = nc[dataset].get_var_chunk_cache()
        else:
            continue
    except ImportError as error:
        print(json.dumps({"for": target, "skip": str(error)}))
        continue
    print(json.dumps({"for": target, "nbytes": nbytes, "nslots": nslots, "w0": w0}))
