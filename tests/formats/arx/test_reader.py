"""Saves of Arx: all events of them, the values, and the verbs."""

import zlib
from pathlib import Path

import pytest
from arx_worlds import LOST, built, one, raws, sections
from damage import assert_in_order
from saves import read, real_names
from tiling import assert_tiled
from writer.arx import DEFLATED, IMPLODE, RELEASE, Container, Entry
from writer.arx_samples import BREAD, inner_files, whole_entries

import streamsave
from streamsave import BlobSkip, ChunkStart, DamagedSave, Field, ObjectHeader, StructEnter
from streamsave.values import Opaque

VALID = Path(__file__).resolve().parents[3] / "corpora" / "valid" / "arx"

#: What the manifest of the real containers says to differ from the decoded files beside them.
OTHER_ENTRIES = {"al-refragmented-v2.1.sav": {"globals"}}
RENAMED_ENTRIES = {"pld"}


@pytest.mark.parametrize("name", real_names("arx/*.sav"))
def test_real_containers(corpus, name):
    folder = corpus / "arx"
    found = raws(folder / name)
    other = RENAMED_ENTRIES if "renamed" in name else OTHER_ENTRIES.get(name, set())
    inner = {path.name: path.read_bytes() for path in (folder / "inner").iterdir()}
    assert set(found) - {"empty"} == set(inner)
    assert {entry for entry in inner if found[entry] != inner[entry]} == other
    assert found.get("empty", b"") == b""
    if "globals" in other:
        assert found["globals"][:1252] == inner["globals"]

    events = read(folder / name)
    assert_tiled(events, sum(map(len, found.values())))
    assert_in_order(events)
    assert [event.size for event in events if isinstance(event, ChunkStart)] == [len(data) for data in found.values() if data]
    assert len([event for event in events if isinstance(event, StructEnter) and event.name == "stub"]) == 1
    unclaimed = [event for event in events if isinstance(event, BlobSkip) and event.reason != "padding"]
    assert len(unclaimed) == ("globals" in other)


@pytest.mark.parametrize("path", [VALID / "v1.1.sav", VALID / "v2.1.sav"], ids=lambda path: path.stem)
def test_values_are_what_was_written(path):
    found = built(path)
    assert found.pop("empty", {}) == {}
    readme = found.pop("readme")
    assert readme == {"entry of an unknown kind": Opaque(inner_files()["readme"], "entry of an unknown kind")}
    assert sections(found) == whole_entries()


@pytest.mark.parametrize("unknown_size", [False, True])
def test_bytes_of_an_entry_are_held_against_its_checksum(unknown_size):
    """The bytes themselves are all there before it comes."""
    packed = zlib.compress(b"note")
    for end in (packed[:-1] + bytes([packed[-1] ^ 1]), packed + b"junk"):
        data = one(b"note", b"note", DEFLATED, packed=end, unknown_size=unknown_size)
        with pytest.raises(DamagedSave):
            raws(data)
        assert raws(data, on_damage="resync") == {"note": LOST}


def test_paths():
    wanted = {
        ("goblin_base_0007", "io", "locname"),
        ("goblin_base_0007", "timers", 1, "name"),
        ("goblin_base_0007", "script_variables", "\xa3name"),
        ("player", "quests", 0),
        ("player", "map_markers", 0, "lvl"),
        ("lvl001", "inter", 2, "filename"),
        ("readme",),
        ("goblin_base_0007", "io"),
        ("goblin_base_0007", "timers"),
        ("goblin_base_0007", "timers", 1),
        ("goblin_base_0007", "script_variables"),
        ("player", "quests"),
    }
    with streamsave.open(VALID / "v2.1.sav") as events:
        found = {events.path for event in events if isinstance(event, (Field, BlobSkip, StructEnter))}
    assert wanted <= found


def test_unknown_sizes_are_measured_when_they_are_needed():
    data = Container(RELEASE, [Entry(b"bread_0001.sav", BREAD.encode()), Entry(b"x.sav", b"abc")]).encode()
    sizes = [event.size for event in read(data) if isinstance(event, (ObjectHeader, ChunkStart))]
    assert sizes == [-1, len(BREAD.encode()), -1, 3]
    big = bytes(700_000)
    for codec in (IMPLODE, DEFLATED):
        made = one(b"x", big, codec, unknown_size=True)
        assert raws(made) == {"x": big}
        assert_tiled(read(made), len(big))


def test_sparse_leaves_out_zeros_and_says_so():
    whole = built(VALID / "v2.1.sav")
    sparse = built(VALID / "v2.1.sav", sparse=True)
    for entry, values in whole.items():
        for section, value in values.items():
            assert_sparse(sparse[entry][section], value)
    assert len(repr(sparse["bread_0001"])) < len(repr(whole["bread_0001"])) / 3
    (name,) = sparse["torch_0009"]
    assert set(sparse["torch_0009"][name]) == {"version", "show", "zeros", "zeros#2", "zeros#3"}


def assert_sparse(sparse, whole):
    """What is left out is named, and is nothing."""
    if isinstance(whole, list) and isinstance(sparse, list):
        for ours, theirs in zip(sparse, whole, strict=True):
            assert_sparse(ours, theirs)
        return
    if not isinstance(whole, dict) or not any(name.startswith("zeros") for name in sparse):
        assert sparse == {name: value for name, value in whole.items() if name in sparse} if isinstance(whole, dict) else whole
        return
    left_out = [name for key, names in sparse.items() if key.startswith("zeros") for name in names]
    for name in left_out:
        value = whole[name]
        assert not any([value.data.strip(b"\0")] if isinstance(value, Opaque) else flat(sections(value))), name
    kept = [name for name in sparse if not name.startswith("zeros")]
    assert {name for name in whole if not isinstance(whole[name], Opaque)} <= {*left_out, *kept}
    for name in kept:
        assert sparse[name] == whole[name]


def flat(value):
    """All numbers, texts and bytes in a value, or nothing for zeros."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in flat(item)]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flat(item)]
    return [value.strip(b"\0")] if isinstance(value, bytes) else [value]
