"""Windows over bytes that are not compressed, and the warning that all windows share."""

from __future__ import annotations

import pytest

from streamsave import Limits
from streamsave.input.source import BytesSource
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
def test_half_of_what_may_be_inflated_is_warned_of_once(total, warned, capsys):
    windows = Windows()
    for _ in range(2):
        windows.note_total(total, Limits(total_inflated_size=100))
    assert capsys.readouterr().err.count("more than half") == warned


def test_where_a_window_ends_is_not_known():
    assert Windows().window_end(0) == -1


def test_bytes_windows():
    windows = BytesWindows(b"abc")
    assert (windows.window(2), windows.window_offset) == (b"abc", 0)
    assert windows.window(3) == b""
    assert windows.locate(0) is None
