"""Headers: each field by hand-made bytes, each version gate on both sides."""

import hashlib
import struct
import sys

import pytest
from attrs import evolve
from saves import chunk, inflate, read, start_of
from tiling import assert_tiled
from writer.primitives import i32
from writer.satisfactory import World, release_header, save_bytes

from streamsave import SaveEnd, SaveStart, UnsupportedSave
from streamsave.formats.satisfactory.header import SaveHeader as ReadHeader
from streamsave.formats.satisfactory.header import new_md5
from streamsave.values import DateTime


@pytest.mark.parametrize("visibility", [-128, -1, 0, 3, 127])
def test_session_visibility_has_a_sign(visibility):
    data = struct.pack("<3i", 5, 36, 152331) + b"".join(raw for _, raw, _, _ in HEADER_FIELDS[1:6])
    data += struct.pack("<b", visibility)
    assert start_of(empty_save(data, 36)).header.session_visibility == visibility


#: Bytes of the fields in the order of the file, with the version that has them, and what is read.
HEADER_FIELDS: list[tuple[int, bytes, str, object]] = [
    (14, b"\5\0\0\0name\0", "save_name", "name"),
    (0, b"\4\0\0\0map\0", "map_name", "map"),
    (0, b"\7\0\0\0?opt=1\0", "map_options", "?opt=1"),
    (0, b"\xfd\xff\xff\xffs\0\xe4\0\0\0", "session_name", "sä"),
    (0, b"\x10\x0e\0\0", "play_duration", 3600),
    (0, struct.pack("<q", 638_000_000_000_000_000), "save_date_time", DateTime(638_000_000_000_000_000)),
    (5, b"\2", "session_visibility", 2),
    (7, b"\x28\0\0\0", "editor_object_version", 40),
    (8, b"\3\0\0\0{}\0", "mod_metadata", "{}"),
    (8, b"\1\0\0\0", "is_modded_save", True),
    (10, b"\3\0\0\0id\0", "save_identifier", "id"),
    (11, b"\1\0\0\0", "is_partitioned_world", True),
    (12, b"\1\0\0\0" + bytes(range(16)), "save_data_hash", bytes(range(16))),
    (13, b"\0\0\0\0", "is_creative_mode_enabled", False),
]

#: A world of nothing: an empty level, no destroyed actors.
EMPTY_BODY = {25: i32(0) * 3, 36: i32(0) + (i32(4) + i32(0)) * 2 + i32(0) * 2}
EMPTY_BODY[52] = i32(0) + i32(0) + (struct.pack("<q", 4) + i32(0)) * 2 + i32(0) * 2


def empty_save(header: bytes, save_version: int) -> bytes:
    body = EMPTY_BODY[save_version]
    size = struct.pack("<q" if save_version >= 41 else "<i", len(body))
    return header + chunk(size + body, archive_header=0x22222222 if save_version >= 41 else 0)


@pytest.mark.parametrize("save_version", EMPTY_BODY)
@pytest.mark.parametrize("version", range(4, 15))
def test_headers_by_hand(version, save_version):
    data = struct.pack("<3i", version, save_version, 152331)
    expected: dict[str, object] = {"save_header_version": version, "save_version": save_version, "build_version": 152331}
    for since, raw, name, value in HEADER_FIELDS:
        if version >= since:
            data += raw
            expected[name] = value
    save = empty_save(data, save_version)
    assert start_of(save) == SaveStart(0, "satisfactory", save_version, ReadHeader(**expected, size=len(data)))
    events = read(save)
    assert events[-1] == SaveEnd(len(inflate(save)))
    assert_tiled(events, len(inflate(save)))


def test_a_header_without_hash():
    assert start_of(save_bytes(World(evolve(release_header(52), hash_valid=False)))).header.save_data_hash is None


@pytest.mark.parametrize("version", [1, 2, 3])
def test_headers_that_are_too_old(version):
    """Older than 4 is not known; versions below 3 are those of blueprints, whose sizes these bytes are not."""
    data = struct.pack("<3i", version, 20, 100_000) + b"\x20\0\0\0" + b"map\0" * 40
    with pytest.raises(UnsupportedSave):
        read(data)


DATA = bytes(range(256)) * 500


@pytest.mark.parametrize("is_built_in", [True, False])
def test_is_md5(is_built_in, monkeypatch):
    if not is_built_in:
        monkeypatch.setitem(sys.modules, "_md5", None)
    digest = new_md5()
    digest.update(DATA[:1000])
    digest.update(DATA[1000:])
    assert digest.digest() == hashlib.md5(DATA, usedforsecurity=False).digest()
