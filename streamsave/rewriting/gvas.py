"""Writes Unreal save games: raw, as one stream of zlib or gzip, or in Palworld's `PlZ` (stored, compressed once or twice).

Nothing here compresses by Oodle: what is in Palworld's `PlM` can be written as `PlZ`, compressed twice, as the game did before.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from streamsave.decode.reader import Reader
from streamsave.errors import EditError, TruncatedSave, UnsupportedSave
from streamsave.events import Event, Field, PropertyTag
from streamsave.formats.gvas.reader import GvasReader
from streamsave.formats.gvas.sniff import PALWORLD_OODLE, PALWORLD_SIZE, PALWORLD_ZLIB
from streamsave.formats.gvas.wrappers import KIND_ONCE, KIND_STORED, KIND_TWICE, make_windows
from streamsave.input.source import Source
from streamsave.limits import Limits
from streamsave.rewriting.copying import edited
from streamsave.rewriting.family import Family
from streamsave.rewriting.rows import Row

__all__ = ["GvasFamily"]

PLZ: Final = "plz"
#: How the name of a `PlM` starts that needs no Oodle.
STORED: Final = f"{PALWORLD_OODLE.decode()} {KIND_STORED:#x}"
LEVEL: Final = 6
#: The header of a gzip stream: its fixed part, and the flags of what follows.
GZIP_SIZE: Final = 10
GZIP_CRC: Final = 0x02
GZIP_EXTRA: Final = 0x04
GZIP_TEXTS: Final = (0x08, 0x10)
#: More bytes are no header that anything writes.
GZIP_LARGEST: Final = 64 * 1024
SIZES: Final = struct.Struct("<II")
LARGEST: Final = (1 << 32) - 1


class GvasFamily(Family):
    """A save game.

    Args:
        source: the save that is read.
        reader: reads it.
        limits: for reading it again.
        wrapper: `"plz"`: what is in `PlM` is written as `PlZ`.
    """

    def __init__(self, source: Source, reader: GvasReader, limits: Limits, wrapper: str = "") -> None:
        super().__init__()
        self._source = source
        self._reader = reader
        self._limits = limits
        self._kind = self._find_kind(wrapper)

    def _find_kind(self, asked: str) -> str:
        """Return what is around the save game.

        Raises:
            UnsupportedSave: it cannot be written.
        """
        wrapper = self._reader.wrapper
        if wrapper in {"raw", "zlib", "gzip"} or wrapper.startswith(PALWORLD_ZLIB.decode()):
            return wrapper
        is_oodle = wrapper.startswith(PALWORLD_OODLE.decode())
        if is_oodle and (asked == PLZ or wrapper.startswith(STORED)):
            self.converts = asked == PLZ
            return wrapper
        hint = "; they can be written as PlZ" if is_oodle else ""
        raise UnsupportedSave(
            f"save games in {wrapper} cannot be written{hint}", expected="raw, zlib, gzip or PlZ", actual=wrapper
        )

    def steers(self, reader: Reader, event: Event) -> bool:
        """Do as `Family.steers`."""
        blobs = self._reader.dialect.blobs
        if blobs is None:
            return False
        if isinstance(event, PropertyTag):
            return event.name in blobs.noted_names or event.name == blobs.versions_name
        return isinstance(event, Field) and event.name == "key" and event.type == "name"

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Do as `Family.write`."""
        windows, _ = make_windows(self._source, self._limits)
        stream = edited(windows, rows)
        if self._kind == "raw":
            target.writelines(stream)
        elif self._kind == "zlib":
            target.writelines(compressed(stream))
        elif self._kind == "gzip":
            self._write_gzip(stream, target)
        else:
            self._write_palworld(stream, target)

    def _write_gzip(self, stream: Iterator[bytes], target: BinaryIO) -> None:
        target.write(gzip_header(self._source.read_at(0, GZIP_LARGEST)))
        counted = Counted(stream)
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        target.writelines(packer.compress(piece) for piece in counted)
        target.write(packer.flush() + SIZES.pack(counted.checksum, counted.size & LARGEST))

    def _write_palworld(self, stream: Iterator[bytes], target: BinaryIO) -> None:
        """Write Palworld's header and what it is around; the sizes are known at the end."""
        head = self._source.read_at(0, PALWORLD_SIZE)
        if self.converts:
            head = bytes(SIZES.size) + PALWORLD_ZLIB + bytes([KIND_TWICE])
        target.write(head)
        kind = head[PALWORLD_SIZE - 1]
        whole = Counted(stream)
        inner = whole if kind == KIND_STORED else Counted(compressed(whole))
        target.writelines(compressed(inner) if kind == KIND_TWICE else inner)
        assert kind in {KIND_STORED, KIND_ONCE, KIND_TWICE}  # noqa: S101 - others are not read
        if whole.size > LARGEST or inner.size > LARGEST:
            raise EditError("the save game is too large for its wrapper", whole.size, f"at most {LARGEST} bytes")
        target.seek(0)
        target.write(SIZES.pack(whole.size, inner.size))


class Counted:
    """Pieces of a stream, and what was taken of them: how many bytes, and their CRC-32."""

    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream
        self.size = 0
        self.checksum = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            self.size += len(piece)
            self.checksum = zlib.crc32(piece, self.checksum)
            yield piece


def compressed(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Yield one zlib stream."""
    packer = zlib.compressobj(LEVEL)
    for piece in stream:
        packed = packer.compress(piece)
        if packed:
            yield packed
    yield packer.flush()


def gzip_header(data: bytes) -> bytes:
    """Return the header of the gzip stream that `data` starts with.

    Raises:
        TruncatedSave: it is longer than `data`.
    """
    flags = data[3]
    end = GZIP_SIZE
    if flags & GZIP_EXTRA:
        end += 2 + int.from_bytes(data[end : end + 2], "little")
    for flag in GZIP_TEXTS:
        if flags & flag:
            end = data.find(b"\0", end) + 1 or len(data) + 1
    if flags & GZIP_CRC:
        end += 2
    if end > len(data):
        raise TruncatedSave("the gzip header is too long", expected=f"at most {len(data)} bytes", actual=end)
    return data[:end]
