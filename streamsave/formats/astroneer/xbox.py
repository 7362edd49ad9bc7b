"""Saves of the Xbox and Microsoft Store version: pieces of 16 MiB in a folder, and an index of them.

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
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from streamsave.errors import DamagedSave, TruncatedSave, UnsupportedSave
from streamsave.formats.astroneer.versions import INDEX_VERSION
from streamsave.input.source import Source

__all__ = ["ENTRY_SIZE", "Index", "JoinedSource", "LeftOut", "Piece", "is_index", "pieces_of_save", "read_index"]

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
#: How much of a piece one read gives.
PIECE_READ: Final = 64 * 1024


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
        unnamed: positions of the entries whose name is none of a save.
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
    if int.from_bytes(head[:4], "little") != INDEX_VERSION:
        return False
    if not 1 <= int.from_bytes(head[4:8], "little") <= MOST_ENTRIES:
        return False
    return _piece(source.read_at(INDEX_HEADER_SIZE, ENTRY_SIZE)) is not None


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
    """Read an entry; None if its name is none of a save."""
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


def pieces_of_save(index: str | Path, save: str) -> Iterator[bytes]:
    """Yield the bytes of one save of an index, for `streamsave.open` if another save than the latest is wanted.

    Raises:
        KeyError: the index names no such save.
        OSError: a file cannot be read.
        TruncatedSave: a piece is missing, or the end of the index.
        DamagedSave: bytes follow the entries of the index.
    """
    from streamsave.input.source import open_source  # noqa: PLC0415 - a caller's convenience; reading needs only `Source`

    source = open_source(index)
    try:
        pieces = read_index(source).saves[save]
    finally:
        source.close()
    joined = JoinedSource(save, Path(index).parent, pieces)
    offset = 0
    while data := joined.read_at(offset, PIECE_READ):
        yield data
        offset += len(data)
