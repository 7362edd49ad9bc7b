"""Read the text of a JSON document forward, value by value, and go back to places that were passed: in constant memory."""

from __future__ import annotations

import json
import re
from typing import BinaryIO, Final

import orjson

from streamsave.consume.stream import EventStream
from streamsave.errors import EditError, PathStep, format_path

__all__ = ["JsonReader"]

#: Bytes that are read at once.
BLOCK_SIZE: Final = 256 * 1024
#: Most bytes of a value that is held in memory.
LARGEST: Final = 64 * 1024 * 1024
SPACE: Final = re.compile(rb"[ \t\n\r]*")
#: A bracket, a string, or the text of a number, `true`, `false` or `null`.
PART: Final = re.compile(rb'[\[{\]}]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]{}",:]+', re.DOTALL)
#: A bracket, a comma, a colon, or a key: what is between values.
MARK: Final = re.compile(rb'"[^"]*"|\S')
#: What is between brackets: strings, all else, and objects and lists without others inside.
TEXT: Final = rb'[^"\[\]{}]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"\[\]{}]*)*'
INSIDE: Final = re.compile(TEXT + rb"(?:(?:\{" + TEXT + rb"\}|\[" + TEXT + rb"\])" + TEXT + rb")*", re.DOTALL)
#: The end of a name, and its colon.
COLON: Final = re.compile(rb'"[ \t\n\r]*:')
#: What may follow the text of a value.
AFTER: Final = b" \t\n\r,]}"


class JsonReader:
    """A place in a document.

    Args:
        file: the document. It can seek.

    Raises, from all methods that read:
        EditError: the text is no JSON, or a value has more than 64 MiB.
        OSError: the file cannot be read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        #: The save that is read beside it: errors say its path.
        self.events: EventStream | None = None
        self._buffer = b""
        #: Where the buffer starts in the file, and the place in it.
        self._base: int = 0
        self._at: int = 0
        #: Where the value starts that is read, whose text is needed; -1: none is.
        self._kept: int = -1

    def tell(self) -> int:
        """Return the place, in bytes from the start."""
        return self._base + self._at

    def seek(self, offset: int) -> None:
        """Go to a place, which `tell` has returned."""
        at = offset - self._base
        if not 0 <= at <= len(self._buffer):
            self._base, self._buffer, at = offset, b"", 0
        self._at = at

    def peek(self) -> bytes:
        """Go to the next character that is no white space, and return it; b"" at the end of the document."""
        while True:
            found = SPACE.match(self._buffer, self._at)
            assert found is not None  # noqa: S101 - it matches nothing, too
            self._at = found.end()
            if self._at < len(self._buffer):
                return self._buffer[self._at : self._at + 1]
            if not self._load():
                return b""

    def expect(self, text: bytes) -> None:
        """Read brackets, commas, colons and keys; there may be white space between them."""
        for mark in MARK.findall(text):
            self.peek()
            self._need(len(mark))
            if not self._buffer.startswith(mark, self._at):
                raise self.fault(f"expected {mark.decode()}")
            self._at += len(mark)

    def starts(self, text: bytes) -> bool:
        """Return whether this text comes next. The place stays."""
        self.peek()
        self._need(len(text))
        return self._buffer.startswith(text, self._at)

    def matches(self, text: bytes, *, is_part: bool = False) -> bool:
        """Read a value if it has this very text, and return whether it has.

        Args:
            text: of the value.
            is_part: it is only a part of the text.
        """
        if not is_part:
            self.peek()
        size = len(text)
        self._need(size + 1)
        if not self._buffer.startswith(text, self._at):
            return False
        after = self._buffer[self._at + size : self._at + size + 1]
        if not is_part and after and after not in AFTER:
            return False
        self._at += size
        return True

    def value(self) -> bytes:
        """Read a value, and return its text."""
        self.peek()
        self._kept = self.tell()
        try:
            self.skip()
            return self._buffer[self._first : self._at]
        finally:
            self._kept = -1

    def skip(self) -> None:
        """Read a value, of any size. What is in it may be no JSON."""
        self.peek()
        depth = 0
        while True:
            if depth:
                passed = INSIDE.match(self._buffer, self._at)
                assert passed is not None  # noqa: S101 - it matches nothing, too
                self._at = passed.end()
            part = PART.match(self._buffer, self._at)
            if part is None or part.end() == len(self._buffer):
                # It may go on after the buffer.
                start = self._base + self._first
                if self._buffer[self._at : self._at + 1] in (b",", b":"):
                    raise self.fault("expected a value")
                if self._base + len(self._buffer) - start > LARGEST:
                    raise self.fault(f"a value of more than {LARGEST >> 20} MiB", start)
                if self._load():
                    continue
                if part is None:
                    raise self.fault("the document ends in a value", start)
            depth += (part[0] in (b"[", b"{")) - (part[0] in (b"]", b"}"))
            if depth < 0:
                raise self.fault("expected a value")
            self._at = part.end()
            if depth == 0:
                return

    def decoded(self) -> object:
        """Read a value, and return it."""
        start = self.tell()
        return self.loads(self.value(), start)

    def checked(self) -> object:
        """Read a value, and return it, as `decoded` does; no object in it may have two members of one name."""
        start = self.tell()
        text = self.value()
        value = self.loads(text, start)
        if text[:1] in (b"{", b"[") and (b"\\" in text or count_names(text) != count_names(orjson.dumps(value))):
            try:
                json.loads(text, object_pairs_hook=only_once)
            except EditError as error:
                raise self.fault(error.message, start) from None
            except RecursionError:
                raise self.fault("too many levels", start) from None
        return value

    def name(self) -> str:
        """Read the name of a member, with its colon."""
        start = self.tell()
        name = self.decoded()
        if not isinstance(name, str):
            raise self.fault("expected a name", start)
        self.expect(b":")
        return name

    def loads(self, text: bytes, offset: int) -> object:
        """Return the value of a text that was read at a place."""
        try:
            value: object = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            before = error.doc[: error.pos].encode("utf-8", "surrogatepass")  # the place counts characters
            raise self.fault(error.msg, offset + len(before)) from None
        return value

    def members(self, names: tuple[str, ...]) -> dict[str, object]:
        """Return these members of the object that comes next, as far as it has them; the place stays."""
        start = self.tell()
        found: dict[str, object] = {}
        for name, at in self._places(names).items():
            self.seek(at)
            found[name] = self.decoded()
        self.seek(start)
        return found

    def value_at(self, offset: int, name: str) -> object:
        """Return a member of the object at a place; None if it has none of this name."""
        self.seek(offset)
        return self.members((name,)).get(name)

    def _places(self, names: tuple[str, ...]) -> dict[str, int]:
        """Return where the values of these members are of the object that comes next; the place changes."""
        found: dict[str, int] = {}
        self.expect(b"{")
        while self.peek() != b"}" and len(found) < len(names):
            name = self.name()
            if name in names:
                found[name] = self.tell()
            self.skip()
            if self.peek() == b",":
                self._at += 1
        return found

    def wrapped(self, name: str) -> int:
        """Return where the member of this name is in the object that comes next, if its first name has an `@`; -1: nowhere."""
        if self.peek() != b"{":
            return -1
        start = self.tell()
        self._at += 1
        at = -1
        if self.starts(b'"@'):
            self.seek(start)
            at = self._places((name,)).get(name, -1)
        self.seek(start)
        return at

    def is_empty(self) -> bool:
        """Return whether a list comes next that has no elements; if so, a part of it is read."""
        if self.peek() != b"[":
            return False
        self._at += 1
        return self.peek() == b"]"

    def fault(self, message: str, offset: int = -1, path: tuple[PathStep, ...] = ()) -> EditError:
        """Return an error that says the line and column, from 1, of this place, or of another one, and the path in the save."""
        offset = self.tell() if offset < 0 else offset
        self._file.seek(0)
        line, column, left = 1, 1, offset
        while left > 0 and (block := self._file.read(min(left, BLOCK_SIZE))):
            left -= len(block)
            count = block.count(b"\n")
            line += count
            column = len(block) - block.rfind(b"\n") if count else column + len(block)
        place = format_path(path or (() if self.events is None else self.events.path))
        return EditError(f"line {line}, column {column} of the document: {place}{': ' if place else ''}{message}")

    def refused(self, error: EditError, offset: int, path: tuple[PathStep, ...] = ()) -> EditError:
        """Return an error that says where the document asks for an edit that cannot be made."""
        error.path = ()
        return self.fault(str(error), offset, path)

    def _load(self) -> bool:
        """Read on; return False at the end of the document."""
        first = self._first
        self._file.seek(self._base + len(self._buffer))
        block = self._file.read(max(BLOCK_SIZE, len(self._buffer) - first))
        if block:
            self._base += first
            self._buffer = self._buffer[first:] + block
            self._at -= first
        return len(block) > 0

    @property
    def _first(self) -> int:
        """Where the bytes start in the buffer that are needed."""
        return self._at if self._kept < 0 else self._kept - self._base

    def _need(self, size: int) -> None:
        while len(self._buffer) - self._at < size and self._load():
            pass


def count_names(text: bytes) -> int:
    """Return how many names a text has, if no string in it has an escape."""
    return len(COLON.findall(text))


def only_once(members: list[tuple[str, object]]) -> dict[str, object]:
    """Return the members of an object.

    Raises:
        EditError: two have one name.
    """
    found = dict(members)
    if len(found) < len(members):
        names = [name for name, _ in members]
        raise EditError(f"{next(name for name in names if names.count(name) > 1)} is there twice")
    return found
