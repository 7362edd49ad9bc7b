"""The interface between the stream and the reader of one format; and the count of the events that its save may give.

The module is long because it has all that a reader owes, with the defaults, and what the stream and selections say to it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple, TypeVar, final

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.codecs import I32, BuildContext, BuildState, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.slices import Large, Slices, slices_of
from streamsave.errors import PathStep
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.input.source import Source
from streamsave.input.windows import Windows
from streamsave.limits import MOST, Limits

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["FINAL_LIMITS", "Container", "EventAllowance", "Leaf", "Length", "Options", "Reader", "Selecting"]

#: What a field is read as.
T = TypeVar("T")


class EventAllowance:
    """Counts the events of a save, and allows as many as its file is large enough for; shared by all readers of one pass.

    A few bytes can inflate to millions of empty properties, and each costs time. So events are counted wherever they are taken:
    by the caller, and by the verbs and selections that walk on their own.
    """

    def __init__(self, limits: Limits, source: Source | None = None) -> None:
        self._limits = limits
        #: The file; None: its size is unknown, and counts as nothing.
        self.source = source
        #: How many events may come in all, as far as is known, and how many of them are left.
        self._allowed: i64 = limits.event_ratio_after
        self.left: i64 = self._allowed

    def spend(self, cursor: Cursor) -> None:
        """Count one event.

        Raises:
            LimitExceeded: the save has more than `Limits.event_ratio` allows; `cursor` is where.
        """
        self.left -= 1
        if self.left < 0:
            self.extend(cursor)

    def extend(self, cursor: Cursor) -> None:
        """Allow as many events as the file is large enough for. Its size is asked only here: few saves have so many.

        Raises:
            LimitExceeded: these are still too few.
        """
        count: int = self._allowed - self.left
        ratio = self._limits.event_ratio
        least = count if ratio == 0 else -(-count // ratio)
        size = 0 if self.source is None else self.source.size_up_to(least)
        if count > ratio * size:
            raise cursor.exceeded("event_ratio", -(-count // max(size, 1)))
        allowed = min(ratio * size, MOST)
        self.left += allowed - self._allowed
        self._allowed = allowed


#: Limits on the whole save: above one, nothing goes on.
FINAL_LIMITS: Final = frozenset({"total_inflated_size", "inflate_ratio", "event_ratio", "spool_size"})


class Length(NamedTuple):
    """A field that says how many bytes or elements something has: a number in the inflated stream."""

    offset: int
    #: Its own bytes.
    width: int
    #: It counts elements, not bytes.
    counts: bool
    #: In which section of its nesting it is. A later one starts with its first field; the last one ends where its size says.
    section: int = 0
    #: Exclusive end of what this length counts; -1: the end of what was opened.
    end: int = -1
    order: Literal["little", "big"] = "little"


@final
@mypyc_attr(free_list_len=1, acyclic=True)  # as the events
class Leaf:
    """A value that an event has announced: a leaf, unless `open_value` finds events inside. It does not change."""

    __slots__ = ("codec", "end", "index", "name", "opens", "start")

    def __init__(self, name: str, start: i64, end: i64, index: i64, codec: Codec | None, *, opens: bool) -> None:
        self.name: Final = name
        self.start: Final = start
        self.end: Final = end
        #: Its position in a container; -1: it is in none.
        self.index: Final = index
        #: How to decode it; None: its reader finds out.
        self.codec: Final = codec
        #: It may have events inside: `open_value` looks.
        self.opens: Final = opens

    def closed(self) -> Leaf:
        """Return the same value as one that has no events inside."""
        return Leaf(self.name, self.start, self.end, self.index, self.codec, opens=False)

    def opaque(self, reason: str) -> BlobSkip:
        """Return the event of all its bytes, whose layout is not known."""
        return BlobSkip(self.start, self.end - self.start, reason)


NO_LEAF: Final = Leaf("", -1, -1, -1, None, opens=False)


class Options:
    """What the caller says about how a save is read, and what becomes of its values."""

    def __init__(
        self, *, sparse: bool = False, type_hints: dict[str, str] | None = None, objects_at: list[str] | None = None
    ) -> None:
        #: Leave out values that are all zero, in formats with structs of fixed size; a `Field` names them.
        self.sparse: Final = sparse
        #: Types of structs that the save does not name: path -> struct.
        self.type_hints: Final[dict[str, str]] = {} if type_hints is None else type_hints
        #: Containers whose elements are objects; None: those that the reader knows.
        self.objects_at: Final = objects_at
        #: Give an object that is also a value of the object around it as that value.
        self.as_values = False
        #: Makes values of leaves that are above `Limits.build_nodes` or `build_size`. None: such leaves are errors.
        self.large: Large | None = None


class Container:
    """The containers at one path whose elements can be objects; `[*]` in the path is any position."""

    def __init__(self, path: str) -> None:
        #: As `streamsave.open` takes it for `objects_at`.
        self.path = path
        #: How many there are, their elements, and the bytes of these.
        self.count = 0
        self.elements = 0
        self.size = 0

    def __repr__(self) -> str:
        return f"Container(path={self.path!r}, count={self.count}, elements={self.elements}, size={self.size})"


class Selecting:
    """What a reader asks, as early as possible, whether an object is wanted. A reader without one gives all objects.

    A reader may ask less than it could: `takes` is asked for each `ObjectHeader` that comes.
    """

    def __init__(self) -> None:
        #: The selection, or the caller, needs the data of objects, or at least its size.
        self.needs_data = True
        #: The caller needs what is in a level, but in no object.
        self.needs_rest = True

    def wants_kind(self, kind: str) -> bool:
        """Return whether an object of this kind may match."""
        return True

    def wants_class(self, class_name: str) -> bool:
        """Return whether an object of this class may match. This is asked for each object, so answers are cached."""
        return True

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        """Return whether an object with these names may match; it is asked after `wants_class`."""
        return True

    def wants_header(self, header: ObjectHeader) -> bool:
        """Return whether an object may match; if not, the reader makes no event for it."""
        return self.takes(header)

    def takes(self, header: ObjectHeader) -> bool:
        """Return whether an object matches whose header comes as an event."""
        raise NotImplementedError


# Readers of other packages are not compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class Reader(BuildContext):
    """Walk one save.

    A reader makes events with `events`, a generator in the order of the format's page. Between two events the stream may move the
    cursor over what the last event opened (`skip`, `value`); the reader goes on from where the cursor is.
    """

    #: What writes saves with edits: `"package.module:Name"`, a subclass of `streamsave.rewriting.family.Family`. "": none
    #: can be written, unless a reader of ours is a base of this one.
    writer: ClassVar[str] = ""
    #: Where the header of an object does not say its size, its end shows it. Not if it is skipped without being read.
    ends_show_sizes: ClassVar[bool] = True

    def __init__(self, cursor: Cursor, *, allowance: EventAllowance | None = None, build: BuildState | None = None) -> None:
        """Make a reader.

        Args:
            cursor: at the start of the stream.
            allowance: that of a reader of the same save.
            build: that of the reader which this one reads values for.
        """
        super().__init__(BuildState(cursor.limits) if build is None else build)
        #: The cursor, at the start of what the last event opened.
        self.cursor = cursor
        #: The open nestings: names of levels, objects, ... and indices.
        self.steps: list[PathStep] = []
        #: The value that was announced last, and whether it is still to be read or passed over.
        self.leaf = NO_LEAF
        self.is_pending = False
        self.options = Options()
        #: A selection, asked about each object as early as possible. None: all of them come.
        self.selecting: Selecting | None = None
        #: Where the inflated stream ends, as the save states it; -1 if it does not.
        self.stream_end: i64 = -1
        #: Counts the events that are taken.
        self.allowance = EventAllowance(cursor.limits) if allowance is None else allowance
        self._outer: Iterator[Event] | None = None
        #: With `on_damage="resync"`: a `Part` among the events is what can be lost alone.
        self.is_driven = False

    @property
    def limits(self) -> Limits:
        """What to refuse."""
        return self.cursor.limits

    @property
    def windows(self) -> Windows:
        """The inflated stream in which the offsets of events count."""
        return self.cursor.windows

    def events(self) -> Iterator[Event]:
        """Yield all events, from `SaveStart` to `SaveEnd`.

        Raises:
            SaveError: the save is damaged.
        """
        raise NotImplementedError

    # --- what the stream calls ---

    def next_event(self) -> Event | None:
        """Skip what is left of the last leaf and return the next event; None at the end."""
        if self.is_pending:
            self.cursor.pass_to(self.leaf.end)
            self.is_pending = False
        if self._outer is None:
            self._outer = self.events()
        # A `for` takes one event of a generator without the call that `next` is.
        for event in self._outer:
            return event
        return None

    def close(self) -> None:
        """End the walk. Its generators and its selection refer to the reader, and would keep it until the collector runs."""
        self._outer = None
        self.selecting = None

    def drive(self, events: Iterator[Event]) -> None:
        """Give these events in place of those of `events`: their generator catches faults, and goes on after them."""
        self._outer = events
        self.is_driven = True

    def abandon(self) -> None:
        """Leave all open nestings of a walk: the consumer went to the end of what encloses them."""

    def open_value(self) -> Event | None:
        """Step into the value of the last `PropertyTag`: return its first event, or None if it is a leaf."""
        return None

    def value(self, event: Event) -> object:
        """Decode the leaf of the last event, and move to its end.

        Raises:
            TypeError: the event has no value.
            SaveError: the value is damaged, or more than `Limits` allows to build.
        """
        end = self.leaf.end
        outer = self.cursor.limit()
        self.cursor.set_limit(end)
        try:
            value = self.decode(event)
        finally:
            self.cursor.set_limit(outer)
        self.cursor.seek(end)
        self.leave_leaf()
        return value

    def decode(self, event: Event) -> object:
        """Decode the leaf of the last event, which starts at the cursor and is its limit; `value` does the rest."""
        codec = self.leaf.codec
        if codec is None or not isinstance(event, (Field, PropertyTag)):
            raise TypeError(f"{type(event).__name__} has no value")
        value = codec.decode(self.cursor, self)
        end = self.leaf.end
        if isinstance(event, PropertyTag) and self.cursor.tell() != end:
            raise self.cursor.damaged("a value ends before its size says", expected=int(end), actual=int(self.cursor.tell()))
        return value

    def only_numbers(self, event: Field | PropertyTag) -> bool:
        """Return whether the leaf of the last event is numbers alone: any bytes of its size are a value, and refer to nothing."""
        codec = self.leaf.codec
        return isinstance(event, Field) and codec is not None and codec.only_numbers

    def open_slices(self, event: Event) -> Slices | None:
        """Move to the first element of the leaf of the last event; return None, without moving, if it has no elements.

        The leaf stays open until `next_slice` has given all of them.

        Raises:
            SaveError: the count is damaged.
        """
        outer = self.cursor.limit()
        self.cursor.set_limit(self.leaf.end)
        try:
            return self.find_slices(event)
        finally:
            self.cursor.set_limit(outer)

    def find_slices(self, event: Event) -> Slices | None:
        """Do as `open_slices`, with the leaf as the limit of the cursor."""
        codec = self.leaf.codec
        if codec is None or not isinstance(event, (Field, PropertyTag)):
            return None
        return slices_of(codec, self.cursor)

    def next_slice(self, event: Event, slices: Slices) -> list[object] | bytes | None:
        """Decode the next elements of a leaf; return None after the last one, at the end of the leaf.

        Args:
            event: that of the leaf.
            slices: what `open_slices` has returned for it.

        Raises:
            SaveError: an element is damaged, or more than `Limits` allows to build; or bytes are left that may not be there.
        """
        end = self.leaf.end
        outer = self.cursor.limit()
        self.cursor.set_limit(end)
        try:
            if slices.left > 0:
                return slices.take(self.cursor, self)
            self.close_slices(event)
        finally:
            self.cursor.set_limit(outer)
        self.cursor.seek(end)
        self.leave_leaf()
        return None

    def close_slices(self, event: Event) -> None:
        """Check the bytes after the last element of a leaf, which the cursor is limited to.

        Raises:
            SaveError: they may not be there.
        """

    def skip(self, event: Event) -> bool:
        """Go to the end of what the last event opened; return False if only walking shows where that is.

        This default knows the `PropertyTag` of `self.tag`. Of any other it returns False, and the walk goes to the end of the
        nesting around the tag.
        """
        if isinstance(event, ObjectHeader):
            if event.size < 0:
                return False
            self.cursor.seek(event.data_offset + event.size)
            return True
        if isinstance(event, (Field, PropertyTag)) and self.is_pending:
            self.cursor.seek(self.leaf.end)
            self.leave_leaf()
            return True
        if isinstance(event, StructEnter) and event.size >= 0:
            self.cursor.seek(event.offset + event.header_size + event.size)
            return True
        return False

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Return the type that is stored before the struct that was entered last, or None."""
        return None

    def verify(self, event: Event) -> None:
        """Check what follows the bytes of what `event` opened, which were just read: a checksum, a size.

        Raises:
            SaveError: it is wrong.
        """

    def measure(self, event: ObjectHeader) -> int:
        """Return the size of an object in bytes. If its header does not have it, the object may have to be inflated."""
        return event.size

    def key_of(self, offset: int) -> int:
        """Return a number of the last object, which is the same when the save is read again and other objects are skipped.

        Args:
            offset: that of its header.
        """
        return offset

    def stores_name(self, name: str) -> bool:
        """Return whether a member of this name is a property whose name is text in the data of its object.

        Then data without that text have no such member, and a search need not decode them.
        """
        return False

    def holds_objects(self, header: ObjectHeader) -> bool:
        """Return whether an object may contain objects: True for each one that does, or they are passed over with it."""
        return False

    def leads_to_objects(self, event: Event) -> bool:
        """Return whether there may be objects in the property or nesting that the last event has opened.

        It is asked outside of objects, and in those that hold objects. True for each one that has objects in it, or they are
        passed over with it. Unless a reader knows better, that is every nesting, and no property.
        """
        return isinstance(event, StructEnter)

    def path(self) -> tuple[PathStep, ...]:
        """Return where the last event is: names and indices from the outermost nesting."""
        return (*self.steps, *self.leaf_path())

    def leaf_path(self) -> tuple[PathStep, ...]:
        """Return the last steps of the path: those of the leaf, if the last event has one."""
        leaf = self.leaf
        if not self.is_pending:
            return ()
        return (leaf.name, int(leaf.index)) if leaf.index >= 0 else (leaf.name,)

    def cursor_ahead(self) -> Cursor:
        """Return a cursor to read far ahead with; it must not make this one start again from the first byte."""
        return self.cursor.fork()

    # --- what readers share ---

    def announce(self, leaf: Leaf) -> None:
        """Let a value be the one of the last event: it is to be read or passed over."""
        self.leaf = leaf
        self.is_pending = True

    def leave_leaf(self) -> None:
        """Note that the value of the last event was read, or passed over."""
        self.is_pending = False

    def field(self, name: str, codec: Codec, index: int = -1) -> Field:
        """Return the event for a value that starts at the cursor."""
        start = self.cursor.tell()
        codec.measure(self.cursor, self)
        return self.passed(name, codec, start, index)

    def passed(self, name: str, codec: Codec, start: i64, index: int = -1) -> Field:
        """Return the event for a value that was just read, from `start` to the cursor, and go back to its start."""
        end = self.cursor.tell()
        self.cursor.seek(start)
        self.leaf = Leaf(name, start, end, index, codec, opens=False)
        self.is_pending = True
        build = self.build
        if not build.is_running:
            # Some values are skipped by decoding them. A walk builds nothing: the budget is that of one value.
            build.reset()
        return Field(start, name, codec.name, end - start, index)

    def tag(self, event: PropertyTag, codec: Codec) -> PropertyTag:
        """Return the event of a property whose value starts at the cursor and has no events inside.

        Raises:
            DamagedSave: its size runs past the end of what is around it.
        """
        if event.size > self.cursor.remaining():
            raise self.cursor.damaged(
                "the size of a property runs past what is around it",
                expected=f"at most {int(self.cursor.remaining())} bytes",
                actual=int(event.size),
            )
        self.announce(Leaf(event.name, event.value_offset, event.value_offset + event.size, -1, codec, opens=False))
        return event

    def count_field(self, name: str, least: i64) -> Generator[Event, None, int]:
        """Yield the event of an `i32`, and return it: how many elements of `least` bytes or more follow.

        Raises:
            DamagedSave: there is no room for that many.
        """
        return (yield from self.read_field(name, I32, lambda: int(self.cursor.count(least))))

    def read_field(self, name: str, codec: Codec, read: Callable[[], T]) -> Generator[Event, None, T]:
        """Yield the event of a value that starts at the cursor, and return what `read` has read of it."""
        start = self.cursor.tell()
        value = read()
        yield self.passed(name, codec, start)
        return value

    def blob(self, end: i64, reason: str) -> Iterator[Event]:
        """Yield a `BlobSkip` for the bytes from the cursor up to `end`, if there are any, and go there.

        Raises:
            SaveError: the stream ends before it.
        """
        cursor = self.cursor
        start = cursor.tell()
        if start < end:
            cursor.check_reaches(end)
            yield BlobSkip(start, end - start, reason)
            cursor.seek(end)

    def spend(self, nodes: i64, size: i64) -> None:
        self.build.spend(self.cursor, nodes, size)
