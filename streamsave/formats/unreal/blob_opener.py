"""Steps into arrays of bytes that have a layout (`blob_layouts`).

| field | type | |
|---|---|---|
| size | i32 | bytes of the blob |
| members | by layout | |

Bytes that no layout takes exactly are passed over: the layout is not known, nothing is damaged.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.events import BlobSkip, Event
from streamsave.formats.unreal.blob_layouts import BlobLayouts
from streamsave.formats.unreal.container_steps import ContainerSteps
from streamsave.formats.unreal.frames import Frame
from streamsave.formats.unreal.nestings import Nestings
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tag_reader import TagReader

__all__ = ["BlobOpener"]

#: Larger blobs are passed over: their versions come after them, and a source that cannot go back keeps what is between.
LARGEST_BLOB: Final = 64 * 1024
#: More bytes of versions are none: a blob has a dozen of them at most.
LARGEST_VERSIONS: Final = 64 * 1024


class BlobOpener:
    """Opens the last tag's value, if it is a blob with a layout."""

    def __init__(self, tags: TagReader, nestings: Nestings, guesses: StructGuesses, steps: ContainerSteps) -> None:
        self._tags = tags
        self._nestings = nestings
        self._guesses = guesses
        self._steps = steps

    def open(self, reader: Reader) -> Event | None:
        """Return the first event of the blob, or None if the last tag's value is none, and stay at its start.

        Raises:
            SaveError: the stream ends before the value does, or is damaged.
        """
        tags = self._tags
        blobs = tags.dialect.blobs
        cursor = reader.cursor
        start = tags.value_start
        end = reader.leaf_end
        size = end - start - 4
        frame = self._nestings.top
        if (
            blobs is None
            or frame is None
            or reader.leaf_name != blobs.name
            or tags.last.inner_type != "ByteProperty"
            or size <= 0
        ):
            return None
        cursor.check_reaches(end)
        count = cursor.i32()
        if count != size:
            cursor.seek(start)
            return None
        frames = self._nestings.frames
        if size > LARGEST_BLOB:
            cursor.seek(start)
            return BlobSkip(start, size + 4, f"{blobs.name} too large to decode: {blobs.kind(frames)}")
        if blobs.last_start != start or blobs.last_end != end:
            self._find_layout(reader, frame, blobs, start, end)
        layout = blobs.last_layout
        if layout is None:
            cursor.seek(start)
            return BlobSkip(start, size + 4, f"{blobs.name} of unknown layout: {blobs.kind(frames)}")
        cursor.seek(start + 4)
        event = self._steps.enter_struct(cursor, reader.leaf_name, layout, start, -1, end)
        cursor.set_limit(end)
        return event

    def _find_layout(self, reader: Reader, frame: Frame, blobs: BlobLayouts, start: i64, end: i64) -> None:
        """Find the layout that takes exactly the bytes of the blob from `start` to `end`; raise what `open` does."""
        blobs.last_layout = None
        blobs.last_start = -1
        for layout in blobs.layouts(self._nestings.frames, self._versions_after(reader, frame, blobs, end)):
            if self._guesses.fits(reader, layout, 1, start + 4, end):
                blobs.last_layout = layout
                blobs.last_start = start
                blobs.last_end = end
                return

    def _versions_after(self, reader: Reader, frame: Frame, blobs: BlobLayouts, offset: i64) -> bytes | None:
        """Return the bytes of the array of versions at `offset`; None if something else is there.

        Raises:
            SaveError: the stream ends there, or cannot be read.
        """
        tags = self._tags
        cursor = reader.cursor
        cursor.seek(offset)
        try:
            if cursor.name() != blobs.versions_name:
                return None
            tags.read(cursor, offset, blobs.versions_name)
            size: i64 = tags.size_and_index & 0xFFFFFFFF
            if size < 4 or size > LARGEST_VERSIONS or size > cursor.remaining():
                return b""
            cursor.skip(4)
            return cursor.take(size - 4)
        except (DamagedSave, LimitExceeded, UnsupportedSave) as error:
            if error is cursor.fault:
                raise
        # What is there is no array of bytes. The walk comes to it next, and says what is wrong.
        return None
