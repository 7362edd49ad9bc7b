"""Containers of objects in damaged saves: no list has two of one name. If one has, one of the names is wrong, and both are lost.

Which one that is does not show: elements of one container may look like those of another. The tags of the list are looked at by
their sizes, before anything of the first container is given.
"""

from __future__ import annotations

from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import PropertyTag
from streamsave.formats.unreal.frames import Frame
from streamsave.formats.unreal.pool import NO_NAME
from streamsave.formats.unreal.tag_reader import TagReader

__all__ = ["TwinContainers"]

#: Tags of a list that are looked at.
MOST_TAGS = 1024
#: Lists that are larger are read by a cursor of its own, which goes forward only.
LARGE = 256 * 1024
#: How often a large list is read: again from a tag on that is after one that is damaged.
MOST_LOOKS = 2


class TwinContainers:
    """Finds containers of one name."""

    def __init__(self, tags: TagReader) -> None:
        self._tags = tags
        #: The list that was read last: where its tags are, and their names and indexes.
        self._list: Frame | None = None
        self._names: dict[int, str] = {}
        self._far: Cursor | None = None
        self._looks = 0

    def has_twin(self, reader: Reader, frame: Frame, tag: PropertyTag) -> bool:
        """Return whether the list of a tag, `frame`, has another one of this name, as far as its tags follow each other."""
        if frame is not self._list or tag.offset not in self._names:
            if frame is not self._list:
                self._names.clear()
            self._list = frame
            self._read(reader, frame.end, tag.offset)
        return sum([name == tag.name for name in self._names.values()]) > 1

    def _read(self, reader: Reader, end: int, start: int) -> None:
        cursor = self._cursor(reader, end, start)
        if cursor is None:
            self._names[start] = ""
            return
        at = start
        try:
            for _ in range(MOST_TAGS):
                cursor.seek(at)
                name = cursor.name()
                if name == NO_NAME:
                    return
                _, size = self._tags.pass_tag(cursor)
                self._names[at] = name
                at = int(cursor.tell()) + int(size)
                if end >= 0 and at > end:
                    return
        except SaveError:  # the walk comes to it, and says what is wrong
            return

    def _cursor(self, reader: Reader, end: int, start: int) -> Cursor | None:
        """Return a cursor to read a list with; None if it was read too often."""
        if 0 <= end - start <= LARGE:
            cursor = reader.cursor.fork()
        else:
            self._looks += 1
            if self._looks > MOST_LOOKS:
                return None
            if self._far is None:
                self._far = reader.cursor_ahead()
            cursor = self._far
        cursor.set_limit(NO_LIMIT)
        return cursor
