"""New HDF5 files, with h5py's words. What is created is described here; `FileBuilder` writes it when the file is closed.

| module | what |
|---|---|
| `file` | the file: opened, written, discarded |
| `group` | groups: what is created in them, paths, links |
| `dataset` | datasets: values that are given, assigned, or read block by block |
| `datatype`, `named` | named datatypes, and their use |
| `attributes` | attributes |
| `dimensions` | dimension scales |
| `object` | what groups and datasets have in common |
| `filters` | h5py's words for filters |
| `options` | the options of a file |
| `names` | names, and errors that say what they are about |
| `fields` | members of compounds that are assigned alone |
| `selection` | what an index selects, and how values are broadcast to it |
| `ownership` | copies of which nothing is shared |
| `closing` | new files that the program does not close itself |
| `values` | what values are read from, and their shapes |
| `elements` | values as elements of a datatype |
"""

from __future__ import annotations

from hyperslab._new_file.attributes import NewAttributes
from hyperslab._new_file.dataset import NewDataset
from hyperslab._new_file.datatype import NewDatatype
from hyperslab._new_file.file import NewFile
from hyperslab._new_file.group import NewGroup

__all__ = ["NewAttributes", "NewDataset", "NewDatatype", "NewFile", "NewGroup"]
