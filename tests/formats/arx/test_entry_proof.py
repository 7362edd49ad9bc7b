"""With resync, an entry gives nothing if its bytes are those of another."""

from __future__ import annotations

import random
import struct
from itertools import islice

import pytest
from attack.arx_table import break_table, lies_of_table, truth_of_rows
from damage import losses, survived
from saves import VALID
from writer.arx import NO_EXTENSION, STORED, Container, Entry

from streamsave import Field, ObjectHeader, StructEnter
from streamsave.formats.arx.entity import IO_SAVE
from streamsave.formats.arx.entry_proof import STRUCT_VERSION
from streamsave.formats.arx.world import INDEX, PLAYER, PLAYER_LEVEL_DATA, SAVE_GLOBALS

SAMPLES = sorted((VALID / "arx").iterdir())


def entity(path: bytes, number: int) -> bytes:
    head = bytes(8) + STRUCT_VERSION + path.ljust(256, b"\0") + struct.pack("<i", number)
    return head.ljust(IO_SAVE.size, b"\0")


def lost(name: bytes, content: bytes) -> bool:
    """Whether an entry is lost; if it is, nothing of it is given."""
    seen = survived(Container(NO_EXTENSION, [Entry(name, content, STORED)]).encode())
    is_lost = losses(seen) == [("member", name.decode())]
    assert is_lost is not any(isinstance(event, (StructEnter, Field)) for event in seen)
    assert [event.instance_name for event in seen if isinstance(event, ObjectHeader)] == [name.decode()]
    return is_lost


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sound_entries_are_given(path):
    assert losses(survived(path)) == []


@pytest.mark.parametrize(
    ("path", "number", "is_other"),
    [
        (b"C:\\ARX\\Items\\Bread.teo", 7, False),
        (b"graph/items/bread.teo", 7, False),
        (b"bread.teo", 7, False),
        (b"", 0, False),  # a stub
        (b"bread.teo", 8, True),
        (b"graph/bread/torch.teo", 7, True),
    ],
)
def test_an_entity_says_which_one_it_is(path, number, is_other):
    assert lost(b"bread_0007", entity(path, number)) is is_other


@pytest.mark.parametrize(
    ("name", "size", "version"),
    [
        (b"pld", PLAYER_LEVEL_DATA.size, STRUCT_VERSION),
        (b"globals", SAVE_GLOBALS.size, STRUCT_VERSION),
        (b"lvl001", INDEX.size, STRUCT_VERSION),
        (b"player", PLAYER.size, bytes(4)),
    ],
)
def test_each_kind_starts_with_its_version(name, size, version):
    assert not lost(name, version.ljust(size, b"\0"))
    assert lost(name, b"\1\2\3\4".ljust(size, b"\0"))


def test_an_entity_starts_with_its_version():
    assert lost(b"bread_0007", entity(b"bread.teo", 7).replace(STRUCT_VERSION, b"\xd7\xa3\x80\x3e"))


def test_a_row_that_leads_to_another_entry_gives_nothing():
    data = (VALID / "arx" / "v2.1.sav").read_bytes()
    truth = truth_of_rows(data)
    assert lies_of_table(data, truth) == []
    steps = set()
    for seed in range(14):
        broken = break_table(data, random.Random(seed))
        if broken is not None:
            steps.add(broken[1])
            assert lies_of_table(broken[0], truth) == [], seed
    assert len(steps) > 5


def test_a_row_that_leads_to_another_entry_is_found_out(monkeypatch):
    """Without the proof."""
    data = (VALID / "arx" / "v1.0.sav").read_bytes()
    truth = truth_of_rows(data)
    monkeypatch.setattr("streamsave.formats.arx.reader.prove_entry", lambda *_: None)
    broken = (break_table(data, random.Random(seed)) for seed in range(200))
    swapped = (one[0] for one in broken if one is not None and one[1] == "table: chunks")
    (first,) = islice(filter(None, (lies_of_table(one, truth) for one in swapped)), 1)
    assert [finding.key for finding in first] == ["lie row"]


def test_a_row_that_is_gone_without_a_report_is_found_out():
    data = Container(NO_EXTENSION, [Entry(b"bread_0007", entity(b"bread.teo", 7)), Entry(b"readme", b"text", STORED)]).encode()
    truth = truth_of_rows(data)
    assert lies_of_table(data, truth) == []
    truth.shown.add(b"what no entry has")
    assert [finding.key for finding in lies_of_table(data, truth)] == ["silent row"]
