"""What is wrong with a save or a code is said, and where; never anything but a `SaveError`."""

import io
import random
import struct
import zipfile

import pytest
from feeding import Forward
from saves import read
from writer.shapez2_faults import archive, changed, hidden, with_extra, without_entry
from writer.shapez2_samples import save_bytes, small_save

from streamsave import Damage, DamagedSave, Limits, SaveEnd, SaveError, StructEnter, TruncatedSave, UnsupportedSave
from streamsave.check import FATAL, FINDING, check
from streamsave.input.source import BytesSource, open_source
from streamsave.input.zip_archive import MOST_MEMBERS, Archive, Member, MemberStage, decode_name, members_of


@pytest.mark.parametrize("name", ["..", "a/../b", "/a", "\\a", "a\\..\\b", "c:b", "a\0b", "./a", "a/.", "a\nb"])
def test_names_that_leave_the_archive(name):
    with pytest.raises(DamagedSave, match="leaves the archive"):
        read(with_extra(save_bytes(small_save()), name))


@pytest.mark.parametrize("name", ["a..b", "...", "maps/x..", "a b/ü.bin", ".hidden"])
def test_names_that_are_only_odd(name):
    events = read(with_extra(save_bytes(small_save()), name))
    assert name in {event.name for event in events if isinstance(event, StructEnter)}


BUNDLE = "maps/main/islands/0.bin"


def lost_members(data: bytes) -> list[tuple[str, str, int]]:
    """What a walk that survives damage has lost: kind, name and size."""
    seen = read(data, on_damage="resync")
    assert isinstance(seen[-1], SaveEnd)
    return [(event.lost.kind, event.lost.name, event.lost.size) for event in seen if isinstance(event, Damage)]


def bundle_size(data: bytes) -> int:
    """Bytes of the bundle of islands."""
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return made.getinfo(BUNDLE).file_size


def test_an_entry_of_zeros_does_not_hide_its_member():
    data = hidden(save_bytes(small_save()), BUNDLE)
    with pytest.raises(DamagedSave, match="method of its header differs"):
        read(data)
    assert lost_members(data) == [("member", BUNDLE, -1)]
    assert [found.severity for found in check(data)][-1] == FATAL


def test_members_that_overlap():
    """A member that is one byte longer than the room up to the next one."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("a", b"12345")
        made.writestr("b", b"12345")
    data = file.getvalue()
    at = data.index(b"PK\1\2") + 20
    with pytest.raises(DamagedSave, match="member 'a' overlaps what follows it"):
        Archive(BytesSource(data[:at] + struct.pack("<II", 6, 6) + data[at + 8 :]), Limits())


def test_a_member_without_entry_is_missed():
    """Archives may have old members in them, so it is no error; yet it is found."""
    data = save_bytes(small_save())
    missing = without_entry(data, BUNDLE)
    assert len(read(missing)) < len(read(data))
    assert lost_members(missing) == [("member", BUNDLE, bundle_size(data))]
    (found,) = [each for each in check(missing) if each.severity == FINDING]
    assert found.kind == "unclaimed"
    assert BUNDLE in found.message
    with zipfile.ZipFile(io.BytesIO(data)) as whole:
        sizes = {info.filename: 30 + len(info.filename) + info.compress_size for info in whole.infolist()}
    assert found.message.startswith(f"{sizes[BUNDLE]} bytes of the archive at ")


def test_bytes_before_the_first_member():
    data = save_bytes(small_save())
    directory = data.index(b"PK\1\2")
    end = data.rindex(b"PK\5\6")
    entries = bytearray(data[directory:end])
    at = 0
    while at < len(entries):
        offset, name_size = struct.unpack_from("<I", entries, at + 42)[0], struct.unpack_from("<H", entries, at + 28)[0]
        struct.pack_into("<I", entries, at + 42, offset + 4)
        at += 46 + name_size
    shifted = b"PK\3\4" + data[:directory] + bytes(entries) + data[end : end + 16]
    shifted += struct.pack("<I", directory + 4) + data[end + 20 :]
    assert [(gap.offset, gap.size, gap.name) for gap in Archive(BytesSource(shifted), Limits()).gaps()] == [(0, 4, "")]


def test_a_descriptor_belongs_to_its_member():
    """Sizes after the data, with their signature and without it; any other bytes there are a gap."""
    file = Forward()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("savegame.json", b'{"Version":1138}' * 9)
        made.writestr("research.json", b"{}" * 9)
    data = file.getvalue()
    assert b"PK\7\x08" in data
    assert Archive(BytesSource(data), Limits()).gaps() == []
    at = data.index(b"PK\7\x08")
    wrong = data[: at + 4] + b"junk" + data[at + 8 :]
    assert [(gap.offset, gap.size) for gap in Archive(BytesSource(wrong), Limits()).gaps()] == [(at, 16)]


def test_comments_are_no_fault():
    data = save_bytes(small_save())
    assert len(read(data[:-2] + struct.pack("<H", 7) + b"PK\5\6abc")) == len(read(data))


def stored_in_another_size() -> bytes:
    data = archive([("savegame.json", b'{"Version": 1138}')], method=zipfile.ZIP_STORED)
    at = data.index(b"PK\1\2") + 24
    return data[:at] + struct.pack("<I", 5) + data[at + 4 :]


SMALL = save_bytes(small_save())


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (archive([]), UnsupportedSave, "no save"),
        (with_extra(SMALL, "ü.bin").replace("ü".encode(), b"\xff\xff"), DamagedSave, "not UTF-8"),
        (stored_in_another_size(), DamagedSave, "stored"),
        (changed(SMALL, "savegame.json", b'"Version": 1138', b'"Version": true'), UnsupportedSave, "version Version"),
    ],
    ids=["empty", "name", "size", "version"],
)
def test_what_is_no_save(data, error, message):
    with pytest.raises(error, match=message):
        read(data)


UTF8 = 0x800


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
            assert b"".join([stage.read(first), *iter(lambda stage=stage: stage.read(100), b"")]) == data


def streamed(members: list[tuple[str, bytes]]) -> bytes:
    """An archive that was written to a pipe."""
    made = Forward()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in members:
            written.writestr(name, data)
    return made.getvalue()


def content(data: bytes, member: Member) -> bytes:
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
    data = archive(members, method=method)
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
    assert len(list(members_of(BytesSource(archive([(str(number), b"") for number in range(count)]))))) == MOST_MEMBERS


@pytest.mark.parametrize("size", [0, 1, 29])
def test_no_whole_header(size):
    assert list(members_of(BytesSource(archive([("a", b"b")])[:size]))) == []


#: Offsets of fields in a local header.
FLAGS, METHOD, CRC, COMPRESSED_SIZE, SIZE = 6, 8, 14, 18, 22


def with_number(data: bytes, at: int, layout: str, value: int) -> bytes:
    """The archive with another number in it."""
    return data[:at] + struct.pack(layout, value) + data[at + struct.calcsize(layout) :]


@pytest.mark.parametrize(("at", "value"), [(FLAGS, 1), (METHOD, 9)])
def test_members_that_cannot_be_read_have_no_start(at, value):
    data = with_number(archive([("a", b"first")]), at, "<H", value)
    member = next(members_of(BytesSource(data)))
    assert not member.is_readable
    assert member.start(BytesSource(data), 100) == b""


PLAIN = archive([("a", b"first" * 50)])
PACKED = next(members_of(BytesSource(PLAIN))).compressed_size


@pytest.mark.parametrize(
    ("data", "kind", "message", "expected"),
    [
        (with_number(PLAIN, CRC, "<I", 7), DamagedSave, "wrong CRC-32 of the member", 7),
        (with_number(PLAIN, SIZE, "<I", 251), DamagedSave, "zip member inflates to less than its declared size", 251),
        (with_number(PLAIN, SIZE, "<I", 249), DamagedSave, "zip member inflates to more than its declared size", 249),
        (with_number(PLAIN, COMPRESSED_SIZE, "<I", PACKED + 1), DamagedSave, "wrong size of a zip member", PACKED + 1),
        (with_number(PLAIN, COMPRESSED_SIZE, "<I", PACKED - 1), TruncatedSave, "the file ends inside a zip member", None),
        (PLAIN[: 31 + PACKED - 1], TruncatedSave, "the file ends inside the stored bytes", "1 more"),
        (with_number(PLAIN, 31, "<H", 0xFFFF), DamagedSave, "no sound zip member", None),
        (
            archive([("a", b"first")], method=zipfile.ZIP_STORED)[:33],
            TruncatedSave,
            "the file ends inside the stored bytes",
            "3 more",
        ),
        (streamed([("a", b"")])[: 31 + 2 + 7], TruncatedSave, "the archive ends before the CRC-32 of the member", "4 bytes"),
    ],
)
def test_faults_of_members(data, kind, message, expected):
    error = fault(data)
    assert (type(error), error.message, error.expected) == (kind, message, expected)
