"""Unreal save games: what is around them follows the edits."""

from __future__ import annotations

import gzip
import struct
import zlib

import pytest
from saves import VALID
from writer.gvas import plm

import streamsave
from streamsave import Field, PropertyTag, UnsupportedSave
from streamsave.errors import EditError
from streamsave.rewriting import rewrite
from streamsave.rewriting.packing import gzip_header

GVAS = VALID / "gvas"


def without_first_integer(source, target):
    """Drop the first integer of a save; return the names and sizes of what is left."""
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.type == "IntProperty":
                save.drop()
                break
    with streamsave.open(target) as events:
        return [(event.name, event.size) for event in events if isinstance(event, PropertyTag)]


@pytest.mark.parametrize(
    "name", ["wrapper-zlib.sav", "wrapper-gzip.sav", "wrapper-plz-30.sav", "wrapper-plz-31.sav", "wrapper-plz-32.sav"]
)
def test_wrappers(tmp_path, name):
    with streamsave.open(GVAS / name) as events:
        tags = [event for event in events if isinstance(event, PropertyTag)]
    target = tmp_path / "out.sav"
    left = without_first_integer(GVAS / name, target)
    first = next(tag for tag in tags if tag.type == "IntProperty")
    assert left == [(tag.name, tag.size) for tag in tags if tag is not first]
    data = target.read_bytes()
    if "plz" in name:
        inflated_size, compressed_size = (int.from_bytes(data[at : at + 4], "little") for at in (0, 4))
        body = data[12:]
        if name == "wrapper-plz-32.sav":
            body = zlib.decompress(body)
        assert compressed_size == len(body)
        assert inflated_size == len(body if name == "wrapper-plz-30.sav" else zlib.decompress(body))


def test_a_gzip_header_is_kept(tmp_path):
    raw = gzip.decompress((GVAS / "wrapper-gzip.sav").read_bytes())
    packed = gzip.compress(raw, mtime=7)
    named = packed[:3] + bytes([0x08 | 0x04]) + packed[4:10] + b"\2\0xy" + b"name.sav\0" + packed[10:]
    without_first_integer(named, tmp_path / "out.sav")
    new = (tmp_path / "out.sav").read_bytes()
    assert new.startswith(named[: 10 + 4 + 9])
    assert gzip_header(new) == named[: 10 + 4 + 9]
    assert len(gzip.decompress(new)) < len(raw)


@pytest.mark.parametrize("name", ["wrapper-archive.sav", "wrapper-cnk.sav", "wrapper-gswu.sav"])
def test_wrappers_that_cannot_be_written(tmp_path, name):
    with pytest.raises(UnsupportedSave, match="cannot be written"):
        rewrite(GVAS / name, tmp_path / "out.sav")
    assert list(tmp_path.iterdir()) == []


def test_oodle_becomes_plz_on_request(tmp_path):
    pytest.importorskip("ooz", reason="the extra `oodle` is not installed")
    raw = (GVAS / "empty.sav").read_bytes()
    packed = plm(raw)
    with pytest.raises(UnsupportedSave, match="can be written as PlZ"):
        rewrite(packed, tmp_path / "a.sav")
    with rewrite(packed, tmp_path / "a.sav", wrapper="plz"):
        pass
    data = (tmp_path / "a.sav").read_bytes()
    assert data[8:12] == b"PlZ\x32"
    assert zlib.decompress(zlib.decompress(data[12:])) == raw
    assert [int.from_bytes(data[at : at + 4], "little") for at in (0, 4)] == [len(raw), len(zlib.decompress(data[12:]))]


def test_what_needs_no_oodle_is_written_as_it_is(tmp_path):
    raw = (GVAS / "ue5-1018.sav").read_bytes()
    stored = struct.pack("<II", len(raw), len(raw)) + b"PlM\x30" + raw
    left = without_first_integer(stored, tmp_path / "a.sav")
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
