"""The verbs on the events of a save.

They act on what the last event opened. What the caller leaves half-read is skipped. Skipped bytes are not validated.

The module is long because a third of it are the docstrings of the verbs, which users call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.build import build_opened, references_in
from streamsave.decode.reader import Container, Options, Reader, Selecting
from streamsave.decode.slices import Large, Slices
from streamsave.errors import PathStep, SaveError, StaleEvent
from streamsave.events import (
    BlobSkip,
    Damage,
    Event,
    Field,
    ObjectHeader,
    PropertyTag,
    StructEnter,
)
from streamsave.formats import check_options
from streamsave.limits import DEEP, too_deep
from streamsave.stream.iterator import IN_USE, EventIterator

if TYPE_CHECKING:
    from streamsave.values import ObjectReference, Opaque

__all__ = ["Verbs"]


def _build_opened(reader: Reader, event: Event) -> object:
    """Return what an event has opened."""
    try:
        return build_opened(reader, event)
    except RecursionError:
        if len(reader.path()) < DEEP:  # it is an error of the source
            raise
    raise reader.cursor.located(too_deep(reader.limits, reader.cursor.tell()))


class Faults:
    """A verb at work: no other thread may use the stream meanwhile, and the fault that it meets ends the stream."""

    def __init__(self, stream: EventIterator) -> None:
        self._stream = stream

    def __enter__(self) -> None:
        self._stream._busy = True  # noqa: SLF001 - this class is a part of the stream

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        stream = self._stream
        stream._busy = False  # noqa: SLF001 - the same
        stream._reader.build.end()
        if error is not None:
            stream._remember(error)  # noqa: SLF001 - the same


class Verbs(EventIterator):
    """The events of a save and the verbs on them; `streamsave.consume.stream` adds selections."""

    # --- verbs ---

    def skip(self) -> BlobSkip:
        """Go to the end of what the last event opened, by its length if it has one. The exit event of a nesting still comes.

        Returns:
            A `BlobSkip` of the bytes that were skipped; of no bytes if they are damaged as a whole: the `Damage` follows, or
            nothing, with `on_damage="skip"`.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            SaveError: only walking shows where it ends, and it is damaged; the stream was opened with `on_damage="raise"`.
        """
        event = self._take_last("skip")
        start = content_start(event)
        reader = self._reader
        self._busy = True
        try:
            if reader.skip(event):
                return BlobSkip(start, reader.cursor.tell() - start, "skipped")
        except BaseException as error:
            if not self._remember(error):
                raise
        finally:
            self._busy = False
        if self._stopped or (self._driver is not None and isinstance(event, (PropertyTag, Field))):
            return BlobSkip(start, 0, "skipped")
        try:
            with Faults(self):
                end = self._drain()
        except SaveError:
            if self._error is not None:
                raise
            return BlobSkip(start, 0, "skipped")
        self._held.append(end)
        # Of no bytes, if it was lost as a whole, perhaps with what is around it.
        return BlobSkip(start, 0 if isinstance(end, Damage) else end.offset - start, "skipped")

    def _pass(self) -> None:
        """Do what `skip` does, but return nothing: most properties are passed over, and making a `BlobSkip` takes as long."""
        event = self._last
        if event is None or self._driver is not None:
            self.skip()
            return
        self._last = None
        try:
            if not self._reader.skip(event):
                self._held.append(self._drain())
        except BaseException as error:
            self._remember(error)
            raise

    def build(self) -> Any:  # noqa: ANN401 - what it is depends on the save
        """Return what the last event opened as Python values, as the table in `streamsave.decode.build` says.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            LimitExceeded: more values than `Limits.build_nodes`, or more bytes than `Limits.build_size`.
            SaveError: the save is damaged.
        """
        return self._build(self._take_last("build"))

    def slices(self) -> Iterator[tuple[int, list[Any] | bytes]] | None:
        """Return the elements of an array, set or map, some at a time: in constant memory, however many there are.

        Stop iterating, and the rest is skipped. `Limits.build_nodes` and `Limits.build_size` bound each slice.

        Returns:
            An iterator over pairs: the index of the first element, from 0, and the elements, at least one. They are a list of
            what `build()` has in its list, with pairs (key, value) for a map; or `bytes` of a byte array. An empty array has no
            slices. None for everything else: a scalar, a struct, a set or map that removes something, a container with events
            inside. If it is a leaf, verbs can still act on it; else the event that opens its value comes next (see `is_leaf`).

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already; while iterating: the stream went on.
            LimitExceeded: while iterating: an element is more than `Limits` allows to build.
            SaveError: the save is damaged.
        """
        event = self._take_last("slices")
        reader = self._reader
        inner: Event | None = None
        slices: Slices | None = None
        with Faults(self):
            if isinstance(event, PropertyTag):
                inner = reader.open_value()
            if inner is None and isinstance(event, (PropertyTag, Field)):
                reader.build.reset()
                slices = reader.open_slices(event)
        if slices is not None:
            return self._give_slices(event, slices)
        if inner is None:
            self._last = event
        else:
            self._hold(inner)
        return None

    def _give_slices(self, event: Event, slices: Slices) -> Iterator[tuple[int, list[object] | bytes]]:
        reader = self._reader
        leaf = reader.leaf
        while True:
            if self._last is not None or self._stopped or not reader.is_pending or reader.leaf is not leaf:
                raise StaleEvent("slices(): the stream has moved on")
            if self._busy:
                raise StaleEvent(IN_USE)
            first = int(slices.done)
            with Faults(self):
                reader.build.begin()
                values = reader.next_slice(event, slices)
            if values is None:
                return
            yield first, values

    def references(self) -> list[str]:
        """Return the paths of the objects that what the last event opened refers to; raise what `build` does.

        References to assets, which have no level, do not count.
        """
        return references_in(self._build(self._take_last("references")))

    def _build(self, event: Event) -> object:
        """Return what the last event opened."""
        reader = self._reader
        with Faults(self):
            if self._driver is not None:
                self._driver.family.prove(event)
            reader.build.begin()
            value = _build_opened(reader, event)
        if isinstance(event, (StructEnter, ObjectHeader)) and reader.build.last_exit is not None:
            self._hold(reader.build.last_exit)
        return value

    def _hold(self, event: Event) -> None:
        """Let an event that a verb has made come next."""
        self._held.append(event)
        if self._driver is not None:
            self._driver.losses.note(event)

    def _is_textless(self) -> bool:
        """Return whether the last event is a leaf of numbers alone, or a `Field` of empty strings: it refers to nothing."""
        last = self._last
        codec = self._reader.leaf.codec
        if not isinstance(last, (Field, PropertyTag)):
            return False
        if self._reader.only_numbers(last):
            return True
        return isinstance(last, Field) and codec is not None and codec.strings > 0 and last.size == codec.least

    def _path_of(self, event: PropertyTag | Field) -> tuple[PathStep, ...]:
        """Return the path of a leaf, the last event, after a verb has acted on it."""
        reader = self._reader
        reader.announce(reader.leaf)
        path = reader.path()
        reader.leave_leaf()
        return path

    def is_leaf(self) -> bool:
        """Return whether what the last event opened is a value without events inside. For a tag, it reads the start of it.

        If it has events inside, verbs no longer act on the tag: the event that opens its value comes next.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            SaveError: the save is damaged.
        """
        event = self._take_last("is_leaf")
        inner: Event | None = None
        with Faults(self):
            if isinstance(event, PropertyTag):
                inner = self._reader.open_value()
        if inner is None:
            self._last = event
            return isinstance(event, (PropertyTag, Field))
        self._hold(inner)
        return False

    def _is_announced(self) -> bool:
        """Do as `is_leaf`, but return False, too, if a reader of another package has announced no value."""
        reader = self._reader
        return reader.is_pending and (not reader.leaf.opens or self.is_leaf())

    def _peek(self, most: i64) -> bytes:
        """Return the bytes that the last event announced: a value, the data of an object, what a `BlobSkip` passes over.

        Verbs can still act on it. None are returned if there are more than `most`, or if the save does not say how many; fewer
        where the save is damaged or ends: verbs raise what is wrong.
        """
        reader = self._reader
        start = reader.cursor.tell()
        last = self._last
        if isinstance(last, ObjectHeader):
            if last.size < 0 or last.size > most or last.data_offset != start:
                return b""
            return reader.cursor.peek(last.size)
        if isinstance(last, BlobSkip):
            return reader.cursor.peek(last.size) if last.size <= most and last.offset == start else b""
        if not isinstance(last, (PropertyTag, Field)) or not reader.is_pending or not start <= reader.leaf.end <= start + most:
            return b""
        return reader.cursor.peek(reader.leaf.end - start)

    def _as_values(self, *, ends: bool = False) -> None:
        """From here on, give objects that are also a value of the object around them as that value, and GUIDs as text.

        With `ends`, give them as objects and GUIDs again. After `only`, objects stay objects: each is selected by itself.

        The events are those that `build()` of that object uses: foundations of Satisfactory are elements of an array.
        """
        self._reader.options.as_values = self._only is None and not ends
        self._guids_as_texts(ends=ends)

    def _guids_as_texts(self, *, ends: bool = False) -> None:
        """Let GUIDs come as texts, until it `ends`: to make a value and then its text takes twice as long."""
        self._reader.build.guid_texts = not ends

    def _take_large(self, large: Large) -> None:
        """Say what becomes of leaves that are more than `Limits` allows to build."""
        self._reader.options.large = large

    def _script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Return the type that is stored before the struct that the last event entered, or None."""
        return self._reader.script_struct(enter)

    def opaque(self, event: BlobSkip) -> Opaque:
        """Return the bytes of a `BlobSkip`, with its reason.

        Raises:
            StaleEvent: it is not the last event of the stream, or no `BlobSkip`.
            LimitExceeded: more bytes than `Limits.build_size`.
            SaveError: the save is damaged.
        """
        from streamsave.values import Opaque  # noqa: PLC0415 - takes long, and most consumers need none

        if self._last is not event or self._closed:
            raise StaleEvent("opaque(): the stream has moved on")
        if not isinstance(event, BlobSkip):
            raise StaleEvent(f"opaque(): {type(event).__name__} is no BlobSkip")
        reader = self._reader
        after = reader.cursor.tell()
        with Faults(self):
            reader.cursor.seek(event.offset)
            data = reader.cursor.take(event.size)
            reader.cursor.seek(after)
        return Opaque(data, event.reason)

    def raw(self) -> bytes:
        """Return the bytes of what the last event opened: the value, the content of a nesting, or the data of an object.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            LimitExceeded: more bytes than `Limits.build_size`.
            SaveError: the save is damaged.
        """
        event = self._take_last("raw")
        start = content_start(event)
        reader = self._reader
        cursor = reader.cursor
        with Faults(self):
            if isinstance(event, ObjectHeader) and event.size < 0:
                reader.measure(event)
            end: i64 = cursor.tell() if reader.skip(event) else self._walk_to_end(event)
            after = cursor.tell()
            cursor.seek(start)
            data = cursor.take(end - start)
            reader.verify(event)
            cursor.seek(after)
        return data

    def _measure(self, header: ObjectHeader) -> int:
        """Return the size of the object of the last event: if its header does not say it, inflate the object; -1: it is unknown.

        Raises:
            SaveError: the save is damaged.
        """
        if header.size >= 0:
            return header.size
        with Faults(self):
            return self._reader.measure(header)

    def _walk_to_end(self, event: Event) -> int:
        """Return where what the last event opened ends; its exit event comes next.

        Raises:
            SaveError: the save is damaged before that.
        """
        if self._driver is not None:
            self._driver.family.prove(event)
        exit_event = self._drain()
        self._held.append(exit_event)
        return exit_event.offset

    def _take_last(self, verb: str) -> Event:
        """Return the last event. From now on no verb can act on it."""
        if self._busy:
            raise StaleEvent(IN_USE)
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
        self._last = None
        return event

    def _end_shows_size(self, header: ObjectHeader) -> bool:
        """Return whether only the end of the object of the last event shows its size; not if it comes before objects in it."""
        reader = self._reader
        return header.size < 0 and reader.ends_show_sizes and not reader.holds_objects(header)

    # --- which objects there can be ---

    def containers(self) -> list[Container]:
        """Return the containers of an Unreal save game whose elements can be objects, by path: see `open_save`, `objects_at`.

        This uses the stream up, which has to be at its start.

        Raises:
            SaveError: the save is damaged.
            StaleEvent: the stream is not at its start.
            UnsupportedOption: the format has no such containers.
        """
        from streamsave.formats.unreal.object_rows import find_containers  # noqa: PLC0415 - few callers ask

        check_options(self._format, {"objects_at": True})
        if self._started or self._stopped or self._held:
            raise StaleEvent("containers(): the stream is not at its start")
        self._stopped = True
        with Faults(self):
            return list(find_containers(self._reader).values())

    # --- for selections ---

    def _ask(self, selecting: Selecting) -> None:
        """Let only the objects come from here on that match a selection."""
        self._only = selecting
        self._reader.selecting = selecting

    def _ask_early(self, selecting: Selecting) -> None:
        """Let the reader ask which objects may match, before it makes their events; not after `only`, which it asks already."""
        if self._only is None:
            self._reader.selecting = selecting

    def _stores_name(self, name: str) -> bool:
        """Return whether a member of this name is a property whose name is text in the data of its object."""
        return self._reader.stores_name(name)

    def _survives(self) -> bool:
        """Return whether the stream goes on after damage."""
        return self._driver is not None

    # What a selection asks must not refer to the stream: a stream that is dropped frees all that it took, at once.

    def _finder(self) -> Callable[[list[bytes], int], list[bytes]]:
        """Return what takes texts and the size of the object that is read next, and returns those texts that are not in its data.

        It raises a `SaveError` if the save is damaged.
        """
        reader = self._reader
        return lambda texts, size: reader.cursor.absent(texts, size)  # noqa: PLW0108 - the cursor is another one later

    def _keys(self) -> Callable[[int], int]:
        """Return what does as `_key_of`."""
        return self._reader.key_of

    def _opener(self, *, is_used: bool = False) -> Callable[[], Verbs]:
        """Return what opens other streams of this save, from its start. Drop these, do not close them: all share the source.

        With `is_used`, a pipe is kept for them.
        """
        source, limits, row, options = self._source, self._reader.limits, self._format, self._reader.options
        if is_used:
            source.keep()

        def again() -> Verbs:
            other = Verbs(source, limits, reader=row)
            other._reader.options = Options(sparse=options.sparse, type_hints=options.type_hints, objects_at=options.objects_at)
            return other

        return again

    def _build_at(self, event: Event) -> object:
        """Go on to the event of another stream of the same save, and return what it opened; no verb is used on that stream.

        Raises:
            LimitExceeded, SaveError: as for `build`.
        """
        for each in self:
            if each.offset == event.offset and type(each) is type(event):
                return self.build()
            if isinstance(each, ObjectHeader):
                if not self.holds_objects(each):
                    self.skip()
            elif isinstance(each, (PropertyTag, StructEnter)) and not self._leads_to_objects(each):
                self.skip()
        raise RuntimeError("a save that is read again has other events")
