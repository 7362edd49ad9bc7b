"""`streamsave json`: what it writes is what `build()` gives, for every format; names that repeat; memory; faults."""

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import orjson
import pytest
from attrs import evolve
from cli_runs import environment, process, thing
from large_saves import big_save, damaged_save
from saves import VALID, file_with, start_of
from writer.gvas import SaveGame, plz
from writer.gvas_samples import ERAS, item, plain
from writer.primitives import Ref
from writer.satisfactory import Level, Object, World, release_header, save_bytes
from writer.structs import VECTOR
from writer.tags import DOUBLE, INT, NAME, STR, Array, Delta, Fields, Map, Prop

import streamsave
from streamsave import BlobSkip, Limits, ObjectHeader
from streamsave.decode.json_values import to_jsonable
from streamsave.output.json_document import BUILT_SIZE, JsonWriter, LineWriter, json_document, json_lines
from streamsave.output.json_text import PIECE_SIZE
from streamsave.output.salvage import salvage

SAMPLES = sorted(path.relative_to(VALID).as_posix() for path in VALID.glob("*/*") if path.is_file())
ITEM = Fields("Item", "/Script/Game")
#: Enough elements that a container of them is walked, not built.
MANY = 3000
#: Peak RSS of the command on the largest real save.
MOST_MEMORY = 60 * 1024
NO_LIMITS = Limits(build_nodes=1 << 40, build_size=1 << 40)


def document(source: object, built_size: int = BUILT_SIZE, **options: object) -> dict[str, object]:
    with streamsave.open(source, **options) as events:
        return orjson.loads(b"".join(json_document(events, built_size=built_size)))


def lines(source: object) -> list[dict[str, object]]:
    with streamsave.open(source) as events:
        return [orjson.loads(line) for line in b"".join(json_lines(events)).splitlines()]


def objects_in(value: object) -> Iterator[dict[str, object]]:
    """The objects of a document that are in no other, by what only they have."""
    if isinstance(value, dict):
        if {"instance_name", "class_name", "properties"} <= value.keys():
            yield value
        else:
            for member in value.values():
                yield from objects_in(member)
    elif isinstance(value, list):
        for element in value:
            yield from objects_in(element)


def built_objects(source: object) -> list[object]:
    with streamsave.open(source, limits=NO_LIMITS) as events:
        return [to_jsonable(events.build()) for event in events if isinstance(event, ObjectHeader)]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format(name):
    path = VALID / name
    whole = document(path)
    start = start_of(path)
    assert (whole["format"], whole["version"]) == (start.format, start.version)
    assert whole["header"] == to_jsonable(start.header)
    assert list(objects_in(whole)) == built_objects(path)


#: Real saves of each format, small enough to be walked whole; the largest ones take too long.
REAL = [
    "arx/v2.0-mixed.sav",
    "astroneer/xbox-2020-162k.savegame",
    "gvas/drg-ue427-146k.sav",
    "gvas/hogwarts-pkg524-600k.sav",
    "gvas/palworld-level-plz-280k.sav",
    "satisfactory/hv14-sv52-pep-modtest-1.sav",
    "satisfactory/v12-ported-sv58-250k.sav",
    "satisfactory/blueprints/u1-1-single-container.sbp",
    "shapez2/synthetic-checkpoints.spz2",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAMPLES, *REAL])
def test_built_or_walked(any_save, name):
    """Built as much as can be, or walked as far as there are events: the same lines, the same document."""
    path = any_save(name)
    made = []
    for size in (1 << 60, -1):
        with streamsave.open(path, limits=NO_LIMITS) as events:
            text = b"".join(json_lines(events, built_size=size))
        made.append(([orjson.loads(line) for line in text.splitlines()], document(path, size, limits=NO_LIMITS)))
    assert made[0] == made[1]


def zero_runs(value: object) -> Iterator[int]:
    """The sizes of what a document says is padding of zeros."""
    if isinstance(value, dict):
        if value.keys() == {"zeros", "reason"}:
            yield value["zeros"]
        for member in value.values():
            yield from zero_runs(member)
    elif isinstance(value, list):
        for element in value:
            yield from zero_runs(element)


def test_padding_of_zeros_of_real_saves_is_a_size(corpus):
    """Each padding of zeros among the events, and no base64 of it."""
    path = corpus / "shapez2" / "synthetic-checkpoints.spz2"
    with streamsave.open(path) as events:
        skips = [(event, events.opaque(event).data) for event in events if isinstance(event, BlobSkip)]
    sizes = [event.size for event, data in skips if event.reason == "padding" and not any(data)]
    made = document(path, -1)
    assert sizes
    assert sorted(zero_runs(made)) == sorted(sizes)
    assert b'"base64":"AAAAAAAAAAAAAAAA' not in orjson.dumps(made)


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [bytes, plz])
def test_what_is_large_is_walked_and_says_the_same(wrap):
    props = [
        Prop("Items", Array(ITEM), [item(at) for at in range(MANY)]),
        Prop("Map", Map(NAME, ITEM), [(f"key {at}", item(at)) for at in range(MANY)]),
        Prop("Numbers", Array(INT), list(range(BUILT_SIZE))),
        Prop("Points", Map(INT, VECTOR), [(at, (1.0, 2.0, 3.0)) for at in range(MANY)]),
        Prop("Deep", ITEM, [Prop("Items", Array(ITEM), [[Prop("Same", STR, "x"), Prop("Same", STR, "y", index=1)]] * MANY)]),
        Prop("Changed", Map(NAME, ITEM), Delta(["old"], [(f"key {at}", item(at)) for at in range(MANY)])),
        Prop("After", INT, 1),
    ]
    data = wrap(evolve(plain(), props=props).encode())
    whole = document(data)
    assert whole["objects"] == built_objects(data)
    properties = whole["objects"][0]["properties"]
    assert properties["Deep"]["Items"][-1] == {"Same": "x", "Same[1]": "y"}
    assert properties["Map"][1] == ["key 1", {"Name": "Item_1", "Count": 1}]
    assert properties["Changed"] == {"removed": ["old"], "added": properties["Map"]}
    assert properties["Points"]["reason"] == "map of unknown structs"
    hinted = document(data, type_hints={"Points": "Vector"})
    assert hinted["objects"][0]["properties"]["Points"][2] == [2, {"x": 1.0, "y": 2.0, "z": 3.0}]


def test_names_that_repeat_get_numbers():
    """A static array, the same name twice, and a name that looks as if it were made by us."""
    props = [Prop("A", INT, 1), Prop("A", INT, 2, index=1), Prop("A", INT, 3), Prop("A#2", INT, 4), Prop("A", INT, 5)]
    properties = document(evolve(plain(), props=props).encode())["objects"][0]["properties"]
    assert list(properties.values()) == [1, 2, 3, 4, 5]
    assert list(properties)[:3] == ["A", "A[1]", "A#2"]
    padded = [*props, Prop("Padding", STR, "x" * BUILT_SIZE)]
    assert list(document(evolve(plain(), props=padded).encode())["objects"][0]["properties"])[:5] == list(properties)


def test_numbers_that_json_cannot_say():
    data = evolve(plain(), props=[Prop(name, DOUBLE, float(name)) for name in ("nan", "inf", "-inf")]).encode()
    assert document(data)["objects"][0]["properties"] == {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def test_an_object_that_is_walked_has_what_a_built_one_has():
    large = Object("/Game/Big.Big_C", "Persistent_Level:PersistentLevel.Big", [Prop("Text", STR, "x" * (BUILT_SIZE + 1))])
    small = Object("/Game/Small.Small_C", "Persistent_Level:PersistentLevel.Small", [Prop("Ref", STR, Ref().path)])
    empty = Object("/Game/Empty.Empty_C", "Persistent_Level:PersistentLevel.Empty", [])
    data = save_bytes(World(release_header(46), (), [large, small, empty]))
    assert list(objects_in(document(data))) == built_objects(data)


def test_too_many_names_are_refused():
    with streamsave.open(plain().encode(), limits=Limits(table_entries=2)) as events:
        writer = JsonWriter(events)
        writer.open()
        writer.key("A")
        writer.key("B")
        with pytest.raises(streamsave.LimitExceeded, match="names in one JSON object"):
            writer.key("C")


def test_long_names_are_refused_too():
    """They are kept, as none may come twice: as many bytes as a value may hold."""
    names = ["n" * 1000 + str(number) for number in range(5)]
    data = SaveGame([Prop(name, INT, 1) for name in names]).encode()
    for allowed in (5004, 5005):
        with streamsave.open(data, limits=Limits(build_size=allowed)) as events:
            writer = JsonWriter(events)
            writer.open()
            for name in names[:4]:
                writer.key(name)
            if allowed == 5005:
                writer.key(names[4])
            else:
                with pytest.raises(streamsave.LimitExceeded, match="object: 5005 is above the limit build_size"):
                    writer.key(names[4])


def written(*members: tuple[str, object]) -> bytes:
    """What a writer makes of members of one object."""
    with streamsave.open(plain().encode()) as events:
        writer = JsonWriter(events)
        writer.open()
        for name, value in members:
            writer.key(name)
            writer.value(value)
        writer.close()
        return writer.take()


def test_controls_are_escaped_wherever_they_are():
    assert written(("a\x7f", "b\x9f"), ("c\x80", 1)) == b'{"a\\u007f":"b\\u009f","c\\u0080":1}'


def test_command_from_a_pipe():
    data = ERAS["ue5-1008"]().encode()
    assert orjson.loads(process("json", "-", stdin=data).stdout) == document(data)
    result = process("json", "--ndjson", "-", stdin=data)
    assert [orjson.loads(line) for line in result.stdout.splitlines()] == lines(data)


@pytest.mark.parametrize("data", [big_save(), damaged_save()], ids=["large", "small"])
def test_lines_of_a_damaged_save_are_complete(tmp_path, data):
    """They are those of the objects before the damage, however long, also where no piece is full."""
    path = file_with(tmp_path / "a.sav", data[: len(data) * 3 // 4])
    result = process("json", "--ndjson", path, path)
    with streamsave.open(path, on_damage="resync") as events:
        sound = b"".join(takewhile(lambda piece: isinstance(piece, bytes), salvage(events)))
    written = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert written == 2 * [orjson.loads(line) for line in sound.splitlines()]
    assert len(written) > 4


@pytest.mark.parametrize("data", [big_save(), damaged_save()], ids=["large", "small"])
def test_the_document_of_a_damaged_save_ends_at_the_damage(tmp_path, data):
    """It has all objects that are sound lines; the next document is on a line of its own."""
    path = file_with(tmp_path / "a.sav", data[: len(data) * 3 // 4])
    result = process("json", path, path)
    with streamsave.open(path, on_damage="resync") as events:
        sound = b"".join(takewhile(lambda piece: isinstance(piece, bytes), salvage(events)))
    first, second = result.stdout.splitlines()
    assert (first, result.returncode) == (second, 2)
    assert first.startswith(b'{"format":')
    assert all(name in first for name in re.findall(b'"instance_name":"[^"]*"', sound))


#: The peak of this process alone: that of `getrusage` may be its parent's.
MEASURE = """
import sys
from pathlib import Path
from streamsave.cli import main
try:
    main(sys.argv[1:])
finally:
    print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""


@pytest.mark.slow
def test_memory_on_the_largest_real_save(corpus, tmp_path):
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux says the peak of memory")
    path = corpus / "gvas" / "palworld-level-plz-1.5m.sav"
    output = tmp_path / "out.json"
    result = subprocess.run(
        [sys.executable, "-c", MEASURE, "json", str(path), "-o", str(output)], capture_output=True, check=True, env=environment()
    )
    assert int(result.stderr.split()[-1]) < MOST_MEMORY
    assert output.stat().st_size > 10 << 20


# --- Lines of JSON: which events begin and end a line, and what a line has ---


def save(*objects: object, levels: tuple[Level, ...] = ()) -> bytes:
    return save_bytes(World(release_header(46), levels, objects))


def test_an_object_has_its_path():
    made = lines(save(thing("BP_A_C_1", Prop("mX", INT, 3)), levels=(Level("FOREST", [thing("BP_B_C_2", level="FOREST")]),)))
    objects = [line for line in made if "instance_name" in line]
    assert [line["path"] for line in objects] == [["FOREST"], ["Persistent_Level"]]
    assert [line["instance_name"][-8:] for line in objects] == ["BP_B_C_2", "BP_A_C_1"]
    assert objects[1]["properties"] == {"mX": 3}


def test_a_value_in_no_object_has_its_name_and_path():
    values = [line for line in lines(save(thing("BP_A_C_1")))[1:] if "instance_name" not in line]
    assert values
    assert all(len(line) == 2 for line in values)
    assert all(line["path"][-1] in line for line in values)


def test_pieces():
    """Text is handed on in pieces of about one size, that may end inside a line."""
    data = save(*(thing(f"BP_A_C_{number}", Prop("mX", STR, "x" * 10_000)) for number in range(30)))
    with streamsave.open(data) as events:
        pieces = list(json_lines(events))
    assert len(pieces) > 3
    assert all(PIECE_SIZE // 2 <= len(piece) < 2 * PIECE_SIZE for piece in pieces[:-1])


def test_a_dropped_line_leaves_nothing():
    with streamsave.open(save(thing("BP_A_C_1", Prop("mX", STR, "x" * (BUILT_SIZE + 1))))) as events:
        writer = LineWriter(events)
        for event in events:
            writer.feed(event)
            if isinstance(event, ObjectHeader):
                assert writer.in_line
                writer.drop()
                break
        assert (writer.in_line, writer.take()) == (False, b"")
