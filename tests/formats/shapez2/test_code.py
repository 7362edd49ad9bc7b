"""Blueprint codes of shapez 2: entries and configurations as written, whatever the envelope; the envelope; real codes."""

import base64
import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from saves import raises, read, real_names
from shapez2_worlds import entries_of, written_entries
from tiling import assert_tiled
from writer.shapez2 import Building, Island
from writer.shapez2_codes import Blueprint
from writer.shapez2_samples import CODES, all_islands, building_ids, configurations
from writer.shapez2_samples import CONFIGURED_BUILDINGS as BUILDING_NAMES
from writer.shapez2_samples import CONFIGURED_ISLANDS as ISLAND_NAMES

import streamsave
from streamsave import (
    BlobSkip,
    ChunkStart,
    Damage,
    DamagedSave,
    Field,
    LimitExceeded,
    ObjectEnd,
    ObjectHeader,
    SaveError,
    SaveStart,
    TruncatedSave,
)
from streamsave.formats import is_text_save
from streamsave.formats.shapez2.code import Envelope
from streamsave.formats.shapez2.configs import BUILDING_CONFIGURATIONS, ISLAND_CONFIGURATIONS
from streamsave.input.source import BytesSource
from streamsave.limits import Limits


@pytest.mark.parametrize("name", CODES)
def test_entries_are_what_was_written(name):
    blueprint = CODES[name]()
    assert written_entries(blueprint.entries) == entries_of(blueprint.code())


def test_all_ids_have_samples():
    assert set(BUILDING_CONFIGURATIONS) == set(BUILDING_NAMES)
    assert set(ISLAND_CONFIGURATIONS) == set(ISLAND_NAMES)
    assert len(building_ids()) == len(set(building_ids())) > 90
    assert len(all_islands()) > len(ISLAND_NAMES)


@pytest.mark.parametrize("name", [*BUILDING_NAMES, *ISLAND_NAMES])
def test_each_configuration(name):
    make = Island if name in ISLAND_NAMES else Building
    samples = [make(name, configuration=each) for each in configurations(name, {**BUILDING_NAMES, **ISLAND_NAMES})]
    for envelope in (4, 5):
        assert written_entries(samples) == entries_of(Blueprint(list(samples), envelope).code())


def code_of(content: object, envelope: int = 1) -> str:
    return f"SHAPEZ2-{envelope}-{base64.b64encode(gzip.compress(json.dumps(content).encode())).decode()}$"


@pytest.mark.parametrize(("start", "end"), [("`", "`"), ("\n ", "\n"), ("```\r\n\t", "\n```\n"), ("\ufeff" + " " * 40, "")])
def test_white_space_back_ticks_and_a_byte_order_mark_around_a_code_are_no_fault(start, end):
    for envelope in (4, 5):
        code = Blueprint([Building("TrashDefaultInternalVariant")], envelope).code()
        assert len(entries_of(start + code + end)) == 1
        assert sum(chunk.compressed_offset for chunk in read((start + code).encode()) if isinstance(chunk, ChunkStart)) == len(
            f"{start}SHAPEZ2-{envelope}-".encode()
        )
        assert is_text_save(start + code + end)


def test_a_file_may_begin_with_the_mark_of_an_editor():
    code = Blueprint([Building("TrashDefaultInternalVariant")], 4).code()
    assert len(entries_of(f"\ufeff{code}\r\n")) == 1


@pytest.mark.parametrize(
    ("bp", "count"),
    [
        ({}, 0),
        ({"Entries": []}, 0),
        ({"Entries": None}, 0),
        ({"Entries": {"$type": "x", "$values": []}}, 0),
        ({"Entries": [1, None, [], {}, {"T": 5}, {"T": None, "X": 3, "C": 7, "B": {"Entries": [{}]}}]}, 3),
        ({"$type": "Island", "Entries": [{"T": "a", "B": {"Entries": [{}, {"B": {"Entries": [{}]}}]}}]}, 3),
        ({"Entries": [{"T": "x", "C": {"$value": None}}, {"T": "x", "C": {"a": [1, {"$value": 3}]}}]}, 2),
    ],
)
def test_odd_blueprints(bp, count):
    content = {"V": 1137, "BP": bp, "More": [{"a": 1}]}
    events = read(code_of(content).encode())
    assert_tiled(events, len(json.dumps(content)))
    assert sum(isinstance(event, ObjectHeader) for event in events) == count


def manifest(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.slow
@pytest.mark.parametrize("name", real_names("shapez2/blueprints/*"))
def test_real_codes(corpus: Path, name):
    (row,) = [row for row in manifest(corpus / "shapez2" / "MANIFEST.tsv") if row["file"] == name]
    events = []
    depth = 0
    counts: Counter[str] = Counter()
    with streamsave.open(corpus / "shapez2" / "blueprints" / name) as stream:
        for event in stream:
            events.append(event)
            if isinstance(event, ObjectHeader):
                counts["entries"] += depth == 0
                counts[event.kind] += 1
                depth += 1
            elif isinstance(event, ObjectEnd):
                depth -= 1
            elif isinstance(event, Field) and event.type.endswith("Config"):
                stream.build()
            elif isinstance(event, BlobSkip):
                # Nothing of a known id: those are decoded to the last byte.
                owner = event.reason.removeprefix("configuration of unknown id ")
                assert owner not in {*BUILDING_CONFIGURATIONS, *ISLAND_CONFIGURATIONS, event.reason}
    start = events[0]
    assert isinstance(start, SaveStart)
    assert (start.header.envelope, start.version) == (int(row["envelope"]), int(row["V"]))
    assert counts["entries"] == int(row["entries"])
    assert counts["building"] == int(row["buildings"])
    assert start.header.type == row["type"].replace("None", "Building")
    assert_tiled(events, int(row["json_bytes"]))


def test_all_real_codes_are_there(corpus: Path):
    assert len(manifest(corpus / "shapez2" / "MANIFEST.tsv")) == len(real_names("shapez2/blueprints/*")) >= 110


def test_a_bool_is_no_coordinate():
    """A bool is an int to Python, and compiled code made 1 of it: `(16, 1, 0)` where plain Python had `(16, True, 0)`."""
    rows = [{"T": "a", "X": 1}, {"T": "b", "X": 16, "Y": True}, {"T": "c", "X": 3}]
    data = code_of({"V": 1137, "BP": {"Entries": rows}}, 4).encode()
    with pytest.raises(DamagedSave, match="Y of an entry"):
        read(data)
    found = read(data, on_damage="resync")
    assert [event.class_name for event in found if isinstance(event, ObjectHeader)] == ["a", "c"]
    (damage,) = [event for event in found if isinstance(event, Damage)]
    text = json.dumps({"V": 1137, "BP": {"Entries": rows}})
    assert damage.lost.kind == "object"
    assert text[damage.offset : damage.offset + damage.size] == ", " + json.dumps(rows[1])
    assert_tiled(found, len(text))


PAYLOAD = base64.b64encode(gzip.compress(b"{}" * 20, mtime=0))


def envelope(number: bytes = b"4", end: bytes = b"$", payload: bytes = PAYLOAD, **limits: int) -> Envelope:
    return Envelope(BytesSource(b"SHAPEZ2-" + number + b"-" + payload + end), Limits(**limits))


FAULTS = [
    # number, end, what is said
    (b"0", b"$", DamagedSave, "envelope of a blueprint code"),
    (b"00001", b"$", DamagedSave, "no envelope"),
    (b"x", b"$", DamagedSave, "no envelope"),
    (b"4", b"", TruncatedSave, "no end"),
    (b"4", b"$x", DamagedSave, "end of the code"),
    (b"4", b"[]_2$", DamagedSave, "end of the code"),
    (b"5", b"$", DamagedSave, "end of the code"),
    (b"5", b"[]_3$", DamagedSave, "length of the icons"),
    (b"5", b"[]_2", TruncatedSave, "no end"),
    (b"5", b"[\xff]_3$", DamagedSave, "icons are no UTF-8"),
]


@pytest.mark.parametrize(("number", "end", "kind", "message"), FAULTS)
def test_faults(number, end, kind, message):
    with pytest.raises(SaveError, match=message) as caught:
        envelope(number, end)
    assert type(caught.value) is kind


@pytest.mark.parametrize("cut", range(1, 10))
def test_a_code_that_was_cut_in_its_envelope(cut):
    data = b"SHAPEZ2-4-"[:cut]
    with pytest.raises(TruncatedSave if cut >= 8 else DamagedSave):
        Envelope(BytesSource(data), Limits())


@pytest.mark.parametrize(("icons", "units"), [("[]", 2), ("[\u00f6]", 3), ("[\U0001f600]", 4)])
def test_length_counts_utf16_units(icons, units):
    assert envelope(b"5", f"{icons}_{units}$ \r\n".encode()).icons == icons.encode()
    with pytest.raises(DamagedSave, match="length of the icons"):
        envelope(b"5", f"{icons}_{units + 1}$".encode())


def test_limit_of_the_text_after_the_payload():
    assert envelope(b"5", b"[]_2$", string_size=5).icons == b"[]"
    with raises(LimitExceeded, match="string_size", value=5):
        envelope(b"5", b"[]_2$", string_size=4)


def test_limit_of_the_payload():
    """The search for the end of the payload stops after the piece that passes the limit."""
    long = b"A" * (64 * 1024)
    assert envelope(payload=long, total_inflated_size=64 * 1024).windows.size() == 0
    with raises(LimitExceeded, match="total_inflated_size", value=64 * 1024):
        envelope(payload=long, total_inflated_size=64 * 1024 - 1)
