"""What is around the save game.

| starts with | what |
|---|---|
| BE 40 37 4A EE 0B 74 A3 | u32 1, u32 inflated size, one zlib stream up to the end of the file |
| `PK` 3 4 | a zip archive; the first of its members that is a save game |
| i32 4, i32 count | an index of Xbox pieces, which are joined; what they make up starts like one of the others |
| `GVAS` | nothing: the save game itself |
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError, TruncatedSave, UnsupportedSave
from streamsave.formats.astroneer.versions import CLASS_WITHIN, MAGIC, SAVE_GAME_MAGIC, WRAPPER_VERSION, ZIP_MAGIC
from streamsave.formats.astroneer.xbox import Index, JoinedSource, LeftOut, is_index, read_index
from streamsave.formats.gvas.header import read_to_class
from streamsave.input.forward import ForwardWindows
from streamsave.input.source import BytesSource, Source
from streamsave.input.stages import FileStage, InflateStage, Stage
from streamsave.input.windows import FileWindows, Windows
from streamsave.input.zip_format import Member, MemberStage, members_of
from streamsave.limits import Limits

__all__ = ["CLASS", "WRAPPER_SIZE", "Wrapping"]

WRAPPER_SIZE: Final = 16
#: The save game's class, as its header has it.
CLASS: Final = "AstroSave"
HEAD_SIZE: Final = 64


def find_member(source: Source) -> Member | None:
    """Find the member that is an Astroneer save game. One whose sizes follow its data hides the members after it."""
    for member in members_of(source):
        if is_save_game(member.start(source, CLASS_WITHIN)):
            return member
    return None


def is_save_game(start: bytes) -> bool:
    """Return whether a save game that starts with these bytes is one of Astroneer, by its class. Values of others may name it."""
    if not start.startswith(SAVE_GAME_MAGIC) or CLASS.encode() not in start:
        return False
    try:
        return read_to_class(Cursor(FileWindows(BytesSource(start[:CLASS_WITHIN])), Limits())).save_game_class == CLASS
    except SaveError:
        return False


def other_members(source: Source, limits: Limits, read: Member) -> list[LeftOut]:
    """Return what an archive holds besides the member that is read, by its directory."""
    from streamsave.input.zip_directory import Archive  # noqa: PLC0415 - takes long, and few saves are in an archive

    try:
        archive = Archive(source, limits)
    except SaveError as error:
        return [LeftOut("", f"the directory of the archive cannot be read, so members may be missing: {error.message}")]
    found: list[LeftOut] = []
    is_listed = False
    for index, chunk in enumerate(archive.chunks):
        try:
            header = archive.local_header(chunk)
            if header.data_offset == read.data_offset:
                is_listed = True
                continue
            archive.check(index)
        except SaveError as error:
            found.append(LeftOut(chunk.name, f"{error.message}; it is not read", size=chunk.size))
            continue
        if is_save_game(Member(header).start(source, CLASS_WITHIN)):
            found.append(LeftOut(chunk.name, f"member {chunk.name!r} is a save, too, and is not read", size=chunk.size))
        else:
            found.append(LeftOut(chunk.name, f"member {chunk.name!r} is not read", is_lost=False, size=chunk.size))
    if not is_listed:
        found.append(LeftOut("", "the member that is read is not in the directory of the archive"))
    return found + [LeftOut(gap.name, gap.message(), size=gap.member_size) for gap in archive.gaps()]


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
        self._index: Index | None = None
        self._folder = Path()
        self._member: Member | None = None
        head = source.read_at(0, HEAD_SIZE)
        if is_index(head, source):
            head = self._join()
        self._size = int.from_bytes(head[12:16], "little")
        if head.startswith(MAGIC):
            kind = "zlib"
            if len(head) < WRAPPER_SIZE:
                raise TruncatedSave("the file ends inside of the wrapper", expected=f"{WRAPPER_SIZE} bytes", actual=len(head))
            if int.from_bytes(head[8:12], "little") != WRAPPER_VERSION:
                raise UnsupportedSave("version of the wrapper", 8, expected=WRAPPER_VERSION, actual=head[8:12])
        elif head.startswith(ZIP_MAGIC):
            kind = "zip"
            self._member = find_member(self.source)
            if self._member is None:
                raise UnsupportedSave("no save game in the zip archive", expected="a member of class AstroSave", actual="none")
            if self._member.is_stored and self._member.compressed_size < 0:
                raise UnsupportedSave("a stored member of unknown size", expected="its size before it", actual="after it")
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
        self._index = index
        self._folder = path.parent
        self.saves = list(index.saves)
        self.save = index.latest(path.parent)
        self.source = JoinedSource(self.save, path.parent, index.saves[self.save])
        return self.source.read_at(0, HEAD_SIZE)

    @property
    def kind(self) -> str:
        """What is around the save game, besides pieces: raw, zlib or zip."""
        return self._kind

    @property
    def member_offset(self) -> int:
        """Where the data of the member that is read starts in an archive; -1 if the save is no member."""
        return -1 if self._member is None else self._member.data_offset

    @property
    def is_stored(self) -> bool:
        """Whether the save is a member of an archive that is not compressed."""
        return self._member is not None and self._member.is_stored

    def windows(self) -> Windows:
        """Make windows over the save game."""
        source, limits = self.source, self.limits
        member = self._member
        if self._kind == "raw":
            return ForwardWindows(lambda: FileStage(source, 0), limits)
        if member is not None:
            codec = "stored" if self.is_stored else "deflate"
            return ForwardWindows(
                lambda: MemberStage(source, member), limits, codec, member.size, member.data_offset, member.compressed_size
            )
        return ForwardWindows(self._inflate, limits, "zlib", self._size, WRAPPER_SIZE)

    def left_out(self) -> list[LeftOut]:
        """Return what is beside the save, and not read: pieces and saves of the index, members of the archive.

        Raises:
            OSError: the folder of the index cannot be read.
        """
        found = [] if self._index is None else self._index.left_out(self._folder)
        if self._member is not None:
            found += other_members(self.source, self.limits, self._member)
        return found

    def _inflate(self) -> Stage:
        return InflateStage(FileStage(self.source, WRAPPER_SIZE), self._size)
