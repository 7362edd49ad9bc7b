"""A place in the inflated stream, with one window of it: the chunk it is in and the unread tail of the one before.

This is the only place that checks bounds: each read is bounded by `limit`, the end of the innermost length around it, and by
`Limits`. `Cursor` reads numbers and strings there.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.errors import DamagedSave, SaveError, TruncatedSave, UnsupportedSave
from streamsave.input.windows import Windows
from streamsave.limits import Limits, exceeded

__all__ = ["NO_LIMIT", "WindowCursor"]

#: A limit that no stream reaches, small enough to add to it.
NO_LIMIT: Final = 1 << 62


class WindowCursor:
    """A place in the inflated stream, and the bytes there."""

    def __init__(self, windows: Windows, limits: Limits) -> None:
        self.windows = windows
        self.limits = limits
        self._buffer = b""
        #: Where the buffer starts in the stream; the position in it; its end, or the limit if that is first.
        self._base: i64 = 0
        self._at: i64 = 0
        self._stop: i64 = 0
        self._limit: i64 = NO_LIMIT
        #: The last error of the windows: the fault is in the compressed bytes, not in the values.
        self.fault: SaveError | None = None

    # --- where ---

    def tell(self) -> i64:
        return self._base + self._at

    def limit(self) -> i64:
        return self._limit

    def remaining(self) -> i64:
        """Return how many bytes there are up to the limit."""
        return self._limit - self._base - self._at

    def set_limit(self, limit: i64) -> None:
        """Set the offset in the stream that no read may pass."""
        self._limit = limit
        stop: i64 = len(self._buffer)
        if limit - self._base < stop:
            stop = limit - self._base
        self._stop = stop

    def seek(self, offset: i64) -> None:
        """Go to any offset of the stream. Nothing is inflated before the next read."""
        at = offset - self._base
        if at < 0 or at > len(self._buffer):
            self._buffer = b""
            self._base = offset
            at = 0
            self._stop = 0
        self._at = at

    def pass_to(self, offset: i64) -> None:
        """Go forward to an offset that the stream must reach. Bytes that are passed over are not checked.

        Raises:
            TruncatedSave: the stream ends before it.
            SaveError: the stream is damaged before it, or above a limit.
        """
        self.check_reaches(offset)
        self.seek(offset)

    def check_reaches(self, offset: i64) -> None:
        """Raise as `pass_to` does if the stream does not reach an offset, without moving."""
        # Without a window, the cursor may have gone past the end already.
        if (self._buffer and offset - self._base <= len(self._buffer)) or self.windows.reaches(offset):
            return
        end, _ = self.windows.readable_end(self.limits)
        start = self.tell()
        if start > end:
            start = end
        raise self.located(
            TruncatedSave(
                f"the stream ends at {end:#x}", start, expected=f"{int(offset - start)} bytes", actual=max(int(end - start), 0)
            )
        )

    def skip(self, size: i64) -> None:
        """Go forward by a length from the save.

        Raises:
            DamagedSave: `size` is negative or runs past the limit.
        """
        if size >= 0 and size <= self._stop - self._at:
            self._at += size
            return
        if size < 0 or size > self.remaining():
            raise self._overrun(size)
        self.seek(self._base + self._at + size)

    # --- bytes ---

    def block(self, size: i64) -> bytes:
        """Read a few bytes of a fixed layout as they are."""
        at = self._next(size)
        return self._buffer[at : at + size]

    def take(self, size: i64) -> bytes:
        """Read `size` bytes as they are.

        Raises:
            LimitExceeded: more than `Limits.build_size`, and the stream may have them.
        """
        if size < 0 or size > self.remaining():
            raise self._overrun(size)
        if size > i64(self.limits.build_size):
            raise self.too_large("build_size", size, self.tell())
        at = self._at
        if size <= self._stop - at:
            self._at = at + size
            return self._buffer[at : at + size]
        pieces = []
        missing = size
        while missing > 0:
            if self._stop == self._at:
                self._fill(1)
            piece = self._stop - self._at
            if piece > missing:
                piece = missing
            pieces.append(self._buffer[self._at : self._at + piece])
            self._at += piece
            missing -= piece
        return b"".join(pieces)

    def since(self, offset: i64) -> bytes:
        """Return the bytes from `offset` to here if they are still in the window, else none."""
        start = offset - self._base
        return self._buffer[start : self._at] if 0 <= start <= self._at else b""

    def absent(self, strings: list[bytes], size: i64) -> list[bytes]:
        """Return those byte strings that are not in the next `size` bytes. The cursor does not move.

        Raises:
            DamagedSave: `size` runs past the limit.
        """
        if size > self.remaining():
            raise self._overrun(size)
        if size <= self._stop - self._at:
            stop = self._at + size
            return [string for string in strings if self._buffer.find(string, self._at, stop) < 0]
        start = self.tell()
        left = size
        carried = b""
        longest = max([len(string) for string in strings], default=0)
        while left > 0 and strings:
            if self._stop == self._at:
                self._fill(1)
            stop = self._stop
            if left < stop - self._at:
                stop = self._at + left
            if carried or stop - self._at < left:
                block = carried + self._buffer[self._at : stop]
                strings = [string for string in strings if block.find(string) < 0]
                # A string may begin in one window and end in the next.
                carried = block[-(longest - 1) :] if longest > 1 else b""
            else:
                strings = [string for string in strings if self._buffer.find(string, self._at, stop) < 0]
            left -= stop - self._at
            self._at = stop
        self.seek(start)
        return strings

    # --- the window ---

    def peek(self, size: i64) -> bytes:
        """Return up to `size` bytes ahead without moving; fewer at the limit, at the end of the stream, or before a fault."""
        if size > self.remaining():
            size = self.remaining()
            if size <= 0:
                return b""  # the cursor may be after the limit
        while self._stop - self._at < size:
            try:
                if not self._load():
                    break
            except SaveError:  # raised again by a read that gets there
                break
        stop = self._at + size
        if stop > self._stop:
            stop = self._stop
        return self._buffer[self._at : stop]

    def at_end(self) -> bool:
        """Return whether the stream ends here, wherever the limit is.

        Raises:
            SaveError: what is compressed is damaged after the cursor, or above a limit.
        """
        return self._at >= len(self._buffer) and not self._load()

    def need(self, size: i64) -> None:
        """Load `size` bytes into the window, without moving."""
        if self._stop - self._at < size:
            self._fill(size)

    def _next(self, size: i64) -> i64:
        """Move over the next `size` bytes; return where they start in the window, which has them all."""
        if self._stop - self._at < size:
            self._fill(size)
        at = self._at
        self._at = at + size
        return at

    def _fill(self, size: i64) -> None:
        """Load windows until at least `size` bytes are ahead."""
        if size > self.remaining():
            raise self._overrun(size)
        while self._stop - self._at < size:
            if not self._load():
                raise self.truncated(size)

    def _load(self) -> bool:
        """Append the next window to what is left of this one; return False at the end of the stream."""
        offset = self._base + len(self._buffer)
        try:
            piece = self.windows.window(offset)
        except SaveError as error:
            self.fault = error
            raise
        if not piece:
            return False
        start: i64 = self.windows.window_offset
        if start != offset:
            piece = piece[offset - start :] if start < offset else b""
            if not piece:  # a window without the byte that was asked for: nothing would make the next one better
                return False
        tail = self._buffer[self._at :]
        self._base += self._at
        self._at = 0
        self._buffer = tail + piece if tail else piece
        self.set_limit(self._limit)
        return True

    # --- errors ---

    def located(self, error: SaveError) -> SaveError:
        """Write into an error the chunk that its offset is in; return it."""
        place = self.windows.locate(error.offset)
        return error if place is None else error._in_chunk(*place)

    def damaged(self, message: str, *, offset: int = -1, expected: object = None, actual: object = None) -> SaveError:
        """Return a `DamagedSave` at this place, or at `offset`."""
        return self.located(DamagedSave(message, self.tell() if offset < 0 else offset, expected=expected, actual=actual))

    def truncated(self, size: i64) -> SaveError:
        """Return a `TruncatedSave` for a read of `size` bytes here.

        Raises:
            TruncatedSave: the stream ends before this place.
        """
        if not self._buffer:
            self.check_reaches(self.tell())
        end = self._base + len(self._buffer)
        return self.located(
            TruncatedSave(
                f"the stream ends at {int(end):#x}", self.tell(), expected=f"{size} bytes", actual=int(end - self.tell())
            )
        )

    def unsupported(self, message: str, *, expected: object = None, actual: object = None) -> SaveError:
        """Return an `UnsupportedSave` at this place."""
        return self.located(UnsupportedSave(message, self.tell(), expected=expected, actual=actual))

    def exceeded(self, limit: str, value: int) -> SaveError:
        """Return a `LimitExceeded` at this place."""
        return self.located(exceeded(self.limits, limit, value, self.tell()))

    def too_large(self, limit: str, size: i64, start: i64) -> SaveError:
        """Return the error about a value of `size` bytes from `start` on, above a limit.

        It is a `DamagedSave` if the stream ends before the value: then no limit would help. Else it is a `LimitExceeded`.
        """
        try:
            fits = not self.windows.ends_before(start + size)
        except SaveError:
            fits = True  # it is not known to end before
        if fits:
            return self.exceeded(limit, size)
        return self.damaged("value runs past the end of the stream", expected="fewer bytes", actual=int(size))

    def _overrun(self, size: i64) -> SaveError:
        return self.damaged(
            "value runs past the enclosing length",
            expected=f"0 to {self.remaining()} bytes",
            actual=size,
        )
