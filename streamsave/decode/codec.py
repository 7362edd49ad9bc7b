"""The interface of a codec: what knows the size of one type of value, how to decode it, and how to encode it."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError

__all__ = ["BuildContext", "Codec"]


@mypyc_attr(allow_interpreted_subclasses=True)  # as `Reader`
class BuildContext:
    """Interface codecs use to ask the reader for property lists inside values, and for the budget of a `build()`."""

    def __init__(self) -> None:
        #: `Codec.measure` has skipped a property list inside a value.
        self.found_list = False
        #: How many values that may contain values of their own kind are open around this one.
        self.nesting: i64 = 0
        #: GUIDs are decoded as the text that JSON has of them.
        self.guid_texts = False

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
