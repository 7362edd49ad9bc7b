"""Windows over stages: what is kept, what is read again, holes, limits."""

from itertools import repeat

import pytest
from writer.gvas import archive

from streamsave import ChunkStart, DamagedSave, LimitExceeded, Limits
from streamsave.input.forward import KEPT_SIZE, WINDOW_SIZE, ForwardWindows
from streamsave.input.source import BytesSource, open_source
from streamsave.input.stages import FileStage
from streamsave.input.unreal_archive import ArchiveStage
from streamsave.input.windows import BytesWindows, FileWindows, Windows

PLAIN = bytes(range(256)) * (KEPT_SIZE // 256 + 4 * WINDOW_SIZE // 256)


class Counted:
    """Makes the stages, and counts how often."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.count = 0

    def __call__(self) -> FileStage:
        self.count += 1
        return FileStage(BytesSource(self.data), 0)


def test_a_little_way_back_is_kept_and_further_back_is_read_again():
    start = Counted(PLAIN)
    windows = ForwardWindows(start, Limits())
    last = len(PLAIN) - 1
    assert windows.window(last)
    assert windows.window(last - KEPT_SIZE + 2 * WINDOW_SIZE)
    assert start.count == 1
    assert windows.window(0) == PLAIN[:WINDOW_SIZE]
    assert (start.count, windows.window_offset) == (2, 0)
    assert windows.end(0) == len(PLAIN)


def test_its_chunk_is_entered_once():
    windows = ForwardWindows(Counted(PLAIN), Limits(), "stored", len(PLAIN), 12, 34)
    assert windows.window(0)
    assert windows.window(len(PLAIN) - 1)
    assert windows.window(0)
    assert windows.entered == [ChunkStart(0, 0, len(PLAIN), 12, 34, "stored")]
    assert windows.locate(5) == (0, 5, 12)


@pytest.mark.parametrize("size", [-1, len(PLAIN)])
def test_the_size_of_the_stream_is_limited(size):
    """Declared, it is refused at once; else when it is met."""
    codec = "stored" if size >= 0 else ""
    assert ForwardWindows(Counted(PLAIN), Limits(total_inflated_size=len(PLAIN)), codec, size).end(0) == len(PLAIN)
    with pytest.raises(LimitExceeded) as caught:
        ForwardWindows(Counted(PLAIN), Limits(total_inflated_size=len(PLAIN) - 1), codec, size).end(0)
    assert caught.value.limit == "total_inflated_size"


def damaged() -> bytes:
    """An archive of five blocks, of which the second and the third are damaged."""
    data = bytearray(archive(PLAIN[:500], block_size=100))
    rows = 33 if data[4] else 32
    at = rows + 5 * 16
    for block in range(5):
        size = int.from_bytes(data[rows + block * 16 : rows + block * 16 + 8], "little")
        if block in {1, 2}:
            data[at + size - 1] ^= 1
        at += size
    return bytes(data)


def windows_over(data: bytes, *, bridges: bool) -> ForwardWindows:
    windows = ForwardWindows(lambda: ArchiveStage(BytesSource(data), 0, Limits()), Limits())
    windows.bridges = bridges
    return windows


def test_holes_are_passed():
    windows = windows_over(damaged(), bridges=True)
    assert windows.window(0) == PLAIN[:100]
    assert windows.window(300)[:100] == PLAIN[300:400]
    for offset in (100, 150, 299):
        with pytest.raises(DamagedSave, match="does not inflate"):
            windows.window(offset)
        assert windows.hole_end(offset) == 300
    assert windows.hole_end(50) == windows.hole_end(300) == -1
    assert windows.end(300) == 500
    with pytest.raises(DamagedSave):
        windows.end(299)


def test_where_a_stream_is_known_to_end():
    """As its wrapper says; else by inflating, in another pass while damage is survived: who reads on needs no byte again."""

    def windows(size: int = -1) -> ForwardWindows:
        return ForwardWindows(lambda: FileStage(BytesSource(PLAIN), 0), Limits(), size=size)

    length = len(PLAIN)
    survived = windows()
    survived.bridges = True
    for ends in (windows(length).ends_before, windows().ends_before, survived.ends_before):
        assert [ends(length - 1), ends(length), ends(length + 1), ends(1 << 62)] == [False, False, True, True]
    hidden = windows_over(damaged()[:-1], bridges=True)  # its last block is cut
    assert not hidden.ends_before(1 << 62)


# --- windows over bytes that are not compressed ---


def test_file_windows():
    data = bytes(range(256)) * 1024
    windows = FileWindows(BytesSource(data))
    assert windows.window(1000) == data[1000 : 1000 + 65536]
    assert windows.window_offset == 1000
    assert windows.window(len(data)) == b""
    assert windows.locate(1000) is None
    part = FileWindows(BytesSource(b"head" + b"body"), 4)
    assert (part.window(0), part.window(2), part.window(4)) == (b"body", b"dy", b"")


@pytest.mark.parametrize("source", [lambda: BytesSource(bytes(1000)), lambda: open_source([bytes(1000)])])
def test_what_a_file_reaches(source):
    """A file with a size, and a pipe; the first bytes are before the windows."""
    windows = FileWindows(source(), 4)
    assert [windows.reaches(offset) for offset in (0, 1, 996, 997, 1 << 40)] == [True, True, True, False, False]
    assert windows.readable_end(Limits()) == (996, True)
    assert FileWindows(source(), 4).readable_end(Limits(total_inflated_size=995)) == (991, False)


def test_an_endless_pipe_is_not_read_for_ever():
    source = open_source(repeat(bytes(65536)))
    assert FileWindows(source).readable_end(Limits(total_inflated_size=1 << 20)) == (1 << 20, False)
    source.close()


def test_windows_that_cannot_say_where_they_end():
    windows = Windows()
    assert windows.reaches(1 << 40)
    assert (windows.readable_end(Limits()), windows.window_end(0)) == ((-1, False), -1)


def test_bytes_windows():
    windows = BytesWindows(b"abc")
    assert (windows.window(2), windows.window_offset, windows.window(3), windows.locate(0)) == (b"abc", 0, b"", None)
    assert [windows.reaches(offset) for offset in (0, 3, 4)] == [True, True, False]
    assert windows.readable_end(Limits()) == (3, True)
