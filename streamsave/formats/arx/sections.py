"""Sections of an entry -> events: structs, arrays of structs, of texts, of variables.

| section | events |
|---|---|
| struct | `StructEnter`, a `Field` for each row, `BlobSkip` for padding, `StructExit` |
| array of structs | `StructEnter`, the structs, `StructExit` |
| array of texts, of variables | `StructEnter`, a `Field` for each, `StructExit` |

With `sparse`, rows of a struct whose bytes are all zero are left out; one `Field` named `zeros` replaces each run of them, and
its value is their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.events import PADDING, BlobSkip, Event, Field, StructEnter, StructExit
from streamsave.formats.arx.layout import Layout, Row, Zeros, find_type
from streamsave.formats.arx.variables import VARIABLE, VARIABLE_SIZE, peek_name

__all__ = ["SectionWalker"]

#: At least as many zeros as the longest row has bytes.
ZEROS: Final = bytes(128 * 1024)


class SectionWalker:
    """Make events of the sections at the reader's cursor."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        #: The open arrays, and where their counts are.
        self.counted: list[tuple[StructEnter, Length]] = []
        #: Where the counts are that were read last, by name.
        self._counts: dict[str, Length] = {}

    # --- numbers of a struct that is about to be walked ---

    def number(self, row: Row) -> i64:
        """Return a number of the struct that starts at the cursor; the cursor stays. `row` has 4 bytes, or 2."""
        cursor = self._reader.cursor
        start = cursor.tell()
        cursor.seek(start + row.offset)
        value = cursor.i32() if row.codec.size == 4 else cursor.i16()
        cursor.seek(start)
        return value

    def count(self, row: Row, *, counts: bool = True) -> i64:
        """Return a count, or a number of bytes, of the struct that starts at the cursor; the cursor stays.

        Raises:
            DamagedSave: it is negative.
        """
        count = self.number(row)
        self._counts[row.name] = Length(int(self._reader.cursor.tell() + row.offset), int(row.codec.size), counts)
        if count < 0:
            cursor = self._reader.cursor
            raise cursor.damaged(
                f"count {count} is negative", offset=cursor.tell() + row.offset, expected="0 or more", actual=int(count)
            )
        return count

    # --- sections ---

    def struct(self, name: str, struct: Layout, index: int = -1) -> Iterator[Event]:
        """Yield the events of a struct; `index` is its position in an array, or -1."""
        reader = self._reader
        cursor = reader.cursor
        start = cursor.tell()
        end: i64 = start + struct.size
        at: i64
        size: i64
        if end > cursor.limit():
            raise cursor.damaged(f"no room for a {struct.name}", expected=f"{struct.size} bytes", actual=cursor.remaining())
        reader.steps.append(name)
        if index >= 0:
            reader.steps.append(index)
        cursor.check_reaches(start)  # what was passed over before it was not read
        yield StructEnter(start, name, struct.name, 0, struct.size, index, -1)
        if cursor.tell() != start:
            pass  # the consumer has passed over it
        elif reader.sparse:
            zeros: list[str] = []
            zeros_start = start
            for row in struct.rows:
                at = start + row.offset
                size = row.codec.size
                cursor.seek(at)
                cursor.need(size)  # a peek passes over a fault: what cannot be read is no field
                if cursor.peek(size) == ZEROS[:size]:
                    if not zeros:
                        zeros_start = at
                    zeros.append("padding" if row.padding else row.name)
                    continue
                if zeros:
                    yield self._zeros(zeros, zeros_start, at)
                    zeros = []
                    cursor.seek(at)
                if row.padding:
                    yield BlobSkip(at, size, PADDING)
                else:
                    cursor.seek(at + size)
                    yield reader.passed(row.name, row.codec, at)
            if zeros:
                yield self._zeros(zeros, zeros_start, end)
        else:
            for row in struct.rows:
                at = start + row.offset
                size = row.codec.size
                if row.padding:
                    cursor.seek(at)
                    cursor.check_reaches(at + size)
                    yield BlobSkip(at, size, PADDING)
                else:
                    cursor.seek(at + size)
                    yield reader.passed(row.name, row.codec, at)
        if index >= 0:
            reader.steps.pop()
        reader.steps.pop()
        cursor.seek(end)
        yield StructExit(end, name, 0)

    def structs(self, name: str, struct: Layout, count: i64, row: Row | None = None) -> Iterator[Event]:
        """Yield the events of an array of structs; `row` has their number."""
        reader = self._reader
        cursor = reader.cursor
        start = cursor.tell()
        size: i64 = self._array_size(name, struct.size, count)
        reader.steps.append(name)
        yield self._enter(StructEnter(start, name, f"{struct.name}[]", 0, size, -1, count), row)
        reader.steps.pop()  # each element adds the name, and its position
        if cursor.tell() == start:
            for index in range(count):
                yield from self.struct(name, struct, index)
        self._leave(row)
        cursor.seek(start + size)
        yield StructExit(start + size, name, 0)

    def texts(self, name: str, kind: str, count: i64, row: Row | None = None) -> Iterator[Event]:
        """Yield the events of an array of texts; `kind` is the type of each: `char[64]`, `row` has their number."""
        reader = self._reader
        cursor = reader.cursor
        codec = find_type(kind)
        start = cursor.tell()
        size: i64 = self._array_size(name, codec.size, count)
        reader.steps.append(name)
        yield self._enter(StructEnter(start, name, f"{kind}[]", 0, size, -1, count), row)
        reader.steps.pop()  # each field adds the name, and its position
        if cursor.tell() == start:
            for index in range(count):
                cursor.seek(start + index * codec.size)
                yield reader.field(name, codec, index)
        self._leave(row)
        cursor.seek(start + size)
        yield StructExit(start + size, name, 0)

    def variables(self, name: str, count: i64, codec: Codec = VARIABLE, row: Row | None = None) -> Iterator[Event]:
        """Yield the events of variables; each `Field` has the variable's name. Only walking them shows where they end."""
        reader = self._reader
        self._array_size(name, VARIABLE_SIZE, count)
        reader.steps.append(name)
        yield self._enter(StructEnter(reader.cursor.tell(), name, "Variable[]", 0, -1, -1, count), row)
        for _ in range(count):
            yield reader.field(peek_name(reader.cursor), codec)
        self._leave(row)
        reader.steps.pop()
        yield StructExit(reader.cursor.tell(), name, 0)

    def rest(self, end: i64, reason: str) -> BlobSkip:
        """Pass over what is left before `end`; return its event."""
        cursor = self._reader.cursor
        start = cursor.tell()
        cursor.pass_to(end)
        return BlobSkip(start, end - start, reason)

    # --- what they share ---

    def _enter(self, enter: StructEnter, row: Row | None) -> StructEnter:
        """Return the event of an array that opens, whose number is in a row that was read."""
        if row is not None:
            self.counted.append((enter, self._counts[row.name]))
        return enter

    def _leave(self, row: Row | None) -> None:
        if row is not None:
            self.counted.pop()

    def _array_size(self, name: str, element_size: i64, count: i64) -> i64:
        """Return the bytes of an array; of variables, the least.

        Raises:
            DamagedSave: there is no room for so many elements.
        """
        cursor = self._reader.cursor
        room = cursor.remaining() // element_size
        if count > room:
            raise cursor.damaged(f"{count} {name} do not fit", expected=f"0 to {room}", actual=int(count))
        return count * element_size

    def _zeros(self, names: list[str], start: i64, end: i64) -> Field:
        """Return the event of rows that are left out."""
        self._reader.cursor.seek(end)
        return self._reader.passed("zeros", Zeros(names, end - start), start)
