"""What is around the save game.

| starts with | what |
|---|---|
| BE 40 37 4A EE 0B 74 A3 | u32 1, u32 inflated size, one zlib stream up to the end of the file |
| `PK` 3 4 | a zip archive; the first of its members that is a save game |
| i32 4, i32 count | an index of Xbox pieces, which are joined; what they make up starts like one of the others |
| `GVAS` | nothing: the save game itself |

A local header in a zip archive: u32 signature, u16 version, u16 flags (bit 3: sizes stand behind the data), u16 method (0 stored,
8 deflate), u32 time, u32 CRC-32, u32 compressed size, u32 size, u16 name size, u16 extra size, name, extra.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any, Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import DamagedSave, SaveError, TruncatedSave, UnsupportedSave
from streamsave.formats.astroneer.xbox import JoinedSource, is_index, read_index
from streamsave.formats.gvas.header import read_to_class
from streamsave.input.chunk_table import INFLATE_ERRORS, FileWindows, Windows, fast_zlib
from streamsave.input.forward import ForwardWindows
from streamsave.input.source import BytesSource, Source
from streamsave.input.stages import FileStage, InflateStage, Stage
from streamsave.limits import Limits

__all__ = ["CLASS", "Wrapping", "sniff_astroneer"]

MAGIC: Final = bytes.fromhex("BE40374AEE0B74A3")
WRAPPER_SIZE: Final = 16
SAVE_GAME_MAGIC: Final = b"GVAS"
ZIP_MAGIC: Final = b"PK\x03\x04"
#: The save game's class, as it stands in its header.
CLASS: Final = "AstroSave"
#: How far into the save game its class is looked for: behind the custom versions, 20 bytes each.
CLASS_WITHIN: Final = 16 * 1024
HEAD_SIZE: Final = 64

LOCAL_HEADER: Final = struct.Struct("<4sHHHIIIIHH")
METHOD_STORED: Final = 0
METHOD_DEFLATE: Final = 8
FLAG_SIZES_BEHIND: Final = 0x08
FLAG_ENCRYPTED: Final = 0x01
RAW_DEFLATE: Final = -zlib.MAX_WBITS
SIZE_ELSEWHERE: Final = 0xFFFFFFFF
#: Members of an archive that are looked at.
MOST_MEMBERS: Final = 256
PIECE_SIZE: Final = 32 * 1024


class Member:
    """A member of a zip archive, by its local header."""

    def __init__(self, source: Source, offset: int) -> None:
        head = source.read_at(offset, LOCAL_HEADER.size)
        self.is_there = len(head) == LOCAL_HEADER.size and head.startswith(ZIP_MAGIC)
        fields = LOCAL_HEADER.unpack(head if self.is_there else bytes(LOCAL_HEADER.size))
        self.flags: int = fields[2]
        self.method: int = fields[3]
        self.sizes_behind = bool(self.flags & FLAG_SIZES_BEHIND) or SIZE_ELSEWHERE in fields[6:8]
        self.crc: int = fields[5]
        self.compressed_size: int = -1 if self.sizes_behind else fields[6]
        self.size: int = -1 if self.sizes_behind else fields[7]
        self.data_offset: int = offset + LOCAL_HEADER.size + fields[8] + fields[9]

    def start(self, source: Source) -> bytes:
        """Inflate the start of the member; nothing where that is not possible."""
        if self.flags & FLAG_ENCRYPTED or self.method not in {METHOD_STORED, METHOD_DEFLATE}:
            return b""
        size = CLASS_WITHIN if self.compressed_size < 0 else min(CLASS_WITHIN, self.compressed_size)
        data = source.read_at(self.data_offset, size)
        if self.method == METHOD_STORED:
            return data
        inflater: Any = fast_zlib.decompressobj(RAW_DEFLATE)
        try:
            start: bytes = inflater.decompress(data, CLASS_WITHIN)
        except INFLATE_ERRORS:
            return b""
        return start


def find_member(source: Source) -> Member | None:
    """Find the member that is an Astroneer save game. One whose sizes stand behind it hides those that follow."""
    offset = 0
    for _ in range(MOST_MEMBERS):
        member = Member(source, offset)
        if not member.is_there:
            return None
        if is_save_game(member.start(source)):
            return member
        if member.compressed_size < 0:
            return None
        offset = member.data_offset + member.compressed_size
    return None


def is_save_game(start: bytes) -> bool:
    """Tell by its first bytes whether a save game is one of Astroneer: by its class, which values of others may name."""
    if not start.startswith(SAVE_GAME_MAGIC) or CLASS.encode() not in start:
        return False
    try:
        return read_to_class(Cursor(FileWindows(BytesSource(start[:CLASS_WITHIN])), Limits())).save_game_class == CLASS
    except SaveError:
        return False


def sniff_astroneer(head: bytes, source: Source) -> bool:
    """Tell whether a file that starts with `head` is an Astroneer save, in whatever wrapper."""
    if head.startswith(MAGIC):
        return True
    if head.startswith(SAVE_GAME_MAGIC):
        return is_save_game(source.read_at(0, CLASS_WITHIN))
    if head.startswith(ZIP_MAGIC):
        return find_member(source) is not None
    return is_index(head, source)


class MemberStage(Stage):
    """A member of a zip archive, checked against its CRC-32; what stands behind it in the archive is not looked at."""

    def __init__(self, source: Source, member: Member) -> None:
        super().__init__()
        self._source = source
        self._member = member
        self._inflater: Any = None if member.method == METHOD_STORED else fast_zlib.decompressobj(RAW_DEFLATE)
        self._rest = b""
        self._read: int = 0
        self._given: int = 0
        self._crc: int = 0
        self._ended = False
        self._fault: SaveError | None = None

    def read(self, size: i64) -> bytes:
        if self._fault is not None:
            raise self._fault
        member = self._member
        if member.size >= 0 and size > member.size + 1 - self._given:
            size = member.size + 1 - self._given
        while not self._ended:
            out = self._stored(size) if self._inflater is None else self._inflated(size)
            self._given += len(out)
            if member.size >= 0 and self._given > member.size:
                self._fault = DamagedSave("the member inflates to more than its size", expected=member.size, actual=self._given)
                out = out[:-1]
            self._crc = zlib.crc32(out, self._crc)
            if self._ended and self._fault is None:
                self._fault = self._fault_of_end()
            if out:
                return out
            if self._fault is not None:
                raise self._fault
        return b""

    def _stored(self, size: i64) -> bytes:
        data = self._rest or self._more()
        self._rest = data[size:]
        self._ended = not data
        return data[:size]

    def _inflated(self, size: i64) -> bytes:
        data = self._rest or self._more()
        try:
            # Also without input: the inflater may hold back output that did not fit before.
            out: bytes = self._inflater.decompress(data, size)
        except INFLATE_ERRORS:
            raise DamagedSave("no sound deflate stream") from None
        self._rest = self._inflater.unconsumed_tail
        self._ended = bool(self._inflater.eof)
        if self._ended:
            self._read -= len(self._inflater.unused_data)
        elif not data and not out:
            raise TruncatedSave("the member of the zip archive ends early")
        return out

    def _more(self) -> bytes:
        """Read on in the member; nothing at its end."""
        member = self._member
        size = PIECE_SIZE
        if member.compressed_size >= 0 and size > member.compressed_size - self._read:
            size = member.compressed_size - self._read
        data = self._source.read_at(member.data_offset + self._read, size)
        self._read += len(data)
        if not data and self._inflater is None and self._read < member.compressed_size:
            raise TruncatedSave("the member of the zip archive ends early")
        return data

    def _fault_of_end(self) -> SaveError | None:
        """Tell what is wrong with the end: it is told once all in front of it was given."""
        member = self._member
        size, crc = member.size, member.crc
        if member.sizes_behind:
            behind = self._source.read_at(member.data_offset + self._read, 8)
            # The signature of what stands there may be left out.
            crc_bytes = behind[4:8] if behind.startswith(b"PK\x07\x08") else behind[:4]
            if len(crc_bytes) < 4:
                return TruncatedSave(
                    "the archive ends before the CRC-32 of the member", expected="4 bytes", actual=len(crc_bytes)
                )
            crc = int.from_bytes(crc_bytes, "little")
        elif self._read != member.compressed_size:
            return DamagedSave("compressed size of the member", expected=member.compressed_size, actual=self._read)
        if size >= 0 and self._given != size:
            return DamagedSave("size of the member", expected=size, actual=self._given)
        if self._crc != crc:
            return DamagedSave("CRC-32 of the member", expected=crc, actual=self._crc)
        return None

    def consumed(self) -> int:
        return self._read


class Wrapping:
    """What is around one save, and how to make windows over what is inside."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        #: In words.
        self.name = ""
        #: The save that was picked from an index, and all that the index names.
        self.save = ""
        self.saves: list[str] = []
        self._member: Member | None = None
        head = source.read_at(0, HEAD_SIZE)
        if is_index(head, source):
            head = self._join()
        self._size = int.from_bytes(head[12:16], "little")
        if head.startswith(MAGIC):
            kind = "zlib"
            if len(head) < WRAPPER_SIZE:
                raise TruncatedSave("the file ends inside of the wrapper", expected=f"{WRAPPER_SIZE} bytes", actual=len(head))
            if int.from_bytes(head[8:12], "little") != 1:
                raise UnsupportedSave("version of the wrapper", 8, expected=1, actual=head[8:12])
        elif head.startswith(ZIP_MAGIC):
            kind = "zip"
            self._member = find_member(self.source)
            if self._member is None:
                raise UnsupportedSave("no save game in the zip archive", expected="a member of class AstroSave", actual="none")
            if self._member.method == METHOD_STORED and self._member.compressed_size < 0:
                raise UnsupportedSave("a stored member of unknown size", expected="its size in front of it", actual="behind it")
        elif head.startswith(SAVE_GAME_MAGIC):
            kind = "raw"
        else:
            raise UnsupportedSave("no save starts here", expected=f"{MAGIC.hex()}, PK or GVAS", actual=head[:8])
        self._kind = kind
        self.name = f"Xbox pieces, {kind}" if self.saves else kind

    def _join(self) -> bytes:
        """Pick the save of an index, and go on in its pieces."""
        path = Path(self.source.name)
        if not path.is_file():
            raise UnsupportedSave(
                "an index of pieces names files beside it", expected="the path of the index", actual="bytes alone"
            )
        index = read_index(self.source)
        self.saves = list(index.saves)
        self.save = index.latest(path.parent)
        self.source = JoinedSource(self.save, path.parent, index.saves[self.save])
        return self.source.read_at(0, HEAD_SIZE)

    def windows(self) -> Windows:
        """Make windows over the save game."""
        source, limits = self.source, self.limits
        member = self._member
        if self._kind == "raw":
            return ForwardWindows(lambda: FileStage(source, 0), limits)
        if member is not None:
            codec = "stored" if member.method == METHOD_STORED else "deflate"
            return ForwardWindows(
                lambda: MemberStage(source, member), limits, codec, member.size, member.data_offset, member.compressed_size
            )
        return ForwardWindows(self._inflate, limits, "zlib", self._size, WRAPPER_SIZE)

    def _inflate(self) -> Stage:
        return InflateStage(FileStage(self.source, WRAPPER_SIZE), self._size)
