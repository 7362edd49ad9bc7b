"""A save out of a JSON document: the save that the document was made from is the template.

`streamsave json` writes a document, anything may edit it, and `from_json` makes a save of it. What is equal in both is copied as
it is, so a document that was not edited gives the same save, byte by byte.

| in the document | in the new save |
|---|---|
| another value | the value, encoded as the save has it there |
| a member of `properties`, an object, an element at the end of a list, or an entry of a map is missing | it is dropped |
| another member of the header of an object, if the save has headers | the member: an object is moved, or has another name |
| more elements in a list, more entries in a map | copies of the last one, which then get their values |
| a property that the object or struct does not have | a copy from another object of its class, or struct of its type |
| what nothing in the save is like; a kind of object, or a member of a header that the save has not | an error: it says where |

An object whose name is none of the save's is the one that the save has there, renamed, unless that one comes after it.

First both are read side by side, as the JSON writer goes through the save: each value that is small enough is compared as text,
and only what differs is decoded. If the document has more than the save, copies are inserted into a save in between, which is
compared again. Then the save is written: what differs is gone through value by value.
"""

from __future__ import annotations

import os
import re
from array import array
from base64 import b64decode
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final, NamedTuple

import orjson

from streamsave._fields import names_of_fields
from streamsave.consume.stream import open_save
from streamsave.decode.build import header_members
from streamsave.decode.json_values import field_names, json_key, unescape
from streamsave.errors import EditError
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.input.source import SourceLike
from streamsave.limits import Limits
from streamsave.output.json_text import escaped, value_text
from streamsave.rewriting.assignments import converted
from streamsave.rewriting.cutting import CutStream, cut
from streamsave.rewriting.family import Cutting
from streamsave.rewriting.json_difference import (
    DROP,
    HEADER,
    OF_LINES,
    Comparison,
    State,
    Unit,
    Wanted,
    canonical,
    differing,
    has_lines,
    kind_of,
    only_in_document,
    owner_of,
    span_of,
)
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.renaming import KnownNames
from streamsave.rewriting.rewrite import rewrite, unchanged
from streamsave.rewriting.stream import RewriteStream
from streamsave.values import Opaque, Text

__all__ = ["Change", "make_save"]

#: How often a copy that was inserted may need others inside.
MOST_ROUNDS: Final = 4
#: Integers above this are rounded by programs that have only doubles.
LARGEST_EXACT: Final = 1 << 53
#: An integer that JSON has as a text, as it has more than 64 bits.
WIDE: Final = re.compile(r"-?[0-9]{1,40}")
FLOATS: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class Change(NamedTuple):
    """One change of the save.

    Attributes:
        verb: `"set"`, `"added"` or `"dropped"`.
        path: of the value, property, element or object; of added elements, that of their container. A member of the header of an
            object comes after its name: a new name is `(..., old name, "instance_name")`.
        old: a value that is set as JSON text, else nothing.
        new: its new value.
    """

    verb: str
    path: tuple[str | int, ...]
    old: bytes = b""
    new: bytes = b""


class Editing(Unit):
    """Edits what differs in one object or value."""

    def __init__(self, save: RewriteStream, document: JsonReader, limits: Limits) -> None:
        super().__init__(save, document, limits)
        self._save = save
        self.changes: list[Change] = []
        #: Members of the header of the last event that are others, and where the document has the first of them.
        self._header: dict[str, object] = {}
        self._header_at = 0

    def drop(self, event: Event) -> None:
        """Leave out what the last event has opened."""
        self._event = event
        self.is_missing(event)

    def header(self, event: ObjectHeader, at: int) -> None:
        """Change the header of an object, the last event, to what the document has there."""
        self._event = event
        self._begin(at)
        self.open(is_object=True)
        self.members(header_members(event))

    def members(self, members: dict[str, object]) -> None:
        super().members(members)
        header, self._header = self._header, {}
        event = self._event
        if not header or not isinstance(event, ObjectHeader):
            return
        try:
            if not self._save.set_header(**header):
                return
        except EditError as error:
            raise self._document.fault(str(error), self._header_at) from None
        path = (*self._save.path, event.instance_name)
        for name, value in header.items():
            self.changes.append(Change("set", (*path, name), value_text(members[name]), value_text(value)))

    def differs(self, old: object, at: int) -> None:
        end = self._document.tell()
        self._document.seek(at)
        new = self._document.decoded()
        self._document.seek(end)
        event = self._event
        path = self._save._path_of(event) if isinstance(event, (PropertyTag, Field)) else self._save.path
        try:
            value = revalued(old, new)
            if isinstance(event, ObjectHeader) and self._member:
                if event.header_size == 0:
                    return  # it has no header: its values say what it is called
                self._header_at = self._header_at if self._header else at
                self._header[self._member] = value
                return
            if isinstance(event, BlobSkip) and isinstance(value, Opaque):
                self._save.replace_raw(value.data)
            elif isinstance(event, (PropertyTag, Field)) and self._is_stored(event, old, value):
                return
            else:
                self._save.replace(value)
        except EditError as error:
            raise self._document.fault(str(error), at) from None
        self.changes.append(Change("set", path, value_text(old), orjson.dumps(new)))

    def _is_stored(self, event: PropertyTag | Field, old: object, new: object) -> bool:
        """Return whether a value has the bytes of the old one, as numbers are rounded.

        Raises:
            EditError: it has, but they differ in something else: that follows from other parts of the value.
        """
        encoded, before = self._save._encoded(event, new), self._save._encoded(event, old)
        if encoded != before:
            return False
        if not are_like(orjson.loads(value_text(old)), orjson.loads(value_text(new))):
            raise EditError("the save does not store this part", new)
        return True

    def is_missing(self, event: Event) -> None:
        path = self._save.path
        if isinstance(event, ObjectHeader):
            path = (*path, event.instance_name)
        elif isinstance(event, StructEnter) and event.index < 0:
            path = (*path, event.name)
        try:
            self._save.drop()
        except EditError as error:
            raise self._document.fault(f"it is missing: {error}") from None
        self.changes.append(Change("dropped", path))

    def is_new(self, state: State, name: str, at: int) -> None:
        if name not in OF_LINES or not isinstance(state.event, ObjectHeader):
            raise self._document.fault(f"{name} is not in the save, and cannot be made", at)

    def are_new(self, state: State, count: int, at: int) -> None:
        raise self._document.fault("the save has no more elements here, and cannot get them", at)


def edit_as_document(save: RewriteStream, document: JsonReader, differences: array[int], limits: Limits) -> Iterator[Change]:
    """Read a save to its end, and make the edits that a comparison with a document asks for.

    Args:
        save: at its start.
        document: what it becomes.
        differences: of a `Comparison` of both.
        limits: as for `streamsave.open`.

    Yields:
        Each change.

    Raises:
        EditError: a value of the document cannot be stored there, or nothing can be dropped there.
        SaveError: the save is damaged.
    """
    editing = Editing(save, document, limits)
    save._guids_as_texts(ends=True)
    for event, verb, place in differing(save, differences):
        if verb == DROP:
            editing.drop(event)
        elif verb == HEADER and isinstance(event, ObjectHeader):
            editing.header(event, place)
        else:
            editing.run(event, place)
        yield from editing.changes
        editing.changes.clear()


def donors(source: CutStream, wanted: Sequence[Wanted]) -> dict[tuple[tuple[str, str], str], Cutting]:
    """Return properties to copy: by what they are in, and by name. The first of each in the save is taken."""
    missing = {(each.owner, each.name) for each in wanted if each.name}
    found: dict[tuple[tuple[str, str], str], Cutting] = {}
    open_owners: list[tuple[str, str]] = []
    for event in source:
        if not missing:
            break
        if isinstance(event, (ObjectHeader, StructEnter)):
            open_owners.append(owner_of(event))
        elif isinstance(event, (ObjectEnd, StructExit)):
            open_owners.pop()
        elif isinstance(event, PropertyTag) and event.index == 0 and (open_owners[-1], event.name) in missing:
            missing.remove((open_owners[-1], event.name))
            found[open_owners[-1], event.name] = source.take()
    return found


def grow(
    save: RewriteStream,
    document: JsonReader,
    wanted: Sequence[Wanted],
    copies: Mapping[tuple[tuple[str, str], str], Cutting],
) -> Iterator[Change]:
    """Insert what only the document has, as copies of what is like it: they get their values later.

    Args:
        save: at its start.
        document: the document.
        wanted: what it has.
        copies: what `donors` has found.

    Yields:
        What was added.

    Raises:
        EditError: there is nothing like it, or it cannot be inserted.
        SaveError: the save is damaged.
    """
    save._as_values()
    at: dict[tuple[int, int], list[Wanted]] = {}
    for each in wanted:
        at.setdefault((each.kind, each.offset), []).append(each)
    offsets = sorted(each.offset for each in wanted)
    #: Of each open nesting: the number of its elements, how many of them have ended, and what comes after the last one.
    nestings: list[tuple[int, int, Wanted | None]] = []
    for event in save:
        here = at.get((kind_of(event), event.offset), [])
        if isinstance(event, (ObjectHeader, StructEnter)):
            for each in here:
                if each.name:
                    cutting = copies.get((each.owner, each.name))
                    if cutting is None:
                        raise document.fault(f"nothing like it in the save has {each.name}, so it cannot be made", each.at)
                    save.insert_raw(cutting)
                    yield Change("added", (*save.path, each.name))
            more = next((each for each in here if each.elements), None)
            nestings.append((event.count if isinstance(event, StructEnter) else -1, 0, more))
        elif isinstance(event, (ObjectEnd, StructExit)):
            nestings.pop()
        if nestings and isinstance(event, (ObjectEnd, StructExit, Field)):
            count, done, more = nestings[-1]
            nestings[-1] = count, done + 1, more
            if more is not None and done + 1 == count:
                save.insert_copy(more.elements)
                yield from [Change("added", (*save.path[: save.depth], count + index)) for index in range(more.elements)]
        if isinstance(event, (ObjectHeader, PropertyTag, StructEnter)) and not here:
            start, end = span_of(event)
            first = bisect_left(offsets, start)
            if end >= 0 and (first == len(offsets) or offsets[first] > end):
                save.skip()


def make_save(
    document: BinaryIO,
    source: SourceLike,
    target: str | os.PathLike[str] | None,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
    backup: str | os.PathLike[str] | None = None,
) -> Iterator[Change]:
    """Write a save that is as a document says: the save that the document was made from, with what differs.

    Args:
        document: what `streamsave json` writes, edited. It can seek.
        source: the save. It is read several times: no pipe.
        target: the new save, as for `streamsave.rewrite`; None: nothing is written.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        backup: as for `streamsave.rewrite`.

    Yields:
        Each change of a value, and what is dropped. The new save is there when all were taken.

    Raises:
        EditError: the document is no JSON, or says what no save can be made of: it says where.
        SaveError: the save is damaged.
        OSError: as for `streamsave.rewrite`.
    """
    before = unchanged(source)  # at the end, the source may be a save in between
    limits = Limits() if limits is None else limits
    read = partial(open_save, limits=limits, type_hints=type_hints, objects_at=objects_at)
    take = partial(cut, limits=limits, type_hints=type_hints, objects_at=objects_at)
    write = partial(rewrite, limits=limits, type_hints=type_hints, objects_at=objects_at)
    reader = JsonReader(document)
    in_lines = has_lines(reader)
    known = KnownNames(partial(read, source))
    with TemporaryDirectory() as folder:
        for number in range(MOST_ROUNDS):
            reader.seek(0)
            with read(source) as events:
                comparison = Comparison(events, reader, limits, known)
                if in_lines:
                    comparison.run_lines()
                else:
                    comparison.run()
            wanted: list[Wanted] = comparison.wanted
            if comparison.differences:
                with read(source) as events:
                    wanted = only_in_document(events, reader, comparison, limits)
            if not wanted:
                break
            with take(source) as others:
                copies = donors(others, wanted)
            grown = Path(folder) / f"{number}.sav"
            with write(source, grown, verify=False, fast=True) as save:
                yield from grow(save, reader, wanted, copies)
            source = grown
        with write(source, target, backup=backup) as save:
            yield from edit_as_document(save, reader, comparison.differences, limits)
            if before is not None:
                before.check()


def are_like(old: object, new: object) -> bool:
    """Return whether two values of JSON differ in nothing but numbers."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(are_like(part, new[name]) for name, part in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(are_like, old, new))
    return old == new or (isinstance(old, float) and isinstance(new, (int, float)))


def revalued(old: object, new: object) -> object:
    """Return a value of the save that JSON shows as `new`.

    Args:
        old: the value that the save has there, as `build()` returns it: what has other types in JSON takes them from it.
        new: the value that the document has.

    Raises:
        EditError: it does not fit.
    """
    text = escaped(value_text(old))
    if canonical(new) == canonical(orjson.loads(text)):
        return old
    if isinstance(old, (bytes, Opaque)):
        return data_of(old, new)
    if isinstance(old, float) and isinstance(new, str) and new in FLOATS:
        return FLOATS[new]
    if isinstance(old, int) and not isinstance(old, bool):
        if isinstance(new, str) and WIDE.fullmatch(new):
            return int(new)
        if abs(old) > LARGEST_EXACT and isinstance(new, (int, float)) and new == float(old):
            return old  # as a program has rounded it that has only doubles
    if isinstance(old, str) and isinstance(new, dict) and new.keys() == {"escaped"}:
        return unescape(str(new["escaped"]))
    if isinstance(old, (list, tuple)) and isinstance(new, list):
        if isinstance(old, tuple) and len(new) != len(old):
            raise EditError("wrong number of elements", len(new), f"{len(old)}")
        parts = [revalued(old[min(index, len(old) - 1)], part) if old else part for index, part in enumerate(new)]
        return tuple(parts) if isinstance(old, tuple) else parts
    if isinstance(old, dict) and isinstance(new, dict):
        names = {json_key(name): name for name in old}
        if names.keys() != new.keys():
            raise EditError("other members", sorted(new), ", ".join(names))
        return {name: revalued(old[name], new[key]) for key, name in names.items()}
    if (
        isinstance(old, Text)
        and isinstance(new, dict)
        and canonical(new) == canonical(shown(old) | {"source": new.get("source")})
    ):
        return converted(old, new["source"])  # it is also one of the fields
    if isinstance(new, dict) and not isinstance(old, (int, str)) and names_of_fields(type(old)):
        fields = field_names(type(old))
        if new.keys() != set(fields):
            raise EditError("other members", sorted(new), ", ".join(fields))
        return type(old)(*[revalued(getattr(old, name), new[name]) for name in fields])
    return converted(old, new)


def shown(value: object) -> dict[str, object]:
    """Return a value as JSON shows it, an object."""
    members = orjson.loads(value_text(value))
    return members if isinstance(members, dict) else {}


def data_of(old: bytes | Opaque, new: object) -> bytes | Opaque:
    """Return the bytes that JSON shows in Base64.

    Raises:
        EditError: it shows none.
    """
    try:
        data = b64decode(new["base64"], validate=True) if isinstance(new, dict) else None
    except (KeyError, TypeError, ValueError):
        data = None
    if data is None:
        raise EditError("no bytes", new, '{"base64": ...}')
    return Opaque(data, old.reason) if isinstance(old, Opaque) else data
