"""Open a save, and the verbs on its events.

The verbs act on what the last event opened. What the caller leaves half-read is skipped. Skipped bytes are not validated.

The module is long because a third of it are the docstrings of the verbs, which users call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from streamsave._native import i64
from streamsave.claims import content_start
from streamsave.decode.build import build_opened
from streamsave.decode.container import Container
from streamsave.decode.find_references import find_opened
from streamsave.decode.object_filter import ObjectFilter
from streamsave.decode.reader import Reader
from streamsave.decode.slices import Slices
from streamsave.errors import PathStep, StaleEvent
from streamsave.events import (
    BlobSkip,
    Damage,
    Event,
    Field,
    ObjectHeader,
    PropertyTag,
    StructEnter,
)
from streamsave.formats import Format, MakeReader, check_options, make_reader
from streamsave.input.source import SourceLike, open_source
from streamsave.limits import DEEP, Limits, too_deep
from streamsave.stream.iterator import EventIterator
from streamsave.stream.recovery import Recovery

if TYPE_CHECKING:
    from streamsave.query.conditions import Function, Selection
    from streamsave.query.selected_object import SelectedObject
    from streamsave.query.selector import Plan
    from streamsave.recovery.driver import Driver
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
    objects_at: Sequence[str] | None = None,
    on_damage: OnDamage = "raise",
    reader: Format | MakeReader | None = None,
) -> EventStream:
    """Open a save of any known format, and return a stream for one pass over its events.

    Args:
        source: a path; a URL (a `str` that starts like one, unless a file has that name); bytes; a binary file object, seekable
            or not; or an iterable of bytes. The stream closes a path or a URL; the caller closes a file object.
        limits: what to refuse; None for the defaults of `Limits`.
        sparse: leave out values that are all zero, in formats with large structs of fixed size (Arx): one `Field` named `zeros`
            replaces each run of them, and its value is the list of their names.
        type_hints: the types of structs in maps and sets of Unreal save games that the save does not name: a path -> the name of
            the struct. A path is names of properties joined by dots; the last may be `Key`, `Value` or `Element`.
        objects_at: which elements are objects, for Unreal save games: the paths of containers, `"World.Things[*]"`, perhaps with
            the members that are class, name, ... after them, as `streamsave.formats.unreal.object_rows` says. None: those of the
            game, if it is known. An empty list: the save is one object.
        on_damage: what to do with damaged bytes. `"raise"`: the `SaveError` ends the stream. `"resync"`: a `Damage` event carries
            it, and the events go on with what is sound after it. `build()` and `raw()` raise on damage, `skip()` continues; the
            `Damage` is then the next event. `total_inflated_size`, `inflate_ratio`, `event_ratio` and `spool_size` end the stream
            in any case.
        reader: reads the save, whatever its first bytes are: the class of a reader, or a `streamsave.formats.Format`. If left
            out, the first bytes decide. `streamsave.formats` says what a reader has to provide.

    Raises:
        SaveError: the file is of no known format, or too short to know.
        OSError: the path or URL cannot be opened.
        ImportError: the source is a URL, and what reads it is not installed.
        UnsupportedOption: `sparse`, `type_hints` or `objects_at` is given, and the format of the save does not take it; a
            `TypeError`.
        SelectError: a path of `objects_at` has a fault.
        UnsupportedSave: the save has no container at a path of `objects_at`; the error names those that it has.
        TypeError: `source` or `reader` is none of the above, or `on_damage` is no string.
        ValueError: `on_damage` is another string.
    """
    given: object = on_damage  # a caller may not check types
    if not isinstance(given, str):
        raise TypeError(f"on_damage is 'raise' or 'resync', not a {type(given).__name__}")
    if given not in {RAISE, RESYNC}:
        raise ValueError(f"on_damage is 'raise' or 'resync', not {given!r}")
    limits = Limits() if limits is None else limits
    opened = open_source(source, limits)
    try:
        return EventStream(
            opened,
            limits,
            sparse=sparse,
            type_hints=type_hints,
            objects_at=objects_at,
            resyncs=on_damage == RESYNC,
            reader=reader,
        )
    except BaseException:
        opened.close()
        raise


def _build_opened(reader: Reader, event: Event, found: list[str] | None = None) -> object:
    """Return what an event has opened; or only collect the references in it."""
    value: object = None
    try:
        if found is None:
            value = build_opened(reader, event)
        else:
            find_opened(reader, event, found)
    except RecursionError:
        if len(reader.path()) < DEEP:  # it is an error of the source
            raise
    else:
        return value
    raise reader.cursor.located(too_deep(reader.limits, reader.cursor.tell()))


class EventStream(EventIterator):
    """All events of a save, in order, up to `SaveEnd`. Stop iterating and reading stops.

    Iterating raises `SaveError` if the save is damaged, after all events before the damage; the next call raises the same error.
    Errors of the source, such as an `OSError`, pass through unchanged. Close the stream, or use it in a `with` statement.
    """

    # --- verbs ---

    def skip(self) -> BlobSkip:
        """Go to the end of what the last event opened, by its length if it has one. The exit event of a nesting still comes.

        Returns:
            A `BlobSkip` of the bytes that were skipped; of no bytes if they are damaged as a whole, and the `Damage` follows.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            SaveError: only walking shows where it ends, and it is damaged.
        """
        event = self._take_last("skip")
        start = content_start(event)
        reader = self._reader
        if self._driver is not None:
            return self._skip_driven(event, start, self._driver)
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

    def _skip_driven(self, event: Event, start: int, driver: Driver) -> BlobSkip:
        """Skip in a save whose faults are survived: what is lost inside the skipped part has no event."""
        try:
            if self._reader.skip(event):
                return BlobSkip(start, self._reader.cursor.tell() - start, "skipped")
        except BaseException as error:
            if not self._remember(error, in_verb=True):
                raise
        if isinstance(event, (PropertyTag, Field)):
            return BlobSkip(start, 0, "skipped")
        end = self._drain()
        self._held.append(end)
        # Of no bytes, if it was lost as a whole, perhaps with what is around it.
        return BlobSkip(start, 0 if isinstance(end, Damage) else end.offset - start, "skipped")

    def _skip_on(self, start: int, recovery: Recovery) -> BlobSkip:
        """Continue to skip after a fault: what was lost inside the skipped part has no event."""
        while True:
            damage = self._resync()
            reader = self._reader
            if self._held or reader.damage_depth < recovery.depth():
                # The skipped part was lost as a whole, perhaps with what is around it.
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
        """Return what the last event opened as Python values, as the table in `streamsave.decode.build` says.

        Raises:
            StaleEvent: the last event opened nothing, or a verb has acted on it already.
            LimitExceeded: more values than `Limits.build_nodes`, or more bytes than `Limits.build_size`.
            SaveError: the save is damaged.
        """
        return self._build(self._take_last("build"))

    def slices(self) -> Iterator[tuple[int, list[object] | bytes]] | None:
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
        try:
            if isinstance(event, PropertyTag):
                inner = reader.open_value()
            if inner is None and isinstance(event, (PropertyTag, Field)):
                reader.start_budget()
                slices = reader.open_slices(event)
        except BaseException as error:
            self._remember(error, in_verb=True)
            raise
        if slices is not None:
            return self._give_slices(event, slices)
        if inner is None:
            self._last = event
        else:
            self._hold(inner)
        return None

    def _give_slices(self, event: Event, slices: Slices) -> Iterator[tuple[int, list[object] | bytes]]:
        reader = self._reader
        end = reader.leaf_end
        while True:
            if self._last is not None or self._stopped or reader.leaf_end != end:
                raise StaleEvent("slices(): the stream has moved on")
            first = int(slices.done)
            reader.start_budget()
            reader.building = True
            try:
                values = reader.next_slice(event, slices)
            except BaseException as error:
                self._remember(error, in_verb=True)
                raise
            finally:
                reader.building = False
            if values is None:
                return
            yield first, values

    def references(self) -> list[str]:
        """Return the paths of the objects that what the last event opened refers to; raise what `build` does.

        References to assets, which have no level, do not count. Values are only made where their layout needs that.
        """
        found: list[str] = []
        self._build(self._take_last("references"), found)
        return found

    def _build(self, event: Event, found: list[str] | None = None) -> object:
        """Return what the last event opened; or only collect the references in it."""
        reader = self._reader
        if self._driver is not None:
            try:
                self._driver.prove(event)
            except BaseException as error:
                self._remember(error, in_verb=True)
                raise
        reader.start_budget()
        reader.building = True
        try:
            value = _build_opened(reader, event, found)
        except BaseException as error:
            self._remember(error, in_verb=True)
            raise
        finally:
            reader.building = False
        if isinstance(event, (StructEnter, ObjectHeader)) and reader.last_exit is not None:
            self._hold(reader.last_exit)
        return value

    def _hold(self, event: Event) -> None:
        """Let an event that a verb has made come next."""
        self._held.append(event)
        if self._driver is not None:
            self._driver.note(event)

    def _is_textless(self) -> bool:
        """Return whether the last event is a `Field` of numbers alone, or of empty strings: it refers to nothing."""
        last = self._last
        codec = self._reader.codec
        if not isinstance(last, Field) or codec is None:
            return False
        return codec.only_numbers or (codec.strings > 0 and last.size == codec.least)

    def _path_of(self, event: PropertyTag | Field) -> tuple[PathStep, ...]:
        """Return the path of a leaf, the last event, after a verb has acted on it."""
        reader = self._reader
        reader.leaf_end = reader.cursor.tell()
        reader.leaf_name = event.name
        reader.leaf_index = event.index if isinstance(event, Field) else -1
        path = reader.path()
        reader.leaf_end = -1
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
        if isinstance(event, PropertyTag):
            try:
                inner = self._reader.open_value()
            except BaseException as error:
                self._remember(error, in_verb=True)
                raise
        if inner is None:
            self._last = event
            return isinstance(event, (PropertyTag, Field))
        self._hold(inner)
        return False

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
        if not isinstance(last, (PropertyTag, Field)) or reader.leaf_end < start or reader.leaf_end - start > most:
            return b""
        return reader.cursor.peek(reader.leaf_end - start)

    def _as_values(self, *, ends: bool = False) -> None:
        """Let objects come as values from here on, where they are a value of the object around them as well; and GUIDs as text.

        If it `ends`, they come as objects again, and GUIDs as values. After `only`, objects stay objects: each is selected by
        itself.

        The events are those that `build()` of that object uses: foundations of Satisfactory are elements of an array.
        """
        self._reader.as_values = self._only is None and not ends
        self._reader.guid_texts = not ends

    def _script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Return the type that is stored before the struct that the last event entered, or None."""
        return self._reader.script_struct(enter)

    def opaque(self, event: BlobSkip) -> Opaque:
        """Return the bytes of a `BlobSkip`, with its reason.

        Raises:
            StaleEvent: it is not the last event of the stream.
            LimitExceeded: more bytes than `Limits.build_size`.
            SaveError: the save is damaged.
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
        try:
            if isinstance(event, ObjectHeader) and event.size < 0:
                reader.measure(event)
            if reader.skip(event):
                end: i64 = reader.cursor.tell()
            else:
                end = self._walk_to_end(event)
            after = cursor.tell()
            cursor.seek(start)
            data = cursor.take(end - start)
            reader.verify(event)
            cursor.seek(after)
        except BaseException as error:
            self._remember(error, in_verb=True)
            raise
        return data

    def _walk_to_end(self, event: Event) -> int:
        """Return where what the last event opened ends; its exit event comes next.

        Raises:
            SaveError: the save is damaged before that.
        """
        if self._driver is not None:
            self._driver.prove(event)
        exit_event = self._drain()
        self._held.append(exit_event)
        return exit_event.offset

    def _take_last(self, verb: str) -> Event:
        """Return the last event. From now on no verb can act on it."""
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

    # --- which objects there can be ---

    def containers(self) -> list[Container]:
        """Return the containers of an Unreal save game whose elements can be objects, by path: see `open_save`, `objects_at`.

        This uses the stream up, which has to be at its start.

        Raises:
            SaveError: the save is damaged.
            StaleEvent: the stream is not at its start.
            UnsupportedOption: the format has no such containers.
        """
        check_options(self._format, {"objects_at": True})
        if self._started or self._stopped or self._held:
            raise StaleEvent("containers(): the stream is not at its start")
        self._stopped = True
        try:
            return self._reader.containers()
        except BaseException as error:
            self._remember(error)
            raise

    # --- only some objects ---

    def only(self, where: str | Selection | Callable[[ObjectHeader], bool]) -> None:
        """Leave out all objects from here on that do not match a selection. What is in no object comes as before.

        So each `ObjectHeader` is that of an object that matches. One that contains others (an island of shapez 2) is judged like
        any other: if it does not match, those in it that match come without it, and `path` still has its name; if it matches,
        those in it that do not match are left out. `build` and `raw` give an object whole. If the selection tests what is in the
        objects, the save is read twice: first to find those that match.

        Args:
            where: the selection, as text (`streamsave.query.parser`) or from `parse_selection`; or a function that says of a
                header whether its object matches.

        Raises:
            SelectError: the text has a fault.
            SaveError: the save is read twice, and it is damaged or above a limit.
            StaleEvent: the stream has ended, or is closed.
        """
        if self._error is not None:
            raise self._error
        if self._stopped:
            raise StaleEvent("only(): the stream has ended")
        if callable(where):
            from streamsave.query.asked_filter import AskedFilter  # noqa: PLC0415 - most consumers do not select

            self._ask(AskedFilter(where))
            return
        from streamsave.query.selector import Plan, make_filter  # noqa: PLC0415 - this takes longer

        wanted = Plan([where])
        first = make_reader(self._format, self._source, self._reader.limits)
        first.type_hints = self._reader.type_hints
        first.objects_at = self._reader.objects_at
        try:
            asked = make_filter(self._reader, wanted, first)
        finally:
            first.close()
        self._ask(asked)

    def _ask(self, asked: ObjectFilter) -> None:
        """Let the reader ask from here on which objects are wanted."""
        self._only = self._reader.filter = asked

    # --- many objects at once ---

    def select(
        self, *selections: str | Selection | Function | None, fields: Sequence[str] = (), sizes: bool = True
    ) -> Iterator[tuple[int, SelectedObject]]:
        """Return the objects from here on that match a selection: several selections in one pass.

        This uses the stream up: it yields no more events of its own.

        Args:
            selections: texts (`streamsave.query.parser`), results of `parse_selection`, or functions, which take an object with
                its `fields` and return whether it is wanted; None selects every object.
            fields: paths of the properties to build (`streamsave.query.paths`).
            sizes: whether the sizes of objects are needed. If not, they may be -1, and most of a Satisfactory save is not
                inflated when the selections and `fields` need only headers.

        Returns:
            An iterator over pairs: the position of the selection in `selections`, and the object. An object that matches several
            selections comes several times.

        Raises:
            SelectError: a selection or a path has a fault.
            SaveError: while iterating: the save is damaged. Such a fault ends the iteration, also with `on_damage="resync"`.
            LimitExceeded: while iterating: a field is more than `Limits` allows to build.
            StaleEvent: the stream has ended, or is closed.
        """
        from streamsave.query.selector import Plan  # noqa: PLC0415 - most consumers do not select

        return self._select_planned(Plan(selections, fields, sizes=sizes))

    def _select_planned(self, plan: Plan) -> Iterator[tuple[int, SelectedObject]]:
        """Return the same as `select`, for a `Plan` that was made before.

        Raises:
            StaleEvent: the stream has ended, or is closed.
        """
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
        except GeneratorExit:  # the caller wants no more
            self._reader.close()
            raise
        except BaseException as error:
            self._recovery = None
            self._remember(error)
            raise
