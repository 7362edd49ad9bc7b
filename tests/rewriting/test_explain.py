"""What reads a byte: against a walk of all events, against `build`, and against the source where a layout is written down."""

import itertools
import random
from pathlib import Path

import pytest
from edits import family_of
from saves import SATISFACTORY, VALID, head_and_body, headers_of, read

import streamsave
from streamsave import ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit
from streamsave.claims import claimed_spans, claims_value
from streamsave.events import STORED_MEMBERS, ChunkStart
from streamsave.rewriting.explain import WIDTH, chunk_of, explain, offset_of, part_of

SAMPLES = sorted(path for path in VALID.rglob("*") if path.suffix in {".sav", ".sbp", ".spz2"})
ROOT = Path(streamsave.__file__).parent.parent
#: Bytes of a sample that are explained.
FEW = 6


def walked(data):
    """Every claim of a save: (start, end) -> the event, and the events whose nestings are open around it."""
    found, frames, last = {}, [], None
    with streamsave.open(data) as events:
        for event in [*events, None]:
            if isinstance(event, ChunkStart):
                continue
            if last is not None:
                event_, around = last
                for span in claimed_spans(event_, with_value=claims_value(event_, event)):
                    found[span] = (event_, around)
            if event is not None:
                last = (event, list(frames))
            if isinstance(event, (StructEnter, ObjectHeader)):
                frames.append(event)
            elif isinstance(event, (StructExit, ObjectEnd)):
                frames.pop()
    return found


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_event_that_claims_a_byte(path):
    claims = walked(path)
    spans = [span for span in claims if span[1] > span[0]]
    for start, end in random.Random(path.name).sample(spans, min(FEW, len(spans))):
        offset = (start + end) // 2
        found = explain(path, offset)
        event, around = claims[start, end]
        assert found.event == event
        assert [(type(one), one.offset) for one in found.frames] == [(type(one), one.offset) for one in around]
        bounds = [(row.start, row.end) for row in found.rows]
        assert all(first <= offset < last for first, last in bounds)
        assert all(a[0] <= b[0] and b[1] <= a[1] for a, b in itertools.pairwise(bounds))
        assert found.start <= offset < found.start + len(found.data)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv25.sav", "sv46.sav", "sv60.sav"])
def test_the_rows_of_a_header(name):
    """Each row of a header has what the event says."""
    data = (SATISFACTORY / name).read_bytes()
    body = head_and_body(data)[1]
    header = next(event for event in headers_of(data) if event.kind == "actor")
    rows = {}
    for offset in range(header.offset, header.offset + header.header_size):
        row = explain(data, offset).rows[-1]
        rows[row.start] = row
    assert sum(row.end - row.start for row in rows.values()) == header.header_size
    named = {row.name: row.value for row in rows.values()}
    assert named["class_name"] == header.class_name
    assert named["instance_name"] == header.instance_name
    assert named["level"] == header.level
    assert named.get("object_flags", 0) == header.flags
    assert [row.value for row in rows.values() if row.type == "f32"] == [
        number for part in (header.transform.rotation, header.transform.translation, header.transform.scale) for number in part
    ]
    size = explain(data, header.data_offset - 1).rows[-1]
    assert (size.name, size.value) == ("size", int.from_bytes(body[header.data_offset - 4 : header.data_offset], "little"))


@pytest.mark.parametrize(
    "name", ["class_name", "instance_name", "level", "flags", "save_version", *STORED_MEMBERS], ids=lambda name: f"@{name}"
)
def test_a_member_of_the_header(name):
    """A path to it leads to its row: in the header, or in the entry of the object."""
    path = SATISFACTORY / "sv60.sav"
    header = headers_of(path.read_bytes())[0]
    with streamsave.open(path) as events:
        place = part_of(events, f"{header.instance_name}/@{name}", WIDTH)
    row = explain(path, *place).rows[-1]
    assert (row.name.removeprefix("object_"), row.value) == (name, getattr(header, name))


def test_where_a_row_is_written_down():
    data = (SATISFACTORY / "sv60.sav").read_bytes()
    header = headers_of(data)[0]
    flags = explain(data, header.offset + header.header_size - 48 - 4).rows[-1]
    assert (flags.name, flags.versions) == ("object_flags", "from SAVE_VERSION_OBJECT_FLAGS (49) on")
    file, _, line = flags.source.rpartition(":")
    assert '"object_flags"' in (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1]


@pytest.mark.parametrize(
    ("name", "path", "file", "versions"),
    [
        ("gvas/palworld-1.0.sav", "Model/RawData/ticks", "palworld/layouts.py", "from SINCE_FAULTY on"),
        ("gvas/palworld-1.0.sav", "ConcreteModel/RawData/drop_item_infos", "palworld/map_objects.py", ""),
        ("gvas/palworld-1.0.sav", "ConcreteModel/RawData/model_instance_id", "palworld/map_objects.py", ""),
        ("gvas/palworld-1.0.sav", "Model/RawData/class_end", "palworld/codecs.py", "from CHAIN on"),
        ("gvas/palworld-1.0.sav", "Connector/RawData/any_place", "palworld/layouts.py", ""),
        ("satisfactory/v6.sbpcfg", "icon_package", "satisfactory/config.py", "from CONFIG_ICON_LIBRARY (3) on"),
        ("satisfactory/sv60.sav", "serialization_control", "satisfactory/objects.py", ""),
        (
            "satisfactory/sv60.sav",
            "level_save_version",
            "satisfactory/level_layout.py",
            "from SAVE_VERSION_LEVEL_VERSION (51) on",
        ),
        ("astroneer/entities.savegame", "table/next_id", "astroneer/layout.py", ""),
        ("arx/v2.1.sav", "critical_hit", "arx/world.py", ""),
        ("shapez2/checkpoints.spz2", "navigation/velocity", "shapez2/members.py", ""),
    ],
)
def test_where_a_field_is_written_down(name, path, file, versions):
    """Its own row in the layout around it, not what its type is."""
    with streamsave.open(VALID / name) as events:
        offset = offset_of(events, path)
    row = explain(VALID / name, offset).rows[0]
    source, _, line = row.source.rpartition(":")
    assert (source, row.versions) == (f"streamsave/formats/{file}", versions)
    text = (ROOT / source).read_text("utf-8").splitlines()[int(line) - 1]
    assert f'"{row.name}"' in text or f"{row.name}=" in text


@pytest.mark.parametrize(
    ("path", "row"), [("Int", '"IntProperty": I32'), ("Ints", '"IntProperty": I32'), ("Bools", "BOOL_TYPE: BOOL8")]
)
def test_where_a_type_is_written_down(path, row):
    with streamsave.open(VALID / "gvas" / "ue4-522.sav") as events:
        offset = offset_of(events, path)
    source, _, line = explain(VALID / "gvas" / "ue4-522.sav", offset).rows[0].source.rpartition(":")
    assert row in (ROOT / source).read_text("utf-8").splitlines()[int(line) - 1]


@pytest.mark.parametrize("name", ["sv46.sav", "sv60.sav"])
def test_the_size_of_a_property(name):
    data = (SATISFACTORY / name).read_bytes()
    with streamsave.open(data) as events:
        tag = next(event for event in events if isinstance(event, PropertyTag) and event.size)
        (length,) = family_of(events).lengths(tag)
    row = explain(data, length.offset).rows[-1]
    assert (row.name, row.type, row.value) == ("size", "i32", tag.size)


def test_places():
    path = SATISFACTORY / "sv60.sav"
    with streamsave.open(path) as events:
        header = next(event for event in events if isinstance(event, ObjectHeader))
        tag = next(event for event in events if isinstance(event, PropertyTag))
    for text, offset in ((header.instance_name, header.offset), (f"BP_EnemySpawner1/{tag.name}", tag.value_offset), ("no", None)):
        with streamsave.open(path) as events:
            assert offset_of(events, text) == offset
    chunk = next(event for event in read(path) if isinstance(event, ChunkStart))
    for position in (chunk.compressed_offset, chunk.compressed_offset + chunk.compressed_size - 1):
        with streamsave.open(path) as events:
            assert chunk_of(events, position) == chunk
    with streamsave.open(path) as events, pytest.raises(LookupError, match="no chunk has byte"):
        chunk_of(events, chunk.compressed_offset - 1)
    assert explain(path, 1 << 40) is None
