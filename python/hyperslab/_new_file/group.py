"""Groups of new files: what is created in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike

from hyperslab._empty import Empty
from hyperslab._new_file.dataset import NewDataset
from hyperslab._new_file.datatype import NewDatatype
from hyperslab._new_file.elements import dtype_of, is_sequence, plain
from hyperslab._new_file.encoder import check, one_element
from hyperslab._new_file.extents import Chunks, MaxShape, Shape, check_extents, checked_chunks, checked_maximum, shape_tuple
from hyperslab._new_file.filters import filters_of
from hyperslab._new_file.named import dtype_and_name
from hyperslab._new_file.names import about, checked_text, text_of
from hyperslab._new_file.object import Object
from hyperslab._new_file.ownership import copied
from hyperslab._new_file.record import DatasetRecord, DatatypeRecord, GroupRecord, Member, Record
from hyperslab._new_file.references import NewReference, NewRegionReference
from hyperslab._new_file.sequences import sequences_in
from hyperslab._new_file.values import in_shape, source_of
from hyperslab.errors import InvalidError, WrongTypeError
from hyperslab.links import ExternalLink, SoftLink

_Member = TypeVar("_Member", bound=Member)


class NewGroup(Object, Mapping[str, Any]):
    """A group of a new file: a mapping of names to groups, datasets and links."""

    _record: GroupRecord

    def create_group(self, name: str, track_order: bool | None = None) -> NewGroup:
        """Create a group, and the groups on the way to it.

        Args:
            name: the path.
            track_order: as in h5py; but all objects of a new file have the `track_order` of the file.

        Raises:
            ValueError: the name is taken, or `track_order` is not that of the file.
        """
        self._check_order(name, track_order)
        group, last, path = self._place(name)
        created = self._add(group, last, GroupRecord(self._builder.group(path), path))
        return cast("NewGroup", self._file._handle(created))

    def require_group(self, name: str) -> NewGroup:
        """Return a group, which is created if it does not exist.

        Raises:
            TypeError: there is a dataset of this name.
        """
        found = self.get(name)
        if found is None:
            return self.create_group(name)
        if not isinstance(found, NewGroup):
            raise WrongTypeError(f"{name} is not a group")
        return found

    def create_dataset(
        self,
        name: str,
        shape: Shape | None = None,
        dtype: DTypeLike | NewDatatype | None = None,
        data: Any = None,
        *,
        chunks: Chunks = None,
        maxshape: MaxShape = None,
        compression: Any = None,
        compression_opts: Any = None,
        shuffle: bool | None = None,
        fletcher32: bool | None = None,
        scaleoffset: int | bool | None = None,
        filter: str | None = None,
        fillvalue: Any = None,
        copy: bool = True,
        track_order: bool | None = None,
    ) -> NewDataset:
        """Create a dataset, and the groups on the way to it. The words are those of h5py.

        Args:
            name: the path, from this group on or, with a leading `/`, from the root group on.
            shape: the number of elements along each axis; that of `data` by default.
            dtype: of the elements in the file, which may be a named datatype of the file; that of `data` by default, and
                without data `"f4"`. Without data and shape, the dataset is empty.
            data: the values: anything that NumPy makes an array of, or anything with `shape`, `dtype` and slices (a dataset of
                an open file, an array of Zarr or Dask). They are read now; arrays of Dask when the file is written.
            chunks: the shape of a chunk; True for an automatic one of at most 1 MiB with the proportions of the dataset,
                which it also has if it has filters or can grow; False for none.
            maxshape: the shape to which it can grow; None along an axis (True: along all) is without a limit.
            compression: `"gzip"`, `"lzf"`, `"szip"`, the number of a filter, or an object of hdf5plugin.
            compression_opts: the level of gzip (0 to 9, 4 by default), the pair of szip, or the parameters of a filter.
            shuffle: regroup bytes before compression.
            fletcher32: add a checksum to each chunk.
            scaleoffset: the number of decimal digits that are kept (lossy) or, for integers, of bits (True: as many as needed).
            filter: instead of these, filters as `hyperslab repack` has them: `"shuffle+gzip=4"`, `"bitshuffle+zstd=3"`.
            fillvalue: the value of elements that are never assigned.
            copy: False keeps `data` itself instead of a copy, and reads it in blocks of some 32 MiB when the file is written: for
                data that is larger than memory. Until then it must not change or be closed.
            track_order: as in h5py; but all objects of a new file have the `track_order` of the file.

        Raises:
            TypeError: HDF5 has no datatype for the values.
            ValueError: the name is taken, or values, shape, chunks and filters do not fit each other.
        """
        name = text_of(name)
        self._check_order(name, track_order)
        whole = name if name.startswith("/") else f"{self.name.rstrip('/')}/{name}"
        with about(whole, name):
            data = plain(data)
            if isinstance(data, Empty):
                dtype, data, shape = data.dtype if dtype is None else dtype, None, None
                is_null = True
            else:
                is_null = data is None and shape is None
            named = None
            if dtype is None:
                if data is None:
                    if shape is None:
                        raise WrongTypeError("a dataset needs `data`, a `shape` or a `dtype`")
                    stored = np.dtype("f4")
                else:
                    stored = dtype_of(data)
            else:
                stored, named = dtype_and_name(dtype, self._file)
            source: Any
            if shape is not None and is_sequence(stored) and isinstance(data, (list, tuple, np.ndarray)):
                source, is_own = copied(sequences_in(data, shape_tuple(shape), stored)), True
            else:
                source, is_own = (None, False) if data is None else source_of(data, stored, copy)
            source, shape = in_shape(name, source, shape, stored)
            if isinstance(source, np.ndarray) and not isinstance(source, np.memmap):
                check(source, stored.base, self._file)
            filters = filters_of(stored, compression, compression_opts, shuffle, fletcher32, scaleoffset, filter)
            check_extents(name, shape, bool(filters or chunks or maxshape))
            maximum = checked_maximum(name, shape, maxshape)
            group, last, path = self._place(name)
            id, chosen = self._builder.dataset(
                path,
                stored,
                None if is_null else shape,
                maxshape=maximum,
                chunks=checked_chunks(chunks),
                filters=filters,
                fillvalue=None if fillvalue is None else one_element(fillvalue, stored, self._file),
                datatype=named,
            )
            record = DatasetRecord(
                id,
                path,
                dtype=stored,
                shape=None if is_null else shape,
                maxshape=maximum,
                chunks=None if chosen is None else tuple(chosen),
                fillvalue=fillvalue,
                source=source,
                is_own=is_own,
            )
            self._add(group, last, record)
            return NewDataset(self._file, record)

    def require_dataset(
        self,
        name: str,
        shape: Shape | None,
        dtype: DTypeLike | NewDatatype,
        exact: bool = False,
        **options: Any,
    ) -> NewDataset:
        """Return a dataset, which is created with these options of `create_dataset` if it does not exist.

        Raises:
            TypeError: there is something else of this name; or a dataset of another shape (with `maxshape`, another maximum shape)
                or of a dtype that values of this one cannot be cast to safely (with `exact`, another dtype).
        """
        found = self.get(name)
        if found is None:
            return self.create_dataset(name, shape, dtype, **options)
        if not isinstance(found, NewDataset):
            raise WrongTypeError(f"{name} is not a dataset")
        shape = None if shape is None else shape_tuple(shape)
        if shape != found.shape:
            if "maxshape" not in options:
                raise WrongTypeError(f"{name}: the dataset has the shape {found.shape}, not {shape}")
            if options["maxshape"] != found.maxshape:
                raise WrongTypeError(f"{name}: the dataset has the maximum shape {found.maxshape}, not {options['maxshape']}")
        wanted = dtype_and_name(dtype, self._file)[0]
        if exact and wanted != found.dtype:
            raise WrongTypeError(f"{name}: the dataset has the dtype {found.dtype}, not {wanted}")
        if not np.can_cast(wanted, found.dtype):
            raise WrongTypeError(f"{name}: values of {wanted} cannot be cast safely to its dtype {found.dtype}")
        return found

    def move(self, source: str, dest: str) -> None:
        """Give a link another path; groups on the way to it are created. What it leads to stays as it is.

        Raises:
            ValueError: there is no link of this name, or the new one is taken or in the group that is moved.
        """
        source, dest = text_of(source), text_of(dest)
        parts = [part for part in source.split("/") if part]
        try:
            parent = self._find(("/" if source.startswith("/") else "") + "/".join(parts[:-1]), False)
        except KeyError:
            parent = None
        if not parts or not isinstance(parent, GroupRecord) or parts[-1] not in parent.members:
            raise InvalidError(f"{self.name}: there is no link {source!r} in the new file")
        old = f"{parent.name.rstrip('/')}/{parts[-1]}"
        if dest.strip("/") == source.strip("/") and dest.startswith("/") == source.startswith("/"):
            return
        group, last, new = self._place(dest)
        self._builder.rename(old, new)
        group.members[last] = parent.members.pop(parts[-1])
        for record in self._file._records.values():
            if record.name == old or record.name.startswith(f"{old}/"):
                record.name = new + record.name[len(old) :]

    def get(self, name: str, default: Any = None, getlink: bool = False) -> Any:
        """Return the group or dataset at a path, or `default`. With `getlink`, return a symbolic link itself."""
        try:
            return self._file._handle(self._find(name, getlink))
        except KeyError:
            return default

    def __getitem__(self, name: str | NewReference | NewRegionReference) -> Any:
        if isinstance(name, (NewReference, NewRegionReference)):
            if not name.is_of(self._file):
                raise InvalidError("a reference to an object of another file")
            return self._file._handle(self._file._records[name._id])
        return self._file._handle(self._find(name, False))

    def __setitem__(self, name: str, value: Any) -> None:
        """Create a link, a named datatype of a dtype, or a dataset of the values. Links are hyperslab's or h5py's."""
        kind, name = type(value).__name__, text_of(name)
        if isinstance(value, Object):
            if value._file is not self._file:
                raise InvalidError(f"{name}: an object of another file")
            group, last, path = self._place(name)
            self._builder.link(path, object=value._id)
            value = value._record
        elif kind == "SoftLink" and hasattr(value, "path"):
            with about(f"{name}: the soft link"):
                value = SoftLink(checked_text(value.path))
            group, last, path = self._place(name)
            self._builder.link(path, target=value.path)
        elif kind == "ExternalLink" and hasattr(value, "filename"):
            with about(f"{name}: the external link"):
                value = ExternalLink(checked_text(os.fsdecode(value.filename)), checked_text(value.path))
            group, last, path = self._place(name)
            self._builder.link(path, target=value.path, filename=value.filename)
        elif kind == "HardLink":
            raise WrongTypeError(f"{name}: a HardLink does not say what it leads to", hint="assign the object itself")
        elif isinstance(value, np.dtype):
            group, last, path = self._place(name)
            with about(path):
                id = self._builder.datatype(path, value)
            self._add(group, last, DatatypeRecord(id, path, value))
            return
        else:
            self.create_dataset(name, data=value)
            return
        self._add(group, last, value)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, (str, bytes)) and self.get(text_of(name)) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._record.members))

    def __len__(self) -> int:
        return len(self._record.members)

    __eq__ = Object.__eq__
    __hash__ = Object.__hash__

    def __repr__(self) -> str:
        return f'<new HDF5 group "{self.name}" ({len(self)} members)>'

    def _find(self, name: str, getlink: bool) -> Any:
        """The record at a path, or, with `getlink`, the symbolic link there."""
        return self._file._find_from(self._record, text_of(name), getlink)

    def _place(self, name: str) -> tuple[GroupRecord, str, str]:
        """The group in which a path ends, which is created if it does not exist, the last name, and the whole path."""
        name = text_of(name)
        group = self._file._record if name.startswith("/") else self._record
        parts = [part for part in name.split("/") if part]
        if not parts:
            raise InvalidError(f"{self.name}: the name {name!r} is empty")
        for part in parts[:-1]:
            member = group.members.get(part)
            if member is None:
                path = f"{group.name.rstrip('/')}/{part}"
                member = self._add(group, part, GroupRecord(self._builder.group(path), path))
            if not isinstance(member, GroupRecord):
                raise InvalidError(f"{name}: {part} is not a group")
            group = member
        return group, parts[-1], f"{group.name.rstrip('/')}/{parts[-1]}"

    def _check_order(self, name: str, track_order: bool | None) -> None:
        if track_order is not None and bool(track_order) != self._file._track_order:
            raise InvalidError(
                f"{text_of(name)}: track_order={track_order} is not that of the file, which all its objects have",
                hint=f"NewFile(..., track_order={bool(track_order)})",
            )

    def _add(self, group: GroupRecord, name: str, member: _Member) -> _Member:
        group.members[name] = member
        if isinstance(member, Record):
            self._file._records.setdefault(member.id, member)
        return member
