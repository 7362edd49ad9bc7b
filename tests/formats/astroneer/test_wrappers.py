"""What is around a save game: each kind by its first bytes, and what is refused."""

import io
import struct
import zipfile
import zlib

import pytest
from damage import losses, survived
from feeding import Forward
from saves import VALID, file_with, read, without_chunks
from tiling import assert_tiled
from writer.astroneer import Save, wrap
from writer.primitives import fstring, i32, u32

from streamsave import Damage, Limits, SaveError, UnsupportedSave
from streamsave.check import FINDING, check
from streamsave.formats.astroneer.versions import MAGIC
from streamsave.formats.astroneer.wrappers import Wrapping, is_save_game
from streamsave.input.source import BytesSource, open_source

GVAS = Save().gvas()
OTHER = Save(class_name="OtherSave", level_name="AstroSave").gvas()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def piped(method: int) -> bytes:
    pipe = Forward()
    with zipfile.ZipFile(pipe, "w", method) as archive:
        archive.writestr("save", GVAS)
    return pipe.getvalue()


def content(data: bytes) -> tuple[str, bytes]:
    """The kind of a wrapper, and all that is inside."""
    wrapping = Wrapping(BytesSource(data), Limits())
    windows = wrapping.windows()
    found = b""
    while piece := windows.window(len(found)):
        found += piece[len(found) - windows.window_offset :]
    return wrapping.name, found


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (MAGIC + u32(2) + u32(9) + b"x", "version of the wrapper"),
        (b"", "no save starts here"),
        (MAGIC[:7], "no save starts here"),
        (MAGIC[1:] + GVAS, "no save starts here"),
        (zipped({"other": OTHER, "a.txt": b"AstroSave"}), "no save game in the zip archive"),
        (piped(zipfile.ZIP_STORED), "a stored member of unknown size"),
    ],
)
def test_what_is_refused(data, message):
    with pytest.raises(UnsupportedSave, match=message):
        Wrapping(BytesSource(data), Limits())


def test_an_index_needs_the_path_of_its_folder():
    name = "SAVE$2020.06.14-17.40.07".encode("utf-16-le").ljust(128, b"\0")
    with pytest.raises(UnsupportedSave, match="an index of pieces names files beside it"):
        Wrapping(BytesSource(i32(4) + i32(1) + name + bytes(32)), Limits())


def test_an_index_leads_to_the_pieces_of_its_latest_save(tmp_path):
    entries = []
    for number, (date, data) in enumerate((("2020.06.14", b"never read"), ("2020.06.15", wrap(GVAS)))):
        guid = bytes([number]) * 16
        entries.append(f"SAVE${date}-17.40.07".encode("utf-16-le").ljust(128, b"\0") + guid * 2)
        (tmp_path / guid.hex().upper()).write_bytes(data)
    (tmp_path / "container.1").write_bytes(i32(4) + i32(2) + b"".join(entries))
    source = open_source(tmp_path / "container.1")
    try:
        wrapping = Wrapping(source, Limits())
    finally:
        source.close()
    assert wrapping.name == "Xbox pieces, zlib"
    assert wrapping.save == "SAVE$2020.06.15-17.40.07"
    assert wrapping.saves == ["SAVE$2020.06.14-17.40.07", "SAVE$2020.06.15-17.40.07"]
    assert wrapping.windows().window(0).startswith(b"GVAS")


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (GVAS, True),
        (OTHER, False),
        (b"x" + GVAS, False),
        (GVAS[: GVAS.index(b"AstroSave") + 10], True),
        (GVAS[: GVAS.index(b"AstroSave") + 9], False),
        (GVAS.replace(fstring("AstroSave"), fstring("AstroSav")), False),
        (b"GVAS AstroSave", False),
        (b"", False),
    ],
)
def test_is_save_game(start, expected):
    assert is_save_game(start) is expected


def test_the_size_of_the_wrapper_bounds_what_is_inflated():
    data = MAGIC + u32(1) + u32(len(GVAS) - 1) + zlib.compress(GVAS)
    with pytest.raises(SaveError):
        content(data)


def beside(data: bytes) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What `check` finds beside a save, and what is lost with resync."""
    findings = [(finding.severity, finding.message) for finding in check(data) if finding.kind == "unclaimed"]
    seen = survived(data)
    assert_tiled(seen, seen[-1].offset)
    assert [type(event) for event in seen if not isinstance(event, Damage)] == [
        type(event) for event in without_chunks(read(data))
    ]
    lost = [(event.lost.name, event.error.message) for event in seen if isinstance(event, Damage)]
    assert [message for severity, message in findings if severity == FINDING] == [message for _, message in lost]
    return findings, lost


@pytest.mark.parametrize("name", ["deflated.zip", "stored.zip", "stream.zip"])
def test_nothing_is_beside_a_sound_save(name):
    assert beside((VALID / "astroneer" / name).read_bytes())[1] == []


def test_other_members():
    """What is no save is a note; a save that is not read, and what cannot be read, may be lost."""
    assert beside(zipped({"a": GVAS})) == ([], [])
    assert beside(zipped({"read me": b"hi", "a": GVAS})) == ([("note", "member 'read me' is not read")], [])
    findings, lost = beside(zipped({"a": GVAS, "b": GVAS, "c": b""}))
    assert lost == [("b", "member 'b' is a save, too, and is not read")]
    assert findings == [("finding", lost[0][1]), ("note", "member 'c' is not read")]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_save_before_the_one_that_is_read(method):
    """It does not look like a save any more, so the next one is read."""
    data = zipped({"a": GVAS, "b": GVAS}, method)
    at = 31 + (GVAS.index(b"AstroSave") if method == zipfile.ZIP_STORED else 5)
    (found,) = beside(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])[1]
    assert found[0] == "a"
    assert found[1].endswith("it is not read")
    (found,) = beside(data[:8] + b"\x09" + data[9:])[1]
    assert found[1].startswith("member 'a': method of its header differs")


def test_an_archive_without_a_sound_directory():
    data = zipped({"a": GVAS, "b": GVAS})
    for bad in (data[:-30], data + b"more", data[: data.index(b"PK\1\2")]):
        (found,) = beside(bad)[1]
        assert found[1].startswith("the directory of the archive cannot be read, so members may be missing: ")


def test_members_that_the_directory_does_not_have():
    data = zipped({"a": GVAS, "b": b"text"})
    start = data.index(b"PK\1\2")
    second = data.index(b"PK\1\2", start + 4)
    end = data.index(b"PK\5\6")
    for first, last, name in ((start, second, "a"), (second, end, "b")):
        left = data[:first] + data[last:end]
        lost = beside(left + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(left) - start, start, 0))[1]
        assert name in [each for each, _ in lost]
        assert ("the member that is read is not in the directory of the archive" in [message for _, message in lost]) == (
            name == "a"
        )


def test_pieces_that_are_missing(tmp_path):
    """The older save is read, and that the latest one is not whole is told."""
    names = ["OLDER$2020.01.01-00.00.00", "SAVE$2020.01.02-00.00.00$$0$2$1", "SAVE$2020.01.02-00.00.00$$1$2$1"]
    whole = Save().encode()
    entries = [name.encode("utf-16-le").ljust(128, b"\0") + bytes([number]) * 32 for number, name in enumerate(names)]
    index = file_with(tmp_path / "container.1", i32(4) + i32(3) + b"".join(entries))
    for number, data in enumerate((whole, whole[:100], whole[100:])):
        (tmp_path / (f"{number:02X}" * 16)).write_bytes(data)
    assert [finding for finding in check(index) if finding.kind == "unclaimed"] == []
    assert losses(survived(index)) == []
    (tmp_path / ("02" * 16)).write_bytes(b"")
    save = "SAVE$2020.01.02-00.00.00"
    message = f"the save {save} of the index is not complete: 1 of 2 pieces are there"
    assert [(found.severity, found.message) for found in check(index) if found.kind == "unclaimed"] == [("finding", message)]
    assert losses(survived(index)) == [("member", save)]
