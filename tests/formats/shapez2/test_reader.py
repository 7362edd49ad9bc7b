"""Saves of shapez 2: what is built equals what was written; every byte is claimed; checkpoints."""

import json
import struct
from collections import Counter
from pathlib import Path

import pytest
from saves import raises, read, read_to_error
from shapez2_worlds import assert_built, built, members_of
from tiling import assert_tiled
from writer.shapez2_faults import archive, changed
from writer.shapez2_samples import full_save, save_bytes, small_save
from writer.shapez2_values import OPAQUE_STATES, STATES, hash_name

import streamsave
from streamsave import BlobSkip, Checkpoint, DamagedSave, Field, LimitExceeded, Limits, ObjectHeader, StructEnter
from streamsave.formats.shapez2.members import STATES as LAYOUTS
from streamsave.rewriting import rewrite

MODES = {"checkpoints": {}, "no-checkpoints": {"checkpoints": False}, "unpadded": {"padded": False}}
BUNDLE = "maps/main/islands/0.bin"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_built_is_what_was_written(mode, seed):
    save = full_save(**MODES[mode], seed=seed)
    data = save_bytes(save)
    assert_built(built(data), save)
    assert_tiled(read(data), sum(len(member) for member in members_of(data).values()))


def test_states_of_all_ids():
    """55 ids, three of which even the game cannot read."""
    assert len(LAYOUTS) == 55
    assert set(LAYOUTS) == {*STATES, *OPAQUE_STATES}


@pytest.mark.parametrize(("limit", "needed"), [("table_entries", 40), ("string_size", 100), ("build_size", 4000)])
def test_limits_of_the_table_at_their_value_and_one_below(limit, needed):
    strings = struct.pack("<i", 40) + 40 * (struct.pack("<i", 100) + bytes(100))
    data = archive([("savegame.json", b'{"Version":1138}'), ("strings.bin", strings)])
    assert_tiled(read(data, Limits(**{limit: needed})), 16 + len(strings))
    with raises(LimitExceeded, match=limit, value=needed, path=("strings.bin",)):
        read(data, Limits(**{limit: needed - 1}))


def test_skipped_members_are_not_inflated():
    with streamsave.open(save_bytes(full_save())) as events:
        for event in events:
            if isinstance(event, StructEnter):
                events.skip()
        windows = events._windows
    # savegame.json for the header, strings.bin for the table
    assert list(windows._announced) == [1, 1] + [0] * (len(windows.chunks) - 2)


@pytest.mark.parametrize("checkpoints", [True, False])
def test_a_rail_with_a_wide_count(checkpoints, tmp_path):
    """Its masks are given; other masks are written with a count as wide."""
    data = save_bytes(small_save(checkpoints=checkpoints, padded=False))
    narrow, wide = struct.pack("<iBI", 5, 1, 7), struct.pack("<iiI", 8, 1, 7)
    source, target = tmp_path / "in.spz2", tmp_path / "out.spz2"
    source.write_bytes(grown(data, narrow, wide))
    assert_rail(source, [7])
    with rewrite(source, target) as save:
        for event in save:
            if isinstance(event, Field) and event.type == "RailConfig":
                save.replace([7, 8])
    assert_rail(target, [7, 8])
    assert struct.pack("<iiII", 12, 2, 7, 8) in members_of(target.read_bytes())[BUNDLE]


def grown(data: bytes, old: bytes, new: bytes) -> bytes:
    """A save whose rail takes more bytes, as do the island and the archive around it."""
    parts = members_of(data)
    content = parts[BUNDLE]
    at = content.rindex(old)
    blob = struct.pack("<i", 38 if content.count(hash_name("blob:start").to_bytes(4, "little")) else 18)
    start = content.rindex(blob, 0, at)
    grown_blob = struct.pack("<i", int.from_bytes(blob, "little") + len(new) - len(old))
    parts[BUNDLE] = content[:start] + grown_blob + content[start + 4 : at] + new + content[at + len(old) :]
    return archive(list(parts.items()))


def assert_rail(path: Path, masks: list[int]) -> None:
    with streamsave.open(path) as events:
        found = [(events.build(), event.size) for event in events if isinstance(event, Field) and event.type == "RailConfig"]
    assert found == [(masks, 4 + 4 * len(masks))]
    assert_tiled(read(path.read_bytes()), sum(len(member) for member in members_of(path.read_bytes()).values()))


def test_a_wrong_checkpoint_says_what_and_where():
    data = changed(
        save_bytes(small_save()),
        BUNDLE,
        hash_name("buildings").to_bytes(4, "little"),
        hash_name("building").to_bytes(4, "little"),
    )
    seen, error = read_to_error(data)
    assert isinstance(error, DamagedSave)
    assert error.expected == "buildings, 0xa4496d7c"
    assert error.actual == "building, 0x35a08de5"
    assert error.path == (BUNDLE, "(0, 0, 0)", "data", "buildings")
    assert error.chunk == 4
    assert len(seen) > 10


# --- real and synthetic files of others ---


@pytest.mark.parametrize("mode", MODES)
def test_synthetic_saves(corpus: Path, mode):
    name = {"checkpoints": "checkpoints", "no-checkpoints": "nocheckpoints", "unpadded": "checkpoints-unpadded"}[mode]
    data = (corpus / "shapez2" / f"synthetic-{name}.spz2").read_bytes()
    events = read(data)
    assert_tiled(events, sum(len(member) for member in members_of(data).values()))
    kinds = Counter(event.kind for event in events if isinstance(event, ObjectHeader))
    assert kinds == {"island": 4, "building": 9, "island state": 4, "building state": 2}
    assert any(isinstance(event, Checkpoint) for event in events) == (mode != "no-checkpoints")
    assert any(isinstance(event, BlobSkip) and event.reason == "padding" for event in events)
    assert json.loads(members_of(data)["savegame.json"]) == built(data)["savegame.json"]["value"]
