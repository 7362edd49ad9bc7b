"""What the settings of a player's keys have after their properties: objects, or bytes of unknown layout."""

import io
import struct
import zlib
from pathlib import Path

import pytest
from attrs import evolve
from saves import read
from tiling import assert_tiled
from writer.gvas import KeyProfile, SaveGame, key_profiles
from writer.gvas_samples import KEY_GUID, item, key_settings
from writer.primitives import fstring, i32

import streamsave
from streamsave import BlobSkip, EditError, ObjectHeader, PropertyTag
from streamsave.rewriting import rewrite
from streamsave.values import Guid

SETTINGS = "/Script/EnhancedInput.EnhancedInputUserSettings"


def settings(tail: bytes, class_name: str = SETTINGS, ue5: int = 1009) -> bytes:
    return SaveGame(item(1), ue5=ue5, class_name=class_name, tail=tail).encode()


def built(data: bytes) -> dict[str, object]:
    with streamsave.open(data) as events:
        return next(events.build() for event in events if isinstance(event, ObjectHeader))


def left_over(data: bytes) -> list[int]:
    events = read(data)
    assert_tiled(events, len(data))
    return [event.size for event in events if isinstance(event, BlobSkip)]


@pytest.mark.parametrize("ue5", [1009, 1011, 1012])
@pytest.mark.parametrize("pack", [bytes, zlib.compress], ids=["raw", "zlib"])
def test_profiles(ue5, pack):
    data = key_settings(ue5).encode()
    for on_damage in ("raise", "resync"):
        with streamsave.open(io.BytesIO(pack(data)), on_damage=on_damage) as events:  # type: ignore[arg-type]
            value = next(events.build() for event in events if isinstance(event, ObjectHeader))
        trailer = value["trailer"]
        assert (value["object_guid"], trailer["save_version"]) == (None, 1)
        assert [row["object_path"] for row in trailer["profiles"]] == list(trailer["sub_objects"]) == ["Profile_0", "Profile_1"]
        first, second = trailer["sub_objects"].values()
        assert first["properties"] == {"Name": "Item_2", "Count": 2, "Nested": {"Name": "Item_3", "Count": 3}}
        assert (second["properties"], second["object_guid"], second["end"]) == ({}, Guid(KEY_GUID), "ObjectEnd")
    assert left_over(data) == []


ONE = KeyProfile("Default", "Profile_0", item(2))
TAIL = key_profiles([ONE], SaveGame(ue5=1009).dialect)


@pytest.mark.parametrize("class_name", [SETTINGS, "/Script/LyraGame.LyraInputUserSettings"])
@pytest.mark.parametrize("after", [b"", b"more"])
def test_classes_made_of_it(class_name, after):
    assert left_over(settings(TAIL + after, class_name)) == ([len(after)] if after else [])


@pytest.mark.parametrize(
    "tail",
    [
        i32(2) + TAIL[4:],  # another version
        TAIL[:-14] + fstring("objectend"),
        key_profiles([evolve(ONE, mapping_count=1)], SaveGame(ue5=1009).dialect),
        key_profiles([ONE, ONE], SaveGame(ue5=1009).dialect),  # two of one name
        i32(1) + i32(1 << 30),
    ],
)
def test_other_bytes_are_opaque(tail):
    assert left_over(settings(tail)) == [len(tail)]
    assert left_over(settings(TAIL, "/Script/Game.Save")) == [len(TAIL)]


def test_edits_inside(tmp_path):
    """A longer text in a sub-object: sizes of tags around it follow, nothing else changes; no edit: no byte does."""
    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    data = key_settings(1009).encode()
    source.write_bytes(data)
    with rewrite(source, target) as save:
        for _ in save:
            pass
    assert target.read_bytes() == data
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.name == "Name" and "Profile_0" in save.path and "Nested" in save.path:
                save.replace("Item_3000")
    inner = data.index(fstring("Item_3"))
    expected = data.replace(fstring("Item_3"), fstring("Item_3000"))
    for tag, at in (("Name", data.rindex(fstring("Name"), 0, inner)), ("Nested", data.index(fstring("Nested")))):
        size_at = at + len(fstring(tag)) + len(fstring("NameProperty" if tag == "Name" else "StructProperty"))
        (size,) = struct.unpack_from("<i", data, size_at)
        expected = expected[:size_at] + i32(size + 3) + expected[size_at + 4 :]
    assert target.read_bytes() == expected


@pytest.mark.parametrize("place", ["save_version", "profiles", "sub_objects/Profile_0/end"])
def test_what_says_where_they_end_is_not_edited(tmp_path, place):
    (tmp_path / "in.sav").write_bytes(key_settings(1009).encode())
    with (
        pytest.raises(EditError, match="says how other bytes are read"),
        rewrite(tmp_path / "in.sav", tmp_path / "out.sav") as save,
    ):
        for _ in save:
            if save.path == ("trailer", *place.split("/")):
                save.replace(save.build())
    assert not (tmp_path / "out.sav").exists()


def test_a_real_one(corpus: Path):
    """By a few lines of `struct`: the 483 bytes are one profile and its object."""
    data = (corpus / "more" / "EnhancedInputUserSettings.sav").read_bytes()
    start = data.index(b"\5\0\0\0None\0" + bytes(4) + struct.pack("<ii", 1, 1)) + 9 + 4
    assert len(data) - start == 483
    at, texts = start + 8, []
    for _ in range(3):
        (size,) = struct.unpack_from("<i", data, at)
        texts.append(data[at + 4 : at + 3 + size].decode())
        at += 4 + size
    assert data[at : at + 4] == bytes(4)
    trailer = built(data)["trailer"]
    assert list(trailer["profiles"][0].values()) == [*texts, 0]
    (one,) = trailer["sub_objects"].values()
    assert one["properties"]["ProfileIdentifier"] == {"TagName": texts[0]}
    assert one["properties"]["DisplayName"].fields["source"] == "Default Profile"
    assert data.endswith(fstring(one["end"]))
    assert left_over(data) == []
