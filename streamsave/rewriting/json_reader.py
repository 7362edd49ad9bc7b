"""Read a JSON document value by value, in constant memory, with jumps back to earlier offsets.

The first members of a document of a save, its head, may be these. They are no part of the save:

| member | value |
|---|---|
| `"@source"` | `{"size", "sha256"}` of the save file: with another save, the document is refused |
| `"@original"` | the save file itself, in Base64: the document can become a save without another file |

The module is long because a document is read in many ways, and `@original` may be of any size.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64decode, b64encode
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import BinaryIO, Final

import orjson

from streamsave.consume.stream import EventStream
from streamsave.errors import EditError, PathStep, format_path
from streamsave.input.source import SourceLike, open_source
from streamsave.input.windows import FileWindows
from streamsave.rewriting.packing import edited, full_chunks

__all__ = ["JsonReader", "head_of"]

#: Members of the head.
SOURCE: Final = "@source"
ORIGINAL: Final = "@original"
#: Bytes to read at a time: a multiple of 4, as Base64 has four characters for three bytes.
BLOCK_SIZE: Final = 256 * 1024
#: Most bytes of a value in memory.
LARGEST: Final = 64 * 1024 * 1024
SPACE: Final = re.compile(rb"[ \t\n\r]*")
#: A bracket, a string, or the text of a number, `true`, `false` or `null`.
PART: Final = re.compile(rb'[\[{\]}]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]{}",:]+', re.DOTALL)
#: What is between values: a bracket, a comma, a colon, or a key.
MARK: Final = re.compile(rb'"[^"]*"|\S')
#: What may be between two brackets: text and strings; also whole objects and lists without others inside.
TEXT: Final = rb'[^"\[\]{}]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"\[\]{}]*)*'
INSIDE: Final = re.compile(TEXT + rb"(?:(?:\{" + TEXT + rb"\}|\[" + TEXT + rb"\])" + TEXT + rb")*", re.DOTALL)
#: A name and its colon, if it has no escapes and only ASCII.
NAME: Final = re.compile(rb'"([ !#-\[\]-~]*)"[ \t\n\r]*:')
#: The end of a name, with its colon.
COLON: Final = re.compile(rb'"[ \t\n\r]*:')
#: Replaces each byte of the head by a space, except line ends.
BLANK: Final = bytes(10 if byte == 10 else 32 for byte in range(256))
#: What may follow the text of a value, if anything does.
AFTER: Final = b" \t\n\r,]}"


def bytes_of(source: SourceLike) -> Iterator[bytes]:
    """Yield the bytes of a file.

    Raises:
        OSError: it cannot be read.
    """
    with closing(open_source(source)) as file:
        yield from full_chunks(edited(FileWindows(file), ()), BLOCK_SIZE // 4 * 3)


def facts_of(source: SourceLike) -> dict[str, object]:
    """Return the value of `"@source"`."""
    digest, size = hashlib.sha256(), 0
    for piece in bytes_of(source):
        digest.update(piece)
        size += len(piece)
    return {"size": size, "sha256": digest.hexdigest()}


def head_of(source: SourceLike, *, with_original: bool) -> Iterator[bytes]:
    """Yield the head of a document: members, each with a comma.

    Args:
        source: the save. It is read several times.
        with_original: include the file itself.

    Raises:
        OSError: it cannot be read.
    """
    yield f'"{SOURCE}":{json.dumps(facts_of(source), separators=(",", ":"))},'.encode()
    if with_original:
        yield f'"{ORIGINAL}":"'.encode()
        yield from map(b64encode, bytes_of(source))
        yield b'",'


class JsonReader:
    """Reads a document at an offset.

    Args:
        file: the document. It must be seekable, and stays open.

    Raises, from all methods that read:
        EditError: the text is no JSON, or a value is larger than 64 MiB.
        OSError: the file cannot be read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        #: Bytes of the mark at the start, with which editors of Windows begin a file; it is as if it were spaces.
        self._mark: int = 0
        #: Where the head starts and ends. Once it was read, it is as if it were spaces, so offsets and lines are unchanged.
        self._head = (0, 0)
        #: The value of `"@source"`; None if there is none.
        self._source: object = None
        #: Start and end of the Base64 text of `"@original"`; the same if there is none.
        self._original = (0, 0)
        #: The save that is read beside it, for the path in errors.
        self.events: EventStream | None = None
        self._buffer = b""
        #: Offset of the buffer in the file, and the current position in the buffer.
        self._base: int = 0
        self._at: int = 0
        #: Offset of the value whose text must stay in the buffer; -1: none.
        self._kept: int = -1

    # --- the head ---

    def read_head(self) -> None:
        """Read the head of a document, then go to its start."""
        self.expect(b"{")
        start = end = self.tell()
        while self.peek() == b'"' and (name := self.name()) in {SOURCE, ORIGINAL}:
            if name == SOURCE:
                self._source = self.decoded()
            else:
                self._pass_original()
            if self.peek() == b",":
                self.expect(b",")
            end = self.tell()
        self._head = start, end
        self._base, self._buffer, self._at = 0, b"", 0

    def _pass_original(self) -> None:
        """Skip the Base64 text, which may be longer than any other value, and record where it is."""
        self.expect(b'"')
        start = at = self.tell()
        self._file.seek(at)
        while (block := self._file.read(BLOCK_SIZE)) and b'"' not in block:
            at += len(block)
        at += max(block.find(b'"'), 0)
        self._original = start, at
        self.seek(at)
        self.expect(b'"')

    @property
    def has_original(self) -> bool:
        """Whether the document contains the save file."""
        return self._original[0] > 0

    def check_source(self, source: SourceLike) -> None:
        """Check that the document was made from this save, if it has `"@source"`.

        Raises:
            EditError: it was made from another save.
            OSError: the save cannot be read.
        """
        if self._source is not None and self._source != facts_of(source):
            raise self.fault("it was made from another save than this one: other bytes", self._head[0])

    def write_original(self, target: BinaryIO) -> None:
        """Write the save file that the document contains.

        Raises:
            EditError: its text is not Base64.
            OSError: the target cannot be written.
        """
        at, end = self._original
        while at < end:
            self._file.seek(at)
            text = self._file.read(min(BLOCK_SIZE, end - at))
            try:
                target.write(b64decode(text, validate=True))
            except ValueError:
                raise self.fault(f"{ORIGINAL} is no Base64", at) from None
            at += len(text)

    # --- values ---

    def tell(self) -> int:
        """Return the current offset in bytes."""
        return self._base + self._at

    def seek(self, offset: int) -> None:
        """Go to an offset that `tell` returned."""
        at = offset - self._base
        if not 0 <= at <= len(self._buffer):
            self._base, self._buffer, at = offset, b"", 0
        self._at = at

    def peek(self) -> bytes:
        """Skip white space, and return the next character without reading it; b"" at the end of the document."""
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
            if not self.starts(mark):
                raise self.fault(f"expected {mark.decode()}")
            self._at += len(mark)

    def starts(self, text: bytes) -> bool:
        """Return whether this text comes next, without reading it."""
        self.peek()
        self._need(len(text))
        return self._buffer.startswith(text, self._at)

    def matches(self, text: bytes, *, is_part: bool = False) -> bool:
        """Read a value if its text is exactly this one; return whether it is.

        Args:
            text: of the value.
            is_part: it is only a part of the text of a value.
        """
        if not is_part:
            self.peek()
        self._need(len(text) + 1)
        end = self._at + len(text)
        is_next = self._buffer.startswith(text, self._at) and (is_part or self._buffer[end : end + 1] in AFTER)
        self._at = end if is_next else self._at
        return is_next

    def skip(self) -> None:
        """Skip a value of any size, without checking that its content is JSON."""
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

    def decoded(self, *, once: bool = False) -> object:
        """Read a value, and return it; `once`: refuse objects with two members of one name."""
        start = self.tell()
        self.peek()
        self._kept = self.tell()
        self.skip()
        text = self._buffer[self._first : self._at]
        self._kept = -1
        try:
            value: object = orjson.loads(text)
            if once and text[:1] in (b"{", b"[") and (b"\\" in text or count_names(text) != count_names(orjson.dumps(value))):
                json.loads(text, object_pairs_hook=only_once)
        except orjson.JSONDecodeError as error:
            before = error.doc[: error.pos].encode("utf-8", "surrogatepass")  # the place counts characters
            raise self.fault(error.msg, start + len(before)) from None
        except EditError as error:
            raise self.fault(error.message, start) from None
        except RecursionError:
            raise self.fault("too many levels", start) from None
        return value

    def name(self) -> str:
        """Read the name of a member and its colon."""
        self.peek()
        plain = NAME.match(self._buffer, self._at)
        if plain is not None:
            self._at = plain.end()
            return plain[1].decode()
        start = self.tell()
        name = self.decoded()
        if not isinstance(name, str):
            raise self.fault("expected a name", start)
        self.expect(b":")
        return name

    def members(self, names: tuple[str, ...]) -> dict[str, object]:
        """Return those of these members that the next object has, without reading it."""
        start = self.tell()
        found: dict[str, object] = {}
        for name, at in self._places(names).items():
            self.seek(at)
            found[name] = self.decoded()
        self.seek(start)
        return found

    def names(self) -> Iterator[str]:
        """Go to the value of each member of the next object, and yield its name; the value is not read there."""
        self.expect(b"{")
        while self.peek() != b"}":
            yield self.name()
            self.skip()
            if self.peek() == b",":
                self._at += 1

    def _places(self, names: tuple[str, ...]) -> dict[str, int]:
        """Return the offsets of the values of these members in the next object; read a part of it."""
        found: dict[str, int] = {}
        for name in self.names():
            if name in names:
                found[name] = self.tell()
                if len(found) == len(names):
                    break
        return found

    def wrapped(self, name: str) -> int:
        """Return the offset of the value of this member in the next object, if that has a first name with `@`; else -1."""
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
        """Return whether an empty list comes next; read a part of any list."""
        if self.peek() != b"[":
            return False
        self._at += 1
        return self.peek() == b"]"

    def fault(self, message: str, offset: int = -1, path: tuple[PathStep, ...] = ()) -> EditError:
        """Return an error with the line and column (from 1) of an offset, or of the current one, and the path in the save."""
        offset = self.tell() if offset < 0 else offset
        self._file.seek(0)
        line, column, left = 1, 1 - self._mark, offset
        while left > 0 and (block := self._file.read(min(left, BLOCK_SIZE))):
            left -= len(block)
            count = block.count(b"\n")
            line += count
            column = len(block) - block.rfind(b"\n") if count else column + len(block)
        place = format_path(path or (() if self.events is None else self.events.path))
        return EditError(f"line {line}, column {column} of the document: {place}{': ' if place else ''}{message}")

    @contextmanager
    def refusing(self, offset: int, path: Callable[[], tuple[PathStep, ...]] = tuple) -> Iterator[None]:
        """Add the place in the document to the error of an edit that cannot be made."""
        try:
            yield
        except EditError as error:
            error.path = ()
            raise self.fault(str(error), offset, path()) from None

    def _load(self) -> bool:
        """Read on; return False at the end of the document."""
        first = self._first
        at = self._base + len(self._buffer)
        self._file.seek(at)
        block = self._file.read(max(BLOCK_SIZE, len(self._buffer) - first))
        if at == 0 and block.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise self.fault("it is in UTF-16, as Windows PowerShell writes it: `json SAVE -o FILE` writes UTF-8", 0)
        if at == 0 and block.startswith(BOM_UTF8):
            self._mark = len(BOM_UTF8)
            block = b" " * self._mark + block[self._mark :]
        start, end = max(self._head[0] - at, 0), min(self._head[1] - at, len(block))
        if start < end:
            block = block[:start] + block[start:end].translate(BLANK) + block[end:]
        if block:
            self._base += first
            self._buffer = self._buffer[first:] + block
            self._at -= first
        return len(block) > 0

    @property
    def _first(self) -> int:
        """Where the bytes start that must stay in the buffer."""
        return self._at if self._kept < 0 else self._kept - self._base

    def _need(self, size: int) -> None:
        while len(self._buffer) - self._at < size and self._load():
            pass


def count_names(text: bytes) -> int:
    """Return the number of names in a text without escapes."""
    return len(COLON.findall(text))


def only_once(members: list[tuple[str, object]]) -> dict[str, object]:
    """Return the members of an object as a dict.

    Raises:
        EditError: two members have the same name.
    """
    found = dict(members)
    if len(found) < len(members):
        names = [name for name, _ in members]
        raise EditError(f"{next(name for name in names if names.count(name) > 1)} is there twice")
    return found
