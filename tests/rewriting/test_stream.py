"""The verbs: what they refuse, and what they leave to the other verbs."""

from __future__ import annotations

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
from streamsave.rewriting import rewrite
from streamsave.values import Vector

SAMPLE = VALID / "satisfactory" / "sv60.sav"
ISLANDS = VALID / "shapez2" / "checkpoints.spz2"


def act(tmp_path, kind, name, verb, sample=SAMPLE):
    """Use a verb on the first event of a kind and name; return all events of the new save."""
    target = tmp_path / "out.sav"
    with rewrite(sample, target) as save:
        for event in save:
            if isinstance(event, kind) and getattr(event, "name", name) == name:
                verb(save, event)
                break
        else:
            raise AssertionError(name)
    with streamsave.open(target) as events:
        return list(events)


REFUSED = [
    (PropertyTag, "mInt", lambda save, _: save.replace(1 << 31), "mInt: out of range"),
    (PropertyTag, "mInt", lambda save, _: save.replace("1"), "mInt: not an integer"),
    (PropertyTag, "mYes", lambda save, _: save.replace(0), "mYes: not a bool"),
    (PropertyTag, "mYes", lambda save, _: save.replace_raw(b"\0"), "a bool has no bytes"),
    (PropertyTag, "mVector", lambda save, _: save.replace((1.0, 2.0, 3.0)), "mVector: not a Vector"),
    pytest.param(
        PropertyTag,
        "mVector",
        lambda save, _: save.replace(Vector(1.0, 2.0, "3")),
        "mVector/z: not a number",
        marks=pytest.mark.skipif(COMPILED, reason="a compiled Vector takes nothing but numbers"),
    ),
    (PropertyTag, "mInventoryStacks", lambda save, _: save.replace([]), "can only be replaced as bytes"),
    (StructEnter, "mInventoryStacks", lambda save, _: save.replace([]), "only its bytes can be replaced"),
    (StructEnter, "mInventoryStacks", lambda save, _: save.replace_raw(b""), "no size says where it ends"),
    (StructEnter, "Persistent_Level", lambda save, _: save.drop(), "no object, property"),
    (StructEnter, "Persistent_Level", lambda save, _: save.replace_raw(b""), "no size says where it ends"),
    (Field, "actor", lambda save, _: save.drop(), "no object, property"),
    (Field, "body_size", lambda save, _: save.replace(1), "how other bytes are read"),
]


@pytest.mark.parametrize(("kind", "name", "verb", "message"), REFUSED)
def test_what_is_refused(tmp_path, kind, name, verb, message):
    with pytest.raises(EditError, match=message):
        act(tmp_path, kind, name, verb)
    assert list(tmp_path.iterdir()) == []


def nested(kind: type) -> object:
    """Lists or dicts 5,000 deep."""
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


def test_a_refused_edit_changes_nothing(tmp_path):
    def verb(save, _event):
        with pytest.raises(EditError):
            save.replace("1")
        save.replace(7)
        with pytest.raises(EditError, match="edited already"):
            save.drop()

    events = act(tmp_path, PropertyTag, "mInt", verb)
    assert next(event.size for event in events if isinstance(event, PropertyTag) and event.name == "mInt") == 4


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


def test_what_was_taken_in_slices_can_be_replaced(tmp_path):
    source, target = VALID / "satisfactory" / "sv60.sav", tmp_path / "a.sav"
    with rewrite(source, target) as save:
        edited = 0
        for event in save:
            if isinstance(event, PropertyTag) and event.type == "ArrayProperty" and save.is_leaf():
                values = [each for _, part in save.slices() for each in part]
                if values and event.inner_type == "IntProperty":
                    save.replace(values[1:])
                    edited += 1
        assert edited
    with streamsave.open(source) as before, streamsave.open(target) as after:
        old, new = (
            [
                events.build()
                for event in events
                if getattr(event, "inner_type", "") == "IntProperty" and event.type == "ArrayProperty"
            ]
            for events in (before, after)
        )
    assert new == [values[1:] for values in old]
