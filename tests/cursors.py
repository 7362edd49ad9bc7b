"""Windows and cursors over bytes, for tests."""

from saves import chunk

from streamsave import Limits
from streamsave.decode.codecs import BuildContext
from streamsave.decode.cursor import Cursor
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import BytesSource
from streamsave.input.windows import Windows


def windows_over(data: bytes, window: int = 1000, limits: Limits | None = None) -> ChunkTable:
    """Bytes that come in windows of that size."""
    stored = b"".join(chunk(data[at : at + window]) for at in range(0, len(data), window))
    return ChunkTable(BytesSource(stored), 0, Limits() if limits is None else limits)


def cursor_over(data: bytes, window: int = 1000, limits: Limits | None = None, limit: int | None = None) -> Cursor:
    """A cursor at the start of bytes that come in windows of that size; `limit` bounds its reads."""
    limits = Limits() if limits is None else limits
    cursor = Cursor(windows_over(data, window, limits), limits)
    cursor.set_limit(len(data) if limit is None else limit)
    return cursor


def everything(windows: Windows) -> bytes:
    out = b""
    while window := windows.window(len(out)):
        assert windows.window_offset == len(out)
        out += window
    return out


class Uncounted(BuildContext):
    """What decoding needs, where nothing is counted."""

    def spend(self, nodes: int, size: int) -> None:
        pass
