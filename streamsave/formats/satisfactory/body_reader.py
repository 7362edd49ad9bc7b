"""What the readers of saves and blueprints share: a plain header, then a body in chunks that starts with its size."""

from __future__ import annotations

from collections.abc import Iterator

from streamsave._native import i64
from streamsave.decode.codecs import Codec
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.length import Length
from streamsave.events import BlobSkip, Event, ObjectHeader, SaveEnd, SaveStart, StructEnter
from streamsave.formats.satisfactory.level_layout import BLUEPRINT_LAYOUT, LevelLayout
from streamsave.formats.satisfactory.levels import LEVEL, LevelWalker, OpenLevel
from streamsave.formats.satisfactory.lightweight import LIGHTWEIGHT, holds_instances
from streamsave.formats.satisfactory.object_entry import entry_layout
from streamsave.formats.satisfactory.object_header import ACTOR, header_layout
from streamsave.formats.satisfactory.objects import FIXED_MEMBERS, ObjectWalker
from streamsave.formats.satisfactory.trailers import LIGHTWEIGHT_MEMBERS
from streamsave.formats.satisfactory.versions import SAVE_VERSION_NEWEST
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["BodyReader"]


class BodyReader(UnrealReader):
    """Opens and ends the body; a level walker walks what is in it."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), limits, Dialect())
        self.source = source
        self.chunks: ChunkTable | None = None
        #: Of the levels, which refer to the reader: it does not refer to them.
        self._objects: ObjectWalker | None = None
        self._open_level: OpenLevel | None = None
        #: The size of the body is an i64.
        self.has_wide_size = False
        #: What the header says: its SaveVersion, UE5 object version and build; how its levels are stored.
        self.save_version = 0
        self.ue5_version = 0
        self.build_version = 0
        self.is_blueprint = False
        self.layout: LevelLayout = BLUEPRINT_LAYOUT

    def start(self) -> SaveStart:
        """Read the header and open the body; return the first event.

        Raises:
            SaveError: the header is damaged.
        """
        raise NotImplementedError

    def use_versions(self, save_version: int, build_version: int) -> None:
        """Note what the header says; warn if a newer game than any known here has written the save."""
        self.save_version = save_version
        self.build_version = build_version
        if save_version > SAVE_VERSION_NEWEST:
            message = "save is newer than known, read like the newest"
            self.source.warn(message, save_version=save_version, newest=SAVE_VERSION_NEWEST)

    def open_chunks(self, offset: int) -> None:
        """Go on in the inflated body, whose chunks start at `offset` in the file."""
        self.chunks = ChunkTable(self.source, offset, self.limits)
        self.windows = self.chunks
        self.cursor = Cursor(self.chunks, self.limits)

    def open_plain(self, offset: int) -> None:
        """Go on in a body that is stored as it is, from `offset` in the file on."""
        self.windows = FileWindows(self.source, offset)
        self.cursor = Cursor(self.windows, self.limits)
        self.cursor.set_limit(NO_LIMIT)

    def make_levels(self, layout: LevelLayout, build_version: int) -> LevelWalker:
        """Make the walker for the levels, which starts at the cursor."""
        levels = LevelWalker(self, layout, build_version)
        self.use_levels(levels)
        return levels

    def use_levels(self, levels: LevelWalker) -> None:
        """Note what walks the levels."""
        self._objects = levels.objects
        self._open_level = levels.open_level

    def level_versions(self) -> tuple[int, int]:
        """Return the SaveVersion and the UE5 object version of the level that was entered last."""
        level = self._open_level
        return (0, 0) if level is None else (level.version, level.ue5_version)

    def body_size(self, *, wide: bool) -> i64:
        """Read the size of the body, an i64 if `wide`, and bound all that follows by it; return where it starts."""
        start = self.cursor.tell()
        size = self.cursor.i64() if wide else self.cursor.i32()
        if size < 0 or size > NO_LIMIT:  # beyond that, offsets of compiled code turn negative
            raise self.cursor.damaged("size of the body", offset=start, expected=f"0 to {NO_LIMIT}", actual=size)
        self.cursor.set_limit(self.cursor.tell() + size)
        self.stream_end = self.cursor.limit()
        if self.chunks is not None:
            self.chunks.declared_size = self.stream_end
        return start

    def finish(self) -> Iterator[Event]:
        """Account for every byte: of the body up to its size, and of the chunks up to the end of the file.

        Raises:
            TruncatedSave: the chunks end before the body does.
            DamagedSave: bytes follow the body.
        """
        cursor = self.cursor
        end = cursor.tell()
        body_end = cursor.limit()
        chunks = self.chunks
        if chunks is None:
            # No size says where the body ends, and what was passed over was not read: its last byte has to be there.
            cursor.seek(end - 1)
            cursor.u8()
            if cursor.peek(1):
                raise cursor.damaged("bytes after the save", expected="the end of the file", actual=cursor.peek(8))
            yield SaveEnd(end)
            return
        if end != body_end:
            cursor.check_reaches(body_end)
            yield BlobSkip(end, body_end - end, "bytes after the save")
            cursor.seek(body_end)
        inflated_size = chunks.inflated_size()
        if inflated_size < body_end:
            raise cursor.truncated(body_end - inflated_size)
        if inflated_size > body_end:
            raise cursor.damaged("chunks after the body", expected=f"{body_end} bytes", actual=inflated_size)
        yield SaveEnd(body_end)

    # --- what the stream calls ---

    def skip(self, event: Event) -> bool:
        if isinstance(event, ObjectHeader):
            self.abandon()
            if event.size >= 0:  # else no test needs its data
                self.cursor.seek(event.data_offset + event.size)
            return True
        level = self._open_level
        if level is not None and isinstance(event, StructEnter) and event.type_name == LEVEL:
            level.skip(self.cursor, self)
            return True
        return super().skip(event)

    def lengths(self, event: Event) -> list[Length]:
        if isinstance(event, SaveStart):
            return [] if self.chunks is None else [Length(0, 8 if self.has_wide_size else 4, counts=False)]
        if isinstance(event, ObjectHeader):
            # The size ends where the data start; instances have none.
            return [Length(event.data_offset - 4, 4, counts=False)] if event.prefix_size > 0 else []
        level = self._open_level
        if level is not None and isinstance(event, StructEnter) and event.type_name == LEVEL:
            return level.lengths(event)
        return super().lengths(event)

    def layouts(self, event: Event) -> list[tuple[int, Codec]]:
        if not isinstance(event, ObjectHeader) or event.prefix_size <= 0:
            return super().layouts(event)
        header = header_layout(self.level_versions()[0], is_actor=event.kind == ACTOR)
        return [(event.offset, header), (event.data_offset - event.prefix_size, entry_layout(event.prefix_size))]

    def list_start(self, event: ObjectHeader | StructEnter) -> i64:
        if isinstance(event, ObjectHeader):
            return -1 if self._objects is None or event.kind == LIGHTWEIGHT else self._objects.list_start(self, event)
        return super().list_start(event)

    def stores_name(self, name: str) -> bool:
        return name not in FIXED_MEMBERS and name not in LIGHTWEIGHT_MEMBERS

    def leads_to_objects(self, event: Event) -> bool:
        # Levels, and the nestings around the instances of a subsystem.
        return isinstance(event, StructEnter) and (event.type_name == LEVEL or event is self._entered)

    def holds_objects(self, header: ObjectHeader) -> bool:
        return not self.as_values and header.kind != LIGHTWEIGHT and holds_instances(header.class_name)
