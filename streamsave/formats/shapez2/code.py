"""A blueprint code of shapez 2: JSON, see `blueprint`, inside of an envelope, with the icons after it.

| part | value | |
|---|---|---|
| `SHAPEZ2-` | | |
| envelope | decimal, `-` | 1 to 5 |
| payload | strict base64 of one gzip member | JSON; it is the inflated stream |
| icons | JSON array, `_`, its length in UTF-16 units | from `ENVELOPE_ICONS` on |
| `$` | | |

White space and back-ticks may be around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from streamsave.errors import SaveError
from streamsave.events import PADDING, BlobSkip, Event, SaveEnd, SaveStart
from streamsave.formats.shapez2.blueprint import BlueprintWalker
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.header import BlueprintHeader
from streamsave.formats.shapez2.jsontext import JsonTokens
from streamsave.formats.shapez2.sniff import AROUND_CODE, CODE_PREFIX
from streamsave.formats.shapez2.summary import read_blueprint_summary, read_icons
from streamsave.formats.shapez2.versions import BLUEPRINT_NEWEST, ENVELOPE_ICONS, ENVELOPE_NEWEST
from streamsave.input.base64_gzip import PIECE_SIZE, Base64GzipWindows, code_fault, code_without_end
from streamsave.input.source import Source
from streamsave.input.windows import BytesWindows, FileWindows
from streamsave.limits import Limits, check_limit

__all__ = ["CodeReader", "Envelope"]

FORMAT: Final = "shapez2-blueprint"
#: Bytes that are searched for the start of the code, as many as a sniffer gets; and bytes of the start.
HEAD_SIZE: Final = 64
START_SIZE: Final = 16
START: Final = re.compile(CODE_PREFIX + rb"([0-9]{1,4})-")
CUT_START: Final = re.compile(CODE_PREFIX + rb"[0-9]{0,4}")
NOT_BASE64: Final = re.compile(rb"[^A-Za-z0-9+/=]")
ICONS_END: Final = re.compile(rb"_([0-9]{1,9})\$[ \t\r\n`]*\Z")
BARE_END: Final = re.compile(rb"\A\$[ \t\r\n`]*\Z")


class Envelope:
    """A blueprint code, opened.

    Raises, when it is made:
        TruncatedSave: the code has no end.
        DamagedSave: it does not follow the table above.
        LimitExceeded: it is too long, or inflates to too much.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        head = source.read_at(0, HEAD_SIZE)
        code_offset = len(head) - len(head.lstrip(AROUND_CODE))
        head = head[code_offset : code_offset + START_SIZE]
        match = START.match(head)
        if match is None:
            if CUT_START.fullmatch(head):
                raise code_without_end(code_offset + len(head))
            raise code_fault(code_offset, "no envelope of a blueprint code", expected="SHAPEZ2-<number>-", actual=head)
        self.version = int(match[1])
        if self.version < 1:
            raise code_fault(
                code_offset + len(CODE_PREFIX), "envelope of a blueprint code", expected="1 or later", actual=self.version
            )
        if self.version > ENVELOPE_NEWEST:
            source.warn("blueprint code is newer than known, read like the newest", envelope=self.version, newest=ENVELOPE_NEWEST)
        #: Where the payload starts and ends in the file.
        self.payload_offset = code_offset + match.end()
        self.payload_end = self._find_end(self.payload_offset)
        #: JSON of the icons after the payload; empty where the envelope has none.
        self.icons = self._read_icons(self.payload_end)
        size = self.payload_end - self.payload_offset
        #: The JSON of the blueprint.
        self.windows = Base64GzipWindows(source, limits, self.payload_offset, size, "blueprint")

    def _find_end(self, at: int) -> int:
        """Return where the payload ends: at the first character that is none of base64."""
        start = at
        while True:
            piece = self._source.read_at(at, PIECE_SIZE)
            found = NOT_BASE64.search(piece)
            if found is not None:
                return at + found.start()
            at += len(piece)
            if len(piece) < PIECE_SIZE:
                raise code_without_end(at)
            check_limit(self._limits, "total_inflated_size", at - start, at, subject="code")

    def _read_icons(self, at: int) -> bytes:
        """Read what follows the payload; return the JSON of the icons."""
        allowed = self._limits.string_size
        rest = self._source.read_at(at, allowed + 1)
        check_limit(self._limits, "string_size", len(rest), at, subject="text after the payload")
        has_icons = self.version >= ENVELOPE_ICONS
        end = (ICONS_END if has_icons else BARE_END).search(rest)
        if end is None:
            if b"$" not in rest and (not rest.strip() or (has_icons and rest[:1] in b"[_")):
                raise code_without_end(at + len(rest))
            raise code_fault(at, "end of the code", expected="icons, _, their length, $" if has_icons else "$", actual=rest[:64])
        if not has_icons:
            return b""
        icons = rest[: end.start()]
        try:
            units = len(icons.decode("utf-8").encode("utf-16-le")) // 2
        except UnicodeError:
            raise code_fault(at, "icons are no UTF-8", actual=icons[:64]) from None
        if units != int(end[1]):
            raise code_fault(at, "length of the icons", expected=int(end[1]), actual=units)
        return icons


class CodeReader(GameReader):
    """Read a blueprint code."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(FileWindows(source), limits)
        self.source = source
        self.header: BlueprintHeader | None = None

    def events(self) -> Iterator[Event]:
        start = self.start()
        yield start
        yield from self.content(BlueprintWalker(self, start.version))

    def start(self) -> SaveStart:
        """Open the envelope; return the first event."""
        envelope = Envelope(self.source, self.limits)
        windows = envelope.windows
        self.open_stream(windows)
        size = windows.size()
        self.cursor.set_limit(size)
        header = read_blueprint_summary(self.game, size, envelope.version, self.limits)
        if envelope.icons:
            header.icons = self._icons(envelope.icons)
        if header.version > BLUEPRINT_NEWEST:
            self.source.warn(
                "blueprint is newer than known, read like the newest", version=header.version, newest=BLUEPRINT_NEWEST
            )
        self.header = header
        self.stream_end = size
        return SaveStart(0, FORMAT, header.version, header)

    def content(self, blueprint: BlueprintWalker) -> Iterator[Event]:
        """Yield the other events."""
        size = self.stream_end
        windows = self.windows
        header = self.header
        assert header is not None  # noqa: S101 - `start` comes first
        tokens = JsonTokens(windows, self.limits, 0, size)
        yield from blueprint.root(tokens, header.type.lower())
        if tokens.check_filler() > tokens.end:
            yield BlobSkip(tokens.end, size - tokens.end, PADDING)
        # Reading the last byte checks the end of the gzip member.
        windows.window(size - 1)
        yield SaveEnd(int(size))

    def _icons(self, data: bytes) -> tuple[str | None, ...]:
        """Read the icons that follow the payload: JSON inside of JSON."""
        try:
            content = read_icons(BytesWindows(data), len(data), self.limits, "0/Content", 1)[0]
            if content is None:
                return ()
            inner = content.encode("utf-8", "surrogatepass")
            icons = read_icons(BytesWindows(inner), len(inner), self.limits, "Data/#", 4)
            return tuple(icons) if any(icons) else ()
        except SaveError as error:
            error.message = f"icons after the payload: {error.message}"
            raise
