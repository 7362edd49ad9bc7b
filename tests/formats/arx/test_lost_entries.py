"""Entries that the file table has lost: dropped rows, emptied entries, and gaps that hold none."""

import random

import pytest
from damage import survived
from saves import VALID
from tiling import assert_tiled
from writer.arx import DEFLATE, DEFLATED, IMPLODE, LEGACY, NO_EXTENSION, RELEASE, STORED, Container, Entry, Row, assemble, pack

import streamsave
from streamsave import Damage, Limits
from streamsave.check import FINDING, NOTE, check
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.lost_entries import MOST_PLACES, lost_entries
from streamsave.formats.arx.versions import STRUCT_VERSION
from streamsave.input.source import open_source

SAMPLES = sorted((VALID / "arx").iterdir())
CODECS = {"stored": STORED, "implode": IMPLODE, "deflate": DEFLATED}


def found_in(data: bytes) -> list[tuple[int, str]]:
    """Where the lost entries of a save are, and their names."""
    emptied: list = []
    source = open_source(data)
    container = read_container(source, Limits(), emptied)
    return [(lost.offset, lost.name) for lost in lost_entries(source, container, emptied, Limits())]


def told(data: bytes) -> tuple[list[str], list[str]]:
    """What `check` finds, and what is lost in resync mode."""
    findings = [finding.message for finding in check(data) if (finding.severity, finding.kind) == (FINDING, "unclaimed")]
    seen = survived(data)
    assert_tiled(seen, seen[-1].offset)
    return findings, [event.error.message for event in seen if isinstance(event, Damage)]


def rows_of(data: bytes) -> tuple[int, list[bytes]]:
    """Where the table is, and its rows."""
    container = read_container(open_source(data), Limits())
    rows: list[bytes] = []
    at = container.table_offset + 8
    for _ in range(int.from_bytes(data[at - 4 : at], "little")):
        end = data.index(0, at) + 13
        chunks = int.from_bytes(data[end - 8 : end - 4], "little")
        chunks += container.version < DEFLATE and chunks == 0
        rows.append(data[at : end + 8 * chunks])
        at += len(rows[-1])
    return container.table_offset, rows


def with_rows(data: bytes, rows: list[bytes]) -> bytes:
    table, _ = rows_of(data)
    return data[: table + 4] + len(rows).to_bytes(4, "little") + b"".join(rows)


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in SAMPLES if "duplicates" not in path.name], ids=lambda path: path.name)
def test_a_row_that_is_missing_is_told(path):
    """The other entries are as they were. The struct of the player has no version, but each save has it.

    Of an entity that a script has made, it is a note.
    """
    data = path.read_bytes()
    with streamsave.open(data) as events:
        entities = {event.instance_name: events.raw() for event in events if getattr(event, "kind", "") == "entity"}
    scripted = {name.lower() for name, content in entities.items() if any(content[452:456])}
    _, rows = rows_of(data)
    for row in rows[1 if path.name == "v1.0.sav" else 0 :]:
        name = row[: row.index(0)].decode().lower().removesuffix(".sav")
        if name in {"readme", "empty"}:  # stored texts look like nothing
            continue
        findings, lost = told(with_rows(data, [other for other in rows if other != row]))
        assert bool(findings) is (name not in scripted), name
        assert lost == findings, name


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in SAMPLES if path.name.startswith("v2")], ids=lambda path: path.name)
def test_an_entry_that_was_emptied_is_told(path):
    """Its size and the way that it is packed are zero; its chunks are still there."""
    data = path.read_bytes()
    _, rows = rows_of(data)
    for number, row in enumerate(rows):
        at = row.index(0) + 1
        if row[at + 4 : at + 8] == bytes(4):
            continue  # it has no chunks
        emptied = row[:at] + bytes(4) + row[at + 4 : at + 8] + bytes(4) + row[at + 12 :]
        findings, lost = told(with_rows(data, [*rows[:number], emptied, *rows[number + 1 :]]))
        assert any("is empty, but has chunks" in finding for finding in findings)
        assert lost == findings


def test_an_emptied_entry_whose_bytes_others_use_has_lost_nothing():
    data = assemble(b"abcdef", NO_EXTENSION, [Row(b"old", 0, STORED, [(6, 0)]), Row(b"new", 6, STORED, [(6, 0)])])
    assert told(data) == ([], [])


ENTITY = bytes([3, 0, 0, 0, 0, 0, 0, 0]) + STRUCT_VERSION + b"C:\\bread.teo" + bytes(3000)
OTHER = STRUCT_VERSION + bytes(range(200)) * 3


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(("scriptload", "is_lost"), [(0, True), (1, False), (2, False)])
def test_an_entity_that_a_script_has_made_may_be_gone(codec, scriptload, is_lost):
    entity = ENTITY[:452] + scriptload.to_bytes(4, "little") + ENTITY[456:]
    data = assemble(pack(entity, CODECS[codec]), NO_EXTENSION, [])
    findings, lost = told(data)
    assert (len(findings), len(lost)) == ((1, 1) if is_lost else (0, 0))
    notes = [found.message for found in check(data) if found.severity == NOTE and "is not in the file table" in found.message]
    assert len(notes) == (0 if is_lost else 1)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("content", [ENTITY, OTHER])
@pytest.mark.parametrize("before", [b"", b"tail of an entry"])
def test_an_entry_in_a_gap(codec, content, before):
    """After other bytes, only a packed one is found: structs in the end of a stored one start alike."""
    data = assemble(before + pack(content, CODECS[codec]) + b"more", NO_EXTENSION, [])
    found = [] if codec == "stored" and before else [(4 + len(before), "")]
    assert found_in(data) == found


@pytest.mark.parametrize("codec", ["implode", "deflate"])
@pytest.mark.parametrize("size", [1, 5000, 200_000])
def test_a_whole_stream_at_the_start_of_a_gap(codec, size):
    packed = pack(b"x" * size, CODECS[codec])
    assert found_in(assemble(packed + b"more", NO_EXTENSION, [])) == [(4, "")]
    assert found_in(assemble(packed[:-2], NO_EXTENSION, [])) == []
    assert found_in(assemble(b"?" + packed, NO_EXTENSION, [])) == []


@pytest.mark.parametrize("codec", ["implode", "deflate"])
def test_the_end_of_a_longer_entry_is_none(codec):
    """As the game leaves it."""
    draw = random.Random(3)
    packed = pack(OTHER + draw.randbytes(3000), CODECS[codec])
    for _ in range(40):
        assert found_in(assemble(packed[draw.randrange(1, len(packed)) :], NO_EXTENSION, [])) == []


def test_a_stored_text_without_a_row_is_a_note_and_no_loss():
    """Its bytes look like the end of a longer entry, which the game leaves, and the game itself writes no such entry."""
    data = Container(NO_EXTENSION, [Entry(b"one", b"text of a mod", STORED), Entry(b"two", b"more text", STORED)]).encode()
    _, rows = rows_of(data)
    dropped = with_rows(data, rows[:1])
    assert told(dropped) == ([], [])
    unclaimed = [found for found in check(dropped) if found.kind == "unclaimed"]
    assert [(found.severity, found.message.split(",")[0]) for found in unclaimed] == [(NOTE, "9 bytes in 1 places")]


def test_a_search_ends():
    """Each two bytes look like a start."""
    places = b"\xff\x04" * (MOST_PLACES + 100)
    assert found_in(assemble(places + pack(OTHER, IMPLODE), NO_EXTENSION, [])) == []
    assert found_in(assemble(places[400:] + pack(OTHER, IMPLODE), NO_EXTENSION, [])) == [(4 + len(places) - 400, "")]


def test_a_gap_larger_than_what_is_searched_at_a_time():
    gap = bytes(65_535) + pack(OTHER, DEFLATED) + bytes(100_000) + pack(ENTITY, IMPLODE)
    first = 4 + 65_535
    assert [place for place, _ in found_in(assemble(gap, NO_EXTENSION, []))] == [
        first,
        first + len(pack(OTHER, DEFLATED)) + 100_000,
    ]


def test_an_entry_that_became_the_dummy():
    """The version of the container was lower than it is: the first row is passed over."""
    data = Container(RELEASE, [Entry(b"bread_0001.sav", OTHER), Entry(b"bread_0002.sav", OTHER)]).encode()
    table, _ = rows_of(data)
    assert found_in(data) == []
    findings, lost = told(data[:table] + LEGACY.to_bytes(4, "little") + data[table + 4 :])
    assert findings == ["an entry at 0x4 is not in the file table: its row was lost, or the game has removed it"]
    assert lost == findings


@pytest.mark.parametrize("name", ["pld", "player", "globals"])
def test_what_each_save_has(name):
    """Where no byte is left over, a tool may have made a save without it."""
    rows = [Row(other.encode(), 3, STORED, [(3, 3 * number)]) for number, other in enumerate(("pld", "player", "globals"))]
    left = [row for row in rows if row.name != name.encode()]
    assert found_in(assemble(b"abcdefghi", NO_EXTENSION, left)) == [(4 + 3 * ("pld", "player", "globals").index(name), name)]
    assert found_in(assemble(b"abcdefghi", NO_EXTENSION, rows)) == []
    assert found_in(assemble(b"abcdefghi!", NO_EXTENSION, rows)) == []
    assert found_in(assemble(b"abc", NO_EXTENSION, [Row(b"pld", 3, STORED, [(3, 0)])])) == []
    assert found_in(assemble(b"abc!", NO_EXTENSION, [Row(b"note", 3, STORED, [(3, 0)])])) == []


def test_names_of_what_is_lost():
    data = assemble(b"abcdef" + pack(OTHER, DEFLATED), NO_EXTENSION, [Row(b"old", 0, STORED, [(6, 0)])])
    damages = [event for event in survived(data) if isinstance(event, Damage)]
    assert [(event.lost.kind, event.lost.name, event.lost.path, event.lost.size, event.size) for event in damages] == [
        ("member", "old", ("old",), -1, 0),
        ("member", "", (), -1, 0),
    ]
    assert [event.error.compressed_offset for event in damages] == [4, 10]
    with streamsave.open(data) as events:
        assert not any(isinstance(event, Damage) for event in events)
