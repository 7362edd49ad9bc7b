"""The verbs: what they refuse, and what they leave to the other verbs."""

import io
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from math import inf, nan

import pytest
from attrs import evolve, fields, has
from saves import VALID

import streamsave
from streamsave import BlobSkip, ChunkStart, Field, ObjectEnd, ObjectHeader, PropertyTag, StaleEvent, StructEnter
from streamsave.decode.known_bytes import COMPILED
from streamsave.errors import EditError
from streamsave.formats.arx.reader import STEERING_ROWS
from streamsave.rewriting import rewrite
from streamsave.values import Vector

SAMPLE = VALID / "satisfactory" / "sv60.sav"
ISLANDS = VALID / "shapez2" / "checkpoints.spz2"


def drop(save):
    save.drop()


def no_bytes(save):
    save.replace_raw(b"")


def same_value(save):
    save.replace(save.build())


def rows(kind, names, verb, message):
    return [(kind, name, verb, message) for name in names]


NUMBERS = {"astro_save_version", "level_name", "version", "names", "object_count", "terrain_version", "size", "object_guid"}
#: Sample -> kind and name of an event, or its type in a list; verb, message.
REFUSED = {
    "satisfactory/sv60.sav": [
        (PropertyTag, "mInt", lambda save: save.replace(1 << 31), "mInt: out of range"),
        (PropertyTag, "mInt", lambda save: save.replace("1"), "mInt: not an integer"),
        (PropertyTag, "mInt", lambda save: save.replace(True), "mInt: not an integer"),
        (PropertyTag, "mYes", lambda save: save.replace(0), "mYes: not a bool"),
        (PropertyTag, "mYes", lambda save: save.replace_raw(b"\0"), "a bool has no bytes"),
        (PropertyTag, "mVector", lambda save: save.replace((1.0, 2.0, 3.0)), "mVector: not a Vector"),
        (PropertyTag, "mInventoryStacks", lambda save: save.replace([]), "can only be replaced as bytes"),
        (StructEnter, "mInventoryStacks", lambda save: save.replace([]), "only its bytes can be replaced"),
        (StructEnter, "mInventoryStacks", no_bytes, "no size says where it ends"),
        (StructEnter, "Persistent_Level", drop, "no object, property"),
        (StructEnter, "Persistent_Level", no_bytes, "no size says where it ends"),
        (Field, "actor", drop, "no object, property"),
        (Field, "body_size", lambda save: save.replace(1), "how other bytes are read"),
    ],
    "arx/v2.1.sav": [
        *rows(Field, STEERING_ROWS, same_value, "how other bytes are read"),
        (Field, "gold", drop, "no object"),
        (StructEnter, "player", no_bytes, "no size"),
    ],
    "astroneer/full.savegame": [
        *rows(Field, NUMBERS, no_bytes, "how other bytes are read"),
        (StructEnter, "VoxelBlock", no_bytes, "replace its voxels"),
        (ObjectHeader, "Rover_C_0.Slots", no_bytes, "with a size each"),
    ],
    "astroneer/remote.savegame": [
        *rows(ObjectHeader, ["actor", "object", "manager", "native"], drop, "refer to objects by number"),
        (StructEnter, "ActorRecord", drop, "refer to actor records by number"),
        (StructEnter, "VoxelBlock", drop, "voxel blocks is unknown"),
        (StructEnter, "RemotePlayer", drop, "remote players is known"),
    ],
    "shapez2/checkpoints.spz2": [
        (StructEnter, "savegame.json", drop, "how other members are read"),
        (StructEnter, "savegame.json", lambda save: save.replace_raw(b"{}"), "how other members are read"),
        (StructEnter, "strings.bin", drop, "no object"),
        (Field, "Version", lambda save: save.replace(1138), "how other bytes are read"),
        (Field, "Seed", drop, "no object"),
        (Field, "strings", lambda save: save.replace([]), "wrong number of elements"),
        (Field, "has_configuration", lambda save: save.replace(False), "how other bytes are read"),
        (Field, "channel_count", lambda save: save.replace(1), "how other bytes are read"),
        (StructEnter, "mergers", drop, "no object"),
        (StructEnter, "trackers", no_bytes, "no size"),
    ],
    "shapez2/islands-5.spz2bp": [
        *rows(Field, ["V", "$type"], same_value, "how other bytes are read"),
        *rows(StructEnter, ["BP", "Entries"], drop, "no object"),
    ],
}
if not COMPILED:  # a compiled Vector takes nothing but numbers
    wrong = Vector(1.0, 2.0, "3")
    REFUSED["satisfactory/sv60.sav"].append((PropertyTag, "mVector", lambda save: save.replace(wrong), "mVector/z: not a number"))


def is_it(event, kind, name):
    """Whether an event has a kind and a name, or is in a list of things of that type."""
    names = [getattr(event, each, "") for each in ("name", "instance_name", "kind")]
    if getattr(event, "index", -1) >= 0:
        names.append(getattr(event, "type_name", ""))
    return isinstance(event, kind) and name in names


@pytest.mark.parametrize("sample", REFUSED)
def test_what_is_refused(tmp_path, sample):
    """Wherever it is; nothing changes."""
    left = {each[:2] for each in REFUSED[sample]}
    with rewrite(VALID / sample, tmp_path / "out") as save:
        for event in save:
            for kind, name, verb, message in REFUSED[sample]:
                if is_it(event, kind, name):
                    with pytest.raises(EditError, match=message):
                        verb(save)
                    left.discard((kind, name))
    assert left == set()
    assert (tmp_path / "out").read_bytes() == (VALID / sample).read_bytes()


def nested(kind: type) -> object:
    value: object = None
    for _ in range(5000):
        value = [value] if kind is list else {"a": value}
    return value


HOSTILE = {
    "a lone surrogate": "\ud800",
    "many digits": 10**400,
    "more digits than Python writes": -(10**5000),
    "nested lists": nested(list),
    "nested dicts": nested(dict),
    "no number": nan,
    "infinite": -inf,
    "beyond 64 bits": 1 << 64,
    "below 64 bits": -(1 << 63) - 1,
    "a large float": 1e300,
    "nothing": None,
    "bytes": b"\xff",
    "another class": object(),
    "a class": int,
    "a list of texts": ["\ud800"],
    "a long text": "x" * 70_000,
}
#: One sample of each layout that values are written in.
WRITTEN = [
    "arx/v1.1.sav",
    "arx/v2.1.sav",
    "astroneer/bare.gvas",
    "gvas/palworld-1.0.sav",
    "gvas/ue5-1018.sav",
    "satisfactory/sv60.sav",
    "satisfactory/sv51.sbp",
    "shapez2/backwards.spz2bp",
    "shapez2/buildings.spz2bp",
    "shapez2/small.spz2",
]


def with_hostile_parts(value: object) -> Iterator[object]:
    """A class, dict or list with each hostile value in each of its parts."""
    for hostile in HOSTILE.values():
        if has(type(value)):
            for field in fields(type(value)):
                with suppress(TypeError):  # compiled classes take no such part
                    yield evolve(value, **{field.name: hostile})
        elif isinstance(value, dict):
            yield from ({**value, key: hostile} for key in value)
        elif isinstance(value, list) and value:
            yield [hostile, *value[1:]]


def is_written(save, event, value) -> bool:
    """Whether a value can be written; otherwise the error has a text of a bounded size."""
    try:
        save._encoded(event, value)
    except EditError as error:
        text = str(error)
    else:
        return True
    assert 0 < len(text) < 1500
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_hostile_values_are_refused(name):
    """Any value, at any place: it is written, or there is an `EditError` with a text that can be shown."""
    seen = set()
    counts: Counter[bool] = Counter()
    with rewrite(VALID / name, None) as save:
        for event in save:
            if not isinstance(event, (PropertyTag, Field)) or (event.name, type(event)) in seen:
                continue
            seen.add((event.name, type(event)))
            values = list(HOSTILE.values())
            if save.is_leaf():
                values += with_hostile_parts(save.build())
            counts.update(is_written(save, event, value) for value in values)
    assert counts[False] > counts[True] > 0


def test_an_edit_after_one_that_was_refused(tmp_path):
    with rewrite(SAMPLE, tmp_path / "out.sav") as save:
        next(event for event in save if isinstance(event, PropertyTag) and event.name == "mInt")
        with pytest.raises(EditError):
            save.replace("1")
        save.replace(7)
        with pytest.raises(EditError, match="edited already"):
            save.drop()
    with streamsave.open(tmp_path / "out.sav") as events:
        next(event for event in events if isinstance(event, PropertyTag) and event.name == "mInt")
        assert events.build() == 7


def test_dropping_what_is_around_forgets_edits_inside(tmp_path):
    """And nothing more is edited there: the new save is that of the drop alone."""
    for name in ("dropped", "edited before"):
        stacks = None
        with rewrite(SAMPLE, tmp_path / name) as save:
            for event in save:
                if isinstance(event, PropertyTag) and event.name == "mInventoryStacks":
                    stacks = event
                    if name == "dropped":
                        save.drop()
                elif stacks and isinstance(event, PropertyTag) and event.name == "NumItems":
                    save.replace(7)
                    save.drop(stacks)
                    stacks = None
                    with pytest.raises(EditError, match="inside of what is dropped"):
                        save.replace(8)
    assert (tmp_path / "dropped").read_bytes() == (tmp_path / "edited before").read_bytes() != SAMPLE.read_bytes()


@pytest.mark.parametrize("fields", [(), ("mSpawnData",)])
def test_nothing_is_edited_in_a_selection(tmp_path, fields):
    """`select` gives no events: what it has read last may be a part of what it found, or come after it."""
    with rewrite(SAMPLE, tmp_path / "out.sav") as save:
        for _, _found in save.select("class_name = *CreatureSpawner*", fields=fields):
            with pytest.raises(StaleEvent):
                save.drop()
            with pytest.raises(StaleEvent):
                save.set_header(flags=0)
    assert (tmp_path / "out.sav").read_bytes() == SAMPLE.read_bytes()


def test_a_selection_that_ends_inside_of_what_is_dropped(tmp_path):
    """No new save is written: where the dropped object ends is not known."""
    with pytest.raises(StaleEvent, match="finish"), rewrite(ISLANDS, tmp_path / "out.spz2") as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.kind == "island":
                island = event
            elif isinstance(event, ObjectHeader):
                save.drop(island)
                break
        next(save.select("kind = building"))
    assert not (tmp_path / "out.spz2").exists()


def test_a_save_is_written_once():
    target = io.BytesIO()
    save = rewrite(SAMPLE, target)
    header = next(event for event in save if isinstance(event, ObjectHeader))
    save.finish()
    next(save)
    for verb in (save.finish, save.drop, lambda: save.drop(header)):
        with pytest.raises(StaleEvent):
            verb()
    save.close()
    with pytest.raises(StaleEvent):
        save.finish()
    assert target.getvalue() == SAMPLE.read_bytes()


@pytest.mark.parametrize("sample", [SAMPLE, ISLANDS, VALID / "gvas" / "palworld-1.0.sav"])
def test_a_negative_number_of_copies(sample):
    """The count would become smaller, and no object would be dropped: the last one would be lost."""
    with rewrite(sample, None) as save:
        for event in save:
            if isinstance(event, ObjectEnd):
                with pytest.raises(EditError, match="not negative: -1"):
                    save.insert_copy(-1)
                break
        assert save.edit_count == 0


def test_stale_events(tmp_path):
    with rewrite(SAMPLE, tmp_path / "out.sav") as save:
        with pytest.raises(StaleEvent):
            save.drop()
        first = None
        for event in save:
            if isinstance(event, ChunkStart):
                with pytest.raises(StaleEvent):
                    save.replace_raw(b"")
            if first is not None:
                with pytest.raises(StaleEvent, match="not open"):
                    save.drop(first)
            if isinstance(event, Field):
                first = event
    with pytest.raises(StaleEvent):
        save.drop()


# --- what is only read of a save that is rewritten: the same as without edits ---


def answers(save, verb):
    """What a verb says of each leaf, and where that is."""
    found = []
    for event in save:
        where = (save.path, save.depth, save.location(event))
        if isinstance(event, ObjectHeader):
            found.append((*where, save.holds_objects(event), save.takes(event), save._peek(20)))
        elif isinstance(event, StructEnter):
            found.append((*where, save._script_struct(event)))
        elif isinstance(event, BlobSkip):
            found.append((*where, save.opaque(event)))
        elif isinstance(event, (PropertyTag, Field)) and save.is_leaf():
            answer = getattr(save, verb)()
            found.append((*where, list(answer) if verb == "slices" and answer is not None else answer))
        else:
            found.append(where)
    return found


@pytest.mark.parametrize("verb", ["skip", "build", "raw", "references", "slices"])
@pytest.mark.parametrize("name", ["satisfactory/sv60.sav", "gvas/palworld-1.0.sav"])
def test_verbs_say_the_same(tmp_path, name, verb):
    with streamsave.open(VALID / name) as events:
        expected = answers(events, verb)
    with rewrite(VALID / name, tmp_path / "a.sav") as save:
        found = answers(save, verb)
    assert [each if verb != "skip" else str(each) for each in found] == [
        each if verb != "skip" else str(each) for each in expected
    ]
