"""One walk over a save: what its events claim, and the names of its objects."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError
from cursors import cursor_over
from saves import VALID, start_of
from writer.arx import DEFLATED, NO_EXTENSION, Container, Entry
from writer.arx_entries import VERSION, Entity
from writer.arx_samples import BREAD, entity_file
from writer.arx_structs import encode_struct

import streamsave
from streamsave import SaveEnd, SaveStart
from streamsave.check import FATAL, FINDING, NOTE, Finding, check
from streamsave.check.checker import Claims, UnknownBytes
from streamsave.check.format_rules import arx_references, container_findings, entity_name, header_findings
from streamsave.decode.codecs import I32
from streamsave.events import BlobSkip
from streamsave.formats import Cursor, FileWindows, Reader
from streamsave.headers import Header


def wrong_claims(second: int, end: int) -> type[Reader]:
    """A reader of two numbers, which says that the second is at `second` and the stream ends at `end`."""

    class Wrong(Reader):
        def __init__(self, source, limits):
            super().__init__(Cursor(FileWindows(source), limits))

        def events(self):
            yield SaveStart(0, "made", 1, Header())
            yield self.field("a", I32)
            self.cursor.seek(second)
            yield self.field("b", I32)
            yield SaveEnd(end)

    return Wrong


@pytest.mark.parametrize(
    ("second", "end", "faults"),
    [
        (4, 8, []),
        (5, 9, [(4, "1 bytes that no event claims")]),
        (3, 7, [(3, "1 bytes that two events claim")]),
        (4, 9, [(8, "events claim 8 bytes of 9")]),
    ],
)
def test_bytes_are_claimed_once(second, end, faults):
    assert list(check(bytes(end), reader=wrong_claims(second, end))) == [
        Finding(FINDING, "tiling", message, offset) for offset, message in faults
    ]


# --- The spans that events claim: gaps, overlaps, and memory ---


def test_claims_that_touch_are_one():
    claims = Claims()
    for start in range(0, 2000, 2):
        claims.add(start, start + 1)
        claims.add(start + 1, start + 2)
    assert list(claims.faults(2000)) == []
    assert not claims._edges


def test_two_runs_that_grow_in_turn():
    """As the headers of objects and their data do; a span that reaches another run joins it, and one inside of it is found."""
    claims = Claims()
    for step in range(50):
        claims.add(step, step + 1)
        claims.add(100 + step, 101 + step)
    assert list(claims.faults(150)) == [(50, "50 bytes that no event claims")]
    claims.add(50, 60)
    claims.add(60, 100)
    assert list(claims.faults(150)) == []
    claims.add(150, 160)
    claims.add(140, 160)
    assert list(claims.faults(160)) == [(140, "20 bytes that two events claim")]


def test_what_several_events_claim_is_one_place():
    claims = Claims()
    for start, end in ((0, 10), (2, 8), (4, 6)):
        claims.add(start, end)
    assert list(claims.faults(10)) == [(2, "6 bytes that two events claim")]


@pytest.mark.parametrize("seed", range(20))
def test_claims_in_any_order(seed):
    """Whatever the order, spans that tile take no memory, and a span that is left out is a gap."""
    random = Random(seed)
    places = sorted({0, *random.sample(range(1000), 60)})
    spans = [*pairwise(places)]
    missing = spans.pop(random.randrange(1, len(spans) - 1))
    if seed % 2:
        random.shuffle(spans)
    claims = Claims()
    for start, end in spans:
        claims.add(start, end)
    assert list(claims.faults(places[-1])) == [(missing[0], f"{missing[1] - missing[0]} bytes that no event claims")]
    assert len(claims._edges) <= 8


@pytest.mark.parametrize("seed", range(150))
def test_the_same_as_counting_each_byte(seed):
    """Spans that touch, overlap, repeat, in two places that grow and elsewhere."""
    random = Random(seed)
    claims, counts, ends = Claims(), Counter(), [0, 40]
    for _ in range(random.choice([10, 40, 120])):
        start = random.choice([*ends, random.randrange(80)])
        end = start + random.choice([1, 1, 2, 3, random.randrange(50)])
        ends[random.randrange(2)] = end
        claims.add(start, end)
        counts.update(range(start, end))
    gaps, doubled = [], []
    for offset, message in claims.faults(max(counts) + 1):
        (gaps if "no event" in message else doubled).append(range(offset, offset + int(message.partition(" ")[0])))
    assert [at for gap in gaps for at in gap] == [at for at in range(max(counts)) if not counts[at]]
    assert {at for one in doubled for at in one} == {at for at, count in counts.items() if count > 1}


# --- Bytes of unknown layout are counted by reason ---


@pytest.mark.parametrize(
    ("reason", "severity"),
    [
        ("unknown trailing data of /Mod/A.B", NOTE),
        ("unknown trailing data of /Script/FactoryGame.B", FINDING),
        ("unknown trailing data of /Game/FactoryGame/B", FINDING),
        ("/Game/FactoryGame/B", NOTE),
    ],
)
def test_the_games_own_classes_have_none(reason, severity):
    unknown = UnknownBytes()
    for offset in (5, 9):
        unknown.add(BlobSkip(offset, 3, reason), ("a", offset), bytes(3))
    unknown.add(BlobSkip(1, 3, "padding"), (), bytes(3))
    (finding,) = unknown.findings()
    assert (finding.severity, finding.kind, finding.offset, finding.path) == (severity, "unknown-bytes", 5, ("a", 5))
    assert finding.message == f"{reason} (2 times, here first)"


@pytest.mark.parametrize(
    ("size", "data", "severity"), [(4, bytes(4), NOTE), (4, b"\0\0\0\1", FINDING), (3, bytes(3), FINDING), (8, b"", FINDING)]
)
def test_an_empty_list_of_another_tool_is_a_note(size, data, severity):
    unknown = UnknownBytes()
    unknown.add(BlobSkip(5, size, "unknown trailing data of /Script/FactoryGame.B"), ("a",), data)
    (finding,) = unknown.findings()
    assert (finding.severity, "empty list" in finding.message) == (severity, severity == NOTE)
    assert finding.message.endswith("/Script/FactoryGame.B (1 times, here first)")


def test_a_finding_is_a_value():
    """Findings compare by what they say, may be members of a set, and do not change."""
    found = Finding(FINDING, "md5", "MD5 differs")
    assert (found.offset, found.path) == (None, ())
    assert len({found, evolve(found), evolve(found, offset=0)}) == 2
    with pytest.raises(FrozenInstanceError):
        found.severity = NOTE


def test_severities():
    """Programs may have stored them."""
    assert (FATAL, FINDING, NOTE) == ("fatal", "finding", "note")


# --- rules for formats whose events do not show everything: `test_check` and the tests of the formats have the cases ---


@pytest.mark.parametrize(
    ("changes", "odd", "offset"),
    [
        ({"save_game_version": 1}, "", 0),
        ({"save_game_version": 0}, "SaveGameVersion of no engine: 0", 4),
        ({"save_game_version": 255}, "", 0),
        ({"save_game_version": 256}, "SaveGameVersion of no engine: 256", 4),
        ({"package_version_ue4": 214}, "", 0),
        ({"package_version_ue4": 213}, "package version of UE4 of no engine: 213", 8),
        ({"package_version_ue4": 999}, "", 0),
        ({"package_version_ue4": 1000}, "package version of UE4 of no engine: 1000", 8),
        ({"engine_version": (4, 0, 0)}, "", 0),
        ({"engine_version": (3, 9, 9)}, "there is no such version of the engine: 3.9.9", 16),
        ({"engine_version": (5, 99, 999)}, "", 0),
        ({"engine_version": (6, 0, 0)}, "there is no such version of the engine: 6.0.0", 16),
        ({"engine_version": (5, 100, 0)}, "there is no such version of the engine: 5.100.0", 16),
        ({"engine_version": (5, 0, 1000)}, "there is no such version of the engine: 5.0.1000", 16),
        ({"engine_version": (6, 0, 0), "package_version_ue5": None}, "there is no such version of the engine: 6.0.0", 12),
    ],
)
def test_numbers_of_no_engine(changes, odd, offset):
    path = VALID / "gvas" / "ue5-1018.sav"
    header = evolve(start_of(path).header, **changes)
    found = [(finding.message, finding.offset) for finding in header_findings(header, cursor_over(path.read_bytes()))]
    assert found == ([(odd, offset)] if odd else [])


def faults(source):
    with streamsave.open(source) as events:
        header = next(events).header
        found = [*container_findings(header), *arx_references(events, header)]
    return [("/".join(map(str, fault.path)), fault.message) for fault in found]


def save(**entries):
    return Container(NO_EXTENSION, [Entry(name.encode(), data, DEFLATED) for name, data in entries.items()]).encode()


@pytest.mark.slow
def test_real_containers(corpus):
    paths = sorted((corpus / "arx").glob("*.sav"))
    if not paths:
        pytest.skip("there are no real saves of Arx")
    for path in paths:
        assert faults(path) == [], path.name


def test_the_table_and_an_entity_under_another_name():
    made = Container(NO_EXTENSION, [Entry(b"a", b"x", DEFLATED, unknown_size=True)]).encode()
    assert faults(made) == [("a", "of unknown size, which only an imploded entry may be")]
    assert faults(Container(NO_EXTENSION, [Entry(b"a", b"", DEFLATED)]).encode()) == []
    assert faults(save(bread_0001=BREAD.encode())) == []
    assert faults(save(bread_0002=BREAD.encode())) == [("bread_0002/io", "file and number are those of 'bread_0001'")]


def test_only_the_slots_that_count():
    slots = [["bread_0001", "x_0001"], ["x_0002"], ["player", "SELF", "none"]]
    inventory = {"sizex": 1, "sizey": 2, "slot_io": slots, "targetinfo": "x_0003"}
    bread = Entity(2, {"filename": entity_file("BREAD", "items"), "ident": 1}, inventory=inventory)
    assert faults(save(bread_0001=bread.encode())) == [
        ("bread_0001/inventory/slot_io/0/1", "there is no entry 'x_0001'"),
        ("bread_0001/inventory/targetinfo", "there is no entry 'x_0003'"),
    ]


def test_level():
    index = encode_struct("INDEX", {"version": VERSION, "nb_paths": 3})
    names = ("Cart_0001", "none", "Cart_0002")
    paths = b"".join(encode_struct("PATH", {"name": "a", "controled": name}) for name in names)
    assert faults(save(lvl001=index + paths)) == [
        ("lvl001/paths/0/controled", "there is no entry 'cart_0001'"),
        ("lvl001/paths/2/controled", "there is no entry 'cart_0002'"),
    ]


@pytest.mark.parametrize(
    ("filename", "ident", "name"),
    [
        (r"C:\ARX\GRAPH\OBJ3D\INTERACTIVE\NPC\GOBLIN_BASE\GOBLIN_BASE.TEO", 7, "goblin_base_0007"),
        ("graph/obj3d/interactive/items/bread/bread.teo", 12345, "bread_12345"),
        ("bread", 1, "bread_0001"),
        ("a.b.teo", -1, "a.b_-001"),
        ("", 0, "_0000"),
    ],
)
def test_entity_name(filename, ident, name):
    assert entity_name(filename, ident) == name
