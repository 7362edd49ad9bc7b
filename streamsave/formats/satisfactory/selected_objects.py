"""The objects of a level that a selection wants; the others make no events.

All headers are walked, but of an object that is not wanted little more than the class is read. The data are followed only up to
the objects that are wanted: the size of each gives the offset of the next. If no test needs data, they are not even inflated.
An object that contains others comes in any case, with its data: some of those in it may be wanted.
"""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.decode.selecting import Selecting
from streamsave.events import ObjectHeader
from streamsave.formats.satisfactory.lightweight import holds_instances
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec

__all__ = ["SelectedObjects"]


class SelectedObjects:
    """The headers of a level and, where they are needed, the entries: two cursors, of which the second one lags.

    Args:
        toc: is at the first header.
        data: is at the first entry.
        count: how many objects the level has.
        level_version: the SaveVersion of the level.
        headers, entries: codecs of both.
        wanted: the selection.
    """

    def __init__(
        self,
        toc: Cursor,
        data: Cursor,
        count: i64,
        level_version: int,
        headers: ObjectHeaderCodec,
        entries: ObjectEntryCodec,
        wanted: Selecting,
    ) -> None:
        self._toc = toc
        self._data = data
        self._level_version: i64 = level_version
        self._headers = headers
        self._entries = entries
        self._wanted = wanted
        #: How many headers follow, and by how many objects the data cursor lags.
        self._left: i64 = count
        self._lag: i64 = 0

    def next_header(self) -> ObjectHeader | None:
        """Return the next object that is wanted or contains others, or None at the end of the level.

        The data cursor is at the object's data. If no test needs data, `data_offset` and `size` are -1 instead.
        """
        toc = self._toc
        data = self._data
        headers = self._headers
        entries = self._entries
        wanted = self._wanted
        while self._left > 0:
            self._left -= 1
            class_name = headers.read_class(toc)
            is_wanted = wanted.wants_class(class_name)
            holds = holds_instances(class_name)
            if not is_wanted and not holds:
                headers.skip_names(toc)
                headers.skip_place(toc)
                self._lag += 1
                continue
            headers.read_names(toc)
            if not holds and not wanted.wants_names(class_name, headers.instance_name, headers.level):
                headers.skip_place(toc)
                self._lag += 1
                continue
            headers.read_place(toc)
            if not wanted.needs_data and not holds:
                self._lag += 1
                header = headers.event(self._level_version, 0, -1, -1, 0)
                if wanted.wants_header(header):
                    return header
                continue
            self.catch_up()
            entries.decode(data, headers.instance_name)
            header = headers.event(
                entries.save_version, entries.prefix_size, entries.data_offset, entries.size, entries.stored_flags
            )
            if holds or wanted.wants_header(header):
                return header
            entries.skip_data(data)
        return None

    def catch_up(self) -> None:
        """Pass over the entries of the objects whose headers were passed over."""
        while self._lag > 0:
            self._lag -= 1
            self._entries.measure(self._data)
