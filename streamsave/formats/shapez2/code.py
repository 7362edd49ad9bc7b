"""A blueprint code of shapez 2: JSON, see `blueprint`, inside of an envelope, see `envelope`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.errors import SaveError
from streamsave.events import PADDING, BlobSkip, Event, SaveEnd, SaveStart
from streamsave.formats.shapez2.blueprint import BlueprintWalker
from streamsave.formats.shapez2.envelope import Envelope
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.header import BlueprintHeader
from streamsave.formats.shapez2.jsontext import JsonTokens
from streamsave.formats.shapez2.summary import read_blueprint_summary, read_icons
from streamsave.formats.shapez2.versions import BLUEPRINT_NEWEST
from streamsave.input.source import Source
from streamsave.input.windows import BytesWindows, FileWindows
from streamsave.limits import Limits

__all__ = ["CodeReader"]

FORMAT: Final = "shapez2-blueprint"


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
