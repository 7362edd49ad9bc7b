"""Layers of compression: each stage reads from the one below it, forward only (zlib in zlib in a file).

The rule of progress, for every producer of bytes in this package (`Stage`, `Windows`): each call
returns bytes, or none at the end, or raises. After an error, it raises the same error again, so that a loop that ignores a fault
cannot read on from an unknown place. Only a stage that has set its `hole` goes on after an error.
"""

from __future__ import annotations

import copy
import zlib
from typing import Any, Final

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave
from streamsave.events import ChunkStart
from streamsave.input.source import Source

try:
    from zlib_ng import zlib_ng

    fast_zlib: Any = zlib_ng
except ImportError:  # an installation without wheels for its platform
    fast_zlib = zlib

__all__ = [
    "INFLATE_ERRORS",
    "STORED_BITS",
    "WINDOW_BITS_DEFLATE",
    "WINDOW_BITS_GZIP",
    "WINDOW_BITS_ZLIB",
    "FileStage",
    "InflateStage",
    "Inflater",
    "Stage",
    "UnsoundStreamError",
    "fast_zlib",
    "inflate",
    "inflate_some",
    "sound_size",
]

#: Compressed bytes that are read at a time, and bytes that one read of a stage gives, unless the caller wants fewer.
PIECE_SIZE: Final = 32 * 1024
READ_SIZE: Final[i64] = 64 * 1024

#: What zlib takes for each kind of stream; 0: bytes that are not compressed.
WINDOW_BITS_ZLIB: Final = zlib.MAX_WBITS
WINDOW_BITS_GZIP: Final = zlib.MAX_WBITS + 16
WINDOW_BITS_DEFLATE: Final = -zlib.MAX_WBITS
STORED_BITS: Final = 0


class UnsoundStreamError(Exception):
    """A compressed stream is damaged. It is no error of a source, which may raise those of zlib, too."""


INFLATE_ERRORS: Final[tuple[type[Exception], ...]] = (zlib.error, fast_zlib.error)


def inflate_some(inflater: object, data: bytes, most: int) -> bytes:
    """Inflate up to `most` bytes, at least one to ask for: zlib takes 0 for "all there is".

    `data` may be empty: the inflater may hold back output that did not fit before.

    Raises:
        zlib.error: one of `INFLATE_ERRORS`: the data is damaged; or the inflater neither gives output, nor takes input, nor ends.
    """
    if most < 1:
        raise zlib.error("no room for output")
    zlib_object: Any = inflater  # of zlib or zlib-ng, whose types have no name in common
    out: bytes = zlib_object.decompress(data, most)
    if data and not out and not zlib_object.eof and len(zlib_object.unconsumed_tail) >= len(data):
        raise zlib.error("no progress")
    return out


def inflate(data: bytes, size: int) -> bytes:
    """Inflate one whole zlib stream of exactly `size` bytes; never makes more than `size + 1`.

    Raises:
        ValueError: the data is no zlib stream, ends early, has bytes after it, or inflates to another size.
    """
    inflater: Any = fast_zlib.decompressobj()
    try:
        out: bytes = inflater.decompress(data, size + 1)
    except INFLATE_ERRORS:
        raise ValueError("no sound zlib stream") from None
    if len(out) != size:
        raise ValueError(f"zlib stream inflates to {'more' if len(out) > size else 'less'} than it declares")
    if not inflater.eof:
        raise ValueError("zlib stream has no end")
    if inflater.unused_data:
        raise ValueError("bytes after the zlib stream")
    return out


def sound_size(data: bytes, most: int) -> int:
    """Return how many bytes a zlib stream inflates to; -1 if it is not sound, or they are more than `most`. Bytes may follow."""
    inflater: Any = fast_zlib.decompressobj()
    try:
        size = len(inflater.decompress(data, most + 1))
    except INFLATE_ERRORS:
        return -1
    return size if inflater.eof and size <= most else -1


# --- stages ---


@mypyc_attr(allow_interpreted_subclasses=True)  # some are plain Python
class Stage:
    """Bytes of one layer, in order. Subclasses provide `produce`; `read` adds the rule of progress."""

    def __init__(self) -> None:
        #: Chunks that were entered since the list was last cleared; their offsets count in the bytes of this stage.
        self.chunks: list[ChunkStart] = []
        #: Bytes that were lost with the last fault, if the next `read` returns what follows them; else 0.
        self.hole: i64 = 0
        #: The error after which nothing more is read. `produce` may set it, if bytes come before it.
        self._latched: SaveError | None = None

    def read(self, size: i64 = READ_SIZE) -> bytes:
        """Return up to `size` bytes, at least one; none at the end. `size` is 1 or more.

        Raises:
            SaveError: what is compressed is damaged. The error has no place: `ForwardWindows` adds it. Later calls raise it
                again, unless it left a `hole`.
        """
        if self._latched is not None:
            raise copy.copy(self._latched)
        try:
            return self.produce(size if size > 0 else 1)
        except SaveError as error:
            if self.hole == 0:
                # A copy: the error that was raised keeps the bytes of its frames alive, and the caller writes a place into it.
                self._latched = copy.copy(error)
            raise

    def produce(self, size: i64) -> bytes:
        """Do what `read` does, up to the first error; `size` is 1 or more."""
        raise NotImplementedError

    def consumed(self) -> int:
        """Return how many bytes of the file were needed so far."""
        raise NotImplementedError


class FileStage(Stage):
    """The file as it is, from an offset on.

    Args:
        source: the file.
        offset: where it starts.
        size: how many bytes have to follow there; -1 for any number.
        stored_size: how many it says elsewhere; -1 if it does not.
        is_last: nothing may follow them.
    """

    def __init__(self, source: Source, offset: int, size: int = -1, stored_size: int = -1, *, is_last: bool = True) -> None:
        super().__init__()
        self._source = source
        self._start = offset
        self._at: int = offset
        self._left: int = size
        self._size: int = size
        self._stored_size: int = stored_size
        self._is_last = is_last

    def produce(self, size: i64) -> bytes:
        surplus = 1 if self._is_last else 0
        if self._left >= 0 and size > self._left + surplus:
            size = self._left + surplus
        data = self._source.read_at(self._at, size) if size > 0 else b""
        if self._left >= 0:
            if len(data) > self._left:
                data = data[: self._left]
                if not data:
                    raise DamagedSave("bytes after the stored ones", expected="the end of the file", actual="more")
            elif not data and self._left > 0:
                raise TruncatedSave("the file ends inside the stored bytes", expected=f"{self._left} more", actual=0)
            elif not data and self._stored_size >= 0 and self._stored_size != self._size:
                raise DamagedSave("wrong size of the stored bytes", expected=self._stored_size, actual=self._size)
            self._left -= len(data)
        self._at += len(data)
        return data

    def consumed(self) -> int:
        return self._at - self._start


class Inflater:
    """One compressed stream, or bytes that are stored as they are, out of another stage.

    Args:
        below: the stage of the compressed bytes.
        window_bits: `WINDOW_BITS_ZLIB`, ...
    """

    def __init__(self, below: Stage, window_bits: int) -> None:
        self._below = below
        self._inflater: Any = None if window_bits == STORED_BITS else fast_zlib.decompressobj(window_bits)
        self._rest = b""
        self._read: int = 0
        #: The stream has come to its own end; stored bytes have none.
        self.has_ended = False

    def some(self, most: i64) -> bytes:
        """Return up to `most` bytes, at least one; none at the end of the stream, and where the compressed bytes end.

        Raises:
            UnsoundStreamError: the stream is damaged.
            SaveError: of the stage below.
        """
        while not self.has_ended:
            data = self._rest or self._below.read(PIECE_SIZE)
            if not self._rest:
                self._read += len(data)
            if self._inflater is None:
                self._rest = data[most:]
                return data[:most]
            try:
                out = inflate_some(self._inflater, data, most)
            except INFLATE_ERRORS:
                raise UnsoundStreamError from None
            self.has_ended = bool(self._inflater.eof)
            self._rest = self._inflater.unused_data if self.has_ended else self._inflater.unconsumed_tail
            if out:
                return out
            if not data:
                break
        return b""

    def used(self) -> int:
        """Return how many compressed bytes the stream has had so far."""
        return self._read - len(self._rest)

    def has_more(self) -> bool:
        """Return whether compressed bytes follow; it raises as the stage below does."""
        return bool(self._rest or self._below.read(1))


class InflateStage(Stage):
    """One stream, compressed or stored, which must end where the layer below ends.

    Args:
        below: the stage of the compressed bytes.
        size: how many bytes the stream must inflate to; -1 if unknown.
        compressed_size: how many bytes the stream must have; -1 if unknown.
        window_bits: `WINDOW_BITS_ZLIB`, ...
        what: what errors call the stream.
    """

    def __init__(
        self,
        below: Stage,
        size: int = -1,
        compressed_size: int = -1,
        window_bits: int = WINDOW_BITS_ZLIB,
        what: str = "zlib stream",
    ) -> None:
        super().__init__()
        self._below = below
        self._size = size
        self._compressed_size = compressed_size
        self._inflater = Inflater(below, window_bits)
        self._is_stored = window_bits == STORED_BITS
        self._what = what
        self._given: int = 0
        self._ended = False

    def produce(self, size: i64) -> bytes:
        if self._ended:
            return b""
        if self._size >= 0 and size > self._size + 1 - self._given:
            size = self._size + 1 - self._given
        try:
            out = self.inflate(size)
        except UnsoundStreamError:
            raise DamagedSave(f"no sound {self._what}") from None
        self._ended = self._inflater.has_ended or (self._is_stored and not out)
        self._given += len(out)
        fault: SaveError | None = None
        if self._size >= 0 and self._given > self._size:
            message = f"{self._what} inflates to more than its declared size"
            fault = DamagedSave(message, expected=self._size, actual=self._given)
            out = out[:-1]
        elif self._ended:
            fault = self.fault_of_end()
        elif not out:
            raise TruncatedSave(f"the file ends inside a {self._what}")
        if fault is not None:
            if not out:
                raise fault
            self._latched = fault  # raised when all bytes before it were read
        return out

    def inflate(self, most: i64) -> bytes:
        """Return up to `most` bytes; raise as `Inflater.some` does."""
        return self._inflater.some(most)

    def fault_of_size(self) -> SaveError | None:
        """Return what is wrong with the size of the stream, which has ended; None if both sizes are right."""
        if self._size >= 0 and self._given != self._size:
            message = f"{self._what} inflates to less than its declared size"
            return DamagedSave(message, expected=self._size, actual=self._given)
        used = self._inflater.used()
        if self._compressed_size >= 0 and used != self._compressed_size:
            return DamagedSave(f"wrong size of a {self._what}", expected=self._compressed_size, actual=used)
        return None

    def fault_of_end(self) -> SaveError | None:
        """Return what is wrong with the end of the stream; None if it is sound."""
        fault = self.fault_of_size()
        try:
            if fault is not None or not self._inflater.has_more():
                return fault
        except SaveError as error:  # of the stage below: it comes after all bytes of this one
            return copy.copy(error)
        return DamagedSave(f"bytes after the {self._what}", expected="the end of the file", actual="more")

    def consumed(self) -> int:
        return self._below.consumed()
