"""What is given up is reported, as far as it is known what it was; what searches cost, and what is there twice."""

import struct
from collections import Counter
from itertools import pairwise

import pytest
from damage import broken_chunk, losses, survived
from level_surgery import FOLDER, LEVELS, VERSIONS, Subject, objects
from satisfactory_layouts import header_of
from saves import SATISFACTORY, deflate, head_and_body, read
from strategies import data_of
from tiling import assert_tiled
from writer.primitives import fstring, i32
from writer.satisfactory import World, save_bytes

import streamsave
from streamsave import Damage, DamagedSave, Field, ObjectHeader, StructEnter
from streamsave.recovery.losses import Losses
from streamsave.recovery.satisfactory import COST_PER_BYTE, LEAST_COST, SatisfactoryFamily


@pytest.mark.parametrize("version", [25, 28])
def test_a_loss_without_bytes_claims_none(version):
    """No size says where headers end: the rest is lost, but for what was given already."""
    head, body = head_and_body(save_bytes(World(header_of(version), [], [])))
    cut = (8).to_bytes(4, "little") + body[4:12]
    seen = survived(deflate(head, cut))
    assert_tiled(seen, len(cut))
    assert losses(seen) == [("rest of the save", "")]


@pytest.mark.parametrize("version", LEVELS)
def test_the_only_header_is_gone(version):
    """What is left where it was looks like the list that may follow the headers."""
    subject = Subject(version, 0, pattern="n")
    assert subject.level.data_size is not None
    start, end = subject.objects[0].header[0], subject.level.data_size[0]
    new = i32(1) + fstring("Persistent_Level") + fstring("One")
    subject.edit(start, end, new)
    delta = len(new) - (end - start)
    subject.patient.grow([(subject.level.toc_size, delta), (subject.patient.spans.size, delta)], 2)
    assert subject.given() == set()


@pytest.mark.parametrize("version", LEVELS)
def test_the_number_of_headers_is_in_a_broken_chunk(version):
    """All objects whose headers are after it are found: they are counted from their end."""
    save = save_bytes(World(header_of(version), [], objects("n" * 8), version_data=data_of(version)))
    sound = read(save)
    (level,) = (event for event in sound if isinstance(event, StructEnter) and event.name == "Persistent_Level")
    headers = [event for event in sound if isinstance(event, ObjectHeader)]
    size = level.offset + level.header_size - 4
    given = [event for event in survived(broken_chunk(deflate(*head_and_body(save), size), 1)) if isinstance(event, ObjectHeader)]
    expected = [event.instance_name for event in headers if event.offset >= 2 * size]
    assert expected
    assert [event.instance_name for event in given] == expected


@pytest.mark.slow
@pytest.mark.parametrize("text", ["Persistent_Level", FOLDER + "One_4", FOLDER + "One_7", FOLDER + "One_0"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_header_takes_bytes_of_the_next_one(version, text):
    """A length in it reaches into the next one, whose bytes are claimed once, and by no object that is given."""
    subject = Subject(version)
    headers = {(event.offset, event.header_size) for event in read(subject.data) if isinstance(event, ObjectHeader)}
    body = subject.patient.body
    for one, following in pairwise(subject.objects[4:9]):
        start, end = one.header
        at = body.find(fstring(text), start, end)
        for last in range(end, following.header[1]) if at >= 0 else ():
            if body[last] == 0:
                seen = survived(deflate(subject.head, body[:at] + i32(last + 1 - at - 4) + body[at + 4 :]))
                assert_tiled(seen, len(body))
                assert {(event.offset, event.header_size) for event in seen if isinstance(event, ObjectHeader)} <= headers


def test_headers_of_a_level_that_nothing_has_claimed():
    level = StructEnter(10, "level", "Level", 4, 86, -1, -1)
    header = ObjectHeader(14, "actor", "Door", "Door_1", "", "", None, 0, 1, 6, 0, 20, 30)
    made = Losses()
    for event in (level, header, Field(20, "hits", "i32", 4, -1)):
        made.note(event)
    made.headers_end = 22
    for event in (level, header):
        made.note(event)
    made.claimed = 30
    events = made.give_up(DamagedSave("wrong", 40), -1, -1, is_all=False, in_leaf=False)
    assert [(event.offset, event.size, event.lost.kind) for event in events if isinstance(event, Damage)] == [
        (30, -1, "rest of the save"),
        (20, 2, "headers"),
    ]


#: Bytes in which each search finds a place for a record every few bytes, and much to read at each.
HOSTILE = {
    "names of levels": b"\xff\x03\0\0A",
    "longer names of levels": b"\xff\xff\x7f\0A",
    "headers": b"\0\0\0\0\xff\x7f\0\0/",
    "entries": b"\x3a\0\0\0\0\0\0\0\x20\0\0\0",
    "empty lists": b"\x02\0\0\0A\0\0\0\0\0\0\0",
    "zeros": bytes(16),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv60.sav", "sv41.sav"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_save_made_to_take_long(name, kind):
    """The levels are gone. All searches together cost no more than their budget, in proportion to the stream."""
    data = (SATISFACTORY / name).read_bytes()
    head, body = head_and_body(data)
    count = next(event for event in read(data) if isinstance(event, Field) and event.name == "level_count")
    made = body[: count.offset + 4] + b"\xff\xff\xff\x7f" + HOSTILE[kind] * (1_000_000 // len(HOSTILE[kind]))
    made = struct.pack("<q", len(made) - 8) + made[8:]
    with streamsave.open(deflate(head, made), on_damage="resync") as events:
        seen = list(events)
        family = events._driver.family  # type: ignore[union-attr]
    assert isinstance(family, SatisfactoryFamily)
    assert family._levels is not None
    assert losses(seen)[-1] == ("rest of the save", "")
    # The last step may cost more than is left when it begins.
    assert -(1 << 18) <= family._levels._budget.left < LEAST_COST + COST_PER_BYTE * len(made)


@pytest.mark.parametrize("version", LEVELS)
def test_levels_that_are_there_twice(version):
    """The bytes from inside of the first level to inside of the second one follow each other twice, as a chunk might."""
    subject = Subject(version, 0)
    body = subject.patient.body
    start, end = subject.objects[3].entry[0], subject.patient.spans.levels[1].objects[3].entry[0]
    subject.edit(end, end, body[start:end])
    data, _ = subject.result()
    with streamsave.open(data, on_damage="resync") as events:
        given = Counter((events.path, event.instance_name) for event in events if isinstance(event, ObjectHeader))
    assert given
    assert max(given.values()) == 1
