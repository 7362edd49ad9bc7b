"""Windows over bytes that are not compressed, and the warning that all windows share."""

from __future__ import annotations

from itertools import repeat

import pytest

from streamsave import Limits
from streamsave.input.source import BytesSource, open_source
from streamsave.input.windows import BytesWindows, FileWindows, Windows


def test_file_windows():
    data = bytes(range(256)) * 1024
    windows = FileWindows(BytesSource(data))
    assert windows.window(1000) == data[1000 : 1000 + 65536]
    assert windows.window_offset == 1000
    assert windows.window(len(data)) == b""
    assert windows.locate(1000) is None


def test_file_windows_of_a_part():
    windows = FileWindows(BytesSource(b"head" + b"body"), 4)
    assert (windows.window(0), windows.window(2), windows.window(4)) == (b"body", b"dy", b"")


@pytest.mark.parametrize(("total", "warned"), [(50, 0), (51, 1), (100, 1)])
def test_half_of_what_may_be_inflated_is_warned_of_once(total, warned, caplog):
    windows = Windows()
    for _ in range(2):
        windows.note_total(total, Limits(total_inflated_size=100))
    assert caplog.text.count("more than half") == warned


def test_where_a_window_ends_is_not_known():
    assert Windows().window_end(0) == -1


@pytest.mark.parametrize("source", [lambda: BytesSource(bytes(1000)), lambda: open_source([bytes(1000)])])
def test_what_a_file_reaches(source):
    """A file with a size, and a pipe; the first bytes are before the windows."""
    windows = FileWindows(source(), 4)
    assert [windows.reaches(offset) for offset in (0, 1, 996, 997, 1 << 40)] == [True, True, True, False, False]
    assert windows.readable_end(Limits()) == (996, True)
    assert FileWindows(source(), 4).readable_end(Limits(total_inflated_size=995)) == (991, False)


def test_an_endless_pipe_is_not_read_for_ever():
    source = open_source(repeat(bytes(65536)))
    windows = FileWindows(source)
    assert windows.readable_end(Limits(total_inflated_size=1 << 20)) == (1 << 20, False)
    source.close()


def test_bytes_windows_reach_their_end():
    windows = BytesWindows(b"abc")
    assert [windows.reaches(offset) for offset in (0, 3, 4)] == [True, True, False]
    assert windows.readable_end(Limits()) == (3, True)


def test_windows_that_cannot_say_where_they_end():
    assert Windows().reaches(1 << 40)
    assert Windows().readable_end(Limits()) == (-1, False)


def test_bytes_windows():
    windows = BytesWindows(b"abc")
    assert (windows.window(2), windows.window_offset) == (b"abc", 0)
    assert windows.window(3) == b""
    assert windows.locate(0) is None
