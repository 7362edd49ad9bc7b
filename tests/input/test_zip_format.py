"""The structures of a zip archive."""

from __future__ import annotations

import io
import zipfile

import pytest

from streamsave.input.zip_format import LOCAL_HEADER_SIZE, LOCAL_SIGNATURE, LocalHeader, decode_name, is_encrypted

UTF8 = 0x800


def test_a_local_header():
    made = io.BytesIO(b"head")
    made.seek(4)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("name", b"data" * 100)
        info = archive.getinfo("name")
    data = made.getvalue()
    header = LocalHeader(data[4 : 4 + LOCAL_HEADER_SIZE], 4)
    assert (header.signature, header.method, header.flags) == (LOCAL_SIGNATURE, zipfile.ZIP_DEFLATED, 0)
    assert (header.crc, header.compressed_size, header.size) == (info.CRC, info.compress_size, 400)
    assert data[header.name_offset : header.name_offset + header.name_size] == b"name"
    assert header.data_offset == header.name_offset + 4
    assert not header.sizes_follow


@pytest.mark.parametrize(
    ("flags", "encrypted", "follow"), [(0, False, False), (1, True, False), (8, False, True), (9, True, True)]
)
def test_flags(flags, encrypted, follow):
    data = bytes(6) + bytes([flags]) + bytes(LOCAL_HEADER_SIZE - 7)
    header = LocalHeader(data, 0)
    assert (is_encrypted(header.flags), header.sizes_follow) == (encrypted, follow)


@pytest.mark.parametrize(("raw", "flags", "name"), [(b"a/b", 0, "a/b"), (b"\x81", 0, "ü"), ("ü".encode(), UTF8, "ü")])
def test_names(raw, flags, name):
    assert decode_name(raw, flags) == name


def test_names_that_are_no_utf_8():
    with pytest.raises(UnicodeDecodeError):
        decode_name(b"\x81", UTF8)
