"""Compares files with their copies through h5py: objects, links, attributes, values and creation properties.

What h5py cannot read of the first file, it must not be able to read of the second.
"""

import ctypes

import h5py
import in_process
import numpy as np
from h5py import h5a, h5d, h5g, h5o, h5p, h5r, h5s, h5t


class Different(Exception):
    pass


def check(same, what):
    if not same:
        raise Different(what)


def attempt(read):
    """The result of a call, or the kind of its error."""
    try:
        return read(), None
    except Different:
        raise
    except Exception as error:
        return None, type(error).__name__


def in_creation_order(o):
    """The names of the attributes in the order of their creation; None if one of them has none."""
    numbers = range(h5a.get_num_attrs(o))
    if not all(h5a.get_info(o, index=i).corder_valid for i in numbers):
        return None
    return [h5a.open(o, index=i, index_type=h5py.h5.INDEX_CRT_ORDER).name for i in numbers]


class Comparison:
    def __init__(self, before, after):
        self.before, self.after = before, after
        self.pairs = {}

    def objects(self, path, before, after):
        """Compares two objects, and everything below them, once."""
        key = h5o.get_info(before).addr
        counterpart = h5o.get_info(after).addr
        if key in self.pairs:
            return check(self.pairs[key] == counterpart, f"{path}: leads to another object")
        self.pairs[key] = counterpart
        check(type(before) is type(after), f"{path}: another kind of object")
        comments = [comment(o) for o in (before, after)]
        check(comments[0] == comments[1], f"{path}: comments {comments}")
        self.attributes(path, before, after)
        if isinstance(before, h5d.DatasetID):
            self.datasets(path, before, after)
        elif isinstance(before, h5t.TypeID):
            check(before.equal(after), f"{path}: datatype")
        elif isinstance(before, h5g.GroupID):
            self.groups(path, before, after)

    def groups(self, path, before, after):
        found = [attempt(lambda: group.get_create_plist().get_link_creation_order()) for group in (before, after)]
        check(found[0] == found[1], f"{path}: creation order of links {found}")
        order = found[0][0] or 0
        names = [[], []]
        index = h5py.h5.INDEX_CRT_ORDER if order & h5p.CRT_ORDER_TRACKED else h5py.h5.INDEX_NAME
        for group, found in zip((before, after), names):
            group.links.iterate(found.append, idx_type=index)
        check(names[0] == names[1], f"{path}: links {names[0][:5]} and {names[1][:5]}")
        for name in names[0]:
            below = f"{path.rstrip('/')}/{name.decode(errors='replace')}"
            kinds = [group.links.get_info(name) for group in (before, after)]
            check(kinds[0].type == kinds[1].type, f"{below}: kind of link")
            check(kinds[0].cset == kinds[1].cset, f"{below}: character set of the name")
            if kinds[0].type == h5py.h5l.TYPE_HARD:
                opened = [attempt(lambda: h5o.open(group, name)) for group in (before, after)]
                check(opened[0][1] == opened[1][1], f"{below}: {opened}")
                if opened[0][1] is None:
                    self.objects(below, opened[0][0], opened[1][0])
            elif kinds[0].type in (h5py.h5l.TYPE_SOFT, h5py.h5l.TYPE_EXTERNAL):
                values = [group.links.get_val(name) for group in (before, after)]
                check(values[0] == values[1], f"{below}: target of the link {values}")

    def attributes(self, path, before, after):
        names = [[h5a.open(o, index=i).name for i in range(h5a.get_num_attrs(o))] for o in (before, after)]
        check(sorted(names[0]) == sorted(names[1]), f"{path}: attributes {names}")
        orders = [attempt(lambda: in_creation_order(o))[0] for o in (before, after)]
        check(orders[0] is None or orders[0] == orders[1], f"{path}: order of attributes {orders}")
        for name in names[0]:
            where = f"{path}@{name.decode(errors='replace')}"
            one, other = h5a.open(before, name), h5a.open(after, name)
            check(one.get_type().equal(other.get_type()), f"{where}: datatype")
            check(one.get_type().committed() == other.get_type().committed(), f"{where}: committed")
            check(one.get_space().get_simple_extent_type() == other.get_space().get_simple_extent_type(), where)
            check(one.shape == other.shape, f"{where}: shape")
            self.values(where, lambda: read_attribute(one), lambda: read_attribute(other))

    def datasets(self, path, before, after):
        check(before.get_type().equal(after.get_type()), f"{path}: datatype")
        check(before.get_type().committed() == after.get_type().committed(), f"{path}: committed")
        kinds = [d.get_space().get_simple_extent_type() for d in (before, after)]
        check(kinds[0] == kinds[1], f"{path}: extent {kinds}")
        if kinds[0] == h5s.SIMPLE:
            dims = [(d.get_space().get_simple_extent_dims(), d.get_space().get_simple_extent_dims(True)) for d in (before, after)]
            check(dims[0] == dims[1], f"{path}: sizes {dims}")
        plists = [d.get_create_plist() for d in (before, after)]
        layouts = [p.get_layout() for p in plists]
        check(layouts[0] == layouts[1], f"{path}: layout {layouts}")
        if layouts[0] == h5d.CHUNKED:
            check(plists[0].get_chunk() == plists[1].get_chunk(), f"{path}: chunks")
            filters = [[p.get_filter(i) for i in range(p.get_nfilters())] for p in plists]
            check(filters[0] == filters[1], f"{path}: filters {filters}")
        for get in ("get_fill_time", "get_alloc_time", "fill_value_defined", "get_attr_creation_order", "get_external_count"):
            found = [attempt(getattr(p, get)) for p in plists]
            check(found[0] == found[1], f"{path}: {get} {found}")
        bytes_ = before.get_space().get_simple_extent_npoints() * before.get_type().get_size()
        if bytes_ <= 1 << 26 and kinds[0] != h5s.NULL:
            self.values(path, lambda: h5py.Dataset(before)[()], lambda: h5py.Dataset(after)[()])

    def values(self, where, before, after):
        (one, error), (other, other_error) = attempt(before), attempt(after)
        check(error == other_error, f"{where}: {error} and {other_error}")
        if error is None:
            check(self.same(one, other), f"{where}: values")

    def same(self, one, other):
        if isinstance(one, np.ndarray):
            if one.dtype != other.dtype or one.shape != other.shape:
                return False
            if one.dtype.names:
                return all(self.same(one[name], other[name]) for name in one.dtype.names)
            if one.dtype.hasobject:
                return all(self.same(a, b) for a, b in zip(one.ravel(), other.ravel()))
            return one.tobytes() == other.tobytes()
        if isinstance(one, np.void) and one.dtype.names:
            return all(self.same(one[name], other[name]) for name in one.dtype.names)
        if isinstance(one, (h5r.Reference, h5r.RegionReference)):
            return self.same_target(one, other)
        if isinstance(one, np.generic):
            return one.dtype == other.dtype and one.tobytes() == other.tobytes()
        return one == other or (one != one and other != other)

    def same_target(self, one, other):
        if bool(one) != bool(other):
            return False
        if not one:
            return True
        targets = [attempt(lambda: h5o.get_info(h5r.dereference(r, f)).addr) for r, f in ((one, self.before), (other, self.after))]
        if targets[0][1] != targets[1][1]:
            return False
        if targets[0][1] is None and self.pairs.setdefault(targets[0][0], targets[1][0]) != targets[1][0]:
            return False
        if isinstance(one, h5r.RegionReference):
            spaces = [h5r.get_region(r, f) for r, f in ((one, self.before), (other, self.after))]
            return selection(spaces[0]) == selection(spaces[1])
        return True


def libhdf5():
    """The library that h5py has loaded."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "/libhdf5" in line and "_hl" not in line}
    return ctypes.CDLL(paths.pop())


LIBRARY = libhdf5()


def comment(of):
    """The comment of an object. (h5py's function returns arbitrary bytes.)"""
    size = LIBRARY.H5Oget_comment(ctypes.c_int64(of.id), None, ctypes.c_size_t(0))
    text = ctypes.create_string_buffer(max(size, 0) + 1)
    LIBRARY.H5Oget_comment(ctypes.c_int64(of.id), text, ctypes.c_size_t(len(text)))
    return text.value


def selection(space):
    """The encoded selection, and the sizes of the extent, whose encoding may or may not contain maximum sizes."""
    encoded = space.encode()
    extent_bytes = int.from_bytes(encoded[3:7], "little")
    return encoded[7 + extent_bytes :], space.shape


def read_attribute(attribute):
    if attribute.get_space().get_simple_extent_type() == h5s.NULL:
        return None
    value = np.zeros(attribute.shape, dtype=attribute.dtype)
    attribute.read(value)
    return value


def compare(before, after):
    if attempt(lambda: h5py.File(before, "r").close())[1] is not None:
        return
    with h5py.File(before, "r") as one:
        with h5py.File(after, "r") as other:
            Comparison(one.id, other.id).objects("/", h5o.open(one.id, b"/"), h5o.open(other.id, b"/"))


in_process.run(compare)
