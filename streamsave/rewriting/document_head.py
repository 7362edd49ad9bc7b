"""The optional first members of a JSON document of a save; how to write and read them.

| member | value |
|---|---|
| `"@source"` | `{"size", "sha256"}` of the save file: with another save, the document is refused |
| `"@original"` | the save file itself, in Base64: the document can become a save without another file |

Both are written and read in constant memory.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO, Final

from streamsave.input.source import SourceLike, open_source
from streamsave.input.windows import FileWindows
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.packing import edited, full_chunks

__all__ = ["Document", "head_of"]

SOURCE: Final = "@source"
ORIGINAL: Final = "@original"
#: Bytes to read at a time, and their number of Base64 characters.
PIECE_SIZE: Final = 192 * 1024
TEXT_SIZE: Final = PIECE_SIZE // 3 * 4


def bytes_of(source: SourceLike) -> Iterator[bytes]:
    """Yield the bytes of a file.

    Raises:
        OSError: it cannot be read.
    """
    with closing(open_source(source)) as file:
        yield from full_chunks(edited(FileWindows(file), ()), PIECE_SIZE)


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


class Document:
    """Reads the head of a document.

    Attributes:
        source: the value of `"@source"`; None if there is none.
        head: where the head starts and ends, for `JsonReader`.

    Args:
        file: the document. It must be seekable, and stays open.

    Raises:
        EditError: the head is no JSON.
        OSError: the file cannot be read.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        reader = self._reader = JsonReader(file)
        reader.expect(b"{")
        self.source: object = None
        #: Start and end of the Base64 text, without quotes; None if there is none.
        self._original: tuple[int, int] | None = None
        start = end = reader.tell()
        while reader.peek() == b'"' and (name := reader.name()) in {SOURCE, ORIGINAL}:
            if name == SOURCE:
                self.source = reader.decoded()
            else:
                self._pass_original()
            if reader.peek() == b",":
                reader.expect(b",")
            end = reader.tell()
        self.head = (start, end)

    @property
    def has_original(self) -> bool:
        """Whether the document contains the save file."""
        return self._original is not None

    def check_source(self, source: SourceLike) -> None:
        """Check that the document was made from this save, if it has `"@source"`.

        Raises:
            EditError: it was made from another save.
            OSError: the save cannot be read.
        """
        if self.source is not None and self.source != facts_of(source):
            raise self._reader.fault("it was made from another save than this one: other bytes", self.head[0])

    def write_original(self, target: BinaryIO) -> None:
        """Write the save file that the document contains.

        Raises:
            EditError: its text is not Base64.
            OSError: the target cannot be written.
        """
        at, end = self._original or (0, 0)
        while at < end:
            self._file.seek(at)
            text = self._file.read(min(TEXT_SIZE, end - at))
            try:
                target.write(b64decode(text, validate=True))
            except ValueError:
                raise self._reader.fault(f"{ORIGINAL} is no Base64", at) from None
            at += len(text)

    def _pass_original(self) -> None:
        """Skip the Base64 text, and record where it is."""
        reader, file = self._reader, self._file
        reader.expect(b'"')
        start = at = reader.tell()
        file.seek(at)
        while (block := file.read(PIECE_SIZE)) and b'"' not in block:
            at += len(block)
        at += max(block.find(b'"'), 0)
        self._original = start, at
        reader.seek(at)
        reader.expect(b'"')
