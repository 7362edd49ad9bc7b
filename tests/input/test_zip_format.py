"""The structures of a zip archive, and members that are read by their local headers alone."""

from __future__ import annotations

import io
import random
import struct
import zipfile

import pytest

from streamsave import DamagedSave, SaveError, TruncatedSave
from streamsave.input.source import BytesSource, open_source
from streamsave.input.zip_format import (
    LOCAL_HEADER_SIZE,
    LOCAL_SIGNATURE,
    MOST_MEMBERS,
    LocalHeader,
    Member,
    MemberStage,
    decode_name,
    is_encrypted,
    members_of,
)

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


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_member_of_an_archive_is_whole_however_it_is_read(method):
    """The inflater may have taken all that is compressed, and still hold bytes back."""
    for size in range(1, 500, 7):
        data = random.Random(size).randbytes(40) * (size // 40) + b"end"
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", method) as written:
            written.writestr("a", data)
        source = open_source(made.getvalue())
        for first in (1, len(data) - 2, len(data) - 1, len(data)):
            stage = MemberStage(source, next(members_of(source)))
            given = [stage.read(first), *iter(lambda stage=stage: stage.read(100), b"")]
            assert b"".join(given) == data


def archive(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive as the standard library writes it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as written:
        for name, data in members:
            written.writestr(name, data)
    return made.getvalue()


class Unseekable(io.RawIOBase):
    """What a pipe takes: the sizes follow the data."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:
        self.data += bytes(data)
        return len(data)


def streamed(members: list[tuple[str, bytes]]) -> bytes:
    """An archive that was written to a pipe."""
    made = Unseekable()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in members:
            written.writestr(name, data)
    return made.data


def content(data: bytes, member: Member) -> bytes:
    """All bytes of a member."""
    stage = MemberStage(BytesSource(data), member)
    return b"".join(iter(lambda: stage.read(100), b""))


def fault(data: bytes) -> SaveError:
    """What is wrong with the first member."""
    with pytest.raises(SaveError) as caught:
        content(data, next(members_of(BytesSource(data))))
    return caught.value


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_come_in_the_order_of_the_file(method):
    members = [("a", b"first" * 50), ("b", b""), ("c", b"third" * 50)]
    data = archive(members, method)
    found = list(members_of(BytesSource(data)))
    assert [content(data, member) for member in found] == [content for _, content in members]
    assert [member.size for member in found] == [250, 0, 250]
    assert found[0].start(BytesSource(data), 100) == b"first" * 20


def test_sizes_that_follow_the_data_hide_the_next_member():
    data = streamed([("a", b"first" * 50), ("b", b"second")])
    (member,) = members_of(BytesSource(data))
    assert (member.sizes_follow, member.size, member.compressed_size) == (True, -1, -1)
    assert content(data, member) == b"first" * 50


def test_nothing_is_looked_for_after_sizes_that_follow():
    """Not even where a header seems to start."""
    data = struct.pack("<4sHHHIIIIHH", b"PK\3\4", 20, 8, 0, 0, 0, 0, 0, 1, 0) + b"PK\3\4" + bytes(40)
    assert len(list(members_of(BytesSource(data)))) == 1


def test_the_signature_of_a_descriptor_may_be_left_out():
    data = streamed([("a", b"first" * 50)]).replace(b"PK\x07\x08", b"")
    assert content(data, next(members_of(BytesSource(data)))) == b"first" * 50


@pytest.mark.parametrize("count", [MOST_MEMBERS, MOST_MEMBERS + 1])
def test_no_more_members_are_looked_at(count):
    data = archive([(str(number), b"") for number in range(count)])
    assert len(list(members_of(BytesSource(data)))) == MOST_MEMBERS


@pytest.mark.parametrize("size", [0, 1, 29])
def test_no_whole_header(size):
    assert list(members_of(BytesSource(archive([("a", b"b")])[:size]))) == []


#: Offsets of fields in a local header.
FLAGS, METHOD, CRC, COMPRESSED_SIZE, SIZE = 6, 8, 14, 18, 22


def changed(data: bytes, at: int, layout: str, value: int) -> bytes:
    """The archive with another number in it."""
    return data[:at] + struct.pack(layout, value) + data[at + struct.calcsize(layout) :]


@pytest.mark.parametrize(("at", "value"), [(FLAGS, 1), (METHOD, 9)])
def test_members_that_cannot_be_read_have_no_start(at, value):
    data = changed(archive([("a", b"first")]), at, "<H", value)
    member = next(members_of(BytesSource(data)))
    assert not member.is_readable
    assert member.start(BytesSource(data), 100) == b""


PLAIN = archive([("a", b"first" * 50)])
PACKED = next(members_of(BytesSource(PLAIN))).compressed_size


@pytest.mark.parametrize(
    ("data", "kind", "message", "expected"),
    [
        (changed(PLAIN, CRC, "<I", 7), DamagedSave, "wrong CRC-32 of the member", 7),
        (changed(PLAIN, SIZE, "<I", 251), DamagedSave, "zip member inflates to less than its declared size", 251),
        (changed(PLAIN, SIZE, "<I", 249), DamagedSave, "zip member inflates to more than its declared size", 249),
        (changed(PLAIN, COMPRESSED_SIZE, "<I", PACKED + 1), DamagedSave, "wrong size of a zip member", PACKED + 1),
        (changed(PLAIN, COMPRESSED_SIZE, "<I", PACKED - 1), TruncatedSave, "the file ends inside a zip member", None),
        (PLAIN[: 31 + PACKED - 1], TruncatedSave, "the file ends inside the stored bytes", "1 more"),
        (changed(PLAIN, 31, "<H", 0xFFFF), DamagedSave, "no sound zip member", None),
        (archive([("a", b"first")], zipfile.ZIP_STORED)[:33], TruncatedSave, "the file ends inside the stored bytes", "3 more"),
        (streamed([("a", b"")])[: 31 + 2 + 7], TruncatedSave, "the archive ends before the CRC-32 of the member", "4 bytes"),
    ],
)
def test_faults_of_members(data, kind, message, expected):
    error = fault(data)
    assert (type(error), error.message, error.expected) == (kind, message, expected)
