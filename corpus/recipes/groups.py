"""Groups in old and new format, with 0 to 2,000 members, and every kind of link that h5py writes."""

from __future__ import annotations

from pathlib import Path

import h5py
from common import create, ramp

KIND = "test"

NAMES = ["a", "Z", "ä", "ångström", "日本語", "name with spaces", "x" * 300, "dot.", "~tilde", "0"]


def members(group: h5py.Group, count: int) -> None:
    """Links to one dataset by many names: a large index of links without many objects."""
    if count:
        target = group.file.require_dataset("target", (2,), "<i4", data=ramp(2))
        for i in range(count):
            group[f"member {i * 7919 % count:05d}"] = target


def links(file: h5py.File) -> None:
    inner = file.create_group("inner/deeper")
    inner.create_dataset("values", data=ramp((2, 2)))
    file["hard"] = inner["values"]
    file["soft"] = h5py.SoftLink("/inner/deeper/values")
    file["relative"] = h5py.SoftLink("inner/deeper")
    file["dangling"] = h5py.SoftLink("/nowhere")
    file["external"] = h5py.ExternalLink("other file.h5", "/there")
    inner["back to the root"] = file["/"]
    inner["itself"] = inner
    for name in NAMES:
        file.create_group(f"names/{name}")


def make(into: Path) -> None:
    for libver in ("earliest", "v108", "latest"):
        with create(into / f"links_{libver}.h5", libver) as file:
            links(file)
        for count in (0, 1, 8, 9, 2000):
            with create(into / f"members_{count}_{libver}.h5", libver) as file:
                members(file.create_group("group"), count)
    with create(into / "both_orders.h5", "v110") as file:
        members(file.create_group("small", track_order=True), 5)
        members(file.create_group("large", track_order=True), 300)
    with create(into / "emptied.h5", "v110") as file:
        group = file.create_group("group")
        members(group, 100)
        for name in list(group)[:97]:
            del group[name]
    with create(into / "long_names.h5", "v110") as file:
        # Links with names too long for a managed object of the heap are huge objects.
        group = file.create_group("group")
        for i in range(12):
            group.create_group(f"{i:02d}" + "n" * (600 * i))
    with create(into / "deep.h5", "earliest") as file:
        group = file
        for _ in range(200):
            group = group.create_group("d")
        group.create_dataset("bottom", data=ramp(1))
