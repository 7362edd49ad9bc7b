"""The iterator over a save's events, and its verbs.

The verbs act on what the last event opened. What the consumer leaves half-read is skipped for it; skipped is not validated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.build import build_opened
from streamsave.errors import StaleEvent
from streamsave.events import (
    BlobSkip,
    Event,
    Field,
    ObjectHeader,
    PropertyTag,
    StructEnter,
)
from streamsave.formats import Format, MakeReader, make_reader
from streamsave.input.source import SourceLike, open_source
from streamsave.limits import Limits
from streamsave.stream.iterator import EventIterator
from streamsave.stream.recovery import Recovery

if TYPE_CHECKING:
    from streamsave.query.selector import Plan
    from streamsave.query.tests import SelectedObject, Selection
    from streamsave.values import ObjectReference, Opaque

__all__ = ["EventStream", "OnDamage", "open_save"]

#: What `open_save` takes for `on_damage`.
OnDamage = Literal["raise", "resync"]
RAISE: Final = "raise"
RESYNC: Final = "resync"


def open_save(
    source: SourceLike,
    *,
    limits: Limits | None = None,
    sparse: bool = False,
    type_hints: Mapping[str, str] | None = None,
    on_damage: OnDamage = RAISE,
    reader: Format | MakeReader | None = None,
) -> EventStream:
    """Open a save of any known format, for one pass over its events.

    Args:
        source: a path, a URL (a `str` that starts like one, and is no file that is there), bytes, a binary file object (seekable
            or not), or an iterable of bytes. A path and a URL are closed by the stream, a file object stays the caller's.
        limits: what to refuse; the defaults of `Limits` if left out.
        sparse: leave out values that are all zero, where the format has large structs of fixed size (Arx): a `Field` named
            `zeros` stands for each run of them, and its value is the list of their names.
        type_hints: structs in maps and sets of Unreal save games which neither the save nor a look at them tells: names of
            properties joined by dots, the last one perhaps `Key`, `Value` or `Element` -> name of the struct.
        on_damage: what to do where the bytes are at fault. `"raise"`: the `SaveError` ends the stream. `"resync"`: a `Damage`
            tells of it, and the events go on with what is sound behind it. A verb that meets a fault raises it all the same, but
            `skip()` goes on; the `Damage` is the next event. A limit on all that is inflated ends the save there.
        reader: reads the save, whatever its first bytes are: the class of a reader, or a `streamsave.formats.Format`. If left
            out, the first bytes decide. `streamsave.formats` says what a reader has to provide.

    Raises:
        SaveError: the file is of no known format, or too short to tell.
        OSError: the path cannot be opened.
        ImportError: the source is a URL, and what reads it is not installed.
        UnsupportedOption: `sparse` or `type_hints` is given, and the save's format does not take it; a `TypeError`.
        TypeError: `source` or `reader` is none of the above, or `on_damage` is no string.
        ValueError: `on_damage` is another string.
    """
    given: object = on_damage  # a caller may not check types
    if not isinstance(given, str):
        raise TypeError(f"on_damage is 'raise' or 'resync', not a {type(given).__name__}")
    if given not in {RAISE, RESYNC}:
        raise ValueError(f"on_damage is 'raise' or 'resync', not {given!r}")
    opened = open_source(source)
    try:
        return EventStream(
            opened,
            Limits() if limits is None else limits,
            sparse=sparse,
            type_hints=type_hints,
            resyncs=on_damage == RESYNC,
            reader=reader,
        )
    except BaseException:
        opened.close()
        raise


class EventStream(EventIterator):
    """All events of a save, in order; ends after `SaveEnd`.

    Iterating raises `SaveError` where the bytes are at fault, after all events before the fault; asked again, it raises the same
    error again. What the source raises passes unchanged.
    """

    # --- verbs ---

    def skip(self) -> BlobSkip:
        """Go to the end of what the last event opened, by its length where the save tells one; give what was passed over.

        The exit event of a nesting still follows.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            SaveError: only walking can tell where it ends, and walking found a fault.
        """
        event = self._take_last("skip")
        start = content_start(event)
        reader = self._reader
        try:
            if reader.skip(event):
                return BlobSkip(start, reader.cursor.tell() - start, "skipped")
            exit_event = self._drain()
        except BaseException as error:
            self._remember(error, in_verb=True)
            if self._recovery is None or self._recovery.fault is None:
                raise
            return self._skip_on(start, self._recovery)
        self._held.append(exit_event)
        return BlobSkip(start, exit_event.offset - start, "skipped")

    def _skip_on(self, start: int, recovery: Recovery) -> BlobSkip:
        """Go on skipping behind a fault: what was lost of what is skipped is nobody's concern."""
        while True:
            damage = self._resync()
            reader = self._reader
            if self._held or reader.damage_depth < recovery.depth():
                # What is skipped was lost itself, with more around it.
                self._held.insert(0, damage)
                return BlobSkip(start, 0, "skipped")
            reader.damage = None
            try:
                exit_event = self._drain(reader.damage_depth - recovery.depth())
            except BaseException as error:
                self._remember(error, in_verb=True)
                if recovery.fault is None:
                    raise
            else:
                self._held.append(exit_event)
                return BlobSkip(start, exit_event.offset - start, "skipped")

    def build(self) -> object:
        """Make Python values of what the last event opened, as the table in `streamsave.decode.build` says.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            LimitExceeded: more values than `Limits.build_nodes`, or more bytes than `Limits.build_size`.
            SaveError: the bytes are at fault.
        """
        event = self._take_last("build")
        reader = self._reader
        reader.start_budget()
        reader.building = True
        try:
            value = build_opened(reader, event)
        except BaseException as error:
            self._remember(error, in_verb=True)
            raise
        finally:
            reader.building = False
        if isinstance(event, (StructEnter, ObjectHeader)) and reader.last_exit is not None:
            self._held.append(reader.last_exit)
        return value

    def is_leaf(self) -> bool:
        """Tell whether there are no events inside of what the last event opened: of a tag, only a look at its value tells.

        Where there are, the verbs no longer act on the tag; what its value opens comes next.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            SaveError: the bytes are at fault.
        """
        event = self._take_last("is_leaf")
        inner: Event | None = None
        if isinstance(event, PropertyTag):
            try:
                inner = self._reader.open_value()
            except BaseException as error:
                self._remember(error, in_verb=True)
                raise
        if inner is None:
            self._last = event
            return isinstance(event, (PropertyTag, Field))
        self._held.append(inner)
        return False

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Give the type that stands in front of the struct that the last event has entered; None where none does."""
        return self._reader.script_struct(enter)

    def opaque(self, event: BlobSkip) -> Opaque:
        """Give the bytes that the last event has passed over.

        Raises:
            StaleEvent: it is not the stream's last event.
            LimitExceeded: more bytes than `Limits.build_size`.
            SaveError: the bytes are at fault.
        """
        from streamsave.values import Opaque  # noqa: PLC0415 - takes long, and most consumers need none

        if self._last is not event or self._closed:
            raise StaleEvent("opaque(): the stream has moved on")
        reader = self._reader
        after = reader.cursor.tell()
        try:
            reader.cursor.seek(event.offset)
            data = reader.cursor.take(event.size)
            reader.cursor.seek(after)
        except BaseException as error:
            self._remember(error, in_verb=True)
            raise
        return Opaque(data, event.reason)

    def raw(self) -> bytes:
        """Give the bytes of what the last event opened: of the value, the content of a nesting, the data of an object.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            LimitExceeded: more bytes than `Limits.build_size`.
            SaveError: the bytes are at fault.
        """
        event = self._take_last("raw")
        start = content_start(event)
        reader = self._reader
        cursor = reader.cursor
        try:
            if isinstance(event, ObjectHeader) and event.size < 0:
                reader.measure(event)
            if reader.skip(event):
                end: i64 = reader.cursor.tell()
            else:
                exit_event = self._drain()
                self._held.append(exit_event)
                end = exit_event.offset
            after = cursor.tell()
            cursor.seek(start)
            data = cursor.take(end - start)
            reader.verify(event)
            cursor.seek(after)
        except BaseException as error:
            self._remember(error, in_verb=True)
            raise
        return data

    def _take_last(self, verb: str) -> Event:
        """Give the last event, on which no verb can act from now on."""
        if self._error is not None:
            raise self._error
        event = self._last
        if event is None:
            raise StaleEvent(f"{verb}(): nothing is open, or a verb has acted on it already")
        kind = type(event)
        if kind is not ObjectHeader and kind is not PropertyTag and kind is not StructEnter and kind is not Field:
            raise StaleEvent(f"{verb}(): {type(event).__name__} opens nothing")
        if self._closed:
            raise StaleEvent(f"{verb}(): the stream is closed")
        if self._recovery is not None:
            self._recovery.note(event)
        self._last = None
        return event

    # --- only some objects ---

    def only(self, where: str | Selection) -> None:
        """Let only those objects come from here on that a selection wants; what is in no object comes as before.

        An object that others stand in (an island of shapez 2) comes in any case: `takes` tells whether it is wanted itself. A
        selection that looks at what is in the objects has the save read twice: what is wanted is found first.

        Args:
            where: text as `streamsave.query.parser` says, or what `parse_selection` made of one.

        Raises:
            SelectError: the text cannot be understood.
            SaveError, LimitExceeded: as in `select`, if the save is read twice.
            StaleEvent: the stream has ended, or is closed.
        """
        from streamsave.query.selector import Plan, make_filter  # noqa: PLC0415 - most consumers do not select

        plan = Plan([where])
        if self._error is not None:
            raise self._error
        if self._stopped:
            raise StaleEvent("only(): the stream has ended")
        first = make_reader(self._format, self._source, self._reader.limits)
        first.type_hints = self._reader.type_hints
        self._only = make_filter(self._reader, plan, first)
        self._reader.filter = self._only

    # --- many objects at once ---

    def select(
        self, *selections: str | Selection | None, fields: Sequence[str] = (), sizes: bool = True
    ) -> Iterator[tuple[int, SelectedObject]]:
        """Give the objects that come from here on and that a selection wants: several selections, one pass.

        The stream is used up by that: its own events cannot be asked for any more.

        Args:
            selections: texts as `streamsave.query.parser` says, or what `parse_selection` made of one; None wants every object.
            fields: property paths, as `streamsave.query.paths` says, of what shall be built of the objects.
            sizes: tell the sizes of the objects. If not, they may be -1, and most of a Satisfactory save is not even inflated
                where no selection asks for more than what headers say.

        Returns:
            Pairs: the position of the selection among those given, the object. An object that several of them want comes
            several times.

        Raises:
            SelectError: a selection or a path cannot be understood.
            SaveError, while iterating: the bytes are at fault; they are not resynced on, whatever `on_damage` was.
            LimitExceeded, while iterating: a property that is asked for is more than `Limits` allows to build.
            StaleEvent: the stream has ended, or is closed.
        """
        from streamsave.query.selector import Plan  # noqa: PLC0415 - most consumers do not select

        return self.select_planned(Plan(selections, fields, sizes=sizes))

    def select_planned(self, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
        """Do what `select` does, for a plan that was made before."""
        if self._error is not None:
            raise self._error
        if self._stopped:
            raise StaleEvent("select(): the stream has ended")
        return self._select(plan)

    def _select(self, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
        from streamsave.query.selector import run  # noqa: PLC0415 - most consumers do not select

        self._stopped = True
        self._last = None
        held = self._held
        self._held = []
        try:
            yield from run(self._reader, held, plan)
        except BaseException as error:
            self._recovery = None
            self._remember(error)
            raise
