"""Each gate at the version before it and at its own."""

import base64
import gzip
import struct

import pytest
from saves import read
from shapez2_worlds import built, members_of
from tiling import assert_tiled
from writer.shapez2 import Building
from writer.shapez2_codes import Blueprint
from writer.shapez2_faults import changed
from writer.shapez2_samples import save_bytes, small_save
from writer.shapez2_values import hash_name

import streamsave
from streamsave import BlobSkip, Damage, DamagedSave, Event, ObjectHeader
from streamsave.formats.shapez2.versions import BLUEPRINT_NEWEST, ENVELOPE_ICONS, SAVE_LAYOUTS, SAVE_NEWEST

LABEL = Building("LabelDefaultInternalVariant", configuration=("LabelConfig", "Hi"))


@pytest.mark.parametrize("version", [SAVE_LAYOUTS - 1, SAVE_LAYOUTS])
def test_layouts_of_a_save(version, caplog):
    events = read(save_bytes(small_save(version=version, checkpoints=False)))
    opaque = [event for event in events if isinstance(event, BlobSkip) and event.reason.startswith("member of unknown layout")]
    has_layouts = version >= SAVE_LAYOUTS
    assert any(isinstance(event, ObjectHeader) for event in events) == has_layouts
    assert bool(opaque) != has_layouts
    assert ("older than the known layouts" in caplog.text) != has_layouts


@pytest.mark.parametrize("on_damage", ["raise", "resync"])
def test_checkpoints_prove_the_islands_of_an_older_save(on_damage):
    """What is in them is what a save of a known version has there."""
    old, new = (
        [
            (each.kind, each.class_name, each.instance_name, each.offset)
            for each in events_of(save_bytes(small_save(version=version)), on_damage)
            if isinstance(each, ObjectHeader) and each.kind in {"island", "building"}
        ]
        for version in (1000, 1138)
    )
    assert old == new
    assert len(old) == 5


def events_of(data: bytes, on_damage: str) -> list[Event]:
    with streamsave.open(data, on_damage=on_damage) as events:  # type: ignore[arg-type]
        return list(events)


BUNDLE = "maps/main/islands/0.bin"
FAULTS = {
    "a checkpoint": (hash_name("buildings").to_bytes(4, "little"), hash_name("building").to_bytes(4, "little")),
    "a byte after the last island": (bytes(40), bytes(39) + b"\1"),
    "a count": (
        struct.pack("<i", 2) + hash_name("island").to_bytes(4, "little"),
        struct.pack("<i", 3) + hash_name("island").to_bytes(4, "little"),
    ),
    "a configuration": (struct.pack("<iBI", 5, 1, 7), struct.pack("<iBI", 5, 2, 7)),
    "a longer configuration": (struct.pack("<iBI", 5, 1, 7), struct.pack("<iBI", 5, 0, 7)),
}


@pytest.mark.parametrize("on_damage", ["raise", "resync"])
@pytest.mark.parametrize("fault", FAULTS)
def test_islands_of_an_older_save_that_nothing_proves(fault, on_damage):
    """They are one opaque member, as without checkpoints, and no damage: the layout may be another."""
    data = changed(save_bytes(small_save(version=1000)), BUNDLE, *FAULTS[fault])
    events = events_of(data, on_damage)
    assert not [event for event in events if isinstance(event, (ObjectHeader, Damage))]
    assert [event.size for event in events if isinstance(event, BlobSkip) and event.reason.endswith(BUNDLE)] == [256]
    assert_tiled(events, sum(len(member) for member in members_of(data).values()))


@pytest.mark.parametrize("version", [SAVE_NEWEST, SAVE_NEWEST + 1])
def test_newest_save(version, caplog):
    assert built(save_bytes(small_save(version=version)))["maps/main/islands/0.bin"]["island_count"] == 2
    assert ("newer than known" in caplog.text) == (version > SAVE_NEWEST)


@pytest.mark.parametrize("version", [BLUEPRINT_NEWEST, BLUEPRINT_NEWEST + 1])
def test_newest_blueprint(version, caplog):
    events = read(Blueprint([LABEL], 4, version).code().encode())
    assert sum(isinstance(event, ObjectHeader) for event in events) == 1
    assert ("newer than known" in caplog.text) == (version > BLUEPRINT_NEWEST)


@pytest.mark.parametrize("envelope", [ENVELOPE_ICONS - 1, ENVELOPE_ICONS])
def test_icons_after_the_payload(envelope):
    payload = base64.b64encode(gzip.compress(b'{"V":1138,"BP":{"Entries":[]}}')).decode()
    bare, with_icons = f"SHAPEZ2-{envelope}-{payload}$", f"SHAPEZ2-{envelope}-{payload}[]_2$"
    good, bad = (with_icons, bare) if envelope >= ENVELOPE_ICONS else (bare, with_icons)
    assert read(good.encode())[0].header.icons == ()
    with pytest.raises(DamagedSave, match="end of the code"):
        read(bad.encode())
