"""What the stream asks of a reader of one format."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Final, cast

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.object_filter import ObjectFilter
from streamsave.errors import LimitExceeded, PathStep, SaveError
from streamsave.events import Damage, Event, Field, ObjectHeader, StructEnter
from streamsave.limits import Limits

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["Reader"]

#: What bounds all that a save inflates to: there is no going on behind it.
FINAL_LIMITS: Final = frozenset({"total_inflated_size", "inflate_ratio"})


# Readers of other packages are not compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class Reader(BuildContext):
    """Walks one save.

    A reader makes events with `events`, a generator that reads like the format's page. Between two events the consumer may
    move the cursor over what the last event opened (`skip`, `value`); the reader sees where it stands and goes on from there.
    """

    def __init__(self, cursor: Cursor, limits: Limits) -> None:
        super().__init__()
        #: The cursor that stands where the last event opened something.
        self.cursor = cursor
        self.limits = limits
        #: The inflated stream that the events' offsets count in.
        self.windows = cursor.windows
        #: Where we are: names of levels, objects, ... below `path` of what is being walked.
        self.steps: list[PathStep] = []
        #: How to decode the last `Field`.
        self.codec: Codec | None = None
        #: The leaf that the last event announced: its end (-1: none), its name, and its position in a container (-1: in none).
        self.leaf_end: i64 = -1
        self.leaf_name = ""
        self.leaf_index: i64 = -1
        #: Values that are all zero are left out, and said to be, where a format has structs of fixed size.
        self.sparse = False
        #: Structs that a format does not name, told by the user: path -> struct.
        self.type_hints: dict[str, str] = {}
        #: `build` is at work: binary structs are decoded whole, also those with a property list inside.
        self.building = False
        #: Somebody selects: which objects may be wanted, and of the object that is open, which of its members are. None: all.
        self.filter: ObjectFilter | None = None
        self.wanted: frozenset[str] | None = None
        #: The exit event that `build` consumed last.
        self.last_exit: Event | None = None
        #: Faults are survived where there is something sound behind them: `Damage` says what they have cost.
        self.resyncs = False
        #: Where the inflated stream ends, as the save itself says; -1 where it does not.
        self.stream_end: i64 = -1
        #: The last `Damage`, and how many nestings are open around what was lost.
        self.damage: Damage | None = None
        self.damage_depth: i64 = 0
        #: Up to where events have claimed the stream, where more than the last one has to tell that.
        self.claimed: i64 = 0
        self._outer: Iterator[Event] | None = None
        self._spent_nodes: i64 = 0
        self._spent_size: i64 = 0

    def events(self) -> Iterator[Event]:
        """Make all events, from `SaveStart` to `SaveEnd`."""
        raise NotImplementedError

    # --- what the stream calls ---

    def next_event(self) -> Event | None:
        """Pass over what is left of the last event's leaf and make the next event; None at the end."""
        if self.leaf_end >= 0:
            self.cursor.seek(self.leaf_end)
            self.leaf_end = -1
        if self._outer is None:
            self._outer = self.events()
        return next(self._outer, None)

    def walk(self) -> Event | None:
        """Make the next event of a walk nested in another; None at its end."""
        return self.next_event()

    def open_value(self) -> Event | None:
        """Step into the value of the `PropertyTag` that came last: its first event, or None where it is a leaf."""
        return None

    def value(self, event: Event) -> object:
        """Decode the leaf that the last event announced, and move behind it."""
        codec = self.codec
        if codec is None or not isinstance(event, Field):
            raise TypeError(f"{type(event).__name__} has no value of its own")
        end = self.leaf_end
        outer = self.cursor.limit()
        self.cursor.set_limit(end)
        try:
            value = codec.decode(self.cursor, self)
        finally:
            self.cursor.set_limit(outer)
        self.cursor.seek(end)
        self.leaf_end = -1
        return value

    def skip(self, event: Event) -> bool:
        """Go to the end of what the last event opened; False where only walking can tell where that is."""
        if isinstance(event, ObjectHeader):
            self.cursor.seek(event.data_offset + event.size)
            return True
        if isinstance(event, Field):
            self.cursor.seek(self.leaf_end)
            self.leaf_end = -1
            return True
        if isinstance(event, StructEnter) and event.size >= 0:
            self.cursor.seek(event.offset + event.header_size + event.size)
            return True
        return False

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Give the type that stands in front of a struct which was entered just now; None where none does."""
        return None

    def verify(self, event: Event) -> None:
        """Check what stands behind all bytes of what `event` has opened, which were just read: a checksum, a size.

        Raises:
            SaveError: they are at fault.
        """

    def measure(self, event: ObjectHeader) -> int:
        """Tell how many bytes an object has whose header does not tell: it may take to inflate them."""
        return event.size

    def wants(self, name: str) -> bool:
        """Tell whether a member of the object that is open is wanted."""
        return self.wanted is None or name in self.wanted

    def key_of(self, header: ObjectHeader) -> int:
        """Give a number that tells an object from all others, also when the save is read again and others are skipped."""
        return header.offset

    def stores_name(self, name: str) -> bool:
        """Tell whether a member of an object with this name is a property whose name stands as text in the object's data."""
        return False

    def holds_objects(self, header: ObjectHeader) -> bool:
        """Tell whether there may be objects in an object."""
        return False

    def path(self) -> tuple[PathStep, ...]:
        """Tell where the last event is: names and indices from the outermost nesting."""
        return (*self.steps, *self.leaf_path())

    def leaf_path(self) -> tuple[PathStep, ...]:
        """Tell the last steps of the path: those of the leaf, if the last event announced one."""
        if self.leaf_end < 0:
            return ()
        return (self.leaf_name, int(self.leaf_index)) if self.leaf_index >= 0 else (self.leaf_name,)

    # --- faults ---

    def resync(self, error: SaveError) -> Event:
        """Go behind a fault that the walk, or a verb, has met outside of `events`: give what comes next, a `Damage` first.

        Raises:
            SaveError: nothing sound is known behind it.
        """
        if self._outer is None:
            raise error
        # It is thrown where the generator waits, so that what is open there handles it like a fault of its own.
        try:
            return cast("Generator[Event, None, None]", self._outer).throw(error)
        except StopIteration:  # a compiled generator that has ended says so, one that is not gives the error back
            raise error from None

    def survives(self, error: SaveError) -> bool:
        """Whether a fault costs no more than what it is in; the path goes into the error while it is known."""
        if not self.resyncs or (isinstance(error, LimitExceeded) and error.limit in FINAL_LIMITS):
            return False
        if not error.path:
            error.path = self.path()
        return True

    def lost(
        self,
        error: SaveError,
        kind: str,
        name: str,
        start: i64,
        end: i64,
        depth: i64 = -1,
        *,
        size: i64 = 0,
        class_name: str = "",
        count: i64 = 1,
    ) -> Event:
        """Tell that `[start, end)` was lost, in `depth` nestings that stay open (as many as there are `steps`, if left out).

        `size`, `class_name` and `count` are those of `Loss`; the size is that of the span, if left out. It is yielded behind the
        `except` that met the fault, never inside: compiled, a generator that waits there leaves the fault "being handled".
        """
        from streamsave.values import Loss  # noqa: PLC0415 - takes long, and few saves are damaged

        self.leaf_end = -1
        self.damage_depth = len(self.steps) if depth < 0 else depth
        path = tuple(self.path())
        if name and path[-1:] != (name,):
            path = (*path, name)
        whole = end - start if size == 0 else size
        damage = Damage(start, end - start, error, Loss(kind, name, path, whole, class_name, count))
        self.damage = damage
        return damage

    # --- what readers share ---

    def field(self, name: str, codec: Codec, index: int = -1) -> Field:
        """Announce a value that starts at the cursor."""
        start = self.cursor.tell()
        codec.measure(self.cursor, self)
        return self.passed(name, codec, start, index)

    def passed(self, name: str, codec: Codec, start: i64, index: int = -1) -> Field:
        """Announce a value that was just read, from `start` to the cursor; the consumer may read it again."""
        end = self.cursor.tell()
        self.cursor.seek(start)
        self.leaf_end = end
        self.leaf_name = name
        self.leaf_index = index
        self.codec = codec
        if not self.building:
            # Some values are passed over by decoding them. A walk is no build: the budget is that of one value.
            self._spent_nodes = 0
            self._spent_size = 0
        return Field(start, name, codec.name, end - start, index)

    # --- the budget of one build() ---

    def start_budget(self) -> None:
        """Begin to count anew."""
        self._spent_nodes = 0
        self._spent_size = 0

    def spent(self) -> tuple[i64, i64]:
        """Return how many values and bytes were counted."""
        return self._spent_nodes, self._spent_size

    def restore_spent(self, spent: tuple[i64, i64]) -> None:
        """Go back to an earlier count: what came after it was only tried."""
        self._spent_nodes, self._spent_size = spent

    def spend(self, nodes: i64, size: i64) -> None:
        self._spent_nodes += nodes
        self._spent_size += size
        if self._spent_nodes > i64(self.limits.build_nodes):
            raise self.cursor.exceeded("build_nodes", self._spent_nodes)
        if self._spent_size > i64(self.limits.build_size):
            raise self.cursor.exceeded("build_size", self._spent_size)
