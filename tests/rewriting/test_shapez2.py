"""Saves of shapez 2: the archive, its members and their counts follow the edits, as the standard library sees them."""

import base64
import contextlib
import gzip
import io
import json
import zipfile
from types import SimpleNamespace

import pytest
from field_edits import rewrite_at_random
from saves import VALID

from streamsave import Field, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.check.finding import NOTE
from streamsave.errors import EditError
from streamsave.formats.shapez2.configs import ITEM_PRODUCER
from streamsave.formats.shapez2.game_reader import GameEncoder
from streamsave.input.source import BytesSource
from streamsave.input.zip_archive import Archive
from streamsave.limits import Limits
from streamsave.rewriting import rewrite, zip_archive
from streamsave.rewriting.zip_archive import write_member

SAMPLES = VALID / "shapez2"
CHECKPOINTS = SAMPLES / "checkpoints.spz2"
PLAIN = SAMPLES / "no-checkpoints.spz2"
#: Fields that follow edits elsewhere.
COUNTS = {"island_count", "building_count", "count", "channel_count", "chunk_count", "shape_count", "fluid_count", "bundle_count"}
COUNTS |= {"item_count", "slot_count", "output_count", "bucket_count", "train_count"}
ISLANDS = "maps/main/islands/0.bin"


def members(path) -> dict[str, bytes]:
    """The members of an archive, whose checksums are right."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path) -> dict[str, tuple[int, bytes]]:
    """The flags and the bytes of each member as they are in the file, without its header."""
    data = path.read_bytes()
    found = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            sizes = int.from_bytes(data[info.header_offset + 26 : info.header_offset + 28], "little")
            sizes += int.from_bytes(data[info.header_offset + 28 : info.header_offset + 30], "little")
            start = info.header_offset + 30 + sizes
            flags = int.from_bytes(data[info.header_offset + 6 : info.header_offset + 8], "little")
            assert flags == info.flag_bits
            found[info.filename] = (flags, data[start : start + info.compress_size])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["checkpoints.spz2", "unpadded.spz2"])
def test_random_edits(tmp_path, name):
    target = tmp_path / "out.spz2"
    assert sum(rewrite_at_random(SAMPLES / name, target, COUNTS, seed, 0.1) for seed in range(3)) > 10
    assert members(target)["strings.bin"] == members(SAMPLES / name)["strings.bin"]


def test_an_element_less_behind_an_edit(tmp_path):
    """The count of a sequence is before other fields of its record, which may be edited, too."""
    target = tmp_path / "out.spz2"
    lost = None
    with rewrite(CHECKPOINTS, target) as save:
        for event in save:
            if isinstance(event, Field) and event.name == "now":
                save.replace(save.build() + 1)
            elif isinstance(event, StructEnter) and event.name == "channels":
                lost = event.count
            elif isinstance(event, StructEnter) and event.type_name == "SignalChannel" and event.index == 0:
                save.drop()
    state = "maps/main/simulation/state.bin"
    before, after = members(CHECKPOINTS)[state], members(target)[state]
    assert lost
    assert int.from_bytes(after[:8], "little") == int.from_bytes(before[:8], "little") + 1
    assert int.from_bytes(after[8:12], "little") == lost - 1 == int.from_bytes(before[8:12], "little") - 1


def unlike(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON, which has no name twice."""
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


@pytest.mark.parametrize("name", ["checkpoints.spz2", "islands-4.spz2bp"])
def test_a_member_of_json_is_not_copied(name):
    """An object with the same member twice is none that a game writes. Elements of an array are copied."""
    target = io.BytesIO()
    copies = 0
    with rewrite(SAMPLES / name, target, verify=False) as save:
        for event in save:
            if isinstance(event, (Field, StructExit)) and save.path and save.path[0].endswith(("json", "blueprint")):
                with contextlib.suppress(EditError):
                    save.insert_copy()
                    copies += 1
    data = target.getvalue()
    texts = [gzip.decompress(base64.b64decode(data.split(b"-")[-1].rstrip(b"$")))] if name.endswith("bp") else []
    texts += [] if texts else [text for each, text in members(target).items() if each.endswith("json")]
    for text in texts:
        json.loads(text, object_pairs_hook=unlike)
    assert copies


@pytest.mark.slow
def test_what_is_inserted_at_the_end_of_a_member(tmp_path):
    """It is a part of that member, whose last element is there twice; the next one starts at the same offset of the stream."""
    source, target = SAMPLES / "unpadded.spz2", tmp_path / "new.spz2"
    name = "maps/main/buildings/0.bin"
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, StructEnter) and event.name == name:
                end = event.offset + event.size
            elif isinstance(event, ObjectHeader):
                state = event
            elif isinstance(event, ObjectEnd) and save.path == (name,) and event.offset + event.size == end:
                save.insert_copy()
                break
    old, new = members(source), members(target)
    size = end - state.offset
    assert new[name].endswith(old[name][-size:] * 2)
    assert {each: len(data) for each, data in new.items()} == {each: len(old[each]) + (each == name) * size for each in old}


def test_descriptors_and_comments(tmp_path):
    """A member that is packed anew has its sizes in its header; what is said about members and the archive stays."""
    source = tmp_path / "in.spz2"

    data = bytearray()
    pipe = SimpleNamespace(write=lambda piece: data.extend(piece) or len(piece), flush=lambda: None)
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members(PLAIN).items():
            info = zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6))
            info.comment = name.encode()
            info.extra = b"\x99\x99\2\0ab"
            info.compress_type = zipfile.ZIP_STORED if name == ISLANDS else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
        archive.comment = b"made here"
    source.write_bytes(data)
    target = tmp_path / "out.spz2"
    dropped = set()
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.kind in {"island", "island state"}:
                dropped.add(event.level)
                save.drop()
    assert {finding.severity for finding in save.findings} <= {NOTE}
    assert packed(source).keys() == packed(target).keys()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target) as new:
        assert new.testzip() is None
        assert new.comment == b"made here"
        for before, after in zip(old.infolist(), new.infolist(), strict=True):
            is_edited = before.CRC != after.CRC
            assert is_edited == (before.filename in dropped)
            assert (before.flag_bits & 8, after.flag_bits & 8) == (8, 0 if is_edited else 8)
            about = ("filename", "date_time", "comment", "extra", "compress_type")
            assert [getattr(before, name) for name in about] == [getattr(after, name) for name in about]


# --- blueprint codes: entries are left out with their commas, values and configurations are others; the envelope stays ---


@pytest.mark.slow
@pytest.mark.parametrize("name", ["islands-5.spz2bp", "pretty.spz2bp", "backwards.spz2bp"])
def test_random_edits_of_a_code(tmp_path, name):
    assert sum(rewrite_at_random(SAMPLES / name, tmp_path / "out.spz2bp", set(), seed, 0.1) for seed in range(2)) > 20


def test_an_old_configuration_stays_text_that_is_known_as_such():
    for text, fits in (("shape:", True), ("shape", False), ("", False)):
        encoder = GameEncoder(None)
        if fits:
            ITEM_PRODUCER.encode(text, encoder)
            assert bytes(encoder.data) == b"\6\0shape:"
        else:
            with pytest.raises(EditError, match="no text of an item"):
                ITEM_PRODUCER.encode(text, encoder)
    with pytest.raises(EditError, match="no text of an item"):
        ITEM_PRODUCER.encode("shape:RuRuRuRu", GameEncoder(["shape:RuRuRuRu"]))


# --- members of a zip archive, copied and packed anew ---


def archive_of(file):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"a comment"
        archive.writestr("a", b"1" * 500, zipfile.ZIP_STORED)
        archive.writestr(zipfile.ZipInfo("b", (2001, 2, 3, 4, 5, 6)), b"22")
        archive.writestr("c", b"3" * 70)
    return file.getvalue()


def test_a_member_that_is_too_large(monkeypatch):
    archive = Archive(BytesSource(archive_of(io.BytesIO())), Limits())
    monkeypatch.setattr(zip_archive, "ELSEWHERE", 4)
    write_member(archive, archive.chunks[1], [b"abc"], io.BytesIO())
    with pytest.raises(EditError, match="member 'b' is too large"):
        write_member(archive, archive.chunks[1], [b"abcd"], io.BytesIO())
