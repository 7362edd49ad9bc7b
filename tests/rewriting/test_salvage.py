"""Damaged saves become sound ones that have what was sound, and nothing else."""

import base64
import gzip
import os
import re
import zlib
from collections import Counter

import pytest
from attack.mutator import make_mutator
from damage import broken_chunk, lines
from mutate import folders_of
from profiles import scaled
from proofs import save, with_size
from salvage_saves import HARMLESS
from saves import SATISFACTORY, VALID, raises, read
from shapez2_worlds import members_of
from writer.astroneer import wrap
from writer.gvas import SaveGame
from writer.gvas_samples import GAMEPLAY_TAGS
from writer.primitives import fstring
from writer.shapez2_faults import changed
from writer.structs import VECTOR
from writer.tags import INT, Prop

import streamsave
from streamsave import (
    Damage,
    DamagedSave,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveError,
    StructEnter,
    StructExit,
    UnsupportedSave,
)
from streamsave.check import FINDING, check
from streamsave.check.finding import NOTE
from streamsave.formats.shapez2.primitives import GLOBAL_CHUNK, ISLAND_TILE, ROTATION
from streamsave.rewriting.rewrite import rewrite
from streamsave.rewriting.salvage import SaveSalvage
from streamsave.rewriting.verifying import raise_wrong

#: Of each format, mutants of the attack that become saves; `tools/salvage_saves.py` makes as many as one likes.
FORMATS = ("satisfactory", "gvas", "arx", "shapez2")
COUNT = 25


def objects(data):
    """The sound objects, as lines: what is around them may be made anew."""
    return [line for line in lines(data)[0] if b'"class_name"' in line and not line.startswith(b'{"format"')]


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_what_was_sound_is_in_the_new_save(tmp_path, name):
    mutator = make_mutator(folders_of((name,)))
    target = tmp_path / "new"
    made = 0
    count = scaled(COUNT)
    for seed in range(count):
        data = mutator.make(seed).data
        target.unlink(missing_ok=True)
        try:
            for _ in SaveSalvage(data).write(target):
                pass
        except SaveError:
            assert not target.exists()
            continue
        made += 1
        assert lines(target.read_bytes())[1] == []
        assert [finding for finding in check(target) if finding.severity != NOTE and finding.kind not in HARMLESS] == []
        # A line of a save game, or of an island, has a place for what is lost.
        if name in {"arx", "satisfactory"}:
            assert objects(target.read_bytes()) == objects(data)
        assert list(SaveSalvage(target).write(tmp_path / "again")) == []
        assert (tmp_path / "again").read_bytes() == target.read_bytes()
    assert made >= count // 4


def test_a_save_that_changes_while_it_is_read(tmp_path):
    path, target = tmp_path / "a.sav", tmp_path / "b.sav"
    path.write_bytes((SATISFACTORY / "sv58.sav").read_bytes())
    work = SaveSalvage(path)
    os.utime(path, (1e9, 1e9))
    with pytest.raises(OSError, match="has changed while it was read"):
        list(work.write(target))
    assert list(tmp_path.iterdir()) == [path]


SOUND = [path for name in FORMATS for path in sorted((VALID / name).iterdir())]


@pytest.mark.slow
@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.name)
def test_of_a_sound_save_all_is_kept(tmp_path, path):
    try:
        work = SaveSalvage(path)
    except UnsupportedSave:  # in a wrapper that nothing can write
        with pytest.raises(UnsupportedSave):
            rewrite(path, tmp_path / "out")
        return
    assert list(work.write(tmp_path / "new")) == []
    assert objects((tmp_path / "new").read_bytes()) == objects(path.read_bytes())


@pytest.mark.parametrize("name", ["islands-4.spz2bp", "unpadded.spz2"])
def test_a_sound_save_is_copied(tmp_path, name):
    """Whoever has packed it: the game packs codes of some versions with another level of zlib."""
    path = VALID / "shapez2" / name
    if name.endswith("bp"):
        start, payload, icons = re.fullmatch(rb"(SHAPEZ2-4-)([A-Za-z0-9+/=]+)(.*)", path.read_bytes(), re.DOTALL).groups()
        path = tmp_path / name
        path.write_bytes(start + base64.b64encode(gzip.compress(gzip.decompress(base64.b64decode(payload)), 1, mtime=1)) + icons)
    assert list(SaveSalvage(path).write(tmp_path / "new")) == []
    assert (tmp_path / "new").read_bytes() == path.read_bytes()


def without_a_value() -> bytes:
    """The tag of the only property is sound, but its value cannot be decoded."""
    return SaveGame([Prop("Tags", GAMEPLAY_TAGS, ["A.Tag"])]).encode().replace(b"\6\0\0\0A.Tag", b"\xc8\0\0\0A.Tag")


def without_records() -> bytes:
    """It has lost records by number."""
    body = zlib.decompress((VALID / "astroneer" / "full.savegame").read_bytes()[16:])
    return wrap(body[: len(body) // 2])


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (without_a_value(), DamagedSave, "nothing to save"),
        *(
            (broken_chunk((SATISFACTORY / name).read_bytes(), 0), DamagedSave, "nothing to save")  # it has no other
            for name in ("sv28.sav", "sv36.sav", "sv46.sbp", "sv60.sav")
        ),
        (without_records(), SaveError, "the stream ends at"),
    ],
    ids=["no value", "sv28", "sv36", "sv46", "sv60", "no records"],
)
def test_there_is_no_save_of_what_is_left(tmp_path, data, error, message):
    with pytest.raises(error, match=message):
        list(SaveSalvage(data).write(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


def test_an_object_that_others_refer_to_by_number_loses_its_data(tmp_path):
    """Of Astroneer; all others stay as they are."""
    path = VALID / "astroneer" / "full.savegame"
    body = zlib.decompress(path.read_bytes()[16:])
    with streamsave.open(path) as events:
        one = next(event for event in events if isinstance(event, ObjectHeader) and event.kind == "actor")
        tag = next(event for event in events if isinstance(event, PropertyTag) and event.type == "IntProperty")
    size = tag.value_offset - 9
    assert body[size : size + 4] == (4).to_bytes(4, "little")
    losses = list(SaveSalvage(wrap(body[:size] + b"\xff\xff\xff\x7f" + body[size + 4 :])).write(tmp_path / "new"))
    assert [damage.lost.name for damage in losses] == [one.instance_name]

    def raws(source):
        with streamsave.open(source) as events:
            return [(event.instance_name, events.raw()) for event in events if isinstance(event, ObjectHeader)]

    assert raws(tmp_path / "new") == [(name, b"" if name == one.instance_name else raw) for name, raw in raws(path)]


def test_a_new_save_that_is_not_sound_does_not_appear(tmp_path, monkeypatch):
    finding = next(check(b"nothing"))
    monkeypatch.setattr("streamsave.rewriting.salvage.verify_save", lambda *_args, **_options: raise_wrong([finding]))
    with pytest.raises(SaveError):
        list(SaveSalvage(SATISFACTORY / "sv46.sav").write(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


# --- what no game has written is left out of a new save, and reported, even where it can be read ---


BEFORE = Prop("Before", INT, 1)
AFTER = Prop("After", INT, 2)
PLACE = Prop("Place", VECTOR, (1.0, 2.0, 3.0))


def salvaged(data, target):
    """The names of the properties in the new save; what was reported as lost; how many findings the new save has."""
    lost = [damage.lost.name for damage in SaveSalvage(data).write(target)]
    return [event.name for event in read(target) if isinstance(event, PropertyTag)], lost, len(list(check(target)))


def tags(source, **options):
    """The name of each property, and how often it comes."""
    return Counter(event.name for event in read(source, **options) if isinstance(event, PropertyTag))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["abiotic-player-ue544.sav", "drg-ue427-146k.sav"])
def test_a_save_in_which_bytes_are_missing_keeps_what_the_stream_gives(tmp_path, real_save, name):
    """All sizes around the place are wrong. The tag of the lost property goes with it."""
    data = real_save(f"gvas/{name}").read_bytes()
    places = [event.value_offset + 4 for event in read(data) if isinstance(event, PropertyTag) and event.size > 7]
    for at in places[:: len(places) // 12]:
        bad = data[:at] + data[at + 3 :]
        made = tmp_path / str(at)
        assert [damage.lost.kind for damage in SaveSalvage(bad).write(made)] == ["property"]
        assert list(check(made)) == []
        given, kept = tags(bad, on_damage="resync"), tags(made)
        assert kept - given == Counter()
        assert (given - kept).total() <= 1


@pytest.mark.parametrize("name", ["key-profiles.sav", "key-profiles-new-tags.sav"])
def test_a_save_that_has_lost_its_profiles_of_keys_has_none(tmp_path, name):
    data = (VALID / "gvas" / name).read_bytes()
    fields = [(event.name, event.offset) for event in read(data) if isinstance(event, Field)]
    for at in (offset for name, offset in fields if name in {"object_guid", "profiles", "end"}):
        assert [damage.lost.kind for damage in SaveSalvage(data[: at + 2]).write(tmp_path / "new")] == ["rest of the save"]
        assert list(check(tmp_path / "new")) == []
        assert tags(tmp_path / "new") == tags(data[: at + 2], on_damage="resync") == {"Name": 1, "Count": 1}
        with streamsave.open(tmp_path / "new") as events:
            trailers = [events.build() for event in events if isinstance(event, Field) and event.name == "trailer"]
        assert trailers == [{"save_version": 1, "profiles": [], "sub_objects": {}}]


def whole(source, **options):
    """The names of the objects without a damage inside, and how often each comes."""
    found, opened = Counter(), []
    with streamsave.open(source, **options) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                opened.append(event.instance_name)
            elif isinstance(event, ObjectEnd):
                found[opened.pop()] += 1
            elif isinstance(event, Damage):
                opened = [None] * len(opened)
    del found[None]
    return found


@pytest.mark.slow
def test_of_a_world_each_whole_object_that_the_stream_gives_is_kept(tmp_path, real_save):
    """Objects are in maps in maps, and the damage reaches to the end of an outer one."""
    data = zlib.decompress(zlib.decompress(real_save("gvas/palworld-level-unicode.sav").read_bytes()[12:]))
    for part in (5, 9):
        at = len(data) * part // 20
        bad = data[: at + 4096] + data[at:]
        made = tmp_path / str(part)
        assert list(SaveSalvage(bad).write(made))
        given, kept = whole(bad, on_damage="resync"), whole(made)
        assert list(given - kept) + list(kept - given) == []
        assert given.total() > 1000


@pytest.mark.slow
@pytest.mark.parametrize("member", ["maps/main/islands/1.bin", "maps/main/buildings/0.bin"])
@pytest.mark.parametrize("name", ["checkpoints.spz2", "no-checkpoints.spz2"])
def test_of_a_member_that_ends_early_the_objects_before_that_stay(tmp_path, name, member):
    """The id of an object cannot be read, or the count of building states: nothing shows where the next one starts."""
    data = (VALID / "shapez2" / name).read_bytes()
    content = members_of(data)[member]
    ids = {}
    counts = []
    with streamsave.open(data) as events:
        start = next(event.offset for event in events if isinstance(event, StructEnter) and event.name == member)
        for event in events:
            if isinstance(event, ObjectHeader) and event.level == member and not event.outer:
                ids.setdefault(event.kind, []).append(event.offset + GLOBAL_CHUNK.size)
            elif events.path == (member, "building_count"):
                counts.append(event.offset)
    for place in [*counts, *(at for each in ids.values() for at in (each[0], each[len(each) // 2], each[-1]))]:
        at = place - start
        bad = changed(data, member, content, content[:at] + b"\xff\xff\xff\x7f" + content[at + 4 :])
        losses = list(SaveSalvage(bad).write(tmp_path / "new"))
        assert [(loss.lost.kind, loss.lost.name) for loss in losses] == [("member", member)]
        assert whole(tmp_path / "new") == whole(bad, on_damage="resync")
        assert [finding for finding in check(tmp_path / "new") if finding.severity != NOTE] == []


@pytest.mark.slow
def test_an_island_keeps_the_buildings_before_a_damage(tmp_path):
    """The id of a building cannot be read, or the checkpoint after a blob is another one."""
    member = "maps/main/islands/0.bin"
    data = (VALID / "shapez2" / "checkpoints.spz2").read_bytes()
    content = members_of(data)[member]
    ids, ends = [], []
    with streamsave.open(data) as events:
        start = next(event.offset for event in events if isinstance(event, StructEnter) and event.name == member)
        for event in events:
            if isinstance(event, ObjectHeader) and event.outer and event.level == member:
                ids.append(event.offset + ISLAND_TILE.size + ROTATION.size)
            elif isinstance(event, StructExit) and event.name in {"buildings", "data"} and events.path[0] == member:
                ends.append(event.offset)
    for at in (place - start for place in (*ids[:: len(ids) // 4], *ends[:4])):
        bad = changed(data, member, content, content[:at] + b"\xff\xff\xff\x7f" + content[at + 4 :])
        assert list(SaveSalvage(bad).write(tmp_path / "new"))
        kept = whole(tmp_path / "new")
        assert kept.total() - whole(bad, on_damage="resync").total() == 1  # the island itself
        assert whole(bad, on_damage="resync") - kept == Counter()
        assert [finding for finding in check(tmp_path / "new") if finding.severity != NOTE] == []


def test_a_struct_of_another_size_than_its_type(tmp_path):
    data = save(BEFORE, PLACE, AFTER)
    size = next(event.size for event in read(data) if isinstance(event, PropertyTag) and event.name == "Place")
    end = data.index(fstring("After"))
    longer = with_size(data[:end] + b"\7" + data[end:], "Place", size + 1)
    assert [event.name for event in read(longer) if isinstance(event, PropertyTag)] == ["Before", "Place", "After"]
    assert salvaged(longer, tmp_path / "new.sav") == (["Before", "After"], ["Place"], 0)


@pytest.mark.parametrize(
    ("change", "offset"),
    [
        ({"save_game_version": 65535}, 4),
        ({"ue4": -522}, 8),
        ({"ue4": 1 << 30}, 8),
        ({"engine": (5, 1, 40000)}, 16),
        ({"engine": (0, 0, 3)}, 16),
    ],
)
def test_the_versions_of_no_engine(change, offset, tmp_path):
    data = SaveGame([BEFORE], **change).encode()
    assert [(finding.kind, finding.severity, finding.offset) for finding in check(data)] == [("header", FINDING, offset)]
    with raises(DamagedSave, match="engine", offset=offset):
        salvaged(data, tmp_path / "new.sav")
    assert list(tmp_path.iterdir()) == []
