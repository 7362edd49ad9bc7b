"""The same bytes in every way that a source can give them."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, repeat
from pathlib import Path
from typing import Final

from streamsave.input.source import SourceLike

#: How often bytes come one by one, and how many pieces there are at most otherwise: more only take time.
BYTEWISE_SHARE: Final = 0.02
MOST_PIECES: Final = 100

#: What a pipe of the system holds without a reader.
PIPE_SIZE: Final = 60_000


def sizes_of_pieces(data: bytes, draw: random.Random) -> Iterator[int]:
    """Sizes, without end: mostly so big that there are not many pieces, now and then one byte each."""
    if draw.random() < BYTEWISE_SHARE:
        return repeat(1)
    most = max(draw.choice((1, len(data) // 100, len(data) // 10, 1 << 17)), len(data) // MOST_PIECES, 1)
    return cycle([draw.randrange(1, most + 1) for _ in range(7)])


class Trickle:
    """A file object that cannot seek, and gives as little as it likes."""

    def __init__(self, data: bytes, draw: random.Random) -> None:
        self._file = io.BytesIO(data)
        self._sizes = sizes_of_pieces(data, draw)

    def read(self, size: int, /) -> bytes:
        """Read up to `size` bytes."""
        return self._file.read(min(size, next(self._sizes)))


def trickle(data: bytes, draw: random.Random, _: Path) -> SourceLike:
    """A file object that cannot seek."""
    return Trickle(data, draw)


def pieces(data: bytes, draw: random.Random, _: Path) -> SourceLike:
    """An iterable of bytes, empty ones among them."""
    sizes = sizes_of_pieces(data, draw)

    def cut() -> Iterator[bytes]:
        at = 0
        yield b""
        while at < len(data):
            size = next(sizes)
            yield data[at : at + size]
            at += size

    return cut()


def file(data: bytes, draw: random.Random, _: Path) -> SourceLike:
    """A file object that can seek, and is not at its start."""
    before = draw.choice((0, 5))
    opened = io.BytesIO(bytes(before) + data)
    opened.seek(before)
    return opened


def path(data: bytes, _: random.Random, folder: Path) -> SourceLike:
    """A path."""
    name = folder / "input"
    name.write_bytes(data)
    return name


def buffer(data: bytes, draw: random.Random, _: Path) -> SourceLike:
    """Bytes that may change."""
    return draw.choice((bytearray, memoryview))(data)


@contextmanager
def pipe(data: bytes) -> Iterator[SourceLike]:
    """A pipe of the system, which takes no more than `PIPE_SIZE`."""
    end, start = os.pipe()
    with os.fdopen(end, "rb") as opened:
        with os.fdopen(start, "wb") as written:
            written.write(data)
        yield opened


#: How an index of Xbox pieces starts: by its path alone, the pieces beside it are found.
XBOX_INDEX: Final = b"\4\0\0\0"

#: Ways, all but a pipe of the system; files are slow.
WAYS: Final[tuple[Callable[[bytes, random.Random, Path], SourceLike], ...]] = (
    trickle, trickle, trickle, pieces, pieces, pieces, file, file, file, buffer, path,
)  # fmt: skip


@contextmanager
def fed(data: bytes, draw: random.Random, folder: Path) -> Iterator[SourceLike]:
    """Feed the bytes in one of the ways."""
    index = draw.randrange(len(WAYS) + 1)
    if data.startswith(XBOX_INDEX):
        index %= WAYS.index(path)
    if index == len(WAYS) and len(data) <= PIPE_SIZE:
        with pipe(data) as source:
            yield source
    else:
        yield WAYS[index % len(WAYS)](data, draw, folder)
