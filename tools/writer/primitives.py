"""Little-endian primitives of Unreal archives.

+---------+--------------------------------------------------------------+
| FString | i32 length; bytes. 0: nothing; n > 0: n ASCII bytes with NUL;|
|         | n < 0: -n UTF-16LE units with NUL                            |
| bool32  | u32, 0 or 1                                                  |
| ref     | FString level; FString path                                  |
| FGuid   | 16 bytes                                                     |
| FMD5Hash| bool32 valid; [16 bytes]                                     |
+---------+--------------------------------------------------------------+
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from attrs import frozen

T = TypeVar("T")

NO_GUID = bytes(16)
# Some empty strings, e.g. namespaces of texts made by mods, are stored with their NUL: length 1.
EMPTY_WITH_NUL = "\0"

_U8 = struct.Struct("<B")
_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")
_I64 = struct.Struct("<q")
_F32 = struct.Struct("<f")
_F64 = struct.Struct("<d")


@frozen
class Ref:
    """An object reference: the level it lives in and its path; both empty for "nothing"."""

    level: str = ""
    path: str = ""


NO_REF = Ref()


def u8(value: int) -> bytes:
    """One unsigned byte."""
    return _U8.pack(value)


def i32(value: int) -> bytes:
    """A signed 32-bit integer."""
    return _I32.pack(value)


def u32(value: int) -> bytes:
    """An unsigned 32-bit integer."""
    return _U32.pack(value)


def i64(value: int) -> bytes:
    """A signed 64-bit integer."""
    return _I64.pack(value)


def f32(value: float) -> bytes:
    """A 32-bit float."""
    return _F32.pack(value)


def f64(value: float) -> bytes:
    """A 64-bit float."""
    return _F64.pack(value)


def bool32(value: bool) -> bytes:
    """A bool in four bytes."""
    return b"\x01\0\0\0" if value else b"\0\0\0\0"


def floats(values: Sequence[float]) -> bytes:
    """32-bit floats, one after the other."""
    return struct.pack(f"<{len(values)}f", *values)


def doubles(values: Sequence[float]) -> bytes:
    """64-bit floats, one after the other."""
    return struct.pack(f"<{len(values)}d", *values)


@lru_cache(maxsize=1 << 14)
def fstring(text: str) -> bytes:
    """An FString: ASCII when it can be, UTF-16 when it must."""
    if not text:
        return b"\0\0\0\0"
    if text == EMPTY_WITH_NUL:
        return b"\1\0\0\0\0"
    if text.isascii():
        return i32(len(text) + 1) + text.encode("ascii") + b"\0"
    units = text.encode("utf-16-le")
    return i32(-(len(units) // 2 + 1)) + units + b"\0\0"


def ref(value: Ref) -> bytes:
    """An object reference: level, path."""
    return fstring(value.level) + fstring(value.path)


def refs(values: Sequence[Ref]) -> bytes:
    """A counted list of object references."""
    return counted(values, ref)


def counted(values: Sequence[T], encode: Callable[[T], bytes]) -> bytes:
    """A TArray: i32 count, then each value."""
    return i32(len(values)) + b"".join(map(encode, values))


def sized(data: bytes) -> bytes:
    """A TArray of bytes: i32 size, then the bytes."""
    return i32(len(data)) + data


def md5_hash(digest: bytes | None) -> bytes:
    """An FMD5Hash; ``None`` is an invalid one."""
    return bool32(False) if digest is None else bool32(True) + digest


def gzipped(data: bytes, level: int = 9) -> bytes:
    """A gzip member, the same in each version of Python: since 3.13, the system it says is another one."""
    member = gzip.compress(data, level, mtime=0)
    return member[:9] + b"\3" + member[10:]


def join(parts: Iterable[bytes]) -> bytes:
    """The parts, one after the other."""
    return b"".join(parts)
