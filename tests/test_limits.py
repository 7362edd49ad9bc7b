"""The limits: what they are by default, how they are set, and that every way through a save obeys them.

What a save needs of a limit is found by asking: the first refusal gives the value that it needs at least, and so on.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import pytest
from damage import survived
from feeding import OnlyRead, Slow
from saves import VALID, deflate, head_and_body, raises, read, read_to_error, told
from tiling import assert_tiled
from writer.gvas import SaveGame, plz
from writer.tags import BYTE, INT, Array, Fields, Prop

import streamsave
from streamsave import Damage, EventStream, Field, LimitExceeded, Limits, ObjectHeader, PropertyTag, SaveEnd, StructEnter
from streamsave.limits import check_limit, exceeded, inflate_ratio

#: Each with its precedent, beside it in the source.
DEFAULTS = {
    "chunk_inflated_size": 1 << 20,
    "chunk_compressed_size": (1 << 20) + 1024,
    "total_inflated_size": 8 << 30,
    "inflate_ratio": 200,
    "inflate_ratio_after": 128 << 20,
    "spool_size": 256 << 20,
    "event_ratio": 32,
    "event_ratio_after": 2_000_000,
    "depth": 128,
    "string_size": 1 << 20,
    "zero_size_count": 1_000_000,
    "build_nodes": 1_000_000,
    "build_size": 64 << 20,
    "table_entries": 65_536,
    "object_entries": 1_000_000,
}


def test_defaults():
    assert attrs.asdict(Limits()) == DEFAULTS


@pytest.mark.parametrize("name", DEFAULTS)
def test_values_that_are_no_limits(name):
    most = 256 if name == "depth" else 1 << 60
    assert getattr(Limits(**{name: most}), name) == most
    assert getattr(Limits(**{name: 0}), name) == 0
    for value in (-1, most + 1, 1 << 63, (1 << 63) - 1, -(1 << 63), 1 << 64):
        with pytest.raises(ValueError, match=f"{name} has to be from 0 to {most}"):
            Limits(**{name: value})
    for other in (1.0, "1", None, True):
        with pytest.raises(TypeError, match=f"{name} has to be an int"):
            Limits(**{name: other})


@pytest.mark.parametrize("wrong", [{"depth": 5}, 5, Limits])
def test_no_limits(wrong):
    for opener in (streamsave.open, partial(streamsave.rewrite, target=None)):
        with pytest.raises(TypeError, match=type(wrong).__name__):
            opener(VALID / "gvas" / "deltas.sav", limits=wrong)


def test_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Limits().depth = 1000


@pytest.mark.parametrize(
    "name",
    [
        "satisfactory/sv58.sav",
        "gvas/wrapper-plz-31.sav",
        "gvas/wrapper-archive.sav",
        "astroneer/full.savegame",
        "shapez2/small.spz2",
        "shapez2/no-icons.spz2bp",
        "arx/v2.1-duplicates.sav",
    ],
)
def test_half_of_what_may_be_inflated_is_warned_of_once(name, caplog):
    size = read(VALID / name)[-1].offset
    assert "more than half" not in caplog.text
    read(VALID / name, Limits(total_inflated_size=2 * size))
    assert "more than half" not in caplog.text
    read(VALID / name, Limits(total_inflated_size=2 * size - 1))
    assert caplog.text.count("more than half") == 1
    caplog.clear()
    read(VALID / name, Limits(total_inflated_size=size))
    assert caplog.text.count("more than half") == 1
    with pytest.raises(LimitExceeded, match="total_inflated_size"):
        read(VALID / name, Limits(total_inflated_size=size - 1))


@pytest.mark.parametrize("name", DEFAULTS)
def test_each_limit_is_accepted_at_its_value_and_refused_one_above(name):
    limits = Limits(**{name: 7})
    check_limit(limits, name, 7)
    with pytest.raises(LimitExceeded) as caught:
        check_limit(limits, name, 8, 20, subject="a table")
    error = caught.value
    assert (error.limit, error.value, error.allowed, error.offset) == (name, 8, 7, 20)
    assert str(error) == f"offset 0x14: a table: 8 is above the limit {name} = 7"
    assert exceeded(limits, name, 8).message == f"8 is above the limit {name} = 7"


@pytest.mark.parametrize(
    ("inflated", "compressed", "ratio"), [(100, 1, 0), (101, 1, 101), (101, 101, 1), (102, 101, 2), (200, 100, 2), (101, 0, 101)]
)
def test_the_ratio_is_rounded_up_and_counts_above_a_size(inflated, compressed, ratio):
    assert inflate_ratio(Limits(inflate_ratio_after=100), inflated, compressed) == ratio


OPENERS = (ObjectHeader, StructEnter, PropertyTag, Field)
Way = Callable[[EventStream, Any], object]

#: What is done at each event.
WAYS: dict[str, Way] = {
    "read": lambda *_: None,
    "skip": lambda events, event: isinstance(event, OPENERS) and events.skip(),
    "build": lambda events, event: isinstance(event, (PropertyTag, Field)) and events.is_leaf() and events.build(),
    "build objects": lambda events, event: isinstance(event, ObjectHeader) and events.build(),
    "raw": lambda events, event: isinstance(event, OPENERS) and events.raw(),
}


def go(way: str, data: bytes, limits: Limits) -> None:
    if way == "objects":
        list(streamsave.objects(data, limits=limits))
        return
    with streamsave.open(data, limits=limits) as events:
        for event in events:
            WAYS[way](events, event)


def with_limit(name: str, value: int) -> Limits:
    """Limits of which one is set; a ratio is looked at from the first byte, or event, on."""
    return Limits(**{name: value, f"{name}_after": 0}) if name in {"inflate_ratio", "event_ratio"} else Limits(**{name: value})


def needed(name: str, way: str, data: bytes) -> int:
    """The least value of a limit with which a way comes to its end; a refusal names the limit, and what it takes at least."""
    value = 0
    while True:
        try:
            go(way, data, with_limit(name, value))
        except LimitExceeded as error:
            refusal = error
        else:
            return value
        assert (refusal.limit, refusal.allowed) == (name, value)
        assert refusal.value > value
        value = refusal.value


def assert_refused_alike(name: str, data: bytes, value: int) -> None:
    """With less than it takes, a save is refused with the same error however it comes."""
    refusal = told(read_to_error(data, with_limit(name, value - 1))[1])
    for feed in (Slow, OnlyRead):
        assert told(read_to_error(feed(data), with_limit(name, value - 1))[1]) == refusal


def cases(samples: dict[str, tuple[str, ...]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("name", "sample"), [(name, sample) for name, all_of in samples.items() for sample in all_of])


STREAMS = (
    "satisfactory/sv25.sav",
    "satisfactory/sv58.sav",
    "satisfactory/sv58.sbp",
    "gvas/wrapper-plz-31.sav",
    "gvas/wrapper-plz-32.sav",
    "gvas/wrapper-archive.sav",
    "gvas/wrapper-gzip.sav",
    "astroneer/full.savegame",
    "astroneer/deflated.zip",
    "shapez2/small.spz2",
    "shapez2/islands-5.spz2bp",
)
CHUNKS = ("satisfactory/sv25.sav", "satisfactory/sv58.sav", "satisfactory/sv58.sbp", "gvas/wrapper-archive.sav")


@cases(
    {
        "chunk_inflated_size": CHUNKS,
        "chunk_compressed_size": CHUNKS,
        "total_inflated_size": (*STREAMS, "gvas/wrapper-gswu.sav", "gvas/ue5-1012.sav"),
        "inflate_ratio": STREAMS,
        "table_entries": (
            "satisfactory/sv58.sbp",
            "gvas/ue5-1012.sav",
            "astroneer/full.savegame",
            "arx/v2.1.sav",
            "shapez2/small.spz2",
        ),
        "object_entries": ("astroneer/full.savegame",),
    }
)
def test_what_is_around_objects_is_bounded_for_all_alike(name, sample):
    data = (VALID / sample).read_bytes()
    value = needed(name, "read", data)
    assert value > 0
    assert {way: needed(name, way, data) for way in WAYS} == dict.fromkeys(WAYS, value)
    # Who asks for objects alone may be done before the end of the save.
    assert needed(name, "objects", data) <= value
    assert_refused_alike(name, data, value)


PROPERTIES = ("satisfactory/sv58.sav", "satisfactory/sv58.sbp", "gvas/ue5-1012.sav", "astroneer/full.savegame")
JSON = ("shapez2/small.spz2", "shapez2/islands-5.spz2bp")


@cases(
    {
        "depth": (*PROPERTIES, *JSON),
        "string_size": (*PROPERTIES, *JSON, "arx/v2.1.sav"),
        "zero_size_count": PROPERTIES,
        # An entry of a container that is skipped is not unpacked.
        "total_inflated_size": ("arx/v2.1.sav",),
        "inflate_ratio": ("arx/v2.1.sav",),
    }
)
def test_what_is_in_objects_is_bounded_for_every_look(name, sample):
    """What is skipped is not looked at. Every way to look at all of it is refused alike, and meets no other limit."""
    data = (VALID / sample).read_bytes()
    value = needed(name, "read", data)
    assert value > 0
    assert needed(name, "build", data) == needed(name, "build objects", data) == value
    for way in ("skip", "raw", "objects"):
        assert needed(name, way, data) <= value
    assert_refused_alike(name, data, value)


@pytest.mark.parametrize("sample", [*STREAMS, "arx/v2.1.sav", "gvas/ue5-1012.sav"])
def test_events_are_bounded_by_the_size_of_the_file(sample):
    """Each way takes some of those that reading takes."""
    data = (VALID / sample).read_bytes()
    most = needed("event_ratio", "read", data)
    assert most == -(-sum(not isinstance(event, streamsave.ChunkStart) for event in read(data)) // len(data))
    assert all(0 < needed("event_ratio", way, data) <= most for way in (*WAYS, "objects"))
    for limits in (with_limit("event_ratio", most - 1), Limits(event_ratio=0, event_ratio_after=7)):
        refusal = told(read_to_error(data, limits)[1])
        for feed in (Slow, OnlyRead):
            assert told(read_to_error(feed(data), limits)[1]) == refusal


def many_properties(count: int) -> bytes:
    """A small file of many properties, all alike, in an element of an array: only walking shows where it ends."""
    return plz(SaveGame([Prop("All", Array(Fields("Any")), [[Prop("A", INT, 1)] * count])]).encode(), 0x31)


#: Everything that walks through events: what is done with the stream.
WALKS: dict[str, Callable[[EventStream], object]] = {
    "read": list,
    "skip": lambda events: [events.skip() for event in events if isinstance(event, StructEnter) and event.index >= 0],
    "raw": lambda events: [events.raw() for event in events if isinstance(event, StructEnter) and event.index >= 0],
    "build": lambda events: [events.build() for event in events if isinstance(event, ObjectHeader)],
    "select": lambda events: list(events.select("All[*].A > 5")),
    "only, which reads twice": lambda events: events.only("All[*].A = 1"),
}


@pytest.mark.parametrize("walk", WALKS)
def test_all_that_walks_counts_events(walk):
    """657 bytes gave 4.2 million events."""
    data = many_properties(20_000)
    limits = Limits(event_ratio_after=5000, event_ratio=2)
    assert len(data) < 2500
    with streamsave.open(data, limits=limits) as events:
        with raises(LimitExceeded, limit="event_ratio", value=-(-5001 // len(data)), allowed=2):
            WALKS[walk](events)
        if not walk.startswith("only"):
            with pytest.raises(LimitExceeded):
                next(events)
    WALKS[walk](streamsave.open(data, limits=Limits(event_ratio_after=5000)))
    WALKS[walk](streamsave.open(data, limits=Limits(event_ratio_after=25_000, event_ratio=0)))


def test_too_many_events_end_a_damaged_save_too():
    """What follows is lost."""
    seen = survived(many_properties(20_000), Limits(event_ratio_after=5000, event_ratio=1))
    damage = next(event for event in seen if isinstance(event, Damage))
    assert isinstance(damage.error, LimitExceeded)
    assert damage.lost.kind == "rest of the save"
    assert isinstance(seen[-1], SaveEnd)
    assert 5000 < len(seen) < 5010


@pytest.mark.parametrize("limit", ["total_inflated_size", "event_ratio"])
@pytest.mark.parametrize(
    "sample",
    ["satisfactory/sv25.sav", "satisfactory/sv36.sav", "satisfactory/sv58.sav", "satisfactory/sv58.sbp", "gvas/ue5-1012.sav"],
)
def test_above_a_limit_on_the_whole_save_all_that_is_left_is_lost(sample, limit):
    """Each byte is claimed once, also those of headers whose objects come later: with small chunks, they are read long before."""
    data = (VALID / sample).read_bytes()
    if sample.startswith("satisfactory"):
        data = deflate(*head_and_body(data), chunk_size=1000)
    count = len(read(data))
    whole = count if limit == "event_ratio" else read(data)[-1].offset
    damaged = 0
    for part in range(1, 12):
        value = whole * part // 12
        limits = Limits(event_ratio=0, event_ratio_after=value) if limit == "event_ratio" else Limits(**{limit: value})
        try:
            seen = survived(data, limits)
        except LimitExceeded:
            continue  # before the save starts
        assert_tiled(seen, seen[-1].offset)
        damaged += sum(isinstance(event, Damage) and event.lost.kind == "rest of the save" for event in seen)
    assert damaged > 7


@pytest.mark.slow
@cases(
    {
        "build_nodes": ("satisfactory/v6.sbpcfg", "gvas/ue5-1004.sav", "astroneer/full.savegame", "shapez2/small.spz2"),
        "build_size": ("gvas/ue5-1004.sav", "astroneer/full.savegame", "satisfactory/v6.sbpcfg"),
    }
)
def test_what_is_built_is_bounded(name, sample):
    """Reading holds what it needs itself, building more, and bytes as they are have the same limit."""
    data = (VALID / sample).read_bytes()
    read_value = needed(name, "read", data)
    assert needed(name, "skip", data) <= read_value
    assert needed(name, "build objects", data) >= needed(name, "build", data) >= read_value
    assert needed(name, "build objects", data) > 0
    largest = max((event.size for event in read(data) if isinstance(event, ObjectHeader)), default=0)
    assert needed("build_size", "raw", data) >= largest


def test_a_raw_save_game_obeys_from_a_file_what_it_obeys_from_a_pipe():
    """Nothing is inflated, but a pipe need not end."""
    data = SaveGame([Prop("Bytes", Array(BYTE), bytes(300_000)), Prop("Behind", INT, 2)]).encode()
    for allowed in (100, 200_000, len(data) - 1, len(data)):
        limits = Limits(total_inflated_size=allowed)
        seen, error = read_to_error(data, limits)
        assert (error is None) == (allowed == len(data))
        for feed in (Slow, OnlyRead):
            again, same = read_to_error(feed(data), limits)
            assert (again, told(same)) == (seen, told(error))
