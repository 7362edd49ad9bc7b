"""Damage to an entry of Arx costs that entry: all others are given as the sound save gives them."""

import random
import struct
import zlib
from collections.abc import Callable
from itertools import islice

import pytest
from arx_worlds import LOST, raws
from attack.arx_table import break_table, lies_of_table, rows_of, truth_of_rows
from damage import losses, survived
from saves import VALID, start_of
from writer.arx import DEFLATED, NO_EXTENSION, STORED, Container, Entry
from writer.arx_entries import VERSION, Globals, Level, LevelData

import streamsave
from streamsave import Damage, DamagedSave, Field, ObjectHeader, StructEnter
from streamsave.check.check import check
from streamsave.check.finding import FINDING
from streamsave.formats.arx.layout import struct_of
from streamsave.formats.arx.versions import STRUCT_VERSION

SAMPLES = sorted((VALID / "arx").iterdir())


def entries(data: bytes):
    return start_of(data).header.entries


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_an_entry_that_is_zeros_costs_only_itself(path):
    """The packed bytes of each entry in turn."""
    data = path.read_bytes()
    sound = raws(data)
    for entry in entries(data):
        if not any(size for _, size in entry.chunks) or entry.codec not in {"deflate", "implode"}:
            continue
        bad = bytearray(data)
        for offset, size in entry.chunks:
            bad[offset : offset + size] = bytes(size)
        left = raws(bytes(bad), on_damage="resync")
        assert left.pop(entry.name) is LOST
        assert left == {name: value for name, value in sound.items() if name != entry.name}
        seen = survived(bytes(bad))
        assert losses(seen) == [("member", entry.name)]
        assert [event.instance_name for event in seen if isinstance(event, ObjectHeader)] == [one.name for one in entries(data)]


@pytest.fixture
def no_proof(monkeypatch) -> Callable[[], None]:
    """Switches the proof off."""

    def switch() -> None:
        monkeypatch.setattr("streamsave.recovery.arx.prove_entry", lambda *_: None)

    return switch


def entity(path: bytes, number: int) -> bytes:
    head = bytes(8) + STRUCT_VERSION + path.ljust(256, b"\0") + struct.pack("<i", number)
    return head.ljust(struct_of("IO_SAVE").size, b"\0")


def lost(name: bytes, content: bytes) -> bool:
    """Whether an entry is lost; if it is, nothing of it is given."""
    seen = survived(Container(NO_EXTENSION, [Entry(name, content, STORED)]).encode())
    is_lost = losses(seen) == [("member", name.decode())]
    assert is_lost is not any(isinstance(event, (StructEnter, Field)) for event in seen)
    assert [event.instance_name for event in seen if isinstance(event, ObjectHeader)] == [name.decode()]
    return is_lost


def others(data: bytes) -> list[str]:
    """Return the entries that `check` finds to be lost with resync."""
    found = [finding for finding in check(data) if finding.kind == "other-entry"]
    assert {finding.severity for finding in found} <= {FINDING}
    return [name for finding in found for name in finding.path]


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
def test_an_entity_says_which_one_it_is_and_starts_with_its_version(path, number, is_other):
    assert lost(b"bread_0007", entity(path, number)) is is_other
    assert lost(b"bread_0007", entity(path, number).replace(STRUCT_VERSION, b"\xd7\xa3\x80\x3e"))


@pytest.mark.parametrize(
    ("name", "size", "version"),
    [
        (b"pld", struct_of("PLAYER_LEVEL_DATA").size, STRUCT_VERSION),
        (b"globals", struct_of("SAVE_GLOBALS").size, STRUCT_VERSION),
        (b"lvl001", struct_of("INDEX").size, STRUCT_VERSION),
        (b"player", struct_of("PLAYER").size, bytes(4)),
    ],
)
def test_each_kind_starts_with_its_version(name, size, version):
    assert not lost(name, version.ljust(size, b"\0"))
    assert lost(name, b"\1\2\3\4".ljust(size, b"\0"))


GLOBALS = Globals([(1, "$castle", "x"), (8, "§quest", 2), (32, "@ratio", 0.5)]).encode()
LEVEL = Level({"version": VERSION, "time": 3}, inter=[{"filename": "bread.teo", "ident": 7}], lights=[{"status": 1}]).encode()
PLD = LevelData({"version": VERSION, "name": "one", "level": 1}).encode()


@pytest.mark.parametrize(
    ("name", "content", "is_other"),
    [
        (b"pld", PLD, False),
        (b"pld", PLD + b"\0", True),
        (b"pld", GLOBALS, True),
        (b"pld", LEVEL, True),
        (b"globals", GLOBALS, False),
        (b"globals", Globals([]).encode(), False),
        (b"globals", Globals([]).encode() + b"\0", True),
        (b"globals", GLOBALS + b"more", False),
        (b"globals", GLOBALS[:100] + b"\1" + GLOBALS[101:], True),
        (b"globals", GLOBALS.replace(b"\xa7quest", b"$quest"), True),
        (b"globals", GLOBALS.replace(b"$castle", b"\xa3castle"), False),
        (b"globals", GLOBALS[:-72] + b"\0" + GLOBALS[-72:-1], True),
        (b"globals", LEVEL, True),
        (b"lvl001", LEVEL, False),
        (b"lvl001", LEVEL + b"more", False),
        (b"lvl001", Globals([(4, "#n", at) for at in range(30)]).encode(), True),
    ],
)  # fmt: skip
def test_what_a_save_has_once_is_not_another_of_these(name, content, is_other):
    assert lost(name, content) is is_other
    data = Container(NO_EXTENSION, [Entry(name, content, STORED)]).encode()
    found = [finding for finding in check(data) if finding.kind == "other-entry"]
    assert [(finding.severity, finding.path) for finding in found] == [(FINDING, (name.decode(),))] * is_other
    damage = [event.error for event in survived(data) if isinstance(event, Damage)]
    assert [(finding.message, finding.offset) for finding in found] == [(error.message, error.offset) for error in damage]


def test_what_cannot_be_read_proves_nothing():
    """What is before the fault is given; but of a level that counts more than it has, nothing is."""
    assert lost(b"lvl001", LEVEL[:-1])
    packed = zlib.compress(GLOBALS, 0)[:-70]  # up to the last variable
    seen = survived(Container(NO_EXTENSION, [Entry(b"globals", GLOBALS, DEFLATED, packed=packed)]).encode())
    assert [event.name for event in seen if isinstance(event, Field)] == ["version", "nb_globals", "$castle", "§quest"]
    assert losses(seen) == [("member", "globals")]
    bread = entity(b"bread.teo", 7)
    packed = zlib.compress(bread, 0)[:80]  # in its name
    seen = survived(Container(NO_EXTENSION, [Entry(b"bread_0007", bread, DEFLATED, packed=packed)]).encode())
    assert any(isinstance(event, Damage) for event in seen)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_rows_of_what_a_save_has_once_are_swapped(no_proof, seed):
    """The attack reaches them, and sees each that the proof does not."""
    names = [b"pld", b"globals", b"lvl001", b"lvl002"]
    entries = [
        Entry(name, content, DEFLATED)
        for name, content in zip(names, [PLD, GLOBALS, LEVEL, LEVEL[:4] + b"x" + LEVEL[5:]], strict=True)
    ]
    data = Container(NO_EXTENSION, entries).encode()
    truth = truth_of_rows(data)
    start, rows = rows_of(data)
    one, other = random.Random(seed).sample(range(3), 2)
    ends = [row.index(0) + 1 for row in rows]
    changed = list(rows)
    changed[one] = rows[one][: ends[one]] + rows[other][ends[other] :]
    changed[other] = rows[other][: ends[other]] + rows[one][ends[one] :]
    bad = data[:start] + b"".join(changed)
    assert lies_of_table(bad, truth) == []
    no_proof()
    assert [finding.key for finding in lies_of_table(bad, truth)] == ["lie row"]


def test_a_chunk_of_globals_that_starts_a_byte_too_early_is_reported():
    data = (VALID / "arx" / "v2.1.sav").read_bytes()
    mutant = data.replace(struct.pack("<II", 442, 1282), struct.pack("<II", 442, 1281))
    assert mutant != data
    assert losses(survived(mutant)) == [("member", "globals")]
    assert lies_of_table(mutant, truth_of_rows(data)) == []


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


@pytest.mark.parametrize(
    ("at", "old", "new", "name"),
    [
        (0x1721, 0x195, 0x19D, "goblin_base_0007"),
        (0x16FC, 0x5FC, 0x604, "lvl001"),
        (0x1821, 0x7E, 0x86, "torch_0009"),
        (0x17C2, 0x97, 0x9F, "camera_0001"),
    ],
)
def test_an_imploded_entry_with_a_wrong_chunk_is_reported(at, old, new, name):
    """It has no checksum: bytes are left after what it counts, or its chunks are longer than its row says."""
    data = (VALID / "arx" / "v1.1-gaps.sav").read_bytes()
    assert data[at : at + 4] == struct.pack("<I", old)
    broken = data[:at] + struct.pack("<I", new) + data[at + 4 :]
    assert losses(survived(broken)) == [("member", name)]
    assert others(broken) == [name]


@pytest.mark.parametrize(("count", "lost"), [(1, 1), (5, 5), (6, 0)])
def test_sizes_of_rows_count_if_most_are_those_of_their_chunks(count, lost):
    """Of 11 rows; no game reads these sizes, so nothing is known of a writer that has others."""
    data = (VALID / "arx" / "v1.1.sav").read_bytes()
    start, rows = rows_of(data)
    for index in range(count):
        at = rows[index].index(0) + 1
        rows[index] = rows[index][:at] + bytes([rows[index][at] ^ 1]) + rows[index][at + 1 :]
    broken = data[:start] + b"".join(rows)
    assert len(losses(survived(broken))) == lost
    assert others(broken) == [name for _, name in losses(survived(broken))]


def test_a_chunk_that_was_not_shortened_is_sound():
    """The size is that of the stream, the last chunk is longer."""
    data = (VALID / "arx" / "v1.1.sav").read_bytes()
    start, rows = rows_of(data)
    last = max(range(len(rows)), key=lambda index: struct.unpack("<I", rows[index][-4:]))
    size, offset = struct.unpack("<II", rows[last][-8:])
    rows[last] = rows[last][:-8] + struct.pack("<II", size + 7, offset)
    table = start - 12 + 7
    assert offset + size + 4 == start - 8
    longer = struct.pack("<I", table) + data[4 : start - 8] + bytes(7) + data[start - 8 : start] + b"".join(rows)
    assert losses(survived(longer)) == []


@pytest.mark.parametrize("name", ["v1.1", "v2.1"])
def test_rows_of_zeros_are_no_entries(name):
    """From a place in a row on, the table is zeros: the name of that row is shorter, and those after it have none."""
    data = (VALID / "arx" / f"{name}.sav").read_bytes()
    known = {entry.name for entry in entries(data)}
    start, rows = rows_of(data)
    for index in range(len(rows)):
        for kept in (0, 3)[: 2 if index + 1 < len(rows) else 1]:  # a name that is cut in the last row looks like any other
            at = start + sum(map(len, rows[:index])) + kept
            zeros = data[:at] + bytes(len(data) - at)
            with pytest.raises(DamagedSave), streamsave.open(zeros) as events:
                list(events)
            seen = survived(zeros)
            given = {event.instance_name for event in seen if isinstance(event, ObjectHeader)}
            assert given <= known, (index, kept)


def test_a_row_that_leads_to_another_entry_is_found_out(no_proof):
    no_proof()
    data = (VALID / "arx" / "v1.0.sav").read_bytes()
    truth = truth_of_rows(data)
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
