"""Layouts as data: a codec knows the size of a value, how to decode it, and how to encode it.

A layout is written as a table of named codecs, in the order of the bytes:

    Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32)

The same table skips a value (`measure`), decodes it (`decode`) and writes it (`encode`), so the three cannot disagree.

This is the whole language of layouts, with the interface of a codec: each codec is small, and tables import all of them from one
place. So the module is long.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Final, final

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.encoder import Encoder, typed, utf8_of
from streamsave.errors import EditError
from streamsave.events import Event
from streamsave.frequent_values import LinearColor, Quat, Vector
from streamsave.limits import Limits

__all__ = [
    "BOOL8",
    "BOOL32",
    "BYTES",
    "F16",
    "F32",
    "F64",
    "I8",
    "I16",
    "I32",
    "I64",
    "NAME",
    "STRING",
    "U8",
    "U16",
    "U32",
    "U64",
    "UTF8_STRING",
    "Array",
    "BuildContext",
    "BuildState",
    "Codec",
    "Map",
    "Optional",
    "Repeat",
    "Struct",
    "decode_each",
    "encode_each",
    "list_of",
]


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

    def skip_properties(self, cursor: Cursor, *, is_strict: bool = False) -> None:
        """Skip the property list that starts here, with its terminator.

        Args:
            cursor: where it starts.
            is_strict: each value in it has to take exactly its bytes; else it is passed over by its size.

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
        #: The bytes are numbers, one or more, and nothing else.
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

    def encoded(self, value: object, encoder: Encoder) -> bytes:
        """Return the bytes of a value; it raises as `encode` does. `encoder` is a new one."""
        self.encode(value, encoder)
        return bytes(encoder.data)


#: Names of numbers that saves have by the million: to call `read` for them takes half as long again.
HOT: Final = ("i32", "f32", "f64", "u8", "i64", "bool8")

HALF: Final = struct.Struct("<e")


class Scalar(Codec):
    """A number, a bool, or another value of fixed size without parts.

    Args:
        name: for `Field.type`; its first letter says what it is.
        size: in bytes.
        read: reads it from a cursor.
        is_checked: passing over it checks it, too.
    """

    def __init__(self, name: str, size: i64, read: Callable[[Cursor], object], *, is_checked: bool = False) -> None:
        super().__init__(name, -1 if is_checked else size, size)
        self._read = read
        self._kind: i64 = HOT.index(name) if name in HOT else -1
        self.only_numbers = name != "bool32"

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        kind = self._kind
        if kind == 0:
            return cursor.i32()
        if kind == 1:
            return cursor.f32()
        if kind == 2:
            return cursor.f64()
        if kind == 3:
            return cursor.u8()
        if kind == 4:
            return cursor.i64()
        if kind == 5:
            return cursor.u8() != 0
        return self._read(cursor)

    def encode(self, value: object, encoder: Encoder) -> None:
        kind = self.name[0]
        if kind == "f":
            encoder.real(value, self.least)
        elif kind == "b":
            encoder.flag(value, self.least)
        else:
            encoder.integer(value, self.least, signed=kind == "i")


I8: Final[Codec] = Scalar("i8", 1, Cursor.i8)
U8: Final[Codec] = Scalar("u8", 1, Cursor.u8)
I16: Final[Codec] = Scalar("i16", 2, Cursor.i16)
U16: Final[Codec] = Scalar("u16", 2, Cursor.u16)
I32: Final[Codec] = Scalar("i32", 4, Cursor.i32)
U32: Final[Codec] = Scalar("u32", 4, Cursor.u32)
I64: Final[Codec] = Scalar("i64", 8, Cursor.i64)
U64: Final[Codec] = Scalar("u64", 8, Cursor.u64)
F16: Final[Codec] = Scalar("f16", 2, lambda cursor: cursor.unpack(HALF)[0])
F32: Final[Codec] = Scalar("f32", 4, Cursor.f32)
F64: Final[Codec] = Scalar("f64", 8, Cursor.f64)
BOOL8: Final[Codec] = Scalar("bool8", 1, lambda cursor: cursor.u8() != 0)
BOOL32: Final[Codec] = Scalar("bool32", 4, Cursor.bool32)


class String(Codec):
    """An Unreal string: `i32` length, characters, NUL."""

    def __init__(self) -> None:
        super().__init__("str", -1, 4)
        self.strings = 1

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip_strings(1)

    def measure_many(self, cursor: Cursor, context: BuildContext, count: i64) -> None:
        cursor.skip_strings(count)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        text = cursor.string()
        context.spend(0, len(text))
        return text

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.string(value)


class Name(Codec):
    """An Unreal name: a string, or an index into the save's pool of names."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return cursor.name()

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.name(value)


class Utf8String(Codec):
    """`i32` length and that many bytes of UTF-8, without NUL; faulty bytes are kept as surrogates."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return cursor.take(cursor.count(1)).decode("utf-8", "surrogateescape")

    def encode(self, value: object, encoder: Encoder) -> None:
        raw = utf8_of(value)
        encoder.count(len(raw))
        encoder.put(raw)


class Bytes(Codec):
    """`i32` length and that many bytes."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip(cursor.count(1))

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        size = cursor.count(1)
        context.spend(0, size)
        return cursor.take(size)

    def encode(self, value: object, encoder: Encoder) -> None:
        data = typed(value, bytes, "bytes")
        encoder.count(len(data))
        encoder.put(data)


STRING: Final[Codec] = String()
NAME: Final[Codec] = Name("name", -1, 4)
UTF8_STRING: Final[Codec] = Utf8String("utf8", -1, 4)
BYTES: Final[Codec] = Bytes("bytes", -1, 4)


class Struct(Codec):
    """Named values one after the other. `make_value` is called with them in this order; without it they become a dict."""

    # No member may have the name of a positional parameter: compiled, that member would be lost, despite the `/`.
    def __init__(self, struct_name: str, make_value: Callable[..., object] | None = None, /, **members: Codec) -> None:
        super().__init__(struct_name, _size_of(members.values()), sum([member.least for member in members.values()]))
        self.names = list(members)
        self.members = list(members.values())
        self._make = make_value
        #: Bytes of each number of a vector, a rotation or a colour; 0 for other structs.
        self._float_size: i64 = 0
        if make_value is Vector or make_value is Quat or make_value is LinearColor:
            for real in (F32, F64):
                if all(member is real for member in self.members):
                    self._float_size = real.size
        self._parts = _joined(self.members)
        self.only_numbers = all(member.only_numbers for member in self.members)
        self.streams = any(member.streams for member in self.members)
        self.may_have_list = any(member.may_have_list for member in self.members)

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        if self.size >= 0:
            cursor.skip(self.size)
        else:
            for strings, size, member in self._parts:
                if strings:
                    cursor.skip_strings(strings)
                elif member is None:
                    cursor.skip(size)
                else:
                    member.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        members = self.members
        context.spend(len(members), 0)
        if self._float_size:
            return self._decode_floats(cursor)
        if self._make is None:
            named: dict[str, object] = {}
            for index, name in enumerate(self.names):
                named[name] = members[index].decode(cursor, context)
            return named
        return self._make(*[member.decode(cursor, context) for member in members])

    def offset(self, name: str) -> int:
        """Return how many bytes are before a member; those before it have fixed sizes."""
        return sum(int(member.size) for member in self.members[: self.names.index(name)])

    def _decode_floats(self, cursor: Cursor) -> object:
        """Make a vector, a rotation or a colour: saves have them by the hundred thousand, and this takes no list of members."""
        if self._make is Vector:
            if self._float_size == 4:
                return Vector(cursor.f32(), cursor.f32(), cursor.f32())
            return Vector(cursor.f64(), cursor.f64(), cursor.f64())
        if self._make is Quat:
            if self._float_size == 4:
                return Quat(cursor.f32(), cursor.f32(), cursor.f32(), cursor.f32())
            return Quat(cursor.f64(), cursor.f64(), cursor.f64(), cursor.f64())
        if self._float_size == 4:
            return LinearColor(cursor.f32(), cursor.f32(), cursor.f32(), cursor.f32())
        return LinearColor(cursor.f64(), cursor.f64(), cursor.f64(), cursor.f64())

    def encode(self, value: object, encoder: Encoder) -> None:
        values = self._parts_of(value)
        for index, member in enumerate(self.members):
            try:
                member.encode(values[index], encoder)
            except EditError as error:
                raise error._inside(self.names[index]) from None

    def _parts_of(self, value: object) -> list[object]:
        """Return the values of the members, in their order."""
        names = self.names
        make = self._make
        if isinstance(value, dict) and value.keys() == set(names):
            return [value[name] for name in names]
        if make is None:
            raise EditError(f"not a {self.name}", value, f"a dict of {', '.join(names) or 'nothing'}")
        if isinstance(make, type) and not isinstance(value, make):
            raise EditError(f"not a {self.name}", value, f"a {make.__name__}")
        fields: tuple[str, ...] = getattr(value, "__match_args__", ())
        parts = [getattr(value, field) for field in fields]
        if len(parts) != len(names):
            raise EditError(f"not a {self.name}", value)
        return parts


def _joined(members: list[Codec]) -> list[tuple[i64, i64, Codec | None]]:
    """Return how to pass over members: strings to skip, bytes to skip, or a codec to measure; like neighbours are one step."""
    joined: list[tuple[i64, i64, Codec | None]] = []
    for (has_strings, has_size), group in groupby(members, lambda member: (member.strings > 0, member.size >= 0)):
        alike = list(group)
        if has_strings:
            joined.append((sum([member.strings for member in alike]), 0, None))
        elif has_size:
            joined.append((0, sum([member.size for member in alike]), None))
        else:
            joined += [(0, 0, member) for member in alike]
    return joined


def _size_of(codecs: Iterable[Codec]) -> i64:
    """Return the bytes of values that follow each other; -1 if one of them has no fixed size."""
    sizes = [codec.size for codec in codecs]
    return -1 if -1 in sizes else sum(sizes)


class Array(Codec):
    """`i32` count, then elements. It is one leaf, unless `streams` is set here or for the element."""

    def __init__(self, element: Codec, *, streams: bool = False) -> None:
        super().__init__(f"{element.name}[]", -1, 4)
        self.element = element
        self.streams = streams or element.streams
        self.may_have_list = element.may_have_list

    def open(self, cursor: Cursor) -> i64:
        """Move to the first element, and return how many there are."""
        return cursor.count(self.element.least)

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        self.element.measure_many(cursor, context, self.open(cursor))

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return decode_each(self.element, cursor, context, self.open(cursor))

    def encode(self, value: object, encoder: Encoder) -> None:
        elements = list_of(value)
        encoder.count(len(elements))
        encode_each(self.element, elements, encoder)


class Repeat(Codec):
    """A number of elements that was read before, or is always the same; one leaf."""

    def __init__(self, element: Codec, count: i64, name: str = "") -> None:
        super().__init__(name or f"{element.name}[]", element.size * count if element.size >= 0 else -1, element.least * count)
        self.element = element
        self.count: i64 = count

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        self.element.measure_many(cursor, context, self.count)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return decode_each(self.element, cursor, context, self.count)

    def encode(self, value: object, encoder: Encoder) -> None:
        encode_each(self.element, list_of(value, self.count), encoder)


class Pair(Codec):
    """A key and its value, as a tuple."""

    def __init__(self, key: Codec, value: Codec) -> None:
        super().__init__(f"{key.name}: {value.name}", _size_of([key, value]), key.least + value.least)
        self.key = key
        self.value = value
        self.nodes = 2

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        self.key.measure(cursor, context)
        self.value.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        key = self.key.decode(cursor, context)
        return key, self.value.decode(cursor, context)

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, tuple) or len(value) != 2:
            raise EditError("not a pair of key and value", value)
        self.key.encode(value[0], encoder)
        self.value.encode(value[1], encoder)


class Map(Array):
    """`i32` count, then pairs. Decoded as a list of (key, value): keys may repeat, and need not be hashable."""

    def __init__(self, key: Codec, value: Codec) -> None:
        self.pair = Pair(key, value)
        super().__init__(self.pair)
        self.name = f"{{{self.pair.name}}}"


class Optional(Codec):
    """`bool32`, then a value if it is set."""

    def __init__(self, element: Codec) -> None:
        super().__init__(f"{element.name}?", -1, 4)
        self.element = element
        self.streams = element.streams
        self.may_have_list = element.may_have_list

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        if cursor.bool32():
            self.element.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self.element.decode(cursor, context) if cursor.bool32() else None

    def encode(self, value: object, encoder: Encoder) -> None:
        BOOL32.encode(value is not None, encoder)
        if value is not None:
            self.element.encode(value, encoder)


def list_of(value: object, count: i64 = -1) -> list[object]:
    """Return a value as a list; if `count` is not negative, of so many elements.

    Raises:
        EditError: the value is no such list.
    """
    values: list[object] = typed(value, list, "a list")
    if count >= 0 and len(values) != count:
        raise EditError("wrong number of elements", len(values), int(count))
    return values


def decode_each(element: Codec, cursor: Cursor, context: BuildContext, count: i64) -> list[object]:
    """Read values one after the other.

    Raises:
        SaveError: one of them is damaged, or they are more than `Limits` allows to build.
    """
    context.spend(count * element.nodes, 0)
    return [element.decode(cursor, context) for _ in range(count)]


def encode_each(element: Codec, values: list[object], encoder: Encoder) -> None:
    """Write values one after the other, without their number.

    Raises:
        EditError: one of them is of another type, or out of range.
    """
    for index, value in enumerate(values):
        try:
            element.encode(value, encoder)
        except EditError as error:
            raise error._inside(index) from None
