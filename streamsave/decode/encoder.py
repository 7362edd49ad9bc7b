"""Values -> bytes: the reverse of `Cursor`.

All numbers are little-endian. Text is stored as the game stores it: one byte for each character if all are ASCII, else UTF-16.
"""

from __future__ import annotations

from numbers import Integral, Real
from struct import pack
from typing import Final, TypeVar

from streamsave.errors import EditError

__all__ = ["Encoder", "text_of", "typed", "utf8_of"]

T = TypeVar("T")

#: The most elements that a count of 32 bits can say.
MOST: Final = (1 << 31) - 1
#: Layouts of floating-point numbers, by their sizes.
REALS: Final = {2: "<e", 4: "<f", 8: "<d"}


class Encoder:
    """A buffer that values are appended to.

    Raises, from each method that takes a value:
        EditError: it is of another type, or out of range.
    """

    def __init__(self) -> None:
        self.data = bytearray()

    # --- numbers ---

    def integer(self, value: object, size: int, *, signed: bool) -> None:
        """Write an integer of `size` bytes."""
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise EditError("not an integer", value)
        number = int(value)
        bits = 8 * size - (1 if signed else 0)
        low = -(1 << bits) if signed else 0
        if number < low or number >> bits > 0:
            raise EditError("out of range", value, f"{low} to {(1 << bits) - 1}")
        self.data += number.to_bytes(size, "little", signed=signed)

    def real(self, value: object, size: int) -> None:
        """Write a floating-point number of `size` bytes: 2, 4 or 8."""
        if not isinstance(value, Real) or isinstance(value, bool):
            raise EditError("not a number", value)
        try:
            self.data += pack(REALS[size], float(value))
        except OverflowError:
            raise EditError("out of range", value, f"a float of {size} bytes") from None

    def flag(self, value: object, size: int) -> None:
        """Write a bool of `size` bytes."""
        self.data += int(typed(value, bool, "a bool")).to_bytes(size, "little")

    def count(self, count: int) -> None:
        """Write how many elements or bytes follow, as an i32."""
        if count > MOST:
            raise EditError("too many", count, f"at most {MOST}")
        self.data += count.to_bytes(4, "little")

    # --- bytes and text ---

    def put(self, value: object, size: int = -1) -> None:
        """Write bytes as they are.

        Args:
            value: the bytes.
            size: how many they have to be; -1: any number.
        """
        data = typed(value, bytes, "bytes")
        if size >= 0 and len(data) != size:
            raise EditError("wrong number of bytes", len(data), size)
        self.data += data

    def string(self, value: object) -> None:
        """Write an Unreal string: `i32` length, then that many bytes, or `-length` UTF-16 units; both with the final NUL."""
        text = text_of(value)
        if not text:
            self.data += bytes(4)
        elif text.isascii():
            self.count(len(text) + 1)
            self.data += text.encode("ascii") + b"\0"
        else:
            raw = text.encode("utf-16-le", "surrogatepass")
            self.data += (-(len(raw) // 2 + 1)).to_bytes(4, "little", signed=True) + raw + b"\0\0"

    def name(self, value: object) -> None:
        """Write a name: here a string; in a format with a pool of names, an index into the pool."""
        self.string(value)


def utf8_of(value: object) -> bytes:
    """Return text as UTF-8. A surrogate that replaced a faulty byte becomes that byte again.

    Raises:
        EditError: the value is not text, or has other surrogates.
    """
    text = text_of(value)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise EditError("UTF-8 cannot have it", value) from None


def text_of(value: object) -> str:
    """Return a value as text.

    Raises:
        EditError: the value is not text.
    """
    return typed(value, str, "text")


def typed(value: object, kind: type[T], what: str) -> T:
    """Return a value, which has to be of a type; `what` says which one.

    Raises:
        EditError: it is of another type.
    """
    if not isinstance(value, kind):
        raise EditError(f"not {what}", value)
    return value
