"""Write Astroneer saves: raw, in the game's zlib wrapper, or as a member of a zip archive, whose other members are copied.

Only values can be edited. Objects, actor records and names are referred to by number, so none can be dropped or added.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import BinaryIO, ClassVar, Final

from streamsave.decode.codecs import I64, STRING, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.decode.reader import Length
from streamsave.errors import DamagedSave, EditError, UnsupportedSave
from streamsave.events import Event, Field, ObjectHeader, StructEnter
from streamsave.formats.astroneer.instances import CUSTOM_RECORD, RECORD, has_custom_data, record_lengths
from streamsave.formats.astroneer.layout import BLOCK, BLOCKS, DATUM_ARRAYS, DATUM_SLOTS, PoolCodec, block_length
from streamsave.formats.astroneer.reader import ACTOR_RECORD, REMOTE_PLAYER, AstroneerReader
from streamsave.formats.astroneer.wrappers import WRAPPER_SIZE
from streamsave.formats.unreal.pool import PoolCursor, PoolEncoder
from streamsave.input.zip_archive import Archive
from streamsave.rewriting.family import UnrealFamily
from streamsave.rewriting.packing import LARGEST, Counted, Piece, compressed, edited
from streamsave.rewriting.rows import Row
from streamsave.rewriting.zip_archive import write_archive

__all__ = ["AstroneerFamily"]

#: A field of a voxel block that says how its other bytes are read.
STEERING_BLOCK: Final = "size"
#: Type of an element -> why it cannot be dropped.
REASONS: Final = {
    **dict.fromkeys(
        (*DATUM_ARRAYS, DATUM_SLOTS),
        "other parts of the save refer to entities and components by slot: none can be left out or added",
    ),
    ACTOR_RECORD: "other parts of the save refer to actor records by number: none can be left out or added",
    REMOTE_PLAYER: "no save with remote players is known: none can be left out or added",
    BLOCK: "what refers to voxel blocks is unknown: none can be left out or added",
}
#: `memLevel` of the game, which uses a window of 4 KiB.
MEMORY: Final = 9
#: The upper half of the first byte of a zlib stream is the window size in bits, minus this.
LEAST_BITS: Final = 8
#: The smallest window size that zlib writes, in bits.
FEWEST_BITS: Final = 9
SIZE_WIDTH: Final = 4


class AstroneerFamily(UnrealFamily[AstroneerReader]):
    """Write Astroneer saves."""

    steering: ClassVar[frozenset[str]] = frozenset(
        (
            "astro_save_version",
            "unverified_flag",
            "level_name",
            "version",
            "names",
            "object_count",
            "terrain_version",
            "object_guid",
        )
    )

    def choose_wrapper(self, wrapper: str) -> None:
        """Do as `Family.choose_wrapper`: a save in Xbox pieces cannot be written."""
        if self.reader.wrapping.saves:
            raise UnsupportedSave(
                "saves in Xbox pieces cannot be written: the index names the pieces",
                expected="a save in one file",
                actual=self.reader.wrapping.name,
            )
        if self.reader.wrapping.kind == "zip":
            self._archive()

    #: The names of a pool that have an index in `_index_of`.
    _indexed: list[str] | None = None
    _index_of: dict[str, int]

    # --- the bytes of the save ---

    def cursor_at(self, offset: int) -> Cursor:
        """Do as `Family.cursor_at`, with the names of the level."""
        cursor = super().cursor_at(offset)
        assert isinstance(cursor, PoolCursor)  # noqa: S101 - its reader has made it
        cursor.names = self.reader.pool_cursor.names
        return cursor

    def lengths(self, event: Event) -> list[Length]:
        """Do as `Family.lengths`."""
        if isinstance(event, ObjectHeader):
            return record_lengths(event, self.cursor_at(event.offset))
        if isinstance(event, StructEnter) and event.type_name == BLOCK and event.index >= 0:
            return [block_length(event)]
        return super().lengths(event)

    def layouts(self, event: Event) -> list[tuple[int, Codec]]:
        """Do as `Family.layouts`: the header of an object; of the names of a level, the first is not stored."""
        if isinstance(event, ObjectHeader):
            return [(event.offset, CUSTOM_RECORD if has_custom_data(event) else RECORD)]
        layouts = super().layouts(event)
        for start, pool in layouts:
            if isinstance(pool, PoolCodec):
                names: dict[str, Codec] = {str(index): STRING for index in range(1, len(pool.names))}
                return [(start, Struct(pool.name, None, count=I64, **names))]
        return layouts

    def encoder(self) -> Encoder:
        """Do as `Family.encoder`: of names by their index."""
        names = self.reader.pool_cursor.names
        if self._indexed is not names:
            self._indexed = names
            self._index_of = {name: index for index, name in enumerate(names)}
        return PoolEncoder(self._index_of)

    # --- what can be edited ---

    def encode(self, event: Event, value: object) -> bytes:
        """Do as `Family.encode`: slots of entities and components stay as many as they are."""
        data = super().encode(event, value)
        if isinstance(event, Field) and event.type == DATUM_SLOTS and len(data) != event.size:
            raise EditError(REASONS[DATUM_SLOTS])
        return data

    def part(self, event: Event) -> int:
        """Do as `Family.part`: there are no parts, but some events can only be edited inside."""
        if isinstance(event, ObjectHeader) and has_custom_data(event):
            raise EditError("it has properties and custom data, with a size each: replace the bytes of one of them")
        if isinstance(event, StructEnter) and event.type_name == BLOCK:
            raise EditError("its size is inside: replace its voxels")
        return -1

    def contents(self, event: Event) -> list[tuple[int, int]]:
        """Do as `Family.contents`: the properties of an object, and its custom data."""
        if not isinstance(event, ObjectHeader):
            return []
        end = event.data_offset + event.size
        ends = {one.end for one in self.lengths(event) if 0 <= one.end < end}
        places = [event.data_offset, *ends, end]
        return [(start, stop) for start, stop in pairwise(places) if start < stop]

    def holds(self, around: Event, event: Event) -> bool:
        """Do as `Family.holds`: only elements of properties."""
        if isinstance(event, ObjectHeader):
            raise EditError("other parts of the save refer to objects by number: none can be left out or added")
        reason = REASONS.get(around.type_name) if isinstance(around, StructEnter) else None
        if reason is not None and isinstance(event, StructEnter) and event.index >= 0:
            raise EditError(reason)
        return super().holds(around, event)

    def steers(self, event: Event) -> bool:
        """Do as `Family.steers`."""
        is_size = isinstance(event, Field) and event.name == STEERING_BLOCK and BLOCKS in self.reader.steps[-2:]
        return is_size or super().steers(event)

    # --- the wrapper ---

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        stream = edited(self.reader.wrapping.windows(), rows)
        if self.reader.wrapping.kind == "raw":
            target.writelines(stream)
        elif self.reader.wrapping.kind == "zip":
            archive, place = self._archive()
            members = ((chunk, stream if index == place else None) for index, chunk in enumerate(archive.chunks))
            write_archive(archive, members, target, fast=self.fast)
        else:
            self._write_wrapped(stream, target)

    def _write_wrapped(self, stream: Iterable[Piece], target: BinaryIO) -> None:
        """Write the save in the game's wrapper, and the size at the end."""
        head = self._source.read_at(0, WRAPPER_SIZE + 1)
        counted = Counted(stream)
        target.write(head[:WRAPPER_SIZE])
        bits = max((head[WRAPPER_SIZE] >> 4) + LEAST_BITS, FEWEST_BITS)
        target.writelines(compressed(counted, fast=self.fast, bits=bits, memory=MEMORY))
        if counted.size > LARGEST:
            raise EditError("the save is too large for its wrapper", counted.size, f"at most {LARGEST} bytes")
        target.seek(WRAPPER_SIZE - SIZE_WIDTH)
        target.write(counted.size.to_bytes(SIZE_WIDTH, "little"))

    def _archive(self) -> tuple[Archive, int]:
        """Return the archive, and the index of the save among its members.

        Raises:
            SaveError: its directory is damaged, or does not have the save.
        """
        archive = Archive(self._source, self._limits)
        for index, chunk in enumerate(archive.chunks):
            if archive.local_header(chunk).data_offset == self.reader.wrapping.member_offset:
                return archive, index
        raise DamagedSave("the save is not in the directory of the archive", archive.directory_offset)
