"""The interface of a codec: what knows the size of one type of value, how to decode it, and how to encode it."""

from __future__ import annotations

from typing import final

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.events import Event
from streamsave.limits import Limits

__all__ = ["BuildContext", "BuildState", "Codec"]


@final
class BuildState:
    """What `build()` does and has spent. The reader of a save shares it with those of the property lists in its values."""

    def __init__(self, limits: Limits | None = None) -> None:
        #: `build()` runs: binary structs are decoded whole, also those with a property list inside.
        self.is_running = False
        #: GUIDs are decoded as the text that JSON has of them.
        self.guid_texts = False
        #: How many values that may contain values of their own kind are open.
        self.nesting: i64 = 0
        #: How many property lists inside of values `Codec.measure` has skipped.
        self.lists: i64 = 0
        #: The last exit event that `build()` has consumed.
        self.last_exit: Event | None = None
        self._nodes: i64 = 0
        self._size: i64 = 0
        # Those of `limits`, which is a Python object: asking it costs more than all the rest of `spend`.
        self._most_nodes: i64 = NO_LIMIT if limits is None else limits.build_nodes
        self._most_size: i64 = NO_LIMIT if limits is None else limits.build_size

    def begin(self) -> None:
        """Begin a `build()`."""
        self.reset()
        self.is_running = True

    def end(self) -> None:
        """End it."""
        self.is_running = False

    def reset(self) -> None:
        """Start the count of values and bytes."""
        self._nodes = 0
        self._size = 0

    def spend(self, cursor: Cursor, nodes: i64, size: i64) -> None:
        """Count values and bytes that are about to be made.

        Raises:
            LimitExceeded: more than `Limits.build_nodes` or `Limits.build_size` in one `build()`; `cursor` is where.
        """
        self._nodes += nodes
        self._size += size
        if self._nodes > self._most_nodes:
            raise cursor.exceeded("build_nodes", self._nodes)
        if self._size > self._most_size:
            raise cursor.exceeded("build_size", self._size)

    def spent(self) -> tuple[i64, i64, i64]:
        """Return how many values and bytes were counted, and how many lists were skipped."""
        return self._nodes, self._size, self.lists

    def restore(self, spent: tuple[i64, i64, i64]) -> None:
        """Go back to an earlier count: what came after it was only tried."""
        self._nodes, self._size, self.lists = spent

    def skip_list(self) -> None:
        """Count a property list inside of a value that is skipped."""
        self.lists += 1

    def enter(self, cursor: Cursor) -> None:
        """Enter a value that may contain values of its own kind; `leave` leaves it.

        Raises:
            LimitExceeded: with it, more than `Limits.depth` are open.
        """
        if self.nesting >= i64(cursor.limits.depth):
            raise cursor.exceeded("depth", self.nesting + 1)
        self.nesting += 1

    def leave(self) -> None:
        """Leave such a value."""
        self.nesting -= 1

    def use_texts(self, *, guids: bool) -> None:
        """Let GUIDs come as texts, or as GUIDs."""
        self.guid_texts = guids

    def note_exit(self, event: Event) -> None:
        """Note the exit event of a nesting that was built."""
        self.last_exit = event


@mypyc_attr(allow_interpreted_subclasses=True)  # as `Reader`
class BuildContext:
    """Interface codecs use to ask the reader for property lists inside values, and for the budget of a `build()`."""

    def __init__(self, build: BuildState | None = None) -> None:
        self.build = BuildState() if build is None else build

    def properties(self, cursor: Cursor) -> dict[str, object]:
        """Decode the property list that starts here, with its terminator.

        Raises:
            SaveError: it is damaged, or more than `Limits` allows to build.
        """
        raise NotImplementedError

    def skip_properties(self, cursor: Cursor) -> None:
        """Skip the property list that starts here, with its terminator.

        Raises:
            SaveError: it is damaged.
        """
        raise NotImplementedError

    def spend(self, nodes: i64, size: i64) -> None:
        """Count values and bytes that are about to be made.

        Raises:
            LimitExceeded: more than `Limits.build_nodes` or `Limits.build_size` in one `build()`.
        """
        raise NotImplementedError

    def starts_property_list(self, cursor: Cursor) -> bool:
        """Return whether the next bytes look like the start of a property list. The cursor does not move."""
        raise NotImplementedError


class Codec:
    """One type of value.

    Attributes:
        name: for `Field.type`.
        size: bytes of a value, if all have the same size, else -1.
        least: the fewest bytes of a value.
        streams: a value may be too large for one leaf: its elements come one by one.
        may_have_list: a value may contain a property list, depending on its bytes.
    """

    def __init__(self, name: str, size: i64, least: i64) -> None:
        self.name = name
        self.size: i64 = size
        self.least: i64 = least
        self.streams = False
        self.may_have_list = False
        #: The layout is not verified: bytes that it does not take exactly are opaque.
        self.tentative = False
        #: How many values a list has for each of these: `Limits.build_nodes` bounds them.
        self.nodes: i64 = 1
        #: How many strings a value has, if it has nothing else; else 0.
        self.strings: i64 = 0
        #: The bytes are one number, without parts; or such numbers, one or more, and nothing else.
        self.is_number = False
        self.only_numbers = False

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        """Move the cursor to the end of the value.

        Raises:
            SaveError: the value is damaged.
        """
        if self.size < 0:
            self.decode(cursor, context)
        else:
            cursor.skip(self.size)

    def measure_many(self, cursor: Cursor, context: BuildContext, count: i64) -> None:
        """Move the cursor to the end of `count` values.

        Raises:
            SaveError: a value is damaged.
        """
        if self.size >= 0:
            cursor.skip(count * self.size)
        else:
            for _ in range(count):
                self.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        """Read the value and return it.

        Raises:
            SaveError: the value is damaged, or more than `Limits` allows to build.
        """
        raise NotImplementedError

    def encode(self, value: object, encoder: Encoder) -> None:
        """Write the bytes of a value, as `decode` returns it.

        Raises:
            EditError: it is of another type or out of range; or values of this type can only be replaced as bytes.
        """
        raise EditError(f"no {self.name} can be made from a value: replace its bytes")
