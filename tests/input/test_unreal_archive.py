"""A damaged block of an archive around a save game costs what touches it: the archive's table has the sizes of all blocks.

The file is long because each field of the table can be wrong.
"""

import random
import struct
from collections.abc import Callable, Iterable

import pytest
from attrs import evolve, frozen
from damage import losses, survived
from feeding import OnlyRead
from memory import Traced
from profiles import some
from saves import VALID, read, read_to_error, without_chunks
from tiling import assert_tiled
from writer.gvas import SaveGame, archive
from writer.gvas_samples import item
from writer.oodle import oodle
from writer.tags import BYTE, INT, STR, Array, Fields, Map, Prop, Set

import streamsave
from streamsave import (
    Damage,
    DamagedSave,
    Event,
    Field,
    LimitExceeded,
    Limits,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveError,
    StructEnter,
    StructExit,
    TruncatedSave,
    UnsupportedSave,
)
from streamsave.input.archive_header import read_archive_header
from streamsave.input.forward import ForwardWindows
from streamsave.input.source import SourceLike, open_source
from streamsave.input.unreal_archive import ArchiveStage

#: Those that are not wrapped yet, and have more than a header.
PLAIN = sorted(
    path for path in (VALID / "gvas").glob("*.sav") if path.read_bytes().startswith(b"GVAS") and path.stat().st_size > 700
)
SIZES = struct.Struct("<QQ")
HEAD_SIZE = 16
MIB = 1 << 20


@frozen
class Block:
    """A block of an archive: where it is in the file and, inflated, in the save game."""

    file_offset: int
    file_size: int
    start: int
    end: int


def blocks_of(data: bytes) -> list[Block]:
    """The blocks of a file that is one archive of version 1."""
    total = SIZES.unpack_from(data, HEAD_SIZE)[1]
    found: list[Block] = []
    row, start, sizes = HEAD_SIZE, 0, []
    while start < total:
        row += SIZES.size
        packed_size, size = SIZES.unpack_from(data, row)
        sizes.append((packed_size, start, start + size))
        start += size
    at = row + SIZES.size
    for packed_size, start, end in sizes:
        found.append(Block(at, packed_size, start, end))
        at += packed_size
    return found


def checksum(block: bytearray) -> None:
    block[-1] ^= 1


def middle(block: bytearray) -> None:
    block[len(block) // 2] ^= 0x5A
    block[-1] ^= 1


def first_byte(block: bytearray) -> None:
    block[0] = 0


def zeros(block: bytearray) -> None:
    block[:] = bytes(len(block))


BREAKS: list[Callable[[bytearray], None]] = [checksum, middle, first_byte, zeros]


def broken(data: bytes, which: Iterable[int], how: Callable[[bytearray], None] = middle) -> bytes:
    """An archive some of whose blocks do not decompress any more."""
    blocks = blocks_of(data)
    bad = bytearray(data)
    for one in which:
        block = blocks[one]
        piece = bad[block.file_offset : block.file_offset + block.file_size]
        how(piece)
        bad[block.file_offset : block.file_offset + block.file_size] = piece
    return bytes(bad)


# --- what must be left ---


def properties(events: list[Event]) -> list[list[Event]]:
    """The events of each property that is in no other."""
    found: list[list[Event]] = []
    depth = 0
    for event in events:
        if isinstance(event, StructExit):
            depth -= 1
        if isinstance(event, PropertyTag) and depth == 0:
            found.append([event])
        elif found and event.offset < end_of(found[-1]) + isinstance(event, StructExit):
            found[-1].append(event)
        if isinstance(event, StructEnter):
            depth += 1
    return found


def end_of(prop: list[Event]) -> int:
    tag = prop[0]
    return tag.value_offset + tag.size


def left_of(sound: list[list[Event]], holes: Iterable[tuple[int, int]]) -> list[list[Event]]:
    """The properties that no hole touches, up to the first tag of the outermost list that one does."""
    found = []
    at = 0
    for prop in sound:
        tag = prop[0]
        if any(start < tag.value_offset and at < end for start, end in holes):
            break
        at = end_of(prop)
        if not any(start < at and tag.offset < end for start, end in holes):
            found.append(prop)
    return found


def assert_invents_nothing(seen: list[Event], sound: list[Event]) -> None:
    """Check that what is left is in the sound save, in that order; exits may have been made.

    How large an object is that has lost something is not known.
    """
    left = iter(sound)
    for event in seen:
        if isinstance(event, ObjectHeader) and event.size < 0:
            assert any(isinstance(other, ObjectHeader) and event == evolve(other, size=-1) for other in left), event
        elif not isinstance(event, (Damage, StructExit, ObjectEnd, SaveEnd)):
            assert any(event == other for other in left), event


def assert_costs_itself(source: SourceLike, data: bytes, which: list[int], sound: list[Event]) -> list[Event]:
    """All properties are left that the blocks do not touch, as they were; the claims tile; nothing is invented."""
    seen = survived(source)
    blocks = blocks_of(data)
    assert_tiled(seen, blocks[-1].end)
    assert_invents_nothing(seen, sound)
    left = left_of(properties(sound), [(blocks[one].start, blocks[one].end) for one in which])
    found = properties(seen)
    assert [one for one in left if one in found] == left
    return seen


def values_of(source: SourceLike) -> dict[int, str]:
    """All values that can be built, by their offset."""
    found: dict[int, str] = {}
    with streamsave.open(source, on_damage="resync") as events:
        for event in events:
            if isinstance(event, (PropertyTag, Field)):
                try:
                    if events.is_leaf():
                        found[event.offset] = repr(events.build())
                except SaveError:
                    pass
    return found


def first_block(data: bytes, header_size: int) -> int:
    """The first block with no byte of the header."""
    return next(at for at, block in enumerate(blocks_of(data)) if block.start >= header_size)


def header_size(data: bytes) -> int:
    """Up to where a save game is looked at before its first event: some of the tag of the first property is."""
    found = next(event for event in read(data) if isinstance(event, (PropertyTag, ObjectEnd)))
    return found.value_offset if isinstance(found, PropertyTag) else found.offset + found.size


# --- made saves ---


@pytest.mark.slow
@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [50, 300])
def test_a_damaged_block_costs_what_touches_it(path, size):
    plain = path.read_bytes()
    data = archive(plain, block_size=size)
    sound = without_chunks(read(data))
    values = values_of(data)
    count = len(blocks_of(data))
    for which in some(first_block(data, header_size(plain)), count, 25):
        bad = broken(data, [which], BREAKS[which % len(BREAKS)])
        assert_costs_itself(bad, data, [which], sound)
        assert values_of(bad).items() <= values.items()


def nested(count: int) -> list[Prop[object]]:
    """Structs in structs, and a container of structs, between plain properties."""
    inner = Fields("Inner", "/Script/Game")
    return [
        Prop("First", INT, 1),
        Prop("Outer", Fields("Outer", "/Script/Game"), [
            Prop("One", inner, [Prop(f"Number{at}", INT, at) for at in range(count)]),
            Prop("Between", STR, "between"),
            Prop("Other", inner, [Prop(f"Number{at}", INT, at) for at in range(count)]),
        ]),
        Prop("Items", Array(Fields("Item", "/Script/Game")), [item(at) for at in range(count)]),
        Prop("Scores", Map(STR, Fields("Item", "/Script/Game")), [(f"key {at}", item(at)) for at in range(count)]),
        Prop("ItemSet", Set(Fields("Item", "/Script/Game")), [item(at) for at in range(count)]),
        Prop("Bytes", Array(BYTE), bytes(range(256)) * 4),
        Prop("Last", INT, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("how", BREAKS)
def test_nothing_changes_without_it(how):
    """The events before the fault come, and the fault. Where it is survived, they come but for what is lost with it."""
    data = archive(SaveGame(nested(20)).encode(), block_size=100)
    sound = read(data)
    for which in some(4, len(blocks_of(data)), 9):
        bad = broken(data, [which], how)
        seen, error = read_to_error(bad)
        assert isinstance(error, UnsupportedSave if how in {first_byte, zeros} else DamagedSave)
        assert (error.offset, error.chunk) == (blocks_of(data)[which].start, which)
        assert seen == sound[: len(seen)]
        seen = without_chunks(seen)
        left = survived(bad)
        damage = next((event for event in left if isinstance(event, Damage)), None)
        if damage is None:  # the block is in a value that is not read
            assert left == without_chunks(sound)
            continue
        given = left[: left.index(damage)]
        assert given == seen[: len(given)]
        assert all(event.offset >= damage.offset for event in seen[len(given) :])


def test_bytes_after_the_save_game():
    """A hole in them is no reason to doubt the save game; that it is there is reported."""
    plain = SaveGame(nested(2)).encode()
    data = archive(plain + bytes(range(200)) * 3, block_size=100)
    sound = without_chunks(read(data))
    for which, block in enumerate(blocks_of(data)):
        if block.start < len(plain):
            continue
        seen = assert_costs_itself(broken(data, [which]), data, [which], sound)
        assert losses(seen) == [("rest of the save", "")]
        assert properties(seen)[:-1] == properties(sound)[:-1]


# --- tables ---


def with_row(data: bytes, row: int, packed_size: int, size: int) -> bytes:
    """An archive in whose table a row says something else, and the sums of all rows, too."""
    bad = bytearray(data)
    at = HEAD_SIZE + SIZES.size * (row + 1)
    before = SIZES.unpack_from(bad, at)
    SIZES.pack_into(bad, at, packed_size, size)
    sums = SIZES.unpack_from(bad, HEAD_SIZE)
    SIZES.pack_into(bad, HEAD_SIZE, sums[0] + packed_size - before[0], sums[1] + size - before[1])
    return bytes(bad)


def test_a_damaged_table_ends_the_save():
    data = archive(SaveGame(nested(20)).encode(), block_size=100)
    which = len(blocks_of(data)) // 2
    sizes = SIZES.unpack_from(data, HEAD_SIZE + SIZES.size * (which + 1))
    bad = bytearray(data)
    SIZES.pack_into(bad, HEAD_SIZE + SIZES.size * (which + 1), sizes[0], sizes[1] + 1)
    with pytest.raises(DamagedSave, match="the sizes of the blocks"), streamsave.open(bytes(bad), on_damage="resync") as events:
        next(events)
    # Where the sums say so, too, the size of each block but the last does not.
    seen = survived(with_row(data, which, sizes[0], sizes[1] - 1))
    assert losses(seen)[-1] == ("rest of the save", "")
    assert isinstance(seen[-1], SaveEnd)
    assert seen[-1].offset <= blocks_of(data)[which].start


def test_a_file_that_ends_after_an_archive():
    """Another one, without blocks and with one, whose header has one byte less than there is, or whose table is missing."""
    data = archive(SaveGame(nested(2)).encode(), block_size=1000)
    empty, short = (struct.pack("<IIQQQ", 0x9E2A83C1, 0, 1000, count, count) for count in (0, 1))
    assert without_chunks(read(data + empty)) == without_chunks(read(data))
    for tail, wanted in ((empty[:-1], "inside a chunk header"), (short, "inside the table"), (short + b"x", "inside the table")):
        with pytest.raises(TruncatedSave, match=wanted):
            read(data + tail)


def test_where_the_file_ends_is_the_end():
    data = archive(SaveGame(nested(20)).encode(), block_size=100)
    sound = without_chunks(read(data))
    blocks = blocks_of(data)
    for which in range(6, len(blocks), 7):
        seen = survived(data[: blocks[which].file_offset + 5])
        assert isinstance(next(event for event in reversed(seen) if isinstance(event, Damage)).error, TruncatedSave)
        assert losses(seen)[-1] == ("rest of the save", "")
        assert_invents_nothing(seen, sound)


@pytest.mark.parametrize(
    "limits", [Limits(total_inflated_size=30_000), Limits(inflate_ratio=2, inflate_ratio_after=12_000)], ids=["total", "ratio"]
)
def test_limits_hold_for_holes(limits):
    """What a hole claims to be counts like what is there."""
    noise = Prop("Noise", Array(BYTE), random.Random(1).randbytes(10_000))
    plain = SaveGame([noise, Prop("Zeros", Array(BYTE), bytes(30_000)), Prop("Last", INT, 2)]).encode()
    first, second = plain[:11_000], plain[11_000:]
    data = archive(first, block_size=500) + broken(archive(second, block_size=500), range(len(second) // 500))
    seen = survived(data, limits)
    error = next(event for event in seen if isinstance(event, Damage)).error
    assert isinstance(error, LimitExceeded)
    assert error.offset > 11_000
    assert losses(seen) == [("rest of the save", "")]
    assert [event.name for event in seen if isinstance(event, PropertyTag)] == ["Noise"]


def test_archives_after_each_other():
    plain = SaveGame(nested(20)).encode()
    cut = len(plain) // 3
    first = archive(plain[:cut], block_size=64)
    data = first + archive(plain[cut:], block_size=90)
    sound = without_chunks(read(data))
    seen = survived(broken(first, [len(blocks_of(first)) - 1]) + data[len(first) :])
    assert_tiled(seen, len(plain))
    assert_invents_nothing(seen, sound)
    assert properties(seen)[-3:] == properties(sound)[-3:]


@pytest.mark.slow
def test_blocks_of_oodle():
    pytest.importorskip("ooz", reason="the extra `oodle` is not installed")
    data = archive(SaveGame(nested(12)).encode(), block_size=1000, pack=oodle)
    sound = without_chunks(read(data))
    for which in (2, 4):
        seen = assert_costs_itself(broken(data, [which], zeros), data, [which], sound)
        assert losses(seen)
        block = blocks_of(data)[which]
        deadly = bytearray(data)
        deadly[block.file_offset + 2 : block.file_offset + 4] = b"\0\x3f"
        seen = assert_costs_itself(bytes(deadly), data, [which], sound)
        assert losses(seen)


def test_a_size_leads_on_though_a_hole_comes_after_what_follows():
    """What is in the values of a map that comes after it is not of the list around that."""
    plain = SaveGame([Prop("Number", INT, 0), nested(4)[1], nested(4)[2], nested(6)[3]], ue5=505).encode()
    data = archive(plain, block_size=247)
    which = [1, 4, 8]
    assert_costs_itself(broken(data, which, checksum), data, which, without_chunks(read(data)))


# --- windows ---


def windows_over(data: SourceLike) -> ForwardWindows:
    """Windows that go on after what is damaged."""
    source = open_source(data)
    windows = ForwardWindows(lambda: ArchiveStage(source, 0, Limits()), Limits())
    windows.bridges = True
    return windows


def test_who_reads_a_hole_gets_an_error_of_his_own():
    """What one adds to it is not passed to the next one."""
    windows = windows_over(broken(archive(bytes(300), block_size=100), [1]))
    errors = []
    for _ in range(2):
        with pytest.raises(DamagedSave) as raised:
            windows.window(150)
        assert raised.value.path == ()
        raised.value.path = ("somewhere",)
        errors.append(raised.value)
    assert errors[0] is not errors[1]


def test_back_to_the_start():
    """What is not at hand any more is inflated again, and its holes are where they were."""
    plain = random.Random(2).randbytes(3 * MIB)
    data = archive(plain)
    block = blocks_of(data)[1]
    windows = windows_over(broken(data, [1]))
    for _ in range(2):
        assert windows.window(0) == plain[: block.start]
        with pytest.raises(DamagedSave) as raised:
            windows.window(block.end - 1)
        assert (raised.value.offset, raised.value.chunk, raised.value.compressed_offset) == (block.start, 1, block.file_offset)
        assert windows.window_end(block.end - 1) == block.end
        assert windows.window(len(plain) - 1) == plain[windows.window_offset :]
        assert windows.window_end(block.end - 1) == -1
    assert [chunk.index for chunk in windows.entered] == list(range(len(blocks_of(data))))


@pytest.mark.slow
def test_holes_are_not_held():
    """Neither their bytes, nor what was at work when they were found."""
    data = archive(SaveGame([Prop("Bytes", Array(BYTE), bytes(48 * MIB)), Prop("Last", INT, 2)]).encode())
    bad = broken(data, range(1, len(blocks_of(data)) - 1, 2))
    with Traced() as memory, streamsave.open(OnlyRead(bad), on_damage="resync") as events:
        names = [event.name for event in events if isinstance(event, PropertyTag)]
    assert names == ["Bytes", "Last"]
    assert memory.peak < 8 * MIB


# --- the header of an Unreal archive, by itself ---

TAG = 0x9E2A83C1
V1 = struct.pack("<IIQQQ", TAG, 0, 131072, 50, 100)
V2 = struct.pack("<IIQBQQ", TAG, 0x22222222, 131072, 3, 50, 100)


def test_sizes_have_64_bits():
    header = read_archive_header(struct.pack("<IIQQQ", TAG, 0, (1 << 64) - 1, 1 << 63, (1 << 63) + 1))
    assert (header.block_size, header.compressed_size, header.inflated_size) == ((1 << 64) - 1, 1 << 63, (1 << 63) + 1)


@pytest.mark.parametrize("data", [V1, V2])
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_rows_that_are_asked_for_must_be_there(data, rows):
    whole = data + bytes(16 * rows)
    read_archive_header(whole, rows)
    for size in range(len(whole)):
        with pytest.raises(TruncatedSave) as caught:
            read_archive_header(whole[:size], rows)
        assert caught.value.actual == size
        assert size < 8 or caught.value.expected == f"{len(whole)} bytes"
