"""What is around a save game, as its first bytes show.

| starts with | what |
|---|---|
| `GVAS` | nothing: raw |
| `GSWU`, 12 bytes, `GVAS` | a prefix |
| u32 inflated_size, u32 compressed_size, `PlZ` or `PlM`, u8 kind | Palworld, see below |
| 8 bytes, `CNK`, u8, then a Palworld header | Palworld, with a prefix |
| 0x9E2A83C1 | Unreal's compressed archives |
| 0x1F 0x8B | one gzip stream that starts with `GVAS` |
| 0x78 or another zlib header | one zlib stream that starts with `GVAS` |

Palworld's `PlZ`: 0x30 stored; 0x31 one zlib stream, of compressed_size bytes; 0x32 a zlib stream inside of another, where
compressed_size is that of the inner one. `PlM`: 0x31 one Oodle stream.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Final

from streamsave.errors import TruncatedSave, UnsupportedSave
from streamsave.formats.gvas.sniff import PALWORLD_OODLE, PALWORLD_SIZE, PALWORLD_ZLIB, PREFIX_SIZE, compression_of, mark_of
from streamsave.input.forward import ForwardWindows
from streamsave.input.oodle import OodleStage, decompress_file
from streamsave.input.source import Source
from streamsave.input.stages import WINDOW_BITS_GZIP, WINDOW_BITS_ZLIB, FileStage, InflateStage, Stage
from streamsave.input.unreal_archive import ArchiveStage
from streamsave.input.windows import FileWindows, Windows
from streamsave.limits import Limits

__all__ = ["make_windows"]

KIND_STORED: Final = 0x30
KIND_ONCE: Final = 0x31
KIND_TWICE: Final = 0x32
#: Magic and kind of a Palworld save -> how its body is compressed.
PALWORLD_CODECS: Final = {
    (PALWORLD_ZLIB, KIND_ONCE): "zlib",
    (PALWORLD_ZLIB, KIND_TWICE): "zlib, zlib",
    (PALWORLD_OODLE, KIND_ONCE): "oodle",
}


def make_windows(source: Source, limits: Limits) -> tuple[Windows, str]:
    """Make the windows over the save game, and say what is around it.

    Raises:
        UnsupportedSave: a Palworld save of unknown kind.
        LimitExceeded: its stated size is above the limits.
    """
    head = source.read_at(0, 2 * PALWORLD_SIZE)
    wrapper = mark_of(head) or compression_of(head, source)
    size = source.size()
    if wrapper == "raw":
        # The size of a pipe is unknown: it meets the limit on the way, and so does a file that is above it.
        if size is not None and size <= limits.total_inflated_size:
            return FileWindows(source), wrapper
        return ForwardWindows(lambda: FileStage(source, 0), limits), wrapper
    if wrapper == "GSWU":
        return ForwardWindows(lambda: FileStage(source, PREFIX_SIZE), limits), wrapper
    if wrapper == "archive":
        return ForwardWindows(lambda: ArchiveStage(source, 0, limits), limits), wrapper
    if wrapper in {"gzip", "zlib"}:
        bits = WINDOW_BITS_GZIP if wrapper == "gzip" else WINDOW_BITS_ZLIB
        return ForwardWindows(lambda: InflateStage(FileStage(source, 0), window_bits=bits), limits, wrapper), wrapper
    if wrapper == "CNK":
        windows, inner = _palworld(source, head[PALWORLD_SIZE:], PALWORLD_SIZE, limits)
        return windows, f"CNK, {inner}"
    return _palworld(source, head, 0, limits)


def _palworld(source: Source, head: bytes, offset: int, limits: Limits) -> tuple[Windows, str]:
    """Read Palworld's header, which is at `offset` and starts `head`."""
    if len(head) < PALWORLD_SIZE:
        raise TruncatedSave("the file ends inside of its header", offset, expected=f"{PALWORLD_SIZE} bytes", actual=len(head))
    size = int.from_bytes(head[0:4], "little")
    compressed_size = int.from_bytes(head[4:8], "little")
    kind = head[11]
    magic = head[8:11]
    body = offset + PALWORLD_SIZE

    codec = "stored" if kind == KIND_STORED else PALWORLD_CODECS.get((magic, kind), "")
    # Windows that go back start anew, but decompress once.
    decompress = cache(partial(decompress_file, source, body, size, compressed_size, limits))

    def body_stage() -> Stage:
        if codec == "stored":
            return FileStage(source, body, size, compressed_size)
        if codec == "oodle":
            return OodleStage(decompress, compressed_size)
        if codec == "zlib":
            return InflateStage(FileStage(source, body), size, compressed_size)
        return InflateStage(InflateStage(FileStage(source, body), compressed_size), size)

    if not codec:
        raise UnsupportedSave(
            "unknown kind of Palworld save", offset, expected="PlZ 0x30, 0x31, 0x32 or PlM 0x31", actual=head[8:12]
        )
    stored_size = -1 if kind == KIND_TWICE else compressed_size
    windows = ForwardWindows(body_stage, limits, codec, size, offset, stored_size)
    return windows, f"{magic.decode('ascii')} {kind:#x} ({'Oodle' if codec == 'oodle' else codec})"
