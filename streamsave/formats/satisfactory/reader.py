"""The readers of saves (`.sav`) and blueprints (`.sbp`): a header as it is, then a body in chunks.

`header` has the layouts of the headers, `body` that of a save's body. The body of a blueprint is its size, i32, and one level.
Before SaveVersion 21, a save's body is stored without chunks.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.decode.codecs import I32
from streamsave.events import Event, SaveStart
from streamsave.formats.satisfactory.body import BodyWalker
from streamsave.formats.satisfactory.body_reader import BodyReader
from streamsave.formats.satisfactory.header import BlueprintHeader, SaveHeader, read_blueprint_header, read_header
from streamsave.formats.satisfactory.level_layout import level_layout
from streamsave.formats.satisfactory.levels import BLUEPRINT
from streamsave.formats.satisfactory.versions import SAVE_VERSION_64_BIT, SAVE_VERSION_COMPRESSED, SAVE_VERSION_NEWEST
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["BlueprintReader", "SatisfactoryReader"]


class SatisfactoryReader(BodyReader):
    """Walks a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: SaveHeader | None = None

    def start(self) -> SaveStart:
        header = read_header(self.cursor)
        version = header.save_version
        warn_if_newer(self.source, version)
        self.header = header
        self.save_version = version
        self.build_version = header.build_version
        self.layout = level_layout(version)
        self.has_wide_size = version >= SAVE_VERSION_64_BIT
        if version >= SAVE_VERSION_COMPRESSED:
            self.open_chunks(header.size)
        else:
            self.open_plain(header.size)
        return SaveStart(0, "satisfactory", version, header)

    def events(self) -> Iterator[Event]:
        yield self.start()
        levels = self.make_levels(self.layout, self.build_version)
        yield from BodyWalker(self, levels, self.save_version).events()
        yield from self.finish()


class BlueprintReader(BodyReader):
    """Walks a blueprint."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.header: BlueprintHeader | None = None

    def start(self) -> SaveStart:
        header = read_blueprint_header(self.cursor)
        version = header.save_version
        warn_if_newer(self.source, version)
        self.header = header
        self.save_version = version
        self.ue5_version = header.ue5_version
        self.build_version = header.build_version
        self.is_blueprint = True
        self.open_chunks(header.size)
        return SaveStart(0, "satisfactory-blueprint", version, header)

    def events(self) -> Iterator[Event]:
        yield self.start()
        yield self.passed("body_size", I32, self.body_size(wide=False))
        levels = self.make_levels(self.layout, self.build_version)
        yield from levels.persistent_level(BLUEPRINT, self.save_version, self.ue5_version, 0)
        yield from self.finish()


def warn_if_newer(source: Source, save_version: int) -> None:
    """Warn if a newer game than any known here has written the save."""
    if save_version > SAVE_VERSION_NEWEST:
        source.warn("save is newer than known, read like the newest", save_version=save_version, newest=SAVE_VERSION_NEWEST)
