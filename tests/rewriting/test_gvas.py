"""Unreal save games: what is around them follows the edits."""

import io
import json
import struct
import zlib

import gvas_saves
import pytest
from cli_runs import run
from saves import VALID, read
from tag_bytes import new_tag, tree
from tiling import assert_tiled
from writer.gvas import ARCHIVE_V2, archive, plm
from writer.primitives import fstring, i32
from writer.tags import INT, Prop

import streamsave
from streamsave import DamagedSave, Field, LimitExceeded, Limits, PropertyTag, UnsupportedSave
from streamsave.check import check
from streamsave.check.finding import NOTE
from streamsave.errors import EditError
from streamsave.input.source import open_source
from streamsave.output.json_document import json_document
from streamsave.rewriting import rewrite
from streamsave.rewriting.gvas import is_zlib_archive, write_archives

GVAS = VALID / "gvas"


def without_first_integer(source, target):
    """Drop the first integer of a save; return the names and sizes of what is left."""
    with rewrite(source, target) as save:
        next(event for event in save if isinstance(event, PropertyTag) and event.type == "IntProperty")
        save.drop()
    return [(event.name, event.size) for event in read(target) if isinstance(event, PropertyTag)]


def test_a_property_without_a_name_is_dropped():
    target = io.BytesIO()
    with rewrite(gvas_saves.save(Prop("", INT, 1), Prop("Kept", INT, 2)), target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and not event.name:
                save.drop()
    assert gvas_saves.build(target.getvalue()) == {"Kept": 2}


def test_an_optional_struct_with_the_name_of_arrays_that_are_objects_has_no_size_of_its_own():
    kind = tree("OptionalProperty", tree("StructProperty", tree("Thing", tree("/Script/Game"))))
    thing = new_tag("Name", tree("StrProperty"), fstring("short")) + fstring("None")
    empty = gvas_saves.save(ue5=1012)
    end = empty.rindex(fstring("None"))
    target = io.BytesIO()
    with rewrite(empty[:end] + new_tag("ByteData", kind, i32(1) + thing) + empty[end:], target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.name == "Name":
                save.replace("a longer name")
    assert gvas_saves.build(target.getvalue()) == {"ByteData": {"Name": "a longer name"}}


@pytest.mark.parametrize(
    "name",
    [
        f"wrapper-{wrapper}.sav"
        for wrapper in ("zlib", "gzip", "plz-30", "plz-31", "plz-32", "cnk", "gswu", "archive", "archive-2", "archive-size")
    ],
)
def test_wrappers(tmp_path, name):
    tags = [event for event in read(GVAS / name) if isinstance(event, PropertyTag)]
    target = tmp_path / "out.sav"
    left = without_first_integer(GVAS / name, target)
    first = next(tag for tag in tags if tag.type == "IntProperty")
    assert left == [(tag.name, tag.size) for tag in tags if tag is not first]
    data = target.read_bytes()
    if "cnk" in name:
        assert data[8:12] == b"CNK0"
        assert data[:4] == data[4:8] == data[12:16]
        assert zlib.decompress(data[24:]).startswith(b"GVAS")
    if "gswu" in name:
        assert data[:16] == (GVAS / name).read_bytes()[:16]
    if "plz" in name:
        inflated_size, compressed_size = (int.from_bytes(data[at : at + 4], "little") for at in (0, 4))
        body = data[12:]
        if name == "wrapper-plz-32.sav":
            body = zlib.decompress(body)
        assert compressed_size == len(body)
        assert inflated_size == len(body if name == "wrapper-plz-30.sav" else zlib.decompress(body))


def test_wrappers_that_cannot_be_written(tmp_path):
    unknown = b"\7\0\0\0" + (GVAS / "wrapper-cnk.sav").read_bytes()[4:]
    data = bytearray((GVAS / "wrapper-archive.sav").read_bytes())
    start = 32 + 16 * -(-int.from_bytes(data[24:32], "little") // 64)
    assert data[start] == 0x78
    data[start] = 0x8C  # as Oodle starts
    for case in (unknown, bytes(data)):
        with pytest.raises(UnsupportedSave, match="cannot be written"):
            rewrite(case, tmp_path / "out.sav")
    assert list(tmp_path.iterdir()) == []


def test_oodle_becomes_plz_on_request(tmp_path):
    pytest.importorskip("ooz", reason="the extra `oodle` is not installed")
    raw = (GVAS / "empty.sav").read_bytes()
    packed = plm(raw)
    with pytest.raises(UnsupportedSave, match=r"\(--as plz\)"):
        rewrite(packed, tmp_path / "a.sav")
    with rewrite(packed, tmp_path / "a.sav", wrapper="plz"):
        pass
    data = (tmp_path / "a.sav").read_bytes()
    assert data[8:12] == b"PlZ\x32"
    assert zlib.decompress(zlib.decompress(data[12:])) == raw
    assert [int.from_bytes(data[at : at + 4], "little") for at in (0, 4)] == [len(raw), len(zlib.decompress(data[12:]))]


def test_from_json_and_cut_of_oodle(real_save, tmp_path):
    save, document = real_save("gvas/palworld-player-plm-1.0.sav"), tmp_path / "a.json"
    assert run("json", save, "-o", document).exit_code == 0
    assert "(--as plz)" in run("from-json", document, "--like", save, "-o", tmp_path / "new.sav").stderr
    for command, name in ((("from-json", document, "--like"), "new.sav"), (("edit",), "edited.sav")):
        assert run(*command, save, "--as", "plz", "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / "new.sav").read_bytes() == (tmp_path / "edited.sav").read_bytes()
    with streamsave.cut(save) as events:
        assert next(events.take() for event in events if isinstance(event, PropertyTag))


def test_what_needs_no_oodle_is_written_as_it_is(tmp_path):
    raw = (GVAS / "ue5-1018.sav").read_bytes()
    left = without_first_integer(struct.pack("<II", len(raw), len(raw)) + b"PlM\x30" + raw, tmp_path / "a.sav")
    data = (tmp_path / "a.sav").read_bytes()
    assert data[8:12] == b"PlM\x30"
    assert struct.unpack_from("<II", data) == (len(data) - 12, len(data) - 12)
    assert len(left) > 50


def test_what_says_how_blobs_are_read_is_not_edited(tmp_path):
    refused = set()
    with rewrite(GVAS / "palworld-1.0.sav", tmp_path / "out.sav") as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.name in {
                "MapObjectId",
                "CustomVersionData",
                "StageInstanceId",
                "SlotNum",
            }:
                try:
                    save.replace(save.build())
                except EditError:
                    refused.add(event.name)
            elif isinstance(event, Field) and event.name == "key" and event.type == "name":
                with pytest.raises(EditError, match="how other bytes are read"):
                    save.replace(save.build())
                refused.add("key")
    assert refused == {"MapObjectId", "CustomVersionData", "key"}


def archived(data: bytes) -> bytes:
    """What archives of one block each inflate to, by `struct` and `zlib` alone."""
    at, found = 0, b""
    while at < len(data):
        _, version, _, _, compressed_total, total, compressed_size, size = struct.unpack_from("<IIQBQQQQ", data, at)
        assert (version, compressed_total, total) == (0x22222222, compressed_size, size)
        found += zlib.decompress(data[at + 49 : at + 49 + compressed_size])
        at += 49 + compressed_size
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ServerManager_V2.sav", "EnhancedInputUserSettings.sav", "archive-v2-ue561.sav"])
def test_real_files_beside_worlds(corpus, tmp_path, name):
    """Sound; every byte is claimed; the same bytes without an edit; JSON as large as the values; edits change their sizes."""
    source, target = corpus / "more" / name, tmp_path / "out.sav"
    data = source.read_bytes()
    stream = archived(data) if name.startswith("archive") else data
    assert {finding.severity for finding in check(source)} <= {NOTE}
    assert_tiled(read(data), len(stream))
    with streamsave.open(source) as events:
        document = json.loads(b"".join(json_document(events)))
    assert document["header"]["branch"] in stream.decode("latin-1")
    with rewrite(source, target) as save:
        for _ in save:
            pass
    assert target.read_bytes() == data
    if b"NameProperty" not in stream:
        return
    with rewrite(source, target) as save:
        tag = next(event for event in save if isinstance(event, PropertyTag) and event.type == "NameProperty")
        save.replace("another")
    new = archived(target.read_bytes()) if name.startswith("archive") else target.read_bytes()
    assert len(new) == len(stream) + len("another") - (tag.size - 5)
    if name.startswith("archive"):
        assert int.from_bytes(new[:4], "little") == len(new) - 4


@pytest.mark.parametrize(
    ("block_size", "size", "error"),
    [(0, 100, DamagedSave), (1, 1 << 63, LimitExceeded), (1 << 63, 1 << 63, LimitExceeded), (1, 70_000, LimitExceeded)],
)
def test_a_header_that_is_no_archives_is_refused(block_size, size, error):
    data = bytearray(archive(b"one block", block_size=64, version=ARCHIVE_V2))
    struct.pack_into("<Q", data, 8, block_size)
    struct.pack_into("<Q", data, 25, size)
    with pytest.raises(error):
        is_zlib_archive(open_source(io.BytesIO(data)), Limits())
    with pytest.raises(error):
        write_archives(open_source(io.BytesIO(data)), [], io.BytesIO(), Limits())
