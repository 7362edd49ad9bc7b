"""Values of Satisfactory's layouts from bytes that a test makes by hand."""

import struct

from attrs import evolve
from cursors import cursor_over
from writer.satisfactory import RELEASES, SaveHeader, release_header

from streamsave.decode.codecs import Codec
from streamsave.formats.satisfactory.structs import make_dialect
from streamsave.formats.unreal.reader import UnrealReader

#: A build whose texts say whether an invariant string follows.
BUILD = 500_000


def header_of(save_version: int) -> SaveHeader:
    """The header of a save of any SaveVersion, as the last release up to it wrote headers."""
    release = max((version for version in RELEASES if version <= save_version), default=min(RELEASES))
    return evolve(release_header(release), save_version=save_version)


def reader_over(data: bytes, save_version: int = 58) -> UnrealReader:
    return UnrealReader(cursor_over(data), make_dialect(save_version, 1009, BUILD))


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
