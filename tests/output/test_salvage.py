"""Salvaged lines are lines of the sound save, for every format: nothing is invented, little is lost. And the texts of losses."""

import random
from collections import Counter
from io import BytesIO
from zipfile import ZipFile

import orjson
import pytest
from contract import INSIDES, SAMPLES, flipped
from damage import broken_chunk, is_part, lines, span_of, survived, touching
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import VALID, chunks_of, deflate, head_and_body, read, without_chunks
from strategies import worlds
from writer.satisfactory import save_bytes

import streamsave
from streamsave import Damage, DamagedSave, Event, ObjectHeader, SaveError, StructEnter, TruncatedSave
from streamsave.output.json_document import json_lines
from streamsave.output.salvage import Losses, loss_text
from streamsave.values import Loss

#: Real saves of Satisfactory, and how many chunks of each are broken.
REAL = {"u7-hv10-sv36-216k": 2, "hv13-sv41-freshstart001": 3, "v12-hv14-sv58-140k": 4, "hv14-sv52-pep-modtest-1": 2}


def names_of(some: list[bytes]) -> list[tuple[str, str]]:
    """Level and name of each object that has a line."""
    rows = [orjson.loads(line) for line in some]
    return [(row["path"][0], row["instance_name"]) for row in rows if "instance_name" in row]


def touched_names(events: list[Event], start: int, end: int) -> list[tuple[str, str]]:
    """The same of the objects that have a byte from `start` to `end`."""
    gone = touching(events, start, end)
    level, found = "", []
    for event in events:
        if isinstance(event, StructEnter) and event.type_name == "Level":
            level = event.name
        elif isinstance(event, ObjectHeader) and event.offset in gone:
            found.append((level, event.instance_name))
    return found


def assert_salvaged(data: bytes, which: int, whole: list[bytes], sound: list[Event]) -> None:
    """With one broken chunk, the lines are those of the sound save; only objects with a byte in the chunk are missing."""
    left, lost = lines(broken_chunk(data, which))
    assert lost
    assert is_part(left, whole)
    missing = Counter(names_of(whole)) - Counter(names_of(left))
    assert missing <= Counter(touched_names(sound, *span_of(data, which)))


@pytest.mark.slow
@examples(40)
@given(worlds(), st.integers(60, 400), st.data())
def test_any_world_any_chunk(world, size, data):
    head, body = head_and_body(save_bytes(world))
    save = deflate(head, body, size)
    which = data.draw(st.integers(0, len(chunks_of(save)) - 1))
    assert_salvaged(save, which, lines(save)[0], without_chunks(read(save)))


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_chunks_of_real_saves(name, corpus):
    data = (corpus / "satisfactory" / f"{name}.sav").read_bytes()
    whole, _ = lines(data)
    sound = without_chunks(read(data))
    for which in sorted(random.Random(name).sample(range(1, len(chunks_of(data))), REAL[name])):
        assert_salvaged(data, which, whole, sound)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SAMPLES if name.endswith(".spz2")])
def test_members_that_have_a_checksum(name):
    """A changed byte in a member is reported, if that is read, and the others lose nothing; its objects come before that."""
    data = SAMPLES[name]
    whole, _ = lines(data)
    draw = random.Random(name)
    with ZipFile(BytesIO(data)) as archive:
        # Without its summary, it is no save.
        members = [info for info in archive.infolist() if info.compress_size and info.filename != "savegame.json"]
    for info in members:
        start = info.header_offset + 30 + len(info.filename.encode())
        left, lost = lines(flipped(data, start + draw.randrange(info.compress_size), 1 << draw.randrange(8)))
        assert lost or left == whole  # some are only passed over
        assert is_part([line for line in left if orjson.loads(line).get("path", [""])[0] != info.filename], whole)


CUT = TruncatedSave("the stream ends", 0x1234)

LOSS_TEXTS = [
    (Damage(0, 9, CUT, Loss("object", "A_1", ("L", "A_1"), 1234, "/Game/A.A_C")), "lost: object A_1 (A_C), 1,234 bytes, in L: "),
    (Damage(0, 9, CUT, Loss("property", "mX", ("L", "A_1", "mX"), 5)), "lost: property mX, 5 bytes, in L/A_1: "),
    (Damage(0, 9, CUT, Loss("member", "", (), -1)), "lost: member: "),
    (Damage(0, 9, CUT, Loss("level", "FOREST", ("FOREST",), 5)), "lost: level FOREST, 5 bytes: "),
    (Damage(0, 9, CUT, Loss("headers", "", ("L",), 5, "", 1)), "lost: 1 object with unknown names, 5 bytes, in L: "),
    (Damage(0, 9, CUT, Loss("headers", "", ("L",), 5, "", 2000)), "lost: 2,000 objects with unknown names, 5 bytes, in L: "),
    (Damage(0, 0, CUT, Loss("object data", "", ("L",), 0, "", 0)), "damaged, but nothing is lost, in L: "),
    (Damage(0, 9, CUT, Loss("object data", "", ("L",), 5, "", 3)), "lost: data of 3 objects, 5 bytes, in L: "),
    (Damage(0, 9, CUT, Loss("levels", "", (), 5, "", 3)), "lost: 3 levels, 5 bytes: "),
    (Damage(0, 9, CUT, Loss("levels", "", (), -1, "", -1)), "lost: levels, an unknown number: "),
    (Damage(0, 9, CUT, Loss("headers", "", ("L",), 5, "", -1)), "lost: objects with unknown names, 5 bytes, in L: "),
    (Damage(0, 9, CUT, Loss("object data", "", ("L",), 5, "", -1)), "lost: data of objects, 5 bytes, in L: "),
    (Damage(0, 9, CUT, Loss("rest of the save", "", (), -1)), "lost: rest of the save: "),
]


@pytest.mark.parametrize(("damage", "text"), LOSS_TEXTS, ids=[str(number) for number in range(len(LOSS_TEXTS))])
def test_loss_text(damage, text):
    assert loss_text(damage) == text + "the stream ends, at byte 4,660"


def test_loss_text_says_where_in_the_file():
    wrong = DamagedSave("wrong size", 7, chunk=3, compressed_offset=45_678, expected="1", actual=2)
    damage = Damage(0, 9, wrong, Loss("object", "A_1", (), 5))
    expected = "lost: object A_1, 5 bytes: wrong size (expected 1, found 2), in chunk 3 at byte 45,678 of the file"
    assert loss_text(damage) == expected


def test_damage_that_costs_nothing():
    """All objects were found in spite of it."""
    counted = Losses()
    for kind in ("headers", "object data"):
        counted.add(Damage(0, 0, CUT, Loss(kind, "", ("L",), 0, "", 0)))
    assert not counted.counts
    assert counted.text() == "damaged, but nothing is lost"
    counted.add(Damage(0, 78, CUT, Loss("object", "", ("L",), 78, "", 0)))  # an object that was there twice
    assert counted.text() == "lost: 78 bytes of what the save inflates to"


def test_losses_are_counted():
    """Data of objects counts no more objects: these have been counted. A loss of unknown size counts no bytes."""
    counted = Losses()
    for damage, _ in LOSS_TEXTS:
        counted.add(damage)
    assert counted.size == 9 * (len(LOSS_TEXTS) - 1)
    expected = {"object": 2002, "property": 1, "member": 1, "level": 4, "levels": 1, "headers": 1, "rest of the save": 1}
    assert counted.counts == expected
    assert counted.text() == (
        "lost: 2,002 objects, 1 property, 1 member, 4 levels, levels, objects with unknown names, rest of the save; 108 bytes of"
        " what the save inflates to"
    )
    counted.add(Damage(0, -1, CUT, Loss("property", "mX", (), 5)))
    assert counted.size == 108
    assert "2 properties" in counted.text()


@pytest.mark.parametrize("name", ["ue4-522", "ue5-1018"])
def test_an_unreal_save_loses_no_more_than_its_events_do(name):
    """A struct is not lost as a whole for a value in it."""
    data = (VALID / "gvas" / f"{name}.sav").read_bytes()
    places = random.Random(name)
    for _ in range(40):
        at = places.randrange(1200, len(data) - 8)
        bad = data[:at] + b"\xff" * 4 + data[at + 4 :]
        found = [event for event in survived(bad) if isinstance(event, Damage)]
        assert [(one.offset, one.lost) for one in lines(bad)[1]] == [(one.offset, one.lost) for one in found]


@pytest.mark.slow
@examples(80)
@given(st.sampled_from(list(INSIDES)), st.data())
def test_whatever_is_wrong_inside(name, data):
    """It ends; what cannot be read from its start is no save."""
    inside = INSIDES[name]
    bad = bytearray(inside.data)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(bad) - 1, 0)))
        bad[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    made = inside.wrap(bytes(bad))
    try:
        left, lost = lines(made)
    except SaveError:
        with pytest.raises(SaveError), streamsave.open(made) as events:
            next(events)
        return
    assert left
    if not lost:
        with streamsave.open(made) as events:
            assert len(left) == len(b"".join(json_lines(events)).splitlines())
