"""The same bytes in every way that a source can give them."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from streamsave.source import SourceLike

#: What a pipe of the system holds without a reader.
PIPE_SIZE: Final = 60_000


class Trickle:
    """A file object that cannot seek, and gives as little as it likes."""

    def __init__(self, data: bytes, draw: random.Random) -> None:
        self._file = io.BytesIO(data)
        self._most = draw.choice((1, 3, 100, 4096, 1 << 20))
        self._draw = draw

    def read(self, size: int, /) -> bytes:
        """Read up to `size` bytes."""
        return self._file.read(min(size, self._draw.randrange(1, self._most + 1)))


def trickle(data: bytes, draw: random.Random, _: Path) -> SourceLike:
    """A file object that cannot seek."""
    return Trickle(data, draw)


def pieces(data: bytes, draw: random.Random, _: Path) -> SourceLike:
    """An iterable of bytes, empty ones among them."""

    def cut() -> Iterator[bytes]:
        most = draw.choice((1, 7, 1000, 1 << 17))
        at = 0
        while at < len(data):
            size = draw.randrange(most + 1)
            yield data[at : at + size]
            at += size

    return cut()


def file(data: bytes, draw: random.Random, _: Path) -> SourceLike:
    """A file object that can seek, and does not stand at its start."""
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
    """A pipe of the system."""
    end, start = os.pipe()
    with os.fdopen(end, "rb") as opened:
        with os.fdopen(start, "wb") as written:
            written.write(data[:PIPE_SIZE])
        yield opened


#: Ways, all but a pipe of the system.
WAYS: Final[tuple[Callable[[bytes, random.Random, Path], SourceLike], ...]] = (trickle, pieces, file, path, buffer)


@contextmanager
def fed(data: bytes, draw: random.Random, folder: Path) -> Iterator[SourceLike]:
    """Feed the bytes in one of the ways."""
    index = draw.randrange(len(WAYS) + 1)
    if index == len(WAYS) and len(data) <= PIPE_SIZE:
        with pipe(data) as source:
            yield source
    else:
        yield WAYS[index % len(WAYS)](data, draw, folder)
