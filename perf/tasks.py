"""Tasks other than reading slices, with the same code for h5py and for hyperslab.

A task is a function of an open object; its results are compared between the readers. `hyperslab-floor task` does the
same in Rust (`crates/hyperslab-compare/src/tasks.rs`), with the same names and sizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: The number of elements in the tasks "points" and "mask", spread over the whole dataset.
POINTS = 100_000
#: An odd number, so that its multiples modulo a power of two are all different.
STRIDE = 11_400_714_819
ROWS = 400
COLUMNS = 100


def text(dataset: Any) -> np.ndarray:
    return dataset.asstr()[:]


def whole(dataset: Any) -> np.ndarray:
    return dataset[...]


def first_chunk(dataset: Any) -> np.ndarray:
    return dataset[0:2, 0:2]


def block(dataset: Any) -> np.ndarray:
    return dataset[1000:1100, 1000:1100]


def field(dataset: Any) -> np.ndarray:
    return dataset["energy"]


def fields(dataset: Any) -> np.ndarray:
    return dataset.fields(["id", "energy"])[:]


def flat(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(POINTS, dtype=np.uint64) * np.uint64(STRIDE) % np.uint64(np.prod(shape))


def mask(dataset: Any) -> np.ndarray:
    """The mask is created in advance: see `prepared`."""
    return dataset[0][dataset[1]]


def rows(dataset: Any) -> np.ndarray:
    return dataset[sorted(i * 37 % len(dataset) for i in range(ROWS)), :]


def columns(dataset: Any) -> np.ndarray:
    return dataset[:, [i * 40 for i in range(COLUMNS)]]


def names(group: Any) -> list[str]:
    return list(group)


def count(group: Any) -> int:
    return len(group)


def member(group: Any) -> int:
    return group["member 054321"][()]


def attribute_names(thing: Any) -> list[str]:
    return sorted(thing.attrs)


def attribute(thing: Any) -> int:
    return thing.attrs["attribute 054321"]


TASKS = {
    "text": text,
    "whole": whole,
    "first chunk": first_chunk,
    "block": block,
    "field": field,
    "fields": fields,
    "mask": mask,
    "rows": rows,
    "columns": columns,
    "names": names,
    "count": count,
    "member": member,
    "attribute names": attribute_names,
    "attribute": attribute,
}


def prepared(task: str, thing: Any) -> Any:
    """The input of the task, whose creation is not measured."""
    if task != "mask":
        return thing
    wanted = np.zeros(thing.shape, bool)
    wanted.ravel()[flat(thing.shape)] = True
    return thing, wanted
