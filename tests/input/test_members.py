"""A table of chunks that are inflated piece by piece."""

import random
import zlib

import pytest
from cursors import everything

from streamsave import DamagedSave, Limits, SaveError
from streamsave.decode.known_bytes import COMPILED
from streamsave.input.members import DEFLATE, STORED, WINDOW_SIZE, Chunk, StreamedWindows
from streamsave.input.stages import Stage

pytestmark = pytest.mark.skipif(COMPILED, reason="the classes of the tests cannot be subclasses of compiled ones")

PLAIN = random.Random(2).randbytes(3 * WINDOW_SIZE + 100)


def packed(data: bytes) -> bytes:
    deflater = zlib.compressobj(wbits=-15)
    return deflater.compress(data) + deflater.flush()


class Pieces(Stage):
    """Compressed bytes in pieces."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__()
        self.pieces = [data[at : at + size] for at in range(0, len(data), size)]

    def produce(self, size: int) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


class Table(StreamedWindows):
    """Chunks in memory."""

    def __init__(self, limits: Limits | None = None, piece_size: int = 1000) -> None:
        super().__init__(Limits() if limits is None else limits)
        self.data: list[bytes] = []
        self.piece_size = piece_size
        self.opened: list[int] = []

    def put(self, data: bytes, method: int = DEFLATE, stored: bytes | None = None, crc: int | None = None) -> None:
        """Add a chunk; what is stored and its CRC may lie."""
        if stored is None:
            stored = packed(data) if method == DEFLATE else data
        self.add(Chunk(f"m{len(self.data)}", method, len(data), len(stored), 7, zlib.crc32(data) if crc is None else crc))
        self.data.append(stored)

    def open_payload(self, index: int) -> Stage:
        self.opened.append(index)
        return Pieces(self.data[index], self.piece_size)


@pytest.mark.parametrize("piece_size", [1, 1000, 1 << 20])
def test_members_one_after_the_other(piece_size):
    short = PLAIN[: 300 if piece_size == 1 else len(PLAIN)]
    table = Table(piece_size=piece_size)
    for data, method in ((short, DEFLATE), (b"", STORED), (short, STORED), (b"end", DEFLATE)):
        table.put(data, method)
    assert everything(table) == short * 2 + b"end"
    assert table.size() == 2 * len(short) + 3
    assert [(event.index, event.codec) for event in table.entered] == [(0, "deflate"), (2, "stored"), (3, "deflate")]
    assert table.locate(len(short)) == (2, 0, 7)


def test_going_back_inflates_again_from_the_start_of_the_member():
    table = Table()
    table.put(PLAIN)
    table.put(PLAIN)
    assert everything(table) == PLAIN * 2
    assert table.opened == [0, 1]
    assert table.window(0) == PLAIN[:WINDOW_SIZE]
    assert table.opened == [0, 1, 0]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"stored": packed(b"abc")}, "m0: inflates to less than it declares"),
        ({"stored": packed(b"abcde")}, "m0: inflates to more than it declares"),
        ({"stored": packed(b"abcd") + b"x"}, "m0: bytes after the compressed ones"),
        ({"stored": packed(b"abcd")[:-1]}, "m0: "),
        ({"stored": b"\xff\xff\xff"}, "m0: does not inflate"),
        ({"crc": 1}, "m0: CRC-32 is wrong"),
        ({"method": STORED, "stored": b"abc"}, "m0: stored bytes are fewer than declared"),
        ({"method": STORED, "stored": b"abcde"}, "m0: bytes after the compressed ones"),
    ],
)
def test_members_that_are_not_what_the_table_says(fields, message):
    table = Table()
    table.put(b"abcd", **fields)
    with pytest.raises(SaveError, match=message) as caught:
        everything(table)
    assert type(caught.value) is DamagedSave
    assert (caught.value.chunk, caught.value.compressed_offset) == (0, 7)


def test_members_after_one_that_is_shorter_move_up():
    table = Table()
    table.put(b"longer", stored=packed(b"long"), crc=zlib.crc32(b"long"))
    table.put(b"end", STORED)
    assert table.shorten(0) == 4
    assert [chunk.offset for chunk in table.chunks] == [0, 4]
    assert everything(table) == b"longend"
