"""The headers and objects of a level, where somebody selects: what is not wanted makes no event.

The headers are walked; of what is not wanted, not more than the class is looked at. The objects are only followed up to those
that are wanted: the size of each tells where the next one is. Where nobody looks at the data, it is not even inflated.
"""

from __future__ import annotations

import struct
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.decode.object_filter import ObjectFilter
from streamsave.events import ObjectHeader
from streamsave.formats.satisfactory.version_data import read_optional_ue5_version
from streamsave.formats.satisfactory.versions import SAVE_VERSION_OBJECT_FLAGS, SAVE_VERSION_VERSION_DATA
from streamsave.values import Transform

__all__ = ["ACTOR_PLACE", "SelectedObjects"]

# Statics of the compiled module: a global would be looked up in a dict each time.
_ObjectHeader: Final = ObjectHeader
_Transform: Final = Transform

#: `bool32 need_transform; f32 rotation[4], translation[3], scale[3]; bool32 was_placed_in_level`
ACTOR_PLACE: Final = struct.Struct("<I10fI")
PLACE_SIZE: Final = 48


class SelectedObjects:
    """The headers of a level and, where they are needed, its objects: two cursors, of which the second one lags behind."""

    def __init__(
        self,
        toc: Cursor,
        data: Cursor,
        count: i64,
        level_version: int,
        wanted: ObjectFilter,
        *,
        entry_versions: bool,
        own_versions: bool,
    ) -> None:
        self._toc = toc
        self._data = data
        self._level_version = level_version
        self._wanted = wanted
        #: `i32 save_version; bool32 migrate_references` stand in front of each object's size; version data may stand behind it.
        self._entry_versions = entry_versions
        self._own_versions = own_versions
        #: Headers to come, and by how many of them the data lags behind.
        self._left: i64 = count
        self._behind: i64 = 0

    def next_header(self) -> ObjectHeader | None:
        """Find the next header that is wanted; None at the end of the level. It is read like `LevelReader._object_header`.

        Its `data_offset` and `size` are -1 where nobody needs data; else the cursor of the data stands where it starts.
        """
        toc = self._toc
        wanted = self._wanted
        has_flags = self._level_version >= SAVE_VERSION_OBJECT_FLAGS
        while self._left > 0:
            self._left -= 1
            offset = toc.tell()
            is_actor = toc.bool32()
            class_name = toc.name()
            if not wanted.wants_class(class_name):
                toc.skip_strings(2)
                if has_flags:
                    toc.skip(4)
                self._pass_place(is_actor)
                continue
            level = toc.name()
            instance_name = toc.string_once()
            flags = toc.u32() if has_flags else 0
            if not wanted.wants_names(class_name, instance_name, level):
                self._pass_place(is_actor)
                continue
            transform: Transform | None = None
            outer = ""
            if is_actor:
                place = toc.unpack(ACTOR_PLACE)
                transform = _Transform(place[1:5], place[5:8], place[8:11])
            else:
                outer = toc.string()
            header_size = toc.tell() - offset
            save_version = self._level_version
            prefix_size: i64 = 0
            data_offset: i64 = -1
            size: i64 = -1
            if wanted.needs_data:
                self.catch_up()
                prefix = self._data.tell()
                save_version = self._entry_version()
                size = self._entry_size()
                data_offset = self._data.tell()
                prefix_size = data_offset - prefix
            header = _ObjectHeader(
                offset,
                "actor" if is_actor else "object",
                class_name,
                instance_name,
                level,
                outer,
                transform,
                flags,
                save_version,
                header_size,
                prefix_size,
                data_offset,
                size,
            )
            if size < 0:
                self._behind += 1
            if wanted.wants_header(header):
                return header
            if size >= 0:
                self._pass_entry(save_version, size)
        return None

    def catch_up(self) -> None:
        """Pass over the objects whose headers were passed over."""
        while self._behind > 0:
            self._behind -= 1
            save_version = self._entry_version()
            self._pass_entry(save_version, self._entry_size())

    def _pass_place(self, is_actor: bool) -> None:
        """Pass over the end of a header, behind its flags; and later over its object."""
        if is_actor:
            self._toc.skip(PLACE_SIZE)
        else:
            self._toc.skip_strings(1)
        self._behind += 1

    def _entry_version(self) -> int:
        if not self._entry_versions:
            return self._level_version
        save_version = self._data.i32()
        self._data.skip(4)
        return save_version

    def _entry_size(self) -> i64:
        data = self._data
        size = data.i32()
        if size < 0 or size > data.remaining():
            raise data.damaged(
                "size of an object does not fit",
                offset=data.tell() - 4,
                expected=f"0 to {data.remaining()} bytes",
                actual=size,
            )
        return size

    def _pass_entry(self, save_version: int, size: i64) -> None:
        self._data.skip(size)
        if self._own_versions and save_version >= SAVE_VERSION_VERSION_DATA:
            read_optional_ue5_version(self._data)
