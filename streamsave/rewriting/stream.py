"""`RewriteStream`: the events of a save, and verbs that edit what the last event opened.

| verb | on | effect |
|---|---|---|
| `drop()` | an object, a property, an element of a container, an entry of a map, a member | it is removed |
| `drop(event)` | the same, while it is still open | it is removed; edits inside of it are forgotten |
| `replace(value)` | a value without events inside, also after `build()` | it gets another value |
| `set_header(**members)` | an object whose header has these members | they get other values |
| `insert_raw(cutting)` | an object or a property; an object that has just ended | one of another save is inserted |
| `insert_copy()` | an element, an entry of a map or an object that has just ended | copies are inserted after it |
| `replace_raw(data)` | a property, a field, an object, bytes of unknown layout, a struct that has a size | it gets other bytes |

Sizes and counts around an edit are updated. Nothing is written before the stream ends.

The module is long because a third of it is the docstrings of the verbs, which are public.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

from streamsave._new_file import Unchanged
from streamsave.claims import content_start
from streamsave.consume.stream import EventStream
from streamsave.decode.build import CONTAINER_DELTA
from streamsave.errors import EditError, StaleEvent
from streamsave.events import (
    PADDING,
    BlobSkip,
    ChunkStart,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    StructEnter,
    StructExit,
)
from streamsave.formats import Format, MakeReader
from streamsave.formats.unreal.tags import BOOL_TYPE
from streamsave.input.source import KeptSource, Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits
from streamsave.rewriting.actors import DESTROYED
from streamsave.rewriting.cutting import Copied, insert, stored, unlist, with_name
from streamsave.rewriting.family import Cutting, make_family
from streamsave.rewriting.ledger import Ledger, as_bytes
from streamsave.rewriting.packing import edited

if TYPE_CHECKING:
    from streamsave.check.finding import Finding
    from streamsave.rewriting.gone import Gone

__all__ = ["Copied", "NewSave", "RewriteStream", "Verify"]

Verify: TypeAlias = Callable[[Path], None]
#: Opens a file to write a save; takes the check of the new save, and the check that the source has not changed.
NewSave: TypeAlias = Callable[[Verify, Unchanged], AbstractContextManager[BinaryIO]]

NOT_DROPPED: Final = "it is no object, property, element of a container or entry of a map"


class RewriteStream(EventStream):
    """The events of a save, in order, with the verbs of `EventStream` and verbs that edit.

    The end of the `with` statement writes the new save. After an exception, nothing is written.

    Args:
        source: the save.
        limits: what to refuse.
        new_save: opens the new save; None: write nothing.
        before: checks that the file of the source has not changed.
        replaces: the new save replaces that file: without edits, it stays as it is.
        verifies: whether to check the new save before it appears.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.
        wrapper: as for `streamsave.rewrite`.
        fast: as for `streamsave.rewrite`.
    """

    #: Whether the new save was written, or will not be.
    _is_over = True

    def __init__(
        self,
        source: Source,
        limits: Limits,
        new_save: NewSave | None,
        before: Unchanged,
        *,
        replaces: bool = False,
        verifies: bool = True,
        type_hints: Mapping[str, str] | None = None,
        objects_at: str | Sequence[str] | None = None,
        reader: Format | MakeReader | None = None,
        wrapper: str = "",
        fast: bool = False,
    ) -> None:
        super().__init__(KeptSource(source), limits, type_hints=type_hints, objects_at=objects_at, reader=reader)
        self._family = make_family(self._source, self._reader, limits, wrapper, fast=fast)
        self._chosen = reader
        self._new_save = new_save
        self._before = before
        self._replaces = replaces
        self._verifies = verifies
        self._ledger = Ledger(self._family)
        #: The event that editing verbs act on: the last one, also after another verb.
        self._target: Event | None = None
        #: The event that opened the nesting that ended last.
        self._ended: Event | None = None
        #: Level and name of each inserted object of the map.
        self._inserted: set[tuple[str, str]] = set()
        #: The names of dropped objects, whose references are counted when the new save is checked; None: do not count.
        self._gone: Gone | None = None
        self._findings: list[Finding] = []
        # Objects that `only` leaves out may contain others: their sizes and counts change, too.
        self._shows_all = True
        self._is_over = False

    @property
    def findings(self) -> list[Finding]:
        """What `check` found in the new save, once it is written."""
        return self._findings

    def __next__(self) -> Event:
        event = self._read_event()
        while self._is_hidden:
            event = self._read_event()
        return event

    def _read_event(self) -> Event:
        """Return the next event, and pass it to the ledger."""
        event = super().__next__()
        if self._inserted and isinstance(event, Field) and event.name in DESTROYED:
            unlist(event, frozenset(self._inserted), self._family, self._ledger)
        self._ledger.note(event)
        if isinstance(event, (StructExit, ObjectEnd)):
            self._ended = self._ledger.close(event.offset + event.size)
        elif isinstance(event, SaveEnd):
            self._ledger.close(event.offset)
        self._target = None if isinstance(event, (ChunkStart, SaveEnd)) else event
        return event

    def _hold(self, event: Event) -> None:
        """Do as `Verbs._hold`: the event that opens the value of a tag replaces the tag as the target."""
        super()._hold(event)
        if not isinstance(event, (StructExit, ObjectEnd)):
            self._target = None

    # --- verbs that edit ---

    def drop(self, event: Event | None = None) -> None:
        """Remove what an event opened. If it is the last event, skip it, too.

        Args:
            event: an event whose nesting is still open, to decide by its content; None: the last event.

        Raises:
            StaleEvent: the event is not open; or there is no last event.
            EditError: it cannot be dropped, or it was edited already.
        """
        with self._editing("drop", event) as target:
            self._drop(target)
        if target is self._target:
            self._pass_target()

    def _drop(self, target: Event) -> None:
        """Do as `drop`, without skipping."""
        ledger = self._ledger
        nesting = ledger.find(target)
        if nesting is None and target is not self._target:
            raise StaleEvent("drop(): the event is not open")
        if nesting is not None:
            nestings = ledger.nestings
            if nesting.tag is not None:
                self._family.check(nesting.tag)
            elif nesting is nestings[0] or not self._family.holds(nestings[nestings.index(nesting) - 1].event, target):
                raise EditError(NOT_DROPPED)
            ledger.drop(nesting)
        elif isinstance(target, PropertyTag):
            self._family.check(target)
            ledger.edit(target.offset, target.value_offset + target.size, b"")
        elif isinstance(target, Field) and ledger.nestings and self._family.holds(ledger.nestings[-1].event, target):
            self._family.check(target)
            ledger.leave_out(target, target.offset, target.offset + target.size, -1)
        else:
            raise EditError(NOT_DROPPED)

    def replace(self, value: object) -> None:
        """Set the value of the last event, a `PropertyTag` or `Field` without events inside.

        Floats may be infinite or NaN: some games write such numbers.

        Args:
            value: of the type that `build()` returns there.

        Raises:
            StaleEvent: there is no last event, or its value was opened.
            EditError: the value does not fit, or only bytes can be replaced there, or it was edited already.
        """
        with self._editing("replace") as event:
            if not isinstance(event, (PropertyTag, Field)):
                raise EditError("only its bytes can be replaced")
            self._family.check(event)
            data = self._encoded(event, value)
            if isinstance(event, Field):
                before = self._family.before_value(event)
                self._ledger.edit(event.offset + before, event.offset + event.size, data[before:])
            elif event.type == BOOL_TYPE:
                offset, flag = self._family.flag(event, value is True)
                self._ledger.edit(offset, offset + 1, flag)
            else:
                self._replace_tag(event, data)
        self._pass_target()

    def _encoded(self, event: PropertyTag | Field, value: object) -> bytes:
        """Return a value, encoded as the value of an event."""
        try:
            return self._family.encode(event, value)
        except (AttributeError, TypeError) as error:  # a class such as `Text` has a part of a wrong type
            raise EditError("a part of it is of another type", value) from error

    def replace_raw(self, data: bytes) -> None:
        """Replace the bytes that `raw()` returns: those of a value, an object or a struct that has a size.

        Raises:
            StaleEvent: there is no last event, or a verb has opened its value.
            EditError: its size is not stored, or it is another one than its layout says, or it was edited already.
        """
        with self._editing("replace_raw") as event:
            if isinstance(event, (PropertyTag, Field)):
                self._family.check(event)
            tag = self._ledger.tag
            if tag is not None and isinstance(event, (PropertyTag, BlobSkip)):
                if tag.type == BOOL_TYPE:
                    raise EditError("a bool has no bytes of its own: replace its value")
                self._replace_tag(tag, data)
            elif isinstance(event, (Field, BlobSkip)):
                codec = self._reader.leaf.codec
                is_fixed = event.reason == PADDING if isinstance(event, BlobSkip) else codec is not None and codec.size >= 0
                if is_fixed and len(data) != event.size:
                    raise EditError("wrong number of bytes", len(data), event.size)
                self._ledger.edit(event.offset, event.offset + event.size, data)
            elif not isinstance(event, (ObjectHeader, StructEnter)):
                raise EditError("it has no bytes to replace")
            elif (part := self._family.part(event)) >= 0:
                self._ledger.check(event.offset)
                if self._family.parts.get(part) is not None:
                    raise EditError("it was edited already")
                self._family.parts[part] = bytes(data)
            else:
                tag = self._ledger.nestings[-1].tag
                is_container = isinstance(event, StructEnter) and (event.count >= 0 or event.type_name == CONTAINER_DELTA)
                if event.size < 0 or is_container or not (self._family.lengths(event) or tag):
                    raise EditError("no size says where it ends: replace the bytes of what is around it")
                start = content_start(event)
                self._ledger.edit(start, start + event.size, data)
        self._pass_target()

    def insert_raw(self, cutting: Cutting, name: str = "") -> None:
        """Insert an object or a property of another save.

        If the last event is an `ObjectHeader`, an object is inserted before it; if an `ObjectEnd`, after it. A property is
        inserted before the last event, if that is a property, or first in the object or struct that the last event opened.
        An inserted object of the map is removed from the lists of destroyed objects that follow. Names are not checked: the names
        of all objects, and of the properties of an object, must be unique.

        Args:
            cutting: from `CutStream.take`.
            name: a new name for the property; "": keep its name.

        Raises:
            StaleEvent: there is no last event, or a verb has acted on it already.
            EditError: it does not fit: another format, version, level or kind; or the place was edited already.
        """
        with self._editing("insert_raw") as event:
            if self._last is None:
                raise StaleEvent("insert_raw(): a verb has acted on the last event already")
            if name:
                cutting = with_name(cutting, name, self._family)
            insert(cutting, event, self._ended, self._family, self._ledger)
        if cutting.is_of_map and isinstance(cutting.event, ObjectHeader):
            self._inserted.add((cutting.event.level, cutting.event.instance_name))

    def insert_copy(self, count: int = 1, *, of: Copied | None = None, header: Mapping[str, object] | None = None) -> None:
        """Insert copies after the element, map entry or object that the last event ended: copies of it, or of another one.

        An element without events inside is ended by its `Field`. References to a copied object, and its parts, do not change. An
        entry of Arx needs another name in `header`.

        Args:
            count: how many copies.
            of: what `copied` returned at another element of the same list; None: copy what the last event ended.
            header: new members for the header of the copied object, as for `set_header`.

        Raises:
            StaleEvent: there is no last event.
            EditError: what the last event ended cannot be copied; or the place was edited already; or `count` is negative.
        """
        with self._editing("insert_copy") as event:
            if count < 0:
                raise EditError("a number of copies is not negative", count)
            ended, end = self._ended_by(event)
            copied = self._copy(ended, end, header) if of is None else of
            places = [(end, copied.data * count)]
            if isinstance(ended, ObjectHeader):
                if self._family.part(ended) >= 0:
                    name = str((header or {}).get("instance_name", ended.instance_name))
                    if count > 1 or name == ended.instance_name:
                        raise EditError("each copy needs a name of its own", name)
                    self._family.insert_part(name, copied.data, is_after=True)
                    return
                if copied.header:
                    places.insert(0, (ended.offset + ended.header_size, copied.header * count))
            self._ledger.insert(places, count, None, is_after=True)

    def _insert_member(self, name: str, value: object) -> bool:
        """Insert a new member first in what the last event opened; return False if the format has no such members.

        Raises:
            EditError: the name or the value is not possible there.
        """
        with self._editing("_insert_member") as event:
            data = self._family.new_member(event, name, value)
            if data:
                self._ledger.insert([(content_start(event), data)], 0, None)
        return len(data) > 0

    def copied(self) -> Copied:
        """Return a copy of what the last event ended, for `insert_copy`.

        Raises:
            StaleEvent: there is no last event.
            EditError: what the last event ended cannot be copied.
        """
        with self._editing("copied") as event:
            return self._copy(*self._ended_by(event), None)

    def _ended_by(self, event: Event) -> tuple[Event, int]:
        """Return the event that opened what the last event ended, and where it ends.

        Raises:
            EditError: it cannot be copied.
        """
        ended = self._ended if isinstance(event, (StructExit, ObjectEnd)) else event
        if ended is None or not self._ledger.nestings:
            raise EditError("nothing has ended here")
        if (
            not isinstance(event, (StructExit, ObjectEnd, Field))
            or not self._family.holds(self._ledger.nestings[-1].event, ended)
            or (isinstance(ended, (StructEnter, Field)) and ended.index < 0)  # a member: of JSON, of an archive
        ):
            raise EditError("it is nothing that there may be several of")
        return ended, event.offset + event.size

    def _copy(self, ended: Event, end: int, header: Mapping[str, object] | None) -> Copied:
        old, data = stored(ended, end, self._family)
        before = self._family.before_copy(ended, end - len(data))
        if not header or not isinstance(ended, ObjectHeader) or not self._family.has_header(ended):
            return Copied(old, before + data)
        new = self._family.header(ended, header)
        return Copied(new, data) if old else Copied(b"", before + new + data[ended.header_size :])

    def _replace_tag(self, tag: PropertyTag, data: bytes) -> None:
        """Replace the value of a tag, and update its size, if it has one."""
        self._ledger.check(tag.offset)
        if len(data) != tag.size:
            for size in self._family.lengths(tag)[:1]:  # none in a format whose values have no size
                self._ledger.edit(size.offset, size.offset + size.width, as_bytes(len(data), size))
        self._ledger.edit(tag.value_offset, tag.value_offset + tag.size, data)

    def set_header(self, **members: object) -> bool:
        """Set members of the header of the last event, an object. In formats without headers, set its values instead.

        In saves of shapez 2, `flags` are the rotation and must fit the rotation of `transform`; the name is the place.

        References to a renamed object do not change; see `rename_references`.

        Args:
            members: name in `ObjectHeader` -> new value: `class_name`, `instance_name`, `level`, `outer`, `transform`, `flags`,
                `need_transform`, `was_placed_in_level`.

        Returns:
            Whether the bytes of the header have changed.

        Raises:
            StaleEvent: there is no last event.
            EditError: it is no object; or its header has no such member; or a value does not fit; or it was edited already.
        """
        with self._editing("set_header") as event:
            if not isinstance(event, ObjectHeader):
                raise EditError("only an object has a header")
            data = self._family.header(event, members)
            if data == self._family.cursor_at(event.offset).take(event.header_size):
                return False
            self._ledger.edit(event.offset, event.offset + event.header_size, data)
            self._ledger.edited_objects.add(hash(members.get("instance_name")))
        return True

    def rename_session(self, name: str) -> None:
        """Set the session name in the header of the new save (Satisfactory). Those in the body are values: use `replace`.

        Raises:
            UnsupportedSave: headers of this format have none.
            EditError: the name is empty or not printable, or has a `?`, which ends a map option.
        """
        self._family.rename_session(name)

    # --- what can be edited ---

    @contextmanager
    def _editing(self, verb: str, given: Event | None = None) -> Iterator[Event]:
        """Give the last event to a verb, or the one that it was given, and add the path of the last one to any `EditError`."""
        event = self._target if given is None else given
        # `select` reads alone: what it read last is not what it found.
        if event is None or self._stopped or self._is_over:
            raise StaleEvent(f"{verb}(): there is no last event")
        try:
            yield event
        except EditError as error:
            path = self.path
            last = self._target
            # Its path is shorter once a verb has skipped it.
            if self._last is None and isinstance(last, (PropertyTag, Field)) and path[-1:] != (last.name,):
                path = (*path, last.name)
            raise error._inside(*path) from None

    def _pass_target(self) -> None:
        """Skip what the last event opened."""
        if self._last is not None and not isinstance(self._last, BlobSkip):
            self.skip()

    def _may_refer(self, header: ObjectHeader, gone: Gone) -> bool:
        """Return whether an object may refer to a dropped one; its data come next."""
        return self._reader.cursor.tell() != header.data_offset or gone.names_in(self._reader.cursor, header.size) != []

    # --- end ---

    @property
    def edit_count(self) -> int:
        """Number of edits: ranges of bytes, and parts such as entries; sizes and counts included."""
        return len(self._ledger.rows) + len(self._family.parts) + len(self._family.added)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if error is None and not self._is_over:
                self.finish()
            self._is_over = True
        finally:
            self.close()

    def finish(self) -> None:
        """Write the new save, as the end of the `with` statement does.

        Raises:
            SaveError: the save is damaged, or the new one would be.
            StaleEvent: `select` was not read to the end of what is dropped; or the stream was finished or closed before.
            EditError: a size is too large for its field.
            OSError: the new save cannot be written.
        """
        if self._is_over:
            raise StaleEvent("finish(): the stream was finished or closed before")
        self._is_over = True
        self._read_on()
        if self._new_save is None or (self._replaces and not self._has_edits):
            return
        with self._new_save(self._verify, self._before) as file:
            if self._has_edits:
                self._family.write(self._ledger.rows, file)
            else:
                file.writelines(edited(FileWindows(self._source), ()))
            self._source.close()  # Windows replaces no file that is open

    @property
    def _has_edits(self) -> bool:
        return self.edit_count > 0 or self._family.converts

    def _verify(self, path: Path) -> None:
        """Check the new save."""
        if not self._verifies:
            return
        from streamsave.rewriting.verifying import WRONG, WRONG_IN_COPY, verify_save  # noqa: PLC0415 - takes long, some do without

        reads_all = self._ledger.inserts or not self._family.has_sizes
        changed = None if reads_all else self._ledger.edited_objects
        wrong = WRONG if self._has_edits else WRONG_IN_COPY
        self._findings = verify_save(path, self._reader.limits, changed, self._gone, wrong=wrong, reader=self._chosen)

    def _read_on(self) -> None:
        """Read to the end of what is dropped, and close all nestings: the rest of the save has no edits."""
        if self._family.converts and not self._started:
            next(self)  # the new header needs the old one
        while self._ledger.dropped is not None:
            self._check_open("finish")
            if isinstance(next(self), (ObjectHeader, StructEnter)):
                self._pass_target()
        self._ledger.close_all()
        self._target = None

    def close(self) -> None:
        """Close the stream without writing the new save, unless it is written already.

        Give a `ResourceWarning` if all events were read, there are edits, and nothing was written.
        """
        if not self._is_over and self._new_save is not None and self._complete and self.edit_count > 0:
            warnings.warn("close() of a rewrite() without finish(): no save was written", ResourceWarning, stacklevel=2)
        self._is_over = True
        self._target = None
        super().close()
        self._ledger.rows.close()

    def __del__(self) -> None:
        if not self._is_over:
            warnings.warn("rewrite() without `with` or finish(): no save was written", ResourceWarning, stacklevel=2)
            self._is_over = True
            self.close()
        super().__del__()
