"""What is salvaged is a part of the sound save, line by line, for every format: nothing is invented, little is lost."""

from __future__ import annotations

import random
from collections import Counter
from io import BytesIO
from zipfile import ZipFile

import orjson
import pytest
from contract import INSIDES, SAMPLES, flipped
from damage import broken_chunk, is_part, lines, span_of, touching
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import chunks_of, deflate, head_and_body, read, without_chunks
from strategies import worlds
from writer.satisfactory import save_bytes

import streamsave
from streamsave import Event, ObjectHeader, SaveError, StructEnter
from streamsave.output.json_lines import json_lines

#: Real saves of Satisfactory, and how many chunks of each are broken.
REAL = {"u7-hv10-sv36-216k": 2, "hv13-sv41-freshstart001": 3, "v12-hv14-sv58-140k": 4, "hv14-sv52-pep-modtest-1": 2}
#: Archives whose members have a checksum each, and the member without which they are no save.
CHECKED = [name for name in SAMPLES if name.endswith(".spz2")]
SUMMARY = "savegame.json"


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
    """A chunk is broken: the lines that are left are those of the sound save, without none but the objects that it touches."""
    left, lost = lines(broken_chunk(data, which))
    assert lost
    assert is_part(left, whole)
    missing = Counter(names_of(whole)) - Counter(names_of(left))
    assert missing <= Counter(touched_names(sound, *span_of(data, which)))


# --- chunks ---


@examples(40)
@given(worlds(), st.integers(60, 400), st.data())
def test_any_world_any_chunk(world, size, data):
    head, body = head_and_body(save_bytes(world))
    save = deflate(head, body, size)
    which = data.draw(st.integers(0, len(chunks_of(save)) - 1))
    assert_salvaged(save, which, lines(save)[0], without_chunks(read(save)))


@pytest.mark.parametrize("name", REAL)
def test_chunks_of_real_saves(name, corpus):
    data = (corpus / "satisfactory" / f"{name}.sav").read_bytes()
    whole, _ = lines(data)
    sound = without_chunks(read(data))
    for which in sorted(random.Random(name).sample(range(1, len(chunks_of(data))), REAL[name])):
        assert_salvaged(data, which, whole, sound)


# --- members and entries ---


@pytest.mark.parametrize("name", CHECKED)
def test_members_that_have_a_checksum(name):
    """A byte of what a member holds is another: that is told, if anybody reads it, and all that is in other members is as it was.

    Of the member itself, what came before its checksum has been given already.
    """
    data = SAMPLES[name]
    whole, _ = lines(data)
    draw = random.Random(name)
    with ZipFile(BytesIO(data)) as archive:
        members = [info for info in archive.infolist() if info.compress_size and info.filename != SUMMARY]
    for info in members:
        start = info.header_offset + 30 + len(info.filename.encode())
        left, lost = lines(flipped(data, start + draw.randrange(info.compress_size), 1 << draw.randrange(8)))
        assert lost or left == whole  # some are only passed over
        assert is_part([line for line in left if orjson.loads(line).get("path", [""])[0] != info.filename], whole)


# --- anything ---


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
