"""Iterate over the events of a save. What the caller leaves half-read is skipped; with a `Driver`, damage is survived.

The module is long because the state of a stream is in one class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from streamsave._fields import each_of
from streamsave._log import debug, warn_unread
from streamsave._native import i64
from streamsave.decode.reader import EventAllowance, Options, Reader, Selecting
from streamsave.errors import PathStep, SaveError, StaleEvent
from streamsave.events import (
    ChunkStart,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.formats import Format, MakeReader, check_options, find_format, make_reader
from streamsave.input.source import Source
from streamsave.input.windows import Windows
from streamsave.limits import Limits

if TYPE_CHECKING:
    from streamsave.recovery.driver import Driver

__all__ = ["IN_USE", "EventIterator"]

#: The text of an error.
IN_USE: Final = "another thread, or what calls this function, is reading from the stream: only one may use it at a time"


class EventIterator:
    """The events of one save, in order, and where they are."""

    #: The format is known, so there is a reader.
    _recognised = False
    _driver: Driver | None = None

    def __init__(
        self,
        source: Source,
        limits: Limits,
        *,
        sparse: bool = False,
        type_hints: Mapping[str, str] | None = None,
        objects_at: str | Sequence[str] | None = None,
        resyncs: bool = False,
        skips: bool = False,
        reader: Format | MakeReader | None = None,
    ) -> None:
        self._source = source
        #: The format of the save, a row of the registry.
        self._format: Format = find_format(source, reader)
        check_options(self._format, {"sparse": sparse, "type_hints": type_hints, "objects_at": objects_at})
        self._reader: Reader = make_reader(self._format, source, limits)
        self._recognised = True
        wanted = None if objects_at is None else each_of(objects_at)
        self._reader.options = Options(sparse=sparse, type_hints=dict(type_hints or {}), objects_at=wanted)
        if wanted:
            self._check_objects_at(wanted)
        #: Events that the reader has made already; they come first.
        self._held: list[Event] = []
        #: The last event that was delivered, while the verbs can act on it.
        self._last: Event | None = None
        self._depth: i64 = 0
        self._windows: Windows = self._reader.windows
        self._allowance: EventAllowance = self._reader.allowance
        #: No event follows: at the end, after a fault, after `close`.
        self._stopped = False
        self._error: BaseException | None = None
        self._closed = False
        #: A thread is reading: no other may use the stream meanwhile.
        self._busy = False
        #: Whether `SaveStart` and `SaveEnd` were delivered.
        self._started = False
        self._complete = False
        #: Selects the objects that come; None: all of them.
        self._only: Selecting | None = None
        #: With `_only`: whether each open object came as an event. One that does not match, but contains others, does not.
        self._shown: list[bool] = []
        #: How many nestings are open that did not come as events.
        self._hidden_depth: i64 = 0
        #: The events of such objects come, too: the caller asks `_is_hidden` of each.
        self._shows_all = False
        self._is_hidden = False
        #: A fault in the bytes ends the stream as if there were no more, with a warning.
        self._skips = skips
        #: None: a fault ends the stream.
        self._driver: Driver | None = _make_driver(self._reader) if resyncs else None

    def _check_objects_at(self, wanted: list[str]) -> None:
        """Read the save up to the last of the containers that the user names.

        Raises:
            SelectError: the path of one has a fault.
            UnsupportedSave: one is not there.
        """
        from streamsave.formats.unreal.object_rows import check_containers  # noqa: PLC0415 - few callers name containers

        first = make_reader(self._format, self._source, self._reader.limits)
        first.options = self._reader.options
        self._source.keep()
        try:
            check_containers(first, wanted)
        finally:
            first.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        if self._busy:
            raise StaleEvent(IN_USE)
        while True:
            if self._held or self._stopped:
                event = self._next_held()
            else:
                self._busy = True
                try:
                    made = self._reader.next_event() if self._driver is None else self._driver.next_event()
                    if self._only is not None:
                        made = self._pass_unwanted(made)
                    if self._driver is None:
                        allowance = self._allowance
                        left = allowance.left - 1  # as `spend` does, without a call
                        allowance.left = left
                        if left < 0 and made is not None:
                            # The event is not delivered if this is a fault: it is not in the value of the leaf that it opens.
                            is_leaf = self._reader.is_pending
                            self._reader.leave_leaf()
                            allowance.extend(self._reader.cursor)
                            if is_leaf:
                                self._reader.announce(self._reader.leaf)
                except BaseException as error:
                    self._busy = False
                    if self._remember(error):
                        continue
                    raise
                self._busy = False
                if made is None:
                    self._stopped = True
                    self._last = None
                    if not self._complete:
                        # A source that raises StopIteration would otherwise look like the end of the save.
                        self._error = RuntimeError("the source stopped in the middle of a save")
                        raise self._error
                    raise StopIteration
                event = made
                entered = self._windows.entered
                if entered:
                    self._held = [*entered, event, *self._held]
                    entered.clear()
                    event = self._held.pop(0)
            kind = type(event)
            if kind is not PropertyTag and kind is not Field:
                if kind is StructEnter or kind is ObjectHeader:
                    self._depth += 1
                elif kind is StructExit or kind is ObjectEnd:
                    self._depth -= 1
                elif kind is SaveStart:
                    self._windows = self._reader.windows
                    self._started = True
                    self._log(event)
                elif kind is SaveEnd:
                    self._complete = True
                elif kind is Damage:
                    self._log(event)
            self._last = event
            if self._only is None or not self._conceal(event):
                return event

    def _log(self, event: Event) -> None:
        """Log which layout was chosen, or what was lost to damage."""
        name = self._source.name
        if isinstance(event, SaveStart):
            debug("layout chosen", save=name, format=event.format, version=event.version)
        elif isinstance(event, Damage):
            debug("damage", save=name, offset=event.offset, size=event.size, error=str(event.error))

    def _next_held(self) -> Event:
        """Return an event that was made already, or raise what ended the stream."""
        if self._held:
            return self._held.pop(0)
        if self._error is not None:
            raise self._error
        if self._closed:
            raise StaleEvent("the stream is closed")
        self._last = None
        raise StopIteration

    def _remember(self, error: BaseException) -> bool:
        """Note a fault and its path. Return True if the stream does not raise it: it goes on after it, or skips the rest."""
        if isinstance(error, SaveError):
            if not error.path:
                error.path = self._reader.path()
            if self._driver is not None and self._driver.fail(error):
                self._last = None
                return True
        if not (self._skips and isinstance(error, SaveError)):
            self._error = error
        elif not self._stopped:
            warn_unread(self._source.name, error)
        self._held.clear()
        self._stopped = True
        self._last = None
        return self._error is None

    # --- passing over ---

    def _drain(self, open_nestings: i64 = 0) -> Event:
        """Walk to the end of what the last event opened; return its exit event. Of its content only what must be read is read.

        If a fault costs all of it, return the `Damage`; its exit event comes next.
        """
        reader = self._reader
        driver = self._driver
        depth = 0 if driver is None else len(driver.losses.open) - open_nestings
        while True:
            event = reader.next_event() if driver is None else driver.next_event()
            if event is None:
                raise RuntimeError("a nesting was left open by its reader")
            if driver is None:
                self._allowance.spend(reader.cursor)
            elif isinstance(event, Damage):
                if driver.losses.depth < depth:
                    return event
                continue
            if isinstance(event, (StructExit, ObjectEnd)):
                if open_nestings == 0:
                    return event
                open_nestings -= 1
                continue
            if isinstance(event, (StructEnter, ObjectHeader)):
                open_nestings += 1
            if isinstance(event, (StructEnter, ObjectHeader, PropertyTag, Field)):
                reader.skip(event)
            elif isinstance(event, Damage):
                raise event.error

    @property
    def _limits(self) -> Limits:
        """What the stream refuses."""
        return self._reader.limits

    @property
    def source_name(self) -> str:
        """The path or URL of the save; of another source, what messages call it."""
        return self._source.name

    @property
    def format(self) -> Format:
        """The format of the save, as the registry (`streamsave.formats`) has it."""
        return self._format

    def holds_objects(self, header: ObjectHeader) -> bool:
        """Return whether there may be objects in an object: `skip()` passes over them too."""
        return self._reader.holds_objects(header)

    def _key_of(self, offset: int) -> int:
        """Return a number of the last object, which is the same when the save is read again and other objects are skipped.

        Args:
            offset: that of its header. In containers whose entries have no size, it depends on what was skipped before.
        """
        return self._reader.key_of(offset)

    def _leads_to_objects(self, event: PropertyTag | StructEnter) -> bool:
        """Return whether there may be objects in the property or nesting of the last event; `skip()` passes over them too."""
        return self._reader.leads_to_objects(event)

    def takes(self, header: ObjectHeader) -> bool:
        """Return whether `only` selects the object of the last event: True, as no other comes; True if `only` was not called."""
        return self._only is None or self._only.takes(header)

    def _selects(self) -> bool:
        """Return whether `only` was called."""
        return self._only is not None

    def _pass_unwanted(self, event: Event | None) -> Event | None:
        """Skip objects that are not selected, and contain none; return the first event after them."""
        reader = self._reader
        while isinstance(event, ObjectHeader):
            if self.takes(event) or reader.holds_objects(event):
                break
            if self._driver is not None:
                event = self._pass_driven(event, self._driver)
                continue
            if reader.skip(event):
                end = reader.next_event()
                if isinstance(end, Damage):
                    raise end.error
            else:
                self._drain()
            self._allowance.spend(reader.cursor)
            event = reader.next_event()
        return event

    def _pass_driven(self, header: ObjectHeader, driver: Driver) -> Event | None:
        """Skip an object of a save whose faults are survived; return the event after it, or what is lost with more than it."""
        try:
            self._reader.skip(header)
        except SaveError as error:
            driver.fail(error)
        end = self._drain()
        if not isinstance(end, Damage):
            return driver.next_event()
        self._shown.append(False)  # its `ObjectEnd` comes next
        return end

    def _conceal(self, event: Event) -> bool:
        """Return whether an event does not come: that of an object which is not selected, but contains others.

        What contains no objects in it is passed over.
        """
        shown = self._shown
        self._is_hidden = False
        if isinstance(event, ObjectHeader):
            shown.append(self.takes(event))
        if not shown:
            return False
        is_shown = shown[-1]
        if isinstance(event, ObjectEnd):
            shown.pop()
        if is_shown or isinstance(event, (ChunkStart, Damage)):
            return False
        if isinstance(event, (StructEnter, ObjectHeader)):
            self._hidden_depth += 1
        elif isinstance(event, (StructExit, ObjectEnd)):
            self._hidden_depth -= 1
        try:
            self._pass_over(event)
        except BaseException as error:
            if not self._remember(error):
                raise
        self._is_hidden = self._shows_all
        return not self._shows_all

    def _pass_over(self, event: Event) -> None:
        """Skip what the last event, a part of an object, has opened if there are no objects in it."""
        reader = self._reader
        if isinstance(event, Field) or (isinstance(event, (PropertyTag, StructEnter)) and not reader.leads_to_objects(event)):
            reader.skip(event)  # where its size is unknown this does nothing, and its events come

    # --- where ---

    @property
    def path(self) -> tuple[PathStep, ...]:
        """Names and indices from the outermost nesting to the last event: `("Persistent_Level", "Build_12", "mStacks", 3)`."""
        return self._reader.path()

    @property
    def depth(self) -> int:
        """How many nestings are open that came as events, the one that the last event opened included."""
        return int(self._depth - self._hidden_depth)

    def location(self, event: Event) -> tuple[int, int, int] | None:
        """Return where the first byte of an event is in the file.

        Returns:
            The index of the chunk, the position in its inflated bytes, and the offset of the chunk in the file, all in bytes;
            None for what is in no chunk, such as a header before the chunks.
        """
        if isinstance(event, ChunkStart):
            return event.index, 0, event.compressed_offset
        return self._windows.locate(event.offset)

    # --- end ---

    def __repr__(self) -> str:
        state = "closed" if self._closed else "ended" if self._stopped else "open"
        return f"<{type(self).__name__} of {self.source_name!r}: {self._format.name}, {state}>"

    def close(self) -> None:
        """End the stream, and close the file if the stream has opened it. Nothing more is read.

        Raises:
            StaleEvent: another thread is reading.
        """
        if self._busy:
            raise StaleEvent(IN_USE)
        self._closed = True
        self._stopped = True
        self._held.clear()
        if self._driver is not None:
            self._driver.close()
        self._only = None  # it may refer to the stream, which would be kept until the collector runs
        self._reader.close()
        self._source.close()

    def __del__(self) -> None:
        # A stream that is dropped frees all that it took, at once.
        if self._recognised:
            if self._driver is not None:
                self._driver.close()
            self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _make_driver(reader: Reader) -> Driver:
    """Return what goes on after faults."""
    from streamsave.recovery import make_driver  # noqa: PLC0415 - few saves are damaged

    return make_driver(reader)
