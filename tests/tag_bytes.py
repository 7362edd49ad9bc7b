"""Property tags as bytes, old and new."""

import struct

from writer.primitives import fstring, i32


def tag(name: str, kind: str, value: bytes, *, extras: bytes = b"", index: int = 0, guid: bytes = b"\0") -> bytes:
    """An old property, value and all."""
    return fstring(name) + fstring(kind) + struct.pack("<ii", len(value), index) + extras + guid + value


def new_tag(name: str, tree: bytes, value: bytes, flags: int = 0, extras: bytes = b"") -> bytes:
    """A new property, value and all."""
    return fstring(name) + tree + struct.pack("<iB", len(value), flags) + extras + value


def tree(name: str, *children: bytes) -> bytes:
    return fstring(name) + i32(len(children)) + b"".join(children)
