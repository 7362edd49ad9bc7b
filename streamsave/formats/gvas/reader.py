"""A save game: header, properties of the one object that was saved, end.

| field | type | |
|---|---|---|
| header | see `header` | |
| properties | property list | |
| object_guid | bool32, then 16 bytes if set | |
| trailer | see `key_profiles` | of one class |

It is one `ObjectHeader`, which claims the header; its `ObjectEnd` claims the end of the properties. A GUID is a `Field`. Bytes
after all that are a `BlobSkip`. Where elements of containers are objects (`profiles`), a `StructEnter` and its `StructExit`
replace the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.decode.codecs import Codec, Struct
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.errors import TruncatedSave
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.formats.gvas.header import GvasHeader, read_header, read_stated_size
from streamsave.formats.gvas.key_profiles import KEY_PROFILES_CLASS, key_profiles
from streamsave.formats.gvas.profiles import profile_of
from streamsave.formats.gvas.structs import make_dialect
from streamsave.formats.gvas.wrappers import make_windows
from streamsave.formats.unreal.codecs import OBJECT_GUID
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.object_rows import ObjectProfile
from streamsave.formats.unreal.reader import BEGUN, UnrealReader
from streamsave.formats.unreal.tags import UE5_SERIALIZATION_CONTROL
from streamsave.input.forward import ForwardWindows
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["STATED_WIDTH", "GvasReader"]

FORMAT: Final = "gvas"
KIND: Final = "save game"
#: Bytes of the number that says how many follow it.
STATED_WIDTH: Final = 4


class GvasReader(UnrealReader):
    """Walks a save game."""

    def __init__(self, source: Source, limits: Limits) -> None:
        windows, self.wrapper = make_windows(source, limits)
        super().__init__(Cursor(windows, limits), Dialect())
        self.source = source
        #: That of the save, once it was read.
        self.header: GvasHeader | None = None

    def events(self) -> Iterator[Event]:
        cursor = self.cursor
        self.source.forget()
        stated_size = read_stated_size(cursor) if self.wrapper == "archive" else None
        header = read_header(cursor, self)
        header.stated_size = stated_size
        header.wrapper = self.wrapper
        self.header = header
        version = header.ue5_version or header.package_version_ue4
        # The first event is this one, though the header is in the first chunk already.
        entered = list(self.windows.entered)
        self.windows.entered.clear()
        yield SaveStart(0, FORMAT, version, header)
        self.windows.entered.extend(entered)
        self.dialect = make_dialect(header)
        self.dialect.add_hints(self.options.type_hints)
        if self.dialect.blobs is not None:
            self.dialect.blobs.warn = self.source.warn
        start = header.size
        windows = self.windows
        if stated_size is not None:
            self.stream_end = STATED_WIDTH + stated_size
        elif isinstance(windows, ForwardWindows):
            self.stream_end = windows.size  # as the wrapper states it
        size = self.stream_end - start if self.stream_end >= 0 else -1
        profile = self._profile(header.save_game_class)
        if profile is not None:
            self.give_objects(profile, version)
            yield StructEnter(0, "", header.save_game_class, start, size, -1, -1)
        else:
            yield ObjectHeader(0, KIND, header.save_game_class, "", "", "", None, 0, version, start, 0, start, size)
        end = cursor.tell()
        if end == start:
            self.begin_list(NO_LIMIT)
            yield BEGUN
            end = self.list_end
            self.list_end = -1
            has_guid = cursor.bool32()
            if has_guid:
                cursor.take(16)  # not `skip`: the stream may end before
            after = self._after_properties(header, has_guid=has_guid)
            if after is not None:
                cursor.seek(end)
                self.begin_members(after, NO_LIMIT)
                yield BEGUN
                self.list_end = -1
                end = cursor.tell()
        end_size = cursor.tell() - end
        yield ObjectEnd(end, "", end_size) if profile is None else StructExit(end, "", end_size)

        at = cursor.tell()
        stream_end = self._stream_end()
        if stream_end < at or (stated_size is not None and stream_end < self.stream_end):
            raise cursor.located(
                TruncatedSave(f"the stream ends at {stream_end:#x}", at, expected="the end of the save game", actual=stream_end)
            )
        if stream_end > at:
            yield BlobSkip(at, stream_end - at, "bytes after the save game")
        yield SaveEnd(stream_end)

    def _after_properties(self, header: GvasHeader, *, has_guid: bool) -> Struct | None:
        """Return the layout of what ends the properties and of what follows at the cursor; None if nothing follows."""
        members: dict[str, Codec] = {}
        if header.save_game_class.endswith(KEY_PROFILES_CLASS):
            ahead = self.cursor_ahead()
            ahead.set_limit(NO_LIMIT)
            ahead.seek(self.cursor.tell())
            has_control = header.ue5_version >= UE5_SERIALIZATION_CONTROL
            trailer = key_profiles(ahead, self, has_control=has_control)
            has_guid = True  # another event would claim the end of the properties where the trailer is damaged
            if trailer is not None:
                members["trailer"] = trailer
        return Struct("", None, object_guid=OBJECT_GUID, **members) if has_guid else None

    def _profile(self, class_name: str) -> ObjectProfile | None:
        """Return which containers have objects: those that the user names, or those of the game; None if there are none."""
        rows = profile_of(class_name) if self.options.objects_at is None else self.options.objects_at
        return ObjectProfile(rows) if rows else None

    def _stream_end(self) -> int:
        """Return where the inflated stream ends.

        Raises:
            SaveError: it is damaged after the cursor.
        """
        windows = self.windows
        at = self.cursor.tell()
        if isinstance(windows, ForwardWindows):
            return windows.end(at)
        size = self.source.size()
        return at if size is None else size

    def cursor_ahead(self) -> Cursor:
        windows, _ = make_windows(self.source, self.limits)
        if isinstance(windows, ForwardWindows):
            windows.bridges = True
        return Cursor(windows, self.limits)
