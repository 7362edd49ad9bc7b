"""Sources of bytes: a path, a URL, bytes, a binary file object or an iterable of bytes, with one interface to read them.

A path and a URL are opened and closed here; the caller closes a file object. Errors of the source pass through unchanged. Input
that cannot seek is spooled as it is, as far as it was read and up to `Limits.spool_size`, unless the reader says that it never
goes back (`Source.forget`).

The module is long because each kind of source is one small class, and `open_source` chooses between them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from streamsave._log import debug, warn
from streamsave.input.urls import OpenFile, file_system, is_open_file, is_url, url_errors
from streamsave.limits import Limits, check_limit

if TYPE_CHECKING:
    from typing import BinaryIO

    from fsspec import AbstractFileSystem

__all__ = [
    "KeptSource",
    "Readable",
    "Source",
    "SourceLike",
    "gathered",
    "open_source",
    "source_name",
]

#: Spooled bytes that stay in memory before they move to a temporary file.
SPOOL_IN_MEMORY = 1024 * 1024
#: Bytes that one read from a file object that cannot seek asks for.
PIECE_SIZE = 64 * 1024
#: Bytes of one request to a server, and how many blocks are kept: two or three cursors go forward through a save, and each needs
#: the block that it is in.
BLOCK_SIZE = 512 * 1024
KEPT_BLOCKS = 8
#: Marks the end of an iterable. No piece is this object; an iterable may yield anything, even None.
END: Any = object()


class Readable(Protocol):
    """A binary file object: anything with a `read` that returns bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; none at the end."""
        ...


class Source:
    """Bytes of a file, readable at any offset."""

    #: For messages: the path, or the kind of input.
    name: str
    #: About where the last read was, for a progress bar.
    reached: int = 0

    def warn(self, event: str, **details: object) -> None:
        """Log a warning about what is read, with its name."""
        warn(event, save=self.name, **details)

    def read_at(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset`; fewer only at the end of the input.

        Raises:
            OSError: the source cannot be read.
            LimitExceeded: it cannot seek, and more than `Limits.spool_size` bytes of it would have to be kept.
        """
        raise NotImplementedError

    def size(self) -> int | None:
        """Return the size of the input in bytes, or None if only reading to its end would show it."""
        raise NotImplementedError

    def size_up_to(self, least: int) -> int:
        """Return the size of the input; if only reading to its end would show it, how much there is up to `least` bytes, or more.

        Raises:
            OSError: the source cannot be read.
            LimitExceeded: as for `read_at`.
        """
        size = self.size()
        if size is not None:
            return size
        return least if self.read_at(least - 1, 1) else self.size() or 0

    def whole_size(self, limits: Limits) -> int:
        """Return the size of the input; if need be, read it to its end.

        Raises:
            OSError: the source cannot be read.
            LimitExceeded: so read, it has more than `Limits.total_inflated_size` bytes; or as for `read_at`.
        """
        size = self.size()
        if size is None:
            size = 0
            while piece := self.read_at(size, PIECE_SIZE):
                size += len(piece)
                check_limit(limits, "total_inflated_size", size, size, subject="file")
        return size

    def forget(self) -> None:
        """Stop to spool: the reader promises that it only goes forward."""

    def keep(self) -> None:
        """Spool, even if a reader says that it may forget: another one will start at the first byte. Call it early."""

    def close(self) -> None:
        """Close what was opened by `open_source`."""


SourceLike = str | os.PathLike[str] | bytes | bytearray | memoryview | Readable | OpenFile | Iterable[bytes] | Source


class BytesSource(Source):
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.name = source_name(data)
        self._data = data

    def read_at(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]

    def size(self) -> int:
        return len(self._data)


class FileSource(Source):
    """A file object that can seek. Offsets count from its position at the start."""

    def __init__(self, file: IO[bytes], name: str, *, owned: bool) -> None:
        self.name = name
        self._file = file
        self._owned = owned
        self._start = file.tell()
        self._position = self._start

    def read_at(self, offset: int, size: int) -> bytes:
        target = self._start + offset
        # Its owner, or another stream, may have moved it.
        if target != self._position or not self._owned:
            self._position = self._file.seek(target)
            self._check_seek(f"seek({target})", target)
        data = read_fully(self._file, size)
        self._position += len(data)
        self.reached = offset + len(data)
        return data

    def size(self) -> int:
        self._position = self._file.seek(0, os.SEEK_END)
        self._check_seek("seek to the end", self._file.tell())
        return self._position - self._start

    def _check_seek(self, what: str, target: int) -> None:
        if self._position != target:
            message = f"{self.name}: {what} went to {self._position}, not {target}"
            raise OSError(message)

    def close(self) -> None:
        if self._owned:
            self._file.close()


class ForwardSource(Source):
    """Input that cannot seek: a pipe, or an iterable of bytes. What was read is spooled, up to `Limits.spool_size`."""

    def __init__(
        self, pieces: Iterator[bytes], name: str, limits: Limits | None = None, file: IO[bytes] | OpenFile | None = None
    ) -> None:
        self.name = name
        self._pieces = pieces
        #: What to close at the end.
        self._file = file
        self._limits = Limits() if limits is None else limits
        #: The bytes that were read last, and the offset of the first of them.
        self._tail = bytearray()
        self._tail_offset = 0
        self._ended = False
        self._spool: IO[bytes] | None = None
        self._keep = True
        #: Another reader will start at the first byte.
        self._is_read_again = False

    def read_at(self, offset: int, size: int) -> bytes:
        self._pull(offset, offset + size)
        start = offset - self._tail_offset
        if start >= 0:
            return bytes(self._tail[start : start + size])
        if self._spool is None:
            message = f"{self.name}: cannot go back to {offset}, the bytes before {self._tail_offset} were not kept"
            raise OSError(message)
        self._spool.seek(offset)
        data = self._spool.read(min(size, -start))
        self._spool.seek(0, os.SEEK_END)
        return data + bytes(self._tail[: size - len(data)])

    def _pull(self, offset: int, end: int) -> None:
        """Read on until byte `end` is in the tail, or the input ends; bytes well before `offset` leave the tail.

        Raises:
            LimitExceeded: what leaves it has to be kept, and is more than `Limits.spool_size`.
        """
        most = self._limits.spool_size
        if self._keep and offset > most:
            # An input that ends before that needs no spool. Only the start is looked at: nothing moves to the spool.
            self._read_on(min(most, SPOOL_IN_MEMORY), 0)
            if not self._ended:
                check_limit(self._limits, "spool_size", offset, offset, subject="bytes to keep of input that cannot seek")
        self._read_on(end, offset)

    def _read_on(self, end: int, offset: int) -> None:
        """Read on until byte `end` is in the tail, or the input ends; bytes well before `offset` leave the tail."""
        while not self._ended and self._tail_offset + len(self._tail) < end:
            piece = next(self._pieces, END)
            if piece is END:
                self._ended = True
            elif not isinstance(piece, (bytes, bytearray, memoryview)):
                message = f"{self.name}: gave {type(piece).__name__}, not bytes"
                raise TypeError(message)
            else:
                self._tail += piece
                surplus = min(offset - self._tail_offset, len(self._tail)) - PIECE_SIZE
                if surplus > PIECE_SIZE:
                    self._spool_tail(surplus)

    def _spool_tail(self, size: int) -> None:
        """Move the first `size` bytes of the tail to the spool."""
        if self._keep:
            if self._spool is None:
                from tempfile import SpooledTemporaryFile  # noqa: PLC0415 - costs 10 ms, and most input can seek

                self._spool = cast("IO[bytes]", SpooledTemporaryFile(max_size=SPOOL_IN_MEMORY))  # noqa: SIM115 - closed in close()
            self._spool.write(self._tail[:size])
        del self._tail[:size]
        self._tail_offset += size

    def size(self) -> int | None:
        return self._tail_offset + len(self._tail) if self._ended else None

    def size_up_to(self, least: int) -> int:
        # What is not spooled stays in the tail: it was not read yet.
        self._pull(least if self._keep else 0, least)
        return self._tail_offset + len(self._tail)

    def forget(self) -> None:
        self._keep = self._is_read_again

    def keep(self) -> None:
        self._is_read_again = self._keep = self._keep or self._tail_offset == 0

    def close(self) -> None:
        if self._spool is not None and not self._spool.closed:
            debug("spooled, because the input cannot seek", save=self.name, size=self._spool.seek(0, os.SEEK_END))
            self._spool.close()
        if self._file is not None:
            self._file.close()


def read_fully(file: Readable, size: int) -> bytes:
    """Read `size` bytes from a file object that may return less at a time; fewer only at its end."""
    return gathered(lambda most: checked(file, most, file.read(most)), size)


def gathered(read: Callable[[int], bytes], size: int) -> bytes:
    """Return `size` bytes of what gives up to so many at a time; fewer only if it gives none."""
    pieces: list[bytes] = []
    while size > 0 and (piece := read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def checked(file: Readable, size: int, data: object) -> bytes:
    """Return what a read of a file object returned.

    Raises:
        TypeError: it is not bytes.
        OSError: there are more than `size` bytes.
    """
    if not isinstance(data, bytes):
        message = f"read({size}) of {type(file).__name__} gave {type(data).__name__}, not bytes"
        raise TypeError(message)
    if len(data) > size:
        message = f"read({size}) of {type(file).__name__} gave {len(data)} bytes"
        raise OSError(message)
    return data


def pieces_of(file: Readable) -> Iterator[bytes]:
    """Yield the bytes of a file object that cannot seek, up to its end; those of a pipe as they come."""
    read1 = getattr(file, "read1", None)
    while data := checked(file, PIECE_SIZE, file.read(PIECE_SIZE) if read1 is None else read1(PIECE_SIZE)):
        yield data


class UrlSource(Source):
    """A URL, through fsspec, in blocks of which a few are kept.

    If the server cannot send a part of a file, the file is read like a pipe: from its first byte on, and spooled.
    """

    def __init__(self, url: str, files: AbstractFileSystem, path: str, limits: Limits | None = None) -> None:
        """Connect.

        Args:
            url: what messages say.
            files: the file system of the URL.
            path: where it is in there.
            limits: with the `spool_size` of what cannot seek.

        Raises:
            OSError: fsspec cannot open the URL; so does what reads.
        """
        self.name = url
        self._limits = limits
        self._keep = True
        self._files = files
        self._path = path
        with url_errors(url):
            file: IO[bytes] = self._files.open(
                self._path, "rb", block_size=BLOCK_SIZE, cache_type="blockcache", cache_options={"maxblocks": KEPT_BLOCKS}
            )
            # Files of servers that send no size say that they can seek, but have no size.
            can_seek = getattr(file, "size", 0) is not None and file.seekable()
            #: What reads the file: by parts, or like a pipe if only that works.
            self._source: Source = FileSource(file, url, owned=True) if can_seek else self._forward(file)

    def _forward(self, file: IO[bytes]) -> Source:
        source = ForwardSource(pieces_of(file), self.name, self._limits, file)
        if not self._keep:
            source.forget()
        return source

    def read_at(self, offset: int, size: int) -> bytes:
        self.reached = offset
        with url_errors(self.name):
            try:
                return self._source.read_at(offset, size)
            except ValueError:
                # This error is all that fsspec shows of an HTTP server that sends the whole file for any part.
                if isinstance(self._source, ForwardSource) or not self.name.lower().startswith("http"):
                    raise
            self._source.close()
            self._source = self._forward(self._files.open(self._path, "rb", block_size=0))
            return self._source.read_at(offset, size)

    def size(self) -> int | None:
        with url_errors(self.name):
            return self._source.size()

    def size_up_to(self, least: int) -> int:
        with url_errors(self.name):
            return self._source.size_up_to(least)

    def forget(self) -> None:
        self._keep = False
        self._source.forget()

    def keep(self) -> None:
        self._keep = True
        self._source.keep()

    def close(self) -> None:
        self._source.close()


class KeptSource(Source):
    """A source that is read several times: it ignores a reader that says that it may forget what was read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = source.name
        self._said: set[str] = set()

    def warn(self, event: str, **details: object) -> None:
        """Log a warning, unless it came when the save was read before."""
        if event not in self._said:
            self._said.add(event)
            self._source.warn(event, **details)

    def read_at(self, offset: int, size: int) -> bytes:
        """Return the bytes there, as `Source.read_at` does."""
        self.reached = offset
        return self._source.read_at(offset, size)

    def size(self) -> int | None:
        """Return the size, or None if it is unknown."""
        return self._source.size()

    def size_up_to(self, least: int) -> int:
        """Return the size, or how much there is up to `least`, as `Source.size_up_to` does."""
        return self._source.size_up_to(least)

    def close(self) -> None:
        """Close the source."""
        self._source.close()


def open_file_source(file: OpenFile, limits: Limits | None) -> Source:
    """Return the source of what `fsspec.open` returns.

    Raises:
        TypeError: it is for text, or to write.
        OSError: it cannot be opened.
    """
    name = file.full_name
    if file.mode != "rb":
        raise TypeError(f"{name}: opened with mode {file.mode!r}, not 'rb'")
    if file.compression is None:
        return UrlSource(name, file.fs, file.path, limits)

    def unpacked() -> Iterator[bytes]:
        with url_errors(name):
            yield from pieces_of(file.open())

    return ForwardSource(unpacked(), name, limits, file)


def source_name(source: SourceLike) -> str:
    """Return what messages, the column `file` and `SelectedObject.source` call a source."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"<{len(source)} bytes>"
    name = source.full_name if is_open_file(source) else getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def open_source(source: SourceLike, limits: Limits | None = None, storage_options: Mapping[str, object] | None = None) -> Source:
    """Return a `Source` for anything that streamsave reads. A `str` that starts like a URL is one, unless a file has that name.

    Args:
        source: what `streamsave.open` takes.
        limits: with the `spool_size` of input that cannot seek; None for the default.
        storage_options: what fsspec takes for the URL; other sources do not need it.

    Raises:
        OSError: the path cannot be opened.
        ImportError: it is a URL, and fsspec is not installed.
        TypeError: `source` is nothing that can be read.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str) and is_url(source):
        return UrlSource(source, *file_system(source, storage_options), limits)
    if is_open_file(source):
        return open_file_source(source, limits)
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        opened: BinaryIO = open(path, "rb")  # noqa: SIM115, PTH123 - closed by Source.close
        if opened.seekable():
            return FileSource(opened, path, owned=True)
        return ForwardSource(pieces_of(opened), path, limits, opened)  # a named pipe
    if isinstance(source, (bytes, bytearray, memoryview)):
        return BytesSource(bytes(source))
    if hasattr(source, "read") and not isinstance(source, io.TextIOBase):
        file_object = cast("IO[bytes]", source)
        label = source_name(source)
        seekable = getattr(source, "seekable", None)
        if seekable is not None and seekable():
            return FileSource(file_object, label, owned=False)
        return ForwardSource(pieces_of(file_object), label, limits)
    if isinstance(source, Iterable) and not isinstance(source, io.TextIOBase):
        return ForwardSource(iter(source), source_name(source), limits)
    message = f"a path, a URL, bytes, a binary file object or an iterable of bytes is needed, not {type(source).__name__}"
    raise TypeError(message)
