"""What is around the save game.

| starts with | what |
|---|---|
| BE 40 37 4A EE 0B 74 A3 | u32 1, u32 inflated size, one zlib stream up to the end of the file |
| `PK` 3 4 | a zip archive; the first of its members that is a save game |
| i32 4, i32 count | an index of Xbox pieces, which are joined; what they make up starts like one of the others |
| `GVAS` | nothing: the save game itself |

Saves of the Xbox and Microsoft Store version: pieces of 16 MiB in a folder, and an index of them.

The index, `container.<number>`:

| field | type | |
|---|---|---|
| version | i32 | 4 |
| count | i32 | |
| entries | count times 160 bytes | |

An entry: `name` (64 UTF-16 units, NULs at the end), `guid`, `guid` (the same in each seen). The name is `<save>$<date>`, with a
`c` before the date in creative mode, and `$$<piece>$<pieces>$1` at its end where there are several. The file of a piece is
called like its GUID. Of several saves, the latest whose pieces are all there is read. What cannot be read is told by
`Index.left_out`: saves without all pieces, entries that name no save, files that no entry names.

The module is long because a save may be raw, in zlib, in an archive or in pieces.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from streamsave.decode.cursor import Cursor
from streamsave.errors import DamagedSave, SaveError, TruncatedSave, UnsupportedSave
from streamsave.formats.astroneer.versions import CLASS_WITHIN, INDEX_VERSION, MAGIC, SAVE_GAME_MAGIC, WRAPPER_VERSION, ZIP_MAGIC
from streamsave.formats.gvas.header import read_to_class
from streamsave.input.forward import ForwardWindows
from streamsave.input.source import BytesSource, Source
from streamsave.input.stages import FileStage, InflateStage, Stage
from streamsave.input.windows import FileWindows, Windows
from streamsave.input.zip_archive import Archive, Member, MemberStage, members_of
from streamsave.limits import Limits

__all__ = [
    "CLASS",
    "ENTRY_SIZE",
    "WRAPPER_SIZE",
    "Index",
    "JoinedSource",
    "LeftOut",
    "Piece",
    "Wrapping",
    "is_index",
    "read_index",
]

WRAPPER_SIZE: Final = 16
#: The save game's class, as its header has it.
CLASS: Final = "AstroSave"
HEAD_SIZE: Final = 64


def find_member(source: Source) -> Member | None:
    """Find the member that is an Astroneer save game. One whose sizes follow its data hides the members after it."""
    return next((member for member in members_of(source) if is_save_game(member.start(source, CLASS_WITHIN))), None)


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
    try:
        archive = Archive(source, limits)
    except SaveError as error:
        return [LeftOut("", f"the directory of the archive cannot be read, so members may be missing: {error.message}")]
    found: list[LeftOut] = []
    is_listed = False
    for index, chunk in enumerate(archive.chunks):
        try:
            member = archive.local_header(chunk)
            if member.data_offset == read.data_offset:
                is_listed = True
                continue
            archive.check(index)
        except SaveError as error:
            found.append(LeftOut(chunk.name, f"{error.message}; it is not read", size=chunk.size))
            continue
        if is_save_game(member.start(source, CLASS_WITHIN)):
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
        #: The save that was picked from an index, and all that the index names.
        self.save = ""
        self.saves: list[str] = []
        self._index: Index | None = None
        self._folder = Path()
        self._member: Member | None = None
        #: What is around the save game, besides pieces: raw, zlib or zip.
        self.kind = "raw"
        head = source.read_at(0, HEAD_SIZE)
        if is_index(head, source):
            head = self._join()
        self._size = int.from_bytes(head[12:16], "little")
        if head.startswith(MAGIC):
            self.kind = "zlib"
            if len(head) < WRAPPER_SIZE:
                raise TruncatedSave("the file ends inside of the wrapper", expected=f"{WRAPPER_SIZE} bytes", actual=len(head))
            if int.from_bytes(head[8:12], "little") != WRAPPER_VERSION:
                raise UnsupportedSave("version of the wrapper", 8, expected=WRAPPER_VERSION, actual=head[8:12])
        elif head.startswith(ZIP_MAGIC):
            self.kind = "zip"
            self._member = find_member(self.source)
            if self._member is None:
                raise UnsupportedSave("no save game in the zip archive", expected="a member of class AstroSave", actual="none")
            if self._member.is_stored and self._member.compressed_size < 0:
                raise UnsupportedSave("a stored member of unknown size", expected="its size before it", actual="after it")
        elif not head.startswith(SAVE_GAME_MAGIC):
            raise UnsupportedSave("no save starts here", expected=f"{MAGIC.hex()}, PK or GVAS", actual=head[:8])
        #: In words.
        self.name = f"Xbox pieces, {self.kind}" if self.saves else self.kind

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
        if self.kind == "raw":
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


# --- pieces ---

INDEX_HEADER_SIZE: Final = 8
NAME_SIZE: Final = 128
GUID_SIZE: Final = 16
ENTRY_SIZE: Final = NAME_SIZE + 2 * GUID_SIZE
#: An index lists the saves of one player.
MOST_ENTRIES: Final = 65_536

NAME: Final = re.compile(
    r"(?P<save>.*)\$(?P<mode>c?)(?P<date>\d{4}\.\d\d\.\d\d-\d\d\.\d\d\.\d\d)(\$\$(?P<piece>\d+)\$(?P<count>\d+)\$1)?"
)
#: The name of the file of a piece.
FILE_NAME: Final = re.compile(r"[0-9A-F]{32}")


class LeftOut(NamedTuple):
    """Something beside a save that is not read with it."""

    #: What it is called: a member, a save, a file; "" if it has no name.
    name: str
    #: What is wrong, in words.
    message: str
    #: Whether it may be lost, or a part of what is; other things may be beside a sound save.
    is_lost: bool = True
    #: Its bytes, inflated; -1 if unknown.
    size: int = -1


class Piece:
    """One entry of the index."""

    def __init__(self, save: str, date: str, piece: int, count: int, guid: bytes) -> None:
        #: The save's name with its date; the pieces of one save have the same.
        self.save = save
        self.date = date
        self.piece = piece
        self.count = count
        self.file_name = "".join(
            (guid[3::-1].hex(), guid[5:3:-1].hex(), guid[7:5:-1].hex(), guid[8:].hex()),
        ).upper()


class Index:
    """The saves of an index: name -> pieces in order.

    Args:
        pieces: its entries.
        unnamed: positions of the entries that name no save.
    """

    def __init__(self, pieces: list[Piece], unnamed: tuple[int, ...] = ()) -> None:
        self.unnamed = unnamed
        self.saves: dict[str, list[Piece]] = {}
        for piece in sorted(pieces, key=lambda each: each.piece):
            self.saves.setdefault(piece.save, []).append(piece)

    def is_complete(self, save: str, folder: Path) -> bool:
        """Return whether all pieces of a save are listed, and in the folder."""
        pieces = self.saves[save]
        numbers = [piece.piece for piece in pieces]
        return numbers == list(range(pieces[0].count)) and all(is_piece(folder / piece.file_name) for piece in pieces)

    def left_out(self, folder: Path) -> list[LeftOut]:
        """Return what cannot be read: saves that are not complete, entries and files without a save."""
        found = []
        for save, pieces in self.saves.items():
            if not self.is_complete(save, folder):
                there = len({piece.piece for piece in pieces if is_piece(folder / piece.file_name)})
                message = f"the save {save} of the index is not complete: {there} of {pieces[0].count} pieces are there"
                found.append(LeftOut(save, message))
        found += [LeftOut("", f"entry {index} of the index names no save") for index in self.unnamed]
        named = {piece.file_name for pieces in self.saves.values() for piece in pieces}
        for path in sorted(folder.iterdir()):
            if FILE_NAME.fullmatch(path.name) and path.name not in named and path.is_file():
                found.append(LeftOut(path.name, f"no entry of the index names the file {path.name}"))
        return found

    def latest(self, folder: Path) -> str:
        """Return the latest save that is complete, or the latest if none is."""
        return max(self.saves, key=lambda save: (self.is_complete(save, folder), self.saves[save][0].date, save))


def is_piece(path: Path) -> bool:
    """Return whether a file is there, and not empty."""
    return path.is_file() and path.stat().st_size > 0


def is_index(head: bytes, source: Source) -> bool:
    """Return whether a file is an index, by its version and the first name. Its size would say more, but a pipe has none."""
    return (
        int.from_bytes(head[:4], "little") == INDEX_VERSION
        and 1 <= int.from_bytes(head[4:8], "little") <= MOST_ENTRIES
        and _piece(source.read_at(INDEX_HEADER_SIZE, ENTRY_SIZE)) is not None
    )


def read_index(source: Source) -> Index:
    """Read an index.

    Raises:
        TruncatedSave: it ends inside of its entries.
        DamagedSave: bytes follow them.
        UnsupportedSave: it names nothing that is a save.
    """
    count = min(int.from_bytes(source.read_at(4, 4), "little"), MOST_ENTRIES)
    pieces = []
    unnamed = []
    for index in range(count):
        offset = INDEX_HEADER_SIZE + index * ENTRY_SIZE
        entry = source.read_at(offset, ENTRY_SIZE)
        if len(entry) < ENTRY_SIZE:
            raise TruncatedSave("the index ends inside of its entries", offset, expected=f"{ENTRY_SIZE} bytes", actual=len(entry))
        piece = _piece(entry)
        if piece is not None:
            pieces.append(piece)
        else:
            unnamed.append(index)
    end = INDEX_HEADER_SIZE + count * ENTRY_SIZE
    if rest := source.read_at(end, 1):
        raise DamagedSave("bytes after the entries of the index", end, expected="the end of the file", actual=rest)
    if not pieces:
        raise UnsupportedSave("no save in the index", INDEX_HEADER_SIZE, expected="<save>$<date>", actual=None)
    return Index(pieces, tuple(unnamed))


def _piece(entry: bytes) -> Piece | None:
    """Read an entry; None if it names no save."""
    name = entry[:NAME_SIZE].decode("utf-16-le", "surrogatepass").rstrip("\0") if len(entry) == ENTRY_SIZE else ""
    match = NAME.fullmatch(name)
    if match is None:
        return None
    save = f"{match['save']}${match['mode']}{match['date']}"
    return Piece(
        save, match["date"], int(match["piece"] or 0), int(match["count"] or 1), entry[NAME_SIZE : NAME_SIZE + GUID_SIZE]
    )


class JoinedSource(Source):
    """The pieces of one save, one after the other. A piece is open only while it is read: there may be many."""

    def __init__(self, name: str, folder: Path, pieces: list[Piece]) -> None:
        self.name = name
        self._paths = [folder / piece.file_name for piece in pieces]
        self._sizes = [path.stat().st_size if is_piece(path) else -1 for path in self._paths]
        for number, piece in enumerate(pieces):
            if piece.piece != number or piece.count != len(pieces):
                self._sizes[number:] = [-1] * (len(pieces) - number)
                break
        if pieces[-1].piece + 1 < pieces[-1].count:
            self._paths.append(folder / f"(piece {pieces[-1].piece + 1})")
            self._sizes.append(-1)

    def read_at(self, offset: int, size: int) -> bytes:
        found: list[bytes] = []
        start = 0
        for path, piece_size in zip(self._paths, self._sizes, strict=True):
            if size <= 0:
                break
            if piece_size < 0:
                if found:
                    break
                raise TruncatedSave(f"the piece {path.name} of the save {self.name} is not in the folder", offset)
            if offset < start + piece_size:
                with path.open("rb") as file:
                    file.seek(offset - start)
                    data = file.read(size)
                found.append(data)
                offset += len(data)
                size -= len(data)
            start += piece_size
        return b"".join(found)

    def size(self) -> int | None:
        return None if -1 in self._sizes else sum(self._sizes)
