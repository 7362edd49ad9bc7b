"""Values of Satisfactory's layouts from bytes that a test makes by hand."""

from __future__ import annotations

import struct

from cursors import cursor_over

from streamsave import Limits
from streamsave.decode.codecs import Codec
from streamsave.formats.satisfactory.structs import make_dialect
from streamsave.formats.unreal.reader import UnrealReader

#: A build whose texts say whether an invariant string follows.
BUILD = 500_000


def reader_over(data: bytes, save_version: int = 58) -> UnrealReader:
    """What decoding needs, over bytes."""
    return UnrealReader(cursor_over(data), Limits(), make_dialect(save_version, 1009, BUILD))


def whole(codec: Codec, data: bytes, save_version: int = 58) -> object:
    """The value of a codec that takes exactly these bytes, when it decodes and when it measures."""
    reader = reader_over(data, save_version)
    codec.measure(reader.cursor, reader)
    assert reader.cursor.remaining() == 0, f"{codec.name} measures {reader.cursor.tell()} of {len(data)} bytes"
    reader = reader_over(data, save_version)
    value = codec.decode(reader.cursor, reader)
    assert reader.cursor.remaining() == 0, f"{codec.name} decodes {reader.cursor.tell()} of {len(data)} bytes"
    return value


def reals(count: int, *, wide: bool) -> bytes:
    """Numbers 1, 2, ... as doubles or floats."""
    return struct.pack(f"<{count}{'d' if wide else 'f'}", *range(1, count + 1))
