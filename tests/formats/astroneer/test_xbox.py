"""Indexes of pieces: names, order, and what is missing."""

import pytest
from saves import file_with, raises
from writer.primitives import i32

from streamsave import TruncatedSave, UnsupportedSave
from streamsave.formats.astroneer.wrappers import Index, JoinedSource, Piece, read_index
from streamsave.input.source import BytesSource

DATE = "2020.06.14-17.40.07"
LATER = "2020.06.15-17.40.07"
GUID = bytes(range(16))


def entry(name: str, guid: bytes = GUID) -> bytes:
    return name.encode("utf-16-le").ljust(128, b"\0") + guid * 2


def index_bytes(*entries: bytes, count: int | None = None) -> bytes:
    return i32(4) + i32(len(entries) if count is None else count) + b"".join(entries)


def index_of(*names: str) -> Index:
    return read_index(BytesSource(index_bytes(*map(entry, names))))


def piece(number: int, count: int, *, save: str = f"S${DATE}") -> Piece:
    return Piece(save, DATE, number, count, bytes([number]) * 16)


def write(folder, *pieces: Piece, size: int = 4) -> None:
    for each in pieces:
        (folder / each.file_name).write_bytes(bytes([65 + each.piece]) * size)


@pytest.mark.parametrize(
    ("name", "save", "number", "count"),
    [
        (f"SAVE${DATE}", f"SAVE${DATE}", 0, 1),
        (f"SAVE$c{DATE}", f"SAVE$c{DATE}", 0, 1),
        (f"SAVE${DATE}$$3$12$1", f"SAVE${DATE}", 3, 12),
        (f"SA$VE$c{DATE}$$0$2$1", f"SA$VE$c{DATE}", 0, 2),
        (f"${DATE}", f"${DATE}", 0, 1),
    ],
)
def test_names(name, save, number, count):
    (pieces,) = index_of(name).saves.values()
    assert [(each.save, each.date, each.piece, each.count) for each in pieces] == [(save, DATE, number, count)]


@pytest.mark.parametrize("name", ["", "SAVE", f"SAVE{DATE}", f"SAVE$d{DATE}", f"SAVE${DATE}$$1$2$2", f"SAVE${DATE}x"])
def test_names_that_are_none_of_a_save(name):
    with pytest.raises(UnsupportedSave, match="no save in the index"):
        index_of(name)
    assert list(index_of(name, f"SAVE${DATE}").saves) == [f"SAVE${DATE}"]


def test_the_latest_complete_save_is_picked(tmp_path):
    older, newer = Piece(f"S${DATE}", DATE, 0, 1, bytes(16)), Piece(f"A${LATER}", LATER, 0, 1, b"\1" * 16)
    index = Index([older, newer])
    assert index.latest(tmp_path) == f"A${LATER}"  # none is complete
    write(tmp_path, older)
    assert index.latest(tmp_path) == f"S${DATE}"
    write(tmp_path, newer)
    assert index.latest(tmp_path) == f"A${LATER}"


@pytest.mark.parametrize("listed", [[0], [1], [0, 2], [0, 1, 2, 2]])
def test_a_save_is_complete_with_each_piece_once(tmp_path, listed):
    pieces = [piece(number, 3) for number in listed]
    write(tmp_path, *pieces)
    assert not Index(pieces).is_complete(f"S${DATE}", tmp_path)
    whole = [piece(number, 3) for number in range(3)]
    write(tmp_path, *whole)
    assert Index(whole).is_complete(f"S${DATE}", tmp_path)


def test_pieces_are_joined(tmp_path):
    pieces = [piece(number, 3) for number in range(3)]
    write(tmp_path, *pieces)
    source = JoinedSource("S", tmp_path, pieces)
    whole = b"AAAABBBBCCCC"
    assert source.size() == 12
    for offset in range(14):
        for size in range(14):
            assert source.read_at(offset, size) == whole[offset : offset + size]


@pytest.mark.parametrize(("listed", "first"), [([0, 1], 0), ([0, 2], 0), ([0, 1, 1], 8), ([0, 2, 2], 4), ([1, 1, 2], 0)])
def test_a_missing_piece_ends_what_can_be_read(tmp_path, listed, first):
    """All pieces count how many there are. A read that starts in a missing one fails."""
    pieces = [piece(number, 3) for number in listed]
    write(tmp_path, *pieces)
    source = JoinedSource("S", tmp_path, pieces)
    assert source.size() is None
    if first:
        assert source.read_at(0, 99) == b"AAAABBBB"[:first]
    with raises(TruncatedSave, match="is not in the folder", offset=first):
        source.read_at(first, 1)


def listed(*saves: tuple[str, int, int, int], unnamed: int = 0) -> Index:
    """An index: date, piece, number of pieces and GUID of each entry."""
    names = [f"S${date}$${number}${count}$1" for date, number, count, _ in saves]
    entries = [entry(name, bytes([guid]) * 16) for name, (*_, guid) in zip(names, saves, strict=True)]
    return read_index(BytesSource(index_bytes(*entries, *[entry("no save")] * unnamed)))


def file_of(folder, guid: int, size: int = 4):
    return file_with(folder / (f"{guid:02X}" * 16), b"x" * size)


WHOLE = ((DATE, 0, 1, 1), (LATER, 0, 2, 2), (LATER, 1, 2, 3))


def told(index: Index, folder) -> list[tuple[str, str]]:
    found = index.left_out(folder)
    assert all(left.is_lost and left.size == -1 for left in found)
    return [(left.name, left.message) for left in found]


@pytest.mark.parametrize("size", [None, 0])
def test_a_piece_that_is_missing_or_empty(tmp_path, size):
    """The older save is read in place of it."""
    for guid in (1, 2):
        file_of(tmp_path, guid)
    if size is not None:
        file_of(tmp_path, 3, size)
    index = listed(*WHOLE)
    save = f"S${LATER}"
    assert told(index, tmp_path) == [(save, f"the save {save} of the index is not complete: 1 of 2 pieces are there")]
    assert index.latest(tmp_path) == f"S${DATE}"


def test_an_entry_that_is_missing(tmp_path):
    """Its file is there."""
    paths = [file_of(tmp_path, guid) for guid in (1, 2, 3)]
    save = f"S${LATER}"
    assert told(listed(*WHOLE[:2]), tmp_path) == [
        (save, f"the save {save} of the index is not complete: 1 of 2 pieces are there"),
        (paths[2].name, f"no entry of the index names the file {paths[2].name}"),
    ]
    assert told(listed(*WHOLE[1:]), tmp_path) == [(paths[0].name, f"no entry of the index names the file {paths[0].name}")]


def test_an_entry_that_names_no_save(tmp_path):
    file_of(tmp_path, 1)
    assert told(listed(WHOLE[0], unnamed=2), tmp_path) == [
        ("", "entry 1 of the index names no save"),
        ("", "entry 2 of the index names no save"),
    ]
