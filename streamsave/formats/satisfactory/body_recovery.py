"""Walk the body of a save on after damage: which levels are given up.

| what is damaged | what is lost | where the walk goes on |
|---|---|---|
| what comes before the levels | levels up to the first that is certain | there |
| the start or the end of a level | levels up to the first that is certain | there |

`level_recovery` has what is lost inside of a level.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.errors import SaveError, TruncatedSave
from streamsave.events import Event
from streamsave.formats.satisfactory.body import VALIDATION_GRIDS, BodyWalker
from streamsave.formats.satisfactory.body_reader import BodyReader
from streamsave.formats.satisfactory.gates import Member, members
from streamsave.formats.satisfactory.guard import Guard
from streamsave.formats.satisfactory.level_losses import MANY
from streamsave.formats.satisfactory.level_recovery import LevelRecovery
from streamsave.formats.satisfactory.record_scanners import LevelScanner
from streamsave.formats.satisfactory.version_data import VERSION_DATA
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.formats.unreal.versions import UE5_TYPE_TREES
from streamsave.input.chunk_table import ChunkTable

__all__ = ["BodyRecovery"]


class BodyRecovery(BodyWalker):
    """Walks a body that may be damaged."""

    def __init__(self, reader: BodyReader, levels: LevelRecovery, version: int) -> None:
        super().__init__(reader, levels, version)
        self._recovery = levels
        self._guard = Guard(reader)
        #: What comes between the size of the body and the number of levels.
        rows = [
            Member("version_data", VERSION_DATA, SAVE_VERSION_VERSION_DATA),
            Member("validation_grids", VALIDATION_GRIDS, SAVE_VERSION_VALIDATION_GRIDS),
        ]
        self._ahead = Struct("BeforeLevels", None, **members(version, rows))

    def _start(self) -> Iterator[Event]:
        guard = self._guard
        with guard:
            yield from super()._start()
        fault = guard.fault
        if fault is None:
            self._recovery.level_count = self._level_count
            return
        chunks = self._reader.chunks
        if chunks is None:
            raise fault
        self._end_with(chunks, fault)
        if self._version >= SAVE_VERSION_VERSION_DATA:
            self._ue5_version = UE5_TYPE_TREES  # the engine of the first game that wrote this SaveVersion had them
        self._level_count = MANY
        self._levels_left = 0
        if self._version >= SAVE_VERSION_LEVELS:
            self._levels_left = yield from self._lose_levels(fault, MANY)
        else:
            self._recovery.lost_start = fault

    def before_levels(self) -> Iterator[Event]:
        """Walk what comes before the levels; not if it cannot be read, and a level starts in what would be given of it."""
        reader = self._reader
        reader.claimed = reader.cursor.tell()
        if self._version >= SAVE_VERSION_LEVELS:
            self._recovery.check_ahead(self._ahead, reader.claimed, is_counted=True)
        yield from super().before_levels()

    def _streaming_levels(self) -> Iterator[Event]:
        guard = self._guard
        while self._levels_left > 0:
            with guard:
                yield from super()._streaming_levels()
            fault = guard.fault
            if fault is not None:
                self._levels_left = yield from self._lose_levels(fault, self._levels_left)

    def _end_with(self, chunks: ChunkTable, error: SaveError) -> None:
        """Assume that the body ends with the chunks, as its size is lost.

        Raises:
            SaveError: `error`, if the end of the chunks is not known either.
        """
        try:
            self._reader.stream_end = chunks.inflated_size()
        except SaveError:
            raise error from None

    def _lose_levels(self, error: SaveError, most: i64) -> Generator[Event, None, i64]:
        """Give up what no event has claimed of a level, and the levels after it up to the first that is certain.

        Args:
            error: what is wrong.
            most: how many streaming levels are left, that one included.

        Returns:
            How many are left; the cursor is at the first of them, or at the persistent level.

        Raises:
            SaveError: `error`, if no level after it is certain.
        """
        reader = self._reader
        reader.abandon()
        reader.list_end = -1
        del reader.steps[:]
        if isinstance(error, TruncatedSave):
            raise error
        cursor = reader.cursor
        chunks = reader.chunks
        if chunks is not None:
            # Levels are found from the end of the save: that has to be the true one, whatever the size of the body says.
            self._end_with(chunks, error)
        cursor.set_limit(reader.stream_end)
        levels = LevelScanner(cursor.fork(), most, self._levels.layout, reader)
        if not levels.find(self._recovery.first_offset(), 0):
            self._recovery.lost_start = error
            return 0
        self._recovery.least_start = -1
        cursor.seek(levels.place)
        count = most - levels.left if most < MANY else -1
        yield reader.lost(error, "levels", "", reader.claimed, levels.place, count=count)
        return levels.left
