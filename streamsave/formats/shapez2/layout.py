"""Layouts with checkpoints and lengths inside: tables that a reader walks, event by event.

| piece | bytes |
|---|---|
| Mark | a checkpoint |
| Blob | checkpoint `blob:start`, i32 size, content of that size, checkpoint `blob:end` |
| Record | pieces one after the other; a plain codec among them is one leaf |
| Tally | a count, for the Sequence of the same record that names it |
| Sequence | elements, as many as a number says or a tally has read |
| Rows | i32 count, then elements whose layouts differ by position |
| BySize | a leaf whose layout follows from the bytes up to the enclosing length |
| Rest | everything up to the enclosing length, opaque |
"""

from __future__ import annotations

from collections.abc import Callable

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Codec, Struct, encode_each, list_of
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder

__all__ = ["Blob", "BySize", "Mark", "Node", "Record", "Repeat", "Rest", "Rows", "Sequence", "Tally"]


class Node(Codec):
    """A piece that makes several events."""

    def __init__(self, name: str, least: i64) -> None:
        super().__init__(name, -1, least)
        self.streams = True


class Mark(Node):
    """A checkpoint; takes no bytes where they are off."""

    def __init__(self, name: str) -> None:
        super().__init__(name, 0)


class Blob(Node):
    """A size, and content of that size. Without a codec it is opaque, and `reason` says why."""

    def __init__(self, name: str, content: Codec | None, reason: str = "") -> None:
        super().__init__(name, 4)
        self.content = content
        self.reason = reason


class Record(Struct):
    """Named pieces one after the other."""

    def __init__(self, record_name: str, /, **members: Codec) -> None:
        super().__init__(record_name, None, **members)
        self.size = -1
        self.streams = True


class Tally(Codec):
    """A count, for a Sequence that comes later."""

    def __init__(self, codec: Codec) -> None:
        super().__init__(codec.name, codec.size, codec.least)
        self._codec = codec

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self._codec.decode(cursor, context)

    def encode(self, value: object, encoder: Encoder) -> None:
        self._codec.encode(value, encoder)


class Sequence(Node):
    """Elements: `count` of them, or the number that the Tally called `tally` has read."""

    def __init__(self, element: Codec, count: i64 = -1, tally: str = "") -> None:
        super().__init__(f"{element.name}[]", element.least * count if count > 0 else 0)
        self.element = element
        self.count: i64 = count
        self.tally = tally


class Rows(Node):
    """A count, then elements, each with a layout of its own; elements after the last known one are opaque blobs."""

    def __init__(self, name: str, rows: list[Codec]) -> None:
        super().__init__(name, 4)
        self.rows = rows


class Repeat(Codec):
    """A known number of elements: one leaf."""

    def __init__(self, element: Codec, count: i64) -> None:
        super().__init__(f"{element.name}[]", element.size * count if element.size >= 0 else -1, element.least * count)
        self._element = element
        self._count: i64 = count

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        if self.size >= 0:
            cursor.skip(self.size)
        else:
            for _ in range(self._count):
                self._element.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.spend(self._count, 0)
        return [self._element.decode(cursor, context) for _ in range(self._count)]

    def encode(self, value: object, encoder: Encoder) -> None:
        encode_each(self._element, list_of(value, self._count), encoder)


class BySize(Node):
    """A leaf; `choose` returns its layout, by the bytes from the cursor up to the enclosing length."""

    def __init__(self, name: str, least: i64, choose: Callable[[Cursor], Codec]) -> None:
        super().__init__(name, least)
        self.choose = choose


class Rest(Node):
    """Everything up to the enclosing length, of which no layout is known."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, 0)
