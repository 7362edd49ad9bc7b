"""Inflate with zlib-ng, or with the standard library where zlib-ng is not installed."""

from __future__ import annotations

import zlib
from typing import Any, Final

try:
    from zlib_ng import zlib_ng

    fast_zlib: Any = zlib_ng
except ImportError:  # an installation without wheels for its platform
    fast_zlib = zlib

__all__ = ["INFLATE_ERRORS", "fast_zlib", "inflate"]

INFLATE_ERRORS: Final[tuple[type[Exception], ...]] = (zlib.error, fast_zlib.error)


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
