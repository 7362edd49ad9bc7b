"""The envelope of a blueprint code, and what is inside as windows of JSON text.

| part | | |
|---|---|---|
| `SHAPEZ2-` | | |
| envelope | decimal, `-` | 1 to 5 |
| payload | strict base64 of one gzip member | its JSON is the inflated stream, one chunk |
| icons | JSON array, `_`, its length in UTF-16 units | from envelope 5 on |
| `$` | | nothing but white space behind it |
"""

from __future__ import annotations

import binascii
import re
from typing import Final

from streamsave._log import warn
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.formats.shapez2.sniff import CODE_PREFIX
from streamsave.formats.shapez2.versions import ENVELOPE_NEWEST, ENVELOPE_TRAILER
from streamsave.input.members import GZIP_BASE64, Chunk, Payload, StreamedWindows
from streamsave.input.source import Source
from streamsave.limits import Limits, check_limit

__all__ = ["Envelope"]

START: Final = re.compile(rb"SHAPEZ2-([0-9]{1,4})-")
CUT_START: Final = re.compile(rb"SHAPEZ2-[0-9]{0,4}")
NOT_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/=]")
TRAILER_END: Final = re.compile(rb"_([0-9]{1,9})\$[ \t\r\n]*\Z")
BARE_END: Final = re.compile(rb"\$[ \t\r\n]*\Z")
#: A multiple of four characters, so that every piece is base64 of its own.
PIECE_SIZE: Final = 64 * 1024
#: Header and trailer of a gzip member, and the least that is between them.
LEAST_GZIP: Final = 20
#: More than this, deflate cannot make of a byte.
MOST_INFLATED: Final = 1032


class CodePayload(Payload):
    """The gzip member, out of its base64."""

    def __init__(self, envelope: Envelope, chunk: Chunk) -> None:
        super().__init__()
        self._envelope = envelope
        self._offset: int = chunk.compressed_offset
        self._left: int = chunk.compressed_size

    def read(self) -> bytes:
        want = min(PIECE_SIZE, self._left)
        if want == 0:
            return b""
        data = self._envelope.base64_at(self._offset, want, is_last=want == self._left)
        self._offset += want
        self._left -= want
        return data


class Envelope(StreamedWindows):
    """A blueprint code, opened.

    Raises, when it is made:
        TruncatedSave: the code has no end.
        DamagedSave: it is not as above.
        LimitExceeded: it is too long, or inflates to too much.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(limits)
        self._source = source
        head = source.read_at(0, 16)
        match = START.match(head)
        if match is None:
            if CUT_START.fullmatch(head):
                raise self._truncated(len(head))
            raise self._fault_at(0, "no envelope of a blueprint code", expected="SHAPEZ2-<number>-", actual=head)
        self.version = int(match[1])
        if self.version < 1:
            raise self._fault_at(len(CODE_PREFIX), "envelope of a blueprint code", expected="1 or later", actual=self.version)
        if self.version > ENVELOPE_NEWEST:
            warn("blueprint code is newer than known, read like the newest", envelope=self.version, newest=ENVELOPE_NEWEST)
        payload_offset = match.end()
        payload_end = self._find_end(payload_offset)
        #: The icons' JSON, without its length.
        self.icons = self._read_trailer(payload_end)
        payload_size = payload_end - payload_offset
        if payload_size % 4 or payload_size * 3 // 4 < LEAST_GZIP:
            raise self._fault_at(
                payload_offset, "length of base64", expected="a multiple of 4 that holds a gzip member", actual=payload_size
            )
        tail = self.base64_at(payload_end - 8, 8, is_last=True)
        size = int.from_bytes(tail[-4:], "little")
        if size > MOST_INFLATED * payload_size:
            raise self._fault_at(payload_offset, "size of what is inside", expected="less", actual=size)
        self.add(Chunk("blueprint", GZIP_BASE64, size, payload_size, payload_offset, -1))

    def open_payload(self, index: int) -> Payload:
        return CodePayload(self, self.chunks[index])

    def base64_at(self, offset: int, size: int, *, is_last: bool) -> bytes:
        """Decode a piece of the payload; only the last may be padded."""
        text = self._source.read_at(offset, size)
        if len(text) < size:
            raise self._truncated(offset + len(text))
        try:
            data = binascii.a2b_base64(text, strict_mode=True)
        except binascii.Error:
            raise self._fault_at(offset, "no sound base64") from None
        if len(data) != size // 4 * 3 and not is_last:
            raise self._fault_at(offset, "padding inside of base64")
        return data

    def _find_end(self, at: int) -> int:
        """Find where the payload ends: at the first character that is none of base64."""
        start = at
        while True:
            piece = self._source.read_at(at, PIECE_SIZE)
            found = NOT_BASE64.search(piece)
            if found is not None:
                return at + found.start()
            at += len(piece)
            if len(piece) < PIECE_SIZE:
                raise self._truncated(at)
            check_limit(self._limits, "total_inflated_size", at - start, at, subject="code")

    def _read_trailer(self, at: int) -> bytes:
        """Read what stands behind the payload; give the JSON of the icons, empty where the envelope has none."""
        allowed = self._limits.string_size
        trailer = self._source.read_at(at, allowed + 1)
        check_limit(self._limits, "string_size", len(trailer), at, subject="text after the payload")
        has_icons = self.version >= ENVELOPE_TRAILER
        end = (TRAILER_END if has_icons else BARE_END).search(trailer)
        if end is None:
            if b"$" not in trailer:
                is_started = not trailer.strip() or (has_icons and trailer[:1] in b"[_")
                if is_started:
                    raise self._truncated(at + len(trailer))
            raise self._fault_at(
                at, "end of the code", expected="icons, _, their length, $" if has_icons else "$", actual=trailer[:64]
            )
        icons = trailer[: end.start()]
        if not has_icons:
            if icons:
                raise self._fault_at(at, "end of the code", expected="$", actual=trailer[:64])
            return b""
        try:
            units = len(icons.decode("utf-8").encode("utf-16-le")) // 2
        except UnicodeError:
            raise self._fault_at(at, "icons are no UTF-8", actual=icons[:64]) from None
        if units != int(end[1]):
            raise self._fault_at(at, "length of the icons", expected=int(end[1]), actual=units)
        return icons

    def _fault_at(self, offset: int, message: str, *, expected: object = None, actual: object = None) -> SaveError:
        return DamagedSave(f"{message}, at byte {offset} of the code", offset, expected=expected, actual=actual)

    def _truncated(self, offset: int) -> SaveError:
        return TruncatedSave("the code has no end", offset, expected="$", actual="the end of the input")
