"""What is wrong with a save or a code is said, and where; never anything but a `SaveError`."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from saves import ROOT, read
from writer.shapez2_faults import archive, changed, hidden, with_extra, without_entry
from writer.shapez2_samples import save_bytes, small_save

import streamsave
from streamsave import (
    Damage,
    DamagedSave,
    LimitExceeded,
    Limits,
    SaveEnd,
    SaveError,
    StructEnter,
    TruncatedSave,
    UnsupportedSave,
)
from streamsave.check import FATAL, FINDING, check
from streamsave.input.source import BytesSource
from streamsave.input.zip_directory import Archive

INVALID = ROOT / "corpora" / "invalid" / "shapez2"


def test_asked_again_it_says_the_same():
    with streamsave.open(INVALID / "wrong-checkpoint.spz2") as events:
        faults = []
        for _ in range(3):
            with pytest.raises(SaveError) as fault:
                for _event in events:
                    pass
            faults.append(fault.value)
    assert faults[0] is faults[1] is faults[2]


# --- the archive ---


@pytest.mark.parametrize("name", ["..", "a/../b", "/a", "\\a", "a\\..\\b", "c:b", "a\0b", "./a", "a/.", "a\nb"])
def test_names_that_leave_the_archive(name):
    with pytest.raises(DamagedSave, match="leaves the archive"):
        read(with_extra(save_bytes(small_save()), name))


@pytest.mark.parametrize("name", ["a..b", "...", "maps/x..", "a b/ü.bin", ".hidden"])
def test_names_that_are_only_odd(name):
    events = read(with_extra(save_bytes(small_save()), name))
    assert name in {event.name for event in events if isinstance(event, StructEnter)}


def test_a_name_that_is_damaged_hides_no_member():
    """The directory names the members: one that is damaged differs from the name in the header of its member."""
    data = save_bytes(small_save())
    at = data.rindex(b"maps/main/islands/0.bin")
    bad = data[:at] + b"M" + data[at + 1 :]
    with pytest.raises(DamagedSave, match="name of its header differs"):
        read(bad)
    with streamsave.open(bad, on_damage="resync") as events:
        lost = [event.lost for event in events if isinstance(event, Damage)]
    assert [(loss.kind, loss.name) for loss in lost] == [("member", "Maps/main/islands/0.bin")]


BUNDLE = "maps/main/islands/0.bin"


def lost_members(data: bytes) -> list[tuple[str, str, int]]:
    """What a walk that survives damage has lost: kind, name and size."""
    with streamsave.open(data, on_damage="resync") as events:
        seen = list(events)
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


def test_a_stored_member_that_its_entry_calls_empty():
    data = save_bytes(small_save())
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        stored = archive([(info.filename, made.read(info)) for info in made.infolist()], method=zipfile.ZIP_STORED)
    with pytest.raises(DamagedSave, match="CRC and sizes of its header"):
        read(hidden(stored, BUNDLE))


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

    class Forward(io.RawIOBase):
        """Takes what is written, and cannot go back."""

        def __init__(self) -> None:
            super().__init__()
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes, /) -> int:
            self.data += bytes(data)
            return len(data)

    file = Forward()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("savegame.json", b'{"Version":1138}' * 9)
        made.writestr("research.json", b"{}" * 9)
    data = file.data
    assert b"PK\7\x08" in data
    assert Archive(BytesSource(data), Limits()).gaps() == []
    at = data.index(b"PK\7\x08")
    wrong = data[: at + 4] + b"junk" + data[at + 8 :]
    assert [(gap.offset, gap.size) for gap in Archive(BytesSource(wrong), Limits()).gaps()] == [(at, 16)]


def test_an_archive_without_directory_says_so():
    data = save_bytes(small_save())
    for size in (100, data.index(b"PK\1\2"), len(data) - 1):
        with pytest.raises(TruncatedSave, match="its directory is missing or cut off"):
            read(data[:size])


def test_comments_are_no_fault():
    data = save_bytes(small_save())
    commented = data[:-2] + struct.pack("<H", 7) + b"PK\5\6abc"
    assert len(read(commented)) == len(read(data))


def test_an_empty_archive_is_no_save():
    with pytest.raises(UnsupportedSave, match="no save"):
        read(archive([]))


def test_names_that_are_no_utf8():
    data = with_extra(save_bytes(small_save()), "ü.bin")
    with pytest.raises(DamagedSave, match="not UTF-8"):
        read(data.replace("ü".encode(), b"\xff\xff"))


def test_more_in_a_member_than_it_declares():
    """Both headers agree that it is smaller."""
    data = bytearray(save_bytes(small_save()))
    directory = data.index(b"PK\1\2")
    for at in (22, directory + 24):
        data[at : at + 4] = struct.pack("<I", 100)
    with pytest.raises(SaveError):
        read(bytes(data))


def test_stored_in_another_size():
    data = bytearray(archive([("savegame.json", b'{"Version": 1138}')], method=zipfile.ZIP_STORED))
    directory = data.index(b"PK\1\2")
    data[directory + 24 : directory + 28] = struct.pack("<I", 5)
    with pytest.raises(DamagedSave, match="stored"):
        read(bytes(data))


def test_wrong_crc():
    data = bytearray(save_bytes(small_save()))
    directory = data.index(b"PK\1\2")
    for at in (14, directory + 16):
        data[at] ^= 1
    with pytest.raises(DamagedSave, match="CRC-32"):
        read(bytes(data))


# --- limits ---


def test_limits_of_the_table_of_strings():
    data = save_bytes(small_save())
    for limits in (Limits(table_entries=7), Limits(string_size=20), Limits(build_size=100)):
        with pytest.raises(LimitExceeded):
            read(data, limits)


def test_limit_of_members():
    with pytest.raises(LimitExceeded) as fault:
        read(save_bytes(small_save()), Limits(table_entries=5))
    assert fault.value.limit == "table_entries"


def test_limit_of_all_bytes():
    with pytest.raises(LimitExceeded) as fault:
        read(save_bytes(small_save()), Limits(total_inflated_size=1000))
    assert fault.value.limit == "total_inflated_size"


def test_a_member_of_zeros_is_a_bomb():
    data = save_bytes(small_save(extra={"zeros.bin": bytes(1 << 20)}))
    read(data)
    with pytest.raises(LimitExceeded) as fault:
        read(data, Limits(inflate_ratio_after=1 << 19))
    assert fault.value.limit == "inflate_ratio"


def test_a_code_that_goes_on_for_ever():
    def for_ever():
        yield b"SHAPEZ2-4-"
        while True:
            yield b"AAAA" * 4096

    with pytest.raises(LimitExceeded) as fault:
        read(for_ever(), Limits(total_inflated_size=1 << 20))
    assert fault.value.limit == "total_inflated_size"


def test_an_archive_that_goes_on_for_ever():
    def for_ever():
        yield b"PK\3\4"
        while True:
            yield bytes(65536)

    with pytest.raises(LimitExceeded) as fault:
        read(for_ever(), Limits(total_inflated_size=1 << 20))
    assert fault.value.limit == "total_inflated_size"


def test_a_version_that_is_no_number():
    with pytest.raises(UnsupportedSave):
        read(changed(save_bytes(small_save()), "savegame.json", b'"Version": 1138', b'"Version": true'))
