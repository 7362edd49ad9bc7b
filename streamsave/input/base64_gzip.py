"""A gzip member in base64 -> windows of inflated bytes: the payload of a blueprint code.

The base64 is strict: no white space, padding only at the end. It is decoded piece by piece, and never held as a whole. The
inflated stream is one chunk.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.input.members import GZIP_BASE64, Chunk, StreamedWindows
from streamsave.input.source import Source
from streamsave.input.stages import INFLATE_ERRORS, WINDOW_BITS_GZIP, Stage, fast_zlib, inflate_some
from streamsave.limits import Limits

__all__ = ["PIECE_SIZE", "Base64GzipWindows", "code_fault", "code_without_end"]

#: Characters that are read at a time. A multiple of four, so that each piece is base64 of its own.
PIECE_SIZE: Final = 64 * 1024
#: Header and trailer of a gzip member, and the shortest deflate stream.
LEAST_GZIP: Final = 20
#: Deflate makes at most this many bytes of one.
MOST_INFLATED: Final = 1032


def code_fault(offset: int, message: str, *, expected: object = None, actual: object = None) -> SaveError:
    """Return the error for damage at a byte of the code itself, before anything is decoded."""
    return DamagedSave(f"{message}, at byte {offset} of the code", offset, expected=expected, actual=actual)


def code_without_end(offset: int) -> SaveError:
    """Return the error for a code that ends at `offset`, too early."""
    return TruncatedSave("the code has no end", offset, expected="$", actual="the end of the input")


def decode_at(source: Source, offset: int, size: int, *, is_last: bool) -> bytes:
    """Decode `size` characters at `offset` of the file; only the last piece may be padded.

    Raises:
        TruncatedSave: the file ends before.
        DamagedSave: they are no strict base64.
    """
    text = source.read_at(offset, size)
    if len(text) < size:
        raise code_without_end(offset + len(text))
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        raise code_fault(offset, "no sound base64") from None
    if len(data) != size // 4 * 3 and not is_last:
        raise code_fault(offset, "padding inside of base64")
    return data


class Base64Stage(Stage):
    """Bytes in base64."""

    def __init__(self, source: Source, chunk: Chunk) -> None:
        super().__init__()
        self._source = source
        self._offset: int = chunk.compressed_offset
        self._left: int = chunk.compressed_size
        self._decoded = b""

    def produce(self, size: i64) -> bytes:
        if not self._decoded and self._left > 0:
            want = min(PIECE_SIZE, self._left)
            self._decoded = decode_at(self._source, self._offset, want, is_last=want == self._left)
            self._offset += want
            self._left -= want
        data = self._decoded[:size]
        self._decoded = self._decoded[size:]
        return data


class Base64GzipWindows(StreamedWindows):
    """The inflated bytes of a gzip member in base64.

    Raises, when it is made:
        DamagedSave: base64 has no such length, the length is too short for gzip, or the size that gzip declares is impossible.
        LimitExceeded: it inflates to too much.
    """

    def __init__(self, source: Source, limits: Limits, offset: int, size: int, name: str) -> None:
        """Look at the last characters, which hold the inflated size.

        Args:
            source: the file.
            limits: what to refuse.
            offset: where the base64 starts in the file.
            size: characters of base64.
            name: what errors call the chunk.
        """
        super().__init__(limits)
        self._source = source
        if size % 4 or size * 3 // 4 < LEAST_GZIP:
            raise code_fault(offset, "length of base64", expected="a multiple of 4 that holds a gzip member", actual=size)
        tail = decode_at(source, offset + size - 8, 8, is_last=True)
        inflated_size = int.from_bytes(tail[-4:], "little")
        if inflated_size > MOST_INFLATED * size:
            raise code_fault(offset, "inflated size", expected=f"at most {MOST_INFLATED * size}", actual=inflated_size)
        self.add(Chunk(name, GZIP_BASE64, inflated_size, size, offset, -1))

    def open_payload(self, index: int) -> Stage:
        return Base64Stage(self._source, self.chunks[index])

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        """Return where the code ends: the size that gzip declares is the last thing to be checked, so it may be any number."""
        end, is_all = super().readable_end(limits)
        return end if is_all else min(self._count(end), end), is_all

    def _count(self, most: int) -> int:
        """Return how many bytes the code inflates to before its first fault; if that is after `most`, any number above that."""
        return count_sound(fast_zlib.decompressobj(WINDOW_BITS_GZIP), sound_pieces(self.open_payload(0)), most)


def sound_pieces(stage: Stage) -> Iterator[bytes]:
    """Yield the bytes of a stage up to its first fault."""
    with suppress(SaveError):
        while piece := stage.read():
            yield piece


def count_sound(inflater: object, pieces: Iterable[bytes], most: int) -> int:
    """Return how many bytes come out of pieces before the byte at fault; if they are more than `most`, any number above that."""
    zlib_object: Any = inflater
    size = 0
    for piece in pieces:
        data = piece
        while data and size <= most and not zlib_object.eof:
            before = zlib_object.copy()
            try:
                size += len(inflate_some(zlib_object, data, PIECE_SIZE))
            except INFLATE_ERRORS:
                if len(data) == 1:
                    return size
                return size + count_sound(before, [data[at : at + 1] for at in range(len(data))], most - size)
            data = zlib_object.unconsumed_tail
    return size
