"""Write Unreal save games: raw, as one stream of zlib or gzip, in Unreal's archives, or in Palworld's `PlZ`.

`PlZ` may be stored, compressed once or compressed twice. A prefix of unknown meaning (`GSWU`) is copied. If the first archive of
the old file (`streamsave.input.archive_header`) has one block, each block gets its own archive; else one archive has all blocks.

There is no Oodle encoder: a save in Palworld's `PlM` can be written as `PlZ`, compressed twice, as older games did.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO, Final

from streamsave.claims import content_start
from streamsave.decode.reader import Length
from streamsave.errors import EditError, UnsupportedSave
from streamsave.events import Event, Field, ObjectHeader, PropertyTag, SaveStart, StructEnter
from streamsave.formats.gvas.key_profiles import KEY_PROFILE_STEERING
from streamsave.formats.gvas.reader import STATED_WIDTH, GvasReader
from streamsave.formats.gvas.sniff import PALWORLD_OODLE, PALWORLD_SIZE, PALWORLD_ZLIB, PREFIX_SIZE
from streamsave.formats.gvas.wrappers import KIND_STORED, KIND_TWICE
from streamsave.input.archive_header import HEADER_V2_SIZE, ROW, read_archive_header
from streamsave.input.source import Source
from streamsave.input.unreal_archive import ZLIB_FIRST_BYTE, block_count
from streamsave.limits import Limits
from streamsave.rewriting.family import Facts, UnrealFamily
from streamsave.rewriting.packing import (
    GZIP_SIZE,
    LARGEST,
    SIZES,
    ChunkPacker,
    Counted,
    Piece,
    compressed,
    edited,
    full_chunks,
    gzipped,
    zlib_stream,
)
from streamsave.rewriting.rows import Row

__all__ = ["GvasFamily", "is_zlib_archive", "write_archives"]


#: Bytes of packed blocks to hold in memory.
MOST_HELD: Final = 1024 * 1024


def is_zlib_archive(source: Source, limits: Limits) -> bool:
    """Return whether the first block of an archive is a zlib stream.

    Raises:
        SaveError: no archive starts there, or one that is refused.
    """
    header = read_archive_header(source.read_at(0, HEADER_V2_SIZE))
    return source.read_at(header.size + block_count(header, limits) * ROW.size, 1) == ZLIB_FIRST_BYTE


def write_archives(source: Source, stream: Iterable[Piece], target: BinaryIO, limits: Limits, *, fast: bool = False) -> None:
    """Write a stream in archives of the same form as those of the old file.

    Raises:
        SaveError: no archive starts there, or one that is refused.
    """
    header = read_archive_header(source.read_at(0, HEADER_V2_SIZE))
    blocks = full_chunks(stream, header.block_size)
    if block_count(header, limits) == 1:
        target.writelines(map(ChunkPacker(header, fast=fast).chunk, blocks))
        return
    rows: list[tuple[int, int]] = []
    with tempfile.SpooledTemporaryFile(MOST_HELD) as held:
        for block in blocks:
            packed = zlib_stream(block, fast=fast)
            held.write(packed)
            rows.append((len(packed), len(block)))
        # The sizes of all blocks come first, so they are written once all are packed.
        sums = (sum([packed_size for packed_size, _ in rows]), sum([size for _, size in rows]))
        target.write(header.start + b"".join([ROW.pack(*sizes) for sizes in (sums, *rows)]))
        held.seek(0)
        shutil.copyfileobj(held, target)


#: Kind of wrapper -> the new file: of the new stream, the old file, and whether to be fast.
PACKERS: Final[dict[str, Callable[[Iterable[Piece], Source, bool], Iterable[Piece]]]] = {
    "raw": lambda stream, _source, _fast: stream,
    "zlib": lambda stream, _source, fast: compressed(stream, fast=fast),
    "gzip": lambda stream, source, fast: gzipped(source.read_at(0, GZIP_SIZE), stream, fast=fast),
    "GSWU": lambda stream, source, _fast: chain((source.read_at(0, PREFIX_SIZE),), stream),
}
PLZ: Final = "plz"
#: How the name of a Palworld wrapper with a prefix starts.
CNK: Final = "CNK, "
#: How the name of a stored `PlM` starts, which needs no Oodle.
STORED: Final = f"{PALWORLD_OODLE.decode()} {KIND_STORED:#x}"


class GvasFamily(UnrealFamily[GvasReader]):
    """Write Unreal save games."""

    #: The wrapper of the save game.
    _kind = ""
    #: The bytes before Palworld's header.
    _prefix = b""

    def choose_wrapper(self, wrapper: str) -> None:
        """Do as `Family.choose_wrapper`: `"plz"` writes a `PlM` as `PlZ`."""
        kind = self.reader.wrapper
        if kind.startswith(CNK):
            self._find_prefix()
            kind = kind.removeprefix(CNK)
        self._kind = kind
        is_zlib = kind == "archive" and is_zlib_archive(self._source, self._limits)
        if is_zlib or kind in PACKERS or kind.startswith(PALWORLD_ZLIB.decode()):
            return
        is_oodle = kind.startswith(PALWORLD_OODLE.decode())
        self.converts = is_oodle and wrapper == PLZ
        if not self.converts and not kind.startswith(STORED):
            hint = "; wrapper='plz' (--as plz) makes it a PlZ" if is_oodle else ""
            raise UnsupportedSave(
                f"save games in {kind} cannot be written{hint}", expected="raw, zlib, gzip, PlZ or an archive", actual=kind
            )

    def _find_prefix(self) -> None:
        """Read the two numbers before `CNK`. Their meaning is unknown, so each must be 0 or one of the two sizes.

        Raises:
            UnsupportedSave: a number is something else.
        """
        head = self._source.read_at(0, 2 * PALWORLD_SIZE)
        sizes = SIZES.unpack_from(head, PALWORLD_SIZE)
        self._prefix = head[:PALWORLD_SIZE]
        for number in SIZES.unpack_from(head):
            if number not in {0, *sizes}:
                expected = f"the sizes of the save game, {sizes[0]} or {sizes[1]}"
                raise UnsupportedSave("unknown number before CNK: it cannot be written", 0, expected=expected, actual=number)

    def lengths(self, event: Event) -> list[Length]:
        """Do as `Family.lengths`. The nesting of the whole save has none."""
        if event.offset > 0:
            return super().lengths(event)
        header = self.reader.header
        is_stated = header is not None and header.stated_size is not None and isinstance(event, SaveStart)
        return [Length(0, STATED_WIDTH, counts=False)] if is_stated else []

    def list_start(self, event: ObjectHeader | StructEnter) -> int:
        """Do as `Family.list_start`."""
        return content_start(event) if event.offset == 0 else super().list_start(event)

    def steers(self, event: Event) -> bool:
        """Do as `Family.steers`."""
        blobs = self.reader.dialect.blobs
        if isinstance(event, PropertyTag):
            return blobs is not None and (event.name in blobs.noted_names or event.name == blobs.versions_name != "")
        if not isinstance(event, Field):
            return False
        path = self.reader.path()
        is_in_profiles = path[:1] == ("trailer",) and "properties" not in path
        return (is_in_profiles and event.name in KEY_PROFILE_STEERING) or (
            blobs is not None and bool(blobs.noted_names) and event.name == "key" and event.type == "name"
        )

    def facts(self, event: ObjectHeader | PropertyTag) -> Facts:
        """Do as `Family.facts`: for elements of the same container, and for properties."""
        header = self.reader.header
        assert header is not None  # noqa: S101 - the first event has it
        version = (header.package_version_ue4, header.ue5_version, tuple(map(repr, header.custom_versions)))
        shared: Facts = (("format", "gvas"), ("version", version), *self.dialect_facts(self.reader.dialect))
        if isinstance(event, PropertyTag):
            return shared
        return (*shared, ("class of the save game", header.save_game_class), ("level", event.level), ("kind", event.kind))

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        stream = edited(self.reader.windows, rows, 0, self.end)
        if self._kind in PACKERS:
            target.writelines(PACKERS[self._kind](stream, self._source, self.fast))
        elif self._kind == "archive":
            write_archives(self._source, stream, target, self._limits, fast=self.fast)
        else:
            self._write_palworld(stream, target)

    def _write_palworld(self, stream: Iterator[Piece], target: BinaryIO) -> None:
        """Write Palworld's header and the save game, and the sizes at the end."""
        prefix = self._prefix
        head = self._source.read_at(len(prefix), PALWORLD_SIZE)
        old = SIZES.unpack_from(head)
        if self.converts:
            head = bytes(SIZES.size) + PALWORLD_ZLIB + bytes([KIND_TWICE])
        target.write(prefix + head)
        kind = head[PALWORLD_SIZE - 1]
        whole = Counted(stream)
        inner = whole if kind == KIND_STORED else Counted(compressed(whole, fast=self.fast))
        target.writelines(compressed(inner, fast=self.fast) if kind == KIND_TWICE else inner)
        if whole.size > LARGEST or inner.size > LARGEST:
            raise EditError("the save game is too large for its wrapper", whole.size, f"at most {LARGEST} bytes")
        new = (whole.size, inner.size)
        target.seek(0)
        if prefix:
            followed = (new[old.index(number)] if number in old else number for number in SIZES.unpack_from(prefix))
            target.write(SIZES.pack(*followed) + prefix[SIZES.size :])
        target.write(SIZES.pack(*new))
