"""All ways to hand bytes to the parser, and the ways in which a source may misbehave."""

import io
from collections.abc import Callable, Iterator
from typing import Any

from streamsave.input.source import PIECE_SIZE


class OnlyRead:
    """A file object that can do nothing but read, and gives at most so many bytes at a time: a pipe."""

    def __init__(self, data: bytes, most: int = 1 << 30) -> None:
        self.file, self.most = io.BytesIO(data), most

    def read(self, size: int, /) -> bytes:
        return self.file.read(min(size, self.most))


class Slow(io.BytesIO):
    """A file object that can seek, and gives less than it is asked for."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, 7))


class Forward(io.BytesIO):
    """What cannot be rewound: of an archive that is written to it, sizes follow the data."""

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        raise OSError

    seek = None  # type: ignore[assignment]


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


FEEDS: dict[str, Callable[[bytes], Any]] = {
    "bytes": lambda data: data,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "file": io.BytesIO,
    "slow file": Slow,
    "only read": OnlyRead,
    "only read, slow": lambda data: OnlyRead(data, 1000),
    "list": lambda data: list(pieces(data, 10_000)),
    "generator": lambda data: pieces(data, 999),
    "empty pieces": lambda data: (one for piece in pieces(data, 5000) for one in (b"", piece, b"")),
    "large pieces": lambda data: pieces(data, 3 * PIECE_SIZE),
    "bytearrays": lambda data: map(bytearray, pieces(data, 4321)),
    "memoryviews": lambda data: map(memoryview, pieces(data, 4321)),
}

#: Those that differ most, for tests that have many saves to feed: what can seek, a pipe, a byte at a time.
FEW_FEEDS: dict[str, Callable[[bytes], Any]] = {
    "slow file": Slow,
    "only read": lambda data: OnlyRead(data, 100),
    "byte by byte": lambda data: pieces(data, 1),
}


class Broken:
    """A file object whose read number `at` (from 0) raises, or gives, something else: a value, or what it makes of the size."""

    def __init__(self, data: bytes, at: int, answer: object, most: int = 2000) -> None:
        self.file, self.left, self.answer, self.most = io.BytesIO(data), at, answer, most

    @property
    def was_asked(self) -> bool:
        """Whether anybody has read as often as that."""
        return self.left < 0

    def read(self, size: int, /) -> Any:
        self.left -= 1
        if self.left < 0:
            if isinstance(self.answer, BaseException):
                raise self.answer
            return self.answer(size) if callable(self.answer) else self.answer
        return self.file.read(min(size, self.most))


class BrokenSeekable(Broken):
    """The same, that can seek."""

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()


class Liar(BrokenSeekable):
    """A file object that says to have gone elsewhere than it did."""

    lied = False

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self.lied = True
        return super().seek(offset, whence) + 1


class BrokenPieces:
    """An iterable whose piece number `at` (from 0) raises, or is, something else."""

    def __init__(self, data: bytes, at: int, answer: object, most: int = 2000) -> None:
        self.pieces, self.at, self.answer, self.most = pieces(data, most), at, answer, most
        self.was_asked = False

    def __iter__(self) -> Iterator[Any]:
        for number, piece in enumerate(self.pieces):
            if number == self.at:
                self.was_asked = True
                if isinstance(self.answer, BaseException):
                    raise self.answer
                yield self.answer
            yield piece
