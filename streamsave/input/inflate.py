"""Inflate with zlib-ng, or with the standard library where zlib-ng is not installed."""

from __future__ import annotations

import zlib
from typing import Any, Final

try:
    from zlib_ng import zlib_ng

    fast_zlib: Any = zlib_ng
except ImportError:  # an installation without wheels for its platform
    fast_zlib = zlib

__all__ = ["INFLATE_ERRORS", "UnsoundStreamError", "fast_zlib", "inflate", "inflate_some", "sound_size"]


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
