"""The driver: a fault costs the part around it, and what is given after it is sound, whichever verb has met it.

The save is a made one: `MINI`, u8 count, and for each object u8 size of its data, which are i32 numbers below 1,000.
"""

import struct
from collections.abc import Iterator

import pytest
from cli_runs import python
from damage import assert_in_order
from saves import VALID
from tiling import assert_tiled

import streamsave
from streamsave import Damage, Event, Limits, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit, recovery
from streamsave.decode.codecs import I32
from streamsave.decode.reader import Reader
from streamsave.formats import Cursor, FileWindows
from streamsave.headers import Header
from streamsave.recovery.driver import Family
from streamsave.recovery.losses import Part


class MiniReader(Reader):
    def __init__(self, source, limits):
        super().__init__(Cursor(FileWindows(source), limits))

    def events(self) -> Iterator[Event]:
        yield from self.head()
        for index in range(self.count):
            yield from self.thing(index)
        yield from self.tail()

    def head(self) -> Iterator[Event]:
        yield SaveStart(0, "mini", 1, Header())
        start = self.cursor.tell()
        self.cursor.skip(4)
        self.count = self.cursor.u8()
        yield StructEnter(start, "things", "", 5, -1, -1, self.count)
        self.steps.append("things")

    def thing(self, index: int) -> Iterator[Event]:
        cursor = self.cursor
        start = cursor.tell()
        size = cursor.u8()
        name = f"thing_{index}"
        yield ObjectHeader(start, "thing", "Thing", name, "", "", None, 0, 1, 1, 0, start + 1, size)
        if cursor.tell() == start + 1:
            self.steps.append(name)
            for at in range(size // 4):
                if cursor.i32() >= 1000:
                    raise cursor.damaged("too much", offset=cursor.tell() - 4)
                cursor.seek(cursor.tell() - 4)
                yield self.field("number", I32, at)
                cursor.seek(start + 1 + 4 * at + 4)
            self.steps.pop()
        yield ObjectEnd(start + 1 + size, name, 0)

    def tail(self) -> Iterator[Event]:
        self.steps.pop()
        end = self.cursor.tell()
        yield StructExit(end, "things", 0)
        yield SaveEnd(end)


class MiniFamily(Family):
    def events(self) -> Iterator[Event | Part]:
        reader = self.reader
        assert isinstance(reader, MiniReader)
        yield from reader.head()
        for index in range(reader.count):
            at = reader.cursor.tell()
            size = reader.cursor.u8()
            reader.cursor.seek(at)
            yield Part(reader.thing(index), "object", f"thing_{index}", at + 1 + size)
        yield from reader.tail()


@pytest.fixture(autouse=True)
def family(monkeypatch):
    monkeypatch.setitem(recovery.FAMILIES, f"{__name__}:MiniReader", f"{__name__}:MiniFamily")


def mini(*things: list[int]) -> bytes:
    data = b"MINI" + bytes([len(things)])
    for numbers in things:
        data += bytes([4 * len(numbers)]) + struct.pack(f"<{len(numbers)}i", *numbers)
    return data


def opened(data: bytes, on_damage: str = "resync", limits: Limits | None = None) -> streamsave.EventStream:
    return streamsave.open(data, reader=MiniReader, on_damage=on_damage, limits=limits)


SOUND = mini([1, 2], [3, 4, 5], [6])
BAD = mini([1, 2], [3, 1004, 5], [6])


def test_a_sound_save_is_read_as_it_is():
    with opened(SOUND) as events, opened(SOUND, "raise") as plain:
        assert list(events) == list(plain)


def test_a_fault_costs_its_part():
    with opened(BAD) as events:
        made = list(events)
    assert_in_order(made)
    assert_tiled(made, len(BAD))
    (damage,) = [event for event in made if isinstance(event, Damage)]
    assert (damage.offset, damage.size) == (19, 8)
    assert (damage.lost.kind, damage.lost.name, damage.lost.path) == ("object", "thing_1", ("things", "thing_1"))
    assert damage.lost.class_name == "Thing"
    assert damage.error.path == ("things", "thing_1")
    with opened(SOUND) as events:
        sound = list(events)
    lost = [
        event
        for event in sound
        if isinstance(event, streamsave.Field) and damage.offset <= event.offset < damage.offset + damage.size
    ]
    assert [event for event in made if not isinstance(event, Damage)] == [event for event in sound if event not in lost]


def test_a_fault_outside_of_parts_costs_the_rest():
    data = BAD[:8]
    with opened(data) as events:
        made = list(events)
    assert [type(event) for event in made[-4:]] == [Damage, ObjectEnd, StructExit, SaveEnd]
    assert made[-4].lost.kind == "rest of the save"
    assert_tiled(made, len(data))


def test_a_reader_without_a_family_loses_the_rest(monkeypatch):
    monkeypatch.delitem(recovery.FAMILIES, f"{__name__}:MiniReader")
    with opened(BAD) as events:
        made = list(events)
    assert [event.lost.kind for event in made if isinstance(event, Damage)] == ["rest of the save"]
    assert_tiled(made, len(BAD))


@pytest.mark.parametrize("verb", ["build", "raw"])
def test_a_verb_that_meets_a_fault_raises_it_and_the_damage_comes_next(verb):
    with opened(BAD) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and event.instance_name == "thing_1":
                if verb == "raw":
                    assert events.raw() == BAD[15:27]
                    continue
                with pytest.raises(streamsave.DamagedSave):
                    events.build()
                damage = next(events)
                assert isinstance(damage, Damage)
                assert (damage.offset, damage.size) == (15, 12)
                assert isinstance(next(events), ObjectEnd)
                (last,) = [event for event in events if isinstance(event, ObjectHeader)]
                assert last.instance_name == "thing_2"


@pytest.mark.parametrize(
    ("data", "size", "rest"),
    [(BAD, len(BAD) - 5, [StructExit, SaveEnd]), (BAD[:-6], 0, [Damage, StructExit, SaveEnd])],
    ids=["inside", "as-a-whole"],
)
def test_skip_passes_what_is_lost(data, size, rest):
    """Of what is lost as a whole, no bytes."""
    with opened(data) as events:
        skipped = next(events.skip() for event in events if isinstance(event, StructEnter))
        assert (skipped.offset, skipped.size) == (5, size)
        assert [type(event) for event in events] == rest


def test_a_limit_on_the_whole_ends_the_save():
    with opened(SOUND, limits=Limits(event_ratio=0)) as events:
        made = [next(events), next(events)]
        events._allowance.left = 2  # a save that has so many events is large
        made += events
    (damage,) = [event for event in made if isinstance(event, Damage)]
    assert damage.error.limit == "event_ratio"
    assert damage.lost.kind == "rest of the save"


def test_nothing_of_it_is_imported_by_a_sound_read():
    code = """
import sys, streamsave
for mode in ("raise", "resync"):
    list(streamsave.open(sys.argv[1], on_damage=mode))
    print(any(name.startswith("streamsave.recovery") for name in sys.modules))
"""
    assert python(code, VALID / "gvas" / "ue5-1012.sav").stdout.split() == ["False", "True"]
