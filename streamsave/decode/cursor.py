"""The only place that turns bytes into numbers and strings.

All numbers are little-endian. Strings repeat a lot in a save, so they are interned by their raw bytes. `window_cursor` has the
window that they are read from, and the bounds of each read.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final

from librt.strings import read_f32_le, read_f64_le, read_i16_le, read_i32_le, read_i64_le

from streamsave._native import i64 as int64  # the cursor has a method of that name
from streamsave.decode.known_bytes import COMPILED, BytesAround, RecentStrings, is_at
from streamsave.decode.window_cursor import NO_LIMIT, WindowCursor
from streamsave.errors import SaveError, TruncatedSave
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["LARGEST_SIZE", "NO_LIMIT", "Cursor", "is_torn"]

#: The largest i32: sizes are signed.
LARGEST_SIZE: Final = (1 << 31) - 1

#: Interned strings are dropped when there are this many, so that names that never repeat cost no memory.
INTERNED_STRINGS: Final = 8192
#: Longer strings are not interned.
INTERNED_SIZE: Final = 256


class Cursor(WindowCursor):
    """A place in the inflated stream.

    Raises, from every read:
        TruncatedSave: the stream ends before the value does.
        DamagedSave: the value runs past `limit`.
        LimitExceeded: the value is larger than `Limits` allows.
    """

    def __init__(
        self,
        windows: Windows,
        limits: Limits,
        strings: dict[bytes, str] | None = None,
        recent: RecentStrings | None = None,
    ) -> None:
        super().__init__(windows, limits)
        #: Interned strings. Compiled, those that were met last are found faster in `_recent`. Forks share both.
        self._strings: dict[bytes, str] = {} if strings is None else strings
        self._recent = RecentStrings() if recent is None else recent
        self._string_size: int64 = limits.string_size
        #: How many strings `skip_strings` has skipped: what it cost, as bytes say nothing about that.
        self.skipped_strings: int64 = 0

    def fork(self) -> Cursor:
        """Return a second cursor over the same stream, at the same offset and with the same limit."""
        other = Cursor(self.windows, self.limits, self._strings, self._recent)
        other._buffer = self._buffer
        other._base = self._base
        other._at = self._at
        other.set_limit(self._limit)
        return other

    # --- numbers ---

    def u8(self) -> int64:
        at = self._next(1)
        return self._buffer[at]

    def i8(self) -> int64:
        value = self.u8()
        return value - 256 if value > 127 else value

    def i16(self) -> int64:
        at = self._next(2)
        value: int = read_i16_le(self._buffer, at)
        return value

    def u16(self) -> int64:
        return self.i16() & 0xFFFF

    def i32(self) -> int64:
        at = self._next(4)
        value: int = read_i32_le(self._buffer, at)
        return value

    def u32(self) -> int64:
        return self.i32() & 0xFFFFFFFF

    def i64(self) -> int64:
        at = self._next(8)
        return read_i64_le(self._buffer, at)

    def u64(self) -> int:
        value: int = self.i64()
        return value if value >= 0 else value + (1 << 64)

    def f32(self) -> float:
        at = self._next(4)
        return read_f32_le(self._buffer, at)

    def f64(self) -> float:
        at = self._next(8)
        return read_f64_le(self._buffer, at)

    def bool32(self) -> bool:
        """Read a bool of four bytes.

        Raises:
            DamagedSave: it is neither 0 nor 1.
        """
        at = self._next(4)
        value: int = read_i32_le(self._buffer, at)
        if value != 0 and value != 1:
            raise self.damaged("not a bool", offset=self.tell() - 4, expected="0 or 1", actual=value)
        return value == 1

    def count(self, element_size: int64) -> int64:
        """Read an i32, the number of elements of at least `element_size` bytes each.

        Raises:
            DamagedSave: it is negative, or so many elements would run past the limit.
            LimitExceeded: `element_size` is 0, and there are more elements than `Limits.zero_size_count`.
        """
        count = self.i32()
        if count < 0 or (element_size > 0 and count > self.remaining() // element_size):
            raise self.damaged(
                f"count {count} does not fit",
                offset=self.tell() - 4,
                expected=f"0 to {self.remaining() // max(element_size, 1)}",
                actual=count,
            )
        if element_size == 0 and count > int64(self.limits.zero_size_count):
            raise self.exceeded("zero_size_count", count)
        return count

    def unpack(self, layout: Struct) -> tuple[Any, ...]:
        """Read numbers of a fixed layout at once."""
        size: int64 = layout.size
        at = self._next(size)
        return layout.unpack_from(self._buffer, at)

    def passes(self, offset: int64, name: bytes) -> bool:
        """Move to the end of a name that is stored as `name`, with its length, at `offset`.

        Returns:
            False, without moving, if other bytes are there, or if the name is not completely in the window.
        """
        at = offset - self._base
        end = at + len(name)
        if at < 0 or end > self._stop or not is_at(self._buffer, at, name):
            return False
        self._at = end
        return True

    def has(self, data: bytes) -> bool:
        """Return whether these bytes come next, as far as the window has them. The cursor stays where it is."""
        return len(data) <= self._stop - self._at and is_at(self._buffer, self._at, data)

    def size_at(self, offset: int64, known: BytesAround) -> int64:
        """Read `i32 size; i32 index` between known bytes at `offset`, and move to the end of these.

        Returns:
            Both as one i64, the size in its lower half; or -1, without moving, if other bytes are there, or fewer than `size`
            bytes follow before the limit.
        """
        at = offset - self._base
        buffer = self._buffer
        middle = at + len(known.lead)
        end = middle + 8 + len(known.tail)
        if at < 0 or end > self._stop or not is_at(buffer, at, known.lead) or not is_at(buffer, middle + 8, known.tail):
            return -1
        value: int64 = read_i64_le(buffer, middle)
        size = value & 0xFFFFFFFF
        if value < 0 or size > LARGEST_SIZE or size > self._limit - self._base - end:
            return -1
        self._at = end
        return value

    # --- strings ---

    def name(self) -> str:
        """Read a name: here a string; in a format with a pool of names, an index into the pool.

        Names are most of what is read, so the path for one that is interned already has no further calls.
        """
        at = self._at
        room = self._stop - at - 4
        if room > 0:
            length: int = read_i32_le(self._buffer, at)
            size: int64 = length
            if size > 0 and size <= room:
                if COMPILED:
                    text = self._recent.find(self._buffer, at + 4, size)
                else:
                    text = self._strings.get(self._buffer[at + 4 : at + 4 + size])
                if text is not None:
                    self._at = at + 4 + size
                    return text
        return self.string()

    def string(self) -> str:
        """Read an Unreal string: `i32` length, then that many bytes, or `-length` UTF-16 units; both with the final NUL.

        Bytes above 127 are read as Latin-1, lone surrogates are kept. Some descriptions of blueprints have no NUL.
        """
        if self._stop - self._at < 4:
            self._fill(4)
        at = self._at
        length: int = read_i32_le(self._buffer, at)
        size: int64 = length
        if size > 0 and size <= self._stop - at - 4:
            text = (
                self._recent.find(self._buffer, at + 4, size)
                if COMPILED
                else self._strings.get(self._buffer[at + 4 : at + 4 + size])
            )
            if text is None:
                text = self._intern(self._buffer[at + 4 : at + 4 + size])
            self._at = at + 4 + size
            return text
        return self._long_string(size)

    def string_once(self) -> str:
        """Read an Unreal string that is unlikely to repeat: it is not interned."""
        at = self._at
        room = self._stop - at - 4
        if room > 0:
            length: int = read_i32_le(self._buffer, at)
            size: int64 = length
            end = at + 4 + size
            if size > 0 and size <= room and size <= self._string_size and self._buffer[end - 1] == 0:
                self._at = end
                return self._buffer[at + 4 : end - 1].decode("latin-1")
        return self.string()

    def skip_strings(self, count: int64) -> None:
        """Skip Unreal strings without decoding them."""
        counted = count
        while count > 0:
            at = self._at
            room = self._stop - at - 4
            length: int = read_i32_le(self._buffer, at) if room >= 0 else -1
            size: int64 = length
            if size >= 0 and size <= room:
                self._at = at + 4 + size
            else:
                self.skipped_strings += counted - count
                counted = count
                size = self.i32()
                self.skip(size if size >= 0 else -2 * size)
            count -= 1
        self.skipped_strings += counted

    def _intern(self, raw: bytes) -> str:
        """Return one-byte text; it is interned if it is short."""
        text = self._strings.get(raw)
        if text is None:
            if len(raw) > self._string_size:
                raise self.exceeded("string_size", len(raw))
            text = (raw[:-1] if raw[-1] == 0 else raw).decode("latin-1")
            if len(raw) > INTERNED_SIZE:
                return text
            if len(self._strings) >= INTERNED_STRINGS:
                self._strings.clear()
            self._strings[raw] = text
        if COMPILED:
            self._recent.keep(raw, text)
        return text

    def _long_string(self, length: int64) -> str:
        """Read a string that is empty, UTF-16, or not completely in the window."""
        if length == 0:
            self._at += 4
            return ""
        size = length if length > 0 else -2 * length
        if size > self.remaining() - 4:
            raise self.damaged(
                f"string length {length} runs past the enclosing length",
                expected=f"at most {self.remaining() - 4} bytes",
                actual=length,
            )
        if size > self._string_size:
            raise self.too_large("string_size", size, self.tell() + 4)
        self._fill(4 + size)
        start = self._at + 4
        raw = self._buffer[start : start + size]
        if length > 0:
            text = self._intern(raw)
        else:
            text = (raw[:-2] if raw[-2:] == b"\0\0" else raw).decode("utf-16-le", "surrogatepass")
        self._at = start + size
        return text


def is_torn(cursor: Cursor, error: SaveError) -> bool:
    """Return whether it is a chunk, or the end of the file, that cannot be read, not what is in it."""
    return cursor.fault is not None or isinstance(error, TruncatedSave)
